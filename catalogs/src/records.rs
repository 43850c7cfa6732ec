//! How a result was made, as its file says it.
//!
//! Entry: [`read_record`], of tables and grids alike.

use std::path::Path;

use serde_json::{Map, Value};

use crate::grids::{GridFormat, grid_record};
use crate::table::{Table, TableError};

/// The record of a result: the metadata of a table, of a grid in HDF5, or those beside a `NumPy` array.
///
/// # Errors
/// What [`Table::read`] refuses; grids as `.dx` and `.cube`, which have no record, and arrays without theirs.
pub fn read_record(path: &Path) -> Result<Map<String, Value>, TableError> {
    let refused = match Table::read(path) {
        Ok(table) => return Ok(table.meta),
        Err(refused) => refused,
    };
    match GridFormat::of(path) {
        None => Err(refused),
        // A file of this name may have been meant for a table.
        Some(GridFormat::Hdf5) => of_hdf5(path).ok_or(refused),
        Some(GridFormat::Npy) => beside(path),
        Some(GridFormat::Dx | GridFormat::Cube) => Err(TableError::Refused(format!(
            "{}: grids as .dx and .cube do not say how they were made; those as .h5 and .npy do",
            path.display()
        ))),
    }
}

/// The record beside an array.
fn beside(path: &Path) -> Result<Map<String, Value>, TableError> {
    let place = grid_record(path).unwrap_or_default();
    let text = std::fs::read_to_string(&place).map_err(|reason| TableError::Io {
        path: place.clone(),
        reason,
    })?;
    serde_json::from_str(&text).map_err(|error| TableError::Malformed {
        path: place,
        detail: error.to_string(),
    })
}

/// The record in the data set that grids have.
#[cfg(feature = "hdf5")]
fn of_hdf5(path: &Path) -> Option<Map<String, Value>> {
    use crate::hdf5::array::{Elements, Store};
    let store = Store::open(path).ok()?;
    let Elements::Texts(texts) = store.elements(&store.array("record")?, None).ok()? else {
        return None;
    };
    serde_json::from_str(texts.first()?).ok()
}

#[cfg(not(feature = "hdf5"))]
fn of_hdf5(_: &Path) -> Option<Map<String, Value>> {
    None
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{GridGeometry, GridWriter, TableColumn};

    /// A grid of two values with a record.
    fn grid(path: &Path, meta: &Map<String, Value>) {
        let geometry = GridGeometry {
            shape: [1, 1, 2],
            origin: [0.0; 3],
            steps: [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]],
        };
        let mut writer = GridWriter::create(path, &geometry, "two", meta.clone()).unwrap();
        writer.write(&[1.0, 2.0]).unwrap();
        writer.finish().unwrap();
    }

    #[test]
    fn tables_arrays_and_hdf5_say_how_they_were_made() {
        let folder = tempfile::tempdir().unwrap();
        let meta = Map::from_iter([("command".to_owned(), Value::from("albireo \u{e9}"))]);
        let path = |name: &str| folder.path().join(name);
        let columns = vec![TableColumn::integers("n", "", vec![1])];
        let table = Table {
            columns,
            meta: meta.clone(),
        };
        table.write(&path("a.csv")).unwrap();
        let mut formats = vec!["a.csv", "a.npy"];
        if cfg!(feature = "hdf5") {
            formats.push("a.h5");
        }
        for name in &formats[1..] {
            grid(&path(name), &meta);
        }
        for name in formats {
            assert_eq!(
                read_record(&path(name)).unwrap()["command"],
                meta["command"],
                "{name}"
            );
        }
        grid(&path("a.dx"), &meta);
        std::fs::remove_file(path("a.npy.json")).unwrap();
        std::fs::write(path("b.h5"), "no HDF5").unwrap();
        for (name, words) in [
            (
                "a.dx",
                "a.dx: grids as .dx and .cube do not say how they were made",
            ),
            ("a.npy", "a.npy.json: "),
            ("b.h5", "b.h5: "),
            ("b.dat", "b.dat: the extension should be one of .csv, "),
        ] {
            let refused = read_record(&path(name)).unwrap_err().to_string();
            assert!(refused.contains(words), "{name}: {refused}");
        }
    }
}
