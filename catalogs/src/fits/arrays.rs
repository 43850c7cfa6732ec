//! Columns whose rows hold arrays of variable length: descriptors in the rows, elements in the heap.
//!
//! Entry: [`Arrays::cells`]. FITS Standard 4.0, section 7.3.5. Elements behind the end of a row's array are missing values.

use super::cfitsio::{self, Elements};
use super::column::{Column, size};
use super::extent::Heap;
use super::source::{Place, Spans};
use super::table::FitsTable;
use crate::block::{Cells, Numbers, Site, Widening};
use crate::error::{CatalogError, Result};

/// Heap bytes read at once, unless one row has more.
const SPAN: u64 = 64 << 20;

/// One element of the arrays in all rows of a block, and the number of those missing; `None` once it is taken.
type Element = Option<(Cells, u64)>;

/// The arrays of a table, block by block.
pub(super) struct Arrays<'a> {
    place: &'a Place,
    hdu: usize,
    heap: Heap,
    spans: Spans<'a>,
    /// The elements of the column decoded last, and that column.
    last: Option<(usize, Vec<Element>)>,
}

/// The rows of a block.
#[derive(Clone, Copy)]
pub(super) struct Rows<'a> {
    pub(super) bytes: &'a [u8],
    pub(super) row_bytes: usize,
    pub(super) first_row: u64,
}

impl<'a> Arrays<'a> {
    pub(super) fn new(place: &'a Place, table: &FitsTable) -> Self {
        Self {
            place,
            hdu: table.hdu,
            heap: table.heap,
            spans: Spans::new(place),
            last: None,
        }
    }

    /// Forgets the block at hand.
    pub(super) fn next_block(&mut self) {
        self.last = None;
    }

    /// Element `element` of the arrays of `column`, which is number `field`, in all rows, and the number of those missing.
    pub(super) fn cells(
        &mut self,
        (field, column): (usize, &Column),
        element: usize,
        widening: Widening,
        rows: Rows<'_>,
    ) -> Result<(Cells, u64)> {
        if self.last.as_ref().is_none_or(|(last, _)| *last != field) {
            let elements = self.decode(column, widening, rows)?;
            self.last = Some((field, elements));
        }
        let found = self
            .last
            .as_mut()
            .and_then(|(_, elements)| elements.get_mut(element)?.take());
        match found {
            Some(cells) => Ok(cells),
            // Taken before: the same element was asked for twice.
            None => Ok(self
                .decode(column, widening, rows)?
                .swap_remove(element)
                .unwrap_or((Cells::Numbers(Vec::new()), 0))),
        }
    }

    fn corrupt(&self, detail: &str) -> CatalogError {
        CatalogError::corrupt(&self.place.path, format!("HDU {}: {detail}", self.hdu))
    }

    /// All elements of a column in the rows of a block.
    fn decode(
        &mut self,
        column: &Column,
        widening: Widening,
        rows: Rows<'_>,
    ) -> Result<Vec<Element>> {
        let (letter, longest) = column.array().unwrap_or(('B', 0));
        let descriptors = self.descriptors(column, rows)?;
        let mut columns: Vec<Numbers<'_>> = (0..longest)
            .map(|_| {
                let site = Site::new(&self.place.path, column.name(), rows.first_row);
                Numbers::new(site, widening, descriptors.len())
            })
            .collect();
        let mut done = 0;
        while done < descriptors.len() {
            let part = &descriptors[done..];
            let part = &part[..reach(part, size(letter).unwrap_or(1))];
            let elements = self.elements(letter, part)?;
            let mut next = 0;
            for &(length, _) in part {
                for (k, numbers) in columns.iter_mut().enumerate() {
                    if k as u64 >= length {
                        numbers.null()?;
                        continue;
                    }
                    push(column, letter, numbers, &elements, next + k)?;
                }
                next += length as usize;
            }
            done += part.len();
        }
        let finished = columns.into_iter().map(|numbers| Some(numbers.finish()));
        Ok(finished.collect())
    }

    /// Length and place of each row's array, all of them within the heap.
    fn descriptors(&self, column: &Column, rows: Rows<'_>) -> Result<Vec<(u64, u64)>> {
        let (letter, longest) = column.array().unwrap_or(('B', 0));
        let bytes = size(letter).unwrap_or(1);
        let rows_of = rows.bytes.chunks_exact(rows.row_bytes);
        rows_of
            .enumerate()
            .map(|(row, cells)| {
                let (length, place) = column.descriptor(cells);
                let end = length.checked_mul(bytes).and_then(|b| b.checked_add(place));
                if length <= longest && end.is_some_and(|end| end <= self.heap.bytes) {
                    return Ok((length, place));
                }
                Err(self.corrupt(&format!(
                    "column `{}`, row {} (from 0): {length} elements at byte {place} of a heap of {} bytes, TFORM allows {longest}",
                    column.name(),
                    rows.first_row + row as u64,
                    self.heap.bytes
                )))
            })
            .collect()
    }

    /// The elements of some rows, read from one span of the heap.
    fn elements(&mut self, letter: char, rows: &[(u64, u64)]) -> Result<Elements> {
        let bytes = size(letter).unwrap_or(1);
        let filled = || rows.iter().filter(|(length, _)| *length > 0);
        let first = filled().map(|(_, place)| *place).min().unwrap_or(0);
        let end = filled().map(|(length, place)| place + length * bytes).max();
        let span = self
            .spans
            .read(self.heap.start + first, end.unwrap_or(first) - first)?;
        let moved: Vec<(u64, u64)> = rows
            .iter()
            .map(|&(length, place)| (length, place.saturating_sub(first)))
            .collect();
        // Logical values are stored as the characters T and F.
        let letter = if letter == 'L' { 'B' } else { letter };
        cfitsio::arrays(letter, &moved, &span).map_err(|reason| self.corrupt(&reason))
    }
}

/// How many of the rows lie within one span; at least one.
fn reach(rows: &[(u64, u64)], bytes: u64) -> usize {
    let (mut first, mut end) = (u64::MAX, 0);
    let within = rows.iter().take_while(|&&(length, place)| {
        if length > 0 {
            first = first.min(place);
            end = end.max(place + length * bytes);
        }
        end.saturating_sub(first) <= SPAN
    });
    within.count().max(1)
}

fn push(
    column: &Column,
    letter: char,
    numbers: &mut Numbers<'_>,
    elements: &Elements,
    at: usize,
) -> Result<()> {
    match elements {
        Elements::Floats(values) => numbers.float(column.scaled(values[at])),
        Elements::Integers(values) if letter == 'L' => match values[at] as u8 {
            b'T' => numbers.integer(1),
            b'F' => numbers.integer(0),
            _ => numbers.null(),
        },
        Elements::Integers(values) => column.integer(numbers, values[at]),
    }
}
