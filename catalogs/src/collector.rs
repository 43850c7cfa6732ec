//! The columns of a catalogue as they grow, block by block.
//!
//! Entry: [`Collector`], which takes from each block what its [`Pick`] says. Knows no format and no names of a file's columns.

#![allow(
    clippy::cast_possible_truncation,
    reason = "the float is compared with what it came from"
)]

use std::borrow::Cow;
use std::path::{Path, PathBuf};

use crate::block::{Block, Cells, Coded, Coder, Site, Widening};
use crate::error::{CatalogError, Result};
use crate::expression::{self, Bound, Column, ExpressionError, NoResult, Rows, Run, Values};
use crate::masks::Masks;
use crate::rows::RowRange;
use crate::texts::{self, Texts};
use crate::words::{self, WordColumn, Words};

/// An expression over the components of a block, with its text.
#[derive(Debug, Clone)]
pub(crate) struct Computed {
    pub(crate) text: String,
    pub(crate) bound: Bound,
}

/// Where the values of a column come from.
#[derive(Debug, Clone)]
pub(crate) enum Origin {
    /// A component of the blocks.
    Component(usize),
    Expression(Computed),
}

/// What is taken from each block.
#[derive(Debug, Clone, Default)]
pub(crate) struct Pick {
    /// The columns to keep, with their names.
    pub(crate) columns: Vec<(String, Origin)>,
    /// The columns of bits to keep.
    pub(crate) words: Vec<WordColumn>,
    /// The columns of texts to keep, each a component of the blocks.
    pub(crate) texts: Vec<(String, usize)>,
    /// The condition of the rows to keep.
    pub(crate) filter: Option<Computed>,
    pub(crate) rows: RowRange,
    /// Whether the components of a block are conditions.
    pub(crate) conditions: Vec<bool>,
    /// Which of them have masks, that stand behind them in a block.
    pub(crate) masks: Masks,
}

impl Pick {
    /// Whether each block is taken as it is: its first components, every row.
    fn is_plain(&self) -> bool {
        let mut columns = self.columns.iter().enumerate();
        self.filter.is_none()
            && self.words.is_empty()
            && self.texts.is_empty()
            && !self.masks.any()
            && self.rows.is_all()
            && columns.all(|(k, (_, origin))| matches!(origin, Origin::Component(c) if *c == k))
    }
}

/// The columns of a catalogue, whole.
pub(crate) struct Collected {
    pub(crate) columns: Vec<(String, Vec<f64>)>,
    pub(crate) words: Vec<(String, Words)>,
    pub(crate) texts: Vec<(String, Texts)>,
    /// Rows looked at.
    pub(crate) rows_read: u64,
    pub(crate) rows_kept: u64,
}

/// The columns of a catalogue as they grow.
pub(crate) struct Collector {
    path: PathBuf,
    pick: Pick,
    plain: bool,
    columns: Vec<Vec<f64>>,
    words: Vec<Vec<u64>>,
    texts: Vec<Coder>,
    rows_read: u64,
    rows_kept: u64,
}

impl Collector {
    /// With a known number of rows, room for all is reserved at once, so that no column moves while it grows; pages that a filter leaves
    /// unused are never touched, and go back in `finish`.
    pub(crate) fn new(path: &Path, pick: Pick, rows: Option<u64>) -> Result<Self> {
        let mut collector = Self {
            path: path.to_owned(),
            plain: pick.is_plain(),
            columns: pick.columns.iter().map(|_| Vec::new()).collect(),
            words: pick.words.iter().map(|_| Vec::new()).collect(),
            texts: pick.texts.iter().map(|_| Coder::default()).collect(),
            pick,
            rows_read: 0,
            rows_kept: 0,
        };
        let columns = collector.columns.len();
        let few = collector.pick.filter.is_some() || !collector.pick.rows.is_all();
        for (column, rows) in collector.columns.iter_mut().zip(rows.into_iter().cycle()) {
            let reserved = usize::try_from(rows)
                .ok()
                .is_some_and(|rows| column.try_reserve_exact(rows).is_ok());
            // Few rows may pass a filter: it can do without.
            if !reserved && !few {
                return Err(no_memory(path, rows, columns));
            }
        }
        Ok(collector)
    }

    /// How the blocks that it takes should be decoded: missing values are errors in rows that are kept, and only there.
    pub(crate) fn widening(&self) -> Widening {
        if self.plain {
            Widening::Exact
        } else {
            Widening::Marked
        }
    }

    /// Appends the rows that are picked.
    pub(crate) fn take(&mut self, path: &Path, mut block: Block) -> Result<()> {
        self.rows_read += block.rows as u64;
        if !self.plain {
            self.pick.masks.apply(path, Widening::Marked, &mut block)?;
            return self.pick_from(&block);
        }
        self.rows_kept += block.rows as u64;
        let columns = self.columns.len();
        for (column, cells) in self.columns.iter_mut().zip(&block.cells) {
            let Cells::Numbers(values) = cells else {
                let detail = "a numeric column turned out to be text";
                return Err(CatalogError::corrupt(path, detail));
            };
            grow(column, block.rows).map_err(|rows| no_memory(path, rows, columns))?;
            column.extend_from_slice(values);
        }
        Ok(())
    }

    /// Appends what a filter and expressions make of a block.
    fn pick_from(&mut self, block: &Block) -> Result<()> {
        let Self { path, pick, .. } = self;
        let typed = block.cells.iter().zip(&pick.conditions);
        let columns: Vec<Column<'_>> = typed.map(|(cells, flag)| typed_of(cells, *flag)).collect();
        let mut live = pick.rows.mask(block.first_row, block.rows);
        if let Some(filter) = &pick.filter {
            let rows = Rows {
                count: block.rows,
                columns: &columns,
                live: live.as_deref(),
            };
            let mut mask = expression::condition(&filter.bound, rows)
                .map_err(|none| no_result(path, &filter.text, block, none))?;
            if let Some(live) = &live {
                mask.iter_mut()
                    .zip(live)
                    .for_each(|(kept, live)| *kept &= live);
            }
            live = Some(mask);
        }
        let live = live.as_deref();
        let kept = live.map_or(block.rows, |live| live.iter().filter(|&&kept| kept).count());
        self.rows_kept += kept as u64;
        let count = self.columns.len();
        for (column, (name, origin)) in self.columns.iter_mut().zip(&pick.columns) {
            grow(column, kept).map_err(|rows| no_memory(path, rows, count))?;
            let rows = Rows {
                count: block.rows,
                columns: &columns,
                live,
            };
            let site = Site::new(path, name, block.first_row);
            match origin {
                Origin::Component(component) => append(column, &columns[*component], rows, site)?,
                Origin::Expression(computed) => {
                    let values = expression::numbers(&computed.bound, rows)
                        .map_err(|none| no_result(path, &computed.text, block, none))?;
                    append(column, &values, rows, site)?;
                }
            }
        }
        for (column, word) in self.words.iter_mut().zip(&pick.words) {
            grow(column, kept).map_err(|rows| no_memory(path, rows, count))?;
            let site = Site::new(path, &word.name, block.first_row);
            words::append(
                column,
                &block.cells[word.component],
                live,
                (site, word.bits),
            )?;
        }
        for (kept, (name, component)) in self.texts.iter_mut().zip(&pick.texts) {
            let site = Site::new(path, name, block.first_row);
            texts::append(kept, &block.cells[*component], live, site)?;
        }
        Ok(())
    }

    /// What has been collected.
    pub(crate) fn finish(mut self) -> Collected {
        self.columns.iter_mut().for_each(Vec::shrink_to_fit);
        self.words.iter_mut().for_each(Vec::shrink_to_fit);
        let names = self.pick.columns.into_iter().map(|(name, _)| name);
        let words = self.pick.words.into_iter().zip(self.words);
        let named = |(column, values): (WordColumn, _)| {
            let bits = column.bits;
            (column.name, Words { values, bits })
        };
        let kept = self.pick.texts.into_iter().zip(self.texts);
        let kept = kept.map(|((name, _), coder)| {
            let Coded { texts, codes } = coder.finish();
            (name, Texts { texts, codes })
        });
        Collected {
            texts: kept.collect(),
            columns: names.zip(self.columns).collect(),
            words: words.map(named).collect(),
            rows_read: self.rows_read,
            rows_kept: self.rows_kept,
        }
    }

    /// Whether blocks are taken as they are.
    #[cfg(feature = "parquet")]
    pub(crate) fn takes_all(&self) -> bool {
        self.plain
    }

    /// An empty one that takes the same.
    #[cfg(feature = "parquet")]
    pub(crate) fn like(&self) -> Self {
        Self {
            path: self.path.clone(),
            pick: self.pick.clone(),
            plain: self.plain,
            columns: self.columns.iter().map(|_| Vec::new()).collect(),
            words: self.words.iter().map(|_| Vec::new()).collect(),
            texts: self.texts.iter().map(|_| Coder::default()).collect(),
            rows_read: 0,
            rows_kept: 0,
        }
    }

    /// Replaces the still empty columns by whole ones.
    #[cfg(feature = "parquet")]
    pub(crate) fn put(&mut self, columns: Vec<Vec<f64>>, rows_read: u64) {
        self.columns = columns;
        self.rows_read = rows_read;
        self.rows_kept = rows_read;
    }

    /// Appends rows that another collector has picked.
    #[cfg(feature = "parquet")]
    pub(crate) fn append(&mut self, path: &Path, part: Self) -> Result<()> {
        self.rows_read += part.rows_read;
        self.rows_kept += part.rows_kept;
        let columns = self.columns.len();
        for (column, values) in self.columns.iter_mut().zip(part.columns) {
            grow(column, values.len()).map_err(|rows| no_memory(path, rows, columns))?;
            column.extend_from_slice(&values);
        }
        for (column, values) in self.words.iter_mut().zip(part.words) {
            grow(column, values.len()).map_err(|rows| no_memory(path, rows, columns))?;
            column.extend_from_slice(&values);
        }
        for (texts, part) in self.texts.iter_mut().zip(part.texts) {
            part.finish().each().for_each(|text| texts.push(text));
        }
        Ok(())
    }
}

/// Cells as expressions take them.
fn typed_of(cells: &Cells, is_condition: bool) -> Column<'_> {
    let values = match cells {
        Cells::Missing(cells, missing) => {
            return Column {
                missing: Some(Cow::Borrowed(missing)),
                ..typed_of(cells, is_condition)
            };
        }
        Cells::Numbers(values) if is_condition => {
            Values::Bools(Run::Each(values.iter().map(|&v| v != 0.0).collect()))
        }
        Cells::Integers(values) if is_condition => {
            Values::Bools(Run::Each(values.iter().map(|&v| v != 0).collect()))
        }
        Cells::Numbers(values) => Values::Floats(Run::Each(Cow::Borrowed(values))),
        Cells::Integers(values) => Values::Integers(Run::Each(Cow::Borrowed(values))),
        Cells::Texts(texts) => Values::Texts(Run::Each(Cow::Borrowed(texts))),
        Cells::Coded(coded) => Values::Texts(Run::Each(coded.each().cloned().collect())),
    };
    Column::of(values)
}

/// Appends the values of the rows that are live, exactly; a missing one is an error.
fn append(column: &mut Vec<f64>, from: &Column<'_>, rows: Rows<'_>, site: Site<'_>) -> Result<()> {
    let is_live = |row: &usize| rows.live.is_none_or(|live| live[*row]);
    if from.missing.is_some()
        && let Some(row) = (0..rows.count)
            .filter(is_live)
            .find(|&row| from.is_missing(row))
    {
        return Err(site.null(site.first_row + row as u64));
    }
    match &from.values {
        Values::Floats(Run::Each(values)) => match rows.live {
            None => column.extend_from_slice(values),
            Some(live) => {
                let kept = values.iter().zip(live).filter(|(_, live)| **live);
                column.extend(kept.map(|(value, _)| *value));
            }
        },
        Values::Integers(values) => {
            for row in (0..rows.count).filter(is_live) {
                let value = *values.get(row);
                let nearest = value as f64;
                if nearest as i128 != value {
                    return Err(site.inexact(site.first_row + row as u64, value));
                }
                column.push(nearest);
            }
        }
        _ => {
            let Some(values) = from.floats() else {
                let detail = "a numeric column turned out to be text";
                return Err(CatalogError::corrupt(site.path, detail));
            };
            column.extend((0..rows.count).filter(is_live).map(|row| *values.get(row)));
        }
    }
    Ok(())
}

/// The error of a row for which an expression has no result.
fn no_result(path: &Path, text: &str, block: &Block, none: NoResult) -> CatalogError {
    let row = block.first_row + none.row as u64;
    let error = ExpressionError {
        expression: text.to_owned(),
        position: none.at,
        expected: none.expected.to_owned(),
        found: none.found,
    };
    CatalogError::refused(path, format!("row {row} (from 0): {error}"))
}

/// Makes room for `more` values; grows by eighths, not by doubling, so that little memory stands unused.
fn grow<T>(column: &mut Vec<T>, more: usize) -> Result<(), u64> {
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
mod tests {
    use super::*;

    fn three() -> Pick {
        let column = |k: usize| (k.to_string(), Origin::Component(k));
        Pick {
            columns: (0..3).map(column).collect(),
            ..Pick::default()
        }
    }

    #[test]
    fn growth_is_bounded_by_an_eighth() {
        let mut column: Vec<f64> = Vec::new();
        for _ in 0..3000 {
            grow(&mut column, 1000).unwrap();
            column.extend([0.0; 1000]);
            assert!(column.capacity() <= column.len() + column.len() / 8 + 1024);
        }
    }

    #[test]
    fn an_impossible_number_of_rows_is_an_error() {
        assert!(matches!(
            Collector::new(Path::new("x"), three(), Some(1 << 60)).err(),
            Some(CatalogError::Memory { rows, .. }) if rows == 1 << 60
        ));
    }
}
