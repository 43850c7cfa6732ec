//! Bins in the separation r.

use super::{AxisUnit, BinAxis, Binning, Edges, Form, PairOrder, Reach};
use crate::separation::Separation;

/// Bins in the separation: `e_k*e_k <= r2 < e_k+1*e_k+1`.
#[derive(Debug, Clone, PartialEq, serde::Serialize)]
pub struct RBins {
    edges: Edges,
}

impl RBins {
    /// Bins between these edges.
    pub fn new(edges: Edges) -> Self {
        Self { edges }
    }

    /// The separation edges.
    pub fn edges(&self) -> &Edges {
        &self.edges
    }

    #[inline]
    pub(super) fn bin_near(&self, sep: &Separation, guess: usize) -> Option<usize> {
        self.edges.locate_near(sep.r2, guess)
    }

    pub(super) fn form(&self) -> Form<'_> {
        Form::Radial { r: &self.edges }
    }
}

impl Binning for RBins {
    fn shape(&self) -> Vec<usize> {
        vec![self.edges.n_bins()]
    }

    fn axes(&self) -> Vec<BinAxis> {
        vec![BinAxis::new("r", self.edges.values(), AxisUnit::Length)]
    }

    #[inline]
    fn bin(&self, sep: &Separation) -> Option<usize> {
        self.edges.locate(sep.r2)
    }

    fn order(&self) -> PairOrder {
        PairOrder::Unordered
    }

    fn reach(&self) -> Reach {
        Reach::Sphere(self.edges.last())
    }

    fn coordinate(&self, sep: &Separation) -> f64 {
        sep.r2.sqrt()
    }

    fn coordinate_limit(&self) -> f64 {
        self.edges.last()
    }
}
