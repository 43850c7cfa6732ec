//! Masks of the sky: `HEALPix` maps, and tables of pixels.
//!
//! Entry: [`MaskSpec::footprint`].

#![allow(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "values were checked to be whole and in range"
)]

use std::path::Path;

use albireo::error::RegionsError;
use albireo::regions::{Footprint, PixelOrder};
use albireo_catalogs::{Catalog, CatalogError, Filter, Request, Stop, Value, open_until};

/// Which pixels of a file are a footprint, and what it does not state of them.
#[derive(Debug, Clone, Default)]
pub struct MaskSpec {
    /// The column of the numbers of pixels; without it `PIXEL` and the like, where there is one, else the file is a map: a value for each
    /// pixel of the sky, of which those above 0 count.
    pub pixels: Option<String>,
    /// The rows with numbers of pixels that count.
    pub filter: Option<Filter>,
    /// The order of the pixels; without it as the file states by `ORDERING`.
    pub order: Option<PixelOrder>,
    /// Their resolution; without it as the file states by `NSIDE`.
    pub nside: Option<u32>,
}

/// What is wrong with a mask.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum MaskError {
    /// The file cannot be read.
    #[error(transparent)]
    Catalog(#[from] CatalogError),
    /// Its pixels are none.
    #[error(transparent)]
    Regions(#[from] RegionsError),
    /// Nobody says in which order pixels are numbered.
    #[error("the file states no ORDERING of its pixels, RING or NESTED")]
    NoOrder,
    /// Nobody says how many pixels there are.
    #[error("the file states no NSIDE of its pixels")]
    NoNside,
    /// Rows are chosen of a map.
    #[error("conditions are for masks with a column of pixels: of a map, those above 0 count")]
    ConditionOfMap,
    /// There is no column.
    #[error("the mask has no column")]
    NoColumn,
    /// A column that is neither of all pixels nor of their numbers.
    #[error(
        "column `{column}` has {values} values: no map of the sky has so many pixels, and there is no column of their numbers, such as PIXEL"
    )]
    NoMap {
        /// The first column.
        column: String,
        /// How many values it has.
        values: usize,
    },
    /// No row is left.
    #[error("the mask holds no pixel: {0} rows were read and none kept")]
    Empty(u64),
    /// What is no number of a pixel.
    #[error(
        "column `{column}`, row {row} (counting from 0): expected the number of a pixel, found {found}"
    )]
    NoPixel {
        /// The column.
        column: String,
        /// The row.
        row: usize,
        /// What stands there.
        found: f64,
    },
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
fn numbers(column: &str, values: &[f64]) -> Result<Vec<u64>, MaskError> {
    let number = |(row, &found): (usize, &f64)| {
        if found.trunc() == found && (0.0..1e15).contains(&found) {
            return Ok(found as u64);
        }
        let column = column.to_owned();
        Err(MaskError::NoPixel { column, row, found })
    };
    values.iter().enumerate().map(number).collect()
}

impl MaskSpec {
    /// The footprint that the mask is.
    ///
    /// # Errors
    /// [`MaskError`].
    pub fn footprint(&self, path: &Path, stop: &Stop) -> Result<Footprint, MaskError> {
        let outline = open_until(path, stop.clone())?.outline(None)?;
        let mut names = outline.columns.iter().map(|column| column.name.as_str());
        let first = names.next().ok_or(MaskError::NoColumn)?;
        let usual = std::iter::once(first)
            .chain(names)
            .find(|name| PIXELS.contains(name));
        match self.pixels.as_deref().or(usual) {
            Some(column) => self.of_numbers(path, column, stop),
            None => self.of_map(path, first, stop),
        }
    }

    /// The order of the pixels, as given or as the file states it.
    fn order(&self, catalog: &Catalog) -> Result<PixelOrder, MaskError> {
        if let Some(order) = self.order {
            return Ok(order);
        }
        let stated = match catalog.attribute("ORDERING") {
            Some(Value::Text(text)) => text.trim().to_ascii_uppercase(),
            _ => String::new(),
        };
        match stated.as_str() {
            "RING" => Ok(PixelOrder::Ring),
            "NESTED" | "NEST" => Ok(PixelOrder::Nested),
            _ => Err(MaskError::NoOrder),
        }
    }

    /// The pixels of a map, all pixels of the sky in the order of its values.
    fn of_map(&self, path: &Path, column: &str, stop: &Stop) -> Result<Footprint, MaskError> {
        if self.filter.is_some() {
            return Err(MaskError::ConditionOfMap);
        }
        let catalog = open_until(path, stop.clone())?.read(&Request::columns([column]))?;
        let width = catalog.width(column).max(1);
        let name = |k: usize| match width {
            1 => column.to_owned(),
            _ => format!("{column}[{k}]"),
        };
        let parts: Result<Vec<&[f64]>, _> = (0..width).map(|k| catalog.column(&name(k))).collect();
        let parts = parts?;
        let values = width * catalog.rows();
        let nside = nside_of(values).ok_or_else(|| MaskError::NoMap {
            column: column.to_owned(),
            values,
        })?;
        let inside = |&number: &usize| parts[number % width][number / width] > 0.0;
        let pixels: Vec<u64> = (0..values)
            .filter(inside)
            .map(|number| number as u64)
            .collect();
        Ok(Footprint::of_pixels(&pixels, nside, self.order(&catalog)?)?)
    }

    /// The pixels that a column numbers.
    fn of_numbers(&self, path: &Path, column: &str, stop: &Stop) -> Result<Footprint, MaskError> {
        let mut request = Request::columns([column]);
        request.filter.clone_from(&self.filter);
        let catalog = open_until(path, stop.clone())?.read(&request)?;
        if catalog.rows() == 0 {
            return Err(MaskError::Empty(catalog.rows_read()));
        }
        let stated = match catalog.attribute("NSIDE") {
            Some(Value::Integer(nside)) => u32::try_from(*nside).ok(),
            _ => None,
        };
        let nside = self.nside.or(stated).ok_or(MaskError::NoNside)?;
        let pixels = numbers(column, catalog.column(column)?)?;
        Ok(Footprint::of_pixels(&pixels, nside, self.order(&catalog)?)?)
    }
}
