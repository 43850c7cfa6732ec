//! The kernels themselves on the host: g++ compiles them against `kernels/emulator`, and the whole engine runs on that, against the
//! double loop. Without g++ its tests are reported as ignored.
#![allow(
    clippy::unwrap_used,
    clippy::print_stderr,
    missing_docs,
    reason = "a failed unwrap is a failed test; a skipped test says so"
)]

#[path = "attack/mod.rs"]
mod attack;
#[path = "emulator/classes.rs"]
mod classes;
#[path = "emulator/covariance.rs"]
mod covariance;
#[path = "emulator/doubts.rs"]
mod doubts;
#[path = "emulator/drawn.rs"]
mod drawn;
#[path = "../crates/covariance/tests/drawn/mod.rs"]
mod drawn_samples;
#[path = "emulator/dynamics.rs"]
mod dynamics;
mod emulator;
mod far_images;
mod field_cases;
#[path = "emulator/fields.rs"]
mod fields;
mod half_units;
mod lennard_jones;
mod pair_programs;
mod pair_terms;
#[path = "emulator/parts.rs"]
mod parts;
#[path = "../src/engine/cuda/suite.rs"]
mod suite;
#[path = "emulator/tensors.rs"]
mod tensors;
#[path = "emulator/terms.rs"]
mod terms;

mod trials;

use std::ops::Range;
use std::process::ExitCode;

use albireo::engine::cuda::{
    CudaError, CudaOptions, Kept, KernelChoice, Precision, count, tally_units, units,
};
use albireo::engine::{PreparedJob, Progress, Report, Silent, Sorted, Traversal, Units};
use albireo::error::EngineError;
use albireo::tally::{Classes, CountSpec, Sum, Tally};
use albireo::{
    Axis, Domain, Edges, Engine, Labels, LineOfSight, Naive, PairJob, Pairs, Particles,
    PeriodicBox, Points, RBins, RpPiBins, SMuBins, SignedEdges,
};
use emulator::{Emulator, Emulators, Memory};
use suite::Scope;

const HARD_CASES: [trials::Test; 3] = [
    (
        "separations_are_rounded_as_by_the_rule",
        separations_are_rounded_as_by_the_rule,
    ),
    ("bins_beyond_half_of_the_box", bins_beyond_half_of_the_box),
    (
        "the_largest_difference_on_an_open_axis_keeps_its_sign",
        the_largest_difference_on_an_open_axis_keeps_its_sign,
    ),
];

fn main() -> ExitCode {
    let missing = emulator::missing();
    if let Some(reason) = missing {
        eprintln!("skipped: {reason}");
    }
    let tests: [trials::Test; 16] = [
        (
            "classes_are_those_of_the_double_loop",
            classes::classes_are_those_of_the_double_loop,
        ),
        (
            "classes_are_done_in_windows_where_bins_do_not_fit",
            classes::classes_are_done_in_windows_where_bins_do_not_fit,
        ),
        (
            "drawn_classes_are_those_of_the_double_loop",
            classes::drawn_classes_are_those_of_the_double_loop,
        ),
        (
            "drawn_classes_in_one_cell_are_those_of_the_double_loop",
            classes::drawn_classes_in_one_cell_are_those_of_the_double_loop,
        ),
        (
            "classes_without_a_kernel_are_refused",
            classes::classes_without_a_kernel_are_refused,
        ),
        (
            "prepared_samples_serve_many_counts",
            prepared_samples_serve_many_counts,
        ),
        (
            "a_prepared_job_larger_than_the_memory_is_counted_in_pieces",
            a_prepared_job_larger_than_the_memory_is_counted_in_pieces,
        ),
        (
            "filtered_counts_are_those_of_the_double_loop",
            filtered_counts_are_those_of_the_double_loop,
        ),
        (
            "float64_counts_are_those_of_the_double_loop",
            float64_counts_are_those_of_the_double_loop,
        ),
        (
            "more_bins_than_shared_memory_holds",
            more_bins_than_shared_memory_holds,
        ),
        (
            "bins_are_done_in_windows_where_they_do_not_fit",
            bins_are_done_in_windows_where_they_do_not_fit,
        ),
        (
            "mean_separations_are_those_of_the_double_loop",
            mean_separations_are_those_of_the_double_loop,
        ),
        (
            "devices_share_the_units_of_a_job",
            devices_share_the_units_of_a_job,
        ),
        (
            "a_job_larger_than_the_memory_is_counted_in_pieces",
            a_job_larger_than_the_memory_is_counted_in_pieces,
        ),
        (
            "too_little_memory_for_the_smallest_piece_is_told_in_bytes",
            too_little_memory_for_the_smallest_piece_is_told_in_bytes,
        ),
        (
            "every_kernel_gives_the_same_integers",
            every_kernel_gives_the_same_integers,
        ),
    ];
    let others = [
        &HARD_CASES[..],
        &terms::TESTS,
        &drawn::TESTS,
        &doubts::TESTS,
        &tensors::TESTS,
        &parts::TESTS,
        &fields::TESTS,
        &covariance::TESTS,
        &dynamics::TESTS,
    ]
    .concat();
    trials::run(tests.into_iter().chain(others), missing.is_some(), [])
}

/// The engine on emulated devices.
struct Emulated {
    options: CudaOptions,
    devices: Emulators,
}

/// Shared memory of an emulated device, and memory that is never too little.
const SHARED: usize = 200 << 10;
const PLENTY: u64 = 1 << 40;

impl Emulated {
    fn new(precision: Precision) -> Self {
        Self::of(precision, vec![Emulator::new(SHARED, PLENTY)])
    }

    fn of(precision: Precision, devices: Vec<Emulator>) -> Self {
        let options = CudaOptions {
            precision,
            ..CudaOptions::default()
        };
        let devices = Emulators(devices);
        Self { options, devices }
    }
}

impl Engine for Emulated {
    fn sort(&self, _: &Particles, _: &Domain, _: &dyn Progress) -> Result<Sorted, EngineError> {
        Ok(Sorted::new(Kept::<Memory>::default()))
    }

    fn tally(
        &self,
        job: &PreparedJob<'_>,
        what: &CountSpec,
        progress: &dyn Progress,
    ) -> Result<(Tally, Report), EngineError> {
        let (first, second) = job.sorted("emulated")?;
        let job = (job.job(), Some([first, second.unwrap_or(first)]), None);
        let counted = count(&self.devices, &self.options, job, what, progress);
        counted.map(|(tally, ..)| (tally, Report::default()))
    }

    fn run(
        &self,
        job: &PairJob<'_>,
        what: &CountSpec,
        progress: &dyn Progress,
    ) -> Result<Tally, EngineError> {
        let job = (job, None, None);
        count(&self.devices, &self.options, job, what, progress).map(|(tally, ..)| tally)
    }

    fn units(
        &self,
        job: &PreparedJob<'_>,
        what: &CountSpec,
        progress: &dyn Progress,
    ) -> Result<Units, EngineError> {
        let devices = (&self.devices, &self.options);
        units(devices, job.job(), what, self.exactness(), progress)
    }

    fn tally_units(
        &self,
        job: &PreparedJob<'_>,
        what: &CountSpec,
        units: (&Units, Range<usize>),
        progress: &dyn Progress,
    ) -> Result<(Tally, Report), EngineError> {
        let (first, second) = job.sorted("emulated")?;
        let asked = (job.job(), [first, second.unwrap_or(first)], units);
        let devices = (&self.devices, &self.options);
        let counted = tally_units(devices, asked, what, progress)?;
        let (tally, ..) = counted.expect("its own units");
        Ok((tally, Report::default()))
    }

    fn description(&self) -> String {
        format!("emulated cuda, {:?}", self.options.precision)
    }
}

/// `ALBIREO_TEST_FULL=1` goes through the whole matrix.
fn scope() -> Scope {
    if std::env::var_os("ALBIREO_TEST_FULL").is_some() {
        Scope::Full
    } else {
        Scope::Quick
    }
}

fn filtered_counts_are_those_of_the_double_loop() {
    suite::every_case(&Emulated::new(Precision::Exact), 130, scope());
}

fn float64_counts_are_those_of_the_double_loop() {
    suite::every_case(&Emulated::new(Precision::Float64), 70, scope());
}

/// Fractions of two points as far apart as all are differ by half of what wraps.
fn bins_beyond_half_of_the_box() {
    let mut engine = Emulated::new(Precision::Exact);
    engine.options.tuning.threads = 64;
    engine.options.tuning.points = 2;
    far_images::are_nearest(&engine, 60);
    // What there is no kernel for is refused: the double loop of the emulator has no processor beside it.
    let domain = Domain::Periodic(PeriodicBox::cubic(1.0).unwrap());
    let labels = Labels::new((0..50).map(|k| k % 2).collect(), 2).unwrap();
    let sample = uniform(50).labelled(labels).unwrap();
    let job = PairJob::new(Pairs::Auto(&sample), &domain).unwrap();
    let bins = RBins::new(Edges::linear(0.0, 0.8, 4).unwrap());
    let what = CountSpec::new(bins)
        .beyond_half()
        .with_classes(Classes::Regions);
    let refused = engine.run(&job, &what, &Silent).unwrap_err();
    assert!(
        refused.to_string().contains("beyond half of the box"),
        "{refused}"
    );
}

fn the_largest_difference_on_an_open_axis_keeps_its_sign() {
    let domain = Domain::Periodic(PeriodicBox::new([Some(1.0), None, Some(1.2)]).unwrap());
    let rows = [[0.1, 0.0, 0.2], [0.15, 3.0, 0.25], [0.2, 1.0, 0.3]];
    let sample = Particles::new(Points::from_rows(&rows).unwrap());
    let rp = Edges::linear(0.0, 0.45, 3).unwrap();
    let pi = SignedEdges::linear(-3.5, 3.5, 7).unwrap();
    let bins = RpPiBins::new(rp, pi, LineOfSight::Fixed(Axis::Y)).unwrap();
    let job = PairJob::new(Pairs::Auto(&sample), &domain).unwrap();
    let job = job.with_traversal(Traversal::AllPairs);
    let what = CountSpec::new(bins);
    let expected = Naive.run(&job, &what, &Silent).unwrap();
    assert_eq!(expected.pairs().iter().sum::<u64>(), 6);
    let engine = Emulated::new(Precision::Exact);
    assert_eq!(engine.run(&job, &what, &Silent).unwrap(), expected);
}

fn more_bins_than_shared_memory_holds() {
    suite::many_bins(&small(Precision::Exact), 200, 20_000);
    for precision in [Precision::Exact, Precision::Float64] {
        suite::many_bins_in_two_coordinates(&small(precision), 30, 22_500);
    }
}

/// An engine with little shared memory.
fn small(precision: Precision) -> Emulated {
    let mut engine = Emulated::of(precision, vec![Emulator::new(80 << 10, PLENTY)]);
    engine.options.tuning.threads = 64;
    engine.options.tuning.points = 2;
    engine
}

fn bins_are_done_in_windows_where_they_do_not_fit() {
    let engine = small(Precision::Exact);
    let sample = uniform(600);
    for domain in [
        Domain::Open,
        Domain::Periodic(PeriodicBox::cubic(1.0).unwrap()),
    ] {
        let job = PairJob::new(Pairs::Auto(&sample), &domain).unwrap();
        let what = CountSpec::new(RBins::new(Edges::linear(0.0, 0.5, 20_000).unwrap()));
        let (_, _, how) = count(
            &engine.devices,
            &engine.options,
            (&job, None, None),
            &what,
            &Silent,
        )
        .unwrap();
        assert!(how.contains("windows of the bins"), "{how}");
    }
}

fn mean_separations_are_those_of_the_double_loop() {
    suite::mean_separations(&Emulated::new(Precision::Exact), 90);
    // Where float64 is slow, pairs in bins alone are measured.
    let mut slow = Emulator::new(SHARED, PLENTY);
    slow.float64_lanes = 2;
    suite::mean_separations(&Emulated::of(Precision::Exact, vec![slow]), 60);
}

fn separations_are_rounded_as_by_the_rule() {
    for seed in 0..4 {
        half_units::are_rounded_as_by_the_rule(&Emulated::new(Precision::Exact), 3000, seed);
    }
}

fn devices_share_the_units_of_a_job() {
    let devices = (0..3).map(|_| Emulator::new(SHARED, PLENTY)).collect();
    suite::clustered(&Emulated::of(Precision::Exact, devices), 300);
}

fn a_job_larger_than_the_memory_is_counted_in_pieces() {
    let options = CudaOptions::default();
    let sample = uniform(500);
    let job = PairJob::new(Pairs::Auto(&sample), &Domain::Open).unwrap();
    let what = CountSpec::new(RBins::new(Edges::linear(0.0, 1.0, 10).unwrap()));
    // Reported before the run, or found out while it allocates.
    for (memory, claimed) in [(24 << 10, 24 << 10), (16 << 10, PLENTY)] {
        let devices = vec![Emulator {
            claimed,
            ..Emulator::new(SHARED, memory)
        }];
        let (tally, _, how) = count(
            &Emulators(devices),
            &options,
            (&job, None, None),
            &what,
            &Silent,
        )
        .unwrap();
        assert!(tally == Naive.run(&job, &what, &Silent).unwrap());
        assert!(how.contains(" pieces"), "{how}");
    }

    // Cells, weights of both signs, and a line of sight that makes both orders of an auto count differ.
    let devices = Emulators(vec![Emulator::new(SHARED, 40 << 10)]);
    let scatter = suite::Scatter::Clustered;
    let a = suite::particles(&Domain::Open, 400, scatter, 9);
    let b = suite::particles(&Domain::Open, 300, scatter, 10);
    let s = Edges::linear(0.0, 0.4, 8).unwrap();
    let mu = SignedEdges::linear(-1.0, 1.0, 4).unwrap();
    let bins = SMuBins::new(s, mu, LineOfSight::First).unwrap();
    for pairs in [Pairs::Auto(&a), Pairs::Cross(&a, &b)] {
        let job = PairJob::new(pairs, &Domain::Open).unwrap();
        let job = job.with_traversal(Traversal::Cells);
        let what = CountSpec::new(bins.clone()).with_sum(Sum::Product);
        let (tally, _, how) =
            count(&devices, &options, (&job, None, None), &what, &Silent).unwrap();
        assert!(tally == Naive.run(&job, &what, &Silent).unwrap());
        assert!(how.contains("pieces"), "{how}");
    }
}

/// Unweighted points in the unit cube.
fn uniform(n: usize) -> Particles {
    let rows = suite::unit_cube(n, suite::Scatter::Uniform, 5);
    Particles::new(Points::from_rows(&rows).unwrap())
}

fn too_little_memory_for_the_smallest_piece_is_told_in_bytes() {
    let engine = Emulated::of(Precision::Exact, vec![Emulator::new(SHARED, 9000)]);
    let sample = uniform(300);
    let job = PairJob::new(Pairs::Auto(&sample), &Domain::Open).unwrap();
    let what = CountSpec::new(RBins::new(Edges::linear(0.0, 1.0, 10).unwrap()));
    let error = engine.run(&job, &what, &Silent).unwrap_err();
    let EngineError::Cuda(CudaError::Memory { needed, free, .. }) = error else {
        panic!("{error}");
    };
    assert!(needed > free && free == 9000, "{needed} {free}");
    assert!(
        error.to_string().contains("9000 bytes of memory free"),
        "{error}"
    );
}

fn every_kernel_gives_the_same_integers() {
    for kernel in [
        KernelChoice::Simple,
        KernelChoice::Constant,
        KernelChoice::Shared,
    ] {
        let mut engine = Emulated::new(Precision::Exact);
        engine.options.kernel = kernel;
        suite::clustered(&engine, 110);
    }
}

/// Counts of samples prepared once, over the same and other cells, weights and orders, against the double loop.
fn prepared_samples_serve_many_counts() {
    let mut engine = Emulated::new(Precision::Exact);
    engine.options.tuning.threads = 64;
    engine.options.tuning.points = 2;
    for (name, domain) in suite::domains() {
        if !["open", "cubic", "triclinic"].contains(&name) {
            continue;
        }
        let scatter = suite::Scatter::Clustered;
        let [a, b] = [(90, 3), (130, 4)].map(|(n, seed)| {
            let sample = suite::particles(&domain, n, scatter, seed);
            engine.prepare(sample, &domain, &Silent).unwrap()
        });
        let reach = domain.reach().min(0.4);
        for (edges, sum) in [
            (Edges::linear(0.0, reach, 8), Some(Sum::Product)),
            (Edges::linear(0.0, reach, 8), None),
            (Edges::linear(0.0, reach / 2.0, 8), Some(Sum::Product)),
            (Edges::linear(0.0, reach / 3.0, 8), Some(Sum::Product)),
            (Edges::linear(0.0, reach, 8), Some(Sum::Product)),
        ] {
            let what = CountSpec::new(RBins::new(edges.unwrap()));
            let what = sum.into_iter().fold(what, CountSpec::with_sum);
            for traversal in [Traversal::AllPairs, Traversal::Cells] {
                for exponents in [None, Some([3, 5])] {
                    let what = match exponents {
                        None => what.clone(),
                        Some(exponents) => what.clone().with_weight_exponents(exponents),
                    };
                    let cross = |a, b| PreparedJob::cross(a, b).unwrap();
                    for job in [PreparedJob::auto(&a), cross(&a, &b), cross(&b, &a)] {
                        let job = job.with_traversal(traversal);
                        let (tally, _) = engine.tally(&job, &what, &Silent).unwrap();
                        let expected = Naive.run(job.job(), &what, &Silent).unwrap();
                        assert!(tally == expected, "{name} {traversal:?} {what:?}");
                    }
                }
            }
        }
    }
}

fn a_prepared_job_larger_than_the_memory_is_counted_in_pieces() {
    let engine = Emulated::of(Precision::Exact, vec![Emulator::new(SHARED, 32 << 10)]);
    let what = CountSpec::new(RBins::new(Edges::linear(0.0, 1.0, 10).unwrap()));
    let sample = engine
        .prepare(uniform(500), &Domain::Open, &Silent)
        .unwrap();
    for _ in 0..2 {
        let job = PreparedJob::auto(&sample);
        let (tally, _) = engine.tally(&job, &what, &Silent).unwrap();
        assert!(tally == Naive.run(job.job(), &what, &Silent).unwrap());
    }
}
