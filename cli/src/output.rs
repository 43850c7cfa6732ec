//! Where results go: the terminal, a file, a figure.
//!
//! Entry: [`check`] before the work, [`deliver`] after it.

use std::fmt::Write as _;
use std::io::{self, Write};
use std::path::Path;

use albireo_catalogs::{Table, TableFormat, Values};
use anyhow::{Context, Result};

use crate::args::OutputFlags;
use crate::files::check_folder;
use crate::record::is_approximate;

/// Longest table that is printed in full when it is also written to a file.
const LONG: usize = 60;
/// Rows shown of a longer one.
const SHOWN: usize = 12;

/// Refuses a result file that cannot be written.
pub(crate) fn check_result_path(path: &Path) -> Result<()> {
    TableFormat::of(path)?;
    check_folder(path)
}

/// Refuses what could not be written in the end, before the work begins.
pub(crate) fn check(flags: &OutputFlags) -> Result<()> {
    if let Some(path) = &flags.output {
        check_result_path(path)?;
    }
    #[cfg(feature = "plot")]
    if let Some(path) = &flags.plot {
        crate::figure::check_path(path)?;
        check_folder(path)?;
    }
    Ok(())
}

/// Prints the table, writes it and draws it, as asked.
pub(crate) fn deliver(table: &Table, flags: &OutputFlags) -> Result<()> {
    if let Some(path) = &flags.output {
        write(table, path)?;
    }
    #[cfg(feature = "plot")]
    if let Some(path) = &flags.plot {
        crate::figure::draw(table, path, crate::figure::Style { r2: flags.r2 })?;
        tracing::info!("figure written to {}", path.display());
    }
    let rows = table.rows();
    let shown = match &flags.output {
        Some(_) if rows > LONG => SHOWN,
        _ => rows,
    };
    let mut text = aligned(table, shown);
    if let (Some(path), true) = (&flags.output, shown < rows) {
        let _ = writeln!(
            text,
            "... and {} more rows in {}",
            rows - shown,
            path.display()
        );
    }
    if is_approximate(table) {
        text.push_str(
            "approximate: float32 decided alone, pairs next to an edge may lie in the neighbouring bin\n",
        );
    }
    print(&text)
}

/// Writes a table whole or not at all.
pub(crate) fn write(table: &Table, path: &Path) -> Result<()> {
    table
        .write(path)
        .with_context(|| format!("cannot write {}", path.display()))?;
    tracing::info!("result written to {}", path.display());
    Ok(())
}

/// Prints to standard output; a reader that has seen enough is no error.
pub(crate) fn print(text: &str) -> Result<()> {
    match io::stdout().lock().write_all(text.as_bytes()) {
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(()),
        other => Ok(other?),
    }
}

/// A float in at most seven significant digits.
pub(crate) fn short(value: f64) -> String {
    const DIGITS: i32 = 7;
    if value == 0.0 || !value.is_finite() {
        return if value.is_nan() {
            "nan".to_owned()
        } else {
            value.to_string()
        };
    }
    let magnitude = value.abs().log10().floor() as i32;
    if !(-4..12).contains(&magnitude) {
        let text = format!("{value:.6e}");
        let (mantissa, exponent) = text.split_once('e').unwrap_or((&text, "0"));
        return format!("{}e{exponent}", trimmed(mantissa));
    }
    let decimals = (DIGITS - 1 - magnitude).max(0) as usize;
    trimmed(&format!("{value:.decimals$}")).to_owned()
}

fn trimmed(text: &str) -> &str {
    if text.contains('.') {
        text.trim_end_matches('0').trim_end_matches('.')
    } else {
        text
    }
}

/// Rows of cells in right-aligned columns, the first row being the heads.
pub(crate) fn columns_of(rows: &[Vec<String>], left: &[usize]) -> String {
    let width = |column: usize| {
        rows.iter()
            .filter_map(|row| row.get(column))
            .map(|cell| cell.chars().count())
            .max()
    };
    let widths: Vec<usize> = (0..).map_while(width).collect();
    let mut text = String::new();
    for row in rows {
        let cells = row
            .iter()
            .zip(&widths)
            .enumerate()
            .map(|(k, (cell, &width))| {
                if left.contains(&k) {
                    format!("{cell:<width$}")
                } else {
                    format!("{cell:>width$}")
                }
            });
        let line = cells.collect::<Vec<_>>().join("  ");
        let _ = writeln!(text, "{}", line.trim_end());
    }
    text
}

/// The first `shown` rows of a table.
fn aligned(table: &Table, shown: usize) -> String {
    let head = |column: &albireo_catalogs::TableColumn| match &column.unit {
        Some(unit) => format!("{} [{unit}]", column.name),
        None => column.name.clone(),
    };
    let cell = |values: &Values, row: usize| match values {
        Values::Integers(values) => values[row].to_string(),
        Values::Floats(values) => short(values[row]),
    };
    let mut rows = vec![table.columns.iter().map(head).collect::<Vec<_>>()];
    rows.extend((0..shown).map(|row| table.columns.iter().map(|c| cell(&c.values, row)).collect()));
    columns_of(&rows, &[])
}

#[cfg(test)]
mod tests {
    use super::{columns_of, short};

    #[test]
    fn floats_are_short_and_right() {
        let cases = [
            (0.0, "0"),
            (0.1, "0.1"),
            (-12.5, "-12.5"),
            (1.0 / 3.0, "0.3333333"),
            (123_456_789.0, "123456789"),
            (1.5e-9, "1.5e-9"),
            (2.0e15, "2e15"),
            (100.0, "100"),
        ];
        for (value, text) in cases {
            assert_eq!(short(value), text);
        }
        assert_eq!(short(f64::NAN), "nan");
    }

    #[test]
    fn columns_are_aligned() {
        let rows = [
            vec!["a".to_owned(), "bb".to_owned()],
            vec!["long".to_owned(), "1".to_owned()],
        ];
        assert_eq!(columns_of(&rows, &[0]), "a     bb\nlong   1\n");
    }
}
