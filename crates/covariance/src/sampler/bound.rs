//! What no expectation of a pair farther apart than a distance exceeds.
//!
//! Entry: [`Bound`].

use albireo::Bins;

/// Bits of the mantissa that cells do not tell apart.
const SHIFT: u32 = 52 - 5;

/// Distances below the reach over this share a cell.
const RANGE: f64 = 4096.0;

/// Bounds by the squared distance, cell by cell of its leading bits.
#[derive(Debug, Clone)]
pub(super) struct Bound {
    /// From here on it is 0.
    pub(super) reach2: f64,
    base: usize,
    cells: Vec<f64>,
    /// Of the distances of each cell alone.
    inside: Vec<f64>,
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
        let inside: Vec<f64> = cells
            .map(|cell| between(ends(cell).0, ends(cell).1))
            .collect();
        let mut cells = inside.clone();
        for cell in (1..cells.len()).rev() {
            cells[cell - 1] = cells[cell].max(cells[cell - 1]);
        }
        Self {
            reach2,
            base,
            cells,
            inside,
        }
    }

    /// The bound of all pairs that are as far apart as the root of a number, or farther.
    #[inline(always)]
    pub(super) fn from(&self, square: f64) -> f64 {
        self.look_up(&self.cells, square)
    }

    /// The bound of pairs at a squared distance.
    #[inline(always)]
    pub(super) fn at(&self, square: f64) -> f64 {
        self.look_up(&self.inside, square)
    }

    #[inline(always)]
    fn look_up(&self, cells: &[f64], square: f64) -> f64 {
        if square < self.reach2 {
            let cell = ((square.to_bits() >> SHIFT) as usize).saturating_sub(self.base);
            cells[cell.min(cells.len() - 1)]
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
