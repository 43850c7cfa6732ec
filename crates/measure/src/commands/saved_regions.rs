//! Counts by region made before: what `--region-counts` wrote, given to `--rr` and `--reuse`.
//!
//! Entry: [`read`] and [`find`]. Besides what a count must satisfy, every particle must lie in the region that it was counted in.

use std::path::Path;

use albireo::Counts;
use albireo::counts::JobId;
use albireo::estimators::Term;
use albireo_catalogs::{ResultKind, Table};
use anyhow::{Context, Result, bail};
use serde_json::Value;

use super::saved_counts::{Expected, check_entry, text};
use crate::counted::fingerprint;
use crate::saved::{records, region_rows};

/// Refuses a table without regions, or with others than `regions`, the record of those that the samples are cut into.
fn check_regions(table: &Table, regions: &Value) -> Result<()> {
    let kind = table.kind()?;
    if kind != ResultKind::RegionCounts {
        bail!(
            "it is a {} and holds no pairs by region: take what --region-counts wrote",
            kind.name()
        );
    }
    let have = table.meta.get("regions").unwrap_or(&Value::Null);
    if have != regions {
        bail!("it was counted in the regions {have}, not {regions}");
    }
    Ok(())
}

/// The count called `name` in a table, if it is the one expected.
fn taken_over(
    table: &Table,
    (name, record): (&str, &Value),
    expected: &Expected<'_>,
) -> Result<Counts> {
    check_entry(table, record, expected)?;
    let print = fingerprint(JobId::with_labels(&expected.job));
    let found = text(record, "job_with_regions");
    if found != print {
        bail!(
            "its particles lie in other regions: the fingerprint of {name} with its regions is {found}, that of this job {print}"
        );
    }
    let rows = region_rows(table, name, expected.bins.n_bins())?;
    let mut all = rows.iter().flatten();
    if all.any(|rows| rows.weight.is_some() != expected.job.pairs().have_weights()) {
        bail!("{name}: this job and the file do not both have weights");
    }
    let regions = rows
        .into_iter()
        .map(|parts| parts.map(|rows| (rows.npairs, rows.weight)));
    let counts = Counts::of_job_by_region(&expected.job, expected.bins, regions.collect())?;
    let counts = counts.with_cuts(expected.cuts.clone());
    Ok(counts.with_exactness(expected.exactness))
}

/// The count of a term saved in a result, if it is the one expected: what `--rr` asks for.
pub(super) fn read(
    (path, table): (&Path, &Table),
    term: Term,
    expected: &Expected<'_>,
    regions: &Value,
) -> Result<Counts> {
    let taken = check_regions(table, regions).and_then(|()| {
        let record = records(table)?.get(term.name);
        let record = record.with_context(|| format!("it holds no {}", term.name))?;
        taken_over(table, (term.name, record), expected)
    });
    taken.with_context(|| format!("--rr {} does not fit", path.display()))
}

/// The count of the job expected, if a table holds it, under any name: what `--reuse` asks for.
pub(super) fn find(
    (path, table): (&Path, &Table),
    expected: &Expected<'_>,
    regions: &Value,
) -> Result<Option<Counts>> {
    let job = fingerprint(JobId::of(&expected.job));
    let taken = || {
        check_regions(table, regions)?;
        let mut all = records(table)?.iter();
        let own = all.find(|(_, record)| text(record, "job") == job);
        let own = own.map(|(name, record)| taken_over(table, (name, record), expected));
        own.transpose()
    };
    taken().with_context(|| format!("--reuse {} does not fit", path.display()))
}
