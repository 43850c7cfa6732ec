//! What adds up in saved pair counts: pairs, weights, Legendre sums, and the means of separations with what they are means over.
//!
//! Entry: [`Amounts`]. Pairs are added as integers; what tables hold as float64, in float64.

use albireo_catalogs::{Table, TableColumn, Values};
use anyhow::{Context, Result, bail};

use super::grid::Grid;
use super::saved::bin_columns;
use crate::tables::is_rest;

/// The columns of pair counts, one value a bin.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Amounts {
    npairs: Vec<u64>,
    /// The weight and Legendre sums, by their names.
    sums: Vec<(String, Vec<f64>)>,
    /// Means of separations.
    means: Vec<Mean>,
}

/// Means, one a bin.
#[derive(Debug, Clone, PartialEq)]
struct Mean {
    name: String,
    /// Over the weights of pairs, not their numbers.
    by_weight: bool,
    values: Vec<f64>,
}

/// Whether a column is one of sums: `weight`, `L2`, `L4`.., `sum_r`, `weighted_sum_r`..
fn is_sum(name: &str) -> bool {
    let degree = name.strip_prefix('L').and_then(|l| l.parse::<u32>().ok());
    let of_separations = name.strip_prefix("weighted_").unwrap_or(name);
    name == "weight" || degree.is_some() || of_separations.starts_with("sum_")
}

/// The same with sums as float64 alone.
pub(super) fn without_rests(mut table: Table) -> Table {
    table.columns.retain(|column| !is_rest(&column.name));
    table
}

impl Mean {
    /// The means of a column, if that is what it has.
    fn of(column: &TableColumn, axis: &str) -> Option<Self> {
        let rest = column.name.strip_suffix(axis)?;
        let by_weight = match rest {
            "mean_" => false,
            "weighted_mean_" => true,
            _ => return None,
        };
        match &column.values {
            Values::Floats(values) => Some(Self {
                name: column.name.clone(),
                by_weight,
                values: values.clone(),
            }),
            Values::Integers(_) => None,
        }
    }
}

impl Amounts {
    /// Those of a table; a column of which it is not known how it adds up is refused.
    pub(super) fn of(table: &Table) -> Result<Self> {
        let axes = table.edges()?;
        let axis = &axes.first().context("there is no axis")?.0;
        let known: Vec<&str> = bin_columns(table)?
            .iter()
            .map(|column| column.name.as_str())
            .collect();
        let (mut npairs, mut sums, mut means) = (None, vec![], vec![]);
        for column in &table.columns {
            let mean = Mean::of(column, axis);
            match (column.name.as_str(), &column.values) {
                ("npairs", Values::Integers(values)) => npairs = Some(values.clone()),
                (name, Values::Floats(values)) if is_sum(name) => {
                    sums.push((name.to_owned(), values.clone()));
                }
                (name, _) if known.contains(&name) || is_rest(name) => {}
                (name, _) => {
                    let unknown = || format!("column `{name}`: it is not known how it adds up");
                    means.push(mean.with_context(unknown)?);
                }
            }
        }
        let amounts = Self {
            npairs: npairs.context("there is no column `npairs` of integers")?,
            sums,
            means,
        };
        if amounts.means.iter().any(|mean| mean.by_weight) && amounts.sum("weight").is_none() {
            bail!("there are means by weights, but no column `weight`");
        }
        Ok(amounts)
    }

    fn sum(&self, name: &str) -> Option<&[f64]> {
        let found = self.sums.iter().find(|(sum, _)| sum == name);
        found.map(|(_, values)| values.as_slice())
    }

    /// Those of several tables together, rows going where `target` tells in `bins` bins.
    pub(super) fn together(
        all: &[Self],
        bins: usize,
        target: impl Fn(usize) -> usize,
    ) -> Result<Self> {
        let mut npairs = vec![0u64; bins];
        for one in all {
            for (row, &n) in one.npairs.iter().enumerate() {
                let sum = &mut npairs[target(row)];
                *sum = sum.checked_add(n).with_context(|| {
                    format!(
                        "column `npairs`: the sum in bin {} exceeds 2^64 - 1",
                        target(row)
                    )
                })?;
            }
        }
        let first = all.first().context("there are no counts")?;
        let add = |name: &str| -> Option<Vec<f64>> {
            let mut added = vec![0.0; bins];
            for one in all {
                for (row, value) in one.sum(name)?.iter().enumerate() {
                    added[target(row)] += value;
                }
            }
            Some(added)
        };
        let names = first.sums.iter();
        let sums: Vec<_> = names
            .filter_map(|(name, _)| Some((name.clone(), add(name)?)))
            .collect();
        let mut together = Self {
            npairs,
            sums,
            means: vec![],
        };
        for (k, mean) in first.means.iter().enumerate() {
            let has = |one: &Self| one.means.get(k).is_some_and(|own| own.name == mean.name);
            if all.iter().all(has) {
                let values = together.means_of(all, k, &target);
                let mean = mean.clone();
                together.means.push(Mean { values, ..mean });
            }
        }
        Ok(together)
    }

    /// Mean number `k` of all of them in these bins.
    fn means_of(&self, all: &[Self], k: usize, target: impl Fn(usize) -> usize) -> Vec<f64> {
        let mut means = vec![f64::NAN; self.npairs.len()];
        for one in all {
            let mean = &one.means[k];
            for (row, value) in mean.values.iter().enumerate() {
                let bin = target(row);
                let of = |amounts: &Self, row: usize| {
                    let weight = amounts.sum("weight").filter(|_| mean.by_weight);
                    weight.map_or(amounts.npairs[row] as f64, |weight| weight[row])
                };
                let (part, all) = (of(one, row), of(self, bin));
                // Bins without pairs have no mean and take no part.
                if one.npairs[row] == 0 || part == 0.0 {
                    continue;
                }
                let share = if part == all {
                    *value
                } else {
                    value * (part / all)
                };
                means[bin] = if means[bin].is_nan() {
                    share
                } else {
                    means[bin] + share
                };
            }
        }
        means
    }

    /// The same with each pair that stands twice counted once.
    pub(super) fn halved(mut self) -> Result<Self> {
        if let Some(bin) = self.npairs.iter().position(|n| n % 2 == 1) {
            bail!("bin {bin} holds an odd number of pairs, where each should stand twice");
        }
        self.npairs.iter_mut().for_each(|n| *n /= 2);
        for (_, sums) in &mut self.sums {
            for sum in sums {
                *sum /= 2.0;
            }
        }
        Ok(self)
    }

    /// A table's columns: the bins, then these amounts, in the order and with the descriptions that `like` has them in.
    pub(super) fn columns(self, grid: &Grid, like: &Table) -> Result<Vec<TableColumn>> {
        let mut columns = grid.columns(like)?;
        for column in &like.columns {
            let name = column.name.as_str();
            let mean = self.means.iter().find(|mean| mean.name == name);
            let floats = self.sum(name).or(mean.map(|mean| mean.values.as_slice()));
            let values = match name {
                "npairs" => Some(Values::Integers(self.npairs.clone())),
                _ => floats.map(|values| Values::Floats(values.to_vec())),
            };
            columns.extend(values.map(|values| TableColumn {
                values,
                ..column.clone()
            }));
        }
        Ok(columns)
    }
}
