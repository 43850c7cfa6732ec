//! How many words a weighted sum needs: decided from the weights of a whole job alone, before a pair is counted.
//!
//! Entry: [`CountSpec::in_range_of`].

#![allow(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "scaled weights lie in [0, 1)"
)]

use albireo_simd::fixed_point::{exponent, scaled};

use super::{CountSpec, Sum};
use crate::pairs::Pairs;
use crate::particles::{Particles, Weights, largest_magnitude};
use crate::pool;

/// Products of which the largest is more than so many times the product of the means are of wide range.
const WIDE: f64 = 1024.0;

/// Magnitudes of weights over the power of two above the largest: the largest, and their mean.
#[derive(Debug, Clone, Copy)]
struct Magnitudes {
    largest: f64,
    mean: f64,
}

/// Bits of a weight that the mean takes.
const BITS: i32 = 52;

impl Magnitudes {
    /// The mean is that of integers, which do not depend on the order of the rows.
    fn of(sample: &Particles, set: usize) -> Self {
        let Weights::PerParticle(weights) = sample.weights_of_set(set) else {
            return Self {
                largest: 1.0,
                mean: 1.0,
            };
        };
        let largest = largest_magnitude(weights);
        let exponent = exponent(largest);
        let one = (1u64 << BITS) as f64;
        let view = weights.view();
        let sum = |bits: &(dyn Fn(f64) -> u64 + Sync)| {
            let part = |rows| view.rows(rows).iter().map(|w| u128::from(bits(w))).sum();
            pool::fold(weights.len(), part, |a: u128, b| a + b)
        };
        let sum = if (-900..900).contains(&exponent) {
            // A product with a power of two is exact, and so is one that has lost what lies below the bits.
            let unit = scaled(one, exponent);
            sum(&|w| (w.abs() * unit) as u64)
        } else {
            sum(&|w| (scaled(w.abs(), exponent) * one) as u64)
        };
        Self {
            largest: scaled(largest, exponent),
            mean: sum as f64 / (sample.len().max(1) as f64 * one),
        }
    }
}

/// Whether the products of two weights are of so wide a range that the fixed point of the largest loses digits of the others:
/// `max|w1| * max|w2| > 2^10 * mean|w1| * mean|w2|`.
///
/// ```
/// use albireo::tally::weights_are_wide;
/// use albireo::{Pairs, Particles, Points};
/// let sample = |weights: [f64; 3]| Particles::weighted(Points::from_rows(&[[0.0; 3]; 3])?, weights.to_vec());
/// assert!(!weights_are_wide(Pairs::Auto(&sample([1.0, 0.5, 0.1])?), 0));
/// let halos = vec![1e10; 1000];
/// let halos = Particles::weighted(Points::from_rows(&[[0.0; 3]; 1000])?, [&halos[1..], &[1e13]].concat())?;
/// assert!(weights_are_wide(Pairs::Auto(&halos), 0));
/// # Ok::<(), albireo::Error>(())
/// ```
pub fn weights_are_wide(pairs: Pairs<'_>, set: usize) -> bool {
    let (first, second) = pairs.samples();
    let first = Magnitudes::of(first, set);
    let second = second.map_or(first, |second| Magnitudes::of(second, set));
    first.largest * second.largest > WIDE * (first.mean * second.mean)
}

impl CountSpec {
    /// The same with a second word ([`Sum::Rest`]) for each weighted sum by a set of weights of wide range.
    ///
    /// `pairs` are those of the whole job: engines, parts and ranks that are handed what comes out count alike.
    #[must_use]
    pub fn in_range_of(self, pairs: Pairs<'_>) -> Self {
        let wide = (0..self.weight_sets()).map(|set| {
            let own = if set == 0 { self.weight_set } else { set };
            weights_are_wide(pairs, own)
        });
        let wide: Vec<bool> = wide.collect();
        self.with_second_words(&wide)
    }

    /// The same with a second word for the sums of each set of weights that `wide` says it of.
    pub(crate) fn with_second_words(mut self, wide: &[bool]) -> Self {
        let of_wide = |sum: &&Sum| sum.weighted().is_some_and(|(set, _)| wide[set]);
        let rests: Vec<Sum> = (self.sums.iter().filter(of_wide))
            .filter_map(Sum::rest)
            .collect();
        for rest in rests {
            if !self.sums.contains(&rest) {
                self.sums.push(rest);
            }
        }
        self
    }

    /// Which of the sums is the second word of sum number `at`, if it has one.
    pub(crate) fn rest_of(&self, at: usize) -> Option<usize> {
        let rest = self.sums[at].rest()?;
        self.sums.iter().position(|sum| *sum == rest)
    }
}
