//! What is asked of a figure.
//!
//! Entry: [`Style`] and [`Named`]. What is not asked for is chosen from the result.

use albireo_catalogs::{Table, in_short};

use crate::axes::LABEL_SIZE;
use crate::error::FigureError;

/// How values are laid out along an axis.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Spacing {
    /// Equal differences, equal lengths.
    Linear,
    /// Equal ratios, equal lengths; of values below zero the absolute value.
    Log,
}

/// What is asked of one axis.
#[derive(Debug, Clone, Copy, Default)]
pub struct Limits {
    /// Its ends, in the unit of the axis.
    pub range: Option<[f64; 2]>,
    /// How it is laid out.
    pub spacing: Option<Spacing>,
}

/// A choice of how to show results.
#[derive(Debug, Clone, Copy, Default)]
pub struct Style {
    /// Scale xi(r) and multipoles by the separation squared, wp by rp.
    pub r2: bool,
    /// Scale them by the separation to this power instead; multipoles and wedges are scaled by the square unless this is 0.
    pub scale_by: Option<f64>,
    /// The horizontal axis.
    pub x: Limits,
    /// The vertical axis.
    pub y: Limits,
}

/// What is asked of the page, for any figure.
#[derive(Debug, Clone, Default)]
pub struct Sheet {
    /// Width and height in points; what the figure needs where not given.
    pub size: Option<[f64; 2]>,
    /// Size of the names of axes in points, to which numbers, lines and markers keep their ratio.
    pub font_size: Option<f64>,
    /// What stands above the figure.
    pub title: Option<String>,
    /// Curves to compare with.
    pub models: Vec<Model>,
    /// A covariance, with its name, whose errors are drawn next to those of the result, which is one of the same values.
    pub beside: Option<(String, Table)>,
}

/// A curve that is no result.
#[derive(Debug, Clone, Default)]
pub struct Model {
    /// Its name in the legend.
    pub name: String,
    /// Where it has values.
    pub x: Vec<f64>,
    /// Its values, as the result has them before they are scaled.
    pub y: Vec<f64>,
}

/// A page narrower than this, in points, has smaller letters.
const NARROW: f64 = 432.0;
/// Their size.
const SMALL: f64 = 8.0;

impl Sheet {
    /// How much larger everything is than with letters of the usual size.
    pub(crate) fn scale(&self) -> f64 {
        let narrow = self.size.is_some_and(|[width, _]| width < NARROW);
        let usual = if narrow { SMALL } else { LABEL_SIZE };
        self.font_size.unwrap_or(usual) / LABEL_SIZE
    }
}

/// A result and what the figure calls it.
#[derive(Debug, Clone, Copy)]
pub struct Named<'a> {
    /// Its name in the legend and in messages.
    pub name: &'a str,
    /// The result.
    pub table: &'a Table,
}

/// What is said beside the values of results whose counts are approximate, or hold a part of the pairs.
pub(crate) fn reservations(results: &[Named<'_>]) -> String {
    let mut said = String::new();
    if results.iter().any(|result| result.table.is_approximate()) {
        said.push_str("  (approximate counts)");
    }
    let mut partial = results.iter().filter_map(|result| result.table.partial());
    match (partial.next(), partial.next()) {
        (None, _) => {}
        (Some(one), None) if results.len() == 1 => said = format!("{said}  (partial: {one})"),
        _ => said.push_str("  (partial counts)"),
    }
    said
}

impl Style {
    /// Whether values are scaled by a power of the separation.
    pub(crate) fn scales(&self) -> bool {
        self.r2 || self.scale_by.is_some()
    }

    /// The power of the separation that values are scaled by, `usual` being that of `r2` and of what is scaled unless it is asked not to be.
    pub(crate) fn power(&self, usual: i32, by_default: bool) -> f64 {
        let usual = if self.r2 || by_default {
            f64::from(usual)
        } else {
            0.0
        };
        self.scale_by.unwrap_or(usual)
    }
}

impl Limits {
    /// Whether the axis is to be logarithmic.
    pub(crate) fn is_log(self, by_default: bool) -> bool {
        self.spacing
            .map_or(by_default, |spacing| spacing == Spacing::Log)
    }

    /// The ends asked for, which a logarithmic axis called `axis` must be able to show.
    pub(crate) fn ends(self, log: bool, axis: &str) -> Result<Option<[f64; 2]>, FigureError> {
        match self.range {
            Some([lo, _]) if log && lo <= 0.0 => Err(FigureError::Call(format!(
                "--{axis}-range: a logarithmic axis begins above 0, not at {}; --{axis}-scale linear would show it",
                in_short(lo)
            ))),
            range => Ok(range),
        }
    }
}
