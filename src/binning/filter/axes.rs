//! One coordinate in float32 -> bin or doubt: a fixed-point product for equal bins, a table for any others.

use super::{Edges, Filter, Rounding};
use crate::simd::{HALF_ULP, Simd};

/// The coordinate across, given squared.
pub(crate) trait AcrossAxis: Copy + Sync {
    /// First slot of the row that holds `square`, a number from `n_slots` up when none does, and 0 where that is doubtful.
    fn place<S: Simd>(&self, simd: S, square: S::F) -> (S::U, S::U);

    /// As [`AcrossAxis::place`], where the inverse root of the square is at hand.
    #[inline(always)]
    fn place_with_inverse_root<S: Simd>(&self, simd: S, square: S::F, _: S::F) -> (S::U, S::U) {
        self.place(simd, square)
    }
}

/// The coordinate along the line of sight.
pub(crate) trait AlongAxis: Copy + Sync {
    /// The bin that holds `value`, the number of bins or more when none does, and 0 where that is doubtful.
    fn place<S: Simd>(&self, simd: S, value: S::F) -> (S::U, S::U);
}

/// Bins read off a fixed-point number.
///
/// The position t of a pair, in bins from the first edge, is added to `M + eps` with `M = 2^(23-f)`, so that the low f bits of the
/// float hold the fraction of `t + eps` and the bits above its integer part. With |error of t| <= eps, a value whose fraction is at
/// least 2 eps lies at least `eps - |error|` from every edge, so its bin is the integer part. eps is a power of two: doubt is a
/// zero in the top fraction bits. Values below the first edge wrap to huge bins, values above the last one to bins from n up.
#[derive(Debug, Clone, Copy)]
pub(super) struct FixedPoint {
    base: u32,
    fraction_bits: u32,
    doubt: u32,
}

/// eps is at most this: beyond it most pairs would be doubtful.
const COARSEST_EPS: i32 = 3;

impl FixedPoint {
    /// The finest representation of `n` bins, with its `M + eps`; `error(M + eps)` bounds the error of t but for the last rounding.
    pub(super) fn new(n: usize, error: impl Fn(f64) -> f64) -> Option<(Self, f64)> {
        let fraction_bits = 23 - ((n + 2) as u32).next_power_of_two().ilog2() as i32;
        let whole = libm::scalbn(1.0, 23 - fraction_bits);
        for k in (COARSEST_EPS..fraction_bits).rev() {
            let eps = libm::scalbn(1.0, -k);
            let total = error(whole + eps) + libm::scalbn(0.5, -fraction_bits);
            if total * 1.01 <= eps {
                let fixed = Self {
                    base: (whole as f32).to_bits(),
                    fraction_bits: fraction_bits as u32,
                    doubt: ((1 << (k - 1)) - 1) << (fraction_bits - (k - 1)),
                };
                return Some((fixed, whole + eps));
            }
        }
        None
    }

    /// The bin of `t + M + eps`, and 0 where it is doubtful.
    #[inline(always)]
    pub(super) fn bin<S: Simd>(self, simd: S, t: S::F) -> (S::U, S::U) {
        let bits = simd.bits(t);
        let from_base = simd.sub_u(bits, simd.splat_u(self.base));
        let bin = simd.shift_right(from_base, self.fraction_bits);
        (bin, simd.and(bits, simd.splat_u(self.doubt)))
    }
}

/// Equal bins: `t = value/width - lo/width`.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Linear {
    scale: f32,
    bias: f32,
    fixed: FixedPoint,
}

impl Linear {
    /// Bins between (scaled) edges whose values are known within `error`; none if they are not equal or too fine.
    pub(super) fn new(edges: &[f64], error: f64) -> Option<Self> {
        let n = edges.len() - 1;
        let (lo, hi) = (edges[0], edges[n]);
        let width = (hi - lo) / n as f64;
        let uneven = (0..=n)
            .map(|k| (edges[k] - (lo + k as f64 * width)).abs() / width)
            .fold(0.0, f64::max);
        let scale = (1.0 / width) as f32;
        if !scale.is_finite() || scale == 0.0 {
            return None;
        }
        let largest = lo.abs().max(hi.abs()) + error;
        let known = uneven
            + error / width
            + (f64::from(scale) - 1.0 / width).abs() * largest
            // The product may be rounded before the sum.
            + HALF_ULP * largest / width;
        let bias = |magic: f64| magic - lo / width;
        let rounded = |bias: f64| (f64::from(bias as f32) - bias).abs();
        let (fixed, magic) = FixedPoint::new(n, |magic| known + rounded(bias(magic)))?;
        Some(Self {
            scale,
            bias: bias(magic) as f32,
            fixed,
        })
    }

    /// `value` is the coordinate times the power of two `factor`.
    #[inline(always)]
    fn bin<S: Simd>(&self, simd: S, value: S::F, factor: f32) -> (S::U, S::U) {
        let scale = simd.splat(self.scale / factor);
        let t = simd.mul_add(value, scale, simd.splat(self.bias));
        self.fixed.bin(simd, t)
    }
}

impl AlongAxis for Linear {
    #[inline(always)]
    fn place<S: Simd>(&self, simd: S, value: S::F) -> (S::U, S::U) {
        self.bin(simd, value, 1.0)
    }
}

/// Equal bins of a coordinate that is given squared.
#[derive(Debug, Clone, Copy)]
pub(crate) struct LinearRoot {
    linear: Linear,
}

impl LinearRoot {
    /// Bins between `edges`, if they are equal; `root_error` bounds the error of the root up to the last edge.
    pub(super) fn new(edges: &Edges, rounding: &Rounding, root_error: f64) -> Option<Self> {
        let scaled: Vec<f64> = edges.values().iter().map(|e| e * rounding.scale).collect();
        Some(Self {
            linear: Linear::new(&scaled, root_error)?,
        })
    }
}

impl AcrossAxis for LinearRoot {
    #[inline(always)]
    fn place<S: Simd>(&self, simd: S, square: S::F) -> (S::U, S::U) {
        self.linear.bin(simd, simd.root(square), S::ROOT_FACTOR)
    }

    #[inline(always)]
    fn place_with_inverse_root<S: Simd>(
        &self,
        simd: S,
        square: S::F,
        inverse_root: S::F,
    ) -> (S::U, S::U) {
        let root = simd.mul(square, inverse_root);
        self.linear.bin(simd, root, 1.0)
    }
}

/// Bins of another axis, each a row of slots.
#[derive(Debug, Clone, Copy)]
pub(crate) struct AsRows<A> {
    pub(super) axis: A,
    pub(super) n_bins: u32,
    pub(super) stride: u32,
}

impl<A> AsRows<A> {
    #[inline(always)]
    fn row<S: Simd>(&self, simd: S, (bin, sure): (S::U, S::U)) -> (S::U, S::U) {
        let row = simd.min_u(bin, simd.splat_u(self.n_bins));
        (simd.mul_u(row, simd.splat_u(self.stride)), sure)
    }
}

impl<A: AcrossAxis> AcrossAxis for AsRows<A> {
    #[inline(always)]
    fn place<S: Simd>(&self, simd: S, square: S::F) -> (S::U, S::U) {
        self.row(simd, self.axis.place(simd, square))
    }

    #[inline(always)]
    fn place_with_inverse_root<S: Simd>(
        &self,
        simd: S,
        square: S::F,
        inverse_root: S::F,
    ) -> (S::U, S::U) {
        let placed = self
            .axis
            .place_with_inverse_root(simd, square, inverse_root);
        self.row(simd, placed)
    }
}

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
    let bin = if below == 0 { n } else { (below - 1).min(n) };
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
    #[inline(always)]
    fn place<S: Simd>(&self, simd: S, square: S::F) -> (S::U, S::U) {
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
    #[inline(always)]
    fn place<S: Simd>(&self, simd: S, value: S::F) -> (S::U, S::U) {
        let t = simd.mul_add(value, simd.splat(self.scale), simd.splat(self.offset));
        let cell = simd.truncate(simd.max(t, simd.splat(0.0)));
        let cell = simd.min_u(cell, simd.splat_u(self.entries.len() as u32 - 1));
        let entry = simd.gather(self.entries, cell);
        (
            simd.and(entry, simd.splat_u(!SURE)),
            simd.and(entry, simd.splat_u(SURE)),
        )
    }
}

/// Bins in the separation alone.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Radial<A>(pub(super) A);

impl<A: AcrossAxis> Filter for Radial<A> {
    const LINE: bool = false;

    #[inline(always)]
    fn place<S: Simd>(&self, simd: S, d: [S::F; 3], _: [S::F; 3]) -> (S::U, S::U) {
        self.0.place(simd, super::square(simd, d))
    }
}
