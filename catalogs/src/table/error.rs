//! What can go wrong with a result table.
//!
//! Entry: [`TableError`]; inside the formats, [`Failure`], which names no file.

use std::io;
use std::path::{Path, PathBuf};

use thiserror::Error;

#[cfg(any(feature = "fits", feature = "hdf5"))]
use crate::error::CatalogError;
use crate::system::in_words;

/// Why a result table could not be written or read.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum TableError {
    /// Something else lies where the record of a table belongs.
    #[error("{}: the record of the result would go here, but another file has that name: move it, or name the result otherwise", path.display())]
    Occupied {
        /// The file that stays as it is.
        path: PathBuf,
    },
    /// The operating system refused.
    #[error("{}: {}", path.display(), in_words(reason))]
    Io {
        /// The file.
        path: PathBuf,
        /// The system's reason. Part of the message, so that a report of all causes does not say it twice.
        reason: io::Error,
    },
    /// The file is no result table.
    #[error("{}: not a result table: {detail}", path.display())]
    Malformed {
        /// The file.
        path: PathBuf,
        /// What does not fit, and where.
        detail: String,
    },
    /// Anything else that names, columns or metadata get wrong.
    #[error("{0}")]
    Refused(String),
    /// This build leaves the format out.
    #[error("this build has no such tables: build with feature `{0}`")]
    NotBuiltIn(&'static str),
}

/// What a format's own code can fail with; the file's name is added outside.
#[derive(Debug)]
pub(super) enum Failure {
    Io(io::Error),
    Malformed(String),
    /// Files of this ending hold a form that the table does not have.
    NoForm(&'static str),
    #[cfg(not(all(feature = "fits", feature = "hdf5", feature = "parquet")))]
    NotBuiltIn(&'static str),
}

impl From<io::Error> for Failure {
    fn from(error: io::Error) -> Self {
        if error.kind() == io::ErrorKind::InvalidData {
            Self::Malformed(in_words(&error))
        } else {
            Self::Io(error)
        }
    }
}

#[cfg(any(feature = "fits", feature = "hdf5"))]
impl From<CatalogError> for Failure {
    fn from(error: CatalogError) -> Self {
        match error {
            CatalogError::Io { reason, .. } => Self::Io(reason),
            CatalogError::NotFound { .. } => Self::Io(std::io::ErrorKind::NotFound.into()),
            CatalogError::Corrupt { detail, .. } => Self::Malformed(detail),
            other => Self::Malformed(other.to_string()),
        }
    }
}

/// Adds the file.
pub(super) fn at(path: &Path, failure: Failure) -> TableError {
    match failure {
        Failure::Io(reason) => TableError::Io {
            path: path.to_owned(),
            reason,
        },
        Failure::Malformed(detail) => TableError::Malformed {
            path: path.to_owned(),
            detail,
        },
        Failure::NoForm(ending) => TableError::Refused(format!(
            "{}: {ending} holds pair counts and what is estimated of them, as xi, wp and count make them, in the form of pycorr: this result has no such form",
            path.display()
        )),
        #[cfg(not(all(feature = "fits", feature = "hdf5", feature = "parquet")))]
        Failure::NotBuiltIn(feature) => TableError::NotBuiltIn(feature),
    }
}
