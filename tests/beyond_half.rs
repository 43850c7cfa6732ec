//! Bins that reach beyond half of a periodic box: every engine counts each pair once, under its nearest image, however skewed the cell.

#![allow(clippy::unwrap_used, reason = "a failed unwrap is a failed test")]

use crate::random;

use albireo::engine::{Cpu, Isa, PreparedJob, Silent};
use albireo::error::JobError;
use albireo::particles::Groups;
use albireo::tally::{Classes, Cut, Sum};
use albireo::{
    Axis, CountSpec, Domain, Edges, Engine, Labels, Lattice, LineOfSight, Naive, Outside, PairJob,
    Pairs, Particles, PeriodicBox, Points, RBins, RpPiBins, SMuBins, SignedEdges, Tally,
};
use random::Random;

/// Engines of every instruction set, with one thread and with three.
fn engines() -> Vec<Cpu> {
    let isas = Isa::available().into_iter();
    isas.flat_map(|isa| [1, 3].map(|n| (isa, n)))
        .map(|(isa, n)| Cpu::new().with_threads(n).unwrap().with_isa(isa).unwrap())
        .collect()
}

/// A lattice strongly skewed: vectors to which some multiples of the others are added, of these lengths at least by one part in ten.
fn skewed(random: &mut Random, scale: f64) -> [[f64; 3]; 3] {
    let mut vectors = [[0.0; 3]; 3];
    for (k, v) in vectors.iter_mut().enumerate() {
        for (axis, x) in v.iter_mut().enumerate() {
            let own = if axis == k { 1.0 } else { 0.0 };
            *x = own * (0.3 + 2.0 * random.unit()) + 0.8 * (random.unit() - 0.5);
        }
    }
    for _ in 0..random.below(4) {
        let (a, b) = (random.below(3), random.below(3));
        let times = random.below(5) as f64 - 2.0;
        if a != b {
            vectors[a] = [0, 1, 2].map(|k| vectors[a][k] + times * vectors[b][k]);
        }
    }
    vectors.map(|v| v.map(|x| x * scale))
}

/// A box of any kind: bricks with open axes, cells of crystals, skewed ones.
fn domain(random: &mut Random, scale: f64) -> Domain {
    let crystal = |v: [[f64; 3]; 3]| Lattice::new(v.map(|v| v.map(|x| x * scale))).unwrap();
    match random.below(6) {
        0 => {
            let lengths = [0; 3].map(|_| scale * (0.5 + random.unit()));
            Domain::Periodic(PeriodicBox::new(lengths.map(Some)).unwrap())
        }
        1 => {
            let mut lengths = [0; 3].map(|_| Some(scale * (0.5 + random.unit())));
            lengths[random.below(3)] = None;
            Domain::Periodic(PeriodicBox::new(lengths).unwrap())
        }
        2 => {
            let fcc = [[0.0, 1.0, 1.0], [1.0, 0.0, 1.0], [1.0, 1.0, 0.0]];
            let bcc = [[-1.0, 1.0, 1.0], [1.0, -1.0, 1.0], [1.0, 1.0, -1.0]];
            let hexagonal = [
                [1.0, 0.0, 0.0],
                [-0.5, 0.75f64.sqrt(), 0.0],
                [0.0, 0.0, 1.6],
            ];
            Domain::Triclinic(crystal([fcc, bcc, hexagonal][random.below(3)]))
        }
        _ => loop {
            if let Ok(lattice) = Lattice::new(skewed(random, scale)) {
                return Domain::Triclinic(lattice);
            }
        },
    }
}

/// Points spread over the box or, so that images tie, on the sites of a grid in it.
fn particles(random: &mut Random, n: usize, domain: &Domain, scale: f64) -> Particles {
    let sites = random.below(2) == 0;
    let rows: Vec<[f64; 3]> = (0..n)
        .map(|_| {
            let s = [0; 3].map(|_| {
                if sites {
                    random.below(12) as f64 / 12.0
                } else {
                    random.unit()
                }
            });
            match domain {
                Domain::Triclinic(lattice) => {
                    let v = lattice.basis();
                    [0, 1, 2].map(|k| s[0] * v[0][k] + s[1] * v[1][k] + s[2] * v[2][k])
                }
                Domain::Periodic(cell) => {
                    let lengths = cell.lengths().map(|length| length.unwrap_or(scale));
                    [0, 1, 2].map(|k| s[k] * lengths[k])
                }
                Domain::Open => s,
            }
        })
        .collect();
    let particles = Particles::weighted(
        Points::from_rows(&rows).unwrap(),
        (0..n).map(|_| random.unit() - 0.2).collect(),
    );
    let labels = Labels::new((0..n as u32).map(|k| k % 3).collect(), 3).unwrap();
    let groups = Groups::new((0..n as u32).map(|k| k / 4).collect());
    let particles = particles.unwrap().labelled(labels).unwrap();
    let particles = particles.grouped(groups).unwrap();
    domain.place(particles, Outside::Wrap).unwrap()
}

/// Edges up to beyond the corners of the box, some of them separations of pairs.
fn edges(random: &mut Random, particles: &Particles, domain: &Domain, scale: f64) -> Edges {
    let farthest = scale * (0.4 + 2.0 * random.unit());
    match random.below(3) {
        0 => Edges::linear(0.0, farthest, 1 + random.below(60)).unwrap(),
        1 => Edges::logarithmic(1e-3 * scale, farthest, 1 + random.below(20)).unwrap(),
        _ => {
            let points = particles.points();
            let mut values: Vec<f64> = (0..12)
                .map(|_| {
                    let [i, j] = [0; 2].map(|_| random.below(points.len()));
                    domain.separation(points.at(i), points.at(j)).r2.sqrt()
                })
                .collect();
            values.extend([farthest, 1e-3 * scale]);
            values.sort_by(f64::total_cmp);
            values.dedup();
            values.retain(|x| *x > 1e-6 * scale);
            Edges::new(values).unwrap()
        }
    }
}

fn same(job: &PairJob<'_>, what: &CountSpec, told: &str) -> Tally {
    let expected = Naive.run(job, what, &Silent).unwrap();
    for engine in engines() {
        let found = engine.run(job, what, &Silent).unwrap();
        assert!(
            found == expected,
            "{told}: {} {what:?}",
            engine.description()
        );
    }
    expected
}

#[test]
fn every_engine_gives_the_integers_of_the_double_loop() {
    let mut pairs = 0;
    for case in 0..60 {
        let mut random = Random(0x0b0e_0000 + case);
        let scale = 2f64.powi([0, 0, 5, -30, 100, -200, 300][random.below(7)]);
        let domain = domain(&mut random, scale);
        let n = [2, 17, 64, 65, 100, 130][random.below(6)];
        let (a, b) = (
            particles(&mut random, n, &domain, scale),
            particles(&mut random, 60, &domain, scale),
        );
        let samples = if random.below(3) == 0 {
            Pairs::Cross(&a, &b)
        } else {
            Pairs::Auto(&a)
        };
        let job = PairJob::new(samples, &domain).unwrap();
        let r = edges(&mut random, &a, &domain, scale);
        let axis = Axis::ALL[random.below(3)];
        let los = LineOfSight::Fixed(axis);
        let signed = |lo: f64, hi: f64| SignedEdges::linear(lo, hi, 5).unwrap();
        let told = format!("case {case}, {domain:?}");
        let tally = match random.below(4) {
            0 => {
                let mu = signed([0.0, -1.0][random.below(2)], 1.0);
                let bins = SMuBins::new(r, mu, los).unwrap();
                same(
                    &job,
                    &CountSpec::new(bins).beyond_half().with_sum(Sum::Product),
                    &told,
                )
            }
            1 => {
                let far = scale * random.unit() + 0.1 * scale;
                let pi = signed([0.0, -far][random.below(2)], far);
                let bins = RpPiBins::new(r, pi, los).unwrap();
                same(
                    &job,
                    &CountSpec::new(bins)
                        .beyond_half()
                        .with_classes(Classes::Species),
                    &told,
                )
            }
            2 => {
                let what = CountSpec::new(RBins::new(r)).beyond_half();
                same(
                    &job,
                    &what.with_classes(Classes::Species).with_cut(Cut::SameGroup),
                    &told,
                )
            }
            _ => {
                let what = CountSpec::new(RBins::new(r)).beyond_half();
                same(
                    &job,
                    &what.with_sum(Sum::Product).with_sum(Sum::Separation),
                    &told,
                )
            }
        };
        pairs += tally.pairs().iter().sum::<u64>();
    }
    assert!(pairs > 60_000, "{pairs}");
}

/// The least square over `span` images to each side of the lattice as it was given.
fn by_search(vectors: &[[f64; 3]; 3], d: [f64; 3], span: i32) -> f64 {
    let mut least = f64::INFINITY;
    for n1 in -span..=span {
        for n2 in -span..=span {
            for n3 in -span..=span {
                let n = [n1, n2, n3].map(f64::from);
                let moved = [0, 1, 2].map(|k| {
                    d[k] + ((n[0] * vectors[0][k] + n[1] * vectors[1][k]) + n[2] * vectors[2][k])
                });
                least =
                    least.min((moved[0] * moved[0] + moved[1] * moved[1]) + moved[2] * moved[2]);
            }
        }
    }
    least
}

#[test]
fn strongly_skewed_cells_are_right_by_a_search_of_nine_images_along_each_axis() {
    let mut beyond = 0;
    for case in 0..24 {
        let mut random = Random(77 + case);
        let Ok(lattice) = Lattice::new(skewed(&mut random, 1.0)) else {
            continue;
        };
        let basis = lattice.basis();
        let reach = lattice.reach();
        let domain = Domain::Triclinic(lattice);
        let sample = particles(&mut random, 40, &domain, 1.0);
        let job = PairJob::new(Pairs::Auto(&sample), &domain).unwrap();
        let edges = Edges::linear(0.0, 4.0 * reach, 97).unwrap();
        let mut expected = vec![0; 97];
        for i in 0..40 {
            for j in i + 1..40 {
                let (x1, x2) = (sample.points().at(i), sample.points().at(j));
                let r2 = by_search(&basis, [0, 1, 2].map(|k| x1[k] - x2[k]), 4);
                let bin = edges.squares().iter().skip(1).position(|e| r2 < *e);
                if let Some(bin) = bin {
                    expected[bin] += 1;
                    beyond += u64::from(r2 > reach * reach);
                }
            }
        }
        let what = CountSpec::new(RBins::new(edges)).beyond_half();
        let tally = same(&job, &what, &format!("case {case}"));
        assert_eq!(tally.pairs(), expected, "case {case}");
    }
    assert!(beyond > 5000, "{beyond}");
}

#[test]
fn the_lattice_as_given_has_the_same_nearest_images() {
    // Images of the vectors before they are reduced, farther out for their skew: roundings differ, so edges keep away from pairs.
    for case in 0..6 {
        let mut random = Random(990 + case);
        let vectors = skewed(&mut random, 1.0);
        let Ok(lattice) = Lattice::new(vectors) else {
            continue;
        };
        let domain = Domain::Triclinic(lattice);
        let rows: Vec<[f64; 3]> = random.points(24, 1.0);
        let rows = rows.iter().map(|s| {
            [0, 1, 2].map(|k| s[0] * vectors[0][k] + s[1] * vectors[1][k] + s[2] * vectors[2][k])
        });
        let rows: Vec<[f64; 3]> = rows.collect();
        let sample = Particles::new(Points::from_rows(&rows).unwrap());
        let placed = domain.place(sample, Outside::Wrap).unwrap();
        let mut expected: Vec<f64> = Vec::new();
        for (i, a) in rows.iter().enumerate() {
            for b in &rows[i + 1..] {
                expected.push(by_search(&vectors, [0, 1, 2].map(|k| a[k] - b[k]), 9).sqrt());
            }
        }
        expected.sort_by(f64::total_cmp);
        // An edge half way between each two separations that are not alike.
        let between = expected.windows(2).filter(|e| e[1] - e[0] > 1e-9);
        let mut edges: Vec<f64> = between.map(|e| f64::midpoint(e[0], e[1])).collect();
        edges.insert(0, 0.0);
        edges.push(expected[expected.len() - 1] + 1.0);
        let edges = Edges::new(edges).unwrap();
        let counted = |lo: f64, hi: f64| expected.iter().filter(|r| **r >= lo && **r < hi).count();
        let by_hand: Vec<u64> = edges
            .values()
            .windows(2)
            .map(|e| counted(e[0], e[1]) as u64)
            .collect();
        let job = PairJob::new(Pairs::Auto(&placed), &domain).unwrap();
        let what = CountSpec::new(RBins::new(edges)).beyond_half();
        assert_eq!(same(&job, &what, "given").pairs(), by_hand, "case {case}");
    }
}

#[test]
fn all_pairs_of_a_box_are_within_its_corners() {
    let mut random = Random(5);
    for _ in 0..20 {
        let domain = domain(&mut random, 1.0);
        if domain.volume().is_none() {
            continue;
        }
        let sample = particles(&mut random, 90, &domain, 1.0);
        let corner = albireo_fluids::WignerSeitz::new(&domain).outer_radius();
        let edges = Edges::new(vec![0.0, corner * (1.0 + 1e-9)]).unwrap();
        let job = PairJob::new(Pairs::Auto(&sample), &domain).unwrap();
        let what = CountSpec::new(RBins::new(edges)).beyond_half();
        assert_eq!(same(&job, &what, "corner").pairs(), [90 * 89 / 2]);
    }
}

#[test]
fn it_must_be_asked_for_and_changes_nothing_within_half_of_the_box() {
    let domain = Domain::Periodic(PeriodicBox::cubic(1.0).unwrap());
    let mut random = Random(1);
    let sample = particles(&mut random, 200, &domain, 1.0);
    let job = PairJob::new(Pairs::Auto(&sample), &domain).unwrap();
    let bins = |last: f64| CountSpec::new(RBins::new(Edges::linear(0.0, last, 7).unwrap()));
    let refused = Cpu::new().run(&job, &bins(0.6), &Silent).unwrap_err();
    assert!(matches!(
        refused,
        albireo::error::EngineError::Job(JobError::Reach { .. })
    ));
    let half = Naive.run(&job, &bins(0.5), &Silent).unwrap();
    assert_eq!(same(&job, &bins(0.5).beyond_half(), "half"), half);
    // Other reasons to refuse stay.
    let los = LineOfSight::Midpoint;
    let mu = SignedEdges::linear(0.0, 1.0, 2).unwrap();
    let observed = SMuBins::new(Edges::linear(0.0, 0.9, 3).unwrap(), mu, los).unwrap();
    let refused = Cpu::new().run(&job, &CountSpec::new(observed).beyond_half(), &Silent);
    assert!(refused.is_err());
    let engine = Cpu::new();
    let prepared = engine.prepare(sample.clone(), &domain, &Silent).unwrap();
    let prepared = PreparedJob::auto(&prepared);
    let (tally, _) = engine
        .tally(&prepared, &bins(0.8).beyond_half(), &Silent)
        .unwrap();
    assert_eq!(tally, same(&job, &bins(0.8).beyond_half(), "prepared"));
}
