//! What is made of xi(s, mu) over its bins in mu: multipoles and wedges.
//!
//! Entry: [`OverMuFlags`], and [`OverMu`], what they ask for.

use std::num::NonZeroU16;

use albireo::error::EstimatorError;
use albireo::estimators::{
    MAX_ELL, Multipole, Multipoles, Wedge, Wedges, check_wedge_edges, multipoles, wedges,
};
use albireo::{Correlation, SignedEdges};
use albireo_catalogs::{ResultKind, TableColumn};
use anyhow::{Context, Result};
use clap::{Args, ValueEnum};

use super::projections::{Curve, Projection};
use crate::form_file::Form;
use crate::group;
use crate::usage::{first_given, usage};

/// Flags of multipoles and wedges.
#[derive(Debug, Args)]
#[command(next_help_heading = group::BINS)]
pub(super) struct OverMuFlags {
    /// Legendre multipoles of xi(s, mu), e.g. 0,2,4
    #[arg(long, value_name = "L,..", value_delimiter = ',')]
    pub(super) multipoles: Option<Vec<u32>>,
    /// Wedges of xi(s, mu): its mean over each of N equal parts of the mu bins
    #[arg(long, value_name = "N", conflicts_with = "wedge_edges")]
    wedges: Option<NonZeroU16>,
    /// Wedges between these mu instead, e.g. 0,0.33,0.66,1
    ///
    /// A bin that is partly in a wedge has that part of its weight.
    #[arg(
        long,
        value_name = "MU,..",
        value_delimiter = ',',
        allow_hyphen_values = true
    )]
    wedge_edges: Option<Vec<f64>>,
    /// Bins in mu of a wedge: `part`, all in it or partly in it, or `middle`, as in pycorr [default: part]
    #[arg(long, value_name = "KIND")]
    wedge_bins: Option<WedgeBins>,
}

/// Which bins in mu a wedge has.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum WedgeBins {
    /// All that it holds a part of, by that part.
    Part,
    /// Those whose middle it holds.
    Middle,
}

/// Edges of bins in the place of those of wedges, so that a bin is whole in the wedge that holds its middle.
fn whole_bins(edges: &[f64], mu: &[f64]) -> Vec<f64> {
    let last = mu[mu.len() - 1];
    let edge = |edge: &f64| {
        let mut bins = mu.windows(2);
        let bin = bins.find(|bin| f64::midpoint(bin[0], bin[1]) >= *edge);
        bin.map_or(last, |bin| bin[0])
    };
    edges.iter().map(edge).collect()
}

/// What is made of xi(s, mu).
#[derive(Debug)]
pub(super) enum OverMu {
    Multipoles(Vec<u32>),
    /// Between these edges in mu.
    Wedges(Vec<f64>),
}

impl OverMu {
    pub(super) fn of(&self, xi: &Correlation) -> Result<Projection, EstimatorError> {
        Ok(match self {
            Self::Multipoles(orders) => multipoles(xi, orders)?.into(),
            Self::Wedges(edges) => wedges(xi, edges)?.into(),
        })
    }

    /// Which form of an estimate it is.
    pub(super) fn form(&self) -> Form {
        match self {
            Self::Multipoles(_) => Form::Multipoles,
            Self::Wedges(_) => Form::Wedges,
        }
    }
}

impl From<Multipoles> for Projection {
    fn from(poles: Multipoles) -> Self {
        let orders = poles.poles.iter().map(|pole| u64::from(pole.ell)).collect();
        let curve = |pole: Multipole| Curve {
            name: format!("xi_{}", pole.ell),
            described: format!("multipole l = {} of xi(s, mu)", pole.ell),
            xi: pole.xi,
            error: pole.error,
        };
        Self {
            kind: ResultKind::Multipoles,
            axis: poles.axis,
            curves: poles.poles.into_iter().map(curve).collect(),
            labels: vec![TableColumn::integers(
                "ell",
                "order of the multipole",
                orders,
            )],
            wedges: None,
        }
    }
}

impl From<Wedges> for Projection {
    fn from(wedges: Wedges) -> Self {
        let ends = wedges.wedges.iter().map(|wedge| wedge.mu);
        let edge = |side: usize| ends.clone().map(|mu| mu[side]).collect::<Vec<f64>>();
        let (lo, hi) = (edge(0), edge(1));
        let edges = lo.iter().chain(hi.last()).copied().collect();
        let curve = |(k, wedge): (usize, Wedge)| Curve {
            name: format!("xi_wedge_{k}"),
            described: format!(
                "mean of xi(s, mu) over mu from {} to {}",
                wedge.mu[0], wedge.mu[1]
            ),
            xi: wedge.xi,
            error: wedge.error,
        };
        Self {
            kind: ResultKind::Wedges,
            axis: wedges.axis,
            curves: wedges.wedges.into_iter().enumerate().map(curve).collect(),
            labels: vec![
                TableColumn::floats("wedge_lo", "mu: lower edge of the wedge", lo),
                TableColumn::floats("wedge_hi", "mu: upper edge of the wedge", hi),
            ],
            wedges: Some(edges),
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

impl OverMuFlags {
    /// The flag that is given, if one is.
    pub(super) fn given(&self) -> Option<&'static str> {
        first_given(&[
            (self.multipoles.is_some(), "--multipoles"),
            (self.wedges.is_some(), "--wedges"),
            (self.wedge_edges.is_some(), "--wedge-edges"),
            (self.wedge_bins.is_some(), "--wedge-bins"),
        ])
    }

    /// Whether what is asked for depends on the sign of mu: multipoles of odd degree, and wedges below 0.
    pub(super) fn is_signed(&self) -> bool {
        let orders = self.multipoles.as_deref().unwrap_or_default();
        let edges = self.wedge_edges.as_deref().unwrap_or_default();
        orders.iter().any(|order| order % 2 == 1) || edges.iter().any(|&edge| edge < 0.0)
    }

    /// Whether there are to be wedges.
    pub(super) fn has_wedges(&self) -> bool {
        self.wedges.is_some() || self.wedge_edges.is_some()
    }

    /// Refuses orders of multipoles that are given twice or higher than any that means something.
    pub(super) fn check_orders(&self) -> Result<()> {
        let orders = self.multipoles.as_deref().unwrap_or_default();
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

    /// The edges of wedges in bins with these edges in mu, if there are to be wedges.
    fn edges(&self, mu: &SignedEdges) -> Result<Option<Vec<f64>>> {
        let edges = match (&self.wedge_edges, self.wedges) {
            (Some(edges), _) => edges.clone(),
            (None, Some(n)) => equal(n, mu)?,
            (None, None) if self.wedge_bins.is_some() => {
                return Err(usage("--wedge-bins needs --wedges or --wedge-edges"));
            }
            (None, None) => return Ok(None),
        };
        check_wedge_edges(&edges, mu.values())
            .map_err(|error| usage(format!("--wedge-edges: {error}")))?;
        if self.wedge_bins != Some(WedgeBins::Middle) {
            return Ok(Some(edges));
        }
        let whole = whole_bins(&edges, mu.values());
        match (0..whole.len() - 1).find(|&k| whole[k] >= whole[k + 1]) {
            None => Ok(Some(whole)),
            Some(k) => Err(usage(format!(
                "--wedge-bins middle: the wedge from {} to {} holds the middle of no bin in mu",
                edges[k],
                edges[k + 1]
            ))),
        }
    }

    /// What is to be made of bins with these edges in mu.
    pub(super) fn wanted(&self, mu: &SignedEdges) -> Result<Vec<OverMu>> {
        let orders = self.multipoles.clone().map(OverMu::Multipoles);
        let wedges = self.edges(mu)?.map(OverMu::Wedges);
        Ok(orders.into_iter().chain(wedges).collect())
    }
}
