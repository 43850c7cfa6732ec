//! What is made of an estimate: xi itself with its counts, multipoles, wedges or wp.
//!
//! Entry: [`Derived::table`].

use std::path::Path;

use albireo::Correlation;
use albireo::error::EstimatorError;
use albireo::estimators::projected_to;
use albireo_catalogs::{ResultKind, Table};
use anyhow::Result;

use super::estimated::Estimated;
use super::over_mu::OverMu;
use super::projections::Projection;
use crate::form_file::Form;
use crate::packages::Made;
use crate::tables::{correlation_columns, edge_columns};

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
    /// Which one it is.
    pub(super) fn form(&self) -> Form {
        match self {
            Self::Xi => Form::Xi,
            Self::OverMu(OverMu::Multipoles(_)) => Form::Multipoles,
            Self::OverMu(OverMu::Wedges(_)) => Form::Wedges,
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

    /// The table of it that goes to `path`, with what it was made of; its covariance is written where that is wanted and a file is named for it.
    pub(super) fn table(
        &self,
        estimated: &Estimated,
        path: Option<&Path>,
        write_covariance: bool,
    ) -> Result<Made> {
        let of_sums = estimated.poles.as_ref();
        let of_sums = of_sums.filter(|_| matches!(self, Self::OverMu(OverMu::Multipoles(_))));
        let projection = match of_sums {
            Some(poles) => Some(poles.clone().into()),
            None => self.of(&estimated.xi)?,
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
        }
        if let Self::Wp(pi_max) = self {
            record.set("pi_max", projected_to(&estimated.xi, *pi_max)?.pi_max);
        }
        let of_xi = || edge_columns(&estimated.xi.axes, unit);
        let bins = projection.as_ref().map_or_else(of_xi, |p| p.bins(unit));
        let (kind, columns) = if let Some(projection) = projection {
            (
                projection.kind,
                projection.columns(unit, errors, estimated.is_numbered()),
            )
        } else {
            let columns = correlation_columns(&estimated.xi, errors, &estimated.counts, unit);
            (ResultKind::Correlation, columns)
        };
        let meta = record.finish(kind);
        let table = Table { columns, meta };
        let counts = match self {
            Self::Xi => None,
            _ if !estimated.has_form(path) => None,
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
