//! How far coordinates reach, and whether they are coordinates: one look at three columns, by all threads.
//!
//! Entry: [`look`] and [`Extremes`]. It names no row.

use super::column::{Column, View};
use crate::pool;
use crate::separation::LARGEST;

/// Lowest and highest coordinate along each axis; infinite, the wrong way round, where there is no position.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Extremes {
    pub(crate) lo: [f64; 3],
    pub(crate) hi: [f64; 3],
}

/// The lesser of two numbers: one instruction, where `f64::min` takes several to mind what is no number.
#[inline]
pub(crate) fn lesser<T: PartialOrd>(a: T, b: T) -> T {
    if a < b { a } else { b }
}

/// The greater of two numbers.
#[inline]
pub(crate) fn greater<T: PartialOrd>(a: T, b: T) -> T {
    if a > b { a } else { b }
}

/// Lowest and highest of some numbers, and whether all are coordinates: at most [`LARGEST`] by magnitude.
#[derive(Clone, Copy)]
pub(super) struct Look {
    lo: f64,
    hi: f64,
    pub(super) fine: bool,
}

impl Look {
    const NOTHING: Self = Self {
        lo: f64::INFINITY,
        hi: f64::NEG_INFINITY,
        fine: true,
    };

    /// A look at some numbers, in eight lanes that need not wait for each other.
    fn at(values: View<'_>) -> Self {
        const LANES: usize = 8;
        let mut lanes = [Self::NOTHING; LANES];
        if let Some(values) = values.as_slice() {
            let (eights, rest) = values.as_chunks::<LANES>();
            for x in eights {
                for k in 0..LANES {
                    lanes[k].take(x[k]);
                }
            }
            for &x in rest {
                lanes[0].take(x);
            }
        } else {
            for (k, x) in values.iter().enumerate() {
                lanes[k % LANES].take(x);
            }
        }
        lanes.into_iter().fold(Self::NOTHING, Self::join)
    }

    #[inline]
    fn take(&mut self, x: f64) {
        self.lo = lesser(x, self.lo);
        self.hi = greater(x, self.hi);
        self.fine &= x.abs() <= LARGEST;
    }

    fn join(self, other: Self) -> Self {
        Self {
            lo: lesser(other.lo, self.lo),
            hi: greater(other.hi, self.hi),
            fine: self.fine & other.fine,
        }
    }
}

/// One look at all coordinates, each column a stretch of rows at a time.
pub(super) fn look(columns: &[Column; 3]) -> [Look; 3] {
    let views = columns.each_ref().map(Column::view);
    pool::fold(
        columns[0].len(),
        |rows| views.map(|view| Look::at(view.rows(rows.clone()))),
        |a, b| std::array::from_fn(|axis| a[axis].join(b[axis])),
    )
}

/// The largest of some numbers by magnitude; 0 where there is none.
pub(crate) fn largest_magnitude(column: &Column) -> f64 {
    let view = column.view();
    let part = |rows| Look::at(view.rows(rows));
    let Look { lo, hi, .. } = pool::fold(column.len(), part, Look::join);
    greater(0.0, greater(hi, -lo))
}

impl Extremes {
    pub(super) fn of(looks: [Look; 3]) -> Self {
        Self {
            lo: looks.map(|look| look.lo),
            hi: looks.map(|look| look.hi),
        }
    }

    /// The largest coordinate by magnitude; 0 where there is none.
    pub(crate) fn farthest(&self) -> f64 {
        let ends = self.lo.into_iter().zip(self.hi);
        ends.filter(|(lo, hi)| lo <= hi)
            .fold(0.0, |far, (lo, hi)| greater(far, greater(-lo, hi)))
    }
}
