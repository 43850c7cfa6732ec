//! Counts by tensor cores that add as badly as their bound allows, against the double loop.

use std::sync::OnceLock;

use albireo::engine::cuda::{Precision, count};
use albireo::engine::{Silent, Traversal};
use albireo::particles::Bits;
use albireo::tally::CountSpec;
use albireo::{
    Domain, Edges, Engine, Lattice, Naive, PairJob, Pairs, Particles, PeriodicBox, Points, RBins,
};

use super::trials::Test;
use super::{Emulated, Emulator, PLENTY, SHARED, suite};
use suite::{Random, Scatter};

/// The tests by their names.
pub(crate) const TESTS: [Test; 4] = [
    (
        "tensor_cores_count_no_realisations",
        tensor_cores_count_no_realisations,
    ),
    (
        "tensor_cores_count_as_the_double_loop",
        tensor_cores_count_as_the_double_loop,
    ),
    (
        "tensor_cores_decide_ties_and_duplicates",
        tensor_cores_decide_ties_and_duplicates,
    ),
    (
        "tensor_cores_are_for_some_jobs_alone",
        tensor_cores_are_for_some_jobs_alone,
    ),
];

/// An engine with tensor cores, of a shape for small samples.
fn engine() -> Emulated {
    with_tensors(OnceLock::new())
}

fn with_tensors(kept: OnceLock<bool>) -> Emulated {
    let mut emulator = Emulator::new(SHARED, PLENTY);
    emulator.tensor_cores = Some(kept);
    let mut engine = Emulated::of(Precision::Exact, vec![emulator]);
    engine.options.tuning.threads = 64;
    engine.options.tuning.tile = 40;
    engine.options.tuning.cell_particles = 5;
    engine
}

/// How a job is planned, and whether its counts are those of the double loop.
fn planned(engine: &Emulated, job: &PairJob<'_>, edges: &Edges) -> String {
    let what = CountSpec::new(RBins::new(edges.clone()));
    let expected = Naive.run(job, &what, &Silent).unwrap();
    let counted = count(
        &engine.devices,
        &engine.options,
        (job, None, None),
        &what,
        &Silent,
    );
    let (tally, _, how) = counted.unwrap();
    assert_eq!(tally.pairs(), expected.pairs(), "{how} {edges:?}");
    assert!(tally == expected);
    how
}

/// Counts pairs of one sample and between two, by cells and tensor cores.
fn compare(engine: &Emulated, domain: &Domain, [a, b]: [&Particles; 2], edges: &Edges) {
    for pairs in [Pairs::Auto(a), Pairs::Cross(a, b), Pairs::Cross(b, a)] {
        let job = PairJob::new(pairs, domain).unwrap();
        let job = job.with_traversal(Traversal::Cells);
        let how = planned(engine, &job, edges);
        assert!(how.contains("tensor cores"), "{how}: {domain:?} {edges:?}");
    }
}

fn tensor_cores_count_as_the_double_loop() {
    let engine = engine();
    for (_, domain) in suite::domains() {
        for (n, scatter) in [
            (230, Scatter::Uniform),
            (160, Scatter::Clustered),
            (17, Scatter::Uniform),
        ] {
            let a = suite::particles(&domain, n, scatter, 31);
            let b = suite::particles(&domain, 2 * n / 3, scatter, 32);
            let reach = 0.6 * domain.reach().min(0.5);
            let edges = Edges::linear(0.0, reach, 6).unwrap();
            compare(&engine, &domain, [&a, &b], &edges);
            let edges = Edges::linear(reach / 4.0, reach, 3).unwrap();
            compare(&engine, &domain, [&a, &b], &edges);
        }
    }
    // Both orders of a pair, and a reach that nothing is beyond.
    let sample = suite::particles(&Domain::Open, 200, Scatter::Uniform, 36);
    let edges = Edges::linear(0.0, 1.8, 30).unwrap();
    compare(&engine, &Domain::Open, [&sample, &sample], &edges);
    assert_eq!(engine.devices.0[0].tensor_cores, Some(OnceLock::from(true)));
}

fn tensor_cores_decide_ties_and_duplicates() {
    let engine = engine();
    let mut random = Random::new(33);
    // A lattice with some points an ulp aside and some twice, far from the origin.
    for offset in [0.0, 4096.0] {
        let mut rows = Vec::new();
        for _ in 0..200 {
            let row = [0; 3].map(|_| {
                let at = offset + (16.0 * random.next()).floor() / 16.0;
                match random.next() {
                    x if x < 0.1 => at.next_up(),
                    x if x < 0.2 => at.next_down(),
                    _ => at,
                }
            });
            rows.push(row);
        }
        rows.extend_from_within(0..60);
        let sample = Particles::new(Points::from_rows(&rows).unwrap());
        let edges = Edges::linear(0.0, 0.5, 4).unwrap();
        compare(&engine, &Domain::Open, [&sample, &sample], &edges);
    }
    let cubic = Domain::Periodic(PeriodicBox::cubic(1.0).unwrap());
    let skewed = [[1.0, 0.0, 0.0], [0.25, 1.0, 0.0], [0.0, 0.5, 1.0]];
    let skewed = Domain::Triclinic(Lattice::new(skewed).unwrap());
    for domain in [cubic, skewed] {
        let sample = suite::particles(&domain, 200, Scatter::Lattice, 34);
        let edges = Edges::linear(0.0, 0.25, 4).unwrap();
        compare(&engine, &domain, [&sample, &sample], &edges);
    }
}

fn tensor_cores_are_for_some_jobs_alone() {
    let domain = Domain::Periodic(PeriodicBox::cubic(1.0).unwrap());
    let sample = suite::particles(&domain, 60, Scatter::Uniform, 35);
    let how = |engine: &Emulated, traversal, edges: Edges| {
        let job = PairJob::new(Pairs::Auto(&sample), &domain).unwrap();
        planned(engine, &job.with_traversal(traversal), &edges)
    };
    let few = || Edges::linear(0.0, 0.4, 8).unwrap();
    let tensors = engine();
    for (traversal, edges) in [
        (Traversal::AllPairs, few()),
        (Traversal::Cells, Edges::linear(0.0, 0.4, 200).unwrap()),
        (Traversal::Cells, Edges::logarithmic(0.01, 0.4, 8).unwrap()),
        // So near 0 that no error is small beside the edge.
        (Traversal::Cells, Edges::linear(1e-7, 0.4, 8).unwrap()),
    ] {
        let how = how(&tensors, traversal, edges);
        assert!(!how.contains("tensor cores"), "{how}");
    }
    // Tensor cores that are not known to keep their bound are left out, and this is said.
    let refused = how(
        &with_tensors(OnceLock::from(false)),
        Traversal::Cells,
        few(),
    );
    assert!(refused.contains("float32 filter"), "{refused}");
    assert!(refused.contains("not by tensor cores"), "{refused}");
    // Without a tile that is asked for, those few seconds are not worth it.
    let mut usual = engine();
    usual.options.tuning.tile = 0;
    let how = how(&usual, Traversal::Cells, few());
    assert!(how.contains("float32 filter"), "{how}");
}

/// Bits of one side are counted row by row, by kernels of their own.
fn tensor_cores_count_no_realisations() {
    let engine = engine();
    let domain = Domain::Periodic(PeriodicBox::cubic(1.0).unwrap());
    let sample = |n, seed| suite::particles(&domain, n, Scatter::Uniform, seed);
    let (a, b) = (sample(230, 36), sample(150, 37));
    let bits = (0..a.len() as u64).map(|row| row % 13).collect();
    let drawn = a.clone().with_bits(Bits::new(bits, 1).unwrap()).unwrap();
    let edges = Edges::linear(0.0, 0.3, 8).unwrap();
    compare(&engine, &domain, [&a, &b], &edges);
    let what = CountSpec::new(RBins::new(edges)).by_realisation(4);
    for pairs in [
        Pairs::Auto(&drawn),
        Pairs::Cross(&drawn, &b),
        Pairs::Cross(&b, &drawn),
    ] {
        let job = PairJob::new(pairs, &domain).unwrap();
        let job = job.with_traversal(Traversal::Cells);
        let expected = Naive.run(&job, &what, &Silent).unwrap();
        let counted = count(
            &engine.devices,
            &engine.options,
            (&job, None, None),
            &what,
            &Silent,
        );
        let (tally, _, how) = counted.unwrap();
        assert!(tally == expected, "{how}");
        assert!(!how.contains("tensor cores"), "{how}");
    }
}
