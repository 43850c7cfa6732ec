//! Several sets of weights from one traversal: against the double loop and against separate counts, by `==`.

#![allow(clippy::unwrap_used, reason = "a failed unwrap is a failed test")]

use crate::processors;
use crate::random;

use albireo::counts::{count_prepared, count_regions, count_weight_sets};
use albireo::engine::{Cpu, PreparedJob, Silent};
use albireo::error::JobError;
use albireo::particles::{Bits, Groups};
use albireo::tally::{
    AngularWeight, Classes, CountSpec, Cut, InverseProbability, Legendre, PairNormalisation,
    Realisations, Sum, WeightedSum,
};
use albireo::{
    Axis, Bins, Domain, Edges, Engine, Labels, LineOfSight, Naive, PairJob, Pairs, Particles,
    PeriodicBox, Points, RBins, RpPiBins, SMuBins, SignedEdges, Weights,
};
use processors::engines;
use random::Random;

const SIDE: f64 = 10.0;

/// Points, half of them on multiples of 0.1, with `sets` sets of weights of very different sizes; set 2 is of unit weights.
fn sample(n: usize, sets: usize, seed: u64) -> Particles {
    let mut random = Random(seed);
    let mut rows = random.points(n, SIDE);
    for row in rows.iter_mut().step_by(2) {
        *row = row.map(|x| (x * 10.0).floor() * 0.1);
    }
    let mut weights = |set: usize| -> Vec<f64> {
        let size = [1.0, 1e-7, 1.0, 3e5, 0.7, 2.0][set % 6];
        (0..n).map(|_| size * (3.0 * random.unit() - 0.7)).collect()
    };
    let sample = Particles::weighted(Points::from_rows(&rows).unwrap(), weights(0)).unwrap();
    let further = (1..sets).map(|set| match set {
        2 => Weights::Unit,
        _ => Weights::PerParticle(weights(set).into()),
    });
    sample.with_weight_sets(further.collect()).unwrap()
}

fn labelled(sample: Particles) -> Particles {
    let labels = (0..sample.len() as u32).map(|row| row % 3).collect();
    sample.labelled(Labels::new(labels, 3).unwrap()).unwrap()
}

fn agree(pairs: Pairs<'_>, domain: &Domain, what: &CountSpec) {
    assert!(compared(pairs, domain, what));
}

/// Compares every engine with the double loop; whether there are pairs in bins.
fn compared(pairs: Pairs<'_>, domain: &Domain, what: &CountSpec) -> bool {
    let job = PairJob::new(pairs, domain).unwrap();
    let expected = Naive.run(&job, what, &Silent).unwrap();
    for engine in engines() {
        let found = engine.run(&job, what, &Silent).unwrap();
        let place = || {
            format!(
                "{:?} {:?} {}",
                what.bins(),
                what.sums(),
                engine.description()
            )
        };
        assert!(found == expected, "{}", place());
    }
    expected.pairs().iter().any(|&n| n > 0)
}

fn with_sums(bins: impl Into<Bins>, sums: &[Sum]) -> CountSpec {
    let bins = &bins.into();
    let what = CountSpec::new(bins.clone());
    sums.iter().cloned().fold(what, CountSpec::with_sum)
}

/// The products of so many sets, in their order.
fn products(sets: usize) -> Vec<Sum> {
    (0..sets).map(|set| Sum::Product.of_set(set)).collect()
}

fn s_mu(los: LineOfSight, lo: f64) -> SMuBins {
    let mu = SignedEdges::linear(lo, 1.0, 8).unwrap();
    SMuBins::new(Edges::linear(0.0, 4.5, 9).unwrap(), mu, los).unwrap()
}

fn domains() -> [Domain; 2] {
    let cube = PeriodicBox::cubic(SIDE).unwrap();
    [Domain::Open, Domain::Periodic(cube)]
}

#[test]
fn products_of_any_number_of_sets_are_those_of_the_double_loop() {
    for sets in [2, 3, 4, 6] {
        let (a, b) = (sample(300, sets, 1), sample(250, sets, 2));
        for domain in domains() {
            for pairs in [Pairs::Auto(&a), Pairs::Cross(&a, &b)] {
                for n in [5, 300] {
                    let bins = RBins::new(Edges::linear(0.0, 4.5, n).unwrap());
                    agree(pairs, &domain, &with_sums(&bins, &products(sets)));
                }
                let bins = s_mu(LineOfSight::Fixed(Axis::Z), 0.0);
                agree(pairs, &domain, &with_sums(&bins, &products(sets)));
                // Too fine for a filter.
                let fine = Edges::linear(1.0, 1.0 + 1e-9, 3).unwrap();
                let fine = [fine.values(), &[4.0]].concat();
                let bins = RBins::new(Edges::new(fine).unwrap());
                agree(pairs, &domain, &with_sums(&bins, &products(sets)));
            }
        }
    }
}

/// Widths far below the first edge, edges on multiples of the lattice that half of the points lie on, logarithms.
fn drawn_edges(random: &mut Random) -> Edges {
    let first = [0.0, 0.1, 1.3, 4.0][random.below(4)];
    let width = [0.2, 1e-3, 1e-6, 0.5][random.below(4)];
    match random.below(3) {
        0 => Edges::linear(first, first + width, [1, 7, 300][random.below(3)]),
        1 => Edges::logarithmic(0.05, 4.5, [2, 40][random.below(2)]),
        _ => Edges::new((1..9).map(|k| f64::from(k) * 0.1 * 5.0).collect()),
    }
    .unwrap()
}

/// A search for differences: sizes about blocks and lanes, sets of very different sizes, ties.
#[test]
fn drawn_sets_are_those_of_the_double_loop() {
    let mut filled = 0;
    for case in 0..120 {
        let mut random = Random(0x5e75 + case);
        let sets = 2 + random.below(5);
        let sizes = [0, 1, 15, 17, 63, 65, 130, 260];
        let [a, b] = [0, 1].map(|k| {
            let n = sizes[random.below(sizes.len())];
            sample(n, sets, 2 * case + k)
        });
        let edges = drawn_edges(&mut random);
        let domain = &domains()[random.below(2)];
        let pairs = if random.below(2) == 0 {
            Pairs::Auto(&a)
        } else {
            Pairs::Cross(&a, &b)
        };
        let mut sums = products(sets);
        if random.below(4) == 0 {
            sums.rotate_left(1);
        }
        filled += u32::from(if random.below(2) == 0 {
            compared(pairs, domain, &with_sums(RBins::new(edges), &sums))
        } else {
            let mu = SignedEdges::linear(-1.0, 1.0, 1 + random.below(30)).unwrap();
            let los = LineOfSight::Fixed([Axis::X, Axis::Y, Axis::Z][random.below(3)]);
            let bins = SMuBins::new(edges, mu, los).unwrap();
            compared(pairs, domain, &with_sums(&bins, &sums))
        });
    }
    assert!(filled > 50, "pairs in bins in {filled} of 120 counts");
}

#[test]
fn sums_of_any_sets_in_any_order_are_those_of_the_double_loop() {
    let (a, b) = (sample(250, 4, 3), sample(220, 4, 4));
    let bins = s_mu(LineOfSight::Midpoint, -1.0);
    let lists = [
        vec![Sum::OfSet(3, WeightedSum::Product)],
        vec![Sum::OfSet(1, WeightedSum::Product), Sum::Product],
        vec![Sum::Separation, Sum::OfSet(1, WeightedSum::Separation)],
        vec![
            Sum::Product,
            Sum::OfSet(1, WeightedSum::Product),
            Sum::WeightedSeparation,
            Sum::OfSet(3, WeightedSum::Separation),
            Sum::OfSet(1, WeightedSum::Legendre(Legendre::L2)),
            Sum::WeightedLegendre(Legendre::L1),
            Sum::Legendre(Legendre::L4),
        ],
    ];
    let labelled = [a, b].map(labelled);
    let [a, b] = &labelled;
    for sums in lists {
        for pairs in [Pairs::Auto(a), Pairs::Cross(a, b)] {
            let what = with_sums(&bins, &sums);
            agree(pairs, &Domain::Open, &what);
            agree(pairs, &Domain::Open, &what.with_classes(Classes::Regions));
        }
    }
}

fn bits(sample: Particles, seed: u64) -> Particles {
    let mut random = Random(seed);
    let rows = (0..sample.len()).map(|_| vec![random.next() | 1, random.next()]);
    let bits = Bits::from_rows(&rows.collect::<Vec<_>>()).unwrap();
    sample.with_bits(bits).unwrap()
}

fn upweights() -> AngularWeight {
    AngularWeight::new(vec![0.0, 0.5, 3.0], vec![3.0, 1.5, 1.0]).unwrap()
}

#[test]
fn weights_of_pairs_go_into_every_set() {
    let (a, b) = (bits(sample(300, 3, 5), 6), bits(sample(280, 3, 7), 8));
    let inverse = InverseProbability::new(
        2,
        Realisations::of_words(2),
        PairNormalisation::JointOccurrence,
    )
    .unwrap();
    let lists = [
        products(3),
        vec![Sum::Product, Sum::OfSet(1, WeightedSum::Separation)],
    ];
    for sums in lists {
        for pairs in [Pairs::Auto(&a), Pairs::Cross(&a, &b)] {
            let what = with_sums(s_mu(LineOfSight::First, 0.0), &sums);
            let what = what.with_pair_weight(inverse.clone().into());
            agree(pairs, &Domain::Open, &what);
            let bins = RBins::new(Edges::linear(0.0, 4.5, 30).unwrap());
            let what = with_sums(&bins, &sums).with_pair_weight(upweights().into());
            agree(pairs, &Domain::Open, &what);
        }
    }
}

/// Each set counted in one traversal with the others, and by itself, on both engines; `what` is counted of pairs as they have weights.
fn sets_are_separate_counts(
    [a, b]: [&Particles; 2],
    what: impl Fn(Pairs<'_>) -> CountSpec,
    domain: &Domain,
) {
    fn on(
        engine: &dyn Engine,
        [a, b]: [&Particles; 2],
        what: &dyn Fn(Pairs<'_>) -> CountSpec,
        domain: &Domain,
    ) {
        let prepare = |sample: Particles| engine.prepare(sample, domain, &Silent).unwrap();
        let all = [a, b].map(|sample| prepare(sample.clone()));
        for cross in [false, true] {
            let of = |all: &[albireo::engine::Prepared; 2]| {
                let job = PreparedJob::new(&all[0], cross.then_some(&all[1])).unwrap();
                let all = &what(job.job().pairs());
                let sets = count_weight_sets(engine, &job, all, &Silent);
                let by_region = all.clone().with_classes(Classes::Regions);
                let by_region = count_weight_sets(engine, &job, by_region, &Silent);
                (sets.unwrap().0, by_region.unwrap().0)
            };
            let (sets, by_region) = of(&all);
            assert_eq!((sets.len(), by_region.len()), (4, 4));
            for (set, (found, regions)) in sets.into_iter().zip(by_region).enumerate() {
                let alone = [a, b].map(|sample| prepare(sample.of_weight_set(set)));
                let job = PreparedJob::new(&alone[0], cross.then_some(&alone[1])).unwrap();
                let own = &what(job.job().pairs());
                let expected = count_prepared(engine, &job, own, &Silent);
                assert_eq!(found, expected.unwrap().0, "set {set}");
                let expected = count_regions(engine, &job, own, &Silent);
                assert_eq!(regions, expected.unwrap().0, "set {set}");
            }
        }
    }
    on(&Cpu::new(), [a, b], &what, domain);
    on(&Naive, [a, b], &what, domain);
}

#[test]
fn each_set_equals_its_separate_count_with_regions_and_cuts() {
    let grouped = |sample: Particles| {
        let groups = (0..sample.len() as u32).map(|row| row / 3).collect();
        sample.grouped(Groups::new(groups)).unwrap()
    };
    let samples = [sample(300, 4, 9), sample(260, 4, 10)].map(|sample| grouped(labelled(sample)));
    let [a, b] = &samples;
    let bins = s_mu(LineOfSight::Midpoint, 0.0);
    let further: [fn(CountSpec) -> CountSpec; 4] = [
        |what| what,
        |what| {
            what.with_mean_separation()
                .with_weighted_separation()
                .with_legendre([Legendre::L2].into_iter().collect())
        },
        |what| what.with_cut(Cut::SameGroup),
        |what| what.weighted_by(upweights().into()),
    ];
    for with in further {
        let what = |pairs: Pairs<'_>| with(CountSpec::for_pairs(&bins, pairs));
        sets_are_separate_counts([a, b], what, &Domain::Open);
    }
    let rp = Edges::linear(0.0, 3.0, 5).unwrap();
    let pi = SignedEdges::linear(-4.0, 4.0, 6).unwrap();
    let bins = RpPiBins::new(rp, pi, LineOfSight::Fixed(Axis::Z)).unwrap();
    let [_, cube] = domains();
    let what = |pairs: Pairs<'_>| CountSpec::for_pairs(&bins, pairs);
    sets_are_separate_counts([a, b], what, &cube);
}

#[test]
fn a_sample_with_one_set_has_it_in_all() {
    let (data, randoms) = (sample(200, 3, 11), sample(300, 1, 12));
    let engine = Cpu::new();
    let prepare = |sample: &Particles| engine.prepare(sample.clone(), &Domain::Open, &Silent);
    let (data_ready, randoms_ready) = (prepare(&data).unwrap(), prepare(&randoms).unwrap());
    let bins = RBins::new(Edges::linear(0.0, 4.0, 7).unwrap());
    let job = PreparedJob::cross(&data_ready, &randoms_ready).unwrap();
    let what = &CountSpec::for_pairs(bins, job.job().pairs());
    assert!(what.has_weights());
    let (sets, _) = count_weight_sets(&engine, &job, what, &Silent).unwrap();
    for (set, found) in sets.iter().enumerate() {
        let alone = prepare(&data.of_weight_set(set)).unwrap();
        let job = PreparedJob::cross(&alone, &randoms_ready).unwrap();
        let (expected, _) = count_prepared(&engine, &job, what, &Silent).unwrap();
        assert_eq!(*found, expected);
    }
    assert_eq!(data.strided(1, 2).unwrap().weight_sets(), 3);
}

#[test]
fn the_first_set_may_be_the_one_without_weights() {
    let weighted = sample(200, 2, 13);
    let further = weighted.weights_of_set(1).clone();
    let bare = Particles::new(weighted.points().clone());
    let both = bare.with_weight_sets(vec![further]).unwrap();
    let engine = Cpu::new();
    let prepare = |sample: &Particles| engine.prepare(sample.clone(), &Domain::Open, &Silent);
    let ready = prepare(&both).unwrap();
    let bins = RBins::new(Edges::linear(0.0, 4.0, 7).unwrap());
    let job = PreparedJob::auto(&ready);
    let what = CountSpec::for_pairs(&bins, job.job().pairs());
    let (sets, _) = count_weight_sets(&engine, &job, what, &Silent).unwrap();
    assert_eq!(sets[0].weight(), None);
    for (set, found) in sets.iter().enumerate() {
        let alone = prepare(&both.of_weight_set(set)).unwrap();
        let job = PreparedJob::auto(&alone);
        let own = CountSpec::for_pairs(&bins, job.job().pairs());
        let (expected, _) = count_prepared(&engine, &job, own, &Silent).unwrap();
        assert_eq!(*found, expected, "set {set}");
    }
}

#[test]
fn what_does_not_fit_is_refused_by_name() {
    let points = || Points::from_rows(&[[0.0; 3], [1.0; 3]]).unwrap();
    let weights = |w: &[f64]| Weights::PerParticle(w.to_vec().into());
    let short = Particles::new(points()).with_weight_sets(vec![weights(&[1.0])]);
    assert_eq!(
        short.unwrap_err().to_string(),
        "columns of one sample must be equally long: position has 2 rows, weight has 1"
    );
    let bad = Particles::new(points()).with_weight_sets(vec![weights(&[1.0, f64::NAN])]);
    assert!(
        bad.unwrap_err()
            .to_string()
            .starts_with("weight must be finite: found NaN in row 1")
    );
    let two = Particles::new(points())
        .with_weight_sets(vec![Weights::Unit])
        .unwrap();
    let three = Particles::new(points())
        .with_weight_sets(vec![Weights::Unit, Weights::Unit])
        .unwrap();
    let bins = RBins::new(Edges::linear(0.0, 4.0, 2).unwrap());
    let what = CountSpec::new(bins).with_sum(Sum::OfSet(2, WeightedSum::Product));
    let job = PairJob::new(Pairs::Auto(&two), &Domain::Open).unwrap();
    let error = what.admit(&job).unwrap_err();
    assert_eq!(error, JobError::NoWeightSet { set: 2, sets: 2 });
    assert_eq!(
        error.to_string(),
        "there is no set of weights 2: there are 2, numbered from 0"
    );
    let job = PairJob::new(Pairs::Cross(&two, &three), &Domain::Open).unwrap();
    assert_eq!(
        what.admit(&job).unwrap_err().to_string(),
        "both samples of a count have as many sets of weights, or one of them has one: found 2 and 3"
    );
}
