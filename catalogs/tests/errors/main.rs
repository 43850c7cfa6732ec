//! Every way a catalogue can be refused: what `cases/` cannot hold is here.

#![allow(clippy::unwrap_used, reason = "a failed step fails the test")]

use std::path::{Path, PathBuf};

use albireo_catalogs::{
    CatalogError, Filter, Request, Stop, TrajectoryRequest, open, open_trajectory,
};
use albireo_fixtures::{Cases, Folder, Outcome};

const CASES: Cases = Cases {
    files: concat!(env!("CARGO_MANIFEST_DIR"), "/tests/errors/cases"),
    names: &["catalogues"],
    checkout: concat!(env!("CARGO_MANIFEST_DIR"), "/.."),
    features: &[],
    run: read,
};

#[test]
fn catalogues_are_refused_in_a_line() {
    CASES.hold("catalogues");
}

/// Reads a catalogue: `read FILE`, with flags that stand for fields of the request; the kind of an error stands before its message.
fn read(folder: &Folder, words: &[&str]) -> Outcome {
    assert_eq!(words[0], "read");
    let value = |flag: &str| {
        let at = words.iter().position(|word| *word == flag);
        at.map(|at| words[at + 1])
    };
    let columns: Vec<&str> = value("--columns")
        .into_iter()
        .flat_map(|names| names.split(','))
        .collect();
    let asked = request(value("--table"), &columns, value("--where"));
    let catalog = open(&folder.path(words[1])).and_then(|mut reader| reader.read(&asked));
    let said = |error: CatalogError| {
        let kind = format!("{error:?}");
        let kind = kind.split(|c: char| !c.is_alphanumeric()).next();
        format!("{} {error}", kind.unwrap_or_default())
    };
    Outcome {
        code: i32::from(catalog.is_err()),
        said: catalog.map_or_else(said, |_| String::new()),
        ..Outcome::default()
    }
}

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

macro_rules! assert_refused {
    ($error:expr, $variant:pat, $($part:expr),+) => {{
        let error = $error;
        let message = error.to_string();
        assert!(matches!(error, $variant), "{message}");
        $(assert!(message.contains($part), "`{}` is not in: {message}", $part);)+
    }};
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
fn columns_are_no_vectors_and_tables_are_chosen_by_columns() {
    let read = |name: &str, column| {
        open(&fixture(name))
            .unwrap()
            .read(&request(None, &[column], None))
    };
    let mut catalog = read("columns.h5", "x").unwrap();
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
    // Only one table has the column.
    assert_eq!(read("tables.fits", "X").unwrap().table(), "GALAXIES");
    let outline = open(&fixture("tables.fits")).unwrap().outline(None);
    assert!(matches!(outline, Err(CatalogError::AmbiguousTable { .. })));
}

#[test]
#[cfg(unix)]
fn pipes_are_refused_at_once() {
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
fn lines_far_below_the_first_are_text_too() {
    let late = [
        b"x,y\n".to_vec(),
        b"1,2\n".repeat(2000),
        b"3,\xe9\n".to_vec(),
    ]
    .concat();
    let folder = Folder::new().with("a.csv", late);
    let read = open(&folder.path("a.csv"))
        .and_then(|mut reader| reader.read(&request(None, &["x"], None)));
    assert_refused!(
        read.unwrap_err(),
        CatalogError::Corrupt { .. },
        "line 2002",
        "UTF-8"
    );
}

#[test]
fn encodings_that_are_not_read() {
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
fn infinities_are_numbers() {
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
}
