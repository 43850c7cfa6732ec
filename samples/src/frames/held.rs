//! What files hold for g(r): frames with their species, or particles that are all alike.
//!
//! Entry: [`held`], and [`held_given`] of what lies in memory.

use std::path::PathBuf;

use albireo_catalogs::{
    CatalogError, CatalogReader, Filter, MemoryTable, Stop, Trajectory, TrajectoryRequest,
    frames_of_table, open_trajectory, open_until, trajectory_format,
};

use super::chosen::USUAL;
use crate::given::Given;

/// What files hold for g(r).
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Held {
    /// Frames: a trajectory by its format, or a table of several of which no condition chooses some.
    Frames,
    /// One table of one frame, with this column of species.
    Species(String),
    /// Particles, all alike.
    Particles {
        /// A column of species that nothing is made of: there are several tables, a condition names frames, or positions are no columns of frames.
        unused: Option<String>,
    },
}

/// The column of the frame numbers where none is named.
const FRAME: &str = "frame";

/// What files hold for g(r), by the format of the first and the names of its columns.
///
/// ```
/// use albireo_samples::{Held, Stop, held};
/// # let folder = tempfile::tempdir()?;
/// # let path = folder.path().join("water.csv");
/// # std::fs::write(&path, "species,x,y,z\nO,0,0,0\nH,1,0,0\n")?;
/// let water = held(&[path], &Default::default(), None, &Stop::never());
/// assert_eq!(water, Held::Species("species".to_owned()));
/// # Ok::<(), std::io::Error>(())
/// ```
pub fn held(
    paths: &[PathBuf],
    request: &TrajectoryRequest,
    filter: Option<&Filter>,
    stop: &Stop,
) -> Held {
    let Some(first) = paths.first() else {
        return Held::Particles { unused: None };
    };
    // What is wrong with a file that is no catalogue its own reader says.
    match trajectory_format(first, stop.clone()) {
        Ok(Some(format)) if format.is_catalogue() => {}
        Ok(Some(_)) => return Held::Frames,
        _ => return Held::Particles { unused: None },
    }
    Tables::Files(paths).held(request, filter, stop)
}

/// As [`held`], of what lies in memory.
pub fn held_given(
    given: &Given,
    request: &TrajectoryRequest,
    filter: Option<&Filter>,
    stop: &Stop,
) -> Held {
    match given.table() {
        _ if given.frames().is_some() => Held::Frames,
        Some(Ok(table)) => Tables::Memory(table).held(request, filter, stop),
        // What is wrong with columns is said where they are read.
        _ => Held::Particles { unused: None },
    }
}

/// Tables that may be frames.
enum Tables<'a> {
    /// At least one.
    Files(&'a [PathBuf]),
    Memory(MemoryTable),
}

impl Tables<'_> {
    fn held(&self, request: &TrajectoryRequest, filter: Option<&Filter>, stop: &Stop) -> Held {
        let column = request.frame.as_deref().unwrap_or(FRAME);
        let names_frame = filter.is_some_and(|filter| filter.columns().contains(&column));
        if !names_frame && self.are_frames(request, stop) {
            return Held::Frames;
        }
        let one = TrajectoryRequest {
            undivided: true,
            ..request.clone()
        };
        match self.species(request, stop) {
            Some(column) if self.is_one() && !names_frame && self.open(&one, stop).is_ok() => {
                Held::Species(column)
            }
            unused => Held::Particles { unused },
        }
    }

    fn is_one(&self) -> bool {
        match self {
            Self::Files(paths) => paths.len() == 1,
            Self::Memory(_) => true,
        }
    }

    /// The frames of the first.
    fn open(
        &self,
        request: &TrajectoryRequest,
        stop: &Stop,
    ) -> Result<Box<dyn Trajectory>, CatalogError> {
        match self {
            Self::Files(paths) => open_trajectory(&paths[0], request, stop.clone()),
            Self::Memory(table) => frames_of_table(table, request, stop.clone()),
        }
    }

    /// Whether they have a column of frame numbers, and one of them alone several frames.
    fn are_frames(&self, request: &TrajectoryRequest, stop: &Stop) -> bool {
        let opened = self.open(request, stop);
        opened.is_ok_and(|mut frames| !self.is_one() || matches!(frames.skip(2), Ok(2)))
    }

    /// The usual column of species of the first.
    fn species(&self, request: &TrajectoryRequest, stop: &Stop) -> Option<String> {
        let mut reader: Box<dyn CatalogReader> = match self {
            Self::Files(paths) => open_until(&paths[0], stop.clone()).ok()?,
            Self::Memory(table) => Box::new(table.clone()),
        };
        let outline = reader.outline(request.table.as_deref()).ok()?;
        let has = |name: &&str| outline.columns.iter().any(|column| column.name == *name);
        USUAL.into_iter().find(has).map(str::to_owned)
    }
}
