//! FITS tables, binary and ASCII, plain, gzipped or tile-compressed.
//!
//! Entry: [`FitsReader`]; [`result`] for tables of our own. FITS Standard 4.0 (2018), sections 4, 7 and 10.3. No images.
//! Reads rows front to back in blocks, so a gzipped file is never held decompressed. Rows are decoded here; cfitsio, kept
//! in `cfitsio/`, unpacks tiles and reads arrays of variable length.

#![allow(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    clippy::cast_possible_wrap,
    reason = "sizes and offsets that headers name are checked against the file"
)]

mod arrays;
mod ascii;
pub(crate) mod cfitsio;
mod column;
mod extent;
mod header;
pub(crate) mod result;
mod rice;
mod source;
mod table;
mod tiles;

use std::io::Read;
use std::path::Path;

use self::arrays::{Arrays, Rows};
use self::column::Column;
use self::header::Header;
use self::source::{Place, Source};
use self::table::{FitsTable, Layout};
use crate::Format;
use crate::block::{BLOCK_ROWS, Block, Cells, Widening};
use crate::catalog::Request;
use crate::error::{CatalogError, Result};
use crate::reader::{Backend, Component, Field, Scan, Schema, Sink, wanted_names};
use crate::stop::Stop;

/// FITS files are made of records of this size.
const RECORD: u64 = 2880;
/// A block of rows takes at most about this many bytes.
const BLOCK_BYTES: u64 = 8 << 20;

/// Reads the tables of a FITS file.
pub(crate) struct FitsReader {
    place: Place,
    primary: Header,
    tables: Vec<FitsTable>,
}

impl FitsReader {
    /// Reads all headers.
    pub(crate) fn open(path: &Path, gzipped: bool, stop: Stop) -> Result<Self> {
        let mut reader = Self {
            place: Place {
                path: path.to_owned(),
                gzipped,
                stop,
            },
            primary: Header::default(),
            tables: Vec::new(),
        };
        let mut source = Source::open(&reader.place)?;
        let mut hdu = 0;
        while let Some(header) = Header::read(path, hdu, &mut source)? {
            let bytes = header.data_bytes(path, hdu)?;
            let table = matches!(header.text("XTENSION"), Some("BINTABLE" | "TABLE"));
            // A tile-compressed image is stored as a table, too.
            if table && !header.flag("ZIMAGE") {
                let table = FitsTable::of(path, hdu, header, &source)?;
                reader.tables.push(table);
            } else if hdu == 0 {
                reader.primary = header;
            }
            hdu += 1;
            let padded = bytes.checked_next_multiple_of(RECORD).unwrap_or(u64::MAX);
            if !source
                .skip(padded)
                .map_err(|error| CatalogError::io(path, error))?
            {
                break;
            }
        }
        Ok(reader)
    }

    fn no_table(&self) -> CatalogError {
        CatalogError::NoTable {
            path: self.place.path.clone(),
            detail: "it has no table (images are not read)".to_owned(),
        }
    }

    /// The table a request means: the one it names, the only one, or the only one with all columns it asks for.
    fn choose(&self, request: &Request) -> Result<&FitsTable> {
        if let Some(wanted) = &request.table {
            return self.find(wanted);
        }
        if self.tables.len() < 2 {
            return self.tables.first().ok_or_else(|| self.no_table());
        }
        let has_all = |table: &&FitsTable| {
            let fields = table.fields();
            let known = |name: &str| fields.iter().any(|field| field.name == name);
            wanted_names(request, &known).iter().all(|name| known(name))
        };
        let fitting: Vec<&FitsTable> = self.tables.iter().filter(has_all).collect();
        match fitting.as_slice() {
            [only] if request.names_columns() => Ok(only),
            _ => Err(CatalogError::AmbiguousTable {
                path: self.place.path.clone(),
                available: self.labels(),
            }),
        }
    }

    fn find(&self, wanted: &str) -> Result<&FitsTable> {
        if self.tables.is_empty() {
            return Err(self.no_table());
        }
        let by_name = |table: &&FitsTable| {
            table
                .header
                .text("EXTNAME")
                .is_some_and(|name| name.eq_ignore_ascii_case(wanted))
        };
        let by_number = |table: &&FitsTable| wanted.parse() == Ok(table.hdu);
        let named: Vec<&FitsTable> = self.tables.iter().filter(by_name).collect();
        if named.len() > 1 {
            return Err(self.of_one_name(wanted, &named));
        }
        let by_number = || self.tables.iter().find(by_number);
        let found = named.first().copied().or_else(by_number);
        found.ok_or_else(|| CatalogError::UnknownTable {
            path: self.place.path.clone(),
            table: wanted.to_owned(),
            available: self.tables.iter().flat_map(FitsTable::names).collect(),
        })
    }

    /// The error of a name that several tables have.
    fn of_one_name(&self, wanted: &str, named: &[&FitsTable]) -> CatalogError {
        let shown = |table: &&FitsTable| match table.header.number("EXTVER") {
            Some(version) => format!("{} (EXTVER {version})", table.hdu),
            None => table.hdu.to_string(),
        };
        let numbers: Vec<String> = named.iter().map(shown).collect();
        let detail = format!(
            "several tables have the name `{wanted}`: name one by the number of its HDU, {} (on the command line by --table)",
            numbers.join(" or ")
        );
        CatalogError::refused(&self.place.path, detail)
    }

    /// A name for each table that no other has.
    fn labels(&self) -> Vec<String> {
        let labels: Vec<String> = self.tables.iter().map(FitsTable::label).collect();
        // Names are found in any case of letters.
        let unique = |label: &String| {
            let same = |other: &&String| other.eq_ignore_ascii_case(label);
            labels.iter().filter(same).count() == 1
        };
        let named = self.tables.iter().zip(&labels);
        named
            .map(|(table, label)| {
                if unique(label) {
                    label.clone()
                } else {
                    table.hdu.to_string()
                }
            })
            .collect()
    }

    /// Rows that are stored one behind the other, block by block.
    fn scan_rows(
        &self,
        table: &FitsTable,
        decode: &mut dyn FnMut(Rows<'_>, usize) -> Result<()>,
    ) -> Result<()> {
        let path = &self.place.path;
        let io = |error| CatalogError::io(path, error);
        let mut source = Source::open(&self.place)?;
        source.skip(table.start).map_err(io)?;
        let block_rows = (BLOCK_BYTES / table.row_bytes).clamp(1, BLOCK_ROWS as u64);
        let mut bytes = Vec::new();
        let mut first_row = 0;
        while first_row < table.rows {
            self.place.stop.check(path)?;
            let rows = block_rows.min(table.rows - first_row);
            let wanted = rows * table.row_bytes;
            bytes.clear();
            (&mut source)
                .take(wanted)
                .read_to_end(&mut bytes)
                .map_err(io)?;
            if bytes.len() as u64 != wanted {
                let found = first_row + bytes.len() as u64 / table.row_bytes;
                let detail = format!(
                    "HDU {}: {} rows expected, the file ends after {found}",
                    table.hdu, table.rows
                );
                return Err(CatalogError::corrupt(path, detail));
            }
            let block = Rows {
                bytes: &bytes,
                row_bytes: table.row_bytes as usize,
                first_row,
            };
            decode(block, rows as usize)?;
            first_row += rows;
        }
        Ok(())
    }

    /// Tiles, unpacked one by one, of the columns that `components` name.
    fn scan_tiles(
        &self,
        table: &FitsTable,
        (columns, tiles): (&[Column], &tiles::Tiles),
        components: &[Component],
        widening: Widening,
        sink: &mut Sink<'_>,
    ) -> Result<()> {
        let mut fields: Vec<usize> = components.iter().map(|part| part.field).collect();
        fields.sort_unstable();
        fields.dedup();
        // In the unpacked rows these columns stand alone, one behind the other.
        let mut offset = 0;
        let mut placed = Vec::new();
        for &field in &fields {
            placed.push(columns[field].at(offset));
            offset += columns[field].bytes();
        }
        let chosen: Vec<(usize, &Column)> = fields
            .iter()
            .map(|&field| (field, &columns[field]))
            .collect();
        tiles.scan(&self.place, &table.extent(), &chosen, &mut |tile| {
            let mut block = Block::of(tile.rows, tile.first_row);
            for part in components {
                let at = fields.binary_search(&part.field).unwrap_or_default();
                block.push(placed[at].decode(
                    &self.place.path,
                    part.element,
                    part.widening(widening),
                    &tile.bytes,
                    tile.row_bytes,
                    tile.first_row,
                )?);
            }
            sink(block)
        })
    }
}

impl Backend for FitsReader {
    fn format(&self) -> Format {
        Format::Fits
    }

    fn path(&self) -> &Path {
        &self.place.path
    }

    fn tables(&mut self) -> Result<Vec<String>> {
        if self.tables.is_empty() {
            return Err(self.no_table());
        }
        Ok(self.labels())
    }

    fn schema(&mut self, request: &Request) -> Result<Schema> {
        let table = self.choose(request)?;
        let mut attributes = self.primary.attributes();
        attributes.extend(result::spread(table.header.attributes()));
        let fields: Vec<Field> = table.fields();
        Ok(Schema {
            table: request.table.clone().unwrap_or_else(|| {
                let number = table.hdu.to_string();
                let label = table.label();
                // A name that several tables have does not say which is meant.
                let shared = self.labels().iter().all(|other| *other != label);
                if shared { number } else { label }
            }),
            rows: Some(table.rows),
            fields,
            attributes,
        })
    }

    fn scan(&mut self, scan: &Scan<'_>, sink: &mut Sink<'_>) -> Result<()> {
        let (schema, components, widening) = (scan.schema, scan.components, scan.widening);
        let table = self.find(&schema.table)?;
        if table.row_bytes == 0 || table.rows == 0 {
            return Ok(());
        }
        let path = &self.place.path;
        match &table.layout {
            Layout::Tiled(columns, tiles) => {
                self.scan_tiles(table, (columns, tiles), components, widening, sink)
            }
            Layout::Ascii(columns) => self.scan_rows(table, &mut |rows, count| {
                let mut block = Block::of(count, rows.first_row);
                for part in components {
                    let column = &columns[part.field];
                    let (bytes, first_row) = (rows.bytes, rows.first_row);
                    let widening = part.widening(widening);
                    block.push(column.decode(path, widening, bytes, rows.row_bytes, first_row)?);
                }
                sink(block)
            }),
            Layout::Binary(columns) => {
                let mut arrays = Arrays::new(&self.place, table);
                self.scan_rows(table, &mut |rows, count| {
                    arrays.next_block();
                    let mut block = Block::of(count, rows.first_row);
                    for part in components {
                        let column = &columns[part.field];
                        let (bytes, first_row) = (rows.bytes, rows.first_row);
                        let cells: (Cells, u64) = if column.array().is_some() {
                            arrays.cells(
                                (part.field, column),
                                part.element,
                                part.widening(widening),
                                rows,
                            )?
                        } else {
                            let row_bytes = rows.row_bytes;
                            column.decode(
                                path,
                                part.element,
                                part.widening(widening),
                                bytes,
                                row_bytes,
                                first_row,
                            )?
                        };
                        block.push(cells);
                    }
                    sink(block)
                })
            }
        }
    }
}
