//! HDF5 files: the data sets of a group are the columns of a table; H5MD trajectories have a row per frame and particle.
//!
//! Entry: [`Hdf5Reader`]. H5MD: de Buyl, Colberg & Höfling 2014, CPC 185, 1546. A compound data
//! set is a table whose columns are its members.

#![allow(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "rows and widths of arrays that the file holds"
)]

pub(crate) mod array;
mod attribute;
mod column;
mod compound;
mod element;
mod failure;
mod files;
pub(crate) mod filters;
mod header;
mod meaning;
mod selection;
mod tree;
mod virtual_sets;

use std::path::{Path, PathBuf};

use hdf5_reader::{DEFAULT_CHUNK_CACHE_SLOTS, Dataset, H5Type, Hdf5File, SliceInfo};

use self::column::{Column, Member};
use self::element::Element;
pub(crate) use self::failure::failure;
use self::failure::no_table;
pub(crate) use self::files::opened;
use crate::Format;
use crate::block::{BLOCK_ROWS, Block, Cells, Numbers, Site, Widening, block_rows};
use crate::catalog::Request;
use crate::collector::Collector;
use crate::error::{CatalogError, Result};
use crate::reader::{Backend, Component, Field, Kind, Scan, Schema, Sink};
use crate::stop::Stop;

/// The column of a trajectory that counts its frames, from 0.
const FRAME: &str = "frame";
/// Decoded chunks kept, so that slices that share a chunk decode it once.
const CHUNK_CACHE_BYTES: usize = 4 << 20;
/// A vector column at most this wide is read whole even if one component is asked for.
const WHOLE_WIDTH: usize = 16;
/// A block of records takes at most about this many bytes, unless one chunk has more.
const RECORD_BYTES: u64 = 8 << 20;
/// No filter shrinks data more than about a thousandfold (deflate: 1032:1).
const LARGEST_RATIO: u64 = 2048;

/// Reads the data sets of an HDF5 file.
pub(crate) struct Hdf5Reader {
    path: PathBuf,
    file: Hdf5File,
    bytes: u64,
    /// The columns of the schema last asked for, in its order.
    columns: Vec<Column>,
    frames: Frames,
    /// The mass that all particles have, a column behind the others and the frames.
    mass: Option<f64>,
    stop: Stop,
}

/// The frames of a trajectory that a request looks at.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Frames {
    /// The table is no trajectory.
    None,
    /// These, from and to.
    Some(u64, u64),
    /// The trajectory has several, and the request says nothing about them.
    Unchosen(u64),
}

impl Hdf5Reader {
    /// Reads the superblock.
    pub(crate) fn open(path: &Path, stop: Stop) -> Result<Self> {
        let (file, bytes) = files::opened(path, (CHUNK_CACHE_BYTES, DEFAULT_CHUNK_CACHE_SLOTS))?;
        Ok(Self {
            path: path.to_owned(),
            file,
            bytes,
            columns: Vec::new(),
            frames: Frames::None,
            mass: None,
            stop,
        })
    }

    fn frames(&self, table: &str, request: &Request) -> Result<Frames> {
        let Some(count) = self.columns.iter().filter_map(Column::frames).max() else {
            return Ok(Frames::None);
        };
        let Some(filter) = &request.filter else {
            let describing = request.columns.is_empty();
            return Ok(if count == 1 || describing {
                Frames::Some(0, count)
            } else {
                Frames::Unchosen(count)
            });
        };
        match filter.pinned(FRAME) {
            Some(frame) if frame >= 0.0 && frame < count as f64 && frame.fract() == 0.0 => {
                Ok(Frames::Some(frame as u64, frame as u64 + 1))
            }
            Some(_) => Err(choose_frame(&self.path, table, count)),
            None if count == 1 || filter.columns().contains(&FRAME) => Ok(Frames::Some(0, count)),
            None => Ok(Frames::Unchosen(count)),
        }
    }

    /// Refuses a shape that the file cannot hold, before memory is reserved for it.
    fn check_size(&self, column: &Column) -> Result<()> {
        let elements = column
            .dataset
            .num_elements()
            .map_err(|error| failure(&self.path, &error))?;
        let each = match &column.member {
            Some(_) => column.dataset.raw_element_size().unwrap_or(1) as u64,
            None => column.element.bytes(),
        };
        let bytes = elements.saturating_mul(each);
        if bytes / LARGEST_RATIO > self.bytes {
            let detail = format!(
                "`{}` claims {bytes} bytes, the file has {}",
                column.name, self.bytes
            );
            return Err(CatalogError::corrupt(&self.path, detail));
        }
        Ok(())
    }

    /// Rows a block should have: many chunks, so that they decode in parallel, but a small part of the table. Whole
    /// chunks, so that each is decoded once.
    fn block_rows(&self, components: &[Component], rows: u64) -> u64 {
        let chunk = components
            .iter()
            .map(|part| self.columns.get(part.field).map_or(1, Column::chunk_rows))
            .max();
        let chunk = chunk.unwrap_or(1).max(1);
        let record = |part: &Component| {
            let column = self.columns.get(part.field)?;
            let bytes = column.dataset.raw_element_size().ok()?;
            column.member.as_ref().map(|_| bytes as u64)
        };
        if let Some(record) = components.iter().find_map(record) {
            let rows = (RECORD_BYTES / record.max(1)).clamp(64, BLOCK_ROWS as u64);
            return rows.div_ceil(chunk).saturating_mul(chunk);
        }
        let least = block_rows(components.len()) as u64;
        (rows / 64)
            .clamp(least, 16 * least)
            .div_ceil(chunk)
            .saturating_mul(chunk)
    }

    fn block(
        &self,
        components: &[Component],
        widening: Widening,
        frame: Option<u64>,
        (start, end): (u64, u64),
        first_row: u64,
    ) -> Result<Block> {
        let rows = (end - start) as usize;
        let mut block = Block::of(rows, first_row);
        let mut whole: Option<(usize, Vec<(Cells, u64)>)> = None;
        let mut records: Option<(u64, Vec<element::Raw>)> = None;
        for part in components {
            let Some(column) = self.columns.get(part.field) else {
                let behind = part.field - self.columns.len();
                let mass = self
                    .mass
                    .filter(|_| behind > 0 || self.frames == Frames::None);
                let value = mass.unwrap_or(frame.unwrap_or(0) as f64);
                block.push((Cells::Numbers(vec![value; rows]), 0));
                continue;
            };
            let widening = part.widening(widening);
            let site = Site::new(&self.path, &column.name, first_row);
            if let Some(member) = &column.member {
                let place = column.dataset.address();
                let at_hand = records.take().filter(|(other, _)| *other == place);
                let (_, rows) = if let Some(rows) = at_hand {
                    records.insert(rows)
                } else {
                    let slice = column.slice(None, start, end, None);
                    let rows = read(&column.dataset, &slice);
                    let rows = rows.map_err(|error| failure(&self.path, &error))?;
                    records.insert((place, rows))
                };
                let cells = self.member(column, member, part.element, rows, site, widening)?;
                block.push((cells, 0));
                continue;
            }
            if column.width > WHOLE_WIDTH || column.width == 1 {
                let slice = column.slice(frame, start, end, Some(part.element));
                let cells = self.decode(column, &slice, 1, site, widening)?;
                for cells in cells {
                    block.push(cells);
                }
                continue;
            }
            if whole.as_ref().is_none_or(|(field, _)| *field != part.field) {
                let slice = column.slice(frame, start, end, None);
                whole = Some((
                    part.field,
                    self.decode(column, &slice, column.width, site, widening)?,
                ));
            }
            if let Some((_, cells)) = &mut whole {
                let taken = (Cells::Numbers(Vec::new()), 0);
                block.push(std::mem::replace(&mut cells[part.element], taken));
            }
        }
        Ok(block)
    }

    /// One component of a member of some records.
    fn member(
        &self,
        column: &Column,
        member: &Member,
        element: usize,
        records: &[element::Raw],
        site: Site<'_>,
        widening: Widening,
    ) -> Result<Cells> {
        let failure = |error| failure(&self.path, &error);
        let start = member.offset + element * member.bytes;
        let cell = |record: &element::Raw| {
            let cell = record.0.get(start..start + member.bytes);
            cell.map(<[u8]>::to_vec).unwrap_or_default()
        };
        if column.element.kind() == Kind::Text {
            let text = |record| column.element.text(&column.dataset, &cell(record));
            let texts: hdf5_reader::error::Result<_> = records.iter().map(text).collect();
            return Ok(Cells::Texts(texts.map_err(failure)?));
        }
        let mut bytes = Vec::with_capacity(records.len() * member.bytes);
        for record in records {
            bytes.extend(
                record
                    .0
                    .get(start..start + member.bytes)
                    .unwrap_or_default(),
            );
        }
        let mismatch =
            || CatalogError::corrupt(&self.path, format!("`{}`: short records", column.name));
        if let Element::Float { .. } = column.element {
            let values = element::Float::decode_vec(&bytes, &member.dtype, records.len());
            let values = values.ok_or_else(mismatch)?.map_err(failure)?;
            return Ok(Cells::Numbers(values.iter().map(|value| value.0).collect()));
        }
        let values = element::Integer::decode_vec(&bytes, &member.dtype, records.len());
        let mut numbers = Numbers::new(site, widening, records.len());
        for value in values.ok_or_else(mismatch)?.map_err(failure)? {
            numbers.integer(value.0)?;
        }
        Ok(numbers.finish().0)
    }

    /// Reads a slice of `width` values a row and parts it into columns, each with the number of its missing values.
    fn decode(
        &self,
        column: &Column,
        slice: &SliceInfo,
        width: usize,
        site: Site<'_>,
        widening: Widening,
    ) -> Result<Vec<(Cells, u64)>> {
        let failure = |error| failure(&self.path, &error);
        match column.element {
            Element::Float { .. } if !column.meaning.is_plain() => {
                let values = read::<element::Float>(&column.dataset, slice).map_err(failure)?;
                parted(&values, width, (site, widening), |numbers, value| {
                    column.meaning.float(numbers, value.0)
                })
            }
            Element::Float { .. } => {
                let values = read::<element::Float>(&column.dataset, slice).map_err(failure)?;
                let values = values.into_iter().map(|value| value.0);
                // Collects in place.
                let values: Vec<f64> = values.collect();
                if width == 1 {
                    return Ok(vec![(Cells::Numbers(values), 0)]);
                }
                let part = |k| values.iter().skip(k).step_by(width).copied().collect();
                Ok((0..width).map(|k| (Cells::Numbers(part(k)), 0)).collect())
            }
            Element::Integer { .. } => {
                let values = read::<element::Integer>(&column.dataset, slice).map_err(failure)?;
                parted(&values, width, (site, widening), |numbers, value| {
                    column.meaning.integer(numbers, value.0)
                })
            }
            Element::FixedText { .. } | Element::VariableText => {
                let values = read::<element::Raw>(&column.dataset, slice).map_err(failure)?;
                let text = |raw: &element::Raw| {
                    column
                        .element
                        .text(&column.dataset, &raw.0)
                        .map_err(failure)
                };
                let texts = values.iter().map(text).collect::<Result<_, _>>()?;
                Ok(vec![(Cells::Texts(texts), 0)])
            }
            Element::Other { .. } => {
                Ok((0..width).map(|_| (Cells::Texts(Vec::new()), 0)).collect())
            }
        }
    }
}

/// Values of `width` columns that stand row by row, parted; `append` puts one behind those of its column.
fn parted<T>(
    values: &[T],
    width: usize,
    (site, widening): (Site<'_>, Widening),
    append: impl Fn(&mut Numbers<'_>, &T) -> Result<()>,
) -> Result<Vec<(Cells, u64)>> {
    let part = |k| {
        let mut numbers = Numbers::new(site, widening, values.len() / width);
        let mut own = values.iter().skip(k).step_by(width);
        own.try_for_each(|value| append(&mut numbers, value))?;
        Ok(numbers.finish())
    };
    (0..width).map(part).collect()
}

/// The numbers of a slice as float64, read by this thread alone; `whole`: whether they are stored as integers.
pub(crate) fn numbers(
    dataset: &Dataset,
    slice: &SliceInfo,
    whole: bool,
) -> hdf5_reader::error::Result<Vec<f64>> {
    if whole {
        let values = dataset.read_slice::<element::Integer>(slice)?;
        return Ok(values.iter().map(|value| value.0 as f64).collect());
    }
    let values = dataset.read_slice::<element::Float>(slice)?;
    Ok(values.iter().map(|value| value.0).collect())
}

fn read<T: hdf5_reader::H5Type>(
    dataset: &Dataset,
    slice: &SliceInfo,
) -> hdf5_reader::error::Result<Vec<T>> {
    Ok(dataset
        .read_slice_parallel::<T>(slice)?
        .into_raw_vec_and_offset()
        .0)
}

impl Backend for Hdf5Reader {
    fn format(&self) -> Format {
        Format::Hdf5
    }

    fn path(&self) -> &Path {
        &self.path
    }

    fn tables(&mut self) -> Result<Vec<String>> {
        let tables = tree::tables(&self.path, &self.file)?;
        if tables.is_empty() {
            return Err(no_table(&self.path));
        }
        Ok(tables)
    }

    fn schema(&mut self, request: &Request) -> Result<Schema> {
        let table = tree::choose(&self.path, &self.file, request)?;
        self.columns = tree::columns(&self.path, &self.file, &table, request)?;
        self.frames = self.frames(&table, request)?;
        let (first, last) = match self.frames {
            Frames::Some(first, last) => (first, last),
            Frames::None | Frames::Unchosen(_) => (0, 1),
        };
        let mut fields: Vec<Field> = self
            .columns
            .iter()
            .map(|column| column.field(last - first))
            .collect();
        if self.frames != Frames::None {
            let rows = self
                .columns
                .iter()
                .find(|column| column.in_frames)
                .map(|column| column.rows * (last - first));
            fields.push(Field {
                rows,
                ..Field::of(FRAME, "int64", Kind::Number)
            });
        }
        let attributes = tree::attributes(&self.path, &self.file, &table, (first, last))?;
        self.mass = tree::common_mass(&table, &self.columns, &attributes);
        if self.mass.is_some() {
            fields.push(Field {
                rows: self.columns.first().map(|column| column.rows),
                ..Field::of(tree::MASSES, "float64", Kind::Number)
            });
        }
        Ok(Schema {
            table,
            rows: None,
            fields,
            attributes,
        })
    }

    fn packing(&self, field: usize) -> Option<String> {
        let column = self.columns.get(field)?;
        filters::of(&self.file, &column.dataset)
    }

    fn seeks(&self) -> bool {
        true
    }

    fn scan(&mut self, scan: &Scan<'_>, sink: &mut Sink<'_>) -> Result<()> {
        let (components, widening, from) = (scan.components, scan.widening, scan.from);
        for part in components {
            self.columns
                .get(part.field)
                .map_or(Ok(()), |column| self.check_size(column))?;
        }
        let of_column = components
            .iter()
            .find_map(|part| self.columns.get(part.field))
            .map(|column| column.rows);
        let of_frames = || {
            self.columns
                .iter()
                .find(|column| column.in_frames)
                .map(|column| column.rows)
        };
        let of_any = || self.columns.first().map(|column| column.rows);
        let rows = of_column.or_else(of_frames).or_else(of_any).unwrap_or(0);
        let frames: Vec<Option<u64>> = match self.frames {
            Frames::Some(first, last) => (first..last).map(Some).collect(),
            Frames::None | Frames::Unchosen(_) => vec![None],
        };
        let step = self.block_rows(components, rows);
        let mut first_row = 0;
        for frame in frames {
            let mut start = 0;
            while start < rows {
                self.stop.check(&self.path)?;
                let end = rows.min(start + step);
                if first_row + (end - start) > from {
                    sink(self.block(components, widening, frame, (start, end), first_row)?)?;
                }
                first_row += end - start;
                start = end;
            }
        }
        Ok(())
    }

    fn collect(&mut self, scan: &Scan<'_>, collector: &mut Collector) -> Result<()> {
        let moving = scan.components.iter().any(|part| {
            self.columns
                .get(part.field)
                .is_none_or(|column| column.in_frames)
        });
        if let (Frames::Unchosen(frames), true) = (self.frames, moving) {
            return Err(choose_frame(&self.path, &scan.schema.table, frames));
        }
        let path = self.path.clone();
        self.scan(scan, &mut |block| collector.take(&path, block))
    }
}

/// The refusal of a trajectory that is read without saying which frame.
fn choose_frame(path: &Path, table: &str, frames: u64) -> CatalogError {
    let last = frames.saturating_sub(1);
    CatalogError::refused(
        path,
        format!(
            "table `{table}` holds {frames} frames: choose one with the filter `frame == k`, k from 0 to {last}"
        ),
    )
}
