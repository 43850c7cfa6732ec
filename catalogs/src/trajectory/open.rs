//! Which format a trajectory has, known by its first bytes, and by the end of its name only where these leave it open.
//!
//! Entry: [`open_trajectory`], [`describe_trajectory`]. A format is one line in `KNOWN`.

use std::fs::File;
use std::io::Read;
use std::path::Path;
use std::sync::Arc;

use super::format::{TrajectoryFormat, TrajectoryRequest};
use super::head::{Head, extension_of, unpacked};
use super::{Atoms, Trajectory, TrajectoryDescription};
use crate::error::{CatalogError, Result};
use crate::stop::{Stop, Watched};

/// Bytes looked at.
const SEEN: u64 = 4096;

/// How a format is recognised and opened.
struct Known {
    format: TrajectoryFormat,
    matches: fn(&Head<'_>) -> bool,
    open: Open,
}

type Open = fn(&Head<'_>, &TrajectoryRequest) -> Result<Box<dyn Trajectory>>;

/// A format, and the module that reads it.
macro_rules! known {
    ($($(#[$built:meta])? $format:ident: $module:ident,)+) => {
        &[$($(#[$built])? Known {
            format: TrajectoryFormat::$format,
            matches: super::$module::matches,
            open: super::$module::open,
        }),+]
    };
}

/// The formats, those with a magic number first; tables last.
const KNOWN: &[Known] = known! {
    Xtc: xtc,
    Trr: trr,
    Dcd: dcd,
    Gsd: gsd,
    AmberNetCdf: netcdf,
    #[cfg(feature = "hdf5")]
    H5md: h5md,
    #[cfg(feature = "hdf5")]
    MdTraj: mdtraj,
    #[cfg(feature = "hdf5")]
    Cadishi: cadishi,
    LammpsDump: lammps,
    Gro: gro,
    Xyz: xyz,
    Pdb: pdb,
    Table: tabular,
};

/// Opens a trajectory of any supported format; text may be gzipped.
///
/// # Errors
/// [`CatalogError::NotFound`], [`CatalogError::UnknownTrajectory`], or what the format's header has wrong.
pub fn open_trajectory(
    path: &Path,
    request: &TrajectoryRequest,
    stop: Stop,
) -> Result<Box<dyn Trajectory>> {
    looked_at(path, stop, |head| known(head, request))
}

/// The format that a file is taken for, before its reader looks at more than its start; `None` of one that is no trajectory.
///
/// # Errors
/// A file that cannot be read, or one of a format that is known and not read.
pub fn trajectory_format(path: &Path, stop: Stop) -> Result<Option<TrajectoryFormat>> {
    looked_at(path, stop, |head| Ok(of(head)?.map(|known| known.format)))
}

fn of(head: &Head<'_>) -> Result<Option<&'static Known>> {
    crate::refused::by_name(head.path, head.bytes)?;
    Ok(KNOWN.iter().find(|known| (known.matches)(head)))
}

fn known(head: &Head<'_>, request: &TrajectoryRequest) -> Result<Box<dyn Trajectory>> {
    match of(head)? {
        Some(known) => (known.open)(head, request),
        None if head.bytes.is_empty() => Err(CatalogError::corrupt(head.path, "it is empty")),
        None => Err(CatalogError::UnknownTrajectory {
            path: head.path.to_owned(),
            first_bytes: crate::open::shown(head.bytes),
        }),
    }
}

/// What is known of the particles by a file of its own: PSF, PDB with all its bonds, or the first frame of any trajectory.
///
/// ```
/// use albireo_catalogs::{Attribute, Stop, open_topology};
/// # let folder = tempfile::tempdir()?;
/// # let path = folder.path().join("water.gro");
/// # std::fs::write(&path, "water\n 1\n    1SOL     OW    1   0.1     0.2     0.3\n 1 1 1\n")?;
/// let atoms = open_topology(&path, Stop::never())?;
/// assert_eq!(atoms.get("name"), Some(&Attribute::of_texts(["OW"])));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// Those of [`open_trajectory`], and what the file has wrong; a trajectory without a frame.
pub fn open_topology(path: &Path, stop: Stop) -> Result<Atoms> {
    looked_at(path, stop, |head| {
        if super::psf::matches(head) {
            return super::psf::read(head);
        }
        let mut trajectory = known(head, &TrajectoryRequest::default())?;
        if trajectory.format() == TrajectoryFormat::Pdb {
            return super::pdb::topology(head);
        }
        let first = trajectory.next_frame()?;
        let first = first.ok_or_else(|| CatalogError::corrupt(path, "it holds no frame"))?;
        Ok(Arc::unwrap_or_clone(first.atoms))
    })
}

/// Whether a file is a structure that comes before its trajectory, as in `rdf conf.gro traj.xtc`: PSF or a single frame, and the other one of
/// frames. Tables and HDF5 of one frame are samples.
///
/// # Errors
/// As [`open_trajectory`] of the trajectory.
pub fn is_structure_before(structure: &Path, trajectory: &Path, stop: &Stop) -> Result<bool> {
    let is_one = looked_at(structure, stop.clone(), |head| {
        if super::psf::matches(head) {
            return Ok(true);
        }
        let mut open = known(head, &TrajectoryRequest::default())?;
        Ok(!open.format().is_catalogue() && open.skip(2)? == 1)
    });
    if !is_one.unwrap_or(false) {
        return Ok(false);
    }
    let frames = open_trajectory(trajectory, &TrajectoryRequest::default(), stop.clone())?;
    Ok(frames.format() != TrajectoryFormat::Table)
}

/// What a trajectory holds, by all of its frames; `None` of files that are none, and of tables, whose columns tell more.
///
/// ```
/// use std::path::Path;
/// use albireo_catalogs::{Stop, describe_trajectory};
///
/// let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/trajectories/water.xtc");
/// let water = describe_trajectory(&path, Stop::never())?.expect("a trajectory");
/// assert_eq!((water.frames, water.particles), (3, [72, 72]));
/// # Ok::<(), albireo_catalogs::CatalogError>(())
/// ```
///
/// # Errors
/// Those of [`Trajectory::next_frame`] and of a header; a trajectory without a frame.
pub fn describe_trajectory(path: &Path, stop: Stop) -> Result<Option<TrajectoryDescription>> {
    looked_at(path, stop, |head| {
        let found = of(head)?.filter(|known| known.format != TrajectoryFormat::Table);
        let Some(known) = found else {
            return Ok(None);
        };
        let opened = |velocities: bool| {
            let request = TrajectoryRequest {
                velocities,
                ..TrajectoryRequest::default()
            };
            (known.open)(head, &request)
        };
        let mut open = match opened(true) {
            // Velocities in a unit that is not known: conditions on them are refused, all else is described.
            Err(CatalogError::Unsupported { .. }) => opened(false)?,
            open => open?,
        };
        let mut described = TrajectoryDescription::of(open.as_mut())?;
        if described.format == TrajectoryFormat::Pdb {
            // Their bonds stand behind the last frame.
            described.bonds = super::pdb::topology(head)?.bonds().len();
        }
        Ok(Some(described))
    })
}

/// Looks at the start of a file.
fn looked_at<T>(path: &Path, stop: Stop, then: impl FnOnce(&Head<'_>) -> Result<T>) -> Result<T> {
    crate::open::refuse_pipe(path)?;
    let io = |error| CatalogError::io(path, error);
    let start = |source: &mut dyn Read| {
        let mut head = Vec::new();
        source.take(SEEN).read_to_end(&mut head).map(|_| head)
    };
    let mut head = start(&mut Watched::new(File::open(path).map_err(io)?, &stop)).map_err(io)?;
    let gzipped = head.starts_with(b"\x1f\x8b");
    if gzipped {
        head = start(&mut unpacked(path, true, &stop)?).map_err(io)?;
    }
    let extension = extension_of(path);
    let head = Head {
        bytes: &head,
        extension: &extension,
        gzipped,
        path,
        stop,
    };
    then(&head)
}
