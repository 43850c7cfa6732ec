//! Arrays of numbers in `.npz` files: zip archives of `.npy`, stored or deflated, as `numpy.savez` writes them.
//!
//! Entry: [`read_npz`].

use std::io::Read;
use std::path::Path;

use thiserror::Error;

/// The longest archive and the longest array in it that are read: such files hold edges and tables, not samples.
const MOST: usize = 1 << 26;
/// What the records of a zip archive begin with.
const DIRECTORY: &[u8] = b"PK\x01\x02";
const END: &[u8] = b"PK\x05\x06";
const FILE: &[u8] = b"PK\x03\x04";

/// Why there is no such array.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum NpzError {
    /// The file could not be read.
    #[error("it is not at hand")]
    Io(#[from] std::io::Error),
    /// It is no such archive, or not a whole one.
    #[error("expected a .npz file, a zip archive of .npy arrays: {0}")]
    Damaged(&'static str),
    /// It has no array of this name.
    #[error("there is no array `{name}`: the archive has {}", names.join(", "))]
    Missing {
        /// What was asked for.
        name: String,
        /// What there is.
        names: Vec<String>,
    },
    /// The array is of another kind than numbers in a row.
    #[error("array `{name}`: expected float64 numbers in one dimension, found {found}")]
    Kind {
        /// Its name.
        name: String,
        /// What its head says.
        found: String,
    },
}

fn damaged<T>(what: &'static str) -> Result<T, NpzError> {
    Err(NpzError::Damaged(what))
}

/// A number of `N` bytes, little-endian.
fn number<const N: usize>(bytes: &[u8], at: usize) -> Result<usize, NpzError> {
    let found = bytes.get(at..at.saturating_add(N));
    let found = found.ok_or(NpzError::Damaged("it ends within a record"))?;
    Ok(found
        .iter()
        .rev()
        .fold(0, |all, &byte| all << 8 | usize::from(byte)))
}

/// A file in the archive.
struct Entry {
    name: String,
    method: usize,
    packed: usize,
    size: usize,
    at: usize,
}

/// The files that the directory at the end lists.
fn entries(bytes: &[u8]) -> Result<Vec<Entry>, NpzError> {
    let end = bytes.windows(END.len()).rposition(|word| word == END);
    let end = end.ok_or(NpzError::Damaged("it has no directory"))?;
    let mut at = number::<4>(bytes, end + 16)?;
    // The length of a comment ends the directory.
    number::<2>(bytes, end + 20)?;
    let mut all = Vec::new();
    for _ in 0..number::<2>(bytes, end + 10)? {
        if bytes
            .get(at..)
            .is_none_or(|rest| !rest.starts_with(DIRECTORY))
        {
            return damaged("its directory is not where it says");
        }
        let length = number::<2>(bytes, at + 28)?;
        let name = bytes.get(at + 46..at + 46 + length);
        let name = name.ok_or(NpzError::Damaged("it ends within a record"))?;
        all.push(Entry {
            name: String::from_utf8_lossy(name)
                .trim_end_matches(".npy")
                .to_owned(),
            method: number::<2>(bytes, at + 10)?,
            packed: number::<4>(bytes, at + 20)?,
            size: number::<4>(bytes, at + 24)?,
            at: number::<4>(bytes, at + 42)?,
        });
        at += 46 + length + number::<2>(bytes, at + 30)? + number::<2>(bytes, at + 32)?;
    }
    Ok(all)
}

/// What a file of the archive holds.
fn unpacked(bytes: &[u8], entry: &Entry) -> Result<Vec<u8>, NpzError> {
    let at = entry.at;
    if bytes.get(at..).is_none_or(|rest| !rest.starts_with(FILE)) {
        return damaged("an array is not where its directory says");
    }
    if entry.size > MOST {
        return damaged("an array has more than 64 MiB");
    }
    let begin = at + 30 + number::<2>(bytes, at + 26)? + number::<2>(bytes, at + 28)?;
    let packed = bytes.get(begin..begin.saturating_add(entry.packed));
    let packed = packed.ok_or(NpzError::Damaged("it ends within an array"))?;
    let mut found = Vec::new();
    match entry.method {
        0 => found.extend_from_slice(packed),
        8 => {
            let most = entry.size as u64 + 1;
            let mut stream = flate2::read::DeflateDecoder::new(packed).take(most);
            let read = stream.read_to_end(&mut found);
            read.or_else(|_| damaged("an array cannot be unpacked"))?;
        }
        _ => return damaged("an array is packed otherwise than deflated"),
    }
    if found.len() == entry.size {
        Ok(found)
    } else {
        damaged("an array is not as long as its directory says")
    }
}

/// The numbers of a `.npy` file.
fn values(name: &str, bytes: &[u8]) -> Result<Vec<f64>, NpzError> {
    if !bytes.starts_with(b"\x93NUMPY") {
        return damaged("a file in it is no .npy array");
    }
    let (begin, length) = match bytes.get(6) {
        Some(1) => (10_usize, number::<2>(bytes, 8)?),
        _ => (12, number::<4>(bytes, 8)?),
    };
    let head = bytes.get(begin..begin.saturating_add(length));
    let head = head.ok_or(NpzError::Damaged("it ends within an array"))?;
    let head = String::from_utf8_lossy(head).into_owned();
    let body = &bytes[begin + length..];
    let shape = head
        .split_once("'shape': (")
        .and_then(|(_, rest)| rest.split_once(')'));
    let shape = shape.map(|(shape, _)| shape.trim_end_matches(','));
    let rows = shape.and_then(|shape| shape.trim().parse::<usize>().ok());
    match rows {
        Some(rows)
            if head.contains("'descr': '<f8'") && Some(body.len()) == rows.checked_mul(8) =>
        {
            let one = |bytes: &[u8]| bytes.try_into().map_or(f64::NAN, f64::from_le_bytes);
            Ok(body.chunks_exact(8).map(one).collect())
        }
        _ => Err(NpzError::Kind {
            name: name.to_owned(),
            found: head.trim().to_owned(),
        }),
    }
}

/// The float64 numbers of an array in one dimension, by its name in an `.npz` file.
///
/// ```no_run
/// let edges = albireo_catalogs::read_npz("edges.npz".as_ref(), "s")?;
/// # Ok::<(), albireo_catalogs::NpzError>(())
/// ```
///
/// # Errors
/// [`NpzError`]: a file that cannot be read or is none, no array of this name, or one of another kind.
pub fn read_npz(path: &Path, name: &str) -> Result<Vec<f64>, NpzError> {
    if path.metadata()?.len() > MOST as u64 {
        return damaged("it has more than 64 MiB");
    }
    let bytes = std::fs::read(path)?;
    let entries = entries(&bytes)?;
    match entries.iter().find(|entry| entry.name == name) {
        Some(entry) => values(name, &unpacked(&bytes, entry)?),
        None => Err(NpzError::Missing {
            name: name.to_owned(),
            names: entries.into_iter().map(|entry| entry.name).collect(),
        }),
    }
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use super::*;

    /// A `.npy` of these numbers, whose head says what they are.
    fn npy(descr: &str, values: &[f64]) -> Vec<u8> {
        let shape = format!("({},)", values.len());
        let head = format!("{{'descr': '{descr}', 'fortran_order': False, 'shape': {shape}, }}\n");
        let mut bytes = b"\x93NUMPY\x01\x00".to_vec();
        bytes.extend(u16::try_from(head.len()).unwrap().to_le_bytes());
        bytes.extend(head.as_bytes());
        bytes.extend(values.iter().flat_map(|value| value.to_le_bytes()));
        bytes
    }

    /// An archive of files by their names, as the specification of zip lays them out.
    fn zip(files: &[(&str, Vec<u8>)], deflated: bool) -> Vec<u8> {
        let (mut bytes, mut directory) = (Vec::new(), Vec::new());
        let two = |n: usize| u16::try_from(n).unwrap().to_le_bytes();
        let four = |n: usize| u32::try_from(n).unwrap().to_le_bytes();
        for (name, content) in files {
            let mut packed = content.clone();
            if deflated {
                let mut stream =
                    flate2::write::DeflateEncoder::new(Vec::new(), flate2::Compression::best());
                stream.write_all(content).unwrap();
                packed = stream.finish().unwrap();
            }
            let at = bytes.len();
            let mut of_both = vec![20, 0, 0, 0];
            of_both.extend(two(if deflated { 8 } else { 0 }));
            of_both.extend([0; 8]);
            of_both.extend([four(packed.len()), four(content.len())].concat());
            of_both.extend(two(name.len()));
            of_both.extend([0; 2]);
            bytes.extend([FILE, &of_both, name.as_bytes(), &packed].concat());
            let places = [&[0; 10][..], &four(at)].concat();
            directory.extend([DIRECTORY, &[20, 0], &of_both, &places, name.as_bytes()].concat());
        }
        let (at, number) = (bytes.len(), files.len());
        bytes.extend(&directory);
        bytes.extend(
            [
                END,
                &[0; 4],
                &two(number),
                &two(number),
                &four(directory.len()),
                &four(at),
                &[0; 2],
            ]
            .concat(),
        );
        bytes
    }

    #[test]
    fn arrays_are_read_or_refused_by_their_names() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("edges.npz");
        let files = [
            ("s.npy", npy("<f8", &[0.0, 1.5, 20.0])),
            ("mu.npy", npy("<f8", &[-1.0, 1.0])),
            ("n.npy", npy("<i8", &[1.0])),
        ];
        for deflated in [false, true] {
            std::fs::write(&path, zip(&files, deflated)).unwrap();
            assert_eq!(read_npz(&path, "s").unwrap(), [0.0, 1.5, 20.0]);
            assert_eq!(read_npz(&path, "mu").unwrap(), [-1.0, 1.0]);
            let missing = read_npz(&path, "rp").unwrap_err().to_string();
            assert_eq!(missing, "there is no array `rp`: the archive has s, mu, n");
            let kind = read_npz(&path, "n").unwrap_err().to_string();
            assert!(
                kind.contains("expected float64 numbers in one dimension, found {'descr': '<i8'"),
                "{kind}"
            );
        }
    }

    #[test]
    fn damage_is_an_error_and_no_panic() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("edges.npz");
        for deflated in [false, true] {
            let whole = zip(&[("s.npy", npy("<f8", &[0.0, 1.5]))], deflated);
            for place in 0..whole.len() {
                std::fs::write(&path, &whole[..place]).unwrap();
                assert!(read_npz(&path, "s").is_err(), "{place}");
                let mut bytes = whole.clone();
                bytes[place] ^= 0xff;
                std::fs::write(&path, bytes).unwrap();
                let _ = read_npz(&path, "s");
            }
        }
    }
}
