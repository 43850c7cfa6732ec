//! The record beside a file whose format has no place for it: `xi.csv.json` for `xi.csv`.
//!
//! Entry: [`write`], [`read`], [`read_whole`]. It holds metadata, units and dtypes, and the SHA-256 of the file that it belongs to; beside forms of other
//! packages, which are not read back, it holds the columns too.

use std::io::Write;
use std::path::{Path, PathBuf};

use serde_json::{Map, Value as Json, json};

use super::{Failure, Recorded, Table, TableColumn, columns_from_json, columns_json, json};

/// How every record begins.
const FIRST_KEY: &str = "{\"record_of\":";

/// Where the record of the file `path` lies.
pub(super) fn place_of(path: &Path) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(".json");
    name.into()
}

/// Whether `path` may be written: it is no file, or a record.
pub(super) fn is_free(path: &Path) -> std::io::Result<bool> {
    use std::io::Read;
    let mut start = Vec::new();
    match std::fs::File::open(path) {
        Ok(file) => file.take(FIRST_KEY.len() as u64).read_to_end(&mut start)?,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(true),
        Err(error) => return Err(error),
    };
    Ok(start == FIRST_KEY.as_bytes())
}

/// Writes the record of a file called `name` whose bytes have this SHA-256.
pub(super) fn write<W: Write>(
    table: &Table,
    (name, sha256): (&str, &str),
    recorded: Recorded,
    writer: &mut W,
) -> Result<(), Failure> {
    writeln!(writer, "{FIRST_KEY}{},", json!(name))?;
    writeln!(writer, "\"sha256\":{},", json!(sha256))?;
    if recorded == Recorded::Whole {
        return json::write_members(table, writer);
    }
    writeln!(writer, "\"meta\":{},", Json::Object(table.meta.clone()))?;
    Ok(writeln!(writer, "\"columns\":{}}}", columns_json(table))?)
}

/// A record that was read.
pub(super) struct Record {
    place: PathBuf,
    json: Json,
}

/// Reads the record of the file `path`, which has these bytes.
pub(super) fn read(path: &Path, bytes: &[u8]) -> Result<Record, Failure> {
    let place = place_of(path);
    let shown = place.display();
    let record = std::fs::read_to_string(&place).map_err(|error| {
        Failure::Malformed(format!(
            "its record {shown} should lie beside it ({}); a file without one is no result of albireo",
            crate::system::in_words(&error)
        ))
    })?;
    let malformed = |detail: String| Failure::Malformed(format!("its record {shown}: {detail}"));
    let json: Json = serde_json::from_str(&record).map_err(|error| malformed(error.to_string()))?;
    let expected = json.get("sha256").and_then(Json::as_str);
    let expected = expected.ok_or_else(|| malformed("no `sha256`".to_owned()))?;
    if crate::digest::sha256_of_bytes(bytes) != expected {
        return Err(Failure::Malformed(format!(
            "its record {shown} belongs to other contents (SHA-256 {expected}): one of the two was changed or exchanged"
        )));
    }
    Ok(Record { place, json })
}

impl Record {
    /// The metadata, and the columns without values.
    pub(super) fn described(mut self) -> Result<(Map<String, Json>, Vec<TableColumn>), Failure> {
        let Some(Json::Object(meta)) = self.json.get_mut("meta").map(Json::take) else {
            let shown = self.place.display();
            return Err(Failure::Malformed(format!(
                "its record {shown}: `meta` should be an object"
            )));
        };
        let columns = columns_from_json(self.json.get("columns").unwrap_or(&Json::Null))?;
        Ok((meta, columns))
    }
}

/// The result that the record of the file `path` holds.
pub(super) fn read_whole(path: &Path) -> Result<Table, Failure> {
    let record = read(path, &std::fs::read(path)?)?;
    json::table_of(record.json).map_err(|failure| match failure {
        Failure::Malformed(detail) => {
            Failure::Malformed(format!("its record {}: {detail}", record.place.display()))
        }
        other => other,
    })
}
