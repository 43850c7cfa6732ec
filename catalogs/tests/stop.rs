//! Readers end soon after they are asked to.

#![allow(clippy::unwrap_used, reason = "a failed step fails the test")]

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use albireo_catalogs::{CatalogError, CatalogReader, Request, Stop, open_until, sha256_until};

fn fixture(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("tests/fixtures")
        .join(name)
}

const FILES: [(&str, Option<&str>, &str); 12] = [
    ("tables.fits", Some("1"), "X"),
    ("tables.fits.gz", Some("1"), "X"),
    ("packed.fits", None, "X"),
    ("ascii.fits", None, "X"),
    ("arrays.fits", None, "POS"),
    ("zstd.parquet", None, "x"),
    ("columns.h5", None, "x"),
    ("compound.h5", Some("galaxies"), "x"),
    ("trajectory.h5", None, "species"),
    ("blanks.txt", None, "x"),
    ("comma.csv.gz", None, "x"),
    ("astropy.ecsv", None, "x"),
];

/// Stops at the question number `at`, from 0, and counts them.
fn stop_at(at: usize) -> (Stop, Arc<AtomicUsize>) {
    let asked = Arc::new(AtomicUsize::new(0));
    let count = Arc::clone(&asked);
    (
        Stop::when(move || count.fetch_add(1, Ordering::Relaxed) >= at),
        asked,
    )
}

type Step = fn(&mut dyn CatalogReader, &Request) -> Result<(), CatalogError>;

#[test]
fn every_reader_stops_wherever_it_is_asked() {
    let read: Step = |reader, request| reader.read(request).map(drop);
    let describe: Step = |reader, _| reader.describe().map(drop);
    for (name, table, column) in FILES {
        let mut request = Request::columns([column]);
        request.table = table.map(str::to_owned);
        for step in [read, describe] {
            let run = |stop| {
                open_until(&fixture(name), stop).and_then(|mut reader| step(&mut *reader, &request))
            };
            let (never, asked) = stop_at(usize::MAX);
            run(never).unwrap();
            let questions = asked.load(Ordering::Relaxed);
            assert!(questions > 0, "{name}: never asked");
            for at in 0..questions {
                let error = run(stop_at(at).0).unwrap_err();
                assert!(
                    matches!(error, CatalogError::Interrupted { .. }),
                    "{name}, question {at} of {questions}: {error}"
                );
            }
            // Work is asked for after the file is open, too.
            let (late, asked) = stop_at(usize::MAX);
            let mut reader = open_until(&fixture(name), late).unwrap();
            let before = asked.load(Ordering::Relaxed);
            step(&mut *reader, &request).unwrap();
            assert!(asked.load(Ordering::Relaxed) > before, "{name}");
        }
    }
}

#[test]
fn digests_stop_too() {
    let error = sha256_until(&fixture("tables.fits"), &stop_at(1).0).unwrap_err();
    assert!(matches!(error, CatalogError::Interrupted { .. }));
}
