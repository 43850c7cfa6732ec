//! The standing attack: random cases of everything that decides a count, each engine against the double loop by `==`.
//!
//! `cargo test --release --test attack` runs a fixed seed for a minute. `ALBIREO_ATTACK_SEED`, `ALBIREO_ATTACK_CASES` and
//! `ALBIREO_ATTACK_SECONDS` ask for others; `ALBIREO_ATTACK_CUDA=1` for the same cases on the GPUs of this machine.
#![allow(
    clippy::unwrap_used,
    clippy::print_stderr,
    missing_docs,
    reason = "a failed unwrap is a failed test; a skipped test says so"
)]

#[path = "attack/mod.rs"]
mod attack;

use std::path::Path;
use std::process::ExitCode;
use std::sync::OnceLock;

use albireo::engine::{Cpu, Isa, PreparedJob, Progress, Report, Silent, Sorted};
use albireo::error::EngineError;
use albireo::tally::{CountSpec, Tally, Terms};
use albireo::{Domain, Engine, Naive, Particles};
use attack::campaign::{Campaign, Verdict, verdict};
use attack::case::{Bins, Case};
use attack::draw::Limits;
use attack::independent::Program;
use libtest_mimic::{Arguments, Failed, Trial};

fn main() -> ExitCode {
    let program = Program::compiled(Path::new(env!("CARGO_TARGET_TMPDIR")));
    if let Err(reason) = &program {
        eprintln!("skipped: the double loop in C: {reason}");
    }
    let without_c = program.is_err();
    let _ = PROGRAM.set(program);
    let without_gpu = no_gpu();
    if let Some(reason) = &without_gpu {
        eprintln!("skipped: the attack on GPUs: {reason}");
    }
    let trials = vec![
        Trial::test("cpu_counts_are_those_of_the_double_loop", cpu),
        Trial::test("sums_per_target_are_those_of_the_double_loop", fields),
        Trial::test("trajectories_are_those_of_the_double_loop", trajectories),
        Trial::test(
            "cuda_sums_per_target_are_those_of_the_double_loop",
            cuda_fields,
        )
        .with_ignored_flag(without_gpu.is_some()),
        Trial::test("the_double_loop_is_the_one_in_c", independent).with_ignored_flag(without_c),
        Trial::test("cuda_counts_are_those_of_the_double_loop", cuda)
            .with_ignored_flag(without_gpu.is_some()),
        Trial::test("cuda_counts_of_large_samples_are_the_processors", large)
            .with_ignored_flag(without_gpu.is_some()),
        Trial::test("a_wrong_engine_is_found_and_shrunk_to_two_points", wrong),
    ];
    libtest_mimic::run(&Arguments::from_args(), trials).exit_code()
}

/// Reports a campaign, or fails with its difference.
fn finish(campaign: &Campaign, judge: &(dyn Fn(&Case) -> Verdict + Sync)) -> Result<(), Failed> {
    let report = campaign.run(judge)?;
    eprintln!("{report}");
    report.check()?;
    Ok(())
}

/// Every instruction set of this machine, with one to three threads.
fn engines() -> &'static [Cpu] {
    static ENGINES: OnceLock<Vec<Cpu>> = OnceLock::new();
    ENGINES.get_or_init(|| {
        let threads = [1, 2, 3].map(|n| Cpu::new().with_threads(n).unwrap());
        let isas = Isa::available().into_iter();
        isas.flat_map(|isa| threads.clone().map(|cpu| cpu.with_isa(isa).unwrap()))
            .collect()
    })
}

fn cpu() -> Result<(), Failed> {
    finish(&Campaign::new(Limits::FAST, 1_000_000, 60.0), &|case| {
        verdict(case, |expected| {
            // Each instruction set, the number of threads in turn.
            let turn = case.n_points() + case.classes.len();
            let engines = engines().chunks(3);
            engines
                .enumerate()
                .find_map(|(k, same)| expected.differs(&same[(turn + k) % 3]))
        })
    })
}

fn fields() -> Result<(), Failed> {
    let isas = Isa::available().into_iter().enumerate();
    let engines = isas.map(|(k, isa)| {
        let cpu = Cpu::new().with_isa(isa)?;
        cpu.with_threads(1 + k % 2)
    });
    let engines: Vec<Cpu> = engines.collect::<Result<_, _>>()?;
    let variants = Cpu::new().with_threads(2)?;
    let mut makers = vec![];
    for cpu in &engines {
        makers.push(attack::fields::made_by(format!("{cpu:?}"), cpu));
    }
    makers.push(attack::fields::by_variants(&variants));
    eprintln!("{}", attack::fields::attack(&makers, 1_000_000, 6.0)?);
    Ok(())
}

fn trajectories() -> Result<(), Failed> {
    eprintln!("{}", attack::dynamics::attack(1_000_000, 2.0)?);
    Ok(())
}

#[cfg(not(feature = "cuda"))]
fn cuda_fields() -> Result<(), Failed> {
    Err("built without CUDA".into())
}

#[cfg(feature = "cuda")]
fn cuda_fields() -> Result<(), Failed> {
    use albireo_fields::{FieldEngine, FieldVariant};
    let [gpu, _] = gpus().as_ref()?;
    let makers = [
        attack::fields::made_by("cuda".to_owned(), gpu),
        attack::fields::by_variants_of("variants on cuda", move |variant, job, planes| {
            let on_cpu = variant == FieldVariant::Cylinder;
            let sums = (!on_cpu).then(|| gpu.field_by_variant(variant, job, planes, &Silent));
            sums.transpose()
        }),
    ];
    eprintln!("{}", attack::fields::attack(&makers, 20_000, 60.0)?);
    Ok(())
}

static PROGRAM: OnceLock<Result<Program, String>> = OnceLock::new();

fn independent() -> Result<(), Failed> {
    let Some(Ok(program)) = PROGRAM.get() else {
        return Err("the program was not compiled".into());
    };
    let limits = Limits {
        points: 100,
        work: 4e5,
        bins: 300,
    };
    finish(&Campaign::new(limits, 3000, 20.0), &|case| {
        verdict(case, |expected| {
            let built = expected.built()?;
            let besides = !case.besides.cuts.is_empty()
                || case.besides.weighs_pairs()
                || !case.besides.sets.is_empty()
                || case.besides.program.is_some()
                || case.besides.realisations.is_some();
            let unknown = matches!(case.bins, Bins::Cut(..))
                || case.summed.is_new()
                || besides
                || case.beyond_half;
            if unknown || expected.outcome.is_err() {
                return None;
            }
            let mut found = program.tallies(&[(case, built)]).swap_remove(0);
            if matches!(case.bins, Bins::Theta(_)) {
                // The mean of an angle needs an arcsine, which C libraries round otherwise.
                let theirs = expected.outcome.as_ref().ok()?;
                let sums = (0..found.n_sums())
                    .map(|at| if at == 1 { theirs } else { &found }.sum(at).to_vec());
                found = Tally::of_one_table(found.pairs().to_vec(), sums.collect());
            }
            expected
                .difference(&Ok(found))
                .map(|what| format!("double_loop.c: {what}"))
        })
    })
}

/// Why the attack does not run on GPUs.
fn no_gpu() -> Option<String> {
    if std::env::var_os("ALBIREO_ATTACK_CUDA").is_none() {
        return Some("ALBIREO_ATTACK_CUDA does not ask for it".into());
    }
    #[cfg(feature = "cuda")]
    return gpus().as_ref().err().cloned();
    #[cfg(not(feature = "cuda"))]
    return Some("built without CUDA".into());
}

/// The GPUs of this machine, and the same with tensor cores for the smallest samples too.
#[cfg(feature = "cuda")]
fn gpus() -> &'static Result<[albireo::engine::cuda::Cuda; 2], String> {
    use albireo::engine::cuda::{Cuda, CudaOptions};
    static GPUS: OnceLock<Result<[Cuda; 2], String>> = OnceLock::new();
    GPUS.get_or_init(|| {
        let mut asked = CudaOptions::default();
        asked.tuning.tile = 64;
        let gpu = |options| Cuda::new(options).map_err(|error| error.to_string());
        Ok([gpu(CudaOptions::default())?, gpu(asked)?])
    })
}

#[cfg(not(feature = "cuda"))]
fn large() -> Result<(), Failed> {
    Err("built without CUDA".into())
}

#[cfg(feature = "cuda")]
fn large() -> Result<(), Failed> {
    let [gpu, _] = gpus().as_ref()?;
    eprintln!("{}", attack::large::attack(gpu, 2000, 60.0)?);
    Ok(())
}

#[cfg(not(feature = "cuda"))]
fn cuda() -> Result<(), Failed> {
    Err("built without CUDA".into())
}

#[cfg(feature = "cuda")]
fn cuda() -> Result<(), Failed> {
    let [gpu, tensors] = gpus().as_ref()?;
    let campaign = Campaign::new(Limits::FAST, 2000, 540.0).on_one_thread();
    finish(&campaign, &|case| {
        verdict(case, |expected| {
            // Beyond half the box the processor counts, bins of any crate too.
            if case.is_unsupported() && !case.reaches_beyond() {
                return expected.counts_unsupported(gpu);
            }
            if case.besides.cuts.is_empty() {
                return expected.differs(gpu).or_else(|| {
                    let counted = !case.is_unsupported();
                    counted.then(|| expected.differs(tensors)).flatten()
                });
            }
            // Cuts whose pairs cannot be found without looking at all of them are refused.
            expected.differs_where_counted(gpu)
        })
    })
}

/// The double loop with the rows of each pair given wrongly once: pairs of neighbouring rows count twice.
struct Wrong;

impl Engine for Wrong {
    fn sort(
        &self,
        sample: &Particles,
        domain: &Domain,
        progress: &dyn Progress,
    ) -> Result<Sorted, EngineError> {
        Naive.sort(sample, domain, progress)
    }

    fn tally(
        &self,
        job: &PreparedJob<'_>,
        what: &CountSpec,
        progress: &dyn Progress,
    ) -> Result<(Tally, Report), EngineError> {
        let (mut tally, report) = Naive.tally(job, what, progress)?;
        let job = job.job();
        let (first, second) = job.pairs().both();
        if !first.is_empty() && !second.is_empty() {
            let last = [first.len() - 1, second.len() - 1];
            let (x1, x2) = (first.points().at(0), second.points().at(last[1]));
            let sep = job.domain().separation(x1, x2);
            if sep.r2 > 0.0 {
                Terms::new(what, job.pairs())?.add(&mut tally, [0, last[1]], &sep);
            }
        }
        Ok((tally, report))
    }

    fn description(&self) -> String {
        "wrong".to_owned()
    }
}

fn wrong() -> Result<(), Failed> {
    let campaign = Campaign::new(Limits::SLOW, 1000, 60.0);
    let judge = |case: &Case| verdict(case, |expected| expected.differs(&Wrong));
    match campaign.run(&judge) {
        Ok(_) => Err("not found".into()),
        Err(told) if told.contains("shrunk to 2 points") && told.contains("fn shrunk_case") => {
            Ok(())
        }
        Err(told) => Err(format!("not shrunk: {told}").into()),
    }
}
