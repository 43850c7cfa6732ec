//! What a filter takes from each row of a tile, kept until all rows have it.

use super::tile::{Lanes, Rows};
use crate::binning::filter::{Filter, Measured, Placed};
use crate::simd::{ROWS, Simd};
use crate::traversal::{BLOCK, LEAF};

/// What the filter measured of each row of a tile: for each register of the leaf's points, row by row.
#[repr(align(64))]
pub(super) struct Measures([f32; LEAF * MOST_MEASURES * MOST_ROWS]);

/// Numbers that a filter measures of a pair, at most.
const MOST_MEASURES: usize = 3;

/// Rows of a list, its padding included.
const MOST_ROWS: usize = BLOCK + 2 * ROWS;

impl Measures {
    pub(super) fn new() -> Box<Self> {
        Box::new(Self([0.0; _]))
    }

    /// Those of the points from number `part` on.
    #[inline(always)]
    pub(super) fn part<S: Simd>(&self, part: usize, measures: usize) -> &[f32] {
        &self.0[part * measures * MOST_ROWS..][..S::LANES * measures * MOST_ROWS]
    }

    /// Those of the points from number `part` on, and those of the next register.
    #[inline(always)]
    pub(super) fn parts<S: Simd>(
        &mut self,
        part: usize,
        measures: usize,
    ) -> (&mut [f32], &mut [f32]) {
        self.0[part * measures * MOST_ROWS..].split_at_mut(S::LANES * measures * MOST_ROWS)
    }
}

/// What the filter measures of one row against the lanes.
#[inline(always)]
pub(super) fn measure<S: Simd, F: Filter>(
    simd: S,
    filter: F,
    rows: &Rows,
    row: u8,
    lanes: &Lanes<S>,
) -> Measured<S> {
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
    filter.measure(simd, d, l)
}

/// Keeps the numbers of a row that the filter uses.
#[inline(always)]
pub(super) fn store<S: Simd>(simd: S, measured: Measured<S>, to: &mut [f32]) {
    for (to, number) in to.chunks_exact_mut(S::LANES).zip(measured) {
        simd.store(number, to);
    }
}

/// Row `k` of four that were measured, placed.
#[inline(always)]
pub(super) fn place<S: Simd, F: Filter>(
    simd: S,
    filter: F,
    measured: &[f32],
    k: usize,
) -> Placed<S> {
    let last = F::MEASURES - 1;
    let of_row = &measured[k * F::MEASURES * S::LANES..][..F::MEASURES * S::LANES];
    let loaded = [
        simd.load(of_row),
        simd.load(&of_row[last.min(1) * S::LANES..]),
        simd.load(&of_row[last * S::LANES..]),
    ];
    filter.place(simd, loaded, k)
}
