//! Pairs that the filter has doubts about, and leaves that meet themselves: placed once more, then moved to where the exact rule puts them.

use super::lists::{PADDING, own_lanes};
use super::measures::place;
use super::tile::{Job, Side, Tile, Worker};
use crate::binning::filter::{Filter, doubts};
use crate::domain::Image;
use crate::simd::{Factors, Histogram, Kernel, MOST_LANES, ROWS, Simd};
use crate::traversal::{BlockPair, LEAF, Slots};

/// Measured rows of a tile placed with care, outside the inner loop.
pub(super) struct Slowly<'a, 'b, F, H> {
    pub(super) job: &'a Job<'b, F>,
    pub(super) worker: &'a mut Worker<H>,
    pub(super) tile: Tile,
    pub(super) care: Care<'a>,
}

/// What is special about rows.
#[derive(Debug, Clone, Copy)]
pub(super) enum Care<'a> {
    /// They belong to the leaf that they meet, and are counted here.
    Own,
    /// They are counted already; in these quads some pairs with the lanes from number `part` on are doubtful.
    Doubtful { part: usize, quads: &'a [u8] },
}

/// Four rows as the filter placed them.
struct Quad {
    rows: [u8; ROWS],
    slots: [[u32; MOST_LANES]; ROWS],
    /// One bit for each doubtful lane, [`MOST_LANES`] a row.
    doubtful: u64,
}

impl<F: Filter, H: Histogram> Kernel for Slowly<'_, '_, F, H> {
    type Output = ();

    #[inline(always)]
    fn run<S: Simd>(self, simd: S) {
        let Self { job, worker, .. } = self;
        match self.care {
            Care::Doubtful { part, quads } => {
                for &quad in quads {
                    let quad = job.place_again(simd, worker, self.tile, (part, quad.into()), None);
                    job.note(worker, self.tile, part, &quad);
                }
            }
            Care::Own => {
                for part in (0..LEAF).step_by(S::LANES) {
                    for at in 0..worker.measured.quads::<S, F>(part).0.len() {
                        let slots = Some(self.tile.pair.slots);
                        let quad = job.place_again(simd, worker, self.tile, (part, at), slots);
                        job.take(simd, worker, self.tile, part, &quad);
                        job.note(worker, self.tile, part, &quad);
                    }
                }
            }
        }
    }
}

impl<F: Filter> Job<'_, F> {
    /// Places quad `at` of the rows measured against the lanes from `part` on; in a leaf that meets itself, only the pairs of `own`.
    #[inline(always)]
    fn place_again<S: Simd, H>(
        &self,
        simd: S,
        worker: &Worker<H>,
        tile: Tile,
        (part, at): (usize, usize),
        own: Option<Slots>,
    ) -> Quad {
        let points = self.lanes_with_points(tile, part);
        let width = ROWS * F::MEASURES * S::LANES;
        let (quads, numbers) = worker.measured.quads::<S, F>(part);
        let (rows, measured) = (quads[at], &numbers[at * width..][..width]);
        let mut quad = Quad {
            rows,
            slots: [[0; MOST_LANES]; ROWS],
            doubtful: 0,
        };
        for (k, &row) in rows.iter().enumerate() {
            let (mut slot, certainty) = place(simd, self.filter, measured, k);
            let mut doubtful = simd.mask_bits(doubts(simd, &self.filter, certainty));
            if let Some(own) = own {
                let others = own_lanes(simd, own, row, part);
                slot = simd.or(slot, others);
                doubtful &= !simd.mask_bits(others);
            }
            simd.store_u(slot, &mut quad.slots[k]);
            if row != PADDING {
                quad.doubtful |= u64::from(doubtful & points) << (MOST_LANES * k);
            }
        }
        quad
    }

    /// Counts four rows.
    #[inline(always)]
    fn take<S: Simd, H: Histogram>(
        &self,
        simd: S,
        worker: &mut Worker<H>,
        tile: Tile,
        part: usize,
        quad: &Quad,
    ) {
        let Worker {
            histogram, rows, ..
        } = worker;
        let factors = Factors {
            rows: &rows.factors,
            lanes: self.lane_factors(tile, part),
        };
        let slots = [
            simd.load_u(&quad.slots[0]),
            simd.load_u(&quad.slots[1]),
            simd.load_u(&quad.slots[2]),
            simd.load_u(&quad.slots[3]),
        ];
        let mut open = histogram.open(simd, tile.met(part));
        histogram.take(simd, &mut open, slots, quad.rows, factors);
        histogram.close(simd, open);
    }
}

/// A pair of slots that was counted where it may not belong.
#[derive(Debug, Clone, Copy)]
pub(super) struct Doubt {
    pub(super) pair: [u32; 2],
    pub(super) image: Image,
    /// Where it was counted; from the number of slots up, nowhere.
    pub(super) from: u32,
    /// Where it belongs, once the exact rule has said so.
    pub(super) to: u32,
}

/// Doubts that wait until they are decided together: one by one, each would wait for the last.
pub(super) const DOUBTS: usize = 1024;

impl<F: Filter> Job<'_, F> {
    /// Notes the doubtful pairs of four rows.
    #[inline(always)]
    fn note<H: Histogram>(&self, worker: &mut Worker<H>, tile: Tile, part: usize, quad: &Quad) {
        let [first, second] = tile.met(part);
        let mut doubtful = quad.doubtful;
        while doubtful != 0 {
            let at = doubtful.trailing_zeros() as usize;
            doubtful &= doubtful - 1;
            let (k, lane) = (at / MOST_LANES, at % MOST_LANES);
            let pair = [first + quad.rows[k] as usize, second + lane];
            self.doubt(worker, tile.pair, pair, quad.slots[k][lane]);
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
            pair: pair.map(|slot| slot as u32),
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
            if worker.totals.products.is_empty() {
                // Half of them stay: cheaper than to find out which.
                worker.move_pair(doubt.from, doubt.to, 0);
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
                crate::fixed_point::quantise(product)
            };
            let first = of_set(worker, 0);
            worker.move_pair(doubt.from, doubt.to, first);
            for set in 1..worker.sets {
                let product = of_set(worker, set);
                worker.move_product(set, doubt.from, doubt.to, product);
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
