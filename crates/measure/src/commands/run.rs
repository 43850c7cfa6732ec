//! `albireo run`: a whole analysis from one file, or a result made again.

use std::cell::Cell;
use std::ffi::OsString;
use std::path::Path;
use std::rc::Rc;
use std::sync::Arc;
use std::time::SystemTime;

use albireo_catalogs::{Table, read_record};
use anyhow::{Context, Result};
use clap::{Args, CommandFactory, ValueEnum};
use serde_json::{Map, Value, json};

use crate::catalogs::Files;
use crate::group;
use crate::job::{Job, Measurement, NamedFiles, listed, rounds};
use crate::kept::Kept;
use crate::paths::ReadFile;
use crate::record::{Arguments, JobEntry, JobText, command_line};
use crate::refused::text_of;
use crate::session::{Session, Sink};
use crate::usage::usage;
use crate::watch::Watch;
use crate::weight_sets::files_of;
use crate::world::{Alone, World};
use crate::{Cli, carry_out, is_shared};

/// Arguments of `run`.
#[derive(Debug, Args)]
#[command(next_help_heading = group::ACTIONS)]
pub(crate) struct Run {
    /// A job file (.toml), or a result, whose command is run again
    #[arg(value_name = "JOB|RESULT", required_unless_present = "template")]
    job: Option<ReadFile>,
    #[command(flatten)]
    print: PrintFlags,
    /// Measure again what is done already
    #[arg(long)]
    again: bool,
    /// Count nothing: print what each measurement would take on this machine, and all together
    ///
    /// Of measurements that count pairs and are not done.
    #[arg(long, conflicts_with_all = ["list", "show_job", "template"])]
    plan: bool,
}

/// What is printed instead of measuring anything.
#[derive(Debug, Args)]
#[command(next_help_heading = group::ACTIONS)]
struct PrintFlags {
    /// Print a job file to begin with: `samples` runs on the catalogues of albireo, `desi` is for a DESI tracer
    ///
    /// All keys are in it as comments.
    #[arg(long, value_name = "OF", num_args = 0..=1, default_missing_value = "samples", conflicts_with_all = ["job", "list", "again", "show_job"])]
    template: Option<Template>,
    /// Print the command lines of the job, and run none of them
    #[arg(long)]
    list: bool,
    /// Print the job file that a result comes from, as it was then, and run nothing
    #[arg(long, conflicts_with_all = ["list", "again"])]
    show_job: bool,
}

/// What a job file to begin with is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Template {
    /// The catalogues that come with albireo.
    Samples,
    /// A tracer of DESI: both caps, redshift bins, coarser bins.
    Desi,
}

/// How many sets of samples wait for a measurement that needs them again.
const SAMPLES_KEPT: usize = 2;

/// The job files that `--template` prints.
const TEMPLATE: &str = include_str!("template.toml");
const DESI: &str = include_str!("desi.toml");

/// The command line as the program itself would take it now, refused with its place in the job. Patterns in it stand for what they
/// match at this moment.
fn parsed(made: &Measurement) -> Result<(Cli, Arguments)> {
    let brief = made.brief.then(|| OsString::from("--brief"));
    match Cli::of_words(made.arguments.iter().cloned().chain(brief).collect()) {
        Ok(parsed) => Ok(parsed),
        Err(refusal) => {
            let words = text_of(&refusal);
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

/// Whether the files that a measurement writes are there, all that say how they were made by this very command, at least one of them, and none
/// older than a file that it reads.
fn is_done(made: &Measurement) -> bool {
    let outputs: Vec<String> = (made.files.outputs.iter())
        .flat_map(|path| files_of(path, &made.arguments))
        .collect();
    let times: Option<Vec<_>> = outputs.iter().map(|path| written(path)).collect();
    let Some(oldest) = times.and_then(|times| times.into_iter().min()) else {
        return false;
    };
    let inputs = made.files.inputs.iter().flat_map(|path| {
        let Ok(files) = path.parse::<Files>();
        files.paths
    });
    let mut inputs = inputs.filter_map(|path| path.metadata().ok()?.modified().ok());
    if inputs.any(|time| time > oldest) {
        return false;
    }
    let command = command_line(&made.arguments);
    let records = outputs.iter().map(Path::new).map(read_record);
    let records: Vec<_> = records.filter_map(Result::ok).collect();
    if records.is_empty() && !made.shows_results() {
        tracing::info!(
            "[{}] is made again: none of its files says by which command it was made, as tables do and maps in .h5 and .npy: {}",
            made.name,
            outputs.join(", ")
        );
    }
    let same = |record: &Map<String, Value>| record.get("command") == Some(&json!(command));
    !records.is_empty() && records.iter().all(same)
}

/// Flags of what becomes of counts, which cost nothing beside them, each with a value.
const OF_RESULTS: [&str; 11] = [
    "--output",
    "--outputs",
    "--format",
    "--plot",
    "--counts",
    "--covariance",
    "--region-counts",
    "--region-map",
    "--wedges",
    "--wedge-edges",
    "--wedge-bins",
];

/// The command line that tells what a measurement would take, if it counts pairs: without what its result is written to and drawn in.
fn planned(made: &Measurement) -> Option<Measurement> {
    if !["count", "xi", "wp"]
        .iter()
        .any(|name| made.arguments[1] == **name)
    {
        return None;
    }
    let mut words = made.arguments.iter();
    let mut arguments = Vec::new();
    while let Some(word) = words.next() {
        let text = word.to_str().unwrap_or_default();
        let flag = text.split('=').next().unwrap_or_default();
        if OF_RESULTS.contains(&flag) {
            if flag == text {
                words.next();
            }
        } else if !["--r2", "--brief"].contains(&text) {
            arguments.push(word.clone());
        }
    }
    arguments.push("--plan".into());
    Some(Measurement {
        arguments,
        brief: false,
        ..made.clone()
    })
}

/// The first file that a measurement reads and that is not there.
fn missing(made: &Measurement) -> Option<String> {
    let files = made.files.inputs.iter().flat_map(|path| {
        let Ok(files) = path.parse::<Files>();
        files.paths
    });
    let mut files = files.filter(|path| !path.exists());
    Some(files.next()?.display().to_string())
}

/// The command line that made a result.
fn command_of(path: &Path) -> Result<Measurement> {
    let record = read_record(path)?;
    let command = record.get("command").and_then(|command| command.as_str());
    let words = command.and_then(shlex::split);
    let words =
        words.with_context(|| format!("{}: no command stands in its record", path.display()))?;
    Ok(Measurement {
        name: path.display().to_string(),
        line: 1,
        arguments: words.into_iter().map(OsString::from).collect(),
        files: NamedFiles::default(),
        brief: false,
    })
}

/// The job file whose measurement made a result, as it was then.
fn job_of(path: &Path) -> Result<String> {
    let record = read_record(path)?;
    let job = record.get("job").and_then(|job| job.get("text"));
    let text = job.and_then(|text| text.as_str());
    let text = text.with_context(|| format!("{}: it comes from no job file", path.display()))?;
    Ok(text.to_owned())
}

/// What is to be run, and the job file that it stands in.
struct Asked {
    measurements: Vec<Measurement>,
    file: Option<Rc<JobText>>,
}

/// The measurements of a job, or the one that made a result; a job is refused whole before any of them begins.
fn asked(path: &Path) -> Result<Asked> {
    let is_job = path
        .extension()
        .is_some_and(|name| name.eq_ignore_ascii_case("toml"));
    if !is_job {
        let made = command_of(path)?;
        parsed(&made)?;
        return Ok(Asked {
            measurements: vec![made],
            file: None,
        });
    }
    let text =
        std::fs::read_to_string(path).with_context(|| format!("cannot read {}", path.display()))?;
    let mut program = Cli::command();
    program.build();
    let job = Job::parse(&text, &program).and_then(|job| {
        for made in &job.measurements {
            parsed(made)?;
        }
        Ok(job)
    });
    let job = job.map_err(|error| usage(format!("{}, {error}", path.display())))?;
    let path = path.to_owned();
    Ok(Asked {
        measurements: job.measurements,
        file: Some(Rc::new(JobText { path, text })),
    })
}

impl Run {
    /// Runs what is not done, in order.
    pub(crate) fn run(self, session: &Session<'_>) -> Result<()> {
        if self.print.template == Some(Template::Desi) {
            return session.sink.print(DESI);
        }
        let Some(path) = self.job.as_deref() else {
            let mut program = Cli::command();
            program.build();
            let text = TEMPLATE.to_owned() + &listed(&program);
            return session.sink.print(&text);
        };
        if self.print.show_job {
            return session.sink.print(&job_of(path)?);
        }
        let Asked { measurements, file } = asked(path)?;
        if self.print.list {
            let lines = measurements
                .iter()
                .map(|made| command_line(&made.arguments) + "\n");
            return session.sink.print(&lines.collect::<String>());
        }
        let mut running = Running {
            measurements,
            file,
            kept: Kept::of(SAMPLES_KEPT),
            again: self.again,
            watch: Arc::clone(&session.watch),
            sink: session.sink.clone(),
        };
        let world = &session.world;
        if self.plan {
            return if session.is_first() {
                running.plan(world)
            } else {
                Ok(())
            };
        }
        let skipped = if world.size() > 1 {
            running.share_out(world)?
        } else {
            running.one_by_one(world)?
        };
        if skipped > 0 {
            let number = running.measurements.len();
            tracing::info!("{skipped} of {number} were done already; --again measures them anew");
        }
        Ok(())
    }
}

/// The measurements of a job while they are made.
struct Running {
    measurements: Vec<Measurement>,
    file: Option<Rc<JobText>>,
    kept: Kept,
    again: bool,
    watch: Arc<dyn Watch>,
    sink: Sink,
}

impl Running {
    /// Makes them in order; tells how many were done.
    fn one_by_one(&mut self, world: &Rc<dyn World>) -> Result<usize> {
        let mut skipped = 0;
        for k in 0..self.measurements.len() {
            self.watch.check_stop()?;
            let made = &self.measurements[k];
            if !self.again && is_done(made) {
                tracing::info!("[{}] is done: {}", made.name, made.files.outputs.join(", "));
                for path in made.files.outputs.iter().map(Path::new) {
                    if let Ok(table) = Table::read(path) {
                        self.sink.take(&table, None);
                    }
                }
                skipped += 1;
                continue;
            }
            self.make_folders(&self.measurements[k])?;
            self.make(k, world)?;
        }
        Ok(skipped)
    }

    /// Makes those of a round at a time on several ranks: where their catalogues are as many as ranks, each rank makes some of them whole; else all
    /// ranks share out the pairs of one after the other.
    fn share_out(&mut self, world: &Rc<dyn World>) -> Result<usize> {
        let alone = Alone::of_rank(&**world);
        let mut skipped = 0;
        for round in rounds(&self.measurements) {
            // All ranks use the same list, even if one of them finds another.
            let open = |&k: &usize| u64::from(self.again || !is_done(&self.measurements[k]));
            let mut open: Vec<u64> = round.iter().map(open).collect();
            world.max(&mut open)?;
            let round: Vec<usize> = (round.iter().zip(&open))
                .filter_map(|(&k, &open)| (open > 0).then_some(k))
                .collect();
            skipped += open.len() - round.len();
            // What is made of the same catalogue goes to one rank, which reads and sorts it once.
            let catalogs: Vec<_> = (round.iter())
                .map(|&k| self.measurements[k].files.inputs.first())
                .collect();
            let mut distinct = catalogs.clone();
            distinct.sort_unstable();
            distinct.dedup();
            let rank_of = |k: usize| {
                let number = distinct.binary_search(&catalogs[k]).unwrap_or(0);
                number % world.size()
            };
            let whole = distinct.len() >= world.size();
            let ranks: Vec<_> = (0..round.len())
                .map(|k| whole.then(|| rank_of(k)))
                .collect();
            for (&k, rank) in round.iter().zip(ranks) {
                self.watch.check_stop()?;
                self.make_folders(&self.measurements[k])?;
                let shared = is_shared(&parsed(&self.measurements[k])?.0.command);
                match rank.or((!shared).then_some(0)) {
                    None => self.make(k, world)?,
                    Some(rank) if rank == world.rank() => {
                        self.make(k, &alone)?;
                    }
                    Some(_) => {}
                }
            }
            world.wait()?;
        }
        Ok(skipped)
    }

    /// Tells what those that are not done would take; nothing is counted.
    fn plan(&mut self, world: &Rc<dyn World>) -> Result<()> {
        let seconds = Rc::new(Cell::new(0.0));
        self.sink.planned = Some(Rc::clone(&seconds));
        let (number, mut told) = (self.measurements.len(), 0);
        for k in 0..number {
            self.watch.check_stop()?;
            let made = &self.measurements[k];
            if !self.again && is_done(made) {
                continue;
            }
            let name = &made.name;
            let Some(plan) = planned(made) else {
                self.sink.print(&format!("[{name}]: counts no pairs\n"))?;
                continue;
            };
            if let Some(file) = missing(made) {
                let why = format!("[{name}]: not known before {file} is there\n");
                self.sink.print(&why)?;
                continue;
            }
            self.sink.print(&format!("[{name}]\n"))?;
            self.measurements[k] = plan;
            self.make(k, world)?;
            told += 1;
        }
        let all = seconds.get();
        self.sink.print(&format!(
            "{told} of {number} measurements: counting {all:.1} s in all\n"
        ))
    }

    /// Makes the folders of the files that a measurement writes.
    fn make_folders(&self, made: &Measurement) -> Result<()> {
        let outputs = made.files.outputs.iter().map(Path::new);
        for path in outputs.filter(|path| !self.sink.keeps(path)) {
            let folder = path.parent().filter(|folder| !folder.exists());
            if let Some(folder) = folder.filter(|folder| *folder != Path::new("")) {
                let cannot = || {
                    format!(
                        "[{}]: cannot make the folder {}",
                        made.name,
                        folder.display()
                    )
                };
                std::fs::create_dir_all(folder).with_context(cannot)?;
            }
        }
        Ok(())
    }

    fn make(&mut self, k: usize, world: &Rc<dyn World>) -> Result<()> {
        let (made, number) = (&self.measurements[k], self.measurements.len());
        tracing::info!("{} of {number}: [{}]", k + 1, made.name);
        let (cli, arguments) = parsed(made)?;
        let name = made.name.clone();
        let arguments = Arguments {
            words: made.arguments.clone(),
            job: self.file.clone().map(|file| JobEntry { name, file }),
            ..arguments
        };
        let mut session = Session::new(&arguments, &mut self.kept, Arc::clone(&self.watch));
        session.sink = self.sink.clone();
        carry_out(cli, &mut session.within(world)).with_context(|| format!("[{}]", made.name))
    }
}
