//! `albireo result renormalise`: pair counts with another total weight.

use albireo_catalogs::{ResultKind, Table};
use anyhow::{Context, Result};
use clap::Args;

use super::counts::PairCounts;
use super::saved::{NamedTable, made_of_one};
use crate::args::OutputFlags;
use crate::group;
use crate::paths::ReadFile;
use crate::record::Record;
use crate::session::Session;
use crate::usage::usage;

/// Arguments of `result renormalise`.
#[derive(Debug, Args)]
#[command(next_help_heading = group::WEIGHTS)]
pub(crate) struct Renormalise {
    /// Pair counts of `albireo count`
    #[arg(value_name = "RESULT")]
    result: ReadFile,
    /// Total weight of all pairs; weights in bins are scaled with it
    #[arg(long, value_name = "W")]
    total_weight: f64,
    #[command(flatten)]
    output: OutputFlags,
}

/// Refuses a total that nothing can be normalised by.
fn check_total(wanted: f64) -> Result<()> {
    if wanted > 0.0 && wanted.is_finite() {
        return Ok(());
    }
    Err(usage(format!(
        "--total-weight: a number above 0 is needed, found {wanted}"
    )))
}

/// The counts of `input` with weights that add up to `total_weight`.
fn renormalised(input: &NamedTable, total_weight: f64, record: Record) -> Result<Table> {
    check_total(total_weight)?;
    input.check_counts("given another total")?;
    let counts = PairCounts::of(input)?;
    let before = counts.counts.total();
    let before = before.normalisation(counts.counts.is_weighted());
    let axes = counts.axes.clone();
    let scaled = counts.made(&axes, |counts| counts.renormalise(total_weight));
    let scaled = scaled.with_context(|| input.name.clone())?;
    let mut record = input.record_of_made(&axes, record)?;
    record.set("counts", scaled.record());
    record.set("renormalised_by", total_weight / before);
    let columns = scaled.columns()?;
    Ok(record.table(ResultKind::Counts, columns))
}

impl Renormalise {
    /// Reads, multiplies, prints and writes.
    pub(crate) fn run(self, session: &Session<'_>) -> Result<()> {
        let total = self.total_weight;
        made_of_one(&self.result, &self.output, session, |input, record| {
            renormalised(input, total, record)
        })
    }
}
