//! What a trajectory holds: its frames and times, and the columns of the particles of its first frame.
//!
//! Entry: [`TrajectoryDescription::of`]. All frames are read, one at a time.

use super::{Attribute, Cell, Frame, Trajectory, TrajectoryFormat};
use crate::catalog::{ColumnDescription, TableDescription};
use crate::error::{CatalogError, Result};
use crate::ranges::{Distinct, Range};
use crate::value::Attributes;

/// What a trajectory holds.
#[derive(Debug, Clone)]
pub struct TrajectoryDescription {
    /// Its format.
    pub format: TrajectoryFormat,
    /// The unit of length, where the format or the file says it.
    pub unit: Option<String>,
    /// Number of frames.
    pub frames: u64,
    /// The times of the first and the last of the frames that have one.
    pub times: Option<[f64; 2]>,
    /// The simulation steps of the first and the last of the frames that have one.
    pub steps: Option<[i64; 2]>,
    /// The fewest and the most particles of a frame.
    pub particles: [usize; 2],
    /// The box of the first frame.
    pub cell: Option<Cell>,
    /// Whether any frame has another box than the first.
    pub cell_changes: bool,
    /// Positions and all that is known of the particles of the first frame.
    pub first: TableDescription,
    /// Number of bonds in the first frame.
    pub bonds: usize,
}

impl TrajectoryDescription {
    /// Reads all frames that are left.
    pub(super) fn of(trajectory: &mut dyn Trajectory) -> Result<Self> {
        let unit = trajectory.unit().map(str::to_owned);
        let mut description: Option<Self> = None;
        while let Some(frame) = trajectory.next_frame()? {
            let all = description.get_or_insert_with(|| Self {
                format: trajectory.format(),
                unit: unit.clone(),
                frames: 0,
                times: None,
                steps: None,
                particles: [frame.len(); 2],
                cell: frame.cell,
                cell_changes: false,
                first: table_of(&frame, unit.as_deref()),
                bonds: frame.atoms.bonds().len(),
            });
            all.see(&frame);
        }
        description.ok_or_else(|| CatalogError::corrupt(trajectory.path(), "it holds no frame"))
    }

    fn see(&mut self, frame: &Frame) {
        self.frames += 1;
        if let Some(time) = frame.time {
            self.times = Some([self.times.map_or(time, |[first, _]| first), time]);
        }
        if let Some(step) = frame.step {
            self.steps = Some([self.steps.map_or(step, |[first, _]| first), step]);
        }
        let [least, most] = self.particles;
        self.particles = [least.min(frame.len()), most.max(frame.len())];
        self.cell_changes |= self.cell != frame.cell;
    }
}

/// The columns of the particles of a frame.
fn table_of(frame: &Frame, unit: Option<&str>) -> TableDescription {
    let positions = ["x", "y", "z"].into_iter().zip(&frame.positions);
    let positions = positions.map(|(name, values)| ColumnDescription {
        unit: unit.map(str::to_owned),
        ..of_numbers(name, "float64", values)
    });
    let atoms = &frame.atoms;
    let others = atoms
        .names()
        .filter_map(|name| atoms.get(name).map(|attribute| column_of(name, attribute)));
    TableDescription {
        name: String::new(),
        rows: frame.len() as u64,
        columns: positions.chain(others).collect(),
        attributes: Attributes::default(),
    }
}

#[allow(
    clippy::cast_precision_loss,
    reason = "ranges are of values as they are nearest to float64"
)]
fn column_of(name: &str, attribute: &Attribute) -> ColumnDescription {
    match attribute {
        Attribute::Numbers(values) => of_numbers(name, "float64", values),
        Attribute::Integers(values) => {
            let values: Vec<f64> = values.iter().map(|&value| value as f64).collect();
            of_numbers(name, "int64", &values)
        }
        Attribute::Texts { texts, codes } => {
            let mut used = vec![false; texts.len()];
            for &code in codes {
                used[code as usize] = true;
            }
            let used = texts.iter().zip(used).filter(|(_, used)| *used);
            let used: Vec<String> = used.map(|(text, _)| text.clone()).collect();
            let mut distinct = Distinct::default();
            distinct.see(&used);
            ColumnDescription {
                texts: distinct.texts,
                all_texts: !distinct.more,
                ..described(name, "string", codes.len(), Range::default())
            }
        }
    }
}

fn of_numbers(name: &str, dtype: &str, values: &[f64]) -> ColumnDescription {
    let mut range = Range::default();
    range.see(values, 0);
    described(name, dtype, values.len(), range)
}

fn described(name: &str, dtype: &str, rows: usize, range: Range) -> ColumnDescription {
    ColumnDescription {
        name: name.to_owned(),
        dtype: dtype.to_owned(),
        unit: None,
        width: 1,
        rows: rows as u64,
        min: range.min,
        max: range.max,
        nan_count: range.nan_count,
        null_count: 0,
        texts: Vec::new(),
        all_texts: true,
        packing: None,
    }
}
