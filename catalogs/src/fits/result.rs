//! Result tables of our own in FITS: uint64 and float64 columns, and all else as JSON in one header card.
//!
//! Entry: [`read`] for such a table, [`spread`] to show its metadata as attributes.

use std::path::Path;

use serde_json::Value as Json;

use super::table::Layout;
use super::{FitsReader, Rows};
use crate::block::{Cells, Widening};
use crate::error::Result;
use crate::numbers::Values;
use crate::reader::Kind;
use crate::stop::Stop;
use crate::value::{Attributes, Value};

/// The keyword of the card that holds the table's description.
pub(crate) const KEYWORD: &str = "ALBIREO";
/// The name of the HDU that holds the table.
pub(crate) const EXTNAME: &str = "RESULT";

/// A result table as it is stored.
pub(crate) struct Stored {
    /// The JSON of its card.
    pub(crate) description: String,
    /// The values of its columns by name.
    pub(crate) columns: Vec<(String, Values)>,
}

/// The first result table of a file; `None` if it holds no such table.
pub(crate) fn read(path: &Path) -> Result<Option<Stored>> {
    let reader = FitsReader::open(path, false, Stop::never())?;
    let described = |table: &&super::FitsTable| table.header.text(KEYWORD).is_some();
    let Some(table) = reader.tables.iter().find(described) else {
        return Ok(None);
    };
    let description = table.header.text(KEYWORD).unwrap_or_default().to_owned();
    let Layout::Binary(columns) = &table.layout else {
        return Ok(None);
    };
    let empty = |column: &super::Column| {
        let field = column.field(false);
        let values = if column.unsigned(&[], 1).is_some() {
            Values::Integers(Vec::new())
        } else {
            Values::Floats(Vec::new())
        };
        (field.kind == Kind::Number && field.width == 1).then_some(values)
    };
    let mut values: Vec<Option<Values>> = columns.iter().map(empty).collect();
    let mut add = |rows: Rows<'_>, _: usize| -> Result<()> {
        let (bytes, row_bytes, first_row) = (rows.bytes, rows.row_bytes, rows.first_row);
        for (column, values) in columns.iter().zip(&mut values) {
            match values {
                Some(Values::Integers(values)) => {
                    values.extend(column.unsigned(bytes, row_bytes).unwrap_or_default());
                }
                Some(Values::Floats(values)) => {
                    let exact = Widening::Exact;
                    let cells = column
                        .decode(path, 0, exact, bytes, row_bytes, first_row)?
                        .0;
                    if let Cells::Numbers(more) = cells {
                        values.extend(more);
                    }
                }
                None => {}
            }
        }
        Ok(())
    };
    if table.row_bytes > 0 {
        reader.scan_rows(table, &mut add)?;
    }
    let named = columns.iter().zip(values);
    let filled = named.filter_map(|(column, values)| Some((column.name().to_owned(), values?)));
    Ok(Some(Stored {
        description,
        columns: filled.collect(),
    }))
}

/// Attributes with the metadata of a result table in place of the card that holds them.
pub(super) fn spread(mut attributes: Attributes) -> Attributes {
    let Some(Value::Text(text)) = attributes.get(KEYWORD) else {
        return attributes;
    };
    if let Ok(mut json) = serde_json::from_str::<Json>(text)
        && let Json::Object(meta) = json["meta"].take()
    {
        attributes.remove(KEYWORD);
        let values = meta
            .into_iter()
            .map(|(name, json)| (name, Value::from_json(json)));
        attributes.extend(values);
    }
    attributes
}
