//! What files hold for g(r): frames with their species, or particles that are all alike.
//!
//! Entry: [`held`].

use std::path::{Path, PathBuf};

use albireo_catalogs::{
    Filter, Stop, TrajectoryRequest, open_trajectory, open_until, trajectory_format,
};

use super::chosen::USUAL;

/// What files hold for g(r).
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Held {
    /// Frames: a trajectory by its format, or a table of several of which no condition chooses some.
    Frames,
    /// One table of one frame, with this column of species.
    Species(String),
    /// Particles, all alike.
    Particles {
        /// A column of species that nothing is made of, since there are several tables or a condition names frames.
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
    let column = request.frame.as_deref().unwrap_or(FRAME);
    let names_frame = filter.is_some_and(|filter| filter.columns().contains(&column));
    if !names_frame && are_frames(paths, request, stop) {
        return Held::Frames;
    }
    let species = species_of(first, request, stop);
    match species {
        Some(column) if paths.len() == 1 && !names_frame => Held::Species(column),
        unused => Held::Particles { unused },
    }
}

/// Whether tables have a column of frame numbers, and one of them alone several frames.
fn are_frames(paths: &[PathBuf], request: &TrajectoryRequest, stop: &Stop) -> bool {
    let opened = open_trajectory(&paths[0], request, stop.clone());
    opened.is_ok_and(|mut frames| paths.len() > 1 || matches!(frames.skip(2), Ok(2)))
}

/// The usual column of species of a table that can be read as one frame.
fn species_of(path: &Path, request: &TrajectoryRequest, stop: &Stop) -> Option<String> {
    let one = TrajectoryRequest {
        undivided: true,
        ..request.clone()
    };
    let mut table = open_until(path, stop.clone()).ok()?;
    let outline = table.outline(request.table.as_deref()).ok()?;
    let has = |name: &&str| outline.columns.iter().any(|column| column.name == *name);
    let found = USUAL.into_iter().find(has)?;
    open_trajectory(path, &one, stop.clone()).ok()?;
    Some(found.to_owned())
}
