//! The command line of albireo: catalogs in, exact pair counts, correlation functions and figures out.
//!
//! Entry: [`main_with`], which is the program `albireo` for whoever starts it, and [`call`], by which another program has a command carried out
//! on samples in its own memory. Flags, the terminal, signals and exit codes are its
//! business; particles come from `albireo_samples`, counts and estimates from `albireo`, pictures from `albireo_figures`.

#![cfg_attr(
    not(test),
    warn(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        clippy::cast_possible_wrap
    )
)]
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

mod angular;
mod angular_nodes;
mod args;
mod bin_text;
mod bins;
mod by_shell;
mod caller;
mod catalogs;
mod checkpoint;
mod commands;
mod counted;
mod counting;
mod cuts;
mod edges;
mod engine;
mod examples;
mod files;
mod inputs;
mod job;
mod kept;
mod named_count;
mod node;
mod output;
mod pair_weights;
mod part_file;
mod paths;
mod place_and_time;
mod planning;
mod reads;
mod record;
mod row_sums;
mod saved;
mod scatter;
mod session;
mod shard;
mod shared;
mod shares;
mod summary;
mod tables;
mod terminal;
mod text;
mod usage;
mod watch;
mod weight_sets;
mod worker;
mod world;

use std::ffi::OsString;
use std::io::Write;
use std::process::ExitCode;
use std::rc::Rc;
use std::sync::Arc;
use std::time::Duration;

use anyhow::Result;
use clap::{CommandFactory, FromArgMatches, Parser, Subcommand};
use tracing::level_filters::LevelFilter;

/// Operations on saved results in memory, as `albireo result` does them on files.
pub mod result {
    pub use crate::commands::result::{NamedTable, Neighbours, Operation, Ranges, operate};
}

/// What the programs take their memory from.
pub use albireo::pages::{LARGE_PAGE, LargePages};
pub use caller::{CallError, Called, Outcome};
use kept::Kept;
use record::Arguments;
use session::Session;
use terminal::Terminal;
pub use watch::{Loss, Steps, Watch};
pub use world::{Guided, NodeMemory, World, WorldError};

/// Exact pair counts and two-point correlation functions, from galaxies to atoms.
///
/// Every count is the integer that a plain float64 double loop gives, whatever the engine, the number of threads or the instruction set.
#[derive(Debug, Parser)]
#[command(
    name = "albireo",
    version,
    propagate_version = true,
    max_term_width = 110
)]
struct Cli {
    #[command(subcommand)]
    command: Command,
    /// Say more on standard error (twice for still more)
    #[arg(short, long, global = true, action = clap::ArgAction::Count)]
    verbose: u8,
    /// Say only what is wrong
    #[arg(short, long, global = true, conflicts_with = "verbose")]
    quiet: bool,
    /// Write over files that are no results of albireo too; its own results are replaced without
    #[arg(long, global = true, help_heading = "Output")]
    overwrite: bool,
}

impl Cli {
    /// The command of a command line, and its words with the files that it reads.
    fn of_words(words: Vec<OsString>) -> Result<(Self, Arguments), clap::Error> {
        let mut program = Self::command();
        let matches = program.try_get_matches_from_mut(&words)?;
        let cli = Self::from_arg_matches(&matches);
        let cli = cli.map_err(|refusal| refusal.format(&mut program))?;
        let arguments = Arguments {
            words,
            reads: reads::read_by(&matches),
            job: None,
        };
        Ok((cli, arguments))
    }
}

/// What to do.
#[derive(Debug, Subcommand)]
enum Command {
    /// Show what a file holds: tables, columns with type and range, attributes
    #[command(after_help = examples::INFO_EXAMPLES)]
    Info(commands::info::Info),
    /// Count pairs
    #[command(after_help = examples::COUNT_EXAMPLES)]
    Count(Box<commands::count::Count>),
    /// Estimate a correlation function: xi(r), xi(s, mu), xi(rp, pi), w(theta), multipoles, wedges
    #[command(after_help = examples::XI_EXAMPLES)]
    Xi(Box<commands::xi::Xi>),
    /// Estimate the projected correlation function wp(rp)
    #[command(after_help = examples::WP_EXAMPLES)]
    Wp(Box<commands::wp::Wp>),
    /// Compute the radial distribution function g(r) and the coordination number n(r) of particles
    #[command(after_help = examples::RDF_EXAMPLES)]
    Rdf(Box<commands::rdf::Rdf>),
    /// Make the result of a command whose pairs were counted in parts (--shard) by several processes or machines
    #[command(after_help = commands::merge::EXAMPLES)]
    Merge(commands::merge::Merge),
    /// Make potentials and densities of particles on a grid or at points
    #[command(after_help = commands::field::EXAMPLES)]
    Field(Box<commands::field::Field>),
    /// Simulate Lennard-Jones fluids: molecular dynamics that can be undone to the last bit
    #[command(after_help = commands::md::EXAMPLES)]
    Md(Box<commands::md::Md>),
    /// Work on saved results: covariance over mocks, caps combined, other bins, sums of counts, window multipoles, integral constraint
    #[command(after_help = examples::RESULT_EXAMPLES)]
    Result(commands::result::SavedResults),
    /// Measure n(z) of a survey; make FKP weights and effective redshifts of it
    #[command(after_help = examples::NZ_EXAMPLES)]
    Nz(Box<commands::nz::Nz>),
    /// Make a random catalogue: in a box, a shell, a window on the sky, or like a survey
    #[command(after_help = examples::RANDOMS_EXAMPLES)]
    Randoms(Box<commands::randoms::Randoms>),
    /// Make the random numbers of drand48, lrand48 or mrand48, from anywhere in their sequence
    #[command(after_help = examples::RANDOM_EXAMPLES)]
    Random(commands::random::Random),
    /// Run a whole analysis from one file, skipping what is done; or make a result again
    #[command(after_help = examples::RUN_EXAMPLES)]
    Run(commands::run::Run),
    /// Draw saved results, several of a kind in common axes
    #[cfg(feature = "plot")]
    #[command(after_help = examples::PLOT_EXAMPLES)]
    Plot(commands::plot::Plot),
    /// List the GPUs here, their memory, driver and compiler; say what is missing, with exit code 1
    #[cfg(feature = "cuda")]
    Devices,
    /// Print the completion script of a shell
    Completions(commands::completions::Completions),
}

/// Begins the log; of several processes the first tells what goes on.
fn start_log(cli: &Cli, is_first: bool) {
    let level = match (cli.quiet, cli.verbose) {
        _ if !is_first => LevelFilter::OFF,
        (true, _) => LevelFilter::ERROR,
        (false, 0) => LevelFilter::INFO,
        (false, 1) => LevelFilter::DEBUG,
        (false, _) => LevelFilter::TRACE,
    };
    let colours = std::io::IsTerminal::is_terminal(&std::io::stderr());
    let log = tracing_subscriber::fmt()
        .with_writer(std::io::stderr)
        .without_time()
        .with_target(false);
    // A program that has a log of its own keeps it.
    let _ = log.with_max_level(level).with_ansi(colours).try_init();
}

/// Does what a command line asks for; a part of it ends with its file.
fn carry_out(cli: Cli, session: &mut Session<'_>) -> Result<()> {
    // Where a job may, all of its measurements may.
    session.sink.overwrite |= cli.overwrite;
    match carry_out_whole(cli.command, session) {
        Err(end) if end.is::<worker::PartWritten>() => Ok(()),
        done => done,
    }
}

fn carry_out_whole(command: Command, session: &mut Session<'_>) -> Result<()> {
    match command {
        Command::Info(info) => info.run(session),
        Command::Count(count) => count.run(session),
        Command::Xi(xi) => xi.run(session),
        Command::Wp(wp) => wp.run(session),
        Command::Rdf(rdf) => rdf.run(session),
        Command::Merge(merge) => merge.run(session),
        Command::Field(field) => field.run(session),
        Command::Md(md) => md.run(session),
        Command::Result(result) => result.run(session),
        Command::Nz(nz) => nz.run(session),
        Command::Randoms(randoms) => randoms.run(session),
        Command::Random(random) => random.run(session),
        Command::Run(run) => run.run(session),
        #[cfg(feature = "plot")]
        Command::Plot(plot) => plot.run(&session.sink),
        #[cfg(feature = "cuda")]
        Command::Devices => commands::devices::run(session),
        Command::Completions(completions) => completions.run(Cli::command(), &session.sink),
    }
}

/// The exit code of a failure: 128 and the number of the signal after one (130 after Ctrl-C, 143 after SIGTERM), 2 for a wrong call,
/// 1 for everything else.
fn exit_code(error: &anyhow::Error, terminal: &Terminal) -> u8 {
    let signalled = terminal.exit_code();
    signalled.unwrap_or(if usage::is_wrong_call(error) { 2 } else { 1 })
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

/// Prints help and versions as they are, and a refusal with what was expected.
fn print_refusal(refusal: &clap::Error) {
    if !refusal.use_stderr() {
        let _ = refusal.print();
        return;
    }
    let colours = std::io::IsTerminal::is_terminal(&std::io::stderr());
    let text = usage::explained(refusal, colours);
    let _ = write!(std::io::stderr(), "{text}");
}

fn main_in(arguments: Vec<OsString>, world: Option<&Rc<dyn World>>) -> ExitCode {
    let is_first = world.is_none_or(|world| world.rank() == 0);
    #[cfg(feature = "parquet")]
    albireo_catalogs::quiet_decoder_panics();
    let (cli, arguments) = match Cli::of_words(arguments) {
        Ok(parsed) => parsed,
        Err(refusal) => {
            // Help and versions are of this kind too.
            if is_first {
                print_refusal(&refusal);
            }
            return ExitCode::from(refusal.exit_code() as u8);
        }
    };
    start_log(&cli, is_first);
    let mut kept = Kept::default();
    let terminal = Arc::new(Terminal::default());
    let mut session = Session::new(&arguments, &mut kept, terminal.clone());
    let done = terminal.listen().and_then(|()| match world {
        None => carry_out(cli, &mut session),
        Some(world) => {
            if world.size() > 1 {
                terminal.leave_signals_unsaid();
            }
            carry_out_as_rank(cli, session, world)
        }
    });
    match (done, world) {
        (Ok(()), _) => ExitCode::SUCCESS,
        (Err(error), world) => {
            let code = exit_code(&error, &terminal);
            if let Some(world) = world {
                world.leave_node();
            }
            if world.is_none_or(|world| world::is_to_tell(&**world, terminal.stop_requested())) {
                let origin = world.map_or(String::new(), |world| world::origin(&**world));
                let words = usage::in_words(&error);
                let _ = writeln!(std::io::stderr(), "error: {origin}{words}");
                // What starts ranks has to pass the line on before it ends them.
                std::thread::sleep(world.map_or(Duration::ZERO, |_| PASSING));
            } else {
                std::thread::sleep(BEING_ENDED);
            }
            match world {
                Some(world) if world.size() > 1 => world.abort(code),
                _ => ExitCode::from(code),
            }
        }
    }
}

/// Whether ranks share a command out among them.
fn is_shared(command: &Command) -> bool {
    use Command::{Count, Rdf, Wp, Xi};
    matches!(command, Count(_) | Xi(_) | Wp(_) | Rdf(_))
}

/// Does what a command line asks for as one of several ranks.
fn carry_out_as_rank(cli: Cli, mut session: Session<'_>, world: &Rc<dyn World>) -> Result<()> {
    world::begin(&**world, &session.arguments.words)?;
    if is_shared(&cli.command) || matches!(cli.command, Command::Run(_)) {
        carry_out(cli, &mut session.within(world))?;
    } else if world.rank() == 0 {
        if world.size() > 1 {
            tracing::warn!("this command shares nothing out: rank 0 carries it out alone");
        }
        carry_out(cli, &mut session)?;
    }
    Ok(world.wait()?)
}

/// Has a command carried out inside the process of `watch`, on this thread and those of the engine: what would be written and printed is
/// handed over. It changes nothing of the process: no signals, no log, no file but those that the command line names.
///
/// ```
/// use std::sync::Arc;
/// use albireo::{Column, random};
/// use albireo_cli::{Called, Steps, Watch, call};
/// use albireo_samples::Given;
///
/// struct Patient;
/// impl Watch for Patient {
///     fn begin(&self, _: &str, _: Steps) {}
///     fn advance(&self, _: u64) {}
///     fn stop_requested(&self) -> bool {
///         false
///     }
/// }
///
/// let points = random::in_box(100, 1, [10.0; 3])?;
/// let columns = ["x", "y", "z"].into_iter().zip(points.columns());
/// let gas = Given::new(columns.map(|(name, column)| (name.to_owned(), column.clone())).collect())?;
/// let line = ["albireo", "count", "gas", "--box", "10", "--bins", "lin:0:5:5"];
/// let called = Called {
///     arguments: line.map(Into::into).into(),
///     given: [("gas".into(), gas)].into(),
///     ..Called::default()
/// };
/// let made = call(called, &(Arc::new(Patient) as Arc<dyn Watch>))?;
/// assert_eq!(made.tables[0].1.rows(), 5);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// [`CallError`]: a call without meaning, a command that failed, or one that `watch` stopped.
pub fn call(called: Called, watch: &Arc<dyn Watch>) -> Result<Outcome, CallError> {
    let Called {
        arguments,
        given,
        kept,
        level,
    } = called;
    let (cli, arguments) = match Cli::of_words(arguments) {
        Ok(parsed) => parsed,
        Err(refusal) if refusal.use_stderr() => {
            return Err(CallError::Wrong(usage::in_a_line(&refusal)));
        }
        Err(asked) => {
            return Ok(Outcome {
                text: asked.to_string(),
                ..Outcome::default()
            });
        }
    };
    let carry = |caller: &Rc<caller::Caller>| {
        let mut kept = Kept::giving(given);
        let mut session = Session::new(&arguments, &mut kept, Arc::clone(watch));
        session.sink.caller = Some(Rc::clone(caller));
        carry_out(cli, &mut session)
    };
    let (done, outcome) = caller::during(watch, kept, level, carry);
    match done {
        Ok(()) => Ok(outcome),
        Err(_) if watch.stop_requested() => Err(CallError::Interrupted),
        Err(error) if usage::is_wrong_call(&error) => {
            Err(CallError::Wrong(usage::in_words(&error)))
        }
        Err(error) => Err(CallError::Failed(usage::in_words(&error))),
    }
}

/// The long names of the flags that a subcommand takes, in the order of its help.
///
/// ```
/// assert!(albireo_cli::flags_of(&["xi"]).contains(&"multipoles".to_owned()));
/// assert!(albireo_cli::flags_of(&["result", "rebin"]).contains(&"by".to_owned()));
/// ```
pub fn flags_of(words: &[&str]) -> Vec<String> {
    let program = Cli::command();
    let command = words
        .iter()
        .try_fold(&program, |command, word| command.find_subcommand(word));
    let flags = command.into_iter().flat_map(clap::Command::get_arguments);
    let everywhere = program
        .get_arguments()
        .filter(|flag| flag.get_id() == "overwrite");
    flags
        .chain(everywhere)
        .filter_map(|flag| flag.get_long())
        .map(str::to_owned)
        .collect()
}
