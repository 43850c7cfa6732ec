//! What formats share whose frames are reached by their numbers.
//!
//! Entry: [`ByNumber`], of any [`Numbered`].

use std::path::{Path, PathBuf};

use super::head::Head;
use super::{Frame, Trajectory, TrajectoryFormat};
use crate::error::Result;
use crate::stop::Stop;

/// How a format keeps frames.
pub(super) trait Numbered: Send {
    /// The format.
    const FORMAT: TrajectoryFormat;

    /// The unit of length.
    fn unit(&self) -> Option<&str>;

    /// How many frames there are.
    fn frames(&self) -> u64;

    /// Reads a frame, of a number below that of all.
    fn frame(&mut self, number: u64) -> Result<Frame>;
}

/// The frames of such a file, one after the other.
pub(super) struct ByNumber<T> {
    frames: T,
    number: u64,
    path: PathBuf,
    stop: Stop,
}

impl<T: Numbered + 'static> ByNumber<T> {
    pub(super) fn open(head: &Head<'_>, frames: T) -> Box<dyn Trajectory> {
        Box::new(Self {
            frames,
            number: 0,
            path: head.path.to_owned(),
            stop: head.stop.clone(),
        })
    }
}

impl<T: Numbered> Trajectory for ByNumber<T> {
    fn format(&self) -> TrajectoryFormat {
        T::FORMAT
    }

    fn path(&self) -> &Path {
        &self.path
    }

    fn unit(&self) -> Option<&str> {
        self.frames.unit()
    }

    fn frames(&self) -> Option<u64> {
        Some(self.frames.frames())
    }

    fn next_frame(&mut self) -> Result<Option<Frame>> {
        self.stop.check(&self.path)?;
        if self.number >= self.frames.frames() {
            return Ok(None);
        }
        let frame = self.frames.frame(self.number)?;
        self.number += 1;
        Ok(Some(frame))
    }

    fn skip(&mut self, frames: u64) -> Result<u64> {
        let passed = frames.min(self.frames.frames() - self.number);
        self.number += passed;
        Ok(passed)
    }
}
