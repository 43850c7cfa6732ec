//! Columns of the particles of a frame, such as forces, that stay with them.
//!
//! Entry: [`values`].

use std::path::Path;

use albireo::particles::Column;
use albireo_catalogs::{Atoms, Expression, Frame, Request};

use super::FrameReading;
use crate::error::SampleError;
use crate::frame_error::FrameError;

/// Columns of velocities and forces, which change from frame to frame.
pub(super) const MOVING: [&str; 6] = ["vx", "vy", "vz", "fx", "fy", "fz"];

/// The first column of velocities or forces that the particles lack and one of these texts names.
fn lacking(texts: &[String], atoms: &Atoms) -> Option<&'static str> {
    let named = |name: &str| {
        let mut expressions = texts.iter().flat_map(|text| Expression::parse(text));
        expressions.any(|expression| expression.columns().contains(&name))
    };
    let mut moving = MOVING.into_iter();
    moving.find(|name| atoms.get(name).is_none() && named(name))
}

/// The values of [`FrameReading::columns`] for these rows, or all.
///
/// # Errors
/// Columns that are not there, values that are not finite.
pub(super) fn values(
    reading: &FrameReading,
    (frame, path): (&Frame, &Path),
    rows: Option<&[u32]>,
) -> Result<Vec<Column>, SampleError> {
    let texts = &reading.columns;
    if texts.is_empty() {
        return Ok(vec![]);
    }
    if let Some(column) = lacking(texts, &frame.atoms) {
        let columns = frame.atoms.names().map(str::to_owned).collect();
        return Err(FrameError::Unmoved { column, columns }.into());
    }
    let table = frame.columns(&Request::columns(texts.iter().cloned()), path)?;
    let column = |text: &String| {
        let all = table.column(text)?;
        let values: Vec<f64> = match rows {
            None => all.to_vec(),
            Some(rows) => rows.iter().map(|&row| all[row as usize]).collect(),
        };
        let Some(at) = values.iter().position(|value| !value.is_finite()) else {
            return Ok(Column::from(values));
        };
        Err(FrameError::NotFinite {
            column: text.clone(),
            row: rows.map_or(at, |rows| rows[at] as usize),
            value: values[at],
        }
        .into())
    };
    texts.iter().map(column).collect()
}
