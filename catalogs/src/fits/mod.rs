//! FITS binary tables, plain or gzipped, decoded here without cfitsio.
//!
//! Entry: [`FitsReader`]. FITS Standard 4.0 (2018), sections 4 and 7.3. No images, no ASCII tables, no tile compression.
//! Reads rows front to back in blocks, so a gzipped file is never held decompressed.

mod column;
mod header;

use std::fs::File;
use std::io::{BufReader, Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};

use flate2::bufread::MultiGzDecoder;

use self::column::Column;
use self::header::Header;
use crate::Format;
use crate::block::{BLOCK_ROWS, Block, Widening};
use crate::catalog::Request;
use crate::error::CatalogError;
use crate::reader::{Backend, Component, Field, Schema, Sink};

/// FITS files are made of records of this size.
const RECORD: u64 = 2880;
/// A block of rows takes at most about this many bytes.
const BLOCK_BYTES: u64 = 8 << 20;

/// Reads the binary tables of a FITS file.
pub(crate) struct FitsReader {
    path: PathBuf,
    gzipped: bool,
    primary: Header,
    tables: Vec<BinTable>,
}

/// A binary table: where its rows are and what they are made of.
struct BinTable {
    hdu: usize,
    header: Header,
    /// First byte of the rows in the (decompressed) file.
    start: u64,
    rows: u64,
    row_bytes: u64,
    columns: Vec<Column>,
}

impl FitsReader {
    /// Reads all headers.
    pub(crate) fn open(path: &Path, gzipped: bool) -> Result<Self, CatalogError> {
        let mut reader = Self {
            path: path.to_owned(),
            gzipped,
            primary: Header::default(),
            tables: Vec::new(),
        };
        let mut source = Source::open(path, gzipped)?;
        let mut hdu = 0;
        while let Some(header) = Header::read(path, hdu, &mut source)? {
            let bytes = header.data_bytes(path, hdu)?;
            if header.text("XTENSION") == Some("BINTABLE") {
                reader
                    .tables
                    .push(BinTable::new(path, hdu, header, &source)?);
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

    fn find(&self, wanted: Option<&str>) -> Result<&BinTable, CatalogError> {
        let Some(first) = self.tables.first() else {
            let detail = "it has no binary table (images and ASCII tables are not read)".to_owned();
            return Err(CatalogError::NoTable {
                path: self.path.clone(),
                detail,
            });
        };
        let Some(wanted) = wanted else {
            return Ok(first);
        };
        let by_name = |table: &&BinTable| {
            table
                .header
                .text("EXTNAME")
                .is_some_and(|name| name.eq_ignore_ascii_case(wanted))
        };
        let by_number = |table: &&BinTable| wanted.parse() == Ok(table.hdu);
        let found = self
            .tables
            .iter()
            .find(by_name)
            .or_else(|| self.tables.iter().find(by_number));
        found.ok_or_else(|| CatalogError::UnknownTable {
            path: self.path.clone(),
            table: wanted.to_owned(),
            available: self.tables.iter().flat_map(BinTable::names).collect(),
        })
    }
}

impl BinTable {
    fn new(path: &Path, hdu: usize, header: Header, source: &Source) -> Result<Self, CatalogError> {
        let row_bytes = header.size(path, hdu, "NAXIS1")?;
        let rows = header.size(path, hdu, "NAXIS2")?;
        let columns = column::columns(path, hdu, &header)?;
        let width: u64 = columns
            .iter()
            .map(Column::bytes)
            .fold(0, u64::saturating_add);
        if width > row_bytes {
            let detail = format!(
                "HDU {hdu}: the columns take {width} bytes a row, NAXIS1 gives {row_bytes}"
            );
            return Err(CatalogError::corrupt(path, detail));
        }
        let end = rows
            .checked_mul(row_bytes)
            .and_then(|bytes| bytes.checked_add(source.position));
        if let (Some(length), end) = (source.length, end)
            && end.is_none_or(|end| end > length)
        {
            let needs = end.map_or("more bytes than a file can have".to_owned(), |end| {
                format!("{end} bytes")
            });
            let detail = format!(
                "HDU {hdu}: {rows} rows of {row_bytes} bytes need {needs}, the file has {length}"
            );
            return Err(CatalogError::corrupt(path, detail));
        }
        Ok(Self {
            hdu,
            header,
            start: source.position,
            rows,
            row_bytes,
            columns,
        })
    }

    /// The names that select this table.
    fn names(&self) -> Vec<String> {
        let name = self
            .header
            .text("EXTNAME")
            .filter(|name| !name.is_empty())
            .map(str::to_owned);
        std::iter::once(self.hdu.to_string()).chain(name).collect()
    }

    fn label(&self) -> String {
        self.names().pop().unwrap_or_default()
    }
}

impl Backend for FitsReader {
    fn format(&self) -> Format {
        Format::Fits
    }

    fn path(&self) -> &Path {
        &self.path
    }

    fn tables(&mut self) -> Result<Vec<String>, CatalogError> {
        self.find(None)?;
        let labels: Vec<String> = self.tables.iter().map(BinTable::label).collect();
        let unique = |label: &String| labels.iter().filter(|other| *other == label).count() == 1;
        let named = self.tables.iter().zip(&labels);
        Ok(named
            .map(|(table, label)| {
                if unique(label) {
                    label.clone()
                } else {
                    table.hdu.to_string()
                }
            })
            .collect())
    }

    fn schema(&mut self, request: &Request) -> Result<Schema, CatalogError> {
        let table = self.find(request.table.as_deref())?;
        if table.header.flag("ZTABLE") {
            return Err(CatalogError::Unsupported {
                path: self.path.clone(),
                what: format!("HDU {}: tile compression (ZTABLE)", table.hdu),
                advice: "unpack it with funpack".to_owned(),
            });
        }
        let mut attributes = self.primary.attributes();
        attributes.extend(table.header.attributes());
        let fields: Vec<Field> = table.columns.iter().map(Column::field).collect();
        Ok(Schema {
            table: request.table.clone().unwrap_or_else(|| table.label()),
            rows: Some(table.rows),
            fields,
            attributes,
        })
    }

    fn scan(
        &mut self,
        schema: &Schema,
        components: &[Component],
        widening: Widening,
        sink: &mut Sink<'_>,
    ) -> Result<(), CatalogError> {
        let table = self.find(Some(&schema.table))?;
        if table.row_bytes == 0 {
            return Ok(());
        }
        let io = |error| CatalogError::io(&self.path, error);
        let mut source = Source::open(&self.path, self.gzipped)?;
        source.skip(table.start).map_err(io)?;
        let block_rows = (BLOCK_BYTES / table.row_bytes.max(1)).clamp(1, BLOCK_ROWS as u64);
        let mut bytes = Vec::new();
        let mut first_row = 0;
        while first_row < table.rows {
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
                return Err(CatalogError::corrupt(&self.path, detail));
            }
            sink(self.decode(
                table,
                components,
                widening,
                &bytes,
                first_row,
                rows as usize,
            )?)?;
            first_row += rows;
        }
        Ok(())
    }
}

impl FitsReader {
    fn decode(
        &self,
        table: &BinTable,
        components: &[Component],
        widening: Widening,
        bytes: &[u8],
        first_row: u64,
        rows: usize,
    ) -> Result<Block, CatalogError> {
        let mut block = Block {
            rows,
            cells: Vec::with_capacity(components.len()),
            nulls: Vec::with_capacity(components.len()),
        };
        for part in components {
            let column = &table.columns[part.field];
            let row_bytes = table.row_bytes as usize;
            let (cells, nulls) = column.decode(
                &self.path,
                part.element,
                widening,
                bytes,
                row_bytes,
                first_row,
            )?;
            block.cells.push(cells);
            block.nulls.push(nulls);
        }
        Ok(block)
    }
}

/// The bytes of the file, decompressed, with the position in them.
pub(crate) struct Source {
    stream: Stream,
    pub(crate) position: u64,
    /// Bytes in all; unknown if compressed.
    length: Option<u64>,
}

enum Stream {
    Plain(BufReader<File>),
    Gzip(Box<MultiGzDecoder<BufReader<File>>>),
}

impl Source {
    fn open(path: &Path, gzipped: bool) -> Result<Self, CatalogError> {
        let io = |error| CatalogError::io(path, error);
        let file = File::open(path).map_err(io)?;
        let length = file.metadata().map_err(io)?.len();
        let file = BufReader::with_capacity(1 << 16, file);
        Ok(if gzipped {
            Self {
                stream: Stream::Gzip(Box::new(MultiGzDecoder::new(file))),
                position: 0,
                length: None,
            }
        } else {
            Self {
                stream: Stream::Plain(file),
                position: 0,
                length: Some(length),
            }
        })
    }

    /// Moves on; false if the file ends before.
    fn skip(&mut self, bytes: u64) -> std::io::Result<bool> {
        if let (Stream::Plain(file), Some(length)) = (&mut self.stream, self.length) {
            let inside = self.position.saturating_add(bytes) <= length;
            if let (true, Ok(offset)) = (inside, i64::try_from(bytes)) {
                file.seek(SeekFrom::Current(offset))?;
                self.position += bytes;
            }
            return Ok(inside);
        }
        Ok(std::io::copy(&mut self.take(bytes), &mut std::io::sink())? == bytes)
    }
}

impl Read for Source {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        let count = match &mut self.stream {
            Stream::Plain(file) => file.read(buffer)?,
            Stream::Gzip(decoder) => decoder.read(buffer)?,
        };
        self.position += count as u64;
        Ok(count)
    }
}
