//! Saved results of one measurement, one a realisation: mocks, frames, repeated runs.
//!
//! Entry: [`Realisations::read`], which refuses what does not belong together.

use std::collections::HashMap;
use std::path::{Path, PathBuf};

use albireo_catalogs::{ResultKind, Table};
use anyhow::{Context, Result, bail};
use serde_json::{Map, Value};

use super::saved::{NamedTable, bin_columns};
use super::settings::{difference, doubt, same};
use crate::catalogs::Files;
use crate::session::Session;
use crate::tables::shown_names;
use crate::usage::usage;
use crate::watch::Loss;

/// Entries of a record that are about one run, not about the measurement.
const OF_A_RUN: [&str; 18] = [
    "result",
    "program",
    "commit",
    "date",
    "host",
    "command",
    "job",
    "wall_seconds",
    "engine",
    "counts",
    "samples",
    "errors",
    "regions",
    "realisations",
    "made_from",
    "xi_from",
    "sampling",
    "totals",
];

/// Two results or more, with the same settings and bins.
#[derive(Debug)]
pub(super) struct Realisations {
    all: Vec<NamedTable>,
    kind: ResultKind,
}

/// What a result was counted from, as far as its record tells: the fingerprints of its counts.
fn particles(table: &Table) -> Option<Vec<(&str, &str)>> {
    let counts = table.meta.get("counts")?.as_object()?;
    let jobs = counts
        .iter()
        .map(|(name, count)| Some((name.as_str(), count.get("job")?.as_str()?)));
    let jobs: Option<Vec<_>> = jobs.collect();
    jobs.filter(|jobs| !jobs.is_empty())
}

/// The files in their order, without the records that lie beside CSV tables among them; none twice.
fn paths(files: &[Files]) -> Result<Vec<PathBuf>> {
    let all: Vec<&Path> = files.iter().flat_map(Files::iter).collect();
    let records: Vec<PathBuf> = all
        .iter()
        .filter_map(|path| Table::record_of(path))
        .collect();
    let mut places = HashMap::new();
    let mut kept = Vec::new();
    for path in all
        .into_iter()
        .filter(|path| !records.iter().any(|record| record == path))
    {
        let place = path.canonicalize().unwrap_or_else(|_| path.to_owned());
        if let Some(before) = places.insert(place, path) {
            let (path, before) = (path.display().to_string(), before.display().to_string());
            let other = if before == path {
                String::new()
            } else {
                format!(", as {before} too")
            };
            return Err(usage(format!(
                "{path} is named twice{other}: each realisation counts once"
            )));
        }
        kept.push(path.to_owned());
    }
    Ok(kept)
}

/// Refuses fewer results than two.
fn check_number(names: &[String]) -> Result<()> {
    if names.len() >= 2 {
        return Ok(());
    }
    Err(usage(format!(
        "at least 2 results are needed, one a realisation, found {}: {}{}",
        names.len(),
        names.join(", "),
        match names {
            [one] if one.contains('*') => ", a pattern that no file matches",
            _ => "",
        }
    )))
}

/// Says what the first of them has otherwise that is doubtful.
fn say_doubt(all: &[NamedTable]) {
    let Some((first, others)) = all.split_first() else {
        return;
    };
    let doubt_of = |one: &&NamedTable| doubt(&first.table, &one.table);
    let doubted = others.iter().find_map(|one| Some((one, doubt_of(&one)?)));
    if let Some((one, doubt)) = doubted {
        tracing::warn!(
            "{} is taken as a realisation of what {} measures, but for {doubt}: do both belong together?",
            one.name,
            first.name
        );
    }
}

impl Realisations {
    /// Reads the files, at least two, and refuses the first that differs from the one before all in a setting, or was counted from the
    /// very particles of another.
    pub(super) fn read(files: &[Files], session: &Session<'_>) -> Result<Self> {
        Self::read_as(files, session, NamedTable::whole)
    }

    /// The same of results whose rows are bins, or of covariances.
    pub(super) fn read_parts(files: &[Files], session: &Session<'_>) -> Result<Self> {
        let kind = |one: &NamedTable| match one.table.kind() {
            Ok(ResultKind::Covariance) => Ok(ResultKind::Covariance),
            _ => one.whole(),
        };
        Self::read_as(files, session, kind)
    }

    fn read_as(
        files: &[Files],
        session: &Session<'_>,
        kind_of: impl Fn(&NamedTable) -> Result<ResultKind>,
    ) -> Result<Self> {
        let _reading = session.watch.during(Loss::Nothing);
        let paths = paths(files)?;
        let names: Vec<_> = paths
            .iter()
            .map(|path| path.display().to_string())
            .collect();
        check_number(&names)?;
        let mut all: Vec<NamedTable> = Vec::new();
        let mut kind = None;
        for path in &paths {
            session.watch.check_stop()?;
            let one = NamedTable::read(path, &session.kept.results)?;
            let found = kind_of(&one)?;
            kind.get_or_insert(found);
            if let Some(first) = all.first()
                && let Some(difference) = difference(&first.table, &one.table)
            {
                let (name, first) = (&one.name, &first.name);
                bail!("{name} is no realisation of what {first} measures: {difference}");
            }
            all.push(one);
        }
        apart(&all)?;
        say_doubt(&all);
        let kind = kind.context("no results")?;
        Ok(Self { all, kind })
    }

    /// The results that one command has made of its realisations.
    pub(super) fn of_one_command(all: Vec<NamedTable>) -> Result<Self> {
        let kind = all.first().context("no results")?.kind()?;
        Ok(Self { all, kind })
    }

    /// Whether they are pair counts that one command has made.
    pub(super) fn are_counts(&self) -> bool {
        self.kind == ResultKind::Counts && self.all[0].is_in_memory()
    }

    /// The columns of pair counts that tell no bins, all of them floats.
    pub(super) fn columns_of_counts(&self) -> Vec<String> {
        let table = &self.first().table;
        let bins = bin_columns(table).unwrap_or_default();
        let is_bin = |name: &str| bins.iter().any(|bin| bin.name == name);
        let names = shown_names(table).into_iter();
        names
            .filter(|name| !is_bin(name))
            .map(str::to_owned)
            .collect()
    }

    /// Keeps those that `kept` says of.
    pub(super) fn retain(&mut self, kept: &[bool]) {
        let mut kept = kept.iter();
        self.all.retain(|_| kept.next().is_some_and(|kept| *kept));
    }

    /// What kind of result all of them are.
    pub(super) fn kind(&self) -> ResultKind {
        self.kind
    }

    /// How many there are.
    pub(super) fn number(&self) -> usize {
        self.all.len()
    }

    /// All of them, in order.
    pub(super) fn iter(&self) -> impl Iterator<Item = &NamedTable> {
        self.all.iter()
    }

    /// The first, which tells the bins of all.
    pub(super) fn first(&self) -> &NamedTable {
        &self.all[0]
    }

    /// The entries of their records that all have in common, but for those about a run.
    pub(super) fn common(&self) -> Map<String, Value> {
        let entry = |one: &NamedTable, key: &str| -> Option<Value> {
            let mut value = one.table.meta.get(key)?.clone();
            // Where each file says it is up to that file.
            value
                .as_object_mut()
                .map(|entries| entries.remove("source"));
            Some(value)
        };
        let first = self.first();
        let keys = first.table.meta.keys();
        keys.filter(|key| !OF_A_RUN.contains(&key.as_str()))
            .filter_map(|key| Some((key.clone(), entry(first, key)?)))
            .filter(|(key, value)| {
                let mut others = self.all[1..].iter().map(|other| entry(other, key));
                others.all(|other| other.is_some_and(|other| same(value, &other)))
            })
            .collect()
    }

    /// What they are, for a record: each file with its SHA-256 and the samples that it was made of.
    pub(super) fn described(&self) -> Result<Value> {
        let entry = |one: &NamedTable| -> Result<Value> {
            let mut entry = one.described()?;
            if let Some(samples) = one.table.meta.get("samples") {
                entry.insert("samples".to_owned(), samples.clone());
            }
            Ok(Value::Object(entry))
        };
        self.all.iter().map(entry).collect()
    }
}

/// Refuses two results of the very same particles, which are no two realisations.
fn apart(all: &[NamedTable]) -> Result<()> {
    let mut seen = HashMap::new();
    for one in all {
        let Some(particles) = particles(&one.table) else {
            continue;
        };
        if let Some(before) = seen.insert(particles, &one.name) {
            bail!(
                "{} and {} were counted from the same particles: their job fingerprints are the same, and each realisation counts once",
                before,
                one.name
            );
        }
    }
    Ok(())
}
