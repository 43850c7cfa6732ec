//! What is asked of a reader and what it hands back.
//!
//! Entry: [`Request`] in, [`Catalog`] or [`Description`] out. Nothing here opens a file.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::error::{CatalogError, Result};
use crate::rows::RowRange;
use crate::texts::Texts;
use crate::value::{Attributes, Value};
use crate::words::Words;
use crate::{FileFunctions, Filter, Format};

/// Which table, columns and rows to read.
#[derive(Debug, Clone, Default)]
pub struct Request {
    /// FITS: HDU number, the primary being 0, or `EXTNAME`. HDF5: path of a group or of a compound data set. `None`: the
    /// only table, or the only one that has all columns asked for.
    pub table: Option<String>,
    /// Columns to keep, in this order. A vector column gives all its components, `name[0]` selects one.
    /// HDF5: also full data set paths. What is no column is an [`Expression`](crate::Expression) over columns, such as
    /// `WEIGHT*WEIGHT_FKP`, and gives one column under its own text.
    pub columns: Vec<String>,
    /// Columns of whole numbers whose bits are kept as [`Words`], apart from `columns`: names, not expressions.
    pub words: Vec<String>,
    /// Columns of texts, apart from `columns`: names, not expressions.
    pub texts: Vec<String>,
    /// Rows to keep; all of them if `None`.
    pub filter: Option<Filter>,
    /// Rows to look at, before the filter.
    pub rows: RowRange,
    /// What reads the files that expressions and the filter name; without it these are refused.
    pub functions: Option<Arc<dyn FileFunctions>>,
}

impl Request {
    /// Whether it needs any column.
    #[cfg(feature = "fits")]
    pub(crate) fn names_columns(&self) -> bool {
        !self.columns.is_empty()
            || !self.words.is_empty()
            || !self.texts.is_empty()
            || self.filter.is_some()
    }

    /// A request for `columns` of the default table, every row.
    pub fn columns<S: Into<String>>(columns: impl IntoIterator<Item = S>) -> Self {
        Self {
            columns: columns.into_iter().map(Into::into).collect(),
            ..Self::default()
        }
    }
}

/// Columns of one table as float64, all of the same length, and the attributes of that table.
#[derive(Debug, Clone)]
pub struct Catalog {
    pub(crate) path: PathBuf,
    pub(crate) format: Format,
    pub(crate) table: String,
    pub(crate) rows: usize,
    pub(crate) rows_read: u64,
    pub(crate) columns: Vec<(String, Option<Vec<f64>>)>,
    pub(crate) words: Vec<(String, Option<Words>)>,
    pub(crate) texts: Vec<(String, Option<Texts>)>,
    pub(crate) attributes: Attributes,
}

impl Catalog {
    /// Rows of each column, after the filter.
    pub fn rows(&self) -> usize {
        self.rows
    }

    /// Rows looked at, before the filter.
    pub fn rows_read(&self) -> u64 {
        self.rows_read
    }

    /// The columns at hand, in the order of the request; a vector column is `name[0]`, `name[1]`, ...
    pub fn names(&self) -> Vec<&str> {
        self.columns
            .iter()
            .filter(|(_, values)| values.is_some())
            .map(|(name, _)| name.as_str())
            .collect()
    }

    /// The values of one column, NaN as they are in the file.
    ///
    /// # Errors
    /// [`CatalogError::UnknownColumn`] if it was not requested or was taken before.
    pub fn column(&self, name: &str) -> Result<&[f64]> {
        let found = self
            .columns
            .iter()
            .find(|(other, _)| other == name)
            .and_then(|(_, values)| values.as_deref());
        found.ok_or_else(|| self.unknown(name))
    }

    /// Moves one column out, without a copy.
    ///
    /// # Errors
    /// [`CatalogError::UnknownColumn`] if it was not requested or was taken before.
    pub fn take(&mut self, name: &str) -> Result<Vec<f64>> {
        let found = self
            .columns
            .iter_mut()
            .find(|(other, _)| other == name)
            .and_then(|(_, values)| values.take());
        found.ok_or_else(|| self.unknown(name))
    }

    /// Moves the three components of vector column `name` out, without a copy.
    ///
    /// # Errors
    /// [`CatalogError::UnknownColumn`] if it was not requested or was taken before, [`CatalogError::Shape`] if it
    /// has not three components.
    pub fn vector(&mut self, name: &str) -> Result<[Vec<f64>; 3]> {
        let width = self.width(name);
        match width {
            0 => Err(self.unknown(name)),
            3 => Ok([
                self.take(&component(name, 0))?,
                self.take(&component(name, 1))?,
                self.take(&component(name, 2))?,
            ]),
            _ => Err(CatalogError::Shape {
                path: self.path.clone(),
                column: name.to_owned(),
                width,
                expected: "a vector has 3".to_owned(),
            }),
        }
    }

    /// Moves the bits of one column out, a [`Words`] for each of its components.
    ///
    /// ```
    /// use albireo_catalogs::{Request, open};
    /// # let folder = tempfile::tempdir()?;
    /// # let path = folder.path().join("bits.csv");
    /// # std::fs::write(&path, "x,BITWEIGHT\n0.5,-1\n1.5,9223372036854775809\n")?;
    /// let request = Request { words: vec!["BITWEIGHT".to_owned()], ..Request::columns(["x"]) };
    /// let mut catalog = open(&path)?.read(&request)?;
    /// let words = catalog.take_words("BITWEIGHT")?;
    /// assert_eq!((words[0].bits, &words[0].values[..]), (64, &[u64::MAX, (1 << 63) + 1][..]));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// [`CatalogError::UnknownColumn`] if it was not requested as words or was taken before.
    pub fn take_words(&mut self, name: &str) -> Result<Vec<Words>> {
        let is_component = |other: &str| {
            let index = other
                .strip_prefix(name)
                .and_then(|rest| rest.strip_prefix('['));
            index.is_some_and(|index| index.ends_with(']'))
        };
        let of_name = self.words.iter_mut();
        let of_name = of_name.filter(|(other, _)| other == name || is_component(other));
        let taken: Vec<Words> = of_name.filter_map(|(_, words)| words.take()).collect();
        if taken.is_empty() {
            return Err(self.unknown(name));
        }
        Ok(taken)
    }

    /// Moves the texts of one column out.
    ///
    /// ```
    /// use albireo_catalogs::{Request, open};
    /// # let folder = tempfile::tempdir()?;
    /// # let path = folder.path().join("types.csv");
    /// # std::fs::write(&path, "x,type\n0.5,LRG\n1.5,ELG\n2.5,LRG\n")?;
    /// let request = Request { texts: vec!["type".to_owned()], ..Request::columns(["x"]) };
    /// let mut catalog = open(&path)?.read(&request)?;
    /// let types = catalog.take_texts("type")?;
    /// assert_eq!((types.texts, types.codes), (vec!["LRG".to_owned(), "ELG".to_owned()], vec![0, 1, 0]));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// [`CatalogError::UnknownColumn`] if it was not requested as texts or was taken before.
    pub fn take_texts(&mut self, name: &str) -> Result<Texts> {
        let mut texts = self.texts.iter_mut();
        let found = texts.find(|(other, _)| other == name);
        let found = found.and_then(|(_, texts)| texts.take());
        found.ok_or_else(|| self.unknown(name))
    }

    /// Components of column `name` at hand: 0 if there is none, 1 for a plain column, n for a vector column.
    pub fn width(&self, name: &str) -> usize {
        let at_hand = |wanted: &str| {
            self.columns
                .iter()
                .any(|(other, values)| other == wanted && values.is_some())
        };
        if at_hand(name) {
            1
        } else {
            (0..self.columns.len())
                .take_while(|&k| at_hand(&component(name, k)))
                .count()
        }
    }

    /// All attributes of the file and the table.
    pub fn attributes(&self) -> &Attributes {
        &self.attributes
    }

    /// One attribute.
    pub fn attribute(&self, name: &str) -> Option<&Value> {
        self.attributes.get(name)
    }

    /// The file read.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Its format.
    pub fn format(&self) -> Format {
        self.format
    }

    /// The table read, as a request would name it; empty for formats that hold one table.
    pub fn table(&self) -> &str {
        &self.table
    }

    fn unknown(&self, name: &str) -> CatalogError {
        let available = self.names().into_iter().map(str::to_owned).collect();
        CatalogError::unknown_column(&self.path, name, available)
    }
}

/// The name of component `k` of vector column `name`.
pub(crate) fn component(name: &str, k: usize) -> String {
    format!("{name}[{k}]")
}

/// What a file holds.
#[derive(Debug, Clone)]
pub struct Description {
    /// Its format.
    pub format: Format,
    /// The file.
    pub path: PathBuf,
    /// Its tables, in file order.
    pub tables: Vec<TableDescription>,
}

/// What a table holds.
#[derive(Debug, Clone)]
pub struct TableDescription {
    /// As a request names it; empty for formats that hold one table.
    pub name: String,
    /// Rows of the first column.
    pub rows: u64,
    /// Its columns, in file order.
    pub columns: Vec<ColumnDescription>,
    /// Attributes of the file and the table.
    pub attributes: Attributes,
}

/// What a column holds.
#[derive(Debug, Clone)]
pub struct ColumnDescription {
    /// As a request names it.
    pub name: String,
    /// Its type in the file, named as numpy does (`float32`, `int64`, `bool`, `string`), or the format's own name.
    pub dtype: String,
    /// Its unit, if the file gives one.
    pub unit: Option<String>,
    /// Components of one row: 1, or the length of a vector.
    pub width: usize,
    /// Rows.
    pub rows: u64,
    /// Smallest value over all components, NaN left out; `None` if it is not numeric or has no number.
    pub min: Option<f64>,
    /// Largest value over all components, NaN left out.
    pub max: Option<f64>,
    /// Values that are NaN.
    pub nan_count: u64,
    /// Values that are missing; reading this column is an error if there are any.
    pub null_count: u64,
    /// Of a text column: its first few different values; empty before a pass over the data.
    pub texts: Vec<String>,
    /// Whether `texts` are all the different values there are.
    pub all_texts: bool,
    /// The filters that its values are packed with, or why they are not read, where a file of HDF5 packs them.
    pub packing: Option<String>,
}
