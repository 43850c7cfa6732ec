//! The same systems as tables and as HDF5, where `ALBIREO_TEST_DATA` has them.

use std::path::Path;

use super::{all, request};

#[test]
fn tables_and_hdf5_of_a_system_are_equal() {
    let Some(folder) = std::env::var_os("ALBIREO_TEST_DATA") else {
        println!("ALBIREO_TEST_DATA is not set: skipped");
        return;
    };
    for (name, particles, frames) in [("spce_ortho", 4500, 11), ("adk_dodecahedron", 47_681, 10)] {
        let path = |ending: &str| Path::new(&folder).join(format!("md/{name}.{ending}"));
        if !path("parquet").is_file() {
            println!("{} is not there: skipped", path("parquet").display());
            continue;
        }
        let table = all(&path("parquet"), &request("")).unwrap();
        let arrays = all(&path("h5"), &request("")).unwrap();
        assert_eq!((table.len(), arrays.len()), (frames, frames), "{name}");
        for (table, arrays) in table.iter().zip(&arrays) {
            assert_eq!(table.len(), particles, "{name}");
            assert_eq!(table.positions, arrays.positions, "{name}");
            assert_eq!(table.cell, arrays.cell, "{name}");
        }
    }
}
