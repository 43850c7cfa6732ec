//! Tile-compressed tables, as fpack writes them: each column of a tile of rows is one packed stream in the heap.
//!
//! Entry: [`Tiles::of`], [`Tiles::scan`]. FITS Standard 4.0, section 10.3. cfitsio unpacks; every stream is checked before.

use std::io::Read;
use std::path::Path;

use flate2::read::GzDecoder;

use super::cfitsio::{self, Packed, TileColumn};
use super::column::{Column, size};
use super::extent::Extent;
use super::header::Header;
use super::rice;
use super::source::{Place, Spans};
use crate::error::{CatalogError, Result};
use crate::stop::Watched;

/// Deflate packs a thousandfold at most; more is damage.
const LARGEST_RATIO: u64 = 2048;

/// How the tiles of a table are stored.
pub(super) struct Tiles {
    /// Rows of a tile, the last one apart.
    rows: u64,
    /// Stored rows: one a tile.
    count: u64,
    /// Bytes of a stored row.
    stored_row: u64,
    streams: Vec<Stream>,
}

/// How one column's streams are packed and where their descriptors stand in a stored row.
struct Stream {
    /// `None`: in a way that is not read.
    method: Option<&'static str>,
    offset: usize,
    wide: bool,
    form: String,
}

/// A tile's rows of some columns, as in a table that is not compressed.
pub(super) struct Tile {
    pub(super) first_row: u64,
    pub(super) rows: usize,
    pub(super) row_bytes: usize,
    pub(super) bytes: Vec<u8>,
}

impl Tiles {
    pub(super) fn of(path: &Path, hdu: usize, header: &Header, columns: &[Column]) -> Result<Self> {
        let corrupt =
            |detail: String| Err(CatalogError::corrupt(path, format!("HDU {hdu}: {detail}")));
        let rows = header.size(path, hdu, "ZTILELEN")?;
        let count = header.size(path, hdu, "NAXIS2")?;
        let all = header.size(path, hdu, "ZNAXIS2")?;
        if rows == 0 || all.div_ceil(rows) != count {
            return corrupt(format!(
                "{count} tiles of {rows} rows (ZTILELEN) should hold {all} rows (ZNAXIS2)"
            ));
        }
        let stored_row = header.size(path, hdu, "NAXIS1")?;
        let mut offset = 0;
        let mut streams = Vec::new();
        for (number, column) in (1..).zip(columns) {
            let stored = header.text(&format!("TFORM{number}")).unwrap_or_default();
            let wide = match stored.trim_start_matches('1').get(..2) {
                Some("PB") => false,
                Some("QB") => true,
                _ => return corrupt(format!("TFORM{number} = `{stored}` should be 1PB or 1QB")),
            };
            let form = header.text(&format!("ZFORM{number}")).unwrap_or_default();
            streams.push(Stream {
                method: method(
                    header.text(&format!("ZCTYP{number}")).unwrap_or("GZIP_2"),
                    column.letter(),
                ),
                offset: offset as usize,
                wide,
                form: form.to_owned(),
            });
            offset += if wide { 16 } else { 8 };
        }
        if offset > stored_row {
            return corrupt(format!(
                "the columns take {offset} bytes a tile, NAXIS1 gives {stored_row}"
            ));
        }
        Ok(Self {
            rows,
            count,
            stored_row,
            streams,
        })
    }

    /// Hands the tiles of the columns `fields` to `sink`, one by one.
    pub(super) fn scan(
        &self,
        place: &Place,
        table: &Extent,
        columns: &[(usize, &Column)],
        sink: &mut dyn FnMut(Tile) -> Result<()>,
    ) -> Result<()> {
        let mut spans = Spans::new(place);
        let stored = spans.read(table.start, self.count * self.stored_row)?;
        let row_bytes: u64 = columns.iter().map(|(_, column)| column.bytes()).sum();
        for (tile, descriptors) in stored
            .chunks_exact(self.stored_row.max(1) as usize)
            .enumerate()
        {
            place.stop.check(&place.path)?;
            let first_row = tile as u64 * self.rows;
            let rows = self.rows.min(table.rows - first_row);
            let name = format!("HDU {}, tile {tile} (from 0)", table.hdu);
            let corrupt =
                |detail: String| CatalogError::corrupt(&place.path, format!("{name}: {detail}"));
            let mut packed = Vec::new();
            for &(field, column) in columns {
                let stream = self.stream(field, column, descriptors, table, &mut spans)?;
                let wanted = rows.saturating_mul(column.bytes());
                if wanted / LARGEST_RATIO > stream.stream.len() as u64
                    || !unpacks(&stream, column, wanted, place)?
                {
                    let detail = format!(
                        "column `{}` does not unpack to {rows} rows of {} bytes",
                        column.name(),
                        column.bytes()
                    );
                    return Err(corrupt(detail));
                }
                packed.push(stream);
            }
            let unpacked = Packed {
                rows: rows as usize,
                columns: &packed,
            };
            let bytes = cfitsio::unpack_tile(&unpacked).map_err(corrupt)?;
            sink(Tile {
                first_row,
                rows: rows as usize,
                row_bytes: row_bytes as usize,
                bytes,
            })?;
        }
        Ok(())
    }

    /// One column's stream of a tile.
    fn stream(
        &self,
        field: usize,
        column: &Column,
        descriptors: &[u8],
        table: &Extent,
        spans: &mut Spans<'_>,
    ) -> Result<TileColumn> {
        let path = spans.path();
        let stream = &self.streams[field];
        let Some(method) = stream.method else {
            return Err(CatalogError::unsupported(
                path,
                format!(
                    "HDU {}, column `{}`: this kind of tile compression",
                    table.hdu,
                    column.name()
                ),
                "unpack it with funpack",
            ));
        };
        let (length, start) = descriptor(&descriptors[stream.offset..], stream.wide);
        let end = start.checked_add(length);
        if end.is_none_or(|end| end > table.heap.bytes) {
            let detail = format!(
                "HDU {}, column `{}`: {length} bytes at {start} of a heap of {} bytes",
                table.hdu,
                column.name(),
                table.heap.bytes
            );
            return Err(CatalogError::corrupt(path, detail));
        }
        Ok(TileColumn {
            form: stream.form.clone(),
            bytes: column.bytes() as usize,
            method,
            stream: spans.read(table.heap.start.saturating_add(start), length)?,
        })
    }
}

/// The name that cfitsio knows a column's packing by, if it can be used for this type.
fn method(name: &str, letter: char) -> Option<&'static str> {
    match name {
        "GZIP_1" if !"PQ".contains(letter) => Some("GZIP_1"),
        "GZIP_2" if "IJKED".contains(letter) => Some("GZIP_2"),
        "RICE_1" if "BIJ".contains(letter) => Some("RICE_1"),
        _ => None,
    }
}

/// Length and place of a stream.
fn descriptor(cell: &[u8], wide: bool) -> (u64, u64) {
    let number = |from: usize, bytes: usize| {
        cell[from..from + bytes]
            .iter()
            .fold(0, |value, &byte| value << 8 | u64::from(byte))
    };
    if wide {
        (number(0, 8), number(8, 8))
    } else {
        (number(0, 4), number(4, 4))
    }
}

/// Whether a stream unpacks to just `wanted` bytes.
fn unpacks(packed: &TileColumn, column: &Column, wanted: u64, place: &Place) -> Result<bool> {
    if packed.method == "RICE_1" {
        let bytes = size(column.letter()).unwrap_or(1);
        return Ok(rice::holds(
            &packed.stream,
            (wanted / bytes) as usize,
            bytes as usize,
        ));
    }
    let stream = Watched::new(GzDecoder::new(packed.stream.as_slice()), &place.stop);
    // One byte more than wanted tells a longer stream.
    match std::io::copy(
        &mut stream.take(wanted.saturating_add(1)),
        &mut std::io::sink(),
    ) {
        Ok(found) => Ok(found == wanted),
        Err(error) => match CatalogError::io(&place.path, error) {
            stopped @ CatalogError::Interrupted { .. } => Err(stopped),
            _ => Ok(false),
        },
    }
}
