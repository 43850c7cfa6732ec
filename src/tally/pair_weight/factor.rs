//! The factor of each pair of a job: what makes a pair's weight of the product of two.
//!
//! Entry: [`PairFactor`].

use super::{AngularWeight, InverseProbability, PairWeight};
use crate::pairs::Pairs;
use crate::particles::Bits;
use crate::separation::Separation;

/// The pair weight of a job, its bits at hand; all factors are scaled below 1 as [`PairWeight::exponent`] says.
#[derive(Debug, Clone, Copy)]
pub(crate) struct PairFactor<'a> {
    inverse: Option<(&'a InverseProbability, [&'a Bits; 2])>,
    angular: Option<&'a AngularWeight>,
}

impl<'a> PairFactor<'a> {
    /// The factors of `pairs`; without inverse probabilities where a sample has no bits, which is refused before.
    pub(crate) fn new(weight: &'a PairWeight, pairs: Pairs<'a>) -> Self {
        let (first, second) = pairs.both();
        let bits = first.bits().zip(second.bits());
        Self {
            inverse: weight.inverse().zip(bits.map(|(a, b)| [a, b])),
            angular: weight.angular(),
        }
    }

    /// Inverse probabilities and the bits of both samples.
    pub(crate) fn inverse(&self) -> Option<(&'a InverseProbability, [&'a Bits; 2])> {
        self.inverse
    }

    /// Factors by the angle.
    pub(crate) fn angular(&self) -> Option<&'a AngularWeight> {
        self.angular
    }

    /// The weight of the pair of rows `pair` whose own weights have this product: `(product*p)*g`.
    #[inline]
    pub(crate) fn weigh(&self, product: f64, pair: [usize; 2], sep: &Separation) -> f64 {
        let mut weight = self.weigh_by_bits(product, pair);
        if let Some(angular) = self.angular {
            weight *= angular.of_positions(sep.x1, sep.x2);
        }
        weight
    }

    /// `product*p` of the pair of rows `pair`.
    #[inline]
    pub(crate) fn weigh_by_bits(&self, product: f64, [i, j]: [usize; 2]) -> f64 {
        let Some((inverse, [first, second])) = self.inverse else {
            return product;
        };
        let (a, b) = (first.row(i), second.row(j));
        let common: u32 = a.iter().zip(b).map(|(a, b)| (a & b).count_ones()).sum();
        let mut p = inverse.table()[common as usize];
        if let Some(counter) = inverse.counter() {
            let [a, b] = [first.set_in(i), second.set_in(j)].map(|c| (c - counter.lo) as usize);
            p *= counter.table[a * counter.width + b];
        }
        product * p
    }
}
