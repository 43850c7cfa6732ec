//! Every kernel, compiled by NVRTC: one of fifteen to machine code, which takes most of the time, and the others as far as PTX; all to
//! machine code with `ALBIREO_TEST_FULL`. Without NVRTC its tests are reported as ignored; no device is needed.
#![allow(
    clippy::unwrap_used,
    clippy::print_stderr,
    missing_docs,
    reason = "a failed unwrap is a failed test; a skipped test says so"
)]

mod field_cases;
mod pair_programs;
#[path = "../src/engine/cuda/suite.rs"]
mod suite;
mod trials;

use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::atomic::{AtomicUsize, Ordering};

use albireo::engine::cuda::{CudaError, statements};
use albireo::tally::{CountSpec, Legendre, Sum};
use albireo::{Domain, Edges, LineOfSight, SMuBins, SignedEdges};
use albireo_fields::Precision;
use albireo_fields::devices::field_kernels;
use albireo_gpu::{CompilerDescription, check, compile, compiler, kernel_name};
use albireo_kernels::{
    CovarianceTuples, DynamicsEntry, DynamicsKernel, Kernel, Rand48Function, Variant,
};

fn main() -> ExitCode {
    let missing = compiler().err();
    if let Some(error) = &missing {
        eprintln!("skipped: {error}");
    }
    let tests: [trials::Test; 4] = [
        (
            "sums_per_target_and_random_numbers_compile",
            sums_per_target_and_random_numbers_compile,
        ),
        ("sums_of_expressions_compile", sums_of_expressions_compile),
        (
            "every_kernel_compiles_for_every_device_generation",
            every_kernel_compiles_for_every_device_generation,
        ),
        (
            "an_architecture_that_the_compiler_does_not_know_is_named",
            an_architecture_that_the_compiler_does_not_know_is_named,
        ),
    ];
    trials::run(tests, missing.is_some(), [])
}

/// Compute capabilities that some version of NVRTC knows.
const ARCHS: [u32; 9] = [70, 75, 80, 86, 89, 90, 100, 103, 120];

/// Those that this version knows.
fn known(version: &str) -> Vec<u32> {
    let known = match &version[..2] {
        "11" => 70..=86,
        "12" => 70..=120,
        _ => 75..=120,
    };
    ARCHS
        .into_iter()
        .filter(|arch| known.contains(arch))
        .collect()
}

/// Kernels known to compile: the folder where they are marked, kept between runs.
fn marks() -> PathBuf {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("target/compiled-kernels");
    std::fs::create_dir_all(&folder).unwrap();
    folder
}

/// A kernel, a device generation, and whether machine code is made.
type Job = (Kernel, u32, bool);

/// Compiles a kernel.
fn made((kernel, arch, whole): Job) {
    if whole {
        let code = compile(kernel, arch);
        assert!(code.is_ok(), "{kernel:?}: {code:?}");
        let elf = code.is_ok_and(|code| code.starts_with(b"\x7fELF"));
        assert!(elf, "{kernel:?}");
    } else {
        let checked = check(kernel, arch);
        assert!(checked.is_ok(), "{kernel:?}: {checked:?}");
    }
}

/// Compiles what no earlier run has, on all cores; how many that were.
fn compile_all(jobs: &[Job], version: &str) -> usize {
    let folder = marks();
    let next = AtomicUsize::new(0);
    let work = || {
        let mut compiled = 0;
        while let Some(&job) = jobs.get(next.fetch_add(1, Ordering::Relaxed)) {
            let (kernel, arch, whole) = job;
            let name = kernel_name(kernel, arch);
            let product = if whole { "" } else { ".ptx" };
            let mark = folder.join(format!("{name}.{version}{product}"));
            if !mark.exists() {
                made(job);
                std::fs::write(mark, []).unwrap();
                compiled += 1;
            }
        }
        compiled
    };
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    std::thread::scope(|scope| {
        let threads: Vec<_> = (0..cores).map(|_| scope.spawn(work)).collect();
        threads.into_iter().map(|t| t.join().unwrap()).sum()
    })
}

/// The kernels for particles that move.
fn moving() -> Vec<Kernel> {
    let mut kernels = vec![];
    for (k, entry) in (0..).zip(DynamicsKernel::ENTRIES) {
        // Impulses in half of all combinations; other parts know nothing of them.
        let sources = if entry == DynamicsEntry::Push { 4 } else { 1 };
        for of in [k, k + 3, k + 5, k + 6].into_iter().take(sources) {
            kernels.push(Kernel::Dynamics(DynamicsKernel {
                entry,
                single: of & 1 != 0,
                alike: of & 2 != 0,
                forces_off: of & 4 != 0,
            }));
        }
    }
    kernels
}

/// The kernels for sums per target, random numbers and particles that move.
fn others() -> Vec<Kernel> {
    let mut terms = field_cases::every_term(&Domain::Open, 1.0);
    terms.push(field_cases::lennard_jones(1.0));
    terms.extend(field_cases::every_product(1.0));
    let kernels = |term| {
        let kernels = [Precision::Double, Precision::Single].map(|p| field_kernels(term, p));
        kernels.concat()
    };
    let mut kernels: Vec<Kernel> = terms.iter().flat_map(kernels).collect();
    kernels.extend(
        [
            Rand48Function::Drand48,
            Rand48Function::Lrand48,
            Rand48Function::Mrand48,
        ]
        .map(Kernel::Rand48),
    );
    kernels.extend([CovarianceTuples::Quads, CovarianceTuples::Triples].map(Kernel::Covariance));
    kernels.extend(moving());
    kernels
}

/// The generations that kernel number `k` is compiled for: one, in turn, or all where the whole matrix is asked for; and whether machine
/// code is made.
fn wanted(k: usize, archs: &[u32]) -> (&[u32], bool) {
    if std::env::var_os("ALBIREO_TEST_FULL").is_some() {
        return (archs, true);
    }
    // One further each round, so that no generation gets every kernel of a kind.
    let turn = (k + k / archs.len()) % archs.len();
    (&archs[turn..=turn], k.is_multiple_of(15))
}

fn sums_per_target_and_random_numbers_compile() {
    let CompilerDescription { version, .. } = compiler().unwrap();
    let archs = known(&version);
    let mut jobs: Vec<Job> = Vec::new();
    for (k, &kernel) in others().iter().enumerate() {
        let (archs, machine_code) = wanted(k, &archs);
        jobs.extend(archs.iter().map(|&arch| (kernel, arch, machine_code)));
    }
    let compiled = compile_all(&jobs, &version);
    eprintln!("{} compilations, {compiled} of them now", jobs.len());
}

/// Every fourth kernel that sums terms, with one of a few programs: statements and kernels know little of each other.
fn sums_of_expressions_compile() {
    let CompilerDescription { version, .. } = compiler().unwrap();
    let archs = known(&version);
    let bins = SMuBins::new(
        Edges::linear(0.0, 1.0, 2).unwrap(),
        SignedEdges::linear(-1.0, 1.0, 2).unwrap(),
        LineOfSight::Midpoint,
    );
    let spec = CountSpec::new(bins.unwrap()).with_weights();
    let spec = spec.with_sum(Sum::WeightedLegendre(Legendre::L1));
    let texts = [
        pair_programs::every_operation(),
        pair_programs::velocities(),
        pair_programs::many(),
    ];
    let texts = texts.map(|program| statements(&spec.clone().with_program(program)).unwrap());
    let mut variants = albireo_kernels::every_variant();
    variants.retain(|variant| variant.summed.one_by_one());
    let mut jobs: Vec<Job> = Vec::new();
    for (k, variant) in variants.into_iter().step_by(4).enumerate() {
        let (archs, machine_code) = wanted(k, &archs);
        let sums = texts[k % texts.len()];
        let kernel = Kernel::Count(Variant { sums, ..variant });
        jobs.extend(archs.iter().map(|&arch| (kernel, arch, machine_code)));
    }
    let compiled = compile_all(&jobs, &version);
    eprintln!("{} compilations, {compiled} of them now", jobs.len());
}

fn every_kernel_compiles_for_every_device_generation() {
    let CompilerDescription { version, path } = compiler().unwrap();
    assert!(path.is_file(), "{}", path.display());
    let archs = known(&version);
    let variants = albireo_kernels::every_variant();
    let mut jobs: Vec<Job> = Vec::new();
    let variants: Vec<Kernel> = variants.into_iter().map(Kernel::Count).collect();
    for (k, &kernel) in [&variants[..], &[Kernel::TensorCheck]]
        .concat()
        .iter()
        .enumerate()
    {
        let mut known = archs.clone();
        known.retain(|&arch| arch >= kernel.least_arch());
        let (archs, machine_code) = wanted(k, &known);
        jobs.extend(archs.iter().map(|&arch| (kernel, arch, machine_code)));
    }
    let sort = Kernel::Sort("albireo_sort_count");
    jobs.extend(archs.iter().map(|&arch| (sort, arch, true)));
    let compiled = compile_all(&jobs, &version);
    eprintln!(
        "NVRTC {version}: {} kernels, {} times, {} of these to machine code, of sm_{archs:?}; {compiled} compiled now",
        variants.len() + 2,
        jobs.len(),
        jobs.iter().filter(|(_, _, whole)| *whole).count()
    );
}

fn an_architecture_that_the_compiler_does_not_know_is_named() {
    let error = compile(Kernel::Sort("albireo_sort_count"), 1).err();
    assert!(
        matches!(error, Some(CudaError::Architecture { arch: 1, .. })),
        "{error:?}"
    );
}
