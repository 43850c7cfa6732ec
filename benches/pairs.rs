//! Pairs per second of the CPU engine, and of sums on GPUs where there are any, on seeded inputs, with the counts asserted before they are timed.
//!
//! `cargo bench --bench pairs`; the throughput that criterion prints is pairs in range per second.

#![allow(clippy::unwrap_used, reason = "a bench that cannot run should stop")]
#![allow(
    missing_docs,
    reason = "criterion's macros make undocumented functions"
)]

use std::sync::Arc;

use albireo::counts::count_pairs;
#[cfg(feature = "cuda")]
use albireo::engine::cuda::{Cuda, CudaOptions};
use albireo::engine::{Cpu, Silent};
use albireo::particles::Bits;
use albireo::tally::{
    AngularWeight, InverseProbability, Legendre, PairNormalisation, PairProgram, PairWeight,
    Realisations,
};
use albireo::{
    Axis, Bins, CountSpec, Domain, Edges, LineOfSight, PairJob, Pairs, Particles, PeriodicBox,
    Points, RBins, RpPiBins, SMuBins, SignedEdges, random,
};
use criterion::{Criterion, Throughput, criterion_group, criterion_main};

#[path = "../examples/cuda/velocities.rs"]
mod velocities;

const SEED: u64 = 20_261_121;
const SIDE: f64 = 1000.0;

fn cube() -> Domain {
    Domain::Periodic(PeriodicBox::cubic(SIDE).unwrap())
}

fn uniform(n: usize) -> Particles {
    Particles::new(random::in_box(n, SEED, [SIDE; 3]).unwrap())
}

/// Times one count after checking that it finds `expected` pairs.
fn bench(
    c: &mut Criterion,
    name: &str,
    sample: &Particles,
    domain: &Domain,
    bins: impl Into<Bins>,
    expected: u64,
) {
    let job = PairJob::new(Pairs::Auto(sample), domain).unwrap();
    let what = CountSpec::for_pairs(bins, job.pairs());
    bench_count(c, name, &job, &what, expected);
}

/// The same of anything that is counted.
fn bench_count(c: &mut Criterion, name: &str, job: &PairJob<'_>, what: &CountSpec, expected: u64) {
    let engine = Cpu::new();
    let count = || count_pairs(&engine, job, what, &Silent).unwrap();
    assert_eq!(count().npairs().iter().sum::<u64>(), expected, "{name}");
    let mut group = c.benchmark_group("pairs");
    group
        .sample_size(10)
        .throughput(Throughput::Elements(expected));
    group.bench_function(name, |b| b.iter(count));
    group.finish();
}

fn box_counts(c: &mut Criterion) {
    let sample = uniform(100_000);
    let linear = RBins::new(Edges::linear(0.0, 150.0, 30).unwrap());
    bench(
        c,
        "box 100k, 30 linear bins to 150",
        &sample,
        &cube(),
        &linear,
        COUNTS[0],
    );
    let log = RBins::new(Edges::logarithmic(0.1, 25.0, 20).unwrap());
    bench(
        c,
        "box 100k, 20 log bins to 25",
        &sample,
        &cube(),
        &log,
        COUNTS[1],
    );
    let domain = cube();
    let job = PairJob::new(Pairs::Auto(&sample), &domain).unwrap();
    bench_count(
        c,
        "box 100k, 30 linear bins to 150, mean separations",
        &job,
        &CountSpec::new(&linear).with_mean_separation(),
        COUNTS[0],
    );
}

/// Pairs that all lie on an edge, where the float32 filter has doubts about each, and the same off it.
fn pairs_on_an_edge(c: &mut Criterion) {
    let at = |x: f64, n: usize| {
        let rows = vec![[x, 0.0, 0.0]; n];
        Particles::new(Points::from_rows(&rows).unwrap())
    };
    let bins = RBins::new(Edges::linear(0.0, 20.0, 4).unwrap());
    let first = at(0.0, 2048);
    for (name, x) in [("off", 5.5), ("on", 5.0)] {
        let second = at(x, 65_537);
        let job = PairJob::new(Pairs::Cross(&first, &second), &Domain::Open).unwrap();
        let name = format!("2,048 x 65,537 points {name} an edge");
        bench_count(c, &name, &job, &CountSpec::new(&bins), 2048 * 65_537);
    }
}

fn weighted_counts(c: &mut Criterion) {
    let sample = uniform(30_000);
    let weights = (0..sample.len())
        .map(|k| 0.5 + (k % 97) as f64 / 97.0)
        .collect();
    let sample = Particles::weighted(sample.points().clone(), weights).unwrap();
    let los = LineOfSight::Fixed(Axis::Z);
    let s = Edges::linear(0.0, 200.0, 40).unwrap();
    let mu = SignedEdges::linear(0.0, 1.0, 100).unwrap();
    let s_mu = SMuBins::new(s, mu, los).unwrap();
    bench(
        c,
        "weighted (s,mu) 30k, 40 x 100 to 200",
        &sample,
        &cube(),
        &s_mu,
        COUNTS[2],
    );
    let rp = Edges::logarithmic(0.1, 40.0, 20).unwrap();
    let rp_pi = RpPiBins::new(rp, SignedEdges::linear(0.0, 80.0, 80).unwrap(), los).unwrap();
    bench(
        c,
        "weighted (rp,pi) 30k, 20 x 80",
        &sample,
        &cube(),
        &rp_pi,
        COUNTS[3],
    );
}

/// A box of points away from the observer with weights and `words` words of bits.
fn survey(n: usize, words: usize) -> Particles {
    let shift = |[x, y, z]: [f64; 3]| [x + 2000.0, y - SIDE / 2.0, z - SIDE / 2.0];
    let points = uniform(n);
    let rows: Vec<[f64; 3]> = (0..n).map(|row| shift(points.points().at(row))).collect();
    let points = Points::from_rows(&rows).unwrap();
    let weights = (0..n).map(|k| 0.5 + (k % 97) as f64 / 97.0).collect();
    let mixed = |k: u64| {
        (k + 1)
            .wrapping_mul(0x9e37_79b9_7f4a_7c15)
            .rotate_left(k as u32)
    };
    let bits = (0..(n * words) as u64).map(mixed).collect();
    let sample = Particles::weighted(points, weights).unwrap();
    sample.with_bits(Bits::new(bits, words).unwrap()).unwrap()
}

/// Inverse probabilities of `words` words of bits.
fn pip(words: usize) -> PairWeight {
    let realisations = Realisations::of_words(words);
    let normalisation = PairNormalisation::JointOccurrence;
    let inverse = InverseProbability::new(words, realisations, normalisation).unwrap();
    inverse.into()
}

fn upweights() -> PairWeight {
    let angular = AngularWeight::new(vec![0.001, 0.1, 1.0], vec![3.0, 2.0, 1.0]).unwrap();
    angular.into()
}

/// Weights of pairs beside the same count with weights alone: bits of 2 and of 30 words, and angular weights.
fn pair_weights(c: &mut Criterion) {
    let s = Edges::linear(0.0, 200.0, 40).unwrap();
    let mu = SignedEdges::linear(0.0, 1.0, 100).unwrap();
    let s_mu = SMuBins::new(s, mu, LineOfSight::Midpoint).unwrap();
    let weights = CountSpec::new(s_mu).with_weights();
    for (name, words, what) in [
        ("weights alone", 1, &weights),
        ("PIP of 2 words", 2, &weights.clone().weighted_by(pip(2))),
        ("PIP of 30 words", 30, &weights.clone().weighted_by(pip(30))),
        (
            "angular weights",
            1,
            &weights.clone().weighted_by(upweights()),
        ),
    ] {
        let sample = survey(30_000, words);
        let job = PairJob::new(Pairs::Auto(&sample), &Domain::Open).unwrap();
        let name = format!("survey (s,mu) 30k, 40 x 100 to 200, {name}");
        bench_count(c, &name, &job, what, COUNTS[5]);
    }
}

/// A box of points with weights and three components of a velocity.
fn moving(n: usize) -> Particles {
    velocities::moving(uniform(n).points().clone()).unwrap()
}

/// The velocity of one point of a pair seen from the other along their separation.
fn pairwise_velocity() -> PairProgram {
    velocities::pairwise_velocities(false).unwrap()
}

/// Mean pairwise velocities and mean separations beside the same count with weights alone.
fn expressions(c: &mut Criterion) {
    let (sample, domain) = (moving(100_000), cube());
    let job = PairJob::new(Pairs::Auto(&sample), &domain).unwrap();
    let bins = RBins::new(Edges::linear(0.0, 150.0, 30).unwrap());
    let weights = CountSpec::new(bins).with_weights();
    let velocities = weights.clone().with_program(Arc::new(pairwise_velocity()));
    let means = weights.clone().with_mean_separation();
    for (name, what) in [
        ("weights", &weights),
        ("weights and v12", &velocities),
        ("weights and mean separations", &means),
    ] {
        let name = format!("box 100k, 30 linear bins to 150, {name}");
        bench_count(c, &name, &job, what, COUNTS[0]);
    }
}

/// What terms of pairs cost on GPUs beside the weights alone, after checking them against the processor: whole counts, arrays to counts.
#[cfg(feature = "cuda")]
#[allow(clippy::print_stderr, reason = "what is skipped is printed")]
fn terms_on_gpus(c: &mut Criterion) {
    let engine = match Cuda::new(CudaOptions::default()) {
        Ok(engine) => engine,
        Err(error) => {
            eprintln!("skipped: sums on GPUs: {error}");
            return;
        }
    };
    let los = LineOfSight::Midpoint;
    let s = Edges::linear(0.0, 100.0, 40).unwrap();
    let mu = SignedEdges::linear(0.0, 1.0, 100).unwrap();
    let s_mu = SMuBins::new(s, mu, los).unwrap();
    let weights = CountSpec::new(s_mu).with_weights();
    let means = weights.clone().with_mean_separation();
    let degrees = [Legendre::L2, Legendre::L4].into_iter().collect();
    for (name, words, what) in [
        ("weights alone", 1, &weights),
        ("PIP of 2 words", 2, &weights.clone().weighted_by(pip(2))),
        ("PIP of 30 words", 30, &weights.clone().weighted_by(pip(30))),
        (
            "angular weights",
            1,
            &weights.clone().weighted_by(upweights()),
        ),
        (
            "means, weighted and not",
            1,
            &means.with_weighted_separation(),
        ),
        (
            "Legendre sums 2 and 4",
            1,
            &weights.clone().with_legendre(degrees),
        ),
    ] {
        let sample = survey(300_000, words);
        let job = PairJob::new(Pairs::Auto(&sample), &Domain::Open).unwrap();
        let name = format!("survey (s,mu) 300k, 40 x 100 to 100, {name}");
        bench_on_gpus(c, &engine, &name, &job, what);
    }
    let (sample, domain) = (moving(1_000_000), cube());
    let job = PairJob::new(Pairs::Auto(&sample), &domain).unwrap();
    let bins = RBins::new(Edges::linear(0.0, 100.0, 30).unwrap());
    let weights = CountSpec::new(bins).with_weights();
    let velocities = weights.clone().with_program(Arc::new(pairwise_velocity()));
    for (name, what) in [("weights", &weights), ("weights and v12", &velocities)] {
        let name = format!("box 1M, 30 linear bins to 100, {name}");
        bench_on_gpus(c, &engine, &name, &job, what);
    }
}

/// Times one count after checking that it is the processor's.
#[cfg(feature = "cuda")]
fn bench_on_gpus(
    c: &mut Criterion,
    engine: &Cuda,
    name: &str,
    job: &PairJob<'_>,
    what: &CountSpec,
) {
    let count = || count_pairs(engine, job, what, &Silent).unwrap();
    let expected = count_pairs(&Cpu::new(), job, what, &Silent).unwrap();
    assert!(count() == expected, "{name}");
    let mut group = c.benchmark_group("GPU");
    let pairs = expected.npairs().iter().sum();
    group
        .sample_size(10)
        .throughput(Throughput::Elements(pairs));
    group.bench_function(name, |b| b.iter(count));
    group.finish();
}

#[cfg(not(feature = "cuda"))]
fn terms_on_gpus(_: &mut Criterion) {}

fn full_range(c: &mut Criterion) {
    let sample = uniform(20_000);
    let bins = RBins::new(Edges::linear(0.0, 1733.0, 10_000).unwrap());
    bench(
        c,
        "open 20k, 10000 bins over all",
        &sample,
        &Domain::Open,
        &bins,
        COUNTS[4],
    );
}

/// What every engine counts, in the order of the benches.
const COUNTS: [u64; 6] = [
    70_685_879,
    325_999,
    15_079_829,
    361_588,
    199_990_000,
    11_959_971,
];

criterion_group!(
    benches,
    box_counts,
    pairs_on_an_edge,
    weighted_counts,
    pair_weights,
    expressions,
    terms_on_gpus,
    full_range
);
criterion_main!(benches);
