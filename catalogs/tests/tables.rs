//! Result tables come back from every format as they were, and other programs read them.

#![allow(
    clippy::unwrap_used,
    clippy::print_stdout,
    clippy::print_stderr,
    reason = "a failed step fails the test; tests report"
)]

use std::path::Path;
use std::process::Command;

use albireo_catalogs::{
    Request, Table, TableColumn, TableError, TableFormat, Value, Values, open, sha256,
};
use serde_json::json;

/// The endings of files that give a result back.
fn extensions() -> impl Iterator<Item = &'static str> {
    let read = TableFormat::all().filter(|format| format.is_read());
    read.map(TableFormat::ending)
}

fn format(name: &str) -> TableFormat {
    TableFormat::named(name).unwrap()
}

/// Values that a careless writer would round, and names and texts that it would not quote.
fn table() -> Table {
    let floats = vec![
        0.1,
        1.0 / 3.0,
        -0.0,
        f64::NAN,
        f64::INFINITY,
        f64::NEG_INFINITY,
        f64::MIN_POSITIVE / 4.0,
        f64::MAX,
        9_007_199_254_740_993.0,
        1e-7,
        1e22,
    ];
    let integers = vec![
        0,
        1,
        u64::MAX,
        u64::MAX - 1,
        (1 << 53) + 1,
        5,
        6,
        7,
        8,
        9,
        10,
    ];
    let mut table = Table {
        columns: vec![
            TableColumn::floats("r_min", "lower edge: inclusive, \"exact\"", floats.clone())
                .with_unit("Mpc/h"),
            TableColumn::integers("DD", "pairs, each once", integers),
            TableColumn::floats("xi(r), all", "", floats.iter().rev().copied().collect())
                .with_unit("10**-3 Å"),
        ],
        ..Table::default()
    };
    for (key, value) in [
        ("engine", json!("cpu: 4 threads # avx2")),
        ("BoxSize", json!(420.0)),
        ("tiny", json!(1e-7)),
        ("huge", json!(1.5e300)),
        ("pairs", json!(18_446_744_073_709_551_615_u64)),
        ("offset", json!(-9_223_372_036_854_775_808_i64)),
        ("edges", json!([0.1, 1, 2.5])),
        ("nothing", json!(null)),
        ("empty", json!({"list": [], "map": {}, "text": ""})),
        (
            "inputs",
            json!([{"path": "a b.fits", "sha256": "00ff", "rows": 3}, {"path": "ç\"\n\t\\.h5"}]),
        ),
        ("a key: with marks", json!("yes")),
        ("looks like a number", json!("1e5")),
        ("looks like a flag", json!("true")),
        ("", json!("empty key")),
        ("columns", json!("also a word of the CSV header")),
    ] {
        table.meta.insert(key.to_owned(), value);
    }
    table
}

#[test]
fn every_format_gives_back_every_bit() {
    let folder = tempfile::tempdir().unwrap();
    let empty = Table {
        columns: vec![TableColumn::integers("n", "", Vec::new())],
        ..Table::default()
    };
    let bare = Table {
        columns: vec![TableColumn::floats("x", "", vec![1.0])],
        ..Table::default()
    };
    for table in [table(), empty, bare] {
        for extension in extensions() {
            let path = folder.path().join(format!("result.{extension}"));
            table.write(&path).unwrap();
            let back = Table::read(&path).unwrap_or_else(|error| panic!("{error}"));
            assert_eq!(back, table, "{extension}");
            assert_eq!(
                back.meta.keys().collect::<Vec<_>>(),
                table.meta.keys().collect::<Vec<_>>(),
                "{extension}"
            );
        }
    }
}

#[test]
fn written_twice_is_the_same_file_and_leaves_no_other() {
    let folder = tempfile::tempdir().unwrap();
    for extension in extensions() {
        let path = folder.path().join(format!("result.{extension}"));
        table().write(&path).unwrap();
        let first = sha256(&path).unwrap();
        table().write(&path).unwrap();
        assert_eq!(sha256(&path).unwrap(), first, "{extension}");
    }
    let mut names: Vec<String> = std::fs::read_dir(folder.path())
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    names.sort();
    let expected = ["csv", "csv.json", "ecsv", "fits", "h5", "json", "parquet"];
    assert_eq!(
        names,
        expected.map(|extension| format!("result.{extension}"))
    );
}

#[test]
fn csv_is_a_line_of_names_and_rows() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("dd.csv");
    let table = Table {
        columns: vec![
            TableColumn::floats("lo", "", vec![0.1, f64::NAN]).with_unit("Mpc/h"),
            TableColumn::integers("npairs", "", vec![3, u64::MAX]),
        ],
        ..Table::default()
    };
    table.write(&path).unwrap();
    assert_eq!(
        std::fs::read_to_string(&path).unwrap(),
        "lo,npairs\n0.1,3\nnan,18446744073709551615\n"
    );
    let record = folder.path().join("dd.csv.json");
    assert_eq!(Table::record_of(&path), Some(record.clone()));
    let record: serde_json::Value =
        serde_json::from_slice(&std::fs::read(record).unwrap()).unwrap();
    assert_eq!(record["record_of"], "dd.csv");
    assert_eq!(record["sha256"], sha256(&path).unwrap());
    assert_eq!(record["columns"][0]["unit"], "Mpc/h");
    assert_eq!(Table::record_of(Path::new("dd.ecsv")), None);
}

#[test]
fn rows_and_record_must_belong_together() {
    let folder = tempfile::tempdir().unwrap();
    let [path, record] = ["r.csv", "r.csv.json"].map(|name| folder.path().join(name));
    table().write(&path).unwrap();
    let error = |path: &Path| Table::read(path).unwrap_err().to_string();
    let rows = std::fs::read_to_string(&path).unwrap();
    std::fs::write(&path, rows.replacen("0.1,", "0.2,", 1)).unwrap();
    assert!(error(&path).contains("belongs to other contents"));
    std::fs::write(&path, rows).unwrap();
    assert_eq!(Table::read(&path).unwrap(), table());
    std::fs::remove_file(&record).unwrap();
    assert!(error(&path).contains("r.csv.json should lie beside it"));
}

#[test]
fn a_record_replaces_nothing_but_a_record() {
    let folder = tempfile::tempdir().unwrap();
    let [path, other] = ["r.csv", "r.csv.json"].map(|name| folder.path().join(name));
    std::fs::write(&other, "{\"mine\": 1}").unwrap();
    for refused in [table().write(&path), Table::check_path(&path)] {
        let error = refused.unwrap_err();
        assert!(matches!(error, TableError::Occupied { .. }), "{error}");
    }
    assert_eq!(std::fs::read_to_string(&other).unwrap(), "{\"mine\": 1}");
    assert!(!path.exists());
    std::fs::remove_file(&other).unwrap();
    for _ in 0..2 {
        Table::check_path(&path).unwrap();
        table().write(&path).unwrap();
    }
}

#[test]
fn csv_with_its_metadata_in_comments_is_read() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("old.csv");
    let content = "# result: \"pair counts\"\n# \"a: key\": 1\n\
        # columns: [{\"name\": \"n\", \"unit\": null, \"description\": \"\", \"dtype\": \"uint64\"}]\nn\n7\n";
    std::fs::write(&path, content).unwrap();
    let table = Table::read(&path).unwrap();
    assert_eq!(table.meta["result"], "pair counts");
    assert_eq!(table.meta["a: key"], 1);
    assert_eq!(table.columns, [TableColumn::integers("n", "", vec![7])]);
}

#[test]
fn a_stream_gets_the_same_bytes_as_a_file() {
    let folder = tempfile::tempdir().unwrap();
    for format in TableFormat::all().filter(|format| format.is_read()) {
        let extension = format.ending();
        let path = folder.path().join(format!("result.{extension}"));
        table().write(&path).unwrap();
        let mut bytes = Vec::new();
        table().write_to(&mut bytes, format).unwrap();
        assert!(bytes == std::fs::read(&path).unwrap(), "{extension}");
    }
}

#[test]
fn an_unwritten_file_leaves_the_old_one() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("result.csv");
    std::fs::write(&path, "old").unwrap();
    let mut uneven = table();
    uneven
        .columns
        .push(TableColumn::integers("short", "", vec![1]));
    assert!(uneven.write(&path).is_err());
    assert_eq!(std::fs::read_to_string(&path).unwrap(), "old");
    assert!(matches!(
        table().write(Path::new("no/such/folder/r.csv")),
        Err(TableError::Io { .. })
    ));
}

#[test]
fn refusals_say_why() {
    let message = |result: Result<(), TableError>| result.unwrap_err().to_string();
    let extension = message(table().write(Path::new("result.xlsx")));
    assert_eq!(
        extension,
        "result.xlsx: the extension should be one of .csv, .ecsv, .fits, .h5, .hdf5, .json, .npy, .parquet, .txt, .xvg"
    );
    let with = |column: TableColumn| {
        let mut table = table();
        table.columns.push(column);
        message(table.write_to(Vec::new(), format("csv")))
    };
    let uneven = with(TableColumn::integers("short", "", vec![1]));
    assert_eq!(
        uneven,
        "columns differ in length: `r_min` has 11 rows, `short` has 1"
    );
    assert!(
        with(TableColumn::integers("DD", "", vec![0; 11])).contains("`DD`: two columns have it")
    );
    assert!(with(TableColumn::integers("", "", vec![0; 11])).contains("it is empty"));
    assert!(with(TableColumn::integers("#n", "", vec![0; 11])).contains("starts with #"));
    assert!(with(TableColumn::integers("a\nb", "", vec![0; 11])).contains("control characters"));
    let long = Table {
        columns: vec![TableColumn::integers("ä", "", vec![1])],
        ..Table::default()
    };
    assert!(message(long.write_to(Vec::new(), format("fits"))).contains("ASCII characters"));
    let folder = tempfile::tempdir().unwrap();
    for (extension, content, part) in [
        (
            "csv",
            "# a: 1\nx\n1\n",
            "the last comment should be `# columns: [...]`",
        ),
        ("csv", "# a = 1\nx\n1\n", "line 1: expected `# key: JSON`"),
        (
            "csv",
            "# columns: [{\"name\": \"x\", \"dtype\": \"uint64\"}]\ny\n1\n",
            "the line of names has `y`",
        ),
        (
            "csv",
            "# columns: [{\"name\": \"x\", \"dtype\": \"uint64\"}]\nx\n1\n-1\n",
            "line 4, column `x`: `-1` is no uint64",
        ),
        (
            "csv",
            "# columns: [{\"name\": \"x\", \"dtype\": \"uint64\"}]\nx\n1,2\n",
            "line 3: expected 1 fields, found 2",
        ),
        ("json", "{\"meta\": {}", "EOF"),
        (
            "json",
            "{\"meta\": {}, \"columns\": [{\"name\": \"x\", \"dtype\": \"uint64\"}], \"data\": {}}",
            "no list `x`",
        ),
        ("ecsv", "# %ECSV 1.0\n# ---\nx\n1\n", "no `datatype`"),
        ("parquet", "PAR1", "not a result table"),
        ("fits", "SIMPLE  =", "the header does not end"),
        ("h5", "\u{89}HDF", "not a result table"),
    ] {
        let path = folder.path().join(format!("result.{extension}"));
        std::fs::write(&path, content).unwrap();
        let error = Table::read(&path).unwrap_err();
        assert!(
            matches!(error, TableError::Malformed { .. }) && error.to_string().contains(part),
            "{content}: {error}"
        );
    }
}

#[test]
fn results_are_catalogs_too() {
    let folder = tempfile::tempdir().unwrap();
    let mut table = Table {
        columns: vec![
            TableColumn::floats("r", "", vec![0.5, 1.0 / 3.0]).with_unit("Mpc"),
            TableColumn::integers("DD", "", vec![3, 4]),
        ],
        ..Table::default()
    };
    table.meta.insert("BoxSize".to_owned(), json!(420.5));
    for extension in ["csv", "ecsv", "fits", "h5", "parquet"] {
        let path = folder.path().join(format!("result.{extension}"));
        table.write(&path).unwrap();
        let catalog = open(&path)
            .unwrap()
            .read(&Request::columns(["DD", "r"]))
            .unwrap();
        assert_eq!(
            catalog.column("r").unwrap(),
            [0.5, 1.0 / 3.0],
            "{extension}"
        );
        assert_eq!(catalog.column("DD").unwrap(), [3.0, 4.0], "{extension}");
        // The record beside a CSV file is no part of it.
        let stated = (extension != "csv").then_some(&Value::Float(420.5));
        assert_eq!(catalog.attribute("BoxSize"), stated, "{extension}");
    }
}

const CHECK: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/check_tables.py");

/// `ALBIREO_PYTHON` names the interpreter, `python3` by default.
#[test]
fn python_reads_what_is_written() {
    let folder = tempfile::tempdir().unwrap();
    let table = table();
    for extension in extensions() {
        table
            .write(&folder.path().join(format!("r.{extension}")))
            .unwrap();
    }
    wide().write(&folder.path().join("wide.hdf5")).unwrap();
    // Names as those of results: numpy splits lines at every comma.
    let mut plain = table.clone();
    plain.columns.truncate(2);
    plain.write(&folder.path().join("plain.csv")).unwrap();
    let mut bits = serde_json::Map::new();
    for column in &table.columns {
        let hexadecimal: Vec<String> = match &column.values {
            Values::Integers(values) => {
                values.iter().map(|value| format!("{value:016x}")).collect()
            }
            Values::Floats(values) => values
                .iter()
                .map(|value| format!("{:016x}", value.to_bits()))
                .collect(),
        };
        bits.insert(column.name.clone(), hexadecimal.into());
    }
    let python = std::env::var("ALBIREO_PYTHON").unwrap_or_else(|_| "python3".to_owned());
    let bits = serde_json::Value::Object(bits).to_string();
    let Ok(output) = Command::new(&python)
        .arg(CHECK)
        .arg(folder.path())
        .arg(bits)
        .output()
    else {
        eprintln!("skipped: no {python}");
        return;
    };
    let (out, errors) = (
        String::from_utf8_lossy(&output.stdout),
        String::from_utf8_lossy(&output.stderr),
    );
    eprintln!("{python}: {out}");
    assert!(output.status.success(), "{errors}");
}

#[test]
fn a_fits_file_of_another_program_is_no_result() {
    let fixture = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/tables.fits");
    let error = Table::read(&fixture).unwrap_err().to_string();
    assert!(error.contains("no table with a card `ALBIREO`"), "{error}");
}

#[test]
fn an_hdf5_file_of_another_program_is_no_result() {
    let fixture = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/bits/bits.h5");
    let error = Table::read(&fixture).unwrap_err().to_string();
    assert!(
        error.contains("no description in a data set `albireo`"),
        "{error}"
    );
}

/// More and longer texts than attributes and headers hold, and names that HDF5 takes for paths.
fn wide() -> Table {
    let column = |k: usize| TableColumn::floats(format!("C/N {k}"), "x".repeat(70_000), vec![0.5]);
    let mut table = Table {
        columns: (0..100).map(column).collect(),
        ..Table::default()
    };
    let edges: Vec<f64> = (0..20_000).map(f64::from).collect();
    let log = "line ".repeat(40_000);
    for (key, value) in [
        ("edges", json!(edges)),
        ("log", json!(log)),
        ("a//b", json!({"NUL": "\0"})),
    ] {
        table.meta.insert(key.to_owned(), value);
    }
    for k in 0..40 {
        table
            .meta
            .insert(format!("text {k}"), json!("t".repeat(30_000)));
    }
    table
}

#[test]
fn what_attributes_of_hdf5_cannot_hold_comes_back_all_the_same() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("wide.hdf5");
    wide().write(&path).unwrap();
    assert_eq!(Table::read(&path).unwrap(), wide());
}

#[test]
fn an_hdf5_result_that_is_cut_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("result.h5");
    let mut bytes = Vec::new();
    table().write_to(&mut bytes, format("hdf5")).unwrap();
    for length in (0..bytes.len()).step_by(97) {
        std::fs::write(&path, &bytes[..length]).unwrap();
        let error = Table::read(&path).unwrap_err();
        assert!(
            matches!(error, TableError::Malformed { .. }),
            "{length}: {error}"
        );
    }
}
