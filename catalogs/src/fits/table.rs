//! One table of a FITS file: where its rows lie and what they are made of.
//!
//! Entry: [`FitsTable::of`]. FITS Standard 4.0, sections 7.2, 7.3 and 10.3. Reads no row.

use std::path::Path;

use super::ascii::{self, AsciiColumn};
use super::column::{self, Column};
use super::extent::{Extent, Heap};
use super::header::Header;
use super::source::Source;
use super::tiles::Tiles;
use crate::error::{CatalogError, Result};
use crate::reader::Field;

/// A table: where its rows are and what they are made of.
pub(super) struct FitsTable {
    pub(super) hdu: usize,
    pub(super) header: Header,
    /// First byte of the data in the (decompressed) file.
    pub(super) start: u64,
    pub(super) rows: u64,
    /// Bytes of a row; of an unpacked one where the table is tile-compressed.
    pub(super) row_bytes: u64,
    pub(super) heap: Heap,
    pub(super) layout: Layout,
}

/// How the rows are stored.
pub(super) enum Layout {
    /// One behind the other, in binary.
    Binary(Vec<Column>),
    /// One behind the other, in characters.
    Ascii(Vec<AsciiColumn>),
    /// Compressed by column and tile of rows.
    Tiled(Vec<Column>, Tiles),
}

impl FitsTable {
    /// The table that `header` describes, whose data begin where `source` stands.
    pub(super) fn of(path: &Path, hdu: usize, header: Header, source: &Source) -> Result<Self> {
        let stored_row = header.size(path, hdu, "NAXIS1")?;
        let stored_rows = header.size(path, hdu, "NAXIS2")?;
        check_length(path, hdu, (stored_rows, stored_row), source)?;
        let heap = heap(path, hdu, &header, stored_row * stored_rows, source)?;
        let tiled = header.flag("ZTABLE");
        let (rows, row_bytes) = if tiled {
            (
                header.size(path, hdu, "ZNAXIS2")?,
                header.size(path, hdu, "ZNAXIS1")?,
            )
        } else {
            (stored_rows, stored_row)
        };
        let layout = if header.text("XTENSION") == Some("TABLE") {
            Layout::Ascii(ascii::columns(path, hdu, &header, row_bytes)?)
        } else if tiled {
            let columns = column::columns(path, hdu, &header, "ZFORM")?;
            let tiles = Tiles::of(path, hdu, &header, &columns)?;
            Layout::Tiled(columns, tiles)
        } else {
            Layout::Binary(column::columns(path, hdu, &header, "TFORM")?)
        };
        if let Layout::Binary(columns) | Layout::Tiled(columns, _) = &layout {
            let width: u64 = columns
                .iter()
                .map(Column::bytes)
                .fold(0, u64::saturating_add);
            if width > row_bytes {
                let name = if tiled { "ZNAXIS1" } else { "NAXIS1" };
                let detail = format!(
                    "HDU {hdu}: the columns take {width} bytes a row, {name} gives {row_bytes}"
                );
                return Err(CatalogError::corrupt(path, detail));
            }
        }
        Ok(Self {
            hdu,
            header,
            start: source.position,
            rows,
            row_bytes,
            heap,
            layout,
        })
    }

    /// Where it lies in the file.
    pub(super) fn extent(&self) -> Extent {
        Extent {
            hdu: self.hdu,
            start: self.start,
            rows: self.rows,
            heap: self.heap,
        }
    }

    /// The columns as a schema lists them.
    pub(super) fn fields(&self) -> Vec<Field> {
        match &self.layout {
            Layout::Binary(columns) => columns.iter().map(|column| column.field(true)).collect(),
            Layout::Tiled(columns, _) => columns.iter().map(|column| column.field(false)).collect(),
            Layout::Ascii(columns) => columns.iter().map(AsciiColumn::field).collect(),
        }
    }

    /// The names that select this table.
    pub(super) fn names(&self) -> Vec<String> {
        let name = self
            .header
            .text("EXTNAME")
            .filter(|name| !name.is_empty())
            .map(str::to_owned);
        std::iter::once(self.hdu.to_string()).chain(name).collect()
    }

    pub(super) fn label(&self) -> String {
        self.names().pop().unwrap_or_default()
    }
}

/// Refuses a table that the file cannot hold.
fn check_length(
    path: &Path,
    hdu: usize,
    (rows, row_bytes): (u64, u64),
    source: &Source,
) -> Result<()> {
    let end = rows
        .checked_mul(row_bytes)
        .and_then(|bytes| bytes.checked_add(source.position));
    let length = source.length.unwrap_or(u64::MAX);
    if end.is_some_and(|end| end <= length) {
        return Ok(());
    }
    let needs = end.map_or("more bytes than a file can have".to_owned(), |end| {
        format!("{end} bytes")
    });
    let detail =
        format!("HDU {hdu}: {rows} rows of {row_bytes} bytes need {needs}, the file has {length}");
    Err(CatalogError::corrupt(path, detail))
}

/// The heap: THEAP bytes behind the start of the rows, by default right behind them.
fn heap(path: &Path, hdu: usize, header: &Header, row_bytes: u64, source: &Source) -> Result<Heap> {
    let optional = |keyword, default| match header.value(keyword) {
        Some(_) => header.size(path, hdu, keyword),
        None => Ok(default),
    };
    let end = row_bytes.saturating_add(optional("PCOUNT", 0)?);
    let offset = optional("THEAP", row_bytes)?.clamp(row_bytes, end);
    Ok(Heap {
        start: source.position.saturating_add(offset),
        bytes: end - offset,
    })
}
