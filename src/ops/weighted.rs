//! Pairs and sums of weight products per bin.

use super::{BinSums, PairOp, Payload, Tally, add_all};
use crate::binning::Binning;
use crate::engine::Pairs;
use crate::fixed_point::{exponent, quantise, scaled};
use crate::particles::{Particles, Weights};
use crate::separation::Separation;

/// Counts the pairs in each bin and sums `w1*w2` over them, in fixed point.
///
/// Per sample `u = w * 2^-e` with e the frexp exponent of the largest |w|; a pair adds
/// `round_ties_even((u1*u2) * 2^36)`. Negative weights are allowed.
#[derive(Debug, Clone, PartialEq)]
pub struct WeightedCount<B> {
    binning: B,
    first: Vec<f64>,
    /// None for an auto count: the first sample's.
    second: Option<Vec<f64>>,
    exponents: [i32; 2],
}

/// The exponent that scales a sample's weights below 1.
fn weight_exponent(sample: &Particles) -> i32 {
    match sample.weights() {
        Weights::Unit => exponent(1.0),
        Weights::PerParticle(w) => exponent(w.iter().fold(0.0, |most, w| w.abs().max(most))),
    }
}

fn scaled_weights(sample: &Particles, exponent: i32) -> Vec<f64> {
    match sample.weights() {
        Weights::Unit => vec![scaled(1.0, exponent); sample.len()],
        Weights::PerParticle(w) => w.iter().map(|w| scaled(w, exponent)).collect(),
    }
}

impl<B: Binning> WeightedCount<B> {
    /// Counts the weighted pairs of `pairs` in these bins.
    pub fn new(binning: B, pairs: Pairs<'_>) -> Self {
        let exponents = Self::exponents_of(pairs);
        Self::with_exponents(binning, pairs, exponents)
    }

    /// The exponents that scale the weights of both samples below 1.
    pub fn exponents_of(pairs: Pairs<'_>) -> [i32; 2] {
        let (first, second) = pairs.both();
        [first, second].map(weight_exponent)
    }

    /// As [`WeightedCount::new`] for a part of a larger job, whose exponents are given.
    pub fn with_exponents(binning: B, pairs: Pairs<'_>, exponents: [i32; 2]) -> Self {
        let (first, second) = match pairs {
            Pairs::Auto(sample) => (scaled_weights(sample, exponents[0]), None),
            Pairs::Cross(first, second) => (
                scaled_weights(first, exponents[0]),
                Some(scaled_weights(second, exponents[1])),
            ),
        };
        Self {
            binning,
            first,
            second,
            exponents,
        }
    }
}

impl<B> WeightedCount<B> {
    /// The exponents of the two samples' weights.
    pub fn exponents(&self) -> [i32; 2] {
        self.exponents
    }

    fn second(&self) -> &[f64] {
        self.second.as_deref().unwrap_or(&self.first)
    }
}

impl<B: Binning> PairOp for WeightedCount<B> {
    type Binning = B;
    type Output = Tally;

    fn binning(&self) -> &B {
        &self.binning
    }

    fn empty(&self) -> Tally {
        let n_bins = self.binning.n_bins();
        Tally {
            npairs: vec![0; n_bins],
            weight: Some(vec![0; n_bins]),
            coordinate: None,
        }
    }

    #[inline]
    fn add(&self, output: &mut Tally, bin: usize, [i, j]: [usize; 2], _: &Separation) {
        output.npairs[bin] += 1;
        if let Some(weight) = &mut output.weight {
            weight[bin] += i128::from(quantise(self.first[i] * self.second()[j]));
        }
    }

    fn payload(&self) -> Payload<'_> {
        Payload::Products(&self.first, self.second())
    }

    fn add_sums(&self, output: &mut Tally, sums: BinSums<'_>) {
        add_all(&mut output.npairs, sums.npairs);
        if let Some(weight) = &mut output.weight {
            add_all(weight, sums.products);
        }
    }
}
