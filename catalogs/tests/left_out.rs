//! Builds without a format say so when they meet a file of it.

#![allow(clippy::unwrap_used, reason = "a failed step fails the test")]

use std::path::Path;

use albireo_catalogs::{CatalogError, open};

#[test]
fn formats_left_out_are_named_with_their_feature() {
    let fixtures = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures");
    for (name, built_in, feature) in [
        ("tables.fits", cfg!(feature = "fits"), "fits"),
        ("snappy.parquet", cfg!(feature = "parquet"), "parquet"),
        ("columns.h5", cfg!(feature = "hdf5"), "hdf5"),
    ] {
        match open(&fixtures.join(name)) {
            Ok(_) => assert!(built_in, "{name}"),
            Err(error) => {
                assert!(
                    matches!(error, CatalogError::NotBuiltIn { .. }) && !built_in,
                    "{error}"
                );
                assert!(
                    error
                        .to_string()
                        .contains(&format!("build with feature `{feature}`")),
                    "{error}"
                );
            }
        }
    }
}
