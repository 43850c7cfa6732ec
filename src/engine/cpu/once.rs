//! Samples sorted for the processor, of which several processes hold one copy.
//!
//! Entry: `Cpu::sort_once` and `Cpu::lay_out_once`. What processes say to one another is up to [`SharedMemory`].

use std::borrow::Cow;
use std::sync::Arc;

use super::sorted::{CpuSorted, scale_for};
use super::{Cpu, PreparedJob};
use crate::engine::SharedMemory;
use crate::error::EngineError;
use crate::particles::Particles;
use crate::pool;
use crate::progress::{Lasting, Progress};
use crate::tally::{CountSpec, Terms};
use crate::traversal::{Sorted, in_slots, offsets_of};

impl Cpu {
    /// As `sort`, by the first process alone.
    pub(in crate::engine) fn sort_once(
        &self,
        sample: &Particles,
        memory: &dyn SharedMemory,
        progress: &dyn Progress,
    ) -> Result<CpuSorted, EngineError> {
        // What is given away cannot be had back: where nothing is shared, nothing is sorted for others.
        if memory.doubles(vec![])?.is_none() {
            return self.sorted(sample, progress);
        }
        let mut runs = vec![];
        if memory.is_first() {
            let own = self.sorted(sample, progress)?.into_numbers();
            runs.extend(own.into_iter().flatten().map(Cow::Owned));
        }
        let given = memory.doubles(runs)?;
        let take = |numbers| Sorted::of_numbers(sample.points(), numbers);
        match given.and_then(|given| pool::install(&*self.pool().ok()?, || take(given))) {
            Some(sorted) => Ok(Arc::new(sorted).into()),
            None => self.sorted(sample, progress),
        }
    }

    /// Makes what a count needs of the samples of a job besides their order, by the first process alone: the offsets in blocks, and
    /// scaled weights.
    pub(in crate::engine) fn lay_out_once(
        &self,
        job: &PreparedJob<'_>,
        what: &CountSpec,
        memory: &dyn SharedMemory,
        progress: &dyn Progress,
    ) -> Result<(), EngineError> {
        let scale = scale_for(what.bins().reach().radius());
        let progress = &Lasting::new(progress);
        let stop = || progress.stop_requested();
        let pool = self.pool()?;
        let (first, second) = job.sorted::<CpuSorted>("cpu")?;
        let samples = [Some(first), second].into_iter().flatten();
        for sorted in samples.clone() {
            let mut runs = vec![];
            let missing = !sorted.has_layout(scale);
            if missing && memory.is_first() {
                let own = pool::install(&pool, || sorted.flat_offsets(scale, &stop))?;
                runs.push(Cow::Owned(own));
            }
            let given = memory.singles(runs)?;
            if let (true, Some(offsets)) = (missing, given.map(offsets_of)) {
                pool::install(&pool, || sorted.lay_out(scale, offsets, &stop));
            }
        }
        let pairs = job.job().pairs();
        let terms = Terms::new(what, pairs)?;
        for set in 0..terms.weight_sets() {
            let which = (what.weight_set() + set, terms.weight_sets());
            let exponents = what.exponents_of_set(set, pairs);
            for (k, (sorted, exponent)) in samples.clone().zip(exponents).enumerate() {
                let layout = pool::install(&pool, || sorted.layout(scale, &stop))?;
                let of_row = |row| terms.factor_at(set, k == 1, row);
                let mut runs = vec![];
                let missing = !sorted.has_factors(which, exponent);
                if missing && memory.is_first() {
                    let own = pool::install(&pool, || layout.in_slot_order(&of_row));
                    runs.push(Cow::Owned(own));
                }
                let given = memory.doubles(runs)?.map(in_slots);
                let same =
                    |given: &_| pool::install(&pool, || layout.holds_in_slot_order(given, &of_row));
                if let Some(given) = given.filter(|given| missing && same(given)) {
                    sorted.take_factors(which, exponent, given);
                }
            }
        }
        Ok(())
    }
}
