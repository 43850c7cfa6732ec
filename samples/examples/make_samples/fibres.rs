//! The galaxies of the survey that got a fibre, and in which of 64 other assignments each would have got one.

use std::error::Error;
use std::path::Path;
use std::sync::Arc;

use albireo::random::Stream;
use albireo::sky::unit_vector;
use arrow_array::{ArrayRef, Float32Array, Float64Array, Int64Array};

use crate::parquet_table;

const SEED: u64 = 4;

/// Two fibres of a plate cannot be nearer to each other than this, degrees: much coarser than an instrument, as the galaxies are sparse.
const COLLISION: f64 = 0.1;

/// Where declinations lie on two plates, so that no galaxy is lost: this share of stripes this wide, degrees.
const OVERLAP: f64 = 0.4;
const STRIPE: f64 = 4.0;

/// The columns of the survey.
pub(crate) struct Survey<'a> {
    pub(crate) ra: &'a [f64],
    pub(crate) dec: &'a [f64],
    pub(crate) redshift: &'a [f32],
    pub(crate) weight: &'a [f32],
}

/// For each galaxy those that it collides with.
fn collisions(survey: &Survey<'_>) -> Vec<Vec<usize>> {
    let directions: Vec<[f64; 3]> = (survey.ra.iter().zip(survey.dec))
        .map(|(&ra, &dec)| unit_vector(ra, dec))
        .collect();
    let chord = 2.0 * libm::sin(COLLISION.to_radians() / 2.0);
    let near = |i: usize, j: usize| {
        let squares = (0..3).map(|k| (directions[i][k] - directions[j][k]).powi(2));
        squares.sum::<f64>() < chord * chord
    };
    let mut order: Vec<usize> = (0..directions.len()).collect();
    order.sort_by(|&i, &j| survey.dec[i].total_cmp(&survey.dec[j]));
    let mut found = vec![vec![]; order.len()];
    for (at, &i) in order.iter().enumerate() {
        let ahead = order[at + 1..].iter();
        for &j in ahead.take_while(|&&j| survey.dec[j] - survey.dec[i] < COLLISION) {
            if near(i, j) {
                found[i].push(j);
                found[j].push(i);
            }
        }
    }
    found
}

/// Who gets a fibre in one assignment, the galaxies being asked in random order.
fn assigned(survey: &Survey<'_>, collisions: &[Vec<usize>], stream: Stream) -> Vec<bool> {
    let mut order: Vec<(f64, usize)> = (0..collisions.len())
        .map(|k| (stream.uniform(k as u64), k))
        .collect();
    order.sort_by(|a, b| a.0.total_cmp(&b.0));
    let mut has = vec![false; order.len()];
    for (_, k) in order {
        let twice = survey.dec[k].rem_euclid(STRIPE) < OVERLAP * STRIPE;
        has[k] = twice || collisions[k].iter().all(|&other| !has[other]);
    }
    has
}

/// Writes the galaxies of the first assignment, with a bit for each of the others.
pub(crate) fn write(folder: &Path, survey: &Survey<'_>) -> Result<(), Box<dyn Error>> {
    let collisions = collisions(survey);
    let stream = Stream::new(SEED);
    let observed = assigned(survey, &collisions, stream.child(0));
    let mut words = vec![0_u64; observed.len()];
    for bit in 0..64 {
        let has = assigned(survey, &collisions, stream.child(bit + 1));
        for (word, has) in words.iter_mut().zip(has) {
            *word |= u64::from(has) << bit;
        }
    }
    let rows: Vec<usize> = (0..observed.len()).filter(|&k| observed[k]).collect();
    let doubles = |values: &[f64]| -> ArrayRef {
        let values: Vec<f64> = rows.iter().map(|&k| values[k]).collect();
        Arc::new(Float64Array::from(values))
    };
    let singles = |values: &[f32]| -> ArrayRef {
        let values: Vec<f32> = rows.iter().map(|&k| values[k]).collect();
        Arc::new(Float32Array::from(values))
    };
    let bits: Vec<i64> = rows.iter().map(|&k| words[k].cast_signed()).collect();
    parquet_table::write(
        &folder.join("survey_fibres.parquet"),
        vec![
            ("RA", doubles(survey.ra)),
            ("DEC", doubles(survey.dec)),
            ("Z", singles(survey.redshift)),
            ("WEIGHT", singles(survey.weight)),
            ("BITWEIGHT", Arc::new(Int64Array::from(bits))),
        ],
        &[
            (
                "description",
                "galaxies of survey_galaxies.fits that got a fibre".to_owned(),
            ),
            ("cosmology", "Planck18".to_owned()),
        ],
    )
}
