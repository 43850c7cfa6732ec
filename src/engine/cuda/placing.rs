//! What places the pairs of a plan: a filter of whichever kind, or the rule alone.
//!
//! Entry: [`Placing`]. It is given what it holds.

use albireo_kernels::structs::DeviceAxis;

use super::filter::DeviceFilter;
use super::measured::Measured;
use super::tensor::Tensor;
use super::terms::axis;

/// What places a pair, the rule having the last word.
pub(super) enum Placing {
    Rule,
    Filter(DeviceFilter),
    Tensors(Tensor),
    Measures(Measured),
}

impl Placing {
    pub(super) fn filter(&self) -> Option<&DeviceFilter> {
        match self {
            Self::Filter(filter) => Some(filter),
            _ => None,
        }
    }

    /// Edges across as kernels see them.
    pub(super) fn across(&self, values: &[f64]) -> DeviceAxis {
        match self {
            Self::Measures(measured) => measured.axis,
            Self::Tensors(tensor) => axis(values, Some(tensor.axis)),
            other => axis(values, other.filter().map(|filter| filter.across)),
        }
    }

    /// A kernel's scaled length of a length of 1.
    pub(super) fn unit(&self) -> f64 {
        match self {
            Self::Rule => 1.0,
            Self::Filter(filter) => filter.unit,
            Self::Tensors(tensor) => tensor.unit,
            Self::Measures(measured) => measured.unit,
        }
    }

    /// The table of edges.
    pub(super) fn into_table(self) -> Vec<[u32; 2]> {
        match self {
            Self::Rule | Self::Tensors(_) => Vec::new(),
            Self::Filter(filter) => filter.table,
            Self::Measures(measured) => measured.table,
        }
    }
}
