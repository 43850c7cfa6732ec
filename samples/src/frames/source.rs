//! The frames of several files as those of one trajectory.
//!
//! Entry: [`FrameSource`].

use std::collections::VecDeque;
use std::path::{Path, PathBuf};

use albireo_catalogs::{Cell, Frame, Stop, Trajectory, TrajectoryRequest, open_trajectory};

use super::lengths::Lengths;
use super::moments::Moments;
use super::range::FrameRange;
use crate::error::{Result, SampleError};
use crate::notice::Notice;
use crate::space::{BoxSpec, stated_box};

/// A frame with its number over all files and the file that it comes from.
#[derive(Debug, Clone)]
pub struct NumberedFrame {
    /// Its number over all files, from 0.
    pub number: u64,
    /// The file.
    pub path: PathBuf,
    /// What it holds.
    pub frame: Frame,
}

/// Hands out the frames of a range, file after file.
pub struct FrameSource {
    first: PathBuf,
    files: VecDeque<PathBuf>,
    request: TrajectoryRequest,
    range: FrameRange,
    stop: Stop,
    open: Option<Box<dyn Trajectory>>,
    /// The box in the header of the open file, of frames that state none.
    stated: Option<(Cell, String)>,
    /// Frames passed so far, over all files.
    passed: u64,
    /// What was read ahead.
    ahead: Option<NumberedFrame>,
    format: String,
    /// Lengths of the open file.
    lengths: Lengths,
    /// The unit asked for.
    wanted: Option<String>,
    moments: Moments,
}

impl FrameSource {
    /// Opens the first of the files.
    ///
    /// # Errors
    /// No file, or one that is no trajectory.
    pub fn open(
        paths: &[PathBuf],
        request: TrajectoryRequest,
        range: FrameRange,
        stop: Stop,
    ) -> Result<Self> {
        let mut files: VecDeque<PathBuf> = paths.iter().cloned().collect();
        let first = files
            .pop_front()
            .ok_or_else(|| SampleError::missing("trajectory"))?;
        let open = open_trajectory(&first, &request, stop.clone())?;
        let opened = Self::given(open, range, stop)?;
        Ok(Self {
            files,
            request,
            ..opened
        })
    }

    /// The frames of one trajectory that is open already.
    pub(super) fn given(open: Box<dyn Trajectory>, range: FrameRange, stop: Stop) -> Result<Self> {
        Ok(Self {
            first: open.path().to_owned(),
            format: open.format().to_string(),
            lengths: Lengths::of(open.as_ref(), None)?,
            wanted: None,
            stated: cell_of(open.as_ref())?,
            open: Some(open),
            files: VecDeque::new(),
            request: TrajectoryRequest::default(),
            range,
            stop,
            passed: 0,
            ahead: None,
            moments: Moments::default(),
        })
    }

    /// The same with lengths in this unit. No frame may have been taken.
    pub(super) fn in_unit(mut self, wanted: Option<&str>) -> Result<Self> {
        self.wanted = wanted.map(str::to_owned);
        if let Some(open) = &self.open {
            self.lengths = Lengths::of(open.as_ref(), wanted)?;
        }
        Ok(self)
    }

    /// What is wrong where the frames end before the range begins.
    pub(super) fn none_left(&self, path: &Path) -> SampleError {
        let (path, frames) = (path.display(), self.passed);
        let place = format!("{path}: the number of frames is {frames}");
        SampleError::Input(format!(
            "{place}, counted from 0: none is in the range of --frames"
        ))
    }

    /// The first file.
    pub(super) fn first(&self) -> &Path {
        &self.first
    }

    /// The format of the first file.
    pub fn format(&self) -> &str {
        &self.format
    }

    /// The unit of length of the frames that are handed out: the one asked for, else what the first file states.
    pub fn unit(&self) -> Option<&str> {
        self.lengths.unit.as_deref()
    }

    /// The unit that the open file states and what its numbers are multiplied by, where they are.
    pub fn converted(&self) -> Option<(&str, f64)> {
        let stated = self.lengths.stated.as_deref()?;
        (self.lengths.factor != 1.0).then_some((stated, self.lengths.factor))
    }

    /// Word of a unit that is taken for another than the usual one, or converted.
    pub fn notice(&self) -> Option<Notice> {
        self.lengths.notice(&self.first)
    }

    /// What is to be said of the moments of the frames that were handed out; `by_number` counts on that they are evenly apart.
    pub fn order(&self, by_number: bool) -> impl Iterator<Item = &Notice> {
        self.moments.notices(by_number)
    }

    /// Where the box stands that frames without one of their own have: an attribute in the header of the open file.
    pub fn box_from(&self) -> Option<&str> {
        self.stated.as_ref().map(|(_, from)| from.as_str())
    }

    /// Number of frames that will be handed out, where one file is all and tells how many frames it has.
    pub fn frames(&self) -> Option<u64> {
        let one = self.files.is_empty();
        let frames = self.open.as_ref()?.frames().filter(|_| one)?;
        Some(self.range.number_of(frames))
    }

    /// From now on hands out one in `of` frames of those that are left, the first being number `index` of them from 0: the share of one of
    /// several processes. The others are passed over. No frame may have been taken.
    pub fn share(&mut self, index: u64, of: u64) {
        let step = self.range.step;
        self.range.start = self.range.start.saturating_add(step.saturating_mul(index));
        self.range.step = step.saturating_mul(of.max(1));
        // What was read ahead is the first of all.
        self.ahead = self.ahead.take().filter(|_| index == 0);
    }

    /// The next frame without taking it.
    ///
    /// # Errors
    /// As [`FrameSource::next_frame`].
    pub fn peek(&mut self) -> Result<Option<&NumberedFrame>> {
        if self.ahead.is_none() {
            self.ahead = self.read()?;
        }
        Ok(self.ahead.as_ref())
    }

    /// The next frame of the range.
    ///
    /// # Errors
    /// A file that cannot be read, or one of another unit of length than those before it.
    pub fn next_frame(&mut self) -> Result<Option<NumberedFrame>> {
        match self.ahead.take() {
            Some(frame) => Ok(Some(frame)),
            None => self.read(),
        }
    }

    fn read(&mut self) -> Result<Option<NumberedFrame>> {
        let wanted = if self.passed <= self.range.start {
            self.range.start
        } else {
            let steps = (self.passed - self.range.start).div_ceil(self.range.step);
            self.range.start + steps * self.range.step
        };
        if self.range.stop.is_some_and(|stop| wanted >= stop) {
            return Ok(None);
        }
        while let Some(open) = &mut self.open {
            self.passed += open.skip(wanted - self.passed)?;
            if self.passed == wanted
                && let Some(mut frame) = open.next_frame()?
            {
                self.passed += 1;
                frame.cell = frame.cell.or(self.stated.as_ref().map(|(cell, _)| *cell));
                self.lengths.apply(&mut frame);
                let path = open.path().to_owned();
                if is_one_point(&frame) {
                    return Err(self.unwritten(wanted, &path));
                }
                self.moments.pass(&frame, &path);
                return Ok(Some(NumberedFrame {
                    number: wanted,
                    path,
                    frame,
                }));
            }
            self.open = match self.files.pop_front() {
                None => None,
                Some(path) => {
                    let (next, lengths) = self.open_next(&path)?;
                    self.stated = cell_of(next.as_ref())?;
                    self.lengths = lengths;
                    Some(next)
                }
            };
        }
        Ok(None)
    }

    /// The error of a frame whose particles all lie at one point.
    fn unwritten(&self, number: u64, path: &Path) -> SampleError {
        let others = match self.range.start {
            start if start < number => format!("{start}:{number}"),
            _ => format!("{}:", number + 1),
        };
        SampleError::Input(format!(
            "{}: frame {number}: expected particles, found all of them at one point, as in a frame that was never written: take the frames that were by \
             --frames {others}",
            path.display()
        ))
    }

    fn open_next(&self, path: &Path) -> Result<(Box<dyn Trajectory>, Lengths)> {
        let next = open_trajectory(path, &self.request, self.stop.clone())?;
        let lengths = Lengths::of(next.as_ref(), self.wanted.as_deref())?;
        if !lengths.is_one_unit_with(&self.lengths) {
            let named = |unit: &Option<String>| unit.clone().unwrap_or("none stated".to_owned());
            return Err(SampleError::Input(format!(
                "{}: lengths in {}, those of the files before it in {}: they are no one trajectory",
                path.display(),
                named(&lengths.unit),
                named(&self.lengths.unit)
            )));
        }
        Ok((next, lengths))
    }
}

/// Whether two particles or more lie at exactly one point, all of them.
fn is_one_point(frame: &Frame) -> bool {
    let alike = |axis: &Vec<f64>| axis.iter().all(|x| *x == axis[0]);
    frame.len() > 1 && frame.positions.iter().all(alike)
}

/// The box in the header of a file.
fn cell_of(open: &dyn Trajectory) -> Result<Option<(Cell, String)>> {
    let stated = open
        .attributes()
        .and_then(|all| stated_box(open.path(), all));
    let Some(stated) = stated else {
        return Ok(None);
    };
    let cell = match stated.spec {
        Ok(BoxSpec::Lengths([Some(a), Some(b), Some(c)])) => Cell::orthorhombic([a, b, c]),
        Ok(BoxSpec::Vectors(vectors)) => Cell::new(vectors),
        _ => return Ok(None),
    };
    match cell {
        Ok(cell) => Ok(Some((cell, stated.source))),
        Err(reason) => Err(SampleError::Input(format!(
            "{}: expected a box, found {reason}",
            stated.source
        ))),
    }
}
