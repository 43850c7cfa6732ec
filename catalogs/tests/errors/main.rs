//! Every way a catalog can be refused, with the message a person reads.

#![allow(
    clippy::unwrap_used,
    clippy::print_stdout,
    clippy::print_stderr,
    reason = "a failed step fails the test; tests report"
)]

mod tables;
mod values;

use std::path::{Path, PathBuf};

use albireo_catalogs::{CatalogError, Filter, Request, open};

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

fn refused(name: &str, request: &Request) -> CatalogError {
    open(&fixture(name))
        .and_then(|mut reader| reader.read(request))
        .unwrap_err()
}

/// Text of a file made for the occasion.
fn refused_text(name: &str, content: &[u8], columns: &[&str]) -> CatalogError {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join(name);
    std::fs::write(&path, content).unwrap();
    open(&path)
        .and_then(|mut reader| reader.read(&request(None, columns, None)))
        .unwrap_err()
}

macro_rules! assert_refused {
    ($error:expr, $variant:pat, $($part:expr),+) => {{
        let error = $error;
        let message = error.to_string();
        assert!(matches!(error, $variant), "{message}");
        $(assert!(message.contains($part), "`{}` is not in: {message}", $part);)+
    }};
}
pub(crate) use assert_refused;
