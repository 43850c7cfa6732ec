//! `albireo result rebin`: pair counts in coarser bins, and xi of them.

use albireo_catalogs::{ResultKind, Table};
use anyhow::{Context, Result};
use clap::Args;
use std::num::NonZeroUsize;

use super::along::Along;
use super::counts::PairCounts;
use super::estimate::of_saved;
use super::saved::{NamedTable, made_of_one};
use crate::args::ScaledOutputFlags;
use crate::commands::derived::Derived;
use crate::group;
use crate::paths::ReadFile;
use crate::record::Record;
use crate::session::Session;

/// Arguments of `result rebin`.
#[derive(Debug, Args)]
pub(crate) struct Rebin {
    /// Pair counts of `albireo count`, or xi with its counts; files of lsstypes with either
    #[arg(value_name = "RESULT")]
    result: ReadFile,
    #[command(flatten)]
    neighbours: Neighbours,
    #[command(flatten)]
    output: ScaledOutputFlags,
}

/// How many neighbouring bins become one, along the axes.
#[derive(Debug, Args)]
#[command(next_help_heading = group::BINS)]
struct Neighbours {
    /// Neighbouring bins in r, s, rp or theta that become one
    #[arg(long, value_name = "N")]
    by: Option<NonZeroUsize>,
    /// Neighbouring bins in mu that become one
    #[arg(long, value_name = "N")]
    mu_by: Option<NonZeroUsize>,
    /// Neighbouring bins in pi that become one
    #[arg(long, value_name = "N")]
    pi_by: Option<NonZeroUsize>,
}

/// The counts of `input` in coarser bins; of xi with its counts, xi in them.
fn rebinned(
    input: &NamedTable,
    by: &Neighbours,
    record: Record,
    session: &Session<'_>,
) -> Result<Table> {
    let along = Along {
        flag: "by",
        first: by.by,
        mu: by.mu_by,
        pi: by.pi_by,
        z: None,
    };
    let fine = input.axes()?;
    let by = along.each(&fine)?.into_iter();
    let by: Vec<usize> = by.map(|by| by.map_or(1, NonZeroUsize::get)).collect();
    if input.kind()? == ResultKind::Correlation {
        let estimated = of_saved(input, &by, None, record, session)?;
        return Ok(Derived::Xi.table(&estimated, None, false)?.table);
    }
    input.check_counts("put together")?;
    let place = || input.name.clone();
    let map = fine.rebin(&by).with_context(place)?;
    let counts = PairCounts::of(input)?;
    let coarse = counts.made(map.axes(), |counts| counts.rebin(&by));
    let columns = coarse.with_context(place)?.columns()?;
    let record = input.record_of_made(map.axes(), record)?;
    Ok(record.table(ResultKind::Counts, columns))
}

impl Rebin {
    /// Reads, adds, prints and writes.
    pub(crate) fn run(self, session: &Session<'_>) -> Result<()> {
        made_of_one(
            &self.result,
            &self.output.output(),
            session,
            |input, record| rebinned(input, &self.neighbours, record, session),
        )
    }
}
