//! Quads and visits a second of the processor, on a sample like one of luminous red galaxies.
//!
//! `cargo run --release -p albireo-covariance --example rate -- [threads] [members of a cloud] [mu bins] [rounds] [random points]`
#![allow(clippy::print_stdout, reason = "an example says what it found")]

use std::f64::consts::{PI, TAU};
use std::time::Instant;

use albireo::engine::{Cpu, Silent};
use albireo::random::Stream;
use albireo::{Bins, Domain, Edges, LineOfSight, Particles, Points, RBins, SMuBins, SignedEdges};
use albireo_covariance::sampler::{Input, SampleJob, SamplingEngine, Settings, XiTable};

/// Distances of the sample in Mpc/h, and the cosine of the angle around its centre that holds 4037 square degrees.
const RADII: [f64; 2] = [1900.0, 2450.0];
const COSINE: f64 = 0.8043;

fn randoms(n: usize) -> Result<Particles, albireo::Error> {
    let stream = Stream::new(4);
    let place = |k: u64| {
        let [u, v, w] = [0, 1, 2].map(|axis| stream.uniform(3 * k + axis));
        let cubes = RADII.map(|r| r * r * r);
        let r = (cubes[0] + u * (cubes[1] - cubes[0])).cbrt();
        let (z, phi) = (COSINE + v * (1.0 - COSINE), TAU * w);
        let across = (1.0 - z * z).sqrt();
        [across * phi.cos(), across * phi.sin(), z].map(|x| r * x)
    };
    let points = Points::from_rows(&(0..n as u64).map(place).collect::<Vec<_>>())?;
    let weights = (0..n as u64).map(|k| 0.4 + 0.6 * stream.child(1).uniform(k));
    Ok(Particles::weighted(points, weights.collect())?)
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let asked: Vec<f64> = std::env::args()
        .skip(1)
        .map(|text| text.parse())
        .collect::<Result<_, _>>()?;
    let asked = |k: usize, default: f64| asked.get(k).copied().unwrap_or(default);
    let (threads, n_mu) = (asked(0, 1.0) as usize, asked(2, 100.0) as usize);
    let (rounds, n) = (asked(3, 1.0) as u64, asked(4, 1e6) as usize);
    let s = Edges::linear(20.0, 200.0, 45)?;
    let bins: Bins = if n_mu > 1 {
        let mu = SignedEdges::linear(0.0, 1.0, n_mu)?;
        SMuBins::new(s.clone(), mu, LineOfSight::Midpoint)?.into()
    } else {
        RBins::new(s.clone()).into()
    };
    let randoms = randoms(n)?;
    let cubes = RADII.map(|r| r * r * r);
    let volume = TAU * (1.0 - COSINE) / 3.0 * (cubes[1] - cubes[0]);
    let shell = |s: &[f64]| 4.0 * PI / 3.0 * (s[1].powi(3) - s[0].powi(3)) / volume;
    let all = randoms.weight_sum().powi(2);
    let random_pairs = s
        .values()
        .windows(2)
        .flat_map(|s| vec![all * shell(s) / n_mu as f64; n_mu]);
    let xi =
        |s: f64, mu: f64| (s.max(2.0) / 8.0).powf(-1.8) * (1.0 - s / 130.0) * (0.8 + 0.6 * mu * mu);
    let start = Instant::now();
    let job = SampleJob::new(Input {
        domain: Domain::Open,
        line_of_sight: None,
        xi: vec![XiTable::from_fn(XiTable::STEP, 250.0, xi)?],
        random_pairs: vec![random_pairs.collect()],
        bins,
        randoms: vec![randoms],
        region_shares: None,
        settings: Settings {
            cloud: asked(1, 16.0),
            ..Settings::default()
        },
    })?;
    println!(
        "rates {:?} in {:.2} s",
        job.constants().kappa,
        start.elapsed().as_secs_f64()
    );
    let engine = Cpu::new().with_threads(threads)?;
    let start = Instant::now();
    let sums = engine.rounds(&job, 0..rounds, &Silent)?;
    let whole = start.elapsed().as_secs_f64();
    println!(
        "{} pairs, {:.3e} quads in {whole:.2} s: {:.3e} a second",
        sums.pairs[0],
        sums.quads as f64,
        sums.quads as f64 / whole
    );
    Ok(())
}
