//! What sums over pairs cost on GPUs beside plain weights: by bits, by angles, with means and polynomials. Kernel time, best of three.
//!
//! `cargo run --release --example cuda_terms -- [N]`, a million points by default.
#![allow(clippy::print_stdout, missing_docs, reason = "an example prints")]

use albireo::engine::Silent;
use albireo::engine::cuda::{Cuda, CudaOptions};
use albireo::particles::Bits;
use albireo::tally::{
    AngularWeight, CountSpec, InverseProbability, Legendre, PairNormalisation, PairWeight,
    Realisations, Sum,
};
use albireo::{
    Domain, Edges, Engine, LineOfSight, PairJob, Pairs, Particles, Points, SMuBins, SignedEdges,
    random,
};

type Failure = Box<dyn std::error::Error>;

/// A box of points away from the observer with weights and `words` words of bits.
fn survey(n: usize, words: usize) -> Result<Particles, Failure> {
    let points = random::in_box(n, 17, [1000.0; 3])?;
    let rows: Vec<[f64; 3]> = (0..n)
        .map(|row| points.at(row))
        .map(|[x, y, z]| [x + 2000.0, y - 500.0, z - 500.0])
        .collect();
    let weights = (0..n).map(|k| 0.5 + (k % 97) as f64 / 97.0).collect();
    let word = |k: u64| {
        (k + 1)
            .wrapping_mul(0x9e37_79b9_7f4a_7c15)
            .rotate_left(k as u32)
    };
    let bits = Bits::new((0..(n * words) as u64).map(word).collect(), words)?;
    Ok(Particles::weighted(Points::from_rows(&rows)?, weights)?.with_bits(bits)?)
}

fn inverse(words: usize) -> Result<PairWeight, Failure> {
    let realisations = Realisations::of_words(words);
    let normalisation = PairNormalisation::JointOccurrence;
    Ok(InverseProbability::new(words, realisations, normalisation)?.into())
}

/// Each case: its name, the words of bits, the sums, the weight of pairs.
type Case = (&'static str, usize, Vec<Sum>, Option<PairWeight>);

fn cases() -> Result<Vec<Case>, Failure> {
    let weights = || vec![Sum::Product];
    let angular = AngularWeight::new(vec![0.001, 0.1, 1.0], vec![3.0, 2.0, 1.0])?;
    let polynomials = |degrees: &[Legendre]| {
        let of = |&l: &Legendre| Sum::WeightedLegendre(l);
        [weights(), degrees.iter().map(of).collect()].concat()
    };
    let means = vec![Sum::Product, Sum::Separation, Sum::WeightedSeparation];
    let even = [Legendre::L2, Legendre::L4, Legendre::L6, Legendre::L8];
    Ok(vec![
        ("weights alone", 1, weights(), None),
        ("PIP of 1 word", 1, weights(), Some(inverse(1)?)),
        ("PIP of 2 words", 2, weights(), Some(inverse(2)?)),
        ("PIP of 12 words", 12, weights(), Some(inverse(12)?)),
        ("PIP of 30 words", 30, weights(), Some(inverse(30)?)),
        ("angular weights", 1, weights(), Some(angular.into())),
        ("mean separation", 1, vec![Sum::Separation], None),
        ("means, weighted and not", 1, means, None),
        ("Legendre sums 2 and 4", 1, polynomials(&even[..2]), None),
        ("Legendre sums 2 to 8", 1, polynomials(&even), None),
    ])
}

fn main() -> Result<(), Failure> {
    let n = std::env::args()
        .nth(1)
        .map_or(Ok(1_000_000), |n| n.parse())?;
    let engine = Cuda::new(CudaOptions::default())?;
    let s = Edges::linear(0.0, 150.0, 40)?;
    let mu = SignedEdges::linear(0.0, 1.0, 100)?;
    let bins = SMuBins::new(s, mu, LineOfSight::Midpoint)?;
    for (name, words, sums, weight) in cases()? {
        let sample = survey(n, words)?;
        let job = PairJob::new(Pairs::Auto(&sample), &Domain::Open)?;
        let mut what = sums
            .into_iter()
            .fold(CountSpec::new(bins.clone()), CountSpec::with_sum);
        if let Some(weight) = weight {
            what = what.with_pair_weight(weight);
        }
        let mut best = f64::INFINITY;
        let mut pairs = 0;
        for _ in 0..3 {
            let tally = engine.run(&job, &what, &Silent)?;
            pairs = tally.pairs().iter().sum::<u64>();
            best = best.min(engine.last_run().0.kernels);
        }
        println!(
            "{name:<28} {:>10.3} ms kernel {:>9.1} G/s in bins  {}",
            best * 1e3,
            pairs as f64 / best / 1e9,
            engine.last_run().1
        );
    }
    Ok(())
}
