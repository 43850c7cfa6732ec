//! What pairs cost by what is counted of them.
//!
//! Entry: [`Costs`].

use crate::binning::Binning;
use crate::tally::{InverseProbability, WeightedSums};

/// What a pair costs, in the time of one that is counted in a few bins in r.
pub(super) struct Costs {
    /// More bins than registers hold, or sums of weights.
    scattered: f64,
    two_coordinates: f64,
    weighted: f64,
    /// Sums of separations or of polynomials of mu, of which every pair takes float64.
    separations: f64,
    /// Weights of pairs, and each word of bits that they take.
    pair_weights: f64,
    word: f64,
}

pub(super) const CPU_COSTS: Costs = Costs {
    scattered: 1.9,
    two_coordinates: 1.3,
    weighted: 1.6,
    separations: 100.0,
    pair_weights: 2.8,
    word: 0.2,
};
#[cfg(feature = "cuda")]
pub(super) const GPU_COSTS: Costs = Costs {
    scattered: 1.5,
    two_coordinates: 1.4,
    weighted: 1.3,
    separations: 9.0,
    pair_weights: 6.0,
    word: 0.4,
};
/// The most bins that the CPU counts in registers.
const FEW_BINS: usize = 32;

impl Costs {
    /// The cost of a pair in the bins of `binning`.
    pub(super) fn of<B: Binning>(&self, binning: &B, asked: &WeightedSums) -> f64 {
        let sums = asked.sums();
        let words = |inverse: &InverseProbability| inverse.words() as f64 * self.word;
        let pair_weights = asked.pair_weight().map(|weight| {
            let words = weight.inverse().map_or(0.0, words);
            self.pair_weights + words
        });
        let factors = [
            (binning.n_bins() > FEW_BINS || sums.weights, self.scattered),
            (binning.axes().len() > 1, self.two_coordinates),
            (sums.weights, self.weighted),
            (sums.take_measures(), self.separations),
            (pair_weights.is_some(), pair_weights.unwrap_or(1.0)),
        ];
        let factor = |(applies, factor)| if applies { factor } else { 1.0 };
        factors.into_iter().map(factor).product::<f64>()
    }
}
