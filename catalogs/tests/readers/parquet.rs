//! Parquet: columns of every type, under every codec.

use albireo_catalogs::{Format, Value};

use super::{ROWS, flag, i64_, read, same, u64_, x, y, z};

#[test]
fn parquet_columns_of_every_type() {
    let columns = ["x", "y", "half", "i8", "i64", "u64", "flag", "pos"];
    let mut catalog = read("snappy.parquet", None, &columns, None);
    assert_eq!((catalog.format(), catalog.rows()), (Format::Parquet, ROWS));
    same(&catalog, "x", x);
    same(&catalog, "y", y);
    same(&catalog, "half", |k| k as f64 * 0.5);
    same(&catalog, "i8", |k| (k % 100) as f64 - 50.0);
    same(&catalog, "i64", i64_);
    same(&catalog, "u64", u64_);
    same(&catalog, "flag", flag);
    let [a, b, c] = catalog.vector("pos").unwrap();
    assert_eq!((a[47], b[47], c[47]), (x(47), -x(47), z(47)));
    assert_eq!(catalog.attribute("BoxSize"), Some(&Value::Float(420.5)));
    assert_eq!(
        catalog.attribute("edges"),
        Some(&Value::Floats(vec![1.0, 2.0, 3.5]))
    );
    assert_eq!(
        catalog.attribute("note").unwrap().as_text(),
        Some("two words")
    );
}

#[test]
fn parquet_of_every_codec() {
    for codec in ["snappy", "zstd", "lz4", "gzip"] {
        let catalog = read(
            &format!("{codec}.parquet"),
            None,
            &["y", "pos[2]", "x"],
            None,
        );
        assert_eq!(catalog.names(), ["y", "pos[2]", "x"]);
        same(&catalog, "x", x);
        same(&catalog, "y", y);
        same(&catalog, "pos[2]", z);
    }
}
