//! The compute engine that flags ask for.
//!
//! Entry: [`Opened`], which a session has; [`Who`] is one engine, or the choice among those of this machine.

use std::cell::RefCell;
use std::num::NonZeroUsize;
use std::rc::Rc;

#[cfg(feature = "cuda")]
use albireo::engine::Together;
#[cfg(feature = "cuda")]
use albireo::engine::cuda::Cuda;
#[cfg(feature = "cuda")]
use albireo::engine::cuda::{
    CudaError, CudaOptions, CudaTimings, KernelChoice, Precision, device_count,
};
use albireo::engine::{AnyEngine, Auto, Choice, Cpu, Exactness, Isa};
use albireo::error::EngineError;
use albireo::{CountSpec, Naive, PairJob};
use anyhow::{Context, Result};

use crate::args::{EngineName, RunFlags};
#[cfg(feature = "cuda")]
use crate::args::{KernelName, PrecisionName};
use crate::shard::PieceFlags;
use crate::usage::usage;
use crate::world::World;

/// The compute engine.
#[derive(Debug, Clone)]
pub(crate) enum Who {
    /// The one asked for.
    One(AnyEngine),
    /// The one that should be done first.
    Auto(Auto),
}

/// The engines of a session, by the flags that asked for them: GPUs take long to open, and a command may have many results.
#[derive(Debug, Clone, Default)]
pub(crate) struct Opened(Rc<RefCell<Vec<(RunFlags, Who)>>>);

impl Opened {
    /// The engine of these flags, opened if it is not yet; flags of another engine are refused.
    pub(crate) fn engine(&self, flags: &RunFlags, world: &dyn World) -> Result<Who> {
        check(flags)?;
        // Which part of the counts it makes is nothing to an engine.
        let flags = RunFlags {
            pieces: PieceFlags::default(),
            ..flags.clone()
        };
        let mut opened = self.0.borrow_mut();
        if let Some((_, who)) = opened.iter().find(|(known, _)| *known == flags) {
            return Ok(who.clone());
        }
        let who = Who::of(&flags, world)?;
        opened.push((flags, who.clone()));
        Ok(who)
    }
}

/// The instruction set called `name`.
fn isa(name: &str) -> Result<Isa> {
    let found = Isa::ALL.into_iter().find(|isa| isa.name() == name);
    found.ok_or_else(|| {
        let names = Isa::ALL.map(Isa::name).join(", ");
        usage(format!("--isa {name}: the instruction sets are {names}"))
    })
}

fn cpu(flags: &RunFlags) -> Result<Cpu> {
    cpu_of(flags.threads, flags.isa.as_deref())
}

/// The cpu engine with a number of threads and an instruction set.
pub(crate) fn cpu_of(threads: Option<NonZeroUsize>, name: Option<&str>) -> Result<Cpu> {
    let engine = Cpu::new();
    let engine = match name {
        Some(name) => engine.with_isa(isa(name)?).context("--isa")?,
        None => engine,
    };
    match threads {
        Some(threads) => {
            let engine = engine.with_threads(threads.get());
            engine.map_err(|error| match error {
                EngineError::TooManyThreads { .. } => usage(format!("--threads: {error}")),
                other => anyhow::Error::from(other).context("--threads"),
            })
        }
        None => Ok(engine),
    }
}

/// The GPU of this rank, where several of a node share them out.
#[cfg(feature = "cuda")]
fn of_rank(world: &dyn World) -> Option<Vec<usize>> {
    let [rank, ranks] = world.on_node();
    let found = if ranks > 1 { device_count().ok()? } else { 0 };
    (found > 0).then(|| vec![rank % found])
}

#[cfg(feature = "cuda")]
fn cuda_options(flags: &RunFlags, world: &dyn World) -> CudaOptions {
    let cuda = &flags.cuda;
    CudaOptions {
        devices: cuda
            .devices
            .clone()
            .or_else(|| of_rank(world))
            .unwrap_or_default(),
        precision: match cuda.precision {
            None | Some(PrecisionName::Exact) => Precision::Exact,
            Some(PrecisionName::Double) => Precision::Float64,
            Some(PrecisionName::Single) => Precision::Float32,
        },
        kernel: match cuda.kernel {
            None | Some(KernelName::Auto) => KernelChoice::Auto,
            Some(KernelName::Simple) => KernelChoice::Simple,
            Some(KernelName::Constant) => KernelChoice::Constant,
            Some(KernelName::Shared) => KernelChoice::Shared,
        },
        ..CudaOptions::default()
    }
}

/// The GPUs asked for, which are opened while catalogues are read.
#[cfg(feature = "cuda")]
fn cuda(flags: &RunFlags, world: &dyn World) -> Result<Cuda> {
    asked_for(Cuda::begin(cuda_options(flags, world)))
}

/// GPUs by their numbers, all of them where none is named.
#[cfg(feature = "cuda")]
pub(crate) fn cuda_of(devices: Option<&[usize]>) -> Result<Cuda> {
    asked_for(Cuda::new(CudaOptions {
        devices: devices.unwrap_or_default().to_vec(),
        ..CudaOptions::default()
    }))
}

#[cfg(feature = "cuda")]
fn asked_for(engine: Result<Cuda, CudaError>) -> Result<Cuda> {
    engine.map_err(EngineError::from).context("--engine cuda")
}

/// Seconds that GPUs took, for the log.
#[cfg(feature = "cuda")]
pub(crate) fn told(timings: &[CudaTimings]) -> String {
    let all = |part: fn(&CudaTimings) -> f64| timings.iter().map(part).sum::<f64>() * 1e3;
    let (upload, kernels) = (all(|t| t.upload), all(|t| t.kernels));
    format!("upload {upload:.1} ms, kernels {kernels:.2} ms")
}

/// Refuses flags of another engine than the one asked for.
fn check(flags: &RunFlags) -> Result<()> {
    let cpu_flags = flags.threads.is_some() || flags.isa.is_some();
    match flags.engine {
        EngineName::Naive if cpu_flags => {
            return Err(usage(
                "--engine naive runs one thread without vector instructions: leave out --threads and --isa",
            ));
        }
        #[cfg(feature = "cuda")]
        EngineName::Cuda if cpu_flags => {
            return Err(usage(
                "--threads and --isa are for the cpu engine: leave them out with --engine cuda",
            ));
        }
        _ => {}
    }
    #[cfg(feature = "cuda")]
    {
        let given = &flags.cuda;
        let only_cuda = given.precision.is_some() || given.kernel.is_some();
        let cuda = matches!(flags.engine, EngineName::Cuda | EngineName::Together);
        if only_cuda && !cuda {
            return Err(usage("--precision and --kernel need --engine cuda"));
        }
        if given.devices.is_some() && !cuda && flags.engine != EngineName::Auto {
            return Err(usage("--devices needs --engine cuda or auto"));
        }
    }
    Ok(())
}

impl Who {
    #[cfg_attr(not(feature = "cuda"), allow(unused_variables, reason = "no GPUs"))]
    fn of(flags: &RunFlags, world: &dyn World) -> Result<Self> {
        Ok(match flags.engine {
            EngineName::Naive => Self::One(AnyEngine::Naive(Naive)),
            EngineName::Cpu => Self::One(AnyEngine::Cpu(cpu(flags)?)),
            #[cfg(feature = "cuda")]
            EngineName::Cuda => Self::One(AnyEngine::Cuda(cuda(flags, world)?)),
            #[cfg(feature = "cuda")]
            EngineName::Together => Self::One(AnyEngine::Together(Together::new(
                cpu(flags)?,
                cuda(flags, world)?,
            ))),
            #[cfg(feature = "cuda")]
            EngineName::Auto if flags.cuda.devices.is_some() || of_rank(world).is_some() => {
                // A wrong number is an error even where the cpu would be chosen.
                let cuda = asked_for(Cuda::new(cuda_options(flags, world)))?;
                Self::Auto(Auto::new(cpu(flags)?).with_cuda(cuda))
            }
            EngineName::Auto => Self::Auto(Auto::new(cpu(flags)?)),
        })
    }

    #[cfg_attr(not(feature = "cuda"), allow(unused_variables, reason = "no GPUs"))]
    pub(crate) fn beyond_half(self, flags: &RunFlags, radial: bool) -> Result<Self> {
        Ok(match self {
            #[cfg(feature = "cuda")]
            Self::One(AnyEngine::Cuda(_)) if !radial => {
                tracing::warn!(
                    "--beyond-half: the cpu counts, as GPUs have no kernel for it in these bins"
                );
                Self::One(AnyEngine::Cpu(cpu(flags)?))
            }
            #[cfg(feature = "cuda")]
            Self::One(AnyEngine::Together(_)) => {
                tracing::warn!(
                    "--beyond-half: the cpu counts, as it does not share such bins with GPUs"
                );
                Self::One(AnyEngine::Cpu(cpu(flags)?))
            }
            Self::Auto(_) => Self::One(AnyEngine::Cpu(cpu(flags)?)),
            one @ Self::One(_) => one,
        })
    }

    pub(crate) fn exactness(&self) -> Exactness {
        match self {
            Self::One(engine) => engine.exactness(),
            Self::Auto(_) => Exactness::Exact,
        }
    }

    pub(crate) fn for_jobs(&self, jobs: &[(PairJob<'_>, CountSpec)]) -> AnyEngine {
        match self {
            Self::One(engine) => engine.clone(),
            Self::Auto(_) if jobs.is_empty() => AnyEngine::Naive(Naive),
            Self::Auto(_) => self.or(|auto| auto.choose_for(jobs)),
        }
    }

    /// The one asked for, or the one that is chosen, which is said.
    pub(crate) fn or(&self, choose: impl Fn(&Auto) -> Choice) -> AnyEngine {
        match self {
            Self::One(engine) => engine.clone(),
            Self::Auto(auto) => {
                let choice = choose(auto);
                tracing::info!("engine: {}", choice.reason);
                choice.engine
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use clap::Parser;

    use super::*;
    use crate::args::ComputeFlags;
    use crate::shard::Shard;
    use crate::world::Alone;

    #[derive(Parser)]
    struct Line {
        #[command(flatten)]
        flags: ComputeFlags,
    }

    #[test]
    fn parts_of_a_count_share_an_engine() {
        let (opened, alone) = (Opened::default(), Alone::default());
        let line = |text: &str| Line::parse_from(text.split(' ')).flags.run_flags();
        let part = |index: u32, mut flags: RunFlags| {
            flags.pieces.shard = Some(Shard { index, of: 2 });
            flags
        };
        let one = line("albireo --engine cpu --threads 1");
        for flags in [part(0, one.clone()), part(1, one.clone()), one] {
            opened.engine(&flags, &alone).unwrap();
        }
        assert_eq!(opened.0.borrow().len(), 1);
        let two = line("albireo --engine cpu --threads 2");
        opened.engine(&part(0, two), &alone).unwrap();
        assert_eq!(opened.0.borrow().len(), 2);
    }
}
