//! Counts made before: `--rr FILE` and `--reuse FILE`.
//!
//! Entry: [`read`], [`Saved`]. A count is taken over only if it belongs to the very same particles, domain, bins and line of sight, and if its
//! numbers are such as these particles can have.

use std::path::Path;

use albireo::counts::{JobId, PairKind, PairTotal};
use albireo::engine::Exactness;
use albireo::tally::{Cut, Legendre, LegendreDegrees, weights_are_wide};
use albireo::{Bins, Counts, PairJob, Pairs};
use albireo_catalogs::{ResultKind, Table};
use albireo_pair_sums::ExpressionBins;
use anyhow::{Context, Result, anyhow, bail};
use serde_json::{Value, json};

use crate::counted::{cuts_record, fingerprint};
use crate::realised::check_one;
use crate::record::{BINS_OF, REACH};
use crate::results::Results;
use crate::row_sums::RowSums;
use crate::saved::{bins_of, is_unnumbered, prefix_of, random_pairs, records, saved_count};
use crate::tables::column_name;

/// How far the total of random pairs that another package counted may be from that of a job, relative: both are sums of products.
const SAME_TOTAL: f64 = 1e-9;

/// What a saved count must belong to.
pub(super) struct Expected<'a> {
    pub(super) bins: &'a Bins,
    pub(super) job: PairJob<'a>,
    pub(super) cuts: Vec<Cut>,
    pub(super) exactness: Exactness,
    /// The Legendre sums that it must hold.
    pub(super) legendre: LegendreDegrees,
}

/// Compares the bins and the line of sight of the file with those wanted.
fn check_bins(table: &Table, bins: &Bins) -> Result<()> {
    let saved = table.edges()?;
    let axes = bins.axes();
    // The separation of redshifts is called s, in any bins.
    let names = |names: Vec<&str>| match names[..] {
        ["s"] => "r".to_owned(),
        _ => names.join(", "),
    };
    let (have, want) = (
        names(saved.iter().map(|a| a.0.as_str()).collect()),
        names(axes.iter().map(|a| a.name).collect()),
    );
    if have != want {
        bail!("it was counted in bins of ({have}), not ({want})");
    }
    if let Some((axis, _)) = axes
        .iter()
        .zip(&saved)
        .find(|(axis, saved)| axis.edges != saved.1)
    {
        bail!(
            "it was counted in other bins: the edges in {} differ",
            axis.name
        );
    }
    let want = bins.line_of_sight().map(albireo::LineOfSight::name);
    let have = table.meta.get("line_of_sight").and_then(Value::as_str);
    if have != want {
        bail!(
            "it was counted along the line of sight {}, not {}",
            have.unwrap_or("none"),
            want.unwrap_or("none")
        );
    }
    if let Some(want) = bins.as_custom::<ExpressionBins>()
        && bins_of(table)? != *bins
    {
        let have = |key| table.meta.get(key).unwrap_or(&Value::Null);
        bail!(
            "it was counted in bins of {} within {}, not of {} within {}",
            have(BINS_OF),
            have(REACH),
            json!(want.texts()),
            json!(want.cutoff())
        );
    }
    Ok(())
}

/// Compares the totals of the file with those of the job, number by number.
fn check_totals(record: &Value, expected: &PairTotal) -> Result<()> {
    let differs = |key: &str, found: &Value, expected: String| {
        Err(anyhow!(
            "its metadata `{key}` is {found}, that of this job {expected}"
        ))
    };
    let pairs = record.get("total_pairs").unwrap_or(&Value::Null);
    if pairs.as_u64() != Some(expected.pairs) {
        return differs("total_pairs", pairs, expected.pairs.to_string());
    }
    let weight = record.get("total_weight").unwrap_or(&Value::Null);
    if weight.as_f64() != Some(expected.weight) {
        return differs("total_weight", weight, expected.weight.to_string());
    }
    // Results of the first version do not have it.
    match record.get("design_effect") {
        Some(effect) if effect.as_f64() != Some(expected.design_effect) => {
            differs("design_effect", effect, expected.design_effect.to_string())
        }
        _ => Ok(()),
    }
}

/// An entry of a record as text.
pub(super) fn text(record: &Value, key: &str) -> String {
    let text = record.get(key).and_then(Value::as_str);
    text.unwrap_or("missing").to_owned()
}

/// Refuses a count that is not the one expected, as its record tells.
pub(super) fn check_entry(table: &Table, record: &Value, expected: &Expected<'_>) -> Result<()> {
    table.check_whole()?;
    check_bins(table, expected.bins)?;
    if record.get("pair_weight").is_some() {
        bail!("it was counted with weights of pairs, of bits or of angles");
    }
    let text = |key: &str| text(record, key);
    let kind = PairKind::of(expected.job.pairs(), expected.bins.order());
    if text("kind") != kind.to_string() {
        bail!("it holds {} pairs, not {kind}", text("kind"));
    }
    let job = fingerprint(JobId::of(&expected.job));
    if text("job") != job {
        bail!(
            "it was counted from other randoms, weights or another box, or by another cosmology: its job fingerprint is {}, that of this job {job}",
            text("job")
        );
    }
    let none = Value::Array(vec![]);
    let (have, want) = (
        record.get("cuts").unwrap_or(&none),
        cuts_record(&expected.cuts),
    );
    if *have != want {
        bail!("it was counted with the cuts {have}, not {want}");
    }
    if let Some(split) = record.get("split") {
        bail!("its randoms were split ({split}): it does not hold all of their pairs");
    }
    let exact = expected.exactness.name();
    let arithmetic = record
        .get("arithmetic")
        .and_then(Value::as_str)
        .context("no `arithmetic`")?;
    if arithmetic != exact {
        bail!("it is {arithmetic}, the counts of this job are {exact}");
    }
    check_words(record, expected.job.pairs())?;
    check_totals(record, &PairTotal::of(expected.job.pairs(), kind))
}

/// Refuses weights summed in another number of words than this job's: those of wide range had one in older results.
fn check_words(record: &Value, pairs: Pairs<'_>) -> Result<()> {
    let have = record.get("weight_words").and_then(Value::as_u64) == Some(2);
    let want = weights_are_wide(pairs, 0);
    let words = |two: bool| if two { "two words" } else { "one word" };
    if have != want {
        let (have, want) = (words(have), words(want));
        bail!(
            "its weights were summed in {have} of fixed point, those of this job, by their range, in {want}: count it again"
        );
    }
    Ok(())
}

/// The count of this name, if it is the one expected.
fn taken_over(
    table: &Table,
    (name, record): (&str, &Value),
    expected: &Expected<'_>,
) -> Result<Counts> {
    check_entry(table, record, expected)?;
    let prefix = prefix_of(table, name)?;
    let saved = RowSums::read(table, prefix)?;
    let weighted = expected.job.pairs().have_weights();
    if saved.weight.is_some() != weighted {
        bail!(
            "it has {}weights, this job has {}",
            if weighted { "no " } else { "" },
            if weighted { "them" } else { "none" }
        );
    }
    let wanted = expected.legendre.iter().filter(|l| *l != Legendre::L0);
    let legendre = wanted.map(|l| {
        let found = saved.legendre.iter().find(|(saved, _)| *saved == l);
        found.cloned().with_context(|| {
            let degrees = expected.legendre.iter().map(Legendre::degree);
            let degrees: Vec<_> = degrees.filter(|&l| l > 0).map(|l| l.to_string()).collect();
            let (name, degrees) = (format!("L{}", l.degree()), degrees.join(","));
            let name = column_name(prefix, &name);
            format!("it has no Legendre sums `{name}`: count it with --legendre {degrees}")
        })
    });
    // What was not asked for here is left.
    let rows = RowSums {
        legendre: legendre.collect::<Result<_>>()?,
        separation: None,
        weighted_separation: None,
        ..saved
    };
    let of_job = |npairs, weight| Counts::of_job(&expected.job, expected.bins, npairs, weight);
    let counts = rows.counts(prefix, of_job)?;
    let counts = counts.with_cuts(expected.cuts.clone());
    Ok(counts.with_exactness(expected.exactness))
}

/// The count saved in a result, if it is the one expected.
pub(super) fn read((path, table): (&Path, &Table), expected: &Expected<'_>) -> Result<Counts> {
    let pairs = check_one(table).and_then(|()| random_pairs(table));
    let taken = pairs.and_then(|(name, record)| {
        check_whole(table)?;
        if is_unnumbered(table) {
            return weights_of(table, (name, record), expected);
        }
        taken_over(table, (name, record), expected)
    });
    taken.with_context(|| format!("--rr {} does not fit", path.display()))
}

/// The weights of random pairs that another package counted, if they can be those expected: in the same bins, with the total that its randoms have.
/// Nothing else says whose they are.
fn weights_of(
    table: &Table,
    (name, record): (&str, &Value),
    expected: &Expected<'_>,
) -> Result<Counts> {
    check_bins(table, expected.bins)?;
    if record.get("split").is_some() {
        bail!("its randoms were split: it does not hold all of their pairs");
    }
    if !expected.cuts.is_empty() || expected.legendre.iter().any(|l| l != Legendre::L0) {
        bail!("it holds weights in bins alone: no cuts, and no Legendre sums");
    }
    let saved = saved_count(table, name, expected.bins)?;
    let pairs = expected.job.pairs();
    let wanted = PairTotal::of(pairs, PairKind::of(pairs, expected.bins.order()));
    // A count that says nothing of its samples holds both orders of each pair.
    let times = match (saved.kind(), wanted.kind) {
        (PairKind::Cross, PairKind::AutoUnordered) => 2.0,
        _ => 1.0,
    };
    let (found, total) = (saved.total().weight, times * wanted.weight);
    if (found - total).abs() > SAME_TOTAL * total.abs() {
        bail!(
            "it was counted from other randoms or weights: all of its pairs weigh {found}, those of this job {total}"
        );
    }
    tracing::warn!(
        "{name} is taken by its bins and its total, {found}: nothing in the file says of which randoms it is, or how many pairs it holds; there \
         are no Poisson errors"
    );
    let weight = saved.renormalise(wanted.weight)?.weight_sums();
    let weight = weight.context("it has no weights")?;
    let job = JobId::of(&expected.job);
    Ok(Counts::of_weights(
        expected.bins.clone(),
        weight,
        (wanted.kind, wanted.weight),
        job,
    )?)
}

/// Refuses pairs kept apart by regions where none are asked for.
fn check_whole(table: &Table) -> Result<()> {
    if table.kind()? == ResultKind::RegionCounts {
        bail!(
            "it holds pairs by region: take it together with these regions, or the result beside it"
        );
    }
    Ok(())
}

/// A result whose counts may be used again.
pub(super) struct Saved<'a> {
    path: &'a Path,
    pub(super) table: Table,
}

impl<'a> Saved<'a> {
    /// Reads a result.
    pub(super) fn read(path: &'a Path, results: &Results) -> Result<Self> {
        let table = results.read(path)?;
        check_one(&table).with_context(|| format!("--reuse {} does not fit", path.display()))?;
        if is_unnumbered(&table) {
            bail!(
                "--reuse {} does not fit: its pairs have no numbers and no fingerprints, as those of lsstypes; --rr takes its RR",
                path.display()
            );
        }
        Ok(Self { path, table })
    }

    /// The file.
    pub(super) fn path(&self) -> &'a Path {
        self.path
    }

    /// The count of the job expected, if the result holds it, under any name: jobs are known by their particles, weights and box.
    pub(super) fn find(&self, expected: &Expected<'_>) -> Result<Option<Counts>> {
        let job = fingerprint(JobId::of(&expected.job));
        let taken = || {
            check_whole(&self.table)?;
            let mut all = records(&self.table)?.iter();
            let own = all.find(|(_, record)| text(record, "job") == job);
            let own = own.map(|(name, record)| taken_over(&self.table, (name, record), expected));
            own.transpose()
        };
        taken().with_context(|| format!("--reuse {} does not fit", self.path.display()))
    }
}
