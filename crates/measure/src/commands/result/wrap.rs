//! `albireo result wrap`: both signs of mu or pi put together.

use albireo::Counts;
use albireo_catalogs::{ResultKind, Table};
use anyhow::{Context, Result};
use clap::Args;

use super::counts::PairCounts;
use super::saved::{NamedTable, made_of_one};
use crate::args::OutputFlags;
use crate::paths::ReadFile;
use crate::record::Record;
use crate::session::Session;

/// Arguments of `result wrap`.
#[derive(Debug, Args)]
pub(crate) struct Wrap {
    /// Pair counts of `albireo count` over signed mu or pi
    #[arg(value_name = "RESULT")]
    result: ReadFile,
    #[command(flatten)]
    output: OutputFlags,
}

/// The counts of `input` over |mu| or |pi|.
fn wrapped(input: &NamedTable, record: Record) -> Result<Table> {
    input.check_counts("folded")?;
    let place = || input.name.clone();
    let map = input.axes()?.wrap().with_context(place)?;
    let counts = PairCounts::of(input)?.made(map.axes(), Counts::wrap);
    let counts = counts.with_context(place)?;
    let mut record = input.record_of_made(map.axes(), record)?;
    record.set("counts", counts.record());
    let columns = counts.columns()?;
    Ok(record.table(ResultKind::Counts, columns))
}

impl Wrap {
    /// Reads, folds, prints and writes.
    pub(crate) fn run(self, session: &Session<'_>) -> Result<()> {
        made_of_one(&self.result, &self.output, session, wrapped)
    }
}
