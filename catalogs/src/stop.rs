//! How a reader is asked to stop: by a question that it puts again and again.
//!
//! Entry: [`Stop`]; inside, [`Watched`] for bytes and [`Stop::check`] between blocks. Knows no signals.

use std::fmt;
use std::io::{self, Read, Seek, SeekFrom};
use std::path::Path;
use std::sync::Arc;

use crate::error::{CatalogError, Result, Stopped};

/// Whether reading should end; asked between blocks of rows and of bytes, decompressed ones too.
///
/// ```
/// use std::sync::atomic::{AtomicBool, Ordering};
/// use albireo_catalogs::{CatalogError, Request, Stop, open_until};
///
/// static PRESSED: AtomicBool = AtomicBool::new(false);
/// # let folder = tempfile::tempdir()?;
/// # let path = folder.path().join("galaxies.csv");
/// # std::fs::write(&path, "ra,dec\n10.5,-3.25\n")?;
/// let mut reader = open_until(&path, Stop::when(|| PRESSED.load(Ordering::Relaxed)))?;
/// PRESSED.store(true, Ordering::Relaxed);
/// let error = reader.read(&Request::columns(["ra"])).unwrap_err();
/// assert!(matches!(error, CatalogError::Interrupted { .. }));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Default)]
pub struct Stop(Option<Arc<dyn Fn() -> bool + Send + Sync>>);

impl Stop {
    /// Stops when `asked` says so; it is called often and should be cheap.
    pub fn when(asked: impl Fn() -> bool + Send + Sync + 'static) -> Self {
        Self(Some(Arc::new(asked)))
    }

    /// Never stops.
    pub fn never() -> Self {
        Self::default()
    }

    /// Whether reading should end now.
    pub fn requested(&self) -> bool {
        self.0.as_ref().is_some_and(|asked| asked())
    }

    pub(crate) fn check(&self, path: &Path) -> Result<()> {
        if self.requested() {
            return Err(CatalogError::Interrupted {
                path: path.to_owned(),
            });
        }
        Ok(())
    }
}

impl fmt::Debug for Stop {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(if self.0.is_some() {
            "Stop(when)"
        } else {
            "Stop(never)"
        })
    }
}

/// Bytes that end with [`Stopped`] when it is asked for.
pub(crate) struct Watched<R> {
    stream: R,
    stop: Stop,
}

impl<R> Watched<R> {
    pub(crate) fn new(stream: R, stop: &Stop) -> Self {
        Self {
            stream,
            stop: stop.clone(),
        }
    }
}

impl<R: Read> Read for Watched<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if self.stop.requested() {
            return Err(io::Error::other(Stopped));
        }
        self.stream.read(buffer)
    }
}

impl<R: Seek> Seek for Watched<R> {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        self.stream.seek(to)
    }
}
