//! What looks wrong but may be meant: a word on standard error, no more.
//!
//! Entry: one function for each suspicion; `sample`, `inputs` and `wp` call them.

use albireo::cosmology::Cosmology;
use serde_json::Value;

use crate::sample::Sample;

/// The largest redshift of a galaxy that anybody has seen is below this one.
const FAR: f64 = 20.0;

/// The least and the largest value.
fn range(values: &[f64]) -> (f64, f64) {
    values
        .iter()
        .fold((f64::INFINITY, f64::NEG_INFINITY), |(lo, hi), &v| {
            (lo.min(v), hi.max(v))
        })
}

/// Sky coordinates that would all be allowed in radians.
pub(crate) fn radians(file: &str, ra: (&str, &[f64]), dec: (&str, &[f64])) {
    use std::f64::consts::{FRAC_PI_2, TAU};
    let (ra_range, dec_range) = (range(ra.1), range(dec.1));
    let within = |(lo, hi): (f64, f64), most: f64| lo.abs().max(hi.abs()) <= most;
    let all_zero = within(ra_range, 0.0) && within(dec_range, 0.0);
    if within(ra_range, TAU) && within(dec_range, FRAC_PI_2) && !all_zero {
        tracing::warn!(
            "{file}: `{}` from {} to {} and `{}` from {} to {} look like radians; they are taken as degrees",
            ra.0,
            ra_range.0,
            ra_range.1,
            dec.0,
            dec_range.0,
            dec_range.1
        );
    }
}

/// Redshifts that are velocities, or marks of missing ones.
pub(crate) fn velocities(file: &str, column: &str, redshifts: &[f64]) {
    let (_, largest) = range(redshifts);
    if largest > FAR {
        tracing::warn!(
            "{file}: column `{column}` reaches {largest}, far beyond any galaxy's redshift: is it cz in km/s? It is taken as z"
        );
    }
}

/// A universe that nobody lives in.
pub(crate) fn negative_lambda(cosmology: &Cosmology) {
    if cosmology.omega_lambda() < 0.0 {
        tracing::warn!(
            "--cosmology: om = {} leaves a negative dark energy density, ol = {}",
            cosmology.omega_m(),
            cosmology.omega_lambda()
        );
    }
}

/// Samples that are the same rows of the same content, under whatever names.
pub(crate) fn same_rows(samples: &[Sample]) {
    let rows = |sample: &Sample| -> [Option<Value>; 3] {
        ["sha256", "table", "where"].map(|key| sample.record.get(key).cloned())
    };
    for (k, first) in samples.iter().enumerate() {
        for second in &samples[k + 1..] {
            if rows(first) == rows(second) {
                tracing::warn!(
                    "{} and {} are the same rows of the same file ({}, {}): each point is also paired with itself",
                    first.role,
                    second.role,
                    first.path.display(),
                    second.path.display()
                );
            }
        }
    }
}

/// Bins along the line of sight that leave a part of it out of the projection.
pub(crate) fn pi_from_zero(edges: &[f64]) {
    if let Some(&first) = edges.first().filter(|first| **first > 0.0) {
        tracing::warn!(
            "--pi-bins begin at {first}, not at 0: wp leaves out pairs nearer along the line of sight"
        );
    }
}
