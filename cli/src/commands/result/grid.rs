//! The bins of a table, as its rows run over them.
//!
//! Entry: [`Grid`].

use albireo_catalogs::{Table, TableColumn};
use anyhow::Result;
use serde_json::{Map, Value, json};

use super::saved::bin_columns;
use crate::usage::usage;

/// The axes of a result, at least one, with their edges; the last varies fastest.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Grid {
    axes: Vec<(String, Vec<f64>)>,
}

/// What flags ask for along the axes: `--by` the first, `--mu-by`, `--pi-by` and its like the second where it is that one.
#[derive(Debug)]
pub(super) struct Along<T> {
    /// The word that the flags end in.
    pub(super) flag: &'static str,
    pub(super) first: Option<T>,
    pub(super) mu: Option<T>,
    pub(super) pi: Option<T>,
    /// Heights, beside rho.
    pub(super) z: Option<T>,
}

impl Grid {
    /// The bins of a result.
    pub(super) fn of(table: &Table) -> Result<Self> {
        Ok(Self {
            axes: table.edges()?,
        })
    }

    /// Its axes.
    pub(super) fn axes(&self) -> &[(String, Vec<f64>)] {
        &self.axes
    }

    /// The number of bins along an axis.
    pub(super) fn along(&self, axis: usize) -> usize {
        self.axes[axis].1.len() - 1
    }

    /// The number of bins in all.
    pub(super) fn bins(&self) -> usize {
        (0..self.axes.len()).map(|axis| self.along(axis)).product()
    }

    /// The bin along each axis that a row is of.
    pub(super) fn place(&self, row: usize) -> Vec<usize> {
        let mut rest = row;
        let mut place = vec![0; self.axes.len()];
        for axis in (0..self.axes.len()).rev() {
            place[axis] = rest % self.along(axis);
            rest /= self.along(axis);
        }
        place
    }

    /// The row of a bin.
    pub(super) fn row(&self, place: &[usize]) -> usize {
        let axes = place.iter().enumerate();
        axes.fold(0, |row, (axis, bin)| row * self.along(axis) + bin)
    }

    /// The same axes with other edges, axis by axis.
    pub(super) fn with_edges(
        &self,
        edges: impl Fn(usize, &[f64]) -> Result<Vec<f64>>,
    ) -> Result<Self> {
        let axes = self.axes.iter().enumerate();
        let axes = axes.map(|(k, (name, old))| Ok((name.clone(), edges(k, old)?)));
        Ok(Self {
            axes: axes.collect::<Result<_>>()?,
        })
    }

    /// The columns of edges and centres, named and described as those of `like`, which has the same axes.
    pub(super) fn columns(&self, like: &Table) -> Result<Vec<TableColumn>> {
        let columns = bin_columns(like)?.into_iter().enumerate();
        let column = |(k, like): (usize, &TableColumn)| {
            let (axis, part) = (k / 3, k % 3);
            let value = |row: usize| {
                let bin = self.place(row)[axis];
                let [lo, hi] = [bin, bin + 1].map(|edge| self.axes[axis].1[edge]);
                [lo, hi, f64::midpoint(lo, hi)][part]
            };
            let values = (0..self.bins()).map(value).collect();
            TableColumn {
                unit: like.unit.clone(),
                ..TableColumn::floats(&like.name, &like.description, values)
            }
        };
        Ok(columns.map(column).collect())
    }

    /// The edges as records have them.
    pub(super) fn record(&self) -> Map<String, Value> {
        let axes = self.axes.iter();
        axes.map(|(name, edges)| (name.clone(), json!(edges)))
            .collect()
    }

    /// What is asked for along each axis; refused where nothing is, or for an axis that is not there.
    pub(super) fn asked<T: Copy>(&self, along: &Along<T>) -> Result<Vec<Option<T>>> {
        let flag = along.flag;
        if [along.first, along.mu, along.pi, along.z]
            .iter()
            .all(Option::is_none)
        {
            return Err(usage(format!(
                "nothing is asked for: --{flag} is for the first axis, --mu-{flag} and --pi-{flag} for the second"
            )));
        }
        let mut asked = vec![None; self.axes.len()];
        asked[0] = along.first;
        for (name, value) in [("mu", along.mu), ("pi", along.pi), ("z", along.z)] {
            let Some(value) = value else { continue };
            let Some(axis) = self.axes.iter().position(|(axis, _)| axis == name) else {
                let axes: Vec<&str> = self.axes.iter().map(|(axis, _)| axis.as_str()).collect();
                return Err(usage(format!(
                    "--{name}-{flag}: the result has no bins in {name}, but in ({})",
                    axes.join(", ")
                )));
            };
            asked[axis] = Some(value);
        }
        Ok(asked)
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a failed unwrap is a failed test")]
mod tests {
    use super::*;

    #[test]
    fn rows_and_places_are_inverse() {
        let axis = |name: &str, n: u32| (name.to_owned(), (0..=n).map(f64::from).collect());
        let grid = Grid {
            axes: vec![axis("s", 3), axis("mu", 4)],
        };
        assert_eq!(grid.bins(), 12);
        assert_eq!(grid.place(7), [1, 3]);
        for row in 0..12 {
            assert_eq!(grid.row(&grid.place(row)), row);
        }
    }
}
