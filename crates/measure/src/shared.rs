//! What the measurements of a job share: samples made ready for an engine, and counts.
//!
//! Entry: [`Shared`]. A count is used again for the very same particles, weights, regions, bins and sums; who counted it makes no
//! difference, as all exact engines give the same integers.

use std::cell::RefCell;
use std::collections::VecDeque;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::rc::Rc;

use albireo::counts::JobId;
use albireo::engine::{AnyEngine, Exactness, Prepared};
use albireo::particles::Groups;
use albireo::{CountSpec, Counts, Domain, PairJob, Particles};

use crate::counted::Counted;

/// Most numbers in bins that wait for a measurement that needs them again: a few hundred megabytes with what goes with them.
const MOST_NUMBERS: usize = 1 << 23;

/// Most particles that wait for it, as engines have sorted them: a few gigabytes.
const MOST_PARTICLES: usize = 1 << 26;

/// What a measurement finds of those before it.
#[derive(Debug, Clone, Default)]
pub(crate) struct Shared {
    pub(crate) ready: Ready,
    pub(crate) counts: SharedCounts,
    /// Counts by further sets of weights, made with those of the first.
    pub(crate) of_sets: SharedCounts,
}

/// A sample as an engine called so has made it ready.
type Sorted = (String, Rc<Prepared>);

/// Samples that engines have made ready, the latest last.
#[derive(Debug, Clone, Default)]
pub(crate) struct Ready(Rc<RefCell<VecDeque<Sorted>>>);

/// Whether a sample that one engine has made ready serves another of the same name: it does in the memory of the processor.
fn lasts(engine: &AnyEngine) -> bool {
    matches!(engine, AnyEngine::Naive(_) | AnyEngine::Cpu(_))
}

impl Ready {
    /// The same particles in the same domain, as such an engine has made them ready.
    pub(crate) fn find(
        &self,
        engine: &AnyEngine,
        sample: &Particles,
        domain: &Domain,
    ) -> Option<Rc<Prepared>> {
        let name = engine.description();
        let all = self.0.borrow();
        let mut of_engine = all.iter().filter(|(engine, _)| *engine == name);
        let same = |one: &Prepared| one.domain() == domain && one.particles() == sample;
        let found = of_engine.find(|(_, prepared)| same(prepared));
        found.map(|(_, prepared)| Rc::clone(prepared))
    }

    /// Keeps what an engine has made of a sample, and drops the oldest where there are too many.
    pub(crate) fn keep(&self, engine: &AnyEngine, prepared: &Rc<Prepared>) {
        if !lasts(engine) {
            return;
        }
        let mut all = self.0.borrow_mut();
        all.push_back((engine.description(), Rc::clone(prepared)));
        let sizes = all.iter().map(|(_, one)| one.particles().len());
        let mut particles: usize = sizes.sum();
        while particles > MOST_PARTICLES
            && let Some((_, oldest)) = all.pop_front()
        {
            particles -= oldest.particles().len();
        }
    }
}

/// What a count is the same by.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Key {
    job: JobId,
    /// Of the regions and groups of both samples.
    labels: u64,
    what: CountSpec,
    exactness: Exactness,
    numbers: usize,
}

impl Key {
    /// That of a job and what is counted of it.
    pub(crate) fn new(job: &PairJob<'_>, what: CountSpec, exactness: Exactness) -> Self {
        let mut labels = DefaultHasher::new();
        let (first, second) = job.pairs().both();
        for sample in [first, second] {
            let regions = sample.labels().map(|l| (l.number(), l.values()));
            let groups = sample.groups().map(Groups::values);
            (regions, groups).hash(&mut labels);
        }
        let number = first.labels().map_or(0, |labels| labels.number() as usize);
        Self {
            job: JobId::with_columns(job),
            labels: labels.finish(),
            exactness,
            numbers: what.bins().n_bins() * (1 + 2 * number),
            what,
        }
    }
}

/// A count that was made.
#[derive(Debug)]
struct Made {
    key: Key,
    counts: (Counts, Counted),
}

/// Counts that were made, the latest last.
#[derive(Debug, Clone, Default)]
pub(crate) struct SharedCounts(Rc<RefCell<VecDeque<Made>>>);

impl SharedCounts {
    /// The count of this key, if it has been made, as results write it.
    pub(crate) fn find(&self, key: &Key) -> Option<(Counts, Counted)> {
        let all = self.0.borrow();
        let made = all.iter().find(|made| made.key == *key);
        made.map(|made| made.counts.clone())
    }

    /// Keeps a count until all are released.
    pub(crate) fn keep_all(&self, key: Key, counts: (Counts, Counted)) {
        self.0.borrow_mut().push_back(Made { key, counts });
    }

    /// Drops all counts.
    pub(crate) fn clear(&self) {
        self.0.borrow_mut().clear();
    }

    /// Keeps a count, and drops the oldest where there are too many.
    pub(crate) fn keep(&self, key: Key, counts: (Counts, Counted)) {
        let mut all = self.0.borrow_mut();
        all.push_back(Made { key, counts });
        let mut numbers: usize = all.iter().map(|made| made.key.numbers).sum();
        while numbers > MOST_NUMBERS
            && let Some(oldest) = all.pop_front()
        {
            numbers -= oldest.key.numbers;
        }
    }
}
