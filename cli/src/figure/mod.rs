//! Figures of results: curves with error bars, and maps over two axes of bins.
//!
//! Entry: [`draw`]. `reading` turns a result into curves or a map, `axes`, `curve` and `map` lay them out, `svg` and `raster` draw.
//! No system fonts and no window system are involved.

mod axes;
mod canvas;
mod colour;
mod curve;
mod map;
mod raster;
mod reading;
mod svg;
mod ticks;

use std::path::Path;

use albireo_catalogs::Table;
use anyhow::{Context, Result, bail};

use canvas::{Point, Surface, Typeface};
use reading::Picture;

/// Page in points: 7 by 5.25 inches.
const PAGE: Point = [504.0, 378.0];

/// A choice of how to show a result.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Style {
    /// Scale by the separation squared.
    pub(crate) r2: bool,
}

/// The file formats of figures.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Format {
    Png,
    Svg,
}

impl Format {
    fn of(path: &Path) -> Result<Self> {
        match path.extension().and_then(|e| e.to_str()) {
            Some(e) if e.eq_ignore_ascii_case("png") => Ok(Self::Png),
            Some(e) if e.eq_ignore_ascii_case("svg") => Ok(Self::Svg),
            _ => bail!(
                "{}: a figure's extension should be .png or .svg",
                path.display()
            ),
        }
    }
}

/// Refuses a figure that cannot be written, before the work begins.
pub(crate) fn check_path(path: &Path) -> Result<()> {
    Format::of(path).map(|_| ())
}

/// Draws `table` into the file `path`, in the format of its extension.
pub(crate) fn draw(table: &Table, path: &Path, style: Style) -> Result<()> {
    let format = Format::of(path)?;
    let picture = Picture::of(table, style)?;
    let face = Typeface::embedded()?;
    let bytes = match format {
        Format::Png => {
            let mut raster = raster::Raster::new(PAGE);
            show(&picture, &face, &mut raster);
            raster.finish()?
        }
        Format::Svg => {
            let mut svg = svg::Svg::new(PAGE);
            show(&picture, &face, &mut svg);
            svg.finish()
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
