//! Boxes around points, and how near two of them come.

use rayon::prelude::*;

/// An axis-aligned box as its centre and half extents, rounded up so that it holds every point.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Bounds {
    pub(crate) centre: [f64; 3],
    pub(crate) half: [f64; 3],
}

/// The lesser of two numbers: one instruction, where `f64::min` takes several to mind what is no number.
#[inline]
pub(super) fn lesser<T: PartialOrd>(a: T, b: T) -> T {
    if a < b { a } else { b }
}

/// The greater of two numbers.
#[inline]
pub(super) fn greater<T: PartialOrd>(a: T, b: T) -> T {
    if a > b { a } else { b }
}

/// The least and the greatest of some numbers, found in eight lanes that need not wait for each other.
fn range(values: &[f64]) -> (f64, f64) {
    let (mut lo, mut hi) = ([f64::INFINITY; 8], [f64::NEG_INFINITY; 8]);
    let (eights, rest) = values.as_chunks::<8>();
    for x in eights {
        for k in 0..8 {
            lo[k] = lesser(x[k], lo[k]);
            hi[k] = greater(x[k], hi[k]);
        }
    }
    for &x in rest {
        lo[0] = lesser(x, lo[0]);
        hi[0] = greater(x, hi[0]);
    }
    let least = lo.into_iter().fold(f64::INFINITY, lesser);
    (least, hi.into_iter().fold(f64::NEG_INFINITY, greater))
}

impl Bounds {
    /// The box around points; a box at the origin when there is none.
    pub(crate) fn around(points: impl IntoIterator<Item = [f64; 3]>) -> Self {
        let (mut lo, mut hi) = ([f64::INFINITY; 3], [f64::NEG_INFINITY; 3]);
        for x in points {
            for axis in 0..3 {
                lo[axis] = lesser(x[axis], lo[axis]);
                hi[axis] = greater(x[axis], hi[axis]);
            }
        }
        Self::between(lo, hi)
    }

    /// The box around points given axis by axis.
    pub(crate) fn around_columns(columns: [&[f64]; 3]) -> Self {
        let range = |column: &[f64]| {
            let ranges = column.par_chunks(1 << 14).map(range);
            let none = || (f64::INFINITY, f64::NEG_INFINITY);
            ranges.reduce(none, |a, b| (lesser(a.0, b.0), greater(a.1, b.1)))
        };
        let [x, y, z] = columns.map(range);
        Self::between([x.0, y.0, z.0], [x.1, y.1, z.1])
    }

    /// The box around other boxes.
    pub(crate) fn around_all<'a>(boxes: impl IntoIterator<Item = &'a Self>) -> Self {
        let (mut lo, mut hi) = ([f64::INFINITY; 3], [f64::NEG_INFINITY; 3]);
        for b in boxes {
            for axis in 0..3 {
                lo[axis] = lo[axis].min(b.centre[axis] - b.half[axis]);
                hi[axis] = hi[axis].max(b.centre[axis] + b.half[axis]);
            }
        }
        Self::between(lo, hi)
    }

    fn between(lo: [f64; 3], hi: [f64; 3]) -> Self {
        if lo[0] > hi[0] {
            return Self {
                centre: [0.0; 3],
                half: [0.0; 3],
            };
        }
        let centre: [f64; 3] = std::array::from_fn(|k| 0.5 * lo[k] + 0.5 * hi[k]);
        let half = std::array::from_fn(|k| {
            let half = (hi[k] - centre[k]).max(centre[k] - lo[k]);
            half * (1.0 + 4.0 * f64::EPSILON)
        });
        Self { centre, half }
    }

    /// Largest half extent.
    pub(crate) fn largest_half(&self) -> f64 {
        self.half.into_iter().fold(0.0, f64::max)
    }

    /// Per axis, the distance between this box and `other` moved by `-shift`; 0 where they overlap.
    #[inline]
    pub(crate) fn gaps(&self, other: &Self, shift: [f64; 3]) -> [f64; 3] {
        std::array::from_fn(|k| {
            let apart = ((self.centre[k] - other.centre[k]) + shift[k]).abs();
            (apart - (self.half[k] + other.half[k])).max(0.0)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_and_rows_have_the_same_bounds() {
        for n in [0, 1, 7, 8, 9, (1 << 14) - 1, 1 << 14, (1 << 15) + 3] {
            let column = |m: usize| -> Vec<f64> {
                let value = |k: usize| ((k * m) % 32_771) as f64 - 1e4;
                (1..=n).map(value).collect()
            };
            let columns = [column(1), column(57), column(32_770)];
            let rows = (0..n).map(|row| [0, 1, 2].map(|axis| columns[axis][row]));
            let around = Bounds::around_columns([&columns[0], &columns[1], &columns[2]]);
            assert_eq!(around, Bounds::around(rows), "{n}");
        }
    }
}
