//! CSV: the metadata as `# key: JSON` lines, then a line of names, then rows.
//!
//! Entry: [`write`], [`read`]. Plain CSV readers skip the comments; units and dtypes stand in the comment `columns`.

use std::io::Write;

use super::{Failure, Table, columns_from_json, columns_json, read_rows, write_rows};

/// The comment that describes the columns; behind all metadata.
const COLUMNS: &str = "columns";

pub(super) fn write<W: Write>(table: &Table, writer: &mut W) -> Result<(), Failure> {
    for (key, value) in &table.meta {
        let key = serde_json::Value::from(key.as_str()).to_string();
        // A key that is a plain word stands without quotes.
        let plain = key[1..key.len() - 1]
            .chars()
            .all(|c| c.is_ascii_alphanumeric() || "_-.".contains(c));
        let key = if plain && key.len() > 2 {
            &key[1..key.len() - 1]
        } else {
            &key
        };
        writeln!(writer, "# {key}: {value}")?;
    }
    writeln!(writer, "# {COLUMNS}: {}", columns_json(table))?;
    Ok(write_rows(table, writer)?)
}

pub(super) fn read(text: &str) -> Result<Table, Failure> {
    let mut table = Table::default();
    let mut lines = text
        .lines()
        .enumerate()
        .map(|(k, line)| (k + 1, line))
        .peekable();
    let mut last = None;
    while let Some((number, line)) = lines.next_if(|(_, line)| line.starts_with('#')) {
        let malformed = || Failure::Malformed(format!("line {number}: expected `# key: JSON`"));
        let comment = line[1..].trim();
        let (key, value) = if comment.starts_with('"') {
            let mut parts = serde_json::Deserializer::from_str(comment).into_iter::<String>();
            let key = parts.next().and_then(Result::ok).ok_or_else(malformed)?;
            (
                key,
                comment[parts.byte_offset()..]
                    .strip_prefix(": ")
                    .ok_or_else(malformed)?,
            )
        } else {
            let (key, value) = comment.split_once(": ").ok_or_else(malformed)?;
            (key.to_owned(), value)
        };
        let value = serde_json::from_str(value).map_err(|_| malformed())?;
        if let Some((key, value)) = last.replace((key, value)) {
            table.meta.insert(key, value);
        }
    }
    let columns = last
        .filter(|(key, _)| key == COLUMNS)
        .map(|(_, columns)| columns_from_json(&columns));
    let missing = || Failure::Malformed(format!("the last comment should be `# {COLUMNS}: [...]`"));
    table.columns = columns.ok_or_else(missing)??;
    read_rows(lines, &mut table.columns)?;
    Ok(table)
}
