//! Samples made ready for an engine once, and jobs between them.
//!
//! Entry: [`Engine::prepare`](super::Engine::prepare), which makes [`Prepared`]; [`PreparedJob`] pairs them.

use crate::domain::Domain;
use crate::error::JobError;
use crate::pairs::{PairJob, Pairs, Traversal};
use crate::particles::Particles;

/// A sample in a domain, with what an engine has made of it: sorted, or uploaded, once for every count that it takes part in.
#[derive(Debug)]
pub struct Prepared<S> {
    particles: Particles,
    domain: Domain,
    sorted: S,
}

impl<S> Prepared<S> {
    /// Particles that lie in `domain`, and what an engine has made of them.
    pub(super) fn new(particles: Particles, domain: Domain, sorted: S) -> Self {
        Self {
            particles,
            domain,
            sorted,
        }
    }

    /// The particles.
    pub fn particles(&self) -> &Particles {
        &self.particles
    }

    /// The domain that they live in.
    pub fn domain(&self) -> &Domain {
        &self.domain
    }

    /// What the engine has made of them.
    pub fn sorted(&self) -> &S {
        &self.sorted
    }
}

/// Pairs of prepared particles.
///
/// ```
/// use albireo::engine::{Cpu, PreparedJob};
/// use albireo::{Domain, Edges, Engine, Particles, Points, RBins, Silent, Tallied};
/// let sample = |x: f64| -> Result<_, albireo::Error> { Ok(Particles::new(Points::from_rows(&[[0.0; 3], [x, 0.0, 0.0]])?)) };
/// let engine = Cpu::new();
/// let data = engine.prepare(sample(1.0)?, &Domain::Open, &Silent)?;
/// let randoms = engine.prepare(sample(3.0)?, &Domain::Open, &Silent)?;
/// let what = Tallied::new(RBins::new(Edges::linear(0.0, 4.0, 2)?));
/// let (dd, _) = engine.tally(&PreparedJob::auto(&data), &what, &Silent)?;
/// let (dr, _) = engine.tally(&PreparedJob::cross(&data, &randoms)?, &what, &Silent)?;
/// assert_eq!((dd.pairs(), dr.pairs()), (&[1, 0][..], &[2, 2][..]));
/// # Ok::<(), albireo::Error>(())
/// ```
#[derive(Debug)]
pub struct PreparedJob<'a, S> {
    job: PairJob<'a>,
    first: &'a S,
    second: Option<&'a S>,
}

impl<'a, S> PreparedJob<'a, S> {
    /// The pairs within a sample.
    pub fn auto(sample: &'a Prepared<S>) -> Self {
        Self {
            job: PairJob::of_placed(Pairs::Auto(&sample.particles), &sample.domain),
            first: &sample.sorted,
            second: None,
        }
    }

    /// Every particle of the first sample with every one of the second.
    ///
    /// # Errors
    /// Samples prepared in different domains.
    pub fn cross(first: &'a Prepared<S>, second: &'a Prepared<S>) -> Result<Self, JobError> {
        if first.domain != second.domain {
            return Err(JobError::Domains);
        }
        let pairs = Pairs::Cross(&first.particles, &second.particles);
        Ok(Self {
            job: PairJob::of_placed(pairs, &first.domain),
            first: &first.sorted,
            second: Some(&second.sorted),
        })
    }

    /// A job whose samples were sorted for it alone.
    pub(crate) fn of(job: PairJob<'a>, first: &'a S, second: Option<&'a S>) -> Self {
        Self { job, first, second }
    }

    /// The same job with a chosen traversal.
    #[must_use]
    pub fn with_traversal(self, traversal: Traversal) -> Self {
        Self {
            job: self.job.with_traversal(traversal),
            ..self
        }
    }

    /// Which pairs, in which domain.
    pub fn job(&self) -> &PairJob<'a> {
        &self.job
    }

    /// What the engine made of the first sample, and of the second where there is one.
    pub fn sorted(&self) -> (&'a S, Option<&'a S>) {
        (self.first, self.second)
    }

    /// The same job in terms of what one of several engines made of the samples; none where another one made it.
    pub(super) fn map<T>(&self, of: impl Fn(&'a S) -> Option<&'a T>) -> Option<PreparedJob<'a, T>> {
        let second = match self.second {
            Some(second) => Some(of(second)?),
            None => None,
        };
        Some(PreparedJob {
            job: self.job,
            first: of(self.first)?,
            second,
        })
    }
}

/// How a run went: what took how long, and how it was planned. It is no part of the result.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Report {
    /// Stages in their order, in seconds.
    pub stages: Vec<(&'static str, f64)>,
    /// How the engine went about it, in words; empty where there is nothing to choose.
    pub plan: String,
}

#[cfg(feature = "cuda")]
impl Report {
    /// Of a job that GPUs hand to the processor, which is described in words.
    pub(super) fn by_processor(description: &str) -> Self {
        Self {
            stages: vec![],
            plan: format!("bins beyond half the box: counted by {description}"),
        }
    }
}
