//! The program `albireo-mpi`: the command line of albireo, its counts shared out to the ranks of an MPI job.
//!
//! MPI is called from the main thread alone (`MPI_THREAD_FUNNELED`), which does nothing else while others count. Started without `mpirun`
//! it runs as one rank.

#![deny(unsafe_code)]

#[cfg(target_os = "linux")]
#[allow(unsafe_code, reason = "memory is mapped")]
mod node_memory;
mod panics;
mod ranks;

use std::io::Write as _;
use std::process::ExitCode;
use std::rc::Rc;

use albireo_cli::LargePages;
use albireo_measure::World;

#[global_allocator]
static ALLOCATOR: LargePages = LargePages;

fn main() -> ExitCode {
    let ranks = match ranks::Ranks::begin() {
        Ok(ranks) => Rc::new(ranks),
        Err(error) => {
            let _ = writeln!(std::io::stderr(), "error: MPI cannot begin: {error}");
            return ExitCode::FAILURE;
        }
    };
    let world: Rc<dyn World> = ranks.clone();
    panics::tell(&*world);
    let arguments = std::env::args_os().collect();
    let done = panics::caught(|| albireo_cli::main_of_rank(arguments, &world));
    // Unwinding would finalise MPI while other ranks wait for this one.
    done.unwrap_or_else(|| world.abort(1))
}
