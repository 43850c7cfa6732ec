//! Rows on their way from a file to columns, a block at a time.
//!
//! Entry: [`Block`], [`Numbers`] to fill one, [`Collector`] to use one up. Knows no format.

#![allow(
    clippy::cast_possible_truncation,
    reason = "codes of texts are numbered in 32 bits; floats are compared with what they came from"
)]

use std::collections::HashMap;
use std::fmt;
use std::path::Path;

use crate::error::{CatalogError, Result};

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
    /// Only of components that are [`coded`](crate::reader::Component::coded).
    Coded(Coded),
    /// Only as [`Widening::Typed`] and [`Widening::Words`] ask for.
    Integers(Vec<i128>),
    /// Values of which these are missing, only as these ask for.
    Missing(Box<Cells>, Vec<bool>),
}

/// Texts of a block, the different ones once.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Coded {
    /// The different texts, in the order in which they come first.
    pub(crate) texts: Vec<String>,
    /// For each row its index in `texts`.
    pub(crate) codes: Vec<u32>,
}

impl Coded {
    /// Texts behind keys, of which not all need be used; `None` stands for no text.
    #[cfg(feature = "parquet")]
    pub(crate) fn of_keys<'a>(
        keys: impl Iterator<Item = Option<usize>>,
        values: usize,
        value: impl Fn(usize) -> &'a str,
    ) -> Self {
        const UNUSED: u32 = u32::MAX;
        let (mut of_key, mut of_none) = (vec![UNUSED; values], UNUSED);
        let mut texts: Vec<String> = Vec::new();
        let mut code = |key: Option<usize>| {
            let slot = match key {
                Some(key) => &mut of_key[key],
                None => &mut of_none,
            };
            if *slot == UNUSED {
                *slot = texts.len() as u32;
                texts.push(key.map_or_else(String::new, |key| value(key).to_owned()));
            }
            *slot
        };
        let codes = keys.map(&mut code).collect();
        Self { texts, codes }
    }

    /// Each row's text.
    pub(crate) fn each(&self) -> impl Iterator<Item = &String> {
        self.codes.iter().map(|&code| &self.texts[code as usize])
    }
}

/// Codes texts as they come.
#[derive(Default)]
pub(crate) struct Coder {
    coded: Coded,
    known: HashMap<String, u32>,
}

impl Coder {
    pub(crate) fn push(&mut self, text: &str) {
        let Coded { texts, codes } = &mut self.coded;
        // Neighbours are often alike.
        let last = codes.last().copied();
        let same = last.filter(|&code| texts[code as usize] == text);
        let code = same.or_else(|| self.known.get(text).copied());
        let code = code.unwrap_or_else(|| {
            let code = texts.len() as u32;
            texts.push(text.to_owned());
            self.known.insert(text.to_owned(), code);
            code
        });
        codes.push(code);
    }

    pub(crate) fn finish(self) -> Coded {
        self.coded
    }
}

/// Consecutive rows, one entry of `cells` per component asked for, all of length `rows`.
pub(crate) struct Block {
    pub(crate) rows: usize,
    /// Rows of the table before the first.
    pub(crate) first_row: u64,
    pub(crate) cells: Vec<Cells>,
    /// Missing values, per component; always 0 where missing values are errors.
    pub(crate) nulls: Vec<u64>,
}

impl Block {
    /// A block of `rows` rows without cells.
    pub(crate) fn of(rows: usize, first_row: u64) -> Self {
        Self {
            rows,
            first_row,
            cells: Vec::new(),
            nulls: Vec::new(),
        }
    }

    /// Appends a component and the number of its missing values.
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

impl<'a> Site<'a> {
    pub(crate) fn new(path: &'a Path, column: &'a str, first_row: u64) -> Self {
        Self {
            path,
            column,
            first_row,
        }
    }
}

/// How values without an exact float64 are met.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Widening {
    /// Nulls and inexact integers are errors: for reading.
    Exact,
    /// Nulls are marked, inexact integers are errors: for reading rows of which only some are kept.
    Marked,
    /// Nulls are counted, integers rounded: for the ranges of a description.
    Nearest,
    /// Nulls are marked, integers stay what they are: for expressions.
    Typed,
    /// As [`Widening::Typed`], and floats are errors: for bits.
    Words,
}

impl Widening {
    /// Whether integers stay what they are.
    fn is_typed(self) -> bool {
        matches!(self, Self::Typed | Self::Words)
    }
}

/// Collects one column's numbers of a block, widening each exactly to float64.
pub(crate) struct Numbers<'a> {
    site: Site<'a>,
    widening: Widening,
    values: Vec<f64>,
    /// The values while all of them are integers that are to stay what they are.
    integers: Vec<i128>,
    /// Which are missing, as far as the last one that is.
    missing: Vec<bool>,
    nulls: u64,
}

impl<'a> Numbers<'a> {
    pub(crate) fn new(site: Site<'a>, widening: Widening, rows: usize) -> Self {
        let typed = widening.is_typed();
        Self {
            site,
            widening,
            values: Vec::with_capacity(if typed { 0 } else { rows }),
            integers: Vec::new(),
            missing: Vec::new(),
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

    /// Whether integers stay what they are.
    pub(crate) fn is_typed(&self) -> bool {
        self.widening.is_typed()
    }

    /// The row, from 0, of the value that comes next.
    pub(crate) fn next_row(&self) -> u64 {
        self.site.first_row + self.len() as u64
    }

    fn len(&self) -> usize {
        self.values.len().max(self.integers.len())
    }

    pub(crate) fn float(&mut self, value: f64) -> Result<()> {
        if self.widening == Widening::Words {
            return Err(self.site.no_word(self.next_row(), format!("{value:?}")));
        }
        if !self.integers.is_empty() {
            self.widen()?;
        }
        self.values.push(value);
        Ok(())
    }

    #[cfg(any(feature = "fits", feature = "parquet"))]
    pub(crate) fn floats(&mut self, values: impl Iterator<Item = f64>) {
        self.values.extend(values);
    }

    pub(crate) fn integer(&mut self, value: i128) -> Result<()> {
        if self.widening.is_typed() && self.values.is_empty() {
            self.integers.push(value);
            return Ok(());
        }
        let nearest = value as f64;
        if self.widening != Widening::Nearest && nearest as i128 != value {
            return Err(self.site.inexact(self.next_row(), value));
        }
        self.values.push(nearest);
        Ok(())
    }

    /// Makes floats of integers that turn out to be among floats.
    fn widen(&mut self) -> Result<()> {
        for (row, value) in std::mem::take(&mut self.integers).into_iter().enumerate() {
            let nearest = value as f64;
            if nearest as i128 != value {
                return Err(self.site.inexact(self.site.first_row + row as u64, value));
            }
            self.values.push(nearest);
        }
        Ok(())
    }

    pub(crate) fn null(&mut self) -> Result<()> {
        match self.widening {
            Widening::Exact => return Err(self.site.null(self.next_row())),
            Widening::Nearest => self.values.push(f64::NAN),
            Widening::Marked => {
                self.missing.resize(self.len(), false);
                self.missing.push(true);
                self.values.push(f64::NAN);
            }
            Widening::Typed | Widening::Words => {
                self.missing.resize(self.len(), false);
                self.missing.push(true);
                if self.values.is_empty() {
                    self.integers.push(0);
                } else {
                    self.values.push(f64::NAN);
                }
            }
        }
        self.nulls += 1;
        Ok(())
    }

    pub(crate) fn finish(mut self) -> (Cells, u64) {
        let rows = self.len();
        let cells = if self.integers.is_empty() {
            Cells::Numbers(self.values)
        } else {
            Cells::Integers(self.integers)
        };
        if self.missing.is_empty() {
            return (cells, self.nulls);
        }
        self.missing.resize(rows, false);
        (Cells::Missing(Box::new(cells), self.missing), self.nulls)
    }
}

impl Site<'_> {
    /// The error of an integer that float64 does not hold.
    pub(crate) fn inexact(&self, row: u64, value: i128) -> CatalogError {
        CatalogError::Inexact {
            path: self.path.to_owned(),
            column: self.column.to_owned(),
            row,
            value: value.to_string(),
        }
    }

    /// The error of what is no word of bits.
    pub(crate) fn no_word(&self, row: u64, found: impl fmt::Display) -> CatalogError {
        let detail = format!(
            "column `{}`, row {row} (from 0): expected the bits of a whole number of at most 64 of them, found {found}",
            self.column
        );
        CatalogError::refused(self.path, detail)
    }

    /// The error of what no key can be, so many rows behind the first.
    pub(crate) fn no_key(&self, behind: usize, found: impl fmt::Display) -> CatalogError {
        let (column, row) = (self.column, self.first_row + behind as u64);
        let detail = format!(
            "column `{column}`, row {row} (from 0): tables are joined by whole numbers, found {found}"
        );
        CatalogError::refused(self.path, detail)
    }

    /// The error of a missing value.
    pub(crate) fn null(&self, row: u64) -> CatalogError {
        CatalogError::Null {
            path: self.path.to_owned(),
            column: self.column.to_owned(),
            row,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn site() -> Site<'static> {
        Site::new(Path::new("c.fits"), "id", 10)
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
    fn integers_among_floats_are_floats() {
        let mut numbers = Numbers::new(site(), Widening::Typed, 4);
        numbers.null().unwrap();
        numbers.integer(i128::from(i64::MAX)).unwrap();
        let (Cells::Missing(cells, missing), 1) = numbers.finish() else {
            panic!("a null is marked")
        };
        assert_eq!(missing, [true, false]);
        assert!(matches!(*cells, Cells::Integers(values) if values[1] == i128::from(i64::MAX)));
        let mut numbers = Numbers::new(site(), Widening::Typed, 4);
        numbers.integer(3).unwrap();
        numbers.float(0.5).unwrap();
        assert!(numbers.integer((1 << 53) + 1).is_err());
        assert!(matches!(numbers.finish().0, Cells::Numbers(values) if values == [3.0, 0.5]));
        let mut numbers = Numbers::new(site(), Widening::Typed, 4);
        numbers.integer((1 << 53) + 1).unwrap();
        let error = numbers.float(0.5).unwrap_err();
        assert!(
            matches!(error, CatalogError::Inexact { row: 10, .. }),
            "{error}"
        );
    }
}
