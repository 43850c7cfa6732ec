//! How many pairs, and how much weight, a count would hold if its bins reached everywhere.

use super::weight_sums::{ExactWeightSums, WeightSums};
use crate::binning::PairOrder;
use crate::pairs::Pairs;
use crate::particles::pairs_within;
use crate::tally::{InverseProbability, JointWeights};

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
    /// How many times a count holds each pair of particles.
    pub(crate) fn times(self) -> f64 {
        match self {
            Self::AutoOrdered => 2.0,
            Self::AutoUnordered | Self::Cross => 1.0,
        }
    }

    /// The kind of a count of `pairs` that holds each pair of one sample in this order.
    pub fn of(pairs: Pairs<'_>, order: PairOrder) -> Self {
        match (pairs, order) {
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
    /// The sum of their weights: auto `((sum w)^2 - sum w^2)/2` (both orders: without the half), cross `(sum w1)(sum w2)`. With inverse
    /// probabilities of pairs as [`PairNormalisation`](crate::tally::PairNormalisation) says; angular factors have no part in it.
    pub weight: f64,
    /// How much unequal weights raise the variance of a weighted count: `f1*f2` with `f = N sum w^2/(sum w)^2` of each of the two
    /// samples (Kish 1965, Survey Sampling, section 11.7); 1 for equal weights, never less. With inverse probabilities of pairs the weights
    /// are the individual ones.
    pub design_effect: f64,
}

impl std::fmt::Display for PairTotal {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Self { kind, pairs, .. } = self;
        write!(f, "{pairs} pairs, {kind}, of weight {:?}", self.weight)
    }
}

impl PairTotal {
    /// Whether both are the same to the bit: weights of a job may add up to no number.
    pub(super) fn is_same(&self, other: &Self) -> bool {
        let bits = |total: &Self| [total.weight, total.design_effect].map(f64::to_bits);
        (self.kind, self.pairs, bits(self)) == (other.kind, other.pairs, bits(other))
    }
}

/// Equation 22 of Bianchi & Verde (2020): the sum over all pairs, self-pairs too, of the mean weight of pairs with so many bits set.
fn all_products(
    first: &[(u32, [f64; 2])],
    second: &[(u32, [f64; 2])],
    joint: &JointWeights,
) -> f64 {
    let of_first = |&(c1, [w1, _]): &(u32, [f64; 2])| {
        let partners = second.iter();
        w1 * partners
            .map(|&(c2, [w2, _])| w2 * joint.of(c1, c2))
            .sum::<f64>()
    };
    first.iter().map(of_first).sum()
}

impl PairTotal {
    /// The total of a count of `pairs`.
    pub fn of(pairs: Pairs<'_>, kind: PairKind) -> Self {
        match pairs {
            Pairs::Auto(sample) => Self::within(&WeightSums::of(sample), kind, None),
            Pairs::Cross(first, second) => {
                let [first, second] = [first, second].map(WeightSums::of);
                Self::between([&first, &second], kind, None)
            }
        }
    }

    /// The total of a count of `pairs` with these inverse probabilities, as they are normalised; by the individual weights where all pairs
    /// would have to be looked at.
    ///
    /// The design effect is that of the individual weights.
    pub(super) fn of_inverse(
        pairs: Pairs<'_>,
        kind: PairKind,
        inverse: &InverseProbability,
    ) -> Self {
        let of = |sample| ExactWeightSums::of(sample, inverse).rounded(false);
        let (one, other) = pairs.samples();
        let (first, second) = (of(one), other.map(of));
        let of_both = [Some(&first), second.as_ref()].into_iter().flatten();
        let joint = inverse.joint(of_both.flat_map(WeightSums::bits_set));
        match &second {
            None => Self::within(&first, kind, joint.as_ref()),
            Some(second) => Self::between([&first, second], kind, joint.as_ref()),
        }
    }

    /// The total of the pairs within particles.
    pub(super) fn within(sums: &WeightSums, kind: PairKind, joint: Option<&JointWeights>) -> Self {
        let once = pairs_within(sums.n);
        let both = 2 * once;
        let both_weight = match joint {
            Some(joint) => {
                let same =
                    (sums.by_bits.iter()).map(|&(set, [_, squares])| joint.of(set, set) * squares);
                all_products(&sums.by_bits, &sums.by_bits, joint) - same.sum::<f64>()
            }
            _ if sums.unit => both as f64,
            _ => sums.sum * sums.sum - sums.squares,
        };
        let (pairs, weight) = match kind {
            PairKind::AutoOrdered => (both, both_weight),
            _ => (once, both_weight / 2.0),
        };
        Self {
            kind,
            pairs,
            weight,
            design_effect: sums.design_effect() * sums.design_effect(),
        }
    }

    /// The total of the pairs between particles and others.
    pub(super) fn between(
        [first, second]: [&WeightSums; 2],
        kind: PairKind,
        joint: Option<&JointWeights>,
    ) -> Self {
        let weight = match joint {
            Some(joint) => all_products(&first.by_bits, &second.by_bits, joint),
            None => first.sum * second.sum,
        };
        Self {
            kind,
            pairs: first.n * second.n,
            weight,
            design_effect: first.design_effect() * second.design_effect(),
        }
    }

    /// The total of `pairs` pairs of weight 1.
    pub fn unweighted(kind: PairKind, pairs: u64) -> Self {
        Self {
            kind,
            pairs,
            weight: pairs as f64,
            design_effect: 1.0,
        }
    }

    /// No pair at all.
    pub fn zero(kind: PairKind) -> Self {
        Self::unweighted(kind, 0)
    }

    /// The total of the pairs of several jobs together.
    ///
    /// Bins share the pairs of a job as all bins do, so that the variances of the jobs add:
    /// `f = sum_j (W_j/W)^2 f_j P/P_j`, W the weights and P the numbers of pairs.
    pub fn of_all(kind: PairKind, totals: &[Self]) -> Self {
        if let [total] = totals {
            return *total;
        }
        let zero = Self::zero(kind);
        let sum = totals.iter().fold(zero, |sum, total| Self {
            pairs: sum.pairs + total.pairs,
            weight: sum.weight + total.weight,
            ..sum
        });
        let with_pairs = totals.iter().filter(|total| total.pairs > 0);
        let terms = with_pairs.map(|total| {
            let share = total.weight / sum.weight;
            share * share * total.design_effect * (sum.pairs as f64 / total.pairs as f64)
        });
        Self {
            design_effect: terms.sum::<f64>().max(1.0),
            ..sum
        }
    }

    /// What the variances of weighted or unweighted counts are multiplied by: the design effect, or 1.
    pub fn variance_factor(&self, weighted: bool) -> f64 {
        if weighted { self.design_effect } else { 1.0 }
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
mod tests {
    use super::*;
    use crate::particles::{Particles, Points};

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
        // N sum w^2/(sum w)^2 = 3 * 21 / 1 and 1.
        assert_eq!(auto.design_effect, 63.0 * 63.0);
        assert_eq!(both.design_effect, 63.0 * 63.0);
        assert_eq!(cross.design_effect, 63.0);
        // Of unit weights the number of pairs, which the squares of sums are too coarse for.
        let n = (1 << 31) + 3;
        let unit = WeightSums {
            n,
            ..WeightSums::of(&other)
        };
        let all = PairTotal::within(&unit, PairKind::AutoOrdered, None);
        assert_eq!(all.weight, (n * (n - 1)) as f64);
        let empty = Particles::default();
        assert_eq!(
            PairTotal::of(Pairs::Auto(&empty), PairKind::AutoUnordered).pairs,
            0
        );
    }

    #[test]
    fn equal_weights_have_no_design_effect() {
        for n in [1usize, 2, 3, 10, 1000] {
            let points = Points::from_rows(&vec![[0.0; 3]; n]).unwrap();
            for w in [0.1, 1.0 / 3.0, -7.0, 1e-9] {
                let sample = Particles::weighted(points.clone(), vec![w; n]).unwrap();
                let effect = PairTotal::of(Pairs::Auto(&sample), PairKind::AutoUnordered);
                assert!(
                    (1.0..1.0 + 1e-14).contains(&effect.design_effect),
                    "{n} x {w}"
                );
            }
        }
    }

    #[test]
    fn totals_of_jobs_add_with_their_variances() {
        let kind = PairKind::Cross;
        let job = |pairs, weight, design_effect| PairTotal {
            kind,
            pairs,
            weight,
            design_effect,
        };
        // Equal jobs are one larger job.
        let same = PairTotal::of_all(kind, &[job(10, 20.0, 1.5); 4]);
        assert_eq!(same, job(40, 80.0, 1.5));
        // Pairs of weight 1 and pairs of weight 3: P sum w^2/(sum w)^2 over all of them.
        let mixed = PairTotal::of_all(kind, &[job(10, 10.0, 1.0), job(30, 90.0, 1.0)]);
        assert_eq!((mixed.pairs, mixed.weight), (40, 100.0));
        let expected = 40.0 * (10.0 + 30.0 * 9.0) / (100.0 * 100.0);
        assert!((mixed.design_effect - expected).abs() < 1e-15);
        // An empty frame changes nothing.
        let padded = PairTotal::of_all(kind, &[job(10, 20.0, 1.5), PairTotal::zero(kind)]);
        assert_eq!(padded, job(10, 20.0, 1.5));
    }
}
