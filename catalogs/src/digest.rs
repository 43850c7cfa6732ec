//! The SHA-256 of a file, for results that say what they were made from.
//!
//! Entry: [`sha256`]. Reads the bytes as they are, compressed or not.

use std::fmt::Write as _;
use std::fs::File;
use std::io::Read;
use std::path::Path;

use sha2::{Digest, Sha256};

use crate::error::CatalogError;
use crate::stop::{Stop, Watched};

/// The SHA-256 of a file's bytes as 64 lower-case hexadecimal digits; reads in blocks.
///
/// # Errors
/// [`CatalogError::NotFound`] or [`CatalogError::Io`].
pub fn sha256(path: &Path) -> Result<String, CatalogError> {
    sha256_until(path, &Stop::never())
}

/// As [`sha256`], ended early when `stop` asks for it.
///
/// # Errors
/// Those of [`sha256`] and [`CatalogError::Interrupted`].
pub fn sha256_until(path: &Path, stop: &Stop) -> Result<String, CatalogError> {
    let io = |error| CatalogError::io(path, error);
    let mut file = Watched::new(File::open(path).map_err(io)?, stop);
    let mut hasher = Sha256::new();
    let mut buffer = vec![0; 1 << 18];
    loop {
        match file.read(&mut buffer).map_err(io)? {
            0 => break,
            count => hasher.update(&buffer[..count]),
        }
    }
    Ok(hexadecimal(&hasher.finalize()))
}

/// The SHA-256 of bytes in memory, as [`sha256`] gives that of a file.
pub fn sha256_of_bytes(bytes: &[u8]) -> String {
    hexadecimal(&Sha256::digest(bytes))
}

fn hexadecimal(digest: &[u8]) -> String {
    digest
        .iter()
        .fold(String::with_capacity(64), |mut hex, byte| {
            // Writing to a String cannot fail.
            let _ = write!(hex, "{byte:02x}");
            hex
        })
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a failed step fails the test")]
mod tests {
    use super::*;

    #[test]
    fn known_digests() {
        // FIPS 180-2, appendix B.1, and the empty message.
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("message");
        for (message, digest) in [
            (
                "abc",
                "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad",
            ),
            (
                "",
                "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
            ),
        ] {
            std::fs::write(&path, message).unwrap();
            assert_eq!(sha256(&path).unwrap(), digest);
        }
        assert!(matches!(
            sha256(&folder.path().join("none")),
            Err(CatalogError::NotFound { .. })
        ));
    }
}
