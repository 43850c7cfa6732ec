//! Sums over the weights of each label of the samples: the totals of classes of pairs.
//!
//! Entry: [`totals`] and [`PairSums`]; [`check_regions`] refuses labels that are no regions.

#![allow(
    clippy::cast_possible_truncation,
    reason = "regions are labels of 32 bits"
)]

use std::ops::Range;

use super::weight_sums::{ExactWeightSums, WeightSums};
use super::{PairKind, PairTotal};
use crate::error::JobError;
use crate::pairs::Pairs;
use crate::particles::{Particles, Weights};
use crate::pool;
use crate::tally::{Classes, InverseProbability, JointWeights};

/// Sums over the weights of each label of a sample.
struct LabelSums {
    labels: Vec<ExactWeightSums>,
    unit: bool,
}

impl LabelSums {
    fn of(sample: &Particles, inverse: Option<&InverseProbability>) -> Result<Self, JobError> {
        let labels = sample.labels().ok_or(JobError::NoLabels)?;
        let part = |rows: Range<usize>| {
            let mut sums = vec![ExactWeightSums::default(); labels.number() as usize];
            for row in rows {
                sums[labels.values()[row] as usize].add(sample, row, inverse);
            }
            sums
        };
        let join = |mut sums: Vec<ExactWeightSums>, others: Vec<ExactWeightSums>| {
            let both = sums.iter_mut().zip(&others);
            both.for_each(|(sum, other)| sum.merge(other));
            sums
        };
        Ok(Self {
            labels: pool::fold(sample.len(), part, join),
            unit: inverse.is_none() && matches!(sample.weights(), Weights::Unit),
        })
    }

    /// The sums over the labels that are kept, each rounded once.
    fn over(&self, keep: impl Fn(usize) -> bool) -> WeightSums {
        let mut sums = ExactWeightSums::default();
        for (_, label) in self.labels.iter().enumerate().filter(|(k, _)| keep(*k)) {
            sums.merge(label);
        }
        sums.rounded(self.unit)
    }

    fn label(&self, k: usize) -> WeightSums {
        self.over(|other| other == k)
    }

    fn rest(&self, k: usize) -> WeightSums {
        self.over(|other| other != k)
    }

    fn all(&self) -> impl Iterator<Item = usize> {
        0..self.labels.len()
    }
}

/// Refuses regions that cannot be left out one by one: fewer than two, or one without a particle.
pub(super) fn check_regions(pairs: Pairs<'_>) -> Result<(), JobError> {
    let (one, other) = pairs.samples();
    for (sample, name) in [(Some(one), "first"), (other, "second")] {
        let Some(sample) = sample else { continue };
        let labels = sample.labels().ok_or(JobError::NoLabels)?;
        if labels.number() < 2 {
            return Err(JobError::FewRegions(labels.number()));
        }
        let part = |rows: Range<usize>| {
            let mut seen = vec![false; labels.number() as usize];
            for &label in &labels.values()[rows] {
                seen[label as usize] = true;
            }
            seen
        };
        let join = |mut seen: Vec<bool>, others: Vec<bool>| {
            let both = seen.iter_mut().zip(others);
            both.for_each(|(seen, other)| *seen |= other);
            seen
        };
        let seen = pool::fold(labels.values().len(), part, join);
        if let Some(region) = seen.iter().position(|seen| !seen) {
            return Err(JobError::EmptyRegion {
                region: region as u32,
                sample: name,
            });
        }
    }
    Ok(())
}

/// The total of each class of `pairs`, in the order of the tables.
pub(super) fn totals(
    pairs: Pairs<'_>,
    classes: Classes,
    kind: PairKind,
    inverse: Option<&InverseProbability>,
) -> Result<Vec<PairTotal>, JobError> {
    if classes == Classes::One {
        return Ok(vec![match inverse {
            None => PairTotal::of(pairs, kind),
            Some(inverse) => PairTotal::of_inverse(pairs, kind, inverse),
        }]);
    }
    Ok(PairSums::of(pairs, inverse)?.totals(classes, kind))
}

/// Sums over the weights of each label of the samples of a job.
pub(super) struct PairSums {
    first: LabelSums,
    /// None for an auto count: the first sample's.
    second: Option<LabelSums>,
    /// Where inverse probabilities are normalised by them.
    joint: Option<JointWeights>,
}

impl PairSums {
    pub(super) fn of(
        pairs: Pairs<'_>,
        inverse: Option<&InverseProbability>,
    ) -> Result<Self, JobError> {
        let (one, other) = pairs.samples();
        let first = LabelSums::of(one, inverse)?;
        let second = other.map(|other| LabelSums::of(other, inverse));
        let second = second.transpose()?;
        let labels = first.labels.iter();
        let labels = labels.chain(second.iter().flat_map(|second| &second.labels));
        let joint =
            inverse.and_then(|inverse| inverse.joint(labels.flat_map(ExactWeightSums::bits_set)));
        Ok(Self {
            first,
            second,
            joint,
        })
    }

    /// The total of the pairs with no point in region k, for each k.
    pub(super) fn outside(&self, kind: PairKind) -> Vec<PairTotal> {
        let (first, joint) = (&self.first, self.joint.as_ref());
        let outside = |k: usize| match &self.second {
            None => PairTotal::within(&first.rest(k), kind, joint),
            Some(second) => PairTotal::between([&first.rest(k), &second.rest(k)], kind, joint),
        };
        first.all().map(outside).collect()
    }

    /// The total of each class, more than one, in the order of the tables.
    pub(super) fn totals(&self, classes: Classes, kind: PairKind) -> Vec<PairTotal> {
        let auto = self.second.is_none();
        let (first, joint) = (&self.first, self.joint.as_ref());
        let second = self.second.as_ref().unwrap_or(first);
        let between =
            |a: WeightSums, b: WeightSums| PairTotal::between([&a, &b], PairKind::Cross, joint);
        let within = |k: usize| {
            if auto {
                PairTotal::within(&first.label(k), kind, joint)
            } else {
                between(first.label(k), second.label(k))
            }
        };
        let unordered = kind == PairKind::AutoUnordered;
        let of_species = |a: usize, b: usize| {
            if auto && a == b {
                within(a)
            } else {
                between(first.label(a), second.label(b))
            }
        };
        match classes {
            Classes::Regions => {
                let own = first.all().map(within);
                let out = first.all().map(|k| between(first.label(k), second.rest(k)));
                let into = first.all().map(|k| between(first.rest(k), second.label(k)));
                own.chain(out)
                    .chain(into.take(if unordered { 0 } else { usize::MAX }))
                    .collect()
            }
            _ => first
                .all()
                .flat_map(|a| {
                    let from = if unordered { a } else { 0 };
                    (from..second.labels.len()).map(move |b| (a, b))
                })
                .map(|(a, b)| of_species(a, b))
                .collect(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::particles::{Labels, Points};

    fn sample(n: usize, weighted: bool) -> Particles {
        let points = Points::from_rows(&vec![[0.0; 3]; n]).unwrap();
        let labels = Labels::new((0..n as u32).map(|k| k * k % 3).collect(), 4).unwrap();
        let weights = (0..n).map(|k| k as f64 * 0.3 - 1.0).collect();
        let particles = if weighted {
            Particles::weighted(points, weights).unwrap()
        } else {
            Particles::new(points)
        };
        particles.labelled(labels).unwrap()
    }

    #[test]
    fn totals_of_classes_add_up_to_the_whole() {
        for weighted in [false, true] {
            let (a, b) = (sample(31, weighted), sample(17, weighted));
            for (pairs, kind) in [
                (Pairs::Auto(&a), PairKind::AutoUnordered),
                (Pairs::Auto(&a), PairKind::AutoOrdered),
                (Pairs::Cross(&a, &b), PairKind::Cross),
            ] {
                let whole = PairTotal::of(pairs, kind);
                let of = |classes| totals(pairs, classes, kind, None).unwrap();
                let close =
                    |sum: f64| (sum - whole.weight).abs() < 1e-9 * (1.0 + whole.weight.abs());
                let species = of(Classes::Species);
                assert_eq!(species.iter().map(|t| t.pairs).sum::<u64>(), whole.pairs);
                assert!(close(species.iter().map(|t| t.weight).sum()));
                // A pair of two regions is in two tables.
                let regions = of(Classes::Regions);
                let (own, shared) = regions.split_at(4);
                let twice: u64 = shared.iter().map(|t| t.pairs).sum();
                let once: u64 = own.iter().map(|t| t.pairs).sum();
                assert_eq!(once + twice / 2, whole.pairs);
                let twice: f64 = shared.iter().map(|t| t.weight).sum();
                assert!(close(
                    own.iter().map(|t| t.weight).sum::<f64>() + twice / 2.0
                ));
            }
        }
    }
}
