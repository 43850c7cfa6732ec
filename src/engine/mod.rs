//! Who visits the pairs: engines change the time, never the integers.
//!
//! Entry: [`PairJob`] (which pairs, in which domain) and [`Engine::run`], or [`Engine::prepare`] where samples serve several counts. [`Naive`] is the readable reference that the others are
//! compared with by `==`; [`AnyEngine`] is one chosen at run time, [`Auto`] chooses by measured rates.

#![allow(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    clippy::cast_possible_wrap,
    reason = "rows, blocks and slots lie below MAX_PARTICLES, in 32 bits; floats narrowed here have proven bounds"
)]

mod auto;
mod costs;
#[allow(
    clippy::inline_always,
    reason = "the inner loops run inside vector kernels"
)]
mod cpu;
#[cfg(feature = "cuda")]
pub mod cuda;
mod groups;
mod held;
mod mirrored;
mod naive;
mod owners;
mod pieces;
mod prepared;
mod shared_memory;
#[cfg(feature = "cuda")]
mod together;
mod units;

pub use auto::{Auto, Choice, cpu_rate};
pub use cpu::Cpu;
pub use naive::Naive;
pub use prepared::{Prepared, PreparedJob, Report, Sorted};
pub use shared_memory::SharedMemory;
#[cfg(feature = "cuda")]
pub use together::Together;
pub use units::Units;

pub use albireo_simd::Isa;

pub use crate::exactness::Exactness;
pub use crate::pairs::{PairJob, Pairs, Traversal};
pub use crate::progress::{Progress, Silent};

use std::ops::{Deref, Range};

use crate::domain::Domain;
use crate::error::{EngineError, JobError};
use crate::particles::Particles;
use crate::tally::{CountSpec, Tally};

/// Visits the pairs of a job.
pub trait Engine {
    /// Sorts a sample that lies in `domain`. The order depends on the sample and the domain, never on what is counted.
    ///
    /// # Errors
    /// A stop asked for through `progress`, a device that fails, or threads that cannot be had.
    fn sort(
        &self,
        sample: &Particles,
        domain: &Domain,
        progress: &dyn Progress,
    ) -> Result<Sorted, EngineError>;

    /// Counts `what` over every pair of a job between prepared samples, and tells how it went.
    ///
    /// # Errors
    /// A job for which `what` is not defined, a stop asked for through `progress`, or a device that fails.
    fn tally(
        &self,
        job: &PreparedJob<'_>,
        what: &CountSpec,
        progress: &dyn Progress,
    ) -> Result<(Tally, Report), EngineError>;

    /// The units that a job is cut into: the same for every engine, but that GPUs have units of their own.
    ///
    /// # Errors
    /// As [`Engine::tally`].
    fn units(
        &self,
        job: &PreparedJob<'_>,
        what: &CountSpec,
        progress: &dyn Progress,
    ) -> Result<Units, EngineError> {
        Units::sorted(job.job(), what, progress)
    }

    /// Counts `what` over the pairs that a run of the units of a job takes. Runs that cover every unit once make up the whole, whoever counts
    /// each of them.
    ///
    /// By itself an engine counts all units as the job, and fewer as jobs of their own between rows brought together, which classes of pairs
    /// do not allow; `Cpu` walks through them as through the whole.
    ///
    /// # Errors
    /// As [`Engine::tally`]; units of another job, or that there are not; those of GPUs on another engine; classes of pairs in some groups of
    /// particles on other engines than `Cpu`.
    fn tally_units(
        &self,
        job: &PreparedJob<'_>,
        what: &CountSpec,
        units: (&Units, Range<usize>),
        progress: &dyn Progress,
    ) -> Result<(Tally, Report), EngineError> {
        units::tally_as_jobs(self, job, what, units, progress)
    }

    /// Makes a sample ready for any number of counts.
    ///
    /// # Errors
    /// A position outside `domain`; otherwise as [`Engine::sort`].
    fn prepare(
        &self,
        sample: Particles,
        domain: &Domain,
        progress: &dyn Progress,
    ) -> Result<Prepared, EngineError> {
        domain.check(sample.points()).map_err(JobError::from)?;
        let sorted = self.sort(&sample, domain, progress)?;
        Ok(Prepared::new(sample, domain.clone(), sorted))
    }

    /// Counts `what` over every pair of `job`, whose samples serve this count alone.
    ///
    /// # Errors
    /// As [`Engine::tally`].
    fn run(
        &self,
        job: &PairJob<'_>,
        what: &CountSpec,
        progress: &dyn Progress,
    ) -> Result<Tally, EngineError> {
        what.admit(job)?;
        let (first, second) = job.pairs().samples();
        let first = self.sort(first, job.domain(), progress)?;
        let second = second.map(|sample| self.sort(sample, job.domain(), progress));
        let second = second.transpose()?;
        let job = PreparedJob::of(*job, &first, second.as_ref());
        Ok(self.tally(&job, what, progress)?.0)
    }

    /// What ran, for the record: engine, instruction set, threads.
    fn description(&self) -> String;

    /// Whether its counts are the integers of the contract.
    fn exactness(&self) -> Exactness {
        Exactness::Exact
    }
}

/// An engine chosen at run time.
#[derive(Debug, Clone)]
pub enum AnyEngine {
    /// The reference.
    Naive(Naive),
    /// The processor's vector units.
    Cpu(Cpu),
    /// NVIDIA devices.
    #[cfg(feature = "cuda")]
    Cuda(cuda::Cuda),
    /// Both at the same time.
    #[cfg(feature = "cuda")]
    Together(Together),
}

impl Deref for AnyEngine {
    type Target = dyn Engine;

    fn deref(&self) -> &Self::Target {
        match self {
            Self::Naive(engine) => engine,
            Self::Cpu(engine) => engine,
            #[cfg(feature = "cuda")]
            Self::Cuda(engine) => engine,
            #[cfg(feature = "cuda")]
            Self::Together(engine) => engine,
        }
    }
}
