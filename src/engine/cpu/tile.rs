//! The inner loops: the rows of one block against the lanes of one leaf.
//!
//! Every pair is counted at once in the slot that the filter gives; quads of rows with doubtful pairs are noted, and
//! [`super::doubt`] then moves those pairs to where the exact rule puts them.

use super::doubt::{Care, Slowly};
use super::lists::{ALL_ROWS, list_rows};
use crate::binning::filter::{Filter, SHORTEST_LINE};
use crate::simd::{Factors, Histogram, ROWS, Simd, Totals};
use crate::traversal::{BLOCK, Block, BlockPair, LEAF, Layout, Region, Slots};

/// Rows of a block as the kernels read them: indexed by a byte, with one far-away row after the last.
#[derive(Debug)]
pub(super) struct Rows {
    offsets: [[f32; 256]; 3],
    pub(super) factors: [f64; 256],
    /// The block they belong to.
    block: usize,
}

impl Rows {
    pub(super) fn new() -> Box<Self> {
        let mut rows = Box::new(Self {
            offsets: [[0.0; 256]; 3],
            factors: [0.0; 256],
            block: usize::MAX,
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

/// The region of a job in scaled float32, for leaving out rows: too large by its roundings, never too small.
#[derive(Debug, Clone, Copy)]
pub(super) struct Reach {
    across2: f32,
    along: f32,
    /// Added to gaps: the largest error of a difference within reach.
    slack: f32,
    is_cylinder: bool,
    is_everything: bool,
}

impl Reach {
    /// `error` bounds the error of a difference within reach, scaled.
    pub(super) fn new(region: &Region, scale: f64, error: f64) -> Self {
        Self {
            across2: (region.across2 * scale * scale * (1.0 + 1e-6)) as f32,
            along: (region.along * scale * (1.0 + 1e-6)) as f32,
            slack: (error * 1.01) as f32,
            is_cylinder: region.axis().is_some(),
            is_everything: region.is_everything(),
        }
    }

    /// Whether a point at these distances from a box is within reach.
    fn holds(&self, [x, y, z]: [f32; 3]) -> bool {
        let xy = x * x + y * y;
        if self.is_cylinder {
            return xy < self.across2 && z < self.along;
        }
        xy + z * z < self.across2
    }
}

/// Everything that stays the same for a job.
#[derive(Clone, Copy)]
pub(super) struct Job<'a, F> {
    pub(super) filter: F,
    pub(super) first: Side<'a>,
    pub(super) second: Side<'a>,
    pub(super) reach: Reach,
    pub(super) line: LineWeights,
    /// The order of the axes in which the fixed line of sight, if any, comes last.
    pub(super) axes: [usize; 3],
    pub(super) exact: &'a ExactRule<'a>,
    pub(super) n_slots: usize,
}

/// What one worker carries from tile to tile.
pub(super) struct Worker<H> {
    pub(super) histogram: H,
    pub(super) totals: Totals,
    pub(super) rows: Box<Rows>,
    pub(super) since_flush: u64,
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
        }
    }

    pub(super) fn flush(&mut self) {
        self.histogram.flush(&mut self.totals);
        self.since_flush = 0;
    }
}

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

/// A leaf of the second block against the first block.
#[derive(Clone, Copy)]
pub(super) struct Tile {
    pub(super) pair: BlockPair,
    pub(super) leaf: usize,
    apart: [f32; 3],
    line: [f32; 3],
}

/// A register of a leaf's points, seen from the centre of the first block, and the constant part of the line of sight.
pub(super) struct Lanes<S: Simd> {
    x: [S::F; 3],
    line: [S::F; 3],
    /// What an offset of a row adds to the line of sight.
    line_row: S::F,
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
        for leaf in 0..second.n_leaves() {
            self.count_leaf(simd, worker, &blocks, leaf);
        }
    }

    #[inline(always)]
    fn load_rows(&self, rows: &mut Rows, block: usize) {
        if rows.block == block {
            return;
        }
        rows.block = block;
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
    fn count_leaf<S: Simd, H: Histogram>(
        &self,
        simd: S,
        worker: &mut Worker<H>,
        blocks: &Blocks<'_>,
        leaf: usize,
    ) {
        let mask = self.rows_in_reach(simd, &worker.rows, blocks, leaf);
        let own = 0xffffu64 << (leaf * LEAF);
        let (apart, together) = match blocks.pair.slots {
            Slots::All => (mask, 0),
            Slots::Later => (mask & ((1u64 << (leaf * LEAF)) - 1), mask & own),
            Slots::Others => (mask & !own, mask & own),
        };
        let tile = Tile {
            pair: blocks.pair,
            leaf,
            apart: blocks.apart,
            line: blocks.line,
        };
        if apart == u64::MAX {
            self.count_rows(simd, worker, tile, &ALL_ROWS);
        } else if apart != 0 {
            let (list, n) = list_rows(apart);
            self.count_rows(simd, worker, tile, &list[..n]);
        }
        if together != 0 {
            let (list, n) = list_rows(together);
            simd.vectorize(Slowly {
                job: self,
                worker,
                tile,
                list: &list[..n],
                care: Care::Own,
            });
        }
    }

    /// The rows of the first block that come within reach of the leaf, one bit each.
    #[inline(always)]
    fn rows_in_reach<S: Simd>(
        &self,
        simd: S,
        rows: &Rows,
        blocks: &Blocks<'_>,
        leaf: usize,
    ) -> u64 {
        let used = u64::MAX >> (BLOCK as u32 - blocks.first.n);
        let leaf = &blocks.second.leaves[leaf];
        let (mut centre, mut half, mut farthest) = ([0.0; 3], [0.0; 3], [0.0; 3]);
        for k in 0..3 {
            centre[k] = leaf.centre[self.axes[k]] - blocks.apart[k];
            half[k] = leaf.half[self.axes[k]] + self.reach.slack;
            farthest[k] = (centre[k].abs() + blocks.half[k] - half[k]).max(0.0);
        }
        if self.reach.is_everything || self.reach.holds(farthest) {
            return used;
        }
        let mut near = 0u64;
        for at in (0..BLOCK).step_by(S::LANES) {
            let x = gap(simd, &rows.offsets[0][at..], centre[0], half[0]);
            let y = gap(simd, &rows.offsets[1][at..], centre[1], half[1]);
            let z = gap(simd, &rows.offsets[2][at..], centre[2], half[2]);
            let xy = simd.mul_add(y, y, simd.mul(x, x));
            let across2 = simd.splat(self.reach.across2);
            let inside = if self.reach.is_cylinder {
                let along = simd.less(z, simd.splat(self.reach.along));
                simd.and(simd.less(xy, across2), along)
            } else {
                simd.less(simd.mul_add(z, z, xy), across2)
            };
            near |= u64::from(simd.mask_bits(inside)) << at;
        }
        near & used
    }

    #[inline(always)]
    fn count_rows<S: Simd, H: Histogram>(
        &self,
        simd: S,
        worker: &mut Worker<H>,
        tile: Tile,
        list: &[[u8; ROWS]],
    ) {
        let filter = self.filter;
        for part in (0..LEAF).step_by(S::LANES) {
            let lanes = self.lanes(simd, tile, part);
            let factors = self.lane_factors(tile, part);
            let mut open = worker.histogram.open(simd);
            let mut doubtful = [[0; ROWS]; BLOCK / ROWS + 2];
            let mut n_doubtful = 0;
            for &rows in list {
                let all = &worker.rows;
                let a = place(simd, filter, all, rows[0], &lanes);
                let b = place(simd, filter, all, rows[1], &lanes);
                let c = place(simd, filter, all, rows[2], &lanes);
                let d = place(simd, filter, all, rows[3], &lanes);
                let sure = simd.min_u(simd.min_u(a.1, b.1), simd.min_u(c.1, d.1));
                let factors = Factors {
                    rows: &worker.rows.factors,
                    lanes: factors,
                };
                // Before the counting, which would keep what the test needs alive.
                if simd.mask_bits(simd.equal_u(sure, simd.splat_u(0))) != 0 {
                    doubtful[n_doubtful] = rows;
                    n_doubtful += 1;
                }
                let slots = [a.0, b.0, c.0, d.0];
                worker.histogram.take(simd, &mut open, slots, rows, factors);
            }
            worker.histogram.close(simd, open);
            if n_doubtful > 0 {
                simd.vectorize(Slowly {
                    job: self,
                    worker,
                    tile,
                    list: &doubtful[..n_doubtful],
                    care: Care::Doubtful(part),
                });
            }
        }
    }

    /// The points of a leaf from number `part` on.
    #[inline(always)]
    pub(super) fn lanes<S: Simd>(&self, simd: S, tile: Tile, part: usize) -> Lanes<S> {
        let zero = simd.splat(0.0);
        let mut lanes = Lanes {
            x: [zero; 3],
            line: [zero; 3],
            line_row: simd.splat(self.line.first as f32),
        };
        let all = &self.second.layout.offsets[tile.pair.second];
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

    #[inline(always)]
    pub(super) fn lane_factors(&self, tile: Tile, part: usize) -> &[f64] {
        let from = tile.pair.second * BLOCK + tile.leaf * LEAF;
        let factors = self.second.factors.get(from + part..from + LEAF);
        factors.unwrap_or(&[0.0; LEAF])
    }
}

/// The slots of one row against the lanes, and 0 where they are doubtful.
#[inline(always)]
pub(super) fn place<S: Simd, F: Filter>(
    simd: S,
    filter: F,
    rows: &Rows,
    row: u8,
    lanes: &Lanes<S>,
) -> (S::U, S::U) {
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
    filter.place(simd, d, l)
}

/// Distances of rows from an interval, along one axis; 0 inside.
#[inline(always)]
fn gap<S: Simd>(simd: S, offsets: &[f32], centre: f32, half: f32) -> S::F {
    let apart = simd.abs(simd.sub(simd.load(offsets), simd.splat(centre)));
    simd.max(simd.sub(apart, simd.splat(half)), simd.splat(0.0))
}
