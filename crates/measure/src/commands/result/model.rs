//! A model of xi in a text file, or in the memory of the caller.
//!
//! Entry: [`Model`].

use std::path::Path;

use anyhow::{Context, Result, bail};

use crate::results::Results;
use crate::saved::floats;

/// A model by its values at rising places.
pub(super) struct Model(Vec<[f64; 2]>);

impl Model {
    /// The model of this name.
    pub(super) fn read(path: &Path, results: &Results) -> Result<Self> {
        let place = || path.display().to_string();
        let Some(table) = results.in_memory(path) else {
            let text = std::fs::read_to_string(path);
            return Self::of_text(&text.with_context(place)?, place);
        };
        let [x, xi] = [floats(table, "x")?, floats(table, "xi")?];
        let rows = x.iter().zip(xi).map(|(x, xi)| format!("{x} {xi}\n"));
        Self::of_text(&rows.collect::<String>(), place)
    }

    /// Reads rows of two numbers.
    fn of_text(text: &str, place: impl Fn() -> String) -> Result<Self> {
        let mut rows: Vec<[f64; 2]> = vec![];
        for (k, line) in text.lines().enumerate() {
            let line = line.split('#').next().unwrap_or_default();
            let fields: Vec<&str> = line
                .split([',', ' ', '\t'])
                .filter(|field| !field.is_empty())
                .collect();
            if fields.is_empty() {
                continue;
            }
            let numbers: Option<Vec<f64>> = fields.iter().map(|field| field.parse().ok()).collect();
            let row = numbers.filter(|numbers| numbers.iter().all(|x| x.is_finite()));
            let Some([x, xi]) = row.as_deref() else {
                bail!(
                    "{}: line {}: expected two numbers, x and xi, found `{}`",
                    place(),
                    k + 1,
                    line.trim()
                );
            };
            if rows.last().is_some_and(|last| last[0] >= *x) {
                bail!(
                    "{}: line {}: x should rise, found {x} after {}",
                    place(),
                    k + 1,
                    rows[rows.len() - 1][0]
                );
            }
            rows.push([*x, *xi]);
        }
        if rows.len() < 2 {
            bail!(
                "{}: at least 2 rows `x xi` are needed, found {}",
                place(),
                rows.len()
            );
        }
        Ok(Self(rows))
    }

    /// Its value at a place between its first and last.
    pub(super) fn at(&self, x: f64) -> Result<f64> {
        let rows = &self.0;
        let above = rows.partition_point(|row| row[0] < x).max(1);
        let (lo, hi) = (rows[above - 1], rows.get(above));
        match hi {
            Some(hi) if x >= lo[0] => Ok(lo[1] + (hi[1] - lo[1]) * (x - lo[0]) / (hi[0] - lo[0])),
            _ => bail!(
                "the model goes from {} to {}: it has no value at the bin at {x}",
                rows[0][0],
                rows[rows.len() - 1][0]
            ),
        }
    }
}
