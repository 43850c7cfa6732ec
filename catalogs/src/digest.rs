//! The SHA-256 of a file, for results that say what they were made from.
//!
//! Entries: [`sha256`], and [`Hashing`] beside other work. Reads the bytes as they are, compressed or not.

use std::fmt::Write as _;
use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::{Builder, JoinHandle};

use sha2::{Digest, Sha256};

use crate::error::{CatalogError, Result};
use crate::stop::{Stop, Watched};

/// The SHA-256 of a file's bytes as 64 lower-case hexadecimal digits; reads in blocks.
///
/// # Errors
/// [`CatalogError::NotFound`] or [`CatalogError::Io`].
pub fn sha256(path: &Path) -> Result<String> {
    sha256_until(path, &Stop::never())
}

/// As [`sha256`], ended early when `stop` asks for it.
///
/// # Errors
/// Those of [`sha256`] and [`CatalogError::Interrupted`].
pub fn sha256_until(path: &Path, stop: &Stop) -> Result<String> {
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

/// The SHA-256 of a file in the making, on a thread of its own while the file is decoded; dropped, it ends.
///
/// ```
/// use albireo_catalogs::{Hashing, Stop, sha256};
///
/// # let folder = tempfile::tempdir()?;
/// # let path = folder.path().join("galaxies.csv");
/// # std::fs::write(&path, "ra,dec\n10.5,-3.25\n")?;
/// let hashing = Hashing::begin(&path, &Stop::never());
/// assert_eq!(hashing.finish()?, sha256(&path)?);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct Hashing {
    paths: Vec<PathBuf>,
    stop: Stop,
    /// None where the system gives no thread.
    thread: Option<JoinHandle<Result<Vec<String>>>>,
    dropped: Arc<AtomicBool>,
}

impl Hashing {
    /// Begins with the first byte of a file; ended early when `stop` asks for it.
    pub fn begin(path: &Path, stop: &Stop) -> Self {
        Self::begin_all(vec![path.to_owned()], stop)
    }

    /// The same of several files, one after the other.
    pub fn begin_all(paths: Vec<PathBuf>, stop: &Stop) -> Self {
        let dropped = Arc::new(AtomicBool::new(false));
        let until = {
            let (stop, dropped) = (stop.clone(), Arc::clone(&dropped));
            Stop::when(move || dropped.load(Ordering::Relaxed) || stop.requested())
        };
        let files = paths.clone();
        let thread = Builder::new().name("hashing".to_owned());
        Self {
            paths,
            stop: stop.clone(),
            thread: thread.spawn(move || each(&files, &until)).ok(),
            dropped,
        }
    }

    /// Waits for the last byte.
    ///
    /// # Errors
    /// As [`sha256_until`].
    pub fn finish(self) -> Result<String> {
        Ok(self.finish_all()?.pop().unwrap_or_default())
    }

    /// Waits for the last byte of all files.
    ///
    /// # Errors
    /// As [`sha256_until`].
    pub fn finish_all(mut self) -> Result<Vec<String>> {
        let ended = self.thread.take().map(JoinHandle::join);
        // A thread that there was none of, or that panicked, has left all to do.
        match ended {
            Some(Ok(digests)) => digests,
            _ => each(&self.paths, &self.stop),
        }
    }
}

fn each(paths: &[PathBuf], stop: &Stop) -> Result<Vec<String>> {
    paths.iter().map(|path| sha256_until(path, stop)).collect()
}

impl Drop for Hashing {
    fn drop(&mut self) {
        self.dropped.store(true, Ordering::Relaxed);
    }
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
            let hashing = Hashing::begin(&path, &Stop::never());
            assert_eq!(hashing.finish().unwrap(), digest);
            let several = Hashing::begin_all(vec![path.clone(), path.clone()], &Stop::never());
            assert_eq!(several.finish_all().unwrap(), [digest, digest]);
        }
        assert!(matches!(
            sha256(&folder.path().join("none")),
            Err(CatalogError::NotFound { .. })
        ));
        let hashing = Hashing::begin(&folder.path().join("none"), &Stop::never());
        assert!(matches!(
            hashing.finish(),
            Err(CatalogError::NotFound { .. })
        ));
    }

    #[test]
    fn hashing_ends_when_asked_or_dropped() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("zeros");
        File::create(&path).unwrap().set_len(1 << 20).unwrap();
        let hashing = Hashing::begin(&path, &Stop::when(|| true));
        assert!(matches!(
            hashing.finish(),
            Err(CatalogError::Interrupted { .. })
        ));
        let held = Arc::new(std::sync::Mutex::new(()));
        let until_dropped = held.lock().unwrap();
        let waits = Arc::clone(&held);
        let stop = Stop::when(move || waits.lock().is_err());
        let mut hashing = Hashing::begin(&path, &stop);
        let thread = hashing.thread.take().unwrap();
        drop(hashing);
        drop(until_dropped);
        assert!(matches!(
            thread.join().unwrap(),
            Err(CatalogError::Interrupted { .. })
        ));
    }
}
