//! What 64 realisations in one pass cost on GPUs beside one count, with and without weights. Kernel time, best of three.
//!
//! `cargo run --release --example cuda_realisations -- [N [THREADS,POINTS,TILE]]`, two million points and the engine's own shapes by default.
#![allow(clippy::print_stdout, missing_docs, reason = "an example prints")]

use albireo::engine::Silent;
use albireo::engine::cuda::{Cuda, CudaOptions};
use albireo::particles::Bits;
use albireo::tally::CountSpec;
use albireo::{Domain, Edges, Engine, PairJob, Pairs, Particles, PeriodicBox, RBins, random};

#[path = "cuda/tuning.rs"]
mod tuning;
use tuning::tuning;

type Failure = Box<dyn std::error::Error>;

/// A box of points with weights, half of them in each of 64 realisations.
fn sample(n: usize, seed: u64, bits: bool) -> Result<Particles, Failure> {
    let points = random::in_box(n, seed, [1000.0; 3])?;
    let weights = (0..n).map(|k| 0.5 + (k % 97) as f64 / 97.0).collect();
    let sample = Particles::weighted(points, weights)?;
    if !bits {
        return Ok(sample);
    }
    let mut state = seed;
    let mut word = || {
        state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = state;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    };
    let words = (0..n).map(|_| word()).collect();
    Ok(sample.with_bits(Bits::new(words, 1)?)?)
}

fn main() -> Result<(), Failure> {
    let mut arguments = std::env::args().skip(1);
    let n = arguments.next().map_or(Ok(2_000_000), |n| n.parse())?;
    let engine = Cuda::new(CudaOptions {
        tuning: tuning(&arguments.next().unwrap_or_default())?,
        ..CudaOptions::default()
    })?;
    let domain = Domain::Periodic(PeriodicBox::cubic(1000.0)?);
    let (data, randoms) = (sample(n, 17, true)?, sample(n, 18, false)?);
    let bins = RBins::new(Edges::linear(0.0, 60.0, 30)?);
    let pairs = [
        ("DD", Pairs::Auto(&data)),
        ("DR", Pairs::Cross(&data, &randoms)),
    ];
    for (name, pairs) in pairs {
        let job = PairJob::new(pairs, &domain)?;
        let plain = CountSpec::new(bins.clone());
        for (kind, what) in [("", plain.clone()), ("weighted ", plain.with_weights())] {
            for (many, what) in [
                ("one count", what.clone()),
                ("of 64", what.by_realisation(64)),
            ] {
                let mut best = f64::INFINITY;
                for _ in 0..3 {
                    engine.run(&job, &what, &Silent)?;
                    best = best.min(engine.last_run().0.kernels);
                }
                let label = format!("{name} {kind}{many}");
                println!(
                    "{label:<24} {:>9.3} ms kernel  {}",
                    best * 1e3,
                    engine.last_run().1
                );
            }
        }
    }
    Ok(())
}
