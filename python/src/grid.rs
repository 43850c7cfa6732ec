//! Values on a grid as a file.
//!
//! Entry: [`write_grid`].

use std::path::PathBuf;

use albireo_catalogs::{GridGeometry, GridWriter};
use numpy::PyReadonlyArray1;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use serde_json::{Map, Value};

/// Writes a grid by extension, as `albireo field` does; its record is JSON.
#[pyfunction]
#[allow(
    clippy::needless_pass_by_value,
    reason = "arguments of Python are owned"
)]
pub(crate) fn write_grid(
    path: PathBuf,
    shape: [usize; 3],
    origin: [f64; 3],
    steps: [[f64; 3]; 3],
    record: &str,
    values: PyReadonlyArray1<'_, f64>,
) -> PyResult<()> {
    let refused = |error: serde_json::Error| PyValueError::new_err(error.to_string());
    let meta: Map<String, Value> = serde_json::from_str(record).map_err(refused)?;
    let term = meta.get("term").and_then(Value::as_str).unwrap_or_default();
    let title = format!("albireo field: {term}");
    let grid = GridGeometry {
        shape,
        origin,
        steps,
    };
    let written = || {
        let mut writer = GridWriter::create(&path, &grid, &title, meta)?;
        writer.write(values.as_slice().map_err(std::io::Error::other)?)?;
        writer.finish()
    };
    written()
        .map_err(|error| PyValueError::new_err(format!("cannot write {}: {error}", path.display())))
}
