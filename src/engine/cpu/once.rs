//! Samples sorted for the processor, of which several processes hold one copy.
//!
//! Entry: `Cpu::sort_once` and `Cpu::lay_out_once`. What processes say to one another is the affair of [`SharedMemory`].

use std::sync::Arc;

use super::sorted::{CpuSorted, scale_for};
use super::{Cpu, Engine as _, PreparedJob};
use crate::domain::Domain;
use crate::engine::SharedMemory;
use crate::error::EngineError;
use crate::particles::Particles;
use crate::progress::{Lasting, Progress};
use crate::traversal::{Sorted, offsets_of};

impl Cpu {
    /// As `sort`, by the first process alone.
    pub(in crate::engine) fn sort_once(
        &self,
        sample: &Particles,
        domain: &Domain,
        memory: &dyn SharedMemory,
        progress: &dyn Progress,
    ) -> Result<CpuSorted, EngineError> {
        let own = memory.is_first();
        let own = own.then(|| self.sort(sample, domain, progress));
        let own = own.transpose()?;
        let given = match &own {
            None => memory.doubles(&[]),
            Some(own) => {
                let (slots, ends) = own.sorted().numbers();
                memory.doubles(&[slots, &ends])
            }
        };
        let take = |numbers| Sorted::of_numbers(sample.points(), numbers);
        let pool = self.pool()?;
        match (given.and_then(|given| pool.install(|| take(given))), own) {
            (Some(given), _) => Ok(CpuSorted::of(given)),
            (None, Some(own)) => Ok(own),
            (None, None) => self.sort(sample, domain, progress),
        }
    }

    /// Makes the blocks of the samples of a job whose bins reach so far, their offsets by the first process alone.
    pub(in crate::engine) fn lay_out_once(
        &self,
        job: &PreparedJob<'_, CpuSorted>,
        radius: f64,
        memory: &dyn SharedMemory,
        progress: &dyn Progress,
    ) -> Result<(), EngineError> {
        let scale = scale_for(radius);
        let progress = &Lasting::new(progress);
        let stop = || progress.stop_requested();
        let pool = self.pool()?;
        let (first, second) = job.sorted();
        for sorted in [Some(first), second].into_iter().flatten() {
            let missing = !sorted.has_layout(scale);
            let own = missing && memory.is_first();
            let own = own.then(|| pool.install(|| sorted.layout(scale, &stop)));
            let own = own.transpose()?;
            let runs = own.as_ref().map(|own| own.flat_offsets());
            let given = memory.singles(runs.as_slice());
            drop(own);
            if let (true, Some(offsets)) = (missing, given.map(offsets_of)) {
                pool.install(|| sorted.lay_out(scale, offsets, &stop));
            }
        }
        Ok(())
    }
}

impl CpuSorted {
    fn of(sorted: Sorted) -> Self {
        Self::from(Arc::new(sorted))
    }
}
