//! Figures of result tables: curves with error bars, and maps over two axes of bins, as SVG, PDF and PNG.
//!
//! Entry: [`draw`], or [`shown`] for what is drawn as numbers; [`draw_regions`] for points in regions. `reading` and `bins` turn a table into curves or a map, `axes`, `curve`, `legend` and `map` lay them
//! out, `svg`, `pdf` and `raster` draw. It sees tables and what they say of themselves: no particle, no pair and no flag; no system
//! fonts and no window system are involved.
//!
//! ```
//! use albireo_catalogs::{ResultKind, Table, TableColumn};
//! use albireo_figures::{Named, Style, draw};
//!
//! let mut table = Table::default();
//! table.columns.push(TableColumn::floats("xi", "", vec![2.0, 0.5]));
//! table.columns.push(TableColumn::floats("xi_error", "", vec![0.2, 0.1]));
//! table.meta.insert("result".to_owned(), ResultKind::Correlation.name().into());
//! table.meta.insert("edges".to_owned(), serde_json::json!({"r": [0.5, 1.0, 2.0]}));
//! # let folder = tempfile::tempdir()?;
//! # let path = folder.path().join("xi.svg");
//! let named = Named { name: "", table: &table };
//! draw(&[named], &path, Style::default())?;
//! assert!(std::fs::read_to_string(&path)?.starts_with("<svg "));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

// Pixels, ticks and shades are small numbers: casts of them are not warned of, as they are in the other libraries.
#![forbid(unsafe_code)]

mod axes;
mod bins;
mod canvas;
mod colour;
mod contour;
mod covariance;
mod curve;
mod error;
mod extent;
mod fluids;
mod legend;
mod map;
mod matrix;
mod model;
mod panels;
mod pdf;
mod placed;
mod raster;
mod reading;
mod region_frame;
mod region_map;
mod remarks;
mod report;
mod series;
mod shown;
mod slice;
mod style;
mod svg;
mod ticks;

use std::io::Write;
use std::path::Path;

use albireo_catalogs::WholeFile;

use canvas::{Colour, Point, Surface, Text, Typeface};
use covariance::Beside;
use placed::Placed;
use reading::Picture;

pub use error::FigureError;
pub use region_map::{Places, RegionMap, draw_regions};
pub use report::{Section, check_report_path, write_report};
pub use shown::shown;
pub use slice::{Slice, draw_slice};
pub use style::{Limits, Model, Named, Sheet, Spacing, Style};

/// Page in points: 7 by 5.25 inches.
const PAGE: Point = [504.0, 378.0];

/// Height of a title.
const TITLE: f64 = 20.0;

/// The file formats of figures.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Format {
    Png,
    Svg,
    Pdf,
}

impl Format {
    fn of(path: &Path) -> Result<Self, FigureError> {
        match path.extension().and_then(|e| e.to_str()) {
            Some(e) if e.eq_ignore_ascii_case("png") => Ok(Self::Png),
            Some(e) if e.eq_ignore_ascii_case("svg") => Ok(Self::Svg),
            Some(e) if e.eq_ignore_ascii_case("pdf") => Ok(Self::Pdf),
            _ => Err(FigureError::Input(format!(
                "{}: a figure's extension should be .png, .svg or .pdf",
                path.display()
            ))),
        }
    }
}

/// Refuses a figure that cannot be written, before the work begins.
///
/// # Errors
/// Another extension than those of figures.
pub fn check_path(path: &Path) -> Result<(), FigureError> {
    Format::of(path).map(|_| ())
}

/// Draws results into the file `path`, in the format of its extension; several share their axes. The file is there whole or not at all.
///
/// # Errors
/// [`FigureError`]: a table that is no result, results without axes in common, options without meaning, or a file that cannot be written.
pub fn draw(results: &[Named<'_>], path: &Path, style: Style) -> Result<(), FigureError> {
    draw_on(results, path, style, &Sheet::default())
}

/// Draws results on a sheet of a size, with letters of a size, a title and curves of models.
///
/// # Errors
/// As [`draw`]; refuses models where there are no axes that a model shares.
pub fn draw_on(
    results: &[Named<'_>],
    path: &Path,
    style: Style,
    sheet: &Sheet,
) -> Result<(), FigureError> {
    let format = Format::of(path)?;
    let mut picture = Picture::of(results, style)?;
    let name = results.first().map_or("", |result| result.name);
    picture.add_models(&sheet.models, name, style)?;
    match &picture {
        Picture::Curves(curves) => extent::of_curves(curves.series.iter(), style)?,
        Picture::Map(map) => extent::of_map(map, style)?,
        Picture::Panels(panels) => extent::of_curves(panels.series(), style)?,
    }
    let reference = sheet.beside.as_ref();
    let reference = reference.map(|(name, table)| Named { name, table });
    let beside = match (&picture, results) {
        (Picture::Map(_), [one]) => Beside::of(one.table, reference)?,
        _ => None,
    };
    let face = Typeface::embedded()?;
    let title = sheet.title.as_deref().unwrap_or_default();
    let above = if title.is_empty() { 0.0 } else { TITLE };
    let scale = sheet.scale();
    // In the lengths of a figure with letters of the usual size.
    let asked = sheet.size.map(|size| size.map(|length| length / scale));
    let within = asked.map(|[width, height]| [width, height - above]);
    // With panels beside it a matrix keeps its own size, and all of it is made smaller.
    let within = within.filter(|_| beside.is_none());
    let own = match &picture {
        Picture::Curves(_) => within.unwrap_or(PAGE),
        Picture::Map(map) => map.page(within, &face),
        Picture::Panels(panels) => within.unwrap_or(panels.page()),
    };
    let more = beside.as_ref().map_or(0.0, |_| Beside::width(own[1]));
    let page = [own[0] + more, own[1]];
    let all = asked.unwrap_or([page[0], page[1] + above]);
    let fit = (all[0] / page[0]).min((all[1] - above) / page[1]).min(1.0);
    let show = |face: &Typeface, surface: &mut dyn Surface| {
        let mut sheet = Placed {
            surface,
            scale,
            at: [0.0, 0.0],
        };
        Text::centred(title, [all[0] / 2.0, TITLE - 3.0], axes::LABEL_SIZE)
            .literally()
            .draw(face, &mut sheet, Colour::INK);
        let mut surface = Placed {
            surface: &mut sheet,
            scale: fit,
            at: [(all[0] - page[0] * fit) / 2.0, above],
        };
        match &picture {
            Picture::Curves(curves) => curves.draw(page, 0.0, face, &mut surface),
            Picture::Map(map) => map.draw(within, face, &mut surface),
            Picture::Panels(panels) => panels.draw(page, face, &mut surface),
        }
        if let Some(beside) = &beside {
            beside.draw(own[0], own[1], face, &mut surface);
        }
    };
    save(
        &rendered(all.map(|length| length * scale), format, &show)?,
        path,
    )
}

/// Writes the file, whole or not at all.
fn save(bytes: &[u8], path: &Path) -> Result<(), FigureError> {
    let write = || {
        let mut file = WholeFile::create(path)?;
        file.write_all(bytes)?;
        file.finish()
    };
    write().map_err(|source| FigureError::Write {
        path: path.to_owned(),
        source,
    })
}

/// The bytes of the file that shows on a page what `show` draws.
fn rendered(
    page: Point,
    format: Format,
    show: &dyn Fn(&Typeface, &mut dyn Surface),
) -> Result<Vec<u8>, FigureError> {
    let face = Typeface::embedded()?;
    match format {
        Format::Png => {
            let mut raster = raster::Raster::new(page);
            show(&face, &mut raster);
            raster.finish()
        }
        Format::Svg => {
            let mut svg = svg::Svg::new(page);
            show(&face, &mut svg);
            Ok(svg.finish())
        }
        Format::Pdf => {
            let mut pdf = pdf::Pdf::new(page);
            show(&face, &mut pdf);
            pdf.finish(&face)
        }
    }
}
