//! What becomes of xi over two axes on one of them: curves, as of wp; those of multipoles and wedges are made in `over_mu`.
//!
//! Entry: [`Projection`], with the columns of its curves and the bins of their covariance.

use albireo::Correlation;
use albireo::binning::BinAxis;
use albireo::error::EstimatorError;
use albireo::estimators::Projected;
use albireo_catalogs::{ResultKind, TableColumn};

use crate::record::Record;
use crate::tables::{edge_columns, error_columns, with_unit};
use crate::text::short;

/// One curve over the axis that is left.
pub(super) struct Curve {
    pub(super) name: String,
    pub(super) described: String,
    pub(super) xi: Vec<f64>,
    pub(super) error: Vec<f64>,
}

/// Curves over one axis that were made of xi over two.
pub(super) struct Projection {
    pub(super) kind: ResultKind,
    pub(super) axis: BinAxis,
    pub(super) curves: Vec<Curve>,
    /// What tells the curves apart: a column with a row each.
    pub(super) labels: Vec<TableColumn>,
    /// The edges of wedges, for the record.
    pub(super) wedges: Option<Vec<f64>>,
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
    /// Bins without a value though part of the bins that they were made of have one, in words.
    pub(super) fn gaps(&self, xi: &Correlation) -> Option<String> {
        let [first, second] = &xi.axes[..] else {
            return None;
        };
        let rows = xi.xi.chunks(second.edges.len() - 1).enumerate();
        let is_gap = |(k, row): &(usize, &[f64])| {
            row.iter().any(|value| !value.is_nan())
                && self.curves.iter().any(|curve| curve.xi[*k].is_nan())
        };
        let mut gaps = rows.filter(is_gap);
        let (k, row) = gaps.next()?;
        let of = row.iter().position(|value| value.is_nan())?;
        let between = |axis: &BinAxis, k: usize| {
            let [lo, hi] = [k, k + 1].map(|k| short(axis.edges[k]));
            format!("{} {lo} to {hi}", axis.name)
        };
        Some(format!(
            "NaN in {} of {} bins: in a part of each along {} the randoms have no pairs (first: {}, {}); wider bins or more randoms fill them",
            1 + gaps.count(),
            first.edges.len() - 1,
            second.name,
            between(first, k),
            between(second, of)
        ))
    }

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
