//! Result tables: columns of counts and floats with metadata, written to and read from six formats, and written as curves and in forms of other packages.
//!
//! Entry: [`Table::write`], [`Table::read`]. All of them keep every bit of u64 and finite f64, the names, units and metadata.

mod beside;
mod csv;
mod ecsv;
mod error;
#[cfg(feature = "fits")]
mod fits;
mod format;
#[cfg(feature = "hdf5")]
mod hdf5;
mod json;
mod npy;
#[cfg(feature = "parquet")]
mod parquet;
mod record;
mod tree;
mod txt;
mod xvg;

/// A format that this build lacks.
#[cfg(not(all(feature = "fits", feature = "hdf5", feature = "parquet")))]
macro_rules! absent {
    ($name:literal, $endings:expr, $printed:literal) => {
        super::Row {
            name: $name,
            endings: &$endings,
            about: "Binary, with the record",
            printed: $printed,
            recorded: super::Recorded::Inside,
            write: |_, _, _| Err(super::Failure::NotBuiltIn($name)),
            read: |_| Err(super::Failure::NotBuiltIn($name)),
        }
    };
}
#[cfg(not(all(feature = "fits", feature = "hdf5", feature = "parquet")))]
use absent;

use std::io::{self, Write};
use std::path::{Path, PathBuf};

pub use self::error::TableError;
use self::error::{Failure, at};
pub use self::format::TableFormat;
use self::format::{Recorded, Row};
pub use self::record::ResultKind;
pub use self::tree::Tree;
use crate::names::listed;
use crate::numbers::Values;
use crate::whole_file::WholeFile;

/// All formats, in the order of their names.
const FORMATS: [&Row; 9] = [
    &csv::FORMAT,
    &ecsv::FORMAT,
    &fits::FORMAT,
    &hdf5::FORMAT,
    &json::FORMAT,
    &npy::FORMAT,
    &parquet::FORMAT,
    &txt::FORMAT,
    &xvg::FORMAT,
];

#[cfg(not(feature = "fits"))]
mod fits {
    pub(super) const FORMAT: super::Row = super::absent!("fits", ["fits"], false);
}
#[cfg(not(feature = "hdf5"))]
mod hdf5 {
    pub(super) const FORMAT: super::Row = super::absent!("hdf5", ["h5", "hdf5"], false);

    pub(super) fn read_tree(_: &std::path::Path) -> Result<Option<super::Tree>, super::Failure> {
        Err(super::Failure::NotBuiltIn("hdf5"))
    }
}
#[cfg(not(feature = "parquet"))]
mod parquet {
    pub(super) const FORMAT: super::Row = super::absent!("parquet", ["parquet"], true);
}

/// A result: columns of equal length and metadata.
///
/// ```
/// use albireo_catalogs::{Table, TableColumn, Values};
///
/// let counts = TableColumn::integers("DD", "pairs in the bin", vec![3, 18_446_744_073_709_551_615]);
/// let edges = TableColumn::floats("r_min", "lower edge", vec![0.1, 1.0]).with_unit("Mpc/h");
/// let mut table = Table { columns: vec![edges, counts], ..Table::default() };
/// table.meta.insert("BoxSize".to_owned(), 420.0.into());
///
/// let folder = tempfile::tempdir()?;
/// let path = folder.path().join("dd.ecsv");
/// table.write(&path)?;
/// assert_eq!(Table::read(&path)?, table);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Table {
    /// The columns, in order.
    pub columns: Vec<TableColumn>,
    /// How the table was made; keys in order.
    pub meta: serde_json::Map<String, serde_json::Value>,
}

/// One column of a result.
#[derive(Debug, Clone, PartialEq)]
pub struct TableColumn {
    /// Its name.
    pub name: String,
    /// Its unit, if it has one.
    pub unit: Option<String>,
    /// What it is, in one line; may be empty.
    pub description: String,
    /// Its values.
    pub values: Values,
}

impl TableColumn {
    /// A column of counts without unit.
    pub fn integers(
        name: impl Into<String>,
        description: impl Into<String>,
        values: Vec<u64>,
    ) -> Self {
        Self {
            name: name.into(),
            unit: None,
            description: description.into(),
            values: Values::Integers(values),
        }
    }

    /// The same column of these rows, in any order and any number of times. None of them may lie beyond its own.
    #[must_use]
    pub fn of_rows(&self, rows: impl Iterator<Item = usize>) -> Self {
        let values = match &self.values {
            Values::Integers(values) => Values::Integers(rows.map(|row| values[row]).collect()),
            Values::Floats(values) => Values::Floats(rows.map(|row| values[row]).collect()),
        };
        Self {
            name: self.name.clone(),
            unit: self.unit.clone(),
            description: self.description.clone(),
            values,
        }
    }

    /// Its values one time after another.
    #[must_use]
    pub fn repeated(&self, times: usize) -> Self {
        self.of_rows((0..times).flat_map(|_| 0..self.values.len()))
    }

    /// Each of its values so many times.
    #[must_use]
    pub fn each_repeated(&self, times: usize) -> Self {
        self.of_rows((0..self.values.len() * times).map(|row| row / times))
    }

    /// A column of floats without unit.
    pub fn floats(
        name: impl Into<String>,
        description: impl Into<String>,
        values: Vec<f64>,
    ) -> Self {
        Self {
            name: name.into(),
            unit: None,
            description: description.into(),
            values: Values::Floats(values),
        }
    }

    /// The same column with a unit.
    #[must_use]
    pub fn with_unit(self, unit: impl Into<String>) -> Self {
        Self {
            unit: Some(unit.into()),
            ..self
        }
    }
}

impl Table {
    /// Rows of each column.
    pub fn rows(&self) -> usize {
        self.columns.first().map_or(0, |column| column.values.len())
    }

    /// The column of that name.
    pub fn column(&self, name: &str) -> Option<&TableColumn> {
        self.columns.iter().find(|column| column.name == name)
    }

    /// The record that [`Table::write`] writes beside the file `path`: `xi.csv.json` for `xi.csv`, none for formats with a place for it.
    pub fn record_of(path: &Path) -> Option<PathBuf> {
        let beside = [Recorded::Beside, Recorded::Whole];
        let recorded =
            TableFormat::of(path).is_ok_and(|format| beside.contains(&format.recorded()));
        recorded.then(|| beside::place_of(path))
    }

    /// Whether [`Table::write`] may write to `path`: its extension names a format that this build has, its folder takes files, and
    /// nothing else lies where its record would. Writes nothing that stays.
    ///
    /// # Errors
    /// [`TableError::Refused`] of the extension, [`TableError::NotBuiltIn`], [`TableError::Io`], [`TableError::Occupied`].
    pub fn check_path(path: &Path) -> Result<(), TableError> {
        let small = Self {
            columns: vec![TableColumn::integers("n", "", Vec::new())],
            ..Self::default()
        };
        let format = TableFormat::of(path)?;
        if !format.is_foreign() {
            small.write_to(io::sink(), format)?;
        }
        begin(path)?;
        Self::record_of(path).map_or(Ok(()), |record| begin_record(&record).map(|_| ()))
    }

    /// Writes the table in the format of the file's extension, as a [`WholeFile`]; that of a CSV table has a record beside it.
    ///
    /// # Errors
    /// [`TableError`].
    pub fn write(&self, path: &Path) -> Result<(), TableError> {
        self.write_with(None, path)
    }

    /// Writes the table with the form that another package has for it: beside the columns in HDF5, and in their place in formats that
    /// are foreign ([`TableFormat::is_foreign`]), whose record has them.
    ///
    /// # Errors
    /// [`TableError`].
    pub fn write_with(&self, tree: Option<&Tree>, path: &Path) -> Result<(), TableError> {
        let format = TableFormat::of(path)?;
        self.check()?;
        let mut file = begin(path)?;
        let record = Self::record_of(path)
            .map(|place| begin_record(&place).map(|record| (place, record)))
            .transpose()?;
        format
            .write(self, tree, &mut file)
            .map_err(|error| at(path, error))?;
        let io = |path: &Path| {
            let path = path.to_owned();
            move |reason| TableError::Io { path, reason }
        };
        if let Some((place, mut record)) = record {
            let name = path.file_name().unwrap_or_default().to_string_lossy();
            let rows = file.unfinished().map_err(io(path))?;
            let digest = crate::sha256(rows)
                .map_err(|error| io(path)(io::Error::other(error.to_string())))?;
            beside::write(self, (&name, &digest), format.recorded(), &mut record)
                .map_err(|error| at(&place, error))?;
            // The record first: a file without its own is refused when it is read, so nothing can go unnoticed between the two.
            record.finish().map_err(io(&place))?;
        }
        file.finish().map_err(io(path))
    }

    /// Writes the table to anything that takes bytes; that of a CSV table are its rows, without a record.
    ///
    /// # Errors
    /// [`TableError`]; errors of the writer name no file.
    pub fn write_to<W: Write + Send>(
        &self,
        mut writer: W,
        format: TableFormat,
    ) -> Result<(), TableError> {
        self.check()?;
        format
            .write(self, None, &mut writer)
            .map_err(|error| at(Path::new("output"), error))
    }

    /// Reads a table written by [`Table::write`].
    ///
    /// # Errors
    /// [`TableError::Refused`] of the extension, [`TableError::Io`], [`TableError::Malformed`].
    pub fn read(path: &Path) -> Result<Self, TableError> {
        let format = TableFormat::of(path)?;
        let table = format.read(path);
        let table = table.map_err(|error| at(path, error))?;
        table
            .check()
            .map_err(|error| at(path, Failure::Malformed(error.to_string())))?;
        Ok(table)
    }

    /// The values that another package wrote to an HDF5 file, where its root has a `name` that says what it is, and no columns of ours.
    ///
    /// # Errors
    /// [`TableError::Io`], [`TableError::Malformed`].
    pub fn read_tree(path: &Path) -> Result<Option<Tree>, TableError> {
        if TableFormat::of(path)?.name() != "hdf5" {
            return Ok(None);
        }
        hdf5::read_tree(path).map_err(|error| at(path, error))
    }

    /// Names that every format can hold, and equal lengths.
    fn check(&self) -> Result<(), TableError> {
        for (k, column) in self.columns.iter().enumerate() {
            let name = column.name.as_str();
            let refuse = |reason: &str| {
                let text = format!("column name `{name}`: {reason}");
                Err(TableError::Refused(text))
            };
            if name.is_empty() || name.trim() != name {
                return refuse("it is empty or has blanks around it");
            }
            if name.starts_with('#') || name.contains(|c: char| c.is_control()) {
                return refuse("it starts with # or holds control characters");
            }
            if self.columns[..k].iter().any(|other| other.name == name) {
                return refuse("two columns have it");
            }
            let first = &self.columns[0];
            if column.values.len() != first.values.len() {
                return Err(TableError::Refused(format!(
                    "columns differ in length: `{}` has {} rows, `{name}` has {}",
                    first.name,
                    first.values.len(),
                    column.values.len()
                )));
            }
        }
        Ok(())
    }
}

/// The file to be written.
fn begin(path: &Path) -> Result<WholeFile, TableError> {
    WholeFile::create(path).map_err(|source| TableError::Io {
        path: path.to_owned(),
        reason: source,
    })
}

/// The record to be written, unless that would replace something else.
fn begin_record(path: &Path) -> Result<WholeFile, TableError> {
    match beside::is_free(path) {
        Ok(true) => begin(path),
        Ok(false) => Err(TableError::Occupied {
            path: path.to_owned(),
        }),
        Err(source) => Err(TableError::Io {
            path: path.to_owned(),
            reason: source,
        }),
    }
}

/// A field of a comma-separated line, quoted where it must be.
fn quoted(field: &str) -> std::borrow::Cow<'_, str> {
    if field.contains([',', '"', '\'', ';', '\t', ' ']) {
        format!("\"{}\"", field.replace('"', "\"\"")).into()
    } else {
        field.into()
    }
}

fn write_rows<W: Write>(table: &Table, writer: &mut W) -> io::Result<()> {
    let names: Vec<_> = table
        .columns
        .iter()
        .map(|column| quoted(&column.name))
        .collect();
    writeln!(writer, "{}", names.join(","))?;
    for row in 0..table.rows() {
        let fields: Vec<String> = table
            .columns
            .iter()
            .map(|column| column.values.text(row))
            .collect();
        writeln!(writer, "{}", fields.join(","))?;
    }
    Ok(())
}

/// Reads the line of names and the rows behind it into `columns`, whose names must be those.
fn read_rows<'t>(
    mut lines: impl Iterator<Item = (usize, &'t str)>,
    columns: &mut [TableColumn],
) -> Result<(), Failure> {
    let Some((_, names)) = lines.next() else {
        return Err(Failure::Malformed("no line of names".to_owned()));
    };
    let found = crate::text::split_commas(names);
    let expected: Vec<String> = columns.iter().map(|column| column.name.clone()).collect();
    if found != expected {
        return Err(Failure::Malformed(format!(
            "the columns should be {}, the line of names has {}",
            listed(&expected),
            listed(&found)
        )));
    }
    for (number, line) in lines.filter(|(_, line)| !line.trim().is_empty()) {
        let fields: Vec<&str> = line.split(',').map(str::trim).collect();
        if fields.len() != columns.len() {
            let detail = format!(
                "line {number}: expected {} fields, found {}",
                columns.len(),
                fields.len()
            );
            return Err(Failure::Malformed(detail));
        }
        for (column, field) in columns.iter_mut().zip(fields) {
            if !column.values.push_text(field) {
                let (name, dtype) = (&column.name, column.values.dtype());
                return Err(Failure::Malformed(format!(
                    "line {number}, column `{name}`: `{field}` is no {dtype}"
                )));
            }
        }
    }
    Ok(())
}

/// The description of the columns without their values, as JSON.
fn columns_json(table: &Table) -> serde_json::Value {
    let column = |column: &TableColumn| {
        serde_json::json!({
            "name": column.name,
            "unit": column.unit,
            "description": column.description,
            "dtype": column.values.dtype(),
        })
    };
    table.columns.iter().map(column).collect()
}

/// Columns without values from their description.
fn columns_from_json(json: &serde_json::Value) -> Result<Vec<TableColumn>, Failure> {
    let column = |json: &serde_json::Value| {
        let text = |key: &str| json[key].as_str().map(str::to_owned);
        Some(TableColumn {
            name: text("name")?,
            unit: text("unit"),
            description: text("description").unwrap_or_default(),
            values: Values::empty(&text("dtype")?)?,
        })
    };
    let columns = json
        .as_array()
        .and_then(|list| list.iter().map(column).collect());
    columns.ok_or_else(|| {
        Failure::Malformed("`columns` should list name, unit, description and dtype".to_owned())
    })
}
