//! What known random pairs are made of, edge by edge: differences of cumulative integrals, signs, and products over two axes.

use crate::binning::SignedEdges;

/// Bin widths on the line of sight, times 2 where the sign is not kept: both sides fall in the bin.
pub(super) fn two_sided_widths(edges: &SignedEdges) -> Vec<f64> {
    let sides = if edges.signed() { 1.0 } else { 2.0 };
    let edges = edges.values().windows(2);
    edges.map(|e| sides * (e[1] - e[0])).collect()
}

/// All products, the second factor varying fastest.
pub(super) fn outer(first: &[f64], second: &[f64]) -> Vec<f64> {
    let products = |a: &f64| second.iter().map(move |b| a * b).collect::<Vec<_>>();
    first.iter().flat_map(products).collect()
}

/// A cumulative integral over both signs of a coordinate as one over the coordinate with its sign, from 0; as it is where signs are not kept
/// apart.
pub(super) fn signed(edges: &SignedEdges, both: impl Fn(f64) -> f64) -> Vec<f64> {
    let cumulative = |&edge: &f64| {
        if edges.signed() {
            (both(edge.abs()) / 2.0).copysign(edge)
        } else {
            both(edge)
        }
    };
    edges.values().iter().map(cumulative).collect()
}

/// What lies between neighbours of cumulative values.
pub(super) fn differences(values: &[f64]) -> Vec<f64> {
    values.windows(2).map(|v| v[1] - v[0]).collect()
}
