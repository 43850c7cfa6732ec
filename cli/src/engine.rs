//! Who counts, by name.
//!
//! Entry: [`choose`].

use albireo::Naive;
use anyhow::Result;

use crate::args::{EngineName, RunFlags};
use crate::usage::usage;

/// The engine of a command.
pub(crate) type Chosen = Naive;

/// The engine that the flags ask for.
pub(crate) fn choose(flags: &RunFlags) -> Result<Chosen> {
    if flags.engine == EngineName::Naive && (flags.threads.is_some() || flags.isa.is_some()) {
        return Err(usage(
            "--engine naive runs one thread without vector instructions: leave out --threads and --isa",
        ));
    }
    Ok(Naive)
}
