//! Weights of bins that the fixed point leaves few digits of: which, and why.
//!
//! Entry: [`LooseWeights`].

use std::fmt;

use super::Counts;

/// The bound of a bin's weight that is called large, as a share of the weight.
pub const LARGEST_RELATIVE_BOUND: f64 = 1e-9;

/// Bins whose weights may be off by more than [`LARGEST_RELATIVE_BOUND`] of themselves, in words.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct LooseWeights {
    /// How many there are.
    pub bins: usize,
    /// Of how many.
    pub all: usize,
    /// The largest bound as a share of its weight; infinite where weights cancel to 0.
    pub worst: f64,
    /// What one pair may be off by.
    pub of_pair: f64,
}

impl LooseWeights {
    pub(super) fn of(counts: &Counts) -> Option<Self> {
        let (weight, bound) = counts.weight().zip(counts.weight_bound())?;
        let bins = counts.bins_of_little_weight();
        let share = |&bin: &usize| bound[bin] / weight[bin].abs();
        (!bins.is_empty()).then(|| Self {
            bins: bins.len(),
            all: weight.len(),
            worst: bins.iter().map(share).fold(0.0, f64::max),
            of_pair: counts.weight_bound_of_pair().unwrap_or(0.0),
        })
    }
}

impl fmt::Display for LooseWeights {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            bins,
            all,
            worst,
            of_pair,
        } = self;
        write!(
            f,
            "the weights in {bins} of {all} bins may be off by more than 1e-9 of themselves"
        )?;
        if worst.is_finite() {
            write!(f, " ({worst:.1e} at worst)")?;
        }
        write!(
            f,
            ": their products are tiny beside the largest of all, or cancel; a bin is within {of_pair:.2e} a pair of its exact sum"
        )
    }
}
