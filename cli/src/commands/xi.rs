//! `albireo xi`: correlation functions, their multipoles and their wedges.

use std::num::NonZeroU16;
use std::path::PathBuf;

use albireo::estimators::{MAX_ELL, check_wedge_edges, multipoles, wedges};
use albireo::{Correlation, EstimatorError, SignedEdges};
use albireo_catalogs::{ResultKind, Table};
use anyhow::{Context, Result};
use clap::Args;

use super::estimate::{EstimateFlags, Estimated};
use super::projections::Projection;
use crate::args::{BinFlags, OutputFlags};
use crate::bins::{BinSpec, Statistic};
use crate::inputs::Call;
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
    /// Wedges of xi(s, mu): its mean over each of N equal parts of the mu bins
    #[arg(long, value_name = "N", conflicts_with_all = ["multipoles", "wedge_edges"])]
    wedges: Option<NonZeroU16>,
    /// Wedges between these mu instead, e.g. 0,0.33,0.66,1; a bin that a wedge holds a part of has that part of its weight
    #[arg(
        long,
        value_name = "MU,..",
        value_delimiter = ',',
        allow_hyphen_values = true,
        conflicts_with = "multipoles"
    )]
    wedge_edges: Option<Vec<f64>>,
    /// With --multipoles or wedges: also write xi(s, mu) with its counts, by extension as --output
    #[arg(long, value_name = "FILE", help_heading = "Output")]
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

/// What is made of xi(s, mu).
enum Wanted {
    Multipoles(Vec<u32>),
    /// Between these edges in mu.
    Wedges(Vec<f64>),
}

impl Wanted {
    fn of(&self, xi: &Correlation) -> Result<Projection, EstimatorError> {
        Ok(match self {
            Self::Multipoles(orders) => multipoles(xi, orders)?.into(),
            Self::Wedges(edges) => wedges(xi, edges)?.into(),
        })
    }

    /// What covariances call it.
    fn name(&self) -> &'static str {
        match self {
            Self::Multipoles(_) => "multipoles",
            Self::Wedges(_) => "wedges",
        }
    }
}

/// Edges of `n` equal wedges over all of the mu bins.
fn equal(n: NonZeroU16, mu: &SignedEdges) -> Result<Vec<f64>> {
    let edges = mu.values();
    let (lo, hi) = (edges[0], edges[edges.len() - 1]);
    let equal = SignedEdges::linear(lo, hi, usize::from(n.get())).context("--wedges")?;
    Ok(equal.values().to_vec())
}

impl Xi {
    /// Refuses flags that go with one statistic only.
    fn check(&self) -> Result<()> {
        let flags = [
            ("--multipoles", self.multipoles.is_some()),
            ("--wedges", self.wedges.is_some()),
            ("--wedge-edges", self.wedge_edges.is_some()),
        ];
        let projected = flags.iter().find(|(_, given)| *given);
        match projected {
            Some((flag, _)) if self.statistic != Statistic::SMu => {
                Err(usage(format!("{flag} needs --statistic s-mu")))
            }
            None if self.counts.is_some() => Err(usage(
                "--counts needs --multipoles, --wedges or --wedge-edges: without them the counts stand in the result",
            )),
            _ => check_orders(self.multipoles.as_deref().unwrap_or_default()),
        }
    }

    /// What is to be made of xi(s, mu), if anything; edges of wedges are checked before a file is read.
    fn wanted(&self, spec: &BinSpec) -> Result<Option<Wanted>> {
        let Some(mu) = &spec.second else {
            return Ok(None);
        };
        if let Some(orders) = &self.multipoles {
            return Ok(Some(Wanted::Multipoles(orders.clone())));
        }
        if let Some(n) = self.wedges {
            return Ok(Some(Wanted::Wedges(equal(n, mu)?)));
        }
        let Some(edges) = &self.wedge_edges else {
            return Ok(None);
        };
        check_wedge_edges(edges, mu.values())
            .map_err(|error| usage(format!("--wedge-edges: {error}")))?;
        Ok(Some(Wanted::Wedges(edges.clone())))
    }

    /// Counts, estimates, prints and writes.
    pub(crate) fn run(self, call: &mut Call<'_>) -> Result<()> {
        let inputs: Vec<_> = self.estimate.files().chain(self.bins.files()).collect();
        let counts = self.counts.as_deref().map(|path| ("--counts", path));
        let others: Vec<_> = counts.into_iter().chain(self.estimate.written()).collect();
        check(&self.output, &others, &inputs)?;
        self.check()?;
        let spec = BinSpec::new(self.statistic, &self.bins)?;
        let wanted = self.wanted(&spec)?;
        let mut estimated = self.estimate.estimate(&spec, call)?;
        let grid = table(&estimated, wanted.is_none())?;
        let Some(wanted) = wanted else {
            return deliver(&grid, &self.output);
        };
        let projection = wanted.of(&estimated.xi)?;
        if let Some(path) = &self.counts {
            write(&grid, path)?;
        }
        let derived = |xi: &Correlation| wanted.of(xi).map(Projection::in_a_row);
        let covariance = estimated.covariance(derived)?;
        let errors = estimated.errors(covariance.as_ref());
        let unit = estimated.unit.clone();
        projection.note(&mut estimated.record);
        let bins = projection.bins(unit.as_deref());
        estimated.write_covariance(covariance.as_ref(), &bins, wanted.name())?;
        let kind = projection.kind;
        let columns = projection.columns(unit.as_deref(), errors);
        let meta = estimated.record.finish(kind);
        deliver(&Table { columns, meta }, &self.output)
    }
}
