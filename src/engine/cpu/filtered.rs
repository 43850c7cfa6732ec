//! A run through a filter: the kernel that its type asks for, on every thread.
//!
//! Entry: [`filtered`]. Blocks are pure in label, so that the class of their pairs is the same for two blocks and costs nothing a pair.

use std::sync::{Mutex, PoisonError};

use super::reach::Reach;
use super::tile::{ExactRule, Job, LineWeights, Side, Worker};
use super::{Run, share_units};
use crate::binning::filter::{Filter, Rounding, WithFilter, with_filter};
use crate::binning::{Form, LineOfSight};
use crate::error::EngineError;
use crate::progress::Lasting;
use crate::simd::{BitSliced, Histogram, Kernel, Scatter, Simd, Totals};
use crate::tally::Tables;
use crate::traversal::BlockPair;

/// Runs `fast` with the filter of its bins, and returns the totals of each class; none where the bins are too fine for a filter, or too
/// many.
///
/// Not generic, so that the kernels are compiled once, in this crate.
pub(super) fn filtered(
    form: &Form<'_>,
    rounding: &Rounding,
    fast: Fast<'_>,
) -> Option<Result<Vec<Totals>, EngineError>> {
    if fast.n_slots > Scatter::<true>::MOST_SLOTS {
        return None;
    }
    with_filter(form, rounding, fast).ok()
}

/// The filtered run, waiting for the type of its filter.
pub(super) struct Fast<'a> {
    pub(super) run: &'a Run<'a>,
    pub(super) factors: [&'a [f64]; 2],
    pub(super) products: bool,
    pub(super) los: Option<LineOfSight>,
    pub(super) exact: &'a ExactRule<'a>,
    pub(super) n_slots: usize,
    pub(super) tables: Tables,
    pub(super) progress: &'a Lasting<'a>,
}

impl WithFilter for Fast<'_> {
    type Output = Result<Vec<Totals>, EngineError>;

    fn with_few<F: Filter>(self, filter: F) -> Self::Output {
        let (job, n_slots) = (self.job(filter), self.n_slots);
        if self.products {
            self.count(&job, || Scatter::<true>::new(n_slots))
        } else {
            self.count(&job, BitSliced::new)
        }
    }

    fn with_many<F: Filter>(self, filter: F) -> Self::Output {
        let (job, n_slots) = (self.job(filter), self.n_slots);
        if self.products {
            self.count(&job, || Scatter::<true>::new(n_slots))
        } else {
            self.count(&job, || Scatter::<false>::new(n_slots))
        }
    }
}

impl Fast<'_> {
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
        Job {
            filter,
            first: Side {
                layout: first,
                factors: self.factors[0],
            },
            second: Side {
                layout: second,
                factors: self.factors[1],
            },
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
    ) -> Result<Vec<Totals>, EngineError> {
        let walk = self.run.walk();
        let empty = || Totals {
            pairs: vec![0; self.n_slots],
            products: vec![0; if self.products { self.n_slots } else { 0 }],
        };
        let totals: Vec<_> = (0..self.tables.number())
            .map(|_| Mutex::new(empty()))
            .collect();
        share_units(&walk, self.progress, |units, stop| {
            let mut worker = Worker::new(histogram(), self.n_slots, self.products);
            let mut blocks = Vec::with_capacity(BATCH);
            let (mut labels, mut stopped) = ([0, 0], false);
            for unit in units {
                walk.visit(unit, |pair| {
                    if stopped {
                        return;
                    }
                    let met = self.labels(pair);
                    if met != labels {
                        self.take(job, &mut worker, &mut blocks);
                        self.deposit(&mut worker, labels, &totals);
                        labels = met;
                    }
                    blocks.push(pair);
                    if blocks.len() == BATCH {
                        self.take(job, &mut worker, &mut blocks);
                        stopped = stop();
                    }
                });
            }
            self.take(job, &mut worker, &mut blocks);
            self.deposit(&mut worker, labels, &totals);
        })?;
        let own = |table: Mutex<Totals>| table.into_inner().unwrap_or_else(PoisonError::into_inner);
        Ok(totals.into_iter().map(own).collect())
    }

    /// The labels of two blocks, where they matter.
    #[inline]
    fn labels(&self, pair: BlockPair) -> [u32; 2] {
        if self.tables.is_one() {
            return [0, 0];
        }
        let (first, second) = (&self.run.first, self.run.second());
        [
            first.blocks[pair.first].label,
            second.blocks[pair.second].label,
        ]
    }

    /// Counts the blocks that wait.
    fn take<F: Filter, H: Histogram>(
        &self,
        job: &Job<'_, F>,
        worker: &mut Worker<H>,
        blocks: &mut Vec<BlockPair>,
    ) {
        self.run.isa.dispatch(CountBlocks(job, worker, blocks));
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
        let wanted = self.tables.of(first, second).into_iter().flatten();
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
