//! What `count` and `rdf` share: one file or two, and everything about them.
//!
//! Entry: [`PairFlags`]. It counts nothing.

use std::path::PathBuf;

use clap::Args;

use crate::args::{ColumnFlags, DataFlags, OutputFlags, RunFlags, SecondFlags, SpaceFlags};
use crate::sample::Source;

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

impl PairFlags {
    /// The files to read; flags of the second alone mean another part of the first file.
    pub(super) fn sources(&self, data: PathBuf, second: Option<PathBuf>) -> Vec<Source> {
        let first = ColumnFlags::from(self.columns.clone());
        let other = ColumnFlags::from(self.second_columns.clone());
        let second = second.or_else(|| other.any().then(|| data.clone()));
        let second = second.map(|path| Source {
            role: "second",
            path,
            flags: other.or(&first).resolved(),
        });
        std::iter::once(Source {
            role: "data",
            path: data,
            flags: first.resolved(),
        })
        .chain(second)
        .collect()
    }
}
