//! Times the CUDA engine case by case: kernel time by the device's clock, and the whole call.
//!
//! `cargo run --release --example cuda_table [FILTER]`; one line a case: pairs in the job, seconds, pairs a second. `tune [FILTER]` or
//! `cells [FILTER]` time block shapes instead, `devices` one job on more and more devices.
#![allow(clippy::print_stdout, missing_docs, reason = "an example prints")]

use std::time::Instant;

use albireo::engine::cuda::{Cuda, CudaOptions, Precision, Tuning};
use albireo::engine::{Silent, Traversal};
use albireo::tally::{CountSpec, Sum};
use albireo::{
    Axis, Bins, Domain, Edges, Engine, Lattice, LineOfSight, Outside, PairJob, Pairs, Particles,
    PeriodicBox, Points, RBins, RpPiBins, SMuBins, SignedEdges,
};

type Failure = Box<dyn std::error::Error>;

/// `n` uniform positions in a cube of side `side`, with weights near 1: splitmix64 from `seed`.
fn uniform(n: usize, side: f64, seed: u64) -> Result<Particles, Failure> {
    let mut state = seed;
    let mut next = || {
        state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = state;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((z ^ (z >> 31)) >> 11) as f64 / (1u64 << 53) as f64
    };
    let mut column =
        |scale: f64, from: f64| (0..n).map(|_| from + scale * next()).collect::<Vec<f64>>();
    let points = Points::new(column(side, 0.0), column(side, 0.0), column(side, 0.0))?;
    Ok(Particles::weighted(points, column(1.0, 0.5))?)
}

struct Case<'a> {
    name: &'a str,
    precision: Precision,
    domain: &'a Domain,
    traversal: Traversal,
    bins: Bins,
    summed: Summed,
}

/// What is summed in each bin.
#[derive(Clone, Copy, PartialEq)]
enum Summed {
    Counts,
    Weights,
    Separations,
}

/// Runs a case three times and prints the best.
fn time(filter: &str, case: &Case<'_>, pairs: Pairs<'_>) -> Result<(), Failure> {
    if !case.name.contains(filter) {
        return Ok(());
    }
    let engine = Cuda::new(CudaOptions {
        precision: case.precision,
        ..CudaOptions::default()
    })?;
    let job = PairJob::new(pairs, case.domain)?.with_traversal(case.traversal);
    let mut best = [f64::INFINITY; 4];
    let mut counted = 0;
    let start = Instant::now();
    for _ in 0..3 {
        // The slowest cases once.
        if start.elapsed().as_secs() >= 5 {
            break;
        }
        let begin = Instant::now();
        let counts = CountSpec::new(case.bins.clone());
        let what = match case.summed {
            Summed::Counts => counts,
            Summed::Weights => counts.with_sum(Sum::Product),
            Summed::Separations => counts.with_sum(Sum::Separation),
        };
        let tally = engine.run(&job, &what, &Silent)?;
        let whole = begin.elapsed().as_secs_f64();
        let (times, _) = engine.last_run();
        for (best, time) in best
            .iter_mut()
            .zip([times.kernels, whole, times.upload, times.sort])
        {
            *best = best.min(time);
        }
        counted = tally.pairs().iter().sum();
    }
    let [kernels, whole, upload, sort] = best.map(|s| s * 1e3);
    println!(
        "{:<44} {kernels:>10.3} ms kernel {whole:>10.3} ms call ({upload:.2} upload, {sort:.2} sort) {:>9.1} G/s of all pairs {:>9.1} G/s in bins  {}",
        case.name,
        job.n_pairs() as f64 / kernels / 1e6,
        counted as f64 / kernels / 1e6,
        engine.last_run().1
    );
    Ok(())
}

fn full_range(filter: &str) -> Result<(), Failure> {
    let n = 1 << 20;
    let (a, b) = (uniform(n, 1.0, 1)?, uniform(n, 1.0, 2)?);
    let lattice = Lattice::new([[1.0, 0.0, 0.0], [0.3, 1.0, 0.0], [0.2, 0.3, 1.0]])?;
    let triclinic = Domain::Triclinic(lattice.clone());
    let cubic = Domain::Periodic(PeriodicBox::cubic(1.0)?);
    let wrapped = |p: &Particles| triclinic.place(p.clone(), Outside::Wrap);
    let (ta, tb) = (wrapped(&a)?, wrapped(&b)?);
    for (precision, mode) in [(Precision::Float32, "f32"), (Precision::Exact, "exact")] {
        for bins in [30, 1024, 10_000, 50_000, 128_000] {
            let run = |space: &str, domain: &Domain, traversal, reach: f64, pairs| {
                let name = format!("full {space} {bins} bins {mode}");
                let bins = RBins::new(Edges::linear(0.0, reach, bins)?);
                time(
                    filter,
                    &Case {
                        name: &name,
                        precision,
                        domain,
                        traversal,
                        bins: bins.into(),
                        summed: Summed::Counts,
                    },
                    pairs,
                )
            };
            let cross = Pairs::Cross(&a, &b);
            let diagonal = 3f64.sqrt();
            // More bins than fit into shared memory are done in windows of sorted cells.
            if bins <= 50_000 {
                run(
                    "open all",
                    &Domain::Open,
                    Traversal::AllPairs,
                    diagonal,
                    cross,
                )?;
                run(
                    "open cells",
                    &Domain::Open,
                    Traversal::Cells,
                    diagonal,
                    cross,
                )?;
            } else {
                run("open", &Domain::Open, Traversal::Auto, diagonal, cross)?;
            }
            if bins == 50_000 {
                continue;
            }
            if bins < 50_000 {
                run("cubic all", &cubic, Traversal::AllPairs, 0.5, cross)?;
                run("cubic cells", &cubic, Traversal::Cells, 0.5, cross)?;
            } else {
                run("cubic", &cubic, Traversal::Auto, 0.5, cross)?;
            }
            run(
                "triclinic",
                &triclinic,
                Traversal::Cells,
                lattice.reach(),
                Pairs::Cross(&ta, &tb),
            )?;
        }
    }
    let bins = RBins::new(Edges::linear(0.0, 3f64.sqrt(), 10_000)?);
    let case = Case {
        name: "full open 10000 bins f64",
        precision: Precision::Float64,
        domain: &Domain::Open,
        traversal: Traversal::AllPairs,
        bins: bins.into(),
        summed: Summed::Counts,
    };
    time(filter, &case, Pairs::Cross(&a, &b))
}

/// Pairs within reach in a periodic box, in one kind of bins.
fn within(
    [filter, name]: [&str; 2],
    precision: Precision,
    domain: &Domain,
    (bins, summed): (impl Into<Bins>, Summed),
    pairs: Pairs<'_>,
) -> Result<(), Failure> {
    let case = Case {
        name,
        precision,
        domain,
        traversal: Traversal::Auto,
        bins: bins.into(),
        summed,
    };
    time(filter, &case, pairs)
}

fn cutoff(filter: &str) -> Result<(), Failure> {
    let domain = Domain::Periodic(PeriodicBox::cubic(1000.0)?);
    let los = LineOfSight::Fixed(Axis::Z);
    let counts = Summed::Counts;
    for n in [1_000_000, 10_000_000] {
        let a = uniform(n, 1000.0, 3)?;
        let pairs = Pairs::Auto(&a);
        for (precision, mode) in [
            (Precision::Exact, "exact"),
            (Precision::Float32, "f32"),
            (Precision::Float64, "f64"),
        ] {
            if n > 1_000_000 && precision == Precision::Float64 {
                continue;
            }
            for (summed, what) in [(counts, ""), (Summed::Weights, "weighted ")] {
                for reach in [150.0, 25.0] {
                    let name = format!("cutoff n={n} rmax {reach} 30 bins {what}{mode}");
                    let bins = RBins::new(Edges::linear(0.0, reach, 30)?);
                    within([filter, &name], precision, &domain, (bins, summed), pairs)?;
                }
                let name = format!("cutoff n={n} 20 log bins to 150 {what}{mode}");
                let bins = RBins::new(Edges::logarithmic(0.1, 150.0, 20)?);
                within([filter, &name], precision, &domain, (bins, summed), pairs)?;
            }
            if precision == Precision::Exact {
                let name = format!("cutoff n={n} rmax 150 30 bins mean separations");
                let bins = RBins::new(Edges::linear(0.0, 150.0, 30)?);
                let sums = (bins, Summed::Separations);
                within([filter, &name], precision, &domain, sums, pairs)?;
            }
            for (summed, what) in [(counts, "counts"), (Summed::Weights, "weighted")] {
                for reach in [150.0, 25.0] {
                    let name = format!("cutoff n={n} (s,mu) 40x100 to {reach} {what} {mode}");
                    let s = Edges::linear(0.0, reach, 40)?;
                    let bins = SMuBins::new(s, SignedEdges::linear(0.0, 1.0, 100)?, los)?;
                    within([filter, &name], precision, &domain, (bins, summed), pairs)?;
                }
            }
            let name = format!("cutoff n={n} (rp,pi) 20x40 counts {mode}");
            let rp = Edges::logarithmic(0.1, 40.0, 20)?;
            let bins = RpPiBins::new(rp, SignedEdges::linear(0.0, 40.0, 40)?, los)?;
            within([filter, &name], precision, &domain, (bins, counts), pairs)?;
        }
    }
    Ok(())
}

/// One case by every shape given; kernel milliseconds, best of three.
fn sweep(
    [filter, name]: [&str; 2],
    domain: &Domain,
    traversal: Traversal,
    bins: impl Into<Bins>,
    pairs: Pairs<'_>,
    precision: Precision,
    shapes: &[[u32; 4]],
) -> Result<(), Failure> {
    let bins = &bins.into();
    if !name.contains(filter) {
        return Ok(());
    }
    for &[threads, points, tile, cell_particles] in shapes {
        let tuning = Tuning {
            threads,
            points,
            tile,
            cell_particles,
        };
        let engine = Cuda::new(CudaOptions {
            precision,
            tuning,
            ..CudaOptions::default()
        })?;
        let job = PairJob::new(pairs, domain)?.with_traversal(traversal);
        let mut best = f64::INFINITY;
        for _ in 0..3 {
            if let Err(error) = engine.run(&job, &CountSpec::new(bins.clone()), &Silent) {
                println!("{name} T={threads} K={points}: {error}");
                break;
            }
            best = best.min(engine.last_run().0.kernels);
        }
        println!(
            "{name:<36} T={threads:<4} K={points:<2} tile={tile:<3} cell={cell_particles:<3} {:>9.3} ms {:>8.1} G/s  {}",
            best * 1e3,
            job.n_pairs() as f64 / best / 1e9,
            engine.last_run().1
        );
    }
    Ok(())
}

/// Block shapes and cell sizes, to choose the engine's own from.
fn tune(filter: &str) -> Result<(), Failure> {
    let n = 1 << 19;
    let (a, b) = (uniform(n, 1.0, 1)?, uniform(n, 1.0, 2)?);
    for precision in [Precision::Float32, Precision::Exact] {
        for bins in [30, 1024, 10_000] {
            let edges = RBins::new(Edges::linear(0.0, 3f64.sqrt(), bins)?);
            let shapes = [
                [64, 16, 256, 0],
                [128, 8, 256, 0],
                [128, 12, 256, 0],
                [128, 12, 512, 0],
                [128, 16, 128, 0],
                [128, 16, 256, 0],
                [256, 4, 256, 0],
                [256, 8, 128, 0],
                [256, 8, 256, 0],
                [256, 8, 512, 0],
                [256, 12, 256, 0],
                [320, 8, 256, 0],
                [384, 8, 256, 0],
                [256, 16, 256, 0],
                [512, 4, 256, 0],
                [512, 8, 256, 0],
                [512, 8, 512, 0],
                [1024, 4, 256, 0],
            ];
            sweep(
                [filter, &format!("open {bins} {precision:?}")],
                &Domain::Open,
                Traversal::AllPairs,
                &edges,
                Pairs::Cross(&a, &b),
                precision,
                &shapes,
            )?;
        }
    }
    let domain = Domain::Periodic(PeriodicBox::cubic(1000.0)?);
    let a = uniform(1_000_000, 1000.0, 3)?;
    for (reach, cells) in [(150.0, [14, 20, 26, 36]), (25.0, [8, 16, 24, 32])] {
        let edges = RBins::new(Edges::linear(0.0, reach, 30)?);
        for cell in cells {
            let shapes = [
                [64, 8, 64, cell],
                [128, 4, 64, cell],
                [128, 8, 64, cell],
                [128, 8, 128, cell],
                [256, 4, 64, cell],
                [256, 4, 128, cell],
            ];
            sweep(
                [filter, &format!("cutoff {reach}")],
                &domain,
                Traversal::Auto,
                &edges,
                Pairs::Auto(&a),
                Precision::Exact,
                &shapes,
            )?;
        }
    }
    Ok(())
}

/// The same for cells at full range, and for short ranges.
fn tune_cells(filter: &str) -> Result<(), Failure> {
    let domain = Domain::Periodic(PeriodicBox::cubic(1000.0)?);
    let a = uniform(1_000_000, 1000.0, 3)?;
    let shapes = [
        [0, 0, 0, 0],
        [64, 8, 32, 0],
        [64, 5, 32, 0],
        [64, 4, 32, 0],
        [128, 4, 32, 0],
        [64, 4, 16, 0],
        [32, 8, 32, 0],
    ];
    let los = LineOfSight::Fixed(Axis::Z);
    for reach in [25.0, 50.0] {
        let r = RBins::new(Edges::linear(0.0, reach, 30)?);
        let mu = SignedEdges::linear(0.0, 1.0, 100)?;
        let s_mu = SMuBins::new(Edges::linear(0.0, reach, 40)?, mu, los)?;
        let pairs = Pairs::Auto(&a);
        let exact = Precision::Exact;
        let auto = Traversal::Auto;
        let name = format!("r to {reach}");
        sweep([filter, &name], &domain, auto, &r, pairs, exact, &shapes)?;
        let name = format!("(s,mu) to {reach}");
        sweep([filter, &name], &domain, auto, &s_mu, pairs, exact, &shapes)?;
    }
    let n = 1 << 20;
    let (a, b) = (uniform(n, 1.0, 1)?, uniform(n, 1.0, 2)?);
    let cubic = Domain::Periodic(PeriodicBox::cubic(1.0)?);
    for (bins, precision) in [
        (30, Precision::Exact),
        (30, Precision::Float32),
        (10_000, Precision::Exact),
        (10_000, Precision::Float32),
    ] {
        let edges = RBins::new(Edges::linear(0.0, 0.5, bins)?);
        sweep(
            [filter, &format!("cubic cells {bins} {precision:?}")],
            &cubic,
            Traversal::Cells,
            &edges,
            Pairs::Cross(&a, &b),
            precision,
            &[
                [0, 0, 0, 0],
                [64, 8, 64, 0],
                [256, 8, 64, 0],
                [256, 8, 128, 0],
                [256, 16, 128, 0],
            ],
        )?;
    }
    let edges = RBins::new(Edges::linear(0.0, 3f64.sqrt(), 128_000)?);
    for precision in [Precision::Float32, Precision::Exact] {
        sweep(
            [filter, &format!("open 128000 {precision:?}")],
            &Domain::Open,
            Traversal::Auto,
            &edges,
            Pairs::Cross(&a, &b),
            precision,
            &[[0, 0, 0, 0], [1024, 0, 0, 0], [1024, 4, 0, 0]],
        )?;
    }
    Ok(())
}

/// One job on one, two, four and eight of the devices: what each more is worth, host arrays to counts.
fn scaling() -> Result<(), Failure> {
    let n = 1 << 22;
    let (a, b) = (uniform(n, 1.0, 1)?, uniform(n, 1.0, 2)?);
    let pairs = Pairs::Cross(&a, &b);
    let job = PairJob::new(pairs, &Domain::Open)?.with_traversal(Traversal::AllPairs);
    let what = CountSpec::new(RBins::new(Edges::linear(0.0, 3f64.sqrt(), 30)?));
    let available = albireo::engine::cuda::devices()?.len();
    let mut alone = None;
    for used in [1, 2, 4, 8].into_iter().filter(|&used| used <= available) {
        let engine = Cuda::new(CudaOptions {
            devices: (0..used).collect(),
            ..CudaOptions::default()
        })?;
        let mut best = f64::INFINITY;
        for _ in 0..2 {
            let begin = Instant::now();
            let tally = engine.run(&job, &what, &Silent)?;
            best = best.min(begin.elapsed().as_secs_f64());
            assert_eq!(tally.pairs().iter().sum::<u64>(), job.n_pairs());
        }
        let alone = *alone.get_or_insert(best);
        println!(
            "4M x 4M, 30 bins, exact, {used} devices: {best:.3} s, {:.0} G/s, {:.2} times one device",
            job.n_pairs() as f64 / best / 1e9,
            alone / best
        );
    }
    Ok(())
}

fn main() -> Result<(), Failure> {
    let [filter, of_shapes] = [1, 2].map(|k| std::env::args().nth(k).unwrap_or_default());
    match filter.as_str() {
        "tune" => return tune(&of_shapes),
        "cells" => return tune_cells(&of_shapes),
        "devices" => return scaling(),
        _ => {}
    }
    for device in albireo::engine::cuda::devices()? {
        println!(
            "device {}: {}, sm_{}, {} multiprocessors, driver CUDA {}",
            device.number, device.name, device.arch, device.multiprocessors, device.driver
        );
    }
    let begin = Instant::now();
    let engine = Cuda::new(CudaOptions::default())?;
    let a = uniform(1000, 1.0, 1)?;
    let what = CountSpec::new(RBins::new(Edges::linear(0.0, 0.5, 30)?));
    engine.run(
        &PairJob::new(Pairs::Auto(&a), &Domain::Open)?,
        &what,
        &Silent,
    )?;
    println!(
        "start to first result: {:.3} s",
        begin.elapsed().as_secs_f64()
    );
    cutoff(&filter)?;
    full_range(&filter)
}
