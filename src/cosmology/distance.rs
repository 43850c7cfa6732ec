//! Comoving distances along the line of sight, one at a time or a column at once.

#![allow(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "cells of a table within its range"
)]

use super::{Cosmology, HUBBLE_DISTANCE};
use crate::error::{Error, SkyError};
use crate::pool;
use crate::quadrature::GaussLegendre;
use crate::sky::Column;

/// Width in `ln(1+z)` of a cell of the table, a power of two.
const CELL: f64 = 1.0 / 1024.0;

/// Largest relative error of a cell's cubic before the cell goes back to quadrature.
const TOLERANCE: f64 = 1e-11;

/// Widest panel of direct quadrature in `ln(1+z)`.
const PANEL: f64 = 1.0 / 16.0;

/// The distance as a function of `u = ln(1+z)`, by quadrature.
struct Curve<'a> {
    cosmology: &'a Cosmology,
    rule: GaussLegendre,
}

/// The curve as a piecewise cubic with exact values and slopes at the cell ends.
///
/// Cells lie at multiples of [`CELL`] for any largest redshift, so the distance of a galaxy depends on the cosmology and
/// its own redshift only.
struct Table<'a> {
    curve: Curve<'a>,
    cells: Vec<Cell>,
}

#[derive(Clone, Copy)]
struct Cell {
    /// `ln(1+z)` at the lower end.
    lower_end: f64,
    /// Distance at the lower end, Mpc/h.
    value: f64,
    /// `distance - value = ((c t + b) t + a) t` at fraction t of the cell; none where that is not accurate enough.
    cubic: Option<[f64; 3]>,
}

impl Cosmology {
    /// The comoving distance along the line of sight, Mpc/h: `c/H0` times the integral of `1/E` from 0 to z.
    ///
    /// Relative error at most 1e-10. In a curved universe this is the distance along the line of sight, not the transverse one, as pair
    /// counters use it. The value is bit for bit that of [`Cosmology::distances`]. Hogg 1999, arXiv:astro-ph/9905116, eq. 15.
    ///
    /// # Errors
    /// A redshift that is not finite and above -1, or beyond the bounce of a universe without a beginning.
    pub fn distance(&self, z: f64) -> Result<f64, SkyError> {
        self.e(z)?;
        let distance = Curve::new(self).distance(z);
        if distance.is_finite() {
            Ok(distance)
        } else {
            Err(SkyError::NoExpansion { z })
        }
    }

    /// The comoving distances of a column of redshifts, Mpc/h, as [`Cosmology::distance`] gives them.
    ///
    /// ```
    /// use albireo::{cosmology::Cosmology, sky::Column};
    /// let distances = Cosmology::flat(1.0)?.distances(Column::new("Z", &[0.0, 3.0]))?;
    /// assert_eq!(distances[0], 0.0);
    /// assert!((distances[1] / 2997.92458 - 1.0).abs() < 1e-10);
    /// # Ok::<(), albireo::Error>(())
    /// ```
    ///
    /// # Errors
    /// A redshift that is not finite and above -1 (column and row are named), or beyond the bounce of a universe without a
    /// beginning.
    pub fn distances(&self, redshifts: Column<'_>) -> Result<Vec<f64>, Error> {
        redshifts.check("a redshift that is finite and above -1", |z| {
            z > -1.0 && z.is_finite()
        })?;
        let largest = redshifts.values.iter().copied().fold(0.0, f64::max);
        let table = Table::new(self, largest);
        let values = redshifts.values;
        let distances = pool::each(values.len(), |row| table.distance(values[row]));
        match distances.iter().position(|d| !d.is_finite()) {
            None => Ok(distances),
            Some(row) => Err(SkyError::NoExpansion {
                z: redshifts.values[row],
            }
            .into()),
        }
    }
}

impl<'a> Table<'a> {
    /// The table up to redshift `z`.
    fn new(cosmology: &'a Cosmology, z: f64) -> Self {
        let curve = Curve::new(cosmology);
        let mut value = 0.0;
        let cell = |k: usize| {
            let cell = Cell::new(&curve, k, value);
            value += curve.rise(k);
            cell
        };
        let cells = (0..=cell_of(z.max(0.0)).0).map(cell).collect();
        Self { curve, cells }
    }

    /// The distance at `z`, which is at most the largest redshift of the table.
    fn distance(&self, z: f64) -> f64 {
        if z < 0.0 {
            return self.curve.integrate(0.0, libm::log1p(z));
        }
        let (k, u) = cell_of(z);
        self.cells[k].distance(&self.curve, u)
    }
}

/// The cell that a redshift of 0 or more lies in, and its `ln(1+z)`.
fn cell_of(z: f64) -> (usize, f64) {
    let u = libm::log1p(z);
    ((u / CELL) as usize, u)
}

impl<'a> Curve<'a> {
    fn new(cosmology: &'a Cosmology) -> Self {
        Self {
            cosmology,
            rule: GaussLegendre::default(),
        }
    }

    /// `d distance / d ln(1+z)` in Mpc/h; NaN where the universe does not expand.
    fn slope(&self, u: f64) -> f64 {
        let one_plus_z = libm::exp(u);
        HUBBLE_DISTANCE * (one_plus_z / self.cosmology.e2(one_plus_z).sqrt())
    }

    /// Quadrature in panels from `from` to `to`.
    fn integrate(&self, from: f64, to: f64) -> f64 {
        let panels = libm::ceil((to - from).abs() / PANEL).max(1.0);
        let end = |k: usize| from + (to - from) * (k as f64 / panels);
        let slope = |u: f64| self.slope(u);
        let panel = |k: usize| self.rule.integrate(end(k), end(k + 1), slope);
        (0..panels as usize).map(panel).sum()
    }

    /// How much further the upper end of cell `k` is than its lower end.
    fn rise(&self, k: usize) -> f64 {
        self.integrate(k as f64 * CELL, (k + 1) as f64 * CELL)
    }

    /// The distance at `z` without a table, in the same arithmetic.
    fn distance(&self, z: f64) -> f64 {
        if z < 0.0 {
            return self.integrate(0.0, libm::log1p(z));
        }
        let (k, u) = cell_of(z);
        let value = (0..k).fold(0.0, |value, k| value + self.rise(k));
        Cell::new(self, k, value).distance(self, u)
    }
}

impl Cell {
    /// Cell `k`, whose lower end is `value` away.
    fn new(curve: &Curve<'_>, k: usize, value: f64) -> Self {
        let (lo, hi) = (k as f64 * CELL, (k + 1) as f64 * CELL);
        let cubic = hermite(
            curve.rise(k),
            CELL * curve.slope(lo),
            CELL * curve.slope(hi),
        );
        let accurate = [0.25, 0.5, 0.75].iter().all(|&t| {
            let exact = curve.integrate(lo, lo + t * CELL);
            (along(cubic, t) - exact).abs() <= TOLERANCE * (value + exact)
        });
        Self {
            lower_end: lo,
            value,
            cubic: accurate.then_some(cubic),
        }
    }

    /// The distance at `u` in this cell.
    fn distance(&self, curve: &Curve<'_>, u: f64) -> f64 {
        let further = match self.cubic {
            Some(cubic) => along(cubic, (u - self.lower_end) / CELL),
            None => curve.integrate(self.lower_end, u),
        };
        self.value + further
    }
}

/// The cubic at fraction `t` of its cell.
fn along([a, b, c]: [f64; 3], t: f64) -> f64 {
    ((c * t + b) * t + a) * t
}

/// The cubic through 0 at t = 0 and `rise` at t = 1 with slopes `s0` and `s1` there, without its constant.
fn hermite(rise: f64, s0: f64, s1: f64) -> [f64; 3] {
    [s0, 3.0 * rise - 2.0 * s0 - s1, s0 + s1 - 2.0 * rise]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn relative(found: f64, exact: f64) -> f64 {
        (found / exact - 1.0).abs()
    }

    fn redshifts() -> Vec<f64> {
        let spread = (0..400).map(|k| f64::from(k) * 0.0251 + 1e-4);
        spread.chain([1e-12, 1e-9, 1e-6, 20.0, 1000.0]).collect()
    }

    #[test]
    fn closed_forms() {
        let matter = Cosmology::flat(1.0).unwrap();
        let vacuum = Cosmology::flat(0.0).unwrap();
        let empty = Cosmology::new(0.0, 0.0).unwrap();
        for z in redshifts() {
            // 1 - 1/sqrt(1+z), written so that small z keep their digits.
            let root = (1.0 + z).sqrt();
            let einstein = 2.0 * HUBBLE_DISTANCE * z / (root * (root + 1.0));
            assert!(
                relative(matter.distance(z).unwrap(), einstein) < 1e-10,
                "z = {z}"
            );
            assert!(relative(vacuum.distance(z).unwrap(), HUBBLE_DISTANCE * z) < 1e-10);
            let milne = HUBBLE_DISTANCE * z.ln_1p();
            assert!(relative(empty.distance(z).unwrap(), milne) < 1e-10);
        }
    }

    #[test]
    fn the_table_agrees_with_quadrature() {
        for cosmology in [
            Cosmology::flat(0.3).unwrap(),
            Cosmology::new(0.25, 0.9).unwrap(),
            Cosmology::flat(0.3)
                .unwrap()
                .with_dark_energy(-0.6, -1.5)
                .unwrap(),
            // Sharp features, on which the cubic gives up.
            Cosmology::flat(0.3)
                .unwrap()
                .with_dark_energy(30.0, -60.0)
                .unwrap(),
        ] {
            let table = Table::new(&cosmology, 1000.0);
            for z in redshifts() {
                let exact = table.curve.integrate(0.0, libm::log1p(z));
                assert!(
                    relative(table.distance(z), exact) < 1e-10,
                    "{cosmology:?} z = {z}"
                );
            }
        }
    }

    #[test]
    fn a_distance_depends_on_its_own_redshift_only() {
        let cosmology = Cosmology::flat(0.31).unwrap();
        let column = redshifts();
        let together = cosmology.distances(Column::new("Z", &column)).unwrap();
        for (&z, distance) in column.iter().zip(together) {
            assert_eq!(cosmology.distance(z).unwrap(), distance);
        }
    }

    #[test]
    fn distances_rise_with_redshift() {
        let cosmology = Cosmology::flat(0.31).unwrap();
        let z: Vec<f64> = (0..20_000).map(|k| f64::from(k) * 1e-4).collect();
        let distances = cosmology.distances(Column::new("Z", &z)).unwrap();
        assert!(distances.windows(2).all(|pair| pair[0] < pair[1]));
        assert_eq!(distances[0], 0.0);
    }

    #[test]
    fn blueshifts_give_negative_distances() {
        let vacuum = Cosmology::flat(0.0).unwrap();
        for z in [-1e-3, -0.5, -0.99] {
            assert!(relative(vacuum.distance(z).unwrap(), HUBBLE_DISTANCE * z) < 1e-10);
        }
    }

    #[test]
    fn refusals_name_the_row() {
        let cosmology = Cosmology::flat(0.3).unwrap();
        let error = cosmology
            .distances(Column::new("Z", &[0.1, -1.0]))
            .unwrap_err();
        assert_eq!(
            error.to_string(),
            "Z, row 1 (counting from 0): expected a redshift that is finite and above -1, found -1"
        );
        assert!(cosmology.distances(Column::new("Z", &[f64::NAN])).is_err());
        let bounced = Cosmology::new(0.1, 3.0).unwrap();
        assert!(bounced.distance(5.0).is_err());
        assert!(bounced.distances(Column::new("Z", &[0.1, 5.0])).is_err());
        assert!(bounced.distance(0.1).is_ok());
    }
}
