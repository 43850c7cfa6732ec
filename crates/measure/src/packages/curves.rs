//! Multipoles, wedges and wp as other packages have them: curves over the axis that is left of two.
//!
//! Entry: [`curves`], of a result's table.

use albireo_catalogs::Table;
use anyhow::{Context, Result};
use serde_json::Value;

use super::measured::Measured;
use crate::saved::floats;

/// What a curve is.
#[derive(Debug, Clone, Copy)]
pub(super) enum Which {
    Multipole(i64),
    /// Between two mu.
    Wedge([f64; 2]),
    /// Between two pi.
    Projected([f64; 2]),
}

/// A curve over one axis.
#[derive(Debug)]
pub(super) struct Curve {
    pub(super) which: Which,
    /// The name of its column.
    pub(super) column: String,
    pub(super) values: Vec<f64>,
}

impl Curve {
    /// The label of its values (`corr`) or errors (`std`) in texts.
    pub(super) fn label(&self, of: &str, axis: &str) -> String {
        match self.which {
            Which::Multipole(ell) => format!("{of}{ell}({axis})"),
            Which::Wedge([lo, hi]) => format!("{of}({axis},[{lo:.2},{hi:.2}])"),
            Which::Projected(_) => format!("{of}({axis})"),
        }
    }
}

/// The curves of a table, with the signs that other packages have.
pub(super) fn curves(table: &Table, measured: &Measured) -> Result<Vec<Curve>> {
    let curve = |which: Which, column: String| {
        let values = floats(table, &column)?.to_vec();
        Ok(Curve {
            which,
            column,
            values,
        })
    };
    if table.column("wp").is_some() {
        let far = table.meta.get("pi_max").and_then(Value::as_f64);
        let far = far.context("no metadata `pi_max`")?;
        return Ok(vec![curve(Which::Projected([-far, far]), "wp".to_owned())?]);
    }
    let turned = measured.is_turned();
    let wedges = table.meta.get("wedges").and_then(Value::as_array);
    if let Some(edges) = wedges {
        let edges: Vec<f64> = edges.iter().filter_map(Value::as_f64).collect();
        let wedge = |(k, ends): (usize, &[f64])| {
            let ends = if turned {
                [0.0 - ends[1], 0.0 - ends[0]]
            } else {
                [ends[0], ends[1]]
            };
            curve(Which::Wedge(ends), format!("xi_wedge_{k}"))
        };
        let mut wedges = edges
            .windows(2)
            .enumerate()
            .map(wedge)
            .collect::<Result<Vec<_>>>()?;
        if turned {
            wedges.reverse();
        }
        return Ok(wedges);
    }
    let orders = table
        .columns
        .iter()
        .filter_map(|column| column.name.strip_prefix("xi_")?.parse().ok());
    let pole = |ell: i64| {
        let mut one = curve(Which::Multipole(ell), format!("xi_{ell}"))?;
        if turned && ell % 2 == 1 {
            one.values
                .iter_mut()
                .for_each(|value| *value = 0.0 - *value);
        }
        Ok(one)
    };
    orders.map(pole).collect()
}
