//! Tables with a row a particle and frame, of any format of catalogues: the rows of a frame stand together. Without frame numbers all rows are one frame.
//!
//! Entry: [`open`]. A frame at a time is in memory, and what threads decode ahead.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::blocks::{Origin, Place};
use super::boxes::Boxes;
use super::column::{Column, share, whole_number};
use super::cursor::Cursor;
use super::head::Head;
use super::layout::{Layout, Other};
use super::memory::MemoryTable;
use super::{Atoms, Cell, Frame, Trajectory, TrajectoryFormat, TrajectoryRequest, passed_over};
use crate::block::{Block, Cells};
use crate::error::{CatalogError, Result};
use crate::open::recognise;
use crate::reader::Backend;
use crate::stop::Stop;
use crate::value::Attributes;

/// Whether it is a file of catalogues, or one of which they say best what it lacks.
pub(super) fn matches(head: &Head<'_>) -> bool {
    let recognised = recognise(head.path, &Stop::never());
    !matches!(recognised, Err(CatalogError::UnknownFormat { .. }))
}

/// Opens a table and finds its columns.
pub(super) fn open(head: &Head<'_>, request: &TrajectoryRequest) -> Result<Box<dyn Trajectory>> {
    let place = Place::File(head.path.to_owned());
    Ok(Box::new(of_place(place, request, head.stop.clone())?))
}

/// The frames of a table in memory, by the rules for those of files.
///
/// # Errors
/// Those of [`open_trajectory`](super::open_trajectory).
pub fn frames_of_table(
    table: &MemoryTable,
    request: &TrajectoryRequest,
    stop: Stop,
) -> Result<Box<dyn Trajectory>> {
    let mut frames = of_place(Place::Memory(table.clone()), request, stop)?;
    let unit = table.unit().map(str::to_owned);
    frames.layout.unit = frames.layout.unit.take().or(unit);
    frames.format = TrajectoryFormat::Memory;
    Ok(Box::new(frames))
}

fn of_place(place: Place, request: &TrajectoryRequest, stop: Stop) -> Result<TableTrajectory> {
    let mut backend = place.backend(stop.clone())?;
    let (layout, schema, asked) = Layout::find(backend.as_mut(), request)?;
    let path = place.path().to_owned();
    // Beside what lies in memory there is no file.
    let beside = layout.boxes.is_none() && matches!(place, Place::File(_));
    let boxes = if request.boxes.is_some() || beside {
        Boxes::find(&path, request.boxes.as_deref(), &layout.frame_name, &stop)?
    } else {
        None
    };
    let format = Backend::format(&*backend);
    let seeks = backend.seeks();
    let origin = Origin::new(
        place,
        (format, &schema, seeks),
        asked,
        &layout.components,
        &stop,
    );
    let frame_name = layout.frame_name.clone();
    let first = layout.positions[0].unwrap_or_default();
    let numbers = origin.of_component(layout.frame.unwrap_or(first));
    Ok(TableTrajectory {
        path,
        format: TrajectoryFormat::Table,
        rows: Cursor::new(origin, (layout.frame, &frame_name)),
        numbers: Cursor::new(numbers, (layout.frame.map(|_| 0), &frame_name)),
        layout,
        boxes,
        attributes: schema.attributes,
        seen: HashMap::new(),
        number: 0,
        atoms: Arc::default(),
        room: 0,
        stop,
    })
}

struct TableTrajectory {
    path: PathBuf,
    format: TrajectoryFormat,
    layout: Layout,
    boxes: Option<Boxes>,
    attributes: Attributes,
    rows: Cursor,
    /// The column of frame numbers alone, by which frames are passed over.
    numbers: Cursor,
    /// The first row of every frame so far.
    seen: HashMap<i64, u64>,
    number: u64,
    atoms: Arc<Atoms>,
    /// Particles of the frame before.
    room: usize,
    stop: Stop,
}

/// A frame as its rows come.
struct Rows {
    frame: i64,
    positions: [Vec<f64>; 3],
    others: Vec<Column>,
    /// Values of the columns of the box, of step and of time, and how many rows there are.
    of_box: Vec<f64>,
    step: Option<f64>,
    time: Option<f64>,
    count: usize,
}

impl Trajectory for TableTrajectory {
    fn format(&self) -> TrajectoryFormat {
        self.format
    }

    fn path(&self) -> &Path {
        &self.path
    }

    fn unit(&self) -> Option<&str> {
        self.layout.unit.as_deref()
    }

    fn frames(&self) -> Option<u64> {
        self.layout.frame.is_none().then_some(1)
    }

    fn attributes(&self) -> Option<&Attributes> {
        Some(&self.attributes)
    }

    fn next_frame(&mut self) -> Result<Option<Frame>> {
        self.step()
    }

    fn skip(&mut self, frames: u64) -> Result<u64> {
        if self.rows.seeks() {
            self.jump(frames)
        } else {
            passed_over(frames, || self.pass(true))
        }
    }
}

impl TableTrajectory {
    fn step(&mut self) -> Result<Option<Frame>> {
        self.stop.check(&self.path)?;
        let Some(frame) = self.rows.frame()? else {
            return Ok(None);
        };
        self.begin(frame, self.rows.row())?;
        let mut rows = Rows::new(frame, &self.layout, self.room);
        while self.rows.frame()? == Some(frame) {
            if let Some((block, run)) = self.rows.run() {
                rows.take(&self.path, &self.layout, block, run)?;
            }
        }
        self.finish(rows).map(Some)
    }

    fn cursor(&mut self, of_all: bool) -> &mut Cursor {
        if of_all {
            &mut self.rows
        } else {
            &mut self.numbers
        }
    }

    /// Passes over the next frame, of all columns or of that of frame numbers, and says whether there was one.
    fn pass(&mut self, of_all: bool) -> Result<bool> {
        self.stop.check(&self.path)?;
        let Some(frame) = self.cursor(of_all).frame()? else {
            return Ok(false);
        };
        let row = self.cursor(of_all).row();
        self.begin(frame, row)?;
        while self.cursor(of_all).frame()? == Some(frame) {
            self.cursor(of_all).run();
        }
        self.number += 1;
        Ok(true)
    }

    /// Passes over frames of which nothing but the numbers is decoded.
    fn jump(&mut self, frames: u64) -> Result<u64> {
        if frames == 0 {
            return Ok(0);
        }
        self.numbers.seek(self.rows.row());
        let passed = passed_over(frames, || self.pass(false))?;
        // Behind the last row the end of the table is found by looking for it.
        self.numbers.frame()?;
        self.rows.seek(self.numbers.row());
        Ok(passed)
    }

    /// Notes where a frame begins, which it may once.
    fn begin(&mut self, frame: i64, row: u64) -> Result<()> {
        match self.seen.insert(frame, row) {
            None => Ok(()),
            Some(before) => {
                let detail = format!(
                    "frame {frame} begins in row {before} (from 0) and again in row {row}: expected the rows of a frame together, as after a sort by `{}`",
                    self.layout.frame_name
                );
                Err(CatalogError::corrupt(&self.path, detail))
            }
        }
    }

    fn finish(&mut self, rows: Rows) -> Result<Frame> {
        let frame = rows.frame;
        let cell = self.cell(&rows)?;
        let (step, time) = (rows.step.and_then(whole_number), rows.time);
        let mut positions = rows.positions;
        // A table without z lies in the plane.
        positions[2].resize(rows.count, 0.0);
        let mut atoms = Atoms::new(rows.count);
        for (other, column) in self.layout.others.iter().zip(rows.others) {
            let attribute = column.finish();
            if attribute.len() != rows.count {
                let detail = format!(
                    "frame {frame}: column `{}` has {} values, expected {}",
                    other.name,
                    attribute.len(),
                    rows.count
                );
                return Err(CatalogError::corrupt(&self.path, detail));
            }
            atoms = atoms.with(&other.name, attribute);
        }
        self.number += 1;
        self.room = self.room.max(rows.count);
        Ok(Frame {
            number: self.number - 1,
            step,
            time,
            cell,
            positions,
            atoms: share(&mut self.atoms, Some(atoms)),
        })
    }

    fn cell(&self, rows: &Rows) -> Result<Option<Cell>> {
        let frame = rows.frame;
        if let Some(boxes) = &self.boxes {
            return boxes.of(frame);
        }
        let Some((columns, _)) = &self.layout.boxes else {
            return Ok(None);
        };
        let cell = columns.cell(&rows.of_box);
        cell.map_err(|reason| {
            CatalogError::corrupt(
                &self.path,
                format!("frame {frame}: expected a box, found {reason}"),
            )
        })
    }
}

impl Rows {
    fn new(frame: i64, layout: &Layout, room: usize) -> Self {
        Self {
            frame,
            positions: [(); 3].map(|()| Vec::with_capacity(room)),
            others: layout.others.iter().map(Other::column).collect(),
            of_box: Vec::new(),
            step: None,
            time: None,
            count: 0,
        }
    }

    /// Appends the rows `from..to` of a block.
    fn take(
        &mut self,
        path: &Path,
        layout: &Layout,
        block: &Block,
        (from, to): (usize, usize),
    ) -> Result<()> {
        let numbers = |place: usize| match &block.cells[place] {
            Cells::Numbers(values) => Ok(&values[from..to]),
            _ => Err(CatalogError::corrupt(
                path,
                "a numeric column turned out to be something else",
            )),
        };
        for (axis, place) in self.positions.iter_mut().zip(layout.positions) {
            if let Some(place) = place {
                axis.extend_from_slice(numbers(place)?);
            }
        }
        for (column, other) in self.others.iter_mut().zip(&layout.others) {
            let row = block.first_row + from as u64;
            other.take(path, column, &block.cells[other.component], (from, to), row)?;
        }
        if let Some((columns, places)) = &layout.boxes {
            for (k, (&place, name)) in places.iter().zip(columns.names()).enumerate() {
                let values = numbers(place)?;
                if self.count == 0 {
                    self.of_box.push(values[0]);
                }
                let first = self.of_box[k];
                if let Some(row) = values
                    .iter()
                    .position(|value| value.to_bits() != first.to_bits())
                {
                    let detail = format!(
                        "frame {}, row {} (from 0), column `{name}`: expected {first} as in the frame's first row, found {}",
                        self.frame,
                        block.first_row + (from + row) as u64,
                        values[row]
                    );
                    return Err(CatalogError::corrupt(path, detail));
                }
            }
        }
        if self.count == 0 {
            let first =
                |place: Option<usize>| place.map(|place| numbers(place).map(|values| values[0]));
            self.step = first(layout.step).transpose()?;
            self.time = first(layout.time).transpose()?;
        }
        self.count += to - from;
        Ok(())
    }
}
