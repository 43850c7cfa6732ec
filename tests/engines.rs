//! Every engine against the naive reference, with `==`: all binnings, domains, weights and awkward inputs.

#![allow(clippy::unwrap_used, reason = "a failed unwrap is a failed test")]

mod random;

use albireo::counts::count_pairs;
use albireo::engine::{Cpu, Isa, Silent, Traversal};
use albireo::{
    Axis, Bins, CountSpec, Domain, Edges, Engine, Lattice, LineOfSight, Naive, Outside, PairJob,
    Pairs, Particles, PeriodicBox, Points, RBins, RpPiBins, SMuBins, SignedEdges, ThetaBins,
};
use random::Random;

const L: f64 = 10.0;

#[derive(Debug, Clone, Copy)]
enum Input {
    Uniform,
    /// Coordinates on multiples of 0.1: many separations lie on edges.
    Ties,
    /// One float64 step around multiples of 0.5.
    NextToTies,
    /// Integer lattice points, with duplicates.
    Lattice,
    /// Half of the points in one tiny clump.
    Clustered,
    /// Half of the points in forty small clumps, on a fine lattice in each: small blocks among large ones.
    Clumps,
    /// All points the same.
    Identical,
    /// On the faces of the box.
    Faces,
}

const INPUTS: [Input; 8] = [
    Input::Uniform,
    Input::Ties,
    Input::NextToTies,
    Input::Lattice,
    Input::Clustered,
    Input::Clumps,
    Input::Identical,
    Input::Faces,
];

fn coordinate(input: Input, random: &mut Random, row: usize) -> f64 {
    let u = random.unit();
    let step = |v: f64, towards: f64| {
        if towards < 0.33 {
            v.next_down()
        } else if towards < 0.66 {
            v.next_up()
        } else {
            v
        }
    };
    let x = match input {
        Input::Ties => (u * 100.0).floor() * 0.1,
        Input::NextToTies => step((u * 20.0).floor() * 0.5, random.unit()),
        Input::Lattice => (u * 10.0).floor(),
        Input::Clustered if row.is_multiple_of(2) => 3.3 + u * 1e-3,
        Input::Clumps if row.is_multiple_of(2) => {
            (row / 2 * 7 % 40) as f64 * 0.25 + (u * 16.0).floor() / 256.0
        }
        Input::Identical => 1.25,
        Input::Faces if row.is_multiple_of(3) => 0.0,
        Input::Faces if row % 3 == 1 => L.next_down(),
        Input::Uniform | Input::Clustered | Input::Clumps | Input::Faces => u * L,
    };
    x.clamp(0.0, L.next_down())
}

fn points(input: Input, n: usize, seed: u64, offset: f64) -> Points {
    let mut random = Random(seed);
    let rows: Vec<[f64; 3]> = (0..n)
        .map(|row| [0; 3].map(|_: i32| coordinate(input, &mut random, row) + offset))
        .collect();
    Points::from_rows(&rows).unwrap()
}

fn weighted(points: Points, seed: u64) -> Particles {
    let mut random = Random(seed);
    let weights = (0..points.len())
        .map(|_| 3.0 * random.unit() - 0.5)
        .collect();
    Particles::weighted(points, weights).unwrap()
}

fn engines() -> Vec<Cpu> {
    let mut engines = vec![];
    for isa in Isa::available() {
        for threads in [1, 2, 3] {
            if threads == 1 || isa == Isa::best() {
                engines.push(
                    Cpu::new()
                        .with_threads(threads)
                        .unwrap()
                        .with_isa(isa)
                        .unwrap(),
                );
            }
        }
    }
    engines
}

fn compare(pairs: Pairs<'_>, domain: &Domain, binning: impl Into<Bins>, label: &str) {
    let binning = &binning.into();
    let job = PairJob::new(pairs, domain).unwrap();
    let what = &CountSpec::for_pairs(binning, pairs);
    let expected = count_pairs(&Naive, &job, what, &Silent).unwrap();
    for engine in engines() {
        let found = count_pairs(&engine, &job, what, &Silent).unwrap();
        assert_eq!(
            found.npairs(),
            expected.npairs(),
            "{label} {binning:?} {}",
            engine.description()
        );
        assert!(
            found == expected,
            "weights: {label} {binning:?} {}",
            engine.description()
        );
    }
    let all = job.with_traversal(Traversal::AllPairs);
    let found = count_pairs(&Cpu::new(), &all, what, &Silent).unwrap();
    assert!(found == expected, "all pairs: {label} {binning:?}");
}

fn edges(values: &[f64]) -> Edges {
    Edges::new(values.to_vec()).unwrap()
}

fn signed(values: &[f64]) -> SignedEdges {
    SignedEdges::new(values.to_vec()).unwrap()
}

/// Calls `check` for every binning in a box of side 10, `los` the lines of sight that the domain allows.
fn for_each_binning(los: &[LineOfSight], pairs: Pairs<'_>, domain: &Domain, label: &str) {
    let lin = |lo, hi, n| Edges::linear(lo, hi, n).unwrap();
    for r in [
        lin(0.0, 5.0, 10),
        lin(1.0, 4.0, 30),
        lin(0.0, 5.0, 700),
        Edges::logarithmic(0.01, 5.0, 20).unwrap(),
        edges(&[0.0, 0.1, 0.7, 1.0, 4.9]),
        edges(&[0.5, 0.5f64.next_up(), 2.0]),
    ] {
        compare(pairs, domain, RBins::new(r), label);
    }
    for &los in los {
        for (s, mu) in [
            (
                lin(0.0, 5.0, 10),
                SignedEdges::linear(0.0, 1.0, 10).unwrap(),
            ),
            (
                Edges::logarithmic(0.1, 5.0, 9).unwrap(),
                SignedEdges::linear(-1.0, 1.0, 8).unwrap(),
            ),
            (edges(&[0.0, 1.0, 2.5]), signed(&[0.0, 0.3, 0.35, 0.9])),
        ] {
            compare(pairs, domain, SMuBins::new(s, mu, los).unwrap(), label);
        }
        for (rp, pi) in [
            (lin(0.0, 3.0, 6), SignedEdges::linear(0.0, 4.0, 8).unwrap()),
            (
                Edges::logarithmic(0.1, 3.0, 9).unwrap(),
                SignedEdges::linear(-4.0, 4.0, 8).unwrap(),
            ),
            (edges(&[0.0, 1.0, 2.5]), signed(&[0.0, 0.3, 0.35, 3.9])),
        ] {
            compare(pairs, domain, RpPiBins::new(rp, pi, los).unwrap(), label);
        }
    }
}

const FIXED: [LineOfSight; 3] = [
    LineOfSight::Fixed(Axis::X),
    LineOfSight::Fixed(Axis::Y),
    LineOfSight::Fixed(Axis::Z),
];

fn boxed() -> [Domain; 3] {
    [
        Domain::Periodic(PeriodicBox::cubic(L).unwrap()),
        Domain::Periodic(PeriodicBox::new([Some(L), None, Some(L)]).unwrap()),
        Domain::Open,
    ]
}

#[test]
fn boxes_of_every_kind() {
    for (k, domain) in boxed().iter().enumerate() {
        for input in INPUTS {
            let label = format!("domain {k} {input:?}");
            let first = weighted(points(input, 300, 1, 0.0), 2);
            let second = Particles::new(points(input, 170, 3, 0.0));
            for_each_binning(&FIXED[2..], Pairs::Auto(&first), domain, &label);
            for_each_binning(&FIXED[..2], Pairs::Cross(&second, &first), domain, &label);
            for_each_binning(&FIXED[..1], Pairs::Auto(&second), domain, &label);
        }
    }
}

#[test]
fn lines_of_sight_from_an_observer() {
    let los = [LineOfSight::Midpoint, LineOfSight::First, LineOfSight::End];
    for (input, offset) in INPUTS
        .into_iter()
        .flat_map(|input| [(input, 0.0), (input, -5.0), (input, 1e3), (input, 1e6)])
    {
        let label = format!("{input:?} offset {offset}");
        let first = weighted(points(input, 200, 4, offset), 5);
        let second = Particles::new(points(input, 90, 6, offset));
        for_each_binning(&los, Pairs::Auto(&first), &Domain::Open, &label);
        for_each_binning(&los, Pairs::Cross(&first, &second), &Domain::Open, &label);
    }
}

#[test]
fn triclinic_cells() {
    let cells = [
        [[11.0, 0.0, 0.0], [0.0, 12.0, 0.0], [0.0, 0.0, 13.0]],
        [[14.0, 0.0, 0.0], [0.0, 14.0, 0.0], [7.0, 7.0, 9.9]],
        [[12.0, 0.0, 0.0], [11.0, 11.0, 0.0], [-15.0, 9.0, 14.0]],
    ];
    for vectors in cells {
        let domain = Domain::Triclinic(Lattice::new(vectors).unwrap());
        for input in [Input::Uniform, Input::Ties, Input::Clustered] {
            let sample = weighted(points(input, 150, 7, 0.0), 8);
            let sample = domain.place(sample, Outside::Wrap).unwrap();
            for_each_binning(
                &FIXED[2..],
                Pairs::Auto(&sample),
                &domain,
                &format!("{vectors:?} {input:?}"),
            );
        }
    }
}

#[test]
fn directions() {
    for input in [Input::Uniform, Input::Lattice, Input::Clustered] {
        let first = weighted(points(input, 400, 9, -5.03), 10)
            .directions()
            .unwrap();
        let second = Particles::new(points(input, 150, 11, -5.07))
            .directions()
            .unwrap();
        for theta in [
            Edges::linear(0.0, 180.0, 18).unwrap(),
            Edges::logarithmic(0.001, 90.0, 25).unwrap(),
            edges(&[0.0, 1e-4, 45.0, 90.0, 180.0]),
        ] {
            let bins = ThetaBins::new(theta).unwrap();
            compare(Pairs::Auto(&first), &Domain::Open, &bins, "theta");
            compare(Pairs::Cross(&first, &second), &Domain::Open, &bins, "theta");
        }
    }
}

#[test]
fn sizes_around_every_boundary() {
    let domain = Domain::Periodic(PeriodicBox::cubic(L).unwrap());
    let bins = RBins::new(Edges::linear(0.0, 5.0, 25).unwrap());
    let many = RBins::new(Edges::linear(0.0, 5.0, 3000).unwrap());
    for n in [
        0, 1, 2, 15, 16, 17, 31, 63, 64, 65, 127, 129, 511, 513, 1023, 1025, 2100,
    ] {
        let sample = weighted(points(Input::Uniform, n, 12, 0.0), 13);
        let plain = Particles::new(sample.points().clone());
        let single = Particles::new(points(Input::Uniform, 1, 14, 0.0));
        compare(Pairs::Auto(&plain), &domain, &bins, "count");
        compare(Pairs::Auto(&sample), &domain, &many, "weighted");
        compare(Pairs::Cross(&plain, &single), &domain, &bins, "one");
        compare(Pairs::Cross(&single, &sample), &domain, &many, "one");
    }
}

#[test]
fn larger_samples_walk_through_cells() {
    let domain = Domain::Periodic(PeriodicBox::cubic(L).unwrap());
    for input in [Input::Uniform, Input::Clustered, Input::Ties] {
        let sample = Particles::new(points(input, 5000, 15, 0.0));
        for r in [
            Edges::linear(0.0, 5.0, 30).unwrap(),
            Edges::logarithmic(0.01, 0.9, 20).unwrap(),
            Edges::linear(0.0, 5.0, 2000).unwrap(),
        ] {
            compare(
                Pairs::Auto(&sample),
                &domain,
                RBins::new(r),
                &format!("{input:?}"),
            );
        }
        let s = Edges::linear(0.0, 2.0, 20).unwrap();
        let mu = SignedEdges::linear(0.0, 1.0, 50).unwrap();
        let bins = SMuBins::new(s, mu, LineOfSight::Fixed(Axis::Z)).unwrap();
        compare(Pairs::Auto(&sample), &domain, &bins, &format!("{input:?}"));
    }
}

/// Bounds are narrowed down to small blocks: their pairs, on and beside edges, must be right too.
#[test]
fn small_blocks_among_large_ones() {
    let boxed = Domain::Periodic(PeriodicBox::cubic(L).unwrap());
    let fine = Edges::logarithmic(1.0 / 128.0, 2.0, 20).unwrap();
    let steps = Edges::linear(0.0, 2.0, 256).unwrap();
    for (domain, offset, los) in [
        (&boxed, 0.0, LineOfSight::Fixed(Axis::Z)),
        (&Domain::Open, 300.0, LineOfSight::Midpoint),
    ] {
        let sample = weighted(points(Input::Clumps, 4000, 16, offset), 17);
        let pairs = Pairs::Auto(&sample);
        for across in [&fine, &steps] {
            compare(pairs, domain, RBins::new(across.clone()), "clumps");
            let mu = SignedEdges::linear(0.0, 1.0, 64).unwrap();
            let s_mu = SMuBins::new(across.clone(), mu, los).unwrap();
            compare(pairs, domain, &s_mu, "clumps");
            let pi = SignedEdges::linear(0.0, 1.0, 128).unwrap();
            let rp_pi = RpPiBins::new(across.clone(), pi, los).unwrap();
            compare(pairs, domain, &rp_pi, "clumps");
        }
    }
}

/// Leaves far smaller than bins, whose rows lie in one bin as a whole, just so or just not: clumps on a fine lattice, at distances at which
/// pairs of points, their nearest and their farthest ones lie on edges.
#[test]
fn rows_that_lie_in_one_bin() {
    let boxed = Domain::Periodic(PeriodicBox::cubic(16.0).unwrap());
    let mut random = Random(18);
    let rows = (0..900).map(|row| {
        let clump = [[0.0, 0.0, 0.0], [2.0, 0.0, 0.0], [1.0, 2.0, 15.0]][row % 3];
        clump.map(|x| x + (random.unit() * 9.0).floor() / 16.0)
    });
    let sample = Particles::new(Points::from_rows(&rows.collect::<Vec<_>>()).unwrap());
    let far = Edges::linear(0.0, 300.0, 3).unwrap();
    for edges in [
        edges(&[0.0, 1.0, 2.0, 4.0]),
        edges(&[0.0, 1.5, 2.5, 4.0]),
        edges(&[0.125, 1.4375, 2.0625, 3.5, 7.0]),
        edges(&[1.5, 1.75, 4.0]),
        Edges::logarithmic(0.0625, 4.0, 6).unwrap(),
        Edges::linear(0.0, 7.0, 5).unwrap(),
        Edges::linear(0.0, 7.0, 40).unwrap(),
        Edges::linear(1.0, 3.0, 2).unwrap(),
    ] {
        let bins = RBins::new(edges);
        compare(Pairs::Auto(&sample), &boxed, &bins, "clumps");
        compare(Pairs::Auto(&sample), &Domain::Open, &bins, "clumps");
    }
    compare(Pairs::Auto(&sample), &Domain::Open, RBins::new(far), "all");
    let angles = Edges::logarithmic(0.01, 90.0, 9).unwrap();
    let bins = ThetaBins::new(angles).unwrap();
    let points = sample.points();
    let directions = (0..points.len()).map(|row| {
        let [x, y, z] = points.at(row).map(|x| x + 0.5);
        let norm = (x * x + y * y + z * z).sqrt();
        [x, y, z].map(|x| x / norm)
    });
    let directions = Points::from_rows(&directions.collect::<Vec<_>>()).unwrap();
    let sky = Particles::new(directions);
    let cross = Pairs::Cross(&sky, &sky);
    compare(cross, &Domain::Open, &bins, "angles");
}

#[test]
fn mean_separations_do_not_depend_on_the_engine() {
    let domain = Domain::Periodic(PeriodicBox::cubic(L).unwrap());
    let sample = weighted(points(Input::Uniform, 700, 16, 0.0), 17);
    let job = PairJob::new(Pairs::Auto(&sample), &domain).unwrap();
    let bins = RBins::new(Edges::linear(0.0, 5.0, 25).unwrap());
    let what = &CountSpec::new(bins).with_weights().with_mean_separation();
    let expected = count_pairs(&Naive, &job, what, &Silent).unwrap();
    for engine in engines() {
        assert!(count_pairs(&engine, &job, what, &Silent).unwrap() == expected);
    }
    let means = expected.mean_separation().unwrap();
    assert!(means[3] > 0.6 && means[3] < 0.8);
}

/// Every combination of sums that separations are in.
fn sums_of_separations(bins: &Bins) -> impl Iterator<Item = CountSpec> {
    let adding = [
        CountSpec::with_weights,
        CountSpec::with_mean_separation,
        CountSpec::with_weighted_separation,
    ];
    (1..8).filter(|bits| bits & 6 != 0).map(move |bits| {
        let wanted = (0..3).filter(|k| bits >> k & 1 != 0);
        wanted.fold(CountSpec::new(bins), |what, k| adding[k](what))
    })
}

fn compare_separations(pairs: Pairs<'_>, domain: &Domain, bins: impl Into<Bins>, label: &str) {
    let bins = &bins.into();
    let job = PairJob::new(pairs, domain).unwrap();
    for what in sums_of_separations(bins) {
        let expected = count_pairs(&Naive, &job, &what, &Silent).unwrap();
        for engine in engines() {
            let found = count_pairs(&engine, &job, &what, &Silent).unwrap();
            let engine = engine.description();
            assert!(found == expected, "{label} {what:?} {engine}");
        }
    }
}

#[test]
fn separations_are_summed_in_bins_of_any_form() {
    let boxed = Domain::Periodic(PeriodicBox::cubic(L).unwrap());
    let skewed = Lattice::new([[L, 0.0, 0.0], [2.0, L, 0.0], [-3.0, 1.0, L]]).unwrap();
    let skewed = Domain::Triclinic(skewed);
    let few = edges(&[0.0, 0.5, 1.0, 2.0, 3.5]);
    let many = Edges::linear(0.0, 4.0, 300).unwrap();
    let mu = [
        signed(&[0.0, 0.25, 0.5, 1.0]),
        SignedEdges::linear(-1.0, 1.0, 70).unwrap(),
    ];
    let pi = [
        signed(&[0.0, 0.5, 2.0, 4.0]),
        SignedEdges::linear(-4.0, 4.0, 80).unwrap(),
    ];
    let fixed = [Axis::X, Axis::Y, Axis::Z].map(LineOfSight::Fixed);
    for (k, input) in INPUTS.into_iter().enumerate() {
        let seed = 40 + 2 * k as u64;
        let sample = |n, seed| weighted(points(input, n, seed, 0.0), 60 + seed);
        let placed = |domain: &Domain, n, seed| {
            let placed = domain.place(sample(n, seed), Outside::Wrap);
            placed.unwrap()
        };
        let label = format!("{input:?}");
        for domain in [&Domain::Open, &boxed, &skewed] {
            let first = placed(domain, 170, seed);
            let second = placed(domain, 65, seed + 1);
            for pairs in [Pairs::Auto(&first), Pairs::Cross(&first, &second)] {
                compare_separations(pairs, domain, RBins::new(many.clone()), &label);
                for (mu, los) in mu.iter().zip([fixed[k % 3], fixed[2]]) {
                    let bins = SMuBins::new(few.clone(), mu.clone(), los).unwrap();
                    compare_separations(pairs, domain, &bins, &label);
                }
            }
        }
        let (first, second) = (sample(170, seed), sample(65, seed + 1));
        for pairs in [Pairs::Auto(&first), Pairs::Cross(&first, &second)] {
            for (pi, los) in pi.iter().zip([fixed[k % 3], fixed[(k + 1) % 3]]) {
                let bins = RpPiBins::new(few.clone(), pi.clone(), los).unwrap();
                compare_separations(pairs, &boxed, &bins, &label);
                compare_separations(pairs, &Domain::Open, &bins, &label);
            }
            for los in [LineOfSight::Midpoint, LineOfSight::First] {
                let bins = SMuBins::new(few.clone(), mu[1].clone(), los).unwrap();
                compare_separations(pairs, &Domain::Open, &bins, &label);
                let bins = RpPiBins::new(few.clone(), pi[0].clone(), los).unwrap();
                compare_separations(pairs, &Domain::Open, &bins, &label);
            }
        }
    }
}

#[test]
fn units_of_any_size() {
    // The same points measured in units from 1e-150 to 1e150: a power of two changes no bin.
    for exponent in [-400, -60, 0, 60, 400] {
        let unit = 2f64.powi(exponent);
        let rows: Vec<[f64; 3]> = {
            let points = points(Input::Uniform, 300, 18, 0.0);
            (0..300).map(|k| points.at(k).map(|x| x * unit)).collect()
        };
        let sample = Particles::new(Points::from_rows(&rows).unwrap());
        let r = edges(&[0.0, 1.0 * unit, 2.0 * unit, 3.0 * unit, 5.0 * unit]);
        let domain = Domain::Periodic(PeriodicBox::cubic(L * unit).unwrap());
        compare(
            Pairs::Auto(&sample),
            &domain,
            RBins::new(r),
            &format!("unit 2^{exponent}"),
        );
    }
}
