//! Samples made ready for an engine once, and jobs between them.
//!
//! Entry: [`Engine::prepare`](super::Engine::prepare), which makes [`Prepared`]; [`PreparedJob`] pairs them.

use std::any::Any;
use std::fmt;

use crate::domain::Domain;
use crate::error::JobError;
use crate::pairs::{PairJob, Pairs, Traversal};
use crate::particles::Particles;

/// What an engine has made of a sample, once for every count: sorted, or uploaded. It means something to that engine alone.
pub struct Sorted(Box<dyn Any + Send + Sync>);

impl Sorted {
    /// What an engine has made.
    pub fn new(sorted: impl Any + Send + Sync) -> Self {
        Self(Box::new(sorted))
    }

    /// The same to the engine that made it, which is called so.
    ///
    /// # Errors
    /// [`JobError::PreparedElsewhere`] where another engine made it.
    pub fn of<T: Any>(&self, engine: &'static str) -> Result<&T, JobError> {
        let sorted = self.0.downcast_ref();
        sorted.ok_or(JobError::PreparedElsewhere(engine))
    }
}

impl fmt::Debug for Sorted {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Sorted").finish_non_exhaustive()
    }
}

/// A sample in a domain, with what an engine has made of it: sorted, or uploaded, once for every count that it takes part in.
#[derive(Debug)]
pub struct Prepared {
    particles: Particles,
    domain: Domain,
    sorted: Sorted,
}

impl Prepared {
    /// Particles that lie in `domain`, and what an engine has made of them.
    pub(super) fn new(particles: Particles, domain: Domain, sorted: Sorted) -> Self {
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
}

/// Pairs of prepared particles.
///
/// ```
/// use albireo::engine::{Cpu, PreparedJob};
/// use albireo::engine::Silent;
/// use albireo::{CountSpec, Domain, Edges, Engine, Particles, Points, RBins};
/// let sample = |x: f64| -> Result<_, albireo::Error> { Ok(Particles::new(Points::from_rows(&[[0.0; 3], [x, 0.0, 0.0]])?)) };
/// let engine = Cpu::new();
/// let data = engine.prepare(sample(1.0)?, &Domain::Open, &Silent)?;
/// let randoms = engine.prepare(sample(3.0)?, &Domain::Open, &Silent)?;
/// let what = CountSpec::new(RBins::new(Edges::linear(0.0, 4.0, 2)?));
/// let (dd, _) = engine.tally(&PreparedJob::auto(&data), &what, &Silent)?;
/// let (dr, _) = engine.tally(&PreparedJob::cross(&data, &randoms)?, &what, &Silent)?;
/// assert_eq!((dd.pairs(), dr.pairs()), (&[1, 0][..], &[2, 2][..]));
/// # Ok::<(), albireo::Error>(())
/// ```
#[derive(Debug)]
pub struct PreparedJob<'a> {
    job: PairJob<'a>,
    first: &'a Sorted,
    second: Option<&'a Sorted>,
}

impl<'a> PreparedJob<'a> {
    /// The pairs within a sample, or between it and the second where there is one.
    ///
    /// # Errors
    /// As [`PreparedJob::cross`].
    pub fn new(first: &'a Prepared, second: Option<&'a Prepared>) -> Result<Self, JobError> {
        match second {
            None => Ok(Self::auto(first)),
            Some(second) => Self::cross(first, second),
        }
    }

    /// The pairs within a sample.
    pub fn auto(sample: &'a Prepared) -> Self {
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
    pub fn cross(first: &'a Prepared, second: &'a Prepared) -> Result<Self, JobError> {
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
    pub(crate) fn of(job: PairJob<'a>, first: &'a Sorted, second: Option<&'a Sorted>) -> Self {
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

    /// What an engine, which is called so, made of the first sample, and of the second where there is one.
    ///
    /// # Errors
    /// [`JobError::PreparedElsewhere`] where another engine made it.
    pub fn sorted<T: Any>(&self, engine: &'static str) -> Result<(&'a T, Option<&'a T>), JobError> {
        let second = self.second.map(|second| second.of(engine)).transpose()?;
        Ok((self.first.of(engine)?, second))
    }

    /// Whether there is a second sample.
    pub(super) fn is_cross(&self) -> bool {
        self.second.is_some()
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
