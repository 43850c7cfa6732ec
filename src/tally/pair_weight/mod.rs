//! Weights of pairs that are not the product of two: by the realisations that hold both points, and by the angle between them.
//!
//! Entry: [`PairWeight`]. It is plain data; what a pair's weight is, engines take from [`super::Terms`].

mod angular;
mod factor;
mod inverse_probability;
mod joint;
mod realisations;

pub use angular::AngularWeight;
pub(crate) use factor::PairFactor;
pub use inverse_probability::{InverseProbability, PairNormalisation};
pub(crate) use joint::JointWeights;
pub use realisations::Realisations;

use std::fmt;
use std::sync::Arc;

use crate::error::JobError;
use crate::pairs::PairJob;
use crate::particles::Particles;

/// What the product of two weights is multiplied by: the weight of a pair is `((w1*w2)*p)*g`, p its inverse probability, g its angular
/// factor, either of which may be absent.
///
/// Clones share the tables.
///
/// ```
/// use albireo::tally::{CountSpec, InverseProbability, PairNormalisation, PairWeight, Realisations, Sum};
/// use albireo::particles::Bits;
/// use albireo::engine::Silent;
/// use albireo::{Domain, Edges, Engine, Naive, PairJob, Pairs, Particles, Points, RBins};
/// // Three galaxies, and in which of 64 other fibre assignments each was observed.
/// let galaxies = Particles::new(Points::from_rows(&[[0.0; 3], [1.0, 0.0, 0.0], [3.0, 0.0, 0.0]])?);
/// let galaxies = galaxies.with_bits(Bits::new(vec![u64::MAX, 0b1_1111, 0], 1)?)?;
/// let pip = InverseProbability::new(1, Realisations::of_words(1), PairNormalisation::JointOccurrence)?;
/// let weight = PairWeight::from(pip);
/// let bins = RBins::new(Edges::linear(0.0, 4.0, 2)?);
/// let what = CountSpec::new(bins).with_sum(Sum::Product).with_pair_weight(weight);
/// let job = PairJob::new(Pairs::Auto(&galaxies), &Domain::Open)?;
/// let tally = Naive.run(&job, &what, &Silent)?;
/// let sums = tally.real_sum(0, what.exponent(&Sum::Product, job.pairs()));
/// // Five common realisations and the observed one of 65; the others have none in common but that.
/// assert!((sums[0] - 65.0 / 6.0).abs() < 1e-8 && sums[1] == 2.0 * 65.0);
/// # Ok::<(), albireo::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq, serde::Serialize)]
pub struct PairWeight {
    inverse: Option<Arc<InverseProbability>>,
    angular: Option<Arc<AngularWeight>>,
}

impl From<InverseProbability> for PairWeight {
    fn from(inverse: InverseProbability) -> Self {
        Self {
            inverse: Some(Arc::new(inverse)),
            angular: None,
        }
    }
}

impl From<AngularWeight> for PairWeight {
    fn from(angular: AngularWeight) -> Self {
        Self {
            inverse: None,
            angular: Some(Arc::new(angular)),
        }
    }
}

impl PairWeight {
    /// The same with factors by the angle.
    #[must_use]
    pub fn with_angular(self, angular: AngularWeight) -> Self {
        Self {
            angular: Some(Arc::new(angular)),
            ..self
        }
    }

    /// Inverse probabilities, where they are taken.
    pub fn inverse(&self) -> Option<&InverseProbability> {
        self.inverse.as_deref()
    }

    /// Factors by the angle, where they are taken.
    pub fn angular(&self) -> Option<&AngularWeight> {
        self.angular.as_deref()
    }

    /// The factors by the angle alone: what is left where the bits of one sample have become individual weights.
    pub fn without_inverse(&self) -> Option<Self> {
        Some(Self {
            inverse: None,
            angular: Some(Arc::clone(self.angular.as_ref()?)),
        })
    }

    /// The exponent that the factors add to that of a sum: each is scaled by that of its largest magnitude.
    pub fn exponent(&self) -> i32 {
        let inverse = self.inverse().map_or(0, InverseProbability::exponent);
        inverse + self.angular().map_or(0, AngularWeight::exponent)
    }

    /// Checks that pairs of `job` have such a weight.
    pub(super) fn admit(&self, job: &PairJob<'_>) -> Result<(), JobError> {
        let (first, second) = job.pairs().samples();
        if let Some(inverse) = self.inverse() {
            let bits = |name: &'static str, sample: &Particles| match sample.bits() {
                Some(bits) => inverse.check(bits, name),
                None => Err(JobError::NoBits(name)),
            };
            match second.map(|second| (first.bits().is_some(), second.bits().is_some())) {
                None => bits("sample", first)?,
                Some((true, false)) => {
                    let [with, without] = ["first sample", "second sample"];
                    return Err(JobError::OneSidedBits { with, without });
                }
                Some((false, true)) => {
                    let [without, with] = ["first sample", "second sample"];
                    return Err(JobError::OneSidedBits { with, without });
                }
                Some(_) => {
                    bits("first sample", first)?;
                    second.map_or(Ok(()), |second| bits("second sample", second))?;
                }
            }
        }
        if self.angular.is_some() {
            if job.domain().is_periodic() {
                return Err(JobError::AngleInBox);
            }
            let samples = [Some(first), second].into_iter().flatten();
            let mut at_origin = samples.filter_map(|sample| sample.points().first_at_origin());
            if let Some(row) = at_origin.next() {
                return Err(JobError::NoDirection { row });
            }
        }
        Ok(())
    }
}

impl fmt::Display for PairWeight {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("product of the weights")?;
        if let Some(inverse) = self.inverse() {
            write!(f, ", times {inverse}")?;
        }
        if let Some(angular) = self.angular() {
            write!(f, ", times {angular}")?;
        }
        Ok(())
    }
}
