//! Counts of frames that outlive the process.
//!
//! Entry: [`Checkpoint`]. A file is replaced whole, so that a process that is killed leaves the one before.

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use albireo::frames::FrameBlocks;
use albireo_catalogs::{KeptState, sha256_of_bytes};
use anyhow::{Context, Result, bail};
use serde_json::json;

/// The kind of such a state.
const KIND: &str = "counts of frames";
/// The block with the counts.
const BLOCKS: &str = "frames";

/// Where counts are saved; nowhere, if no file is given.
pub(super) struct Checkpoint {
    path: Option<PathBuf>,
    /// What the counts are of.
    empty: KeptState,
    saved: Instant,
    /// From one time to the next.
    pause: Duration,
    found: Option<FrameBlocks>,
}

impl Checkpoint {
    /// Reads what is there already.
    pub(super) fn open(path: Option<&Path>, settings: &str, pause: Duration) -> Result<Self> {
        let settings = json!(sha256_of_bytes(settings.as_bytes()));
        let empty = KeptState::new(KIND, [("settings", settings)]);
        let found = path.map(|path| read(path, &empty)).transpose()?;
        Ok(Self {
            path: path.map(Path::to_owned),
            empty,
            saved: Instant::now(),
            pause,
            found: found.flatten(),
        })
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
        let state = self.empty.clone().with(BLOCKS, blocks.to_bytes());
        state.write(path).with_context(|| named(path))?;
        self.saved = Instant::now();
        Ok(())
    }
}

/// The counts in a file, if it is there; they must be of what `empty` is of.
fn read(path: &Path, empty: &KeptState) -> Result<Option<FrameBlocks>> {
    let found = KeptState::read(path, KIND).with_context(|| named(path))?;
    let Some(found) = found else {
        return Ok(None);
    };
    if found.differs(empty).is_some() {
        bail!(
            "{}: it was made by a call with other files, frames, particles, pairs or bins: remove it, or name another",
            named(path)
        );
    }
    let blocks = found.block(BLOCKS).map(FrameBlocks::from_bytes);
    let blocks = blocks.and_then(Result::ok);
    let blocks = blocks.with_context(|| format!("{}: it is damaged", named(path)))?;
    Ok(Some(blocks))
}

fn named(path: &Path) -> String {
    format!("--checkpoint {}", path.display())
}
