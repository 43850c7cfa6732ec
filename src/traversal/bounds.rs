//! Boxes around points, and how near two of them come.

use crate::particles::{Points, greater, lesser};

/// An axis-aligned box as its centre and half extents, rounded up so that it holds every point.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Bounds {
    pub(crate) centre: [f64; 3],
    pub(crate) half: [f64; 3],
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

    /// The box around all points of a sample.
    pub(crate) fn of(points: &Points) -> Self {
        let extremes = points.extremes();
        Self::between(extremes.lo, extremes.hi)
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
        for n in [0, 1, 7, 8, 9, (1 << 16) - 1, 1 << 16, (1 << 17) + 3] {
            let value = |k: usize, m: usize| ((k * m) % 32_771) as f64 - 1e4;
            let rows: Vec<[f64; 3]> = (1..=n)
                .map(|k| [1, 57, 32_770].map(|m| value(k, m)))
                .collect();
            let table = ndarray::Array2::from_shape_fn((n, 3), |(row, axis)| rows[row][axis]);
            for points in [Points::from_rows(&rows), Points::try_from(table)] {
                let points = points.unwrap();
                assert_eq!(Bounds::of(&points), Bounds::around(rows.clone()), "{n}");
                let part = points.rows(n / 3..n / 2);
                let around = Bounds::around(rows[n / 3..n / 2].to_vec());
                assert_eq!(Bounds::of(&part), around, "{n}");
            }
        }
    }
}
