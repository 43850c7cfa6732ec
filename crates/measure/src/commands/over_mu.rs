//! What is made of xi(s, mu) over its bins in mu: multipoles and wedges.
//!
//! Entry: [`OverMuFlags`], and [`OverMu`], what they ask for.

use std::num::NonZeroU16;

use albireo::error::EstimatorError;
use albireo::estimators::{MAX_ELL, check_wedge_edges, multipoles, wedges};
use albireo::{Correlation, SignedEdges};
use anyhow::{Context, Result};
use clap::Args;

use super::projections::Projection;
use crate::usage::usage;

/// Flags of multipoles and wedges.
#[derive(Debug, Args)]
pub(super) struct OverMuFlags {
    /// Legendre multipoles of xi(s, mu), e.g. 0,2,4
    #[arg(long, value_name = "L,..", value_delimiter = ',')]
    pub(super) multipoles: Option<Vec<u32>>,
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

    /// What covariances call it.
    pub(super) fn name(&self) -> &'static str {
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

impl OverMuFlags {
    /// The flag that is given, if one is.
    pub(super) fn given(&self) -> Option<&'static str> {
        let flags = [
            ("--multipoles", self.multipoles.is_some()),
            ("--wedges", self.wedges.is_some()),
            ("--wedge-edges", self.wedge_edges.is_some()),
        ];
        let given = flags.into_iter().find(|(_, given)| *given);
        given.map(|(flag, _)| flag)
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

    /// What is to be made of bins with these edges in mu, if anything.
    pub(super) fn wanted(&self, mu: &SignedEdges) -> Result<Option<OverMu>> {
        if let Some(orders) = &self.multipoles {
            return Ok(Some(OverMu::Multipoles(orders.clone())));
        }
        if let Some(n) = self.wedges {
            return Ok(Some(OverMu::Wedges(equal(n, mu)?)));
        }
        let Some(edges) = &self.wedge_edges else {
            return Ok(None);
        };
        check_wedge_edges(edges, mu.values())
            .map_err(|error| usage(format!("--wedge-edges: {error}")))?;
        Ok(Some(OverMu::Wedges(edges.clone())))
    }
}
