//! Who makes the impulses of all pairs: the double loop, every pair in lanes, or lists of cells in lanes, on threads.
//!
//! Entry: [`Forces`]. The integers are the same whoever makes them.

use std::ops::Range;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use albireo::engine::Cpu;
use albireo::error::EngineError;
use albireo_simd::{Isa, MOST_LANES, RECORDS, Record, ShortRecord};
use rayon::ThreadPool;
use rayon::prelude::*;

use super::cells::{CellLists, CellOrder, Halves, STRETCH};
use super::clusters::ClusterLists;
#[cfg(feature = "cuda")]
use super::device_run::StepDevice;
use super::lanes::{Lists, Meeting, PairSums};
use super::rule::Rule;
use super::short_lanes::{Group, Groups, ShortMeeting};
use super::single::{Single, short};

/// Who visits the pairs of a step.
#[derive(Debug, Clone)]
pub enum ForceEngine {
    /// The double loop, which defines the integers.
    Naive,
    /// All pairs, in vector instructions and on threads: for a few thousand particles.
    AllPairs(Cpu),
    /// Lists of neighbours, made from cells whenever two particles may have moved by the skin together.
    Cells(Cpu),
    /// Lists, forces and steps in the memory of a device; see [`ForceEngine::cuda`].
    #[cfg(feature = "cuda")]
    Device(StepDevice),
}

#[cfg(feature = "cuda")]
impl ForceEngine {
    /// Lists, forces and steps on the first device of an engine.
    ///
    /// ```no_run
    /// use albireo_dynamics::{ForceEngine, LennardJones, Simulation, Start, Truncation};
    /// use albireo::engine::cuda::{Cuda, CudaOptions};
    /// use albireo::engine::Silent;
    /// let argon = LennardJones::new(Truncation::Cut(2.5))?;
    /// let start = Start::fcc(32_000, 0.8442)?.with_temperature(1.44, 1, &argon)?;
    /// let engine = ForceEngine::cuda(&Cuda::new(CudaOptions::default())?)?;
    /// let mut fluid = Simulation::new(&argon, &start, 0.005, 0.3, &engine)?;
    /// fluid.advance(1000, &Silent)?;
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// Devices that cannot be used.
    pub fn cuda(cuda: &albireo::engine::cuda::Cuda) -> Result<Self, albireo_gpu::CudaError> {
        cuda.shared_devices().map(Self::on_first)
    }

    /// On the first of any devices.
    #[doc(hidden)]
    pub fn on_first<N: albireo_gpu::Devices + Send + Sync + 'static>(devices: Arc<N>) -> Self {
        Self::Device(StepDevice::first_of(devices))
    }
}

/// What came of the pairs of a step.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Met {
    /// The largest (sigma/r)^2.
    pub(super) nearest: f64,
    pub(super) sums: PairSums,
}

impl Met {
    fn add(&mut self, other: Self) {
        self.nearest = self.nearest.max(other.nearest);
        self.sums.energy += other.sums.energy;
        self.sums.virial += other.sums.virial;
    }
}

/// The lists that a run has.
#[derive(Debug)]
enum Neighbours {
    /// None: the double loop.
    Naive,
    All(EveryPair),
    /// Each pair once.
    Cells(Vec<CellLists>),
    /// For single precision, which meets pairs from both sides.
    Clusters(Vec<ClusterLists>),
}

/// Every particle with all others.
#[derive(Debug)]
struct EveryPair {
    particles: usize,
    /// 0, 1, .., and as many times the number of particles as a register may need.
    numbers: Vec<u32>,
}

impl EveryPair {
    fn new(particles: usize) -> Self {
        let filling = std::iter::repeat_n(particles as u32, MOST_LANES);
        Self {
            particles,
            numbers: (0..particles as u32).chain(filling).collect(),
        }
    }

    /// Particles that a thread meets at a time.
    fn stretch(&self, number: usize) -> Range<usize> {
        number * FEW..self.particles.min((number + 1) * FEW)
    }
}

/// All later ones.
impl Lists for EveryPair {
    #[inline(always)]
    fn of(&self, particle: usize) -> (&[u32], usize) {
        let first = particle + 1;
        let count = self.particles - first;
        let end = first + count.next_multiple_of(RECORDS);
        (&self.numbers[first..end], count)
    }
}

/// A few particles and all there are.
struct Few<'a> {
    every: &'a EveryPair,
    number: usize,
}

impl Groups for Few<'_> {
    #[inline(always)]
    fn groups(&self) -> impl Iterator<Item = Group<'_>> {
        let particles = self.every.stretch(self.number);
        let n = self.every.particles;
        std::iter::once(Group {
            own: particles.start,
            particles,
            neighbours: &self.every.numbers[..n.next_multiple_of(MOST_LANES)],
            count: n,
        })
    }
}

/// Particles that a thread meets all others of at a time.
const FEW: usize = 8;

/// Particles that a thread sums the impulses of at a time.
const SUMMED: usize = 1 << 11;

/// The impulses of all pairs, and what is kept to make them.
#[derive(Debug)]
pub(super) struct Forces {
    threads: Option<(Arc<ThreadPool>, Isa)>,
    neighbours: Neighbours,
    /// The upper halves of positions, in single precision.
    shorts: Vec<ShortRecord>,
    /// On each particle, in half a step; one more for what lists are filled up with.
    pub(super) impulses: Vec<Record>,
    /// Impulses by thread, 0 between steps.
    buffers: Vec<Mutex<Vec<Record>>>,
}

impl Forces {
    pub(super) fn new(
        engine: &ForceEngine,
        particles: usize,
        rule: &Rule,
    ) -> Result<Self, EngineError> {
        let lists = || match rule.single {
            Some(_) => Neighbours::Clusters(vec![]),
            None => Neighbours::Cells(vec![]),
        };
        let (cpu, neighbours) = match engine {
            ForceEngine::Naive => (None, Neighbours::Naive),
            ForceEngine::AllPairs(cpu) => {
                let every = EveryPair::new(particles);
                (Some(cpu.clone()), Neighbours::All(every))
            }
            ForceEngine::Cells(cpu) => (Some(cpu.clone()), lists()),
            // What the device refuses.
            #[cfg(feature = "cuda")]
            ForceEngine::Device(_) => (Some(Cpu::new()), lists()),
        };
        let threads = match cpu {
            Some(cpu) => Some((cpu.pool()?, cpu.isa())),
            None => None,
        };
        let n = threads
            .as_ref()
            .map_or(1, |(pool, _)| pool.current_num_threads());
        let buffers = if n > 1 { n } else { 0 };
        let buffer = || Mutex::new(vec![[0; 4]; particles + 1]);
        Ok(Self {
            threads,
            neighbours,
            shorts: vec![],
            impulses: vec![[0; 4]; particles + 1],
            buffers: (0..buffers).map(|_| buffer()).collect(),
        })
    }

    /// Whether particles are to be sorted by cells.
    pub(super) fn by_cells(&self) -> bool {
        matches!(
            self.neighbours,
            Neighbours::Cells(_) | Neighbours::Clusters(_)
        )
    }

    /// Has the threads at hand do something.
    pub(super) fn on_threads<R: Send>(&self, work: impl FnOnce() -> R + Send) -> R {
        match &self.threads {
            Some((pool, _)) => pool.install(work),
            None => work(),
        }
    }

    /// Makes the lists of particles sorted by cells; `records` has one more, an empty one.
    pub(super) fn list(&mut self, rule: &Rule, order: &CellOrder, records: &[Record]) {
        let particles = records.len() - 1;
        let Some((pool, isa)) = &self.threads else {
            return;
        };
        let halves = pool.install(|| Halves::of(&records[..particles]));
        let (by, of) = ((*isa, rule), (records, &halves));
        match &mut self.neighbours {
            Neighbours::Cells(lists) => fill_each(pool, particles, lists, |lists, stretch| {
                lists.fill(by, order, of, stretch);
            }),
            Neighbours::Clusters(lists) => fill_each(pool, particles, lists, |lists, stretch| {
                lists.fill(by, order, of, stretch);
            }),
            Neighbours::Naive | Neighbours::All(_) => {}
        }
    }

    /// Makes the impulses on all particles; energies and virials too if they are asked for.
    pub(super) fn make(&mut self, rule: &Rule, records: &[Record], sums: bool) -> Met {
        let Some(threads) = self.threads.clone() else {
            self.impulses.fill([0; 4]);
            return double_loop(rule, records, &mut self.impulses);
        };
        let work = Work {
            rule,
            records,
            sums,
        };
        let Some(single) = &rule.single else {
            let to = (&mut self.impulses[..], &mut self.buffers[..]);
            return work.meet_all(threads, &self.neighbours, to);
        };
        let nearest = self.make_short(&threads, (single, rule.species), records);
        let mut met = Met::default();
        if sums {
            // Every pair once more in double precision: impulses of no use.
            let mut unused = vec![[0; 4]; records.len()];
            let to = (&mut unused[..], &mut self.buffers[..]);
            met = work.meet_all(threads, &self.neighbours, to);
        }
        Met { nearest, ..met }
    }

    /// Makes the impulses in single precision; the largest (sigma/r)^2.
    fn make_short(
        &mut self,
        (pool, isa): &(Arc<ThreadPool>, Isa),
        (single, species): (&Single, usize),
        records: &[Record],
    ) -> f64 {
        let particles = records.len() - 1;
        let (impulses, shorts) = (&mut self.impulses[..particles], &mut self.shorts);
        let neighbours = &self.neighbours;
        let nearest = pool.install(|| {
            records.par_iter().map(short).collect_into_vec(shorts);
            match neighbours {
                Neighbours::Clusters(lists) => {
                    let each = lists.par_iter().zip(impulses.par_chunks_mut(STRETCH));
                    let meet = |(groups, impulses): (&ClusterLists, &mut [Record])| {
                        isa.dispatch(ShortMeeting {
                            single,
                            species,
                            records: shorts,
                            groups,
                            impulses,
                        })
                    };
                    each.map(meet).reduce(|| 0.0, f32::max)
                }
                Neighbours::All(every) => {
                    let each = impulses.par_chunks_mut(FEW).enumerate();
                    let meet = |(number, impulses)| {
                        isa.dispatch(ShortMeeting {
                            single,
                            species,
                            records: shorts,
                            groups: &Few { every, number },
                            impulses,
                        })
                    };
                    each.map(meet).reduce(|| 0.0, f32::max)
                }
                Neighbours::Naive | Neighbours::Cells(_) => 0.0,
            }
        });
        f64::from(nearest)
    }
}

/// Has threads fill the lists of every stretch of so many particles.
fn fill_each<L: Default + Send>(
    pool: &ThreadPool,
    particles: usize,
    lists: &mut Vec<L>,
    fill: impl Fn(&mut L, Range<usize>) + Sync,
) {
    lists.resize_with(particles.div_ceil(STRETCH), L::default);
    let each = lists.par_iter_mut().enumerate();
    pool.install(|| {
        each.for_each(|(k, lists)| {
            fill(lists, k * STRETCH..particles.min((k + 1) * STRETCH));
        });
    });
}

/// The definition: every pair once, its term added with both signs.
fn double_loop(rule: &Rule, records: &[Record], impulses: &mut [Record]) -> Met {
    let particles = records.len() - 1;
    let mut met = Met::default();
    for i in 0..particles {
        for j in i + 1..particles {
            let (mut term, mut s) = rule.term(&records[i], &records[j]);
            if let Some(single) = &rule.single {
                let (a, b) = (short(&records[i]), short(&records[j]));
                let (impulse, nearness) = single.impulse(rule.species, &a, &b);
                (term.impulse, s) = (impulse.map(i64::from), f64::from(nearness));
            }
            met.nearest = met.nearest.max(s);
            met.sums.energy += i128::from(term.energy);
            met.sums.virial += i128::from(term.virial);
            for (k, impulse) in term.impulse.into_iter().enumerate() {
                impulses[i][k] += impulse;
                impulses[j][k] -= impulse;
            }
        }
    }
    met
}

/// What threads make impulses of.
#[derive(Clone, Copy)]
struct Work<'a> {
    rule: &'a Rule,
    records: &'a [Record],
    sums: bool,
}

impl Work<'_> {
    /// Meets all particles.
    fn meet_all(
        self,
        threads: (Arc<ThreadPool>, Isa),
        neighbours: &Neighbours,
        to: (&mut [Record], &mut [Mutex<Vec<Record>>]),
    ) -> Met {
        match neighbours {
            Neighbours::All(every) => {
                let stretches = every.particles.div_ceil(FEW);
                self.share(threads, to, stretches, |k| (every, every.stretch(k)))
            }
            Neighbours::Cells(lists) => self.share(threads, to, lists.len(), |k| {
                (&lists[k], lists[k].particles())
            }),
            Neighbours::Clusters(lists) => {
                let empty = self.records.len() as u32 - 1;
                let lists: Vec<_> = lists.iter().map(|lists| lists.each(empty)).collect();
                self.share(threads, to, lists.len(), |k| {
                    (&lists[k], lists[k].particles())
                })
            }
            Neighbours::Naive => Met::default(),
        }
    }

    /// Meets the particles of a stretch.
    fn meet<L: Lists>(
        self,
        isa: Isa,
        (lists, particles): (&L, Range<usize>),
        impulses: &mut [Record],
    ) -> Met {
        let mut sums = PairSums::default();
        let nearest = isa.dispatch(Meeting {
            rule: self.rule,
            particles,
            records: self.records,
            lists,
            impulses,
            sums: self.sums.then_some(&mut sums),
        });
        Met { nearest, sums }
    }

    /// Has threads take stretches, each thread adding to impulses of its own, and sums these.
    fn share<'l, L: Lists + Sync + 'l>(
        self,
        (pool, isa): (Arc<ThreadPool>, Isa),
        (impulses, buffers): (&mut [Record], &mut [Mutex<Vec<Record>>]),
        stretches: usize,
        stretch: impl Fn(usize) -> (&'l L, Range<usize>) + Sync,
    ) -> Met {
        let mut met = Met::default();
        if buffers.is_empty() {
            impulses.fill([0; 4]);
            for k in 0..stretches {
                met.add(self.meet(isa, stretch(k), impulses));
            }
            return met;
        }
        let next = AtomicUsize::new(0);
        let each = pool.broadcast(|thread| {
            let buffer = &buffers[thread.index()];
            let mut own = buffer.lock().unwrap_or_else(PoisonError::into_inner);
            let mut met = Met::default();
            loop {
                let k = next.fetch_add(1, Ordering::Relaxed);
                if k >= stretches {
                    return met;
                }
                met.add(self.meet(isa, stretch(k), &mut own));
            }
        });
        for of_thread in each {
            met.add(of_thread);
        }
        let mut of_threads: Vec<_> = buffers
            .iter_mut()
            .map(|buffer| {
                let buffer = buffer.get_mut().unwrap_or_else(PoisonError::into_inner);
                buffer.chunks_mut(SUMMED)
            })
            .collect();
        let parts = impulses.chunks_mut(SUMMED).map(|sums| {
            let parts = of_threads.iter_mut().filter_map(Iterator::next);
            (sums, parts.collect::<Vec<_>>())
        });
        let parts: Vec<_> = parts.collect();
        pool.install(|| {
            parts.into_par_iter().for_each(|(sums, parts)| {
                sums.fill([0; 4]);
                for part in parts {
                    add_up(sums, part);
                }
            });
        });
        met
    }
}

/// Adds the impulses of a thread, and leaves none.
fn add_up(sums: &mut [Record], part: &mut [Record]) {
    for (sum, part) in sums.iter_mut().zip(part) {
        for (sum, part) in sum.iter_mut().zip(part) {
            *sum = sum.wrapping_add(*part);
            *part = 0;
        }
    }
}
