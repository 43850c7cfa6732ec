//! Counts read back from the tables of results that hold them over bins: pair counts and correlation functions.
//!
//! Entry: [`saved_counts`], [`saved_count`] for one of them, [`bins_of`]. What a count must belong to is up to who takes it.

use albireo::counts::{ExactSums, JobId, PairKind};
use albireo::engine::Exactness;
use albireo::tally::{Cut, Legendre};
use albireo::{Bins, Counts, CountsError, Edges, LineOfSight, PairTotal, SignedEdges};
use albireo_catalogs::{ResultKind, Table, Values};
use anyhow::{Context, Result, bail};
use clap::ValueEnum;
use serde_json::{Map, Value};

use crate::bins::{BinSpec, Statistic};
use crate::row_sums::RowSums;
use crate::tables::{column_name, rest_name};

/// A count of a result, under its name there.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct SavedCount {
    pub(crate) name: String,
    pub(crate) counts: Counts,
}

/// All counts of a result over bins, exactly as they were.
pub(crate) fn saved_counts(table: &Table) -> Result<Vec<SavedCount>> {
    let bins = bins_of(table)?;
    let one = |name: &String| {
        Ok(SavedCount {
            name: name.clone(),
            counts: saved_count(table, name, &bins)?,
        })
    };
    records(table)?.keys().map(one).collect()
}

/// The count of this name, in bins that are known to be those of the result.
pub(crate) fn saved_count(table: &Table, name: &str, bins: &Bins) -> Result<Counts> {
    let record = records(table)?.get(name);
    let record = record.with_context(|| format!("the result holds no {name}"))?;
    let total = total_of(name, record)?;
    let prefix = prefix_of(table, name)?;
    let of = |npairs, weight| {
        let counts = Counts::from_parts(bins.clone(), npairs, weight, total, job_of(record));
        match jobs_of(record) {
            None => counts,
            Some(jobs) => counts?.with_jobs(&jobs),
        }
    };
    let rows = RowSums::read(table, prefix)?;
    let counts = rows.counts(prefix, of).with_context(|| name.to_owned())?;
    let counts = match (&record["weight_bound_of_pair"], &record["weight_words"]) {
        (Value::Null, _) => counts,
        (bound, words) => {
            let two_words = words.as_u64() == Some(2);
            counts.with_weight_bound(bound.as_f64().unwrap_or_default(), two_words)
        }
    };
    let cuts = record["cuts"].as_array().into_iter().flatten();
    let cuts = cuts.map(|cut| cut.as_str().unwrap_or_default().parse::<Cut>());
    let cuts = cuts.collect::<Result<_, _>>();
    Ok(counts
        .with_cuts(cuts.with_context(|| format!("the metadata `cuts` of {name}"))?)
        .with_exactness(exactness_of(table, record)))
}

/// The bins that the metadata of a result describe.
pub(crate) fn bins_of(table: &Table) -> Result<Bins> {
    let text = |key: &str| table.meta.get(key).and_then(Value::as_str);
    let name = text("statistic").context("the result has no metadata `statistic`")?;
    let statistics = Statistic::value_variants().iter();
    let statistic = statistics.copied().find(|one| one.name() == name);
    let statistic = statistic.with_context(|| format!("statistic `{name}` is not known"))?;
    let mut axes = table.edges()?.into_iter().map(|(_, edges)| edges);
    let spec = BinSpec {
        statistic,
        first: Edges::new(axes.next().unwrap_or_default())?,
        second: axes.next().map(SignedEdges::new).transpose()?,
    };
    let los = match text("line_of_sight") {
        None => LineOfSight::default(),
        Some(name) => {
            let los = LineOfSight::named(name);
            los.with_context(|| format!("line of sight `{name}` is not known"))?
        }
    };
    spec.with_line_of_sight(los)
}

/// The record of each count by name.
pub(crate) fn records(table: &Table) -> Result<&Map<String, Value>> {
    let counts = table.meta.get("counts").and_then(Value::as_object);
    counts.context("the result has no metadata `counts`")
}

/// What the columns of a count begin with: nothing where a result holds but one.
pub(crate) fn prefix_of<'n>(table: &Table, name: &'n str) -> Result<&'n str> {
    Ok(match table.kind()? {
        ResultKind::Counts | ResultKind::ShellCounts => "",
        _ => name,
    })
}

/// The name and the record of the only count of pair counts, or of the random pairs of an estimate.
pub(crate) fn random_pairs(table: &Table) -> Result<(&str, &Value)> {
    let counts = records(table)?;
    if table.kind()? == ResultKind::Counts {
        let only = counts.iter().next();
        let (name, record) = only.context("the metadata `counts` is empty")?;
        return Ok((name, record));
    }
    let random = ["RR", "R1R2"].into_iter();
    let mut random = random.filter_map(|name| Some((name, counts.get(name)?)));
    random.next().context("it holds no counted RR")
}

/// The total of a count, as its record has it; results of the first version know no design effect.
pub(crate) fn total_of(name: &str, record: &Value) -> Result<PairTotal> {
    let missing = |key: &str| format!("the metadata `counts` of {name} has no `{key}`");
    let kinds = [
        PairKind::AutoUnordered,
        PairKind::AutoOrdered,
        PairKind::Cross,
    ];
    let kind = record.get("kind").and_then(Value::as_str);
    let mut kinds = kinds.into_iter();
    let kind = kinds.find(|known| Some(known.to_string().as_str()) == kind);
    let pairs = record.get("total_pairs").and_then(Value::as_u64);
    let weight = record.get("total_weight").and_then(Value::as_f64);
    Ok(PairTotal {
        kind: kind.with_context(|| missing("kind"))?,
        pairs: pairs.with_context(|| missing("total_pairs"))?,
        weight: weight.with_context(|| missing("total_weight"))?,
        design_effect: match record.get("design_effect") {
            None => 1.0,
            // Infinite where weights cancel, which JSON has no number for.
            Some(effect) => effect.as_f64().unwrap_or(f64::INFINITY),
        },
    })
}

/// A fingerprint as results write it.
fn print_of(record: &Value) -> Option<JobId> {
    let print = u64::from_str_radix(record.get("job")?.as_str()?, 16);
    print.ok().map(JobId)
}

fn job_of(record: &Value) -> JobId {
    print_of(record).unwrap_or(JobId(0))
}

/// The jobs of a count that is of several.
fn jobs_of(record: &Value) -> Option<Vec<(JobId, PairTotal)>> {
    let jobs = record.get("jobs")?.as_array()?;
    let one = |job: &Value| Some((print_of(job)?, total_of("a job", job).ok()?));
    jobs.iter().map(one).collect()
}

fn exactness_of(table: &Table, record: &Value) -> Exactness {
    let approximate = Some(Exactness::Approximate.name());
    if table.is_approximate() || record["arithmetic"].as_str() == approximate {
        Exactness::Approximate
    } else {
        Exactness::Exact
    }
}

/// A column of counts.
pub(crate) fn integers<'t>(table: &'t Table, name: &str) -> Result<&'t [u64]> {
    match table.column(name).map(|column| &column.values) {
        Some(Values::Integers(values)) => Ok(values),
        _ => bail!("there is no column `{name}` of integers"),
    }
}

/// A column of floats.
pub(crate) fn floats<'t>(table: &'t Table, name: &str) -> Result<&'t [f64]> {
    match table.column(name).map(|column| &column.values) {
        Some(Values::Floats(values)) => Ok(values),
        Some(Values::Integers(_)) => bail!("column `{name}` should be of floats, found integers"),
        None => bail!("there is no column `{name}`"),
    }
}

/// The sums of a column and of those that hold what it leaves of them, if there is such a column.
pub(crate) fn sums(table: &Table, name: &str) -> Result<Option<ExactSums>> {
    if table.column(name).is_none() {
        return Ok(None);
    }
    let mut parts = vec![floats(table, name)?.to_vec()];
    for rest in (1..).map(|number| rest_name(name, number)) {
        if table.column(&rest).is_none() {
            break;
        }
        parts.push(floats(table, &rest)?.to_vec());
    }
    let sums = ExactSums::from_parts(&parts);
    Ok(Some(sums.map_err(|error| at_column(error, name, name))?))
}

/// The error under the name that the table has for what it is about.
pub(crate) fn at_column(error: CountsError, pairs: &str, sums: &str) -> anyhow::Error {
    let place = match (&error, error.bin()) {
        (_, Some(row)) => format!("column `{sums}`, row {row} (counting from 0)"),
        (CountsError::TooManyPairs { .. }, None) => format!("column `{pairs}`"),
        (CountsError::Rest { .. }, None) => format!("column `{sums}`"),
        _ => return error.into(),
    };
    anyhow::Error::from(error).context(place)
}

impl RowSums {
    /// What the columns of a count hold.
    pub(crate) fn read(table: &Table, prefix: &str) -> Result<Self> {
        let of = |rest: &str| sums(table, &column_name(prefix, rest));
        let axis = table.edges()?.into_iter().next().map(|(axis, _)| axis);
        let axis = axis.unwrap_or_default();
        let mut legendre = Vec::new();
        for l in Legendre::ALL.into_iter().filter(|l| *l != Legendre::L0) {
            legendre.extend(of(&format!("L{}", l.degree()))?.map(|sums| (l, sums)));
        }
        Ok(Self {
            npairs: integers(table, &column_name(prefix, "npairs"))?.to_vec(),
            weight: of("weight")?,
            legendre,
            separation: of(&format!("sum_{axis}"))?,
            weighted_separation: of(&format!("weighted_sum_{axis}"))?,
        })
    }

    /// Counts over bins of these sums, where `whole` makes counts of the numbers and the weights.
    pub(crate) fn counts(
        self,
        prefix: &str,
        whole: impl FnOnce(Vec<u64>, Option<ExactSums>) -> Result<Counts, CountsError>,
    ) -> Result<Counts> {
        let name = |rest: &str| column_name(prefix, rest);
        let at = |sums: String| move |error| at_column(error, &name("npairs"), &sums);
        let mut counts = whole(self.npairs, self.weight).map_err(at(name("weight")))?;
        for (l, sums) in self.legendre {
            let with = counts.with_legendre_sums(l, sums);
            counts = with.map_err(at(name(&format!("L{}", l.degree()))))?;
        }
        if let Some(sums) = self.separation {
            counts = counts.with_separation_sums(sums)?;
        }
        if let Some(sums) = self.weighted_separation {
            counts = counts.with_weighted_separation_sums(sums)?;
        }
        Ok(counts)
    }
}
