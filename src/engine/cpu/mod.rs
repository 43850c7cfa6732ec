//! The CPU engine: sorted blocks, float32 filters in vector lanes, float64 decisions where a filter has doubts.
//!
//! Entry: [`Cpu`]. Threads take groups of blocks from a common counter and keep integers of their own, which are merged at the end,
//! so that neither the number of threads nor the instruction set can change a count.

mod classed;
mod columns;
mod doubt;
mod evaluated;
mod exactly;
mod filtered;
#[allow(clippy::inline_always, reason = "they run inside vector kernels")]
mod lanes;
mod lists;
mod measures;
mod nearest;
mod once;
mod quads;
mod reach;
mod realised;
mod realised_rows;
mod scattered;
mod separated;
mod separations;
mod sorted;
mod threads;
mod tile;
mod units;
mod valued;
mod weighed;
mod whole;
mod worker;

use std::ops::Range;
use std::sync::Arc;

use albireo_simd::{Isa, Kernel, Portable};
use rayon::ThreadPool;

use super::groups::{Groups, region_of};
use super::held::without_held;
use super::mirrored::in_one_order;
use super::owners::{Owners, Owning};
use super::{Engine, PairJob, PreparedJob, Progress, Report, Sorted, Units};
use crate::binning::filter::{Rounding, Slots};
use crate::binning::{Form, Formed, PairOrder};
use crate::domain::{Domain, Faces, Image};
use crate::error::EngineError;
use crate::particles::Particles;
use crate::pool;
use crate::progress::Lasting;
use crate::tally::{CountSpec, Tally, Terms};
use crate::traversal::{Layout, Positions, Region, Walk};
use columns::of_both_sides;
use evaluated::Evaluated;
use filtered::{Fast, Made, filtered, products};
use lanes::{Asked, Lanes, PairWeights};
use realised::SlotRealisations;
use separations::SlotSeparations;
use sorted::CpuSorted;
use sorted::scale_for;
use threads::{THREADS_PER_CORE, cores};
use valued::SlotValues;
use whole::Small;
use worker::Doubt;

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
    pub(super) isa: Isa,
    /// Threads of its own, in place of those that are kept for the process.
    own: Option<Arc<ThreadPool>>,
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
            own: None,
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

    /// A sample in the order that this engine counts in.
    fn sorted(
        &self,
        sample: &Particles,
        progress: &dyn Progress,
    ) -> Result<CpuSorted, EngineError> {
        let progress = &Lasting::new(progress);
        let stop = || progress.stop_requested();
        pool::install(&*self.pool()?, || CpuSorted::new(sample, &stop))
    }

    /// The instruction set in use.
    pub fn isa(&self) -> Isa {
        self.isa
    }

    /// The number of threads in use.
    pub fn threads(&self) -> usize {
        self.pool().map_or(1, |pool| pool.current_num_threads())
    }
}

impl Engine for Cpu {
    fn sort(
        &self,
        sample: &Particles,
        _: &Domain,
        progress: &dyn Progress,
    ) -> Result<Sorted, EngineError> {
        self.sorted(sample, progress).map(Sorted::new)
    }

    fn tally(
        &self,
        job: &PreparedJob<'_>,
        what: &CountSpec,
        progress: &dyn Progress,
    ) -> Result<(Tally, Report), EngineError> {
        let count = |once: &CountSpec| self.tally_part(job, once, None, progress);
        in_one_order(job.job(), what, self.exactness(), count)
    }

    fn units(
        &self,
        job: &PreparedJob<'_>,
        what: &CountSpec,
        progress: &dyn Progress,
    ) -> Result<Units, EngineError> {
        what.admit(job.job())?;
        let progress = &Lasting::new(progress);
        pool::install(&*self.pool()?, || {
            let run = Run::new(self.isa, job, what, None, progress)?;
            let samples = (&run.first, run.second.as_ref());
            let domain = job.job().domain();
            Ok(Units::of_groups(Groups::new(
                samples, run.once, domain, run.region,
            )))
        })
    }

    fn tally_units(
        &self,
        job: &PreparedJob<'_>,
        what: &CountSpec,
        units: (&Units, Range<usize>),
        progress: &dyn Progress,
    ) -> Result<(Tally, Report), EngineError> {
        self.tally_part(job, what, Some(units), progress)
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
    sorted: (&'a CpuSorted, Option<&'a CpuSorted>),
    first: Arc<Layout>,
    second: Option<Arc<Layout>>,
    rounding: Rounding,
    region: Region,
    once: bool,
    /// The units to walk through; all of them where there is none.
    span: Option<Range<usize>>,
    /// Who takes which pairs, where cuts must know.
    owners: Option<Owners>,
    /// Whether bins reach beyond half of the box, where a pair has several images in reach.
    beyond_half: bool,
    /// What tells nearest images there, where boxes are skewed.
    faces: Option<Faces<'a>>,
}

impl<'a> Run<'a> {
    /// Runs a kernel that counts with the instruction set of this run.
    ///
    /// The library's unit tests, which test no engine, have portable lanes alone: others, and filters, take minutes to compile, and `tests/` runs them.
    fn dispatch<K: Kernel>(&self, kernel: K) -> K::Output {
        if cfg!(test) {
            kernel.run(Portable)
        } else {
            self.isa.dispatch(kernel)
        }
    }

    fn new(
        isa: Isa,
        job: &PreparedJob<'a>,
        what: &CountSpec,
        part: Option<(&Groups, Range<usize>)>,
        progress: &Lasting<'_>,
    ) -> Result<Self, EngineError> {
        let sorted = job.sorted("cpu")?;
        Self::of_sorted(isa, (*job.job(), sorted), what, part, progress)
    }

    /// Of samples that are sorted, by their labels or not.
    fn of_sorted(
        isa: Isa,
        (job, sorted): (PairJob<'a>, (&'a CpuSorted, Option<&'a CpuSorted>)),
        what: &CountSpec,
        part: Option<(&Groups, Range<usize>)>,
        progress: &Lasting<'_>,
    ) -> Result<Self, EngineError> {
        let binning = what.bins();
        let radius = binning.reach().radius();
        let scale = scale_for(radius);
        let stop = || progress.stop_requested();
        let layout = |sorted: &CpuSorted| sorted.layout(scale, &stop);
        let (first, second) = rayon::join(|| layout(sorted.0), || sorted.1.map(layout).transpose());
        let (first, second) = (first?, second?);
        let beyond_half = what.reaches_beyond(job.domain());
        let other = second.as_deref().unwrap_or(&first);
        let (region, exact) = region_of(&job, binning, [&first, other]);
        let half = second
            .as_ref()
            .map_or(0.0, |s| s.largest_half)
            .max(first.largest_half);
        let owners = |(groups, run): &(&Groups, Range<usize>)| groups.owners(run.clone());
        Ok(Self {
            isa,
            job,
            sorted,
            first,
            second,
            rounding: Rounding {
                scale,
                half: half * scale,
                exact: exact * scale,
            },
            region,
            owners: part
                .as_ref()
                .filter(|_| !what.cuts().is_empty())
                .map(owners),
            span: part.map(|(_, run)| run),
            once: what.order() == PairOrder::Unordered,
            beyond_half,
            faces: if beyond_half {
                Faces::of(job.domain())
            } else {
                None
            },
        })
    }

    fn second(&self) -> &Layout {
        self.second.as_deref().unwrap_or(&self.first)
    }

    fn positions(&self) -> [Positions<'_>; 2] {
        [self.first.positions(), self.second().positions()]
    }

    fn walk(&self) -> Walk<'_> {
        let second = self.second.as_deref();
        let walk = Walk::new(
            &self.first,
            second,
            self.once,
            self.job.domain(),
            self.region,
        );
        match &self.span {
            None => walk,
            Some(span) => walk.within(span.clone()),
        }
    }

    /// Counts everything, and takes off what the cuts hold.
    fn without_cuts(&self, what: &CountSpec, progress: &Lasting<'_>) -> Result<Tally, EngineError> {
        let count = |all: &CountSpec| {
            let terms = Terms::new(all, self.job.pairs())?;
            self.run(all, &terms, progress)
        };
        let owners = self.owners.as_ref().map(|owners| owners as &dyn Owning);
        match without_held(&self.job, what, owners, progress, count)? {
            Some(tally) => Ok(tally),
            None => self.run_exactly(&Terms::new(what, self.job.pairs())?, progress),
        }
    }

    /// Counts everything: through a filter, in lanes, or in both.
    fn run(
        &self,
        what: &CountSpec,
        terms: &Terms<'_>,
        progress: &Lasting<'_>,
    ) -> Result<Tally, EngineError> {
        if let Some(tally) = self.in_slots(what, terms, progress)? {
            return Ok(tally);
        }
        let sets = self.factors_of_sets(what, terms);
        let sets = of_both_sides(&sets);
        let [first, second] = self.positions();
        let domain = self.job.domain();
        let separation = |[i, j]: [usize; 2]| domain.separation(first.at(i), second.at(j));
        let rows = |[i, j]: [usize; 2]| {
            let rows = [self.first.row(i), self.second().row(j)];
            rows.map(|row| row as usize)
        };
        let rule = |tally: &mut Tally, pair: [usize; 2], image: Image| {
            if let Some(sep) = self.separation_under(pair, image) {
                terms.add(tally, rows(pair), &sep);
            }
        };
        let of_sum = |at: usize, pair: [usize; 2]| terms.of_sum(at, rows(pair), &separation(pair));
        let formed = Formed::of(what.bins());
        let second = self.second.as_deref();
        let factor = terms.pair_factor().filter(|_| !sets.is_empty());
        let pair_weights = factor.map(|factor| PairWeights::new(factor, &self.first, second));
        let evaluated = Evaluated::of(what);
        let columns = self.columns(&evaluated);
        let columns = columns.columns();
        let lanes = || {
            if terms.realised().is_some() {
                return None;
            }
            Lanes::new(Asked {
                run: self,
                form: formed.map(|formed| formed.form),
                n_bins: what.bins().n_bins(),
                radius: what.bins().reach().radius(),
                sums: what.sums(),
                pair_weights: pair_weights.as_ref(),
                columns: &columns,
                root: formed.is_some_and(|formed| !formed.on_sphere),
                tables: *terms.tables(),
                sets: &sets,
                coordinate: terms.coordinate_scale(),
                empty: terms.empty(),
                rule: &rule,
                of_sum: &of_sum,
            })
        };
        let separations = formed.and_then(|formed| {
            let sums = (what.sums(), sets.len() == 1 && pair_weights.is_none());
            SlotSeparations::wanted(self, &formed, sums, terms.coordinate_scale())
        });
        let values = (formed.as_ref())
            .filter(|_| sets.len() < 2 && pair_weights.is_none() && !evaluated.is_empty())
            .and_then(|formed| SlotValues::wanted(self, formed, what.sums(), &columns));
        let realised = (terms.realised())
            .filter(|_| pair_weights.is_none())
            .and_then(|of| SlotRealisations::wanted(self, of, what.sums()));
        // Lanes weigh pairs by one set and more.
        let words = products(what.sums(), &sets)
            .filter(|_| sets.len() < 2 || pair_weights.is_none())
            .or_else(|| separations.as_ref().map(|_| vec![]))
            .or_else(|| values.as_ref().map(|_| vec![]))
            .filter(|_| terms.realised().is_none() || realised.is_some());
        // Filters take a pair in reach under the image at hand for the nearest.
        if let Some(Formed { form, .. }) = formed
            && let Some(words) = &words
            && !self.beyond_half
            && let made = (Made {
                factors: sets.first().copied().unwrap_or_default(),
                words,
                weights: pair_weights.as_ref(),
                separations: separations.as_ref(),
                values: values.as_ref(),
                realised: realised.as_ref(),
                classes: None,
            })
            && let Some(tally) = self.run_filtered(&form, what, terms, (made, &lanes), progress)
        {
            return tally;
        }
        match lanes() {
            Some(lanes) => lanes.run(progress),
            None => self.run_exactly(terms, progress),
        }
    }

    /// Counts through a float32 filter: numbers of pairs, and their weights where there are factors. None where there is no filter for
    /// the bins.
    fn run_filtered<'l>(
        &self,
        form: &Form<'_>,
        what: &CountSpec,
        terms: &Terms<'_>,
        (made, lanes): (Made<'_>, &(dyn Fn() -> Option<Lanes<'l>> + Sync)),
        progress: &Lasting<'_>,
    ) -> Option<Result<Tally, EngineError>> {
        // As on machines without vectors, which count in lanes.
        if cfg!(test) {
            return None;
        }
        let slots = Slots::of(form);
        let (nowhere, domain) = (slots.n_slots(), self.job.domain());
        let [first, second] = self.positions();
        let exact = |doubts: &mut [Doubt]| {
            for doubt in doubts {
                let [i, j] = doubt.pair.map(|slot| slot as usize);
                let (sep, nearest) = domain.separation_and_image(first.at(i), second.at(j));
                let guess = slots.nearest_bin(nowhere.min(doubt.from as usize));
                let bin = what.bins().bin_near(&sep, guess);
                let bin = bin.filter(|_| nearest == doubt.image);
                doubt.to = bin.map_or(nowhere, |bin| slots.of_bin(bin)) as u32;
            }
        };
        let fast = Fast {
            run: self,
            vectors: self.isa.vectors()?,
            made,
            los: what.bins().line_of_sight(),
            exact: &exact,
            n_slots: slots.n_slots(),
            small: Small::beside(form, self.rounding.scale),
            tables: *terms.tables(),
            lanes,
            progress,
        };
        let counted = match filtered(form, &self.rounding, fast)? {
            Ok(counted) => counted,
            Err(error) => return Some(Err(error)),
        };
        Some(Ok(counted.added_to(terms.empty(), &slots)))
    }
}
