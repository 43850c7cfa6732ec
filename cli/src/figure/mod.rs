//! Figures of results: curves with error bars, and maps over two axes of bins.
//!
//! Entry: [`draw`]. `reading` and `bins` turn a result into curves or a map, `axes`, `curve`, `legend` and `map` lay them
//! out, `svg`, `pdf` and `raster` draw.
//! No system fonts and no window system are involved.

mod axes;
mod bins;
mod canvas;
mod colour;
mod contour;
mod curve;
mod legend;
mod map;
mod pdf;
mod raster;
mod reading;
mod series;
mod svg;
mod ticks;

use std::path::Path;

use albireo_catalogs::Table;
use anyhow::{Context, Result, bail};

use canvas::{Point, Surface, Typeface};
use reading::Picture;

/// Page in points: 7 by 5.25 inches.
const PAGE: Point = [504.0, 378.0];

/// How values are laid out along an axis, by name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum ScaleName {
    /// Equal differences, equal lengths.
    Linear,
    /// Equal ratios, equal lengths; of values below zero the absolute value.
    Log,
}

/// What is asked of one axis; what is not is chosen from the result.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Limits {
    /// Its ends.
    pub(crate) range: Option<[f64; 2]>,
    pub(crate) scale: Option<ScaleName>,
}

/// A choice of how to show results.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Style {
    /// Scale by the separation squared.
    pub(crate) r2: bool,
    pub(crate) x: Limits,
    pub(crate) y: Limits,
}

/// The file formats of figures.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Format {
    Png,
    Svg,
    Pdf,
}

impl Format {
    fn of(path: &Path) -> Result<Self> {
        match path.extension().and_then(|e| e.to_str()) {
            Some(e) if e.eq_ignore_ascii_case("png") => Ok(Self::Png),
            Some(e) if e.eq_ignore_ascii_case("svg") => Ok(Self::Svg),
            Some(e) if e.eq_ignore_ascii_case("pdf") => Ok(Self::Pdf),
            _ => bail!(
                "{}: a figure's extension should be .png, .svg or .pdf",
                path.display()
            ),
        }
    }
}

/// A result and what the figure calls it.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Named<'a> {
    pub(crate) name: &'a str,
    pub(crate) table: &'a Table,
}

/// Refuses a figure that cannot be written, before the work begins.
pub(crate) fn check_path(path: &Path) -> Result<()> {
    Format::of(path).map(|_| ())
}

/// Draws one result into the file `path`, in the format of its extension.
pub(crate) fn draw_one(table: &Table, path: &Path, style: Style) -> Result<()> {
    draw(&[Named { name: "", table }], path, style)
}

/// Draws results into the file `path`, in the format of its extension.
pub(crate) fn draw(results: &[Named<'_>], path: &Path, style: Style) -> Result<()> {
    let format = Format::of(path)?;
    let picture = Picture::of(results, style)?;
    let face = Typeface::embedded()?;
    let page = match &picture {
        Picture::Curves(_) => PAGE,
        Picture::Map(map) => map.page(PAGE, &face),
    };
    let bytes = match format {
        Format::Png => {
            let mut raster = raster::Raster::new(page);
            show(&picture, &face, &mut raster);
            raster.finish()?
        }
        Format::Svg => {
            let mut svg = svg::Svg::new(page);
            show(&picture, &face, &mut svg);
            svg.finish()
        }
        Format::Pdf => {
            let mut pdf = pdf::Pdf::new(page);
            show(&picture, &face, &mut pdf);
            pdf.finish(&face)?
        }
    };
    crate::files::write_whole(path, &bytes)
        .with_context(|| format!("cannot write the figure {}", path.display()))
}

fn show(picture: &Picture, face: &Typeface, surface: &mut dyn Surface) {
    match picture {
        Picture::Curves(curves) => curves.draw(PAGE, face, surface),
        Picture::Map(map) => map.draw(PAGE, face, surface),
    }
}
