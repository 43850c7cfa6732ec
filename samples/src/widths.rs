//! How many components the columns of a sample have, known before it is read.
//!
//! Entry: [`Source::widths`].

use std::collections::HashMap;
use std::path::PathBuf;

use albireo_catalogs::{CatalogReader, Stop, TableDescription, open_joined};

use crate::error::Result;
use crate::given::Given;
use crate::opened::of_trajectory;
use crate::source::{File, Source};

impl Source {
    /// The components of each column of its first file, by the name of the column; nothing but the outline of this file is read.
    ///
    /// # Errors
    /// [`SampleError`](crate::SampleError) of a file that cannot be opened.
    pub fn widths(
        &self,
        given: &HashMap<PathBuf, Given>,
        stop: &Stop,
    ) -> Result<HashMap<String, usize>> {
        let files = self.files()?;
        let outline = |file: &File| outline(file, given.get(&file.path), stop);
        let columns = files.first().map(outline).transpose()?;
        let columns = columns.into_iter().flat_map(|outline| outline.columns);
        Ok(columns.map(|one| (one.name, one.width)).collect())
    }
}

fn outline(file: &File, given: Option<&Given>, stop: &Stop) -> Result<TableDescription> {
    if let Some(given) = given {
        return Ok(given.memory_table(&file.path, None)?.outline(None)?);
    }
    let (path, selection) = (&file.path, &file.selection);
    let mut reader = open_joined(path, &selection.joins, stop.clone())
        .map_err(|error| of_trajectory(path, stop).unwrap_or(error.into()))?;
    Ok(reader.outline(selection.table.as_deref())?)
}
