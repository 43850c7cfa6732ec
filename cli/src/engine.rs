//! Who counts, by name.
//!
//! Entry: [`choose`].

use albireo::Naive;
use albireo::engine::{AnyEngine, Cpu, Isa};
use anyhow::{Context, Result};

use crate::args::{EngineName, RunFlags};
use crate::usage::usage;

/// The instruction set called `name`.
fn isa(name: &str) -> Result<Isa> {
    let found = Isa::ALL.into_iter().find(|isa| isa.name() == name);
    found.ok_or_else(|| {
        let names = Isa::ALL.map(Isa::name).join(", ");
        usage(format!("--isa {name}: the instruction sets are {names}"))
    })
}

fn cpu(flags: &RunFlags) -> Result<Cpu> {
    let engine = Cpu::new();
    let engine = match &flags.isa {
        Some(name) => engine.with_isa(isa(name)?).context("--isa")?,
        None => engine,
    };
    match flags.threads {
        Some(threads) => engine.with_threads(threads.get()).context("--threads"),
        None => Ok(engine),
    }
}

/// The engine that the flags ask for.
pub(crate) fn choose(flags: &RunFlags) -> Result<AnyEngine> {
    match flags.engine {
        EngineName::Naive if flags.threads.is_some() || flags.isa.is_some() => Err(usage(
            "--engine naive runs one thread without vector instructions: leave out --threads and --isa",
        )),
        EngineName::Naive => Ok(AnyEngine::Naive(Naive)),
        EngineName::Auto | EngineName::Cpu => Ok(AnyEngine::Cpu(cpu(flags)?)),
    }
}
