//! One column of a table: a data set, or a member of a compound one.
//!
//! Entry: [`Column`]. It reads no values.

use hdf5_reader::{Dataset, Datatype, SliceInfo, SliceInfoElem};

use super::attribute;
use super::element::{self, Element};
use super::meaning::Meaning;
use crate::reader::{Field, Kind};
use crate::scaling::Scaling;

/// Where a member's values stand in a record.
pub(super) struct Member {
    pub(super) offset: usize,
    /// Bytes of one component.
    pub(super) bytes: usize,
    pub(super) dtype: Datatype,
}

/// One column: a data set.
pub(super) struct Column {
    pub(super) name: String,
    pub(super) dataset: Dataset,
    pub(super) element: Element,
    /// Whether the first axis counts frames.
    pub(super) in_frames: bool,
    pub(super) rows: u64,
    pub(super) width: usize,
    /// What its stored numbers mean.
    pub(super) meaning: Meaning,
    /// Its unit, where it is a member of a compound data set.
    pub(super) unit: Option<String>,
    /// Which part of the records it is, where the data set is compound.
    pub(super) member: Option<Member>,
}

impl Column {
    /// `None` if the data set is a scalar. `in_frames`: the first axis of an H5MD element counts frames; so does that
    /// of any array of three axes.
    pub(super) fn new(name: String, dataset: Dataset, in_frames: bool) -> Option<Self> {
        let shape = dataset.shape().to_vec();
        let in_frames = in_frames || shape.len() == 3;
        let per_row = shape.get(usize::from(in_frames)..)?;
        let (&rows, width) = (per_row.first()?, per_row.get(1).copied().unwrap_or(1));
        let mut element = Element::of(&dataset);
        let text_rows = element.kind() != Kind::Text || per_row.len() == 1;
        if per_row.len() > 2 || width == 0 || width > u64::from(u32::MAX) || !text_rows {
            element = Element::Other {
                name: format!("{} of shape {shape:?}", element.dtype()),
            };
        }
        let (element, meaning) = Meaning::of(&dataset, element);
        let width = if element.kind() == Kind::Number {
            width as usize
        } else {
            1
        };
        Some(Self {
            name,
            dataset,
            element,
            in_frames,
            rows,
            width,
            meaning,
            unit: None,
            member: None,
        })
    }

    pub(super) fn frames(&self) -> Option<u64> {
        self.in_frames
            .then(|| self.dataset.shape().first().copied().unwrap_or(0))
    }

    /// Rows of one chunk, 1 if it is not chunked.
    pub(super) fn chunk_rows(&self) -> u64 {
        let chunks = self.dataset.chunks().unwrap_or_default();
        chunks
            .get(usize::from(self.in_frames))
            .map_or(1, |&rows| u64::from(rows))
    }

    /// The rows `start..end`, of one frame where there are frames, and one component if `element` says which.
    pub(super) fn slice(
        &self,
        frame: Option<u64>,
        start: u64,
        end: u64,
        element: Option<usize>,
    ) -> SliceInfo {
        let mut selections = Vec::with_capacity(3);
        if self.in_frames {
            selections.push(SliceInfoElem::Index(frame.unwrap_or(0)));
        }
        selections.push(SliceInfoElem::Slice {
            start,
            end,
            step: 1,
        });
        if self.dataset.ndim() > selections.len() {
            selections.push(match element {
                Some(element) => SliceInfoElem::Index(element as u64),
                None => SliceInfoElem::Slice {
                    start: 0,
                    end: self.width as u64,
                    step: 1,
                },
            });
        }
        SliceInfo { selections }
    }

    /// As a field of a table of `frames` frames.
    pub(super) fn field(&self, frames: u64) -> Field {
        let (dtype, unit) = match &self.member {
            Some(member) => (&member.dtype, self.unit.clone()),
            None => (self.dataset.dtype(), attribute::unit(&self.dataset)),
        };
        let dtype_said = match self.meaning.scaling {
            Scaling::None => self.element.dtype(),
            _ => format!("{}, scaled", self.element.dtype()),
        };
        Field {
            unit,
            labels: element::labels(dtype),
            width: self.width,
            rows: Some(self.rows.saturating_mul(frames)),
            ..Field::of(self.name.clone(), dtype_said, self.element.kind())
        }
    }
}
