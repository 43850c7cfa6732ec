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

const EXTENSIONS: [&str; 5] = ["csv", "ecsv", "fits", "json", "parquet"];

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
        for extension in EXTENSIONS {
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
    for extension in EXTENSIONS {
        let path = folder.path().join(format!("result.{extension}"));
        table().write(&path).unwrap();
        let first = sha256(&path).unwrap();
        table().write(&path).unwrap();
        assert_eq!(sha256(&path).unwrap(), first, "{extension}");
    }
    assert_eq!(
        std::fs::read_dir(folder.path()).unwrap().count(),
        EXTENSIONS.len()
    );
}

#[test]
fn a_stream_gets_the_same_bytes_as_a_file() {
    let folder = tempfile::tempdir().unwrap();
    for (extension, format) in EXTENSIONS.into_iter().zip([
        TableFormat::Csv,
        TableFormat::Ecsv,
        TableFormat::Fits,
        TableFormat::Json,
        TableFormat::Parquet,
    ]) {
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
        "result.xlsx: the extension should be one of .csv, .ecsv, .fits, .json, .parquet"
    );
    let with = |column: TableColumn| {
        let mut table = table();
        table.columns.push(column);
        message(table.write_to(Vec::new(), TableFormat::Csv))
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
    assert!(message(long.write_to(Vec::new(), TableFormat::Fits)).contains("ASCII characters"));
    let folder = tempfile::tempdir().unwrap();
    for (extension, content, part) in [
        (
            "csv",
            "x\n1\n",
            "the last comment should be `# columns: [...]`",
        ),
        ("csv", "# a = 1\nx\n1\n", "line 1: expected `# key: JSON`"),
        (
            "csv",
            "# columns: [{\"name\": \"x\", \"dtype\": \"uint64\"}]\ny\n1\n",
            "the line of names has [\"y\"]",
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
    for extension in ["csv", "ecsv", "fits", "parquet"] {
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
        assert_eq!(
            catalog.attribute("BoxSize"),
            Some(&Value::Float(420.5)),
            "{extension}"
        );
    }
}

const CHECK: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/check_tables.py");

/// `ALBIREO_PYTHON` names the interpreter, `python3` by default.
#[test]
fn python_reads_what_is_written() {
    let folder = tempfile::tempdir().unwrap();
    let table = table();
    for extension in EXTENSIONS {
        table
            .write(&folder.path().join(format!("r.{extension}")))
            .unwrap();
    }
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
