//! Particles that move: frames of positions with their box, one after the other, in bounded memory.
//!
//! Entry: [`open_trajectory`] gives a [`Trajectory`], whose [`Frame`]s hold positions, [`Cell`] and [`Atoms`]. One file a format, each with a line in
//! `open.rs`. Knows no domain and no bins.

#![allow(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    clippy::cast_possible_wrap,
    reason = "counts that files name are checked against their bytes, words are read with the signs of their format"
)]

mod atoms;
mod blocks;
mod boxes;
mod bytes;
#[cfg(feature = "hdf5")]
mod cadishi;
mod cell;
mod column;
mod cursor;
mod dcd;
mod description;
mod format;
mod gro;
mod gsd;
#[cfg(feature = "hdf5")]
mod h5md;
#[cfg(feature = "hdf5")]
mod h5md_topology;
mod head;
mod ipi;
mod lammps;
mod layout;
mod lines;
#[cfg(feature = "hdf5")]
mod mdtraj;
mod memory;
mod netcdf;
mod numbered;
mod open;
mod pdb;
mod psf;
mod table;
mod tabular;
mod texts;
mod trr;
mod xtc;
mod xyz;

use std::path::Path;
use std::sync::Arc;

pub use atoms::{Atoms, Attribute};
pub use cell::Cell;
pub use description::TrajectoryDescription;
pub use format::{TrajectoryFormat, TrajectoryRequest};
pub use layout::{FRAME_NAMES, TIME_NAMES, are_times_of_frames};
pub use memory::{MemoryColumn, MemoryComponents, MemoryTable};
pub use open::{
    describe_trajectory, is_structure_before, open_topology, open_trajectory, trajectory_format,
};
pub use tabular::frames_of_table;

use crate::error::Result;
use crate::value::Attributes;

/// One frame of a trajectory.
#[derive(Debug, Clone)]
pub struct Frame {
    /// Its number in its file, from 0.
    pub number: u64,
    /// The simulation step, where the file tells it.
    pub step: Option<i64>,
    /// The time in the file's own unit, where the file tells it.
    pub time: Option<f64>,
    /// The box; `None` where the file states none.
    pub cell: Option<Cell>,
    /// x, y and z of each particle, in the unit of the file: float32 widened exactly, decimals rounded to the nearest float64. Never wrapped.
    pub positions: [Vec<f64>; 3],
    /// What is known of the particles. Frames whose particles are the same share one: `Arc::ptr_eq` tells cheaply.
    pub atoms: Arc<Atoms>,
}

impl Frame {
    /// Number of particles.
    pub fn len(&self) -> usize {
        self.positions[0].len()
    }

    /// Whether it holds no particle.
    pub fn is_empty(&self) -> bool {
        self.positions[0].is_empty()
    }
}

/// Hands out the frames of one file in order. Memory holds a few frames at most, for files of any length.
///
/// ```
/// use std::path::Path;
/// use albireo_catalogs::{Stop, TrajectoryRequest, open_trajectory};
///
/// let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/trajectories/water.xtc");
/// let mut water = open_trajectory(&path, &TrajectoryRequest::default(), Stop::never())?;
/// assert_eq!((water.frames(), water.unit()), (Some(3), Some("nm")));
/// water.skip(1)?;
/// while let Some(frame) = water.next_frame()? {
///     assert_eq!(frame.len(), 72);
///     assert!(frame.cell.is_some_and(|cell| cell.volume() > 5.6));
/// }
/// # Ok::<(), albireo_catalogs::CatalogError>(())
/// ```
pub trait Trajectory: Send {
    /// The format found.
    fn format(&self) -> TrajectoryFormat;

    /// The file.
    fn path(&self) -> &Path;

    /// The unit of length, such as `nm` or `Angstrom`, where the format or the file says it.
    fn unit(&self) -> Option<&str>;

    /// Whether [`Trajectory::unit`] is what the file states or its format defines, not what programs usually write in it: XYZ without `Unit=` and DCD.
    fn states_unit(&self) -> bool {
        true
    }

    /// What the header of a table says of all frames, such as their box; `None` of other formats.
    fn attributes(&self) -> Option<&Attributes> {
        None
    }

    /// Number of frames, where it is known without reading them all.
    fn frames(&self) -> Option<u64>;

    /// The next frame; `None` behind the last one.
    ///
    /// # Errors
    /// [`CatalogError`](crate::CatalogError): a frame that is cut short or contradicts its format, named with its number.
    fn next_frame(&mut self) -> Result<Option<Frame>>;

    /// Passes over up to `frames` frames and says how many there were. Formats that can seek do not read them.
    ///
    /// # Errors
    /// As [`Trajectory::next_frame`].
    fn skip(&mut self, frames: u64) -> Result<u64> {
        passed_over(frames, || Ok(self.next_frame()?.is_some()))
    }
}

/// Passes over up to `frames` frames, one by `hop`, which says whether there was one.
fn passed_over(frames: u64, mut hop: impl FnMut() -> Result<bool>) -> Result<u64> {
    let mut passed = 0;
    while passed < frames && hop()? {
        passed += 1;
    }
    Ok(passed)
}
