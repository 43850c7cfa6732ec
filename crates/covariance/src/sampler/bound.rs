//! What no expectation of a pair farther apart than a distance exceeds.
//!
//! Entry: [`Bound`], and [`ShortBound`] for float32 squares in registers.

use albireo::Bins;
use albireo_simd::Simd;

/// Leading bits of the mantissa that cells tell apart, and the others of float64 and of float32.
const LEADING: u32 = 5;
const SHIFT: u32 = 52 - LEADING;
const SHORT_SHIFT: u32 = 23 - LEADING;

/// What squares of separations of float32 positions below 1 may exceed those of float64 by: their part, and beside it. Coordinates, the length of a box and
/// what is made of them are each rounded by 2^-23 at most: a difference is off by less than 3e-7, a distance r by less than e = 6e-7, and 2 r e is less than
/// r^2/1024 + 1024 e^2.
const PART: f32 = 1.0 - 1.0 / 512.0;
const BESIDE: f32 = 1e-9;

/// Distances below the reach over this share a cell.
const RANGE: f64 = 4096.0;

/// Bounds by the squared distance, cell by cell of its leading bits.
#[derive(Debug, Clone)]
pub(super) struct Bound {
    /// From here on it is 0.
    pub(super) reach2: f64,
    base: usize,
    cells: Vec<f64>,
}

/// The same of float32 squares, in the units of float32 positions.
#[derive(Debug, Clone)]
pub(super) struct ShortBound {
    base: u32,
    /// The bits of the bounds.
    cells: Vec<u32>,
}

impl ShortBound {
    /// Of positions that are `unit` times those of a bound.
    pub(super) fn new(bound: &Bound, unit: f64) -> Self {
        let leading = |square: f64| ((square * unit * unit) as f32).to_bits() >> SHORT_SHIFT;
        let base = leading(bound.reach2 / (RANGE * RANGE));
        let begin = |cell: u32| match cell - base {
            0 => 0.0,
            _ => f64::from(f32::from_bits(cell << SHORT_SHIFT)) / (unit * unit),
        };
        // The last one begins beyond the reach.
        let cells = base..=leading(bound.reach2) + 1;
        let rounded_up = |bound: f64| (bound * (1.0 + 1e-6)) as f32;
        let cells = cells.map(|cell| rounded_up(bound.from(begin(cell))).to_bits());
        Self {
            base,
            cells: cells.collect(),
        }
    }

    /// The bounds of pairs with these squared separations, of which each may be rounded.
    #[inline(always)]
    pub(super) fn from<S: Simd>(&self, simd: S, square: S::F) -> S::F {
        let part = simd.mul(square, simd.splat(PART));
        let least = simd.max(simd.sub(part, simd.splat(BESIDE)), simd.splat(0.0));
        let leading = simd.shift_right(simd.bits(least), SHORT_SHIFT);
        let cell = simd.sub_u(leading, simd.min_u(leading, simd.splat_u(self.base)));
        let cell = simd.min_u(cell, simd.splat_u(self.cells.len() as u32 - 1));
        simd.floats(simd.gather(&self.cells, cell))
    }
}

impl Bound {
    /// Of a function that bounds all distances between its arguments, 0 from `reach` on.
    pub(super) fn new(reach: f64, between: impl Fn(f64, f64) -> f64) -> Self {
        let leading = |square: f64| (square.to_bits() >> SHIFT) as usize;
        let reach2 = reach * reach * (1.0 + 1e-12);
        let base = leading(reach2 / (RANGE * RANGE));
        let begin = |cell: usize| match cell {
            0 => 0.0,
            _ => f64::from_bits(((base + cell) as u64) << SHIFT).sqrt() * (1.0 - 1e-12),
        };
        let cells = 0..=leading(reach2) - base;
        let ends = |cell: usize| (begin(cell), begin(cell + 1) * (1.0 + 4e-12));
        let mut cells: Vec<f64> = cells
            .map(|cell| between(ends(cell).0, ends(cell).1))
            .collect();
        for cell in (1..cells.len()).rev() {
            cells[cell - 1] = cells[cell].max(cells[cell - 1]);
        }
        Self {
            reach2,
            base,
            cells,
        }
    }

    /// The bound of all pairs that are as far apart as the root of a number, or farther.
    #[inline(always)]
    pub(super) fn from(&self, square: f64) -> f64 {
        if square < self.reach2 {
            let cell = ((square.to_bits() >> SHIFT) as usize).saturating_sub(self.base);
            self.cells[cell.min(self.cells.len() - 1)]
        } else {
            0.0
        }
    }

    /// Of the rates of pairs by their bin along the first axis.
    pub(super) fn of_pairs(bins: &Bins, rho: &[f64]) -> Self {
        let axes = bins.axes();
        let across = &axes[0].edges;
        let along = bins
            .as_rp_pi()
            .map_or(0.0, |bins| bins.pi_edges().largest());
        let end = |row: usize| across[row + 1].hypot(along) * (1.0 + 1e-9);
        let reach = end(rho.len() - 1).max(bins.reach().radius());
        Self::new(reach, |near, far| {
            let meets = |row: usize| end(row) >= near && across[row] <= far;
            let rows = rho.iter().enumerate().filter(|(row, _)| meets(*row));
            rows.fold(0.0, |largest, (_, rho)| rho.max(largest))
        })
    }
}
