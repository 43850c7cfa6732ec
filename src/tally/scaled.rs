//! Weights of a sample over the power of two above the largest of them.
//!
//! Entry: [`ScaledWeights`].

use std::sync::OnceLock;

use albireo_simd::fixed_point::scaled;

use crate::particles::{Particles, Weights};
use crate::pool;

/// The weights of a set, each times `2^-exponent`: all of them together once somebody asks for that, as they are as many as particles.
#[derive(Debug)]
pub(super) struct ScaledWeights<'a> {
    weights: &'a Weights,
    number: usize,
    exponent: i32,
    all: OnceLock<Vec<f64>>,
}

impl<'a> ScaledWeights<'a> {
    pub(super) fn new(sample: &'a Particles, set: usize, exponent: i32) -> Self {
        Self {
            weights: sample.weights_of_set(set),
            number: sample.len(),
            exponent,
            all: OnceLock::new(),
        }
    }

    /// That of a row.
    pub(super) fn at(&self, row: usize) -> f64 {
        let weight = match self.weights {
            Weights::Unit => 1.0,
            Weights::PerParticle(weights) => weights.at(row),
        };
        scaled(weight, self.exponent)
    }

    /// Those of all rows.
    #[inline]
    pub(super) fn all(&self) -> &[f64] {
        let scaled_weights = || {
            let mut all = match self.weights {
                Weights::Unit => vec![1.0; self.number],
                Weights::PerParticle(weights) => weights.contiguous().into_owned(),
            };
            pool::for_each_row((1, &mut all), |row| row[0] = scaled(row[0], self.exponent));
            all
        };
        pool::once::<Vec<f64>>(&self.all, scaled_weights)
    }
}
