//! Masks of the sky: `HEALPix` maps, and tables of pixels.
//!
//! Entry: [`MaskFlags`].

use albireo_catalogs::Stop;
use std::path::Path;

use albireo::regions::{Footprint, PixelOrder};
use albireo_catalogs::Filter;
use albireo_samples::{MaskError, MaskSpec};
use anyhow::{Context, Result};
use clap::{Args, ValueEnum};
use serde_json::json;

use crate::args::mirrors;
use crate::group;
use crate::usage::{first_given, usage};

/// Orders of pixels, by name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum OrderName {
    /// Along rings of equal latitude.
    Ring,
    /// Along the squares of the base pixels.
    Nested,
}

mirrors!(OrderName => PixelOrder { Ring, Nested });

/// Which pixels of which file are a footprint.
#[allow(clippy::struct_field_names, reason = "the names of flags")]
#[derive(Debug, Clone, Args)]
#[command(next_help_heading = group::INPUT)]
pub(super) struct MaskFlags {
    /// Column of the mask with the numbers of pixels [default: PIXEL, else the file is a map]
    ///
    /// Of a map, a value for each pixel of the sky, pixels with values above 0 count.
    #[arg(long, value_name = "COLUMN")]
    mask_pixels: Option<String>,
    /// Rows to use of a mask with numbers of pixels, e.g. 'FRACTION > 0.5'
    #[arg(long, value_name = "CONDITION")]
    mask_where: Option<String>,
    /// Order of the pixels [default: as the file states by ORDERING]
    #[arg(long)]
    mask_order: Option<OrderName>,
}

/// What is wrong with a mask, with the flags that say what its file does not.
fn in_flags(error: MaskError) -> anyhow::Error {
    match error {
        MaskError::NoOrder => usage(
            "the file states no ORDERING of its pixels: --mask-order ring or --mask-order nested",
        ),
        MaskError::NoNside => {
            usage("--mask: the file states no NSIDE of its pixels: --nside gives it")
        }
        MaskError::ConditionOfMap => usage(
            "--mask-where is for masks with a column of pixels: of a map, those above 0 count",
        ),
        MaskError::NoMap { .. } => anyhow::anyhow!("{error}: --mask-pixels names it"),
        other => other.into(),
    }
}

impl MaskFlags {
    /// Refuses flags about a mask where there is none.
    pub(super) fn check(&self, mask: Option<&Path>) -> Result<()> {
        let given = [
            (self.mask_pixels.is_some(), "--mask-pixels"),
            (self.mask_where.is_some(), "--mask-where"),
            (self.mask_order.is_some(), "--mask-order"),
        ];
        match first_given(&given) {
            Some(flag) if mask.is_none() => Err(usage(format!("{flag} needs a mask: --mask FILE"))),
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
            let condition = self.mask_where.as_deref().map(Filter::parse).transpose();
            let mask = MaskSpec {
                pixels: self.mask_pixels.clone(),
                filter: condition.context("--mask-where")?,
                order: self.mask_order.map(PixelOrder::from),
                nside,
            };
            mask.footprint(path, stop).map_err(in_flags)
        };
        let footprint = made().with_context(|| format!("--mask {}", path.display()))?;
        let sha256 = albireo_catalogs::sha256_until(path, stop)?;
        let record = json!({"path": path, "sha256": sha256, "where": self.mask_where});
        Ok((footprint, record))
    }
}
