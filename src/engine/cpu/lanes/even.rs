//! Bins at equal distances, found from the root in lanes: no memory is looked up unless a pair lies next to an edge.
//!
//! Entry: [`Even`].

use albireo_simd::{MOST_LANES, ROUNDING, Simd};

use super::batch::Batch;
use super::sums::Shape;
use crate::binning::Edges;

/// Edges at equal distances: edge k lies at k of a scale that is linear in the root.
///
/// The root, its product and the difference rise with the square, as computed: a square at more than k + `clear`, where edge k lies
/// at most, has reached edge k, and one below k - `clear` has not.
#[derive(Debug, Clone, Copy)]
pub(super) struct Even {
    per_width: f64,
    offset: f64,
    /// How far from their numbers the edges are put at most.
    clear: f64,
    /// The number of the last edge.
    last: f64,
    unit: f64,
    nowhere: f64,
}

/// More than this off its number, and an edge is not at an equal distance from the others.
const MOST_OFF: f64 = 1e-6;

impl Even {
    /// None where the edges do not lie at equal distances.
    pub(super) fn new(edges: &Edges, shape: &Shape) -> Option<Self> {
        let n = edges.n_bins();
        let per_width = n as f64 / (edges.last() - edges.first());
        let offset = edges.first() * per_width;
        let off = |(k, square): (usize, &f64)| {
            let at = square.sqrt() * per_width - offset;
            (at - k as f64).abs()
        };
        let clear = edges
            .squares()
            .iter()
            .enumerate()
            .map(off)
            .fold(0.0, f64::max);
        let even = per_width.is_finite() && offset.is_finite() && clear <= MOST_OFF;
        even.then(|| Self {
            per_width,
            offset,
            clear,
            last: n as f64,
            unit: shape.unit() as f64,
            nowhere: shape.slot(None) as f64,
        })
    }

    /// Finds the slots of a batch, and its roots; false where a pair lies too near to an edge, and slots are not sure.
    #[inline(always)]
    pub(super) fn slots<S: Simd>(&self, simd: S, batch: &mut Batch) -> bool {
        let (per_width, offset) = (simd.splat_d(self.per_width), simd.splat_d(self.offset));
        // Nothing lies nearer than half a bin to an edge beyond the ends; an end itself is as near as it is.
        let (lo, hi) = (simd.splat_d(-0.5), simd.splat_d(self.last + 0.5));
        let (zero, one) = (simd.splat_d(0.0), simd.splat_d(1.0));
        let (unit, nowhere) = (simd.splat_d(self.unit), simd.splat_d(self.nowhere));
        let rounding = simd.splat_d(ROUNDING);
        let mut nearest = one;
        for at in (0..batch.n_pairs()).step_by(S::DOUBLES) {
            let root = simd.sqrt_d(simd.load_d(&batch.across[at..]));
            simd.store_d(root, &mut batch.root[at..]);
            let place = simd.sub_d(simd.mul_d(root, per_width), offset);
            let place = simd.max_d(simd.min_d(place, hi), lo);
            let edge = simd.sub_d(simd.add_d(place, rounding), rounding);
            let past = simd.sub_d(place, edge);
            nearest = simd.min_d(nearest, simd.max_d(past, simd.sub_d(zero, past)));
            let bin = simd.select_d(simd.less_d(past, zero), simd.sub_d(edge, one), edge);
            let slot = simd.mul_d(bin, unit);
            let slot = simd.select_d(simd.less_d(slot, zero), nowhere, simd.min_d(slot, nowhere));
            simd.store_rounded(slot, 0, &mut batch.slots[at..]);
        }
        let mut lanes = [1.0; MOST_LANES];
        simd.store_d(nearest, &mut lanes);
        lanes.iter().all(|&lane| lane > self.clear)
    }
}
