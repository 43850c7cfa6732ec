//! `albireo plot`: saved results as a figure.

use std::path::Path;

use albireo_catalogs::{ResultKind, Table};
use albireo_figures::{Limits, Named, Sheet, Spacing, Style};
use anyhow::{Context, Result, bail};
use clap::{Args, ValueEnum};
use serde_json::Value;

use super::result::check_same_bins;
use crate::args::{mirrors, power};
use crate::edges::ends;
use crate::files::Written;
use crate::group;
use crate::model_curve::ModelSpec;
use crate::packages::read_table;
use crate::paths::{ReadFile, WrittenFile};
use crate::session::Sink;
use crate::usage::usage;
use crate::weight_sets::parts;

/// How values are laid out along an axis, by name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum ScaleName {
    /// Equal differences, equal lengths.
    Linear,
    /// Equal ratios, equal lengths; of values below zero the absolute value.
    Log,
}

mirrors!(ScaleName => Spacing { Linear, Log });

/// A column of a page of two columns, in points, three quarters as high as wide.
const COLUMN: [f64; 2] = [244.8, 183.6];

/// Width and height of a page in points.
fn page_size(text: &str) -> Result<[f64; 2], String> {
    let text = text.trim();
    if text == "column" {
        return Ok(COLUMN);
    }
    let (sides, unit) = [("mm", 25.4), ("in", 1.0)]
        .into_iter()
        .find_map(|(name, inch)| Some((text.strip_suffix(name)?, inch)))
        .unwrap_or((text, 1.0));
    let side = |side: &str| {
        let length: f64 = side.trim().parse().ok()?;
        Some(length * 72.0 / unit).filter(|points| (72.0..=3600.0).contains(points))
    };
    let size = sides
        .split_once('x')
        .and_then(|(w, h)| Some([side(w)?, side(h)?]));
    size.ok_or_else(|| {
        format!("expected WIDTHxHEIGHT from 1 to 50 inches, e.g. 3.4x2.6 or 86x65mm, or `column`, found `{text}`")
    })
}

/// A size of letters.
fn font_size(text: &str) -> Result<f64, String> {
    let size = text.trim().trim_end_matches("pt").parse().ok();
    let size = size.filter(|size: &f64| (3.0..=72.0).contains(size));
    size.ok_or_else(|| format!("expected a size from 3 to 72 points, found `{text}`"))
}

/// Arguments of `plot`.
#[derive(Debug, Args)]
#[command(next_help_heading = group::AXES)]
pub(crate) struct Plot {
    /// Results of albireo: .csv (with its record beside it), .ecsv, .fits, .h5, .json or .parquet
    #[arg(required = true, value_name = "RESULT")]
    results: Vec<ReadFile>,
    /// Figure, by extension: .png .svg .pdf
    #[arg(short, long, value_name = "FIGURE", help_heading = group::OUTPUT)]
    output: WrittenFile,
    /// Scale the correlation function by this power of the separation (wp by that of rp), e.g. 1 for s xi or 1.5 [default: 2 for multipoles and wedges, else 0]
    #[arg(long, value_name = "POWER", value_parser = power, allow_hyphen_values = true)]
    scale_by: Option<f64>,
    /// Scale it by the separation squared (wp by rp)
    #[arg(long, hide = true, conflicts_with = "scale_by")]
    r2: bool,
    /// Name of a result in the legend; again for each further result [default: the names of the files]
    #[arg(long = "name", value_name = "TEXT")]
    names: Vec<String>,
    /// Curve to compare with, dashed, from a text file; again for each further curve
    ///
    /// The first column and this one, by its name in the header or its number [default: 2], in the units of the result and scaled as that is.
    #[arg(long = "model", value_name = "FILE[:COLUMN]")]
    models: Vec<ModelSpec>,
    /// Covariance of the same values, such as of mocks, whose errors are drawn next to those of RESULT, a covariance
    #[arg(long, value_name = "RESULT")]
    beside: Option<ReadFile>,
    /// Width and height of the page in inches or mm, e.g. 7x5 or 86x65mm; `column`: 3.4 inches wide [default: mostly 7x5.25]
    #[arg(long, value_name = "WxH", value_parser = page_size)]
    size: Option<[f64; 2]>,
    /// Font size of axis labels in points; numbers, lines and markers scale with it [default: 12, below 6 inches 8]
    #[arg(long, value_name = "POINTS", value_parser = font_size)]
    font_size: Option<f64>,
    /// Title above the figure
    #[arg(long, value_name = "TEXT")]
    title: Option<String>,
    /// Limits of the x axis, e.g. 0.1:50 [default: all bins]
    #[arg(long, value_name = "LO:HI", value_parser = ends, allow_hyphen_values = true)]
    x_range: Option<[f64; 2]>,
    /// Limits of the y axis, e.g. -20:100 [default: all values]
    #[arg(long, value_name = "LO:HI", value_parser = ends, allow_hyphen_values = true)]
    y_range: Option<[f64; 2]>,
    /// Scale of the x axis [default: as the bins are]
    #[arg(long, value_name = "SCALE")]
    x_scale: Option<ScaleName>,
    /// Scale of the y axis [default: as the bins are, linear with a scaled y and for g(r)]
    #[arg(long, value_name = "SCALE")]
    y_scale: Option<ScaleName>,
}

/// The covariance whose errors are drawn next to those of the only result.
fn reference(path: &ReadFile, results: &[Named<'_>]) -> Result<(String, Table)> {
    let place = || format!("--beside {}", path.display());
    let table = read_table(path)?;
    let all = results.iter().map(|result| result.table);
    for table in all.chain([&table]) {
        let kind = table.kind().with_context(place)?;
        if kind != ResultKind::Covariance || results.len() > 1 {
            bail!(
                "{}: expected one covariance, and RESULT another one, found {}",
                place(),
                kind.phrase()
            );
        }
    }
    check_same_bins(results[0].table, &table).with_context(place)?;
    let name = path.file_name().unwrap_or_default();
    Ok((name.to_string_lossy().into_owned(), table))
}

impl Plot {
    /// Refuses names that are not one a result, or that nobody could tell apart.
    fn check(&self) -> Result<()> {
        let (names, results) = (self.names.len(), self.results.len());
        if names > 0 && names != results {
            return Err(usage(format!(
                "--name is given {names} times for {results} results: name each of them, or none"
            )));
        }
        for (k, name) in self.names.iter().enumerate() {
            if name.trim().is_empty() {
                return Err(usage("--name is empty"));
            }
            if self.names[..k].contains(name) {
                return Err(usage(format!("--name {name} is given more than once")));
            }
        }
        Ok(())
    }

    fn style(&self) -> Style {
        Style {
            r2: self.r2,
            scale_by: self.scale_by,
            x: Limits {
                range: self.x_range,
                spacing: self.x_scale.map(Spacing::from),
            },
            y: Limits {
                range: self.y_range,
                spacing: self.y_scale.map(Spacing::from),
            },
        }
    }

    /// The names given, else those of the files, with their folders where two have the same.
    fn names(&self) -> Vec<String> {
        if !self.names.is_empty() {
            return self.names.clone();
        }
        let short = |path: &ReadFile| {
            path.file_name()
                .map(|name| name.to_string_lossy().into_owned())
        };
        let all: Vec<_> = self.results.iter().map(short).collect();
        let name = |(k, path): (usize, &ReadFile)| {
            let unique = all.iter().filter(|other| **other == all[k]).count() == 1;
            let short = all[k].clone().filter(|_| unique);
            short.unwrap_or_else(|| path.display().to_string())
        };
        self.results.iter().enumerate().map(name).collect()
    }

    /// The results with their names in legends: those of sets of weights each for itself.
    fn with_sets(&self, tables: Vec<Table>) -> Vec<(String, Table)> {
        let alone = tables.len() == 1;
        let named = self.names().into_iter().zip(tables);
        named
            .flat_map(|(name, table)| match parts(&table) {
                None => vec![(name, table)],
                Some(sets) if alone => sets,
                Some(sets) => {
                    let of_file = |(set, table)| (format!("{name}, {set}"), table);
                    sets.into_iter().map(of_file).collect()
                }
            })
            .collect()
    }

    /// Draws them.
    pub(crate) fn run(&self, sink: &Sink) -> Result<()> {
        self.check()?;
        albireo_figures::check_path(&self.output)?;
        let records: Vec<_> = self
            .results
            .iter()
            .filter_map(|path| Table::record_of(path))
            .collect();
        let inputs: Vec<&Path> = self
            .results
            .iter()
            .map(ReadFile::as_path)
            .chain(records.iter().map(AsRef::as_ref))
            .chain(self.models.iter().map(|model| model.path.as_path()))
            .chain(self.beside.as_deref())
            .collect();
        sink.keep_apart(&[Written::probe("--output", &self.output)?], &inputs)?;
        let tables = self.results.iter().map(|path| read_table(path));
        let tables = tables.collect::<Result<Vec<_>>>()?;
        let sets = self.with_sets(tables);
        let named = sets.iter().map(|(name, table)| Named { name, table });
        let named: Vec<_> = named.collect();
        let models = self.models.iter().map(ModelSpec::read);
        let beside = self.beside.as_ref();
        let beside = beside.map(|path| reference(path, &named)).transpose()?;
        let sheet = Sheet {
            size: self.size,
            font_size: self.font_size,
            title: self.title.clone(),
            models: models.collect::<Result<_>>()?,
            beside,
        };
        albireo_figures::draw_on(&named, &self.output, self.style(), &sheet).with_context(|| {
            match &self.results[..] {
                [one] => one.display().to_string(),
                _ => "cannot draw these results together".to_owned(),
            }
        })
    }
}

/// What `albireo plot` shows of a result, scaled by a power of the separation, as JSON: see [`albireo_figures::shown`].
///
/// # Errors
/// A power that `--scale-by` does not take, and [`albireo_figures::FigureError`] for what has no figure.
pub fn shown(table: &Table, scale_by: Option<f64>) -> Result<Value> {
    let scale_by = scale_by.map(|by| power(&by.to_string()));
    let style = Style {
        scale_by: scale_by.transpose().map_err(usage)?,
        ..Style::default()
    };
    let sets = parts(table).unwrap_or_else(|| vec![(String::new(), table.clone())]);
    let named = sets.iter().map(|(name, table)| Named { name, table });
    Ok(albireo_figures::shown(&named.collect::<Vec<_>>(), style)?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pages_have_sizes_in_inches_or_millimetres() {
        assert_eq!(page_size("7x5"), Ok([504.0, 360.0]));
        assert_eq!(page_size("7x5in"), Ok([504.0, 360.0]));
        assert_eq!(page_size("254x127mm"), Ok([720.0, 360.0]));
        assert_eq!(page_size("column"), Ok(COLUMN));
        for bad in ["7", "0x5", "7x", "7x5pt", "900x900", "x", "NaNx2"] {
            assert!(page_size(bad).is_err(), "{bad}");
        }
        assert_eq!(font_size("9pt"), Ok(9.0));
        assert!(font_size("0").is_err());
    }
}
