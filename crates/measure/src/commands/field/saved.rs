//! Maps in the making, of which planes are kept.
//!
//! Entry: [`SavedMap`].

use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::Result;
use clap::Args;

use crate::every::{Clock, SavedAt};
use crate::group;

/// Where planes of a map are kept, and how often: the planes in `OUTPUT.partial`, how many they are in the file of --checkpoint.
#[derive(Debug, Args)]
#[command(next_help_heading = group::OUTPUT)]
pub(super) struct SavedMap {
    #[command(flatten)]
    at: SavedAt,
    /// Old spelling of --checkpoint OUTPUT.partial.state --checkpoint-every 0s
    #[arg(long, hide = true, conflicts_with_all = ["at", "checkpoint"])]
    resumable: bool,
}

impl SavedMap {
    /// The file that says how many planes of `output` are kept, if any are.
    pub(super) fn state(&self, output: &Path) -> Option<PathBuf> {
        if self.resumable {
            tracing::info!(
                "--resumable is spelled --checkpoint FILE now; --checkpoint-every says how often"
            );
            return Some(PathBuf::from(format!("{}.partial.state", output.display())));
        }
        self.at.path().map(Path::to_owned)
    }

    /// The file that is named for it.
    pub(super) fn path(&self) -> Option<&Path> {
        self.at.path()
    }

    /// When they are kept.
    pub(super) fn clock(&self) -> Result<Clock> {
        let pause = if self.resumable {
            Duration::ZERO
        } else {
            self.at.pause()?
        };
        Ok(Clock::new(pause))
    }
}
