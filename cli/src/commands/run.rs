//! `albireo run`: a whole analysis from one file, or a result made again.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use albireo_catalogs::Table;
use anyhow::{Context, Result};
use clap::{Args, CommandFactory, Parser};

use crate::Cli;
use crate::inputs::{Call, Kept};
use crate::job::{Job, Measurement};
use crate::progress::check_stop;
use crate::record::command_line;
use crate::usage::usage;

/// Arguments of `run`.
#[derive(Debug, Args)]
pub(crate) struct Run {
    /// A job file (.toml), or a result, whose command is run again
    #[arg(value_name = "JOB|RESULT", required_unless_present = "template")]
    job: Option<PathBuf>,
    /// Print a job file to begin with: it runs on the catalogs that come with albireo
    #[arg(long, conflicts_with_all = ["job", "list", "again"])]
    template: bool,
    /// Print the command lines that the job stands for, and run none of them
    #[arg(long)]
    list: bool,
    /// Measure again what is done already
    #[arg(long)]
    again: bool,
}

/// How many sets of samples wait for a measurement that needs them again.
const SAMPLES_KEPT: usize = 2;

/// The job file that `--template` prints.
const TEMPLATE: &str = include_str!("template.toml");

/// A command line that has been parsed.
struct Parsed {
    made: Measurement,
    cli: Cli,
}

/// The command line as the program itself would take it, refused with its place in the job.
fn parsed(made: Measurement) -> Result<Parsed> {
    match Cli::try_parse_from(&made.arguments) {
        Ok(cli) => Ok(Parsed { made, cli }),
        Err(refusal) => {
            let text = refusal.render().to_string();
            let text = text.trim_start_matches("error: ");
            let words = text.split("\n\n").next().unwrap_or(text).split_whitespace();
            let words = words.collect::<Vec<_>>().join(" ");
            Err(usage(format!(
                "line {}: [{}]: {words}",
                made.line, made.name
            )))
        }
    }
}

/// When a file was last written, if it is there.
fn written(path: &str) -> Option<SystemTime> {
    Path::new(path).metadata().ok()?.modified().ok()
}

/// Whether the files that a measurement writes are there, the first a result of this very command, and none older than a file that it
/// reads.
fn is_done(made: &Measurement) -> bool {
    let Some(first) = made.outputs.first() else {
        return false;
    };
    let times: Option<Vec<_>> = made.outputs.iter().map(|path| written(path)).collect();
    let Some(oldest) = times.and_then(|times| times.into_iter().min()) else {
        return false;
    };
    let mut inputs = made.inputs.iter().filter_map(|path| written(path));
    if inputs.any(|time| time > oldest) {
        return false;
    }
    let command = command_line(&made.arguments);
    let same = |table: &Table| table.meta.get("command").and_then(|c| c.as_str()) == Some(&command);
    Table::read(Path::new(first)).is_ok_and(|table| same(&table))
}

/// The command line that made a result.
fn command_of(path: &Path) -> Result<Measurement> {
    let table = Table::read(path)?;
    let command = table
        .meta
        .get("command")
        .and_then(|command| command.as_str());
    let words = command.and_then(shlex::split);
    let words =
        words.with_context(|| format!("{}: no command stands in its record", path.display()))?;
    Ok(Measurement {
        name: path.display().to_string(),
        line: 1,
        arguments: words.into_iter().map(OsString::from).collect(),
        outputs: vec![],
        inputs: vec![],
    })
}

/// The measurements of a job, or the one that made a result; a job is refused whole before any of them begins.
fn measurements(path: &Path) -> Result<Vec<Parsed>> {
    let is_job = path
        .extension()
        .is_some_and(|name| name.eq_ignore_ascii_case("toml"));
    if !is_job {
        return Ok(vec![parsed(command_of(path)?)?]);
    }
    let text =
        std::fs::read_to_string(path).with_context(|| format!("cannot read {}", path.display()))?;
    let mut program = Cli::command();
    program.build();
    let job = Job::parse(&text, &program);
    let parse = |job: Job| job.measurements.into_iter().map(parsed).collect();
    let all: Result<Vec<Parsed>> = job.and_then(parse);
    all.map_err(|error| usage(format!("{}, {error}", path.display())))
}

impl Run {
    /// Runs what is not done, in order.
    pub(crate) fn run(self) -> Result<()> {
        let Some(path) = self.job.as_deref().filter(|_| !self.template) else {
            return crate::output::print(TEMPLATE);
        };
        let all = measurements(path)?;
        if self.list {
            let lines = all
                .iter()
                .map(|one| command_line(&one.made.arguments) + "\n");
            return crate::output::print(&lines.collect::<String>());
        }
        let number = all.len();
        let mut kept = Kept::of(SAMPLES_KEPT);
        let mut skipped = 0;
        for (k, Parsed { made, cli }) in all.into_iter().enumerate() {
            check_stop()?;
            if !self.again && is_done(&made) {
                tracing::info!("[{}] is done: {}", made.name, made.outputs.join(", "));
                skipped += 1;
                continue;
            }
            tracing::info!("{} of {number}: [{}]", k + 1, made.name);
            let mut call = Call {
                arguments: &made.arguments,
                kept: &mut kept,
            };
            crate::carry_out(cli.command, &mut call).with_context(|| format!("[{}]", made.name))?;
        }
        if skipped > 0 {
            tracing::info!("{skipped} of {number} were done already; --again measures them anew");
        }
        Ok(())
    }
}
