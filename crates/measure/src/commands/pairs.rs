//! What `count` and `rdf` share: one file or two, and everything about them.
//!
//! Entry: [`PairFlags`]. It counts nothing.

use albireo_samples::{Selection, Source};
use anyhow::Result;
use clap::Args;

use crate::args::{DataFlags, OutputFlags, RunFlags, SecondFlags, SpaceFlags};
use crate::catalogs::Files;
use crate::usage::usage;

/// Columns, space, engine and output of a count of pairs within a file or between two.
#[derive(Debug, Args)]
pub(super) struct PairFlags {
    #[command(flatten)]
    columns: DataFlags,
    #[command(flatten)]
    second_columns: SecondFlags,
    #[command(flatten)]
    pub(super) space: SpaceFlags,
    #[command(flatten)]
    pub(super) run: RunFlags,
    #[command(flatten)]
    pub(super) output: OutputFlags,
}

/// The same selection with the column of the groups.
pub(super) fn grouped(selection: Selection, group: Option<&str>) -> Selection {
    let group = group.map(str::to_owned);
    Selection { group, ..selection }
}

impl PairFlags {
    /// The columns and rows of the first file.
    pub(super) fn selection(&self) -> Selection {
        Selection::from(self.columns.clone())
    }

    /// Whether a flag of a second file is given.
    pub(super) fn has_second(&self) -> bool {
        Selection::from(self.second_columns.clone()).any()
    }

    /// The files to read, with the column of their groups; flags of the second alone mean another part of the first file.
    pub(super) fn sources(
        &self,
        data: Files,
        second: Option<Files>,
        group: Option<&str>,
    ) -> Result<Vec<Source>> {
        let first = Selection::from(self.columns.clone());
        let other = Selection::from(self.second_columns.clone());
        let other_part = other.filter.is_some() || other.table.is_some() || !other.rows.is_all();
        if second.is_none() && other.any() && !other_part {
            return Err(usage(
                "the --cross flags need a second sample, --cross FILE, or --cross-where, --cross-table, --cross-rows or --cross-every for another part of the first",
            ));
        }
        let second = second.or_else(|| other_part.then(|| data.clone()));
        let second = second.map(|files| Source {
            role: "second".to_owned(),
            paths: files.paths,
            selection: grouped(other.or(&first).resolved(), group),
        });
        let data = Source {
            role: "data".to_owned(),
            paths: data.paths,
            selection: grouped(first.resolved(), group),
        };
        Ok(std::iter::once(data).chain(second).collect())
    }
}
