//! The pair counts of a saved result: as [`Counts`], and as columns and a record again.
//!
//! Entry: [`PairCounts`]. Sums are exact both ways; results that hold means of separations without their sums have these by the means.

use albireo::Counts;
use albireo::binning::Axes;
use albireo::counts::ExactSums;
use albireo::error::CountsError;
use albireo::tally::Legendre;
use albireo_catalogs::{Table, TableColumn, Values};
use anyhow::{Context, Result, bail};
use serde_json::{Map, Value};

use super::saved::{NamedTable, bin_columns};
use crate::counted::Counted;
use crate::saved::{SavedCount, floats, saved_counts};
use crate::tables::{of_rest, sum_columns};

/// The only count of a result, with the result that its columns and its record are written like.
#[derive(Debug)]
pub(super) struct PairCounts<'a> {
    pub(super) name: String,
    pub(super) counts: Counts,
    /// The axes, by the names that the result has for them.
    pub(super) axes: Axes,
    like: &'a Table,
}

/// The sums of numbers, or weights, times the means over them; bins without pairs have no mean.
fn of_means(means: &[f64], numbers: &[f64], npairs: &[u64]) -> Result<ExactSums> {
    let both = means.iter().zip(numbers).zip(npairs);
    let product = |((&mean, &number), &n): ((&f64, &f64), &u64)| {
        if n == 0 || number == 0.0 {
            return [0.0; 2];
        }
        let product = mean * number;
        [product, mean.mul_add(number, -product)]
    };
    let (products, rests) = both.map(product).map(|[p, rest]| (p, rest)).unzip();
    Ok(ExactSums::from_parts(&[products, rests])?)
}

/// The counts with sums of separations, where the result has but their means.
fn with_means(counts: Counts, table: &Table, axis: &str) -> Result<Counts> {
    let (mean, weighted) = (format!("mean_{axis}"), format!("weighted_mean_{axis}"));
    let npairs = counts.npairs().to_vec();
    let mut counts = counts;
    if table.column(&mean).is_some() && counts.separation_sums().is_none() {
        let numbers: Vec<f64> = npairs.iter().map(|&n| n as f64).collect();
        let sums = of_means(floats(table, &mean)?, &numbers, &npairs);
        counts = counts.with_separation_sums(sums.with_context(|| mean.clone())?)?;
    }
    if table.column(&weighted).is_some() && counts.weighted_separation_sums().is_none() {
        let weight = counts.weight();
        let weight = weight.context("there are means by weights, but no column `weight`")?;
        let sums = of_means(floats(table, &weighted)?, &weight, &npairs);
        counts = counts.with_weighted_separation_sums(sums.with_context(|| weighted.clone())?)?;
    }
    Ok(counts)
}

/// The result without the cuts of its counts, if they have any: lists of pairs cannot be read back, and what is dropped stays dropped.
fn without_cuts(table: &Table) -> Option<Table> {
    let counts = table.meta.get("counts")?.as_object()?;
    counts
        .values()
        .find(|record| record.get("cuts").is_some())?;
    let mut table = table.clone();
    let counts = table.meta.get_mut("counts")?.as_object_mut()?;
    for record in counts.values_mut().filter_map(Value::as_object_mut) {
        record.remove("cuts");
    }
    Some(table)
}

impl<'a> PairCounts<'a> {
    /// Those of a result that holds pair counts.
    pub(super) fn of(input: &'a NamedTable) -> Result<Self> {
        let axes = input.axes()?;
        let read = || -> Result<Self> {
            let all = match without_cuts(&input.table) {
                Some(table) => saved_counts(&table)?,
                None => saved_counts(&input.table)?,
            };
            let mut all = all.into_iter();
            let SavedCount { name, counts } =
                all.next().context("the metadata `counts` is empty")?;
            let axis = axes.names().next().unwrap_or_default();
            let counts = with_means(counts, &input.table, axis)?;
            let like = &input.table;
            let of = Self {
                name,
                counts,
                axes: axes.clone(),
                like,
            };
            of.check_columns()?;
            Ok(of)
        };
        read().with_context(|| input.name.clone())
    }

    /// What an operation makes of them, over other axes or the same.
    pub(super) fn made(
        self,
        axes: &Axes,
        make: impl FnOnce(&Counts) -> Result<Counts, CountsError>,
    ) -> Result<Self> {
        Ok(Self {
            counts: make(&self.counts)?,
            axes: axes.clone(),
            ..self
        })
    }

    /// Refuses a column of which it is not known how it adds up.
    fn check_columns(&self) -> Result<()> {
        for column in self
            .like
            .columns
            .iter()
            .filter(|c| of_rest(&c.name).is_none())
        {
            if self.columns_like(column)?.is_none() {
                bail!("column `{}`: it is not known how it adds up", column.name);
            }
        }
        Ok(())
    }

    /// The columns of bins, pairs and sums, in the order and with the descriptions of the result that they were read from.
    pub(super) fn columns(&self) -> Result<Vec<TableColumn>> {
        let mut columns = vec![];
        for like in self
            .like
            .columns
            .iter()
            .filter(|c| of_rest(&c.name).is_none())
        {
            columns.extend(self.columns_like(like)?.into_iter().flatten());
            if like.name == "npairs"
                && self.like.column("weight").is_none()
                && let Some(weight) = self.counts.weight_sums()
            {
                columns.extend(sum_columns("weight", "sum of w1*w2", &weight));
            }
        }
        Ok(columns)
    }

    /// The column of the same name and, of a sum, those of what it leaves; none where it is not known what the column is.
    fn columns_like(&self, like: &TableColumn) -> Result<Option<Vec<TableColumn>>> {
        let with = |values: Values| TableColumn {
            values,
            ..like.clone()
        };
        let name = like.name.as_str();
        let bins = bin_columns(self.like)?;
        if let Some(place) = bins.iter().position(|column| column.name == name) {
            let values = self.of_bins(place / 3, place % 3);
            return Ok(Some(vec![with(Values::Floats(values))]));
        }
        let counts = &self.counts;
        let first = self.axes.names().next().unwrap_or_default();
        let degree = name.strip_prefix('L').and_then(|l| l.parse().ok());
        let along = name.strip_suffix(first).unwrap_or_default();
        let sums = match (name, along, degree.and_then(Legendre::of_degree)) {
            ("npairs", ..) => {
                let npairs = Values::Integers(counts.npairs().to_vec());
                return Ok(Some(vec![with(npairs)]));
            }
            (_, "mean_", _) => {
                return Ok(counts
                    .mean_separation()
                    .map(|m| vec![with(Values::Floats(m))]));
            }
            (_, "weighted_mean_", _) => {
                let means = counts.weighted_mean_separation();
                return Ok(means.map(|m| vec![with(Values::Floats(m))]));
            }
            ("weight", ..) => counts.weight_sums(),
            (_, "sum_", _) => counts.separation_sums(),
            (_, "weighted_sum_", _) => counts.weighted_separation_sums(),
            (_, _, Some(l)) => counts.exact_legendre_sums(l),
            _ => None,
        };
        let with_unit = |column: TableColumn| TableColumn {
            unit: like.unit.clone(),
            ..column
        };
        let columns = sums.map(|sums| sum_columns(name, &like.description, &sums).into_iter());
        Ok(columns.map(|columns| columns.map(with_unit).collect()))
    }

    /// A place in each bin along an axis: its lower edge, its upper edge, its middle.
    fn of_bins(&self, axis: usize, part: usize) -> Vec<f64> {
        let edges = self.axes.edges(axis);
        let value = |bin: usize| {
            let [lo, hi] = [edges[bin], edges[bin + 1]];
            [lo, hi, f64::midpoint(lo, hi)][part]
        };
        self.axes.bins_along(axis).map(value).collect()
    }

    /// The record of counts of the result, with what these have otherwise.
    pub(super) fn record(&self) -> Value {
        let mut counts = self.like.meta.get("counts").cloned().unwrap_or_default();
        if let Some(record) = counts.get_mut(&self.name).and_then(Value::as_object_mut) {
            for (key, value) in Counted::record_of(&self.counts) {
                if let Some(entry) = record.get_mut(&key) {
                    *entry = value;
                }
            }
        }
        counts
    }

    /// A record of these counts alone, without an entry of this name where it is not known.
    pub(super) fn own_record(&self, unknown: &[&str]) -> Value {
        let mut record = Counted::record_of(&self.counts);
        record.retain(|key, _| !unknown.contains(&key.as_str()));
        let counts = std::iter::once((self.name.clone(), Value::Object(record)));
        Value::Object(counts.collect::<Map<_, _>>())
    }
}
