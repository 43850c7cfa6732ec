//! CSV: a line of names, then rows; everything else stands in a record beside the file, `xi.csv.json` for `xi.csv`.
//!
//! Entry: [`write`], [`read`]. The file is what any reader of CSV expects. Files of earlier versions, with their metadata in `# key: JSON` lines, are read too.

use std::io::Write;
use std::path::Path;

use super::{Failure, Recorded, Row, Table, beside, columns_from_json, read_rows, write_rows};

pub(super) const FORMAT: Row = Row {
    name: "csv",
    endings: &["csv"],
    about: "A line of names, then rows; without the record",
    printed: true,
    recorded: Recorded::Beside,
    write: |table, _, mut writer| write(table, &mut writer),
    read,
};

/// The comment of earlier versions that describes the columns; behind all metadata.
const COLUMNS: &str = "columns";

pub(super) fn write<W: Write>(table: &Table, writer: &mut W) -> Result<(), Failure> {
    Ok(write_rows(table, writer)?)
}

/// Reads the CSV file `path`, with its record or with the metadata in its comments.
pub(super) fn read(path: &Path) -> Result<Table, Failure> {
    let text = std::fs::read_to_string(path)?;
    if text.starts_with('#') {
        return read_commented(&text);
    }
    let (meta, mut columns) = beside::read(path, text.as_bytes())?.described()?;
    let lines = text.lines().enumerate().map(|(k, line)| (k + 1, line));
    read_rows(lines, &mut columns)?;
    Ok(Table { columns, meta })
}

/// A file with its metadata in `# key: JSON` lines.
fn read_commented(text: &str) -> Result<Table, Failure> {
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
