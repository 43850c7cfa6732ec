//! The threads of an engine: those kept for the process, or one of its own.
//!
//! Entry: [`Cpu::with_own_thread`], for engines that count at the same time.

use std::sync::Arc;

use rayon::{ThreadPool, ThreadPoolBuilder};

use super::Cpu;
use crate::error::EngineError;
use crate::pool;

impl Cpu {
    /// The same engine on one thread that no other engine uses.
    ///
    /// # Errors
    /// A thread that cannot be started.
    pub fn with_own_thread(self) -> Result<Self, EngineError> {
        let pool = ThreadPoolBuilder::new().num_threads(1).build();
        let own = pool.map_err(|error| EngineError::Threads {
            threads: 1,
            reason: error.to_string(),
        })?;
        Ok(Self {
            own: Some(Arc::new(own)),
            ..self
        })
    }

    /// The threads that it counts on, for other work of this process.
    ///
    /// # Errors
    /// Threads that cannot be started.
    pub fn pool(&self) -> Result<Arc<ThreadPool>, EngineError> {
        if let Some(own) = &self.own {
            return Ok(Arc::clone(own));
        }
        pool::of(self.threads).map_err(|error| EngineError::Threads {
            threads: self.threads,
            reason: error.to_string(),
        })
    }
}

/// The most threads for each core.
pub(super) const THREADS_PER_CORE: usize = 4;

/// The cores that this process may use.
pub(super) fn cores() -> usize {
    std::thread::available_parallelism().map_or(1, std::num::NonZeroUsize::get)
}
