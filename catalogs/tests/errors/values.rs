//! Values that cannot be read as float64, and files that are damaged.

use albireo_catalogs::{CatalogError, open};

use crate::{assert_refused, fixture, refused, refused_text, request};

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
#[cfg(unix)]
fn pipes_are_refused_at_once() {
    use albireo_catalogs::{Stop, TrajectoryRequest, open_trajectory};
    let folder = tempfile::tempdir().unwrap();
    let pipe = folder.path().join("pipe");
    let made = std::process::Command::new("mkfifo").arg(&pipe).status();
    assert!(made.unwrap().success());
    let said = "a pipe or device, whose bytes come only once, is not supported; files are read more than once";
    let error = open(&pipe).err().unwrap();
    assert_refused!(error, CatalogError::Unsupported { .. }, said);
    let frames = open_trajectory(&pipe, &TrajectoryRequest::default(), Stop::never());
    assert_refused!(
        frames.err().unwrap(),
        CatalogError::Unsupported { .. },
        said
    );
}

#[test]
fn formats_that_are_not_read_are_called_by_their_names() {
    for (content, name) in [
        (
            &b"<?xml version='1.0'?>\n<VOTABLE version='1.4'>\n"[..],
            "a VOTable",
        ),
        (b"\x93NUMPY\x01\0", "an array of NumPy"),
        (b"PK\x03\x04\x14\0", "a zip archive"),
        (b"ARROW1\0\0", "a Feather file"),
        (b"SQLite format 3\0", "a database of SQLite"),
    ] {
        let error = refused_text("t.dat", content, &["x"]);
        assert_refused!(
            error,
            CatalogError::Unsupported { .. },
            name,
            "is not supported; write"
        );
    }
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
            "names the columns `x`",
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
    // An HDF5 filter that nobody registered: the number of LZF, 32000, becomes that of MAFISC, 32002.
    let mut bytes = std::fs::read(fixture("columns.h5")).unwrap();
    let filters: Vec<usize> = bytes
        .windows(2)
        .enumerate()
        .filter(|(_, id)| *id == [0x00, 0x7d])
        .map(|(at, _)| at)
        .collect();
    for at in filters {
        bytes[at] = 0x02;
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
        "mafisc (32002)",
        "h5repack"
    );
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
