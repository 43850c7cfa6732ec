//! ECSV 1.0: a YAML header in comments, then comma-separated rows.
//!
//! Entry: [`write`], [`read`]. The YAML is written as JSON, which YAML includes, one line per column and per key.

use std::io::Write;

use serde_json::Value as Json;

use super::{Failure, Recorded, Row, Table, TableColumn, read_rows, write_rows};
use crate::numbers::Values;
use crate::text::yaml;

pub(super) const FORMAT: Row = Row {
    name: "ecsv",
    endings: &["ecsv"],
    about: "Rows below a header that holds the record",
    printed: true,
    recorded: Recorded::Inside,
    write: |table, _, mut writer| write(table, &mut writer),
    read: |path| read(&std::fs::read_to_string(path)?),
};

/// A number as YAML 1.1 writes it. Readers of that version take `1e-7` for text: it wants a point and a signed exponent.
fn yaml_number(number: &serde_json::Number) -> String {
    let text = number.to_string();
    let Some((mantissa, exponent)) = text.split_once('e') else {
        return text;
    };
    let mantissa = if mantissa.contains('.') {
        mantissa.to_owned()
    } else {
        format!("{mantissa}.0")
    };
    let exponent = if exponent.starts_with('-') {
        exponent.to_owned()
    } else {
        format!("+{}", exponent.trim_start_matches('+'))
    };
    format!("{mantissa}e{exponent}")
}

/// Any JSON as a YAML flow value.
fn flow(json: &Json) -> String {
    match json {
        Json::Number(number) => yaml_number(number),
        Json::Array(items) => format!(
            "[{}]",
            items.iter().map(flow).collect::<Vec<_>>().join(", ")
        ),
        Json::Object(entries) => {
            let entry = |(key, value): (&String, &Json)| format!("{}: {}", text(key), flow(value));
            format!(
                "{{{}}}",
                entries.iter().map(entry).collect::<Vec<_>>().join(", ")
            )
        }
        Json::String(value) => text(value),
        other => other.to_string(),
    }
}

/// Text in double quotes; characters that YAML does not take as they are become escapes.
fn text(value: &str) -> String {
    let quoted = Json::from(value).to_string();
    let escape = |c: char| match c {
        '\u{7f}'..='\u{9f}' | '\u{2028}' | '\u{2029}' | '\u{feff}' => {
            format!("\\u{:04x}", u32::from(c))
        }
        other => other.to_string(),
    };
    quoted.chars().map(escape).collect()
}

pub(super) fn write<W: Write>(table: &Table, writer: &mut W) -> Result<(), Failure> {
    writeln!(writer, "# %ECSV 1.0\n# ---\n# datatype:")?;
    for column in &table.columns {
        write!(writer, "# - {{name: {}", text(&column.name))?;
        if let Some(unit) = &column.unit {
            write!(writer, ", unit: {}", text(unit))?;
        }
        write!(writer, ", datatype: {}", column.values.dtype())?;
        if !column.description.is_empty() {
            write!(writer, ", description: {}", text(&column.description))?;
        }
        writeln!(writer, "}}")?;
    }
    writeln!(writer, "# delimiter: ','")?;
    if !table.meta.is_empty() {
        writeln!(writer, "# meta: !!omap")?;
        for (key, value) in &table.meta {
            writeln!(writer, "# - {{{}: {}}}", text(key), flow(value))?;
        }
    }
    writeln!(writer, "# schema: astropy-2.0")?;
    Ok(write_rows(table, writer)?)
}

pub(super) fn read(content: &str) -> Result<Table, Failure> {
    let malformed = |detail: &str| Failure::Malformed(format!("ECSV header: {detail}"));
    let mut lines = content
        .lines()
        .enumerate()
        .map(|(k, line)| (k + 1, line))
        .peekable();
    let mut header = String::new();
    while let Some((number, line)) = lines.next_if(|(_, line)| line.starts_with('#')) {
        if number > 2 {
            header.push_str(line[1..].strip_prefix(' ').unwrap_or(&line[1..]));
            header.push('\n');
        }
    }
    let (mut entries, broken) = yaml::mapping(&header);
    if let Some(detail) = broken {
        return Err(malformed(&format!("YAML: {detail}")));
    }
    let datatype = entries
        .remove("datatype")
        .ok_or_else(|| malformed("no `datatype`"))?;
    let columns = datatype
        .as_array()
        .and_then(|list| list.iter().map(column).collect::<Option<Vec<_>>>());
    let mut columns =
        columns.ok_or_else(|| malformed("`datatype` should list columns of uint64 or float64"))?;
    let meta = match entries.remove("meta").map(one_entry_each) {
        Some(Some(meta)) => meta,
        Some(None) => return Err(malformed("`meta` should be a list of one-entry mappings")),
        None => serde_json::Map::new(),
    };
    read_rows(lines, &mut columns)?;
    Ok(Table { columns, meta })
}

/// The entries of an ordered mapping; the values stay as they are.
fn one_entry_each(json: Json) -> Option<serde_json::Map<String, Json>> {
    let Json::Array(items) = json else {
        return None;
    };
    let entry = |item| match item {
        Json::Object(entry) if entry.len() == 1 => entry.into_iter().next(),
        _ => None,
    };
    items.into_iter().map(entry).collect()
}

fn column(entry: &Json) -> Option<TableColumn> {
    let text = |key: &str| entry.get(key).and_then(Json::as_str).map(str::to_owned);
    Some(TableColumn {
        name: text("name")?,
        unit: text("unit"),
        description: text("description").unwrap_or_default(),
        values: Values::empty(&text("datatype")?)?,
    })
}
