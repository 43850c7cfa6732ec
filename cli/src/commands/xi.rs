//! `albireo xi`: correlation functions and their multipoles.

use std::ffi::OsString;
use std::path::PathBuf;

use albireo::estimators::{MAX_ELL, multipoles};
use albireo_catalogs::{ResultKind, Table, TableColumn};
use anyhow::Result;
use clap::Args;

use super::estimate::{EstimateFlags, Estimated};
use crate::args::{BinFlags, OutputFlags};
use crate::bins::{BinSpec, Statistic};
use crate::output::{check, deliver, write};
use crate::tables::{correlation_columns, edge_columns};
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
pub(super) fn table(estimated: &Estimated) -> Table {
    let columns = correlation_columns(&estimated.xi, &estimated.counts, estimated.unit.as_deref());
    Table {
        columns,
        meta: estimated.record.finish(ResultKind::Correlation),
    }
}

/// Refuses orders of multipoles that are given twice or higher than any that means something.
fn check_orders(orders: &[u32]) -> Result<()> {
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
    pub(crate) fn run(self, arguments: &[OsString]) -> Result<()> {
        let inputs: Vec<_> = self.estimate.files().chain(self.bins.files()).collect();
        check(&self.output, self.counts.as_deref(), &inputs)?;
        if self.multipoles.is_some() && self.statistic != Statistic::SMu {
            return Err(usage("--multipoles needs --statistic s-mu"));
        }
        check_orders(self.multipoles.as_deref().unwrap_or_default())?;
        let spec = BinSpec::new(self.statistic, &self.bins)?;
        let mut estimated = self.estimate.estimate(&spec, arguments)?;
        let grid = table(&estimated);
        let Some(orders) = &self.multipoles else {
            return deliver(&grid, &self.output);
        };
        let poles = multipoles(&estimated.xi, orders)?;
        if let Some(path) = &self.counts {
            write(&grid, path)?;
        }
        let mut columns =
            edge_columns(std::slice::from_ref(&poles.axis), estimated.unit.as_deref());
        for pole in poles.poles {
            let (l, name) = (pole.ell, format!("xi_{}", pole.ell));
            columns.push(TableColumn::floats(
                name.clone(),
                format!("multipole l = {l} of xi(s, mu)"),
                pole.xi,
            ));
            columns.push(TableColumn::floats(
                format!("{name}_error"),
                format!("Poisson error of {name}"),
                pole.error,
            ));
        }
        let record = &mut estimated.record;
        record.project(&poles.axis);
        deliver(
            &Table {
                columns,
                meta: record.finish(ResultKind::Multipoles),
            },
            &self.output,
        )
    }
}
