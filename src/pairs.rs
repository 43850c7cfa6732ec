//! Which pairs there are: the samples, the domain they live in, and how the pairs are to be found.
//!
//! Entry: [`PairJob`]. What is counted of them is defined by [`crate::tally`], who visits them by [`crate::engine`].

use crate::domain::{Axis, Domain};
use crate::error::JobError;
use crate::particles::{Particles, Weights, pairs_within};
use crate::pool;
use crate::separation::{SIGHT_RANGE, norm2};

/// Which pairs of particles.
#[derive(Debug, Clone, Copy)]
pub enum Pairs<'a> {
    /// The pairs within one sample; a particle is never paired with itself.
    Auto(&'a Particles),
    /// Every particle of the first sample with every one of the second.
    Cross(&'a Particles, &'a Particles),
}

/// How far from 1 the squared norm of a computed unit vector may be.
const UNIT_SLACK: f64 = 1e-12;

impl<'a> Pairs<'a> {
    /// The first sample, and the second where there is one.
    pub fn samples(self) -> (&'a Particles, Option<&'a Particles>) {
        match self {
            Self::Auto(sample) => (sample, None),
            Self::Cross(first, second) => (first, Some(second)),
        }
    }

    /// The two samples of a pair, which for an auto count are one.
    pub fn both(self) -> (&'a Particles, &'a Particles) {
        let (first, second) = self.samples();
        (first, second.unwrap_or(first))
    }

    /// Whether a sample has weights, in any of its sets.
    pub fn have_weights(self) -> bool {
        let (first, second) = self.both();
        [first, second].into_iter().any(|sample| {
            let mut sets = (0..sample.weight_sets()).map(|set| sample.weights_of_set(set));
            sets.any(|weights| matches!(weights, Weights::PerParticle(_)))
        })
    }

    /// Number of sets of weights of the pairs: a sample with but one set has it in all.
    ///
    /// # Errors
    /// Samples with different numbers of sets, both more than one.
    pub fn weight_sets(self) -> Result<usize, JobError> {
        let (first, second) = self.both();
        match [first, second].map(Particles::weight_sets) {
            [1, sets] | [sets, 1] => Ok(sets),
            [sets, other] if sets == other => Ok(sets),
            [first, second] => Err(JobError::WeightSets { first, second }),
        }
    }

    /// Refuses coordinates too large for a line of sight from an observer.
    pub(crate) fn check_sight_range(self) -> Result<(), JobError> {
        let [_, hi] = SIGHT_RANGE;
        let (first, second) = self.samples();
        for sample in [Some(first), second].into_iter().flatten() {
            if sample.points().within().farthest() <= hi {
                continue;
            }
            for (axis, column) in Axis::ALL.into_iter().zip(sample.points().columns()) {
                let column = column.view();
                if let Some(row) = pool::first_row(sample.len(), |row| column.at(row).abs() > hi) {
                    return Err(JobError::SightRange {
                        what: "coordinates",
                        value: column.at(row),
                        place: format!(" in {}, row {row}", axis.name()),
                        lo: 0.0,
                        hi,
                    });
                }
            }
        }
        Ok(())
    }

    pub(crate) fn check_unit_vectors(self) -> Result<(), JobError> {
        let (first, second) = self.samples();
        for sample in [Some(first), second].into_iter().flatten() {
            let off = |norm2: f64| (norm2 - 1.0).abs() > UNIT_SLACK;
            if sample.is_empty() || !sample.points().norms2().map(off).contains(&true) {
                continue;
            }
            let points = sample.points().view();
            let row = pool::first_row(sample.len(), |row| off(norm2(points.at(row))));
            if let Some(row) = row {
                let norm = norm2(points.at(row)).sqrt();
                return Err(JobError::NotUnitVector { row, norm });
            }
        }
        Ok(())
    }
}

/// How an engine finds the pairs in reach.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Traversal {
    /// The engine's choice.
    #[default]
    Auto,
    /// Every pair is looked at.
    AllPairs,
    /// Sorted cells; what lies out of reach is skipped.
    Cells,
}

/// Pairs in a domain: everything an engine needs besides the operation.
///
/// ```
/// use albireo::{Domain, PairJob, Pairs, Particles, PeriodicBox, Points};
/// let sample = Particles::new(Points::from_rows(&[[0.5; 3], [9.0; 3]])?);
/// let domain = Domain::Periodic(PeriodicBox::cubic(10.0)?);
/// let job = PairJob::new(Pairs::Auto(&sample), &domain)?;
/// # Ok::<(), albireo::Error>(())
/// ```
#[derive(Debug, Clone, Copy)]
pub struct PairJob<'a> {
    pairs: Pairs<'a>,
    domain: &'a Domain,
    traversal: Traversal,
}

impl<'a> PairJob<'a> {
    /// The job of visiting `pairs` in `domain`.
    ///
    /// # Errors
    /// A position outside the domain; [`Domain::place`] wraps or names it.
    pub fn new(pairs: Pairs<'a>, domain: &'a Domain) -> Result<Self, JobError> {
        let (first, second) = pairs.samples();
        domain.check(first.points())?;
        if let Some(second) = second {
            domain.check(second.points())?;
        }
        Ok(Self::of_placed(pairs, domain))
    }

    /// The job of visiting pairs of particles that are known to lie in `domain`.
    pub(crate) fn of_placed(pairs: Pairs<'a>, domain: &'a Domain) -> Self {
        Self {
            pairs,
            domain,
            traversal: Traversal::Auto,
        }
    }

    /// The same job with a chosen traversal.
    #[must_use]
    pub fn with_traversal(self, traversal: Traversal) -> Self {
        Self { traversal, ..self }
    }

    /// Which pairs.
    pub fn pairs(&self) -> Pairs<'a> {
        self.pairs
    }

    /// The domain.
    pub fn domain(&self) -> &'a Domain {
        self.domain
    }

    /// The traversal asked for.
    pub fn traversal(&self) -> Traversal {
        self.traversal
    }

    /// Number of pairs the job has in all, each unordered pair of an auto count once.
    pub fn n_pairs(&self) -> u64 {
        match self.pairs {
            Pairs::Auto(sample) => pairs_within(sample.len() as u64),
            Pairs::Cross(first, second) => first.len() as u64 * second.len() as u64,
        }
    }
}
