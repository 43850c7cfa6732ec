//! How many pairs, and how much weight, a count would hold if its bins reached everywhere.

use crate::binning::{Binning, PairOrder};
use crate::engine::Pairs;
use crate::particles::{Particles, Weights, pairs_within};

/// Which pairs a count holds, and how often.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum PairKind {
    /// Pairs within a sample, each once: total N(N-1)/2.
    AutoUnordered,
    /// Pairs within a sample, each in both orders: total N(N-1).
    AutoOrdered,
    /// Pairs between two samples: total N1*N2.
    Cross,
}

impl std::fmt::Display for PairKind {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Self::AutoUnordered => "auto (each pair once)",
            Self::AutoOrdered => "auto (each pair in both orders)",
            Self::Cross => "cross",
        })
    }
}

impl PairKind {
    /// The kind of a count of `pairs` in the bins of `binning`.
    pub fn of<B: Binning>(pairs: Pairs<'_>, binning: &B) -> Self {
        match (pairs, binning.order()) {
            (Pairs::Cross(..), _) => Self::Cross,
            (Pairs::Auto(_), PairOrder::Unordered) => Self::AutoUnordered,
            (Pairs::Auto(_), PairOrder::Ordered) => Self::AutoOrdered,
        }
    }
}

/// All pairs of a job, in the bins or not.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct PairTotal {
    /// Which pairs, and how often.
    pub kind: PairKind,
    /// Their number.
    pub pairs: u64,
    /// The sum of their weights: auto `((sum w)^2 - sum w^2)/2` (both orders: without the half), cross `(sum w1)(sum w2)`.
    pub weight: f64,
}

impl PairTotal {
    /// The total of a count of `pairs`.
    pub fn of(pairs: Pairs<'_>, kind: PairKind) -> Self {
        let count = |sample: &Particles| sample.len() as u64;
        let unit = |sample: &Particles| matches!(sample.weights(), Weights::Unit);
        match pairs {
            Pairs::Auto(sample) => {
                let once = pairs_within(count(sample));
                let both = 2 * once;
                let sum = sample.weight_sum();
                let both_weight = if unit(sample) {
                    both as f64
                } else {
                    sum * sum - sample.weight_square_sum()
                };
                match kind {
                    PairKind::AutoOrdered => Self {
                        kind,
                        pairs: both,
                        weight: both_weight,
                    },
                    _ => Self {
                        kind,
                        pairs: once,
                        weight: both_weight / 2.0,
                    },
                }
            }
            Pairs::Cross(first, second) => Self {
                kind,
                pairs: count(first) * count(second),
                weight: first.weight_sum() * second.weight_sum(),
            },
        }
    }

    /// No pair at all.
    pub fn zero(kind: PairKind) -> Self {
        Self {
            kind,
            pairs: 0,
            weight: 0.0,
        }
    }

    /// What weighted or unweighted counts are divided by.
    pub fn normalisation(&self, weighted: bool) -> f64 {
        if weighted {
            self.weight
        } else {
            self.pairs as f64
        }
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a failed unwrap is a failed test")]
mod tests {
    use super::*;
    use crate::particles::Points;

    #[test]
    fn totals_leave_out_self_pairs() {
        let points = Points::from_rows(&[[0.0; 3], [1.0; 3], [2.0; 3]]).unwrap();
        let sample = Particles::weighted(points.clone(), vec![1.0, 2.0, -4.0]).unwrap();
        let other = Particles::new(points);
        let auto = PairTotal::of(Pairs::Auto(&sample), PairKind::AutoUnordered);
        assert_eq!((auto.pairs, auto.weight), (3, 1.0 * 2.0 - 4.0 - 8.0));
        let both = PairTotal::of(Pairs::Auto(&sample), PairKind::AutoOrdered);
        assert_eq!((both.pairs, both.weight), (6, 2.0 * auto.weight));
        let cross = PairTotal::of(Pairs::Cross(&sample, &other), PairKind::Cross);
        assert_eq!((cross.pairs, cross.weight), (9, -3.0));
        let empty = Particles::default();
        assert_eq!(
            PairTotal::of(Pairs::Auto(&empty), PairKind::AutoUnordered).pairs,
            0
        );
    }
}
