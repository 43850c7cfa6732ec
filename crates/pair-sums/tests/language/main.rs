//! Pair expressions against what they mean: forms by their formulas, drawn trees by both orders of each pair, engines by each other.

#![allow(clippy::unwrap_used, reason = "a failed unwrap is a failed test")]

mod bins;
mod draw;
mod engines;
mod forms;
mod orders;

use albireo::Particles;
use albireo::particles::Column;
use albireo_pair_sums::ObjectColumn;

/// Columns `v` and `u` have three components.
fn width(name: &str) -> usize {
    if name == "v" || name == "u" { 3 } else { 1 }
}

/// Particles with columns, those that are read by `read`.
fn filled(
    particles: &Particles,
    columns: &[ObjectColumn],
    mut read: impl FnMut(&str) -> Vec<f64>,
) -> Particles {
    let values = columns.iter().map(|column| match column {
        ObjectColumn::Read(text) | ObjectColumn::Identity(text) => Column::from(read(text)),
        other => other.of_points(particles).unwrap(),
    });
    particles.clone().with_columns(values.collect()).unwrap()
}
