//! Columns of texts, the different ones once.
//!
//! Entry: [`Texts`].

use crate::block::{Cells, Coder, Site};
use crate::error::{CatalogError, Result};

/// A column of texts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Texts {
    /// The different ones, in the order in which they come first.
    pub texts: Vec<String>,
    /// For each row its index in `texts`.
    pub codes: Vec<u32>,
}

/// Appends the texts of the rows that are live; a missing one is an error.
pub(crate) fn append(
    to: &mut Coder,
    cells: &Cells,
    live: Option<&[bool]>,
    site: Site<'_>,
) -> Result<()> {
    let is_live = |row: usize| live.is_none_or(|live| live[row]);
    match cells {
        Cells::Texts(texts) => {
            let texts = texts.iter().enumerate();
            let texts = texts.filter(|(row, _)| is_live(*row));
            texts.for_each(|(_, text)| to.push(text));
        }
        Cells::Coded(coded) => {
            let texts = coded.each().enumerate();
            let texts = texts.filter(|(row, _)| is_live(*row));
            texts.for_each(|(_, text)| to.push(text));
        }
        Cells::Missing(cells, missing) => {
            let mut rows = missing.iter().enumerate();
            if let Some((row, _)) = rows.find(|(row, missing)| **missing && is_live(*row)) {
                return Err(site.null(site.first_row + row as u64));
            }
            append(to, cells, live, site)?;
        }
        Cells::Numbers(_) | Cells::Integers(_) => {
            let detail = format!("column `{}` of texts holds numbers", site.column);
            return Err(CatalogError::corrupt(site.path, detail));
        }
    }
    Ok(())
}
