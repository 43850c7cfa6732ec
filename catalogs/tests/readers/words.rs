//! Columns of bits, word by word, in every format.

use albireo_catalogs::{Catalog, CatalogError, Filter, Request, RowRange, open};

use super::fixture;

const ROWS: u64 = 40;
const FILES: [&str; 4] = ["bits.fits", "bits.h5", "bits.parquet", "bits.csv"];

/// The formula of fixtures/bits/make.py.
fn word(k: u64, j: u64) -> u64 {
    const EXTREMES: [u64; 5] = [1 << 63, u64::MAX, (1 << 63) + 1, (1 << 53) + 1, 0];
    match EXTREMES.get(k as usize) {
        Some(&extreme) if j == 0 => extreme,
        _ => (k + 1)
            .wrapping_mul(2 * j + 1)
            .wrapping_mul(0x9e37_79b9_7f4a_7c15),
    }
}

fn of(j: u64) -> Vec<u64> {
    (0..ROWS).map(|k| word(k, j)).collect()
}

fn asked(words: &[&str], columns: &[&str]) -> Request {
    Request {
        words: words.iter().map(|&name| name.to_owned()).collect(),
        ..Request::columns(columns.iter().copied())
    }
}

fn try_read(file: &str, request: &Request) -> Result<Catalog, CatalogError> {
    open(&fixture("bits").join(file))?.read(request)
}

fn refused(file: &str, column: &str) -> String {
    let error = try_read(file, &asked(&[column], &["x"])).unwrap_err();
    error.to_string()
}

#[test]
fn every_format_keeps_every_bit() {
    for file in FILES {
        let mut catalog = try_read(file, &asked(&["B0", "B1", "U"], &["x"])).unwrap();
        for (name, j) in [("B0", 0), ("B1", 1), ("U", 0)] {
            let words = catalog.take_words(name).unwrap();
            assert_eq!(words.len(), 1, "{file} {name}");
            assert_eq!(words[0].values, of(j), "{file} {name}");
            assert_eq!(words[0].bits, 64, "{file} {name}");
        }
        assert!(catalog.take_words("B0").is_err(), "taken before");
        assert_eq!(catalog.column("x").unwrap().len(), ROWS as usize);
    }
}

#[test]
fn vector_columns_have_a_word_for_each_component() {
    for file in &FILES[..3] {
        let mut catalog = try_read(file, &asked(&["V", "B1"], &[])).unwrap();
        let words = catalog.take_words("V").unwrap();
        let words: Vec<_> = words.into_iter().map(|words| words.values).collect();
        assert_eq!(words, [of(0), of(1)], "{file}");
        let mut one = try_read(file, &asked(&["V[1]"], &[])).unwrap();
        assert_eq!(one.take_words("V[1]").unwrap()[0].values, of(1), "{file}");
    }
}

#[test]
fn narrow_types_have_their_own_bits_and_no_sign() {
    for file in &FILES[..3] {
        let mut catalog = try_read(file, &asked(&["I32"], &[])).unwrap();
        let words = catalog.take_words("I32").unwrap();
        let low: Vec<u64> = of(1).into_iter().map(|w| w & 0xffff_ffff).collect();
        assert_eq!((words[0].bits, &words[0].values), (32, &low), "{file}");
    }
}

#[test]
fn rows_are_chosen_as_those_of_other_columns() {
    for file in FILES {
        let mut request = asked(&["B0"], &["x"]);
        request.filter = Some(Filter::parse("x > 2 and y < 7").unwrap());
        request.rows = RowRange {
            first: 2,
            end: Some(37),
            ..RowRange::default()
        };
        let mut catalog = try_read(file, &request).unwrap();
        let at = |k: u64, m: u64| (k * m % 17) as f64 * 0.5;
        let kept = (2..37).filter(|&k| at(k, 1) > 2.0 && at(k, 5) < 7.0);
        let expected: Vec<u64> = kept.map(|k| word(k, 0)).collect();
        assert!(expected.len() > 5);
        assert_eq!(
            catalog.take_words("B0").unwrap()[0].values,
            expected,
            "{file}"
        );
        assert_eq!(catalog.rows(), expected.len());
    }
}

#[test]
fn bits_may_be_a_weight_or_a_condition_too() {
    // As numbers they are held to float64.
    for file in FILES {
        let mut request = asked(&["B0"], &["x"]);
        request.filter = Some(Filter::parse("B0 == 9007199254740993").unwrap());
        let mut catalog = try_read(file, &request).unwrap();
        assert_eq!(catalog.take_words("B0").unwrap()[0].values, [(1 << 53) + 1]);
        let error = try_read(file, &asked(&["B0"], &["B0"])).unwrap_err();
        assert!(matches!(error, CatalogError::Inexact { .. }), "{error}");
    }
}

#[test]
fn what_holds_no_bits_is_refused_by_name() {
    for (file, column, dtype) in [
        ("bits.fits", "F", "float64"),
        ("bits.fits", "T", "string"),
        ("bits.fits", "L", "bool"),
        ("bits.fits", "S", "int16, scaled"),
        ("bits.h5", "F", "float64"),
        ("bits.h5", "T", "string"),
        ("bits.h5", "L", "bool"),
        ("bits.parquet", "F", "double"),
        ("bits.parquet", "T", "string"),
        ("bits.parquet", "L", "bool"),
        ("bits.csv", "T", "string"),
    ] {
        let message = refused(file, column);
        let end = format!(
            "{file}: column `{column}` holds no bits: expected whole numbers such as int64, its type is "
        );
        assert!(message.contains(&end), "{message}");
        assert!(message.ends_with(dtype) || dtype == "double", "{message}");
    }
    let message = refused("bits.csv", "F");
    assert!(
        message.ends_with("column `F`, row 31 (from 0): expected the bits of a whole number of at most 64 of them, found 31.25"),
        "{message}"
    );
    assert!(refused("bits.fits", "B9").contains("no column `B9`"));
    assert!(refused("bits.fits", "V[2]").contains("has 2 components"));
}

#[test]
fn missing_words_are_refused_with_their_row_where_they_are_kept() {
    for file in ["bits.fits", "bits.parquet", "bits.csv"] {
        let message = refused(file, "N");
        let end = "column `N`, row 5 (from 0): the value is null";
        assert!(message.ends_with(end), "{message}");
        let mut request = asked(&["N"], &["x"]);
        request.rows.first = 6;
        let mut catalog = try_read(file, &request).unwrap();
        assert_eq!(
            catalog.take_words("N").unwrap()[0].values,
            of(1)[6..],
            "{file}"
        );
    }
}

#[test]
fn text_beyond_64_bits_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("b.csv");
    for value in ["18446744073709551616", "-9223372036854775809", "1e3", "nan"] {
        std::fs::write(&path, format!("x,B\n1,7\n2,{value}\n")).unwrap();
        let error = open(&path)
            .unwrap()
            .read(&asked(&["B"], &["x"]))
            .unwrap_err();
        let message = error.to_string();
        assert!(message.contains("column `B`, row 1 (from 0)"), "{message}");
    }
}
