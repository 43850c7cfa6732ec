//! The command line of albireo: catalogs in, exact pair counts, correlation functions and figures out.

mod args;
mod bins;
mod columns;
mod commands;
mod counting;
mod engine;
#[cfg(feature = "plot")]
mod figure;
mod files;
mod inputs;
mod output;
mod progress;
mod record;
mod sample;
mod space;
mod tables;
mod usage;

use std::io::Write;
use std::process::ExitCode;

use anyhow::Result;
use clap::{CommandFactory, Parser, Subcommand};
use tracing::level_filters::LevelFilter;

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
    Info(commands::info::Info),
    /// Count pairs
    #[command(after_help = COUNT_EXAMPLES)]
    Count(Box<commands::count::Count>),
    /// Estimate a correlation function: xi(r), xi(s, mu), xi(rp, pi), w(theta), multipoles
    #[command(after_help = XI_EXAMPLES)]
    Xi(Box<commands::xi::Xi>),
    /// Estimate the projected correlation function wp(rp)
    #[command(after_help = WP_EXAMPLES)]
    Wp(Box<commands::wp::Wp>),
    /// Compute the radial distribution function g(r) and the coordination number n(r) of particles
    #[command(after_help = RDF_EXAMPLES)]
    Rdf(Box<commands::rdf::Rdf>),
    /// Draw a saved result
    #[cfg(feature = "plot")]
    Plot(commands::plot::Plot),
    /// List the GPUs here, their memory, driver and compiler, or say what is missing
    #[cfg(feature = "cuda")]
    Devices,
    /// Print the completion script of a shell
    Completions(commands::completions::Completions),
}

const COUNT_EXAMPLES: &str = "Examples:
  albireo count galaxies.h5 --box 420 --bins log:0.1:25:20 -o dd.csv
  albireo count galaxies.fits randoms.parquet --sky RA,DEC --redshift Z --cosmology Planck18 \\
      --statistic s-mu --bins lin:0:150:30 --mu-bins lin:0:1:20 -o dr.ecsv
  albireo count galaxies.fits --statistic theta --bins log:0.01:10:20";

const XI_EXAMPLES: &str = "Examples:
  albireo xi galaxies.h5 --box 420 --bins log:0.1:25:20 -o xi.csv --plot xi.png
  albireo xi galaxies.fits --randoms randoms.fits --sky RA,DEC --redshift Z --cosmology Planck18 \\
      --weight WEIGHT --bins lin:0:150:30 --plot xi.svg --r2
  albireo xi galaxies.h5 --box file --statistic s-mu --bins lin:0:40:20 --mu-bins lin:0:1:20 --multipoles 0,2,4
  albireo count randoms.fits --bins log:0.1:25:20 -o rr.csv    # count RR once ...
  albireo xi galaxies.fits --randoms randoms.fits --rr rr.csv --bins log:0.1:25:20    # ... and use it again";

const WP_EXAMPLES: &str = "Examples:
  albireo wp galaxies.h5 --box 420 --bins log:0.1:20:14 --pi-bins lin:0:40:40 -o wp.csv --plot wp.png
  albireo wp galaxies.fits --randoms randoms.fits --sky RA,DEC --distance DIST \\
      --bins log:0.1:20:14 --pi-bins lin:0:40:40 --counts xi_rp_pi.parquet";

const RDF_EXAMPLES: &str = "Examples:
  albireo rdf liquid.parquet --r-max 10 --n-bins 200 --plot g.png
  albireo rdf water.h5 --where 'frame == 0 && species == \"O\"' --r-max 9 --n-bins 180
  albireo rdf water.h5 --where 'frame == 0 && species == \"O\"' --second-where 'frame == 0 && species == \"H\"' \\
      --r-max 9 --n-bins 180 -o g_OH.csv
  albireo rdf cluster.txt --volume 1.2e5 --r-max 20 --n-bins 100    # open space";

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
    log.with_max_level(level).with_ansi(colours).init();
}

fn run(command: Command) -> Result<()> {
    progress::listen_for_interrupt()?;
    match command {
        Command::Info(info) => info.run(),
        Command::Count(count) => count.run(),
        Command::Xi(xi) => xi.run(),
        Command::Wp(wp) => wp.run(),
        Command::Rdf(rdf) => rdf.run(),
        #[cfg(feature = "plot")]
        Command::Plot(plot) => plot.run(),
        #[cfg(feature = "cuda")]
        Command::Devices => commands::devices::run(),
        Command::Completions(completions) => completions.run(Cli::command()),
    }
}

/// The exit code of a failure: 130 after Ctrl-C, 2 for a wrong call, 1 for everything else.
fn exit_code(error: &anyhow::Error) -> u8 {
    let interrupted = error.chain().any(|cause| {
        matches!(
            cause.downcast_ref(),
            Some(albireo::EngineError::Interrupted)
        )
    });
    if interrupted {
        progress::INTERRUPTED
    } else if error.is::<usage::UsageError>() {
        2
    } else {
        1
    }
}

fn main() -> ExitCode {
    let cli = Cli::parse();
    start_log(&cli);
    match run(cli.command) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            let _ = writeln!(std::io::stderr(), "error: {error:#}");
            ExitCode::from(exit_code(&error))
        }
    }
}
