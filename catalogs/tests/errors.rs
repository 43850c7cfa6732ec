//! Every way a catalog can be refused, with the message a person reads.

#![allow(
    clippy::unwrap_used,
    clippy::print_stdout,
    clippy::print_stderr,
    reason = "a failed step fails the test; tests report"
)]

use std::path::{Path, PathBuf};

use albireo_catalogs::{CatalogError, Filter, Request, open};

fn fixture(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("tests/fixtures")
        .join(name)
}

fn request(table: Option<&str>, columns: &[&str], filter: Option<&str>) -> Request {
    let mut request = Request::columns(columns.iter().copied());
    request.table = table.map(str::to_owned);
    request.filter = filter.map(|text| Filter::parse(text).unwrap());
    request
}

fn refused(name: &str, request: &Request) -> CatalogError {
    open(&fixture(name))
        .and_then(|mut reader| reader.read(request))
        .unwrap_err()
}

/// Text of a file made for the occasion.
fn refused_text(name: &str, content: &[u8], columns: &[&str]) -> CatalogError {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join(name);
    std::fs::write(&path, content).unwrap();
    open(&path)
        .and_then(|mut reader| reader.read(&request(None, columns, None)))
        .unwrap_err()
}

macro_rules! assert_refused {
    ($error:expr, $variant:pat, $($part:expr),+) => {{
        let error = $error;
        let message = error.to_string();
        assert!(matches!(error, $variant), "{message}");
        $(assert!(message.contains($part), "`{}` is not in: {message}", $part);)+
    }};
}

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
        CatalogError::UnknownFormat { .. },
        "starts with `\\x93NUMPY\\x01\\x00v\\x00`",
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
        CatalogError::FilterKind { .. },
        "column `x` is float64",
        "the text \"O\""
    );
    let kind = refused("comma.csv", &request(None, &["x"], Some("species < 3")));
    assert_refused!(
        kind,
        CatalogError::FilterKind { .. },
        "is string",
        "the number 3"
    );
    assert_refused!(
        refused("columns.h5", &request(None, &["x", "short"], None)),
        CatalogError::UnequalLengths { .. },
        "`x` has 48 rows, `short` has 10"
    );
}

#[test]
fn values_without_an_exact_float() {
    let null = |name, column| refused(name, &request(None, &[column], None));
    assert_refused!(
        null("tables.fits", "NULLS"),
        CatalogError::Null { row: 7, .. },
        "column `NULLS`, row 7"
    );
    assert_refused!(
        null("tables.fits.gz", "NULLS"),
        CatalogError::Null { row: 7, .. },
        "row 7 (from 0)"
    );
    assert_refused!(
        null("snappy.parquet", "nulls"),
        CatalogError::Null { row: 41, .. },
        "column `nulls`, row 41"
    );
    let inexact = |error: CatalogError, row: &str| {
        assert_refused!(
            error,
            CatalogError::Inexact { .. },
            row,
            "9007199254740993 has no exact float64"
        );
    };
    inexact(null("snappy.parquet", "id"), "row 40");
    inexact(null("columns.h5", "id"), "row 40");
    inexact(
        refused("tables.fits", &request(Some("ODD"), &["ID"], None)),
        "row 1",
    );
    inexact(
        refused_text("a.csv", b"id,x\n1,2\n9007199254740993,3\n", &["id"]),
        "row 1",
    );
    let empty = refused_text("a.csv", b"id,x\n1,2\n,3\n", &["id"]);
    assert_refused!(
        empty,
        CatalogError::Null { row: 1, .. },
        "column `id`, row 1"
    );
}

#[test]
fn lines_that_do_not_fit() {
    let field = refused_text("a.csv", b"x,y\n1,2\n3,4\n# no row\n5,six\n", &["x", "y"]);
    assert_refused!(
        field,
        CatalogError::Field { line: 5, .. },
        "line 5, column `y`: expected a number, found `six`"
    );
    for content in [
        &b"x,y\n1,2\n3\n"[..],
        b"x,y\n1,2\n3,4,5\n",
        b"x,y\n1,2\n3,4,\n",
    ] {
        let count = refused_text("a.csv", content, &["x"]);
        assert_refused!(
            count,
            CatalogError::FieldCount {
                line: 3,
                expected: 2,
                ..
            },
            "line 3: expected 2 fields, found"
        );
    }
    let latin = refused_text("a.csv", b"x,y\n1,2\n3,4 \xe9\n", &["x"]);
    assert!(
        matches!(latin, CatalogError::UnknownFormat { .. }),
        "{latin}"
    );
    let late = [
        b"x,y\n".to_vec(),
        b"1,2\n".repeat(2000),
        b"3,\xe9\n".to_vec(),
    ]
    .concat();
    assert_refused!(
        refused_text("a.csv", &late, &["x"]),
        CatalogError::Corrupt { .. },
        "line 2002",
        "UTF-8"
    );
    let twice = refused_text("a.csv", b"x,x\n1,2\n", &["x"]);
    assert_refused!(
        twice,
        CatalogError::Corrupt { .. },
        "two columns are called `x`"
    );
    for (content, part) in [
        ("# %ECSV 1.0\n# ---\n", "ends within the header"),
        (
            "# %ECSV 1.0\n# ---\n# meta: {}\nx\n1\n",
            "no `datatype` section",
        ),
        (
            "# %ECSV 1.0\n# ---\n# datatype:\n# - {name: x, datatype: float64}\nx y\n1 2\n",
            "names the columns [\"x\"]",
        ),
        (
            "# %ECSV 1.0\n# ---\n# datatype:\n# - {name: x}\nx\n1\n",
            "a name and a datatype",
        ),
        (
            "# %ECSV 1.0\n# ---\n# datatype:\n# - {name: x\nx\n1\n",
            "YAML: while parsing a flow mapping",
        ),
        (
            "# %ECSV 1.0\n# ---\n# datatype:\n# - {name: x, datatype: float64}\n# delimiter: ';'\nx\n1\n",
            "a blank or a comma",
        ),
    ] {
        let error = refused_text("a.ecsv", content.as_bytes(), &["x"]);
        assert_refused!(error, CatalogError::Corrupt { .. }, part);
    }
}

#[test]
fn encodings_that_are_not_read() {
    assert_refused!(
        refused("brotli.parquet", &request(None, &["x"], None)),
        CatalogError::Unsupported { .. },
        "column `x`: codec BROTLI",
        "re-save it with zstd, snappy"
    );
    // A FITS table packed in a way that nobody knows.
    let bytes = std::fs::read(fixture("packed.fits")).unwrap();
    let at = bytes
        .windows(18)
        .position(|card| card == b"ZCTYP1  = 'GZIP_2 ")
        .unwrap();
    let mut compressed = bytes.clone();
    compressed[at + 11..at + 17].copy_from_slice(b"LZMA_9");
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.fits");
    std::fs::write(&path, compressed).unwrap();
    let mut reader = open(&path).unwrap();
    assert!(reader.read(&request(None, &["Y"], None)).is_ok());
    let error = reader.read(&request(None, &["X"], None)).unwrap_err();
    assert_refused!(
        error,
        CatalogError::Unsupported { .. },
        "tile compression",
        "funpack"
    );
    // An HDF5 filter that nobody registered: the number of LZF, 32000, becomes that of blosc, 32001.
    let mut bytes = std::fs::read(fixture("columns.h5")).unwrap();
    let filters: Vec<usize> = bytes
        .windows(2)
        .enumerate()
        .filter(|(_, id)| *id == [0x00, 0x7d])
        .map(|(at, _)| at)
        .collect();
    for at in filters {
        bytes[at] = 0x01;
    }
    let path = folder.path().join("a.h5");
    std::fs::write(&path, bytes).unwrap();
    let error = open(&path)
        .unwrap()
        .read(&request(None, &["z"], None))
        .unwrap_err();
    assert_refused!(
        error,
        CatalogError::Unsupported { .. },
        "blosc (32001)",
        "h5repack"
    );
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

#[test]
fn truncated_files_say_so() {
    for (name, part) in [
        ("tables.fits", "truncated or corrupt"),
        ("snappy.parquet", "truncated or corrupt"),
        ("tables.fits.gz", ""),
    ] {
        let bytes = std::fs::read(fixture(name)).unwrap();
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join(name);
        std::fs::write(&path, &bytes[..bytes.len() / 3]).unwrap();
        let columns = if name.contains("fits") {
            ["POS"]
        } else {
            ["pos"]
        };
        let error = open(&path)
            .and_then(|mut reader| reader.read(&request(None, &columns, None)))
            .unwrap_err();
        assert_refused!(error, CatalogError::Corrupt { .. }, part);
    }
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
fn numbers_that_float64_cannot_hold() {
    let digits = "9".repeat(309);
    for (field, part) in [
        (
            digits.as_str(),
            "`9999999999999999999999999999999999999999... (309 characters)` is beyond the largest float64",
        ),
        (
            "1e999",
            "line 2, column `x`: `1e999` is beyond the largest float64",
        ),
        ("-1e999", "beyond"),
        (
            &digits[..41],
            "row 0 (from 0): 9999999999999999999999999999999999999999... (41 characters) has no exact float64",
        ),
    ] {
        let content = format!("x,y\n{field},1\n");
        let error = refused_text("a.csv", content.as_bytes(), &["x"]);
        assert!(error.to_string().contains(part), "{error}");
    }
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.csv");
    std::fs::write(&path, "x\ninf\n-Infinity\n1e308\n").unwrap();
    let catalog = open(&path)
        .unwrap()
        .read(&request(None, &["x"], None))
        .unwrap();
    assert_eq!(
        catalog.column("x").unwrap(),
        [f64::INFINITY, f64::NEG_INFINITY, 1e308]
    );
    let error = refused(
        "comma.csv",
        &request(None, &["x"], Some("species == 1e300")),
    );
    assert!(error.to_string().contains("the number 1e300"), "{error}");
}
