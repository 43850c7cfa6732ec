//! `albireo xi`: correlation functions, their multipoles and their wedges.

use albireo::Correlation;
use albireo::estimators::MAX_SUMMED_ELL;
use albireo_catalogs::{ResultKind, Table};
use anyhow::Result;
use clap::{Args, ValueEnum};

use super::estimate::EstimateFlags;
use super::estimated::Estimated;
use super::over_mu::{OverMu, OverMuFlags};
use super::projections::Projection;
use crate::args::{BinFlags, OutputFlags};
use crate::bins::{BinSpec, Statistic};
use crate::edges::EdgeSpec;
use crate::packages::{Made, Origin};
use crate::paths::WrittenFile;
use crate::session::Session;
use crate::tables::{correlation_columns, edge_columns};
use crate::usage::usage;
use crate::weight_sets::{each_set, path_of};

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
    #[command(flatten)]
    over_mu: OverMuFlags,
    /// What multipoles are made of: bins in mu, or Legendre sums over the pairs, which need no --mu-bins
    #[arg(long, default_value = "mu", requires = "multipoles")]
    poles_from: PolesFrom,
    /// With --multipoles or wedges: also write xi(s, mu) with its counts, by extension as --output
    #[arg(long, value_name = "FILE", help_heading = "Output")]
    counts: Option<WrittenFile>,
    #[command(flatten)]
    output: OutputFlags,
}

/// The table of a correlation function with its counts.
pub(super) fn table(estimated: &Estimated, write_covariance: bool) -> Result<Table> {
    let covariance = estimated.covariance(|xi| Ok(xi.xi.clone()))?;
    let unit = estimated.unit.as_deref();
    let errors = estimated.errors(covariance.as_ref());
    let table = Table {
        columns: correlation_columns(&estimated.xi, errors, &estimated.counts, unit),
        meta: estimated.record.finish(ResultKind::Correlation),
    };
    if write_covariance {
        let bins = edge_columns(&estimated.xi.axes, unit);
        let means = (&table, &Origin::default());
        estimated.write_covariance(covariance.as_ref(), (&bins, "xi"), means)?;
    }
    Ok(table)
}

/// What multipoles are made of.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum PolesFrom {
    /// Bins in mu, times the integrals of the Legendre polynomials over them.
    Mu,
    /// Sums of the Legendre polynomials over the pairs, and for surveys the mixing matrix of RR (Slepian & Eisenstein 2015).
    Legendre,
}

impl Xi {
    /// Refuses flags that go with one statistic only.
    fn check(&self) -> Result<()> {
        match self.over_mu.given() {
            Some(flag) if self.statistic != Statistic::SMu => {
                Err(usage(format!("{flag} needs --statistic s-mu")))
            }
            None if self.counts.is_some() => Err(usage(
                "--counts needs --multipoles, --wedges or --wedge-edges: without them the counts stand in the result",
            )),
            _ => self.over_mu.check_orders(),
        }
    }

    /// The orders of multipoles from Legendre sums, if that is what is asked for; the one bin in mu that these need is then set.
    fn orders_of_sums(&mut self) -> Result<Option<Vec<u32>>> {
        let orders = self.over_mu.multipoles.clone();
        let Some(orders) = orders.filter(|_| self.poles_from == PolesFrom::Legendre) else {
            return Ok(None);
        };
        if self.bins.mu_bins.is_some() {
            return Err(usage(
                "--poles-from legendre needs no --mu-bins: leave them out",
            ));
        }
        if let Some(high) = orders.iter().find(|&&order| order > MAX_SUMMED_ELL) {
            return Err(usage(format!(
                "--poles-from legendre: the highest order is {MAX_SUMMED_ELL}, found {high}: take --poles-from mu"
            )));
        }
        // Odd ones of a single sample need both orders of each pair.
        let odd = orders.iter().any(|order| order % 2 == 1);
        let first = if odd && !self.estimate.is_cross() {
            -1.0
        } else {
            0.0
        };
        self.bins.mu_bins = Some(EdgeSpec::Linear(first, 1.0, 1));
        Ok(Some(orders))
    }

    /// Counts, estimates, prints and writes.
    pub(crate) fn run(mut self, session: &mut Session<'_>) -> Result<()> {
        self.estimate
            .check_written(&self.output, self.counts.as_deref(), session)?;
        self.check()?;
        let orders = self.orders_of_sums()?;
        let spec = BinSpec::new(self.statistic, &self.bins)?;
        let files = [self.output.file(), self.counts.as_deref()];
        self.estimate.check_forms(&spec, files)?;
        // Edges of wedges are checked before a file is read.
        let wanted = match &spec.second {
            Some(mu) => self.over_mu.wanted(mu)?,
            None => None,
        };
        let orders = orders.as_deref();
        let sets = self.estimate.weight_sets.names();
        each_set(&sets, &self.output, session, |session, set, name| {
            let estimated = (self.estimate).estimate(&spec, orders, (set, name), session)?;
            let result = |all| self.result(all, wanted.as_ref(), orders.is_some(), name);
            estimated.map(result).transpose()
        })
    }

    /// The table of an estimate, or of what is made of it; further files of it are written.
    fn result(
        &self,
        mut estimated: Estimated,
        wanted: Option<&OverMu>,
        of_sums: bool,
        set: Option<&str>,
    ) -> Result<Made> {
        let grid = table(&estimated, wanted.is_none())?;
        let Some(wanted) = wanted else {
            let origin = estimated.origin(None, self.output.file());
            return Ok(Made {
                table: grid,
                origin,
            });
        };
        let projection = match estimated.poles.clone() {
            Some(poles) => poles.into(),
            None => wanted.of(&estimated.xi)?,
        };
        if let Some(path) = &self.counts {
            let origin = estimated.origin(None, Some(path));
            (estimated.sink).write_with(&grid, &origin, &path_of(path, set))?;
        }
        let origin = estimated.origin(Some(grid), self.output.file());
        let derived = |xi: &Correlation| wanted.of(xi).map(Projection::in_a_row);
        let covariance = if of_sums {
            estimated.covariance_of_poles()?
        } else {
            estimated.covariance(derived)?
        };
        if of_sums {
            estimated.record.set("poles_from", "legendre");
        }
        projection.note(&mut estimated.record);
        estimated.projected(projection, (covariance, wanted.name()), origin)
    }
}
