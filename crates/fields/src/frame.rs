//! Positions as 64-bit fractions of a frame, and their separations.
//!
//! Entry: [`Frame`], one for a whole job. On a periodic axis the frame is the box, so that the difference of two fractions wraps as the
//! nearest image does; on an open one it is a power of two, four times as long as the farthest coordinate or more, so that nothing wraps.

use albireo::domain::{Axis, Domain, FARTHEST_IMAGE, Lattice, TURN, fraction_of};
use albireo::separation::norm2;
use albireo_simd::fixed_point::exponent;

use crate::error::{FieldError, Result};

/// A position in units of 2^-64 of the frame.
pub(crate) type Fractions = [u64; 3];

/// What `of` has for each axis. `[T; 3]::map` makes the compiler generate further functions for each closure; these are three calls.
#[inline(always)]
pub(crate) fn each_axis<T>(of: impl Fn(usize) -> T) -> [T; 3] {
    [of(0), of(1), of(2)]
}

/// What `of` has for each of the two parameters of a source.
#[inline(always)]
pub(crate) fn each_parameter<T>(of: impl Fn(usize) -> T) -> [T; 2] {
    [of(0), of(1)]
}

/// How positions become fractions.
#[derive(Debug, Clone, PartialEq)]
enum Cell {
    /// For each axis its period, or the power of two that fractions of an open one are made with.
    Aligned([Along; 3]),
    /// The reduced cell.
    Skewed(Lattice),
}

#[derive(Debug, Clone, Copy, PartialEq)]
enum Along {
    Period(f64),
    /// The frame is 2^k long.
    Open(i32),
}

/// The frame of a job.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Frame {
    cell: Cell,
    /// The vectors of the frame over 2^64: lengths on the diagonal where axes are its own.
    units: [[f64; 3]; 3],
}

impl Frame {
    /// The frame for positions of which no open coordinate is farther than `farthest` from the origin.
    pub(crate) fn new(domain: &Domain, farthest: [f64; 3]) -> Self {
        let open = |k: usize| Along::Open(exponent(farthest[k]) + 2);
        let along: [Along; 3] = match domain {
            Domain::Triclinic(lattice) => {
                let units = lattice.basis().map(|v| v.map(|c| c / TURN));
                let cell = Cell::Skewed(lattice.clone());
                return Self { cell, units };
            }
            Domain::Open => std::array::from_fn(open),
            Domain::Periodic(cell) => Axis::ALL.map(|axis| {
                let period = cell.length(axis).map(Along::Period);
                period.unwrap_or_else(|| open(axis.index()))
            }),
        };
        let mut units = [[0.0; 3]; 3];
        for (k, along) in along.iter().enumerate() {
            units[k][k] = match *along {
                Along::Period(length) => length / TURN,
                Along::Open(power) => libm::scalbn(1.0, power - 64),
            };
        }
        let cell = Cell::Aligned(along);
        Self { cell, units }
    }

    /// The units along the axes where the frame has theirs.
    pub(crate) fn aligned(&self) -> Option<[f64; 3]> {
        match self.cell {
            Cell::Aligned(_) => Some([0, 1, 2].map(|k| self.units[k][k])),
            Cell::Skewed(_) => None,
        }
    }

    /// The vectors of the frame over 2^64.
    #[cfg(feature = "cuda")]
    pub(crate) fn units(&self) -> &[[f64; 3]; 3] {
        &self.units
    }

    /// Whether each axis is periodic.
    pub(crate) fn periodic(&self) -> [bool; 3] {
        match &self.cell {
            Cell::Aligned(along) => along.map(|along| matches!(along, Along::Period(_))),
            Cell::Skewed(_) => [true; 3],
        }
    }

    /// The distance of opposite faces of the frame.
    pub(crate) fn heights(&self) -> [f64; 3] {
        match &self.cell {
            Cell::Aligned(_) => [0, 1, 2].map(|k| self.units[k][k] * TURN),
            Cell::Skewed(lattice) => {
                let column =
                    |k: usize| lattice.fractional([0, 1, 2].map(|j| f64::from(u8::from(j == k))));
                let inverse = [0, 1, 2].map(column);
                [0, 1, 2].map(|k| 1.0 / norm2(inverse.map(|column| column[k])).sqrt())
            }
        }
    }

    /// A coordinate as a fraction, on an axis that is the frame's own.
    pub(crate) fn fraction_along(&self, axis: usize, x: f64) -> Option<u64> {
        match &self.cell {
            Cell::Aligned(along) => match along[axis] {
                Along::Period(period) => fraction_of(x, period),
                Along::Open(power) => {
                    let scaled = libm::scalbn(x, 64 - power).round_ties_even();
                    Some((scaled as i64).cast_unsigned())
                }
            },
            Cell::Skewed(_) => None,
        }
    }

    /// A position as fractions.
    ///
    /// # Errors
    /// A position 2^40 boxes away.
    pub(crate) fn fractions(&self, x: [f64; 3]) -> Result<Fractions> {
        let far = || FieldError::Far { position: x };
        if let Cell::Skewed(lattice) = &self.cell {
            let s = lattice.fractional(x);
            if s.iter().any(|s| s.abs() > FARTHEST_IMAGE) {
                return Err(far());
            }
            return Ok(s.map(|s| (s * TURN).round_ties_even() as i128 as u64));
        }
        let mut fractions = [0; 3];
        for (axis, fraction) in fractions.iter_mut().enumerate() {
            *fraction = self.fraction_along(axis, x[axis]).ok_or_else(far)?;
        }
        Ok(fractions)
    }

    /// How far positions may be from where they were given, along an axis: half a unit of an open axis, two of a periodic one, and of a
    /// skewed cell the roundings of its inverse too.
    pub(crate) fn position_error(&self) -> f64 {
        let longest = self
            .units
            .as_flattened()
            .iter()
            .fold(0.0f64, |far, unit| far.max(unit.abs()));
        match self.cell {
            Cell::Aligned(_) => 2.0 * longest,
            Cell::Skewed(_) => longest * TURN * 64.0 * f64::EPSILON,
        }
    }

    /// Bound on the relative error of a squared separation in half units in the last place, for separations from `resolution` on.
    ///
    /// A component along an axis of its own is rounded when it becomes a float64 and when it is multiplied by its unit, its square once
    /// more and twice in the sum: 2 * 2 + 1 + 2. Those of a skewed cell are sums of three such, each rounded four times, of which
    /// little may be left.
    pub(crate) fn roundings(&self, resolution: f64) -> f64 {
        match self.cell {
            Cell::Aligned(_) => 8.0,
            Cell::Skewed(_) => {
                let all: f64 = self
                    .units
                    .as_flattened()
                    .iter()
                    .map(|unit| unit.abs() * TURN)
                    .sum();
                8.0 + 2.0 * 1.5 * 6.0 * all / resolution
            }
        }
    }
}

/// Some points that follow each other along an axis.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Stretch {
    /// In their middle.
    pub(crate) centre: u64,
    /// None of them is farther from it.
    pub(crate) half: f64,
}

/// The component `source - target` along an axis of the frame.
#[inline(always)]
pub(crate) fn component(unit: f64, source: u64, target: u64) -> f64 {
    source.wrapping_sub(target).cast_signed() as f64 * unit
}

/// Its square.
#[inline(always)]
pub(crate) fn square_along(unit: f64, source: u64, target: u64) -> f64 {
    let d = component(unit, source, target);
    d * d
}

/// The squared separation where axes are the frame's own.
#[cfg(test)]
pub(super) fn aligned_r2(units: [f64; 3], source: Fractions, target: Fractions) -> f64 {
    let [x, y, z] = [0, 1, 2].map(|k| square_along(units[k], source[k], target[k]));
    (x + y) + z
}

/// The images of a skewed cell whose separations may be within reach: n in {-1, 0, 1}^3, which in a reduced cell are all of them.
pub(crate) struct SkewedImages<'a> {
    units: &'a [[f64; 3]; 3],
    /// What a share of the cell may be at most, and a little more.
    most: [f64; 3],
}

impl<'a> SkewedImages<'a> {
    pub(crate) fn new(frame: &'a Frame, reach: f64) -> Self {
        let most = frame
            .heights()
            .map(|height| reach / height * (1.0 + 1e-6) * TURN);
        let units = &frame.units;
        Self { units, most }
    }

    /// What a separation may be along each axis at most, in units of 2^-64 of the frame.
    #[cfg(feature = "cuda")]
    pub(crate) fn most(&self) -> [f64; 3] {
        self.most
    }

    /// Hands the squared separation under each image in question to `take`.
    #[inline]
    pub(crate) fn each(&self, source: Fractions, target: Fractions, mut take: impl FnMut(f64)) {
        let straight = each_axis(|k| source[k].wrapping_sub(target[k]).cast_signed() as f64);
        let images = |k: usize| {
            let (straight, most) = (straight[k], self.most[k]);
            let at = move |n: i8| straight + f64::from(n) * TURN;
            [0i8, -1, 1]
                .into_iter()
                .map(at)
                .filter(move |f| f.abs() <= most)
        };
        for a in images(0) {
            for b in images(1) {
                for c in images(2) {
                    let along = |k: usize| {
                        (a * self.units[0][k] + b * self.units[1][k]) + c * self.units[2][k]
                    };
                    take(norm2([along(0), along(1), along(2)]));
                }
            }
        }
    }

    /// All 27, for the reference.
    pub(crate) fn all(frame: &'a Frame) -> Self {
        let units = &frame.units;
        let most = [f64::INFINITY; 3];
        Self { units, most }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use albireo::domain::PeriodicBox;

    #[test]
    fn differences_are_the_nearest_images() {
        let domain = Domain::Periodic(PeriodicBox::new([Some(10.0), Some(7.0), None]).unwrap());
        let frame = Frame::new(&domain, [0.0, 0.0, 30.0]);
        let units = frame.aligned().unwrap();
        for (x1, x2) in [
            ([0.5, 6.9, -29.0], [9.5, 0.2, 29.5]),
            ([3.0, 3.5, 1.0], [3.1, 0.1, 0.0]),
        ] {
            let fractions = |x| frame.fractions(x).unwrap();
            let found = aligned_r2(units, fractions(x1), fractions(x2));
            let expected = domain.separation(x1, x2).r2;
            assert!((found - expected).abs() < 1e-13 * expected.max(1.0));
        }
    }

    #[test]
    fn open_frames_hold_what_is_farthest() {
        for far in [1.0, 0.999, 1024.0, 1e-3] {
            let frame = Frame::new(&Domain::Open, [far; 3]);
            let (a, b) = (
                frame.fractions([far; 3]).unwrap(),
                frame.fractions([-far; 3]).unwrap(),
            );
            let r2 = aligned_r2(frame.aligned().unwrap(), a, b);
            assert!((r2 - 12.0 * far * far).abs() < 1e-14 * r2);
        }
    }
}
