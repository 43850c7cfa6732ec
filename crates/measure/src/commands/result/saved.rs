//! One saved result whose rows are its bins.
//!
//! Entry: [`NamedTable`], with what messages and records call it; [`bin_columns`] finds its columns, [`made_of_one`] makes a result of another.

use std::path::{Path, PathBuf};

use albireo::binning::Axes;
use albireo_catalogs::{ResultKind, Table, TableColumn, sha256};
use anyhow::{Context, Result, bail};
use serde_json::{Map, Value, json};

use crate::args::OutputFlags;
use crate::by_class::table_of;
use crate::paths::ReadFile;
use crate::record::Record;
use crate::results::Results;
use crate::session::Session;
use crate::weight_sets::check_single;

/// A saved result with what messages and records call it.
#[derive(Debug)]
pub(in crate::commands) struct NamedTable {
    pub(super) name: String,
    pub(super) table: Table,
    /// Where it was read; none for one in memory.
    file: Option<PathBuf>,
}

impl NamedTable {
    /// The result of this name.
    pub(super) fn read(path: &Path, results: &Results) -> Result<Self> {
        Ok(Self {
            name: path.display().to_string(),
            table: results.read(path)?,
            file: results.in_memory(path).is_none().then(|| path.to_owned()),
        })
    }

    /// A result that a command has just made.
    pub(in crate::commands) fn in_memory(name: String, table: Table) -> Self {
        Self {
            name,
            table,
            file: None,
        }
    }

    /// Whether a command has just made it.
    pub(super) fn is_in_memory(&self) -> bool {
        self.file.is_none()
    }

    /// The same of the pairs of two classes alone, of which it has tables.
    pub(super) fn of_classes(&self, classes: [&str; 2]) -> Result<Self> {
        let table = table_of(&self.table, classes).with_context(|| self.name.clone())?;
        Ok(Self {
            name: self.name.clone(),
            file: self.file.clone(),
            table,
        })
    }

    /// Its kind, if its rows are bins.
    pub(super) fn kind(&self) -> Result<ResultKind> {
        check_single(&self.table).with_context(|| self.name.clone())?;
        let kind = self.table.kind().with_context(|| self.name.clone())?;
        if matches!(
            kind,
            ResultKind::Covariance
                | ResultKind::RegionCounts
                | ResultKind::ShellCounts
                | ResultKind::Regions
                | ResultKind::RegionSums
        ) {
            bail!(
                "{}: its rows are no bins: it is a {}",
                self.name,
                kind.name()
            );
        }
        let (bins, rows) = (self.axes()?.n_bins(), self.table.rows());
        if rows != bins {
            bail!(
                "{}: its record has edges of {bins} bins, the table {rows} rows",
                self.name
            );
        }
        Ok(kind)
    }

    /// Its kind, if it holds all of its pairs: for what is made of pairs and totals.
    pub(super) fn whole(&self) -> Result<ResultKind> {
        let kind = self.kind()?;
        self.table
            .check_whole()
            .with_context(|| self.name.clone())?;
        Ok(kind)
    }

    /// Refuses what holds no pair counts, such as can be `done`.
    pub(super) fn check_counts(&self, done: &str) -> Result<()> {
        let kind = self.kind()?;
        if kind != ResultKind::Counts {
            bail!(
                "{}: pair counts can be {done}, such as `albireo count` writes, found {}",
                self.name,
                kind.phrase()
            );
        }
        Ok(())
    }

    /// The axes that its rows run over.
    pub(super) fn axes(&self) -> Result<Axes> {
        let edges = self.table.edges().with_context(|| self.name.clone())?;
        Axes::new(edges).with_context(|| self.name.clone())
    }

    /// What a record says of it: its name and, of a file, its SHA-256.
    pub(super) fn described(&self) -> Result<Map<String, Value>> {
        let mut described = Map::new();
        described.insert("path".to_owned(), json!(self.name));
        if let Some(file) = &self.file {
            described.insert("sha256".to_owned(), json!(sha256(file)?));
        }
        Ok(described)
    }

    /// The record of a result over `axes` that is made of it: what it was and is of, with its own command and edges.
    pub(super) fn record_of_made(&self, axes: &Axes, mut record: Record) -> Result<Record> {
        const OWN: [&str; 8] = [
            "result",
            "program",
            "commit",
            "command",
            "date",
            "host",
            "wall_seconds",
            "made_from",
        ];
        for (key, value) in &self.table.meta {
            if !OWN.contains(&key.as_str()) {
                record.set(key, value.clone());
            }
        }
        let edges = (0..axes.number()).map(|axis| json!(axes.edges(axis)));
        let edges: Map<String, Value> = axes.names().map(str::to_owned).zip(edges).collect();
        record.set("edges", edges);
        let mut made_from = self.described()?;
        let command = self.table.meta.get("command");
        made_from.insert("command".to_owned(), json!(command));
        record.set("made_from", made_from);
        Ok(record)
    }
}

/// Reads `result`, prints and writes what `make` makes of it.
pub(super) fn made_of_one(
    result: &ReadFile,
    output: &OutputFlags,
    session: &Session<'_>,
    make: impl FnOnce(&NamedTable, Record) -> Result<Table>,
) -> Result<()> {
    let path = result.as_path();
    session.sink.check_counts(output, &[], &[path])?;
    let record = Record::begin(session.arguments);
    let input = NamedTable::read(path, &session.kept.results)?;
    session.sink.deliver(&make(&input, record)?, output)
}

/// The columns that tell the bins of a table: edges and centres.
pub(super) fn bin_columns(table: &Table) -> Result<Vec<&TableColumn>> {
    let axes = table.edges()?;
    let parts = ["lo", "hi", "centre"];
    let names = axes.iter().flat_map(|(axis, _)| {
        parts.map(|part| match axes.len() {
            1 => part.to_owned(),
            _ => format!("{axis}_{part}"),
        })
    });
    let column = |name: String| {
        let found = table.column(&name);
        found.with_context(|| format!("there is no column `{name}`"))
    };
    names.map(column).collect()
}
