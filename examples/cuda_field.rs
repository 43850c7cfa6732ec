//! Times maps of potentials and random numbers on GPUs: kernel time by the device's clock, and the whole call.
//!
//! `cargo run --release --example cuda_field [FILTER]`. The map is that of Rodrigues et al. 2008 (DOI 10.1145/1366230.1366277): water, 0.0966
//! atoms a cubic Angstrom, cutoff 12, points every half Angstrom; some of its planes are compared with the processor's, bit by bit.
#![allow(clippy::print_stdout, missing_docs, reason = "an example prints")]

#[path = "water/mod.rs"]
mod water;

use std::time::Instant;

use albireo::Domain;
use albireo::engine::cuda::{Cuda, CudaOptions};
use albireo::engine::{Cpu, Silent};
use albireo::random::{Leapfrog, Rand48};
use albireo_fields::{Cutoff, FieldEngine, FieldJob, Precision, Term};
use water::{DENSITY, Failure, points, water};

/// Runs of which the best is printed.
const RUNS: usize = 5;

/// Times one map. Pairs in reach are those that there would be without a surface.
fn map(
    cuda: &Cuda,
    (name, filter): (&str, &str),
    side: f64,
    (term, precision): (&Term, Precision),
) -> Result<(), Failure> {
    let name = format!("{name}, {}", precision.name());
    let term = term.clone();
    if !name.contains(filter) {
        return Ok(());
    }
    let (atoms, charges) = water(side)?;
    let n = (2.0 * side) as usize;
    let job = FieldJob::new(&atoms, &charges, &Domain::Open, term, points(side)?)?;
    let job = job.with_precision(precision)?;
    let planes = 0..n;
    let (mut kernels, mut whole) = (f64::INFINITY, f64::INFINITY);
    let mut sums = None;
    for _ in 0..RUNS {
        let begin = Instant::now();
        sums = Some(cuda.field(&job, planes.clone(), &Silent)?);
        whole = whole.min(begin.elapsed().as_secs_f64());
        kernels = kernels.min(cuda.last_run().0.kernels);
    }
    let sums = sums.ok_or("no run")?;
    let some = n / 2..(n / 2 + 8).min(n);
    let expected = Cpu::new().field(&job, some.clone(), &Silent)?;
    let plane = n * n;
    let same = sums.sums()[some.start * plane..some.end * plane] == *expected.sums();
    if !same {
        return Err(format!("{name}: other sums than the processor's").into());
    }
    let reach = job.term().reach();
    let within = 4.0 / 3.0 * std::f64::consts::PI * reach.powi(3) * DENSITY * (n as f64).powi(3);
    println!(
        "{name:<34} {} atoms, {n}^3 points: {:>9.2} ms kernel {:>9.2} ms call, {:.0} G pairs in reach a second; {} planes are the processor's",
        job.n_sources(),
        kernels * 1e3,
        whole * 1e3,
        within / kernels / 1e9,
        some.len()
    );
    Ok(())
}

fn numbers(cuda: &Cuda, filter: &str) -> Result<(), Failure> {
    const N: usize = 1 << 26;
    for streams in [6144, 32, 1 << 18] {
        let leapfrog = Leapfrog::default().with_streams(streams)?;
        let name = format!("rand48 {streams} streams");
        if !name.contains(filter) {
            continue;
        }
        let (mut integers, mut reals) = (vec![0u32; N], vec![0f64; N]);
        let (mut of_integers, mut of_reals) = (f64::INFINITY, f64::INFINITY);
        for _ in 0..RUNS {
            cuda.lrand48(leapfrog, &mut Rand48::new(1), &mut integers)?;
            of_integers = of_integers.min(cuda.last_run().0.kernels);
            cuda.drand48(leapfrog, &mut Rand48::new(1), &mut reals)?;
            of_reals = of_reals.min(cuda.last_run().0.kernels);
        }
        let mut expected = vec![0; N];
        Leapfrog::default().lrand48(&mut Rand48::new(1), &mut expected)?;
        if integers != expected {
            return Err(format!("{name}: other numbers than the serial ones").into());
        }
        println!(
            "{name:<34} {N} numbers: lrand48 {:.3} ms, {:.0} GB/s; drand48 {:.3} ms, {:.0} GB/s",
            of_integers * 1e3,
            4.0 * N as f64 / of_integers / 1e9,
            of_reals * 1e3,
            8.0 * N as f64 / of_reals / 1e9
        );
    }
    Ok(())
}

fn main() -> Result<(), Failure> {
    let filter = std::env::args().nth(1).unwrap_or_default();
    let cuda = Cuda::new(CudaOptions::default())?;
    for device in cuda.describe_devices()? {
        println!("{device:?}");
    }
    let smooth = Term::coulomb(Cutoff::Smooth(12.0), 0.1)?;
    let cases = [
        ("map 1e6 A^3, smooth", 100.0, &smooth),
        ("map 1e5 A^3, smooth", 46.5, &smooth),
        ("map 5e6 A^3, smooth", 171.0, &smooth),
        (
            "map 1e6 A^3, sharp",
            100.0,
            &Term::coulomb(Cutoff::Sharp(12.0), 0.1)?,
        ),
        ("map 1e6 A^3, Ewald", 100.0, &Term::ewald(0.3, 12.0, 0.1)?),
        ("map 1e6 A^3, spline", 100.0, &Term::spline(12.0)?),
        ("map 1e6 A^3, top hat", 100.0, &Term::top_hat(12.0)?),
    ];
    for (name, side, term) in cases {
        for precision in [Precision::Double, Precision::Single] {
            map(&cuda, (name, &filter), side, (term, precision))?;
        }
    }
    numbers(&cuda, &filter)
}
