//! Counts of frames that outlive the process.
//!
//! Entry: [`Checkpoint`]. A file is replaced whole, so that a process that is killed leaves the one before.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use albireo::Edges;
use albireo_catalogs::KeptState;
use albireo_fluids::frames::FrameBlocks;
use anyhow::{Context, Result, bail};
use serde_json::{Map, Value, json};

use super::Rdf;
use crate::every::Clock;
use crate::paths::WeightSpec;

/// The kind of such a state.
const KIND: &str = "counts of frames";
/// The block with the counts.
const BLOCKS: &str = "frames";

impl Rdf {
    /// What decides which pairs of these files are counted, beside the settings of how frames become particles; nothing without those.
    pub(super) fn settings(
        &self,
        reading: Option<Value>,
        paths: &[PathBuf],
        edges: &Edges,
    ) -> Result<Map<String, Value>> {
        let Some(Value::Object(mut settings)) = reading else {
            return Ok(Map::new());
        };
        let sizes = paths.iter().map(|path| {
            let size = fs::metadata(path).map(|file| file.len());
            let size = size.with_context(|| path.display().to_string())?;
            let name: &Path = path.file_name().map_or(path.as_path(), Path::new);
            Ok(json!([name.to_string_lossy(), size]))
        });
        let weights = self.times.frame_weights.as_ref();
        let weights = weights.map(WeightSpec::fingerprint).transpose()?;
        let mut set = |name: &str, value| settings.insert(name.to_owned(), value);
        set("files", sizes.collect::<Result<Value>>()?);
        set("bins", json!(edges));
        set("pairs", json!(self.frames.pairs));
        // Structure factors are made of all pairs, whichever are shown.
        set("all-pairs", json!(self.structure.given().is_some()));
        set("beyond-half", json!(self.beyond_half));
        set("frame-weights", json!(weights));
        if self.sums.pair_sums.any() {
            set("pair-sums", self.sums.pair_sums.settings());
        }
        set("cylinder", json!(self.frames.cylinders(edges)?));
        Ok(settings)
    }
}

/// Where counts are saved; nowhere, if no file is given.
pub(super) struct Checkpoint {
    path: Option<PathBuf>,
    /// What the counts are of.
    empty: KeptState,
    clock: Clock,
    found: Option<FrameBlocks>,
}

impl Checkpoint {
    /// Reads what is there already.
    pub(super) fn open(
        path: Option<&Path>,
        settings: &Map<String, Value>,
        pause: Duration,
    ) -> Result<Self> {
        let empty = KeptState::new(KIND, settings.clone());
        let found = path.map(|path| read(path, &empty)).transpose()?;
        Ok(Self {
            path: path.map(Path::to_owned),
            empty,
            clock: Clock::new(pause),
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
        if self.path.is_some() && self.clock.is_due() {
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
        self.clock.restart();
        Ok(())
    }
}

/// The counts in a file, if it is there; they must be of what `empty` is of.
fn read(path: &Path, empty: &KeptState) -> Result<Option<FrameBlocks>> {
    let found = KeptState::read(path, KIND).with_context(|| named(path))?;
    let Some(found) = found else {
        return Ok(None);
    };
    if let Some(difference) = found.differs(empty) {
        bail!(
            "{}: it was made by a call with other files, frames, particles, pairs or bins ({difference}): remove it, or name another",
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
