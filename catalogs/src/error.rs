//! What can go wrong while a catalogue is read.
//!
//! Entry: [`CatalogError`]. Every message says what was expected, what was found and where.
//! Rows count from 0 over the whole table, lines of text files from 1. Result tables have their own `TableError`.

use std::fmt;
use std::io;
use std::path::{Path, PathBuf};

use thiserror::Error;

use crate::Format;
use crate::expression::ExpressionError;
use crate::names::{listed, near, suggested};
use crate::system::in_words;

/// What readers of catalogues and trajectories hand back.
pub type Result<T, E = CatalogError> = std::result::Result<T, E>;

/// Why a catalogue could not be read. Rows count from 0, lines from 1.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum CatalogError {
    /// The path names nothing.
    #[error("{}: no such file", path.display())]
    NotFound {
        /// The file asked for.
        path: PathBuf,
    },
    /// Reading was asked to stop.
    #[error("{}: interrupted while it was read", path.display())]
    Interrupted {
        /// The file being read.
        path: PathBuf,
    },
    /// The operating system refused.
    #[error("{}: {}", path.display(), in_words(reason))]
    Io {
        /// The file asked for.
        path: PathBuf,
        /// The system's reason. Part of the message, so that a report of all causes does not say it twice.
        reason: io::Error,
    },
    /// The content is none of the formats read here.
    #[error(
        "{}: unknown format: the file starts with {first_bytes}; supported are FITS (also .gz), Parquet, HDF5, \
         ECSV and delimited text (also .gz)",
        path.display()
    )]
    UnknownFormat {
        /// The file asked for.
        path: PathBuf,
        /// Its first bytes, printable ones as text.
        first_bytes: String,
    },
    /// The content is none of the formats of trajectories read here.
    #[error(
        "{}: unknown format of a trajectory: the file starts with {first_bytes}; supported are XTC, TRR, DCD, AMBER NetCDF, GSD, H5MD, MDTraj and CADISHI HDF5, \
         LAMMPS dumps, XYZ, GRO, PDB and tables of frames",
        path.display()
    )]
    UnknownTrajectory {
        /// The file asked for.
        path: PathBuf,
        /// Its first bytes, printable ones as text.
        first_bytes: String,
    },
    /// The format is known, but this build leaves it out.
    #[error("{}: this is {format}, and this build has no {format} reader: build with feature `{feature}`", path.display())]
    NotBuiltIn {
        /// The file asked for.
        path: PathBuf,
        /// The format recognised.
        format: Format,
        /// The cargo feature that adds the reader.
        feature: &'static str,
    },
    /// The file holds no table at all.
    #[error("{}: no table in this file: {detail}", path.display())]
    NoTable {
        /// The file asked for.
        path: PathBuf,
        /// What the file holds instead.
        detail: String,
    },
    /// No table has that name.
    #[error("{}: no table `{table}`; the tables are: {}", path.display(), listed(available))]
    UnknownTable {
        /// The file asked for.
        path: PathBuf,
        /// The table asked for.
        table: String,
        /// The tables that exist.
        available: Vec<String>,
    },
    /// No table was named and the file has several.
    #[error("{}: several tables: name one of {} (on the command line by --table)", path.display(), listed(available))]
    AmbiguousTable {
        /// The file asked for.
        path: PathBuf,
        /// The tables to choose from.
        available: Vec<String>,
    },
    /// No column has that name.
    #[error("{}: no column `{column}`{}; the columns are: {}", path.display(), suggested(suggestions), listed(available))]
    UnknownColumn {
        /// The file asked for.
        path: PathBuf,
        /// The column asked for.
        column: String,
        /// Names like it.
        suggestions: Vec<String>,
        /// The columns that exist.
        available: Vec<String>,
    },
    /// A column of text (or another type that is no number) was asked for as numbers.
    #[error("{}: column `{column}` is not numeric: its type is {dtype}", path.display())]
    NotNumeric {
        /// The file asked for.
        path: PathBuf,
        /// The column asked for.
        column: String,
        /// Its type.
        dtype: String,
    },
    /// A column was used as another shape than it has.
    #[error("{}: column `{column}` has {width} components: {expected}", path.display())]
    Shape {
        /// The file asked for.
        path: PathBuf,
        /// The column asked for.
        column: String,
        /// Components of one row.
        width: usize,
        /// What was expected.
        expected: String,
    },
    /// The bytes contradict the format, or end too early.
    #[error("{}: truncated or corrupt: {detail}", path.display())]
    Corrupt {
        /// The file asked for.
        path: PathBuf,
        /// What does not fit.
        detail: String,
    },
    /// A field of a text file is not what its column holds.
    #[error("{}: line {line}, column `{column}`: expected a number, found `{found}`", path.display())]
    Field {
        /// The file asked for.
        path: PathBuf,
        /// Line, from 1.
        line: u64,
        /// The column.
        column: String,
        /// The text found.
        found: String,
    },
    /// A line of a text file has too few or too many fields.
    #[error("{}: line {line}: expected {expected} fields, found {found}", path.display())]
    FieldCount {
        /// The file asked for.
        path: PathBuf,
        /// Line, from 1.
        line: u64,
        /// Fields of the header or the first row.
        expected: usize,
        /// Fields of this line.
        found: usize,
    },
    /// A value is missing.
    #[error("{}: column `{column}`, row {row} (from 0): the value is null", path.display())]
    Null {
        /// The file asked for.
        path: PathBuf,
        /// The column.
        column: String,
        /// Row, from 0.
        row: u64,
    },
    /// An integer has no exact float64.
    #[error(
        "{}: column `{column}`, row {row} (from 0): {value} has no exact float64 (integers beyond 2^53 may not)",
        path.display()
    )]
    Inexact {
        /// The file asked for.
        path: PathBuf,
        /// The column.
        column: String,
        /// Row, from 0.
        row: u64,
        /// The integer found.
        value: String,
    },
    /// A valid encoding that this crate does not decode.
    #[error("{}: {what} is not supported; {advice}", path.display())]
    Unsupported {
        /// The file asked for.
        path: PathBuf,
        /// The encoding found, and where.
        what: String,
        /// How to re-save the file.
        advice: String,
    },
    /// An expression that does not parse.
    #[error(transparent)]
    Syntax(#[from] ExpressionError),
    /// An expression that does not fit the columns of the file.
    #[error("{}: {error}", path.display())]
    Expression {
        /// The file asked for.
        path: PathBuf,
        /// What does not fit, and where.
        error: ExpressionError,
    },
    /// Anything else that the file or what is asked of it gets wrong.
    #[error("{}: {detail}", path.display())]
    Refused {
        /// The file asked for.
        path: PathBuf,
        /// What was expected, what was found and where.
        detail: String,
    },
    /// The columns do not fit into memory.
    #[error("{}: no memory for {rows} rows of {columns} columns ({} MiB)", path.display(), bytes >> 20)]
    Memory {
        /// The file asked for.
        path: PathBuf,
        /// Rows to keep.
        rows: u64,
        /// Columns to keep.
        columns: usize,
        /// The bytes this needs.
        bytes: u64,
    },
}

/// What an interrupted stream of bytes fails with. Not [`io::ErrorKind::Interrupted`], after which readers try again.
#[derive(Debug)]
pub(crate) struct Stopped;

impl fmt::Display for Stopped {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("interrupted")
    }
}

impl std::error::Error for Stopped {}

impl CatalogError {
    pub(crate) fn io(path: &Path, reason: io::Error) -> Self {
        if matches!(reason.get_ref(), Some(inner) if inner.is::<Stopped>()) {
            return Self::Interrupted {
                path: path.to_owned(),
            };
        }
        match reason.kind() {
            io::ErrorKind::NotFound => Self::not_found(path),
            io::ErrorKind::UnexpectedEof => Self::corrupt(path, "the file ends too early"),
            io::ErrorKind::InvalidInput | io::ErrorKind::InvalidData => {
                Self::corrupt(path, in_words(&reason))
            }
            _ => Self::Io {
                path: path.to_owned(),
                reason,
            },
        }
    }

    fn not_found(path: &Path) -> Self {
        let name = path.to_string_lossy();
        let parts = name
            .strip_suffix(']')
            .and_then(|name| name.rsplit_once('['))
            .filter(|(file, table)| !table.is_empty() && Path::new(file).is_file());
        match parts {
            Some((file, table)) => {
                let detail = "name its table apart from it, on the command line by --table";
                Self::refused(
                    path,
                    format!("no such file, but {file} is there: {detail} {table}"),
                )
            }
            None => Self::NotFound {
                path: path.to_owned(),
            },
        }
    }

    pub(crate) fn refused(path: &Path, detail: impl fmt::Display) -> Self {
        Self::Refused {
            path: path.to_owned(),
            detail: detail.to_string(),
        }
    }

    pub(crate) fn unsupported(path: &Path, what: impl Into<String>, advice: &str) -> Self {
        Self::Unsupported {
            path: path.to_owned(),
            what: what.into(),
            advice: advice.to_owned(),
        }
    }

    pub(crate) fn corrupt(path: &Path, detail: impl Into<String>) -> Self {
        Self::Corrupt {
            path: path.to_owned(),
            detail: detail.into(),
        }
    }

    /// No column of that name among those that are there, with the names like it.
    pub fn unknown_column(path: &Path, column: &str, available: Vec<String>) -> Self {
        let suggestions = near(column, &available);
        Self::UnknownColumn {
            path: path.to_owned(),
            column: column.to_owned(),
            suggestions,
            available,
        }
    }
}
