//! What all text formats share: frames one behind the other in the lines of a file.
//!
//! Entry: [`TextTrajectory`], of any [`FrameText`].

use std::path::Path;

use super::lines::Lines;
use super::{Frame, Trajectory, TrajectoryFormat, passed_over};
use crate::error::Result;

/// How a format writes frames.
pub(super) trait FrameText: Send {
    /// The format.
    const FORMAT: TrajectoryFormat;

    /// Reads the next frame; `None` at the end of the file. Without `keep` its particles are passed over.
    fn frame(&mut self, lines: &mut Lines, keep: bool) -> Result<Option<Frame>>;

    /// The unit of length.
    fn unit(&self) -> Option<&str>;

    /// As [`Trajectory::states_unit`].
    fn states_unit(&self) -> bool {
        true
    }
}

/// A trajectory in text.
pub(super) struct TextTrajectory<T> {
    text: T,
    lines: Lines,
}

impl<T: FrameText> TextTrajectory<T> {
    pub(super) fn new(text: T, lines: Lines) -> Self {
        Self { text, lines }
    }

    fn step(&mut self, keep: bool) -> Result<Option<Frame>> {
        self.lines.check()?;
        let frame = self.text.frame(&mut self.lines, keep)?;
        self.lines.frame += u64::from(frame.is_some());
        Ok(frame)
    }
}

impl<T: FrameText> Trajectory for TextTrajectory<T> {
    fn format(&self) -> TrajectoryFormat {
        T::FORMAT
    }

    fn path(&self) -> &Path {
        self.lines.path()
    }

    fn unit(&self) -> Option<&str> {
        self.text.unit()
    }

    fn states_unit(&self) -> bool {
        self.text.states_unit()
    }

    fn frames(&self) -> Option<u64> {
        None
    }

    fn next_frame(&mut self) -> Result<Option<Frame>> {
        self.step(true)
    }

    fn skip(&mut self, frames: u64) -> Result<u64> {
        passed_over(frames, || Ok(self.step(false)?.is_some()))
    }
}

/// Room for so many values, but not for more than a file is likely to hold if its count lies.
pub(super) fn room(count: u64) -> Vec<f64> {
    const MOST: u64 = 1 << 16;
    Vec::with_capacity(count.min(MOST) as usize)
}
