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
    /// The path names nothing, but ends with a table in brackets behind the name of a file.
    #[error(
        "{}: no such file, but {} is there: name its table apart from it, on the command line by --table {table}",
        path.display(), file.display()
    )]
    TableInName {
        /// The path asked for.
        path: PathBuf,
        /// The file without the brackets.
        file: PathBuf,
        /// What the brackets hold.
        table: String,
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
    /// Several columns have the name of one that is asked for.
    #[error("{}: {times} columns are called `{column}`: which of them is meant? Rename all but one", path.display())]
    SameName {
        /// The file asked for.
        path: PathBuf,
        /// Their name.
        column: String,
        /// How many they are.
        times: usize,
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
    /// A column of anything but whole numbers was asked for as words of bits.
    #[error("{}: column `{column}` holds no bits: expected whole numbers such as int64, its type is {dtype}", path.display())]
    NotBits {
        /// The file asked for.
        path: PathBuf,
        /// The column asked for.
        column: String,
        /// Its type.
        dtype: String,
    },
    /// A value of a column of bits is no whole number, or has more bits than its type.
    #[error("{}: column `{column}`, row {row} (from 0): expected the bits of a whole number of at most 64 of them, found {found}", path.display())]
    NoWord {
        /// The file asked for.
        path: PathBuf,
        /// The column.
        column: String,
        /// Row, from 0.
        row: u64,
        /// What stands there.
        found: String,
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
    /// Columns of one request differ in length.
    #[error(
        "{}: columns differ in length: `{first}` has {first_rows} rows, `{second}` has {second_rows}",
        path.display()
    )]
    UnequalLengths {
        /// The file asked for.
        path: PathBuf,
        /// One column.
        first: String,
        /// Its rows.
        first_rows: u64,
        /// The other column.
        second: String,
        /// Its rows.
        second_rows: u64,
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
    /// A number of a text file is beyond the largest float64.
    #[error("{}: line {line}, column `{column}`: `{found}` is beyond the largest float64, 1.8e308", path.display())]
    Overflow {
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
    /// A trajectory was read without saying which frame.
    #[error(
        "{}: table `{table}` holds {frames} frames: choose one with the filter `frame == k`, k from 0 to {}",
        path.display(), frames.saturating_sub(1)
    )]
    ChooseFrame {
        /// The file asked for.
        path: PathBuf,
        /// The trajectory.
        table: String,
        /// Its frames.
        frames: u64,
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
    /// A row for which an expression has no result.
    #[error("{}: row {row} (from 0): {error}", path.display())]
    NoResult {
        /// The file asked for.
        path: PathBuf,
        /// The row.
        row: u64,
        /// What has none, and where.
        error: ExpressionError,
    },
    /// What is no key that tables are joined by.
    #[error("{}: column `{column}`, row {row} (from 0): tables are joined by whole numbers, found {found}", path.display())]
    NoKey {
        /// The file.
        path: PathBuf,
        /// The column.
        column: String,
        /// The row.
        row: u64,
        /// What stands there.
        found: String,
    },
    /// A key that stands in two rows of the files that are joined.
    #[error("{}: {key} stands in column `{column}` a second time in row {row} (from 0): rows are joined by it, so that it must be there once", path.display())]
    KeyTwice {
        /// The file of the second.
        path: PathBuf,
        /// The column.
        column: String,
        /// The key.
        key: i128,
        /// The second row.
        row: u64,
    },
    /// Rows whose key the joined files do not have.
    #[error("{}: {rows} of {of} rows have a `{key}` that {} does not have: such rows may be left out or get zeros (--join-missing drop or zero)", path.display(), file.display())]
    KeysAbsent {
        /// The table.
        path: PathBuf,
        /// Its column of keys.
        key: String,
        /// The first of the joined files.
        file: PathBuf,
        /// The rows.
        rows: u64,
        /// All rows.
        of: u64,
    },
    /// A joined column that two files have in different forms.
    #[error("{}: column `{column}` has {found}, expected {expected} as in {}: columns that are joined are alike in all files", path.display(), first.display())]
    JoinedUnlike {
        /// The file.
        path: PathBuf,
        /// The column.
        column: String,
        /// What it has.
        found: Box<str>,
        /// What the first file has.
        expected: Box<str>,
        /// The first file.
        first: PathBuf,
    },
    /// A joined column of a name that the table has.
    #[error("{}: there is a column `{column}` already: columns that are joined need other names", path.display())]
    JoinedTwice {
        /// The table.
        path: PathBuf,
        /// The column.
        column: String,
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
            Some((file, table)) => Self::TableInName {
                path: path.to_owned(),
                file: file.into(),
                table: table.to_owned(),
            },
            None => Self::NotFound {
                path: path.to_owned(),
            },
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
