//! The beginning of a file, by which its format is recognised, and its bytes.
//!
//! Entry: [`Head`], [`unpacked`].

use std::fs::File;
use std::io::{BufRead, BufReader};
use std::path::Path;

use flate2::bufread::MultiGzDecoder;

use crate::error::{CatalogError, Result};
use crate::stop::{Stop, Watched};

/// What is known of a file before it is opened.
pub(crate) struct Head<'a> {
    /// Its first bytes, unpacked if it is gzipped.
    pub(crate) bytes: &'a [u8],
    /// The end of its name in lower case, without `.gz`.
    pub(crate) extension: &'a str,
    /// Whether it is gzipped.
    pub(crate) gzipped: bool,
    pub(crate) path: &'a Path,
    /// Asked while it is read.
    pub(crate) stop: Stop,
}

impl Head<'_> {
    /// Whether it is text, not empty, whose name has one of these endings.
    pub(crate) fn is_named(&self, endings: &[&str]) -> bool {
        let text = !self.bytes.is_empty() && crate::open::is_text(self.bytes);
        text && endings.contains(&self.extension)
    }
}

/// The bytes of a file, unpacked if it is gzipped, ending when `stop` asks for it.
pub(crate) fn unpacked(path: &Path, gzipped: bool, stop: &Stop) -> Result<Box<dyn BufRead + Send>> {
    let file = File::open(path).map_err(|error| CatalogError::io(path, error))?;
    let file = BufReader::with_capacity(1 << 20, Watched::new(file, stop));
    Ok(if gzipped {
        Box::new(BufReader::with_capacity(1 << 20, MultiGzDecoder::new(file)))
    } else {
        Box::new(file)
    })
}

/// The end of a file's name in lower case, without `.gz`.
pub(super) fn extension_of(path: &Path) -> String {
    let ending = |path: &Path| {
        let ending = path.extension().and_then(|ending| ending.to_str());
        ending.unwrap_or_default().to_lowercase()
    };
    match ending(path).as_str() {
        "gz" => ending(Path::new(path.file_stem().unwrap_or_default())),
        other => other.to_owned(),
    }
}
