//! What results show of a binning: the name, edges and unit of each of its axes.
//!
//! Entry: [`BinAxis`], made by [`super::Binning::axes`]. It bins nothing.

use serde::Serialize;

/// What the numbers of an axis are measured in.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum AxisUnit {
    /// The length unit of the positions.
    Length,
    /// Degrees.
    Degrees,
    /// A pure number.
    Dimensionless,
}

/// One axis of bins: bin k lies between `edges[k]` and `edges[k + 1]`.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct BinAxis {
    /// `r`, `s`, `mu`, `rp`, `pi` or `theta`.
    pub name: &'static str,
    /// One edge more than there are bins, rising.
    pub edges: Vec<f64>,
    /// What the edges are measured in.
    pub unit: AxisUnit,
}

impl BinAxis {
    /// The axis of a binning: its name, its edges and their unit.
    pub fn new(name: &'static str, edges: &[f64], unit: AxisUnit) -> Self {
        Self {
            name,
            edges: edges.to_vec(),
            unit,
        }
    }

    /// Number of bins.
    pub fn n_bins(&self) -> usize {
        self.edges.len().saturating_sub(1)
    }

    /// The width of each bin.
    pub fn widths(&self) -> impl Iterator<Item = f64> + '_ {
        self.edges.windows(2).map(|edge| edge[1] - edge[0])
    }

    /// Whether the first edge is below zero, so that the sign of the coordinate matters.
    pub fn signed(&self) -> bool {
        self.edges[0] < 0.0
    }
}
