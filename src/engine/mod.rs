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
#[allow(
    clippy::inline_always,
    reason = "the inner loops run inside vector kernels"
)]
mod fields;
mod held;
mod mirrored;
mod naive;
mod owners;
mod pieces;
mod planes;
mod prepared;
mod shared_memory;
#[cfg(feature = "cuda")]
mod together;
mod units;

pub use auto::{Auto, Choice};
pub use cpu::{Cpu, CpuSorted};
pub use fields::{
    FieldEngine, Float32Sum, IonDistances, PlacedIon, field_by_variant, field_in_float32,
    place_ions,
};
pub use naive::Naive;
pub use prepared::{Prepared, PreparedJob, Report};
pub use shared_memory::SharedMemory;
#[cfg(feature = "cuda")]
pub use together::Together;
pub use units::Units;

pub use crate::simd::Isa;

pub use crate::exactness::Exactness;
pub use crate::pairs::{PairJob, Pairs, Traversal};
pub use crate::progress::{Progress, Silent};

use std::ops::Range;

use crate::binning::Binning;
use crate::domain::Domain;
use crate::error::{EngineError, JobError};
use crate::particles::Particles;
use crate::tally::{Tallied, Tally};

/// Visits the pairs of a job.
pub trait Engine {
    /// What the engine makes of a sample, once for every count: sorted, or uploaded.
    type Sorted: Send + Sync;

    /// Sorts a sample that lies in `domain`. The order depends on the sample and the domain, never on what is counted.
    ///
    /// # Errors
    /// A stop asked for through `progress`, a device that fails, or threads that cannot be had.
    fn sort(
        &self,
        sample: &Particles,
        domain: &Domain,
        progress: &dyn Progress,
    ) -> Result<Self::Sorted, EngineError>;

    /// Counts `what` over every pair of a job between prepared samples, and tells how it went.
    ///
    /// # Errors
    /// A job for which `what` is not defined, a stop asked for through `progress`, or a device that fails.
    fn tally<B: Binning>(
        &self,
        job: &PreparedJob<'_, Self::Sorted>,
        what: &Tallied<B>,
        progress: &dyn Progress,
    ) -> Result<(Tally, Report), EngineError>;

    /// The units that a job is cut into: the same for every engine.
    ///
    /// # Errors
    /// As [`Engine::tally`].
    fn units<B: Binning>(
        &self,
        job: &PreparedJob<'_, Self::Sorted>,
        what: &Tallied<B>,
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
    /// As [`Engine::tally`]; units of another job, or that there are not; classes of pairs in some of the units on other engines than `Cpu`.
    fn tally_units<B: Binning>(
        &self,
        job: &PreparedJob<'_, Self::Sorted>,
        what: &Tallied<B>,
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
    ) -> Result<Prepared<Self::Sorted>, EngineError> {
        domain.check(sample.points()).map_err(JobError::from)?;
        let sorted = self.sort(&sample, domain, progress)?;
        Ok(Prepared::new(sample, domain.clone(), sorted))
    }

    /// Counts `what` over every pair of `job`, whose samples serve this count alone.
    ///
    /// # Errors
    /// As [`Engine::tally`].
    fn run<B: Binning>(
        &self,
        job: &PairJob<'_>,
        what: &Tallied<B>,
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

/// What one of the engines made of a sample.
#[derive(Debug)]
#[non_exhaustive]
pub enum AnySorted {
    /// The reference sorts nothing.
    Naive,
    /// Sorted for the processor.
    Cpu(cpu::CpuSorted),
    /// On the devices.
    #[cfg(feature = "cuda")]
    Cuda(cuda::CudaSorted),
    /// For both at the same time.
    #[cfg(feature = "cuda")]
    Together,
}

impl AnySorted {
    /// What the processor made of it, if it was the processor.
    fn of_cpu(&self) -> Option<&CpuSorted> {
        match self {
            Self::Cpu(sorted) => Some(sorted),
            _ => None,
        }
    }
}

impl Engine for AnyEngine {
    type Sorted = AnySorted;

    fn sort(
        &self,
        sample: &Particles,
        domain: &Domain,
        progress: &dyn Progress,
    ) -> Result<AnySorted, EngineError> {
        Ok(match self {
            Self::Naive(_) => AnySorted::Naive,
            Self::Cpu(engine) => AnySorted::Cpu(engine.sort(sample, domain, progress)?),
            #[cfg(feature = "cuda")]
            Self::Cuda(engine) => AnySorted::Cuda(engine.sort(sample, domain, progress)?),
            #[cfg(feature = "cuda")]
            Self::Together(_) => AnySorted::Together,
        })
    }

    fn tally<B: Binning>(
        &self,
        job: &PreparedJob<'_, AnySorted>,
        what: &Tallied<B>,
        progress: &dyn Progress,
    ) -> Result<(Tally, Report), EngineError> {
        let elsewhere = |engine| EngineError::from(JobError::PreparedElsewhere(engine));
        match self {
            Self::Naive(engine) => {
                let job = job.map(|sorted| matches!(sorted, AnySorted::Naive).then_some(&()));
                let job = job.ok_or_else(|| elsewhere("naive"))?;
                engine.tally(&job, what, progress)
            }
            Self::Cpu(engine) => {
                let job = job.map(AnySorted::of_cpu);
                let job = job.ok_or_else(|| elsewhere("cpu"))?;
                engine.tally(&job, what, progress)
            }
            #[cfg(feature = "cuda")]
            Self::Cuda(engine) => {
                let job = job.map(|sorted| match sorted {
                    AnySorted::Cuda(sorted) => Some(sorted),
                    _ => None,
                });
                let job = job.ok_or_else(|| elsewhere("cuda"))?;
                engine.tally(&job, what, progress)
            }
            #[cfg(feature = "cuda")]
            Self::Together(engine) => {
                let job = job.map(|sorted| matches!(sorted, AnySorted::Together).then_some(&()));
                let job = job.ok_or_else(|| elsewhere("cuda+cpu"))?;
                engine.tally(&job, what, progress)
            }
        }
    }

    fn units<B: Binning>(
        &self,
        job: &PreparedJob<'_, AnySorted>,
        what: &Tallied<B>,
        progress: &dyn Progress,
    ) -> Result<Units, EngineError> {
        match (self, job.map(AnySorted::of_cpu)) {
            (Self::Cpu(engine), Some(job)) => engine.units(&job, what, progress),
            _ => Units::sorted(job.job(), what, progress),
        }
    }

    fn tally_units<B: Binning>(
        &self,
        job: &PreparedJob<'_, AnySorted>,
        what: &Tallied<B>,
        units: (&Units, Range<usize>),
        progress: &dyn Progress,
    ) -> Result<(Tally, Report), EngineError> {
        if let (Self::Cpu(engine), Some(job)) = (self, job.map(AnySorted::of_cpu)) {
            return engine.tally_units(&job, what, units, progress);
        }
        units::tally_as_jobs(self, job, what, units, progress)
    }

    fn description(&self) -> String {
        match self {
            Self::Naive(engine) => engine.description(),
            Self::Cpu(engine) => engine.description(),
            #[cfg(feature = "cuda")]
            Self::Cuda(engine) => engine.description(),
            #[cfg(feature = "cuda")]
            Self::Together(engine) => engine.description(),
        }
    }

    fn exactness(&self) -> Exactness {
        match self {
            Self::Naive(engine) => engine.exactness(),
            Self::Cpu(engine) => engine.exactness(),
            #[cfg(feature = "cuda")]
            Self::Cuda(engine) => engine.exactness(),
            #[cfg(feature = "cuda")]
            Self::Together(engine) => engine.exactness(),
        }
    }
}
