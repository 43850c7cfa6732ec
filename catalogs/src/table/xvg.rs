//! Curves for GROMACS and Grace: the places of the bins, then a column for each curve, below comments and commands.
//!
//! Entry: [`write`]. Nothing is read back: edges are left out, and Grace has no place for metadata but comments.

use std::io::Write;

use super::{Failure, Recorded, Row, Table, TableColumn, TableFormat};

pub(super) const FORMAT: Row = Row {
    name: "xvg",
    endings: &["xvg"],
    about: "Curves for GROMACS and Grace",
    printed: true,
    recorded: Recorded::Nowhere,
    write: |table, _, mut writer| write(table, &mut writer),
    read: |_| Err(not_read()),
};

/// What is said when such a file is to be read.
pub(super) fn not_read() -> Failure {
    let read = TableFormat::endings_to_read();
    Failure::Malformed(format!(
        "xvg is written for GROMACS and Grace and has no edges: expected the result in {read}"
    ))
}

/// The column that the curves are over: the middle of the bins where there is one, else the first.
fn abscissa(table: &Table) -> usize {
    let is_centre = |column: &TableColumn| column.name == "centre";
    table.columns.iter().position(is_centre).unwrap_or(0)
}

/// A text between quotes, of which Grace knows no others within.
fn quoted(text: &str) -> String {
    let text: String = text.chars().filter(|c| !c.is_control()).collect();
    format!("\"{}\"", text.replace('"', "'"))
}

fn with_unit(name: &str, column: &TableColumn) -> String {
    match &column.unit {
        Some(unit) => format!("{name} ({unit})"),
        None => name.to_owned(),
    }
}

pub(super) fn write<W: Write>(table: &Table, writer: &mut W) -> Result<(), Failure> {
    let x = abscissa(table);
    let has_centre = table.columns.get(x).is_some_and(|c| c.name == "centre");
    let is_curve = |(k, column): &(usize, &TableColumn)| {
        *k != x && !(has_centre && ["lo", "hi"].contains(&column.name.as_str()))
    };
    let curves = table.columns.iter().enumerate().filter(is_curve);
    let curves: Vec<&TableColumn> = curves.map(|(_, column)| column).collect();
    let said = |key: &str| table.meta.get(key).and_then(|value| value.as_str());
    writeln!(
        writer,
        "# albireo {}",
        serde_json::Value::Object(table.meta.clone())
    )?;
    for column in &curves {
        let described: String = column
            .description
            .chars()
            .filter(|c| !c.is_control())
            .collect();
        writeln!(writer, "# {}: {described}", column.name)?;
    }
    writeln!(
        writer,
        "@    title {}",
        quoted(said("result").unwrap_or("albireo"))
    )?;
    if let Some(column) = table.columns.get(x) {
        // Axes are described as `r: middle of the bin`.
        let name = column.description.split(':').next().unwrap_or_default();
        let name = if has_centre && !name.is_empty() {
            name
        } else {
            &column.name
        };
        writeln!(
            writer,
            "@    xaxis  label {}",
            quoted(&with_unit(name, column))
        )?;
    }
    if let Some(first) = curves.first() {
        writeln!(
            writer,
            "@    yaxis  label {}",
            quoted(&with_unit(&first.name, first))
        )?;
    }
    writeln!(writer, "@TYPE xy")?;
    writeln!(writer, "@ legend on")?;
    for (k, column) in curves.iter().enumerate() {
        writeln!(
            writer,
            "@ s{k} legend {}",
            quoted(&with_unit(&column.name, column))
        )?;
    }
    for row in 0..table.rows() {
        let all = table
            .columns
            .get(x)
            .into_iter()
            .chain(curves.iter().copied());
        let fields: Vec<String> = all.map(|column| column.values.text(row)).collect();
        writeln!(writer, "{}", fields.join(" "))?;
    }
    Ok(())
}
