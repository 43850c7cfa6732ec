//! Who visits the pairs: engines change the time, never the integers.
//!
//! Entry: [`PairJob`] (which pairs, in which domain) and [`Engine::run`]. [`Naive`] is the readable reference that the others are
//! compared with by `==`; [`AnyEngine`] is one chosen at run time, [`Auto`] chooses by measured rates.

mod auto;
#[allow(
    clippy::inline_always,
    reason = "the inner loops run inside vector kernels"
)]
mod cpu;
#[cfg(feature = "cuda")]
pub mod cuda;
mod naive;
#[cfg(feature = "cuda")]
mod pieces;
#[cfg(feature = "cuda")]
mod together;

pub use auto::{Auto, Choice};
pub use cpu::Cpu;
pub use naive::Naive;
#[cfg(feature = "cuda")]
pub use together::Together;

pub use crate::simd::Isa;

pub use crate::exactness::Exactness;
pub use crate::pairs::{PairJob, Pairs, Traversal};
pub use crate::progress::{Progress, Silent};

use crate::binning::Binning;
use crate::error::EngineError;
use crate::tally::{Tallied, Tally};

/// Visits the pairs of a job.
pub trait Engine {
    /// Counts `what` over every pair of `job`.
    ///
    /// # Errors
    /// A job for which `what` is not defined, a stop asked for through `progress`, or a device that fails.
    fn run<B: Binning>(
        &self,
        job: &PairJob<'_>,
        what: &Tallied<B>,
        progress: &dyn Progress,
    ) -> Result<Tally, EngineError>;

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

impl Engine for AnyEngine {
    fn run<B: Binning>(
        &self,
        job: &PairJob<'_>,
        what: &Tallied<B>,
        progress: &dyn Progress,
    ) -> Result<Tally, EngineError> {
        match self {
            Self::Naive(engine) => engine.run(job, what, progress),
            Self::Cpu(engine) => engine.run(job, what, progress),
            #[cfg(feature = "cuda")]
            Self::Cuda(engine) => engine.run(job, what, progress),
            #[cfg(feature = "cuda")]
            Self::Together(engine) => engine.run(job, what, progress),
        }
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
