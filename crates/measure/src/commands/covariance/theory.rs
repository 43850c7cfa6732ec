//! xi of a theory, as text.
//!
//! Entry: [`theory`].

use std::path::Path;

use albireo_covariance::model::theory_xi;
use albireo_covariance::sampler::XiTable;
use anyhow::{Result, bail};

/// The rows `s mu xi` of a grid as a table of xi.
pub(super) fn theory(path: &Path, cut: f64) -> Result<XiTable> {
    let text = std::fs::read_to_string(path)?;
    let mut rows: Vec<[f64; 3]> = Vec::new();
    for (k, line) in text.lines().enumerate() {
        let line = line.split('#').next().unwrap_or_default();
        let numbers = line.split_whitespace().map(str::parse);
        let numbers: Option<Vec<f64>> = numbers.map(Result::ok).collect();
        match numbers.as_deref() {
            Some([]) => {}
            Some([s, mu, xi]) => rows.push([*s, *mu, *xi]),
            _ => bail!(
                "line {}: expected three numbers, s mu xi, found `{line}`",
                k + 1
            ),
        }
    }
    let values = |column: usize| {
        let mut values: Vec<f64> = rows.iter().map(|row| row[column]).collect();
        values.sort_by(f64::total_cmp);
        values.dedup();
        values
    };
    let (s, mu) = (values(0), values(1));
    rows.sort_by(|a, b| a[0].total_cmp(&b[0]).then(a[1].total_cmp(&b[1])));
    let xi: Vec<f64> = rows.iter().map(|row| row[2]).collect();
    Ok(theory_xi(&s, &mu, &xi, cut)?)
}
