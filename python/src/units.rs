//! Units that callers state, by the one table of `albireo_samples`.
//!
//! Entry: [`factor`], [`kind`].

use albireo_samples::Unit;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

fn read(text: &str) -> PyResult<Unit> {
    text.parse()
        .map_err(|error: albireo_samples::ParseUnitError| PyValueError::new_err(error.to_string()))
}

/// What numbers in one unit are multiplied by to be numbers in a power of another: 3 of volumes, -1 of wave numbers.
#[pyfunction]
pub(crate) fn factor(from: &str, to: &str, power: i8) -> PyResult<f64> {
    let to = read(to)?.power(power);
    let factor = read(from)?.factor_to(&to, None);
    factor.map_err(|error| PyValueError::new_err(error.to_string()))
}

/// The usual name of a unit, and what it measures, such as `a length`.
#[pyfunction]
pub(crate) fn kind(unit: &str) -> PyResult<(String, String)> {
    let unit = read(unit)?;
    Ok((unit.to_string(), unit.quantity().to_string()))
}
