//! A table whose columns lie in memory, read as the tables of files are.
//!
//! Entry: [`MemoryTable`], of columns that are a [`MemoryColumn`] each.

#![allow(clippy::cast_possible_truncation, reason = "rows that are in memory")]

use std::fmt;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::Attribute;
use crate::Format;
use crate::block::{BLOCK_ROWS, Block, Cells, Coded, Numbers, Site, Widening};
use crate::catalog::Request;
use crate::error::{CatalogError, Result};
use crate::reader::{Backend, Component, Field, Kind, Scan, Schema, Sink, refuse_table};
use crate::value::Attributes;

/// A column in memory, in a buffer of any kind.
pub trait MemoryColumn: Send + Sync {
    /// Its number of rows.
    fn len(&self) -> usize;

    /// Whether it has no row.
    fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Some of its values.
    ///
    /// # Panics
    /// If there are no such rows.
    fn rows(&self, rows: Range<usize>) -> Attribute;
}

impl MemoryColumn for Attribute {
    fn len(&self) -> usize {
        Self::len(self)
    }

    fn rows(&self, rows: Range<usize>) -> Attribute {
        Self::rows(self, rows)
    }
}

/// The components of a column: one, or several of a column of vectors.
pub type MemoryComponents = Vec<Arc<dyn MemoryColumn>>;

/// Columns in memory by their names, which stay where they are; clones share them.
///
/// ```
/// use std::sync::Arc;
/// use albireo_catalogs::{Attribute, MemoryColumn, MemoryTable, Stop, TrajectoryRequest, frames_of_table};
/// let column = |values: [f64; 3]| -> Vec<Arc<dyn MemoryColumn>> { vec![Arc::new(Attribute::Numbers(values.into()))] };
/// let columns = [("frame", [0.0, 0.0, 7.0]), ("x", [1.0, 2.0, 3.0]), ("y", [0.0; 3]), ("z", [0.0; 3])];
/// let columns = columns.map(|(name, values)| (name.to_owned(), column(values)));
/// let table = MemoryTable::new("gas".into(), columns.into(), None)?;
/// let mut frames = frames_of_table(&table, &TrajectoryRequest::default(), Stop::never())?;
/// assert_eq!(frames.next_frame()?.map(|frame| frame.len()), Some(2));
/// assert_eq!(frames.next_frame()?.map(|frame| frame.positions[0].clone()), Some(vec![3.0]));
/// # Ok::<(), albireo_catalogs::CatalogError>(())
/// ```
#[derive(Clone)]
pub struct MemoryTable {
    contents: Arc<Contents>,
}

struct Contents {
    path: PathBuf,
    schema: Schema,
    columns: Vec<MemoryComponents>,
    rows: usize,
    unit: Option<String>,
}

impl MemoryTable {
    /// Columns with the unit of length of positions among them, under the name that stands for a file.
    ///
    /// # Errors
    /// [`CatalogError::Corrupt`] of columns or components of different lengths or types.
    pub fn new(
        path: PathBuf,
        columns: Vec<(String, MemoryComponents)>,
        unit: Option<String>,
    ) -> Result<Self> {
        let rows = columns.first().and_then(|(_, first)| first.first());
        let rows = rows.map_or(0, |column| column.len());
        let field = |(name, components): &(String, MemoryComponents)| {
            let mut kinds = components.iter().map(|component| kind_of(&**component));
            let (dtype, kind) = kinds.next().unwrap_or(("none", Kind::Other));
            if kinds.any(|(other, _)| other != dtype) {
                let detail = format!("column `{name}` has components of several types");
                return Err(CatalogError::corrupt(&path, detail));
            }
            if let Some(other) = components.iter().find(|other| other.len() != rows) {
                let detail = format!("column `{name}` has {} rows, expected {rows}", other.len());
                return Err(CatalogError::corrupt(&path, detail));
            }
            Ok(Field {
                width: components.len(),
                ..Field::of(name.clone(), dtype, kind)
            })
        };
        let fields = columns.iter().map(field).collect::<Result<_, _>>()?;
        let schema = Schema {
            table: String::new(),
            rows: Some(rows as u64),
            fields,
            attributes: Attributes::default(),
        };
        let columns = columns.into_iter().map(|(_, components)| components);
        let contents = Contents {
            path,
            schema,
            columns: columns.collect(),
            rows,
            unit,
        };
        Ok(Self {
            contents: Arc::new(contents),
        })
    }

    /// The unit of length of its positions, where known.
    pub(crate) fn unit(&self) -> Option<&str> {
        self.contents.unit.as_deref()
    }

    /// Some rows of one component, decoded as that of a file.
    fn cells(
        &self,
        component: &Component,
        widening: Widening,
        rows: Range<usize>,
    ) -> Result<(Cells, u64)> {
        let Contents {
            path,
            schema,
            columns,
            ..
        } = &*self.contents;
        let site = Site::new(
            path,
            &schema.fields[component.field].name,
            rows.start as u64,
        );
        let mut numbers = Numbers::new(site, component.widening(widening), rows.len());
        match columns[component.field][component.element].rows(rows) {
            Attribute::Numbers(values) => {
                values.into_iter().try_for_each(|v| numbers.float(v))?;
            }
            Attribute::Integers(values) => {
                let mut values = values.into_iter();
                values.try_for_each(|v| numbers.integer(v.into()))?;
            }
            Attribute::Texts { texts, codes } => {
                let coded = Coded { texts, codes };
                let cells = if component.coded {
                    Cells::Coded(coded)
                } else {
                    Cells::Texts(coded.each().cloned().collect())
                };
                return Ok((cells, 0));
            }
        }
        Ok(numbers.finish())
    }
}

/// The type of a column by its name, and what it is made of.
fn kind_of(column: &dyn MemoryColumn) -> (&'static str, Kind) {
    match column.rows(0..0) {
        Attribute::Numbers(_) => ("float64", Kind::Number),
        Attribute::Integers(_) => ("int64", Kind::Number),
        Attribute::Texts { .. } => ("string", Kind::Text),
    }
}

impl fmt::Debug for MemoryTable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Contents { path, schema, .. } = &*self.contents;
        let names = schema.fields.iter().map(|field| &field.name);
        f.debug_struct("MemoryTable")
            .field("path", path)
            .field("columns", &names.collect::<Vec<_>>())
            .finish_non_exhaustive()
    }
}

impl Backend for MemoryTable {
    fn format(&self) -> Format {
        Format::Memory
    }

    fn path(&self) -> &Path {
        &self.contents.path
    }

    fn schema(&mut self, request: &Request) -> Result<Schema> {
        refuse_table(&self.contents.path, request)?;
        Ok(self.contents.schema.clone())
    }

    fn seeks(&self) -> bool {
        true
    }

    fn scan(&mut self, scan: &Scan<'_>, sink: &mut Sink<'_>) -> Result<()> {
        let (components, widening, from) = (scan.components, scan.widening, scan.from);
        let all = self.contents.rows;
        let mut first = (from as usize).min(all);
        while first < all {
            let rows = first..(first + BLOCK_ROWS).min(all);
            let mut block = Block::of(rows.len(), first as u64);
            for component in components {
                block.push(self.cells(component, widening, rows.clone())?);
            }
            first = rows.end;
            sink(block)?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::reader::CatalogReader;

    fn table() -> MemoryTable {
        let one = |values: Attribute| -> MemoryComponents { vec![Arc::new(values)] };
        let rows = BLOCK_ROWS + 3;
        let id = (0..rows as i64).map(|row| row + (1 << 53));
        let columns = vec![
            (
                "x".to_owned(),
                one(Attribute::Numbers(
                    (0..rows).map(|row| row as f64).collect(),
                )),
            ),
            ("id".to_owned(), one(Attribute::Integers(id.collect()))),
            (
                "name".to_owned(),
                one(Attribute::of_texts(
                    (0..rows).map(|row| ["O", "H"][row % 2]),
                )),
            ),
        ];
        MemoryTable::new("gas".into(), columns, None).unwrap()
    }

    #[test]
    fn rows_behind_the_first_block_are_read_and_integers_stay_what_they_are() {
        let outline = table().outline(None).unwrap();
        let types: Vec<&str> = outline
            .columns
            .iter()
            .map(|column| &*column.dtype)
            .collect();
        assert_eq!(
            (outline.rows, types),
            (BLOCK_ROWS as u64 + 3, vec!["float64", "int64", "string"])
        );
        let mut request = Request::columns(["x"]);
        let last = (1_i64 << 53) + BLOCK_ROWS as i64;
        request.filter =
            Some(crate::Filter::parse(&format!("name == 'H' and id > {last}")).unwrap());
        let read = table().read(&request).unwrap();
        assert_eq!(read.column("x").unwrap(), [BLOCK_ROWS as f64 + 1.0]);
        let refused = table().read(&Request::columns(["id"])).unwrap_err();
        assert!(
            matches!(refused, CatalogError::Inexact { row: 1, .. }),
            "{refused}"
        );
    }

    #[test]
    fn columns_that_do_not_fit_are_refused() {
        let values =
            |n: usize| -> Arc<dyn MemoryColumn> { Arc::new(Attribute::Numbers(vec![0.0; n])) };
        let texts: Arc<dyn MemoryColumn> = Arc::new(Attribute::of_texts(["O"; 3]));
        for (columns, told) in [
            (
                vec![("x", vec![values(3)]), ("y", vec![values(2)])],
                "column `y` has 2 rows, expected 3",
            ),
            (
                vec![("v", vec![values(3), texts])],
                "column `v` has components of several types",
            ),
        ] {
            let columns = columns
                .into_iter()
                .map(|(name, all)| (name.to_owned(), all));
            let refused = MemoryTable::new("gas".into(), columns.collect(), None).unwrap_err();
            assert!(refused.to_string().contains(told), "{refused}");
        }
    }
}
