//! A run through a filter: the kernel that its type asks for, on every thread.
//!
//! Entry: [`filtered`]. Blocks are pure in label, so that the class of their pairs is the same for two blocks and costs nothing a pair, unless
//! classes are in the slots ([`super::classed`]).

use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use albireo_simd::{
    BitSliced, Histogram, Kernel, ProductWord, Scatter, ScatterSets, SetFactors, Simd, SlotClasses,
    Totals, Vectors,
};

use super::Run;
use super::lanes::{self, Lanes, PairWeights};
use super::quads::{Dear, Deferred};
use super::reach::Reach;
use super::realised::{InRealisations, SlotRealisations};
use super::realised_rows::InRows;
use super::scattered::Scattered;
use super::separated::{MOST_SLOTS, Separated};
use super::separations::SlotSeparations;
use super::units::share_units;
use super::valued::{SlotValues, Valued};
use super::weighed::Weighed;
use super::whole::{Small, WholeRows};
use super::worker::{ExactRule, Job, LineWeights, Side, Worker};
use crate::binning::filter::{Filter, Rounding, Slots, WithFilter, with_filter};
use crate::binning::{Form, LineOfSight};
use crate::error::EngineError;
use crate::progress::Lasting;
use crate::tally::{Merge, Sum, Tables, Tally, WeightedSum};
use crate::traversal::{BLOCK, BlockPair};

/// Runs `fast` with the filter of its bins; none where the bins are too fine for a filter, or too many.
///
/// Not generic, so that the kernels are compiled once, in this crate.
pub(super) fn filtered(
    form: &Form<'_>,
    rounding: &Rounding,
    fast: Fast<'_, '_>,
) -> Option<Result<Filtered, EngineError>> {
    let (sets, n_slots) = (fast.n_sums(), fast.n_slots);
    let many = match fast.made.realised {
        Some(of) => !of.has_room(n_slots),
        None => sets > 1 && !ScatterSets::holds(n_slots, sets),
    };
    if many || fast.n_slots > Scatter::<true>::MOST_SLOTS {
        return None;
    }
    with_filter(form, rounding, fast).ok()
}

/// What sums are of the products of `sets` of weights, first words first and in the order of the sets: what filters put into bins. None
/// for other sums.
pub(super) fn products<'a>(sums: &[Sum], sets: &SetFactors<'a>) -> Option<Vec<ProductWord<'a>>> {
    let word = |(at, sum): (usize, &Sum)| {
        let (set, of) = sum.weighted()?;
        let in_order = of == WeightedSum::Product && (set == at || sum.is_rest());
        in_order.then_some(ProductWord {
            factors: *sets.get(set)?,
            is_rest: sum.is_rest(),
        })
    };
    sums.iter().enumerate().map(word).collect()
}

/// What the sums of a filtered run are made of.
#[derive(Clone, Copy, Default)]
pub(super) struct Made<'a> {
    /// The scaled weights of the first set, if any is summed.
    pub(super) factors: [&'a [f64]; 2],
    /// What is summed of the products of weights, if nothing else is.
    pub(super) words: &'a [ProductWord<'a>],
    /// What weights are made of where they are more than products.
    pub(super) weights: Option<&'a PairWeights<'a>>,
    /// Where the separations of pairs are summed.
    pub(super) separations: Option<&'a SlotSeparations<'a>>,
    /// Where expressions are summed.
    pub(super) values: Option<&'a SlotValues<'a>>,
    /// Where realisations are counted apart.
    pub(super) realised: Option<&'a SlotRealisations>,
    /// Where classes are in the slots.
    pub(super) classes: Option<&'a Arc<SlotClasses>>,
}

/// What a filtered run has counted.
pub(super) struct Filtered {
    /// The slots of each class.
    pub(super) totals: Vec<Totals>,
    /// Realisations whose numbers of pairs are the first sums, those of any other sum behind them.
    realisations: Option<usize>,
    /// What was counted in float64 lanes, where doubts were many.
    pub(super) tallies: Vec<Tally>,
}

impl Filtered {
    /// The pairs and sums in bins, added to `tally`.
    pub(super) fn added_to(self, mut tally: Tally, slots: &Slots) -> Tally {
        for (table, totals) in self.totals.into_iter().enumerate() {
            let pairs: Vec<u64> = slots.bins().map(|slot| totals.pairs[slot]).collect();
            let of_sum = |sums: &[i128]| slots.bins().map(|slot| sums[slot]).collect();
            let sums: Vec<Vec<i128>> = (totals.products)
                .chunks_exact(slots.n_slots().max(1))
                .map(of_sum)
                .collect();
            let sums: Vec<&[i128]> = sums.iter().map(Vec::as_slice).collect();
            let Some(number) = self.realisations else {
                tally.add_table(table, &pairs, &sums);
                continue;
            };
            let (numbers, sums) = sums.split_at(number);
            for (k, numbers) in numbers.iter().enumerate() {
                let pairs: Vec<u64> = numbers.iter().map(|&n| n as u64).collect();
                let own = sums.iter().skip(k).step_by(number).copied();
                tally.add_table(table * number + k, &pairs, &own.collect::<Vec<_>>());
            }
        }
        for part in self.tallies {
            tally.merge(part);
        }
        tally
    }
}

/// The filtered run, waiting for the type of its filter.
pub(super) struct Fast<'a, 'l> {
    pub(super) run: &'a Run<'a>,
    pub(super) vectors: Vectors,
    pub(super) made: Made<'a>,
    pub(super) los: Option<LineOfSight>,
    pub(super) exact: &'a ExactRule<'a>,
    pub(super) n_slots: usize,
    /// Leaves whose rows may lie in one bin as a whole.
    pub(super) small: Small,
    pub(super) tables: Tables,
    /// Makes the lanes that count where the filter has too many doubts.
    pub(super) lanes: &'a (dyn Fn() -> Option<Lanes<'l>> + Sync),
    pub(super) progress: &'a Lasting<'a>,
}

impl WithFilter for Fast<'_, '_> {
    type Output = Result<Filtered, EngineError>;

    fn with_few<F: Filter>(self, filter: F) -> Self::Output {
        let (job, n_slots) = (self.job(filter), self.n_slots);
        if F::OF_SEPARATIONS
            && let Some(of) = self.made.separations.filter(|of| of.are_alone())
        {
            return self.count(&job, || Separated::<64>::new(of, n_slots));
        }
        match (self.is_dear(), self.made.words.len()) {
            (true, _) => self.count(&job, || self.deferred()),
            (false, 0) if self.made.classes.is_none() => self.count(&job, BitSliced::default),
            (false, 0) => self.count(&job, || self.scatter::<false>()),
            (false, _) => self.count(&job, || self.scatter::<true>()),
        }
    }

    fn with_many<F: Filter>(self, filter: F) -> Self::Output {
        let (job, n_slots) = (self.job(filter), self.n_slots);
        if F::OF_SEPARATIONS
            && n_slots <= MOST_SLOTS
            && let Some(of) = self.made.separations.filter(|of| of.are_alone())
        {
            return self.count(&job, || Separated::<256>::new(of, n_slots));
        }
        match (self.is_dear(), self.made.words.len()) {
            (true, _) => self.count(&job, || self.deferred()),
            (false, 0) => self.count(&job, || self.scatter::<false>()),
            (false, _) => self.count(&job, || self.scatter::<true>()),
        }
    }
}

impl<'l> Fast<'_, 'l> {
    /// The sums of a slot beside its pairs.
    fn n_sums(&self) -> usize {
        let Made {
            separations,
            values,
            realised,
            ..
        } = self.made;
        let separations = separations.map(|of| of.sums().len());
        let values = values.map(SlotValues::n_sums);
        let realised = realised.map(SlotRealisations::n_sums);
        let sums = separations.or(values).or(realised);
        sums.unwrap_or(self.made.words.len())
    }

    /// Whether a pair costs several times what finding its slot does.
    fn is_dear(&self) -> bool {
        let made = &self.made;
        let measured = made.separations.is_some() || made.values.is_some();
        let others = made.weights.is_some() || made.realised.is_some();
        measured || others || made.words.len() > 1
    }

    /// The histogram of pairs, and of one sum of them, of any number of slots.
    fn scatter<const PRODUCTS: bool>(&self) -> Scatter<PRODUCTS> {
        match self.made.classes {
            None => Scatter::new(self.n_slots),
            Some(classes) => Scatter::of_classes(classes),
        }
    }

    /// The histogram of such pairs.
    fn deferred(&self) -> Deferred<'_> {
        let (made, n_slots) = (&self.made, self.n_slots);
        let sets = || ScatterSets::new(made.words, n_slots, BLOCK);
        if let Some(of) = made.realised {
            let rows = InRows::wanted(of, n_slots).map(Dear::RealisedRows);
            let rows = rows.or_else(|| InRows::wanted(of, n_slots).map(Dear::RealisedSums));
            let of_pairs = || Dear::Realised(InRealisations::new(of, n_slots));
            return Deferred::new(rows.unwrap_or_else(of_pairs));
        }
        let values = made.values.and_then(|of| Valued::new(of, n_slots));
        if let Some(values) = values {
            return Deferred::new(Dear::Valued(values));
        }
        Deferred::new(match (made.separations, made.weights) {
            (Some(of), _) => Dear::Separated(Scattered::new(of, n_slots)),
            (None, Some(weights)) => {
                let rests = made.words.len() > 1;
                Dear::Weighed(Weighed::new(weights, n_slots, rests))
            }
            (None, None) => Dear::Sets(Box::new(sets())),
        })
    }

    fn job<F: Filter>(&self, filter: F) -> Job<'_, F> {
        let (first, second) = (&self.run.first, self.run.second());
        let line = match self.los {
            Some(LineOfSight::Midpoint) => (1.0, 1.0),
            Some(LineOfSight::First) => (1.0, 0.0),
            Some(LineOfSight::End) => (0.0, 1.0),
            Some(LineOfSight::Fixed(_)) | None => (0.0, 0.0),
        };
        let fixed = match self.los {
            Some(LineOfSight::Fixed(axis)) => Some(axis.index()),
            _ => None,
        };
        let rounding = &self.run.rounding;
        let factors = self.made.factors;
        Job {
            filter,
            first: Side::new(first, factors[0]),
            second: Side::new(second, factors[1]),
            reach: Reach::new(&self.run.region, rounding.scale, rounding),
            line: LineWeights {
                first: line.0,
                second: line.1,
            },
            axes: match fixed {
                Some(0) => [1, 2, 0],
                Some(1) => [0, 2, 1],
                _ => [0, 1, 2],
            },
            exact: self.exact,
            n_slots: self.n_slots,
            rounding: *rounding,
            small: self.small,
            near_doubtful: F::DOUBTS > 1 && filter.doubtful()[F::DOUBTS - 1] > 0,
            often_doubtful: filter.doubtful()[..F::DOUBTS.min(2)]
                .iter()
                .any(|&limit| limit > u32::MAX / 1000),
        }
    }

    fn count<F: Filter, H: Histogram>(
        &self,
        job: &Job<'_, F>,
        histogram: impl Fn() -> H + Sync,
    ) -> Result<Filtered, EngineError> {
        let walk = self.run.walk();
        let classed = self.made.classes.is_some();
        let (totals, n_slots) = self.empty_totals();
        let lanes = OnceLock::new();
        let tallies = share_units(&walk, self.progress, |units, stop| {
            let mut turn = Turn::first();
            let mut worker = Worker::new(histogram(), n_slots, self.n_sums());
            if F::OF_SEPARATIONS && H::COUNTS && !classed {
                worker.whole = Some(Box::new(WholeRows::new(histogram(), self.n_slots)));
            }
            let mut blocks = Vec::with_capacity(BATCH);
            let (mut labels, mut stopped) = ([0, 0], false);
            for unit in units {
                walk.visit(unit, &mut |pair| {
                    if stopped {
                        return;
                    }
                    let met = self.labels(pair);
                    if met != labels {
                        self.take(job, &mut worker, &mut blocks, (&mut turn, &lanes));
                        self.deposit(&mut worker, labels, &totals);
                        labels = met;
                    }
                    blocks.push(pair);
                    if blocks.len() == BATCH {
                        self.take(job, &mut worker, &mut blocks, (&mut turn, &lanes));
                        stopped = stop();
                    }
                });
            }
            self.take(job, &mut worker, &mut blocks, (&mut turn, &lanes));
            self.deposit(&mut worker, labels, &totals);
            turn.worker.map(lanes::Worker::finish)
        })?;
        Ok(self.gathered(totals, tallies))
    }

    /// Totals of no pairs, one for each table, and how many slots each has.
    fn empty_totals(&self) -> (Vec<Mutex<Totals>>, usize) {
        let (n_tables, n_slots) = match self.made.classes {
            None => (self.tables.number(), self.n_slots),
            Some(classes) => (1, classes.number * classes.n_slots),
        };
        let empty = || Totals {
            pairs: vec![0; n_slots],
            products: vec![0; n_slots * self.n_sums()],
        };
        let totals = (0..n_tables).map(|_| Mutex::new(empty()));
        (totals.collect(), n_slots)
    }

    /// What all threads have counted: their totals, and what lanes made.
    fn gathered(&self, totals: Vec<Mutex<Totals>>, tallies: Vec<Option<Tally>>) -> Filtered {
        let own = |table: Mutex<Totals>| table.into_inner().unwrap_or_else(PoisonError::into_inner);
        let totals = totals.into_iter().map(own);
        Filtered {
            totals: match self.made.classes {
                None => totals.collect(),
                Some(classes) => totals
                    .flat_map(|all| of_each_class(&all, classes))
                    .collect(),
            },
            realisations: self.made.realised.map(SlotRealisations::number),
            tallies: tallies.into_iter().flatten().collect(),
        }
    }

    /// The labels of two blocks, where they matter.
    #[inline]
    fn labels(&self, pair: BlockPair) -> [u32; 2] {
        if self.tables.is_one() || self.made.classes.is_some() {
            return [0, 0];
        }
        let (first, second) = (&self.run.first, self.run.second());
        [
            first.blocks[pair.first].label,
            second.blocks[pair.second].label,
        ]
    }

    /// Counts the blocks that wait: through the filter, or in lanes after some that it had many doubts about.
    fn take<F: Filter, H: Histogram>(
        &self,
        job: &Job<'_, F>,
        worker: &mut Worker<H>,
        blocks: &mut Vec<BlockPair>,
        (turn, lanes): (&mut Turn, &OnceLock<Option<Lanes<'l>>>),
    ) {
        let mut rest = &blocks[..];
        while !rest.is_empty() {
            let n = match turn.left {
                0 if turn.worker.is_some() || !turn.tried => PROBE.min(rest.len()),
                0 => rest.len(),
                left => left.min(rest.len()),
            };
            let (now, later) = rest.split_at(n);
            rest = later;
            if turn.left > 0
                && let Some(Some(lanes)) = lanes.get()
                && let Some(worker) = &mut turn.worker
            {
                lanes.count_blocks(worker, now);
                turn.left -= n;
                continue;
            }
            self.vectors.dispatch(CountBlocks(job, worker, now));
            let many = worker.doubtful * TOO_DOUBTFUL > worker.tested;
            (worker.doubtful, worker.tested) = (0, 0);
            turn.tried = true;
            if many && let Some(lanes) = lanes.get_or_init(self.lanes) {
                turn.worker.get_or_insert_with(|| lanes.worker());
                turn.left = turn.next;
                turn.next = (2 * turn.next).min(LONGEST_TURN);
            } else {
                turn.next = FIRST_TURN;
            }
        }
        blocks.clear();
    }

    /// Adds what a worker has counted to the tables of two labels, and leaves it without a pair.
    fn deposit<H: Histogram>(
        &self,
        worker: &mut Worker<H>,
        [first, second]: [u32; 2],
        tables: &[Mutex<Totals>],
    ) {
        worker.flush();
        let wanted = match self.made.classes {
            None => self.tables.of(first, second),
            Some(_) => [Some(0), None],
        };
        let wanted = wanted.into_iter().flatten();
        for total in wanted.filter_map(|table| tables.get(table)) {
            let mut total = total.lock().unwrap_or_else(PoisonError::into_inner);
            for (total, &part) in total.pairs.iter_mut().zip(&worker.totals.pairs) {
                *total = total.wrapping_add(part);
            }
            for (total, &part) in total.products.iter_mut().zip(&worker.totals.products) {
                *total += part;
            }
        }
        worker.totals.pairs.fill(0);
        worker.totals.products.fill(0);
    }
}

/// The slots of each class, of all of them side by side.
fn of_each_class(all: &Totals, classes: &SlotClasses) -> Vec<Totals> {
    let pairs = all.pairs.chunks_exact(classes.n_slots).map(<[u64]>::to_vec);
    let of_class = |(class, pairs)| {
        let sums = all.products.chunks_exact(all.pairs.len());
        let own = class * classes.n_slots..(class + 1) * classes.n_slots;
        Totals {
            pairs,
            products: sums
                .flat_map(|sum| sum[own.clone()].iter().copied())
                .collect(),
        }
    };
    pairs.enumerate().map(of_class).collect()
}

/// Whose turn it is to count on one thread.
struct Turn {
    /// What lanes have counted, once they have had a turn.
    worker: Option<lanes::Worker>,
    /// Pairs of blocks that are left to them.
    left: usize,
    /// Pairs of blocks of their next turn: more, while the filter goes on having doubts.
    next: usize,
    /// Whether the filter has had a turn.
    tried: bool,
}

impl Turn {
    fn first() -> Self {
        Self {
            worker: None,
            left: 0,
            next: FIRST_TURN,
            tried: false,
        }
    }
}

/// A doubt costs as much as so many pairs in lanes: where more than one pair in so many is doubtful, lanes count.
const TOO_DOUBTFUL: u64 = 16;

/// Pairs of blocks that lanes then count before the filter is tried again, the first time and at most.
const FIRST_TURN: usize = 1024;
const LONGEST_TURN: usize = 16 * FIRST_TURN;

/// Pairs of blocks that it is tried on.
const PROBE: usize = 8;

/// Pairs of blocks that are counted with one dispatch on the instruction set.
const BATCH: usize = 64;

struct CountBlocks<'a, F, H>(&'a Job<'a, F>, &'a mut Worker<H>, &'a [BlockPair]);

impl<F: Filter, H: Histogram> Kernel for CountBlocks<'_, F, H> {
    type Output = ();

    #[inline(always)]
    fn run<S: Simd>(self, simd: S) {
        let Self(job, worker, blocks) = self;
        for &pair in blocks {
            job.count(simd, worker, pair);
        }
        job.settle(worker);
    }
}
