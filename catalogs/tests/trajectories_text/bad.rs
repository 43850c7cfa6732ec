//! Bad files: what is wrong with them stands in `cases/`.

use std::path::PathBuf;

use albireo_catalogs::{Table, TableColumn, TrajectoryRequest};
use albireo_fixtures::{Cases, Folder, Outcome};

use super::{all, fixture, request, written};

const CASES: Cases = Cases {
    files: concat!(env!("CARGO_MANIFEST_DIR"), "/tests/trajectories_text/cases"),
    names: &["tables", "texts"],
    checkout: concat!(env!("CARGO_MANIFEST_DIR"), "/.."),
    features: &[],
    run: read,
};

/// Reads all frames: `frames FILE`, with flags that stand for fields of the request.
fn read(folder: &Folder, words: &[&str]) -> Outcome {
    assert_eq!(words[0], "frames");
    let mut request = TrajectoryRequest::default();
    for flag in words[2..].chunks(2) {
        let value = flag[1].to_owned();
        match flag[0] {
            "--table" => request.table = Some(value),
            "--frame" => request.frame = Some(value),
            "--boxes" => request.boxes = Some(PathBuf::from(value)),
            _ => {
                let names: Vec<String> = value.split(',').map(str::to_owned).collect();
                request.positions = Some(names.try_into().unwrap());
            }
        }
    }
    let frames = all(&folder.path(words[1]), &request);
    Outcome {
        code: i32::from(frames.is_err()),
        said: frames.map_or_else(|error| error.to_string(), |_| String::new()),
        ..Outcome::default()
    }
}

#[test]
fn bad_texts_and_hdf5_files_are_told_in_a_line() {
    CASES.hold("texts");
}

#[test]
fn bad_tables_are_told_in_a_line() {
    CASES.hold("tables");
}

#[test]
fn whole_numbers_beyond_int64() {
    let column = |name: &str, value| TableColumn::integers(name, "", vec![value]);
    let mut columns: Vec<_> = ["frame", "x", "y", "z"].map(|name| column(name, 1)).into();
    columns.push(column("n", u64::MAX));
    let table = Table {
        columns,
        ..Table::default()
    };
    let (_folder, path) = written("table.parquet", b"");
    table.write(&path).unwrap();
    let found = all(&path, &request("")).unwrap_err().to_string();
    let expected = "column `n`, row 0 (from 0): 18446744073709551615 is beyond int64";
    assert!(found.ends_with(expected), "{found}");
}

/// Cut at any length, a file is an error or ends with whole frames, but never panics.
#[test]
fn files_that_are_cut_short() {
    for (name, ..) in super::FIXTURES {
        let bytes = std::fs::read(fixture(name)).unwrap();
        let step = (bytes.len() / 40).max(1);
        for end in (0..bytes.len()).step_by(step) {
            let (_folder, path) = written(name, &bytes[..end]);
            let _ = all(&path, &request(name));
        }
    }
}
