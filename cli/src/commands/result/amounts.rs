//! What adds up in saved pair counts: pairs, weights, and the means of separations with the pairs that they are of.
//!
//! Entry: [`Amounts`]. Pairs are added as integers; weights and means, which tables hold as float64, in float64.

use albireo_catalogs::{Table, TableColumn, Values};
use anyhow::{Context, Result, bail};

use super::grid::Grid;
use super::saved::bin_columns;

/// The columns of pair counts, one value a bin.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Amounts {
    npairs: Vec<u64>,
    weight: Option<Vec<f64>>,
    mean: Option<Vec<f64>>,
}

/// The name of the column of mean separations.
fn mean_name(table: &Table) -> Result<String> {
    let axes = table.edges()?;
    Ok(format!(
        "mean_{}",
        axes.first().context("there is no axis")?.0
    ))
}

impl Amounts {
    /// Those of a table; a column of which it is not known how it adds up is refused.
    pub(super) fn of(table: &Table) -> Result<Self> {
        let mean_name = mean_name(table)?;
        let known: Vec<&str> = bin_columns(table)?
            .iter()
            .map(|column| column.name.as_str())
            .collect();
        let (mut npairs, mut weight, mut mean) = (None, None, None);
        for column in &table.columns {
            match (column.name.as_str(), &column.values) {
                ("npairs", Values::Integers(values)) => npairs = Some(values.clone()),
                ("weight", Values::Floats(values)) => weight = Some(values.clone()),
                (name, Values::Floats(values)) if name == mean_name => mean = Some(values.clone()),
                (name, _) if known.contains(&name) => {}
                (name, _) => bail!("column `{name}`: it is not known how it adds up"),
            }
        }
        Ok(Self {
            npairs: npairs.context("there is no column `npairs` of integers")?,
            weight,
            mean,
        })
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
        let weighted = all.iter().all(|one| one.weight.is_some());
        let has_means = all.iter().all(|one| one.mean.is_some());
        let weight = weighted.then(|| {
            let mut sums = vec![0.0; bins];
            for (row, weight) in all
                .iter()
                .flat_map(|one| one.weight.iter().flatten().enumerate())
            {
                sums[target(row)] += weight;
            }
            sums
        });
        let mean = has_means.then(|| {
            let mut means = vec![f64::NAN; bins];
            for one in all {
                let rows = one.npairs.iter().zip(one.mean.iter().flatten()).enumerate();
                // Bins without pairs have no mean and take no part.
                for (row, (&n, mean)) in rows.filter(|(_, (n, _))| **n > 0) {
                    let (bin, all) = (target(row), npairs[target(row)]);
                    let share = if n == all {
                        *mean
                    } else {
                        mean * (n as f64 / all as f64)
                    };
                    means[bin] = if means[bin].is_nan() {
                        share
                    } else {
                        means[bin] + share
                    };
                }
            }
            means
        });
        Ok(Self {
            npairs,
            weight,
            mean,
        })
    }

    /// A table's columns: the bins, then these amounts, in the order and with the descriptions that `like` has them in.
    pub(super) fn columns(self, grid: &Grid, like: &Table) -> Result<Vec<TableColumn>> {
        let mean_name = mean_name(like)?;
        let mut columns = grid.columns(like)?;
        for column in &like.columns {
            let values = match column.name.as_str() {
                "npairs" => Some(Values::Integers(self.npairs.clone())),
                "weight" => self.weight.clone().map(Values::Floats),
                name if name == mean_name => self.mean.clone().map(Values::Floats),
                _ => None,
            };
            columns.extend(values.map(|values| TableColumn {
                values,
                ..column.clone()
            }));
        }
        Ok(columns)
    }
}
