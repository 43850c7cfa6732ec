//! A galaxy survey on a light cone, with mask, selection and weights, and its random catalogue.

use std::error::Error;
use std::fs::File;
use std::path::Path;
use std::sync::Arc;

use albireo::cosmology::{Cosmology, SPEED_OF_LIGHT};
use albireo::random::{SkyWindow, Stream, on_sky};
use albireo::sky::{Column, unit_vector};
use arrow_array::{ArrayRef, Float32Array};

use crate::clumps::{RICHNESS, clump};
use crate::draws::Draws;
use crate::fibres;
use crate::fits_table::{self, FitsColumn, Values};
use crate::parquet_table;

const SEED: u64 = 2;
/// The matter of Planck18 and a cosmological constant, without radiation: below z = 0.14 distances differ by 1.6e-4 at most.
const COSMOLOGY: &str = "om=0.30966";

/// Limits of the survey: RA and Dec in degrees, and redshift.
const RA: [f64; 2] = [140.0, 220.0];
const DEC: [f64; 2] = [0.0, 40.0];
const REDSHIFT: [f64; 2] = [0.02, 0.14];

/// Discs without data around bright stars: RA, Dec, radius in degrees.
const STARS: [[f64; 3]; 6] = [
    [150.0, 10.0, 1.5],
    [163.0, 31.0, 2.0],
    [177.0, 20.0, 1.0],
    [190.0, 5.0, 2.5],
    [205.0, 33.0, 1.5],
    [213.0, 15.0, 2.0],
];

/// A stripe that was never observed: RA and Dec limits in degrees.
const GAP: [[f64; 2]; 2] = [[170.0, 186.0], [11.0, 13.0]];

/// Galaxies per (Mpc/h)^3 before the selection.
const DENSITY: f64 = 2.7e-3;

/// The selection falls to 1/e at this distance, Mpc/h.
const DEPTH: f64 = 300.0;

/// Power at which the weights are best, (Mpc/h)^3.
const POWER: f64 = 5000.0;

const RANDOMS: usize = 100_000;

/// Whether the survey looked there.
fn footprint(ra: f64, dec: f64) -> bool {
    let within = |[lo, hi]: [f64; 2], v: f64| (lo..hi).contains(&v);
    if !(within(RA, ra) && within(DEC, dec)) || (within(GAP[0], ra) && within(GAP[1], dec)) {
        return false;
    }
    let direction = unit_vector(ra, dec);
    STARS.iter().all(|&[ra, dec, radius]| {
        let star = unit_vector(ra, dec);
        let cosine: f64 = (0..3).map(|k| direction[k] * star[k]).sum();
        cosine < libm::cos(radius.to_radians())
    })
}

/// The fraction of galaxies at a distance (Mpc/h) that are bright enough.
fn selection(distance: f64) -> f64 {
    let ratio = distance / DEPTH;
    libm::exp(-(ratio * ratio * ratio))
}

/// Weights of least variance, Feldman, Kaiser & Peacock 1994, DOI 10.1086/174036.
fn weight(distance: f64) -> f64 {
    1.0 / (1.0 + DENSITY * selection(distance) * POWER)
}

/// Redshifts and distances (Mpc/h) side by side, finely enough for linear interpolation.
struct Ladder {
    redshifts: Vec<f64>,
    distances: Vec<f64>,
}

impl Ladder {
    fn new() -> Result<Self, Box<dyn Error>> {
        let cosmology: Cosmology = COSMOLOGY.parse()?;
        let redshifts: Vec<f64> = (0..=20_000).map(|k| f64::from(k) * 1e-5).collect();
        let distances = cosmology.distances(Column::new("z", &redshifts))?;
        Ok(Self {
            redshifts,
            distances,
        })
    }

    fn interpolate(from: &[f64], to: &[f64], value: f64) -> f64 {
        let k = from
            .partition_point(|&v| v <= value)
            .clamp(1, from.len() - 1);
        let share = (value - from[k - 1]) / (from[k] - from[k - 1]);
        to[k - 1] + share * (to[k] - to[k - 1])
    }

    fn redshift(&self, distance: f64) -> f64 {
        Self::interpolate(&self.distances, &self.redshifts, distance)
    }

    fn distance(&self, redshift: f64) -> f64 {
        Self::interpolate(&self.redshifts, &self.distances, redshift)
    }
}

#[derive(Default)]
struct Catalog {
    ra: Vec<f64>,
    dec: Vec<f64>,
    redshift: Vec<f32>,
    weight: Vec<f32>,
}

impl Catalog {
    fn push(&mut self, ra: f64, dec: f64, redshift: f64, weight: f64) {
        self.ra.push(ra);
        self.dec.push(dec);
        self.redshift.push(redshift as f32);
        self.weight.push(weight as f32);
    }
}

fn in_redshift(z: f64) -> bool {
    (REDSHIFT[0]..REDSHIFT[1]).contains(&z)
}

/// Clumps all over the volume and a margin around it, observed.
fn galaxies(ladder: &Ladder) -> Result<Catalog, Box<dyn Error>> {
    // Clumps within this distance (Mpc/h) outside of the volume still reach into it.
    let margin = 20.0;
    let (near, far) = (ladder.distance(REDSHIFT[0]), ladder.distance(REDSHIFT[1]));
    let (near, far) = (near - margin, far + margin);
    let degrees = (margin / near).to_degrees();
    let window = SkyWindow::new(
        [RA[0] - degrees, RA[1] + degrees],
        [DEC[0] - degrees, DEC[1] + degrees],
    )?;
    let sines = [DEC[0] - degrees, DEC[1] + degrees].map(|dec| libm::sin(dec.to_radians()));
    let area = (RA[1] - RA[0] + 2.0 * degrees).to_radians() * (sines[1] - sines[0]);
    let volume = area * (far * far * far - near * near * near) / 3.0;
    let clumps = (volume * DENSITY / RICHNESS) as usize;
    let (ra, dec) = on_sky(clumps, SEED, &window, |_, _| true)?;
    let stream = Stream::new(SEED).child(1);
    let mut catalog = Catalog::default();
    for k in 0..clumps {
        let mut draws = Draws::new(stream.child(2 * k as u64));
        let inner = near * near * near;
        let r = libm::cbrt(inner + draws.uniform() * (far * far * far - inner));
        let centre = unit_vector(ra[k], dec[k]).map(|n| n * r);
        for member in clump(stream.child(2 * k as u64 + 1)) {
            let x: [f64; 3] = std::array::from_fn(|axis| centre[axis] + member.offset[axis]);
            let distance = x.iter().map(|c| c * c).sum::<f64>().sqrt();
            let radial: f64 = (0..3).map(|axis| x[axis] * member.velocity[axis]).sum();
            let cosmological = ladder.redshift(distance);
            let motion = (1.0 + cosmological) * (radial / distance) / SPEED_OF_LIGHT;
            let redshift = cosmological + motion;
            let ra = libm::atan2(x[1], x[0]).to_degrees().rem_euclid(360.0);
            let dec = libm::asin(x[2] / distance).to_degrees();
            let seen = draws.uniform() < selection(distance);
            if seen && footprint(ra, dec) && in_redshift(redshift) {
                catalog.push(ra, dec, redshift, weight(ladder.distance(redshift)));
            }
        }
    }
    Ok(catalog)
}

/// Points without clustering in the same volume, with the same selection.
fn randoms(ladder: &Ladder) -> Result<Catalog, Box<dyn Error>> {
    let (near, far) = (ladder.distance(REDSHIFT[0]), ladder.distance(REDSHIFT[1]));
    let (inner, outer) = (near * near * near, far * far * far);
    let (ra, dec) = on_sky(RANDOMS, SEED + 1, &SkyWindow::new(RA, DEC)?, footprint)?;
    let mut draws = Draws::new(Stream::new(SEED + 1).child(1));
    let mut catalog = Catalog::default();
    for (ra, dec) in ra.into_iter().zip(dec) {
        let distance = loop {
            let distance = libm::cbrt(inner + draws.uniform() * (outer - inner));
            if draws.uniform() < selection(distance) {
                break distance;
            }
        };
        catalog.push(ra, dec, ladder.redshift(distance), weight(distance));
    }
    Ok(catalog)
}

pub(crate) fn write(folder: &Path) -> Result<(), Box<dyn Error>> {
    let ladder = Ladder::new()?;
    let galaxies = galaxies(&ladder)?;
    let column = |name, unit, values| FitsColumn { name, unit, values };
    fits_table::write(
        &mut File::create(folder.join("survey_galaxies.fits"))?,
        "GALAXIES",
        &[
            "Mock galaxy survey, no observed data. Cosmology: Planck18.",
            "Z is the observed redshift, WEIGHT the FKP weight.",
        ],
        galaxies.ra.len(),
        &[
            column("RA", "deg", Values::F64(&galaxies.ra)),
            column("DEC", "deg", Values::F64(&galaxies.dec)),
            column("Z", "", Values::F32(&galaxies.redshift)),
            column("WEIGHT", "", Values::F32(&galaxies.weight)),
        ],
    )?;
    let survey = fibres::Survey {
        ra: &galaxies.ra,
        dec: &galaxies.dec,
        redshift: &galaxies.redshift,
        weight: &galaxies.weight,
    };
    fibres::write(folder, &survey)?;
    let randoms = randoms(&ladder)?;
    let array = |values: Vec<f32>| -> ArrayRef { Arc::new(Float32Array::from(values)) };
    let narrowed = |values: &[f64]| values.iter().map(|&v| v as f32).collect();
    parquet_table::write(
        &folder.join("survey_randoms.parquet"),
        vec![
            ("RA", array(narrowed(&randoms.ra))),
            ("DEC", array(narrowed(&randoms.dec))),
            ("Z", array(randoms.redshift)),
            ("WEIGHT", array(randoms.weight)),
        ],
        &[
            ("description", "randoms of survey_galaxies.fits".to_owned()),
            ("cosmology", "Planck18".to_owned()),
        ],
    )
}
