//! Results as Python sees them.
//!
//! Entry: [`Table`]. What columns mean is in `python/albireo/result.py`.

use std::path::PathBuf;

use albireo_catalogs::{Table as Inner, TableColumn, Values};
use albireo_measure::{pycorr_npy, read_result, write_result};
use numpy::{IntoPyArray, PyReadonlyArray1};
use pyo3::exceptions::{PyKeyError, PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::PyBytes;

/// Columns of a result with everything about how it was made.
#[pyclass(frozen, module = "albireo._albireo")]
#[derive(Clone)]
pub(crate) struct Table {
    inner: Inner,
}

impl From<Inner> for Table {
    fn from(inner: Inner) -> Self {
        Self { inner }
    }
}

impl From<&Table> for Inner {
    fn from(table: &Table) -> Self {
        table.inner.clone()
    }
}

/// A column as it is pickled: name, unit, description, values.
type Parts<'py> = (String, Option<String>, String, Bound<'py, PyAny>);

fn refused(error: impl std::fmt::Display) -> PyErr {
    PyValueError::new_err(error.to_string())
}

impl Table {
    fn find(&self, name: &str) -> PyResult<&TableColumn> {
        let known = || {
            let names: Vec<_> = self.inner.columns.iter().map(|c| c.name.as_str()).collect();
            names.join(", ")
        };
        let found = self.inner.column(name);
        found.ok_or_else(|| PyKeyError::new_err(format!("no column {name}: there are {}", known())))
    }
}

#[pymethods]
impl Table {
    /// The table of these columns, its record as JSON.
    #[staticmethod]
    fn of(columns: Vec<Parts<'_>>, record: &str) -> PyResult<Self> {
        let column = |(name, unit, description, values): Parts<'_>| {
            let values = if let Ok(values) = values.extract::<PyReadonlyArray1<'_, u64>>() {
                Values::Integers(values.as_array().to_vec())
            } else if let Ok(values) = values.extract::<PyReadonlyArray1<'_, f64>>() {
                Values::Floats(values.as_array().to_vec())
            } else {
                let expected = format!("column {name}: expected an array of uint64 or float64");
                return Err(PyTypeError::new_err(expected));
            };
            Ok(TableColumn {
                name,
                unit,
                description,
                values,
            })
        };
        let columns = columns.into_iter().map(column).collect::<PyResult<_>>()?;
        let meta = serde_json::from_str(record).map_err(refused)?;
        Ok(Inner { columns, meta }.into())
    }

    /// Reads a result that was written by extension, or by lsstypes.
    #[staticmethod]
    #[allow(
        clippy::needless_pass_by_value,
        reason = "arguments of Python are owned"
    )]
    fn read(py: Python<'_>, path: PathBuf) -> PyResult<Self> {
        let read = py.detach(|| read_result(&path)).map_err(refused)?;
        read.kind().map_err(refused)?;
        Ok(read.into())
    }

    /// Writes it by extension, with the form that other packages have of it and of what it was made of: its counts, and those by region; of a covariance
    /// also the values that it is of.
    #[allow(
        clippy::needless_pass_by_value,
        reason = "arguments of Python are owned"
    )]
    #[pyo3(signature = (path, counts=None, regions=None, means=None))]
    fn write(
        &self,
        py: Python<'_>,
        path: PathBuf,
        counts: Option<PyRef<'_, Self>>,
        regions: Option<PyRef<'_, Self>>,
        means: Option<PyRef<'_, Self>>,
    ) -> PyResult<()> {
        let parts = [counts, regions, means].map(|part| part.map(|part| part.inner.clone()));
        let write = || write_result(&self.inner, parts, &path);
        py.detach(write).map_err(refused)
    }

    /// What pycorr saves of it and of its counts by region: the bytes of an `.npy` file.
    #[pyo3(signature = (regions=None))]
    fn pycorr_npy<'py>(
        &self,
        py: Python<'py>,
        regions: Option<PyRef<'py, Self>>,
    ) -> PyResult<Bound<'py, PyBytes>> {
        let regions = regions.map(|part| part.inner.clone());
        let made = py.detach(|| pycorr_npy(&self.inner, regions.as_ref()));
        Ok(PyBytes::new(py, &made.map_err(refused)?))
    }

    /// The names of its columns.
    fn names(&self) -> Vec<&str> {
        let columns = self.inner.columns.iter();
        columns.map(|column| column.name.as_str()).collect()
    }

    /// The values of a column, uint64 or float64.
    fn column<'py>(&self, py: Python<'py>, name: &str) -> PyResult<Bound<'py, PyAny>> {
        Ok(match &self.find(name)?.values {
            Values::Integers(values) => values.clone().into_pyarray(py).into_any(),
            Values::Floats(values) => values.clone().into_pyarray(py).into_any(),
        })
    }

    /// The unit of a column, if it has one.
    fn unit(&self, name: &str) -> PyResult<Option<&str>> {
        Ok(self.find(name)?.unit.as_deref())
    }

    /// What a column is.
    fn description(&self, name: &str) -> PyResult<&str> {
        Ok(&self.find(name)?.description)
    }

    /// How it was made, as JSON.
    fn record(&self) -> PyResult<String> {
        serde_json::to_string(&self.inner.meta).map_err(refused)
    }

    /// What a figure of it shows, values scaled by a power of the separation, as JSON.
    #[cfg(feature = "plot")]
    fn shown(&self, py: Python<'_>, scale_by: Option<f64>) -> PyResult<String> {
        let shown = py.detach(|| albireo_measure::shown(&self.inner, scale_by));
        Ok(shown.map_err(refused)?.to_string())
    }

    /// What kind of result it is.
    fn kind(&self) -> PyResult<&'static str> {
        Ok(self.inner.kind().map_err(refused)?.name())
    }

    /// The names of its axes with their edges.
    fn edges(&self) -> PyResult<Vec<(String, Vec<f64>)>> {
        self.inner.edges().map_err(refused)
    }

    fn __len__(&self) -> usize {
        self.inner.rows()
    }
}
