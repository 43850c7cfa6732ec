//! How a result was made: the metadata that every table carries.
//!
//! Entry: [`Record`], filled while a command works. `Table::kind` and `Table::edges` read it back.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::rc::Rc;
use std::time::{Instant, SystemTime};

use albireo::Bins;
use albireo::binning::BinAxis;
use albireo_catalogs::{ResultKind, Table, TableColumn};
use albireo_pair_sums::ExpressionBins;
use serde_json::{Map, Value, json};

use crate::place_and_time::{host, utc};

/// The key of the expressions in whose values pairs are binned, one an axis.
pub(crate) const BINS_OF: &str = "bins_of";
/// The key of how far apart these pairs may be.
pub(crate) const REACH: &str = "reach";

/// The arguments of a command, the name of the program first, and the job that they come from.
#[derive(Debug, Clone, Default)]
pub(crate) struct Arguments {
    pub(crate) words: Vec<OsString>,
    /// The files that they name to be read.
    pub(crate) reads: Vec<PathBuf>,
    /// What is said of files that a pattern among them lists and that are not there.
    pub(crate) absent: Vec<String>,
    /// The measurement of a job file that they stand for.
    pub(crate) job: Option<JobEntry>,
}

/// A measurement of a job file.
#[derive(Debug, Clone)]
pub(crate) struct JobEntry {
    /// Its table, e.g. `xi.poles (cap = NGC)`.
    pub(crate) name: String,
    pub(crate) file: Rc<JobText>,
}

/// A job file as it was read.
#[derive(Debug)]
pub(crate) struct JobText {
    pub(crate) path: PathBuf,
    pub(crate) text: String,
}

impl Arguments {
    /// The files that are read, which no output may replace.
    pub(crate) fn inputs(&self) -> Vec<&Path> {
        self.reads.iter().map(PathBuf::as_path).collect()
    }
}

/// The metadata of a result in the making.
#[derive(Debug, Clone)]
pub(crate) struct Record {
    meta: Map<String, Value>,
    start: Instant,
    date: String,
}

impl Record {
    /// The record of a command that begins now, called with these arguments.
    pub(crate) fn begin(arguments: &Arguments) -> Self {
        let mut meta = Map::new();
        meta.insert(
            "program".to_owned(),
            json!(concat!("albireo ", env!("CARGO_PKG_VERSION"))),
        );
        // The commit of a build from the sources' own git folder.
        if let Some(commit) = option_env!("ALBIREO_COMMIT") {
            meta.insert("commit".to_owned(), json!(commit));
        }
        meta.insert("command".to_owned(), json!(command_line(&arguments.words)));
        if let Some(JobEntry { name, file }) = &arguments.job {
            let job = json!({"measurement": name, "file": file.path, "text": file.text});
            meta.insert("job".to_owned(), job);
        }
        Self {
            meta,
            start: Instant::now(),
            date: utc(SystemTime::now()),
        }
    }

    /// Sets one entry.
    pub(crate) fn set(&mut self, key: &str, value: impl Into<Value>) {
        self.meta.insert(key.to_owned(), value.into());
    }

    /// Leaves out one entry.
    pub(crate) fn unset(&mut self, key: &str) {
        self.meta.remove(key);
    }

    /// Sets the entries of bins and of their line of sight, with what results call the axes.
    pub(crate) fn set_bins(&mut self, bins: &Bins, axes: &[BinAxis]) {
        self.set("statistic", bins.name());
        if let Some(bins) = bins.as_custom::<ExpressionBins>() {
            self.set(BINS_OF, bins.texts());
            self.set(REACH, bins.cutoff());
        }
        if let Some(los) = bins.line_of_sight() {
            self.set("line_of_sight", los.name());
        }
        self.set("edges", edges(axes));
    }

    /// Sets the entries of the bins of a statistic that is of liquids alone.
    pub(crate) fn set_axes(&mut self, statistic: &str, axes: &[BinAxis]) {
        self.set("statistic", statistic);
        self.set("edges", edges(axes));
    }

    /// Keeps `axis` as the only one; the others have been summed over.
    pub(crate) fn project(&mut self, axis: &BinAxis) {
        let mut summed = self
            .meta
            .get("edges")
            .and_then(Value::as_object)
            .cloned()
            .unwrap_or_default();
        summed.retain(|name, _| name != axis.name);
        self.set("edges", edges(std::slice::from_ref(axis)));
        self.set("summed_over", summed);
    }

    /// The metadata of a table of this kind, without when, where and in what time it was made: the same command makes the same bytes.
    pub(crate) fn timeless(&self, kind: ResultKind) -> Map<String, Value> {
        let mut meta = Map::new();
        meta.insert("result".to_owned(), json!(kind.name()));
        meta.extend(self.meta.clone());
        meta
    }

    /// A table of this kind, with the time that it took; other kinds may follow.
    pub(crate) fn table(&self, kind: ResultKind, columns: Vec<TableColumn>) -> Table {
        let meta = self.finish(kind);
        Table { columns, meta }
    }

    /// The metadata of such a table.
    pub(crate) fn finish(&self, kind: ResultKind) -> Map<String, Value> {
        let mut meta = self.timeless(kind);
        meta.insert("date".to_owned(), json!(self.date));
        if let Some(host) = host() {
            meta.insert("host".to_owned(), json!(host));
        }
        meta.insert(
            "wall_seconds".to_owned(),
            json!(self.start.elapsed().as_secs_f64()),
        );
        meta
    }
}

/// Edges by the name of their axis.
fn edges(axes: &[BinAxis]) -> Map<String, Value> {
    axes.iter()
        .map(|axis| (axis.name.to_owned(), json!(axis.edges)))
        .collect()
}

/// The command line, quoted where a shell would need it.
pub(crate) fn command_line(arguments: &[OsString]) -> String {
    let quoted = |argument: String| {
        let plain = |c: char| c.is_ascii_alphanumeric() || "-_./:,=@+%".contains(c);
        if !argument.is_empty() && argument.chars().all(plain) {
            return argument;
        }
        format!("'{}'", argument.replace('\'', r"'\''"))
    };
    let arguments = arguments
        .iter()
        .skip(1)
        .map(|a| quoted(a.to_string_lossy().into_owned()));
    std::iter::once("albireo".to_owned())
        .chain(arguments)
        .collect::<Vec<_>>()
        .join(" ")
}
