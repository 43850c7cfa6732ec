//! What is made of an estimate: xi itself with its counts, multipoles, wedges or wp.
//!
//! Entry: [`Derived::table`].

use std::path::Path;

use albireo::binning::BinAxis;
use albireo::error::EstimatorError;
use albireo::estimators::projected_to;
use albireo::{Correlation, SignedEdges};
use albireo_catalogs::ResultKind;
use anyhow::Result;

use super::estimated::Estimated;
use super::named_formulas::Formulas;
use super::over_mu::{OverMu, OverMuFlags};
use super::projections::Projection;
use crate::form_file::Form;
use crate::packages::Made;
use crate::tables::{correlation_columns, counted_columns, edge_columns};
use crate::usage::usage;

/// A form of an estimate with what it takes to make it.
#[derive(Debug)]
pub(super) enum Derived {
    Xi,
    OverMu(OverMu),
    /// Up to this |pi|.
    Wp(Option<f64>),
}

impl From<OverMu> for Derived {
    fn from(wanted: OverMu) -> Self {
        Self::OverMu(wanted)
    }
}

impl Derived {
    /// The one that a covariance over these axes is of, by the flags of multipoles and wedges, and of wp and its end.
    pub(super) fn one(
        (over_mu, wp, pi_max): (&OverMuFlags, bool, Option<f64>),
        axes: &[BinAxis],
    ) -> Result<Self> {
        if wp {
            if let Some(flag) = over_mu.given() {
                return Err(usage(format!(
                    "{flag} and --wp cannot be combined: leave one out"
                )));
            }
            return Ok(Self::Wp(pi_max));
        }
        let Some(mu) = axes.get(1).filter(|axis| axis.name == "mu") else {
            return match over_mu.given() {
                Some(flag) => Err(usage(format!("{flag} needs xi(s, mu)"))),
                None => Ok(Self::Xi),
            };
        };
        over_mu.check_orders()?;
        let mu = SignedEdges::new(mu.edges.clone())?;
        let mut wanted = over_mu.wanted(&mu)?.into_iter();
        match (wanted.next(), wanted.next()) {
            (_, Some(_)) => Err(usage(
                "a covariance is of multipoles or of wedges: leave one of them out",
            )),
            (Some(one), None) => Ok(one.into()),
            (None, None) => Ok(Self::Xi),
        }
    }

    /// Which one it is.
    pub(super) fn form(&self) -> Form {
        match self {
            Self::Xi => Form::Xi,
            Self::OverMu(wanted) => wanted.form(),
            Self::Wp(_) => Form::Wp,
        }
    }

    /// What xi becomes; nothing else where it is wanted itself.
    pub(super) fn of(&self, xi: &Correlation) -> Result<Option<Projection>, EstimatorError> {
        Ok(match self {
            Self::Xi => None,
            Self::OverMu(wanted) => Some(wanted.of(xi)?),
            Self::Wp(pi_max) => Some(projected_to(xi, *pi_max)?.into()),
        })
    }

    /// The values that covariances are of.
    pub(super) fn values(&self, xi: &Correlation) -> Result<Vec<f64>, EstimatorError> {
        let projection = self.of(xi)?;
        Ok(projection.map_or_else(|| xi.xi.clone(), Projection::in_a_row))
    }

    /// What each of several formulas becomes, a curve each.
    fn of_formulas(&self, first: &Correlation, all: &Formulas) -> Result<Projection> {
        let each = std::iter::once(first).chain(&all.further);
        let curve = |xi| Ok((self.of(xi)?.unwrap_or_else(|| xi.into()), xi));
        let curves = each.map(curve).collect::<Result<_, EstimatorError>>()?;
        Ok(Projection::of_formulas(all.named.names(), curves)?)
    }

    /// The table of it that goes to `path`, with what it was made of; its covariance is written where that is wanted and a file is named for it.
    pub(super) fn table(
        &self,
        estimated: &Estimated,
        path: Option<&Path>,
        write_covariance: bool,
    ) -> Result<Made> {
        let of_sums = estimated.poles.as_ref();
        let of_sums = of_sums.filter(|_| matches!(self, Self::OverMu(OverMu::Multipoles(_))));
        let projection = match (of_sums, &estimated.formulas) {
            (Some(poles), _) => Some(poles.clone().into()),
            (None, Some(formulas)) => Some(self.of_formulas(&estimated.xi, formulas)?),
            (None, None) => self.of(&estimated.xi)?,
        };
        let covariance = match of_sums {
            Some(_) => estimated.covariance_of_poles()?,
            None => estimated.covariance(|xi| self.values(xi))?,
        };
        let covariance = covariance.as_ref();
        let errors = estimated.errors(covariance);
        let unit = estimated.unit.as_deref();
        let mut record = estimated.record.clone();
        if of_sums.is_some() {
            record.set("poles_from", "legendre");
        }
        if let Some(projection) = &projection {
            projection.note(&mut record);
            // A formula may have no value for other reasons.
            if let (Some(gaps), None) = (projection.gaps(&estimated.xi), &estimated.formulas) {
                tracing::warn!("{}: {gaps}", self.form().name());
            }
        }
        if let Self::Wp(pi_max) = self {
            record.set("pi_max", projected_to(&estimated.xi, *pi_max)?.pi_max);
        }
        let of_xi = || edge_columns(&estimated.xi.axes, unit);
        let bins = projection.as_ref().map_or_else(of_xi, |p| p.bins(unit));
        let (kind, columns) = if let Some(projection) = projection {
            let kind = projection.kind;
            let mut columns = projection.columns(unit, errors, estimated.is_numbered());
            if matches!((self, kind), (Self::Xi, ResultKind::Formulas)) {
                columns.extend(counted_columns(&estimated.xi, &estimated.counts, unit));
            }
            (kind, columns)
        } else {
            let columns = correlation_columns(&estimated.xi, errors, &estimated.counts, unit);
            (ResultKind::Correlation, columns)
        };
        let table = record.table(kind, columns);
        let counts = match self {
            Self::Xi => None,
            _ if !estimated.has_form(path) || estimated.formulas.is_some() => None,
            _ => Some(Self::Xi.table(estimated, None, false)?.table),
        };
        let origin = estimated.origin(counts, path);
        if write_covariance {
            let means = (&table, &origin, &record);
            estimated.write_covariance(covariance, (&bins, self.form().name()), means)?;
        }
        Ok(Made { table, origin })
    }
}
