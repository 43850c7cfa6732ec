//! The CUDA engine on real devices, against the double loop. Without a device its tests are reported as ignored.
//!
//! Run it alone: `cargo test --release --test cuda`. `ALBIREO_TEST_FULL=1` goes through the whole matrix.
#![allow(
    clippy::unwrap_used,
    clippy::print_stderr,
    missing_docs,
    reason = "a failed unwrap is a failed test; a skipped test says so"
)]

mod far_images;
mod field_cases;
mod half_units;
mod lennard_jones;
mod pair_programs;
mod pair_terms;
#[path = "cuda/per_target.rs"]
mod per_target;
#[path = "../src/engine/cuda/suite.rs"]
mod suite;

mod trials;

use std::process::ExitCode;

use albireo::engine::cuda::{Cuda, CudaError, CudaOptions, KernelChoice, Precision};
use albireo::engine::{AnyEngine, Auto, Cpu, Silent, Together, Traversal};
use albireo::particles::Bits;
use albireo::random;
use albireo::tally::{
    AngularWeight, CountSpec, InverseProbability, Legendre, PairNormalisation, PairWeight,
    Realisations, Sum,
};
use albireo::{
    Domain, Edges, Engine, Labels, LineOfSight, Naive, PairJob, Pairs, Particles, PeriodicBox,
    RBins, SMuBins, SignedEdges,
};
use albireo_fluids::frames::{FrameBins, FrameJob, FrameWorkers, count_frames};
use suite::{Scatter, Scope};

/// An engine on every device of this machine.
fn engine(precision: Precision) -> Cuda {
    Cuda::new(CudaOptions {
        precision,
        ..CudaOptions::default()
    })
    .unwrap()
}

/// Why there is no device to test, if there is none.
fn no_device() -> Option<CudaError> {
    match Cuda::new(CudaOptions::default()) {
        Err(error @ (CudaError::NoDriver | CudaError::NoDevice)) => Some(error),
        Ok(_) | Err(_) => None,
    }
}

fn main() -> ExitCode {
    let missing = no_device();
    if let Some(error) = &missing {
        eprintln!("skipped: no GPU ({error})");
    }
    let on_device: [trials::Test; 19] = [
        (
            "tensor_cores_count_as_the_double_loop",
            tensor_cores_count_as_the_double_loop,
        ),
        ("bins_beyond_half_of_the_box", bins_beyond_half_of_the_box),
        (
            "frames_side_by_side_are_those_of_the_double_loop",
            frames_side_by_side_are_those_of_the_double_loop,
        ),
        ("weights_by_bits", weights_by_bits),
        ("weights_by_angles", weights_by_angles),
        ("sums_in_one_pass", sums_in_one_pass),
        ("sums_of_expressions", sums_of_expressions),
        ("realisations", realisations),
        (
            "terms_of_many_points_agree_between_filter_and_float64",
            terms_of_many_points_agree_between_filter_and_float64,
        ),
        (
            "filtered_counts_are_those_of_the_double_loop",
            filtered_counts_are_those_of_the_double_loop,
        ),
        (
            "float64_counts_are_those_of_the_double_loop",
            float64_counts_are_those_of_the_double_loop,
        ),
        ("many_bins", many_bins),
        ("many_bins_in_two_coordinates", many_bins_in_two_coordinates),
        ("mean_separations", mean_separations),
        (
            "separations_are_rounded_as_by_the_rule",
            separations_are_rounded_as_by_the_rule,
        ),
        ("crowded_cells", crowded_cells),
        (
            "every_kernel_gives_the_same_integers",
            every_kernel_gives_the_same_integers,
        ),
        (
            "a_million_points_agree_between_filter_and_float64",
            a_million_points_agree_between_filter_and_float64,
        ),
        (
            "the_approximate_mode_moves_few_pairs",
            the_approximate_mode_moves_few_pairs,
        ),
    ];
    trials::run(
        on_device.into_iter().chain(per_target::TESTS),
        missing.is_some(),
        [(
            "a_device_that_does_not_exist_is_refused",
            a_device_that_does_not_exist_is_refused as fn(),
        )],
    )
}

fn realisations() {
    pair_terms::realisations(&engine(Precision::Exact), 700, 7);
    pair_terms::realisations(&engine(Precision::Float64), 200, 7);
}

fn bins_beyond_half_of_the_box() {
    for n in [90, 700] {
        far_images::are_nearest(&engine(Precision::Exact), n);
    }
    far_images::are_nearest(&engine(Precision::Float64), 300);
}

fn frames_side_by_side_are_those_of_the_double_loop() {
    let domain = |frame: u64| {
        let side = 1.0 + frame as f64 / 64.0;
        Domain::Periodic(PeriodicBox::cubic(side).unwrap())
    };
    let job = |frame: u64| -> Result<FrameJob, albireo::Error> {
        let points = random::in_box(200 + frame as usize % 7, frame, [1.0; 3])?;
        let labels = (0..points.len() as u32).map(|k| k % 3).collect();
        let particles = Particles::new(points).labelled(Labels::new(labels, 3)?)?;
        Ok(FrameJob {
            number: frame,
            particles,
            domain: domain(frame),
            volume: None,
            cuts: vec![],
            excluded: None,
            weight: 1.0,
            program: None,
        })
    };
    let edges = Edges::linear(0.0, 0.8, 40).unwrap();
    for beyond in [false, true] {
        let what = if beyond {
            FrameBins::all(RBins::new(edges.clone()), 3).beyond_half()
        } else {
            FrameBins::all(RBins::new(Edges::linear(0.0, 0.5, 40).unwrap()), 3)
        };
        let counted = |workers: &FrameWorkers| {
            let mut next = 0..60u64;
            let mut all = std::collections::BTreeMap::new();
            count_frames::<_, albireo::Error>(
                workers,
                &what,
                || Ok(next.next()),
                job,
                |frame| {
                    all.insert(frame.number, frame.tally);
                    Ok(())
                },
                &Silent,
            )
            .unwrap();
            all
        };
        let expected = counted(&FrameWorkers::each_alone(&AnyEngine::Naive(Naive)).unwrap());
        let cuda = AnyEngine::Cuda(engine(Precision::Exact));
        for on_a_device in [1, 3, 8] {
            let workers = FrameWorkers::sharing_devices(&cuda, on_a_device).unwrap();
            assert!(counted(&workers) == expected, "{on_a_device}, {beyond}");
        }
    }
}

fn scope() -> Scope {
    if std::env::var_os("ALBIREO_TEST_FULL").is_some() {
        Scope::Full
    } else {
        Scope::Quick
    }
}

/// Samples for the matrix: smaller under a memory checker.
fn size(n: usize) -> usize {
    std::env::var("ALBIREO_TEST_SIZE")
        .ok()
        .and_then(|text| text.parse().ok())
        .unwrap_or(n)
}

fn filtered_counts_are_those_of_the_double_loop() {
    let engine = engine(Precision::Exact);
    suite::every_case(&engine, size(1500), scope());
}

/// By tensor cores where the device has them, however few the points are.
fn tensor_cores_count_as_the_double_loop() {
    let mut options = CudaOptions::default();
    options.tuning.tile = 64;
    let tensors = Cuda::new(options).unwrap();
    for (_, domain) in suite::domains() {
        for scatter in [Scatter::Uniform, Scatter::Clustered, Scatter::Lattice] {
            let [a, b] =
                [1, 2].map(|k| suite::particles(&domain, k * size(600), scatter, k as u64));
            let reach = domain.reach().min(0.5);
            for edges in [
                Edges::linear(0.0, reach, 16),
                Edges::linear(reach / 4.0, reach, 6),
            ] {
                let what = CountSpec::new(RBins::new(edges.unwrap()));
                for pairs in [Pairs::Auto(&a), Pairs::Cross(&a, &b)] {
                    let job = PairJob::new(pairs, &domain).unwrap();
                    let job = job.with_traversal(Traversal::Cells);
                    let expected = Naive.run(&job, &what, &Silent).unwrap();
                    assert!(tensors.run(&job, &what, &Silent).unwrap() == expected);
                }
            }
        }
    }
    let domain = Domain::Periodic(PeriodicBox::cubic(1.0).unwrap());
    let scatters = [Scatter::Uniform, Scatter::Clustered, Scatter::Lattice];
    let samples = scatters.map(|scatter| suite::particles(&domain, size(200_000), scatter, 14));
    let [a, b, c] = &samples;
    let what = CountSpec::new(RBins::new(Edges::linear(0.0, 0.2, 25).unwrap()));
    for pairs in [
        Pairs::Auto(a),
        Pairs::Auto(b),
        Pairs::Auto(c),
        Pairs::Cross(a, b),
    ] {
        let job = PairJob::new(pairs, &domain).unwrap();
        let [fast, plain] = [Precision::Exact, Precision::Float64]
            .map(|precision| engine(precision).run(&job, &what, &Silent).unwrap());
        assert!(fast == plain);
    }
}

fn float64_counts_are_those_of_the_double_loop() {
    let engine = engine(Precision::Float64);
    suite::every_case(&engine, size(1000), scope());
}

fn many_bins() {
    let engine = engine(Precision::Exact);
    for bins in [1023, 10_000, 30_000, 100_000] {
        suite::many_bins(&engine, size(1500), bins);
    }
    // More than shared memory holds: in windows.
    for bins in [128_000, 300_000] {
        suite::many_bins(&engine, size(2500), bins);
    }
}

fn many_bins_in_two_coordinates() {
    for precision in [Precision::Exact, Precision::Float64] {
        let engine = engine(precision);
        suite::many_bins_in_two_coordinates(&engine, size(1500), 90_000);
    }
}

fn mean_separations() {
    suite::mean_separations(&engine(Precision::Exact), size(3000));
}

fn separations_are_rounded_as_by_the_rule() {
    for seed in 0..20 {
        half_units::are_rounded_as_by_the_rule(&engine(Precision::Exact), size(20_000), seed);
    }
}

fn weights_by_bits() {
    pair_terms::weights_by_bits(&engine(Precision::Exact), size(1500));
    pair_terms::weights_by_bits(&engine(Precision::Float64), size(500));
}

fn weights_by_angles() {
    pair_terms::weights_by_angles(&engine(Precision::Exact), size(1500));
    pair_terms::weights_by_angles(&engine(Precision::Float64), size(500));
}

fn sums_in_one_pass() {
    pair_terms::by_weight_sets(&engine(Precision::Exact), size(800));
    pair_terms::wide_weights(&engine(Precision::Exact), size(800));
    pair_terms::sums_in_one_pass(&engine(Precision::Exact), size(1200));
    pair_terms::sums_in_one_pass(&engine(Precision::Float64), size(500));
}

fn sums_of_expressions() {
    pair_terms::sums_of_expressions(&engine(Precision::Exact), size(1200));
    pair_terms::sums_of_expressions(&engine(Precision::Float64), size(400));
    let shared = AnyEngine::Together(Together::new(Cpu::new(), engine(Precision::Exact)));
    let auto = Auto::new(Cpu::new().with_threads(1).unwrap());
    let auto = auto.with_cuda(engine(Precision::Exact));
    let sample = suite::particles(&Domain::Open, size(20_000), Scatter::Clustered, 21);
    let sample = pair_programs::with_columns(&sample, 22);
    let job = PairJob::new(Pairs::Auto(&sample), &Domain::Open).unwrap();
    let bins = RBins::new(Edges::linear(0.0, 0.3, 20).unwrap());
    for program in [
        pair_programs::velocities(),
        pair_programs::every_operation(),
    ] {
        let what = CountSpec::new(bins.clone()).with_weights();
        let what = what.with_program(program);
        let expected = Cpu::new().run(&job, &what, &Silent).unwrap();
        assert!(shared.run(&job, &what, &Silent).unwrap() == expected);
        let chosen = auto.choose(&job, what.clone()).engine;
        assert!(matches!(chosen, AnyEngine::Cuda(_)));
        assert!(chosen.run(&job, &what, &Silent).unwrap() == expected);
    }
}

/// A survey of a size that fills a device, by 30 words of bits and by angles, with polynomials and means.
fn terms_of_many_points_agree_between_filter_and_float64() {
    let n = size(200_000);
    let sample = suite::particles(&Domain::Open, n, Scatter::Clustered, 15);
    let words = (0..30 * n as u64).map(|k| (k + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15));
    let sample = sample
        .with_bits(Bits::new(words.collect(), 30).unwrap())
        .unwrap();
    let realisations = Realisations::of_words(30);
    let normalisation = PairNormalisation::JointOccurrence;
    let inverse = InverseProbability::new(30, realisations, normalisation).unwrap();
    let angular = AngularWeight::new(vec![0.1, 5.0, 30.0], vec![3.0, 2.0, 1.0]).unwrap();
    let s = Edges::linear(0.0, 0.05, 40).unwrap();
    let mu = SignedEdges::linear(0.0, 1.0, 10).unwrap();
    let bins = SMuBins::new(s, mu, LineOfSight::Midpoint).unwrap();
    let what = CountSpec::new(bins)
        .with_sum(Sum::Product)
        .with_sum(Sum::WeightedSeparation)
        .with_sum(Sum::WeightedLegendre(Legendre::L2))
        .with_pair_weight(PairWeight::from(inverse).with_angular(angular));
    let job = PairJob::new(Pairs::Auto(&sample), &Domain::Open).unwrap();
    let [fast, plain] = [Precision::Exact, Precision::Float64]
        .map(|precision| engine(precision).run(&job, &what, &Silent).unwrap());
    assert!(fast == plain);
    assert!(fast.pairs().iter().sum::<u64>() > 0);
}

fn crowded_cells() {
    let engine = engine(Precision::Exact);
    suite::clustered(&engine, size(2000));
}

fn every_kernel_gives_the_same_integers() {
    for kernel in [
        KernelChoice::Simple,
        KernelChoice::Constant,
        KernelChoice::Shared,
    ] {
        let engine = Cuda::new(CudaOptions {
            kernel,
            ..CudaOptions::default()
        })
        .unwrap();
        suite::clustered(&engine, size(1000));
    }
}

fn a_million_points_agree_between_filter_and_float64() {
    let (fast, plain) = (engine(Precision::Exact), engine(Precision::Float64));
    let domain = Domain::Periodic(PeriodicBox::cubic(1.0).unwrap());
    let n = size(1_000_000);
    let (a, b) = (
        suite::particles(&domain, n, Scatter::Uniform, 11),
        suite::particles(&domain, n, Scatter::Clustered, 12),
    );
    for (reach, bins) in [(0.05, 30), (0.1, 1000)] {
        let binning = RBins::new(Edges::linear(0.0, reach, bins).unwrap());
        for pairs in [Pairs::Auto(&a), Pairs::Cross(&a, &b)] {
            let job = PairJob::new(pairs, &domain).unwrap();
            let what = CountSpec::new(binning.clone()).with_sum(Sum::Product);
            let (x, y) = (
                fast.run(&job, &what, &Silent).unwrap(),
                plain.run(&job, &what, &Silent).unwrap(),
            );
            assert!(x == y, "{reach} {bins}");
            assert!(x.pairs().iter().sum::<u64>() > 0);
        }
    }
}

fn the_approximate_mode_moves_few_pairs() {
    let (fast, exact) = (engine(Precision::Float32), engine(Precision::Exact));
    let domain = Domain::Periodic(PeriodicBox::cubic(1.0).unwrap());
    let a = suite::particles(&domain, 200_000, Scatter::Uniform, 13);
    let job = PairJob::new(Pairs::Auto(&a), &domain)
        .unwrap()
        .with_traversal(Traversal::Cells);
    for edges in [
        Edges::linear(0.0, 0.5, 100),
        Edges::linear(0.0, 0.4, 30),
        Edges::logarithmic(0.01, 0.45, 20),
    ] {
        let what = CountSpec::new(RBins::new(edges.unwrap()));
        let (x, y) = (
            fast.run(&job, &what, &Silent).unwrap(),
            exact.run(&job, &what, &Silent).unwrap(),
        );
        let differences = || {
            let pairs = x.pairs().iter().zip(y.pairs());
            pairs.map(|(&a, &b)| a as i64 - b as i64)
        };
        let moved: i64 = differences().map(i64::abs).sum();
        let net: i64 = differences().sum();
        let total: u64 = y.pairs().iter().sum();
        eprintln!("float32 alone: {total} pairs, {moved} moved, {net:+} in all");
        // Few, and as many out of the bins as into them but for the rounding of the last edge.
        assert!(moved * 100_000 < total as i64, "{moved} of {total}");
        assert!(net.abs() * 5_000_000 < total as i64, "{net} of {total}");
    }
}

fn a_device_that_does_not_exist_is_refused() {
    let result = Cuda::new(CudaOptions {
        devices: vec![99],
        ..CudaOptions::default()
    });
    assert!(matches!(
        result.err(),
        Some(CudaError::NoDriver | CudaError::NoDevice | CudaError::Ordinal { wanted: 99, .. })
    ));
}
