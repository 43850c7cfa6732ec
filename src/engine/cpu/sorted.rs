//! A sample sorted for the CPU engine, with what its counts have made of it and may need again.

use std::collections::HashMap;
use std::convert::Infallible;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use crate::error::EngineError;
use crate::particles::Particles;
use crate::traversal::{Held, Layout, Offsets, Sorted, Stop};

/// A set of weights, and the exponent that scales it.
type SetExponent = (usize, i32);

/// A sample sorted for the CPU engine: the order serves every count.
#[derive(Debug)]
pub(in crate::engine) struct CpuSorted {
    sorted: Arc<Sorted>,
    /// Blocks in the unit of length that bins of some reach ask for, by the bits of the scale: jobs with the same bins share them.
    layouts: Mutex<HashMap<u64, Arc<Layout>>>,
    /// Scaled weights in the order of the slots, by their set and exponent.
    factors: Mutex<HashMap<SetExponent, Arc<Held<f64>>>>,
    /// The same points without regard to labels.
    mixed: OnceLock<Box<CpuSorted>>,
}

/// What `map` holds for `key`, made if it is not there; `others` entries at most are kept beside it, as each is as large as the sample.
fn remembered<K: Eq + std::hash::Hash, V, E>(
    map: &Mutex<HashMap<K, Arc<V>>>,
    key: K,
    others: usize,
    make: impl FnOnce() -> Result<V, E>,
) -> Result<Arc<V>, E> {
    let forget = |map: &mut HashMap<K, Arc<V>>| {
        if map.len() > others {
            map.clear();
        }
    };
    let lock = || map.lock().unwrap_or_else(PoisonError::into_inner);
    {
        let mut map = lock();
        if let Some(value) = map.get(&key) {
            return Ok(Arc::clone(value));
        }
        forget(&mut map);
    }
    // Not under the lock: a thread that waits for others here may take up another count of the sample, which asks for the same.
    let made = Arc::new(make()?);
    let mut map = lock();
    if let Some(value) = map.get(&key) {
        return Ok(Arc::clone(value));
    }
    forget(&mut map);
    map.insert(key, Arc::clone(&made));
    Ok(made)
}

/// Whether `map` holds something for `key`.
fn is_remembered<K: Eq + std::hash::Hash, V>(map: &Mutex<HashMap<K, V>>, key: &K) -> bool {
    let map = map.lock().unwrap_or_else(PoisonError::into_inner);
    map.contains_key(key)
}

/// The power of two by which offsets are multiplied where bins reach so far.
pub(super) fn scale_for(radius: f64) -> f64 {
    let scale = libm::scalbn(1.0, -albireo_simd::fixed_point::exponent(radius));
    if scale.is_finite() && scale > 0.0 {
        scale
    } else {
        1.0
    }
}

impl From<Arc<Sorted>> for CpuSorted {
    fn from(sorted: Arc<Sorted>) -> Self {
        Self {
            sorted,
            layouts: Mutex::default(),
            factors: Mutex::default(),
            mixed: OnceLock::new(),
        }
    }
}

impl CpuSorted {
    /// Sorts a sample, unless `stop` says true.
    pub(super) fn new(sample: &Particles, stop: &Stop<'_>) -> Result<Self, EngineError> {
        let sorted = Sorted::new(sample.points(), sample.labels(), stop);
        Ok(Arc::new(sorted.ok_or(EngineError::Interrupted)?).into())
    }

    /// The order of `sample` without regard to labels.
    pub(super) fn mixed(&self, sample: &Particles, stop: &Stop<'_>) -> Result<&Self, EngineError> {
        if self.mixed.get().is_none() {
            // As in `remembered`: nothing waits for it.
            let sorted = Sorted::new(sample.points(), None, stop);
            let sorted = Arc::new(sorted.ok_or(EngineError::Interrupted)?);
            let _ = self.mixed.set(Box::new(sorted.into()));
        }
        Ok(self.mixed.get().map_or(self, |mixed| mixed))
    }

    /// The order as numbers, if nothing has been made of it yet.
    pub(super) fn into_numbers(self) -> Option<[Vec<f64>; 2]> {
        drop(self.layouts);
        Arc::into_inner(self.sorted).map(Sorted::into_numbers)
    }

    /// Whether the blocks in this unit of length are there.
    pub(super) fn has_layout(&self, scale: f64) -> bool {
        is_remembered(&self.layouts, &scale.to_bits())
    }

    /// Whether the weights of a set are there.
    pub(super) fn has_factors(&self, (set, _): (usize, usize), exponent: i32) -> bool {
        is_remembered(&self.factors, &(set, exponent))
    }

    /// The offsets of the blocks that there would be.
    pub(super) fn flat_offsets(
        &self,
        scale: f64,
        stop: &Stop<'_>,
    ) -> Result<Vec<f32>, EngineError> {
        let layout = Layout::new(&self.sorted, scale, stop);
        let layout = layout.ok_or(EngineError::Interrupted)?;
        Ok(layout.into_flat_offsets())
    }

    /// Makes the blocks with offsets that are there already; leaves those where the offsets are none of this sample.
    pub(super) fn lay_out(&self, scale: f64, offsets: Held<Offsets>, stop: &Stop<'_>) {
        if let Some(layout) = Layout::with_offsets(&self.sorted, scale, offsets, stop) {
            let made = || Ok::<_, Infallible>(layout);
            let _ = remembered(&self.layouts, scale.to_bits(), 1, made);
        }
    }

    /// Takes weights for those of a set of so many, scaled by `2^-exponent` and in the order of the slots.
    pub(super) fn take_factors(
        &self,
        (set, of): (usize, usize),
        exponent: i32,
        factors: Held<f64>,
    ) {
        let made = || Ok::<_, Infallible>(factors);
        let _ = remembered(&self.factors, (set, exponent), of, made);
    }

    /// The blocks, their offsets multiplied by the power of two `scale`, unless `stop` says true.
    pub(super) fn layout(&self, scale: f64, stop: &Stop<'_>) -> Result<Arc<Layout>, EngineError> {
        let make = || {
            let layout = Layout::new(&self.sorted, scale, stop);
            layout.ok_or(EngineError::Interrupted)
        };
        remembered(&self.layouts, scale.to_bits(), 1, make)
    }

    /// The weights of a set of so many, in each row `at(row)` as scaled by `2^-exponent`, in the order of the slots of `layout`.
    pub(super) fn factors(
        &self,
        (set, of): (usize, usize),
        exponent: i32,
        layout: &Layout,
        at: impl Fn(usize) -> f64 + Sync + Send,
    ) -> Arc<Held<f64>> {
        let make = || Ok::<_, Infallible>(layout.in_slot_order(&at).into());
        match remembered(&self.factors, (set, exponent), of, make) {
            Ok(factors) => factors,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::mpsc;
    use std::time::Duration;

    /// A thread that makes something may come to need it, in a count that it takes up while it waits.
    #[test]
    fn what_is_being_made_can_be_asked_for() {
        let (send, receive) = mpsc::channel();
        std::thread::spawn(move || {
            let map = Mutex::new(HashMap::new());
            let inner = || remembered(&map, 7, 1, || Ok::<_, Infallible>(5));
            let outer = remembered(&map, 7, 1, || inner().map(|inner| *inner + 1));
            let again = remembered(&map, 7, 1, || Ok::<_, Infallible>(9));
            let found = [outer, again].map(|found| found.map_or(0, |found| *found));
            send.send(found)
        });
        let found = receive.recv_timeout(Duration::from_secs(20));
        assert_eq!(found, Ok([5, 5]), "the first that was made");
    }
}
