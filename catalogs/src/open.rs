//! Which format a file has, by its first bytes.
//!
//! Entry: [`open`]. The file's name never decides between formats, only between delimiters of text.

use std::fs::File;
use std::io::{BufReader, Read};
use std::path::Path;

use flate2::bufread::MultiGzDecoder;

use crate::error::{CatalogError, Result};
use crate::format::Format;
use crate::reader::{Backend, CatalogReader};
use crate::stop::{Stop, Watched};
use crate::text::TextReader;

/// Bytes looked at to tell text from binary files.
const SEEN: usize = 4096;
const HDF5_MAGIC: &[u8] = b"\x89HDF\r\n\x1a\n";

/// Opens a catalogue of any supported format, recognised by its content; FITS and text may be gzipped.
///
/// # Errors
/// [`CatalogError::NotFound`], [`CatalogError::UnknownFormat`], [`CatalogError::NotBuiltIn`], or what the format's
/// header has wrong.
pub fn open(path: &Path) -> Result<Box<dyn CatalogReader>> {
    open_until(path, Stop::never())
}

/// As [`open`]; opening and the reader's work end early with [`CatalogError::Interrupted`] when `stop` asks for it.
///
/// # Errors
/// Those of [`open`] and [`CatalogError::Interrupted`].
pub fn open_until(path: &Path, stop: Stop) -> Result<Box<dyn CatalogReader>> {
    Ok(open_backend(path, stop)?)
}

/// What [`open_until`] reads by.
pub(crate) fn open_backend(path: &Path, stop: Stop) -> Result<Box<dyn Backend>> {
    let (format, gzipped) = recognise(path, &stop)?;
    match format {
        Format::Text | Format::Ecsv => Ok(Box::new(TextReader::open(path, format, gzipped, stop)?)),
        #[cfg(feature = "fits")]
        Format::Fits => Ok(Box::new(crate::fits::FitsReader::open(
            path, gzipped, stop,
        )?)),
        #[cfg(feature = "parquet")]
        Format::Parquet => Ok(Box::new(crate::parquet::ParquetReader::open(path, stop)?)),
        #[cfg(feature = "hdf5")]
        Format::Hdf5 => Ok(Box::new(crate::hdf5::Hdf5Reader::open(path, stop)?)),
        #[cfg(feature = "hdf5")]
        Format::Asdf => Ok(Box::new(crate::asdf::AsdfReader::open(path, stop)?)),
        #[allow(unreachable_patterns, reason = "reached in builds without some format")]
        other => Err(CatalogError::NotBuiltIn {
            path: path.to_owned(),
            format: other,
            feature: other.feature(),
        }),
    }
}

/// Refuses pipes and devices before they are opened: their bytes come once, and files are read for their format, their content and their
/// checksum, so that a second look would wait for ever.
pub(crate) fn refuse_pipe(path: &Path) -> Result<()> {
    let kind = std::fs::metadata(path).map(|found| found.file_type());
    match kind {
        Ok(kind) if !kind.is_file() && !kind.is_dir() => Err(CatalogError::unsupported(
            path,
            "a pipe or device, whose bytes come only once,",
            "files are read more than once: save what it gives in a file, and name that",
        )),
        _ => Ok(()),
    }
}

/// The format and whether the file is gzipped.
pub(crate) fn recognise(path: &Path, stop: &Stop) -> Result<(Format, bool)> {
    refuse_pipe(path)?;
    let io = |error| CatalogError::io(path, error);
    let open = || {
        File::open(path)
            .map(|file| Watched::new(file, stop))
            .map_err(io)
    };
    let head = head(open()?).map_err(io)?;
    let unknown = |head: &[u8]| CatalogError::UnknownFormat {
        path: path.to_owned(),
        first_bytes: shown(head),
    };
    let gzipped = head.starts_with(b"\x1f\x8b");
    let head = if gzipped {
        self::head(MultiGzDecoder::new(BufReader::new(open()?))).map_err(io)?
    } else {
        head
    };
    crate::refused::by_name(path, &head)?;
    let format = if head.is_empty() {
        return Err(CatalogError::NoTable {
            path: path.to_owned(),
            detail: "it is empty".to_owned(),
        });
    } else if head.starts_with(b"SIMPLE  =") {
        Format::Fits
    } else if head.starts_with(b"PAR1") && !gzipped {
        Format::Parquet
    } else if (head.starts_with(HDF5_MAGIC) || hdf5_behind_user_block(path)?) && !gzipped {
        Format::Hdf5
    } else if head.starts_with(b"#ASDF ") && !gzipped {
        Format::Asdf
    } else if head.starts_with(b"# %ECSV ") {
        Format::Ecsv
    } else if is_text(&head) {
        Format::Text
    } else {
        return Err(unknown(&head));
    };
    Ok((format, gzipped))
}

fn head(source: impl Read) -> std::io::Result<Vec<u8>> {
    let mut head = Vec::with_capacity(SEEN);
    source.take(SEEN as u64).read_to_end(&mut head)?;
    Ok(head)
}

/// HDF5 allows a foreign block of 512, 1024, 2048, ... bytes in front.
fn hdf5_behind_user_block(path: &Path) -> Result<bool> {
    use std::io::{Seek, SeekFrom};
    let mut file = File::open(path).map_err(|error| CatalogError::io(path, error))?;
    let mut magic = [0; 8];
    for shift in 9..20 {
        let read = file
            .seek(SeekFrom::Start(1 << shift))
            .and_then(|_| file.read_exact(&mut magic));
        if read.is_err() {
            return Ok(false);
        }
        if magic == HDF5_MAGIC {
            return Ok(true);
        }
    }
    Ok(false)
}

/// UTF-8 without control characters other than white space; a character cut at the end is fine.
pub(crate) fn is_text(head: &[u8]) -> bool {
    let valid = match std::str::from_utf8(head) {
        Ok(_) => true,
        Err(error) => error.error_len().is_none(),
    };
    valid
        && head
            .iter()
            .all(|&byte| byte >= 0x20 || b"\t\n\r\x0c".contains(&byte))
}

pub(crate) fn shown(head: &[u8]) -> String {
    let shown: Vec<u8> = head
        .iter()
        .take(16)
        .flat_map(|&byte| std::ascii::escape_default(byte))
        .collect();
    format!("`{}`", String::from_utf8_lossy(&shown))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_is_told_from_bytes() {
        assert!(is_text(b"x,y\r\n1,2\n"));
        assert!(is_text("# Å".as_bytes()));
        assert!(is_text(&"# Å".as_bytes()[..3]));
        assert!(!is_text(b"\x00\x01"));
        assert!(!is_text(b"\xff\xfeab"));
        assert_eq!(shown(b"\x93NUMPY\x01"), "`\\x93NUMPY\\x01`");
    }
}
