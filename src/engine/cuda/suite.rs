//! The engine suite: every sum, binning and domain against the double loop, by `==`.
//!
//! Entry: [`every_case`], [`many_bins`], [`mean_separations`], [`clustered`]. Tests of the library and of devices share it; it knows no engine.
#![allow(
    clippy::unwrap_used,
    unreachable_pub,
    dead_code,
    reason = "a failed unwrap is a failed test; each test binary uses its part"
)]

use albireo::engine::{Silent, Traversal};
use albireo::tally::{CountSpec, Sum};
use albireo::{
    Axis, Bins, Domain, Edges, Engine, Lattice, LineOfSight, Naive, Outside, PairJob, Pairs,
    Particles, PeriodicBox, Points, RBins, RpPiBins, SMuBins, SignedEdges, ThetaBins,
};

/// A stream of numbers in [0, 1): splitmix64.
pub struct Random(u64);

impl Random {
    /// The stream of a seed.
    pub fn new(seed: u64) -> Self {
        Self(seed)
    }

    /// The next number.
    pub fn next(&mut self) -> f64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((z ^ (z >> 31)) >> 11) as f64 / (1u64 << 53) as f64
    }
}

/// How positions are drawn.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Scatter {
    /// Uniform in the unit cube.
    Uniform,
    /// On a grid of 16 steps: ties at many edges, coincident points.
    Lattice,
    /// A quarter uniform, the rest in three tight groups.
    Clustered,
}

/// Positions in the unit cube.
pub fn unit_cube(n: usize, scatter: Scatter, seed: u64) -> Vec<[f64; 3]> {
    let mut random = Random::new(seed);
    (0..n)
        .map(|k| {
            let x = [0; 3].map(|_| random.next());
            match scatter {
                Scatter::Uniform => x,
                Scatter::Lattice => x.map(|v| (v * 16.0).floor() / 16.0),
                Scatter::Clustered if k % 4 == 0 => x,
                Scatter::Clustered => x.map(|v| (0.3 * (k % 4) as f64 + 0.01 * v).fract()),
            }
        })
        .collect()
}

/// Particles in a domain of size near 1, with weights of both signs.
pub fn particles(domain: &Domain, n: usize, scatter: Scatter, seed: u64) -> Particles {
    let rows: Vec<[f64; 3]> = unit_cube(n, scatter, seed)
        .into_iter()
        .map(|s| match domain {
            Domain::Open => s.map(|v| v - 0.25),
            Domain::Periodic(cell) => {
                std::array::from_fn(|k| s[k] * cell.lengths()[k].unwrap_or(1.5))
            }
            Domain::Triclinic(lattice) => {
                let basis = lattice.vectors();
                std::array::from_fn(|axis| (0..3).map(|k| s[k] * basis[k][axis]).sum())
            }
        })
        .collect();
    let mut random = Random::new(seed ^ 0x5555);
    let weights = (0..n).map(|_| 3.0 * random.next() - 0.5).collect();
    let particles = Particles::weighted(Points::from_rows(&rows).unwrap(), weights).unwrap();
    domain.place(particles, Outside::Wrap).unwrap()
}

/// The domains of the matrix, by name.
pub fn domains() -> Vec<(&'static str, Domain)> {
    let cell = |lengths| Domain::Periodic(PeriodicBox::new(lengths).unwrap());
    let lattice = |vectors| Domain::Triclinic(Lattice::new(vectors).unwrap());
    vec![
        ("open", Domain::Open),
        ("cubic", cell([Some(1.0); 3])),
        ("orthorhombic", cell([Some(0.9), Some(1.3), Some(1.1)])),
        ("slab", cell([Some(1.0), None, Some(1.2)])),
        (
            "triclinic",
            lattice([[1.0, 0.0, 0.0], [0.4, 1.1, 0.0], [-0.3, 0.45, 0.9]]),
        ),
        (
            "face-centred",
            lattice([[0.0, 0.7, 0.7], [0.7, 0.0, 0.7], [0.7, 0.7, 0.0]]),
        ),
    ]
}

/// How much of the matrix to go through.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Scope {
    /// Every combination.
    Full,
    /// Every domain, binning and kernel, but not every one with every other: each kernel takes time to compile.
    Quick,
}

/// What is summed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Summed {
    Counts,
    Weights,
    Separations,
}

/// Compares one tally with that of the double loop.
fn check(engine: &dyn Engine, job: &PairJob<'_>, what: &CountSpec, name: &str) {
    let expected = Naive.run(job, what, &Silent).unwrap();
    let found = engine.run(job, what, &Silent).unwrap();
    let pairs = expected.pairs().iter().zip(found.pairs());
    let wrong = pairs.filter(|(a, b)| a != b).count();
    let binning = what.bins();
    assert_eq!(
        (expected.pairs().iter().sum::<u64>(), wrong),
        (found.pairs().iter().sum::<u64>(), 0),
        "{name}: pairs in all and bins that differ; {binning:?}"
    );
    assert!(expected == found, "{name}: sums differ; {binning:?}");
}

/// Compares one job with the double loop.
fn compare(
    engine: &dyn Engine,
    job: &PairJob<'_>,
    binning: impl Into<Bins>,
    summed: &[Summed],
    name: &str,
) {
    let binning = &binning.into();
    let counts = CountSpec::new(binning.clone());
    let weights = counts.clone().with_sum(Sum::Product);
    for what in summed {
        let name = format!("{what:?} {name}");
        match what {
            Summed::Counts => check(engine, job, &counts, &name),
            Summed::Weights => check(engine, job, &weights, &name),
            Summed::Separations => {
                for what in [&counts, &weights] {
                    let what = what.clone().with_sum(Sum::Separation);
                    check(engine, job, &what, &name);
                }
            }
        }
    }
}

/// Compares auto and cross counts, with and without weights, by both traversals.
fn compare_pairs(
    engine: &dyn Engine,
    domain: &Domain,
    samples: [&Particles; 2],
    binning: impl Into<Bins>,
    name: &str,
) {
    let binning = &binning.into();
    let summed = [Summed::Counts, Summed::Weights];
    compare_sums(engine, domain, samples, binning, &summed, name);
}

fn compare_sums(
    engine: &dyn Engine,
    domain: &Domain,
    [a, b]: [&Particles; 2],
    binning: impl Into<Bins>,
    summed: &[Summed],
    name: &str,
) {
    let binning = &binning.into();
    for traversal in [Traversal::AllPairs, Traversal::Cells] {
        for (kind, pairs) in [("auto", Pairs::Auto(a)), ("cross", Pairs::Cross(a, b))] {
            let job = PairJob::new(pairs, domain)
                .unwrap()
                .with_traversal(traversal);
            compare(
                engine,
                &job,
                binning,
                summed,
                &format!("{name} {kind} {traversal:?}"),
            );
        }
    }
}

fn r_bins(reach: f64) -> Vec<RBins> {
    let edges = [
        Edges::linear(0.0, reach, 16),
        Edges::linear(0.0, reach, 700),
        Edges::linear(reach / 4.0, reach, 5),
        Edges::logarithmic(reach / 300.0, reach, 14),
        // Uneven, crowded, and a bin of one rounding.
        Edges::new(vec![
            0.0,
            1e-5,
            reach / 3.0,
            (reach / 3.0) * (1.0 + 1e-14),
            reach / 2.0,
            reach,
        ]),
    ];
    edges.map(|edges| RBins::new(edges.unwrap())).into()
}

fn s_mu_bins(reach: f64, los: LineOfSight) -> Vec<SMuBins> {
    let linear = Edges::linear(0.0, reach, 8).unwrap();
    let log = Edges::logarithmic(reach / 100.0, reach, 6).unwrap();
    let mu = |lo, hi, n| SignedEdges::linear(lo, hi, n).unwrap();
    vec![
        SMuBins::new(linear.clone(), mu(0.0, 1.0, 10), los).unwrap(),
        SMuBins::new(log.clone(), mu(-1.0, 1.0, 8), los).unwrap(),
        SMuBins::new(log, mu(0.0, 0.5, 5), los).unwrap(),
        SMuBins::new(
            linear,
            SignedEdges::new(vec![0.1, 0.2, 0.7, 0.9]).unwrap(),
            los,
        )
        .unwrap(),
    ]
}

fn rp_pi_bins(across: f64, along: f64, los: LineOfSight) -> Vec<RpPiBins> {
    let pi = |lo, hi, n| SignedEdges::linear(lo, hi, n).unwrap();
    vec![
        RpPiBins::new(
            Edges::linear(0.0, across, 6).unwrap(),
            pi(0.0, along, 10),
            los,
        )
        .unwrap(),
        RpPiBins::new(
            Edges::logarithmic(across / 100.0, across, 5).unwrap(),
            pi(-along, along, 8),
            los,
        )
        .unwrap(),
        RpPiBins::new(
            Edges::linear(across / 3.0, across, 4).unwrap(),
            pi(along / 4.0, along, 3),
            los,
        )
        .unwrap(),
    ]
}

fn case(
    engine: &dyn Engine,
    name: &str,
    domain: &Domain,
    n: usize,
    scatter: Scatter,
    scope: Scope,
) {
    let quick = scope == Scope::Quick;
    let keep = |k: usize| !quick || k % 2 == usize::from(scatter == Scatter::Lattice);
    let (a, b) = (
        particles(domain, n, scatter, 1),
        particles(domain, n * 2 / 3 + 1, scatter, 2),
    );
    let samples = [&a, &b];
    let name = format!("{name} {scatter:?}");
    let limit = domain.reach().min(0.5);
    for (k, reach) in [limit, limit / 4.0].into_iter().enumerate() {
        for (_, binning) in r_bins(reach)
            .into_iter()
            .enumerate()
            .filter(|(at, _)| keep(k + at))
        {
            compare_pairs(engine, domain, samples, &binning, &name);
        }
    }
    let sights: &[LineOfSight] = if domain.is_periodic() {
        &[LineOfSight::Fixed(Axis::Z), LineOfSight::Fixed(Axis::X)]
    } else {
        &[
            LineOfSight::Midpoint,
            LineOfSight::First,
            LineOfSight::End,
            LineOfSight::Fixed(Axis::Y),
        ]
    };
    for (k, &los) in sights.iter().enumerate() {
        for (_, binning) in s_mu_bins(limit * 0.8, los)
            .into_iter()
            .enumerate()
            .filter(|(at, _)| keep(k + at))
        {
            compare_pairs(engine, domain, samples, &binning, &name);
        }
        let (across, along) = if matches!(domain, Domain::Triclinic(_)) {
            (0.6 * limit, 0.7 * limit)
        } else {
            (0.3 * limit, limit)
        };
        for (_, binning) in rp_pi_bins(across, along, los)
            .into_iter()
            .enumerate()
            .filter(|(at, _)| keep(k + at))
        {
            compare_pairs(engine, domain, samples, &binning, &name);
        }
    }
}

/// Angles, on directions that crowd towards a pole.
fn angles(engine: &dyn Engine, n: usize) {
    let sky = |seed, scatter| {
        let rows: Vec<[f64; 3]> = unit_cube(n, scatter, seed)
            .into_iter()
            .map(|s| s.map(|v| v - 0.3001))
            .collect();
        Particles::new(Points::from_rows(&rows).unwrap())
            .directions()
            .unwrap()
    };
    for scatter in [Scatter::Uniform, Scatter::Lattice] {
        let (a, b) = (sky(3, scatter), sky(4, scatter));
        for edges in [
            Edges::linear(0.0, 180.0, 18),
            Edges::logarithmic(0.01, 20.0, 10),
        ] {
            let binning = ThetaBins::new(edges.unwrap()).unwrap();
            compare_pairs(engine, &Domain::Open, [&a, &b], &binning, "angles");
        }
    }
}

/// Every operation, binning and domain, uniform positions and ties, on samples of about `n`.
pub fn every_case(engine: &(dyn Engine + Sync), n: usize, scope: Scope) {
    let mut domains = domains();
    if scope == Scope::Quick {
        // An open, a mixed and the most skewed domain stand for all.
        domains.retain(|(name, _)| ["open", "slab", "face-centred"].contains(name));
    }
    std::thread::scope(|threads| {
        for (name, domain) in &domains {
            for scatter in [Scatter::Uniform, Scatter::Lattice] {
                threads.spawn(move || case(engine, name, domain, n, scatter, scope));
            }
        }
        threads.spawn(|| angles(engine, n));
        threads.spawn(|| structural_sizes(engine, scope));
    });
}

/// Samples around the sizes of tiles and blocks, and degenerate ones.
pub fn structural_sizes(engine: &dyn Engine, scope: Scope) {
    let domain = Domain::Periodic(PeriodicBox::cubic(1.0).unwrap());
    let binning = RBins::new(Edges::linear(0.0, 0.5, 7).unwrap());
    let sizes: &[usize] = if scope == Scope::Quick {
        &[1, 2, 64, 65, 257]
    } else {
        &[1, 2, 63, 64, 65, 127, 129, 255, 257, 513]
    };
    for &n in sizes {
        let (a, b) = (
            particles(&domain, n, Scatter::Uniform, 5),
            particles(&domain, 3, Scatter::Uniform, 6),
        );
        for pair in [[&a, &b], [&b, &a]] {
            compare_pairs(engine, &domain, pair, &binning, &format!("{n} particles"));
        }
    }
    // All in one place, and on a line.
    for rows in [
        vec![[0.5; 3]; 70],
        (0..70).map(|k| [f64::from(k) / 70.0, 0.5, 0.5]).collect(),
    ] {
        let sample = Particles::new(Points::from_rows(&rows).unwrap());
        for domain in [&domain, &Domain::Open] {
            compare_pairs(engine, domain, [&sample, &sample], &binning, "degenerate");
        }
    }
}

/// Mean separations: sums of r, s, rp and theta beside counts and weights.
pub fn mean_separations(engine: &(dyn Engine + Sync), n: usize) {
    let sums = [Summed::Separations];
    std::thread::scope(|threads| {
        for (name, domain) in domains() {
            threads.spawn(move || {
                let (a, b) = (
                    particles(&domain, n, Scatter::Clustered, 21),
                    particles(&domain, n / 2 + 1, Scatter::Uniform, 22),
                );
                let limit = domain.reach().min(0.5);
                let los = if domain.is_periodic() {
                    LineOfSight::Fixed(Axis::Y)
                } else {
                    LineOfSight::Midpoint
                };
                // On sites, where separations are edges and points coincide.
                let sites = particles(&domain, n, Scatter::Lattice, 23);
                let edges = [
                    Edges::logarithmic(limit / 100.0, limit, 9),
                    Edges::linear(0.0, limit, 8),
                    Edges::linear(0.3 * limit, limit, 5),
                ];
                for r in edges.map(|edges| RBins::new(edges.unwrap())) {
                    compare_sums(engine, &domain, [&a, &b], &r, &sums, name);
                    compare_sums(engine, &domain, [&sites, &b], &r, &sums, name);
                }
                let s_mu = s_mu_bins(0.8 * limit, los).swap_remove(1);
                compare_sums(engine, &domain, [&a, &b], &s_mu, &sums, name);
                let rp_pi = rp_pi_bins(0.6 * limit, 0.7 * limit, los).swap_remove(0);
                compare_sums(engine, &domain, [&a, &b], &rp_pi, &sums, name);
            });
        }
        threads.spawn(|| {
            let sky = |seed| {
                let rows = unit_cube(n, Scatter::Uniform, seed);
                let rows: Vec<[f64; 3]> = rows.into_iter().map(|s| s.map(|v| v - 0.3001)).collect();
                let points = Particles::new(Points::from_rows(&rows).unwrap());
                points.directions().unwrap()
            };
            let (a, b) = (sky(23), sky(24));
            let theta = ThetaBins::new(Edges::linear(0.0, 180.0, 18).unwrap()).unwrap();
            compare_sums(engine, &Domain::Open, [&a, &b], &theta, &sums, "angles");
        });
    });
}

/// About `bins` bins in two coordinates, by both traversals.
pub fn many_bins_in_two_coordinates(engine: &dyn Engine, n: usize, bins: usize) {
    let side = (bins as f64).sqrt().ceil() as usize;
    for (name, domain) in domains() {
        let (a, b) = (
            particles(&domain, n, Scatter::Uniform, 17),
            particles(&domain, n, Scatter::Uniform, 18),
        );
        let reach = domain.reach().min(2.0);
        for axis in [Axis::X, Axis::Z] {
            let los = LineOfSight::Fixed(axis);
            let s = Edges::linear(reach / 8.0, reach, side).unwrap();
            let mu = SignedEdges::linear(-1.0, 1.0, side).unwrap();
            let s_mu = SMuBins::new(s, mu, los).unwrap();
            compare_pairs(engine, &domain, [&a, &b], &s_mu, name);
            let rp = Edges::logarithmic(reach / 200.0, 0.6 * reach, side).unwrap();
            let pi = SignedEdges::linear(0.0, 0.6 * reach, side).unwrap();
            let rp_pi = RpPiBins::new(rp, pi, los).unwrap();
            compare_pairs(engine, &domain, [&a, &b], &rp_pi, name);
        }
    }
}

/// `bins` bins, by both traversals.
pub fn many_bins(engine: &dyn Engine, n: usize, bins: usize) {
    for (name, domain) in domains() {
        let (a, b) = (
            particles(&domain, n, Scatter::Uniform, 7),
            particles(&domain, n, Scatter::Uniform, 8),
        );
        let binning = RBins::new(Edges::linear(0.0, domain.reach().min(2.0), bins).unwrap());
        compare_pairs(engine, &domain, [&a, &b], &binning, name);
    }
}

/// Crowded cells, which are cut into several tiles.
pub fn clustered(engine: &dyn Engine, n: usize) {
    for (name, domain) in domains() {
        let (a, b) = (
            particles(&domain, n, Scatter::Clustered, 9),
            particles(&domain, n, Scatter::Clustered, 10),
        );
        for reach in [domain.reach().min(0.5), 0.02] {
            for edges in [
                Edges::linear(0.0, reach, 20),
                Edges::logarithmic(reach / 50.0, reach, 9),
            ] {
                compare_pairs(engine, &domain, [&a, &b], RBins::new(edges.unwrap()), name);
            }
        }
    }
}
