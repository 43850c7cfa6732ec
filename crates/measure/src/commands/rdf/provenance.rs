//! What the g(r) of a trajectory was made of, for its record.
//!
//! Entries: [`Digests`] of files, which are made while frames are counted, and [`note`] of what was asked.

use std::path::{Path, PathBuf};

use albireo::Domain;
use albireo_catalogs::{CatalogError, Hashing};
use albireo_samples::{Selection, box_record};
use anyhow::Result;
use serde_json::{Map, Value, json};

use super::flags::FrameFlags;
use crate::cuts::ExclusionFlags;
use crate::record::Record;
use crate::session::Session;

/// The SHA-256 of files in the making.
pub(super) struct Digests {
    paths: Vec<PathBuf>,
    hashing: Hashing,
}

impl Digests {
    /// Begins with those that are plain files, on the first rank.
    pub(super) fn begin<'a>(paths: impl Iterator<Item = &'a Path>, session: &Session<'_>) -> Self {
        let is_first = session.is_first();
        let plain = paths.filter(|path| path.is_file() && is_first);
        let mut paths: Vec<PathBuf> = plain.map(Path::to_owned).collect();
        paths.sort();
        paths.dedup();
        let hashing = Hashing::begin_all(paths.clone(), &session.watch.stop());
        Self { paths, hashing }
    }

    /// Waits for them; a signal leaves them out.
    pub(super) fn note(self, record: &mut Record) -> Result<()> {
        let digests = match self.hashing.finish_all() {
            Err(CatalogError::Interrupted { .. }) => return Ok(()),
            digests => digests?,
        };
        let names = self.paths.iter().map(|path| path.display().to_string());
        let of: Map<String, Value> = names.zip(digests.into_iter().map(Value::from)).collect();
        if !of.is_empty() {
            record.set("sha256", of);
        }
        Ok(())
    }
}

/// Notes which particles and pairs were asked for, the box of the first frame and the unit of length.
pub(super) fn note(
    record: &mut Record,
    (flags, selection, excluded): (&FrameFlags, &Selection, &ExclusionFlags),
    (domain, from): (Option<&Domain>, &str),
    unit: Option<&str>,
) {
    if let Some(path) = &flags.topology {
        record.set("topology", path.display().to_string());
    }
    let mut selections = flags.selections();
    if let Some(filter) = &selection.filter {
        selections.insert("where".to_owned(), json!(filter));
    }
    if !selections.is_empty() {
        record.set("selections", selections);
    }
    let mut exclusions = Map::new();
    if let Some(column) = &excluded.group {
        exclusions.insert("group".to_owned(), json!(column));
    }
    if let Some(path) = &excluded.bonds {
        exclusions.insert("bonds".to_owned(), json!(path.as_path()));
    }
    if let Some(bonds) = flags.bonds_between() {
        exclusions.insert("bonded".to_owned(), json!(bonds));
    }
    if !exclusions.is_empty() {
        record.set("exclusions", exclusions);
    }
    if let Some(domain) = domain {
        record.set("box", box_record(domain, from));
    }
    if let Some(unit) = unit {
        record.set("unit", unit);
    }
}
