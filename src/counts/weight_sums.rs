//! Sums over the weights of a sample, or of some of it: what totals of pairs are made of.
//!
//! Entry: [`ExactWeightSums`], which add up, and [`WeightSums`], each rounded once.

use std::collections::BTreeMap;
use std::ops::Range;

use crate::exact_sum::ExactSum;
use crate::particles::{Particles, Weights};
use crate::pool;
use crate::tally::InverseProbability;

/// Sums over weights.
#[derive(Debug, Clone)]
pub(super) struct WeightSums {
    pub(super) n: u64,
    pub(super) sum: f64,
    pub(super) squares: f64,
    /// Whether every particle counts 1.
    pub(super) unit: bool,
    /// By the bits that are set: the number of them, and the sums over the weights of such rows without their inverse probability.
    pub(super) by_bits: Vec<(u32, [f64; 2])>,
}

impl WeightSums {
    pub(super) fn of(sample: &Particles) -> Self {
        Self {
            n: sample.len() as u64,
            sum: sample.weight_sum(),
            squares: sample.weight_square_sum(),
            unit: matches!(sample.weights(), Weights::Unit),
            by_bits: vec![],
        }
    }

    /// Numbers of bits that rows have set.
    pub(super) fn bits_set(&self) -> impl Iterator<Item = u32> {
        self.by_bits.iter().map(|&(set, _)| set)
    }

    /// `N sum w^2/(sum w)^2`, which rounding must not take below 1; 1 for no particle.
    pub(super) fn design_effect(&self) -> f64 {
        (self.n as f64 * self.squares / (self.sum * self.sum)).max(1.0)
    }
}

/// Sums over weights and over their squares, exact until they are asked for; of individual weights where there are inverse probabilities.
#[derive(Debug, Clone, Default)]
pub(super) struct ExactWeightSums {
    n: u64,
    sums: [ExactSum; 2],
    by_bits: BTreeMap<u32, [ExactSum; 2]>,
}

fn add(sums: &mut [ExactSum; 2], weight: f64) {
    sums[0].add(weight);
    sums[1].add_square(weight);
}

impl ExactWeightSums {
    /// The sums of a sample with individual weights.
    pub(super) fn of(sample: &Particles, inverse: &InverseProbability) -> Self {
        let part = |rows: Range<usize>| {
            let mut sums = Self::default();
            rows.for_each(|row| sums.add(sample, row, Some(inverse)));
            sums
        };
        let join = |mut sums: Self, other: Self| {
            sums.merge(&other);
            sums
        };
        pool::fold(sample.len(), part, join)
    }

    /// Numbers of bits that rows have set.
    pub(super) fn bits_set(&self) -> impl Iterator<Item = u32> {
        self.by_bits.keys().copied()
    }

    /// Takes in a row.
    pub(super) fn add(
        &mut self,
        sample: &Particles,
        row: usize,
        inverse: Option<&InverseProbability>,
    ) {
        self.n += 1;
        let weight = match sample.weights() {
            Weights::Unit => 1.0,
            Weights::PerParticle(w) => w.at(row),
        };
        let Some((inverse, bits)) = inverse.zip(sample.bits()) else {
            if matches!(sample.weights(), Weights::PerParticle(_)) {
                add(&mut self.sums, weight);
            }
            return;
        };
        let set = bits.set_in(row);
        add(&mut self.sums, inverse.of(set) * weight);
        add(self.by_bits.entry(set).or_default(), weight);
    }

    pub(super) fn merge(&mut self, other: &Self) {
        let merge = |sums: &mut [ExactSum; 2], other: &[ExactSum; 2]| {
            for (sum, other) in sums.iter_mut().zip(other) {
                sum.merge(other);
            }
        };
        self.n += other.n;
        merge(&mut self.sums, &other.sums);
        for (&set, other) in &other.by_bits {
            merge(self.by_bits.entry(set).or_default(), other);
        }
    }

    /// Each sum rounded once; `unit` says that every particle counts 1.
    pub(super) fn rounded(&self, unit: bool) -> WeightSums {
        let [sum, squares] = if unit {
            [self.n as f64; 2]
        } else {
            self.sums.each_ref().map(ExactSum::value)
        };
        let rounded =
            |(&set, sums): (&u32, &[ExactSum; 2])| (set, sums.each_ref().map(ExactSum::value));
        WeightSums {
            n: self.n,
            sum,
            squares,
            unit,
            by_bits: self.by_bits.iter().map(rounded).collect(),
        }
    }
}
