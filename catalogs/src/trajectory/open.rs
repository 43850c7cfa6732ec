//! Which format a trajectory has, told by its first bytes, and by the end of its name only where these leave it open.
//!
//! Entry: [`open_trajectory`]. A format is one line in `KNOWN`.

use std::fs::File;
use std::io::Read;
use std::path::Path;

use super::Trajectory;
use super::format::TrajectoryRequest;
use super::head::{Head, extension_of, unpacked};
use crate::error::CatalogError;
use crate::stop::{Stop, Watched};

/// Bytes looked at.
const SEEN: u64 = 4096;

/// How a format is recognised and opened.
struct Known {
    matches: fn(&Head<'_>) -> bool,
    open: Open,
}

type Open = fn(&Head<'_>, &TrajectoryRequest, Stop) -> Result<Box<dyn Trajectory>, CatalogError>;

/// The formats, those with a magic number first; tables last.
const KNOWN: &[Known] = &[
    Known {
        matches: super::xtc::matches,
        open: super::xtc::open,
    },
    Known {
        matches: super::trr::matches,
        open: super::trr::open,
    },
    Known {
        matches: super::dcd::matches,
        open: super::dcd::open,
    },
    Known {
        matches: super::gsd::matches,
        open: super::gsd::open,
    },
    Known {
        matches: super::netcdf::matches,
        open: super::netcdf::open,
    },
];

/// Opens a trajectory of any supported format; text may be gzipped.
///
/// # Errors
/// [`CatalogError::NotFound`], [`CatalogError::UnknownTrajectory`], or what the format's header has wrong.
pub fn open_trajectory(
    path: &Path,
    request: &TrajectoryRequest,
    stop: Stop,
) -> Result<Box<dyn Trajectory>, CatalogError> {
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
    match KNOWN.iter().find(|known| (known.matches)(&head)) {
        Some(known) => (known.open)(&head, request, stop),
        None if head.bytes.is_empty() => Err(CatalogError::corrupt(path, "it is empty")),
        None => Err(CatalogError::UnknownTrajectory {
            path: path.to_owned(),
            first_bytes: crate::open::shown(head.bytes),
        }),
    }
}
