//! The rows of a sample in memory that are selected, and columns that are expressions over others: by the reader that files have.
//!
//! Entry: [`Given::selected`]. Nothing is copied where all rows and plain columns are asked for.

#![allow(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "numbers of rows"
)]

use std::ops::Range;
use std::sync::Arc;

use albireo::particles::Column;
use albireo_catalogs::{
    Attribute, CatalogError, CatalogReader as _, Filter, MemoryColumn, Request, Texts,
};

use crate::error::Result;
use crate::file_functions::Functions;
use crate::given::Given;
use crate::source::File;

/// The numbers of rows, as a column by which those that are kept are known.
struct RowNumbers(usize);

/// Its name, which no column of a caller has.
const ROW: &str = "<row>";

impl MemoryColumn for RowNumbers {
    fn len(&self) -> usize {
        self.0
    }

    fn rows(&self, rows: Range<usize>) -> Attribute {
        Attribute::Numbers(rows.map(|row| row as f64).collect())
    }
}

/// Which of so many rows are among these, in order.
fn kept(all: usize, rows: &[f64]) -> Vec<bool> {
    let mut kept = vec![false; all];
    for row in rows {
        kept[*row as usize] = true;
    }
    kept
}

/// An error that names the columns of a caller alone.
fn without_row(error: CatalogError) -> CatalogError {
    match error {
        CatalogError::UnknownColumn {
            path,
            column,
            mut available,
            ..
        } => {
            available.retain(|name| name != ROW);
            CatalogError::unknown_column(&path, &column, available)
        }
        other => other,
    }
}

impl Given {
    /// The texts beside its columns of the rows that the selection of `source` keeps.
    pub(crate) fn texts(
        &self,
        source: &File,
        name: &str,
        functions: &Arc<Functions>,
    ) -> Result<Attribute> {
        let filter = source.selection.filter.as_deref();
        let functions = Arc::clone(functions);
        let request = Request {
            texts: vec![name.to_owned()],
            filter: filter.map(Filter::parse).transpose()?,
            rows: source.selection.rows,
            functions: Some(functions),
            ..Request::default()
        };
        let mut table = self.memory_table(&source.path, None)?;
        let Texts { texts, codes } = table.read(&request)?.take_texts(name)?;
        Ok(Attribute::Texts { texts, codes })
    }

    /// The rows that the selection of `source` keeps, with columns for the names that are `needed` and are expressions; none where it keeps all rows
    /// and every name is a column.
    ///
    /// # Errors
    /// Conditions and expressions that cannot be read, over columns that there are not.
    pub(crate) fn selected<'a>(
        &self,
        source: &File,
        needed: impl IntoIterator<Item = &'a String>,
        functions: &Arc<Functions>,
    ) -> Result<Option<Self>> {
        let selection = &source.selection;
        let mut expressions: Vec<String> = Vec::new();
        for name in needed {
            if !self.has(name) && !expressions.contains(name) {
                expressions.push(name.clone());
            }
        }
        let all = selection.filter.is_none() && selection.rows.is_all();
        if all && expressions.is_empty() {
            return Ok(None);
        }
        let filter = selection.filter.as_deref().map(Filter::parse).transpose()?;
        let row_numbers: Arc<dyn MemoryColumn> = Arc::new(RowNumbers(self.rows()));
        let mut table = self.memory_table(&source.path, Some((ROW, row_numbers)))?;
        let mut request = Request::columns(expressions.iter().cloned().chain([ROW.to_owned()]));
        request.filter = filter;
        request.rows = selection.rows;
        let functions = Arc::clone(functions);
        request.functions = Some(functions);
        let mut catalog = table.read(&request).map_err(without_row)?;
        let rows = catalog.take(ROW)?;
        let mut made = if all {
            self.clone()
        } else {
            self.of_rows(&kept(self.rows(), &rows))
        };
        for name in expressions {
            let values = Column::from(catalog.take(&name)?);
            made.push(name, values);
        }
        Ok(Some(made))
    }
}
