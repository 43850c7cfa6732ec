//! Classes of pairs: every table is the integers of a count of its own, on every engine.

#![allow(clippy::unwrap_used, reason = "a failed unwrap is a failed test")]

use crate::random;

use albireo::engine::{Cpu, Isa, Prepared, PreparedJob, Silent};
use albireo::error::{JobError, ParticlesError};
use albireo::particles::Groups;
use albireo::tally::{Classes, CountSpec, Cut, Sum, Tally};
use albireo::{
    Axis, Bins, Domain, Edges, Engine, Labels, Lattice, LineOfSight, Naive, PairJob, Pairs,
    Particles, PeriodicBox, Points, RBins, SMuBins, SignedEdges, ThetaBins,
};
use random::Random;

/// How labels are given to points.
#[derive(Debug, Clone, Copy)]
enum Given {
    /// At random.
    Mixed,
    /// By position along x.
    Slices,
    /// All the same, the last.
    Last,
}

/// Particles in the unit cube with weights of both signs and `labels` labels.
fn sample(n: usize, labels: u32, given: Given, seed: u64) -> Particles {
    let mut random = Random(seed);
    let rows: Vec<[f64; 3]> = (0..n)
        .map(|k| match k % 5 {
            // Ties: separations on multiples of 1/16, and points at the same place.
            0 => [0; 3].map(|_| (random.unit() * 16.0).floor() / 16.0),
            _ => [0; 3].map(|_| random.unit()),
        })
        .collect();
    let values = rows.iter().map(|x| match given {
        Given::Mixed => (random.next() % u64::from(labels)) as u32,
        Given::Slices => (x[0] * f64::from(labels)) as u32,
        Given::Last => labels - 1,
    });
    let labels = Labels::new(values.collect(), labels).unwrap();
    let weights = (0..n).map(|_| 3.0 * random.unit() - 0.5).collect();
    let particles = Particles::weighted(Points::from_rows(&rows).unwrap(), weights).unwrap();
    particles.labelled(labels).unwrap()
}

/// The particles of a sample with one label, or with any other.
fn of_label(sample: &Particles, keep: impl Fn(u32) -> bool) -> Particles {
    let labels = sample.labels().unwrap().values();
    let rows: Vec<usize> = (0..sample.len()).filter(|&row| keep(labels[row])).collect();
    let points: Vec<[f64; 3]> = rows.iter().map(|&row| sample.points().at(row)).collect();
    let albireo::Weights::PerParticle(weights) = sample.weights() else {
        panic!("weighted above");
    };
    let weights = rows.iter().map(|&row| weights.at(row)).collect();
    Particles::weighted(Points::from_rows(&points).unwrap(), weights).unwrap()
}

fn engines() -> Vec<Cpu> {
    let of = |isa: Isa| {
        let engine = |threads| Cpu::new().with_threads(threads).unwrap();
        [1, 3].map(|threads| engine(threads).with_isa(isa).unwrap())
    };
    Isa::available().into_iter().flat_map(of).collect()
}

fn domains() -> [Domain; 3] {
    let lattice = Lattice::new([[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]]).unwrap();
    [
        Domain::Open,
        Domain::Periodic(PeriodicBox::cubic(1.0).unwrap()),
        Domain::Triclinic(lattice),
    ]
}

fn bins(domain: &Domain) -> (RBins, SMuBins) {
    let edges = Edges::linear(0.0, 0.375, 6).unwrap();
    let mu = SignedEdges::linear(-1.0, 1.0, 4).unwrap();
    let los = match domain {
        Domain::Open => LineOfSight::First,
        _ => LineOfSight::Fixed(Axis::Z),
    };
    let s_mu = SMuBins::new(edges.clone(), mu, los).unwrap();
    (RBins::new(edges), s_mu)
}

/// What `what` is without its classes, with the exponents of the whole job.
fn plain(what: &CountSpec, pairs: Pairs<'_>) -> CountSpec {
    let exponents = what.weight_exponents(pairs);
    let plain = what.clone().with_classes(Classes::One);
    plain.with_weight_exponents(exponents)
}

/// Counts the classes of `pairs` on every engine, and compares them with the double loop.
fn counted(domain: &Domain, pairs: Pairs<'_>, what: &CountSpec) -> Tally {
    let job = PairJob::new(pairs, domain).unwrap();
    let expected = Naive.run(&job, what, &Silent).unwrap();
    for engine in engines() {
        let found = engine.run(&job, what, &Silent).unwrap();
        assert!(found == expected, "{} {what:?}", engine.description());
    }
    expected
}

/// The integers of all pairs between two of the samples, counted by themselves.
fn between(domain: &Domain, what: &CountSpec, first: &Particles, second: &Particles) -> Tally {
    let job = PairJob::new(Pairs::Cross(first, second), domain).unwrap();
    Cpu::new().run(&job, what, &Silent).unwrap()
}

fn within(domain: &Domain, what: &CountSpec, sample: &Particles) -> Tally {
    let job = PairJob::new(Pairs::Auto(sample), domain).unwrap();
    Cpu::new().run(&job, what, &Silent).unwrap()
}

fn regions_are_counts_of_their_own(domain: &Domain, bins: impl Into<Bins>) {
    let bins = &bins.into();
    let n = 5;
    for given in [Given::Mixed, Given::Slices, Given::Last] {
        let (a, b) = (sample(400, n, given, 1), sample(150, n, given, 2));
        for pairs in [Pairs::Auto(&a), Pairs::Cross(&a, &b)] {
            for weighted in [false, true] {
                let what = CountSpec::new(bins.clone()).with_classes(Classes::Regions);
                let what = if weighted {
                    what.with_sum(Sum::Product)
                } else {
                    what
                };
                let tally = counted(domain, pairs, &what);
                let alone = plain(&what, pairs);
                let (one, other) = pairs.both();
                for k in 0..n {
                    let own = |sample| of_label(sample, |label| label == k);
                    let rest = |sample| of_label(sample, |label| label != k);
                    let table = |at: u32| tally.table(at as usize);
                    match pairs {
                        Pairs::Auto(a) => assert_eq!(table(k), within(domain, &alone, &own(a))),
                        Pairs::Cross(a, b) => {
                            assert_eq!(table(k), between(domain, &alone, &own(a), &own(b)));
                        }
                    }
                    let first = between(domain, &alone, &own(one), &rest(other));
                    assert_eq!(table(n + k), first, "{given:?} {k}");
                    if tally.n_tables() == 3 * n as usize {
                        let second = between(domain, &alone, &rest(one), &own(other));
                        assert_eq!(table(2 * n + k), second, "{given:?} {k}");
                    }
                }
            }
        }
    }
}

#[test]
fn each_region_is_a_count_of_its_own() {
    for domain in domains() {
        let (r, s_mu) = bins(&domain);
        regions_are_counts_of_their_own(&domain, &r);
        regions_are_counts_of_their_own(&domain, &s_mu);
    }
}

#[test]
fn each_pair_of_species_is_a_count_of_its_own() {
    for domain in domains() {
        let (r, _) = bins(&domain);
        let (a, b) = (
            sample(300, 4, Given::Mixed, 3),
            sample(200, 3, Given::Mixed, 4),
        );
        let what = CountSpec::new(r)
            .with_classes(Classes::Species)
            .with_sum(Sum::Product);
        let own = |sample: &Particles, k| of_label(sample, |label| label == k);
        let tally = counted(&domain, Pairs::Auto(&a), &what);
        let alone = plain(&what, Pairs::Auto(&a));
        let mut table = 0;
        for i in 0..4 {
            for j in i..4 {
                let expected = if i == j {
                    within(&domain, &alone, &own(&a, i))
                } else {
                    between(&domain, &alone, &own(&a, i), &own(&a, j))
                };
                assert_eq!(tally.table(table), expected, "{i} {j}");
                table += 1;
            }
        }
        let pairs = Pairs::Cross(&a, &b);
        let tally = counted(&domain, pairs, &what);
        let alone = plain(&what, pairs);
        for (table, (i, j)) in (0..4).flat_map(|i| (0..3).map(move |j| (i, j))).enumerate() {
            let expected = between(&domain, &alone, &own(&a, i), &own(&b, j));
            assert_eq!(tally.table(table), expected, "{i} {j}");
        }
    }
}

#[test]
fn many_labels_few_points_and_other_sums() {
    let domain = Domain::Periodic(PeriodicBox::cubic(1.0).unwrap());
    let (r, _) = bins(&domain);
    for (n, labels) in [(0, 3), (1, 1), (2, 2), (65, 64), (200, 70), (300, 4096)] {
        let a = sample(n, labels, Given::Mixed, 7);
        for classes in [Classes::Regions, Classes::Species] {
            if labels == 4096 && classes == Classes::Species {
                continue;
            }
            let what = CountSpec::new(r.clone()).with_classes(classes);
            let all = counted(&domain, Pairs::Auto(&a), &what);
            if classes == Classes::Species {
                let plain = within(&domain, &CountSpec::new(r.clone()), &a);
                let sum = |bin: usize| (0..all.n_tables()).map(|k| all.table(k).pairs()[bin]).sum();
                let sums: Vec<u64> = (0..all.n_bins()).map(sum).collect();
                assert_eq!(
                    sums,
                    plain.pairs(),
                    "classes of species hold each pair once"
                );
            }
            counted(
                &domain,
                Pairs::Auto(&a),
                &what.with_sum(Sum::Product).with_sum(Sum::Separation),
            );
        }
    }
}

/// Labels that share their space, in bins that registers would count and in others, of pairs in either order and in both.
#[test]
fn classes_of_points_among_one_another_are_counts_of_their_own() {
    let domains = domains();
    let (open, cube) = (&domains[0], &domains[1]);
    let [a, b] =
        [(500, 8, 1), (400, 5, 2)].map(|(n, labels, seed)| sample(n, labels, Given::Mixed, seed));
    let sky = [&a, &b].map(|sample| {
        let away = |x: [f64; 3]| x.map(|x| x - 0.3001);
        let rows: Vec<[f64; 3]> = (0..sample.len())
            .map(|row| away(sample.points().at(row)))
            .collect();
        let labels = sample.labels().unwrap().clone();
        let points = Particles::new(Points::from_rows(&rows).unwrap());
        points.labelled(labels).unwrap().directions().unwrap()
    });
    let groups =
        |sample: &Particles| Groups::new((0..sample.len() as u32).map(|row| row / 3).collect());
    let [a, b] = [a, b].map(|sample| sample.clone().grouped(groups(&sample)).unwrap());
    let theta = ThetaBins::new(Edges::logarithmic(0.5, 40.0, 8).unwrap()).unwrap();
    let many = RBins::new(Edges::linear(0.0, 0.375, 48).unwrap());
    let log = RBins::new(Edges::logarithmic(0.01, 0.375, 9).unwrap());
    for (domain, samples, bins) in [
        (open, [&a, &b], Bins::from(bins(open).0)),
        (cube, [&a, &b], bins(cube).1.into()),
        (open, [&a, &b], bins(open).1.into()),
        (cube, [&a, &b], many.into()),
        (open, [&a, &b], log.into()),
        (open, [&sky[0], &sky[1]], theta.into()),
    ] {
        let what = CountSpec::new(bins).with_classes(Classes::Species);
        let cut = what.clone().with_cut(Cut::SameGroup);
        for what in [&what, &what.clone().with_sum(Sum::Product), &cut] {
            let grouped = samples[0].groups().is_some();
            if !what.cuts().is_empty() && !grouped {
                continue;
            }
            for pairs in [
                Pairs::Auto(samples[0]),
                Pairs::Cross(samples[0], samples[1]),
            ] {
                counted(domain, pairs, what);
            }
        }
    }
    // Enough of them that plain counts in few bins take one order of all points.
    let many = sample(1500, 6, Given::Mixed, 3);
    let bins = RBins::new(Edges::linear(0.0, 0.3, 6).unwrap());
    let what = CountSpec::new(bins).with_classes(Classes::Species);
    for what in [what.clone(), what.with_sum(Sum::Product)] {
        counted(open, Pairs::Auto(&many), &what);
    }
}

/// Counts `what` on engines that have prepared `a` and `b` once, and compares with the double loop.
fn served(engines: &[Cpu], prepared: &[[Prepared; 2]], domain: &Domain, what: &CountSpec) {
    for order in [vec![0], vec![0, 1], vec![1, 0]] {
        let mut expected = None;
        for (engine, samples) in engines.iter().zip(prepared) {
            let job = match order[..] {
                [first, second] => PreparedJob::cross(&samples[first], &samples[second]).unwrap(),
                _ => PreparedJob::auto(&samples[0]),
            };
            assert_eq!(job.job().domain(), domain);
            let naive = || Naive.run(job.job(), what, &Silent).unwrap();
            let expected = expected.get_or_insert_with(naive);
            let found = engine.tally(&job, what, &Silent).unwrap().0;
            assert!(found == *expected, "{} {what:?}", engine.description());
        }
    }
}

#[test]
fn prepared_samples_serve_many_counts() {
    for domain in domains() {
        let (a, b) = (
            sample(300, 3, Given::Mixed, 5),
            sample(200, 3, Given::Slices, 6),
        );
        let (_, s_mu) = bins(&domain);
        let engines = engines();
        let prepare = |engine: &Cpu| {
            [&a, &b].map(|sample| engine.prepare(sample.clone(), &domain, &Silent).unwrap())
        };
        let prepared: Vec<_> = engines.iter().map(prepare).collect();
        for reach in [0.05, 0.375, 0.01] {
            let near = RBins::new(Edges::linear(0.0, reach, 5).unwrap());
            let what = CountSpec::new(near).with_sum(Sum::Product);
            served(&engines, &prepared, &domain, &what);
            let what = what.with_classes(Classes::Regions);
            served(&engines, &prepared, &domain, &what);
        }
        let what = CountSpec::new(s_mu).with_weight_exponents([3, 5]);
        served(&engines, &prepared, &domain, &what);
        let what = what.with_sum(Sum::Product);
        served(&engines, &prepared, &domain, &what);
    }
}

#[test]
fn what_has_no_classes_is_refused() {
    let domain = Domain::Open;
    let (r, _) = bins(&domain);
    let labelled = sample(20, 3, Given::Mixed, 1);
    let more = sample(20, 4, Given::Mixed, 1);
    let bare = Particles::new(labelled.points().clone());
    let refused = |pairs: Pairs<'_>, classes| {
        let job = PairJob::new(pairs, &domain).unwrap();
        let what = CountSpec::new(r.clone()).with_classes(classes);
        let error = Naive.run(&job, &what, &Silent).unwrap_err();
        assert_eq!(Cpu::new().run(&job, &what, &Silent).unwrap_err(), error);
        error
    };
    for classes in [Classes::Regions, Classes::Species] {
        for pairs in [Pairs::Auto(&bare), Pairs::Cross(&labelled, &bare)] {
            assert_eq!(refused(pairs, classes), JobError::NoLabels.into());
        }
    }
    let error = refused(Pairs::Cross(&labelled, &more), Classes::Regions);
    assert_eq!(
        error,
        JobError::Regions {
            first: 3,
            second: 4
        }
        .into()
    );
    let many = sample(20, 4096, Given::Last, 1);
    let error = CountSpec::new(RBins::new(Edges::linear(0.0, 1.0, 100).unwrap()))
        .with_classes(Classes::Species)
        .tables(Pairs::Auto(&many))
        .unwrap_err();
    assert!(matches!(
        error,
        JobError::TooManyTables {
            tables: 8_390_656,
            bins: 100,
            ..
        }
    ));
    assert_eq!(
        Labels::new(vec![0, 5, 2], 5).unwrap_err().to_string(),
        "labels must be below 5, found 5 in row 1 (counting from 0)"
    );
    assert!(matches!(
        Labels::new(vec![], 4097),
        Err(ParticlesError::TooManyLabels { .. })
    ));
    let short = Labels::new(vec![0; 19], 1).unwrap();
    assert!(matches!(
        bare.labelled(short),
        Err(ParticlesError::UnequalLengths { .. })
    ));
    let (open, other) = (
        Cpu::new()
            .prepare(labelled.clone(), &Domain::Open, &Silent)
            .unwrap(),
        Cpu::new()
            .prepare(
                labelled,
                &Domain::Periodic(PeriodicBox::cubic(1.0).unwrap()),
                &Silent,
            )
            .unwrap(),
    );
    assert_eq!(
        PreparedJob::cross(&open, &other).unwrap_err(),
        JobError::Domains
    );
}
