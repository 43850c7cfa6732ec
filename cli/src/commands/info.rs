//! `albireo info`: what a file holds.

use std::fmt::Write;
use std::path::PathBuf;

use albireo_catalogs::{ColumnDescription, TableDescription, Value};
use anyhow::Result;
use clap::Args;

use crate::output::{columns_of, print, short};

/// Arguments of `info`.
#[derive(Debug, Args)]
pub(crate) struct Info {
    /// The file: FITS, Parquet, HDF5, ECSV or delimited text
    file: PathBuf,
}

/// Longest value of an attribute that is shown in full.
const LONG: usize = 100;

impl Info {
    /// Prints format, tables, columns with their ranges, and attributes.
    pub(crate) fn run(&self) -> Result<()> {
        let description = albireo_catalogs::open(&self.file)?.describe()?;
        let mut text = format!("{}: {}\n", self.file.display(), description.format);
        for table in &description.tables {
            describe(&mut text, table);
        }
        print(&text)
    }
}

fn describe(text: &mut String, table: &TableDescription) {
    let name = if table.name.is_empty() {
        "the table".to_owned()
    } else {
        format!("table {}", table.name)
    };
    let _ = writeln!(text, "\n{name}: {} rows", table.rows);
    let heads = [
        "column", "type", "unit", "rows", "min", "max", "NaN", "missing",
    ]
    .map(str::to_owned)
    .to_vec();
    let rows: Vec<Vec<String>> = std::iter::once(heads)
        .chain(table.columns.iter().map(row))
        .collect();
    for line in columns_of(&rows, &[0, 1, 2]).lines() {
        let _ = writeln!(text, "  {line}");
    }
    if !table.attributes.is_empty() {
        let _ = writeln!(text, "  attributes:");
    }
    for (name, value) in &table.attributes {
        let _ = writeln!(text, "    {name} = {}", shown(value));
    }
}

fn row(column: &ColumnDescription) -> Vec<String> {
    let width = if column.width == 1 {
        String::new()
    } else {
        format!(" x {}", column.width)
    };
    let number = |value: Option<f64>| value.map_or_else(|| "-".to_owned(), short);
    vec![
        column.name.clone(),
        format!("{}{width}", column.dtype),
        column.unit.clone().unwrap_or_else(|| "-".to_owned()),
        column.rows.to_string(),
        number(column.min),
        number(column.max),
        column.nan_count.to_string(),
        column.null_count.to_string(),
    ]
}

fn shown(value: &Value) -> String {
    let text = match value {
        Value::Bool(value) => value.to_string(),
        Value::Integer(value) => value.to_string(),
        Value::Float(value) => short(*value),
        Value::Text(value) => value.clone(),
        Value::Floats(values) => values
            .iter()
            .map(|&v| short(v))
            .collect::<Vec<_>>()
            .join(", "),
        Value::Texts(values) => values.join(", "),
        other => format!("{other:?}"),
    };
    let text = text.replace(['\n', '\r'], " ");
    if text.chars().count() <= LONG {
        return text;
    }
    let start: String = text.chars().take(LONG).collect();
    format!("{start}... ({} characters)", text.chars().count())
}
