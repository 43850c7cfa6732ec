//! Who makes the counts of a command, and which part of them.
//!
//! Entry: [`Works`], from the flags, and [`Worker`], an engine that counts all units, those that it is handed of them (`shares`), or takes
//! them from the files of parts.

use std::cell::{Cell, RefCell};
use std::ops::Range;
use std::path::PathBuf;
use std::rc::Rc;
use std::time::Instant;

use albireo::counts::JobId;
use albireo::engine::{AnyEngine, Engine, Exactness, PreparedJob, Progress, Report, Sorted};
use albireo::error::{EngineError, JobError};
use albireo::{CountSpec, Domain, PairJob, Pairs, Particles, Tally};
use albireo_catalogs::sha256_of_bytes;
use anyhow::{Result, bail};
use clap::{Arg, Command, CommandFactory};
use serde_json::{Value, json};

use crate::Cli;
use crate::bin_text::BinText;
use crate::checkpoint::CheckpointFlags;
use crate::counted::fingerprint;
use crate::group;
use crate::part_file::{CountPart, Identity, MergedCount, PartFile, merged};
use crate::paths::ReadFile;
use crate::planning::{self, Planning};
use crate::record::Arguments;
use crate::session::{Session, Sink};
use crate::shard::{PieceFlags, Shard};
use crate::shares::{Share, Shares};
use crate::usage::{in_words, usage};

/// Counts that come from the files of parts.
#[derive(Debug)]
struct Given {
    files: Vec<PathBuf>,
    counts: Vec<MergedCount>,
    taken: Cell<usize>,
}

/// Which units of its counts a command makes.
enum Work {
    /// All of them, at once.
    Whole,
    /// Those of a part, or all, shared out or with checkpoints between them.
    Shares(Box<Shares>),
    /// None: parts hold them.
    Given(Given),
    /// None: what they would take is printed.
    Plan(Planning),
}

/// Seconds of `count` with every `step`-th row of the samples of a job.
fn thinned(
    job: &PairJob<'_>,
    step: usize,
    count: impl FnOnce(&PairJob<'_>) -> Result<Tally, EngineError>,
) -> Result<f64, EngineError> {
    let (first, second) = job.pairs().samples();
    let few = |sample: &Particles| sample.strided(0, step).map_err(JobError::from);
    let first = few(first)?;
    let second = second.map(few).transpose()?;
    let pairs = match &second {
        None => Pairs::Auto(&first),
        Some(second) => Pairs::Cross(&first, second),
    };
    let thinned = PairJob::new(pairs, job.domain())?.with_traversal(job.traversal());
    let begun = Instant::now();
    count(&thinned)?;
    Ok(begun.elapsed().as_secs_f64())
}

/// Whether a flag changes no count, or belongs to one process: its heading says so, or it sets how much is printed.
fn is_own(arg: &Arg) -> bool {
    let heading = arg.get_help_heading();
    heading.is_some_and(|heading| [group::RUNNING, group::PARTS, group::TUNING].contains(&heading))
        || ["verbose", "quiet", "brief"].contains(&arg.get_id().as_str())
}

/// The words of a command line that all of its parts have in common.
pub(crate) fn common(arguments: &Arguments) -> Vec<String> {
    let program = Cli::command();
    let commands = program.get_subcommands().flat_map(Command::get_arguments);
    let all = commands.chain(program.get_arguments());
    let own: Vec<&Arg> = all.filter(|arg| is_own(arg)).collect();
    let is_short = |letter: char| own.iter().any(|arg| arg.get_short() == Some(letter));
    let are_short = |letters: &str| !letters.is_empty() && letters.chars().all(is_short);
    let own = |name: &str| own.iter().find(|arg| arg.get_long() == Some(name));
    let mut words = arguments
        .words
        .iter()
        .skip(1)
        .map(|word| word.to_string_lossy().into_owned());
    let mut common = Vec::new();
    while let Some(word) = words.next() {
        let name = word.strip_prefix("--").unwrap_or_default();
        let (name, joined) = match name.split_once('=') {
            Some((name, _)) => (name, true),
            None => (name, false),
        };
        match own(name) {
            Some(arg) => {
                let takes_next = arg.get_action().takes_values() && !arg.is_require_equals_set();
                if takes_next && !joined {
                    words.next();
                }
            }
            None if word.strip_prefix('-').is_some_and(are_short) => {}
            None => common.push(word),
        }
    }
    common
}

/// What a count of `job` is the same by.
fn identity(name: &str, job: &PreparedJob<'_>, what: &CountSpec) -> Result<Identity> {
    let job = job.job();
    Ok(Identity {
        name: name.to_owned(),
        job: fingerprint(JobId::in_full(job)),
        bins: BinText::of(what.bins()),
        what: sha256_of_bytes(&serde_json::to_vec(what)?),
        exponents: what.weight_exponents(job.pairs()),
    })
}

/// The work that flags ask for; files of parts are read here.
#[derive(Clone)]
pub(crate) struct Works {
    work: Rc<Work>,
    sink: Sink,
}

impl Works {
    pub(crate) fn new(
        (flags, kept): (&PieceFlags, &CheckpointFlags),
        exactness: Exactness,
        session: &Session<'_>,
    ) -> Result<Self> {
        let world = &*session.world;
        let part = flags.shard.zip(flags.part.clone());
        if let (Some((_, path)), 0) = (&part, world.rank()) {
            session.sink.check_replaced("--part", path)?;
        }
        let shared = part.is_some() || kept.is_given() || world.size() > 1;
        if shared && exactness != Exactness::Exact {
            return Err(usage(
                "--shard, --checkpoint and ranks need exact counts: leave out --precision single",
            ));
        }
        let work = match (flags.plan, &flags.from_part[..]) {
            (Some(machines), _) => Work::Plan(Planning::new(machines)),
            (None, []) if shared => {
                let stem = match part.as_ref() {
                    None => "all".to_owned(),
                    Some((Shard { index, of }, _)) => format!("{index}-of-{of}"),
                };
                let words = common(session.arguments);
                let checkpoints = kept.open(&stem, &words, world)?;
                Work::Shares(Box::new(Shares::new(session, part, checkpoints, words)))
            }
            (None, []) => Work::Whole,
            (None, files) => {
                let read = |path: &ReadFile| Ok((path.to_path_buf(), PartFile::read(path)?));
                let parts = files.iter().map(read).collect::<Result<Vec<_>>>()?;
                Work::Given(Given {
                    files: files.iter().cloned().map(PathBuf::from).collect(),
                    counts: merged(&parts, flags.from_some_parts)?,
                    taken: Cell::new(0),
                })
            }
        };
        Ok(Self {
            work: Rc::new(work),
            sink: session.sink.clone(),
        })
    }

    /// The worker that does it with an engine.
    pub(crate) fn by(&self, engine: AnyEngine, counts: usize) -> Result<Worker> {
        let flag = match &*self.work {
            Work::Shares(shares) if shares.part.is_some() => Some("--shard"),
            Work::Plan(planning) => {
                planning.is_read();
                Some("--plan")
            }
            _ => None,
        };
        if let Some(flag) = flag.filter(|_| counts == 0) {
            return Err(usage(format!("{flag}: this command has nothing to count")));
        }
        Ok(Worker {
            engine,
            work: Rc::clone(&self.work),
            sink: self.sink.clone(),
            left: Rc::new(Cell::new(counts)),
            name: Rc::default(),
            failure: Rc::default(),
        })
    }

    /// How many units there are of each count that parts hold, and how many were counted: a count of several samples by its name.
    pub(crate) fn shares(&self) -> Vec<(String, [usize; 2])> {
        let mut shares: Vec<(String, [usize; 2])> = Vec::new();
        let Work::Given(given) = &*self.work else {
            return shares;
        };
        for count in &given.counts {
            let [units, counted] = count.units;
            match shares.iter_mut().find(|(name, _)| *name == count.of.name) {
                Some((_, all)) => *all = [all[0] + units, all[1] + counted],
                None => shares.push((count.of.name.clone(), count.units)),
            }
        }
        shares
    }

    /// What the record of a result says of the parts that it comes from.
    pub(crate) fn record(&self) -> Option<Value> {
        let Work::Given(given) = &*self.work else {
            return None;
        };
        let counts = given.counts.iter();
        let counts = counts.map(|count| {
            let [units, counted] = count.units;
            let record =
                json!({"units": units, "units_counted": counted, "seconds": count.seconds});
            (count.of.name.clone(), record)
        });
        let counts: serde_json::Map<String, Value> = counts.collect();
        Some(json!({"files": given.files, "counts": counts}))
    }
}

/// Runs of units for each rank, at least, where each takes some time to begin.
const FEWEST_RUNS: usize = 32;

/// An engine with the work that it does.
#[derive(Clone)]
pub(crate) struct Worker {
    engine: AnyEngine,
    work: Rc<Work>,
    sink: Sink,
    /// Counts that are still to be made.
    left: Rc<Cell<usize>>,
    /// The count at hand.
    name: Rc<Cell<&'static str>>,
    /// What went wrong besides counting.
    failure: Rc<RefCell<Option<anyhow::Error>>>,
}

impl Worker {
    /// The engine.
    pub(crate) fn engine(&self) -> &AnyEngine {
        &self.engine
    }

    /// Whether it makes the whole of each count, which others may then use.
    pub(crate) fn is_whole(&self) -> bool {
        match &*self.work {
            Work::Whole => true,
            Work::Shares(shares) => shares.part.is_none() && shares.checkpoints.is_none(),
            Work::Given(_) | Work::Plan(_) => false,
        }
    }

    /// Whether it counts nothing, and only says what a count would take.
    pub(crate) fn is_plan(&self) -> bool {
        matches!(&*self.work, Work::Plan(_))
    }

    /// Begins a count.
    pub(crate) fn begin(&self, name: &'static str) {
        self.name.set(name);
    }

    /// What a count came to: why it failed, if the engine was not the cause.
    pub(crate) fn outcome<T>(&self, made: Result<T, EngineError>) -> Result<T> {
        match (made, self.failure.take()) {
            (Ok(made), _) => Ok(made),
            (Err(_), Some(failure)) => Err(failure),
            (Err(error), None) => Err(error.into()),
        }
    }

    /// Notes that a count is made; says whether it was the last one of a part or a plan, which is written then and all that there is.
    pub(crate) fn done(&self) -> Result<bool> {
        self.left.set(self.left.get().saturating_sub(1));
        if self.left.get() > 0 {
            return Ok(false);
        }
        match &*self.work {
            Work::Shares(shares) if shares.part.is_some() => shares.write_part()?,
            Work::Plan(planning) => {
                let plan = planning.described(&self.engine.description());
                self.sink.print(&plan)?;
                if let Some(all) = &self.sink.planned {
                    all.set(all.get() + planning.seconds());
                }
            }
            _ => return Ok(false),
        }
        Ok(true)
    }

    /// Adds a count to the plan, and makes an empty one.
    fn plan(
        &self,
        planning: &Planning,
        job: &PreparedJob<'_>,
        what: &CountSpec,
        progress: &dyn Progress,
    ) -> Result<Tally, EngineError> {
        let engine = &self.engine;
        let units = engine.units(job, what, progress)?;
        planning.is_sorted();
        let seconds = if let AnyEngine::Cpu(cpu) = engine {
            let count = |run: Range<usize>| {
                let made = engine.tally_units(job, what, (&units, run), progress);
                made.map(|_| ())
            };
            planning::of_spread_units(&units, cpu.threads(), count)?
        } else {
            // Cuts may name rows by their numbers, and cost little.
            let what = what.clone().without_cuts();
            let count = |step| thinned(job.job(), step, |job| engine.run(job, &what, progress));
            planning::of_thinned_samples(count)?
        };
        planning.add(self.name.get(), &units, seconds);
        Ok(what.zero(job.job().pairs())?)
    }

    /// Counts the units that it is handed, and puts them together with those of others.
    fn tally_share(
        &self,
        shares: &Shares,
        job: &PreparedJob<'_>,
        what: &CountSpec,
        progress: &dyn Progress,
    ) -> Result<Tally> {
        let engine = &self.engine;
        if let Some(node) = shares.node() {
            engine.lay_out_once(job, what, &node, progress)?;
        }
        let units = engine.units(job, what, progress)?;
        let plan = format!("{} {:016x}", units.kind(), units.fingerprint());
        let plan = (units.len(), plan);
        let zero = what.zero(job.job().pairs())?;
        let of = identity(self.name.get(), job, what)?;
        let (least, abreast) = match engine {
            AnyEngine::Cpu(cpu) => (cpu.threads(), cpu.threads().min(2)),
            // Others plan each run, or bring rows together for it.
            _ => (units.len() / (FEWEST_RUNS * shares.ranks()), 1),
        };
        let share = Share {
            empty: CountPart::empty(of, plan, engine.description(), zero),
            least,
            abreast,
            units: &units,
        };
        let count = |run: Range<usize>, progress: &dyn Progress| {
            let made = engine.tally_units(job, what, (&units, run), progress);
            made.map(|(tally, _)| tally)
        };
        shares.count(&share, &count, progress)
    }

    /// Notes why a count failed, if the engine was not the cause.
    fn noted<T>(&self, made: Result<T>) -> Result<T, EngineError> {
        made.map_err(|failure| match failure.downcast::<EngineError>() {
            Ok(error) => error,
            Err(failure) => {
                let words = in_words(&failure);
                *self.failure.borrow_mut() = Some(failure);
                EngineError::Outside(words)
            }
        })
    }
}

impl Given {
    /// The next count, which must be this one.
    fn take(&self, sought: &Identity) -> Result<Tally> {
        let at = self.taken.replace(self.taken.get() + 1);
        let name = &sought.name;
        let Some(count) = self.counts.get(at).filter(|count| count.of.name == *name) else {
            bail!("the parts hold no count {name}: their command was another");
        };
        if count.of.job != sought.job {
            bail!(
                "{name}: the parts are of other particles, weights or boxes than those read now: their fingerprint is {}, expected {}",
                count.of.job,
                sought.job
            );
        }
        if count.of != *sought {
            bail!("{name}: the parts are of other bins, sums or cuts than those asked for");
        }
        let [units, counted] = count.units;
        tracing::info!("{name}: {counted} of {units} units");
        Ok(count.tally.clone())
    }
}

impl Engine for Worker {
    fn sort(
        &self,
        sample: &Particles,
        domain: &Domain,
        progress: &dyn Progress,
    ) -> Result<Sorted, EngineError> {
        self.engine.sort(sample, domain, progress)
    }

    fn tally(
        &self,
        job: &PreparedJob<'_>,
        what: &CountSpec,
        progress: &dyn Progress,
    ) -> Result<(Tally, Report), EngineError> {
        match &*self.work {
            Work::Whole => self.engine.tally(job, what, progress),
            Work::Shares(shares) => {
                let tally = self.noted(self.tally_share(shares, job, what, progress))?;
                Ok((tally, Report::default()))
            }
            Work::Plan(planning) => {
                let tally = self.plan(planning, job, what, progress)?;
                Ok((tally, Report::default()))
            }
            Work::Given(given) => {
                what.admit(job.job())?;
                let tally = identity(self.name.get(), job, what).and_then(|of| given.take(&of));
                let zero = what.zero(job.job().pairs())?;
                let shape = |t: &Tally| (t.n_bins(), t.n_tables(), t.n_sums());
                let tally = tally.and_then(|tally| {
                    let name = self.name.get();
                    if shape(&tally) != shape(&zero) {
                        bail!("{name}: the parts hold other numbers of bins or sums");
                    }
                    Ok(tally)
                });
                Ok((self.noted(tally)?, Report::default()))
            }
        }
    }

    fn description(&self) -> String {
        let own = self.engine.description();
        match &*self.work {
            Work::Shares(shares) if shares.ranks() > 1 => {
                format!("{own} on each of {} ranks", shares.ranks())
            }
            Work::Whole | Work::Shares(_) | Work::Plan(_) => own,
            Work::Given(given) => {
                let last = given.taken.get().checked_sub(1);
                let count = last.and_then(|at| given.counts.get(at));
                count.map_or_else(String::new, |count| count.engines.clone())
            }
        }
    }

    fn exactness(&self) -> Exactness {
        self.engine.exactness()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_have_the_words_that_change_counts_in_common() {
        for (line, kept) in [
            (
                "-v count a.csv --engine cpu --threads=2 --bins lin:0:1:2 --shard 0/3 --part p --brief",
                "count a.csv --bins lin:0:1:2",
            ),
            (
                "wp --isa avx2 a.csv --checkpoint=ck --checkpoint-every 5 --output=-o -q --overwrite",
                "wp a.csv --output=-o --overwrite",
            ),
            (
                "rdf t.xtc --frames-per-device 2 --checkpoint ck --where x>1 --norm=ideal --",
                "rdf t.xtc --where x>1 --norm=ideal --",
            ),
        ] {
            let words = ["albireo"].into_iter().chain(line.split(' '));
            let words = words.map(Into::into).collect();
            let arguments = Arguments {
                words,
                ..Arguments::default()
            };
            assert_eq!(common(&arguments).join(" "), kept);
        }
    }
}
