//! The columns that expressions over pairs take of each particle.
//!
//! Entry: [`pair_columns`], of a file, and [`with_columns`].

use albireo::Particles;
use albireo::particles::Column;
use albireo_catalogs::Catalog;

use crate::error::Result;
use crate::source::{File, check_finite};

/// Those of a file, in the order of the selection.
pub(crate) fn pair_columns(catalog: &Catalog, source: &File) -> Result<Vec<Vec<f64>>> {
    let columns = source.selection.columns.iter();
    let column = |name: &String| Ok(catalog.column(name)?.to_vec());
    columns.map(column).collect()
}

/// The particles of a file with these columns.
pub(crate) fn with_columns(
    particles: Particles,
    source: &File,
    columns: Vec<Column>,
) -> Result<Particles> {
    for (name, column) in source.selection.columns.iter().zip(&columns) {
        check_finite(source, name, &column.iter().collect::<Vec<_>>())?;
    }
    Ok(particles.with_columns(columns)?)
}

/// The columns of parts of a sample, one behind the other.
pub(crate) fn joined(parts: &[&Particles]) -> Vec<Column> {
    let number = parts.iter().map(|part| part.columns().len()).max();
    let of_all = |at: usize| -> Vec<f64> {
        let columns = parts.iter().filter_map(|part| part.columns().get(at));
        columns.flat_map(Column::iter).collect()
    };
    (0..number.unwrap_or(0))
        .map(|at| of_all(at).into())
        .collect()
}
