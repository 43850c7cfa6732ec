//! CSV: a line of names, then rows; everything else stands in a record beside the file, `xi.csv.json` for `xi.csv`.
//!
//! Entry: [`write`], [`read`], [`record_path`]. The file is what any reader of CSV expects; the record holds metadata, units and
//! dtypes, and the SHA-256 of the rows it belongs to. Files of earlier versions, with their metadata in `# key: JSON` lines, are read too.

use std::io::Write;
use std::path::{Path, PathBuf};

use serde_json::{Value as Json, json};

use super::{Failure, Row, Table, columns_from_json, columns_json, read_rows, write_rows};

pub(super) const FORMAT: Row = Row {
    name: "csv",
    endings: &["csv"],
    about: "A line of names, then rows; without the record",
    printed: true,
    recorded: true,
    write: |table, mut writer| write(table, &mut writer),
    read,
};

/// The comment of earlier versions that describes the columns; behind all metadata.
const COLUMNS: &str = "columns";
/// How every record begins.
const FIRST_KEY: &str = "{\"record_of\":";

/// Where the record of the CSV file `path` lies.
pub(super) fn record_path(path: &Path) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(".json");
    name.into()
}

/// Whether `path` may be written: it is no file, or a record.
pub(super) fn is_free_for_record(path: &Path) -> std::io::Result<bool> {
    use std::io::Read;
    let mut start = Vec::new();
    match std::fs::File::open(path) {
        Ok(file) => file.take(FIRST_KEY.len() as u64).read_to_end(&mut start)?,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(true),
        Err(error) => return Err(error),
    };
    Ok(start == FIRST_KEY.as_bytes())
}

pub(super) fn write<W: Write>(table: &Table, writer: &mut W) -> Result<(), Failure> {
    Ok(write_rows(table, writer)?)
}

/// Writes the record of a CSV file called `name` whose bytes have this SHA-256.
pub(super) fn write_record<W: Write>(
    table: &Table,
    name: &str,
    sha256: &str,
    writer: &mut W,
) -> Result<(), Failure> {
    writeln!(writer, "{FIRST_KEY}{},", json!(name))?;
    writeln!(writer, "\"sha256\":{},", json!(sha256))?;
    writeln!(writer, "\"meta\":{},", Json::Object(table.meta.clone()))?;
    Ok(writeln!(writer, "\"columns\":{}}}", columns_json(table))?)
}

/// Reads the CSV file `path`, with its record or with the metadata in its comments.
pub(super) fn read(path: &Path) -> Result<Table, Failure> {
    let text = std::fs::read_to_string(path)?;
    if text.starts_with('#') {
        return read_commented(&text);
    }
    let place = record_path(path);
    let shown = place.display();
    let record = std::fs::read_to_string(&place).map_err(|error| {
        Failure::Malformed(format!(
            "its record {shown} should lie beside it ({}); a file without one is no result of albireo",
            crate::system::in_words(&error)
        ))
    })?;
    let malformed = |detail: String| Failure::Malformed(format!("its record {shown}: {detail}"));
    let mut record: Json =
        serde_json::from_str(&record).map_err(|error| malformed(error.to_string()))?;
    let expected = record.get("sha256").and_then(Json::as_str);
    let expected = expected.ok_or_else(|| malformed("no `sha256`".to_owned()))?;
    if crate::digest::sha256_of_bytes(text.as_bytes()) != expected {
        return Err(Failure::Malformed(format!(
            "its record {shown} belongs to other contents (SHA-256 {expected}): one of the two was changed or exchanged"
        )));
    }
    let Some(Json::Object(meta)) = record.get_mut("meta").map(Json::take) else {
        return Err(malformed("`meta` should be an object".to_owned()));
    };
    let mut columns = columns_from_json(record.get(COLUMNS).unwrap_or(&Json::Null))?;
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
