//! Any bins of one coordinate, through tables whose cells lie in one bin or are doubtful.

use albireo_simd::{HALF_ULP, Simd};

use super::axes::{AcrossAxis, AlongAxis, FAR_SQUARE};
use super::{Edges, Rounding};

/// Any bins of a coordinate given squared, through a table over the leading bits of the square as a float.
///
/// The positive floats with the same leading bits form a cell. A cell is doubtful when an edge lies within the error of its
/// squares; otherwise all its squares belong to one row.
#[derive(Debug, Clone)]
pub(super) struct SquareTable {
    entries: Vec<u32>,
    floor: f32,
    base: u32,
    shift: u32,
}

/// The top bit of a table entry: its cell lies in one bin.
const SURE: u32 = 1 << 31;

/// Cells that a table may have: it should stay in the first-level cache.
const CELLS: usize = 4096;

/// The entry for a cell whose true coordinates lie between `lo` and `hi`, given the coordinates of the edges.
fn entry(edges: &[f64], lo: f64, hi: f64, stride: u32) -> u32 {
    let below = edges.partition_point(|&e| e <= lo);
    let n = edges.len() - 1;
    // Slots without a point lie where there is no upper end: in no bin, and nobody asks for their doubt.
    let bin = if below == 0 || hi == f64::INFINITY {
        n
    } else {
        (below - 1).min(n)
    };
    let place = bin as u32 * stride;
    let cut = edges.get(below).is_some_and(|&e| e <= hi);
    if cut { place } else { place | SURE }
}

impl SquareTable {
    /// Bins between `edges` as rows of `stride` slots; `square_error(v)` bounds the error of squares up to v^2, scaled.
    pub(super) fn new(
        edges: &Edges,
        rounding: &Rounding,
        square_error: &dyn Fn(f64) -> f64,
        stride: u32,
    ) -> Option<Self> {
        let squares: Vec<f64> = edges
            .squares()
            .iter()
            .map(|e2| e2 * rounding.scale * rounding.scale)
            .collect();
        let least = squares.iter().copied().find(|&e2| e2 > 0.0)?;
        let last = squares[squares.len() - 1];
        // Beyond that all is doubt, and slots without a point might not be far enough away.
        if square_error(last.sqrt()) > last {
            return None;
        }
        let (floor, ceiling) = (
            (least / 4.0) as f32,
            (last * 1.01 + square_error(last.sqrt()) * 2.0) as f32,
        );
        if !(floor >= f32::MIN_POSITIVE && ceiling.is_finite()) {
            return None;
        }
        let octaves = (ceiling.to_bits() >> 23) - (floor.to_bits() >> 23) + 1;
        let mantissa_bits = (CELLS as u32 / octaves).checked_ilog2()?.min(12);
        let shift = 23 - mantissa_bits;
        let base = floor.to_bits() >> shift << shift;
        let n_cells = (ceiling.to_bits() - base).div_ceil(1 << shift) + 1;
        let float = |cell: u32| f64::from(f32::from_bits(base + (cell << shift)));
        // A square is never below an edge of zero: the contract's squares are not negative.
        let sure: Vec<f64> = squares
            .iter()
            .map(|&e2| if e2 == 0.0 { f64::NEG_INFINITY } else { e2 })
            .collect();
        let entries = (0..n_cells).map(|cell| {
            let lo = if cell == 0 { 0.0 } else { float(cell) };
            let hi = if cell + 1 == n_cells {
                f64::INFINITY
            } else {
                float(cell + 1)
            };
            // Beyond the last edge the error may grow, but no cell there can reach back to it.
            let error = square_error(hi.min(2.0 * last).sqrt()) + hi.min(2.0 * last) * 1e-12;
            entry(
                &sure,
                lo - error,
                if hi < f64::INFINITY { hi + error } else { hi },
                stride,
            )
        });
        Some(Self {
            entries: entries.collect(),
            floor: f32::from_bits(base).max(f32::MIN_POSITIVE),
            base: base >> shift,
            shift,
        })
    }

    pub(super) fn view(&self) -> SquareTableView<'_> {
        SquareTableView {
            entries: &self.entries,
            floor: self.floor,
            base: self.base,
            shift: self.shift,
        }
    }
}

/// A [`SquareTable`] in use.
#[derive(Debug, Clone, Copy)]
pub(crate) struct SquareTableView<'a> {
    entries: &'a [u32],
    floor: f32,
    base: u32,
    shift: u32,
}

impl AcrossAxis for SquareTableView<'_> {
    const HAS_LEAST: bool = false;

    fn doubtful(&self) -> u32 {
        0
    }

    fn strides(&self, _: u32) -> bool {
        true
    }

    fn far(&self) -> f32 {
        FAR_SQUARE
    }

    #[inline(always)]
    fn place<S: Simd>(&self, simd: S, square: S::F, _: usize) -> (S::U, S::U) {
        let square = simd.max(square, simd.splat(self.floor));
        let cell = simd.sub_u(
            simd.shift_right(simd.bits(square), self.shift),
            simd.splat_u(self.base),
        );
        let cell = simd.min_u(cell, simd.splat_u(self.entries.len() as u32 - 1));
        let entry = simd.gather(self.entries, cell);
        (
            simd.and(entry, simd.splat_u(!SURE)),
            simd.and(entry, simd.splat_u(SURE)),
        )
    }
}

/// Any bins of a coordinate along the line of sight, through a table over equal cells.
#[derive(Debug, Clone)]
pub(super) struct GridTable {
    entries: Vec<u32>,
    scale: f32,
    offset: f32,
}

impl GridTable {
    /// Bins between (scaled) edges whose values are known within `error`.
    ///
    /// Cell 0 holds everything from two cells below the first edge down, the last one everything from two cells above the last edge
    /// up. The map to cells is off by at most four roundings of its largest term, which widens every cell.
    pub(super) fn new(edges: &[f64], error: f64) -> Self {
        let n = edges.len() - 1;
        let (lo, hi) = (edges[0], edges[n]);
        let n_cells = CELLS - 4;
        let width = (hi - lo) / n_cells as f64;
        let scale = (1.0 / width) as f32;
        let offset = (2.0 - lo / width) as f32;
        let rounded = 4.0 * HALF_ULP * (lo.abs().max(hi.abs()) / width + n_cells as f64) * width;
        let error = error + rounded;
        // Without signs a coordinate is never below an edge of zero.
        let sure: Vec<f64> = edges
            .iter()
            .map(|&e| {
                if e == 0.0 && lo == 0.0 {
                    f64::NEG_INFINITY
                } else {
                    e
                }
            })
            .collect();
        let entries = (0..CELLS).map(|cell| {
            let from = if cell == 0 {
                f64::NEG_INFINITY
            } else {
                lo + (cell as f64 - 2.0) * width - error
            };
            let to = if cell + 1 == CELLS {
                f64::INFINITY
            } else {
                lo + (cell as f64 - 1.0) * width + error
            };
            entry(&sure, from, to, 1)
        });
        Self {
            entries: entries.collect(),
            scale,
            offset,
        }
    }

    pub(super) fn view(&self) -> GridTableView<'_> {
        GridTableView {
            entries: &self.entries,
            scale: self.scale,
            offset: self.offset,
        }
    }
}

/// A [`GridTable`] in use.
#[derive(Debug, Clone, Copy)]
pub(crate) struct GridTableView<'a> {
    entries: &'a [u32],
    scale: f32,
    offset: f32,
}

impl AlongAxis for GridTableView<'_> {
    fn doubtful(&self) -> u32 {
        0
    }

    fn inside(&self) -> f32 {
        // A cell of the table that lies in one bin.
        let sure = self.entries.iter().position(|entry| entry & SURE != 0);
        (sure.unwrap_or(0) as f32 + 0.5 - self.offset) / self.scale
    }

    #[inline(always)]
    fn place<S: Simd>(&self, simd: S, value: S::F, factor: f32) -> (S::U, S::U) {
        let scale = simd.splat(self.scale / factor);
        let t = simd.mul_add(value, scale, simd.splat(self.offset));
        let cell = simd.truncate(simd.max(t, simd.splat(0.0)));
        let cell = simd.min_u(cell, simd.splat_u(self.entries.len() as u32 - 1));
        let entry = simd.gather(self.entries, cell);
        (
            simd.and(entry, simd.splat_u(!SURE)),
            simd.and(entry, simd.splat_u(SURE)),
        )
    }
}
