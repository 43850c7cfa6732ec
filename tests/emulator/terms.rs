//! Sums of terms on the emulated device, against the double loop.

use std::sync::Arc;

use albireo::engine::cuda::{KernelChoice, Precision, count};
use albireo::engine::{PreparedJob, Silent};
use albireo::particles::Bits;
use albireo::separation::Separation;
use albireo::tally::{
    AngularWeight, CountSpec, InverseProbability, Legendre, PairNormalisation, PairTerm,
    PairWeight, Realisations, Sum,
};
use albireo::{
    Domain, Edges, Engine, LineOfSight, Naive, PairJob, Pairs, Particles, RBins, SMuBins,
    SignedEdges,
};

use super::emulator::{Emulator, Emulators};
use super::{Emulated, PLENTY, pair_programs, pair_terms, small, suite, trials, uniform};

pub(crate) const TESTS: [trials::Test; 8] = [
    (
        "weights_by_bits_are_those_of_the_double_loop",
        weights_by_bits_are_those_of_the_double_loop,
    ),
    (
        "weights_by_angles_are_those_of_the_double_loop",
        weights_by_angles_are_those_of_the_double_loop,
    ),
    (
        "sums_in_one_pass_are_those_of_the_double_loop",
        sums_in_one_pass_are_those_of_the_double_loop,
    ),
    (
        "sums_of_expressions_are_those_of_the_double_loop",
        sums_of_expressions_are_those_of_the_double_loop,
    ),
    (
        "terms_are_summed_in_windows_pieces_and_prepared_samples",
        terms_are_summed_in_windows_pieces_and_prepared_samples,
    ),
    (
        "realisations_are_those_of_the_double_loop",
        realisations_are_those_of_the_double_loop,
    ),
    (
        "realisations_in_windows_and_pieces_are_those_of_the_double_loop",
        realisations_in_windows_and_pieces_are_those_of_the_double_loop,
    ),
    (
        "a_term_of_another_crate_is_refused_by_name",
        a_term_of_another_crate_is_refused_by_name,
    ),
];

/// Engines of one shape: each further one is a kernel more to compile.
fn engine(precision: Precision) -> Emulated {
    let mut engine = Emulated::new(precision);
    engine.options.tuning.threads = 64;
    engine.options.tuning.points = 2;
    engine.options.tuning.tile = 32;
    engine
}

fn weights_by_bits_are_those_of_the_double_loop() {
    pair_terms::weights_by_bits(&engine(Precision::Exact), 110);
    pair_terms::weights_by_bits(&engine(Precision::Float64), 50);
}

fn weights_by_angles_are_those_of_the_double_loop() {
    pair_terms::weights_by_angles(&engine(Precision::Exact), 110);
    pair_terms::weights_by_angles(&engine(Precision::Float32), 60);
}

fn sums_in_one_pass_are_those_of_the_double_loop() {
    pair_terms::by_weight_sets(&engine(Precision::Exact), 60);
    pair_terms::wide_weights(&engine(Precision::Exact), 60);
    pair_terms::sums_in_one_pass(&engine(Precision::Exact), 90);
    let mut simple = engine(Precision::Exact);
    for kernel in [KernelChoice::Simple, KernelChoice::Constant] {
        simple.options.kernel = kernel;
        let sample = by_both(300);
        let job = PairJob::new(Pairs::Auto(&sample), &Domain::Open).unwrap();
        let what = everything(6);
        let expected = Naive.run(&job, &what, &Silent).unwrap();
        assert!(simple.run(&job, &what, &Silent).unwrap() == expected);
    }
}

fn sums_of_expressions_are_those_of_the_double_loop() {
    pair_terms::sums_of_expressions(&engine(Precision::Exact), 60);
    let mut simple = engine(Precision::Exact);
    for kernel in [KernelChoice::Simple, KernelChoice::Constant] {
        simple.options.kernel = kernel;
        let sample = pair_programs::with_columns(&by_both(200), 7);
        let job = PairJob::new(Pairs::Auto(&sample), &Domain::Open).unwrap();
        let what = everything(6).with_program(pair_programs::every_operation());
        let expected = Naive.run(&job, &what, &Silent).unwrap();
        assert!(simple.run(&job, &what, &Silent).unwrap() == expected);
    }
    // In pieces, of samples that are kept and of others.
    let mut pieces = engine(Precision::Exact);
    pieces.devices = Emulators(vec![Emulator::new(200 << 10, 36 << 10)]);
    let sample = pair_programs::with_columns(&uniform(300), 8);
    let prepared = pieces.prepare(sample, &Domain::Open, &Silent).unwrap();
    let bins = RBins::new(Edges::linear(0.0, 0.4, 4).unwrap());
    let what = CountSpec::new(bins).with_weights();
    for program in [
        pair_programs::velocities(),
        pair_programs::every_operation(),
        pair_programs::velocities(),
    ] {
        let what = what.clone().with_program(program);
        let job = PreparedJob::auto(&prepared);
        let (tally, _) = pieces.tally(&job, &what, &Silent).unwrap();
        assert!(tally == Naive.run(job.job(), &what, &Silent).unwrap());
    }
}

/// Points in the unit cube with weights of both signs and bits.
fn by_both(n: usize) -> Particles {
    let rows = suite::unit_cube(n, suite::Scatter::Uniform, 5);
    let rows: Vec<[f64; 3]> = rows.iter().map(|x| x.map(|x| x + 0.1)).collect();
    let points = albireo::Points::from_rows(&rows).unwrap();
    let weights = (0..n).map(|row| 1.5 - (row % 7) as f64).collect();
    let words = (0..3 * n as u64).map(|k| k.wrapping_mul(0x9e37_79b9_7f4a_7c15));
    let bits = Bits::new(words.collect(), 3).unwrap();
    let particles = Particles::weighted(points, weights).unwrap();
    particles.with_bits(bits).unwrap()
}

/// Sums of all kinds by bits and angles, in so many bins in s.
fn everything(bins: usize) -> CountSpec {
    let s = Edges::linear(0.0, 0.8, bins).unwrap();
    let mu = SignedEdges::linear(-1.0, 1.0, 4).unwrap();
    let bins = SMuBins::new(s, mu, LineOfSight::End).unwrap();
    let realisations = Realisations::of_words(3);
    let normalisation = PairNormalisation::BruteForce;
    let inverse = InverseProbability::new(3, realisations, normalisation).unwrap();
    let angular = AngularWeight::new(vec![1.0, 20.0, 50.0], vec![3.0, -1.0, 1.0]).unwrap();
    let weight = PairWeight::from(inverse).with_angular(angular);
    CountSpec::new(bins)
        .with_sum(Sum::WeightedLegendre(Legendre::L3))
        .with_sum(Sum::Product)
        .with_sum(Sum::WeightedSeparation)
        .with_pair_weight(weight)
}

fn terms_are_summed_in_windows_pieces_and_prepared_samples() {
    let many = by_both(1300);
    let sample = by_both(300);
    let given = |engine: &Emulated, sample: &Particles, what: &CountSpec| {
        let job = PairJob::new(Pairs::Auto(sample), &Domain::Open).unwrap();
        let given = (&engine.devices, &engine.options);
        let (tally, _, how) = count(given.0, given.1, (&job, None, None), what, &Silent).unwrap();
        assert!(tally == Naive.run(&job, what, &Silent).unwrap(), "{how}");
        how
    };
    // Sums of 28 bytes a bin, in 80 KiB.
    let how = given(&small(Precision::Exact), &many, &everything(700));
    assert!(how.contains("windows of the bins"), "{how}");
    // Of which not even windows would have room.
    let mut little = Emulated::of(Precision::Exact, vec![Emulator::new(12 << 10, PLENTY)]);
    little.options.tuning.threads = 64;
    let how = given(&little, &sample, &everything(900));
    assert!(!how.contains("windows"), "{how}");
    // In less memory than all of them take.
    let mut pieces = engine(Precision::Exact);
    pieces.devices = Emulators(vec![Emulator::new(200 << 10, 36 << 10)]);
    let how = given(&pieces, &sample, &everything(5));
    assert!(how.contains(" pieces"), "{how}");

    // Prepared samples, by bits and without, by angles and without, over the same cells.
    let engine = engine(Precision::Exact);
    let prepared = engine
        .prepare(sample.clone(), &Domain::Open, &Silent)
        .unwrap();
    let all = everything(6);
    let angular = all.pair_weight().unwrap().without_inverse().unwrap();
    let inverse = all.pair_weight().unwrap().inverse().unwrap().clone();
    let plain = CountSpec::new(all.bins().clone()).with_sum(Sum::Product);
    let by_angle = plain.clone().with_pair_weight(angular);
    let by_bits = plain.clone().with_pair_weight(inverse.into());
    for what in [&plain, &all, &by_angle, &by_bits, &plain, &by_bits, &all] {
        for traversal in [
            albireo::engine::Traversal::AllPairs,
            albireo::engine::Traversal::Cells,
        ] {
            let job = PreparedJob::auto(&prepared).with_traversal(traversal);
            let (tally, _) = engine.tally(&job, what, &Silent).unwrap();
            assert!(tally == Naive.run(job.job(), what, &Silent).unwrap());
        }
    }
}

fn realisations_are_those_of_the_double_loop() {
    let most = if super::scope() == suite::Scope::Full {
        7
    } else {
        5
    };
    pair_terms::realisations(&engine(Precision::Exact), 90, most);
    pair_terms::realisations(&engine(Precision::Float64), 40, 1);
    let mut simple = engine(Precision::Exact);
    simple.options.kernel = KernelChoice::Simple;
    let sample = pair_terms::realised::with_realisations(&by_both(120), 40, 9);
    let job = PairJob::new(Pairs::Auto(&sample), &Domain::Open).unwrap();
    let bins = RBins::new(Edges::linear(0.0, 0.8, 6).unwrap());
    let what = CountSpec::new(bins).with_weights().by_realisation(40);
    let expected = Naive.run(&job, &what, &Silent).unwrap();
    assert!(simple.run(&job, &what, &Silent).unwrap() == expected);
}

/// Bins that do not fit into shared memory, and samples that do not fit into that of the device.
fn realisations_in_windows_and_pieces_are_those_of_the_double_loop() {
    let counted = |engine: &Emulated, pairs: Pairs<'_>, n_bins: usize| {
        let bins = RBins::new(Edges::linear(0.0, 0.8, n_bins).unwrap());
        let what = CountSpec::new(bins).with_weights().by_realisation(8);
        let job = PairJob::new(pairs, &Domain::Open).unwrap();
        let given = (&engine.devices, &engine.options);
        let (tally, _, how) = count(given.0, given.1, (&job, None, None), &what, &Silent).unwrap();
        assert!(tally == Naive.run(&job, &what, &Silent).unwrap(), "{how}");
        how
    };
    let draws = pair_terms::realised::with_realisations(&by_both(800), 8, 9);
    let other = uniform(500);
    for pairs in [Pairs::Auto(&draws), Pairs::Cross(&draws, &other)] {
        let how = counted(&small(Precision::Exact), pairs, 900);
        assert!(how.contains("windows of the bins"), "{how}");
        let mut pieces = engine(Precision::Exact);
        pieces.devices = Emulators(vec![Emulator::new(200 << 10, 60 << 10)]);
        let how = counted(&pieces, pairs, 5);
        assert!(how.contains(" pieces"), "{how}");
    }
}

/// One a pair.
#[derive(Debug)]
struct One;

impl PairTerm for One {
    fn term(&self, _: [usize; 2], _: &Separation) -> f64 {
        1.0
    }
}

fn a_term_of_another_crate_is_refused_by_name() {
    let sample = uniform(60);
    let job = PairJob::new(Pairs::Auto(&sample), &Domain::Open).unwrap();
    let what = CountSpec::new(RBins::new(Edges::linear(0.0, 1.0, 4).unwrap()));
    let what = what.with_sum(Sum::Term(Arc::new(One)));
    let error = engine(Precision::Exact).run(&job, &what.with_sum(Sum::Product), &Silent);
    let said = error.unwrap_err().to_string();
    assert!(said.contains("a term of another crate"), "{said}");
}
