//! What becomes of xi over two axes on one of them: multipoles, wedges, wp.
//!
//! Entry: [`Projection`], the curves of either with their columns and the bins of their covariance.

use albireo::Correlation;
use albireo::binning::BinAxis;
use albireo::error::EstimatorError;
use albireo::estimators::{Multipoles, Projected, Wedges};
use albireo_catalogs::{ResultKind, TableColumn};

use crate::record::Record;
use crate::tables::{edge_columns, error_columns, with_unit};

/// One curve over the axis that is left.
struct Curve {
    name: String,
    described: String,
    xi: Vec<f64>,
    error: Vec<f64>,
}

/// Curves over one axis that were made of xi over two.
pub(super) struct Projection {
    pub(super) kind: ResultKind,
    axis: BinAxis,
    curves: Vec<Curve>,
    /// What tells the curves apart: a column with a row each.
    labels: Vec<TableColumn>,
    /// The edges of wedges, for the record.
    wedges: Option<Vec<f64>>,
}

impl From<Multipoles> for Projection {
    fn from(poles: Multipoles) -> Self {
        let orders = poles.poles.iter().map(|pole| u64::from(pole.ell)).collect();
        let curve = |pole: albireo::estimators::Multipole| Curve {
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

impl From<Projected> for Projection {
    fn from(wp: Projected) -> Self {
        let curve = Curve {
            name: "wp".to_owned(),
            described: "projected correlation function".to_owned(),
            xi: wp.wp,
            error: wp.error,
        };
        Self {
            kind: ResultKind::Projected,
            axis: wp.axis,
            curves: vec![curve],
            labels: vec![],
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
        let curve = |(k, wedge): (usize, albireo::estimators::Wedge)| Curve {
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

/// An estimate as one curve.
impl From<&Correlation> for Projection {
    fn from(xi: &Correlation) -> Self {
        let curve = Curve {
            name: "xi".to_owned(),
            described: format!("correlation function, {}", xi.estimator),
            xi: xi.xi.clone(),
            error: xi.error.clone(),
        };
        Self {
            kind: ResultKind::Correlation,
            axis: xi.axes[0].clone(),
            curves: vec![curve],
            labels: vec![],
            wedges: None,
        }
    }
}

impl Projection {
    /// Those of several formulas in one: each curve under the name of its formula, and what tells it from the others of the formula.
    pub(super) fn of_formulas(
        names: &[String],
        all: Vec<(Self, &Correlation)>,
    ) -> Result<Self, EstimatorError> {
        let n_formulas = all.len();
        let (mut first, mut curves) = (None, Vec::new());
        for ((one, xi), name) in all.into_iter().zip(names) {
            let curve = |curve: Curve| {
                let (form, after) = match one.kind {
                    ResultKind::Projected => ("projected ", ""),
                    ResultKind::Multipoles | ResultKind::Wedges => {
                        ("", curve.name.trim_start_matches("xi"))
                    }
                    _ => ("", ""),
                };
                let described = match curve.described.split_once(" xi(s, mu)") {
                    Some((what, over)) => format!("{what} {}{over}", xi.estimator),
                    None => format!("{form}{}", xi.estimator),
                };
                Curve {
                    name: format!("{name}{after}"),
                    described,
                    ..curve
                }
            };
            curves.extend(one.curves.into_iter().map(curve));
            first = first.or(Some((one.axis, one.labels, one.wedges)));
        }
        let needs = || EstimatorError::Needs("a formula".to_owned());
        let (axis, labels, wedges) = first.ok_or_else(needs)?;
        let numbers = (0..n_formulas as u64).collect();
        let numbers =
            TableColumn::integers("formula", "number of the formula, counting from 0", numbers);
        let numbers = numbers.each_repeated(curves.len() / n_formulas);
        let labels = labels.into_iter().map(|label| label.repeated(n_formulas));
        Ok(Self {
            kind: ResultKind::Formulas,
            axis,
            labels: std::iter::once(numbers).chain(labels).collect(),
            curves,
            wedges,
        })
    }

    /// All values, one curve after the other, as their covariance is over them.
    pub(super) fn in_a_row(self) -> Vec<f64> {
        self.curves.into_iter().flat_map(|curve| curve.xi).collect()
    }

    /// Writes down which axis is left, and what became of the other.
    pub(super) fn note(&self, record: &mut Record) {
        record.project(&self.axis);
        if let Some(edges) = &self.wedges {
            record.set("wedges", edges.clone());
        }
    }

    /// The columns that tell the bins of all values in a row.
    pub(super) fn bins(&self, unit: Option<&str>) -> Vec<TableColumn> {
        let bins = self.axis.n_bins();
        let labels = self.labels.iter().map(|label| label.each_repeated(bins));
        let edges = edge_columns(std::slice::from_ref(&self.axis), unit).into_iter();
        labels
            .chain(edges.map(|column| column.repeated(self.curves.len())))
            .collect()
    }

    /// The columns of the table: bins, and each curve with its errors, those from scatter being of all values in a row; Poisson errors where pairs
    /// have numbers.
    pub(super) fn columns(
        self,
        unit: Option<&str>,
        mut errors: Option<(Vec<f64>, String)>,
        numbered: bool,
    ) -> Vec<TableColumn> {
        let mut columns = edge_columns(std::slice::from_ref(&self.axis), unit);
        // wp is a length.
        let unit = unit.filter(|_| self.kind == ResultKind::Projected);
        for curve in self.curves {
            let own = errors.as_mut().map(|(errors, method)| {
                (errors.drain(..curve.error.len()).collect(), method.clone())
            });
            let values = TableColumn::floats(&curve.name, curve.described, curve.xi);
            let own = std::iter::once(values).chain(error_columns(
                &curve.name,
                numbered.then_some(curve.error),
                own,
            ));
            columns.extend(own.map(|column| with_unit(column, unit.map(str::to_owned))));
        }
        columns
    }
}
