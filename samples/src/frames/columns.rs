//! Columns of the particles of a frame, such as forces, that stay with them.
//!
//! Entry: [`values`].

use std::path::Path;

use albireo::particles::Column;
use albireo_catalogs::{Atoms, Attribute, Expression, Frame, Request};

use super::FrameReading;
use crate::error::{Result, SampleError};
use crate::identities::{Identity, coded};
use crate::shown::in_short_list;

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
) -> Result<Vec<Column>> {
    let texts = &reading.columns;
    if texts.is_empty() && reading.identities.is_empty() {
        return Ok(vec![]);
    }
    if let Some(column) = lacking(texts, &frame.atoms) {
        let columns: Vec<String> = frame.atoms.names().map(str::to_owned).collect();
        return Err(SampleError::Input(format!(
            "the particles have no `{column}`: expected frames with {kind}, as programs write them where they are asked to (LAMMPS dumps, TRR, H5MD, extended \
             XYZ, AMBER NetCDF, `albireo md --{kind}`); the columns are: {}",
            in_short_list(&columns),
            kind = if column.starts_with('f') {
                "forces"
            } else {
                "velocities"
            }
        )));
    }
    let table = frame.columns(&Request::columns(texts.iter().cloned()), path)?;
    let column = |text: &String| -> Result<Column> {
        let all = table.column(text)?;
        let values: Vec<f64> = match rows {
            None => all.to_vec(),
            Some(rows) => rows.iter().map(|&row| all[row as usize]).collect(),
        };
        let Some(at) = values.iter().position(|value| !value.is_finite()) else {
            return Ok(Column::from(values));
        };
        Err(SampleError::Input(format!(
            "`{text}`: row {} (counting from 0) has {}: expected finite numbers",
            rows.map_or(at, |rows| rows[at] as usize),
            values[at]
        )))
    };
    let columns: Vec<Column> = texts.iter().map(column).collect::<Result<_, _>>()?;
    let identities = reading.identities.iter();
    let identities = identities.map(|name| identity(frame, name, path));
    let identities = identities.collect::<Result<Vec<_>, _>>()?;
    let of_rows = |codes: Vec<f64>| match rows {
        None => Column::from(codes),
        Some(rows) => rows
            .iter()
            .map(|&row| codes[row as usize])
            .collect::<Vec<_>>()
            .into(),
    };
    let codes = coded(identities.iter()).into_iter().map(of_rows);
    Ok(columns.into_iter().chain(codes).collect())
}

/// A column that is compared by whether it is equal.
fn identity(frame: &Frame, name: &str, path: &Path) -> Result<Identity> {
    match frame.atoms.get(name) {
        Some(Attribute::Texts { texts, codes }) => {
            Ok(Identity::of_texts(texts.clone(), codes.iter().copied()))
        }
        Some(Attribute::Integers(values)) => Ok(Identity::of_integers(
            values.iter().map(|&value| value.into()),
        )),
        _ => {
            let table = frame.columns(&Request::columns([name.to_owned()]), path)?;
            Ok(Identity::of_numbers(name, table.column(name)?)?)
        }
    }
}
