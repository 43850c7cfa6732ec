//! Orthorhombic boxes, each axis periodic or open.

use super::{Axis, Image, Outside};
use crate::error::DomainError;
use crate::particles::{Extremes, Points};
use crate::pool;
use crate::separation::LARGEST;

/// Lengths of the periodic axes; positions on a periodic axis of length L lie in [0, L).
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct PeriodicBox {
    lengths: [Option<f64>; 3],
}

/// The minimum image of one component: subtract first, then shift.
#[inline]
fn nearest_on_axis(d: f64, length: f64) -> (f64, i8) {
    let half = length / 2.0;
    if d > half {
        (d - length, -1)
    } else if d < -half {
        (d + length, 1)
    } else {
        (d, 0)
    }
}

impl PeriodicBox {
    /// A box with a length for each periodic axis and `None` for each open one.
    ///
    /// # Errors
    /// A length that is not positive, or larger than 2^440.
    pub fn new(lengths: [Option<f64>; 3]) -> Result<Self, DomainError> {
        for (axis, length) in ['x', 'y', 'z'].into_iter().zip(lengths) {
            if let Some(length) = length
                && !(length > 0.0 && length <= LARGEST)
            {
                return Err(DomainError::Length { axis, length });
            }
        }
        Ok(Self { lengths })
    }

    /// A cube of side `length`, periodic on all axes.
    ///
    /// # Errors
    /// A length that is not positive, or larger than 2^440.
    pub fn cubic(length: f64) -> Result<Self, DomainError> {
        Self::new([Some(length); 3])
    }

    /// The length along `axis`, or none where the axis is open.
    #[inline]
    pub fn length(&self, axis: Axis) -> Option<f64> {
        self.lengths[axis.index()]
    }

    /// The lengths of all axes.
    pub fn lengths(&self) -> [Option<f64>; 3] {
        self.lengths
    }

    /// Product of the lengths, or none when an axis is open.
    pub fn volume(&self) -> Option<f64> {
        let [x, y, z] = self.lengths;
        Some(x? * y? * z?)
    }

    #[inline]
    pub(super) fn nearest(&self, mut d: [f64; 3]) -> ([f64; 3], Image) {
        let mut image = [0; 3];
        for axis in 0..3 {
            if let Some(length) = self.lengths[axis] {
                (d[axis], image[axis]) = nearest_on_axis(d[axis], length);
            }
        }
        (d, image)
    }

    pub(super) fn place(&self, points: Points, outside: Outside) -> Result<Points, DomainError> {
        let away = self.away(points.within());
        if !away.contains(&true) {
            return Ok(points);
        }
        if outside == Outside::Refuse {
            self.check_up_to(&points, |value, length| value <= length)?;
        }
        let lengths = self.lengths;
        let into_box = |mut x: [f64; 3]| {
            for (value, length) in x.iter_mut().zip(lengths) {
                if let Some(length) = length {
                    let wrapped = value.rem_euclid(length);
                    *value = if wrapped == length { 0.0 } else { wrapped };
                }
            }
            x
        };
        Ok(points.moved(away, into_box))
    }

    /// Along which axes coordinates may lie outside [0, length).
    fn away(&self, within: &Extremes) -> [bool; 3] {
        // The lowest coordinate of no point is infinite.
        let inside = |lo: f64, hi: f64, length: f64| lo > hi || (lo >= 0.0 && hi < length);
        std::array::from_fn(|k| {
            self.lengths[k].is_some_and(|length| !inside(within.lo[k], within.hi[k], length))
        })
    }

    pub(super) fn check(&self, points: &Points) -> Result<(), DomainError> {
        if self.away(points.within()).contains(&true) {
            self.check_up_to(points, |value, length| value < length)?;
        }
        Ok(())
    }

    /// Names the first position with a coordinate below 0, or for which `below(coordinate, length)` does not hold.
    fn check_up_to(
        &self,
        points: &Points,
        below: impl Fn(f64, f64) -> bool + Sync,
    ) -> Result<(), DomainError> {
        let outside = |x: [f64; 3]| {
            Axis::ALL.into_iter().find_map(|axis| {
                let (value, length) = (x[axis.index()], self.length(axis)?);
                let axis = ['x', 'y', 'z'][axis.index()];
                (!(value >= 0.0 && below(value, length))).then_some((axis, value, length))
            })
        };
        let view = points.view();
        let row = pool::first_row(points.len(), |row| outside(view.at(row)).is_some());
        match row.and_then(|row| Some((row, outside(view.at(row))?))) {
            None => Ok(()),
            Some((row, (axis, value, length))) => Err(DomainError::Outside {
                row,
                axis,
                value,
                length,
            }),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn placed(x: f64, outside: Outside) -> Result<f64, DomainError> {
        let points = Points::from_rows(&[[x, 0.0, 0.0]]).unwrap();
        let cell = PeriodicBox::cubic(0.3).unwrap();
        cell.place(points, outside).map(|p| p.at(0)[0])
    }

    #[test]
    fn subtract_first_then_shift() {
        let cell = PeriodicBox::cubic(0.3).unwrap();
        let mut neighbours = 0;
        for k in 1..60 {
            let (x1, x2) = (f64::from(k) * 0.001, 0.29);
            let (d, image) = cell.nearest([x1 - x2, 0.0, 0.0]);
            assert_eq!(d[0], (x1 - x2) + 0.3);
            assert_eq!(image, [1, 0, 0]);
            neighbours += u32::from(d[0] != (x1 + 0.3) - x2);
        }
        assert!(
            neighbours > 0,
            "shifting before subtracting must round differently somewhere"
        );
    }

    #[test]
    fn half_the_box_is_not_shifted() {
        let cell = PeriodicBox::cubic(2.0).unwrap();
        assert_eq!(cell.nearest([1.0, -1.0, 0.0]).0, [1.0, -1.0, 0.0]);
        let above = 1.0 + f64::EPSILON;
        assert_eq!(
            cell.nearest([above, -above, 0.0]).0[..2],
            [above - 2.0, 2.0 - above]
        );
    }

    #[test]
    fn the_upper_face_is_the_lower_one() {
        assert_eq!(placed(0.3, Outside::Refuse), Ok(0.0));
        assert_eq!(placed(0.3, Outside::Wrap), Ok(0.0));
    }

    #[test]
    fn outside_is_refused_with_its_row_or_wrapped() {
        assert_eq!(
            placed(-0.1, Outside::Refuse),
            Err(DomainError::Outside {
                row: 0,
                axis: 'x',
                value: -0.1,
                length: 0.3
            })
        );
        assert_eq!(placed(-0.1, Outside::Wrap), Ok((-0.1f64).rem_euclid(0.3)));
        // A tiny negative number wraps to L itself by rounding, which is 0.
        assert_eq!((-1e-20f64).rem_euclid(0.3), 0.3);
        assert_eq!(placed(-1e-20, Outside::Wrap), Ok(0.0));
    }

    #[test]
    fn open_axes_take_any_position() {
        let cell = PeriodicBox::new([Some(1.0), None, None]).unwrap();
        let points = Points::from_rows(&[[0.5, -7.0, 1e9]]).unwrap();
        assert!(cell.check(&points).is_ok());
        assert_eq!(cell.volume(), None);
    }

    #[test]
    fn lengths_are_positive_and_finite() {
        for length in [0.0, -1.0, f64::NAN, f64::INFINITY] {
            assert!(PeriodicBox::cubic(length).is_err());
        }
    }
}
