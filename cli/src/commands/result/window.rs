//! `albireo result window`: multipoles of the survey window from saved random pairs.

use albireo::counts::{JobId, PairKind};
use albireo::estimators::{MAX_ELL, WindowMultipoles, window_multipoles};
use albireo::tally::Legendre;
use albireo::{Axis, Counts, Edges, LineOfSight, PairTotal, SMuBins, SignedEdges};
use albireo_catalogs::{ResultKind, Table, TableColumn, Values};
use anyhow::{Context, Result, bail};
use clap::Args;
use serde_json::Value;

use super::grid::Grid;
use super::rebin::record_of;
use super::saved::{floats, whole};
use crate::args::OutputFlags;
use crate::output::{check, deliver};
use crate::paths::ReadFile;
use crate::record::{Arguments, Record};
use crate::tables::edge_columns;
use crate::usage::usage;

/// Arguments of `result window`.
#[derive(Debug, Args)]
pub(crate) struct Window {
    /// Random pairs over (s, mu): a count of randoms, or a result of xi that holds RR
    #[arg(value_name = "RESULT")]
    result: ReadFile,
    /// Degrees of the multipoles
    #[arg(
        long,
        value_name = "L,..",
        value_delimiter = ',',
        default_value = "0,2,4"
    )]
    multipoles: Vec<u32>,
    /// Effective volume (int n w)^2 / int (n w)^2 in the unit of the positions cubed, with which `Q_0` goes to 1 at s = 0 [default: `Q_0` is 1 in
    /// the innermost bin with pairs]
    #[arg(long, value_name = "V")]
    volume: Option<f64>,
    #[command(flatten)]
    output: OutputFlags,
}

/// The prefix of the columns of random pairs and the record of their count.
fn random_pairs(table: &Table, kind: ResultKind) -> Result<(String, &Value)> {
    let counts = table.meta.get("counts").and_then(Value::as_object);
    let counts = counts.context("it has no metadata `counts`")?;
    if kind == ResultKind::Counts {
        let (_, record) = counts
            .iter()
            .next()
            .context("its metadata `counts` is empty")?;
        return Ok((String::new(), record));
    }
    let mut names = ["RR", "R1R2"].into_iter();
    let found = names.find_map(|name| Some((format!("{name}_"), counts.get(name)?)));
    found.context("it holds no counted RR")
}

/// All pairs of a count, as its record has them.
fn total(record: &Value) -> Result<PairTotal> {
    let kinds = [
        PairKind::AutoUnordered,
        PairKind::AutoOrdered,
        PairKind::Cross,
    ];
    let name = record.get("kind").and_then(Value::as_str);
    let kind = kinds
        .into_iter()
        .find(|kind| Some(kind.to_string().as_str()) == name);
    let number = |key: &str| record.get(key).and_then(Value::as_f64);
    let pairs = record.get("total_pairs").and_then(Value::as_u64);
    Ok(PairTotal {
        weight: number("total_weight").context("its record has no `total_weight`")?,
        design_effect: number("design_effect").unwrap_or(1.0),
        ..PairTotal::unweighted(
            kind.context("its record has no `kind` of pairs")?,
            pairs.context("its record has no `total_pairs`")?,
        )
    })
}

/// The line of sight of a result.
fn line_of_sight(table: &Table) -> Result<LineOfSight> {
    let name = table.meta.get("line_of_sight").and_then(Value::as_str);
    let fixed = [Axis::X, Axis::Y, Axis::Z].map(LineOfSight::Fixed);
    let others = [LineOfSight::Midpoint, LineOfSight::First, LineOfSight::End];
    let mut all = fixed.into_iter().chain(others);
    let found = all.find(|los| Some(los.name()) == name);
    found.context("it has no metadata `line_of_sight`")
}

/// The random pairs of a result.
fn counts(table: &Table, kind: ResultKind) -> Result<Counts> {
    let axes = table.edges()?;
    let [(s, s_edges), (mu, mu_edges)] = &axes[..] else {
        bail!("window multipoles need random pairs over (s, mu)");
    };
    if [s.as_str(), mu.as_str()] != ["s", "mu"] {
        bail!("window multipoles need random pairs over (s, mu), found ({s}, {mu})");
    }
    let (prefix, record) = random_pairs(table, kind)?;
    let (s, mu) = (
        Edges::new(s_edges.clone())?,
        SignedEdges::new(mu_edges.clone())?,
    );
    let bins = SMuBins::new(s, mu, line_of_sight(table)?)?;
    let name = |rest: &str| format!("{prefix}{rest}");
    let npairs = match table.column(&name("npairs")).map(|column| &column.values) {
        Some(Values::Integers(npairs)) => npairs.clone(),
        _ => bail!("there is no column `{}` of integers", name("npairs")),
    };
    let weight = table
        .column(&name("weight"))
        .map(|_| floats(table, &name("weight")));
    let weight = weight.transpose()?.map(<[f64]>::to_vec);
    let mut counts = Counts::from_parts(bins, npairs, weight, total(record)?, JobId(0))?;
    for l in Legendre::ALL {
        let column = name(&format!("L{}", l.degree()));
        if table.column(&column).is_some() {
            counts = counts.with_legendre_sums(l, floats(table, &column)?)?;
        }
    }
    Ok(counts)
}

/// The columns of the multipoles.
fn columns(window: WindowMultipoles, unit: Option<&str>) -> Vec<TableColumn> {
    let mut columns = edge_columns(std::slice::from_ref(&window.axis), unit);
    for pole in window.poles {
        let (l, name) = (pole.ell, format!("Q_{}", pole.ell));
        columns.push(TableColumn::floats(
            &name,
            format!("multipole l = {l} of the window"),
            pole.q,
        ));
        let described = format!("Poisson error of {name} at this normalisation");
        columns.push(TableColumn::floats(
            format!("{name}_error"),
            described,
            pole.error,
        ));
    }
    columns
}

impl Window {
    /// Reads, projects, prints and writes.
    pub(crate) fn run(self, arguments: &Arguments) -> Result<()> {
        let path = self.result.as_path();
        check(&self.output, &[], &[path])?;
        let orders = &self.multipoles;
        if let Some(k) =
            (0..orders.len()).find(|&k| orders[k] > MAX_ELL || orders[..k].contains(&orders[k]))
        {
            return Err(usage(format!(
                "--multipoles: degrees up to {MAX_ELL}, each once, are needed, found {}",
                orders[k]
            )));
        }
        let record = Record::begin(arguments);
        let (table, kind) = whole(path)?;
        let place = || path.display().to_string();
        let counts = counts(&table, kind).with_context(place)?;
        let window = window_multipoles(&counts, self.volume, orders).with_context(place)?;
        let mut record = record_of(&table, path, &Grid::of(&table)?, record)?;
        record.project(&window.axis);
        record.set("window_volume", window.volume);
        let unit = table.meta.get("unit").and_then(Value::as_str);
        let meta = record.finish(ResultKind::Window);
        deliver(
            &Table {
                columns: columns(window, unit),
                meta,
            },
            &self.output,
        )
    }
}
