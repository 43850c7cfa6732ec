//! What pairs cost by what is counted of them.
//!
//! Entry: [`Costs`]. What was measured stands in `benches/RESULTS.md`; what was not is marked as a guess.

use crate::tally::{CountSpec, InverseProbability};

/// What a pair costs, in the time of one that is counted in a few bins in r.
pub(super) struct Costs {
    /// More bins than registers hold, or sums of weights.
    scattered: f64,
    two_coordinates: f64,
    weighted: f64,
    /// Each further set of weights of the same pairs, in the time of the first.
    further_set: f64,
    /// Sums of separations without weights, in bins of r and of two coordinates.
    separations: [f64; 2],
    /// Sums of angles, of polynomials of mu or of expressions, of which every pair takes float64; those and sums of separations beside
    /// weights, in the time of these.
    measures: f64,
    measures_beside_weights: f64,
    /// Weights of pairs, and each word of bits that they take.
    pair_weights: f64,
    word: f64,
}

pub(super) const CPU_COSTS: Costs = Costs {
    scattered: 1.9,
    two_coordinates: 1.3,
    weighted: 1.6,
    // A guess: pairs are placed once, products are as many as sets.
    further_set: 0.3,
    // Measured: 2.2 to 3.0 and 1.8 to 2.2 through the filter, 5.2 to 5.8 in lanes; beside weights a guess from both.
    separations: [2.6, 2.0],
    measures: 5.5,
    measures_beside_weights: 2.5,
    // Measured: 2.8 by angles, 2.0 to 2.8 with 2 words, 4.5 to 6.8 with 30.
    pair_weights: 2.6,
    word: 0.1,
};
#[cfg(feature = "cuda")]
pub(super) const GPU_COSTS: Costs = Costs {
    scattered: 1.5,
    two_coordinates: 1.4,
    weighted: 1.3,
    // A pass of its own.
    further_set: 1.0,
    // Measured: 3.6 of 1e6 points, 4.7 of 1e7.
    separations: [3.6, 9.0],
    // Measured: 5.7 to 8.8 for velocities in r; that others are alike is a guess.
    measures: 7.0,
    // Measured: 3.1 for means, 3.3 for polynomials of mu.
    measures_beside_weights: 3.2,
    pair_weights: 6.0,
    word: 0.4,
};
/// The most bins that the CPU counts in registers.
const FEW_BINS: usize = 32;

impl Costs {
    /// The cost of a pair, with so many sets of weights.
    pub(super) fn of(&self, what: &CountSpec, sets: usize) -> f64 {
        let (binning, weights) = (what.bins(), what.has_weights());
        let words = |inverse: &InverseProbability| inverse.words() as f64 * self.word;
        let pair_weights = what.pair_weight().map(|weight| {
            let words = weight.inverse().map_or(0.0, words);
            self.pair_weights + words
        });
        let expressions = what.program().is_some();
        let separations = !(what.takes_legendre() || binning.on_sphere() || expressions);
        let measures = match (weights, separations) {
            (true, _) => self.measures_beside_weights,
            (false, true) => self.separations[usize::from(binning.axes().len() > 1)],
            (false, false) => self.measures,
        };
        let further = sets.saturating_sub(1) as f64 * self.further_set;
        let factors = [
            (binning.n_bins() > FEW_BINS || weights, self.scattered),
            (binning.axes().len() > 1, self.two_coordinates),
            (weights, self.weighted),
            (weights, 1.0 + further),
            (what.takes_measures(), measures),
            (pair_weights.is_some(), pair_weights.unwrap_or(1.0)),
        ];
        let factor = |(applies, factor)| if applies { factor } else { 1.0 };
        factors.into_iter().map(factor).product::<f64>()
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::binning::{Edges, RBins};
    use crate::tally::{Exchange, OperationList, PairProgram, PairSum};

    #[test]
    fn what_is_summed_has_its_price() {
        let bins = RBins::new(Edges::linear(0.0, 1.0, 10).unwrap());
        let cost = |weights: bool, separations: bool, sets: usize| {
            let mut what = CountSpec::new(&bins);
            if weights {
                what = what.with_weights();
            }
            if separations {
                what = what.with_mean_separation();
            }
            CPU_COSTS.of(&what, sets)
        };
        assert_eq!(cost(false, false, 1), 1.0);
        assert!((2.0..6.0).contains(&cost(false, true, 1)));
        assert!(cost(true, true, 1) > cost(true, false, 1));
        // Sets of weights cost something, but less than as many counts.
        let (one, four) = (cost(true, false, 1), cost(true, false, 4));
        assert!(four > one && four < 4.0 * one);
        assert_eq!(cost(false, false, 4), 1.0);
        // That of an expression costs about as much as a polynomial of mu.
        let mut operations = OperationList::default();
        let value = operations.constant(1.0);
        let sum = PairSum {
            name: "one".to_owned(),
            value,
            bound: 1.0,
            proven: true,
            exchange: Exchange::Even,
        };
        let program = PairProgram::new(&operations, vec![sum]).unwrap();
        let what = CountSpec::new(&bins).with_program(Arc::new(program));
        assert_eq!(CPU_COSTS.of(&what, 1), CPU_COSTS.measures);
    }
}
