//! JSON: one object of `meta`, `columns` and `data`.
//!
//! Entry: [`write`], [`read`]. NaN is null; the infinities, for which JSON has no number, are the texts "inf" and "-inf".

use std::io::Write;

use serde_json::{Value as Json, json};

use super::{Failure, Recorded, Row, Table, columns_from_json, columns_json};
use crate::numbers::Values;

pub(super) const FORMAT: Row = Row {
    name: "json",
    endings: &["json"],
    about: "One object with the record",
    printed: true,
    recorded: Recorded::Inside,
    write: |table, _, mut writer| write(table, &mut writer),
    read: |path| read(&std::fs::read_to_string(path)?),
};

pub(super) fn write<W: Write>(table: &Table, writer: &mut W) -> Result<(), Failure> {
    write!(writer, "{{")?;
    write_members(table, writer)
}

/// The members of the object, and its end.
pub(super) fn write_members<W: Write>(table: &Table, writer: &mut W) -> Result<(), Failure> {
    writeln!(writer, "\"meta\":{},", Json::Object(table.meta.clone()))?;
    writeln!(writer, "\"columns\":{},", columns_json(table))?;
    write!(writer, "\"data\":{{")?;
    for (k, column) in table.columns.iter().enumerate() {
        let values: Json = match &column.values {
            Values::Integers(values) => values.iter().copied().collect(),
            Values::Floats(values) => values.iter().map(|&value| number(value)).collect(),
        };
        write!(
            writer,
            "{}\n{}:{values}",
            if k == 0 { "" } else { "," },
            json!(column.name)
        )?;
    }
    Ok(writeln!(writer, "}}}}")?)
}

fn number(value: f64) -> Json {
    match value {
        f64::INFINITY => "inf".into(),
        f64::NEG_INFINITY => "-inf".into(),
        // NaN becomes null.
        _ => value.into(),
    }
}

pub(super) fn read(text: &str) -> Result<Table, Failure> {
    table_of(serde_json::from_str(text).map_err(|error| Failure::Malformed(error.to_string()))?)
}

/// The table of such an object.
pub(super) fn table_of(mut json: Json) -> Result<Table, Failure> {
    let Some(Json::Object(meta)) = json.get_mut("meta").map(Json::take) else {
        return Err(Failure::Malformed("`meta` should be an object".to_owned()));
    };
    let mut columns = columns_from_json(json.get("columns").unwrap_or(&Json::Null))?;
    for column in &mut columns {
        let values = json["data"].get(&column.name).and_then(Json::as_array);
        let missing = || Failure::Malformed(format!("`data` has no list `{}`", column.name));
        for (row, value) in values.ok_or_else(missing)?.iter().enumerate() {
            let pushed = match &mut column.values {
                Values::Integers(integers) => value.as_u64().map(|value| integers.push(value)),
                Values::Floats(floats) => float(value).map(|value| floats.push(value)),
            };
            if pushed.is_none() {
                let dtype = column.values.dtype();
                return Err(Failure::Malformed(format!(
                    "column `{}`, row {row} (from 0): {value} is no {dtype}",
                    column.name
                )));
            }
        }
    }
    Ok(Table { columns, meta })
}

fn float(value: &Json) -> Option<f64> {
    match value {
        Json::Null => Some(f64::NAN),
        Json::String(text) if text == "inf" => Some(f64::INFINITY),
        Json::String(text) if text == "-inf" => Some(f64::NEG_INFINITY),
        other => other.as_f64(),
    }
}
