//! `albireo info`: what files hold.

use std::fmt::Write;
use std::path::Path;

use albireo_catalogs::{
    Cell, ColumnDescription, TableDescription, TrajectoryDescription, Value, describe_trajectory,
};
use anyhow::Result;
use clap::Args;

use crate::catalogs::Files;
use crate::session::Session;
use crate::text::{columns_of, short};
use crate::watch::Loss;

/// Arguments of `info`.
#[derive(Debug, Args)]
pub(crate) struct Info {
    /// Files or patterns: FITS, Parquet, HDF5, ASDF, ECSV or delimited text, or trajectories
    #[arg(required = true, value_name = "FILE")]
    files: Vec<Files>,
}

/// Longest value of an attribute that is shown in full.
const LONG: usize = 100;
/// Longest text of a column that is shown in full.
const LONG_TEXT: usize = 24;
/// Texts of a column shown where it has many.
const EXAMPLES: usize = 3;

impl Info {
    /// Prints format, tables, columns with their ranges, and attributes; of trajectories what their frames are.
    pub(crate) fn run(&self, session: &Session<'_>) -> Result<()> {
        let _reading = session.watch.during(Loss::Nothing);
        let (mut between, mut failed) = ("", None);
        for file in self.files.iter().flat_map(Files::iter) {
            match described(file, session) {
                Ok(text) => session.sink.print(&format!("{between}{text}"))?,
                // The others are shown all the same, and each that cannot be is named.
                Err(error) => {
                    if let Some(earlier) = failed.replace(error) {
                        tracing::error!("{earlier:#}");
                    }
                }
            }
            between = "\n";
            session.watch.check_stop()?;
        }
        failed.map_or(Ok(()), Err)
    }
}

fn described(file: &Path, session: &Session<'_>) -> Result<String> {
    let trajectory = describe_trajectory(file, session.watch.stop());
    if let Ok(Some(trajectory)) = trajectory {
        let mut text = format!("{}: {}\n", file.display(), trajectory.format);
        describe_frames(&mut text, &trajectory);
        return Ok(text);
    }
    let table = albireo_catalogs::open_until(file, session.watch.stop());
    let description = match (table.and_then(|mut table| table.describe()), trajectory) {
        // What looks like a trajectory and is no table either has its reader's error.
        (Err(_), Err(of_frames)) => return Err(of_frames.into()),
        (described, _) => described?,
    };
    let mut text = format!("{}: {}\n", file.display(), description.format);
    for table in &description.tables {
        describe(&mut text, table);
    }
    Ok(text)
}

fn describe_frames(text: &mut String, trajectory: &TrajectoryDescription) {
    let span = |from: String, to: String| {
        if from == to {
            return from;
        }
        format!("{from} to {to}")
    };
    let [least, most] = trajectory.particles;
    let mut lines = vec![
        ("frames", trajectory.frames.to_string()),
        ("atoms", span(least.to_string(), most.to_string())),
    ];
    if let Some([first, last]) = trajectory.times {
        lines.push(("times", span(short(first), short(last))));
    }
    if let Some([first, last]) = trajectory.steps {
        lines.push(("steps", span(first.to_string(), last.to_string())));
    }
    let of_first = if trajectory.cell_changes {
        ", of the first frame; others differ"
    } else {
        ""
    };
    let shown = trajectory.cell.map_or_else(|| "none".to_owned(), box_of);
    lines.push(("box", format!("{shown}{of_first}")));
    let unit = trajectory.unit.as_deref();
    lines.push(("unit", unit.unwrap_or("not stated").to_owned()));
    lines.push(("bonds", trajectory.bonds.to_string()));
    for (name, value) in lines {
        let _ = writeln!(text, "  {name:<8}{value}");
    }
    describe_as(text, "particles of the first frame", &trajectory.first);
}

/// The lengths of a box, or its vectors, and along which of these it is open.
fn box_of(cell: Cell) -> String {
    let numbers = |values: [f64; 3], between: &str| values.map(short).join(between);
    let mut shown = if let Some(lengths) = cell.lengths() {
        numbers(lengths, " x ")
    } else {
        let vectors = cell.vectors().map(|v| format!("({})", numbers(v, ", ")));
        vectors.join(" ")
    };
    let axes = ["x", "y", "z"].into_iter().zip(cell.periodic());
    let open: Vec<&str> = axes
        .filter_map(|(axis, on)| (!on).then_some(axis))
        .collect();
    if !open.is_empty() {
        let _ = write!(shown, ", open along {}", open.join(", "));
    }
    shown
}

fn describe(text: &mut String, table: &TableDescription) {
    if table.name.is_empty() {
        describe_as(text, "the table", table);
    } else {
        describe_as(text, &format!("table {}", table.name), table);
    }
}

fn describe_as(text: &mut String, name: &str, table: &TableDescription) {
    let _ = writeln!(text, "\n{name}: {} rows", table.rows);
    let mut heads = [
        "column", "type", "unit", "rows", "min", "max", "NaN", "missing",
    ]
    .map(str::to_owned)
    .to_vec();
    let mut rows: Vec<Vec<String>> = table.columns.iter().map(row).collect();
    if table.columns.iter().any(|column| !column.texts.is_empty()) {
        heads.push("values".to_owned());
        for (row, column) in rows.iter_mut().zip(&table.columns) {
            row.push(texts(column));
        }
    }
    if table.columns.iter().any(|column| column.packing.is_some()) {
        heads.push("packed".to_owned());
        for (row, column) in rows.iter_mut().zip(&table.columns) {
            row.push(column.packing.clone().unwrap_or_default());
        }
    }
    let left: Vec<usize> = [0, 1, 2].into_iter().chain(8..heads.len()).collect();
    rows.insert(0, heads);
    for line in columns_of(&rows, &left).lines() {
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

/// The different values of a text column: all of them, or some of many.
fn texts(column: &ColumnDescription) -> String {
    let quoted = |text: &String| {
        let text = text.replace(char::is_control, " ");
        if text.chars().count() <= LONG_TEXT {
            return format!("\"{text}\"");
        }
        let start: String = text.chars().take(LONG_TEXT).collect();
        format!("\"{start}...\"")
    };
    let shown = if column.all_texts {
        column.texts.len()
    } else {
        EXAMPLES
    };
    let mut texts: Vec<String> = column.texts.iter().take(shown).map(quoted).collect();
    if !column.all_texts {
        texts.push("...".to_owned());
    }
    texts.join(", ")
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
        Value::Json(json) => json.to_string(),
        other => format!("{other:?}"),
    };
    let text = text.replace(['\n', '\r'], " ");
    if text.chars().count() <= LONG {
        return text;
    }
    let start: String = text.chars().take(LONG).collect();
    format!("{start}... ({} characters)", text.chars().count())
}
