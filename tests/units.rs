//! Units of a job: runs of them make up the whole, on every engine, for all that is counted.
#![allow(clippy::unwrap_used, reason = "a failed unwrap is a failed test")]

use albireo::counts::{Part, count_pairs, count_part};
use albireo::engine::{AnyEngine, Cpu, PreparedJob, Silent, Units};
use albireo::error::{EngineError, JobError};
use albireo::particles::Groups;
use albireo::random::{Stream, in_box};
use albireo::tally::{Classes, Cut, Legendre, Merge, Sum};
use albireo::{
    Bins, CountSpec, Domain, Edges, Engine, Labels, Lattice, LineOfSight, Naive, PairJob, Pairs,
    Particles, PeriodicBox, Points, RBins, SMuBins, SignedEdges, ThetaBins,
};

/// Two clumps in a thin gas, weighted.
fn sample(n: usize, seed: u64) -> Particles {
    let points = in_box(n, seed, [1.0; 3]).unwrap();
    let clumped: Vec<[f64; 3]> = (0..n)
        .map(|row| {
            let x = points.at(row);
            match row % 3 {
                0 => x.map(|x| 0.2 + 0.1 * x),
                1 => x.map(|x| 0.7 + 0.2 * x),
                _ => x,
            }
        })
        .collect();
    let stream = Stream::new(seed ^ 0x4d);
    let weights = (0..n as u64).map(|row| stream.uniform(row) - 0.2).collect();
    Particles::weighted(Points::from_rows(&clumped).unwrap(), weights).unwrap()
}

/// The same on so many labels, by which units are cut too: a small sample has more than a few.
fn labelled(sample: Particles, number: u32) -> Particles {
    let labels = (0..sample.len() as u32).map(|row| row * 7919 % 101 % number);
    let labels = Labels::new(labels.collect(), number).unwrap();
    sample.labelled(labels).unwrap()
}

fn everything(bins: impl Into<Bins>) -> CountSpec {
    CountSpec::new(bins)
        .with_weights()
        .with_mean_separation()
        .with_weighted_separation()
}

/// Three runs of units, in another order, are the whole; the engines take turns, and have the same units.
fn runs_make_the_whole(job: &PairJob<'_>, what: &CountSpec, engines: &[AnyEngine]) {
    let whole = Cpu::new().run(job, what, &Silent).unwrap();
    assert!(whole.pairs().iter().sum::<u64>() > 0);
    let mut prints = vec![];
    let mut merged = what.zero(job.pairs()).unwrap();
    let mut held = 0;
    for (turn, index) in [2, 0, 1].into_iter().enumerate() {
        let engine = &engines[turn % engines.len()];
        let (first, second) = job.pairs().samples();
        let prepare = |sample: &Particles| {
            let prepared = engine.prepare(sample.clone(), job.domain(), &Silent);
            prepared.unwrap()
        };
        let (first, second) = (prepare(first), second.map(prepare));
        let prepared = PreparedJob::new(&first, second.as_ref()).unwrap();
        let units = engine.units(&prepared, what, &Silent).unwrap();
        assert!(units.len() > 6, "{}", units.len());
        prints.push((units.fingerprint(), units.cost(0..units.len())));
        let run = units.part(index, 3);
        held += run.len();
        let (tally, _) = engine
            .tally_units(&prepared, what, (&units, run), &Silent)
            .unwrap();
        assert!(tally != whole, "a part is not the whole");
        merged.merge(tally);
        if turn == 2 {
            assert_eq!(held, units.len());
        }
    }
    assert!(prints.iter().all(|print| *print == prints[0]), "{prints:?}");
    assert!(merged == whole, "{merged:?} {whole:?}");
}

fn both() -> Vec<AnyEngine> {
    vec![AnyEngine::Cpu(Cpu::new()), AnyEngine::Naive(Naive)]
}

#[test]
fn runs_of_units_make_the_whole() {
    let a = sample(4096, 1);
    let boxed = Domain::Periodic(PeriodicBox::cubic(1.0).unwrap());
    let job = PairJob::new(Pairs::Auto(&a), &boxed).unwrap();
    let bins = RBins::new(Edges::linear(0.0, 0.1, 6).unwrap());
    runs_make_the_whole(
        &job,
        &CountSpec::new(bins.clone()).with_sum(Sum::Product),
        &both(),
    );
    // Both orders of each pair, and pairs of two samples.
    let mu = SignedEdges::linear(-1.0, 1.0, 4).unwrap();
    let s = Edges::linear(0.0, 0.05, 3).unwrap();
    let bins = SMuBins::new(s, mu, LineOfSight::First).unwrap();
    let job = PairJob::new(Pairs::Auto(&a), &Domain::Open).unwrap();
    runs_make_the_whole(&job, &CountSpec::new(bins.clone()), &both());
    // Of the second, all are in reach of a run, or some.
    for b in [sample(200, 2), sample(4096, 2)] {
        let job = PairJob::new(Pairs::Cross(&a, &b), &Domain::Open).unwrap();
        runs_make_the_whole(&job, &everything(&bins), &both());
    }
}

#[test]
fn runs_of_units_by_label_make_the_whole() {
    let (a, b) = (labelled(sample(500, 1), 8), sample(300, 2));
    let r = Edges::linear(0.0, 0.2, 6).unwrap();
    let mu = SignedEdges::linear(-1.0, 1.0, 4).unwrap();
    let skewed = Lattice::new([[1.0, 0.0, 0.0], [0.3, 1.0, 0.0], [0.1, -0.2, 1.0]]).unwrap();
    let domain = Domain::Triclinic(skewed);
    let place = |sample: &Particles| {
        let placed = domain.place(sample.clone(), albireo::Outside::Wrap);
        placed.unwrap()
    };
    let placed = [&a, &b].map(place);
    for pairs in [Pairs::Auto(&a), Pairs::Cross(&a, &b)] {
        let open = PairJob::new(pairs, &Domain::Open).unwrap();
        let bins = SMuBins::new(r.clone(), mu.clone(), LineOfSight::Midpoint).unwrap();
        let legendre = Sum::WeightedLegendre(Legendre::of_degree(2).unwrap());
        let what = everything(&bins).with_sum(legendre);
        runs_make_the_whole(&open, &what, &both());
        let bins = SMuBins::new(r.clone(), mu.clone(), LineOfSight::First).unwrap();
        runs_make_the_whole(&open, &everything(&bins), &both());
    }
    for pairs in [
        Pairs::Auto(&placed[0]),
        Pairs::Cross(&placed[0], &placed[1]),
    ] {
        let job = PairJob::new(pairs, &domain).unwrap();
        runs_make_the_whole(&job, &everything(RBins::new(r.clone())), &both());
    }
}

#[test]
fn runs_of_units_on_the_sky_make_the_whole() {
    let sky = sample(4096, 3).directions().unwrap();
    let job = PairJob::new(Pairs::Auto(&sky), &Domain::Open).unwrap();
    let bins = ThetaBins::new(Edges::linear(0.0, 9.0, 5).unwrap()).unwrap();
    let what = CountSpec::new(bins).with_sum(Sum::Product);
    runs_make_the_whole(&job, &what, &both());
}

#[test]
fn runs_of_units_share_what_cuts_hold() {
    let n = 600;
    let groups = |n: usize| Groups::new((0..n as u32).map(|row| row % 90).collect());
    let (a, b) = (labelled(sample(n, 4), 8), sample(300, 5));
    let (a, b) = (
        a.grouped(groups(n)).unwrap(),
        b.grouped(groups(300)).unwrap(),
    );
    let r = Edges::linear(0.0, 0.1, 6).unwrap();
    let pi = SignedEdges::linear(-0.1, 0.1, 4).unwrap();
    let listed = (0..300u32).map(|k| [k, (k * 7919 + 13) % 300]);
    let z = LineOfSight::Fixed(albireo::Axis::Z);
    let cuts = [
        Cut::theta(0.0, 3.0).unwrap(),
        Cut::rp(0.0, 0.02, z).unwrap(),
        Cut::SameGroup,
        Cut::listed(listed),
    ];
    for pairs in [Pairs::Auto(&a), Pairs::Cross(&a, &b)] {
        let job = PairJob::new(pairs, &Domain::Open).unwrap();
        let all = everything(RBins::new(r.clone()));
        let what = cuts.iter().cloned().fold(all, CountSpec::with_cut);
        runs_make_the_whole(&job, &what, &both());
    }
    // Units that take their pairs by parity.
    let many = sample(4096, 6);
    let job = PairJob::new(Pairs::Auto(&many), &Domain::Open).unwrap();
    let what = CountSpec::new(RBins::new(r.clone())).with_cut(cuts[1].clone());
    runs_make_the_whole(&job, &what.with_cut(cuts[3].clone()), &both());
    // In a skewed box nothing is found but by looking at every pair; both orders of each are then apart.
    let skewed = Lattice::new([[1.0, 0.0, 0.0], [0.3, 1.0, 0.0], [0.1, -0.2, 1.0]]).unwrap();
    let domain = Domain::Triclinic(skewed);
    let a = domain.place(labelled(sample(300, 4), 8), albireo::Outside::Wrap);
    let a = a.unwrap();
    let b = domain.place(sample(300, 5), albireo::Outside::Wrap);
    let b = b.unwrap();
    let bins = albireo::RpPiBins::new(r, pi, z).unwrap();
    let what = cuts[1..2].iter().chain(&cuts[3..]).cloned();
    let what = what.fold(CountSpec::new(bins), CountSpec::with_cut);
    for pairs in [Pairs::Auto(&a), Pairs::Cross(&a, &b)] {
        let job = PairJob::new(pairs, &domain).unwrap();
        runs_make_the_whole(&job, &what, &both());
    }
}

#[test]
fn runs_of_units_hold_classes_on_the_cpu_alone() {
    let a = sample(4096, 6);
    let labels = (0..a.len())
        .map(|row| u32::from(a.points().at(row)[0] > 0.4))
        .collect();
    let a = a.labelled(Labels::new(labels, 2).unwrap()).unwrap();
    let job = PairJob::new(Pairs::Auto(&a), &Domain::Open).unwrap();
    let bins = RBins::new(Edges::linear(0.0, 0.1, 6).unwrap());
    for classes in [Classes::Regions, Classes::Species] {
        let what = everything(&bins).with_classes(classes);
        runs_make_the_whole(&job, &what, &both()[..1]);
        let prepared = Naive.prepare(a.clone(), &Domain::Open, &Silent).unwrap();
        let prepared = PreparedJob::auto(&prepared);
        let units = Naive.units(&prepared, &what, &Silent).unwrap();
        let refused = Naive.tally_units(&prepared, &what, (&units, 0..1), &Silent);
        assert!(matches!(
            refused,
            Err(EngineError::Job(JobError::ClassesOfUnits(_)))
        ));
    }
    // Without classes the labels only sort.
    runs_make_the_whole(&job, &everything(&bins), &both());
}

#[test]
fn parts_cost_about_the_same_and_may_be_empty() {
    let (a, few) = (sample(30_000, 7), sample(50, 8));
    let bins = RBins::new(Edges::linear(0.0, 0.05, 3).unwrap());
    let what = CountSpec::new(bins.clone());
    let plan = |sample: &Particles| -> Units {
        let prepared = Cpu::new()
            .prepare(sample.clone(), &Domain::Open, &Silent)
            .unwrap();
        let engine = Cpu::new();
        engine
            .units(&PreparedJob::auto(&prepared), &what, &Silent)
            .unwrap()
    };
    let units = plan(&a);
    let all = units.cost(0..units.len());
    assert_eq!(units.pairs(0..units.len()), 30_000 * 29_999 / 2);
    let largest = (0..16)
        .map(|k| units.cost(units.part(k, 16)))
        .max()
        .unwrap();
    assert!(
        (largest as f64) < 1.3 * all as f64 / 8.0,
        "{largest} of {all}"
    );
    for of in [1, 2, 16, 1000] {
        let mut next = 0;
        for index in 0..of {
            let run = units.part(index, of);
            assert_eq!(run.start, next);
            // No other boundary is nearer to an even share of the cost.
            let off = |unit: usize| {
                (units.cost(0..unit) * u128::from(of)).abs_diff(all * u128::from(index))
            };
            assert!(run.start == 0 || off(run.start) <= off(run.start - 1));
            assert!(run.start == units.len() || off(run.start) <= off(run.start + 1));
            next = run.end;
        }
        assert_eq!(next, units.len());
    }
    let others = plan(&sample(30_000, 9)).fingerprint();
    assert_eq!(units.fingerprint(), plan(&a).fingerprint());
    assert_ne!(units.fingerprint(), others);
    let units = plan(&few);
    assert!(units.len() == 1 && !units.is_empty());
    let runs: Vec<usize> = (0..5).map(|index| units.part(index, 5).len()).collect();
    assert_eq!(runs.iter().sum::<usize>(), 1);
    let none = plan(&Particles::default());
    assert!(none.is_empty() && none.part(2, 4).is_empty());
    let job = PairJob::new(Pairs::Auto(&few), &Domain::Open).unwrap();
    let whole = count_pairs(&Naive, &job, &bins, &Silent).unwrap();
    let part = |index| {
        let part = Part { index, of: 3 };
        count_part(&Naive, &job, part, &bins, &Silent).unwrap()
    };
    let mut merged = part(1);
    merged.merge(&part(2)).unwrap();
    assert_eq!(merged.coverage(), (2, 3));
    merged.merge(&part(0)).unwrap();
    assert_eq!(
        (merged.npairs(), merged.total()),
        (whole.npairs(), whole.total())
    );
}

#[test]
fn units_of_another_job_are_refused() {
    let (a, b) = (sample(5000, 9), sample(4000, 9));
    let what = CountSpec::new(RBins::new(Edges::linear(0.0, 0.1, 3).unwrap()));
    let engine = Cpu::new();
    let prepare = |sample: Particles| engine.prepare(sample, &Domain::Open, &Silent).unwrap();
    let (a, b) = (prepare(a), prepare(b));
    let (auto, cross) = (PreparedJob::auto(&a), PreparedJob::cross(&a, &b).unwrap());
    let units = engine.units(&auto, &what, &Silent).unwrap();
    let n = units.len();
    for (job, run) in [
        (&cross, 0..1),
        (&PreparedJob::auto(&b), 0..1),
        (&auto, 0..n + 1),
    ] {
        let error = engine
            .tally_units(job, &what, (&units, run), &Silent)
            .unwrap_err();
        assert!(
            matches!(error, EngineError::Job(JobError::Units { .. })),
            "{error}"
        );
    }
    // A run without a unit has no pair.
    let (tally, _) = engine
        .tally_units(&auto, &what, (&units, n..n), &Silent)
        .unwrap();
    assert_eq!(tally, what.zero(auto.job().pairs()).unwrap());
}
