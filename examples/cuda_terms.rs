//! What sums over pairs cost on GPUs beside plain weights: by bits, by angles, with means, polynomials and velocities. Kernel time, best of
//! three.
//!
//! `cargo run --release --example cuda_terms -- [box|survey [N [THREADS,POINTS,TILE]]]`, both, a million points and the engine's own shapes by
//! default.
#![allow(clippy::print_stdout, missing_docs, reason = "an example prints")]

use std::sync::Arc;

use albireo::engine::Silent;
use albireo::engine::cuda::{Cuda, CudaOptions};
use albireo::particles::Bits;
use albireo::tally::{
    AngularWeight, CountSpec, InverseProbability, Legendre, Operation, OperationList,
    PairNormalisation, PairProgram, PairWeight, Realisations, Sum, Value,
};
use albireo::{
    Axis, Domain, Edges, Engine, LineOfSight, PairJob, Pairs, Particles, PeriodicBox, Points,
    RBins, SMuBins, SignedEdges, random,
};

#[path = "cuda/tuning.rs"]
mod tuning;
#[path = "cuda/velocities.rs"]
mod velocities;
use tuning::tuning;
use velocities::{even, moving, pairwise_velocities};

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

/// The Legendre polynomials of degrees 2 and 4 of the cosine with the third axis, which there are kernels for, as expressions.
fn polynomials() -> Result<PairProgram, Failure> {
    let mut operations = OperationList::default();
    let [x, y, z] = [0, 1, 2].map(|axis| operations.push(Operation::Difference(axis)));
    let mut product = |a, b| operations.push(Operation::Multiply(a, b));
    let [x2, y2, along] = [product(x, x), product(y, y), product(z, z)];
    let across = operations.push(Operation::Add(x2, y2));
    let r2 = operations.push(Operation::Add(across, along));
    let ratio = operations.push(Operation::Divide(along, r2));
    let zero = operations.constant(0.0);
    let m = operations.push(Operation::Where(r2, ratio, zero));
    let mut scaled = |factor: f64, by: Value, term: f64| {
        let [factor, term] = [factor, term].map(|number| operations.constant(number));
        let product = operations.push(Operation::Multiply(by, factor));
        operations.push(Operation::Add(product, term))
    };
    let of_two = scaled(3.0, m, -1.0);
    let second = scaled(0.5, of_two, 0.0);
    let inner = scaled(35.0, m, -30.0);
    let of_four = operations.push(Operation::Multiply(inner, m));
    let [three, eighth] = [3.0, 0.125].map(|number| operations.constant(number));
    let of_four = operations.push(Operation::Add(of_four, three));
    let fourth = operations.push(Operation::Multiply(of_four, eighth));
    let sums = [even("P2", second, 1.5), even("P4", fourth, 1.5)];
    Ok(PairProgram::new(&operations, sums.into())?)
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

/// Times the kernels of a count.
fn time(engine: &Cuda, name: &str, job: &PairJob<'_>, what: &CountSpec) -> Result<(), Failure> {
    let mut best = f64::INFINITY;
    let mut pairs = 0;
    for _ in 0..3 {
        let tally = engine.run(job, what, &Silent)?;
        pairs = tally.pairs().iter().sum::<u64>();
        best = best.min(engine.last_run().0.kernels);
    }
    println!(
        "{name:<28} {:>10.3} ms kernel {:>9.1} G/s in bins  {}",
        best * 1e3,
        pairs as f64 / best / 1e9,
        engine.last_run().1
    );
    Ok(())
}

/// In (s, mu) of a survey.
fn of_survey(engine: &Cuda, n: usize) -> Result<(), Failure> {
    let s = Edges::linear(0.0, 150.0, 40)?;
    let mu = SignedEdges::linear(0.0, 1.0, 100)?;
    let bins = SMuBins::new(s, mu, LineOfSight::Midpoint)?;
    println!("(s, mu) 40 x 100 to 150");
    for (name, words, sums, weight) in cases()? {
        let sample = survey(n, words)?;
        let job = PairJob::new(Pairs::Auto(&sample), &Domain::Open)?;
        let mut what = sums
            .into_iter()
            .fold(CountSpec::new(bins.clone()), CountSpec::with_sum);
        if let Some(weight) = weight {
            what = what.with_pair_weight(weight);
        }
        time(engine, name, &job, &what)?;
    }
    Ok(())
}

/// In few bins of a box.
fn of_box(engine: &Cuda, n: usize) -> Result<(), Failure> {
    let sample = moving(random::in_box(n, 17, [1000.0; 3])?)?;
    let domain = Domain::Periodic(PeriodicBox::cubic(1000.0)?);
    let job = PairJob::new(Pairs::Auto(&sample), &domain)?;
    let [mean, program] = [pairwise_velocities(false)?, pairwise_velocities(true)?].map(Arc::new);
    for cutoff in [60.0, 120.0] {
        println!("30 bins to {cutoff}");
        let counts = CountSpec::new(RBins::new(Edges::linear(0.0, cutoff, 30)?));
        let weights = counts.clone().with_weights();
        for (name, what) in [
            ("counts", counts.clone()),
            ("weights", weights.clone()),
            ("v12", counts.clone().with_program(Arc::clone(&mean))),
            ("v12 and sigma12", counts.with_program(Arc::clone(&program))),
            (
                "the same, weighted",
                weights.clone().with_program(Arc::clone(&program)),
            ),
            (
                "mean separation, weights",
                weights.clone().with_mean_separation(),
            ),
        ] {
            time(engine, name, &job, &what)?;
        }
        println!("the same, 10 of mu along an axis");
        let mu = SignedEdges::linear(0.0, 1.0, 10)?;
        let s = Edges::linear(0.0, cutoff, 30)?;
        let counts = CountSpec::new(SMuBins::new(s, mu, LineOfSight::Fixed(Axis::Z))?);
        let weights = counts.with_weights();
        let degrees = [Legendre::L2, Legendre::L4].into_iter().collect();
        let program = Arc::new(polynomials()?);
        for (name, what) in [
            (
                "Legendre sums 2 and 4",
                weights.clone().with_legendre(degrees),
            ),
            ("the same as expressions", weights.with_program(program)),
        ] {
            time(engine, name, &job, &what)?;
        }
    }
    Ok(())
}

fn main() -> Result<(), Failure> {
    let mut arguments = std::env::args().skip(1);
    let only = arguments.next().unwrap_or_default();
    let n = arguments.next().map_or(Ok(1_000_000), |n| n.parse())?;
    let engine = Cuda::new(CudaOptions {
        tuning: tuning(&arguments.next().unwrap_or_default())?,
        ..CudaOptions::default()
    })?;
    if only != "survey" {
        of_box(&engine, n)?;
    }
    if only != "box" {
        of_survey(&engine, n)?;
    }
    Ok(())
}
