//! The command line of albireo: catalogs in, exact pair counts, correlation functions and figures out.
//!
//! Entry: [`main_with`], which is the program `albireo` for whoever starts it, and [`call`], by which another program has a command carried out
//! on samples in its own memory. Flags, the terminal, signals and exit codes are its
//! business; particles come from `albireo_samples`, counts and estimates from `albireo`, pictures from `albireo_figures`.

#![forbid(unsafe_code)]

/// The pages whose code is compiled and run with the tests.
#[cfg(doctest)]
#[doc = include_str!("../../docs/extending.md")]
mod extending {}

mod angular;
mod angular_nodes;
mod args;
mod bins;
mod by_shell;
mod caller;
mod catalogs;
mod commands;
mod counted;
mod counting;
mod cuts;
mod edges;
mod engine;
mod files;
mod inputs;
mod job;
mod output;
mod pair_weights;
mod part_file;
mod planned;
mod progress;
mod record;
mod scatter;
mod shard;
mod shared;
mod summary;
mod tables;
mod text;
mod usage;
mod weight_sets;
mod worker;

use std::ffi::OsString;
use std::io::Write;
use std::process::ExitCode;

use anyhow::Result;
use clap::{CommandFactory, Parser, Subcommand};
use tracing::level_filters::LevelFilter;

pub use caller::{CallError, Called, Outcome, Watch};
use inputs::{Call, Kept};
use record::Arguments;

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
}

/// What to do.
#[derive(Debug, Subcommand)]
enum Command {
    /// Show what a file holds: tables, columns with type and range, attributes
    #[command(after_help = INFO_EXAMPLES)]
    Info(commands::info::Info),
    /// Count pairs
    #[command(after_help = COUNT_EXAMPLES)]
    Count(Box<commands::count::Count>),
    /// Estimate a correlation function: xi(r), xi(s, mu), xi(rp, pi), w(theta), multipoles, wedges
    #[command(after_help = XI_EXAMPLES)]
    Xi(Box<commands::xi::Xi>),
    /// Estimate the projected correlation function wp(rp)
    #[command(after_help = WP_EXAMPLES)]
    Wp(Box<commands::wp::Wp>),
    /// Compute the radial distribution function g(r) and the coordination number n(r) of particles
    #[command(after_help = RDF_EXAMPLES)]
    Rdf(Box<commands::rdf::Rdf>),
    /// Make the result of a command whose pairs were counted in parts (--shard) by several processes or machines
    #[command(after_help = commands::merge::EXAMPLES)]
    Merge(commands::merge::Merge),
    /// Work on saved results: covariance over mocks, caps combined, other bins, sums of counts, window multipoles, integral constraint
    #[command(after_help = RESULT_EXAMPLES)]
    Result(commands::result::SavedResults),
    /// Measure n(z) of a survey; make FKP weights and effective redshifts of it
    #[command(after_help = NZ_EXAMPLES)]
    Nz(Box<commands::nz::Nz>),
    /// Make a random catalogue: in a box, a shell, a window on the sky, or like a survey
    #[command(after_help = RANDOMS_EXAMPLES)]
    Randoms(Box<commands::randoms::Randoms>),
    /// Make the random numbers of drand48, lrand48 or mrand48, from anywhere in their sequence
    #[command(after_help = RANDOM_EXAMPLES)]
    Random(commands::random::Random),
    /// Run a whole analysis from one file, skipping what is done; or make a result again
    #[command(after_help = RUN_EXAMPLES)]
    Run(commands::run::Run),
    /// Draw saved results, several of a kind in common axes
    #[cfg(feature = "plot")]
    #[command(after_help = PLOT_EXAMPLES)]
    Plot(commands::plot::Plot),
    /// List the GPUs here, their memory, driver and compiler; say what is missing, with exit code 1
    #[cfg(feature = "cuda")]
    Devices,
    /// Print the completion script of a shell
    Completions(commands::completions::Completions),
}

// Lines of at most 78 characters, so that no terminal breaks a command.
const COUNT_EXAMPLES: &str = "Examples, on the catalogs that come with albireo:
  albireo count catalogs/samples/galaxies_box.h5 --bins log:0.1:25:20 \\
      -o dd.csv
  albireo count catalogs/samples/survey_galaxies.fits \\
      catalogs/samples/survey_randoms.parquet --sky RA,DEC --redshift Z \\
      --cosmology Planck18 --statistic s-mu --bins lin:0:60:12 \\
      --mu-bins lin:0:1:20 -o dr.ecsv
  albireo count catalogs/samples/survey_galaxies.fits --statistic theta \\
      --bins log:0.01:10:20

  # Inverse probabilities of pairs (PIP), from the bits of a column
  albireo count catalogs/samples/survey_fibres.parquet --bits BITWEIGHT \\
      --statistic theta --bins log:0.01:1:20 -o pip_dd.csv

  # Without pairs that two fibres cannot both reach
  albireo count catalogs/samples/survey_galaxies.fits \\
      --cosmology Planck18 --bins lin:0:60:12 \\
      --theta-cut 0:0.05";

const XI_EXAMPLES: &str = "Examples, on the catalogs that come with albireo:
  albireo xi catalogs/samples/galaxies_box.h5 --bins log:0.1:25:20 -o xi.csv
  albireo xi catalogs/samples/survey_galaxies.fits \\
      --randoms catalogs/samples/survey_randoms.parquet --sky RA,DEC \\
      --redshift Z --cosmology Planck18 --weight WEIGHT --bins lin:0:60:30
  albireo xi catalogs/samples/galaxies_box.h5 --positions x,y,z_rsd \\
      --statistic s-mu --bins lin:0:40:20 --mu-bins lin:0:1:20 \\
      --multipoles 0,2,4
  albireo xi catalogs/samples/galaxies_box.h5 --positions x,y,z_rsd \\
      --statistic s-mu --bins lin:0:40:20 --mu-bins lin:0:1:30 \\
      --wedges 3
  albireo xi catalogs/samples/galaxies_box.h5 --positions x,y,z_rsd \\
      --statistic s-mu --bins lin:0:20:10 --multipoles 0,2,4 \\
      --poles-from legendre

  # Any estimator, as a formula of normalised counts
  albireo xi catalogs/samples/survey_galaxies.fits \\
      --randoms catalogs/samples/survey_randoms.parquet \\
      --cosmology Planck18 --bins log:1:25:5 --estimator 'DD*RR/DR^2 - 1'

  # Without the pairs less than 1 Mpc/h apart across the line of sight
  albireo xi catalogs/samples/galaxies_box.h5 --bins lin:0:20:10 --rp-cut 0:1

  # Far pairs of the randoms within twenty subsets of them only
  albireo xi catalogs/samples/survey_galaxies.fits \\
      --randoms catalogs/samples/survey_randoms.parquet \\
      --cosmology Planck18 --bins lin:0:60:12 --split-randoms 20 \\
      --split-randoms-above 5

  # Count RR once, use it again
  albireo count catalogs/samples/survey_randoms.parquet \\
      --cosmology Planck18 --bins log:0.1:25:20 -o rr.csv
  albireo xi catalogs/samples/survey_galaxies.fits \\
      --randoms catalogs/samples/survey_randoms.parquet --rr rr.csv \\
      --cosmology Planck18 --bins log:0.1:25:20

  # Fibre collisions: PIP, IIP and angular upweights. First w(theta) of the
  # parent sample and of the observed one, then any statistic with both
  albireo xi catalogs/samples/survey_galaxies.fits --randoms-every 20 \\
      --randoms catalogs/samples/survey_randoms.parquet \\
      --statistic theta --bins log:0.02:2:12 -o w_parent.csv
  albireo xi catalogs/samples/survey_fibres.parquet --randoms-every 20 \\
      --randoms catalogs/samples/survey_randoms.parquet \\
      --statistic theta --bins log:0.02:2:12 --bits BITWEIGHT -o w_fibres.csv
  albireo xi catalogs/samples/survey_fibres.parquet --randoms-every 20 \\
      --randoms catalogs/samples/survey_randoms.parquet \\
      --cosmology Planck18 --bins log:1:15:6 --bits BITWEIGHT \\
      --angular w_parent.csv,w_fibres.csv";

const WP_EXAMPLES: &str = "Examples, on the catalogs that come with albireo:
  albireo wp catalogs/samples/galaxies_box.h5 --positions x,y,z_rsd \\
      --bins log:0.1:20:14 --pi-bins lin:0:40:40 -o wp.csv
  albireo wp catalogs/samples/survey_galaxies.fits \\
      --randoms catalogs/samples/survey_randoms.parquet --sky RA,DEC \\
      --redshift Z --cosmology Planck18 --bins log:0.1:20:14 \\
      --pi-bins lin:0:60:60 --pi-max 40 --counts xi_rp_pi.parquet";

const RDF_EXAMPLES: &str = "Examples, on the catalogs that come with albireo:
  albireo rdf catalogs/samples/liquid_frame.parquet --r-max 5 --n-bins 150
  albireo rdf catalogs/samples/liquid_frame.parquet \\
      --where 'species == \"A\"' --bins lin:0.5:5:90
  albireo rdf catalogs/samples/liquid_frame.parquet \\
      --where 'species == \"A\"' --second-where 'species == \"B\"' \\
      --r-max 5 --n-bins 150 -o g_AB.csv
  albireo rdf catalogs/samples/liquid_frame.parquet --box none \\
      --volume 3333 --r-max 2 --n-bins 50    # open space

  # All partials of a trajectory, as far as the box allows, and S(q)
  albireo rdf catalogs/samples/liquid_trajectory.parquet --r-max half \\
      --n-bins 100 --structure s.csv --q lin:1:21:100 -o partials.csv

  # Some frames, some pairs; groups by conditions, which may share particles
  albireo rdf catalogs/samples/liquid_trajectory.parquet --frames 10::10 \\
      --pairs A-A,A-B --r-max 2.5 --n-bins 50 --block-counts frames.csv
  albireo rdf catalogs/samples/liquid_trajectory.parquet --r-max 2 \\
      --n-bins 40 --select 'B=species == \"B\"' --select 'all=index >= 0' \\
      --pairs B-all";

const RESULT_EXAMPLES: &str = "Examples, on the catalogs that come with albireo:
  albireo xi catalogs/samples/galaxies_box.h5 --rows 0:2500 \\
      --bins log:1:20:2 -o mock_1.csv
  albireo xi catalogs/samples/galaxies_box.h5 --rows 2500:5000 \\
      --bins log:1:20:2 -o mock_2.csv
  albireo xi catalogs/samples/galaxies_box.h5 --rows 5000:7500 \\
      --bins log:1:20:2 -o mock_3.csv
  albireo result covariance 'mock_*.csv' -o cov.csv --mean mean.csv

  # Pair counts in coarser bins, in fewer, and of several samples
  albireo count catalogs/samples/galaxies_box.h5 --rows 0:5000 \\
      --bins lin:0:20:20 -o dd_1.csv
  albireo count catalogs/samples/galaxies_box.h5 --rows 5000:9000 \\
      --bins lin:0:20:20 -o dd_2.csv
  albireo result rebin dd_1.csv --by 4 -o coarse.csv
  albireo result slice dd_1.csv --range 5:10 -o near.csv
  albireo result sum 'dd_*.csv' -o all.csv

  # Two parts of the sky as one, by the regions of both
  albireo xi catalogs/samples/survey_galaxies.fits --where 'DEC >= 20' \\
      --randoms catalogs/samples/survey_randoms.parquet \\
      --randoms-every 50 --cosmology Planck18 --bins lin:0:40:8 \\
      --regions 8 --region-counts north_regions.csv -o north.csv
  albireo xi catalogs/samples/survey_galaxies.fits --where 'DEC < 20' \\
      --randoms catalogs/samples/survey_randoms.parquet \\
      --randoms-every 50 --cosmology Planck18 --bins lin:0:40:8 \\
      --regions 8 --region-counts south_regions.csv -o south.csv
  albireo result combine north.csv south.csv \\
      --by-region north_regions.csv south_regions.csv -o both.csv

  # Bins that adjoin, another total, both signs of pi together
  albireo count catalogs/samples/galaxies_box.h5 --rows 0:5000 \\
      --bins lin:20:40:4 -o far.csv
  albireo result concatenate dd_1.csv far.csv -o joined.csv
  albireo result renormalise dd_1.csv --total-weight 1 -o one.csv
  albireo count catalogs/samples/galaxies_box.h5 --rows 0:5000 \\
      --statistic rp-pi --bins lin:0:20:5 --pi-bins lin:-20:20:20 -o pi.csv
  albireo result wrap pi.csv -o wrapped.csv

  # The window of a survey; w(theta) with its integral constraint
  albireo count catalogs/samples/survey_randoms.parquet --every 20 \\
      --cosmology Planck18 --statistic s-mu --bins lin:0:400:20 \\
      --mu-bins lin:0:1:20 -o rr.csv
  albireo result window rr.csv --multipoles 0,2,4 -o window.csv
  albireo xi catalogs/samples/survey_galaxies.fits --every 10 \\
      --randoms catalogs/samples/survey_randoms.parquet \\
      --randoms-every 20 --statistic theta --bins log:0.1:180:30 -o w.csv
  albireo result integral-constraint w.csv --power-law 0.8 \\
      --fit 0.2:10 -o w_ic.csv";

const RANDOMS_EXAMPLES: &str =
    "A footprint is the HEALPix pixels that hold objects: where a survey ends within a \
pixel, the randoms go on to its border; masks finer than pixels are not seen.

Examples, on the catalogs that come with albireo:
  albireo randoms --number 100000 --seed 1 \\
      --like catalogs/samples/survey_galaxies.fits --sky RA,DEC \\
      --redshift Z --smooth-nz 30 -o survey_like.parquet
  albireo randoms --number 50000 --box 420 -o box.parquet
  albireo randoms --number 50000 --sky-window 150:240,-5:60 -o sky.fits
  albireo randoms --number 50000 --shell 500:1200 -o shell.csv";

const RANDOM_EXAMPLES: &str =
    "The sequence is one: parts of it are no independent streams. Numbers 2^40 apart share \
their low 40 bits, those 2^k apart their low k.

Examples:
  albireo random -n 1000000 --seed 1 -o numbers.parquet
  albireo random -n 10 --seed 1 --function lrand48 --skip 9999999 -o -";

const NZ_EXAMPLES: &str =
    "Volumes are those of shells of the area between comoving distances; weights FKP = \
1/(1 + n(z) P0) (Feldman, Kaiser & Peacock 1994).

Examples, on the catalogs that come with albireo:
  albireo nz catalogs/samples/survey_galaxies.fits --cosmology Planck18 \\
      --area 2946 --bins lin:0.02:0.14:12 -o nz.csv --plot nz.png
  albireo nz catalogs/samples/survey_galaxies.fits --cosmology Planck18 \\
      --nside 32 --randoms catalogs/samples/survey_randoms.parquet \\
      --fkp 10000 --fkp-data galaxies_fkp.parquet \\
      --fkp-randoms randoms_fkp.parquet";

const RUN_EXAMPLES: &str = "Keys of a job are the flags of the subcommands, by their long names.

Examples, on the catalogs that come with albireo:
  albireo run --template > job.toml
  albireo run job.toml
  albireo run wp.csv    # the command that made this result, again";

const INFO_EXAMPLES: &str = "Examples, on the catalogs that come with albireo:
  albireo info catalogs/samples/galaxies_box.h5";

#[cfg(feature = "plot")]
const PLOT_EXAMPLES: &str =
    "Maps of xi(rp, pi) have contours at 1 and 3 times powers of ten, drawn \
through values smoothed over three bins either way.

Examples, on the catalogs that come with albireo:
  albireo wp catalogs/samples/galaxies_box.h5 --bins log:0.1:20:14 \\
      --pi-bins lin:0:40:40 -o real.csv
  albireo wp catalogs/samples/galaxies_box.h5 --positions x,y,z_rsd \\
      --bins log:0.1:20:14 --pi-bins lin:0:40:40 -o redshift.csv
  albireo plot real.csv redshift.csv -o wp.pdf --x-range 0.5:20 \\
      --y-range 1:300";

fn start_log(cli: &Cli) {
    let level = match (cli.quiet, cli.verbose) {
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
fn carry_out(command: Command, call: &mut Call<'_>) -> Result<()> {
    match carry_out_whole(command, call) {
        Err(end) if end.is::<worker::PartWritten>() => Ok(()),
        done => done,
    }
}

fn carry_out_whole(command: Command, call: &mut Call<'_>) -> Result<()> {
    match command {
        Command::Info(info) => {
            let _reading = progress::NothingToKeep::begin();
            info.run()
        }
        Command::Count(count) => count.run(call),
        Command::Xi(xi) => xi.run(call),
        Command::Wp(wp) => wp.run(call),
        Command::Rdf(rdf) => rdf.run(call),
        Command::Merge(merge) => merge.run(call),
        Command::Result(result) => result.run(call.arguments),
        Command::Nz(nz) => nz.run(call),
        Command::Randoms(randoms) => randoms.run(call),
        Command::Random(random) => random.run(call),
        Command::Run(run) => run.run(),
        #[cfg(feature = "plot")]
        Command::Plot(plot) => plot.run(),
        #[cfg(feature = "cuda")]
        Command::Devices => {
            let _asking = progress::NothingToKeep::begin();
            commands::devices::run()
        }
        Command::Completions(completions) => completions.run(Cli::command()),
    }
}

/// The exit code of a failure: 128 and the number of the signal after one (130 after Ctrl-C, 143 after SIGTERM), 2 for a wrong call,
/// 1 for everything else.
fn exit_code(error: &anyhow::Error) -> u8 {
    progress::exit_code().unwrap_or(if usage::is_wrong_call(error) { 2 } else { 1 })
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
    let arguments: Vec<OsString> = arguments.into_iter().collect();
    #[cfg(feature = "parquet")]
    albireo_catalogs::quiet_decoder_panics();
    let cli = match Cli::try_parse_from(&arguments) {
        Ok(cli) => cli,
        Err(refusal) => {
            // Help and versions are of this kind too.
            let _ = refusal.print();
            return ExitCode::from(refusal.exit_code() as u8);
        }
    };
    start_log(&cli);
    let mut call = Call {
        arguments: &Arguments::of(arguments),
        kept: &mut Kept::default(),
    };
    let done = progress::listen_for_signals().and_then(|()| carry_out(cli.command, &mut call));
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            let _ = writeln!(std::io::stderr(), "error: {error:#}");
            ExitCode::from(exit_code(&error))
        }
    }
}

/// Has a command carried out inside the process of `watch`, on this thread and those of the engine: what would be written and printed is
/// handed over. It changes nothing of the process: no signals, no log, no file but those that the command line names.
///
/// ```
/// use std::sync::Arc;
/// use albireo::{Column, random};
/// use albireo_cli::{Called, Watch, call};
/// use albireo_samples::Given;
///
/// struct Patient;
/// impl Watch for Patient {
///     fn begin(&self, _: &str, _: Option<u64>) {}
///     fn advance(&self, _: u64) {}
///     fn say(&self, _: tracing::Level, _: &str) {}
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
pub fn call(called: Called, watch: &std::sync::Arc<dyn Watch>) -> Result<Outcome, CallError> {
    let Called {
        arguments,
        given,
        kept,
        level,
    } = called;
    let cli = match Cli::try_parse_from(&arguments) {
        Ok(cli) => cli,
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
    let carry = || {
        let mut call = Call {
            arguments: &Arguments::of(arguments),
            kept: &mut Kept::giving(given),
        };
        carry_out(cli.command, &mut call)
    };
    let (done, outcome) = caller::during(std::sync::Arc::clone(watch), kept, level, carry);
    match done {
        Ok(()) => Ok(outcome),
        Err(_) if watch.stop_requested() => Err(CallError::Interrupted),
        Err(error) if usage::is_wrong_call(&error) => Err(CallError::Wrong(format!("{error:#}"))),
        Err(error) => Err(CallError::Failed(format!("{error:#}"))),
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
    flags
        .filter_map(|flag| flag.get_long())
        .map(str::to_owned)
        .collect()
}
