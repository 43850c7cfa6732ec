//! When frames are that follow one another: whether some are there twice, and whether they are evenly apart.
//!
//! Entry: [`Moments`].

use std::hash::{DefaultHasher, Hasher};
use std::path::Path;

use albireo_catalogs::Frame;

use crate::notice::Notice;

/// What a frame tells of its moment, in this order; a step of 32 bits may begin anew in long runs, a time of float32 may stand still.
const WHAT: [&str; 2] = ["step", "time"];

/// Frames are unevenly apart where distances differ by more than this part of them: times may be float32.
const UNEVEN: f64 = 0.1;

type Moment = [Option<f64>; 2];

/// From one moment to another, by each of what both tell.
fn between(from: &Moment, to: &Moment) -> Moment {
    [0, 1].map(|k| Some(to[k]? - from[k]?))
}

/// Whether both are known and differ, or either is not known.
fn differs(by: Option<f64>, step: Option<f64>) -> bool {
    by.zip(step)
        .is_none_or(|(by, step)| (by - step).abs() > UNEVEN * step.abs())
}

fn in_words(moment: &Moment) -> String {
    let mut told = WHAT.iter().zip(moment);
    let first = told.find_map(|(what, value)| Some(format!("{what} {}", (*value)?)));
    first.unwrap_or_default()
}

/// A number of the positions of a frame, which others share by chance only; none of no particles.
fn number_of(frame: &Frame) -> Option<u64> {
    let mut hasher = DefaultHasher::new();
    for value in frame.positions.iter().flatten() {
        hasher.write_u64(value.to_bits());
    }
    (!frame.is_empty()).then(|| hasher.finish())
}

/// The moments of the frames that were handed out.
#[derive(Debug, Default)]
pub(super) struct Moments {
    first: Option<Moment>,
    last: Option<Moment>,
    /// What the positions of the first frame are known by.
    of_first: Option<u64>,
    /// Whether the last frame began anew.
    has_begun: bool,
    anew: Option<Notice>,
    /// How far the second frame that goes on is from the one before it.
    step: Option<Moment>,
    again: Option<Notice>,
    uneven: Option<Notice>,
}

impl Moments {
    #[allow(clippy::cast_precision_loss, reason = "steps are compared roughly")]
    pub(super) fn pass(&mut self, frame: &Frame, path: &Path) {
        let now = [frame.step.map(|step| step as f64), frame.time];
        let place = || format!("{}: frame {}", path.display(), frame.number);
        let first = *self.first.get_or_insert(now);
        let Some(last) = self.last.replace(now) else {
            self.of_first = number_of(frame);
            return;
        };
        let by = between(&last, &now);
        let goes_on = by.iter().flatten().any(|by| *by > 0.0);
        if by == [None; 2] || (self.step.is_none() && !goes_on) {
            return;
        }
        // Another run begins where the first one did, or before.
        let is_anew = between(&first, &now).iter().flatten().all(|by| *by <= 0.0);
        let begins = !goes_on && is_anew;
        // One that begins where another one did that begins is not another run, nor is one that begins with the same positions.
        let is_copy = begins && (self.has_begun || self.is_first(frame));
        self.has_begun = begins;
        if begins && !is_copy && self.anew.is_none() {
            self.anew = Some(Notice::note(format!(
                "{} ({}) comes after a frame of {}: frames begin anew, as those of another run do; what a run that was restarted made twice is \
                 counted twice",
                place(),
                in_words(&now),
                in_words(&last)
            )));
        }
        if !goes_on && (!is_anew || is_copy) && self.again.is_none() {
            self.again = Some(Notice::warning(format!(
                "{} ({}) comes after a frame of {}: are frames there twice, as where files overlap, or files in another order than in time?",
                place(),
                in_words(&now),
                in_words(&last)
            )));
        }
        let step = *self.step.get_or_insert(by);
        if self.uneven.is_none() && (0..2).all(|k| differs(by[k], step[k])) {
            self.uneven = Some(Notice::warning(format!(
                "{} ({}) and the frame before it ({}) are not as far apart as others: --lags counts frames, not times",
                place(),
                in_words(&now),
                in_words(&last)
            )));
        }
    }

    fn is_first(&self, frame: &Frame) -> bool {
        self.of_first
            .is_some_and(|first| number_of(frame) == Some(first))
    }

    /// Frames that are there twice, or not in the order of time, or begin anew; and where `by_number` counts on that, frames that are not evenly apart.
    pub(super) fn notices(&self, by_number: bool) -> impl Iterator<Item = &Notice> {
        let uneven = self.uneven.iter().filter(move |_| by_number);
        let anew = self.anew.iter().filter(move |_| !by_number);
        self.again.iter().chain(anew).chain(uneven)
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a failed unwrap is a failed test")]
mod tests {
    use std::sync::Arc;

    use albireo_catalogs::Atoms;

    use super::*;

    /// What is said of frames of these moments, with lags.
    fn said(moments: &[(Option<i64>, Option<f64>)]) -> Vec<String> {
        let mut passed = Moments::default();
        for (number, (step, time)) in (0..).zip(moments) {
            let frame = Frame {
                number,
                step: *step,
                time: *time,
                cell: None,
                positions: [vec![], vec![], vec![]],
                atoms: Arc::new(Atoms::default()),
            };
            passed.pass(&frame, Path::new("t"));
        }
        passed.notices(true).map(ToString::to_string).collect()
    }

    #[test]
    fn frames_that_are_there_again_are_said() {
        let steps = |steps: &[i64]| {
            let moments: Vec<_> = steps.iter().map(|step| (Some(*step), None)).collect();
            said(&moments).len()
        };
        assert_eq!(steps(&[0, 10, 20, 30]), 0);
        // Two files that overlap in one frame, and such in a wrong order: unevenly apart, too.
        assert_eq!(steps(&[0, 10, 20, 20, 30]), 2);
        assert_eq!(steps(&[0, 10, 50, 60, 20, 30]), 2);
        // Runs that begin anew, which lags must not go across, and frames that tell nothing.
        assert_eq!(steps(&[0, 10, 20, 0, 10]), 1);
        assert_eq!(steps(&[0, 0, 0, 0]), 0);
        assert_eq!(said(&[(None, None), (None, None), (None, None)]).len(), 0);
    }

    #[test]
    fn runs_that_begin_anew_are_said_as_what_they_are() {
        let said = |frames: &[(i64, f64)]| {
            let mut passed = Moments::default();
            for (number, (step, x)) in (0..).zip(frames) {
                let frame = Frame {
                    number,
                    step: Some(*step),
                    time: None,
                    cell: None,
                    positions: [vec![*x], vec![0.0], vec![0.0]],
                    atoms: Arc::new(Atoms::new(1)),
                };
                passed.pass(&frame, Path::new("t"));
            }
            let notices: Vec<bool> = passed.notices(false).map(Notice::is_warning).collect();
            notices
        };
        assert!(said(&[(0, 1.0), (1, 2.0), (2, 3.0)]).is_empty());
        // Another run, the same one again, and frames that were never written.
        assert_eq!(said(&[(0, 1.0), (1, 2.0), (0, 4.0), (1, 2.0)]), [false]);
        assert_eq!(said(&[(0, 1.0), (1, 2.0), (0, 1.0), (1, 2.0)]), [true]);
        assert_eq!(
            said(&[(0, 1.0), (1, 2.0), (0, 0.0), (0, 0.0)]),
            [true, false]
        );
    }

    #[test]
    fn one_of_step_and_time_is_enough() {
        let overflown = [
            (i64::from(i32::MAX), 1.0),
            (i64::from(i32::MIN), 2.0),
            (0, 3.0),
        ];
        let moments = overflown.map(|(step, time)| (Some(step), Some(time)));
        assert!(said(&moments).is_empty());
        let rounded = [(10, 1e6), (20, 1e6), (30, 1e6)];
        let moments = rounded.map(|(step, time)| (Some(step), Some(time)));
        assert!(said(&moments).is_empty());
        let late = [(None, Some(1.0)), (None, Some(2.0)), (None, Some(4.0))];
        assert_eq!(
            said(&late),
            [
                "t: frame 2 (time 4) and the frame before it (time 2) are not as far apart as others: --lags counts frames, not times"
            ]
        );
    }
}
