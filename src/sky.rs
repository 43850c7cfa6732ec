//! Sky coordinates -> positions: (RA, Dec) in degrees, with a distance where there is one.
//!
//! Entry: [`unit_vectors`] for angles, [`positions`] for space. Values out of range are refused with their column and row, never
//! repaired; sines and cosines come from one implementation, so every machine derives the same bits.

use crate::error::{Error, SkyError};
use crate::particles::Points;

/// A named column, so that a refusal can say where a value stands.
#[derive(Debug, Clone, Copy)]
pub struct Column<'a> {
    /// Its name in the catalogue.
    pub name: &'a str,
    /// Its values.
    pub values: &'a [f64],
}

impl<'a> Column<'a> {
    /// A column called `name`.
    pub fn new(name: &'a str, values: &'a [f64]) -> Self {
        Self { name, values }
    }

    /// Checks every value.
    pub(crate) fn check(
        self,
        expected: &'static str,
        holds: impl Fn(f64) -> bool,
    ) -> Result<(), SkyError> {
        let Some(row) = self.values.iter().position(|&value| !holds(value)) else {
            return Ok(());
        };
        Err(SkyError::OutOfRange {
            column: self.name.to_owned(),
            row,
            value: self.values[row],
            expected,
        })
    }

    fn check_length(self, first: Self) -> Result<(), SkyError> {
        if self.values.len() == first.values.len() {
            return Ok(());
        }
        Err(SkyError::UnequalLengths {
            first: first.name.to_owned(),
            first_rows: first.values.len(),
            second: self.name.to_owned(),
            second_rows: self.values.len(),
        })
    }
}

/// The unit vector towards (RA, Dec) in degrees: `(cos d * cos a, cos d * sin a, sin d)`, angles times PI/180.
///
/// ```
/// assert_eq!(albireo::sky::unit_vector(0.0, 90.0)[2], 1.0);
/// ```
pub fn unit_vector(ra: f64, dec: f64) -> [f64; 3] {
    let (ra, dec) = (ra * RADIANS_PER_DEGREE, dec * RADIANS_PER_DEGREE);
    let across = libm::cos(dec);
    [
        across * libm::cos(ra),
        across * libm::sin(ra),
        libm::sin(dec),
    ]
}

const RADIANS_PER_DEGREE: f64 = std::f64::consts::PI / 180.0;

fn check_angles(ra: Column<'_>, dec: Column<'_>) -> Result<(), SkyError> {
    dec.check_length(ra)?;
    ra.check("a right ascension in [-360, 360] degrees", |v| {
        v.abs() <= 360.0
    })?;
    dec.check("a declination in [-90, 90] degrees", |v| v.abs() <= 90.0)
}

/// Unit vectors towards (RA, Dec), both in degrees, for angular counts.
///
/// RA may run over [0, 360), [-180, 180) or anything else within [-360, 360].
///
/// ```
/// use albireo::sky::{Column, unit_vectors};
/// let north = unit_vectors(Column::new("RA", &[0.0, 120.0]), Column::new("DEC", &[90.0, 90.0]))?;
/// assert_eq!(north.at(1)[2], 1.0);
/// let error = unit_vectors(Column::new("RA", &[0.0]), Column::new("DEC", &[91.5])).unwrap_err();
/// assert_eq!(error.to_string(), "DEC, row 0 (counting from 0): expected a declination in [-90, 90] degrees, found 91.5");
/// # Ok::<(), albireo::Error>(())
/// ```
///
/// # Errors
/// An angle out of range or NaN, columns of unequal length, or more rows than a sample can hold.
pub fn unit_vectors(ra: Column<'_>, dec: Column<'_>) -> Result<Points, Error> {
    check_angles(ra, dec)?;
    let direction = |row| unit_vector(ra.values[row], dec.values[row]);
    Ok(Points::from_fn(ra.values.len(), direction)?)
}

/// Cartesian positions at a distance along (RA, Dec) in degrees, in the unit of the distances: each component of the unit vector
/// times the distance.
///
/// ```
/// use albireo::sky::{Column, positions};
/// let (ra, dec, distance) = ([90.0], [0.0], [250.0]);
/// let galaxy = positions(Column::new("RA", &ra), Column::new("DEC", &dec), Column::new("DIST", &distance))?;
/// assert_eq!(galaxy.at(0)[1], 250.0);
/// # Ok::<(), albireo::Error>(())
/// ```
///
/// # Errors
/// An angle out of range, a distance that is negative, infinite or NaN, columns of unequal length, or more rows than a sample can
/// hold.
pub fn positions(ra: Column<'_>, dec: Column<'_>, distance: Column<'_>) -> Result<Points, Error> {
    check_angles(ra, dec)?;
    distance.check_length(ra)?;
    distance.check("a distance that is finite and not negative", |v| {
        v >= 0.0 && v.is_finite()
    })?;
    let position = |row| {
        let n = unit_vector(ra.values[row], dec.values[row]);
        n.map(|component| component * distance.values[row])
    };
    Ok(Points::from_fn(ra.values.len(), position)?)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refusal(ra: &[f64], dec: &[f64], distance: &[f64]) -> String {
        let column = Column::new;
        positions(
            column("RA", ra),
            column("DEC", dec),
            column("DIST", distance),
        )
        .unwrap_err()
        .to_string()
    }

    #[test]
    fn refusals_name_the_column_and_the_row() {
        assert_eq!(
            refusal(&[0.0, 361.0], &[0.0; 2], &[1.0; 2]),
            "RA, row 1 (counting from 0): expected a right ascension in [-360, 360] degrees, found 361"
        );
        assert_eq!(
            refusal(&[0.0], &[f64::NAN], &[1.0]),
            "DEC, row 0 (counting from 0): expected a declination in [-90, 90] degrees, found NaN"
        );
        assert_eq!(
            refusal(&[0.0], &[0.0], &[-1.0]),
            "DIST, row 0 (counting from 0): expected a distance that is finite and not negative, found -1"
        );
        assert_eq!(
            refusal(&[0.0], &[0.0], &[]),
            "columns of one sample must be equally long: RA has 1 rows, DIST has 0"
        );
    }

    #[test]
    fn ranges_are_closed() {
        let ra = [-360.0, -180.0, 0.0, 180.0, 360.0];
        let dec = [-90.0, -45.0, 0.0, 45.0, 90.0];
        let distance = [0.0, 1.0, 2.0, 3.0, 4.0];
        let column = Column::new;
        let placed =
            positions(column("a", &ra), column("d", &dec), column("r", &distance)).unwrap();
        assert_eq!(placed.at(0), [0.0, 0.0, -0.0]);
        assert_eq!(placed.at(4)[2], 4.0);
    }

    #[test]
    fn known_directions() {
        let near = |a: [f64; 3], b: [f64; 3]| (0..3).all(|k| (a[k] - b[k]).abs() < 1e-15);
        let half = 0.75f64.sqrt();
        assert!(near(unit_vector(0.0, 0.0), [1.0, 0.0, 0.0]));
        assert!(near(unit_vector(90.0, 0.0), [0.0, 1.0, 0.0]));
        assert!(near(unit_vector(-90.0, 30.0), [0.0, -half, 0.5]));
        assert!(near(unit_vector(180.0, -30.0), [-half, 0.0, -0.5]));
    }

    #[test]
    fn computed_unit_vectors_are_accepted_by_angular_counts() {
        let ra: Vec<f64> = (0..20_000).map(|k| f64::from(k) * 0.018 - 17.0).collect();
        let dec: Vec<f64> = (0..20_000).map(|k| f64::from(k) * 0.009 - 90.0).collect();
        let points = unit_vectors(Column::new("ra", &ra), Column::new("dec", &dec)).unwrap();
        let sample = crate::Particles::new(points);
        assert!(crate::Pairs::Auto(&sample).check_unit_vectors().is_ok());
    }
}
