//! A run through a filter: the kernel that its type asks for, on every thread.
//!
//! Entry: [`filtered`].

use super::reach::Reach;
use super::tile::{ExactRule, Job, LineWeights, Side, Worker};
use super::{Run, share_units};
use crate::binning::filter::{Filter, Rounding, WithFilter, with_filter};
use crate::binning::{Form, LineOfSight};
use crate::engine::progress::Lasting;
use crate::error::EngineError;
use crate::simd::{BitSliced, Histogram, Kernel, Scatter, Simd, Totals};
use crate::traversal::BlockPair;

/// Runs `fast` with the filter of its bins; none where they are too fine for one, or too many.
///
/// Not generic, so that the kernels are compiled once, in this crate.
pub(super) fn filtered(
    form: &Form<'_>,
    rounding: &Rounding,
    fast: Fast<'_>,
) -> Option<Result<Totals, EngineError>> {
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
    pub(super) progress: &'a Lasting<'a>,
}

impl WithFilter for Fast<'_> {
    type Output = Result<Totals, EngineError>;

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
    ) -> Result<Totals, EngineError> {
        let walk = self.run.walk();
        let outputs = share_units(&walk, self.progress, |units, stop| {
            let mut worker = Worker::new(histogram(), self.n_slots, self.products);
            let mut blocks = Vec::with_capacity(BATCH);
            let mut stopped = false;
            for unit in units {
                walk.visit(unit, |pair| {
                    if stopped {
                        return;
                    }
                    blocks.push(pair);
                    if blocks.len() == BATCH {
                        self.run
                            .isa
                            .dispatch(CountBlocks(job, &mut worker, &blocks));
                        blocks.clear();
                        stopped = stop();
                    }
                });
            }
            self.run
                .isa
                .dispatch(CountBlocks(job, &mut worker, &blocks));
            worker.flush();
            worker.totals
        })?;
        let mut total = Totals {
            pairs: vec![0; self.n_slots],
            products: vec![0; if self.products { self.n_slots } else { 0 }],
        };
        for output in outputs {
            for (total, part) in total.pairs.iter_mut().zip(output.pairs) {
                *total = total.wrapping_add(part);
            }
            for (total, part) in total.products.iter_mut().zip(output.products) {
                *total += part;
            }
        }
        Ok(total)
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
