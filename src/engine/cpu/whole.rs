//! Rows whose pairs with a leaf all lie in one bin: counted at once, without a look at any of these pairs.
//!
//! Entry: [`Job::take_whole_rows`], for bins of the separation and counts alone. It pays where leaves are small beside bins: dense samples,
//! angles, the wide bins of logarithmic edges.
//!
//! # Why it is exact
//! What a filter measures of a pair is a chain of float32 operations, each of which rounds a function that grows, or falls, with each of its
//! operands; rounding keeps order. The box holds every offset of the leaf as it was rounded. The same operations on its corners nearest to a
//! row and farthest from it therefore give squares that those measured of all their pairs lie between. A filter that places a square in a
//! bin without doubt says that any separation measured so, or more, is not below the bin, and any measured so, or less, not beyond it:
//! its errors grow more slowly than squares. Both squares in one bin without doubt hold every pair in it.

use super::reach::Facing;
use super::worker::{Job, Tile, Worker};
use crate::binning::Form;
use crate::binning::filter::{Filter, Measured, doubts};
use crate::simd::{Factors, Histogram, ROWS, Simd, Totals};
use crate::traversal::{BLOCK, LEAF, LeafBox, Slots};

/// Leaves whose rows are worth a look.
#[derive(Debug, Clone, Copy)]
pub(super) struct Small {
    /// What the square of a leaf's half diagonal is less than, scaled.
    half2: f32,
}

/// A leaf's diagonal as a part of the widest bin up to which enough rows fit to pay for the look at all.
const FITS: f64 = 0.5;

impl Small {
    /// Leaves that are small beside the widest bin of a form; none where bins are not those of the separation.
    pub(super) fn beside(form: &Form<'_>, scale: f64) -> Self {
        let widest = match form {
            Form::Radial { r } => r
                .values()
                .windows(2)
                .map(|e| e[1] - e[0])
                .fold(0.0, f64::max),
            _ => 0.0,
        };
        let half = 0.5 * FITS * widest * scale;
        Self {
            half2: (half * half) as f32,
        }
    }

    #[inline(always)]
    fn holds(self, leaf: &LeafBox) -> bool {
        let [x, y, z] = leaf.half;
        x * x + y * y + z * z < self.half2
    }
}

/// Rows that were counted whole: a histogram of them, each as many pairs as a leaf has points.
pub(super) struct WholeRows<H> {
    histogram: H,
    totals: Totals,
    any: bool,
}

impl<H: Histogram> WholeRows<H> {
    pub(super) fn new(histogram: H, n_slots: usize) -> Self {
        Self {
            histogram,
            totals: Totals {
                pairs: vec![0; n_slots],
                products: vec![],
            },
            any: false,
        }
    }

    /// Adds the pairs of the rows to `totals`.
    pub(super) fn flush(&mut self, totals: &mut Totals) {
        if !std::mem::take(&mut self.any) {
            return;
        }
        self.histogram.flush(&mut self.totals);
        for (total, rows) in totals.pairs.iter_mut().zip(&mut self.totals.pairs) {
            let pairs = std::mem::take(rows).wrapping_mul(LEAF as u64);
            *total = total.wrapping_add(pairs);
        }
    }
}

/// No factors: rows are counted.
const NO_FACTORS: Factors<'static> = Factors {
    rows: &[0.0; 256],
    lanes: &[],
};

/// Covers the roundings of a leaf's box and of the offsets in it, relative to both: twice those of the centre, of an offset and of a corner.
const BOX_ROUNDINGS: f32 = 8.0 / 16_777_216.0;

/// The corners of a leaf as a row of the first block sees them: below and above every lane.
#[inline(always)]
fn corners(leaf: &LeafBox, facing: &Facing) -> [[f32; 2]; 3] {
    let mut corners = [[0.0; 2]; 3];
    for (k, ends) in corners.iter_mut().enumerate() {
        let axis = facing.axes[k];
        let (centre, half, apart) = (leaf.centre[axis], leaf.half[axis], facing.apart[k]);
        let slack = (centre.abs() + half) * BOX_ROUNDINGS;
        *ends = [
            (centre - half) - slack - apart,
            (centre + half) + slack - apart,
        ];
    }
    corners
}

impl<F: Filter> Job<'_, F> {
    /// Whether it pays to look for rows that lie in one bin as a whole.
    #[inline(always)]
    pub(super) fn looks_for_whole_rows<H: Histogram>(&self, tile: Tile) -> bool {
        let block = &self.second.layout.blocks[tile.pair.second];
        let is_full = block.n as usize >= (tile.leaf + 1) * LEAF;
        F::OF_SEPARATIONS && H::COUNTS && is_full && self.small.holds(&block.leaves[tile.leaf])
    }

    /// Counts the rows whose pairs with a leaf lie in one bin; the others that come within reach of it, one bit each.
    #[inline(always)]
    pub(super) fn take_whole_rows<S: Simd, H: Histogram>(
        &self,
        simd: S,
        worker: &mut Worker<H>,
        tile: Tile,
        facing: &Facing,
    ) -> u64 {
        let leaf = &self.second.layout.blocks[tile.pair.second].leaves[tile.leaf];
        let corners = corners(leaf, facing);
        let (filter, offsets) = (self.filter, &worker.rows.offsets);
        let Some(rows) = &mut worker.whole else {
            return u64::MAX;
        };
        rows.any = true;
        let mut open = rows.histogram.open(simd, [0, 0]);
        let mut rest = 0;
        for first in (0..BLOCK).step_by(ROWS * S::LANES) {
            let mut slots = [simd.splat_u(u32::MAX); ROWS];
            for (k, slots) in slots.iter_mut().enumerate() {
                let at = first + k * S::LANES;
                let [near, far] = bounds(simd, &filter, offsets, corners, at);
                let mut near_rows = simd.mask_bits(self.reach.holds_each(simd, near));
                let met = match tile.pair.slots {
                    Slots::All => true,
                    Slots::Later => at < tile.leaf * LEAF,
                    Slots::Others => at / LEAF != tile.leaf,
                };
                if met {
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
            (rows.histogram).take(simd, &mut open, slots, numbers, NO_FACTORS);
        }
        rows.histogram.close(simd, open, NO_FACTORS);
        rest & (u64::MAX >> (BLOCK as u32 - facing.n))
    }
}

/// What a filter would measure of points at the corners of a box nearest to the rows from `at` on, and farthest from them.
#[inline(always)]
fn bounds<S: Simd, F: Filter>(
    simd: S,
    filter: &F,
    offsets: &[[f32; 256]; 3],
    corners: [[f32; 2]; 3],
    at: usize,
) -> [Measured<S>; 2] {
    let zero = simd.splat(0.0);
    let (mut near, mut far) = ([zero; 3], [zero; 3]);
    for k in 0..3 {
        let row = simd.load(&offsets[k][at..]);
        let above = simd.sub(row, simd.splat(corners[k][1]));
        let below = simd.sub(simd.splat(corners[k][0]), row);
        near[k] = simd.max(simd.max(above, below), zero);
        far[k] = simd.max(simd.abs(above), simd.abs(below));
    }
    [
        filter.measure(simd, near, [zero; 3]),
        filter.measure(simd, far, [zero; 3]),
    ]
}
