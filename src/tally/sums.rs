//! The sums that counts take by default: what results of the library hold.

use super::{Sum, Tallied};
use crate::binning::Binning;
use crate::pairs::Pairs;
use crate::particles::Weights;

/// What is summed over the pairs of each bin besides their number.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Sums {
    /// The products of the two weights.
    pub weights: bool,
    /// The separation (the binning's coordinate), for its mean.
    pub separations: bool,
}

impl Sums {
    /// Weights where a sample has them, no separations.
    pub fn for_pairs(pairs: Pairs<'_>) -> Self {
        let (first, second) = pairs.both();
        let weights = [first, second]
            .iter()
            .any(|sample| matches!(sample.weights(), Weights::PerParticle(_)));
        Self {
            weights,
            separations: false,
        }
    }

    /// These sums over the bins of `binning`.
    pub fn over<B: Binning>(self, binning: &B) -> Tallied<B> {
        let mut what = Tallied::new(binning.clone());
        for (wanted, sum) in [
            (self.weights, Sum::Product),
            (self.separations, Sum::Separation),
        ] {
            if wanted {
                what = what.with_sum(sum);
            }
        }
        what
    }
}
