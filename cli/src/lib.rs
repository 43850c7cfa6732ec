//! The program `albireo`: exact pair counts, correlation functions and figures, from a terminal.
//!
//! Entry: [`main_with`], which is the program for whoever starts it, and [`main_of_rank`], the same as one of several processes. The terminal, its
//! signals, the log and exit codes are its business; what a command line means and does is in `albireo_measure`.

#![allow(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "exit codes are 0, 1 and 2"
)]
#![forbid(unsafe_code)]

/// The pages whose code is compiled and run with the tests.
#[cfg(doctest)]
#[doc = include_str!("../../docs/extending.md")]
mod extending {}

mod terminal;

use std::ffi::OsString;
use std::io::Write;
use std::process::ExitCode;
use std::rc::Rc;
use std::sync::Arc;
use std::time::Duration;

use albireo_measure::{CallError, Request, Watch, World};
use tracing::level_filters::LevelFilter;

use crate::terminal::Terminal;

/// What the programs take their memory from.
pub use albireo::pages::{LARGE_PAGE, LargePages};

/// Begins the log.
fn start_log(level: LevelFilter) {
    let is_plain = std::env::var_os("NO_COLOR").is_some_and(|value| !value.is_empty())
        || std::env::var_os("TERM").is_some_and(|name| name == "dumb");
    let colours = std::io::IsTerminal::is_terminal(&std::io::stderr()) && !is_plain;
    let log = tracing_subscriber::fmt()
        .with_writer(std::io::stderr)
        // Where nobody reads the log any more, such as in `2>&1 | head`, it ends without a word: the work goes on.
        .log_internal_errors(false)
        .without_time()
        .with_target(false);
    // A program that has a log of its own keeps it.
    let _ = log.with_max_level(level).with_ansi(colours).try_init();
}

/// Runs the program with these arguments, the first being its name, and returns its exit code: 0, 1 after a failure, 2 after a wrong
/// call, 128 and the number of the signal that ended it.
///
/// It takes over Ctrl-C and SIGTERM, and writes to standard output and standard error: once in a process, as its main function would.
///
/// ```
/// use std::process::ExitCode;
/// assert_eq!(albireo_cli::main_with(["albireo", "--version"].map(Into::into)), ExitCode::SUCCESS);
/// ```
pub fn main_with(arguments: impl IntoIterator<Item = OsString>) -> ExitCode {
    main_in(arguments.into_iter().collect(), None)
}

/// Runs the program as [`main_with`] does, as one of the ranks of `world`: the units of its counts are shared out to all of them, rank 0
/// tells and writes. Commands that share nothing out are carried out by rank 0 alone.
///
/// A rank that fails ends all of them, by [`World::abort`] where there are others. To be called from the thread that may speak with other
/// ranks.
pub fn main_of_rank(arguments: Vec<OsString>, world: &Rc<dyn World>) -> ExitCode {
    main_in(arguments, Some(world))
}

/// How long a line takes from a rank to whoever reads it.
const PASSING: Duration = Duration::from_millis(200);
/// How long a rank waits to be ended by the one that tells why.
const BEING_ENDED: Duration = Duration::from_secs(6);

/// The exit code of a failure: 128 and the number of the signal after one (130 after Ctrl-C, 143 after SIGTERM), 2 for a wrong call,
/// 1 for everything else.
fn exit_code(error: &CallError, terminal: &Terminal) -> u8 {
    let of_itself = match error {
        CallError::Wrong(_) => 2,
        CallError::Failed(_) | CallError::Interrupted => 1,
    };
    terminal.exit_code().unwrap_or(of_itself)
}

/// Where an error comes from, for the line that says it: `rank 2 of 8 on NODE: `; nothing of one process alone.
pub fn origin(world: &dyn World) -> String {
    if world.size() == 1 {
        return String::new();
    }
    let node = std::fs::read_to_string("/proc/sys/kernel/hostname").ok();
    let node = node.or_else(|| std::env::var("HOSTNAME").ok());
    let node = node.map_or(String::new(), |name| format!(" on {}", name.trim()));
    format!("rank {} of {}{node}: ", world.rank(), world.size())
}

/// Whether this rank is the one that says why all of them end. Of ranks that fail alike the first one does; one that a signal stops, as
/// all others are sent one when a rank fails, leaves it to that one.
fn is_to_say(world: &dyn World, signalled: bool) -> bool {
    let share = world.rank() as f64 / world.size() as f64;
    let patience = match (world.rank(), signalled) {
        (0, false) => 0.0,
        _ => 1.0 + 3.0 * share,
    };
    world.size() == 1 || world.claim(Duration::from_secs_f64(patience))
}

fn main_in(arguments: Vec<OsString>, world: Option<&Rc<dyn World>>) -> ExitCode {
    let is_first = world.is_none_or(|world| world.rank() == 0);
    #[cfg(feature = "parquet")]
    albireo_catalogs::quiet_decoder_panics();
    let request = match Request::of_words(arguments) {
        Ok(request) => request,
        Err(refusal) => {
            // Help and versions are of this kind too.
            if is_first {
                let _ = refusal.print();
            }
            return ExitCode::from(refusal.exit_code() as u8);
        }
    };
    // Of several processes the first says what goes on.
    start_log(if is_first {
        request.level()
    } else {
        LevelFilter::OFF
    });
    let terminal = Arc::new(Terminal::default());
    let watch: Arc<dyn Watch> = terminal.clone();
    if world.is_some_and(|world| world.size() > 1) {
        terminal.leave_signals_unsaid();
    }
    let listening = terminal.listen();
    let done = listening.map_err(|error| CallError::Failed(error.to_string()));
    let done = done.and_then(|()| match world {
        None => request.run(&watch),
        Some(world) => request.run_as_rank(&watch, world),
    });
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => fail(&error, &terminal, world),
    }
}

/// Says why a command failed, and ends with its exit code: of several ranks one says it, and ends all.
fn fail(error: &CallError, terminal: &Terminal, world: Option<&Rc<dyn World>>) -> ExitCode {
    let code = exit_code(error, terminal);
    let say = |origin: String| {
        let _ = writeln!(std::io::stderr(), "error: {origin}{error}");
    };
    let Some(world) = world else {
        say(String::new());
        return ExitCode::from(code);
    };
    world.leave_node();
    if is_to_say(&**world, terminal.stop_requested()) {
        say(origin(&**world));
        // What starts ranks has to pass the line on before it ends them.
        std::thread::sleep(PASSING);
    } else {
        std::thread::sleep(BEING_ENDED);
    }
    if world.size() > 1 {
        world.abort(code);
    }
    ExitCode::from(code)
}
