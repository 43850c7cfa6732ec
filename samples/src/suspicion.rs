//! What looks wrong about values: those that another kind of column would have.
//!
//! Entry: one function for each suspicion, and [`Depths`]. What may be meant is a [`Notice`], what cannot be is refused.

use std::path::Path;

use albireo::Points;
use albireo::cosmology::Cosmology;
use albireo_catalogs::in_short;

use crate::columns;
use crate::error::{Result, StatedUnitError};
use crate::notice::Notice;
use crate::space::Rows;

/// The largest redshift of a galaxy that anybody has seen is below this one.
const FAR: f64 = 20.0;

/// The least and the largest value.
fn range(values: &[f64]) -> [f64; 2] {
    values
        .iter()
        .fold([f64::INFINITY, f64::NEG_INFINITY], |[lo, hi], &v| {
            [lo.min(v), hi.max(v)]
        })
}

/// Sky coordinates that would all be allowed in radians.
pub(crate) fn radians(path: &Path, ra: (&str, &[f64]), dec: (&str, &[f64])) -> Option<Notice> {
    use std::f64::consts::{FRAC_PI_2, TAU};
    let (ra_range, dec_range) = (range(ra.1), range(dec.1));
    let within = |[lo, hi]: [f64; 2], most: f64| lo.abs().max(hi.abs()) <= most;
    let all_zero = within(ra_range, 0.0) && within(dec_range, 0.0);
    let suspicious = within(ra_range, TAU) && within(dec_range, FRAC_PI_2) && !all_zero;
    suspicious.then(|| Notice::Radians {
        path: path.to_owned(),
        ra: (ra.0.to_owned(), ra_range),
        dec: (dec.0.to_owned(), dec_range),
    })
}

/// Redshifts that are velocities, or marks of missing ones.
fn velocities(path: &Path, column: &str, redshifts: &[f64]) -> Option<Notice> {
    let [_, largest] = range(redshifts);
    (largest > FAR).then(|| Notice::Velocities {
        path: path.to_owned(),
        column: column.to_owned(),
        largest,
    })
}

/// A column of depths.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Depths<'a> {
    pub(crate) path: &'a Path,
    pub(crate) column: &'a str,
    pub(crate) values: &'a [f64],
    /// Whether their unit is stated, or the caller says that the numbers are what they are taken for.
    pub(crate) is_meant: bool,
}

impl Depths<'_> {
    /// Refuses redshifts beyond all galaxies.
    pub(crate) fn check_redshifts(&self, tell: &mut dyn FnMut(Notice)) -> Result<()> {
        let Some(far) = velocities(self.path, self.column, self.values) else {
            return Ok(());
        };
        if !self.is_meant {
            let far = StatedUnitError::Far {
                path: self.path.to_owned(),
                column: self.column.to_owned(),
                largest: in_short(range(self.values)[1]),
            };
            return Err(far.into());
        }
        tell(far);
        Ok(())
    }

    /// Refuses distances that are redshifts by their name and their values.
    pub(crate) fn check_distances(&self, tell: &mut dyn FnMut(Notice)) -> Result<()> {
        let [_, largest] = range(self.values);
        let small = largest > 0.0 && largest < FAR;
        if self.is_meant || !small {
            return Ok(());
        }
        let (path, column) = (self.path.to_owned(), self.column.to_owned());
        if columns::is_called_as_redshifts(self.column) {
            let largest = in_short(largest);
            let near = StatedUnitError::Near {
                path,
                column,
                largest,
            };
            return Err(near.into());
        }
        tell(Notice::SmallDistances {
            path,
            column,
            largest,
        });
        Ok(())
    }
}

/// A universe that nobody lives in.
pub(crate) fn negative_lambda(cosmology: &Cosmology) -> Option<Notice> {
    (cosmology.omega_lambda() < 0.0).then_some(Notice::NegativeLambda(*cosmology))
}

/// Particles that fill less than this part of the box along an axis, but lie in no plane.
const THIN: f64 = 0.01;
/// The same along all axes: between nm and Angstrom is a tenth.
const SMALL: f64 = 0.11;

/// Positions of which two or more lie in a small part of the box; `flat` is an axis that they have no place along.
pub(crate) fn small_part(
    particles: String,
    points: &Points,
    rows: &Rows,
    flat: Option<usize>,
) -> Option<Notice> {
    if points.len() < 2 {
        return None;
    }
    let length = |axis: usize| {
        let along: f64 = rows.iter().flatten().map(|row| row[axis].abs()).sum();
        (along > 0.0 && flat != Some(axis)).then_some(along)
    };
    let lengths = [0, 1, 2].map(length);
    if lengths == [None; 3] {
        return None;
    }
    let spans = points.ranges().map(|[least, most]| most - least);
    let parts = spans.iter().zip(&lengths);
    let parts = parts.filter_map(|(span, length)| Some(span / (*length)?));
    // All in one plane, or in one place, is meant.
    let parts: Vec<f64> = parts.filter(|part| *part > 0.0).collect();
    let thin = parts.iter().any(|&part| part < THIN);
    let small = parts.len() == 3 && parts.iter().all(|&part| part < SMALL);
    (thin || small).then_some(Notice::SmallPart {
        particles,
        spans,
        lengths,
    })
}
