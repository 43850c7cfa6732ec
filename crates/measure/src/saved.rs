//! Counts read back from the tables of results that hold them over bins: pair counts and correlation functions.
//!
//! Entry: [`saved_counts`], [`saved_count`] for one of them, [`bins_of`]. What a count must belong to is up to who takes it.

use albireo::binning::BinAxis;
use albireo::counts::{ExactSums, JobId, PairKind, PairTotal};
use albireo::engine::Exactness;
use albireo::error::CountsError;
use albireo::tally::Cut;
use albireo::{Bins, Counts, Edges, LineOfSight, SignedEdges};
use albireo_catalogs::{ResultKind, Table};
use albireo_pair_sums::ExpressionBins;
use anyhow::{Context, Result};
use clap::ValueEnum;
use serde_json::Value;

use crate::bins::{BinSpec, Statistic};
use crate::record::{BINS_OF, REACH};
use crate::row_sums::RowSums;

pub(crate) use crate::held_columns::{floats, is_unnumbered, records};

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
    let record = record_of(table, name)?;
    let rows = RowSums::read(table, prefix_of(table, name)?)?;
    restored(table, (name, record), bins, (rows, total_of(name, record)?))
}

/// The count of this name as its record describes it, in such bins, with these sums and this total.
pub(crate) fn restored(
    table: &Table,
    (name, record): (&str, &Value),
    bins: &Bins,
    (rows, total): (RowSums, PairTotal),
) -> Result<Counts> {
    let prefix = prefix_of(table, name)?;
    let unnumbered = rows.unnumbered;
    let of = |npairs, weight| {
        let counts = counts_of(bins, (npairs, weight, unnumbered), total, job_of(record));
        match jobs_of(record) {
            None => counts,
            Some(jobs) => counts?.with_jobs(&jobs),
        }
    };
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

/// Counts of these numbers and weights, of weights alone where the numbers are not known.
pub(crate) fn counts_of(
    bins: &Bins,
    (npairs, weight, unnumbered): (Vec<u64>, Option<ExactSums>, bool),
    total: PairTotal,
    job: JobId,
) -> Result<Counts, CountsError> {
    match weight {
        Some(weight) if unnumbered => {
            Counts::of_weights(bins.clone(), weight, (total.kind, total.weight), job)
        }
        weight => Counts::from_parts(bins.clone(), npairs, weight, total, job),
    }
}

/// Calls the first of the axes s where a result does: bins in r do not know that their separations are in redshift space.
pub(crate) fn name_axes(axes: &mut [BinAxis], table: &Table) -> Result<()> {
    let edges = table.edges()?;
    if let (Some((name, _)), Some(axis)) = (edges.first(), axes.first_mut())
        && name == "s"
    {
        axis.name = "s";
    }
    Ok(())
}

/// The bins that the metadata of a result describe.
pub(crate) fn bins_of(table: &Table) -> Result<Bins> {
    let text = |key: &str| table.meta.get(key).and_then(Value::as_str);
    let name = text("statistic").context("the result has no metadata `statistic`")?;
    let los = match text("line_of_sight") {
        None => LineOfSight::default(),
        Some(name) => {
            let los = LineOfSight::named(name);
            los.with_context(|| format!("line of sight `{name}` is not known"))?
        }
    };
    let mut axes = table.edges()?.into_iter().map(|(_, edges)| edges);
    if name == Statistic::Expressions.name() {
        return expressions_of(table, axes, los);
    }
    let statistics = Statistic::value_variants().iter();
    let statistic = statistics.copied().find(|one| one.name() == name);
    let statistic = statistic.with_context(|| format!("statistic `{name}` is not known"))?;
    let first = Edges::new(axes.next().unwrap_or_default())?;
    let second = axes.next().map(SignedEdges::new).transpose()?;
    BinSpec::of_edges(statistic, first, second).with_line_of_sight(los)
}

/// Bins in the values of the expressions that the metadata of a result state.
fn expressions_of(
    table: &Table,
    edges: impl Iterator<Item = Vec<f64>>,
    los: LineOfSight,
) -> Result<Bins> {
    let texts = table.meta.get(BINS_OF).and_then(Value::as_array);
    let texts = texts.into_iter().flatten().filter_map(Value::as_str);
    let axes = texts.zip(edges);
    let axes = axes.map(|(text, edges)| Ok((text, SignedEdges::new(edges)?)));
    let mut axes = axes.collect::<Result<Vec<_>>>()?.into_iter();
    let first = axes.next();
    let first = first.with_context(|| format!("the result has no metadata `{BINS_OF}`"))?;
    let reach = table.meta.get(REACH).and_then(Value::as_f64);
    let reach = reach.with_context(|| format!("the result has no metadata `{REACH}`"))?;
    let bins = ExpressionBins::new(first, axes.next(), reach, los);
    Ok(bins
        .with_context(|| format!("the metadata `{BINS_OF}`"))?
        .into())
}

/// The record of the count of this name.
pub(crate) fn record_of<'t>(table: &'t Table, name: &str) -> Result<&'t Value> {
    let record = records(table)?.get(name);
    record.with_context(|| format!("the result holds no {name}"))
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
    let pairs = match record.get("total_pairs") {
        Some(Value::Null) => Some(0),
        pairs => pairs.and_then(Value::as_u64),
    };
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

/// The pairs of a count by region: of each region those within it and those across its border.
pub(crate) fn region_rows(table: &Table, name: &str, bins: usize) -> Result<Vec<[RowSums; 2]>> {
    let part = |part: &str| -> Result<Vec<RowSums>> {
        let all = RowSums::read(table, &format!("{name}_{part}"))?;
        let regions = 0..all.npairs.len() / bins.max(1);
        let region = |k| all.rows(k * bins..(k + 1) * bins);
        Ok(regions.map(region).collect())
    };
    let both = part("within")?.into_iter().zip(part("across")?);
    Ok(both.map(|(within, across)| [within, across]).collect())
}

#[cfg(test)]
mod tests {
    use albireo::counts::count_pairs;
    use albireo::engine::Silent;
    use albireo::tally::Legendre;
    use albireo::{
        Axis, CountSpec, Domain, LineOfSight, Naive, PairJob, Pairs, Particles, RBins, RpPiBins,
        SMuBins, random,
    };
    use albireo_catalogs::Values;
    use serde_json::{Map, json};

    use super::*;
    use crate::counted::Counted;
    use crate::record::{Arguments, Record};
    use crate::tables::{count_columns, edge_columns};

    /// Counts of points of which two weigh `heavy` times as much.
    fn counts(bins: &Bins, seed: u64, heavy: f64, cuts: &[Cut]) -> Counts {
        let points = random::in_box(70, seed, [1.0; 3]).unwrap();
        let stream = random::Stream::new(seed);
        let weight = |k: u64| (stream.uniform(k) + 0.1) * if k < 2 { heavy } else { 1.0 };
        let sample = Particles::weighted(points, (0..70).map(weight).collect()).unwrap();
        let job = PairJob::new(Pairs::Auto(&sample), &Domain::Open).unwrap();
        let what = CountSpec::for_pairs(bins, job.pairs()).with_mean_separation();
        let what = what.with_weighted_separation();
        let what = match bins.line_of_sight() {
            Some(_) => what.with_legendre([Legendre::L2, Legendre::L4].into_iter().collect()),
            None => what,
        };
        let what = cuts.iter().cloned().fold(what, CountSpec::with_cut);
        count_pairs(&Naive, &job, what, &Silent).unwrap()
    }

    /// The result that holds these counts.
    fn table(kind: ResultKind, all: &[(&'static str, Counts)]) -> Table {
        let bins = all[0].1.binning();
        let axes = bins.axes();
        let mut record = Record::begin(&Arguments::default());
        record.set_bins(bins, &axes);
        let mut columns = edge_columns(&axes, None);
        let mut records = Map::new();
        for (name, counts) in all {
            let counted = Counted::new(name, counts, None, ("seconds", json!(0.5)));
            let prefix = if kind == ResultKind::Counts { "" } else { name };
            columns.extend(count_columns(&counted.sums, prefix, (&axes, None)));
            records.insert((*name).to_owned(), counted.record);
        }
        record.set("counts", Value::Object(records));
        record.table(kind, columns)
    }

    #[test]
    fn counts_come_back_from_every_format() {
        let edges = || Edges::linear(0.0, 1.8, 3).unwrap();
        let mu = SignedEdges::linear(-1.0, 1.0, 2).unwrap();
        let pi = SignedEdges::linear(0.0, 1.2, 2).unwrap();
        let z = LineOfSight::Fixed(Axis::Z);
        let r: Bins = RBins::new(edges()).into();
        let s_mu: Bins = SMuBins::new(edges(), mu, LineOfSight::First)
            .unwrap()
            .into();
        let rp_pi: Bins = RpPiBins::new(edges(), pi, z).unwrap().into();
        let cuts = [
            Cut::rp(0.1, 0.2, LineOfSight::Midpoint).unwrap(),
            Cut::theta(0.0, 3.0).unwrap(),
        ];
        let mut several = counts(&r, 5, 1.0, &[]);
        several.merge(&counts(&r, 6, 1.0, &[])).unwrap();
        let (pairs, xi) = (ResultKind::Counts, ResultKind::Correlation);
        let approximate = counts(&rp_pi, 4, 3e4, &[]).with_exactness(Exactness::Approximate);
        let folder = tempfile::tempdir().unwrap();
        for (kind, all) in [
            (pairs, vec![("DD", counts(&r, 1, 3e4, &cuts))]),
            (pairs, vec![("DD", several)]),
            (
                xi,
                vec![
                    ("DD", counts(&s_mu, 2, 3e4, &[])),
                    ("RR", counts(&s_mu, 3, 1.0, &[])),
                ],
            ),
            (xi, vec![("DD", approximate)]),
        ] {
            let table = table(kind, &all);
            for ending in ["csv", "ecsv", "fits", "h5", "json", "parquet"] {
                let path = folder.path().join(format!("counts.{ending}"));
                table.write(&path).unwrap();
                let back = saved_counts(&Table::read(&path).unwrap()).unwrap();
                assert_eq!(back.len(), all.len());
                for (back, (name, counts)) in back.iter().zip(&all) {
                    assert_eq!(
                        (back.name.as_str(), &back.counts),
                        (*name, counts),
                        "{ending}"
                    );
                }
            }
        }
    }

    #[test]
    fn results_of_earlier_versions_are_read() {
        let bins: Bins = RBins::new(Edges::linear(0.0, 1.8, 3).unwrap()).into();
        let counts = counts(&bins, 1, 3e4, &[]);
        let mut old = table(ResultKind::Counts, &[("DD", counts.clone())]);
        old.columns
            .retain(|column| !column.name.contains("_rest") && !column.name.contains("sum"));
        let record = old.meta["counts"]["DD"].as_object_mut().unwrap();
        for key in [
            "design_effect",
            "weight_bound_of_pair",
            "weight_words",
            "arithmetic",
        ] {
            record.remove(key);
        }
        let back = saved_counts(&old).unwrap().remove(0).counts;
        assert_eq!(back.npairs(), counts.npairs());
        assert_eq!(back.weight(), counts.weight());
        assert_eq!(back.weight_sums().unwrap().parts().len(), 1);
        assert_eq!(back.total().design_effect, 1.0);
        assert_eq!(back.job_id(), counts.job_id());
        assert_eq!((back.weight_bound(), back.mean_separation()), (None, None));
    }

    #[test]
    fn columns_that_are_no_counts_are_refused_by_their_names() {
        let bins: Bins = RBins::new(Edges::linear(0.0, 1.8, 3).unwrap()).into();
        let good = table(ResultKind::Counts, &[("DD", counts(&bins, 1, 3e4, &[]))]);
        let with = |name: &str, values: Values| {
            let mut table = good.clone();
            let column = table.columns.iter_mut().find(|column| column.name == name);
            column.unwrap().values = values;
            format!("{:#}", saved_counts(&table).unwrap_err())
        };
        let one = Values::Floats(vec![1.0; 3]);
        for (name, values, expected) in [
            (
                "npairs",
                one.clone(),
                "there is no column `npairs` of integers",
            ),
            (
                "npairs",
                Values::Integers(vec![9999; 3]),
                "DD: column `npairs`: there are 2415 pairs in all",
            ),
            (
                "weight",
                Values::Integers(vec![1; 3]),
                "column `weight` should be of floats, found integers",
            ),
            (
                "weight_rest",
                Values::Floats(vec![0.0, f64::NAN, 0.0]),
                "column `weight`, row 1 (counting from 0): the weight in bin 1 must be finite, found nan",
            ),
            (
                "sum_r",
                Values::Floats(vec![f64::INFINITY; 3]),
                "column `sum_r`, row 0",
            ),
        ] {
            let found = with(name, values);
            assert!(
                found.to_lowercase().contains(&expected.to_lowercase()),
                "{found}"
            );
        }
        let mut cut = good.clone();
        cut.meta["counts"]["DD"]["cuts"] = json!(["3 listed pairs"]);
        let found = format!("{:#}", saved_counts(&cut).unwrap_err());
        assert!(
            found.contains("metadata `cuts` of DD") && found.contains("found `3 listed pairs`"),
            "{found}"
        );
    }
}
