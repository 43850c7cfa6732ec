//! Compound data sets: tables whose rows are records, as astropy, h5py and `PyTables` write them.
//!
//! Entry: [`columns`]. HDF5 File Format Specification 3.0, IV.A.2.d. Records within records are listed but not decoded.

use hdf5_reader::{Dataset, Datatype, dtype_element_size};
use serde_json::Value as Json;

use super::attribute::unit_of_member;
use super::column::{Column, Member};
use super::element::{Element, Shape};
use super::meaning::Meaning;
use crate::reader::Kind;
use crate::text::yaml;
use crate::value::{Attributes, Value};

/// What astropy appends to a data set's name for the one that holds its header.
const HEADER: &str = ".__table_column_meta__";
/// Longest header kept, in bytes.
const LONGEST_HEADER: u64 = 4 << 20;

/// Whether a data set is a table of its own.
pub(super) fn is_table(dataset: &Dataset) -> bool {
    dataset.ndim() == 1 && matches!(dataset.dtype(), Datatype::Compound { .. })
}

/// Whether a data set holds the header of another.
pub(super) fn is_header(name: &str) -> bool {
    name.ends_with(HEADER)
}

/// The members of a compound data set as columns; none if it is no table.
pub(super) fn columns(dataset: &Dataset, header: &Header) -> Vec<Column> {
    let (Datatype::Compound { size, fields }, true) = (dataset.dtype(), is_table(dataset)) else {
        return Vec::new();
    };
    let raw = dataset.raw_datatype().unwrap_or_default();
    let messages = members(&raw).unwrap_or_default();
    let rows = dataset.shape().first().copied().unwrap_or(0);
    let column = |(k, field): (usize, &hdf5_reader::CompoundField)| {
        let message = messages.get(k).copied().unwrap_or_default();
        let (dtype, message, width) = match &field.datatype {
            Datatype::Array { base, dims } => (
                base.as_ref(),
                array_base(message).unwrap_or_default(),
                dims.iter().try_fold(1_u64, |n, &d| n.checked_mul(d)),
            ),
            other => (other, message, Some(1)),
        };
        let bytes = dtype_element_size(dtype).unwrap_or(0);
        let mut element = Element::of_type(dtype, message, dataset.vlen_reference_size() == 16);
        let end = width
            .and_then(|width| usize::try_from(width).ok()?.checked_mul(bytes))
            .and_then(|all| all.checked_add(field.byte_offset as usize));
        let inside = end.is_some_and(|end| end <= *size as usize) && bytes > 0;
        let texts = element.kind() == Kind::Text && width != Some(1);
        if !inside || texts || width == Some(0) {
            element = Element::Other {
                name: format!(
                    "{} of shape {:?}",
                    element.dtype(),
                    Shape::of(&field.datatype).0
                ),
            };
        }
        let numbers = element.kind() == Kind::Number;
        Column {
            name: field.name.clone(),
            dataset: dataset.clone(),
            element,
            in_frames: false,
            rows,
            width: if numbers {
                width.unwrap_or(1) as usize
            } else {
                1
            },
            meaning: Meaning::default(),
            unit: header
                .unit(&field.name)
                .or_else(|| unit_of_member(dataset, k)),
            member: Some(Member {
                offset: field.byte_offset as usize,
                bytes,
                dtype: dtype.clone(),
            }),
        }
    };
    fields.iter().enumerate().map(column).collect()
}

/// The header that astropy keeps beside a compound data set: units and metadata, as in ECSV.
#[derive(Default)]
pub(super) struct Header(serde_json::Map<String, Json>);

impl Header {
    /// That of the data set `place`, empty if it has none.
    pub(super) fn of(file: &hdf5_reader::Hdf5File, place: &str) -> Self {
        let short = |header: &Dataset| {
            let lines = header.num_elements().unwrap_or(u64::MAX);
            let each = header.raw_element_size().unwrap_or(usize::MAX) as u64;
            lines.saturating_mul(each) <= LONGEST_HEADER
        };
        let header = file.dataset(&format!("{place}{HEADER}")).ok();
        let Some(header) = header.filter(short) else {
            return Self::default();
        };
        let lines = header.read_strings();
        lines.map_or_else(
            |_| Self::default(),
            |lines| Self(yaml::mapping(&lines.join("\n")).0),
        )
    }

    fn unit(&self, name: &str) -> Option<String> {
        let columns = self.0.get("datatype")?.as_array()?;
        let column = columns.iter().find(|column| column["name"] == *name)?;
        column["unit"].as_str().map(str::to_owned)
    }

    /// The table's metadata.
    pub(super) fn meta(mut self) -> Attributes {
        match self.0.remove("meta").map(yaml::ordered_map) {
            Some(Json::Object(entries)) => entries
                .into_iter()
                .filter(|(name, _)| name != "__serialized_columns__")
                .map(|(name, json)| (name, Value::from_json(json)))
                .collect(),
            _ => Attributes::new(),
        }
    }
}

/// The messages of a compound type's members.
fn members(raw: &[u8]) -> Option<Vec<&[u8]>> {
    let mut rest = raw.get(8..)?;
    let count = u16::from_le_bytes([*raw.get(1)?, *raw.get(2)?]);
    let version = raw.first()? >> 4;
    let size = u32::from_le_bytes(raw.get(4..8)?.try_into().ok()?);
    let mut messages = Vec::new();
    for _ in 0..count {
        let name = rest.iter().position(|&byte| byte == 0)? + 1;
        let between = match version {
            1 => name.next_multiple_of(8) + 4 + 28,
            2 => name.next_multiple_of(8) + 4,
            _ => name + offset_bytes(size),
        };
        rest = rest.get(between..)?;
        let (message, after) = rest.split_at_checked(length(rest, 0)?)?;
        messages.push(message);
        rest = after;
    }
    Some(messages)
}

/// Bytes of a member's offset in a record of `size` bytes.
fn offset_bytes(size: u32) -> usize {
    (1..4).find(|bytes| size >> (8 * bytes) == 0).unwrap_or(4)
}

/// Bytes of a type message.
fn length(raw: &[u8], depth: usize) -> Option<usize> {
    let (class, version) = (raw.first()? & 15, raw.first()? >> 4);
    let of_base = |start: usize| Some(start + length(raw.get(start..)?, depth + 1)?);
    if depth > 8 {
        return None;
    }
    match class {
        0 | 4 => Some(12),
        1 => Some(20),
        2 => Some(10),
        3 | 7 => Some(8),
        5 => Some(8 + usize::from(*raw.get(1)?).next_multiple_of(8)),
        8 => {
            let mut at = of_base(8)?;
            let count = usize::from(u16::from_le_bytes([*raw.get(1)?, *raw.get(2)?]));
            for _ in 0..count {
                let name = raw.get(at..)?.iter().position(|&byte| byte == 0)? + 1;
                at += if version < 3 {
                    name.next_multiple_of(8)
                } else {
                    name
                };
            }
            let size = u32::from_le_bytes(raw.get(4..8)?.try_into().ok()?);
            at.checked_add(count.checked_mul(size as usize)?)
        }
        9 => of_base(8),
        10 => of_base(array_header(raw)?),
        _ => None,
    }
}

/// Bytes in front of the base type of an array.
fn array_header(raw: &[u8]) -> Option<usize> {
    let dims = usize::from(*raw.get(8)?);
    Some(if raw.first()? >> 4 < 3 {
        12 + 8 * dims
    } else {
        9 + 4 * dims
    })
}

fn array_base(raw: &[u8]) -> Option<&[u8]> {
    raw.get(array_header(raw)?..)
}
