//! `albireo result window`: multipoles of the survey window from saved random pairs.

use albireo::Counts;
use albireo::estimators::{MAX_ELL, WindowMultipoles, window_multipoles};
use albireo_catalogs::{ResultKind, Table, TableColumn};
use anyhow::{Context, Result, bail};
use clap::Args;
use serde_json::Value;

use super::saved::NamedTable;
use crate::args::OutputFlags;
use crate::group;
use crate::paths::ReadFile;
use crate::record::Record;
use crate::saved::{bins_of, random_pairs, saved_count};
use crate::session::Session;
use crate::tables::edge_columns;
use crate::usage::usage;

/// Arguments of `result window`.
#[derive(Debug, Args)]
#[command(next_help_heading = group::BINS)]
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
    /// Effective volume (int n w)^2 / int (n w)^2, in the unit of the positions cubed
    ///
    /// With it `Q_0` goes to 1 at s = 0 [default: `Q_0` is 1 in the innermost bin with pairs].
    #[arg(long, value_name = "V")]
    volume: Option<f64>,
    #[command(flatten)]
    output: OutputFlags,
}

/// The random pairs of a result.
fn counts(table: &Table) -> Result<Counts> {
    let axes = table.edges()?;
    let [(s, _), (mu, _)] = &axes[..] else {
        bail!("window multipoles need random pairs over (s, mu)");
    };
    if [s.as_str(), mu.as_str()] != ["s", "mu"] {
        bail!("window multipoles need random pairs over (s, mu), found ({s}, {mu})");
    }
    let (name, _) = random_pairs(table)?;
    if !table.meta.contains_key("line_of_sight") {
        bail!("it has no metadata `line_of_sight`");
    }
    saved_count(table, name, &bins_of(table)?)
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
    pub(crate) fn run(self, session: &Session<'_>) -> Result<()> {
        let path = self.result.as_path();
        session.sink.check(&self.output, &[], &[path])?;
        let orders = &self.multipoles;
        if let Some(k) =
            (0..orders.len()).find(|&k| orders[k] > MAX_ELL || orders[..k].contains(&orders[k]))
        {
            return Err(usage(format!(
                "--multipoles: degrees up to {MAX_ELL}, each once, are needed, found {}",
                orders[k]
            )));
        }
        let record = Record::begin(session.arguments);
        let input = NamedTable::read(path, &session.kept.results)?;
        input.whole()?;
        let table = &input.table;
        let place = || path.display().to_string();
        let counts = counts(table).with_context(place)?;
        let window = window_multipoles(&counts, self.volume, orders).with_context(place)?;
        let mut record = input.record_of_made(&input.axes()?, record)?;
        record.project(&window.axis);
        record.set("window_volume", window.volume);
        let unit = table.meta.get("unit").and_then(Value::as_str);
        let table = record.table(ResultKind::Window, columns(window, unit));
        session.sink.deliver(&table, &self.output)
    }
}
