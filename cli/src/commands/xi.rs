//! `albireo xi`: correlation functions and their multipoles.

use std::path::PathBuf;

use albireo::Correlation;
use albireo::estimators::{MAX_ELL, Multipoles, multipoles};
use albireo_catalogs::{ResultKind, Table, TableColumn, Values};
use anyhow::Result;
use clap::Args;

use super::estimate::{EstimateFlags, Estimated};
use crate::args::{BinFlags, OutputFlags};
use crate::bins::{BinSpec, Statistic};
use crate::inputs::Call;
use crate::output::{check, deliver, write};
use crate::tables::{correlation_columns, edge_columns, error_columns};
use crate::usage::usage;

/// Arguments of `xi`.
#[derive(Debug, Args)]
pub(crate) struct Xi {
    #[command(flatten)]
    estimate: EstimateFlags,
    /// What pairs are binned in
    #[arg(long, default_value = "r", help_heading = "Bins")]
    statistic: Statistic,
    #[command(flatten)]
    bins: BinFlags,
    /// Legendre multipoles of xi(s, mu), e.g. 0,2,4
    #[arg(long, value_name = "L,..", value_delimiter = ',')]
    multipoles: Option<Vec<u32>>,
    /// With --multipoles: also write xi(s, mu) with its counts, by extension as --output
    #[arg(
        long,
        value_name = "FILE",
        requires = "multipoles",
        help_heading = "Output"
    )]
    counts: Option<PathBuf>,
    #[command(flatten)]
    output: OutputFlags,
}

/// The table of a correlation function with its counts.
pub(super) fn table(estimated: &Estimated, write_covariance: bool) -> Result<Table> {
    let covariance = estimated.covariance(|xi| Ok(xi.xi.clone()))?;
    let unit = estimated.unit.as_deref();
    if write_covariance {
        let bins = edge_columns(&estimated.xi.axes, unit);
        estimated.write_covariance(covariance.as_ref(), &bins, "xi")?;
    }
    let errors = estimated.errors(covariance.as_ref());
    Ok(Table {
        columns: correlation_columns(&estimated.xi, errors, &estimated.counts, unit),
        meta: estimated.record.finish(ResultKind::Correlation),
    })
}

/// Multipoles one after the other, as their covariance is over them.
fn in_a_row(poles: Multipoles) -> Vec<f64> {
    poles.poles.into_iter().flat_map(|pole| pole.xi).collect()
}

/// The columns that tell the bins of multipoles one after the other.
fn pole_bins(poles: &Multipoles, unit: Option<&str>) -> Vec<TableColumn> {
    let edges = edge_columns(std::slice::from_ref(&poles.axis), unit);
    let bins = poles.axis.n_bins();
    let orders = poles.poles.iter();
    let orders = orders.flat_map(|pole| std::iter::repeat_n(u64::from(pole.ell), bins));
    let order = TableColumn::integers("ell", "order of the multipole", orders.collect());
    let all = |column: TableColumn| match column.values {
        Values::Floats(values) => TableColumn {
            values: Values::Floats(values.repeat(poles.poles.len())),
            ..column
        },
        Values::Integers(_) => column,
    };
    std::iter::once(order)
        .chain(edges.into_iter().map(all))
        .collect()
}

/// Refuses orders of multipoles that are given twice or higher than any that means something.
pub(super) fn check_orders(orders: &[u32]) -> Result<()> {
    for (k, order) in orders.iter().enumerate() {
        if *order > MAX_ELL {
            return Err(usage(format!(
                "--multipoles: the highest order is {MAX_ELL}, found {order}"
            )));
        }
        if orders[..k].contains(order) {
            return Err(usage(format!(
                "--multipoles: {order} is given more than once"
            )));
        }
    }
    Ok(())
}

impl Xi {
    /// Counts, estimates, prints and writes.
    pub(crate) fn run(self, call: &mut Call<'_>) -> Result<()> {
        let inputs: Vec<_> = self.estimate.files().chain(self.bins.files()).collect();
        let counts = self.counts.as_deref().map(|path| ("--counts", path));
        let others: Vec<_> = counts.into_iter().chain(self.estimate.written()).collect();
        check(&self.output, &others, &inputs)?;
        if self.multipoles.is_some() && self.statistic != Statistic::SMu {
            return Err(usage("--multipoles needs --statistic s-mu"));
        }
        check_orders(self.multipoles.as_deref().unwrap_or_default())?;
        let spec = BinSpec::new(self.statistic, &self.bins)?;
        let mut estimated = self.estimate.estimate(&spec, call)?;
        let grid = table(&estimated, self.multipoles.is_none())?;
        let Some(orders) = &self.multipoles else {
            return deliver(&grid, &self.output);
        };
        let poles = multipoles(&estimated.xi, orders)?;
        if let Some(path) = &self.counts {
            write(&grid, path)?;
        }
        let derived = |xi: &Correlation| multipoles(xi, orders).map(in_a_row);
        let covariance = estimated.covariance(derived)?;
        let mut errors = estimated.errors(covariance.as_ref());
        let unit = estimated.unit.clone();
        let record = &mut estimated.record;
        record.project(&poles.axis);
        let bins = pole_bins(&poles, unit.as_deref());
        estimated.write_covariance(covariance.as_ref(), &bins, "multipoles")?;
        let mut columns = edge_columns(std::slice::from_ref(&poles.axis), unit.as_deref());
        for pole in poles.poles {
            let (l, name) = (pole.ell, format!("xi_{}", pole.ell));
            columns.push(TableColumn::floats(
                name.clone(),
                format!("multipole l = {l} of xi(s, mu)"),
                pole.xi,
            ));
            let own = errors.as_mut().map(|(errors, method)| {
                (errors.drain(..pole.error.len()).collect(), method.clone())
            });
            columns.extend(error_columns(&name, pole.error, own));
        }
        deliver(
            &Table {
                columns,
                meta: estimated.record.finish(ResultKind::Multipoles),
            },
            &self.output,
        )
    }
}
