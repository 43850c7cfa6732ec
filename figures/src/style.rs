//! What is asked of a figure.
//!
//! Entry: [`Style`] and [`Named`]. What is not asked for is chosen from the result.

use albireo_catalogs::Table;

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
    /// Scale them by the separation to this power instead.
    pub scale_by: Option<f64>,
    /// The horizontal axis.
    pub x: Limits,
    /// The vertical axis.
    pub y: Limits,
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

    /// The power of the separation that values are scaled by, `usual` being that of `r2`.
    pub(crate) fn power(&self, usual: i32) -> f64 {
        let usual = if self.r2 { f64::from(usual) } else { 0.0 };
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
    pub(crate) fn ends(
        self,
        log: bool,
        axis: &'static str,
    ) -> Result<Option<[f64; 2]>, FigureError> {
        match self.range {
            Some([lo, _]) if log && lo <= 0.0 => Err(FigureError::RangeFromZero { axis, lo }),
            range => Ok(range),
        }
    }
}
