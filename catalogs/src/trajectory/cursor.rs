//! A place among the rows of a table, which stand together by frames.
//!
//! Entry: [`Cursor`]. Decoding begins with the first row that is asked for; where the format can seek, rows far ahead are reached without what lies before them.

use std::path::PathBuf;

use super::blocks::{Blocks, Origin};
use super::column::whole_number;
use crate::block::{Block, Cells};
use crate::error::{CatalogError, Result};

/// Rows that are rather decoded than left out: what threads have ready, about.
const NEAR: u64 = 1 << 17;

/// Some components of a table, row after row.
pub(super) struct Cursor {
    origin: Origin,
    path: PathBuf,
    /// The place among the components, and the name, of the column of frame numbers; without a place all rows are frame 0.
    frame: (Option<usize>, String),
    blocks: Option<Blocks>,
    /// The block at hand, the frame of each of its rows, and its first row that is not used up.
    block: Option<Block>,
    frames: Vec<i64>,
    at: usize,
    /// The row to go on at once the block at hand is used up.
    next: u64,
}

impl Cursor {
    /// At the first row.
    pub(super) fn new(origin: Origin, frame: (Option<usize>, &str)) -> Self {
        Self {
            path: origin.place.path().to_owned(),
            origin,
            frame: (frame.0, frame.1.to_owned()),
            blocks: None,
            block: None,
            frames: Vec::new(),
            at: 0,
            next: 0,
        }
    }

    /// Whether rows can be left out without decoding them.
    pub(super) fn seeks(&self) -> bool {
        self.origin.seeks
    }

    /// The row that comes next, from 0.
    pub(super) fn row(&self) -> u64 {
        let at_hand = self.block.as_ref().filter(|_| self.at < self.frames.len());
        at_hand.map_or(self.next, |block| block.first_row + self.at as u64)
    }

    /// The frame of the row that comes next, of the block at hand or of the one behind it; `None` at the end.
    pub(super) fn frame(&mut self) -> Result<Option<i64>> {
        while self.at >= self.frames.len() {
            self.block = None;
            if self.blocks.is_none() {
                self.blocks = Some(Blocks::start(&self.origin, self.next)?);
            }
            let Some(block) = self.blocks.as_mut().map_or(Ok(None), Blocks::next)? else {
                return Ok(None);
            };
            let end = block.first_row + block.rows as u64;
            if end <= self.next && block.rows > 0 {
                continue;
            }
            self.frames = self.frames_of(&block)?;
            self.at = self.next.saturating_sub(block.first_row) as usize;
            self.next = end;
            self.block = Some(block);
        }
        Ok(Some(self.frames[self.at]))
    }

    /// The block at hand and its rows, from the next one on, that are of the frame of this one; they are used up by this.
    pub(super) fn run(&mut self) -> Option<(&Block, (usize, usize))> {
        let from = self.at;
        let frame = self.frames.get(from)?;
        let mut others = self.frames[from..].iter();
        let run = others.position(|other| other != frame);
        self.at = run.map_or(self.frames.len(), |run| from + run);
        self.block.as_ref().map(|block| (block, (from, self.at)))
    }

    /// Goes on at `row`, which lies not before the next one.
    pub(super) fn seek(&mut self, row: u64) {
        match &self.block {
            Some(block) if row < block.first_row + block.rows as u64 => {
                self.at = (row - block.first_row) as usize;
            }
            _ => {
                if self.seeks() && row > self.next + NEAR {
                    self.blocks = None;
                }
                self.at = self.frames.len();
                self.next = row;
            }
        }
    }

    fn frames_of(&self, block: &Block) -> Result<Vec<i64>> {
        let (Some(place), name) = &self.frame else {
            return Ok(vec![0; block.rows]);
        };
        let row = |k: usize| block.first_row + k as u64;
        let refuse = |k: usize, found: String| {
            let detail = format!(
                "column `{name}`, row {} (from 0): expected the number of a frame, found {found}",
                row(k)
            );
            CatalogError::corrupt(&self.path, detail)
        };
        match &block.cells[*place] {
            Cells::Integers(values) => {
                let each = values.iter().enumerate();
                each.map(|(k, &value)| {
                    i64::try_from(value).map_err(|_| refuse(k, value.to_string()))
                })
                .collect()
            }
            Cells::Numbers(values) => {
                let each = values.iter().enumerate();
                each.map(|(k, &value)| {
                    whole_number(value).ok_or_else(|| refuse(k, value.to_string()))
                })
                .collect()
            }
            Cells::Missing(_, missing) => {
                let first = missing.iter().position(|&missing| missing).unwrap_or(0);
                Err(refuse(first, "no value".to_owned()))
            }
            Cells::Texts(texts) => Err(refuse(
                0,
                format!("`{}`", texts.first().map_or("", String::as_str)),
            )),
            Cells::Coded(coded) => Err(refuse(
                0,
                format!("`{}`", coded.each().next().map_or("", String::as_str)),
            )),
        }
    }
}
