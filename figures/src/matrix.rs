//! Correlation matrices as maps.
//!
//! Entry: [`correlation_matrix`].

use albireo_catalogs::Table;

use crate::bins::{Axis, map_scale, required};
use crate::error::FigureError;
use crate::map::{Map, Meaning};
use crate::style::Style;

/// The correlation matrix of a covariance: over the axis of its bins, or their numbers where they have several.
pub(crate) fn correlation_matrix(
    table: &Table,
    axes: &[Axis],
    style: Style,
) -> Result<Map, FigureError> {
    if style.scales() {
        return Err(FigureError::NotScaled);
    }
    let values = required(table, "correlation")?;
    let bins = values.len().isqrt();
    if bins * bins != values.len() || bins == 0 {
        return Err(FigureError::Rows {
            found: values.len(),
            expected: bins * bins,
        });
    }
    let numbers = Axis {
        name: "bin".to_owned(),
        edges: (0..=bins).map(|k| k as f64).collect(),
        log: false,
        unit: None,
    };
    let axis = match axes {
        [axis] if axis.edges.len() == bins + 1 => axis,
        _ => &numbers,
    };
    let of = table.meta.get("covariance_of").and_then(|of| of.as_str());
    let of = match of {
        Some("wp") => "w_p",
        Some("xi") if axis.name == "theta" => "w",
        Some("xi") => "ξ",
        Some("g") => "g",
        Some("wedges") => "ξ_w",
        _ => "ξ_ℓ",
    };
    Ok(Map {
        x_edges: axis.edges.clone(),
        y_edges: axis.edges.clone(),
        x_scale: map_scale(axis, style.x, "x")?,
        y_scale: map_scale(axis, style.y, "y")?,
        equal: true,
        contours: false,
        meaning: Meaning::Correlations,
        x_label: axis.label(),
        y_label: axis.label(),
        value_label: format!("correlation of {of}"),
        values,
    })
}
