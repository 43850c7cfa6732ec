//! Files, tables, columns and rows that are not there, or not what was asked for.

use std::path::Path;

use albireo_catalogs::{CatalogError, open};

use crate::{assert_refused, fixture, refused, refused_text, request};

#[test]
fn files_that_are_no_catalogs() {
    let missing = Path::new("no/such/file.fits");
    assert_refused!(
        open(missing).err().unwrap(),
        CatalogError::NotFound { .. },
        "no/such/file.fits: no such file"
    );
    assert_refused!(
        open(Path::new("/")).err().unwrap(),
        CatalogError::Io { .. },
        "/: "
    );
    assert_refused!(
        refused_text("a.npy", b"\x93NUMPY\x01\x00v\x00", &["x"]),
        CatalogError::Unsupported { .. },
        "an array of NumPy is not supported",
        "Table(numpy.load('IN')).write('OUT.fits')"
    );
    assert_refused!(
        refused_text("a.bin", b"\x92NUMBY\x01\x00v\x00", &["x"]),
        CatalogError::UnknownFormat { .. },
        "starts with `\\x92NUMBY\\x01\\x00v\\x00`",
        "FITS (also .gz), Parquet, HDF5"
    );
    assert_refused!(
        refused_text("a.csv", b"", &["x"]),
        CatalogError::NoTable { .. },
        "it is empty"
    );
    assert_refused!(
        refused_text("a.csv", b"# x y\n\n", &["x"]),
        CatalogError::NoTable { .. },
        "it has no row"
    );
    let one = request(None, &["x"], None);
    assert_refused!(
        refused("image.fits.gz", &one),
        CatalogError::NoTable { .. },
        "it has no table (images are not read)"
    );
    assert_refused!(
        refused("nothing.h5", &one),
        CatalogError::NoTable { .. },
        "no group with"
    );
}

#[test]
fn content_decides_not_the_name() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("really_fits.parquet");
    std::fs::copy(fixture("tables.fits.gz"), &path).unwrap();
    assert_eq!(
        open(&path).unwrap().format(),
        albireo_catalogs::Format::Fits
    );
}

#[test]
fn tables_that_do_not_exist() {
    let unknown = |name, table| refused(name, &request(Some(table), &["X"], None));
    assert_refused!(
        unknown("tables.fits", "STARS"),
        CatalogError::UnknownTable { .. },
        "no table `STARS`",
        "`GALAXIES`",
        "`3`"
    );
    // HDU 2 is an image.
    assert_refused!(
        unknown("tables.fits", "2"),
        CatalogError::UnknownTable { .. },
        "no table `2`"
    );
    assert_refused!(
        unknown("gadget.hdf5", "PartType5"),
        CatalogError::UnknownTable { .. },
        "`PartType0`, `PartType1`"
    );
    assert_refused!(
        unknown("snappy.parquet", "t"),
        CatalogError::UnknownTable { .. },
        "(none)"
    );
    assert_refused!(
        unknown("comma.csv", "t"),
        CatalogError::UnknownTable { .. },
        "(none)"
    );
    assert_refused!(
        refused("gadget.hdf5", &request(None, &["Coordinates"], None)),
        CatalogError::AmbiguousTable { .. },
        "name one of `PartType0`, `PartType1`"
    );
}

#[test]
fn columns_that_do_not_exist() {
    for (name, column, near) in [
        ("tables.fits", "x", "did you mean `X`?"),
        ("snappy.parquet", "speceis", "did you mean `species`?"),
        ("columns.h5", "X", "did you mean `x`?"),
        ("comma.csv", "specie", "did you mean `species`?"),
        ("astropy.ecsv", "XX", "the columns are: `x`, `y`, `i64`"),
    ] {
        let table = (name == "tables.fits").then_some("GALAXIES");
        let error = refused(name, &request(table, &[column], None));
        assert_refused!(
            error,
            CatalogError::UnknownColumn { .. },
            &format!("no column `{column}`"),
            near
        );
        let first = if name.ends_with("fits") { "X" } else { "x" };
        let error = refused(
            name,
            &request(table, &[first], Some(&format!("{column} == 1"))),
        );
        assert!(
            matches!(error, CatalogError::UnknownColumn { .. }),
            "{error}"
        );
    }
}

#[test]
fn columns_of_the_wrong_kind_or_shape() {
    let ask = |name, column| refused(name, &request(None, &[column], None));
    assert_refused!(
        ask("tables.fits", "SPECIES"),
        CatalogError::NotNumeric { .. },
        "`SPECIES` is not numeric: its type is string"
    );
    assert_refused!(
        ask("snappy.parquet", "species"),
        CatalogError::NotNumeric { .. },
        "its type is string"
    );
    assert_refused!(
        ask("snappy.parquet", "lists"),
        CatalogError::NotNumeric { .. },
        "its type is List"
    );
    assert_refused!(
        ask("columns.h5", "compound"),
        CatalogError::NotNumeric { .. },
        "its type is compound"
    );
    assert_refused!(
        ask("comma.csv", "species"),
        CatalogError::NotNumeric { .. },
        "`species`"
    );
    let odd = refused("tables.fits", &request(Some("ODD"), &["VARIABLE"], None));
    assert_refused!(
        odd,
        CatalogError::Null { .. },
        "column `VARIABLE`, row 0 (from 0): the value is null"
    );
    assert_refused!(
        ask("tables.fits", "POS[3]"),
        CatalogError::Shape { .. },
        "3 components",
        "they count from 0"
    );
    let filtered = refused("columns.h5", &request(None, &["x"], Some("pos > 1")));
    assert_refused!(filtered, CatalogError::Shape { .. }, "such as `pos[0]`");
    let mut catalog = open(&fixture("columns.h5"))
        .unwrap()
        .read(&request(None, &["x"], None))
        .unwrap();
    assert_refused!(
        catalog.vector("x").unwrap_err(),
        CatalogError::Shape { .. },
        "a vector has 3"
    );
    assert_refused!(
        catalog.vector("y").unwrap_err(),
        CatalogError::UnknownColumn { .. },
        "no column `y`"
    );
    let kind = refused("comma.csv", &request(None, &["x"], Some("x == \"O\"")));
    assert_refused!(
        kind,
        CatalogError::Expression { .. },
        "at character 6 of `x == \"O\"`",
        "column `x`, which is float64",
        "found the text \"O\""
    );
    let kind = refused("comma.csv", &request(None, &["x"], Some("species < 3")));
    assert_refused!(
        kind,
        CatalogError::Expression { .. },
        "at character 11 of `species < 3`",
        "which is string",
        "found the number 3"
    );
    assert_refused!(
        refused("columns.h5", &request(None, &["x", "short"], None)),
        CatalogError::UnequalLengths { .. },
        "`x` has 48 rows, `short` has 10"
    );
}

#[test]
fn one_of_several_fits_tables() {
    let describe = |columns: &[&str]| {
        let mut reader = open(&fixture("tables.fits")).unwrap();
        reader.read(&request(None, columns, None))
    };
    // No table has both columns; only one has the first.
    let error = describe(&["X", "ID"]).unwrap_err();
    assert_refused!(
        error,
        CatalogError::AmbiguousTable { .. },
        "several tables: name one of `GALAXIES`, `ODD` (on the command line by --table)"
    );
    assert_eq!(describe(&["X"]).unwrap().table(), "GALAXIES");
    let outline = open(&fixture("tables.fits")).unwrap().outline(None);
    assert!(matches!(outline, Err(CatalogError::AmbiguousTable { .. })));
    let path = fixture("tables.fits[2]");
    assert_refused!(
        open(&path).err().unwrap(),
        CatalogError::TableInName { .. },
        "tables.fits[2]: no such file, but",
        "tables.fits is there",
        "--table 2"
    );
    assert!(matches!(
        open(&fixture("none.fits[2]")),
        Err(CatalogError::NotFound { .. })
    ));
}

#[test]
fn trajectories_want_a_frame() {
    for filter in [
        None,
        Some("species == 1"),
        Some("frame == 3"),
        Some("frame == 0.5"),
        Some("frame == -1"),
    ] {
        let error = refused("trajectory.h5", &request(None, &["position"], filter));
        assert_refused!(
            error,
            CatalogError::ChooseFrame { frames: 3, .. },
            "holds 3 frames",
            "k from 0 to 2"
        );
    }
}
