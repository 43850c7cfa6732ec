//! Saved results of one measurement, one a realisation: mocks, frames, repeated runs.
//!
//! Entry: [`Realisations::read`], which refuses what does not belong together.

use std::collections::HashMap;
use std::path::{Path, PathBuf};

use albireo_catalogs::{ResultKind, Table, sha256};
use anyhow::{Context, Result, bail};
use serde_json::{Map, Value, json};

use super::saved;
use super::settings::{difference, same};
use crate::catalogs::Files;
use crate::progress::{NothingToKeep, check_stop};
use crate::usage::usage;

/// Entries of a record that are about one run, not about the measurement.
const OF_A_RUN: [&str; 15] = [
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
];

/// A saved result and where it lies.
#[derive(Debug)]
pub(super) struct Realisation {
    pub(super) path: PathBuf,
    pub(super) table: Table,
}

/// Two results or more, with the same settings and bins.
#[derive(Debug)]
pub(super) struct Realisations {
    all: Vec<Realisation>,
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

impl Realisations {
    /// Reads the files, at least two, and refuses the first that differs from the one before all in a setting, or was counted from the
    /// very particles of another.
    pub(super) fn read(files: &[Files]) -> Result<Self> {
        let _reading = NothingToKeep::begin();
        let paths = paths(files)?;
        if paths.len() < 2 {
            let found: Vec<String> = paths
                .iter()
                .map(|path| path.display().to_string())
                .collect();
            return Err(usage(format!(
                "at least 2 results are needed, one a realisation, found {}: {}",
                found.len(),
                found.join(", ")
            )));
        }
        let mut all: Vec<Realisation> = Vec::with_capacity(paths.len());
        let mut kind = None;
        for path in paths {
            check_stop()?;
            let (table, found) = saved::whole(&path)?;
            kind.get_or_insert(found);
            if let Some(first) = all.first()
                && let Some(difference) = difference(&first.table, &table)
            {
                let (path, first) = (path.display(), first.path.display());
                bail!("{path} is no realisation of what {first} measures: {difference}");
            }
            all.push(Realisation { path, table });
        }
        apart(&all)?;
        let kind = kind.context("no results")?;
        Ok(Self { all, kind })
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
    pub(super) fn iter(&self) -> impl Iterator<Item = &Realisation> {
        self.all.iter()
    }

    /// The first, which tells the bins of all.
    pub(super) fn first(&self) -> &Realisation {
        &self.all[0]
    }

    /// The entries of their records that all have in common, but for those about a run.
    pub(super) fn common(&self) -> Map<String, Value> {
        let entry = |one: &Realisation, key: &str| -> Option<Value> {
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
        let entry = |one: &Realisation| -> Result<Value> {
            check_stop()?;
            let mut entry = json!({"path": one.path, "sha256": sha256(&one.path)?});
            if let (Some(samples), Some(entry)) =
                (one.table.meta.get("samples"), entry.as_object_mut())
            {
                entry.insert("samples".to_owned(), samples.clone());
            }
            Ok(entry)
        };
        self.all.iter().map(entry).collect()
    }
}

/// Refuses two results of the very same particles, which are no two realisations.
fn apart(all: &[Realisation]) -> Result<()> {
    let mut seen = HashMap::new();
    for one in all {
        let Some(particles) = particles(&one.table) else {
            continue;
        };
        if let Some(before) = seen.insert(particles, &one.path) {
            bail!(
                "{} and {} were counted from the same particles: their job fingerprints are the same, and each realisation counts once",
                before.display(),
                one.path.display()
            );
        }
    }
    Ok(())
}
