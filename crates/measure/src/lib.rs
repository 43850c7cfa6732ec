//! Measurements: a command line in, exact pair counts, correlation functions and figures out.
//!
//! Entry: [`Request`], a command line that was understood, and [`call`], by which another program has one carried out on samples in its own memory.
//! Who is shown how far it is and may stop it ([`Watch`]), and with which processes ([`World`]), is the caller's: nothing here is global, draws or hears
//! signals. Particles come from `albireo_samples`, counts and estimates from `albireo`, pictures from `albireo_figures`.

#![cfg_attr(
    not(test),
    warn(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        clippy::cast_possible_wrap
    )
)]
#![forbid(unsafe_code)]

mod angular;
mod angular_nodes;
mod args;
mod bin_text;
mod bins;
mod by_class;
mod by_shell;
mod caller;
mod catalogs;
mod checkpoint;
mod commands;
mod compute;
mod counted;
mod counting;
mod cuts;
mod edges;
mod engine;
mod every;
mod examples;
mod files;
mod flag;
mod form_file;
mod group;
mod held_columns;
mod help;
mod inputs;
mod job;
mod join_spec;
mod kept;
#[cfg(feature = "plot")]
mod model_curve;
mod modes;
mod named_count;
mod node;
mod old_names;
mod output;
mod packages;
mod pair_sums;
mod pair_weights;
mod part_file;
mod paths;
mod place_and_time;
mod planning;
mod reads;
mod realised;
mod record;
mod refused;
mod results;
mod row_sums;
mod saved;
mod saved_split;
mod scatter;
mod session;
mod shard;
mod shared;
mod shares;
mod shuffled;
mod strays;
mod summary;
mod synonyms;
mod tables;
mod text;
mod typed;
mod usage;
mod watch;
mod weight_sets;
mod worker;
mod world;

use std::ffi::OsString;
use std::rc::Rc;
use std::sync::Arc;

use anyhow::Result;
use clap::error::ErrorKind;
use clap::{CommandFactory, FromArgMatches, Parser, Subcommand};
use tracing::level_filters::LevelFilter;

use crate::kept::Kept;
use crate::record::Arguments;
use crate::results::Results;
use crate::session::Session;

pub use caller::{CallError, Called, Outcome};
#[cfg(feature = "plot")]
pub use commands::plot::shown;
pub use flag::{Flag, Takes, Values, flags_of, instead_of};
pub use packages::{pycorr_npy, read_result, write_result};
pub use watch::{Loss, Steps, Watch};
pub use world::{Guided, NodeMemory, World, WorldError};

/// Exact pair counts and two-point correlation functions, from galaxies to atoms.
///
/// Every count is the integer that a plain float64 double loop gives, on any engine, with any number of threads and any instruction set.
#[derive(Debug, Parser)]
#[command(
    name = "albireo",
    version,
    propagate_version = true,
    max_term_width = 110
)]
pub(crate) struct Cli {
    #[command(subcommand)]
    pub(crate) command: Command,
    /// More log output on standard error (-v: debug, -vv: trace)
    #[arg(short, long, global = true, action = clap::ArgAction::Count, help_heading = group::GENERAL, display_order = 980)]
    verbose: u8,
    /// Log errors only
    #[arg(short, long, global = true, conflicts_with = "verbose", help_heading = group::GENERAL, display_order = 981, hide_short_help = true)]
    quiet: bool,
    /// Overwrite files that are not results of albireo; its own results are always replaced
    #[arg(long, global = true, help_heading = group::OUTPUT, display_order = 970, hide_short_help = true)]
    overwrite: bool,
}

impl Cli {
    /// The command of a command line, and its words with the files that it reads.
    pub(crate) fn of_words(words: Vec<OsString>) -> Result<(Self, Arguments), clap::Error> {
        let mut program = help::arranged(Self::command());
        let plain = typed::with_plain_numbers(refused::called(&program, &words).0, &words);
        let matches = program.try_get_matches_from_mut(&plain);
        let matches = matches.map_err(|refusal| refused::explained(refusal, &program, &words))?;
        if let Some(strays) = strays::found(&program, &matches) {
            return Err(clap::Error::raw(
                ErrorKind::TooManyValues,
                format!("{strays}\n"),
            ));
        }
        let cli = Self::from_arg_matches(&matches);
        let cli = cli.map_err(|refusal| refused::explained(refusal, &program, &words))?;
        let arguments = Arguments {
            words,
            reads: reads::read_by(&matches),
            absent: reads::absent_of(&matches),
            job: None,
        };
        Ok((cli, arguments))
    }
}

/// What to do.
#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Show what files hold: tables, columns with types and ranges, attributes
    #[command(after_help = examples::INFO_EXAMPLES)]
    Info(commands::info::Info),
    /// Count pairs in bins of separation
    #[command(after_help = examples::COUNT_EXAMPLES)]
    Count(Box<commands::count::Count>),
    /// Estimate a correlation function: xi(r), xi(s, mu), xi(rp, pi), w(theta), multipoles, wedges
    #[command(after_help = examples::XI_EXAMPLES)]
    Xi(Box<commands::xi::Xi>),
    /// Estimate the projected correlation function wp(rp)
    #[command(after_help = examples::WP_EXAMPLES)]
    Wp(Box<commands::wp::Wp>),
    /// Compute the radial distribution function g(r) and the coordination number n(r)
    #[command(after_help = examples::RDF_EXAMPLES)]
    Rdf(Box<commands::rdf::Rdf>),
    /// Merge the parts of a count (--shard), made by several processes or machines, into its result
    #[command(after_help = commands::merge::EXAMPLES)]
    Merge(commands::merge::Merge),
    /// Compute potentials and densities of particles on a grid or at points
    #[command(after_help = commands::field::EXAMPLES)]
    #[command(mut_arg("space", commands::field::with_own_default))]
    Field(Box<commands::field::Field>),
    /// Simulate Lennard-Jones fluids with molecular dynamics that is reversible to the last bit
    #[command(after_help = commands::md::EXAMPLES)]
    Md(Box<commands::md::Md>),
    /// Model the covariance of a correlation function without mocks, from its xi and its randoms
    #[command(after_help = commands::covariance::EXAMPLES)]
    Covariance(Box<commands::covariance::Covariance>),
    /// Work on saved results: covariance over mocks, combined caps, coarser bins, sums of counts, window multipoles, integral constraint
    #[command(after_help = examples::RESULT_EXAMPLES)]
    Result(commands::result::SavedResults),
    /// Measure n(z) of a survey; compute FKP weights and effective redshifts
    #[command(after_help = examples::NZ_EXAMPLES)]
    Nz(Box<commands::nz::Nz>),
    /// Measure the fibre-assignment completeness of a survey, by class of its objects
    #[command(after_help = commands::completeness::EXAMPLES)]
    Completeness(commands::completeness::Completeness),
    /// Make a random catalogue: in a box, a shell, a window on the sky, a mask, or like a survey
    #[command(after_help = examples::RANDOMS_EXAMPLES)]
    Randoms(Box<commands::randoms::Randoms>),
    /// Generate the random numbers of drand48, lrand48 or mrand48, from any place in the sequence
    #[command(after_help = examples::RANDOM_EXAMPLES)]
    Random(commands::random::Random),
    /// Run a whole analysis from one file, skipping what is done; or make a result again
    #[command(after_help = examples::RUN_EXAMPLES)]
    Run(commands::run::Run),
    /// Plot saved results, several of a kind in the same axes
    #[cfg(feature = "plot")]
    #[command(after_help = examples::PLOT_EXAMPLES)]
    Plot(commands::plot::Plot),
    /// Make one page for a browser of saved results: interactive figures, tables, and how they were made
    #[cfg(feature = "plot")]
    #[command(after_help = examples::REPORT_EXAMPLES)]
    Report(commands::report::Report),
    /// List the GPUs with memory, driver and compiler; exit code 1 if something is missing
    #[cfg(feature = "cuda")]
    Devices,
    /// Print the completion script of a shell
    Completions(commands::completions::Completions),
    /// Write the manual pages of all subcommands into a folder
    Man(commands::man::Man),
}

/// A command line that was understood.
///
/// ```
/// use albireo_measure::Request;
/// let line = ["albireo", "count", "gas.csv", "--bins", "lin:0:5:5"];
/// assert!(Request::of_words(line.map(Into::into).into()).is_ok());
/// ```
#[derive(Debug)]
pub struct Request {
    cli: Cli,
    arguments: Arguments,
}

impl Request {
    /// The command of a command line, the name of the program first.
    ///
    /// # Errors
    /// What is wrong with it, in one line; help and versions that were asked for come so too.
    pub fn of_words(words: Vec<OsString>) -> Result<Self, clap::Error> {
        let (cli, arguments) = Cli::of_words(words)?;
        Ok(Self { cli, arguments })
    }

    /// The least level of what is to be said of the work.
    pub fn level(&self) -> LevelFilter {
        match (self.cli.quiet, self.cli.verbose) {
            (true, _) => LevelFilter::ERROR,
            (false, 0) => LevelFilter::INFO,
            (false, 1) => LevelFilter::DEBUG,
            (false, _) => LevelFilter::TRACE,
        }
    }

    /// Does it, by this process.
    ///
    /// # Errors
    /// [`CallError::Wrong`]: a call without meaning; [`CallError::Failed`]: it could not be done, or was stopped.
    pub fn run(self, watch: &Arc<dyn Watch>) -> Result<(), CallError> {
        let mut kept = Kept::default();
        let mut session = Session::new(&self.arguments, &mut kept, Arc::clone(watch));
        carry_out(self.cli, &mut session).map_err(|error| failure(&error))
    }

    /// Does it as one of the ranks of `world`: the units of its counts are shared out to all of them, rank 0 writes. A command that shares nothing out
    /// is carried out by rank 0 alone.
    ///
    /// # Errors
    /// As [`Request::run`]; ranks that cannot be reached, or were called otherwise than rank 0.
    pub fn run_as_rank(
        self,
        watch: &Arc<dyn Watch>,
        world: &Rc<dyn World>,
    ) -> Result<(), CallError> {
        let mut kept = Kept::default();
        let session = Session::new(&self.arguments, &mut kept, Arc::clone(watch));
        carry_out_as_rank(self.cli, session, world).map_err(|error| failure(&error))
    }
}

/// Why a command made nothing.
fn failure(error: &anyhow::Error) -> CallError {
    let words = usage::in_words(error);
    if usage::is_wrong_call(error) {
        CallError::Wrong(words)
    } else {
        CallError::Failed(words)
    }
}

/// Does what a command line asks for; a part of it ends with its file.
pub(crate) fn carry_out(cli: Cli, session: &mut Session<'_>) -> Result<()> {
    for note in old_names::notes(&session.arguments.words) {
        tracing::info!("{note}");
    }
    // Where a job may, all of its measurements may.
    session.sink.overwrite |= cli.overwrite;
    for absent in &session.arguments.absent {
        tracing::warn!("{absent}");
    }
    match cli.command {
        Command::Info(info) => info.run(session),
        Command::Count(count) => count.run(session),
        Command::Xi(xi) => xi.run(session),
        Command::Wp(wp) => wp.run(session),
        Command::Rdf(rdf) => rdf.run(session),
        Command::Merge(merge) => merge.run(session),
        Command::Field(field) => field.run(session),
        Command::Md(md) => md.run(session),
        Command::Covariance(covariance) => covariance.run(session),
        Command::Result(result) => result.run(session),
        Command::Nz(nz) => nz.run(session),
        Command::Completeness(completeness) => completeness.run(session),
        Command::Randoms(randoms) => randoms.run(session),
        Command::Random(random) => random.run(session),
        Command::Run(run) => run.run(session),
        #[cfg(feature = "plot")]
        Command::Plot(plot) => plot.run(&session.sink),
        #[cfg(feature = "plot")]
        Command::Report(report) => report.run(&session.sink),
        #[cfg(feature = "cuda")]
        Command::Devices => commands::devices::run(session),
        Command::Completions(completions) => completions.run(Cli::command(), &session.sink),
        Command::Man(man) => man.run(Cli::command()),
    }
}

/// Whether ranks share a command out among them.
pub(crate) fn is_shared(command: &Command) -> bool {
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
/// use albireo::particles::Column;
/// use albireo::random;
/// use albireo_measure::{Called, Steps, Watch, call};
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
        results,
        kept,
        level,
    } = called;
    let (cli, arguments) = match Cli::of_words(arguments) {
        Ok(parsed) => parsed,
        Err(refusal) if refusal.use_stderr() => {
            return Err(CallError::Wrong(refused::text_of(&refusal)));
        }
        Err(asked) => {
            return Ok(Outcome {
                text: asked.to_string(),
                ..Outcome::default()
            });
        }
    };
    let carry = |caller: &Rc<caller::Caller>| {
        let mut kept = Kept::giving(given, Results::new(results));
        let mut session = Session::new(&arguments, &mut kept, Arc::clone(watch));
        session.sink.caller = Some(Rc::clone(caller));
        carry_out(cli, &mut session)
    };
    let (done, outcome) = caller::during(watch, kept, level, carry);
    match done {
        Ok(()) => Ok(outcome),
        Err(_) if watch.stop_requested() => Err(CallError::Interrupted),
        Err(error) => Err(failure(&error)),
    }
}
