//! Rows whose pairs with a leaf all lie in one bin: counted at once, without a look at any of these pairs.
//!
//! Entries: [`Small`] and [`WholeRows`], with which tiles look for them, for bins of the separation and counts alone. It pays where
//! leaves are small beside bins: dense samples, angles, the wide bins of logarithmic edges.
//!
//! # Why it is exact
//! What a filter measures of a pair is a chain of float32 operations, each of which rounds a function that grows, or falls, with each of its
//! operands; rounding keeps order. The box holds every offset of the leaf as it was rounded. The same operations on its corners nearest to a
//! row and farthest from it therefore give squares that those measured of all their pairs lie between. A filter that places a square in a
//! bin without doubt says that any separation measured so, or more, is not below the bin, and any measured so, or less, not beyond it:
//! its errors grow more slowly than squares. Both squares in one bin without doubt hold every pair in it.

use albireo_simd::{Factors, Histogram, Simd, Totals};

use super::reach::Facing;
use crate::binning::Form;
use crate::binning::filter::{Filter, Measured};
use crate::traversal::{LEAF, LeafBox};

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
    pub(super) fn holds(self, leaf: &LeafBox) -> bool {
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

    /// Where rows are put.
    #[inline(always)]
    pub(super) fn histogram(&mut self) -> &mut H {
        self.any = true;
        &mut self.histogram
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
pub(super) const NO_FACTORS: Factors<'static> = Factors {
    rows: &[0.0; 256],
    lanes: &[],
};

/// Covers the roundings of a leaf's box and of the offsets in it, relative to both: twice those of the centre, of an offset and of a corner.
const BOX_ROUNDINGS: f32 = 8.0 / 16_777_216.0;

/// The corners of a leaf as a row of the first block sees them: below and above every lane.
#[inline(always)]
pub(super) fn corners(leaf: &LeafBox, facing: &Facing) -> [[f32; 2]; 3] {
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

/// What a filter would measure of points at the corners of a box nearest to the rows from `at` on, and farthest from them.
#[inline(always)]
pub(super) fn bounds<S: Simd, F: Filter>(
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
