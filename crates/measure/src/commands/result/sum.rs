//! `albireo result sum`: pair counts of several realisations, added.

use albireo::counts::{JobId, PairTotal};
use albireo_catalogs::{ResultKind, Table};
use anyhow::{Context, Result, bail};
use clap::Args;
use serde_json::Value;

use super::counts::PairCounts;
use super::realisations::Realisations;
use super::saved::NamedTable;
use crate::args::OutputFlags;
use crate::catalogs::Files;
use crate::record::Record;
use crate::session::Session;
use crate::tables::shown_names;

/// Arguments of `result sum`.
#[derive(Debug, Args)]
pub(crate) struct Sum {
    /// Pair counts of `albireo count`, of different particles in the same bins; several by a quoted pattern
    ///
    /// E.g. 'dd_*.csv'.
    #[arg(required = true, value_name = "RESULT")]
    results: Vec<Files>,
    #[command(flatten)]
    output: OutputFlags,
}

/// Whether all records of counts have an entry of one of these names, or hold no pair.
fn all_know(all: &[PairCounts<'_>], keys: &[&str]) -> bool {
    let knows = |one: &PairCounts<'_>| {
        let record = one.record();
        let record = record.get(&one.name).and_then(Value::as_object);
        record.is_some_and(|record| keys.iter().any(|key| record.contains_key(*key)))
    };
    all.iter().all(knows)
}

/// Refuses counts of other pairs than the first, or with other columns.
fn check_alike(all: &[(&NamedTable, PairCounts<'_>)]) -> Result<()> {
    let of = |one: &PairCounts<'_>| format!("{}, {}", one.name, one.counts.kind());
    let Some((first, counts)) = all.first() else {
        return Ok(());
    };
    let expected = shown_names(&first.table).join(", ");
    for (one, own) in all {
        let differs = |what: &str, found: String, expected: String| {
            let (name, first) = (&one.name, &first.name);
            bail!("{name} cannot be added to {first}: its {what}: {found}, not {expected}")
        };
        if of(own) != of(counts) {
            return differs("pairs", of(own), of(counts));
        }
        let found = shown_names(&one.table).join(", ");
        if found != expected {
            return differs("columns", found, expected);
        }
    }
    Ok(())
}

/// The counts of all realisations, added.
fn summed(realisations: &Realisations, mut record: Record) -> Result<Table> {
    let first = realisations.first();
    if realisations.kind() != ResultKind::Counts {
        bail!(
            "{}: pair counts can be added, such as `albireo count` writes, found {}",
            first.name,
            realisations.kind().phrase()
        );
    }
    let read = |one| Ok((one, PairCounts::of(one)?));
    let all = realisations.iter().map(read).collect::<Result<Vec<_>>>()?;
    check_alike(&all)?;
    let mut counts: Vec<_> = all.into_iter().map(|(_, counts)| counts).collect();
    let mut unknown = vec![];
    if !all_know(&counts, &["design_effect"]) {
        unknown.push("design_effect");
    }
    if !all_know(&counts, &["job", "jobs"]) {
        // Realisations all the same, whose particles the files do not tell.
        unknown.push("jobs");
        for (k, one) in counts.iter_mut().enumerate() {
            let total: PairTotal = one.counts.total();
            one.counts = one.counts.clone().with_jobs(&[(JobId(k as u64), total)])?;
        }
    }
    let two_words = |one: &PairCounts<'_>| one.counts.is_in_two_words();
    if counts.iter().any(two_words) && !counts.iter().all(two_words) {
        // Products were rounded in different places: no bound is that of all.
        for one in &mut counts {
            one.counts = one.counts.clone().with_weight_bound(0.0, false);
        }
    }
    let names = realisations.iter().map(|one| &one.name);
    let mut others = counts.into_iter().zip(names);
    let (mut sum, _) = others.next().context("no results")?;
    for (other, name) in others {
        let merged = sum.counts.merge(&other.counts);
        merged.with_context(|| format!("{name} cannot be added to {}", first.name))?;
    }
    for (key, value) in realisations.common() {
        record.set(&key, value);
    }
    record.set("counts", sum.own_record(&unknown));
    record.set("realisations", realisations.described()?);
    let columns = sum.columns()?;
    Ok(record.table(ResultKind::Counts, columns))
}

impl Sum {
    /// Reads, adds, prints and writes.
    pub(crate) fn run(self, session: &Session<'_>) -> Result<()> {
        let inputs: Vec<_> = self.results.iter().flat_map(Files::iter).collect();
        session.sink.check_counts(&self.output, &[], &inputs)?;
        let record = Record::begin(session.arguments);
        let realisations = Realisations::read(&self.results, session)?;
        session
            .sink
            .deliver(&summed(&realisations, record)?, &self.output)
    }
}
