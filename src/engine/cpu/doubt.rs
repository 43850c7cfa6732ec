//! Pairs that the filter has doubts about, and leaves that meet themselves: placed once more, then moved to where the exact rule puts them.

use super::lists::{PADDING, own_lanes};
use super::tile::{Job, Side, Tile, Worker, place};
use crate::binning::filter::Filter;
use crate::simd::{Factors, Histogram, Kernel, MOST_LANES, ROWS, Simd};
use crate::traversal::{BLOCK, BlockPair, LEAF};

/// Rows of a tile taken with care, outside the inner loop.
pub(super) struct Slowly<'a, 'b, F, H> {
    pub(super) job: &'a Job<'b, F>,
    pub(super) worker: &'a mut Worker<H>,
    pub(super) tile: Tile,
    pub(super) list: &'a [[u8; ROWS]],
    pub(super) care: Care,
}

/// What is special about rows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Care {
    /// They belong to the leaf that they meet, and are counted here.
    Own,
    /// They are counted already; some pairs with the lanes from this one on are doubtful.
    Doubtful(usize),
}

/// Four rows as the filter placed them.
struct Quad {
    rows: [u8; ROWS],
    slots: [[u32; MOST_LANES]; ROWS],
    /// One bit for each doubtful lane.
    doubtful: [u32; ROWS],
}

impl<F: Filter, H: Histogram> Kernel for Slowly<'_, '_, F, H> {
    type Output = ();

    #[inline(always)]
    fn run<S: Simd>(self, simd: S) {
        let parts = match self.care {
            Care::Own => 0..LEAF,
            Care::Doubtful(part) => part..part + S::LANES,
        };
        for part in parts.step_by(S::LANES) {
            let lanes = self.job.lanes(simd, self.tile, part);
            for &rows in self.list {
                let mut quad = Quad {
                    rows,
                    slots: [[0; MOST_LANES]; ROWS],
                    doubtful: [0; ROWS],
                };
                for (k, &row) in rows.iter().enumerate() {
                    let (mut slot, mut sure) =
                        place(simd, self.job.filter, &self.worker.rows, row, &lanes);
                    if self.care == Care::Own {
                        let others = own_lanes(simd, self.tile.pair.slots, row, part);
                        (slot, sure) = (simd.or(slot, others), simd.or(sure, others));
                    }
                    simd.store_u(slot, &mut quad.slots[k]);
                    quad.doubtful[k] = simd.mask_bits(simd.equal_u(sure, simd.splat_u(0)));
                }
                if self.care == Care::Own {
                    let Worker {
                        histogram, rows, ..
                    } = &mut *self.worker;
                    let factors = Factors {
                        rows: &rows.factors,
                        lanes: self.job.lane_factors(self.tile, part),
                    };
                    let slots = [
                        simd.load_u(&quad.slots[0]),
                        simd.load_u(&quad.slots[1]),
                        simd.load_u(&quad.slots[2]),
                        simd.load_u(&quad.slots[3]),
                    ];
                    let mut open = histogram.open(simd);
                    histogram.take(simd, &mut open, slots, quad.rows, factors);
                    histogram.close(simd, open);
                }
                self.job.decide(self.worker, self.tile, part, &quad);
            }
        }
    }
}

impl<F: Filter> Job<'_, F> {
    /// Moves the doubtful pairs of four rows to where they belong.
    fn decide<H>(&self, worker: &mut Worker<H>, tile: Tile, part: usize, quad: &Quad) {
        let n_second = self.second.layout.blocks[tile.pair.second].n as usize;
        for k in 0..ROWS {
            let (row, mut lanes) = (quad.rows[k], quad.doubtful[k]);
            while lanes != 0 && row != PADDING {
                let lane = lanes.trailing_zeros() as usize;
                lanes &= lanes - 1;
                let in_second = tile.leaf * LEAF + part + lane;
                if in_second < n_second {
                    let pair = [
                        tile.pair.first * BLOCK + row as usize,
                        tile.pair.second * BLOCK + in_second,
                    ];
                    self.move_to_exact(worker, tile.pair, pair, quad.slots[k][lane] as usize);
                }
            }
        }
    }

    #[inline]
    fn move_to_exact<H>(
        &self,
        worker: &mut Worker<H>,
        blocks: BlockPair,
        [i, j]: [usize; 2],
        from: usize,
    ) {
        let from = from.min(self.n_slots);
        let to = (self.exact)([i, j], blocks.translation.image, from);
        if to.unwrap_or(self.n_slots) != from {
            let factor =
                |side: &Side<'_>, slot: usize| side.factors.get(slot).copied().unwrap_or(0.0);
            let product =
                crate::fixed_point::quantise(factor(&self.first, i) * factor(&self.second, j));
            worker.move_pair(from, to, product);
        }
    }

    /// Counts two blocks by the exact rule alone.
    #[inline(never)]
    pub(super) fn count_exactly<H>(&self, worker: &mut Worker<H>, blocks: BlockPair) {
        blocks.for_each_pair(self.first.layout, self.second.layout, |i, j| {
            self.move_to_exact(worker, blocks, [i, j], self.n_slots);
        });
    }
}

impl<H> Worker<H> {
    /// Moves a pair from slot `from` to slot `to`; none and numbers from `n_slots` up are nowhere.
    fn move_pair(&mut self, from: usize, to: Option<usize>, product: i64) {
        let totals = &mut self.totals;
        if from < totals.pairs.len() {
            totals.pairs[from] = totals.pairs[from].wrapping_sub(1);
            if let Some(sum) = totals.products.get_mut(from) {
                *sum -= i128::from(product);
            }
        }
        if let Some(to) = to {
            totals.pairs[to] = totals.pairs[to].wrapping_add(1);
            if let Some(sum) = totals.products.get_mut(to) {
                *sum += i128::from(product);
            }
        }
    }
}
