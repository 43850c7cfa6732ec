//! What an estimate is, and the tables that it fills.
//!
//! Entry: [`Estimated`], which `estimate` makes of catalogues and `result combine` of results.

use std::path::{Path, PathBuf};

use albireo::error::EstimatorError;
use albireo::estimators::{Covariance, Multipoles};
use albireo::result::Correlation;
use albireo_catalogs::{Table, TableColumn};
use anyhow::Result;

use super::named_formulas::Formulas;
use crate::counted::Counted;
use crate::packages::{Origin, has_form};
use crate::record::Record;
use crate::scatter::{Scatter, covariance_table};
use crate::session::Sink;

/// A correlation function with the counts it came from.
pub(crate) struct Estimated {
    pub(crate) xi: Correlation,
    /// Formulas with names, the first of which xi is.
    pub(crate) formulas: Option<Formulas>,
    pub(crate) counts: Vec<Counted>,
    pub(crate) record: Record,
    pub(crate) unit: Option<String>,
    /// Multipoles, where they are made of Legendre sums; realisations are then theirs.
    pub(super) poles: Option<Multipoles>,
    /// What the errors come from, if not from the pairs themselves.
    pub(crate) scatter: Option<Scatter>,
    pub(super) covariance: Option<PathBuf>,
    pub(crate) sink: Sink,
}

impl Estimated {
    /// The covariance of what `derived` makes of xi, if errors come from regions and realisations are of xi.
    pub(super) fn covariance(
        &self,
        derived: impl Fn(&Correlation) -> Result<Vec<f64>, EstimatorError>,
    ) -> Result<Option<Covariance>> {
        let scatter = self.scatter.as_ref().filter(|_| self.poles.is_none());
        let covariance = |scatter: &Scatter| match &self.formulas {
            None => scatter.covariance(&self.xi, derived),
            Some(all) => scatter.covariance_by(|row| all.in_a_row(&self.xi, row, &derived)),
        };
        scatter.map(covariance).transpose()
    }

    /// Whether the numbers of all pairs are known.
    pub(super) fn is_numbered(&self) -> bool {
        self.counts.iter().all(|count| !count.sums.unnumbered)
    }

    /// Whether a result of it that goes to `path`, or its covariance, has a form that is made of counts.
    pub(super) fn has_form(&self, path: Option<&Path>) -> bool {
        path.is_some_and(has_form) || self.covariance.as_deref().is_some_and(has_form)
    }

    /// What a result of it that goes to `path` was made of: xi with its counts, where it is not the result itself, and regions.
    pub(crate) fn origin(&self, counts: Option<Table>, path: Option<&Path>) -> Origin {
        let wanted = path.is_some_and(has_form);
        let scatter = self.scatter.as_ref();
        let scatter = scatter.filter(|scatter| wanted && scatter.has_counts());
        let unit = self.unit.as_deref();
        Origin {
            counts: counts.filter(|_| self.has_form(path)),
            regions: scatter.map(|of| of.region_counts(&self.xi.axes, unit, &self.record)),
            means: None,
        }
    }

    /// The covariance of multipoles from Legendre sums, one after the other, if errors come from regions.
    pub(super) fn covariance_of_poles(&self) -> Result<Option<Covariance>> {
        let scatter = self.scatter.as_ref();
        scatter.map(Scatter::covariance_of_values).transpose()
    }

    /// The errors of a covariance with what they are.
    pub(super) fn errors(&self, covariance: Option<&Covariance>) -> Option<(Vec<f64>, String)> {
        Some((covariance?.errors(), self.scatter.as_ref()?.described()))
    }

    /// Writes the covariance of `of` in the bins that `bins` tell, where a file is named for it; `means` is the table that has these values, with its
    /// record.
    pub(super) fn write_covariance(
        &self,
        covariance: Option<&Covariance>,
        (bins, of): (&[TableColumn], &str),
        (means, origin, record): (&Table, &Origin, &Record),
    ) -> Result<()> {
        let (Some(path), Some(covariance)) = (&self.covariance, covariance) else {
            return Ok(());
        };
        let mut record = record.clone();
        if let Some(scatter) = &self.scatter {
            scatter.note_inverse(covariance.bins(), &mut record);
        }
        let table = covariance_table(&covariance.matrix(), bins, of, &record)?;
        let origin = Origin {
            counts: origin.counts.clone(),
            regions: None,
            means: Some(means.clone()),
        };
        self.sink.write_with(&table, &origin, path)
    }
}
