//! Counts of split randoms read back: all pairs in the first bins beside those within subsets, each with its total.
//!
//! Entry: [`saved_term`], [`saved_term_by_region`]. Counts that are not split are those of `saved`.

use albireo::counts::{JobId, PairTotal, Split};
use albireo::estimators::{SplitRandoms, TermCount};
use albireo::{Bins, Counts};
use albireo_catalogs::Table;
use anyhow::{Context, Result};
use serde_json::Value;

use crate::row_sums::RowSums;
use crate::saved::{counts_of, prefix_of, record_of, region_rows, restored, saved_count, total_of};

/// The count of this name as it was made, in bins that are known to be those of the result.
pub(crate) fn saved_term(table: &Table, name: &str, bins: &Bins) -> Result<TermCount> {
    let record = record_of(table, name)?;
    let Some(above) = record["split"]["above"].as_f64() else {
        return Ok(saved_count(table, name, bins)?.into());
    };
    // However many subsets there were, the bins of all pairs end there.
    let near_bins = Split::new(2, Some(above))?.near_bins(bins)?;
    let near_bins = near_bins.with_context(|| format!("{name}: nothing lies below {above}"))?;
    let rows = RowSums::read(table, prefix_of(table, name)?)?;
    let n = near_bins.n_bins();
    let below = total_of(name, &record["split"]["below"])?;
    let near = (rows.rows(0..n), below);
    let far = (rows.without_first(n)?, total_of(name, record)?);
    // The jobs that are listed are the subsets.
    let mut of_all = record.clone();
    of_all
        .as_object_mut()
        .and_then(|entries| entries.remove("jobs"));
    let near = restored(table, (name, &of_all), &near_bins, near)?;
    let far = restored(table, (name, record), bins, far)?;
    Ok(SplitRandoms::new(near, far)?.into())
}

/// A count kept apart by region, as a table that `--region-counts` wrote has it.
pub(crate) fn saved_term_by_region(
    table: &Table,
    name: &str,
    whole: TermCount,
) -> Result<TermCount> {
    let of_count = table.meta.get("region_totals");
    let of_count = of_count.and_then(|totals| totals.get(name));
    let totals_of = |part: &str| {
        let totals = of_count.and_then(|totals| totals.get(part));
        totals.with_context(|| format!("no metadata `region_totals` of {name}"))
    };
    let totals = [totals_of("within")?, totals_of("across")?];
    let read = |bins: &Bins| region_rows(table, name, bins.n_bins());
    match whole {
        TermCount::Whole(whole) => {
            let rows = read(whole.binning())?;
            Ok(by_region(name, &whole, rows, totals)?.into())
        }
        TermCount::Split(split) => {
            let rows = read(split.far().binning())?;
            let n = split.near().binning().n_bins();
            let first = rows
                .iter()
                .map(|parts| parts.each_ref().map(|rows| rows.rows(0..n)));
            let below = totals.map(|totals| &totals["below"]);
            let near = by_region(name, split.near(), first.collect(), below)?;
            let rest = rows
                .iter()
                .map(|[within, across]| Ok([within.without_first(n)?, across.without_first(n)?]));
            let rest = rest.collect::<Result<Vec<_>>>()?;
            let far = by_region(name, split.far(), rest, totals)?;
            Ok(SplitRandoms::new(near, far)?.into())
        }
    }
}

/// The total of a region among those listed.
fn total(listed: &Value, k: usize, of: PairTotal) -> Result<PairTotal> {
    let entry = |key: &str| listed.get(key).and_then(|values| values.get(k));
    let pairs = match listed.get("pairs") {
        Some(Value::Null) => Some(0),
        _ => entry("pairs").and_then(Value::as_u64),
    };
    let weight = entry("weight").and_then(Value::as_f64);
    Ok(PairTotal {
        pairs: pairs.context("no total of pairs")?,
        weight: weight.context("no total weight")?,
        ..of
    })
}

/// A count with the rows of each region and their totals.
fn by_region(
    name: &str,
    whole: &Counts,
    rows: Vec<[RowSums; 2]>,
    [within, across]: [&Value; 2],
) -> Result<Counts> {
    let part = |rows: RowSums, (part, totals): (&str, &Value), k: usize| -> Result<Counts> {
        let place = || format!("{name}, region {k}");
        let total = total(totals, k, whole.total()).with_context(place)?;
        let unnumbered = rows.unnumbered;
        let of = |npairs, weight| {
            let sums = (npairs, weight, unnumbered);
            counts_of(whole.binning(), sums, total, JobId(k as u64))
        };
        let counts = rows.counts(&format!("{name}_{part}"), of);
        let counts = counts.with_context(place)?;
        Ok(counts.with_exactness(whole.exactness()))
    };
    let parts = rows.into_iter().enumerate().map(|(k, [inside, border])| {
        let inside = part(inside, ("within", within), k)?;
        Ok([inside, part(border, ("across", across), k)?])
    });
    let parts = parts.collect::<Result<Vec<_>>>()?;
    whole.with_regions(&parts).with_context(|| name.to_owned())
}
