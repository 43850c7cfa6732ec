//! `albireo result concatenate`: results of the same particles in bins that adjoin, as one.

use std::path::PathBuf;

use albireo_catalogs::{ResultKind, Table, TableColumn, Values, sha256};
use anyhow::{Context, Result, bail};
use clap::Args;
use serde_json::{Value, json};

use super::amounts::without_rests;
use super::grid::Grid;
use super::rebin::record_of;
use super::saved::read;
use super::settings::difference;
use crate::args::OutputFlags;
use crate::output::{check, deliver};
use crate::record::{Arguments, Record};
use crate::usage::usage;

/// Arguments of `result concatenate`.
#[derive(Debug, Args)]
pub(crate) struct Concatenate {
    /// Results of count, xi or wp, of the same particles, in the order of their bins: those of each begin where those before end
    #[arg(required = true, value_name = "RESULT")]
    results: Vec<PathBuf>,
    #[command(flatten)]
    output: OutputFlags,
}

/// The settings of a result without its bins.
fn settings(table: &Table) -> Table {
    let mut settings = Table {
        meta: table.meta.clone(),
        ..Table::default()
    };
    settings.meta.remove("edges");
    settings
}

/// The totals and the particles of the counts, without what is of one run.
fn particles(table: &Table) -> Value {
    let mut counts = table.meta.get("counts").cloned().unwrap_or_default();
    for count in counts
        .as_object_mut()
        .into_iter()
        .flat_map(|counts| counts.values_mut())
    {
        for of_a_run in ["engine", "seconds", "read_from"] {
            count.as_object_mut().map(|count| count.remove(of_a_run));
        }
    }
    counts
}

/// The axis along which bins of the second go on where those of the first end, the others being the same.
fn axis_between(first: &Grid, second: &Grid) -> Result<usize> {
    let [a, b] = [first.axes(), second.axes()];
    let names = |axes: &[(String, Vec<f64>)]| {
        axes.iter()
            .map(|(name, _)| name.clone())
            .collect::<Vec<_>>()
            .join(", ")
    };
    if names(a) != names(b) {
        bail!("its bins are in ({}), not ({})", names(b), names(a));
    }
    let differ: Vec<usize> = (0..a.len()).filter(|&k| a[k].1 != b[k].1).collect();
    let [axis] = differ[..] else {
        bail!(
            "its bins differ along {} axes, where one is needed to go on",
            differ.len()
        );
    };
    let (name, end, begin) = (&a[axis].0, a[axis].1[a[axis].1.len() - 1], b[axis].1[0]);
    if end != begin {
        bail!("its bins in {name} begin at {begin}, those before end at {end}");
    }
    Ok(axis)
}

/// The rows of two tables along an axis of their bins, one after the other.
fn joined(
    first: (&Table, &Grid),
    second: (&Table, &Grid),
    whole: &Grid,
    axis: usize,
) -> Result<Vec<TableColumn>> {
    let bins = first.1.along(axis);
    let place = |row: usize| {
        let mut place = whole.place(row);
        if place[axis] < bins {
            return (0, first.1.row(&place));
        }
        place[axis] -= bins;
        (1, second.1.row(&place))
    };
    let column = |(a, b): (&TableColumn, &TableColumn)| {
        let rows = (0..whole.bins()).map(place);
        let values = match (&a.values, &b.values) {
            (Values::Integers(a), Values::Integers(b)) => {
                Values::Integers(rows.map(|(of, row)| [a, b][of][row]).collect())
            }
            (Values::Floats(a), Values::Floats(b)) => {
                Values::Floats(rows.map(|(of, row)| [a, b][of][row]).collect())
            }
            _ => bail!("its column `{}` is of another type", b.name),
        };
        Ok(TableColumn {
            values,
            ..a.clone()
        })
    };
    first
        .0
        .columns
        .iter()
        .zip(&second.0.columns)
        .map(column)
        .collect()
}

impl Concatenate {
    /// Reads, checks, joins, prints and writes.
    pub(crate) fn run(self, arguments: &Arguments) -> Result<()> {
        let inputs: Vec<_> = self.results.iter().map(PathBuf::as_path).collect();
        check(&self.output, &[], &inputs)?;
        if inputs.len() < 2 {
            return Err(usage(format!(
                "at least 2 results are needed, found {}",
                inputs.len()
            )));
        }
        let record = Record::begin(arguments);
        let (whole, kind) = read(inputs[0])?;
        let mut whole = without_rests(whole);
        if matches!(
            kind,
            ResultKind::Rdf | ResultKind::Randoms | ResultKind::Field | ResultKind::Thermodynamics
        ) {
            bail!(
                "{}: a {} is not put together of bins that adjoin",
                inputs[0].display(),
                kind.name()
            );
        }
        let first = settings(&whole);
        let mut grid = Grid::of(&whole)?;
        for path in &inputs[1..] {
            let table = without_rests(read(path)?.0);
            let place = || {
                format!(
                    "{} does not go on where {} ends",
                    path.display(),
                    inputs[0].display()
                )
            };
            if let Some(difference) = difference(&first, &settings(&table)) {
                bail!("{}: {difference}", place());
            }
            let names = |table: &Table| {
                table
                    .columns
                    .iter()
                    .map(|column| column.name.clone())
                    .collect::<Vec<_>>()
                    .join(", ")
            };
            if names(&table) != names(&whole) {
                bail!(
                    "{}: its columns: {}, not {}",
                    place(),
                    names(&table),
                    names(&whole)
                );
            }
            if particles(&table) != particles(&whole) {
                bail!(
                    "{}: it was counted from other particles, or has other totals",
                    place()
                );
            }
            let next = Grid::of(&table)?;
            let axis = axis_between(&grid, &next).with_context(place)?;
            let longer = grid.with_edges(|k, edges| {
                let more = &next.axes()[k].1;
                Ok(if k == axis {
                    [edges, &more[1..]].concat()
                } else {
                    edges.to_vec()
                })
            })?;
            whole.columns =
                joined((&whole, &grid), (&table, &next), &longer, axis).with_context(place)?;
            grid = longer;
        }
        let mut record = record_of(&whole, inputs[0], &grid, record)?;
        let entry = |path: &&std::path::Path| Ok(json!({"path": path, "sha256": sha256(path)?}));
        let made_from: Result<Vec<Value>> = inputs.iter().map(entry).collect();
        record.set("made_from", made_from?);
        let meta = record.finish(kind);
        deliver(
            &Table {
                columns: whole.columns,
                meta,
            },
            &self.output,
        )
    }
}
