//! Planes of values on a grid.
//!
//! Entry: [`draw_slice`].

use std::path::Path;

use crate::canvas::{Surface, Typeface};
use crate::error::FigureError;
use crate::map::{Map, Meaning};
use crate::ticks::Scale;
use crate::{Format, rendered, save};

/// Values at the points of a plane of a regular grid.
#[derive(Debug, Clone, Copy)]
pub struct Slice<'a> {
    /// The first position along each axis and the step from one to the next.
    pub places: [(f64, f64); 2],
    /// What the axes are called.
    pub labels: [&'a str; 2],
    /// What the values are called.
    pub value: &'a str,
    /// The values, those along the second axis one after the other.
    pub values: &'a [f64],
    /// Points along each axis.
    pub shape: [usize; 2],
}

/// Draws the plane as a map with a colour bar, signed values in two hues, into a file by its extension. The file is there whole or not at all.
///
/// ```
/// use albireo_figures::{Slice, draw_slice};
/// # let folder = tempfile::tempdir()?;
/// # let path = folder.path().join("slice.svg");
/// let values = [1.0, -2.0, 0.5, 0.0, 3.0, -1.0];
/// let slice = Slice {
///     places: [(0.0, 0.5), (10.0, 1.0)],
///     labels: ["x", "y"],
///     value: "V",
///     values: &values,
///     shape: [2, 3],
/// };
/// draw_slice(&slice, &path)?;
/// assert!(std::fs::read_to_string(&path)?.starts_with("<svg "));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// [`FigureError`]: another number of values than of points, no points, or a file that cannot be written.
pub fn draw_slice(slice: &Slice<'_>, path: &Path) -> Result<(), FigureError> {
    let format = Format::of(path)?;
    let [n, m] = slice.shape;
    if slice.values.len() != n * m || slice.values.is_empty() {
        return Err(FigureError::rows(slice.values.len(), n * m));
    }
    let edges = |axis: usize| -> Vec<f64> {
        let (first, step) = slice.places[axis];
        let edge = |k: usize| first + (k as f64 - 0.5) * step;
        let mut edges: Vec<f64> = (0..=slice.shape[axis]).map(edge).collect();
        edges.sort_by(f64::total_cmp);
        edges
    };
    let [x_edges, y_edges] = [edges(0), edges(1)];
    let scale = |edges: &[f64]| Scale::Linear {
        lo: edges[0],
        hi: edges[edges.len() - 1],
    };
    let map = Map {
        x_scale: scale(&x_edges),
        y_scale: scale(&y_edges),
        x_edges,
        y_edges,
        equal: true,
        contours: false,
        meaning: Meaning::Any,
        x_label: slice.labels[0].to_owned(),
        y_label: slice.labels[1].to_owned(),
        value_label: slice.value.to_owned(),
        values: in_order(slice),
        blocks: None,
    };
    let face = Typeface::embedded()?;
    let page = map.page(None, &face);
    let show = |face: &Typeface, surface: &mut dyn Surface| map.draw(None, face, surface);
    save(&rendered(page, format, &show)?, path)
}

/// The values with both positions rising.
fn in_order(slice: &Slice<'_>) -> Vec<f64> {
    let [n, m] = slice.shape;
    let at = |axis: usize, k: usize, n: usize| {
        let falls = slice.places[axis].1 < 0.0;
        if falls { n - 1 - k } else { k }
    };
    let each = |k: usize| slice.values[at(0, k / m, n) * m + at(1, k % m, m)];
    (0..n * m).map(each).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_stand_where_their_points_lie() {
        let slice = Slice {
            places: [(0.0, -0.5), (10.0, 1.0)],
            labels: ["x", "y"],
            value: "V",
            values: &[1.0, 2.0, 3.0, 4.0, 5.0, 6.0],
            shape: [2, 3],
        };
        assert_eq!(in_order(&slice), [4.0, 5.0, 6.0, 1.0, 2.0, 3.0]);
        let folder = tempfile::tempdir().unwrap();
        let short = Slice {
            values: &[1.0],
            ..slice
        };
        assert!(draw_slice(&short, &folder.path().join("a.png")).is_err());
        draw_slice(&slice, &folder.path().join("a.png")).unwrap();
    }
}
