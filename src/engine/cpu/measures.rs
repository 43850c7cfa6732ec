//! Rows, the points that they meet, and what a filter takes from each row of a tile, kept until all rows have it.

use albireo_simd::{ROWS, Simd};

use super::lists::PADDING;
use crate::binning::filter::{Filter, Measured, Placed};
use crate::traversal::{BLOCK, LEAF};

/// Rows of a block as the kernels read them: indexed by a byte.
#[derive(Debug)]
#[repr(C, align(64))] // Offsets come first, so that no register of them straddles two cache lines.
pub(super) struct Rows {
    pub(super) offsets: [[f32; 256]; 3],
    pub(super) factors: [f64; 256],
    /// The block they belong to.
    pub(super) block: usize,
}

impl Rows {
    pub(super) fn new() -> Box<Self> {
        Box::new(Self {
            offsets: [[0.0; 256]; 3],
            factors: [0.0; 256],
            block: usize::MAX,
        })
    }
}

/// A register of a leaf's points, seen from the centre of the first block, and the constant part of the line of sight.
pub(super) struct Lanes<S: Simd> {
    pub(super) x: [S::F; 3],
    pub(super) line: [S::F; 3],
    /// What an offset of a row adds to the line of sight.
    pub(super) line_row: S::F,
}

/// What the filter measured of the rows of a tile: for each register of the leaf's points, row by row.
#[repr(align(64))]
pub(super) struct Measures {
    numbers: [f32; LEAF * MOST_MEASURES * MOST_ROWS],
    /// Which rows they are, in fours; the last ones are [`PADDING`].
    rows: [[[u8; ROWS]; MOST_ROWS / ROWS]; REGISTERS],
    n_quads: [usize; REGISTERS],
}

/// Numbers that a filter measures of a pair, at most.
const MOST_MEASURES: usize = 3;

/// Rows of a register, padding included.
const MOST_ROWS: usize = BLOCK + 2 * ROWS;

/// Registers of a leaf, at most: none has fewer than four lanes.
const REGISTERS: usize = LEAF / 4;

/// The rows measured against one register of points.
pub(super) struct Register<'a> {
    numbers: &'a mut [f32],
    rows: &'a mut [u8],
    n_quads: &'a mut usize,
    n: usize,
}

/// Keeps the numbers of a row that the filter uses.
#[inline(always)]
fn store<S: Simd, F: Filter>(simd: S, measured: Measured<S>, to: &mut [f32]) {
    for (k, number) in measured.into_iter().enumerate().take(F::MEASURES) {
        simd.store(number, &mut to[k * S::LANES..]);
    }
}

impl Register<'_> {
    /// Keeps a row, or, unless `kept`, lets the next one take its place.
    #[inline(always)]
    pub(super) fn push<S: Simd, F: Filter>(
        &mut self,
        simd: S,
        row: u8,
        measured: Measured<S>,
        kept: bool,
    ) {
        let (at, width) = (self.n.min(MOST_ROWS - 1), F::MEASURES * S::LANES);
        self.rows[at] = row;
        store::<S, F>(simd, measured, &mut self.numbers[at * width..][..width]);
        self.n += usize::from(kept);
    }

    /// Fills the last four up with rows that measure `far`.
    #[inline(always)]
    pub(super) fn pad<S: Simd, F: Filter>(mut self, simd: S, far: Measured<S>) {
        *self.n_quads = self.n.div_ceil(ROWS);
        // As many as could be missing: a branch on their number would often be mispredicted.
        for _ in 1..ROWS {
            self.push::<S, F>(simd, PADDING, far, true);
        }
    }
}

impl Measures {
    pub(super) fn new() -> Box<Self> {
        Box::new(Self {
            numbers: [0.0; _],
            rows: [[[PADDING; ROWS]; _]; _],
            n_quads: [0; _],
        })
    }

    /// The registers of points in order, emptied.
    #[inline(always)]
    pub(super) fn registers<S: Simd, F: Filter>(&mut self) -> impl Iterator<Item = Register<'_>> {
        let numbers = self
            .numbers
            .chunks_exact_mut(F::MEASURES * S::LANES * MOST_ROWS);
        let rows = self.rows.iter_mut().zip(&mut self.n_quads);
        let rows = rows.take(LEAF / S::LANES);
        numbers
            .zip(rows)
            .map(|(numbers, (rows, n_quads))| Register {
                numbers,
                rows: rows.as_flattened_mut(),
                n_quads,
                n: 0,
            })
    }

    /// The rows measured against the points from number `part` on, in fours, and their numbers.
    #[inline(always)]
    pub(super) fn quads<S: Simd, F: Filter>(&self, part: usize) -> (&[[u8; ROWS]], &[f32]) {
        let register = part / S::LANES;
        let size = F::MEASURES * S::LANES * MOST_ROWS;
        let n_quads = self.n_quads[register];
        (
            &self.rows[register][..n_quads],
            &self.numbers[register * size..][..n_quads * ROWS * F::MEASURES * S::LANES],
        )
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
