//! Where squares fall among squared edges: cells so small that each holds one edge at most, which one comparison then decides.
//!
//! Entry: [`Axis`]. A cell is found by arithmetic that rises with the square, so that every edge outside it is decided by the cell
//! alone; cells with more edges than one ask the rule.

use albireo_simd::Simd;

/// What a cell that the rule must be asked about has for slots.
pub(super) const ASK: i64 = u32::MAX as i64;

/// The most cells of an axis that are found by the leading bits of squares.
const MOST_CELLS: i64 = 1 << 14;

/// Bits of a square's fraction that are kept at most: far more than the margins of quotients leave apart.
const FINEST: u32 = 40;

/// From so many edges on that lie at equal distances, the nearest one is found by a root.
const MANY: usize = 128;

/// By how much the cosine's square, a quotient, and its product with an edge may differ at most, relative to either: far above their
/// roundings, far below the width of a cell.
const QUOTIENT: f64 = 1.0 / (1u64 << 46) as f64;

/// An edge, and the slots of squares below it and from it on.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Cell {
    pub(super) edge: f64,
    below: u32,
    above: u32,
}

impl Cell {
    /// The slot of a square that has reached the edge or not.
    #[inline(always)]
    pub(super) fn slot(&self, reached: bool) -> i64 {
        i64::from(if reached { self.above } else { self.below })
    }
}

/// How the cell of a square is found; every step rises with the square, as computed.
#[derive(Debug, Clone, Copy)]
enum Key {
    /// The pattern of the square without its last bits, from cell number 0 on.
    Bits {
        dropped: u32,
        first: i64,
        range: [f64; 2],
    },
    /// The number of the edge nearest to the root.
    Nearest {
        per_width: f64,
        offset: f64,
        last: f64,
    },
}

/// An axis of bins: squared coordinates -> slots.
#[derive(Debug)]
pub(super) struct Axis {
    key: Key,
    cells: Vec<Cell>,
    /// After how many cells those of coordinates below zero come; 0 where the sign does not matter.
    side: usize,
}

/// The edges on one side of zero: their squares, rising from above zero, and the slots before, between and after them.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Steps {
    pub(super) squares: Vec<f64>,
    pub(super) slots: Vec<u32>,
}

impl Steps {
    /// The same without the edges that part nothing.
    fn parting(&self) -> Self {
        let mut steps = Self {
            squares: vec![],
            slots: vec![self.slots[0]],
        };
        for (k, &square) in self.squares.iter().enumerate() {
            let slot = self.slots[k + 1];
            if steps.slots[steps.squares.len()] != slot {
                steps.squares.push(square);
                steps.slots.push(slot);
            }
        }
        steps
    }

    /// The cells from number `first` to `last`, and one that asks the rule; the square may be off by `margin` of itself.
    fn cells(&self, [first, last]: [i64; 2], dropped: u32, margin: f64) -> Vec<Cell> {
        if self.slots.is_empty() {
            return vec![];
        }
        let start = |cell: i64| f64::from_bits((cell << dropped).cast_unsigned());
        let cell = |number: i64| {
            let from = if number == first { 0.0 } else { start(number) };
            let to = if number == last {
                f64::INFINITY
            } else {
                start(number + 1)
            };
            let a = (self.squares).partition_point(|square| square * (1.0 + margin) < from);
            let b = (self.squares).partition_point(|square| square * (1.0 - margin) < to);
            match b - a {
                0 => Cell {
                    edge: 0.0,
                    below: self.slots[a],
                    above: self.slots[a],
                },
                1 => Cell {
                    edge: self.squares[a],
                    below: self.slots[a],
                    above: self.slots[b],
                },
                _ => ASKS,
            }
        };
        (first..=last).map(cell).chain([ASKS]).collect()
    }
}

/// The cell that asks the rule.
const ASKS: Cell = Cell {
    edge: 0.0,
    below: ASK as u32,
    above: ASK as u32,
};

/// No side.
const NONE: Steps = Steps {
    squares: vec![],
    slots: vec![],
};

impl Axis {
    /// The axis of exact squares, all of one sign.
    pub(super) fn across(steps: &Steps) -> Self {
        let nearest = Self::nearest(steps);
        if steps.squares.len() > MANY
            && let Some(nearest) = nearest
        {
            return nearest;
        }
        let bits = Self::bits([&steps.parting(), &NONE], 0.0);
        if bits.is_sparse() {
            bits
        } else {
            nearest.unwrap_or(bits)
        }
    }

    /// The axis of squared cosines or distances along the line of sight, at and above zero and, where the sign matters, below it. A
    /// `quotient` is off a little.
    pub(super) fn along(positive: &Steps, negative: Option<&Steps>, quotient: bool) -> Self {
        let margin = if quotient { QUOTIENT } else { 0.0 };
        let negative = negative.map_or(NONE, Steps::parting);
        Self::bits([&positive.parting(), &negative], margin)
    }

    /// Cells by leading bits: the widest that hold one edge each, or the smallest there may be.
    fn bits(sides: [&Steps; 2], margin: f64) -> Self {
        let squares = sides.iter().flat_map(|steps| &steps.squares);
        let ends = squares.fold([f64::INFINITY, 0.0], |[lo, hi], &square| {
            [lo.min(square), hi.max(square)]
        });
        let [lo, hi] = if ends[0] > ends[1] { [1.0; 2] } else { ends };
        let numbers = |kept: u32| {
            let number = |square: f64| (square.to_bits() >> (52 - kept)).cast_signed();
            [number(lo) - 1, number(hi) + 1]
        };
        let made = |kept: u32| {
            let (dropped, ends) = (52 - kept, numbers(kept));
            let [mut cells, negative] = sides.map(|steps| steps.cells(ends, dropped, margin));
            let side = if negative.is_empty() { 0 } else { cells.len() };
            cells.extend(negative);
            let range = ends.map(|cell| f64::from_bits((cell << dropped).cast_unsigned()));
            let key = Key::Bits {
                dropped,
                first: ends[0],
                range,
            };
            Self { key, cells, side }
        };
        let mut axis = made(0);
        for kept in 1..=FINEST {
            let [first, last] = numbers(kept);
            if axis.is_sparse() || last - first >= MOST_CELLS {
                break;
            }
            axis = made(kept);
        }
        axis
    }

    /// Whether no cell holds two edges.
    fn is_sparse(&self) -> bool {
        // The last of each side asks in any case.
        let ask = |cells: &[Cell]| {
            cells
                .iter()
                .filter(|cell| i64::from(cell.below) == ASK)
                .count()
        };
        let (one, other) = self.cells.split_at(self.side);
        ask(one) <= 1 && ask(other) <= 1
    }

    /// A cell around each edge, where they lie at equal distances.
    ///
    /// The root, its product and the difference rise with the square, as computed, and put edge k within a quarter of k. A square from
    /// edge k + 1 on is so put at k + 3/4 or above, and not nearest to k; likewise one below edge k - 1.
    fn nearest(steps: &Steps) -> Option<Self> {
        let n = steps.squares.len();
        let (first, last) = (steps.squares.first()?.sqrt(), steps.squares.last()?.sqrt());
        let per_width = (n - 1) as f64 / (last - first);
        let offset = first * per_width;
        if !(per_width.is_finite() && offset.is_finite()) {
            return None;
        }
        let equal = |(k, square): (usize, &f64)| {
            let at = square.sqrt() * per_width - offset;
            (at - k as f64).abs() <= 0.25
        };
        if !steps.squares.iter().enumerate().all(equal) {
            return None;
        }
        let cells = (0..n).map(|k| Cell {
            edge: steps.squares[k],
            below: steps.slots[k],
            above: steps.slots[k + 1],
        });
        Some(Self {
            key: Key::Nearest {
                per_width,
                offset,
                last: (n - 1) as f64,
            },
            cells: cells.collect(),
            side: 0,
        })
    }

    /// What takes the place of a square about which the rule is to be asked; of axes along the line of sight.
    pub(super) fn asks(&self) -> f64 {
        match self.key {
            Key::Bits { dropped, range, .. } => {
                let last = (range[1].to_bits() >> dropped) + 1;
                f64::from_bits(last << dropped)
            }
            Key::Nearest { .. } => f64::INFINITY,
        }
    }

    /// The range of squares that have cells: others are to be taken as the nearer end, no number as the upper one.
    pub(super) fn range(&self) -> [f64; 2] {
        match self.key {
            Key::Bits { range, .. } => range,
            Key::Nearest { .. } => [0.0, f64::INFINITY],
        }
    }

    /// Finds the keys of `squares`.
    #[inline(always)]
    pub(super) fn keys<S: Simd>(&self, simd: S, squares: &[f64], keys: &mut [i64]) {
        let lanes = (squares.chunks_exact(S::DOUBLES)).zip(keys.chunks_exact_mut(S::DOUBLES));
        match self.key {
            Key::Bits { dropped, range, .. } => {
                let (lo, hi) = (simd.splat_d(range[0]), simd.splat_d(range[1]));
                for (squares, keys) in lanes {
                    let within = simd.max_d(simd.min_d(simd.load_d(squares), hi), lo);
                    simd.store_keys(within, dropped, keys);
                }
            }
            Key::Nearest {
                per_width,
                offset,
                last,
            } => {
                let (per_width, offset) = (simd.splat_d(per_width), simd.splat_d(offset));
                let (zero, last) = (simd.splat_d(0.0), simd.splat_d(last));
                for (squares, keys) in lanes {
                    let root = simd.sqrt_d(simd.load_d(squares));
                    let at = simd.sub_d(simd.mul_d(root, per_width), offset);
                    let at = simd.max_d(simd.min_d(at, last), zero);
                    simd.store_rounded(at, 0, keys);
                }
            }
        }
    }

    /// Finds the keys of squares within the range, or that ask the rule; of axes along the line of sight.
    #[inline(always)]
    pub(super) fn keys_within<S: Simd>(&self, simd: S, squares: &[f64], keys: &mut [i64]) {
        let Key::Bits { dropped, .. } = self.key else {
            return;
        };
        let lanes = (squares.chunks_exact(S::DOUBLES)).zip(keys.chunks_exact_mut(S::DOUBLES));
        for (squares, keys) in lanes {
            simd.store_keys(simd.load_d(squares), dropped, keys);
        }
    }

    /// The key of the first cell, and all cells.
    #[inline(always)]
    pub(super) fn cells(&self) -> (i64, &[Cell]) {
        let first = match self.key {
            Key::Bits { first, .. } => first,
            Key::Nearest { .. } => 0,
        };
        (first, &self.cells)
    }

    /// After how many cells those of coordinates below zero come; 0 where the sign does not matter.
    #[inline(always)]
    pub(super) fn side(&self) -> usize {
        self.side
    }

    /// The slot of a square with a key, its edges multiplied by `scale`.
    pub(super) fn find(&self, key: i64, square: f64, scale: f64, negative: bool) -> i64 {
        let (first, cells) = self.cells();
        let cell = &cells[(key - first) as usize + usize::from(negative) * self.side];
        cell.slot(square >= cell.edge * scale)
    }
}
