//! Classes of pairs on the emulated device, against the double loop.

use albireo::engine::PreparedJob;
use albireo::engine::cuda::{KernelChoice, Precision, count};
use albireo::tally::{Classes, Sum, Tallied};
use albireo::{
    Axis, Binning, CudaError, Domain, Edges, Engine, EngineError, Labels, LineOfSight, Naive,
    PairJob, Pairs, Particles, RBins, SMuBins, SignedEdges, Silent,
};

use super::emulator::{Emulator, Emulators};
use super::{Emulated, PLENTY, SHARED, small, suite, uniform};

/// The same particles with labels below `number`: at random, or by place along x.
fn labelled(sample: &Particles, number: u32, by_place: bool, seed: u64) -> Particles {
    let mut random = suite::Random::new(seed);
    let label = |row: usize| {
        let at = if by_place {
            sample.points().at(row)[0].rem_euclid(1.0)
        } else {
            random.next()
        };
        (at * f64::from(number)) as u32
    };
    let labels = Labels::new((0..sample.len()).map(label).collect(), number).unwrap();
    sample.clone().labelled(labels).unwrap()
}

pub(crate) fn classes_are_those_of_the_double_loop() {
    let mut engine = Emulated::new(Precision::Exact);
    engine.options.tuning.threads = 64;
    engine.options.tuning.points = 2;
    let several = Emulated {
        options: engine.options.clone(),
        devices: Emulators((0..3).map(|_| Emulator::new(SHARED, PLENTY)).collect()),
    };
    for (name, domain) in suite::domains() {
        let reach = domain.reach().min(0.35);
        let los = if domain.is_periodic() {
            LineOfSight::Fixed(Axis::Z)
        } else {
            LineOfSight::First
        };
        let edges = Edges::linear(0.0, reach, 6).unwrap();
        let r = Tallied::new(RBins::new(edges.clone()));
        let mu = SignedEdges::linear(-1.0, 1.0, 4).unwrap();
        let s_mu = Tallied::new(SMuBins::new(edges, mu, los).unwrap());
        for (number, by_place) in [(1, false), (3, true), (5, false), (70, true), (70, false)] {
            let [a, b] = [
                (130, 3, suite::Scatter::Uniform),
                (90, 4, suite::Scatter::Clustered),
            ]
            .map(|(n, seed, scatter)| {
                let sample = suite::particles(&domain, n, scatter, seed);
                engine
                    .prepare(labelled(&sample, number, by_place, seed), &domain, &Silent)
                    .unwrap()
            });
            for classes in [Classes::Species, Classes::Regions] {
                let what = r.clone().with_classes(classes).with_sum(Sum::Product);
                let ordered = s_mu.clone().with_classes(classes);
                let cross = PreparedJob::cross(&a, &b).unwrap();
                for job in [PreparedJob::auto(&a), cross] {
                    let told = format!("{name}, {number} labels, {classes:?}");
                    let plain = job.job();
                    let expected = Naive.run(plain, &what, &Silent).unwrap();
                    assert!(expected.pairs().iter().sum::<u64>() > 0, "{told}");
                    assert!(
                        engine.tally(&job, &what, &Silent).unwrap().0 == expected,
                        "{told}"
                    );
                    assert!(
                        several.run(plain, &what, &Silent).unwrap() == expected,
                        "{told}"
                    );
                    let expected = Naive.run(plain, &ordered, &Silent).unwrap();
                    let found = engine.tally(&job, &ordered, &Silent).unwrap().0;
                    assert!(found == expected, "{told}, both orders");
                }
            }
        }
    }
}

pub(crate) fn classes_are_done_in_windows_where_bins_do_not_fit() {
    let engine = small(Precision::Exact);
    for (name, domain) in suite::domains() {
        // Windows need many cells. The double loop looks at 125 images in a lattice: fewer points there.
        let (n, surely) = match (name, &domain) {
            ("open", _) => (1300, true),
            ("cubic", _) => (3500, true),
            (_, Domain::Triclinic(_)) => (200, false),
            _ => (300, false),
        };
        let reach = domain.reach().min(1.0);
        let los = if domain.is_periodic() {
            LineOfSight::Fixed(Axis::X)
        } else {
            LineOfSight::Midpoint
        };
        let r = RBins::new(Edges::linear(0.0, reach, 20_000).unwrap());
        let s = Edges::linear(0.1 * reach, reach, 70).unwrap();
        let mu = SignedEdges::linear(-1.0, 1.0, 110).unwrap();
        let s_mu = SMuBins::new(s, mu, los).unwrap();
        for (number, by_place) in [(4, true), (2, false)] {
            let [a, b] = [(n, 5), (n / 2, 6)].map(|(n, seed)| {
                let sample = suite::particles(&domain, n, suite::Scatter::Clustered, seed);
                labelled(&sample, number, by_place, seed)
            });
            let told = format!("{name}, {number} labels");
            for pairs in [Pairs::Auto(&a), Pairs::Cross(&a, &b)] {
                let job = PairJob::new(pairs, &domain).unwrap();
                let what = Tallied::new(r.clone()).with_classes(Classes::Species);
                in_windows(&engine, &job, &what, (&told, surely));
                let what = Tallied::new(s_mu.clone()).with_classes(Classes::Regions);
                in_windows(
                    &engine,
                    &job,
                    &what.with_sum(Sum::Product),
                    (&told, name == "open"),
                );
            }
        }
    }
}

/// Compares a tally that is made in windows, `surely`, with that of the double loop.
fn in_windows<B: Binning>(
    engine: &Emulated,
    job: &PairJob<'_>,
    what: &Tallied<B>,
    (told, surely): (&str, bool),
) {
    let given = (&engine.devices, &engine.options);
    let (found, _, how) = count(given.0, given.1, (job, None), what, &Silent).unwrap();
    let windows = how.contains("windows of the bins");
    assert!(windows || !surely, "{told}: {how}");
    let expected = Naive.run(job, what, &Silent).unwrap();
    assert!(expected.pairs().iter().sum::<u64>() > 0, "{told}");
    assert!(found == expected, "{told}");
}

pub(crate) fn classes_without_a_kernel_are_refused() {
    let sample = labelled(&uniform(60), 3, false, 1);
    let job = PairJob::new(Pairs::Auto(&sample), &Domain::Open).unwrap();
    let what = Tallied::new(RBins::new(Edges::linear(0.0, 1.0, 4).unwrap()));
    let what = what.with_classes(Classes::Regions);
    for kernel in [
        KernelChoice::Simple,
        KernelChoice::Constant,
        KernelChoice::Shared,
    ] {
        let mut engine = Emulated::new(Precision::Exact);
        engine.options.kernel = kernel;
        let error = engine.run(&job, &what, &Silent).unwrap_err();
        assert!(
            matches!(error, EngineError::Cuda(CudaError::Unsupported(_))),
            "{error}"
        );
    }
}
