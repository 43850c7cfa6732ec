//! Damaged files give an error or values, never a panic, a hang or a flood of memory.
//!
//! Every fixture is cut at many lengths and has bits flipped at many places; each that opens is described and read.

#![allow(
    clippy::unwrap_used,
    clippy::print_stdout,
    clippy::print_stderr,
    reason = "a failed step fails the test; tests report"
)]

mod damaged;

use std::time::Instant;

use albireo_catalogs::Table;

use albireo_fixtures::Dice;
use damaged::{exercise, fixtures};

fn damage(name: &str) {
    albireo_catalogs::quiet_decoder_panics();
    let path = fixtures().join(name);
    let bytes = std::fs::read(&path).unwrap();
    let folder = tempfile::tempdir().unwrap();
    let copy = folder.path().join(name);
    let mut dice = Dice(0x9e37_79b9_7f4a_7c15);
    let rounds = std::env::var("ALBIREO_DAMAGE_ROUNDS")
        .ok()
        .and_then(|text| text.parse().ok())
        .unwrap_or(150);
    let try_out = |damaged: &[u8], how: &str| {
        std::fs::write(&copy, damaged).unwrap();
        let start = Instant::now();
        let outcome = std::panic::catch_unwind(|| exercise(&copy));
        assert!(outcome.is_ok(), "{name}, {how}: panicked");
        assert!(
            start.elapsed().as_secs() < 20,
            "{name}, {how}: took {:?}",
            start.elapsed()
        );
    };
    try_out(&bytes, "whole");
    for k in 0..rounds {
        let length = if k < 40 {
            bytes.len() * k / 40
        } else {
            dice.roll(bytes.len())
        };
        try_out(&bytes[..length], &format!("cut to {length}"));
    }
    for _ in 0..rounds * 4 {
        let mut damaged = bytes.clone();
        let flips = 1 + dice.roll(4);
        // Headers and footers matter most; half of the damage goes to the first and last kilobyte.
        let mut places = Vec::new();
        for _ in 0..flips {
            let at = match dice.roll(4) {
                0 => dice.roll(bytes.len().min(1024)),
                1 => bytes.len() - 1 - dice.roll(bytes.len().min(1024)),
                _ => dice.roll(bytes.len()),
            };
            damaged[at] = if dice.roll(2) == 0 {
                damaged[at] ^ (1 << dice.roll(8))
            } else {
                dice.roll(256) as u8
            };
            places.push((at, damaged[at]));
        }
        try_out(&damaged, &format!("bytes {places:?}"));
    }
}

#[test]
fn fits() {
    damage("tables.fits");
    damage("tables.fits.gz");
    damage("packed_rice.fits");
    damage("packed_gzip1.fits");
    damage("packed.fits");
    damage("ascii.fits");
    damage("arrays.fits");
    damage("arrays.fits.gz");
}

#[test]
fn parquet() {
    damage("snappy.parquet");
    damage("zstd.parquet");
    damage("lz4.parquet");
    damage("gzip.parquet");
}

#[test]
fn hdf5() {
    damage("columns.h5");
    damage("gadget.hdf5");
    damage("trajectory.h5");
    damage("single.h5");
    damage("compound.h5");
    damage("astropy.h5");
    damage("filters.h5");
}

#[test]
fn asdf() {
    damage("halos.asdf");
}

#[test]
fn text() {
    damage("blanks.txt");
    damage("comma.csv");
    damage("comma.csv.gz");
    damage("astropy.ecsv");
    damage("astropy_comma.ecsv");
}

#[test]
fn result_tables() {
    let mut dice = Dice(77);
    let folder = tempfile::tempdir().unwrap();
    let mut table = Table::default();
    table
        .meta
        .insert("a".to_owned(), serde_json::json!({"b": [1, 2.5, "c"]}));
    table.columns.push(albireo_catalogs::TableColumn::integers(
        "n",
        "counts",
        vec![1, u64::MAX],
    ));
    table.columns.push(albireo_catalogs::TableColumn::floats(
        "f",
        "",
        vec![0.1, f64::NAN],
    ));
    for extension in ["csv", "ecsv", "fits", "json", "parquet"] {
        let path = folder.path().join(format!("t.{extension}"));
        table.write(&path).unwrap();
        let bytes = std::fs::read(&path).unwrap();
        for k in 0..400 {
            let mut damaged = bytes.clone();
            if k % 2 == 0 {
                damaged.truncate(dice.roll(bytes.len()));
            } else {
                damaged[dice.roll(bytes.len())] = dice.roll(256) as u8;
            }
            std::fs::write(&path, &damaged).unwrap();
            let outcome = std::panic::catch_unwind(|| drop(Table::read(&path)));
            assert!(outcome.is_ok(), "{extension}, round {k}");
        }
    }
}
