//! Values of a term by distance, from a text.

use std::path::Path;

use albireo_fields::Table;
use anyhow::{Context, Result};

use crate::text::words;

/// A table of lines `r value`, separated by blanks or a comma; lines that begin with # or @ are comments.
pub(super) fn read_table(path: &Path) -> Result<Table> {
    let text = std::fs::read_to_string(path);
    let text = text.with_context(|| format!("--values: cannot read {}", path.display()))?;
    let (mut r, mut values) = (Vec::new(), Vec::new());
    for (number, line) in text.lines().enumerate() {
        let line = line.trim();
        if line.is_empty() || line.starts_with(['#', '@']) {
            continue;
        }
        let parsed = match words(line)[..] {
            [r, value] => r.parse::<f64>().ok().zip(value.parse::<f64>().ok()),
            _ => None,
        };
        let Some((at, value)) = parsed else {
            anyhow::bail!(
                "{}: line {}: expected two numbers, r and value, found `{line}`",
                path.display(),
                number + 1
            );
        };
        r.push(at);
        values.push(value);
    }
    Table::new(&r, &values).with_context(|| format!("--values {}", path.display()))
}
