//! Counts by region made before: what `--region-counts` wrote, given to `--rr` and `--reuse`.
//!
//! Entry: [`read`] and [`find`]. Besides what a count must satisfy, every particle must lie in the region that it was counted in.

use std::path::Path;

use albireo::Counts;
use albireo::counts::{ExactSums, JobId, RegionCounts};
use albireo::estimators::Term;
use albireo_catalogs::{ResultKind, Table};
use anyhow::{Context, Result, bail};
use serde_json::Value;

use super::saved_counts::{Expected, check_entry, text};
use crate::counted::fingerprint;
use crate::saved::{floats, integers, records};

/// The pairs within regions or across their borders: of each region those in each bin, and their weights where there are any.
type Parts = Vec<(Vec<u64>, Option<Vec<f64>>)>;

/// The names of both kinds of parts.
const PARTS: [&str; 2] = ["within", "across"];

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

/// The values of a count, region by region.
fn parts(table: &Table, name: &str, bins: usize) -> Result<[Parts; 2]> {
    let of = |part: &str| -> Result<Parts> {
        let npairs = integers(table, &format!("{name}_{part}_npairs"))?;
        let weight = floats(table, &format!("{name}_{part}_weight")).ok();
        let regions = npairs.chunks(bins).map(<[u64]>::to_vec).enumerate();
        let one = |(k, npairs): (usize, Vec<u64>)| {
            let rows = k * bins..(k + 1) * bins;
            let weight = weight.map(|weight| weight.get(rows).unwrap_or_default().to_vec());
            (npairs, weight)
        };
        Ok(regions.map(one).collect())
    };
    Ok([of(PARTS[0])?, of(PARTS[1])?])
}

/// All pairs: those within regions, and half of those across borders, each of which is of two regions.
fn whole([within, across]: &[Parts; 2], bins: usize) -> (Vec<u64>, Option<Vec<f64>>) {
    let pairs = |parts: &Parts, bin: usize| -> u64 {
        let all = parts.iter().filter_map(|(npairs, _)| npairs.get(bin));
        all.sum()
    };
    let weight = |parts: &Parts, bin: usize| -> Option<f64> {
        let all = parts.iter().map(|(_, weight)| weight.as_ref()?.get(bin));
        all.sum()
    };
    let npairs = (0..bins).map(|bin| pairs(within, bin) + pairs(across, bin) / 2);
    let weights = (0..bins).map(|bin| Some(weight(within, bin)? + 0.5 * weight(across, bin)?));
    (npairs.collect(), weights.collect())
}

/// The count called `name` in a table, if it is the one expected.
fn taken_over(
    table: &Table,
    (name, record): (&str, &Value),
    expected: &Expected<'_>,
) -> Result<RegionCounts> {
    check_entry(table, record, expected)?;
    let print = fingerprint(JobId::with_labels(&expected.job));
    let found = text(record, "job_with_regions");
    if found != print {
        bail!(
            "its particles lie in other regions: the fingerprint of {name} with its regions is {found}, that of this job {print}"
        );
    }
    let bins = expected.bins.n_bins();
    let parts = parts(table, name, bins)?;
    let (npairs, weight) = whole(&parts, bins);
    if weight.is_some() != expected.job.pairs().have_weights() {
        bail!("{name}: this job and the file do not both have weights");
    }
    let weight = weight
        .map(|weight| ExactSums::from_parts(&[weight]))
        .transpose()?;
    let whole = Counts::of_job(&expected.job, expected.bins, npairs, weight)?;
    let whole = whole.with_cuts(expected.cuts.clone());
    let whole = whole.with_exactness(expected.exactness);
    let [within, across] = parts;
    let regions = within.into_iter().zip(across);
    let regions = regions.map(|(within, across)| [within, across]).collect();
    Ok(RegionCounts::of_job(&expected.job, whole, regions)?)
}

/// The count of a term saved in `path`, if it is the one expected: what `--rr` asks for.
pub(super) fn read(
    path: &Path,
    term: Term,
    expected: &Expected<'_>,
    regions: &Value,
) -> Result<RegionCounts> {
    let table = Table::read(path)?;
    let taken = check_regions(&table, regions).and_then(|()| {
        let record = records(&table)?.get(term.name);
        let record = record.with_context(|| format!("it holds no {}", term.name))?;
        taken_over(&table, (term.name, record), expected)
    });
    taken.with_context(|| format!("--rr {} does not fit", path.display()))
}

/// The count of the job expected, if a table holds it, by whatever name: what `--reuse` asks for.
pub(super) fn find(
    (path, table): (&Path, &Table),
    expected: &Expected<'_>,
    regions: &Value,
) -> Result<Option<RegionCounts>> {
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
