//! Counts by tensor cores that add as badly as their bound allows, against the double loop.

use std::sync::OnceLock;

use albireo::engine::cuda::{Precision, count};
use albireo::engine::{Silent, Traversal};
use albireo::particles::Bits;
use albireo::tally::CountSpec;
use albireo::{
    Axis, Bins, Domain, Edges, Engine, Lattice, LineOfSight, Naive, PairJob, Pairs, Particles,
    PeriodicBox, Points, RBins, RpPiBins, SMuBins, SignedEdges,
};

use super::trials::Test;
use super::{Emulated, Emulator, PLENTY, SHARED, suite};
use suite::{Random, Scatter};

/// The tests by their names.
pub(crate) const TESTS: [Test; 8] = [
    (
        "tensor_cores_count_along_an_axis",
        tensor_cores_count_along_an_axis,
    ),
    (
        "tensor_cores_count_along_lines_of_sight",
        tensor_cores_count_along_lines_of_sight,
    ),
    (
        "tensor_cores_decide_cosines_on_edges",
        tensor_cores_decide_cosines_on_edges,
    ),
    (
        "tensor_cores_count_at_any_scale",
        tensor_cores_count_at_any_scale,
    ),
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
fn planned(engine: &Emulated, job: &PairJob<'_>, bins: &Bins) -> String {
    let what = CountSpec::new(bins.clone());
    let expected = Naive.run(job, &what, &Silent).unwrap();
    let counted = count(
        &engine.devices,
        &engine.options,
        (job, None, None),
        &what,
        &Silent,
    );
    let (tally, _, how) = counted.unwrap();
    assert_eq!(tally.pairs(), expected.pairs(), "{how} {bins:?}");
    assert!(tally == expected);
    how
}

/// Counts pairs of one sample and between two, by cells and tensor cores.
fn compare(engine: &Emulated, domain: &Domain, samples: [&Particles; 2], edges: &Edges) {
    compare_in(engine, domain, samples, RBins::new(edges.clone()));
}

/// The same in any bins.
fn compare_in(engine: &Emulated, domain: &Domain, [a, b]: [&Particles; 2], bins: impl Into<Bins>) {
    let bins = &bins.into();
    for pairs in [Pairs::Auto(a), Pairs::Cross(a, b), Pairs::Cross(b, a)] {
        let job = PairJob::new(pairs, domain).unwrap();
        let job = job.with_traversal(Traversal::Cells);
        let how = planned(engine, &job, bins);
        assert!(how.contains("tensor cores"), "{how}: {domain:?} {bins:?}");
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
        let bins = RBins::new(edges).into();
        planned(engine, &job.with_traversal(traversal), &bins)
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

fn s_mu(s: [f64; 2], n: usize, mu: [f64; 2], m: usize, los: LineOfSight) -> SMuBins {
    let s = Edges::linear(s[0], s[1], n).unwrap();
    SMuBins::new(s, SignedEdges::linear(mu[0], mu[1], m).unwrap(), los).unwrap()
}

fn rp_pi(rp: [f64; 2], n: usize, pi: [f64; 2], m: usize, axis: Axis) -> RpPiBins {
    let rp = Edges::linear(rp[0], rp[1], n).unwrap();
    let pi = SignedEdges::linear(pi[0], pi[1], m).unwrap();
    RpPiBins::new(rp, pi, LineOfSight::Fixed(axis)).unwrap()
}

fn tensor_cores_count_along_an_axis() {
    let mut engine = engine();
    for (k, (_, domain)) in suite::domains().into_iter().enumerate() {
        engine.options.tuning.points = if k == 1 { 1 } else { 2 };
        let axis = [Axis::X, Axis::Y, Axis::Z][k % 3];
        let los = LineOfSight::Fixed(axis);
        let reach = 0.6 * domain.reach().min(0.5);
        let (across, along) = (0.5 * reach, 0.7 * reach);
        let s_mu = [
            s_mu([0.0, reach], 6, [0.0, 1.0], 10, los),
            s_mu([reach / 4.0, reach], 3, [-1.0, 1.0], 100, los),
            s_mu([0.0, reach], 5, [0.25, 0.75], 2, los),
        ];
        let rp_pi = [
            rp_pi([0.0, across], 5, [0.0, along], 10, axis),
            rp_pi([across / 4.0, across], 3, [-along, along / 2.0], 6, axis),
            rp_pi([0.0, across], 4, [along / 4.0, along], 3, axis),
        ];
        // Each kind of bins with each kind of points, of every third domain.
        for (at, (n, scatter)) in [
            (200, Scatter::Uniform),
            (140, Scatter::Clustered),
            (120, Scatter::Lattice),
        ]
        .into_iter()
        .enumerate()
        {
            let a = suite::particles(&domain, n, scatter, 41);
            let b = suite::particles(&domain, 2 * n / 3, scatter, 42);
            let which = (k + at) % 3;
            compare_in(&engine, &domain, [&a, &b], s_mu[which].clone());
            compare_in(&engine, &domain, [&a, &b], rp_pi[which].clone());
        }
    }
}

/// Random points of a cube of unit side at `corner`, as seen from the origin, a quarter of them twice.
fn seen(n: usize, corner: [f64; 3], scatter: Scatter, seed: u64) -> Particles {
    let sample = suite::particles(&Domain::Open, n, scatter, seed);
    let rows = sample.points();
    let mut rows: Vec<[f64; 3]> = (0..n)
        .map(|row| std::array::from_fn(|axis| rows.at(row)[axis] + corner[axis]))
        .collect();
    rows.extend_from_within(0..n / 4);
    Particles::new(Points::from_rows(&rows).unwrap())
}

fn tensor_cores_count_along_lines_of_sight() {
    let mut engine = engine();
    let los = LineOfSight::Midpoint;
    // From inside, a corner, next to it, far away and very far away.
    for (k, corner) in [
        [-0.5, -0.4, -0.3],
        [0.0, 0.0, 0.0],
        [0.1, -1.2, 0.2],
        [5.0, 3.0, -4.0],
        [0.0, 0.0, 1000.0],
    ]
    .into_iter()
    .enumerate()
    {
        engine.options.tuning.points = 1 + k as u32 % 2;
        for (n, scatter) in [
            (200, Scatter::Uniform),
            (140, Scatter::Clustered),
            (120, Scatter::Lattice),
        ] {
            let a = seen(n, corner, scatter, 43);
            let b = seen(2 * n / 3, corner, scatter, 44);
            for bins in [
                s_mu([0.0, 0.3], 6, [0.0, 1.0], 10, los),
                s_mu([0.1, 0.4], 3, [-1.0, 1.0], 100, los),
                s_mu([0.0, 0.3], 5, [0.25, 0.75], 2, los),
            ] {
                compare_in(&engine, &Domain::Open, [&a, &b], bins);
            }
        }
    }
}

/// The cosine of a pair as the rule has it.
fn cosine(x: [f64; 3], y: [f64; 3], los: LineOfSight) -> f64 {
    let dot = |a: [f64; 3], b: [f64; 3]| a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
    let d = [0, 1, 2].map(|k| x[k] - y[k]);
    let l = match los {
        LineOfSight::Fixed(axis) => [0, 1, 2].map(|k| f64::from(u8::from(k == axis.index()))),
        _ => [0, 1, 2].map(|k| x[k] + y[k]),
    };
    dot(d, l) / (dot(d, d) * dot(l, l)).sqrt()
}

/// Bins with an edge on the cosine of a pair each, so that no error of it may go past its margin unseen.
fn tensor_cores_decide_cosines_on_edges() {
    let engine = engine();
    let mut random = Random::new(45);
    for trial in 0..60 {
        let corner = [0; 3].map(|_| 3.0 * random.next() - 1.5);
        let sample = seen(60, corner, Scatter::Uniform, 46 + trial);
        let los = if trial % 3 == 0 {
            LineOfSight::Fixed(Axis::Z)
        } else {
            LineOfSight::Midpoint
        };
        let points = sample.points();
        let [i, j] = [0; 2].map(|_| (60.0 * random.next()) as usize);
        let mu = cosine(points.at(i), points.at(j), los).abs();
        if mu.is_nan() || !(0.02..0.98).contains(&mu) {
            continue;
        }
        // Edge k is the pair's, rounded in one of many ways.
        let n = 20 + (80.0 * random.next()) as usize;
        let k = (mu * n as f64).ceil();
        let last = mu * n as f64 / k;
        let lowest = if trial % 2 == 0 { 0.0 } else { -last };
        let mu = SignedEdges::linear(lowest, last, n * if trial % 2 == 0 { 1 } else { 2 });
        let (Ok(mu), true) = (mu, n < 60 || trial % 2 == 0) else {
            continue;
        };
        let s = Edges::linear(0.0, 0.7, 7).unwrap();
        let bins = SMuBins::new(s, mu, los).unwrap();
        compare_in(&engine, &Domain::Open, [&sample, &sample], bins);
    }
}

fn tensor_cores_count_at_any_scale() {
    let engine = engine();
    let sample = seen(150, [0.4, -0.3, 0.2], Scatter::Clustered, 47);
    for scale in [1e-60, 3e-20, 7e-3, 1e5, 2e30, 1e60] {
        let rows: Vec<[f64; 3]> = (0..sample.len())
            .map(|row| sample.points().at(row).map(|x| x * scale))
            .collect();
        let sample = Particles::new(Points::from_rows(&rows).unwrap());
        let both = [&sample, &sample];
        let reach = 0.3 * scale;
        let bins = s_mu([0.0, reach], 6, [-1.0, 1.0], 20, LineOfSight::Midpoint);
        compare_in(&engine, &Domain::Open, both, bins);
        let bins = s_mu([0.0, reach], 6, [0.0, 1.0], 20, LineOfSight::Fixed(Axis::X));
        compare_in(&engine, &Domain::Open, both, bins);
        let bins = rp_pi([0.0, reach], 6, [0.0, reach], 5, Axis::Y);
        compare_in(&engine, &Domain::Open, both, bins);
    }
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
