//! The inner loops: the rows of one block against the lanes of one leaf.
//!
//! Every pair is counted at once in the slot that the filter gives; doubtful pairs are then moved to where the exact rule puts them.

use super::lists::{PADDING, list_rows, own_lanes};
use crate::binning::filter::{Filter, SHORTEST_LINE};
use crate::simd::{Factors, Histogram, LANES, ROWS, Simd, Totals};
use crate::traversal::{BLOCK, Block, BlockPair, LEAF, Layout, Region, Slots};

/// Rows of a block as the kernels read them: indexed by a byte, with one far-away row after the last.
#[derive(Debug)]
pub(super) struct Rows {
    offsets: [[f32; 256]; 3],
    factors: [f64; 256],
}

impl Rows {
    pub(super) fn new() -> Box<Self> {
        let mut rows = Box::new(Self {
            offsets: [[0.0; 256]; 3],
            factors: [0.0; 256],
        });
        for axis in &mut rows.offsets {
            axis[BLOCK..].fill(-crate::traversal::FAR_AWAY);
        }
        rows
    }
}

/// One side of a job, as the kernels see it.
#[derive(Debug, Clone, Copy)]
pub(super) struct Side<'a> {
    pub(super) layout: &'a Layout,
    /// One factor a slot, or nothing.
    pub(super) factors: &'a [f64],
}

/// Decides a pair of slots by the contract: the histogram slot under this translation, or none; the last argument is a guess.
pub(super) type ExactRule<'a> = dyn Fn([usize; 2], [i8; 3], usize) -> Option<usize> + Sync + 'a;

/// How the points of a pair make its line of sight: `first * x1 + second * x2`.
#[derive(Debug, Clone, Copy)]
pub(super) struct LineWeights {
    pub(super) first: f64,
    pub(super) second: f64,
}

/// Everything that stays the same for a job.
#[derive(Clone, Copy)]
pub(super) struct Job<'a, F> {
    pub(super) filter: F,
    pub(super) first: Side<'a>,
    pub(super) second: Side<'a>,
    pub(super) region: &'a Region,
    pub(super) line: LineWeights,
    /// The order of the axes in which the fixed line of sight, if any, comes last.
    pub(super) axes: [usize; 3],
    pub(super) exact: &'a ExactRule<'a>,
    pub(super) n_slots: usize,
    /// Largest error of a difference within reach, scaled.
    pub(super) error: f64,
}

/// What one worker carries from tile to tile.
pub(super) struct Worker<H> {
    pub(super) histogram: H,
    pub(super) totals: Totals,
    pub(super) rows: Box<Rows>,
    pub(super) since_flush: u64,
    doubtful: Vec<Doubtful>,
}

/// Four rows with doubtful lanes, as the filter placed them.
#[derive(Debug, Clone, Copy, Default)]
struct Doubtful {
    rows: [u8; ROWS],
    lanes: [u32; ROWS],
    slots: [[u32; LANES]; ROWS],
}

impl<H: Histogram> Worker<H> {
    pub(super) fn new(histogram: H, n_slots: usize, products: bool) -> Self {
        Self {
            histogram,
            totals: Totals {
                pairs: vec![0; n_slots],
                products: vec![0; if products { n_slots } else { 0 }],
            },
            rows: Rows::new(),
            since_flush: 0,
            doubtful: vec![Doubtful::default(); BLOCK / ROWS + 1],
        }
    }

    pub(super) fn flush(&mut self) {
        self.histogram.flush(&mut self.totals);
        self.since_flush = 0;
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

/// The lanes of a leaf, moved next to the rows, and the constant part of the line of sight.
struct Lanes<S: Simd> {
    x: [S::F; 3],
    line: [S::F; 3],
    /// What an offset of a row adds to the line of sight.
    line_row: S::F,
}

/// A leaf of the second block, as a tile sees it.
#[derive(Clone, Copy)]
struct Tile {
    pair: BlockPair,
    leaf: usize,
    /// `(centre1 - centre2) + translation`, scaled.
    apart: [f32; 3],
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
        let scale = self.first.layout.scale;
        let apart = std::array::from_fn(|k| {
            let centres = first.bounds.centre[k] - second.bounds.centre[k];
            ((centres + pair.translation.vector[k]) * scale) as f32
        });
        for leaf in 0..second.n_leaves() {
            let tile = Tile { pair, leaf, apart };
            self.count_leaf(simd, worker, tile, first, second);
        }
    }

    #[inline(always)]
    fn load_rows(&self, rows: &mut Rows, block: usize) {
        let offsets = &self.first.layout.offsets[block];
        for k in 0..3 {
            rows.offsets[k][..BLOCK].copy_from_slice(&offsets[self.axes[k]]);
        }
        if let Some(factors) = self.first.factors.get(block * BLOCK..(block + 1) * BLOCK) {
            for (row, factor) in rows.factors.iter_mut().zip(factors) {
                *row = factor * (1u64 << crate::fixed_point::FRACTION_BITS) as f64;
            }
        }
    }

    /// Whether the bound on the error of the line of sight holds for every pair of the two blocks.
    #[inline(always)]
    fn line_is_long(&self, first: &Block, second: &Block) -> bool {
        let scale = self.first.layout.scale;
        let LineWeights {
            first: a,
            second: b,
        } = self.line;
        let centre =
            std::array::from_fn(|k| a * first.bounds.centre[k] + b * second.bounds.centre[k]);
        let reach = |block: &Block, weight: f64| {
            weight * crate::separation::norm2(block.bounds.half).sqrt()
        };
        let length = crate::separation::norm2(centre).sqrt();
        let least = length - reach(first, a) - reach(second, b);
        let half = self
            .first
            .layout
            .largest_half
            .max(self.second.layout.largest_half);
        least >= SHORTEST_LINE * half && least > 0.0 && length * scale < 1e15
    }

    #[inline(always)]
    fn lanes<S: Simd>(&self, simd: S, tile: Tile) -> Lanes<S> {
        let zero = simd.splat(0.0);
        let line = if F::LINE {
            [
                self.line(simd, tile, 0),
                self.line(simd, tile, 1),
                self.line(simd, tile, 2),
            ]
        } else {
            [zero, zero, zero]
        };
        Lanes {
            x: [
                self.moved(simd, tile, 0),
                self.moved(simd, tile, 1),
                self.moved(simd, tile, 2),
            ],
            line,
            line_row: simd.splat(self.line.first as f32),
        }
    }

    #[inline(always)]
    fn offsets<S: Simd>(&self, simd: S, tile: Tile, k: usize) -> S::F {
        let offsets = &self.second.layout.offsets[tile.pair.second][self.axes[k]];
        simd.load(
            offsets[tile.leaf * LEAF..]
                .first_chunk()
                .unwrap_or(&[0.0; LANES]),
        )
    }

    /// Component `k` of the leaf's points, seen from the centre of the first block.
    #[inline(always)]
    fn moved<S: Simd>(&self, simd: S, tile: Tile, k: usize) -> S::F {
        simd.sub(
            self.offsets(simd, tile, k),
            simd.splat(tile.apart[self.axes[k]]),
        )
    }

    /// Component `k` of the line of sight, but for what the row adds.
    #[inline(always)]
    fn line<S: Simd>(&self, simd: S, tile: Tile, k: usize) -> S::F {
        let axis = self.axes[k];
        let first = self.first.layout.blocks[tile.pair.first].bounds.centre[axis];
        let second = self.second.layout.blocks[tile.pair.second].bounds.centre[axis];
        let LineWeights {
            first: a,
            second: b,
        } = self.line;
        let centre = (a * first + b * second) * self.first.layout.scale;
        simd.mul_add(
            self.offsets(simd, tile, k),
            simd.splat(b as f32),
            simd.splat(centre as f32),
        )
    }

    /// The slots of one row against the lanes.
    #[inline(always)]
    fn place<S: Simd>(&self, simd: S, rows: &Rows, row: u8, lanes: &Lanes<S>) -> (S::U, S::U) {
        let x = simd.splat(rows.offsets[0][row as usize]);
        let y = simd.splat(rows.offsets[1][row as usize]);
        let z = simd.splat(rows.offsets[2][row as usize]);
        let d = [
            simd.sub(x, lanes.x[0]),
            simd.sub(y, lanes.x[1]),
            simd.sub(z, lanes.x[2]),
        ];
        let l = if F::LINE {
            [
                simd.mul_add(x, lanes.line_row, lanes.line[0]),
                simd.mul_add(y, lanes.line_row, lanes.line[1]),
                simd.mul_add(z, lanes.line_row, lanes.line[2]),
            ]
        } else {
            lanes.line
        };
        self.filter.place(simd, d, l)
    }

    /// As [`Job::place`]; in a leaf that meets itself, lanes that the row is not paired with are out of range and free of doubt.
    #[inline(always)]
    fn place_paired<S: Simd>(
        &self,
        simd: S,
        rows: &Rows,
        row: u8,
        lanes: &Lanes<S>,
        own: Option<Tile>,
    ) -> (S::U, S::U) {
        let (slot, doubt) = self.place(simd, rows, row, lanes);
        let Some(tile) = own else {
            return (slot, doubt);
        };
        let (keep, drop) = own_lanes(simd, tile.pair.slots, row);
        (simd.or(slot, drop), simd.and(doubt, keep))
    }

    #[inline(always)]
    fn count_leaf<S: Simd, H: Histogram>(
        &self,
        simd: S,
        worker: &mut Worker<H>,
        tile: Tile,
        first: &Block,
        second: &Block,
    ) {
        let Some(mask) = self.rows_in_reach(simd, &worker.rows, tile, first, second) else {
            return;
        };
        let lanes = self.lanes(simd, tile);
        let own = 0xffffu64 << (tile.leaf * LEAF);
        let (apart, together) = match tile.pair.slots {
            Slots::All => (mask, 0),
            Slots::Later => (mask & ((1u64 << (tile.leaf * LEAF)) - 1), mask & own),
            Slots::Others => (mask & !own, mask & own),
        };
        let (list, n) = list_rows(apart);
        self.count_rows(simd, worker, tile, &lanes, &list[..n], false);
        if together != 0 {
            let (list, n) = list_rows(together);
            self.count_rows(simd, worker, tile, &lanes, &list[..n], true);
        }
    }

    /// The rows of the first block that come within reach of the leaf, one bit each; none when the leaf is out of reach.
    #[inline(always)]
    fn rows_in_reach<S: Simd>(
        &self,
        simd: S,
        rows: &Rows,
        tile: Tile,
        first: &Block,
        second: &Block,
    ) -> Option<u64> {
        let used = u64::MAX >> (BLOCK as u32 - first.n);
        if self.region.is_everything() {
            return Some(used);
        }
        let scale = self.first.layout.scale;
        let leaf = &second.leaves[tile.leaf];
        // The gap is computed like a difference; its error and the rounding of the comparison are allowed for.
        let slack = (self.error * 1.01) as f32;
        let across2 = (self.region.across2 * scale * scale * (1.0 + 1e-6)) as f32;
        let along = (self.region.along * scale * (1.0 + 1e-6)) as f32;
        let centre: [f32; 3] =
            std::array::from_fn(|k| leaf.centre[self.axes[k]] - tile.apart[self.axes[k]]);
        let half: [f32; 3] = std::array::from_fn(|k| leaf.half[self.axes[k]] + slack);
        let is_cylinder = self.region.axis().is_some();
        let mut near = 0u64;
        for quarter in 0..BLOCK / LANES {
            if quarter * LANES >= first.n as usize {
                break;
            }
            let x = gap(simd, &rows.offsets[0], quarter, centre[0], half[0]);
            let y = gap(simd, &rows.offsets[1], quarter, centre[1], half[1]);
            let z = gap(simd, &rows.offsets[2], quarter, centre[2], half[2]);
            let xy = simd.mul_add(y, y, simd.mul(x, x));
            let inside = if is_cylinder {
                simd.and(
                    simd.less(xy, simd.splat(across2)),
                    simd.less(z, simd.splat(along)),
                )
            } else {
                simd.less(simd.mul_add(z, z, xy), simd.splat(across2))
            };
            near |= u64::from(simd.mask_bits(inside)) << (quarter * LANES);
        }
        let near = near & used;
        (near != 0).then_some(near)
    }

    #[inline(always)]
    fn count_rows<S: Simd, H: Histogram>(
        &self,
        simd: S,
        worker: &mut Worker<H>,
        tile: Tile,
        lanes: &Lanes<S>,
        list: &[[u8; ROWS]],
        own: bool,
    ) {
        let factors = self.lane_factors(tile);
        let mut n_doubtful = 0;
        for &rows in list {
            let all = &worker.rows;
            let a = self.place_paired(simd, all, rows[0], lanes, own.then_some(tile));
            let b = self.place_paired(simd, all, rows[1], lanes, own.then_some(tile));
            let c = self.place_paired(simd, all, rows[2], lanes, own.then_some(tile));
            let d = self.place_paired(simd, all, rows[3], lanes, own.then_some(tile));
            let any = simd.or(simd.or(a.1, b.1), simd.or(c.1, d.1));
            if simd.mask_bits(any) != 0 {
                let doubtful = &mut worker.doubtful[n_doubtful];
                n_doubtful += 1;
                doubtful.rows = rows;
                doubtful.lanes[0] = simd.mask_bits(a.1);
                doubtful.lanes[1] = simd.mask_bits(b.1);
                doubtful.lanes[2] = simd.mask_bits(c.1);
                doubtful.lanes[3] = simd.mask_bits(d.1);
                simd.store_u(a.0, &mut doubtful.slots[0]);
                simd.store_u(b.0, &mut doubtful.slots[1]);
                simd.store_u(c.0, &mut doubtful.slots[2]);
                simd.store_u(d.0, &mut doubtful.slots[3]);
            }
            let factors = Factors {
                rows: &worker.rows.factors,
                lanes: factors,
            };
            worker
                .histogram
                .take(simd, [a.0, b.0, c.0, d.0], rows, factors);
        }
        if n_doubtful > 0 {
            self.decide(worker, tile, n_doubtful);
        }
    }

    #[inline(always)]
    fn lane_factors(&self, tile: Tile) -> &[f64; LANES] {
        let from = tile.pair.second * BLOCK + tile.leaf * LEAF;
        let factors = self.second.factors.get(from..);
        factors
            .and_then(<[f64]>::first_chunk)
            .unwrap_or(&[0.0; LANES])
    }

    /// Moves the doubtful pairs of a tile to where they belong.
    #[inline(never)]
    fn decide<H>(&self, worker: &mut Worker<H>, tile: Tile, n_doubtful: usize) {
        let n_second = self.second.layout.blocks[tile.pair.second].n as usize;
        for k in 0..n_doubtful * ROWS {
            let doubtful = &worker.doubtful[k / ROWS];
            let (row, slots) = (doubtful.rows[k % ROWS], doubtful.slots[k % ROWS]);
            let mut lanes = doubtful.lanes[k % ROWS];
            while lanes != 0 && row != PADDING {
                let lane = lanes.trailing_zeros() as usize;
                lanes &= lanes - 1;
                let in_second = tile.leaf * LEAF + lane;
                if in_second < n_second {
                    let pair = [
                        tile.pair.first * BLOCK + row as usize,
                        tile.pair.second * BLOCK + in_second,
                    ];
                    self.move_to_exact(worker, tile.pair, pair, slots[lane] as usize);
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
    fn count_exactly<H>(&self, worker: &mut Worker<H>, blocks: BlockPair) {
        blocks.for_each_pair(self.first.layout, self.second.layout, |i, j| {
            self.move_to_exact(worker, blocks, [i, j], self.n_slots);
        });
    }
}

/// Distances of sixteen rows from an interval, along one axis; 0 inside.
#[inline(always)]
fn gap<S: Simd>(simd: S, offsets: &[f32; 256], quarter: usize, centre: f32, half: f32) -> S::F {
    let x = simd.load(
        offsets[quarter * LANES..]
            .first_chunk()
            .unwrap_or(&[0.0; LANES]),
    );
    let apart = simd.abs(simd.sub(x, simd.splat(centre)));
    simd.max(simd.sub(apart, simd.splat(half)), simd.splat(0.0))
}
