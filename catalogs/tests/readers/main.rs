//! Every format gives back the values its fixture was made from, bit by bit.

#![allow(
    clippy::unwrap_used,
    clippy::print_stdout,
    clippy::print_stderr,
    reason = "a failed step fails the test; tests report"
)]

mod asdf;
mod cfitsio;
mod compound;
mod conventions;
mod every_format;
mod fits;
mod hdf5;
mod joins;
mod missing;
mod packed;
mod parquet;
mod text;
mod virtual_sets;
mod words;

use std::path::{Path, PathBuf};

use albireo_catalogs::{Catalog, Filter, Request, open};

const ROWS: usize = 48;

fn fixture(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("tests/fixtures")
        .join(name)
}

fn read(name: &str, table: Option<&str>, columns: &[&str], filter: Option<&str>) -> Catalog {
    let mut request = Request::columns(columns.iter().copied());
    request.table = table.map(str::to_owned);
    request.filter = filter.map(|text| Filter::parse(text).unwrap());
    open(&fixture(name)).unwrap().read(&request).unwrap()
}

// The formulas of fixtures/make.py.
fn x(k: usize) -> f64 {
    k as f64 * 0.5 + 0.125
}
fn y(k: usize) -> f64 {
    f64::from((k as f64 * 0.1) as f32)
}
fn z(k: usize) -> f64 {
    // numpy negates the integer: row 0 is +0.
    0.0 - k as f64 / 3.0
}
fn i64_(k: usize) -> f64 {
    k as f64 * 2_f64.powi(44)
}
fn u64_(k: usize) -> f64 {
    2_f64.powi(63) + k as f64 * 2048.0
}
fn flag(k: usize) -> f64 {
    f64::from(u8::from(k.is_multiple_of(3)))
}

#[track_caller]
fn same(catalog: &Catalog, column: &str, value: impl Fn(usize) -> f64) {
    let found = catalog.column(column).unwrap();
    assert_eq!(found.len(), catalog.rows());
    for (k, &found) in found.iter().enumerate() {
        assert_eq!(
            found.to_bits(),
            value(k).to_bits(),
            "{column}, row {k}: {found} is not {}",
            value(k)
        );
    }
}
