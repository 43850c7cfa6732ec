//! Counts that outlive their process: files of parts in a folder.
//!
//! Entry: [`Checkpoints`]. Each process writes one file, whose name nobody had before; a later process takes all of them together and
//! counts what none of them holds.

use std::cell::RefCell;
use std::fs::{self, File, TryLockError};
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::time::Duration;

use albireo::Tally;
use anyhow::{Context, Result, bail};
use clap::Args;

use crate::every::{Clock, Every};
use crate::group;
use crate::part_file::{CountPart, Held, PartFile};
use crate::paths::KeptFolder;
use crate::world::World;

/// How the files of checkpoints end.
const EXTENSION: &str = "part";

/// Where a count may go on after its process has ended.
#[derive(Debug, Clone, Default, Args)]
#[command(next_help_heading = group::PARTS)]
pub(crate) struct CheckpointFlags {
    /// Save what is counted in this folder, and continue from what is there
    ///
    /// After a kill, SIGTERM or SIGUSR1 run the same command again, on GPUs if it began there.
    #[arg(long, value_name = "DIR")]
    checkpoint: Option<KeptFolder>,
    /// Time between checkpoints, such as 30s, 5min or 1h [default: 30s]
    #[arg(
        long,
        value_name = "TIME",
        requires = "checkpoint",
        allow_negative_numbers = true
    )]
    checkpoint_every: Option<Every>,
}

/// The files of a job in the making.
#[derive(Debug)]
pub(crate) struct Checkpoints {
    folder: PathBuf,
    /// Held while this process lives.
    _lock: Option<File>,
    /// What earlier processes have counted, on the first rank.
    found: Vec<(PathBuf, PartFile)>,
    /// The file of this process, and what it holds.
    path: PathBuf,
    own: RefCell<PartFile>,
    clock: RefCell<Clock>,
}

/// The number of the process that wrote a file, if it is of a job called `stem`: `STEM.NUMBER.RANK.part`.
fn incarnation(path: &Path, stem: &str) -> Option<u64> {
    let name = path
        .file_name()?
        .to_str()?
        .strip_suffix(EXTENSION)?
        .strip_suffix('.')?;
    let mut words = name.strip_prefix(stem)?.strip_prefix('.')?.split('.');
    let number = words.next()?.parse().ok()?;
    words.next()?.parse::<usize>().ok()?;
    Some(number)
}

/// The file whose lock says that a job lives; refused while another one does.
fn locked(path: &Path, (first, alone): (bool, bool)) -> Result<Option<File>> {
    let refused = || format!("--checkpoint: cannot write {}", path.display());
    let options = File::options()
        .create(true)
        .truncate(false)
        .write(true)
        .open(path);
    let file = options.with_context(refused)?;
    if first {
        match file.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => bail!(
                "--checkpoint: another job is at work in {}: wait for it, or name another folder",
                path.parent().unwrap_or(path).display()
            ),
            Err(TryLockError::Error(error)) => {
                tracing::warn!(
                    "--checkpoint: no locks in this file system ({}): make sure that no other job has the folder",
                    albireo_catalogs::in_words(&error)
                );
                return Ok(None);
            }
        }
    }
    // All ranks hold it, so that none of an earlier job is left when the next one begins.
    if !alone && file.lock_shared().is_err() {
        return Ok(None);
    }
    Ok(Some(file))
}

impl CheckpointFlags {
    /// Whether a folder is named.
    pub(crate) fn is_given(&self) -> bool {
        self.checkpoint.is_some()
    }

    /// Opens the folder for a job called `stem`, with the words that it is called with; none where there is no such flag.
    pub(crate) fn open(
        &self,
        stem: &str,
        words: &[String],
        world: &dyn World,
    ) -> Result<Option<Checkpoints>> {
        let Some(folder) = &self.checkpoint else {
            return Ok(None);
        };
        let pause = Every::time(self.checkpoint_every)?;
        // All ranks have released the lock of an earlier count.
        world.wait()?;
        let lock = folder.join(format!("{stem}.lock"));
        let (mut held, mut found, mut number) = (None, Vec::new(), [0]);
        if world.rank() == 0 {
            fs::create_dir_all(folder)
                .with_context(|| format!("--checkpoint: cannot make {}", folder.display()))?;
            held = locked(&lock, (true, world.size() == 1))?;
            found = read(folder, stem)?;
            let last = found.iter().filter_map(|(path, _)| incarnation(path, stem));
            number = [last.max().unwrap_or(0) + 1];
        }
        world.max(&mut number)?;
        if world.rank() > 0 {
            held = locked(&lock, (false, false))?;
        }
        let name = format!("{stem}.{}.{}.{EXTENSION}", number[0], world.rank());
        Ok(Some(Checkpoints {
            path: folder.join(name),
            folder: folder.to_path_buf(),
            _lock: held,
            found,
            own: RefCell::new(PartFile {
                words: words.to_vec(),
                shard: stem.to_owned(),
                counts: Vec::new(),
            }),
            clock: RefCell::new(Clock::new(pause)),
        }))
    }
}

/// All files of a job.
fn read(folder: &Path, stem: &str) -> Result<Vec<(PathBuf, PartFile)>> {
    let refused = || format!("--checkpoint: cannot read {}", folder.display());
    let mut paths = Vec::new();
    for entry in fs::read_dir(folder).with_context(refused)? {
        let path = entry.with_context(refused)?.path();
        if incarnation(&path, stem).is_some() {
            paths.push(path);
        }
    }
    paths.sort();
    let read = |path: PathBuf| {
        let part = PartFile::read(&path).context("--checkpoint")?;
        Ok((path, part))
    };
    paths.into_iter().map(read).collect()
}

/// The words of two command lines that only one of them has, but for the names of results.
fn apart(ours: &[String], theirs: &[String]) -> String {
    let only = |of: &[String], other: &[String]| -> Vec<String> {
        let before = std::iter::once("").chain(of.iter().map(String::as_str));
        let words = of.iter().zip(before);
        let words = words
            .filter(|(word, before)| !other.contains(word) && !["-o", "--output"].contains(before));
        words.map(|(word, _)| word.clone()).collect()
    };
    let words = [only(ours, theirs), only(theirs, ours)].concat();
    if words.is_empty() {
        return String::new();
    }
    format!(" (the commands differ in {})", words.join(", "))
}

impl Checkpoints {
    /// The folder.
    pub(crate) fn folder(&self) -> &Path {
        &self.folder
    }

    /// From one checkpoint to the next.
    pub(crate) fn pause(&self) -> Duration {
        self.clock.borrow().pause()
    }

    /// Begins the next count, of which nothing is done; what earlier processes hold of it.
    pub(crate) fn begin(&self, count: CountPart) -> Result<Held<'_>> {
        let at = self.own.borrow().counts.len();
        let mut held = Held::default();
        for (path, file) in &self.found {
            // Its process ended before it came so far.
            let Some(part) = file.counts.get(at) else {
                continue;
            };
            if let Some(difference) = count.differs(part) {
                bail!(
                    "--checkpoint: {} is of another job: {difference}{}: remove the folder, or name another",
                    path.display(),
                    apart(&self.own.borrow().words, &file.words)
                );
            }
            held.add(path, part).context("--checkpoint")?;
        }
        self.own.borrow_mut().counts.push(count);
        Ok(held)
    }

    /// Adds units to the count at hand, and saves all of them if that was long ago.
    pub(crate) fn add(&self, run: &Range<usize>, tally: Tally, seconds: f64) -> Result<()> {
        if let Some(count) = self.own.borrow_mut().counts.last_mut() {
            count.add(run, tally, seconds);
        }
        let due = self.clock.borrow().is_due();
        if due {
            self.save()?;
        }
        Ok(())
    }

    /// Saves what this process has counted, if that is anything.
    pub(crate) fn save(&self) -> Result<()> {
        let own = self.own.borrow();
        if own.counts.iter().any(|count| !count.covers.is_empty()) {
            own.write(&self.path).context("--checkpoint")?;
        }
        self.clock.borrow_mut().restart();
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_tell_jobs_and_processes_apart() {
        let of = |name: &str, stem: &str| incarnation(Path::new(name), stem);
        assert_eq!(of("d/all.12.3.part", "all"), Some(12));
        assert_eq!(of("3-of-16.1.0.part", "3-of-16"), Some(1));
        for name in [
            "all.part",
            "all.1.part",
            "all.1.0.csv",
            "all.1.x.part",
            "al.1.0.part",
        ] {
            assert_eq!(of(name, "all"), None, "{name}");
        }
        assert_eq!(of("3-of-16.1.0.part", "3-of-1"), None);
    }
}
