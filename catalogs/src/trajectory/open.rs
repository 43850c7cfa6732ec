//! Which format a trajectory has, told by its first bytes, and by the end of its name only where these leave it open.
//!
//! Entry: [`open_trajectory`]. A format is one line in `KNOWN`.

use std::fmt;
use std::fs::File;
use std::io::{BufRead, BufReader, Read};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use flate2::bufread::MultiGzDecoder;

use super::{Atoms, Trajectory};
use crate::error::CatalogError;
use crate::stop::{Stop, Watched};

/// Bytes looked at.
const SEEN: u64 = 4096;

/// A format of trajectories or of single frames.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum TrajectoryFormat {
    /// GROMACS, compressed.
    Xtc,
    /// GROMACS, full precision.
    Trr,
    /// CHARMM, NAMD, LAMMPS, X-PLOR.
    Dcd,
    /// AMBER, NetCDF-3 and NetCDF-4.
    AmberNetCdf,
    /// HOOMD-blue.
    Gsd,
    /// HDF5 by the H5MD 1.1 convention.
    H5md,
    /// HDF5 as CADISHI lays it out.
    Cadishi,
    /// Text dumps of LAMMPS.
    LammpsDump,
    /// XYZ, extended or plain.
    Xyz,
    /// GROMACS structure.
    Gro,
    /// Protein Data Bank.
    Pdb,
    /// A table with a column of frame numbers: Parquet, FITS, HDF5 or delimited text.
    Table,
}

impl fmt::Display for TrajectoryFormat {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Xtc => "XTC",
            Self::Trr => "TRR",
            Self::Dcd => "DCD",
            Self::AmberNetCdf => "AMBER NetCDF",
            Self::Gsd => "GSD",
            Self::H5md => "H5MD",
            Self::Cadishi => "CADISHI HDF5",
            Self::LammpsDump => "LAMMPS dump",
            Self::Xyz => "XYZ",
            Self::Gro => "GRO",
            Self::Pdb => "PDB",
            Self::Table => "table of frames",
        })
    }
}

/// What to read where a file leaves it open.
#[derive(Debug, Clone, Default)]
pub struct TrajectoryRequest {
    /// Tables: FITS HDU, HDF5 group or data set. H5MD: the name of the particles' group.
    pub table: Option<String>,
    /// Tables: the column of frame numbers; `frame` if `None`.
    pub frame: Option<String>,
    /// Tables: the columns of x, y and z; `x`, `y`, `z` or one vector column `position` if `None`.
    pub positions: Option<[String; 3]>,
    /// Tables: a second table with the box of each frame, columns `frame, ax, ay, az, bx, .., cz` or `frame, lx, ly, lz`. `None`: the file of the same name
    /// that ends in `.box.parquet` or `.box.csv` in place of its own ending, if it is there.
    pub boxes: Option<PathBuf>,
}

/// What is known of a file before it is opened.
pub(crate) struct Head<'a> {
    /// Its first bytes, unpacked if it is gzipped.
    pub(crate) bytes: &'a [u8],
    /// The end of its name in lower case, without `.gz`.
    pub(crate) extension: &'a str,
    /// Whether it is gzipped.
    pub(crate) gzipped: bool,
    pub(crate) path: &'a Path,
}

impl Head<'_> {
    /// Whether it is text, not empty, whose name has one of these endings.
    pub(crate) fn is_named(&self, endings: &[&str]) -> bool {
        let text = !self.bytes.is_empty() && crate::open::is_text(self.bytes);
        text && endings.contains(&self.extension)
    }
}

/// How a format is recognised and opened.
struct Known {
    matches: fn(&Head<'_>) -> bool,
    open: Open,
}

type Open = fn(&Head<'_>, &TrajectoryRequest, Stop) -> Result<Box<dyn Trajectory>, CatalogError>;

/// The formats, those with a magic number first; tables last.
const KNOWN: &[Known] = &[
    #[cfg(feature = "hdf5")]
    Known {
        matches: super::h5md::matches,
        open: super::h5md::open,
    },
    #[cfg(feature = "hdf5")]
    Known {
        matches: super::cadishi::matches,
        open: super::cadishi::open,
    },
    Known {
        matches: super::lammps::matches,
        open: super::lammps::open,
    },
    Known {
        matches: super::gro::matches,
        open: super::gro::open,
    },
    Known {
        matches: super::xyz::matches,
        open: super::xyz::open,
    },
    Known {
        matches: super::pdb::matches,
        open: super::pdb::open,
    },
    Known {
        matches: super::tabular::matches,
        open: super::tabular::open,
    },
];

/// Opens a trajectory of any supported format; text may be gzipped.
///
/// # Errors
/// [`CatalogError::NotFound`], [`CatalogError::UnknownFormat`], or what the format's header has wrong.
pub fn open_trajectory(
    path: &Path,
    request: &TrajectoryRequest,
    stop: Stop,
) -> Result<Box<dyn Trajectory>, CatalogError> {
    looked_at(path, stop, |head, stop| known(head, request, stop))
}

fn known(
    head: &Head<'_>,
    request: &TrajectoryRequest,
    stop: Stop,
) -> Result<Box<dyn Trajectory>, CatalogError> {
    match KNOWN.iter().find(|known| (known.matches)(head)) {
        Some(known) => (known.open)(head, request, stop),
        None => Err(CatalogError::UnknownFormat {
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
pub fn open_topology(path: &Path, stop: Stop) -> Result<Atoms, CatalogError> {
    looked_at(path, stop, |head, stop| {
        if super::psf::matches(head) {
            return super::psf::read(head, stop);
        }
        let mut trajectory = known(head, &TrajectoryRequest::default(), stop.clone())?;
        if trajectory.format() == TrajectoryFormat::Pdb {
            return super::pdb::topology(head, stop);
        }
        let first = trajectory.next_frame()?;
        let first = first.ok_or_else(|| CatalogError::corrupt(path, "it holds no frame"))?;
        Ok(Arc::unwrap_or_clone(first.atoms))
    })
}

/// Looks at the start of a file.
fn looked_at<T>(
    path: &Path,
    stop: Stop,
    then: impl FnOnce(&Head<'_>, Stop) -> Result<T, CatalogError>,
) -> Result<T, CatalogError> {
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
    };
    then(&head, stop)
}

/// The bytes of a file, unpacked if it is gzipped, ending when `stop` asks for it.
pub(crate) fn unpacked(
    path: &Path,
    gzipped: bool,
    stop: &Stop,
) -> Result<Box<dyn BufRead + Send>, CatalogError> {
    let file = File::open(path).map_err(|error| CatalogError::io(path, error))?;
    let file = BufReader::with_capacity(1 << 20, Watched::new(file, stop));
    Ok(if gzipped {
        Box::new(BufReader::with_capacity(1 << 20, MultiGzDecoder::new(file)))
    } else {
        Box::new(file)
    })
}

/// The end of a file's name in lower case, without `.gz`.
fn extension_of(path: &Path) -> String {
    let ending = |path: &Path| {
        let ending = path.extension().and_then(|ending| ending.to_str());
        ending.unwrap_or_default().to_lowercase()
    };
    match ending(path).as_str() {
        "gz" => ending(Path::new(path.file_stem().unwrap_or_default())),
        other => other.to_owned(),
    }
}
