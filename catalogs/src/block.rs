//! Rows on their way from a file to columns, a block at a time.
//!
//! Entry: [`Block`], [`Numbers`] to fill one, [`Collector`] to use one up. Knows no format.

use std::path::Path;

use crate::error::CatalogError;
use crate::filter::{Comparison, Condition, Filter, Literal, Relation};

/// Rows of a block, unless its rows are so wide that fewer do.
pub(crate) const BLOCK_ROWS: usize = 65_536;
/// Values of a block, unless it has so few rows that more do.
const BLOCK_VALUES: usize = 4 << 20;

/// Rows that a block of `components` should have.
pub(crate) fn block_rows(components: usize) -> usize {
    (BLOCK_VALUES / components.max(1)).clamp(64, BLOCK_ROWS)
}

/// Values of one component of a column.
pub(crate) enum Cells {
    Numbers(Vec<f64>),
    Texts(Vec<String>),
}

/// Consecutive rows, one entry of `cells` per component asked for, all of length `rows`.
pub(crate) struct Block {
    pub(crate) rows: usize,
    pub(crate) cells: Vec<Cells>,
    /// Missing values, per component; always 0 where missing values are errors.
    pub(crate) nulls: Vec<u64>,
}

impl Block {
    /// A block of `rows` rows without cells.
    #[cfg(feature = "fits")]
    pub(crate) fn of(rows: usize) -> Self {
        Self {
            rows,
            cells: Vec::new(),
            nulls: Vec::new(),
        }
    }

    /// Appends a component and the number of its missing values.
    #[cfg(feature = "fits")]
    pub(crate) fn push(&mut self, (cells, nulls): (Cells, u64)) {
        self.cells.push(cells);
        self.nulls.push(nulls);
    }
}

/// Where a value stands, for messages.
#[derive(Clone, Copy)]
pub(crate) struct Site<'a> {
    pub(crate) path: &'a Path,
    pub(crate) column: &'a str,
    /// Row of the block's first value.
    pub(crate) first_row: u64,
}

/// How values without an exact float64 are met.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Widening {
    /// Nulls and inexact integers are errors: for reading.
    Exact,
    /// Nulls are counted, integers rounded: for the ranges of a description.
    Nearest,
}

/// Collects one column's numbers of a block, widening each exactly to float64.
pub(crate) struct Numbers<'a> {
    site: Site<'a>,
    widening: Widening,
    values: Vec<f64>,
    nulls: u64,
}

impl<'a> Numbers<'a> {
    pub(crate) fn new(site: Site<'a>, widening: Widening, rows: usize) -> Self {
        Self {
            site,
            widening,
            values: Vec::with_capacity(rows),
            nulls: 0,
        }
    }

    /// The error of values that are not what the column's type says.
    #[cfg(feature = "parquet")]
    pub(crate) fn mismatch(&self) -> CatalogError {
        let detail = format!(
            "column `{}` has another type than the schema says",
            self.site.column
        );
        CatalogError::corrupt(self.site.path, detail)
    }

    /// An empty one for values of the same column.
    #[cfg(feature = "parquet")]
    pub(crate) fn like(&self, rows: usize) -> Self {
        Self::new(self.site, self.widening, rows)
    }

    /// The row, from 0, of the value that comes next.
    pub(crate) fn next_row(&self) -> u64 {
        self.site.first_row + self.values.len() as u64
    }

    pub(crate) fn float(&mut self, value: f64) {
        self.values.push(value);
    }

    #[cfg(any(feature = "fits", feature = "parquet"))]
    pub(crate) fn floats(&mut self, values: impl Iterator<Item = f64>) {
        self.values.extend(values);
    }

    pub(crate) fn integer(&mut self, value: i128) -> Result<(), CatalogError> {
        let nearest = value as f64;
        if self.widening == Widening::Exact && nearest as i128 != value {
            return Err(CatalogError::Inexact {
                path: self.site.path.to_owned(),
                column: self.site.column.to_owned(),
                row: self.next_row(),
                value: value.to_string(),
            });
        }
        self.values.push(nearest);
        Ok(())
    }

    pub(crate) fn null(&mut self) -> Result<(), CatalogError> {
        if self.widening == Widening::Exact {
            return Err(CatalogError::Null {
                path: self.site.path.to_owned(),
                column: self.site.column.to_owned(),
                row: self.next_row(),
            });
        }
        self.values.push(f64::NAN);
        self.nulls += 1;
        Ok(())
    }

    pub(crate) fn finish(self) -> (Cells, u64) {
        (Cells::Numbers(self.values), self.nulls)
    }
}

/// A filter whose columns are positions in the blocks of one scan.
#[derive(Clone)]
pub(crate) enum BoundFilter {
    Number(usize, Relation, f64),
    Text(usize, Relation, String),
    All(Vec<BoundFilter>),
    Any(Vec<BoundFilter>),
}

/// Gives the position in the block of a comparison's column, and the literal to compare it with.
type Locate<'a> = dyn FnMut(&Comparison) -> Result<(usize, Literal), CatalogError> + 'a;

impl BoundFilter {
    /// Binds `filter` to the blocks that `locate` knows.
    pub(crate) fn bind(filter: &Filter, locate: &mut Locate<'_>) -> Result<Self, CatalogError> {
        Self::bind_condition(filter.condition(), locate)
    }

    fn bind_condition(
        condition: &Condition,
        locate: &mut Locate<'_>,
    ) -> Result<Self, CatalogError> {
        let mut bind_all = |parts: &[Condition]| -> Result<Vec<Self>, CatalogError> {
            parts
                .iter()
                .map(|part| Self::bind_condition(part, locate))
                .collect()
        };
        Ok(match condition {
            Condition::All(parts) => Self::All(bind_all(parts)?),
            Condition::Any(parts) => Self::Any(bind_all(parts)?),
            Condition::Compare(comparison) => match locate(comparison)? {
                (position, Literal::Number(value)) => {
                    Self::Number(position, comparison.relation, value)
                }
                (position, Literal::Text(text)) => Self::Text(position, comparison.relation, text),
            },
        })
    }

    /// Which rows of the block to keep.
    pub(crate) fn mask(&self, block: &Block) -> Vec<bool> {
        match self {
            Self::Number(position, relation, value) => match &block.cells[*position] {
                Cells::Numbers(numbers) => numbers
                    .iter()
                    .map(|&number| relation.holds(number, *value))
                    .collect(),
                Cells::Texts(texts) => vec![false; texts.len()],
            },
            Self::Text(position, relation, value) => match &block.cells[*position] {
                Cells::Texts(texts) => texts
                    .iter()
                    .map(|text| (text == value) == (*relation == Relation::Equal))
                    .collect(),
                Cells::Numbers(numbers) => vec![false; numbers.len()],
            },
            Self::All(parts) => fold(parts, block, true, |kept, part| *kept &= part),
            Self::Any(parts) => fold(parts, block, false, |kept, part| *kept |= part),
        }
    }
}

fn fold(parts: &[BoundFilter], block: &Block, start: bool, join: fn(&mut bool, bool)) -> Vec<bool> {
    let mut mask = vec![start; block.rows];
    for part in parts {
        mask.iter_mut()
            .zip(part.mask(block))
            .for_each(|(kept, holds)| join(kept, holds));
    }
    mask
}

/// The columns of a catalog as they grow, block by block.
pub(crate) struct Collector {
    filter: Option<BoundFilter>,
    columns: Vec<Vec<f64>>,
    rows_read: u64,
    rows_kept: u64,
}

impl Collector {
    /// For the first `columns` components of each block. With a known number of rows, room for all is reserved at
    /// once, so that no column moves while it grows; pages that a filter leaves unused are never touched, and go back
    /// in `finish`.
    pub(crate) fn new(
        path: &Path,
        columns: usize,
        filter: Option<BoundFilter>,
        rows: Option<u64>,
    ) -> Result<Self, CatalogError> {
        let mut collector = Self {
            columns: (0..columns).map(|_| Vec::new()).collect(),
            filter,
            rows_read: 0,
            rows_kept: 0,
        };
        for (column, rows) in collector.columns.iter_mut().zip(rows.into_iter().cycle()) {
            let reserved = usize::try_from(rows)
                .ok()
                .is_some_and(|rows| column.try_reserve_exact(rows).is_ok());
            // Few rows may pass a filter: it can do without.
            if !reserved && collector.filter.is_none() {
                return Err(no_memory(path, rows, columns));
            }
        }
        Ok(collector)
    }

    /// Appends the rows that pass the filter.
    pub(crate) fn take(&mut self, path: &Path, block: &Block) -> Result<(), CatalogError> {
        self.rows_read += block.rows as u64;
        let mask = self.filter.as_ref().map(|filter| filter.mask(block));
        let kept = mask
            .as_ref()
            .map_or(block.rows, |mask| mask.iter().filter(|&&kept| kept).count());
        self.rows_kept += kept as u64;
        let columns = self.columns.len();
        for (column, cells) in self.columns.iter_mut().zip(&block.cells) {
            let Cells::Numbers(values) = cells else {
                return Err(CatalogError::corrupt(
                    path,
                    "a numeric column turned out to be text",
                ));
            };
            grow(column, kept).map_err(|rows| no_memory(path, rows, columns))?;
            match &mask {
                None => column.extend_from_slice(values),
                Some(mask) => column.extend(
                    values
                        .iter()
                        .zip(mask)
                        .filter(|(_, kept)| **kept)
                        .map(|(value, _)| *value),
                ),
            }
        }
        Ok(())
    }

    /// The columns, the number of rows looked at and the number kept.
    pub(crate) fn finish(mut self) -> (Vec<Vec<f64>>, u64, u64) {
        self.columns.iter_mut().for_each(Vec::shrink_to_fit);
        (self.columns, self.rows_read, self.rows_kept)
    }

    /// Columns kept.
    #[cfg(feature = "parquet")]
    pub(crate) fn width(&self) -> usize {
        self.columns.len()
    }

    #[cfg(feature = "parquet")]
    pub(crate) fn filter(&self) -> Option<&BoundFilter> {
        self.filter.as_ref()
    }

    /// Replaces the still empty columns by whole ones.
    #[cfg(feature = "parquet")]
    pub(crate) fn put(&mut self, columns: Vec<Vec<f64>>, rows_read: u64) {
        self.columns = columns;
        self.rows_read = rows_read;
        self.rows_kept = rows_read;
    }

    /// Appends rows that another collector has filtered.
    #[cfg(feature = "parquet")]
    pub(crate) fn append(&mut self, path: &Path, part: Self) -> Result<(), CatalogError> {
        self.rows_read += part.rows_read;
        self.rows_kept += part.rows_kept;
        let columns = self.columns.len();
        for (column, values) in self.columns.iter_mut().zip(part.columns) {
            grow(column, values.len()).map_err(|rows| no_memory(path, rows, columns))?;
            column.extend_from_slice(&values);
        }
        Ok(())
    }
}

/// Makes room for `more` values; grows by eighths, not by doubling, so that little memory stands unused.
fn grow(column: &mut Vec<f64>, more: usize) -> Result<(), u64> {
    if column.capacity() - column.len() >= more {
        return Ok(());
    }
    let room = more.max(column.len() / 8).max(1024);
    column
        .try_reserve_exact(room)
        .map_err(|_| (column.len() + room) as u64)
}

pub(crate) fn no_memory(path: &Path, rows: u64, columns: usize) -> CatalogError {
    let bytes = rows.saturating_mul(8).saturating_mul(columns as u64);
    CatalogError::Memory {
        path: path.to_owned(),
        rows,
        columns,
        bytes,
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a failed step fails the test")]
mod tests {
    use super::*;

    fn site() -> Site<'static> {
        Site {
            path: Path::new("c.fits"),
            column: "id",
            first_row: 10,
        }
    }

    #[test]
    fn integers_are_widened_exactly_or_refused() {
        let mut numbers = Numbers::new(site(), Widening::Exact, 4);
        for value in [0, -1, 1 << 53, i128::from(i64::MIN), 1 << 63] {
            numbers.integer(value).unwrap();
        }
        let error = numbers.integer((1 << 53) + 1).unwrap_err();
        assert!(
            matches!(error, CatalogError::Inexact { row: 15, .. }),
            "{error}"
        );
        assert!(numbers.integer(i128::from(u64::MAX)).is_err());
        assert!(numbers.integer(i128::from(i64::MAX)).is_err());
        let mut nearest = Numbers::new(site(), Widening::Nearest, 4);
        nearest.integer(i128::from(u64::MAX)).unwrap();
        assert!(matches!(
            numbers.null().unwrap_err(),
            CatalogError::Null { row: 15, .. }
        ));
    }

    #[test]
    fn growth_is_bounded_by_an_eighth() {
        let mut column = Vec::new();
        for _ in 0..3000 {
            grow(&mut column, 1000).unwrap();
            column.extend([0.0; 1000]);
            assert!(column.capacity() <= column.len() + column.len() / 8 + 1024);
        }
    }

    #[test]
    fn an_impossible_number_of_rows_is_an_error() {
        assert!(matches!(
            Collector::new(Path::new("x"), 3, None, Some(1 << 60)).err(),
            Some(CatalogError::Memory { rows, .. }) if rows == 1 << 60
        ));
    }
}
