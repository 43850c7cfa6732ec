//! A program that has a command carried out inside its own process, in place of a terminal.
//!
//! Entry: [`call`](crate::call) from outside; inside, [`Caller`], which takes results.

use std::cell::RefCell;
use std::collections::{HashMap, HashSet};
use std::ffi::OsString;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::rc::Rc;
use std::sync::Arc;

use albireo_catalogs::Table;
use albireo_samples::Given;
use thiserror::Error;
use tracing::{Level, Metadata};
use tracing_subscriber::fmt::MakeWriter;

use crate::watch::Watch;

/// A command with what it needs of its caller's memory.
#[derive(Debug, Default)]
pub struct Called {
    /// The command line, the name of the program first.
    pub arguments: Vec<OsString>,
    /// Samples in memory, by the names that the command line has for their files.
    pub given: HashMap<PathBuf, Given>,
    /// Results in memory, by the names that the command line has for their files.
    pub results: HashMap<PathBuf, Table>,
    /// Names of results on the command line that are handed over and not written.
    pub kept: HashSet<PathBuf>,
    /// The least level that is reported; none is silent.
    pub level: Option<Level>,
}

/// What a command has made.
#[derive(Debug, Default, Clone, PartialEq)]
pub struct Outcome {
    /// Its results in order, by the names of those that are kept; the main one has none.
    pub tables: Vec<(Option<PathBuf>, Table)>,
    /// What it would have printed besides.
    pub text: String,
}

/// Why a command made nothing.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum CallError {
    /// The call itself has no meaning.
    #[error("{0}")]
    Wrong(String),
    /// It could not be done.
    #[error("{0}")]
    Failed(String),
    /// The caller asked for a stop.
    #[error("interrupted")]
    Interrupted,
}

/// A caller that takes results.
pub(crate) struct Caller {
    kept: HashSet<PathBuf>,
    outcome: RefCell<Outcome>,
}

/// Has `command` done for a caller, on this thread.
pub(crate) fn during<T>(
    watch: &Arc<dyn Watch>,
    kept: HashSet<PathBuf>,
    level: Option<Level>,
    command: impl FnOnce(&Rc<Caller>) -> T,
) -> (T, Outcome) {
    let caller = Rc::new(Caller {
        kept,
        outcome: RefCell::default(),
    });
    let command = || command(&caller);
    let done = match level {
        None => {
            let silent = tracing::subscriber::NoSubscriber::default();
            tracing::subscriber::with_default(silent, command)
        }
        Some(level) => {
            let log = tracing_subscriber::fmt()
                .with_writer(Told(Arc::clone(watch)))
                .without_time()
                .with_target(false)
                .with_level(false)
                .with_ansi(false);
            tracing::subscriber::with_default(log.with_max_level(level).finish(), command)
        }
    };
    (done, caller.outcome.take())
}

impl Caller {
    /// Whether it keeps the result of this name, which is no file then.
    pub(crate) fn keeps(&self, path: &Path) -> bool {
        self.kept.contains(path)
    }

    /// Hands a result over: the main one, or one whose name is kept.
    pub(crate) fn take(&self, table: &Table, path: Option<&Path>) -> bool {
        let taken = path.is_none_or(|path| self.keeps(path));
        if taken {
            let made = (path.map(Path::to_owned), table.clone());
            self.outcome.borrow_mut().tables.push(made);
        }
        taken
    }

    /// Hands over what would be printed.
    pub(crate) fn take_text(&self, bytes: &[u8]) {
        let text = String::from_utf8_lossy(bytes);
        self.outcome.borrow_mut().text.push_str(&text);
    }
}

/// Where the log of a call goes.
struct Told(Arc<dyn Watch>);

/// One line of it.
struct Line<'a> {
    watch: &'a dyn Watch,
    level: Level,
}

impl Write for Line<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let text = String::from_utf8_lossy(bytes);
        self.watch.say(self.level, text.trim_end());
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl<'a> MakeWriter<'a> for Told {
    type Writer = Line<'a>;

    fn make_writer(&'a self) -> Line<'a> {
        Line {
            watch: &*self.0,
            level: Level::INFO,
        }
    }

    fn make_writer_for(&'a self, of: &Metadata<'_>) -> Line<'a> {
        Line {
            watch: &*self.0,
            level: *of.level(),
        }
    }
}
