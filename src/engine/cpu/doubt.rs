//! Pairs that the filter has doubts about, and leaves that meet themselves: placed once more, then moved to where the exact rule puts them.

use albireo_simd::{Factors, Histogram, Kernel, MOST_LANES, ROWS, Simd};

use super::lists::{PADDING, own_lanes};
use super::measures::{Measures, place};
use super::quads::TakeQuads;
use super::worker::{Again, DOUBTS, Doubt, Job, Side, Tile, Worker};
use crate::binning::filter::{Filter, doubts};
use crate::traversal::{BlockPair, LEAF, Slots};

/// Measured rows that are placed once more, outside the inner loop.
struct PlaceAgain<'a, 'b, F> {
    job: &'a Job<'b, F>,
    measured: &'a Measures,
    tile: Tile,
    part: usize,
    which: Which<'a>,
    to: &'a mut Again,
}

/// Which rows are placed again.
#[derive(Debug, Clone, Copy)]
enum Which<'a> {
    /// All: they belong to the leaf that they meet.
    Own,
    /// These quads of those that were counted already.
    Doubtful(&'a [u8]),
}

impl<F: Filter> Kernel for PlaceAgain<'_, '_, F> {
    type Output = ();

    #[inline(always)]
    fn run<S: Simd>(mut self, simd: S) {
        self.to.quads.clear();
        match self.which {
            Which::Doubtful(quads) => {
                for &quad in quads {
                    self.place(simd, quad.into(), None);
                }
            }
            Which::Own => {
                let own = Some(self.tile.pair.slots);
                for at in 0..self.measured.quads::<S, F>(self.part).0.len() {
                    self.place(simd, at, own);
                }
            }
        }
    }
}

impl<F: Filter> PlaceAgain<'_, '_, F> {
    /// Places quad `at` of the rows; in a leaf that meets itself, only the pairs of `own`.
    #[inline(always)]
    fn place<S: Simd>(&mut self, simd: S, at: usize, own: Option<Slots>) {
        let (job, part) = (self.job, self.part);
        let points = job.lanes_with_points(self.tile, part);
        let width = ROWS * F::MEASURES * S::LANES;
        let (quads, numbers) = self.measured.quads::<S, F>(part);
        let (rows, measured) = (quads[at], &numbers[at * width..][..width]);
        let mut doubtful_lanes = 0;
        let mut slots = [simd.splat_u(0); ROWS];
        for (k, &row) in rows.iter().enumerate() {
            let (mut slot, certainty) = place(simd, job.filter, measured, k);
            let mut doubtful = simd.mask_bits(doubts(simd, &job.filter, certainty));
            if let Some(own) = own {
                let others = own_lanes(simd, own, row, part);
                slot = simd.or(slot, others);
                doubtful &= !simd.mask_bits(others);
            }
            slots[k] = slot;
            if row != PADDING {
                doubtful_lanes |= u64::from(doubtful & points) << (MOST_LANES * k);
            }
        }
        self.to.doubtful[self.to.quads.len()] = doubtful_lanes;
        self.to.quads.push(simd, slots, rows);
    }
}

impl<F: Filter> Job<'_, F> {
    /// Counts measured rows that belong to the leaf that they meet.
    #[inline(always)]
    pub(super) fn count_own<S: Simd, H: Histogram>(
        &self,
        simd: S,
        worker: &mut Worker<H>,
        tile: Tile,
    ) {
        for part in (0..LEAF).step_by(S::LANES) {
            self.place_again(simd, worker, tile, (part, Which::Own));
            simd.vectorize(TakeQuads {
                histogram: &mut worker.histogram,
                quads: &worker.again.quads,
                met: tile.met(part),
                factors: Factors {
                    rows: &worker.rows.factors,
                    lanes: self.lane_factors(tile, part),
                },
            });
            self.note(worker, tile, part);
        }
    }

    /// Notes the doubtful pairs of quads that were counted, with the lanes from number `part` on.
    #[inline(always)]
    pub(super) fn look_again<S: Simd, H: Histogram>(
        &self,
        simd: S,
        worker: &mut Worker<H>,
        tile: Tile,
        (part, quads): (usize, &[u8]),
    ) {
        self.place_again(simd, worker, tile, (part, Which::Doubtful(quads)));
        self.note(worker, tile, part);
    }

    #[inline(always)]
    fn place_again<S: Simd, H>(
        &self,
        simd: S,
        worker: &mut Worker<H>,
        tile: Tile,
        (part, which): (usize, Which<'_>),
    ) {
        simd.vectorize(PlaceAgain {
            job: self,
            measured: &worker.measured,
            tile,
            part,
            which,
            to: &mut worker.again,
        });
    }
}

impl<F: Filter> Job<'_, F> {
    /// Notes the doubtful pairs of the rows that were placed again.
    #[inline(never)]
    fn note<H: Histogram>(&self, worker: &mut Worker<H>, tile: Tile, part: usize) {
        let [first, second] = tile.met(part);
        for at in 0..worker.again.quads.len() {
            let mut doubtful = worker.again.doubtful[at];
            while doubtful != 0 {
                let bit = doubtful.trailing_zeros() as usize;
                doubtful &= doubtful - 1;
                let (k, lane) = (bit / MOST_LANES, bit % MOST_LANES);
                let (row, slot) = worker.again.quads.pair(at, k, lane);
                let pair = [first + row as usize, second + lane];
                self.doubt(worker, tile.pair, pair, slot);
            }
        }
    }

    #[inline]
    fn doubt<H: Histogram>(
        &self,
        worker: &mut Worker<H>,
        blocks: BlockPair,
        pair: [usize; 2],
        from: u32,
    ) {
        worker.doubts.push(Doubt {
            pair: [pair[0] as u32, pair[1] as u32],
            image: blocks.translation.image,
            from,
            to: from,
        });
        if worker.doubts.len() == DOUBTS {
            self.settle(worker);
        }
    }

    /// Moves the pairs that wait to where the exact rule puts them.
    pub(super) fn settle<H: Histogram>(&self, worker: &mut Worker<H>) {
        let mut doubts = std::mem::take(&mut worker.doubts);
        worker.doubtful += doubts.len() as u64;
        (self.exact)(&mut doubts);
        for doubt in &doubts {
            let begin = worker.histogram.class_begins(doubt.pair);
            let placed = |slot: u32| {
                if slot < self.n_slots as u32 {
                    begin + slot
                } else {
                    u32::MAX
                }
            };
            let (from, to) = (placed(doubt.from), placed(doubt.to));
            if worker.totals.products.is_empty() {
                // Half of them stay: cheaper than to find out which.
                worker.move_pair(from, to, 0);
                continue;
            }
            let factor = |side: &Side<'_>, slot: u32| {
                let factor = side.factors.get(slot as usize);
                factor.copied().unwrap_or(0.0)
            };
            let [i, j] = doubt.pair;
            let product = factor(&self.first, i) * factor(&self.second, j);
            let of_set = |worker: &Worker<H>, set| {
                let product = (worker.histogram).product(product, doubt.pair, doubt.image, set);
                albireo_simd::fixed_point::quantise(product)
            };
            let first = of_set(worker, 0);
            worker.move_pair(from, to, first);
            for set in 1..worker.sets {
                let product = of_set(worker, set);
                worker.move_product(set, from, to, product);
            }
        }
        doubts.clear();
        worker.doubts = doubts;
    }

    /// Counts two blocks by the exact rule alone.
    #[inline(never)]
    pub(super) fn count_exactly<H: Histogram>(&self, worker: &mut Worker<H>, blocks: BlockPair) {
        blocks.for_each_pair(self.first.layout, self.second.layout, |i, j| {
            self.doubt(worker, blocks, [i, j], self.n_slots as u32);
        });
    }
}

impl<H> Worker<H> {
    /// Moves a pair from slot `from` to slot `to`; numbers beyond the last slot are nowhere.
    #[inline]
    fn move_pair(&mut self, from: u32, to: u32, product: i64) {
        let (from, to) = (from as usize, to as usize);
        let totals = &mut self.totals;
        if let Some(pairs) = totals.pairs.get_mut(from) {
            *pairs = pairs.wrapping_sub(1);
        }
        if let Some(pairs) = totals.pairs.get_mut(to) {
            *pairs = pairs.wrapping_add(1);
        }
        if !totals.products.is_empty() {
            self.move_product(0, from as u32, to as u32, product);
        }
    }

    /// Moves the product of a pair by set number `set` of weights.
    #[inline]
    fn move_product(&mut self, set: usize, from: u32, to: u32, product: i64) {
        let totals = &mut self.totals;
        let n_slots = totals.pairs.len();
        let products = &mut totals.products[set * n_slots..][..n_slots];
        if let Some(sum) = products.get_mut(from as usize) {
            *sum -= i128::from(product);
        }
        if let Some(sum) = products.get_mut(to as usize) {
            *sum += i128::from(product);
        }
    }
}
