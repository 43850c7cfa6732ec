//! The header of ECSV files: YAML in comments, then a line of names.
//!
//! Entry: [`layout`]. ECSV 1.0, <https://github.com/astropy/astropy-APEs/blob/main/APE6.rst>. Columns of arrays of
//! several axes or lengths and of objects are listed as text.

use std::path::Path;

use serde_json::Value as Json;

use super::layout::{Layout, TextColumn};
use super::lines::{Delimiter, Lines};
use super::{split_owned, yaml};
use crate::error::{CatalogError, Result};
use crate::names::listed;
use crate::value::{Attributes, Value};

/// Longest header kept, in bytes.
const LONGEST_HEADER: usize = 16 << 20;

/// Reads the header and checks it against the line of names.
pub(super) fn layout(path: &Path, lines: &mut Lines) -> Result<Layout> {
    let (header, names_line) = split_header(path, lines)?;
    let corrupt = |detail: String| CatalogError::corrupt(path, format!("ECSV header: {detail}"));
    let (mut entries, broken) = yaml::mapping(&header);
    let Some(datatype) = entries.remove("datatype") else {
        let reason = broken.map_or("no `datatype` section".to_owned(), |why| {
            format!("YAML: {why}")
        });
        return Err(corrupt(reason));
    };
    if let Some(detail) = broken {
        // No column depends on what is broken behind `datatype`; a wrong delimiter shows in the line of names.
        tracing::warn!(path = %path.display(), detail, "ECSV header broken, its rest is left out");
    }
    let columns: Option<Vec<TextColumn>> = datatype
        .as_array()
        .and_then(|list| list.iter().map(column).collect());
    let columns = columns.ok_or_else(|| {
        corrupt("`datatype` should list a name and a datatype per column".to_owned())
    })?;
    let delimiter = match entries.remove("delimiter") {
        None => Delimiter::Blanks,
        Some(Json::String(mark)) if mark == "," => Delimiter::Character(','),
        Some(Json::String(mark)) if mark == " " || mark.is_empty() => Delimiter::Blanks,
        Some(other) => {
            return Err(corrupt(format!(
                "the delimiter should be a blank or a comma, found {other}"
            )));
        }
    };
    let names = split_owned(delimiter, &names_line);
    if !names.iter().eq(columns.iter().map(|column| &column.name)) {
        let expected: Vec<String> = columns.iter().map(|column| column.name.clone()).collect();
        return Err(corrupt(format!(
            "`datatype` names the columns {}, the line of names {}",
            listed(&expected),
            listed(&names)
        )));
    }
    let attributes = entries.remove("meta").map(meta).unwrap_or_default();
    Ok(Layout {
        delimiter,
        columns,
        header_lines: 1,
        guessed_names: false,
        trailing: false,
        comments_anywhere: true,
        attributes,
    })
}

/// The YAML, comment marks taken off, and the line of names.
fn split_header(path: &Path, lines: &mut Lines) -> Result<(String, String)> {
    let mut header = String::new();
    while let Some((number, line)) = lines.next_line()? {
        let Some(comment) = line.strip_prefix('#') else {
            if line.trim().is_empty() {
                continue;
            }
            return Ok((header, line.to_owned()));
        };
        let comment = comment.strip_prefix(' ').unwrap_or(comment);
        if number > 1 && comment.trim_end() != "---" && !comment.starts_with('%') {
            header.push_str(comment);
            header.push('\n');
        }
        if header.len() > LONGEST_HEADER {
            return Err(CatalogError::corrupt(
                path,
                "ECSV header: longer than 16 MiB",
            ));
        }
    }
    Err(CatalogError::corrupt(
        path,
        "ECSV: the file ends within the header",
    ))
}

fn column(entry: &Json) -> Option<TextColumn> {
    let text = |key: &str| entry.get(key).and_then(Json::as_str);
    let dtype = text("datatype")?;
    let number = is_number_type(dtype);
    let name = match entry.get("name")? {
        Json::String(name) => name.clone(),
        Json::Number(number) => number.to_string(),
        Json::Bool(flag) => flag.to_string(),
        _ => return None,
    };
    let list = text("subtype").and_then(list_type);
    let dtype = list.map_or(text("subtype").unwrap_or(dtype), |(of, _)| of);
    Some(TextColumn {
        name,
        dtype: dtype.to_owned(),
        unit: text("unit").map(str::to_owned),
        numeric: list.is_some() || (number && entry.get("subtype").is_none()),
        list: list.map(|(_, width)| width),
    })
}

fn is_number_type(dtype: &str) -> bool {
    let stems = ["int", "uint", "float"];
    dtype == "bool" || stems.iter().any(|stem| dtype.starts_with(stem))
}

/// The type and the number of values of a column of lists that are equally long, such as `float64[3]`.
fn list_type(subtype: &str) -> Option<(&str, usize)> {
    let (of, width) = subtype.strip_suffix(']')?.split_once('[')?;
    let width = width.trim().parse().ok().filter(|&width| width > 0)?;
    is_number_type(of).then_some((of, width))
}

/// The metadata, if it is a mapping.
fn meta(json: Json) -> Attributes {
    match yaml::ordered_map(json) {
        Json::Object(entries) => entries
            .into_iter()
            .map(|(key, json)| (key, Value::from_json(json)))
            .collect(),
        _ => Attributes::new(),
    }
}
