//! Expressions over files of every format, against values computed in Python (`fixtures/expressions/make.py`).
#![allow(clippy::unwrap_used, reason = "a failed unwrap is a failed test")]

use std::path::{Path, PathBuf};

use albireo_catalogs::{Catalog, CatalogError, Expression, Filter, Request, RowRange, open};

fn file(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/expressions");
    folder.join(name)
}

const FILES: [&str; 4] = [
    "expressions.fits",
    "expressions.parquet",
    "expressions.h5",
    "expressions.csv",
];

/// A drawn expression: its kind, its text, its value in each row, `-` where it is missing.
struct Drawn {
    kind: String,
    text: String,
    values: Vec<String>,
}

fn drawn() -> Vec<Drawn> {
    let text = std::fs::read_to_string(file("expressions.tsv")).unwrap();
    let line = |line: &str| {
        let mut fields = line.split('\t').map(str::to_owned);
        Drawn {
            kind: fields.next().unwrap(),
            text: fields.next().unwrap(),
            values: fields.collect(),
        }
    };
    text.lines().map(line).collect()
}

/// Those over columns that a file has: HDF5 has no missing values.
fn over(name: &str) -> Vec<Drawn> {
    let fits = |drawn: &Drawn| name != "expressions.h5" || !drawn.text.contains("gap");
    drawn().into_iter().filter(fits).collect()
}

fn read(name: &str, columns: &[&str], filter: &str) -> Result<Catalog, CatalogError> {
    let mut request = Request::columns(columns.iter().copied());
    request.filter = Some(Filter::parse(filter)?);
    open(&file(name))?.read(&request)
}

/// The rows that a condition keeps.
fn kept(name: &str, filter: &str) -> Vec<usize> {
    let catalog = read(name, &["row"], filter).unwrap_or_else(|error| panic!("{filter}: {error}"));
    catalog
        .column("row")
        .unwrap()
        .iter()
        .map(|&row| row as usize)
        .collect()
}

fn rows_with(drawn: &Drawn, wanted: impl Fn(&str) -> bool) -> Vec<usize> {
    let rows = drawn.values.iter().enumerate();
    rows.filter(|(_, value)| wanted(value))
        .map(|(row, _)| row)
        .collect()
}

#[test]
fn conditions_keep_the_rows_that_python_keeps() {
    for name in FILES {
        let mut compared = 0;
        for drawn in over(name).iter().filter(|drawn| drawn.kind == "condition") {
            assert_eq!(
                kept(name, &drawn.text),
                rows_with(drawn, |v| v == "1"),
                "{name}: {}",
                drawn.text
            );
            let negated = format!("not ({})", drawn.text);
            assert_eq!(
                kept(name, &negated),
                rows_with(drawn, |v| v == "0"),
                "{name}: {negated}"
            );
            compared += 1;
        }
        assert!(compared > 40, "{name}: {compared}");
    }
}

#[test]
fn integers_have_every_digit() {
    for name in FILES {
        let mut compared = 0;
        for drawn in over(name).iter().filter(|drawn| drawn.kind == "integer") {
            let missing = format!("({}) is null", drawn.text);
            assert_eq!(
                kept(name, &missing),
                rows_with(drawn, |v| v == "-"),
                "{name}: {missing}"
            );
            for value in drawn.values.iter().filter(|value| *value != "-").take(8) {
                let equal = format!("{} == {value}", drawn.text);
                assert_eq!(
                    kept(name, &equal),
                    rows_with(drawn, |v| v == value),
                    "{name}: {equal}"
                );
                compared += 1;
            }
        }
        assert!(compared > 100, "{name}: {compared}");
    }
}

#[test]
fn numbers_have_the_bits_that_python_gives_them() {
    for name in FILES {
        let mut compared = 0;
        for drawn in over(name).iter().filter(|drawn| drawn.kind == "real") {
            // A constant alone is no column.
            if Expression::parse(&drawn.text).unwrap().columns().is_empty() {
                assert!(read(name, &[&drawn.text], "true").is_err());
                continue;
            }
            let there = format!("({}) is not null", drawn.text);
            let catalog = match read(name, &[&drawn.text, "row"], &there) {
                // An expression of integers alone may have values that float64 has not.
                Err(CatalogError::Inexact { value, .. }) => {
                    assert!(drawn.values.contains(&value), "{name}: {}", drawn.text);
                    continue;
                }
                read => read.unwrap_or_else(|error| panic!("{}: {error}", drawn.text)),
            };
            let column = catalog.names()[0].to_owned();
            let found = catalog.column(&column).unwrap();
            let rows = rows_with(drawn, |v| v != "-");
            assert_eq!(found.len(), rows.len(), "{name}: {}", drawn.text);
            for (&found, row) in found.iter().zip(rows) {
                let expected: f64 = drawn.values[row].parse().unwrap();
                let same = found == expected || found.is_nan() && expected.is_nan();
                assert!(
                    same,
                    "{name}: {} row {row}: {found} against {expected}",
                    drawn.text
                );
                compared += 1;
            }
        }
        assert!(compared > 1000, "{name}: {compared}");
    }
}

#[test]
fn the_number_that_a_condition_chooses_is_computed_for_its_rows() {
    for name in FILES {
        for (chosen, same) in [
            ("where(flag > 40, 1, 0) == 1", "flag > 40"),
            // Beyond 2^53, of integers.
            ("where(flag > 40, id, -id - 1) == id", "flag > 40"),
            ("where(flag > 40, 0.5, id) == 0.5", "flag > 40"),
            ("isnan(where(isfinite(mag), mag, 1))", "false"),
            ("where(flag > 40, flag % 0, 1) == 1", "flag <= 40"),
            ("where(gap == 1, 1, 0) == 0", "gap != 1"),
            (
                "where(flag > 40, gap, 7) is null",
                "flag > 40 && gap is null",
            ),
        ] {
            if !(name == "expressions.h5" && chosen.contains("gap")) {
                assert_eq!(kept(name, chosen), kept(name, same), "{name}: {chosen}");
            }
        }
        assert!(!kept(name, "where(flag > 40, 1, 0) == 1").is_empty());
        // What is no integer is refused in the rows that choose it alone.
        assert!(read(name, &["row"], "where(flag >= 0, 0.5 & 1, 1) == 1").is_err());
        assert_eq!(
            kept(name, "where(flag < 0, 0.5 & 1, 1) == 1"),
            kept(name, "flag >= 0")
        );
    }
}

#[test]
fn rows_by_number_come_before_the_condition() {
    for name in FILES {
        let rows = |range: &str, every: u64, filter: Option<&str>| {
            let mut request = Request::columns(["row", "flag * 2"]);
            let every = std::num::NonZeroU64::new(every).unwrap();
            request.rows = RowRange {
                every,
                ..range.parse().unwrap()
            };
            request.filter = filter.map(|text| Filter::parse(text).unwrap());
            let catalog = open(&file(name)).unwrap().read(&request).unwrap();
            assert_eq!(catalog.rows_read(), 40, "{name}");
            catalog.column("row").unwrap().to_vec()
        };
        assert_eq!(rows("3:7", 1, None), [3.0, 4.0, 5.0, 6.0], "{name}");
        assert_eq!(rows("11:", 10, None), [11.0, 21.0, 31.0], "{name}");
        assert_eq!(rows(":20", 5, Some("row > 4")), [5.0, 10.0, 15.0], "{name}");
        assert_eq!(rows("90:", 1, None), [0.0; 0], "{name}");
    }
}

#[test]
fn what_does_not_fit_is_refused_by_name() {
    let message = |columns: &[&str], filter: &str| {
        read("expressions.parquet", columns, filter)
            .unwrap_err()
            .to_string()
    };
    for (columns, filter, parts) in [
        (
            &["row"][..],
            "flag & 0.5 == 0",
            &["row 0 (from 0)", "expected an integer, found 0.5"][..],
        ),
        (&["row"], "mag", &["expected a condition"]),
        (
            &["row"],
            "kind",
            &["at character 1", "expected a condition, found text"],
        ),
        (&["row"], "kind > flag", &["expected text, found a number"]),
        (
            &["row"],
            "kind == 3",
            &[
                "at character 9",
                "column `kind`, which is string",
                "found the number 3",
            ],
        ),
        (
            &["row"],
            "magg > 3",
            &["no column `magg`", "did you mean `mag`"],
        ),
        (&["row"], "id - > 3", &["at character 6", "     ^"]),
        (&["kind"], "true", &["`kind`", "string"]),
        (&["kind * 2"], "true", &["expected a number, found text"]),
        (&["flag *"], "true", &["at character 7", "found the end"]),
        (&["flagg * 2"], "true", &["no column `flagg`"]),
        (&["no-column"], "true", &["no column `no-column`"]),
        (&["gap + 1"], "true", &["column `gap + 1`", "is null"]),
        (&["id"], "true", &["column `id`", "row"]),
        (&["id * id * id"], "true", &["128 bits"]),
    ] {
        let message = message(columns, filter);
        for part in parts {
            assert!(message.contains(part), "{columns:?} {filter}: {message}");
        }
    }
    // Rows that are not kept may have no value.
    let catalog = read(
        "expressions.parquet",
        &["gap + 1", "id"],
        "gap > 0 && abs(id) < 1000",
    )
    .unwrap();
    assert!(catalog.rows() > 0);
    assert!(
        catalog
            .column("gap + 1")
            .unwrap()
            .iter()
            .all(|&gap| gap > 1.0)
    );
}
