//! The boxes of a table of frames: columns of the table itself, or a second table with a row a frame.
//!
//! Entry: [`BoxColumns`], [`Boxes`].

use std::collections::HashMap;
use std::path::{Path, PathBuf};

use super::Cell;
use crate::catalog::Request;
use crate::error::{CatalogError, Result};
use crate::open::open_until;
use crate::stop::Stop;

const LENGTHS: [&str; 3] = ["lx", "ly", "lz"];
const VECTORS: [&str; 9] = ["ax", "ay", "az", "bx", "by", "bz", "cx", "cy", "cz"];
/// The second table is looked for under these endings.
const BESIDE: [&str; 2] = ["box.parquet", "box.csv"];

/// Which columns hold the box.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum BoxColumns {
    Lengths,
    Vectors,
}

impl BoxColumns {
    /// Those that are there, vectors before lengths.
    pub(super) fn among(has: impl Fn(&str) -> bool) -> Option<Self> {
        if VECTORS.iter().all(|name| has(name)) {
            Some(Self::Vectors)
        } else if LENGTHS.iter().all(|name| has(name)) {
            Some(Self::Lengths)
        } else {
            None
        }
    }

    pub(super) fn names(self) -> &'static [&'static str] {
        match self {
            Self::Lengths => &LENGTHS,
            Self::Vectors => &VECTORS,
        }
    }

    /// The box of these values, in the order of the names; zeros stand for none.
    pub(super) fn cell(self, values: &[f64]) -> Result<Option<Cell>, String> {
        let cell = match (self, values) {
            (_, values) if values.iter().all(|&value| value == 0.0) => return Ok(None),
            (Self::Lengths, &[x, y, z]) => Cell::orthorhombic([x, y, z]),
            (Self::Vectors, &[ax, ay, az, bx, by, bz, cx, cy, cz]) => {
                Cell::new([[ax, ay, az], [bx, by, bz], [cx, cy, cz]])
            }
            _ => return Ok(None),
        };
        cell.map(Some)
    }
}

/// A second table, read whole: one box a frame.
pub(super) struct Boxes {
    path: PathBuf,
    of_frame: HashMap<i64, Option<Cell>>,
}

impl Boxes {
    /// The table that was named, or one beside the file if there is any.
    pub(super) fn find(
        path: &Path,
        named: Option<&Path>,
        frame: &str,
        stop: &Stop,
    ) -> Result<Option<Self>> {
        if let Some(named) = named {
            return Self::read(named, frame, stop).map(Some);
        }
        let gzipped = path.extension().is_some_and(|ending| ending == "gz");
        let stem = if gzipped {
            path.with_extension("")
        } else {
            path.to_owned()
        };
        let beside = BESIDE.map(|ending| stem.with_extension(ending));
        let found = beside
            .iter()
            .find(|other| other.as_path() != path && other.is_file());
        found
            .map(|found| Self::read(found, frame, stop))
            .transpose()
    }

    fn read(path: &Path, frame: &str, stop: &Stop) -> Result<Self> {
        let mut reader = open_until(path, stop.clone())?;
        let outline = reader.outline(None)?;
        let columns =
            BoxColumns::among(|name| outline.columns.iter().any(|column| column.name == name));
        let columns = columns.ok_or_else(|| {
            let available = outline.columns.iter().map(|column| column.name.clone());
            CatalogError::unknown_column(path, LENGTHS[0], available.collect())
        })?;
        let names = std::iter::once(frame).chain(columns.names().iter().copied());
        let mut table = reader.read(&Request::columns(names))?;
        let frames = table.take(frame)?;
        let values = columns.names().iter().map(|name| table.take(name));
        let values: Vec<Vec<f64>> = values.collect::<Result<_, _>>()?;
        let mut of_frame = HashMap::with_capacity(frames.len());
        for (row, &number) in frames.iter().enumerate() {
            let refuse = |detail: String| {
                CatalogError::corrupt(path, format!("row {row} (from 0): {detail}"))
            };
            let frame = super::column::whole_number(number)
                .ok_or_else(|| refuse(format!("expected the number of a frame, found {number}")))?;
            let of_row: Vec<f64> = values.iter().map(|column| column[row]).collect();
            let cell = columns
                .cell(&of_row)
                .map_err(|reason| refuse(format!("expected a box, found {reason}")))?;
            if of_frame.insert(frame, cell).is_some() {
                return Err(refuse(format!(
                    "expected one box a frame, found frame {frame} twice"
                )));
            }
        }
        Ok(Self {
            path: path.to_owned(),
            of_frame,
        })
    }

    /// The box of a frame.
    pub(super) fn of(&self, frame: i64) -> Result<Option<Cell>> {
        let found = self.of_frame.get(&frame).copied();
        found.ok_or_else(|| {
            CatalogError::corrupt(&self.path, format!("it has no box for frame {frame}"))
        })
    }
}
