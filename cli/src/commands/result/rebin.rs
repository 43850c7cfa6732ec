//! `albireo result rebin` and `albireo result slice`: fewer bins of a saved result, with the edges that it has.

use std::num::NonZeroUsize;
use std::path::Path;

use albireo_catalogs::{ResultKind, Table, TableColumn, Values, sha256};
use anyhow::{Context, Result, bail};
use clap::Args;
use serde_json::json;

use super::amounts::Amounts;
use super::grid::{Along, Grid};
use super::saved::read;
use crate::args::OutputFlags;
use crate::edges::ends;
use crate::output::{check, deliver};
use crate::paths::ReadFile;
use crate::record::{Arguments, Record};

/// Arguments of `result rebin`.
#[derive(Debug, Args)]
pub(crate) struct Rebin {
    /// Pair counts that `albireo count` wrote
    #[arg(value_name = "RESULT")]
    result: ReadFile,
    /// Neighbouring bins in r, s, rp or theta that become one
    #[arg(long, value_name = "N")]
    by: Option<NonZeroUsize>,
    /// Neighbouring bins in mu that become one
    #[arg(long, value_name = "N")]
    mu_by: Option<NonZeroUsize>,
    /// Neighbouring bins in pi that become one
    #[arg(long, value_name = "N")]
    pi_by: Option<NonZeroUsize>,
    #[command(flatten)]
    output: OutputFlags,
}

/// Arguments of `result slice`.
#[derive(Debug, Args)]
pub(crate) struct Slice {
    /// A result of count, xi, wp or rdf
    #[arg(value_name = "RESULT")]
    result: ReadFile,
    /// Keep the bins in r, s, rp, rho or theta that lie within these ends, e.g. 5:60
    #[arg(long, value_name = "LO:HI", value_parser = ends, allow_hyphen_values = true)]
    range: Option<[f64; 2]>,
    /// Keep the bins in mu that lie within these ends, e.g. 0:0.5
    #[arg(long, value_name = "LO:HI", value_parser = ends, allow_hyphen_values = true)]
    mu_range: Option<[f64; 2]>,
    /// Keep the bins in pi that lie within these ends, e.g. 0:20
    #[arg(long, value_name = "LO:HI", value_parser = ends, allow_hyphen_values = true)]
    pi_range: Option<[f64; 2]>,
    /// Keep the bins in z, of g(rho, z), that lie within these ends, e.g. 0:5
    #[arg(long, value_name = "LO:HI", value_parser = ends, allow_hyphen_values = true)]
    z_range: Option<[f64; 2]>,
    #[command(flatten)]
    output: OutputFlags,
}

/// The record of a result made of another: what that was and is of, with its own command and edges.
pub(super) fn record_of(
    table: &Table,
    path: &Path,
    grid: &Grid,
    mut record: Record,
) -> Result<Record> {
    let own = [
        "result",
        "program",
        "commit",
        "command",
        "date",
        "host",
        "wall_seconds",
        "made_from",
    ];
    for (key, value) in &table.meta {
        if !own.contains(&key.as_str()) {
            record.set(key, value.clone());
        }
    }
    record.set("edges", grid.record());
    let command = table.meta.get("command");
    record.set(
        "made_from",
        json!({"path": path, "sha256": sha256(path)?, "command": command}),
    );
    Ok(record)
}

/// Every `by`-th edge of an axis, which must take its last one.
fn joined(name: &str, edges: &[f64], by: usize) -> Result<Vec<f64>> {
    let bins = edges.len() - 1;
    if !bins.is_multiple_of(by) {
        let divisors: Vec<String> = (1..=bins)
            .filter(|by| bins.is_multiple_of(*by))
            .map(|by| by.to_string())
            .collect();
        bail!(
            "{bins} bins in {name} cannot be put together by {by}: a divisor is needed, one of {}",
            divisors.join(", ")
        );
    }
    Ok(edges.iter().copied().step_by(by).collect())
}

impl Rebin {
    /// Reads, adds, prints and writes.
    pub(crate) fn run(self, arguments: &Arguments) -> Result<()> {
        let path = self.result.as_path();
        check(&self.output, &[], &[path])?;
        let record = Record::begin(arguments);
        let (table, kind) = read(path)?;
        let place = || path.display().to_string();
        if kind != ResultKind::Counts {
            bail!(
                "{}: pair counts can be put together, such as `albireo count` writes, found a {}",
                place(),
                kind.name()
            );
        }
        let fine = Grid::of(&table)?;
        let by = fine.asked(&Along {
            flag: "by",
            first: self.by,
            mu: self.mu_by,
            pi: self.pi_by,
            z: None,
        })?;
        let by: Vec<usize> = by
            .iter()
            .map(|by| by.map_or(1, NonZeroUsize::get))
            .collect();
        let coarse = fine.with_edges(|k, edges| joined(&fine.axes()[k].0, edges, by[k]));
        let coarse = coarse.with_context(place)?;
        let target = |row: usize| {
            let bins = fine.place(row).into_iter().zip(&by);
            coarse.row(&bins.map(|(bin, by)| bin / by).collect::<Vec<_>>())
        };
        let amounts = Amounts::of(&table).with_context(place)?;
        let sums = Amounts::together(&[amounts], coarse.bins(), target).with_context(place)?;
        let columns = sums.columns(&coarse, &table)?;
        let meta = record_of(&table, path, &coarse, record)?.finish(kind);
        deliver(&Table { columns, meta }, &self.output)
    }
}

/// The first bin within the ends, and how many there are.
fn within(name: &str, edges: &[f64], range: Option<[f64; 2]>) -> Result<[usize; 2]> {
    let bins = edges.len() - 1;
    let Some([lo, hi]) = range else {
        return Ok([0, bins]);
    };
    let kept = |bin: &usize| edges[*bin] >= lo && edges[*bin + 1] <= hi;
    let number = (0..bins).filter(kept).count();
    match (0..bins).find(kept) {
        Some(first) => Ok([first, number]),
        None => bail!(
            "no bin in {name} lies within {lo} and {hi}: its {bins} bins go from {} to {}",
            edges[0],
            edges[bins]
        ),
    }
}

/// The rows of a column that are kept.
fn kept(column: &TableColumn, rows: &[usize]) -> TableColumn {
    let values = match &column.values {
        Values::Integers(values) => Values::Integers(rows.iter().map(|&row| values[row]).collect()),
        Values::Floats(values) => Values::Floats(rows.iter().map(|&row| values[row]).collect()),
    };
    TableColumn {
        values,
        ..column.clone()
    }
}

impl Slice {
    /// Reads, leaves bins out, prints and writes.
    pub(crate) fn run(self, arguments: &Arguments) -> Result<()> {
        let path = self.result.as_path();
        check(&self.output, &[], &[path])?;
        let record = Record::begin(arguments);
        let (table, kind) = read(path)?;
        let whole = Grid::of(&table)?;
        let ranges = whole.asked(&Along {
            flag: "range",
            first: self.range,
            mu: self.mu_range,
            pi: self.pi_range,
            z: self.z_range,
        })?;
        let axes = whole.axes().iter().zip(ranges);
        let bins = axes.map(|((name, edges), range)| within(name, edges, range));
        let bins = bins.collect::<Result<Vec<_>>>();
        let bins = bins.with_context(|| path.display().to_string())?;
        let part = whole.with_edges(|k, edges| {
            let [first, number] = bins[k];
            Ok(edges[first..=first + number].to_vec())
        })?;
        let row = |row: usize| {
            let place = part.place(row).into_iter().zip(&bins);
            whole.row(
                &place
                    .map(|(bin, [first, _])| bin + first)
                    .collect::<Vec<_>>(),
            )
        };
        let rows: Vec<usize> = (0..part.bins()).map(row).collect();
        let mut columns: Vec<_> = table
            .columns
            .iter()
            .map(|column| kept(column, &rows))
            .collect();
        let is_n = |column: &&mut TableColumn| column.name == "n" || column.name.starts_with("n_");
        if kind == ResultKind::Rdf {
            // They go on counting from where they did.
            let from = format!("from {:?} up to hi", whole.axes()[0].1[0]);
            for n in columns.iter_mut().filter(is_n) {
                let told = n.description.replace(" from the first edge", "");
                n.description = told.replace("up to hi", &from);
            }
        }
        let meta = record_of(&table, path, &part, record)?.finish(kind);
        deliver(&Table { columns, meta }, &self.output)
    }
}
