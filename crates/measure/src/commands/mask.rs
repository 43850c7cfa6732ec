//! Masks of the sky: `HEALPix` maps, and tables of pixels.
//!
//! Entry: [`MaskFlags`].

#![allow(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "values were checked to be whole and in range"
)]

use albireo_catalogs::Stop;
use std::path::Path;

use albireo::regions::{Footprint, PixelOrder};
use albireo_catalogs::{Catalog, Filter, Request, Value, open};
use anyhow::{Context, Result, bail};
use clap::{Args, ValueEnum};
use serde_json::json;

use crate::usage::usage;

/// Orders of pixels, by name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum OrderName {
    /// Along rings of equal latitude.
    Ring,
    /// Along the squares of the base pixels.
    Nested,
}

impl From<OrderName> for PixelOrder {
    fn from(name: OrderName) -> Self {
        match name {
            OrderName::Ring => Self::Ring,
            OrderName::Nested => Self::Nested,
        }
    }
}

/// Which pixels of which file are a footprint.
#[allow(clippy::struct_field_names, reason = "the names of flags")]
#[derive(Debug, Clone, Args)]
#[command(next_help_heading = "In a mask")]
pub(super) struct MaskFlags {
    /// Column of the mask with the numbers of pixels [default: PIXEL, where there is one; else a map, a value for each pixel of the sky, of
    /// which those above 0 count]
    #[arg(long, value_name = "COLUMN")]
    mask_pixels: Option<String>,
    /// Rows of a mask with numbers of pixels that count, e.g. 'FRACTION > 0.5'
    #[arg(long, value_name = "CONDITION")]
    mask_where: Option<String>,
    /// Order of the pixels [default: as the file states by ORDERING]
    #[arg(long)]
    mask_order: Option<OrderName>,
}

/// Names that columns of pixels go by.
const PIXELS: [&str; 5] = ["PIXEL", "pixel", "HPXPIXEL", "ipix", "PIX"];

/// The resolution with so many pixels, if there is one.
fn nside_of(pixels: usize) -> Option<u32> {
    let nside = (pixels as u64 / 12).isqrt();
    let all = 12 * nside * nside == pixels as u64 && nside.is_power_of_two();
    u32::try_from(nside).ok().filter(|_| all)
}

/// The whole numbers of a column.
fn numbers(column: &str, values: &[f64]) -> Result<Vec<u64>> {
    let number = |(row, &value): (usize, &f64)| {
        if value.trunc() == value && (0.0..1e15).contains(&value) {
            return Ok(value as u64);
        }
        bail!(
            "column `{column}`, row {row} (counting from 0): expected the number of a pixel, found {value}"
        )
    };
    values.iter().enumerate().map(number).collect()
}

impl MaskFlags {
    /// The order of the pixels, as given or as the file states it.
    fn order(&self, catalog: &Catalog) -> Result<PixelOrder> {
        if let Some(order) = self.mask_order {
            return Ok(order.into());
        }
        let stated = match catalog.attribute("ORDERING") {
            Some(Value::Text(text)) => text.trim().to_ascii_uppercase(),
            _ => String::new(),
        };
        match stated.as_str() {
            "RING" => Ok(PixelOrder::Ring),
            "NESTED" | "NEST" => Ok(PixelOrder::Nested),
            _ => Err(usage(
                "the file states no ORDERING of its pixels: --mask-order ring or --mask-order nested",
            )),
        }
    }

    /// The pixels of a map, all pixels of the sky in the order of its values.
    fn of_map(&self, path: &Path, column: &str) -> Result<Footprint> {
        if self.mask_where.is_some() {
            return Err(usage(
                "--mask-where is for masks with a column of pixels: of a map, those above 0 count",
            ));
        }
        let catalog = open(path)?.read(&Request::columns([column]))?;
        let width = catalog.width(column).max(1);
        let name = |k: usize| match width {
            1 => column.to_owned(),
            _ => format!("{column}[{k}]"),
        };
        let parts: Result<Vec<&[f64]>, _> = (0..width).map(|k| catalog.column(&name(k))).collect();
        let parts = parts?;
        let all = width * catalog.rows();
        let nside = nside_of(all).with_context(|| {
            format!("column `{column}` has {all} values: no map of the sky has so many pixels, and there is no column of their numbers, such as PIXEL: --mask-pixels names it")
        })?;
        let inside = |&number: &usize| parts[number % width][number / width] > 0.0;
        let pixels: Vec<u64> = (0..all)
            .filter(inside)
            .map(|number| number as u64)
            .collect();
        Ok(Footprint::of_pixels(&pixels, nside, self.order(&catalog)?)?)
    }

    /// The pixels that a column numbers.
    fn of_numbers(&self, path: &Path, column: &str, nside: Option<u32>) -> Result<Footprint> {
        let condition = self.mask_where.as_deref().map(Filter::parse).transpose();
        let mut request = Request::columns([column]);
        request.filter = condition.context("--mask-where")?;
        let catalog = open(path)?.read(&request)?;
        if catalog.rows() == 0 {
            bail!(
                "the mask holds no pixel: {} rows were read and none kept",
                catalog.rows_read()
            );
        }
        let stated = match catalog.attribute("NSIDE") {
            Some(Value::Integer(nside)) => u32::try_from(*nside).ok(),
            _ => None,
        };
        let nside = nside.or(stated);
        let nside = nside.ok_or_else(|| {
            usage("--mask: the file states no NSIDE of its pixels: --nside gives it")
        })?;
        let pixels = numbers(column, catalog.column(column)?)?;
        Ok(Footprint::of_pixels(&pixels, nside, self.order(&catalog)?)?)
    }

    /// Refuses flags about a mask where there is none.
    pub(super) fn check(&self, mask: Option<&Path>) -> Result<()> {
        let given = [
            ("--mask-pixels", self.mask_pixels.is_some()),
            ("--mask-where", self.mask_where.is_some()),
            ("--mask-order", self.mask_order.is_some()),
        ];
        match given.into_iter().find(|(_, given)| *given) {
            Some((flag, _)) if mask.is_none() => {
                Err(usage(format!("{flag} needs a mask: --mask FILE")))
            }
            _ => Ok(()),
        }
    }

    /// The footprint that a mask is, and what the record says of it.
    pub(super) fn footprint(
        &self,
        path: &Path,
        nside: Option<u32>,
        stop: &Stop,
    ) -> Result<(Footprint, serde_json::Value)> {
        let made = || {
            let outline = open(path)?.outline(None)?;
            let mut names = outline.columns.iter().map(|column| column.name.as_str());
            let first = names.next().context("the mask has no column")?.to_owned();
            let all = std::iter::once(first.as_str()).chain(names);
            let usual = all.into_iter().find(|name| PIXELS.contains(name));
            match self.mask_pixels.as_deref().or(usual) {
                Some(column) => self.of_numbers(path, column, nside),
                None => self.of_map(path, &first),
            }
        };
        let footprint = made().with_context(|| format!("--mask {}", path.display()))?;
        let sha256 = albireo_catalogs::sha256_until(path, stop)?;
        let record = json!({"path": path, "sha256": sha256, "where": self.mask_where});
        Ok((footprint, record))
    }
}
