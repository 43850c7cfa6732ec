//! The values that a covariance is of: bins as they are, multipoles, wedges or wp.
//!
//! Entry: [`Values`].

use albireo::Correlation;
use albireo::binning::BinAxis;
use albireo::engine::Exactness;
use albireo::estimators::correlation_of;
use albireo::ndarray::Array2;
use albireo_catalogs::{Table, TableColumn};
use albireo_covariance::model::{LinearMap, Matrix};
use anyhow::Result;
use serde_json::json;

use crate::commands::derived::Derived;
use crate::commands::projections::Projection;
use crate::record::Record;
use crate::scatter::covariance_columns;
use crate::tables::edge_columns;

/// The values that the covariance is of.
pub(in crate::commands) struct Values {
    pub(in crate::commands) map: LinearMap,
    bins: Vec<TableColumn>,
    projection: Option<Projection>,
    pub(in crate::commands) name: &'static str,
}

impl Values {
    /// The form of xi over these axes, its factors found by what becomes of bins one by one.
    pub(in crate::commands) fn new(
        form: &Derived,
        axes: Vec<BinAxis>,
        unit: Option<&str>,
    ) -> Result<Self> {
        let name = form.form().name();
        let none = nothing_in(axes);
        let Some(projection) = form.of(&none)? else {
            let bins = edge_columns(&none.axes, unit);
            let map = LinearMap::identity(none.xi.len());
            return Ok(Self {
                map,
                bins,
                projection: None,
                name,
            });
        };
        let bins = projection.bins(unit);
        let [first, second] = [0, 1].map(|axis| none.axes[axis].n_bins());
        let mut columns = Vec::new();
        for k in 0..second {
            let mut one = none.clone();
            let values = one.xi.iter_mut().enumerate();
            values.for_each(|(bin, value)| *value = f64::from(u8::from(bin % second == k)));
            let values = form.values(&one)?;
            columns.push(values.into_iter().step_by(first).collect::<Vec<f64>>());
        }
        let row = |l: usize| columns.iter().map(|column| column[l]).collect();
        let factors: Vec<Vec<f64>> = (0..columns[0].len()).map(row).collect();
        Ok(Self {
            map: LinearMap::over_second(first, &factors),
            bins,
            projection: Some(projection),
            name,
        })
    }

    /// The same of 11, 12 and 22 one after the other, where there are three.
    #[must_use]
    pub(in crate::commands) fn of_pairs(mut self, pairs: usize) -> Self {
        if pairs > 1 {
            let rows = self.map.values();
            let tracers = [11, 12, 22]
                .into_iter()
                .flat_map(|pair| std::iter::repeat_n(pair, rows));
            let tracers =
                TableColumn::integers("tracers", "tracers of the pairs", tracers.collect());
            self.bins = std::iter::once(tracers)
                .chain(self.bins.into_iter().map(|column| column.repeated(pairs)))
                .collect();
            self.map = self.map.of_each(pairs);
        }
        self
    }

    /// Writes down which axis is left.
    pub(in crate::commands) fn note(&self, record: &mut Record) {
        if let Some(projection) = &self.projection {
            projection.note(record);
        }
    }

    /// Whether they are the bins as they are.
    pub(in crate::commands) fn are_bins(&self) -> bool {
        self.projection.is_none()
    }

    /// The columns of a covariance of them.
    pub(in crate::commands) fn columns(&self, covariance: &Matrix) -> Vec<TableColumn> {
        let n = covariance.nrows();
        let array = Array2::from_shape_fn((n, n), |at| covariance[at]);
        let correlation = correlation_of(&array).into_iter().collect();
        covariance_columns(&self.bins, self.name, (rows(covariance), correlation))
    }

    /// A covariance of them that has nothing but its bins.
    pub(in crate::commands) fn bare(&self) -> Table {
        let n = self.map.values();
        Table {
            columns: self.columns(&Matrix::zeros(n, n)),
            meta: [("covariance_of".to_owned(), json!(self.name))]
                .into_iter()
                .collect(),
        }
    }
}

/// xi of 0 in each bin.
fn nothing_in(axes: Vec<BinAxis>) -> Correlation {
    let none = vec![0.0; axes.iter().map(BinAxis::n_bins).product()];
    Correlation {
        estimator: "none".into(),
        axes,
        xi: none.clone(),
        error: none.clone(),
        variance: none,
        counts: Vec::new(),
        exactness: Exactness::Exact,
    }
}

/// A symmetric matrix row by row.
pub(in crate::commands) fn rows(matrix: &Matrix) -> Vec<f64> {
    matrix.iter().copied().collect()
}
