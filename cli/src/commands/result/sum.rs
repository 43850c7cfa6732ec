//! `albireo result sum`: pair counts of several realisations, added.

use albireo::PairTotal;
use albireo::counts::PairKind;
use albireo_catalogs::{ResultKind, Table};
use anyhow::{Context, Result, bail};
use clap::Args;
use serde_json::{Map, Value, json};

use super::amounts::Amounts;
use super::grid::Grid;
use super::realisations::Realisations;
use crate::args::OutputFlags;
use crate::catalogs::Files;
use crate::output::{check, deliver};
use crate::record::{Arguments, Record};
use crate::tables::is_rest;

/// Arguments of `result sum`.
#[derive(Debug, Args)]
pub(crate) struct Sum {
    /// Pair counts that `albireo count` wrote, of different particles in the same bins; several by a quoted pattern, e.g. 'dd_*.csv'
    #[arg(required = true, value_name = "RESULT")]
    results: Vec<Files>,
    #[command(flatten)]
    output: OutputFlags,
}

/// All pairs of a count, in the bins or not, as its record has them.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Total {
    pub(super) name: String,
    pub(super) kind: String,
    pub(super) pairs: u64,
    pub(super) weight: f64,
    pub(super) design_effect: Option<f64>,
}

impl Total {
    /// The total of the only count of a table.
    pub(super) fn of(table: &Table) -> Result<Self> {
        let counts = table.meta.get("counts").and_then(Value::as_object);
        let (name, count) = counts
            .and_then(|counts| counts.iter().next())
            .context("the result has no metadata `counts`")?;
        let missing = |key: &str| format!("the metadata `counts` of {name} has no `{key}`");
        let get = |key: &'static str| count.get(key);
        Ok(Self {
            name: name.clone(),
            kind: get("kind")
                .and_then(Value::as_str)
                .with_context(|| missing("kind"))?
                .to_owned(),
            pairs: get("total_pairs")
                .and_then(Value::as_u64)
                .with_context(|| missing("total_pairs"))?,
            weight: get("total_weight")
                .and_then(Value::as_f64)
                .with_context(|| missing("total_weight"))?,
            design_effect: get("design_effect").and_then(Value::as_f64),
        })
    }

    /// The total of all together; its design effect where all have one.
    fn of_all(all: &[Self]) -> Result<Self> {
        let first = all.first().context("no totals")?;
        let mut pairs = all.iter().map(|one| one.pairs);
        let pairs = pairs.try_fold(0u64, u64::checked_add);
        pairs.context("the sum of `total_pairs` exceeds 2^64 - 1")?;
        // What kind of pairs they are has no part in it.
        let total = |one: &Self| PairTotal {
            weight: one.weight,
            design_effect: one.design_effect.unwrap_or(1.0),
            ..PairTotal::unweighted(PairKind::Cross, one.pairs)
        };
        let totals: Vec<_> = all.iter().map(total).collect();
        let sum = PairTotal::of_all(PairKind::Cross, &totals);
        let known = all
            .iter()
            .all(|one| one.pairs == 0 || one.design_effect.is_some());
        Ok(Self {
            pairs: sum.pairs,
            weight: sum.weight,
            design_effect: known.then_some(sum.design_effect),
            ..first.clone()
        })
    }

    /// The same with each pair that stands twice counted once.
    pub(super) fn halved(self) -> Self {
        Self {
            kind: "auto (each pair once)".to_owned(),
            pairs: self.pairs / 2,
            weight: self.weight / 2.0,
            ..self
        }
    }

    /// The record of the counts of a table of the same particles, with this total.
    pub(super) fn in_record_of(&self, table: &Table) -> Value {
        let mut counts = table.meta.get("counts").cloned().unwrap_or_default();
        if let Some(count) = counts.get_mut(&self.name).and_then(Value::as_object_mut) {
            count.insert("kind".to_owned(), json!(self.kind));
            count.insert("total_pairs".to_owned(), json!(self.pairs));
            count.insert("total_weight".to_owned(), json!(self.weight));
        }
        counts
    }

    /// As records have it.
    pub(super) fn record(&self, arithmetic: Option<&Value>) -> Value {
        let mut record = Map::new();
        record.insert("kind".to_owned(), json!(self.kind));
        record.insert("total_pairs".to_owned(), json!(self.pairs));
        record.insert("total_weight".to_owned(), json!(self.weight));
        if let Some(effect) = self.design_effect {
            record.insert("design_effect".to_owned(), json!(effect));
        }
        if let Some(arithmetic) = arithmetic {
            record.insert("arithmetic".to_owned(), arithmetic.clone());
        }
        let counts = std::iter::once((self.name.clone(), Value::Object(record)));
        Value::Object(counts.collect())
    }
}

/// Refuses counts of other pairs than the first, or with other columns.
fn check_alike(realisations: &Realisations, totals: &[Total]) -> Result<()> {
    let first = realisations.first();
    let names = |table: &Table| -> Vec<String> {
        let names = table.columns.iter().map(|column| &column.name);
        names.filter(|name| !is_rest(name)).cloned().collect()
    };
    let expected = names(&first.table);
    for (one, total) in realisations.iter().zip(totals) {
        let of = |total: &Total| format!("{}, {}", total.name, total.kind);
        let differs = |what: &str, found: String, expected: String| {
            let (path, first) = (one.path.display(), first.path.display());
            bail!("{path} cannot be added to {first}: its {what}: {found}, not {expected}")
        };
        if of(total) != of(&totals[0]) {
            return differs("pairs", of(total), of(&totals[0]));
        }
        let found = names(&one.table);
        if found != expected {
            return differs("columns", found.join(", "), expected.join(", "));
        }
    }
    Ok(())
}

impl Sum {
    /// Reads, adds, prints and writes.
    pub(crate) fn run(self, arguments: &Arguments) -> Result<()> {
        let inputs: Vec<_> = self.results.iter().flat_map(Files::iter).collect();
        check(&self.output, &[], &inputs)?;
        let mut record = Record::begin(arguments);
        let realisations = Realisations::read(&self.results)?;
        let first = realisations.first();
        if realisations.kind() != ResultKind::Counts {
            bail!(
                "{}: pair counts can be added, such as `albireo count` writes, found a {}",
                first.path.display(),
                realisations.kind().name()
            );
        }
        let mut amounts = Vec::with_capacity(realisations.number());
        let mut totals = Vec::with_capacity(realisations.number());
        for one in realisations.iter() {
            let place = || one.path.display().to_string();
            amounts.push(Amounts::of(&one.table).with_context(place)?);
            totals.push(Total::of(&one.table).with_context(place)?);
        }
        check_alike(&realisations, &totals)?;
        let grid = Grid::of(&first.table)?;
        let sums = Amounts::together(&amounts, grid.bins(), |row| row)?;
        for (key, value) in realisations.common() {
            record.set(&key, value);
        }
        let total = Total::of_all(&totals)?;
        record.set("counts", total.record(first.table.meta.get("arithmetic")));
        record.set("realisations", realisations.described()?);
        let columns = sums.columns(&grid, &first.table)?;
        let meta = record.finish(ResultKind::Counts);
        deliver(&Table { columns, meta }, &self.output)
    }
}
