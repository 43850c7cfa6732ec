//! What can go wrong between a file and its particles.
//!
//! Entry: [`SampleError`]; `within` says where it arose. Options are named as the command line spells them.

use std::path::Path;

use albireo::error::{DomainError, JobError, ParticlesError, RegionsError, SkyError};
use albireo_catalogs::{Atoms, CatalogError, ExpressionError, did_you_mean};
use thiserror::Error;

/// What readers of samples hand back.
pub type Result<T, E = SampleError> = std::result::Result<T, E>;

/// Why a sample could not be read or placed.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum SampleError {
    /// What the error below it is about: a file, a column, an option.
    #[error("{place}")]
    At {
        /// The place.
        place: String,
        /// What is wrong there.
        source: Box<SampleError>,
    },
    /// Something is asked for that has no meaning, or named more than once: the call must change, not the file.
    #[error("{0}")]
    Call(String),
    /// What files or columns hold makes no sample.
    #[error("{0}")]
    Input(String),
    /// Directions without distances.
    #[error(
        "`{ra}`, `{dec}` need a depth: name it by --distance or --redshift; the columns are: {columns}"
    )]
    NoDepth {
        /// Right ascension.
        ra: String,
        /// Declination.
        dec: String,
        /// The columns there are.
        columns: String,
    },
    /// The caller asked to stop.
    #[error("the count was interrupted before its end; nothing was kept")]
    Interrupted,
    /// A condition on rows that cannot be read.
    #[error(transparent)]
    Filter(#[from] ExpressionError),
    /// A file that cannot be read.
    #[error(transparent)]
    Catalog(#[from] CatalogError),
    /// Values that make no particles, or no place for them.
    #[error(transparent)]
    Library(#[from] albireo::Error),
}

impl SampleError {
    /// A sample that is not there.
    pub(crate) fn missing(role: &str) -> Self {
        Self::Input(format!("this needs the sample `{role}`"))
    }

    /// A sample of no files.
    pub(crate) fn no_file(role: &str) -> Self {
        Self::Input(format!("the sample `{role}` has no file"))
    }

    /// A sample without a row.
    pub(crate) fn empty(path: &Path, rows_read: u64) -> Self {
        Self::Input(format!(
            "{}: the sample is empty: {rows_read} rows were read and none kept",
            path.display()
        ))
    }

    /// A box was asked for that the files do not state.
    pub(crate) fn no_stated_box() -> Self {
        Self::Input(
            "--box file: the file states no box (no attribute such as BoxSize or box/edges)"
                .to_owned(),
        )
    }

    /// A listed pair of particles that there are not.
    pub(crate) fn pair_beyond([one, other]: [u32; 2], particles: usize) -> Self {
        Self::Input(format!(
            "the listed pair {one} {other} is beyond the {particles} particles of the frame (rows count from 0)"
        ))
    }

    /// Columns in memory of different lengths.
    pub(crate) fn unequal(first: (&str, usize), second: (&str, usize)) -> Self {
        Self::Input(format!(
            "columns of one sample must be equally long: `{}` has {} rows, `{}` has {}",
            first.0, first.1, second.0, second.1
        ))
    }

    /// Two columns in memory of one name.
    pub(crate) fn same_name(name: &str) -> Self {
        Self::Input(format!("there are two columns `{name}`"))
    }

    /// Redshifts without a cosmology.
    pub(crate) fn no_cosmology(column: &str) -> Self {
        Self::Input(format!(
            "redshifts (column `{column}`) need --cosmology, such as --cosmology Planck18"
        ))
    }

    /// A column that particles lack.
    pub(crate) fn no_attribute(column: &str, atoms: &Atoms) -> Self {
        let available: Vec<String> = atoms.names().map(str::to_owned).collect();
        let hint = did_you_mean(column, &available);
        let columns = match available.as_slice() {
            [] => "none".to_owned(),
            names => names.join(", "),
        };
        Self::Input(format!(
            "no `{column}` of the particles is known{hint} (columns: {columns}): a file of names, masses and bonds is given by --topology"
        ))
    }

    /// Whether the call must change, not the file.
    pub fn is_wrong_call(&self) -> bool {
        match self {
            Self::At { source, .. } => source.is_wrong_call(),
            other => matches!(other, Self::Call(_)),
        }
    }
}

/// Errors of a stage of the library.
macro_rules! of_the_library {
    ($($error:ty),+) => {
        $(impl From<$error> for SampleError {
            fn from(error: $error) -> Self {
                Self::Library(error.into())
            }
        })+
    };
}

of_the_library!(
    ParticlesError,
    DomainError,
    SkyError,
    RegionsError,
    JobError
);
