//! Whether the ends of an axis that are asked for hold anything.
//!
//! Entry: [`of_curves`], [`of_map`].

use crate::error::FigureError;
use crate::map::Map;
use crate::series::Series;
use crate::style::Style;

/// The least and the largest value.
fn extent(values: impl Iterator<Item = f64>) -> [f64; 2] {
    values.fold([f64::INFINITY, f64::NEG_INFINITY], |[lo, hi], value| {
        [lo.min(value), hi.max(value)]
    })
}

/// Refuses ends of an axis beside all points; curves without a point have no ends that hold one.
pub(crate) fn of_curves<'a>(
    series: impl Iterator<Item = &'a Series>,
    style: Style,
) -> Result<(), FigureError> {
    let points = series.flat_map(Series::points);
    let mut points: Vec<_> = points
        .filter(|(x, y, _)| x.is_finite() && y.is_finite())
        .collect();
    if points.is_empty() {
        return Ok(());
    }
    if let Some([lo, hi]) = style.x.range {
        let data = extent(points.iter().map(|(x, _, _)| *x));
        points.retain(|(x, _, _)| (lo..=hi).contains(x));
        if points.is_empty() {
            return Err(FigureError::empty_range("x", [lo, hi], "points", data));
        }
    }
    if let Some([lo, hi]) = style.y.range {
        let data = extent(points.iter().map(|(_, y, _)| *y));
        // A logarithmic axis shows absolute values, and bars of errors reach beyond their points.
        let reaches = |y: f64, error: f64| y + error >= lo && y - error <= hi;
        let held =
            |(_, y, error): &(f64, f64, f64)| reaches(*y, *error) || reaches(y.abs(), *error);
        if !points.iter().any(held) {
            return Err(FigureError::empty_range("y", [lo, hi], "values", data));
        }
    }
    Ok(())
}

/// Refuses ends of an axis beside all bins of a map.
pub(crate) fn of_map(map: &Map, style: Style) -> Result<(), FigureError> {
    let axes = [
        ("x", style.x.range, &map.x_edges),
        ("y", style.y.range, &map.y_edges),
    ];
    for (axis, range, edges) in axes {
        let data = extent(edges.iter().copied());
        match range {
            Some([lo, hi]) if hi <= data[0] || lo >= data[1] => {
                return Err(FigureError::empty_range(axis, [lo, hi], "bins", data));
            }
            _ => {}
        }
    }
    Ok(())
}
