//! What is asked of damaged files.

use std::path::{Path, PathBuf};

use albireo_catalogs::{Filter, Request, Table, open};

/// What can be asked of a file; damaged answers are errors.
pub(crate) fn exercise(path: &Path) {
    let _ = Table::read(path);
    let Ok(mut reader) = open(path) else { return };
    let Ok(description) = reader.describe() else {
        let _ = reader.read(&Request::columns(["x"]));
        let _ = reader.read(&Request::columns(["X", "POS"]));
        return;
    };
    for table in &description.tables {
        let mut request = Request::columns(
            table
                .columns
                .iter()
                .map(|column| column.name.as_str())
                .take(4),
        );
        request.table = (!table.name.is_empty()).then(|| table.name.clone());
        let _ = reader.read(&request);
        request.filter = Filter::parse("frame == 0").ok();
        let _ = reader.read(&request);
        request.filter = None;
        for column in table.columns.iter().take(20) {
            request.columns = vec![column.name.clone()];
            let _ = reader.read(&request);
        }
        if let Some(first) = table.columns.first() {
            request.filter = Filter::parse(&format!("`{}` > 3", first.name.replace('`', ""))).ok();
            let _ = reader.read(&request);
        }
    }
}

/// The folder of the fixtures.
pub(crate) fn fixtures() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures")
}
