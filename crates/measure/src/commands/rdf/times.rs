//! The flags of frames in time: which count for how much, which are compared with which, and what is reported of them as they go.
//!
//! Entry: [`TimeFlags`].

#![allow(clippy::cast_possible_truncation, reason = "frames that are in memory")]

use std::num::NonZeroU64;
use std::str::FromStr;

use albireo_catalogs::whole_of_text;
use anyhow::Result;
use clap::Args;

use crate::group;
use crate::paths::WeightSpec;
use crate::usage::{first_given, usage};

/// Lags between frames: one, or START:STOP:STEP.
#[derive(Debug, Clone)]
pub(super) struct Lags(Vec<u64>);

/// The most lags of one run.
const MOST_LAGS: usize = 1024;

impl FromStr for Lags {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let wrong = || {
            format!(
                "expected a number of frames such as 10, or START:STOP:STEP such as 0:100:10, found `{text}`"
            )
        };
        let parts: Option<Vec<u64>> = text.split(':').map(whole_of_text).collect();
        let (start, stop, step) = match parts.ok_or_else(wrong)?[..] {
            [one] => (one, one.checked_add(1).ok_or_else(wrong)?, 1),
            [start, stop] => (start, stop, 1),
            [start, stop, step] => (start, stop, step),
            _ => return Err(wrong()),
        };
        if step == 0 || stop <= start || (stop - start) / step > MOST_LAGS as u64 {
            return Err(wrong());
        }
        Ok(Self((start..stop).step_by(step as usize).collect()))
    }
}

/// Which frames count for how much, and which are compared with which.
#[derive(Debug, Clone, Args)]
#[command(next_help_heading = group::TIMES)]
pub(super) struct TimeFlags {
    /// Van Hove function instead of g(r), at these lags in frames, e.g. 0,1,10 or 0:100:10
    ///
    /// Pairs of a particle in a frame with another one so many frames of --frames later.
    #[arg(long, value_name = "FRAMES,..", value_delimiter = ',')]
    lags: Vec<Lags>,
    /// Frames between the origins of lags [default: 1]
    #[arg(long, value_name = "N", requires = "lags")]
    origins: Option<NonZeroU64>,
    /// Weights of frames: a column of the particles, or @FILE with a row a frame
    ///
    /// The column `weight` of the file, else its last; in the order of its column `frame`, else of its rows.
    #[arg(long, value_name = "COLUMN|@FILE", conflicts_with = "lags")]
    pub(super) frame_weights: Option<WeightSpec>,
    /// Add the running mean of g to --block-counts: over all frames up to the last of each block
    #[arg(long, requires = "block_counts")]
    pub(super) running: bool,
}

impl TimeFlags {
    /// The first of the flags that has a meaning for trajectories alone.
    pub(super) fn given(&self) -> Option<&'static str> {
        first_given(&[
            (!self.lags.is_empty(), "--lags"),
            (self.frame_weights.is_some(), "--frame-weights"),
        ])
    }

    /// The lags, rising; none unless the van Hove function is asked for.
    pub(super) fn lags(&self) -> Result<Option<Vec<u64>>> {
        if self.lags.is_empty() {
            return Ok(None);
        }
        let all = self.lags.iter().flat_map(|lags| lags.0.iter().copied());
        let mut lags: Vec<u64> = all.collect();
        lags.sort_unstable();
        if let Some([lag, _]) = lags.windows(2).find(|two| two[0] == two[1]) {
            return Err(usage(format!("--lags: {lag} is there twice")));
        }
        if lags.len() > MOST_LAGS {
            return Err(usage(format!(
                "--lags: at most {MOST_LAGS} are counted at once, found {}",
                lags.len()
            )));
        }
        Ok(Some(lags))
    }

    /// Frames from one origin to the next.
    pub(super) fn origins(&self) -> u64 {
        self.origins.map_or(1, NonZeroU64::get)
    }
}
