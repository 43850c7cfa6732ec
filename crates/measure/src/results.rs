//! Saved results that a command reads: in the memory of the caller, or in files.
//!
//! Entry: [`Results::read`].

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::rc::Rc;

use albireo_catalogs::{Stop, Table, TableFormat, sha256_of_bytes, sha256_until};
use anyhow::Result;

use crate::packages::{read_regions, read_table};

/// The results that lie in the memory of the caller, by the names that the command line has for their files.
#[derive(Debug, Default, Clone)]
pub(crate) struct Results(Rc<HashMap<PathBuf, Table>>);

impl Results {
    pub(crate) fn new(given: HashMap<PathBuf, Table>) -> Self {
        Self(Rc::new(given))
    }

    /// The result of this name, where it is no file.
    pub(crate) fn in_memory(&self, path: &Path) -> Option<&Table> {
        self.0.get(path)
    }

    /// The result of this name.
    pub(crate) fn read(&self, path: &Path) -> Result<Table> {
        match self.in_memory(path) {
            Some(table) => Ok(table.clone()),
            None => read_table(path),
        }
    }

    /// The counts by region of this name, which a file of another package may hold beside those of all pairs.
    pub(crate) fn read_regions(&self, path: &Path) -> Result<Table> {
        match self.in_memory(path) {
            Some(table) => Ok(table.clone()),
            None => read_regions(path),
        }
    }

    /// The digest of its file, or of what its file as JSON would be.
    pub(crate) fn sha256(&self, path: &Path) -> Result<String> {
        let Some(table) = self.in_memory(path) else {
            return Ok(sha256_until(path, &Stop::never())?);
        };
        let mut bytes = Vec::new();
        table.write_to(&mut bytes, TableFormat::JSON)?;
        Ok(sha256_of_bytes(&bytes))
    }
}
