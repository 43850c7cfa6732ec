//! Counts of frames that outlive the process.
//!
//! Entry: [`Checkpoint`]. A file is replaced whole, so that a process that is killed leaves the one before.

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use albireo_catalogs::{WholeFile, sha256_of_bytes};
use albireo_fluids::frames::FrameBlocks;
use anyhow::{Context, Result, bail};

const MAGIC: &[u8; 8] = b"albckpt1";
/// Hexadecimal digits of a digest.
const DIGEST: usize = 64;

/// Where counts are saved; nowhere, if no file is given.
pub(super) struct Checkpoint {
    path: Option<PathBuf>,
    settings: String,
    saved: Instant,
    /// From one time to the next.
    pause: Duration,
    found: Option<FrameBlocks>,
}

impl Checkpoint {
    /// Reads what is there already.
    pub(super) fn open(path: Option<&Path>, settings: &str, pause: Duration) -> Result<Self> {
        let settings = sha256_of_bytes(settings.as_bytes());
        let mut checkpoint = Self {
            path: path.map(Path::to_owned),
            settings,
            saved: Instant::now(),
            pause,
            found: None,
        };
        let Some(path) = path else {
            return Ok(checkpoint);
        };
        let bytes = match fs::read(path) {
            Ok(bytes) => bytes,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(checkpoint),
            Err(error) => return Err(error).with_context(|| named(path)),
        };
        checkpoint.found = Some(checkpoint.read(path, &bytes)?);
        Ok(checkpoint)
    }

    fn read(&self, path: &Path, bytes: &[u8]) -> Result<FrameBlocks> {
        let damaged = || {
            format!(
                "{}: no checkpoint of albireo, or a damaged one",
                named(path)
            )
        };
        let rest = bytes.strip_prefix(MAGIC).with_context(damaged)?;
        let (settings, rest) = rest.split_at_checked(DIGEST).with_context(damaged)?;
        let (digest, blocks) = rest.split_at_checked(DIGEST).with_context(damaged)?;
        if digest != sha256_of_bytes(blocks).as_bytes() {
            bail!(damaged());
        }
        if settings != self.settings.as_bytes() {
            bail!(
                "{}: it was made by a call with other files, frames, particles, pairs or bins: remove it, or name another",
                named(path)
            );
        }
        FrameBlocks::from_bytes(blocks).with_context(damaged)
    }

    /// What was counted before.
    pub(super) fn take(&mut self) -> Option<FrameBlocks> {
        let found = self.found.take();
        if let Some(blocks) = &found {
            tracing::info!("--checkpoint: {} frames were counted before", blocks.len());
        }
        found
    }

    /// Saves, if it was long ago.
    pub(super) fn save_at_times(&mut self, blocks: &FrameBlocks) -> Result<()> {
        if self.path.is_some() && self.saved.elapsed() >= self.pause {
            self.save(blocks)?;
        }
        Ok(())
    }

    /// Saves.
    pub(super) fn save(&mut self, blocks: &FrameBlocks) -> Result<()> {
        let Some(path) = &self.path else {
            return Ok(());
        };
        let bytes = blocks.to_bytes();
        let write = || -> std::io::Result<()> {
            let mut file = WholeFile::create(path)?;
            file.write_all(MAGIC)?;
            file.write_all(self.settings.as_bytes())?;
            file.write_all(sha256_of_bytes(&bytes).as_bytes())?;
            file.write_all(&bytes)?;
            file.finish()
        };
        write().with_context(|| named(path))?;
        self.saved = Instant::now();
        Ok(())
    }
}

fn named(path: &Path) -> String {
    format!("--checkpoint {}", path.display())
}
