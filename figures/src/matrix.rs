//! Correlation matrices as maps.
//!
//! Entry: [`correlation_matrix`].

use albireo_catalogs::Table;

use crate::bins::{Axis, column, logarithmic, map_scale, required};
use crate::error::FigureError;
use crate::map::{Blocks, Map, Meaning};
use crate::style::Style;
use crate::ticks::{Scale, Ticks};

/// The correlation matrix of a covariance: over the axis of its bins, or their numbers where they have several.
pub(crate) fn correlation_matrix(
    table: &Table,
    axes: &[Axis],
    style: Style,
) -> Result<Map, FigureError> {
    if style.scales() {
        return Err(FigureError::not_scaled());
    }
    let values = required(table, "correlation")?;
    let bins = values.len().isqrt();
    if bins * bins != values.len() || bins == 0 {
        return Err(FigureError::rows(values.len(), bins * bins));
    }
    let numbers = Axis {
        name: "bin".to_owned(),
        edges: (0..=bins).map(|k| k as f64).collect(),
        log: false,
        unit: None,
        of: None,
    };
    let blocks = blocks(table, bins);
    let axis = match axes {
        [axis] if axis.edges.len() == bins + 1 => axis,
        _ => &numbers,
    };
    let label = match axes {
        [separation] if blocks.is_some() => separation.label(),
        _ => axis.label(),
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
        x_label: label.clone(),
        y_label: label,
        value_label: format!("correlation of {of}"),
        values,
        blocks,
    })
}

/// The multipoles or wedges that a matrix is made of, with separations as ticks; none where it is of one function.
fn blocks(table: &Table, bins: usize) -> Option<Blocks> {
    let first = |name: &str| Some(column(table, name)?.get(..bins)?.to_vec());
    let (lo, hi) = (first("column_lo")?, first("column_hi")?);
    let wedges = first("column_wedge_lo").zip(first("column_wedge_hi"));
    let name = |k: usize| match &wedges {
        Some((from, to)) => format!("{:.2} < μ < {:.2}", from[k], to[k]),
        None => first("column_ell").map_or_else(String::new, |ell| format!("ℓ = {}", ell[k])),
    };
    wedges
        .as_ref()
        .map(|_| ())
        .or(first("column_ell").map(|_| ()))?;
    let mut names: Vec<(String, [f64; 2])> = Vec::new();
    let mut ticks = Ticks::default();
    // A block begins where separations begin again.
    let begins: Vec<usize> = (0..bins).filter(|&k| k == 0 || lo[k] < hi[k - 1]).collect();
    let ends = begins.iter().skip(1).copied().chain([bins]);
    for (from, to) in begins.iter().copied().zip(ends) {
        names.push((name(from), [from as f64, to as f64]));
        let edges: Vec<f64> = lo[from..to].iter().copied().chain([hi[to - 1]]).collect();
        let [low, high] = [edges[0], edges[edges.len() - 1]];
        let scale = if logarithmic(&edges) {
            Scale::Log { lo: low, hi: high }
        } else {
            Scale::Linear { lo: low, hi: high }
        };
        let wanted = (12 / begins.len()).clamp(1, 6);
        for (value, label) in Ticks::on(scale, wanted).major {
            let bin = edges.windows(2).position(|e| e[0] <= value && value < e[1]);
            // At its end another block begins.
            let Some(bin) = bin else { continue };
            let part = (value - edges[bin]) / (edges[bin + 1] - edges[bin]);
            ticks.major.push(((from + bin) as f64 + part, label));
        }
    }
    (names.len() > 1).then_some(Blocks { names, ticks })
}
