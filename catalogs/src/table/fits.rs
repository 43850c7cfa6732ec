//! FITS: one binary table and the matrices behind it, written by cfitsio; its description, metadata included, as JSON in the card `ALBIREO`.
//!
//! Entry: [`write`], [`read`]. Units stand in TUNIT too, descriptions in TCOMM. Reading is this crate's own decoder.

use std::fmt::Write as _;
use std::io::Write;
use std::path::Path;

use serde_json::{Value as Json, json};

use super::tree::Tree;
use super::{Failure, Recorded, Row, Table, columns_from_json, columns_json};
use crate::fits::cfitsio::{FitsColumn, FitsImage, write_table};
use crate::fits::result;
use crate::numbers::Values;

pub(super) const FORMAT: Row = Row {
    name: "fits",
    endings: &["fits"],
    about: "A binary table, with the record",
    printed: false,
    recorded: Recorded::Inside,
    write,
    read,
};

/// Longest name that a card holds.
const LONGEST_NAME: usize = 60;
/// Most columns a FITS table can have.
const MOST_COLUMNS: usize = 999;

fn write(
    table: &Table,
    tree: Option<&Tree>,
    writer: &mut (dyn Write + Send),
) -> Result<(), Failure> {
    let refuse = |detail: String| Err(Failure::Malformed(detail));
    if table.columns.len() > MOST_COLUMNS {
        return refuse(format!("FITS holds at most {MOST_COLUMNS} columns"));
    }
    if let Some(column) = table
        .columns
        .iter()
        .find(|column| !column.name.is_ascii() || column.name.len() > LONGEST_NAME)
    {
        return refuse(format!(
            "column `{}`: FITS needs a name of at most {LONGEST_NAME} ASCII characters",
            column.name
        ));
    }
    let description = json!({ "meta": table.meta, "columns": columns_json(table) });
    let columns: Vec<FitsColumn<'_>> = table
        .columns
        .iter()
        .map(|column| FitsColumn {
            name: &column.name,
            unit: column
                .unit
                .as_deref()
                .filter(|unit| fits_card(unit))
                .unwrap_or_default(),
            description: if fits_card(&column.description) {
                &column.description
            } else {
                ""
            },
            values: &column.values,
        })
        .collect();
    let text = ascii(&description.to_string());
    let record = (result::KEYWORD, &text[..]);
    let bytes = write_table(result::EXTNAME, &columns, record, &images(tree))
        .map_err(Failure::Malformed)?;
    Ok(writer.write_all(&bytes)?)
}

/// The matrices of a group, which become images with their names.
fn images(tree: Option<&Tree>) -> Vec<FitsImage<'_>> {
    let Some(Tree::Group(members)) = tree else {
        return Vec::new();
    };
    let images = members.iter().filter_map(|(name, member)| match member {
        Tree::Floats(shape, values) => Some(FitsImage {
            name,
            shape,
            values,
        }),
        _ => None,
    });
    images.collect()
}

/// Whether a text goes into one card as it is; all texts stand in the JSON.
fn fits_card(text: &str) -> bool {
    text.len() <= LONGEST_NAME && text.chars().all(|c| (' '..='~').contains(&c))
}

/// JSON without characters that a card cannot hold or treats in its own way.
fn ascii(json: &str) -> String {
    let mut text = String::with_capacity(json.len());
    for c in json.chars() {
        if (' '..='~').contains(&c) && c != '\'' && c != '&' {
            text.push(c);
            continue;
        }
        for unit in c.encode_utf16(&mut [0; 2]) {
            // Writing to a String cannot fail.
            let _ = write!(text, "\\u{unit:04x}");
        }
    }
    text
}

pub(super) fn read(path: &Path) -> Result<Table, Failure> {
    let keyword = result::KEYWORD;
    let missing = || {
        Failure::Malformed(format!(
            "no table with a card `{keyword}`, as the results have that albireo writes with -o"
        ))
    };
    let stored = result::read(path)?.ok_or_else(missing)?;
    let mut json: Json = serde_json::from_str(&stored.description)
        .map_err(|error| Failure::Malformed(format!("card `{keyword}`: {error}")))?;
    let mut columns = columns_from_json(&json["columns"])?;
    let Json::Object(meta) = json["meta"].take() else {
        return Err(Failure::Malformed(format!("card `{keyword}`: no `meta`")));
    };
    let mut values = stored.columns.into_iter();
    for column in &mut columns {
        let same = |(name, found): &(String, Values)| {
            *name == column.name && found.dtype() == column.values.dtype()
        };
        let Some((_, found)) = values.next().filter(same) else {
            let (name, dtype) = (&column.name, column.values.dtype());
            return Err(Failure::Malformed(format!(
                "column `{name}` is missing or no {dtype}"
            )));
        };
        column.values = found;
    }
    Ok(Table { columns, meta })
}

#[cfg(test)]
mod tests {
    use super::ascii;

    #[test]
    fn cards_hold_ascii() {
        assert_eq!(
            ascii("{\"é'&\u{1f600}\"}"),
            "{\"\\u00e9\\u0027\\u0026\\ud83d\\ude00\"}"
        );
    }
}
