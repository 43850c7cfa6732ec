//! The CPU engine: sorted blocks, float32 filters in vector lanes, float64 decisions where a filter has doubts.
//!
//! Entry: [`Cpu`]. Threads take groups of blocks from a common counter and keep integers of their own, which are merged at the end,
//! so that neither the number of threads nor the instruction set can change a count.

mod doubt;
mod filtered;
mod lists;
mod measures;
mod reach;
mod tile;

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use rayon::ThreadPool;

use super::progress::Lasting;
use super::{Engine, PairJob, Pairs, Progress, Traversal};
use crate::binning::filter::{Rounding, Slots};
use crate::binning::{Binning, Formed, PairOrder, bin_near};
use crate::error::EngineError;
use crate::ops::{BinSums, Merge, PairOp, Payload};
use crate::particles::Particles;
use crate::pool;
use crate::simd::Isa;
use crate::traversal::{BlockPair, Layout, Region, Walk};
use doubt::Doubt;
use filtered::{Fast, filtered};

/// Runs jobs on the processor's vector units, on all or some of its threads.
///
/// Threads are started when they are first needed, and those of a process are kept for its next count: also the child of a fork counts,
/// on threads of its own.
///
/// ```
/// use albireo::engine::{Cpu, Isa};
/// let all = Cpu::new();
/// let one = Cpu::new().with_threads(1)?.with_isa(Isa::Portable)?;
/// # Ok::<(), albireo::Error>(())
/// ```
#[derive(Debug, Clone)]
pub struct Cpu {
    /// 0 for as many as there are cores.
    threads: usize,
    isa: Isa,
}

impl Default for Cpu {
    fn default() -> Self {
        Self::new()
    }
}

impl Cpu {
    /// As many threads as there are cores and the best instruction set of this machine.
    pub fn new() -> Self {
        Self {
            threads: 0,
            isa: Isa::best(),
        }
    }

    /// The same engine on `threads` threads; 0 for as many as there are cores.
    ///
    /// # Errors
    /// More threads than [`Cpu::most_threads`], or threads that cannot be started.
    pub fn with_threads(self, threads: usize) -> Result<Self, EngineError> {
        let most = Self::most_threads();
        if threads > most {
            let cores = cores();
            return Err(EngineError::TooManyThreads {
                threads,
                most,
                cores,
            });
        }
        let engine = Self { threads, ..self };
        engine.pool()?;
        Ok(engine)
    }

    /// The most threads that an engine may have here: a few for each core this process may use. More would only wait for one another,
    /// and thousands can bring a machine to a stop.
    pub fn most_threads() -> usize {
        THREADS_PER_CORE * cores()
    }

    /// The same engine with a chosen instruction set.
    ///
    /// # Errors
    /// An instruction set that this machine lacks.
    pub fn with_isa(self, isa: Isa) -> Result<Self, EngineError> {
        if !isa.is_available() {
            let names: Vec<_> = Isa::available().into_iter().map(Isa::name).collect();
            return Err(EngineError::Isa {
                wanted: isa.name(),
                available: names.join(", "),
            });
        }
        Ok(Self { isa, ..self })
    }

    /// The instruction set in use.
    pub fn isa(&self) -> Isa {
        self.isa
    }

    /// The number of threads in use.
    pub fn threads(&self) -> usize {
        self.pool().map_or(1, |pool| pool.current_num_threads())
    }

    fn pool(&self) -> Result<Arc<ThreadPool>, EngineError> {
        pool::of(self.threads).map_err(|error| EngineError::Threads {
            threads: self.threads,
            reason: error.to_string(),
        })
    }
}

/// The most threads for each core.
const THREADS_PER_CORE: usize = 4;

/// The cores that this process may use.
fn cores() -> usize {
    std::thread::available_parallelism().map_or(1, std::num::NonZeroUsize::get)
}

impl Engine for Cpu {
    fn run<O: PairOp>(
        &self,
        job: &PairJob<'_>,
        op: &O,
        progress: &dyn Progress,
    ) -> Result<O::Output, EngineError> {
        op.admit(job)?;
        progress.begin(job.n_pairs());
        let pool = self.pool()?;
        let progress = &Lasting::new(progress);
        pool.install(|| Run::new(self.isa, job, op.binning(), progress)?.run(op, progress))
    }

    fn description(&self) -> String {
        let (isa, threads) = (self.isa.name(), self.threads());
        let plural = if threads == 1 { "" } else { "s" };
        format!("cpu ({isa}, {threads} thread{plural})")
    }
}

/// A job sorted and measured.
struct Run<'a> {
    isa: Isa,
    job: PairJob<'a>,
    first: Layout,
    second: Option<Layout>,
    rounding: Rounding,
    region: Region,
    once: bool,
}

impl<'a> Run<'a> {
    fn new<B: Binning>(
        isa: Isa,
        job: &PairJob<'a>,
        binning: &B,
        progress: &Lasting<'_>,
    ) -> Result<Self, EngineError> {
        let radius = binning.reach().radius();
        let scale = libm::scalbn(1.0, -crate::fixed_point::exponent(radius));
        let scale = if scale.is_finite() && scale > 0.0 {
            scale
        } else {
            1.0
        };
        let (sample, other) = job.pairs().samples();
        let stop = || progress.stop_requested();
        let layout = |sample: &Particles| {
            let layout = Layout::new_until(sample.points(), scale, &stop);
            layout.ok_or(EngineError::Interrupted)
        };
        let (first, second) = rayon::join(|| layout(sample), || other.map(layout).transpose());
        let (first, second) = (first?, second?);
        let exact = float64_roundings(job, &first, second.as_ref());
        let half = second
            .as_ref()
            .map_or(0.0, |s| s.largest_half)
            .max(first.largest_half);
        let region = Region::new(binning.reach(), 8.0 * exact);
        Ok(Self {
            isa,
            job: *job,
            first,
            second,
            rounding: Rounding {
                scale,
                half: half * scale,
                exact: exact * scale,
            },
            region: match job.traversal() {
                Traversal::AllPairs => region.everything(),
                Traversal::Auto | Traversal::Cells => region,
            },
            once: binning.order() == PairOrder::Unordered,
        })
    }

    fn second(&self) -> &Layout {
        self.second.as_ref().unwrap_or(&self.first)
    }

    fn walk(&self) -> Walk<'_> {
        Walk::new(
            &self.first,
            self.second.as_ref(),
            self.once,
            self.job.domain(),
            self.region,
        )
    }

    fn run<O: PairOp>(&self, op: &O, progress: &Lasting<'_>) -> Result<O::Output, EngineError> {
        let factors = match op.payload() {
            Payload::Separation => return self.run_exactly(op, progress),
            Payload::Count => None,
            Payload::Products(first, second) => Some((
                self.first.in_slot_order(first),
                match self.job.pairs() {
                    Pairs::Auto(_) => None,
                    Pairs::Cross(..) => Some(self.second().in_slot_order(second)),
                },
            )),
        };
        let Some(Formed { form, .. }) = Formed::of(op.binning()) else {
            return self.run_exactly(op, progress);
        };
        let slots = Slots::of(&form);
        let (nowhere, domain) = (slots.n_slots(), self.job.domain());
        let exact = |doubts: &mut [Doubt]| {
            for doubt in doubts {
                let [i, j] = doubt.pair.map(|slot| slot as usize);
                let (x1, x2) = (self.first.position(i), self.second().position(j));
                let (sep, nearest) = domain.separation_and_image(x1, x2);
                let guess = slots.nearest_bin(nowhere.min(doubt.from as usize));
                let bin = bin_near(op.binning(), &sep, guess);
                let bin = bin.filter(|_| nearest == doubt.image);
                doubt.to = bin.map_or(nowhere, |bin| slots.of_bin(bin)) as u32;
            }
        };
        let (first, second) = match &factors {
            None => (&[][..], &[][..]),
            Some((first, second)) => (&first[..], &second.as_ref().unwrap_or(first)[..]),
        };
        let fast = Fast {
            run: self,
            factors: [first, second],
            products: factors.is_some(),
            los: op.binning().line_of_sight(),
            exact: &exact,
            n_slots: slots.n_slots(),
            progress,
        };
        let Some(totals) = filtered(&form, &self.rounding, fast) else {
            return self.run_exactly(op, progress);
        };
        let totals = totals?;
        let mut output = op.empty();
        let npairs: Vec<u64> = slots.bins().map(|slot| totals.pairs[slot]).collect();
        let products: Vec<i128> = match factors {
            Some(_) => slots.bins().map(|slot| totals.products[slot]).collect(),
            None => vec![],
        };
        op.add_sums(
            &mut output,
            BinSums {
                npairs: &npairs,
                products: &products,
            },
        );
        Ok(output)
    }

    /// Takes every pair in reach through the exact rule: for operations that need the separation, and bins too fine for a filter.
    fn run_exactly<O: PairOp>(
        &self,
        op: &O,
        progress: &Lasting<'_>,
    ) -> Result<O::Output, EngineError> {
        let walk = self.walk();
        let outputs = share_units(&walk, progress, |units, stop| {
            let mut output = op.empty();
            for unit in units {
                walk.visit(unit, |blocks| {
                    if !stop() {
                        self.add_blocks(op, &mut output, blocks);
                    }
                });
            }
            output
        })?;
        let mut total = op.empty();
        for output in outputs {
            total.merge(output);
        }
        Ok(total)
    }

    fn add_blocks<O: PairOp>(&self, op: &O, output: &mut O::Output, blocks: BlockPair) {
        let (first, second) = (&self.first, self.second());
        blocks.for_each_pair(first, second, |i, j| {
            let (x1, x2) = (first.position(i), second.position(j));
            let (sep, image) = self.job.domain().separation_and_image(x1, x2);
            if image == blocks.translation.image
                && let Some(bin) = op.binning().bin(&sep)
            {
                let pair = [first.row(i) as usize, second.row(j) as usize];
                op.add(output, bin, pair, &sep);
            }
        });
    }
}

/// Bound on what float64 rounds away in one component of a difference, by the contract or by the filter, in length units.
///
/// Each takes at most three operations on numbers no larger than the distance between two points plus one translation.
fn float64_roundings(job: &PairJob<'_>, first: &Layout, second: Option<&Layout>) -> f64 {
    let second = second.unwrap_or(first);
    let span = (0..3)
        .map(|k| {
            let centres = (first.bounds.centre[k] - second.bounds.centre[k]).abs();
            centres + first.bounds.half[k] + second.bounds.half[k]
        })
        .fold(0.0, f64::max);
    let translation = match job.domain() {
        crate::Domain::Open => 0.0,
        crate::Domain::Periodic(cell) => cell.lengths().into_iter().flatten().fold(0.0, f64::max),
        crate::Domain::Triclinic(lattice) => {
            let largest = lattice
                .basis()
                .as_flattened()
                .iter()
                .fold(0.0f64, |m, v| m.max(v.abs()));
            6.0 * largest
        }
    };
    8.0 * f64::EPSILON * (span + translation)
}

/// Lets every thread take units from a common counter until none is left or a stop is asked for.
///
/// A unit can take seconds: `work` asks its second argument from time to time, and once that says true may leave out what is left.
fn share_units<T: Send>(
    walk: &Walk<'_>,
    progress: &Lasting<'_>,
    work: impl Fn(&mut dyn Iterator<Item = usize>, &dyn Fn() -> bool) -> T + Sync,
) -> Result<Vec<T>, EngineError> {
    let next = AtomicUsize::new(0);
    let stop = || progress.stop_requested();
    let outputs = rayon::broadcast(|_| {
        let mut done = None;
        let mut units = std::iter::from_fn(|| {
            if let Some(unit) = done.take() {
                progress.advance(walk.n_pairs(unit));
            }
            if stop() {
                return None;
            }
            let unit = next.fetch_add(1, Ordering::Relaxed);
            done = (unit < walk.n_units()).then_some(unit);
            done
        });
        work(&mut units, &stop)
    });
    if stop() {
        return Err(EngineError::Interrupted);
    }
    Ok(outputs)
}
