//! Which frames of a trajectory are read.
//!
//! Entry: [`FrameRange`]. Its text is what the command line takes.

use std::str::FromStr;

use albireo_catalogs::whole_of_text;
use serde::Serialize;
use thiserror::Error;

/// Frames by number, from 0: `100:1000:10` is 100, 110, .. below 1000; `100:` begins there, `:1000` ends there, `::10` is every tenth, `7` that one alone.
///
/// ```
/// use albireo_samples::FrameRange;
/// let range: FrameRange = "100:1000:10".parse()?;
/// assert_eq!((range.start, range.stop, range.step), (100, Some(1000), 10));
/// assert_eq!("7".parse(), Ok(FrameRange { start: 7, stop: Some(8), step: 1 }));
/// assert!("::0".parse::<FrameRange>().is_err());
/// # Ok::<(), albireo_samples::ParseFramesError>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct FrameRange {
    /// The first frame.
    pub start: u64,
    /// The first that is too much.
    pub stop: Option<u64>,
    /// From one frame to the next.
    pub step: u64,
}

impl Default for FrameRange {
    fn default() -> Self {
        Self {
            start: 0,
            stop: None,
            step: 1,
        }
    }
}

/// A text that is no range of frames.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error(
    "expected START:STOP:STEP, such as 100:1000:10, 100: or ::10, or one number, all counted from 0; found `{0}`"
)]
pub struct ParseFramesError(String);

impl FromStr for FrameRange {
    type Err = ParseFramesError;

    fn from_str(text: &str) -> Result<Self, ParseFramesError> {
        let wrong = || ParseFramesError(text.to_owned());
        let number = |part: &str| match part.trim() {
            "" => Ok(None),
            part => whole_of_text(part).map(Some).ok_or_else(wrong),
        };
        let parts: Vec<Option<u64>> = text.split(':').map(number).collect::<Result<_, _>>()?;
        let (start, stop, step) = match parts[..] {
            [Some(one)] => (one, one.checked_add(1), 1),
            [start, stop] => (start.unwrap_or(0), stop, 1),
            [start, stop, step] => (start.unwrap_or(0), stop, step.unwrap_or(1)),
            _ => return Err(wrong()),
        };
        if step == 0 || stop.is_some_and(|stop| stop <= start) {
            return Err(wrong());
        }
        Ok(Self { start, stop, step })
    }
}

impl FrameRange {
    /// Of so many frames, those in the range.
    pub fn number_of(&self, frames: u64) -> u64 {
        let stop = self.stop.map_or(frames, |stop| stop.min(frames));
        stop.saturating_sub(self.start).div_ceil(self.step)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_are_read_and_counted() {
        let count = |text: &str, frames| text.parse::<FrameRange>().map(|r| r.number_of(frames));
        assert_eq!(count("::10", 101), Ok(11));
        assert_eq!(count("::10", 100), Ok(10));
        assert_eq!(count("5:", 3), Ok(0));
        assert_eq!(count("5:7", 100), Ok(2));
        assert_eq!(count("3", 100), Ok(1));
        assert_eq!(count(":4:3", 100), Ok(2));
        for bad in ["", "a", "-1:", "5:5", "7:3", "::0", "1:2:3:4", "1.5:"] {
            assert!(count(bad, 10).is_err(), "{bad}");
        }
    }
}
