//! `albireo result wrap`: both signs of mu or pi put together.

use albireo_catalogs::{ResultKind, Table};
use anyhow::{Context, Result, bail};
use clap::Args;

use super::amounts::Amounts;
use super::grid::Grid;
use super::rebin::record_of;
use super::saved::counts;
use super::sum::Total;
use crate::args::OutputFlags;
use crate::output::{check, deliver};
use crate::paths::ReadFile;
use crate::record::{Arguments, Record};

/// Arguments of `result wrap`.
#[derive(Debug, Args)]
pub(crate) struct Wrap {
    /// Pair counts over signed mu or pi that `albireo count` wrote
    #[arg(value_name = "RESULT")]
    result: ReadFile,
    #[command(flatten)]
    output: OutputFlags,
}

/// The edges above zero of edges that are the same on both sides, from 0.
fn folded(name: &str, edges: &[f64]) -> Result<Vec<f64>> {
    if edges[0] >= 0.0 {
        bail!(
            "its bins in {name} begin at {}: both signs are together already",
            edges[0]
        );
    }
    let mirrored = edges.iter().zip(edges.iter().rev());
    if let Some((edge, _)) = mirrored.into_iter().find(|(a, b)| **a != -**b) {
        bail!(
            "its bins in {name} are not the same on both sides of 0: there is an edge {edge} and none at {}",
            -edge
        );
    }
    let above = edges.iter().copied().filter(|&edge| edge > 0.0);
    Ok(std::iter::once(0.0).chain(above).collect())
}

/// Whether an auto count of these bins, folded, holds each pair twice in one bin: the line of sight is the same either way.
fn holds_twice(table: &Table, total: &Total) -> bool {
    let los = table.meta.get("line_of_sight").and_then(|los| los.as_str());
    total.kind == "auto (each pair in both orders)" && !matches!(los, Some("first" | "end"))
}

impl Wrap {
    /// Reads, folds, prints and writes.
    pub(crate) fn run(self, arguments: &Arguments) -> Result<()> {
        let path = self.result.as_path();
        check(&self.output, &[], &[path])?;
        let record = Record::begin(arguments);
        let table = counts(path, "folded")?;
        let place = || path.display().to_string();
        let signed = Grid::of(&table)?;
        let axes = signed.axes();
        let axis = axes
            .iter()
            .position(|(name, _)| name == "mu" || name == "pi");
        let axis = axis.with_context(|| format!("{}: it has no bins in mu or pi", place()))?;
        let whole = signed.with_edges(|k, edges| {
            if k == axis {
                folded(&axes[k].0, edges)
            } else {
                Ok(edges.to_vec())
            }
        });
        let whole = whole.with_context(place)?;
        let bins = signed.along(axis);
        let target = |row: usize| {
            let mut place = signed.place(row);
            let bin = place[axis];
            // From the middle outwards; an odd number of bins has one that spans 0.
            place[axis] = if bin >= bins / 2 {
                bin - bins / 2
            } else {
                (bins - 1) / 2 - bin
            };
            whole.row(&place)
        };
        let amounts = Amounts::of(&table).with_context(place)?;
        let mut amounts =
            Amounts::together(&[amounts], whole.bins(), target).with_context(place)?;
        let mut total = Total::of(&table).with_context(place)?;
        let mut record = record_of(&table, path, &whole, record)?;
        if holds_twice(&table, &total) {
            amounts = amounts.halved().with_context(place)?;
            total = total.halved();
            record.set("counts", total.in_record_of(&table));
        }
        let columns = amounts.columns(&whole, &table)?;
        let meta = record.finish(ResultKind::Counts);
        deliver(&Table { columns, meta }, &self.output)
    }
}

#[cfg(test)]
mod tests {
    use super::folded;

    #[test]
    fn edges_fold_where_both_sides_are_alike() {
        assert_eq!(
            folded("pi", &[-2.0, -1.0, 0.0, 1.0, 2.0]).ok(),
            Some(vec![0.0, 1.0, 2.0])
        );
        assert_eq!(
            folded("pi", &[-2.0, -1.0, 1.0, 2.0]).ok(),
            Some(vec![0.0, 1.0, 2.0])
        );
        assert!(folded("pi", &[-2.0, 0.0, 1.0]).is_err());
        assert!(folded("mu", &[0.0, 1.0]).is_err());
    }
}
