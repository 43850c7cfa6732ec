//! Which files has albireo written?
//!
//! Entry: [`is_result`]. Every format that albireo writes says so in its bytes, or in the record beside it: `"program":"albireo 1.2"` in records,
//! `albireo 1.2` as the program of figures, a magic number in parts and checkpoints. Nothing is decoded.

use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};
use std::path::Path;

use crate::{Table, grid_record, sha256};

/// How parts of counts and checkpoints begin, those of earlier versions too.
const MAGIC: [&[u8]; 4] = [b"albkept", b"albpart", b"albmdck", b"albckpt"];
/// The card of the record in a FITS table.
const CARD: &[u8] = b"ALBIREO = ";
/// The name of the program with the blank before its version.
const NAME: &[u8] = b"albireo ";
/// The name of the program in the attributes of H5MD, whose version is an attribute of its own.
const CREATOR: [&[u8]; 2] = [b"creator", b"albireo"];
/// Bytes at the beginning and at the end of a file that are searched: records stand there.
const SEARCHED: u64 = 8 << 20;

/// Whether `path` is a file that albireo wrote: a result table with its record, a figure, a grid, frames, a part of counts or a checkpoint.
///
/// A CSV table is one if the record beside it belongs to its bytes.
///
/// # Errors
/// What the system says.
///
/// ```
/// use albireo_catalogs::is_result;
/// # let folder = tempfile::tempdir()?;
/// let path = folder.path().join("mock.csv");
/// std::fs::write(&path, "x,y,z\n1,2,3\n")?;
/// assert!(!is_result(&path)?);
/// # Ok::<(), std::io::Error>(())
/// ```
pub fn is_result(path: &Path) -> io::Result<bool> {
    let bytes = ends(path)?;
    if is_marked(&bytes) {
        return Ok(true);
    }
    if let Some(record) = Table::record_of(path)
        && is_record_of(&record, path)?
    {
        return Ok(true);
    }
    match grid_record(path) {
        Some(record) if record.is_file() => Ok(is_marked(&ends(&record)?)),
        _ => Ok(false),
    }
}

/// Whether `record` is there and holds the SHA-256 of `path`.
fn is_record_of(record: &Path, path: &Path) -> io::Result<bool> {
    if !record.is_file() {
        return Ok(false);
    }
    let found: Option<serde_json::Value> = serde_json::from_slice(&std::fs::read(record)?).ok();
    let found = found.and_then(|record| record.get("sha256")?.as_str().map(str::to_owned));
    let digest = sha256(path).map_err(|error| io::Error::other(error.to_string()))?;
    Ok(found == Some(digest))
}

/// The beginning and the end of a file: all of it where it is short.
fn ends(path: &Path) -> io::Result<Vec<u8>> {
    let mut file = File::open(path)?;
    let length = file.metadata()?.len();
    let mut bytes = Vec::new();
    file.by_ref().take(SEARCHED).read_to_end(&mut bytes)?;
    if length > SEARCHED {
        file.seek(SeekFrom::Start((length - SEARCHED).max(SEARCHED)))?;
        file.take(SEARCHED).read_to_end(&mut bytes)?;
    }
    Ok(bytes)
}

/// Whether bytes say that albireo wrote them.
fn is_marked(bytes: &[u8]) -> bool {
    let names = || bytes.windows(NAME.len());
    let holds = |word: &[u8]| bytes.windows(word.len()).any(|found| found == word);
    let is_program = |(at, _): (usize, &[u8])| {
        // Behind a quotation mark, a bracket or the end of a word of other bytes: not in a sentence.
        let before = at.checked_sub(1).map(|before| bytes[before]);
        let is_apart =
            before.is_some_and(|byte| b"\"'(>\0=".contains(&byte) || byte.is_ascii_control());
        let version = bytes.get(at + NAME.len());
        is_apart && version.is_some_and(u8::is_ascii_digit)
    };
    MAGIC.iter().any(|magic| bytes.starts_with(magic))
        || names()
            .enumerate()
            .filter(|(_, found)| *found == NAME)
            .any(is_program)
        || (bytes.starts_with(b"SIMPLE") && holds(CARD))
        || (bytes.starts_with(b"\x89HDF") && CREATOR.iter().all(|word| holds(word)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn programs_are_found_and_sentences_are_none() {
        for ours in [
            &b"{\"meta\":{\"program\":\"albireo 0.1.0\"}}"[..],
            b"<metadata>albireo 0.1.0</metadata>",
            b"<< /Producer (albireo 0.1.0) >>",
            b"tEXtSoftware\0albireo 0.1.0",
            b"albpart1..",
        ] {
            assert!(is_marked(ours), "{}", String::from_utf8_lossy(ours));
        }
        for other in [
            &b"# counted by albireo 0.1.0\n1 2 3\n"[..],
            b"albireo 0.1.0",
            b"\"albireo is a star\"",
            b"x,y,z\n",
            b"",
        ] {
            assert!(!is_marked(other), "{}", String::from_utf8_lossy(other));
        }
    }
}
