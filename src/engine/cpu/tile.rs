//! The inner loops: the rows of one block against the lanes of one leaf.
//!
//! Every pair is counted at once in the slot that the filter gives; quads of rows with doubtful pairs are noted, and
//! [`super::doubt`] then moves those pairs to where the exact rule puts them.

use albireo_simd::{Factors, Histogram, ROWS, Simd};

use super::lists::{ALL_ROWS, RowList, list_rows};
use super::measures::{Lanes, Rows, measure, place};
use super::quads::MOST_QUADS;
use super::reach::Facing;
use super::whole::{NO_FACTORS, WholeRows, bounds, corners};
use super::worker::{Job, LineWeights, Tile, Worker};
use crate::binning::filter::{Filter, PairBounds, doubts, less_certain, line_is_long};
use crate::traversal::{BLOCK, Block, BlockPair, LEAF, Slots};

/// Blocks smaller than this part of the largest one are worth bounds of their own.
const SMALL: f64 = 0.25;

/// Room for the numbers of doubtful quads: a power of two, so that none is looked for beyond it.
const NOTED: usize = MOST_QUADS.next_power_of_two();

/// A pair of blocks, with the axes in the order of the job.
#[derive(Clone, Copy)]
struct Blocks<'a> {
    pair: BlockPair,
    first: &'a Block,
    second: &'a Block,
    /// `(centre1 - centre2) + translation`, scaled.
    apart: [f32; 3],
    /// The line of sight of the two centres, scaled; 0 where none is needed.
    line: [f32; 3],
    /// Half extents of the first block, scaled and rounded up.
    half: [f32; 3],
}

impl<F: Filter> Job<'_, F> {
    /// Counts the pairs of slots of two blocks.
    #[inline(always)]
    pub(super) fn count<S: Simd, H: Histogram>(
        &self,
        simd: S,
        worker: &mut Worker<H>,
        pair: BlockPair,
    ) {
        let first = &self.first.layout.blocks[pair.first];
        let second = &self.second.layout.blocks[pair.second];
        let n_pairs = (BLOCK * BLOCK) as u64;
        if worker.since_flush + n_pairs > H::FLUSH_PAIRS {
            worker.flush();
        }
        worker.since_flush += n_pairs;
        if F::LINE && !self.line_is_long(first, second) {
            return self.count_exactly(worker, pair);
        }
        self.load_rows(&mut worker.rows, pair.first);
        worker.histogram.move_by(pair.translation.vector);
        let scale = self.first.layout.scale;
        let (mut apart, mut line, mut half) = ([0.0; 3], [0.0; 3], [0.0; 3]);
        for k in 0..3 {
            let axis = self.axes[k];
            let centres = first.bounds.centre[axis] - second.bounds.centre[axis];
            apart[k] = ((centres + pair.translation.vector[axis]) * scale) as f32;
            half[k] = ((first.bounds.half[axis] * scale) as f32).next_up();
            if F::LINE {
                let LineWeights {
                    first: a,
                    second: b,
                } = self.line;
                let centre = a * first.bounds.centre[axis] + b * second.bounds.centre[axis];
                line[k] = (centre * scale) as f32;
            }
        }
        let blocks = Blocks {
            pair,
            first,
            second,
            apart,
            line,
            half,
        };
        let near = self.narrowed(first, second, pair.translation.vector);
        let mut list = [0; _];
        for leaf in 0..second.n_leaves() {
            near.count_leaf(simd, worker, &blocks, leaf, &mut list);
        }
    }

    /// The job with its filter narrowed down to the pairs of two blocks, where that pays.
    #[inline(always)]
    fn narrowed(&self, first: &Block, second: &Block, translation: [f64; 3]) -> Self {
        let largest = self.rounding.half;
        let half = first
            .bounds
            .largest_half()
            .max(second.bounds.largest_half());
        let half = half * self.first.layout.scale;
        let small = self.near_doubtful && half < SMALL * largest;
        if !(self.often_doubtful || small) {
            return *self;
        }
        let separations = self.separations(first, second, translation);
        let pairs = PairBounds::new(&self.rounding, separations, half);
        Self {
            filter: self.filter.within(&pairs),
            ..*self
        }
    }

    /// The least and the largest separation of two blocks' points, scaled.
    #[inline(always)]
    fn separations(&self, first: &Block, second: &Block, translation: [f64; 3]) -> [f64; 2] {
        let (mut least, mut most) = (0.0, 0.0);
        for (k, moved) in translation.into_iter().enumerate() {
            let centres = first.bounds.centre[k] - second.bounds.centre[k];
            let apart = (centres + moved).abs();
            let halves = first.bounds.half[k] + second.bounds.half[k];
            let gap = (apart - halves).max(0.0);
            least += gap * gap;
            most += (apart + halves) * (apart + halves);
        }
        let scale = self.first.layout.scale;
        [
            least.sqrt() * scale * (1.0 - 1e-9),
            most.sqrt() * scale * (1.0 + 1e-9),
        ]
    }

    #[inline(always)]
    fn load_rows(&self, rows: &mut Rows, block: usize) {
        if rows.block == block {
            return;
        }
        rows.block = block;
        let offsets = &self.first.offsets[block];
        for k in 0..3 {
            rows.offsets[k][..BLOCK].copy_from_slice(&offsets[self.axes[k]]);
        }
        if let Some(factors) = self.first.factors.get(block * BLOCK..(block + 1) * BLOCK) {
            for (row, factor) in rows.factors.iter_mut().zip(factors) {
                *row = factor * (1u64 << albireo_simd::fixed_point::FRACTION_BITS) as f64;
            }
        }
    }

    /// Whether the bound on the error of the line of sight holds for every pair of the two blocks.
    #[inline(always)]
    fn line_is_long(&self, first: &Block, second: &Block) -> bool {
        let LineWeights {
            first: a,
            second: b,
        } = self.line;
        let layouts = [self.first.layout, self.second.layout];
        let blocks = [first, second].map(|block| (block.bounds.centre, block.bounds.half));
        let half = layouts[0].largest_half.max(layouts[1].largest_half);
        line_is_long([a, b], blocks, half, layouts[0].scale)
    }

    #[inline(always)]
    fn count_leaf<S: Simd, H: Histogram>(
        &self,
        simd: S,
        worker: &mut Worker<H>,
        blocks: &Blocks<'_>,
        leaf: usize,
        list: &mut RowList,
    ) {
        let facing = Facing {
            apart: blocks.apart,
            half: blocks.half,
            axes: self.axes,
            n: blocks.first.n,
        };
        let leaf_box = &blocks.second.leaves[leaf];
        let tile = Tile {
            pair: blocks.pair,
            leaf,
            apart: blocks.apart,
            line: blocks.line,
            sifts: H::DEFERS || H::SIFTS && !self.reach.holds_all(&facing, leaf_box),
        };
        let own = 0xffffu64 << (leaf * LEAF);
        let (others, own) = match blocks.pair.slots {
            Slots::All => (u64::MAX, 0),
            Slots::Later => ((1u64 << (leaf * LEAF)) - 1, own),
            Slots::Others => (!own, own),
        };
        let offsets = &worker.rows.offsets;
        let mask = match &mut worker.whole {
            Some(rows) if self.looks_for_whole_rows::<H>(tile) => {
                self.take_whole_rows(simd, rows, offsets, tile, &facing, others)
            }
            _ => {
                let [x, y, z] = offsets;
                (self.reach).rows(simd, [x, y, z], &facing, leaf_box)
            }
        };
        worker.tested += u64::from(mask.count_ones()) * LEAF as u64;
        let (apart, together) = (mask & others, mask & own);
        if apart == u64::MAX {
            self.count_rows(simd, worker, tile, &ALL_ROWS);
        } else if apart != 0 {
            let list = list_rows(apart, list);
            self.count_rows(simd, worker, tile, list);
        }
        if together != 0 {
            let list = list_rows(together, list);
            self.measure_rows(simd, worker, tile, list);
            self.count_own(simd, worker, tile);
        }
    }

    /// Whether it pays to look for rows that lie in one bin as a whole.
    #[inline(always)]
    fn looks_for_whole_rows<H: Histogram>(&self, tile: Tile) -> bool {
        let block = &self.second.layout.blocks[tile.pair.second];
        let is_full = block.n as usize >= (tile.leaf + 1) * LEAF;
        F::OF_SEPARATIONS && H::COUNTS && is_full && self.small.holds(&block.leaves[tile.leaf])
    }

    /// Counts those of some rows whose pairs with a leaf lie in one bin; of all rows the others that come within reach of it, one bit each.
    #[inline(always)]
    fn take_whole_rows<S: Simd, H: Histogram>(
        &self,
        simd: S,
        rows: &mut WholeRows<H>,
        offsets: &[[f32; 256]; 3],
        tile: Tile,
        facing: &Facing,
        some: u64,
    ) -> u64 {
        let leaf = &self.second.layout.blocks[tile.pair.second].leaves[tile.leaf];
        let corners = corners(leaf, facing);
        let filter = self.filter;
        let histogram = rows.histogram();
        let mut open = histogram.open(simd, [0, 0]);
        let mut rest = 0;
        for first in (0..BLOCK).step_by(ROWS * S::LANES) {
            let mut slots = [simd.splat_u(u32::MAX); ROWS];
            for (k, slots) in slots.iter_mut().enumerate() {
                let at = first + k * S::LANES;
                let [near, far] = bounds(simd, &filter, offsets, corners, at);
                let mut near_rows = simd.mask_bits(self.reach.holds_each(simd, near));
                // A register's rows are of one leaf.
                if some >> at & 1 == 1 {
                    let (low, high) = (filter.place(simd, near, 0), filter.place(simd, far, 0));
                    let doubtful =
                        simd.or(doubts(simd, &filter, low.1), doubts(simd, &filter, high.1));
                    let differ = simd.or(doubtful, simd.xor(low.0, high.0));
                    let whole = simd.equal_u(differ, simd.splat_u(0));
                    *slots = simd.or(low.0, simd.xor(whole, simd.splat_u(u32::MAX)));
                    near_rows &= !simd.mask_bits(whole);
                }
                rest |= u64::from(near_rows) << at;
            }
            let numbers = [0; ROWS];
            histogram.take_placed(simd, &mut open, slots, numbers, NO_FACTORS);
        }
        histogram.close(simd, open, NO_FACTORS);
        rest & (u64::MAX >> (BLOCK as u32 - facing.n))
    }

    #[inline(always)]
    fn count_rows<S: Simd, H: Histogram>(
        &self,
        simd: S,
        worker: &mut Worker<H>,
        tile: Tile,
        list: &[u8],
    ) {
        self.measure_rows(simd, worker, tile, list);
        // Copies, which nothing that is written can change: constants stay in registers.
        let filter = self.filter;
        for part in (0..LEAF).step_by(S::LANES) {
            let lanes = self.lane_factors(tile, part);
            let points = self.lanes_with_points(tile, part);
            let Worker {
                histogram,
                rows: block,
                measured,
                ..
            } = worker;
            let factors = Factors {
                rows: &block.factors,
                lanes,
            };
            let mut open = histogram.open(simd, tile.met(part));
            let mut doubtful = [0; NOTED];
            let mut n_doubtful = 0;
            let (quads, numbers) = measured.quads::<S, F>(part);
            let numbers = numbers.chunks_exact(ROWS * F::MEASURES * S::LANES);
            for (at, (&rows, measured)) in quads.iter().zip(numbers).enumerate() {
                histogram.make_room(simd, &open, 0);
                let a = place(simd, filter, measured, 0);
                histogram.make_room(simd, &open, 1);
                let b = place(simd, filter, measured, 1);
                histogram.make_room(simd, &open, 2);
                let c = place(simd, filter, measured, 2);
                histogram.make_room(simd, &open, 3);
                let d = place(simd, filter, measured, 3);
                let ab = less_certain(simd, &filter, a.1, b.1);
                let cd = less_certain(simd, &filter, c.1, d.1);
                let least = less_certain(simd, &filter, ab, cd);
                // Before the counting, which would keep what the test needs alive.
                let any = simd.mask_bits(doubts(simd, &filter, least)) & points != 0;
                // No branch for fine bins, where it would often be mispredicted.
                if F::FINE || any {
                    doubtful[n_doubtful % NOTED] = at as u8;
                    n_doubtful += usize::from(any);
                }
                let slots = [a.0, b.0, c.0, d.0];
                histogram.take(simd, &mut open, slots, rows, factors);
            }
            histogram.close(simd, open, factors);
            if n_doubtful > 0 {
                self.look_again(simd, worker, tile, (part, &doubtful[..n_doubtful]));
            }
        }
    }

    /// Measures rows against the leaf's points, for [`Job::count_rows`] to place. Where placing is dear, those are left out that turn
    /// out to be beyond the reach of a whole register.
    #[inline(always)]
    fn measure_rows<S: Simd, H: Histogram>(
        &self,
        simd: S,
        worker: &mut Worker<H>,
        tile: Tile,
        list: &[u8],
    ) {
        if H::SIFTS && (H::DEFERS || tile.sifts) {
            self.measure_list::<S, H, true>(simd, worker, tile, list);
        } else {
            self.measure_list::<S, H, false>(simd, worker, tile, list);
        }
    }

    #[inline(always)]
    fn measure_list<S: Simd, H: Histogram, const SIFTS: bool>(
        &self,
        simd: S,
        worker: &mut Worker<H>,
        tile: Tile,
        list: &[u8],
    ) {
        let (filter, reach) = (self.filter, self.reach);
        let [a, b, c] = filter.far();
        let far = [simd.splat(a), simd.splat(b), simd.splat(c)];
        let block = &*worker.rows;
        let mut registers = worker.measured.registers::<S, F>();
        let mut part = 0;
        while let Some(mut to) = registers.next() {
            let a = self.lanes(simd, tile, part);
            part += S::LANES;
            // Two registers of points share the loads of a row, unless lines of sight need the registers.
            let next = if F::LINE { None } else { registers.next() };
            if let Some(mut next) = next {
                let b = self.lanes(simd, tile, part);
                part += S::LANES;
                for &row in list {
                    let of_a = measure(simd, filter, block, row, &a);
                    let of_b = measure(simd, filter, block, row, &b);
                    let kept = !SIFTS || reach.holds_some(simd, of_a);
                    to.push::<S, F>(simd, row, of_a, kept);
                    let kept = !SIFTS || reach.holds_some(simd, of_b);
                    next.push::<S, F>(simd, row, of_b, kept);
                }
                next.pad::<S, F>(simd, far);
            } else {
                for &row in list {
                    let of_a = measure(simd, filter, block, row, &a);
                    let kept = !SIFTS || reach.holds_some(simd, of_a);
                    to.push::<S, F>(simd, row, of_a, kept);
                }
            }
            to.pad::<S, F>(simd, far);
        }
    }

    /// The points of a leaf from number `part` on.
    #[inline(always)]
    fn lanes<S: Simd>(&self, simd: S, tile: Tile, part: usize) -> Lanes<S> {
        let zero = simd.splat(0.0);
        let mut lanes = Lanes {
            x: [zero; 3],
            line: [zero; 3],
            line_row: simd.splat(self.line.first as f32),
        };
        let all = &self.second.offsets[tile.pair.second];
        for k in 0..3 {
            let offsets = simd.load(&all[self.axes[k]][tile.leaf * LEAF + part..]);
            lanes.x[k] = simd.sub(offsets, simd.splat(tile.apart[k]));
            if F::LINE {
                let weight = simd.splat(self.line.second as f32);
                lanes.line[k] = simd.mul_add(offsets, weight, simd.splat(tile.line[k]));
            }
        }
        lanes
    }

    /// One bit for each lane from number `part` on that holds a point.
    #[inline(always)]
    pub(super) fn lanes_with_points(&self, tile: Tile, part: usize) -> u32 {
        let n = self.second.layout.blocks[tile.pair.second].n as usize;
        let n = n.saturating_sub(tile.leaf * LEAF + part).min(LEAF);
        (1 << n) - 1
    }

    #[inline(always)]
    pub(super) fn lane_factors(&self, tile: Tile, part: usize) -> &[f64] {
        let from = tile.pair.second * BLOCK + tile.leaf * LEAF;
        let factors = self.second.factors.get(from + part..from + LEAF);
        factors.unwrap_or(&[0.0; LEAF])
    }
}
