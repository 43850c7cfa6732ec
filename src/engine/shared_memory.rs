//! Samples of which several processes of one machine hold one copy.
//!
//! Entry: [`SharedMemory`], which whoever starts the processes has, and [`AnyEngine::prepare_once`]. Every process checks what it is given
//! against the particles that it has, and makes its own copy where that is something else.

use std::borrow::Cow;

use super::{AnyEngine, Prepared, PreparedJob, Sorted};
use crate::domain::Domain;
use crate::error::{EngineError, JobError};
use crate::particles::{Column, Particles};
use crate::progress::Progress;
use crate::tally::CountSpec;

/// Memory that processes of one machine read, and of which the first of them makes the contents. All of them call its functions in the
/// same order.
pub trait SharedMemory {
    /// Whether this process gives the numbers; the others give none.
    fn is_first(&self) -> bool;

    /// The numbers that the first process gives, run after run; none where they cannot be shared, which is so for all processes. Runs that
    /// are given away should be freed while they are written: there would be two copies of them otherwise.
    ///
    /// # Errors
    /// [`EngineError::Outside`] where the first process has ended, or cannot be reached.
    fn doubles(&self, runs: Vec<Cow<'_, [f64]>>) -> Result<Option<Column>, EngineError>;

    /// As [`SharedMemory::doubles`], in single precision.
    ///
    /// # Errors
    /// As [`SharedMemory::doubles`].
    fn singles(&self, runs: Vec<Cow<'_, [f32]>>) -> Result<Option<Column<f32>>, EngineError>;
}

impl AnyEngine {
    /// As [`Engine::prepare`](super::Engine::prepare), of which several processes hold one copy where that is in the memory of the processor. All of them must
    /// call it, for the same particles.
    ///
    /// # Errors
    /// As [`Engine::prepare`](super::Engine::prepare), and [`EngineError::Outside`].
    pub fn prepare_once(
        &self,
        sample: Particles,
        domain: &Domain,
        memory: &dyn SharedMemory,
        progress: &dyn Progress,
    ) -> Result<Prepared, EngineError> {
        let Self::Cpu(engine) = self else {
            // Engines of other processes may share all the same, after they have seen that they can.
            if memory.doubles(vec![])?.is_some() {
                memory.doubles(vec![])?;
            }
            return self.prepare(sample, domain, progress);
        };
        domain.check(sample.points()).map_err(JobError::from)?;
        let sorted = engine.sort_once(&sample, memory, progress)?;
        Ok(Prepared::new(sample, domain.clone(), Sorted::new(sorted)))
    }

    /// Makes once for all processes what a count of `job` needs besides what is prepared. All of them must call it, for the same job.
    ///
    /// # Errors
    /// [`EngineError::Interrupted`], [`EngineError::Outside`], or threads that cannot be started.
    pub fn lay_out_once(
        &self,
        job: &PreparedJob<'_>,
        what: &CountSpec,
        memory: &dyn SharedMemory,
        progress: &dyn Progress,
    ) -> Result<(), EngineError> {
        if let Self::Cpu(engine) = self {
            return engine.lay_out_once(job, what, memory, progress);
        }
        let samples = 1 + usize::from(job.is_cross());
        for _ in 0..samples {
            memory.singles(vec![])?;
        }
        for _ in 0..samples * what.weight_sets() {
            memory.doubles(vec![])?;
        }
        Ok(())
    }
}
