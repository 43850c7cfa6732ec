//! The unit of length of a trajectory, and what brings its frames to another one.
//!
//! Entry: [`Lengths::of`].

use std::path::Path;

use albireo_catalogs::{Cell, Frame, Trajectory, TrajectoryFormat, in_short};

use crate::error::{Result, SampleError};
use crate::notice::Notice;
use crate::snapshot_header::stated_unit;
use crate::units::{Quantity, Unit, length_factor};

/// The lengths of an open file.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Lengths {
    /// The unit that the file states.
    pub(super) stated: Option<String>,
    /// The unit that programs usually write in such a file, where it states none.
    usual: Option<String>,
    /// The unit of frames once they are multiplied.
    pub(super) unit: Option<String>,
    /// What positions and boxes are multiplied by.
    pub(super) factor: f64,
}

impl Lengths {
    /// Those of a file that is open, in the unit asked for.
    ///
    /// # Errors
    /// [`SampleError::Input`] of a stated unit that is not converted into the one asked for.
    pub(super) fn of(open: &dyn Trajectory, wanted: Option<&str>) -> Result<Self> {
        let of_header = || open.attributes().and_then(stated_unit);
        let named = open.unit().map(str::to_owned).or_else(of_header);
        // Comments hold all sorts of things, the unit of an energy among them.
        let is_length = |text: &String| {
            let quantity = text.parse::<Unit>().ok().map(|unit| unit.quantity());
            match quantity {
                None => open.format() != TrajectoryFormat::Xyz,
                Some(quantity) => matches!(quantity, Quantity::Length | Quantity::Reduced),
            }
        };
        let named = named.filter(is_length);
        let (stated, usual) = if open.states_unit() {
            (named, None)
        } else {
            (None, named)
        };
        let factor = match (&stated, wanted) {
            (Some(stated), Some(wanted)) => {
                length_factor(stated, wanted, None).map_err(|reason| SampleError::Input(format!(
                    "{}: lengths are in `{stated}`, which --unit does not convert into `{wanted}`: {reason}",
                    open.path().display()
                )))?
            }
            _ => 1.0,
        };
        let unit = wanted.map(str::to_owned);
        Ok(Self {
            unit: unit.or_else(|| stated.clone().or_else(|| usual.clone())),
            stated,
            usual,
            factor,
        })
    }

    /// Brings a frame to the unit.
    pub(super) fn apply(&self, frame: &mut Frame) {
        if self.factor == 1.0 {
            return;
        }
        let scaled = |values: [f64; 3]| values.map(|value| value * self.factor);
        for value in frame.positions.iter_mut().flatten() {
            *value *= self.factor;
        }
        frame.cell = frame.cell.and_then(|cell| {
            let vectors = Cell::new(cell.vectors().map(scaled)).ok()?;
            Some(
                vectors
                    .periodic_along(cell.periodic())
                    .at(scaled(cell.origin())),
            )
        });
    }

    /// Whether frames of both are in one unit.
    pub(super) fn is_one_unit_with(&self, other: &Self) -> bool {
        let one = |text: &Option<String>| text.as_deref().map(str::parse::<Unit>);
        self.unit == other.unit
            || matches!((one(&self.unit), one(&other.unit)), (Some(Ok(a)), Some(Ok(b))) if a == b)
    }

    /// What is worth saying of them.
    pub(super) fn notice(&self, path: &Path) -> Option<Notice> {
        let unit = self.unit.as_ref()?;
        match (&self.stated, &self.usual) {
            (Some(from), _) if self.factor != 1.0 => Some(Notice::note(format!(
                "{}: lengths in {from}: multiplied by {} to {unit}",
                path.display(),
                in_short(self.factor)
            ))),
            (None, Some(usual)) if length_factor(usual, unit, None) != Ok(1.0) => {
                Some(Notice::warning(format!(
                    "{} states no unit of length, and such files are usually in {usual}: its numbers are taken for {unit}, not converted",
                    path.display()
                )))
            }
            _ => None,
        }
    }
}
