//! The formats of result tables: each is a row, with its names and what writes and reads it.
//!
//! Entry: [`TableFormat`]. A format is one file beside this one, with its `FORMAT`, and two lines of the module above: its `mod` and its place in
//! `FORMATS`.

use std::io::Write;
use std::path::Path;

use super::error::{Failure, TableError};
use super::tree::Tree;
use super::{FORMATS, Table, csv, json};

/// What files of a format are called, and how they are written and read.
pub(super) struct Row {
    pub(super) name: &'static str,
    /// Endings of file names, without the dot; the usual one first.
    pub(super) endings: &'static [&'static str],
    /// What it is, in a few words.
    pub(super) about: &'static str,
    /// Whether it may be written to standard output.
    pub(super) printed: bool,
    pub(super) recorded: Recorded,
    /// Writes the table, with the form that another package has for it.
    pub(super) write: fn(&Table, Option<&Tree>, &mut (dyn Write + Send)) -> Result<(), Failure>,
    pub(super) read: fn(&Path) -> Result<Table, Failure>,
}

/// Where files of a format have their record.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Recorded {
    Inside,
    /// Nowhere: its files are written for other programs, and not read back.
    Nowhere,
    /// In a file beside each.
    Beside,
    /// In a file beside each, with the columns: the file itself has a form of another package, which is not read back.
    Whole,
}

/// A format of result tables.
///
/// ```
/// use albireo_catalogs::TableFormat;
/// let format = TableFormat::of("xi.hdf5".as_ref())?;
/// assert_eq!(format.name(), "hdf5");
/// assert_eq!(TableFormat::named("hdf5"), Some(format));
/// # Ok::<(), albireo_catalogs::TableError>(())
/// ```
#[derive(Clone, Copy)]
pub struct TableFormat(&'static Row);

impl std::fmt::Debug for TableFormat {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.0.name)
    }
}

impl PartialEq for TableFormat {
    fn eq(&self, other: &Self) -> bool {
        self.0.name == other.0.name
    }
}

impl Eq for TableFormat {}

/// Comma-separated values.
impl Default for TableFormat {
    fn default() -> Self {
        Self(&csv::FORMAT)
    }
}

impl TableFormat {
    /// One JSON object, which says all of a table.
    pub const JSON: Self = Self(&json::FORMAT);

    /// All formats, in the order of their names.
    pub fn all() -> impl Iterator<Item = Self> {
        FORMATS.into_iter().map(Self)
    }

    /// The format of a name, such as `csv`.
    pub fn named(name: &str) -> Option<Self> {
        Self::all().find(|format| format.0.name == name)
    }

    /// The format that the extension of a file name stands for.
    ///
    /// # Errors
    /// [`TableError::Refused`], which lists the extensions.
    pub fn of(path: &Path) -> Result<Self, TableError> {
        let extension = path.extension().unwrap_or_default().to_string_lossy();
        let extension = extension.to_lowercase();
        let found = Self::all().find(|format| format.0.endings.contains(&extension.as_str()));
        found.ok_or_else(|| {
            let known = Self::endings().collect::<Vec<_>>().join(", ");
            let path = path.display();
            TableError::Refused(format!("{path}: the extension should be one of {known}"))
        })
    }

    /// All endings of file names, with the dot before each.
    pub fn endings() -> impl Iterator<Item = String> {
        let endings = FORMATS.into_iter().flat_map(|row| row.endings);
        endings.map(|ending| format!(".{ending}"))
    }

    /// What it is called.
    pub fn name(self) -> &'static str {
        self.0.name
    }

    /// What it is, in a few words.
    pub fn about(self) -> &'static str {
        self.0.about
    }

    /// Whether it may be written to standard output.
    pub fn is_printed(self) -> bool {
        self.0.printed
    }

    /// Whether files of it have a form of another package, which not every table has; [`Table::write_with`] takes it.
    pub fn is_foreign(self) -> bool {
        self.0.recorded == Recorded::Whole
    }

    /// Whether its files give the result back.
    pub fn is_read(self) -> bool {
        matches!(self.0.recorded, Recorded::Inside | Recorded::Beside)
    }

    /// The usual ending of its files, without the dot.
    pub fn ending(self) -> &'static str {
        self.0.endings[0]
    }

    /// The usual endings of files that give a result back, for a message.
    ///
    /// ```
    /// let endings = albireo_catalogs::TableFormat::endings_to_read();
    /// assert!(endings.starts_with(".csv, .ecsv, ") && endings.ends_with(" or .parquet"));
    /// ```
    pub fn endings_to_read() -> String {
        let all = Self::all().filter(|format| format.is_read());
        let all: Vec<String> = all.map(|format| format!(".{}", format.ending())).collect();
        match all.split_last() {
            Some((last, others)) => format!("{} or {last}", others.join(", ")),
            None => String::new(),
        }
    }

    /// Where files of it have their record.
    pub(super) fn recorded(self) -> Recorded {
        self.0.recorded
    }

    pub(super) fn write(
        self,
        table: &Table,
        tree: Option<&Tree>,
        writer: &mut (dyn Write + Send),
    ) -> Result<(), Failure> {
        (self.0.write)(table, tree, writer)
    }

    pub(super) fn read(self, path: &Path) -> Result<Table, Failure> {
        (self.0.read)(path)
    }
}
