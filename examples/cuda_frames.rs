//! What a frame of a trajectory costs on GPUs: every pair of particles at random in a ball without a box, in thousands of bins, of one
//! species and of nine. `cargo run --release --example cuda_frames [particles]`.
#![allow(
    clippy::print_stdout,
    clippy::unwrap_used,
    reason = "a program that prints a table"
)]

use albireo::engine::cuda::{Cuda, CudaOptions, Tuning};
use albireo::engine::{PreparedJob, Silent};
use albireo::tally::{Classes, CountSpec, Tally};
use albireo::{Domain, Edges, Engine, Labels, Particles, Points, RBins};

const RADIUS: f64 = 80.0;
const BINS: usize = 8000;
const SPECIES: u32 = 9;

/// Points at random in a ball, and a species for each.
fn ball(n: usize) -> (Points, Labels) {
    let mut state = 5u64;
    let mut unit = || {
        state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = state;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((z ^ (z >> 31)) >> 11) as f64 / (1u64 << 53) as f64
    };
    let mut point = || loop {
        let x = [0; 3].map(|_| (2.0 * unit() - 1.0) * RADIUS);
        if x.iter().map(|x| x * x).sum::<f64>() < RADIUS * RADIUS {
            return x;
        }
    };
    let rows: Vec<[f64; 3]> = (0..n).map(|_| point()).collect();
    let species = (0..n as u32).map(|k| k % SPECIES).collect();
    (
        Points::from_rows(&rows).unwrap(),
        Labels::new(species, SPECIES).unwrap(),
    )
}

/// The tally and the least milliseconds that kernels took, of several counts of one prepared sample.
fn timed(tuning: Tuning, sample: &Particles, what: &CountSpec) -> (Tally, f64, String) {
    let engine = Cuda::new(CudaOptions {
        tuning,
        ..CudaOptions::default()
    });
    let engine = engine.unwrap();
    let sample = engine
        .prepare(sample.clone(), &Domain::Open, &Silent)
        .unwrap();
    let rounds = (0..4).map(|_| {
        let job = PreparedJob::auto(&sample);
        let (tally, report) = engine.tally(&job, what, &Silent).unwrap();
        let kernels = report.stages.iter().find(|(name, _)| *name == "kernels");
        let seconds = kernels.map_or(f64::NAN, |(_, seconds)| *seconds);
        (tally, 1e3 * seconds, report.plan)
    });
    rounds.min_by(|a, b| a.1.total_cmp(&b.1)).unwrap()
}

fn main() {
    let asked = std::env::args().nth(1);
    let n = asked.map_or(280_000, |n| n.parse().unwrap());
    let (points, species) = ball(n);
    let one = Particles::new(points);
    let nine = one.clone().labelled(species).unwrap();
    let bins = RBins::new(Edges::linear(0.0, 2.0 * RADIUS, BINS).unwrap());
    let pairs = n as f64 * (n as f64 - 1.0) / 2.0;
    let plain = CountSpec::new(bins);
    let partials = plain.clone().with_classes(Classes::Species);
    let mut expected: Option<Vec<u64>> = None;
    for (threads, points, tile) in [
        (0, 0, 0),
        (256, 4, 0),
        (256, 8, 0),
        (512, 4, 0),
        (1024, 4, 0),
        (0, 0, 128),
    ] {
        let tuning = Tuning {
            threads,
            points,
            tile,
            ..Tuning::default()
        };
        for (name, sample, what) in [
            ("one species", &one, &plain),
            ("nine species", &nine, &partials),
        ] {
            let (tally, ms, plan) = timed(tuning, sample, what);
            let mut sum = vec![0; BINS];
            for table in tally.pairs().chunks(BINS) {
                sum.iter_mut()
                    .zip(table)
                    .for_each(|(sum, count)| *sum += count);
            }
            assert!(
                *expected.get_or_insert_with(|| sum.clone()) == sum,
                "{name}"
            );
            let rate = pairs / ms / 1e6;
            println!(
                "{threads:4} {points:2} {tile:3} {name:12} {ms:7.2} ms {rate:6.0}e9 pairs/s  {plan}"
            );
        }
    }
}
