//! Columns of FITS binary tables: layout from TFORM, values from big-endian bytes.
//!
//! Entry: [`columns`], [`Column::decode`]. FITS Standard 4.0, section 7.3. Arrays of variable length are left to
//! `arrays`; bits and complex numbers are listed but not decoded.

use std::path::Path;

use super::header::Header;
use crate::block::{Cells, Numbers, Site, Widening};
use crate::error::{CatalogError, Result};
use crate::reader::{Field, Kind};
use crate::scaling::Scaling;
use crate::value::Value;

/// The type letter of TFORM.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Type {
    Logical,
    Byte,
    Int16,
    Int32,
    Int64,
    Float32,
    Float64,
    Text,
    /// A descriptor of an array in the heap; `wide`: of 16 bytes, not 8.
    Array {
        of: char,
        wide: bool,
        /// Elements of the longest, as TFORM says.
        longest: u64,
    },
    Other(char),
}

/// One column.
#[derive(Debug, Clone)]
pub(super) struct Column {
    name: String,
    unit: Option<String>,
    kind: Type,
    repeat: usize,
    offset: usize,
    bytes: u64,
    scaling: Scaling,
    null: Option<i64>,
}

/// The columns of a table, in order, their formats taken from the cards `form`1, `form`2, ...
pub(super) fn columns(path: &Path, hdu: usize, header: &Header, form: &str) -> Result<Vec<Column>> {
    let count = header.size(path, hdu, "TFIELDS")?.min(999);
    let mut offset: u64 = 0;
    let mut columns = Vec::new();
    for number in 1..=count {
        let column = Column::new(path, hdu, header, form, number, offset)?;
        offset = offset.saturating_add(column.bytes);
        columns.push(column);
    }
    Ok(columns)
}

impl Column {
    fn new(
        path: &Path,
        hdu: usize,
        header: &Header,
        form: &str,
        number: u64,
        offset: u64,
    ) -> Result<Self> {
        let key = |stem: &str| format!("{stem}{number}");
        let tform = header.text(&key(form)).unwrap_or_default();
        let Some((kind, repeat, bytes)) = parse_tform(tform) else {
            let detail = format!("HDU {hdu}: {form}{number} = `{tform}` is no column format");
            return Err(CatalogError::corrupt(path, detail));
        };
        let name = header
            .text(&key("TTYPE"))
            .filter(|name| !name.is_empty())
            .map_or(format!("col{number}"), str::to_owned);
        Ok(Self {
            name,
            unit: header
                .text(&key("TUNIT"))
                .filter(|unit| !unit.is_empty())
                .map(str::to_owned),
            kind,
            repeat: usize::try_from(repeat).unwrap_or(usize::MAX),
            offset: usize::try_from(offset).unwrap_or(usize::MAX),
            bytes,
            scaling: Scaling::of(header.number(&key("TSCAL")), header.number(&key("TZERO"))),
            null: match header.value(&key("TNULL")) {
                Some(Value::Integer(null)) => Some(*null),
                _ => None,
            },
        })
    }

    /// Bytes of this column in one row.
    pub(super) fn bytes(&self) -> u64 {
        self.bytes
    }

    /// The same column in rows where it begins at `offset`.
    pub(super) fn at(&self, offset: u64) -> Self {
        Self {
            offset: usize::try_from(offset).unwrap_or(usize::MAX),
            ..self.clone()
        }
    }

    pub(super) fn name(&self) -> &str {
        &self.name
    }

    /// The letter of the stored type.
    pub(super) fn letter(&self) -> char {
        match self.kind {
            Type::Logical => 'L',
            Type::Byte => 'B',
            Type::Int16 => 'I',
            Type::Int32 => 'J',
            Type::Int64 => 'K',
            Type::Float32 => 'E',
            Type::Float64 => 'D',
            Type::Text => 'A',
            Type::Array { wide, .. } => {
                if wide {
                    'Q'
                } else {
                    'P'
                }
            }
            Type::Other(letter) => letter,
        }
    }

    /// If the rows hold arrays of variable length: the letter of their elements and the most of them that a row has.
    pub(super) fn array(&self) -> Option<(char, u64)> {
        match self.kind {
            Type::Array { of, longest, .. } => Some((of, longest)),
            _ => None,
        }
    }

    /// The length and the place in the heap of one row's array.
    pub(super) fn descriptor(&self, row: &[u8]) -> (u64, u64) {
        let cell = &row[self.offset..];
        match self.kind {
            Type::Array { wide: true, .. } => (
                u64::from_be_bytes(array(cell)),
                u64::from_be_bytes(array(&cell[8..])),
            ),
            _ => (
                u32::from_be_bytes(array(cell)).into(),
                u32::from_be_bytes(array(&cell[4..])).into(),
            ),
        }
    }

    /// As a schema lists it; `arrays`: whether those of variable length can be read.
    pub(super) fn field(&self, arrays: bool) -> Field {
        let (kind, width) = match self.kind {
            Type::Text => (Kind::Text, 1),
            Type::Array { of, longest, .. } if arrays && longest > 0 && "LBIJKED".contains(of) => {
                (Kind::Number, usize::try_from(longest).unwrap_or(usize::MAX))
            }
            Type::Array { .. } | Type::Other(_) => (Kind::Other, 1),
            _ if self.repeat == 0 => (Kind::Other, 1),
            _ => (Kind::Number, self.repeat),
        };
        let name = self.name.clone();
        Field {
            unit: self.unit.clone(),
            width,
            ..Field::of(name, self.dtype(), kind)
        }
    }

    fn dtype(&self) -> String {
        let integer = |signed: &str, unsigned: &str, half: i128| match self.scaling {
            Scaling::None => signed.to_owned(),
            Scaling::Shift(zero) if zero == half => unsigned.to_owned(),
            _ => format!("{signed}, scaled"),
        };
        match self.kind {
            Type::Logical => "bool".to_owned(),
            Type::Byte => integer("uint8", "int8", -128),
            Type::Int16 => integer("int16", "uint16", 1 << 15),
            Type::Int32 => integer("int32", "uint32", 1 << 31),
            Type::Int64 => integer("int64", "uint64", 1 << 63),
            Type::Float32 => "float32".to_owned(),
            Type::Float64 => "float64".to_owned(),
            Type::Text => "string".to_owned(),
            Type::Other('X') => "bits".to_owned(),
            Type::Other('C') => "complex64".to_owned(),
            Type::Other('M') => "complex128".to_owned(),
            Type::Other(letter) => format!("type {letter}"),
            Type::Array { of, longest, .. } => {
                let of = single(of).map_or("type of its own".to_owned(), |kind| {
                    Self {
                        kind,
                        ..self.clone()
                    }
                    .dtype()
                });
                let limit = if longest == 0 {
                    "; TFORM does not say how long".to_owned()
                } else {
                    String::new()
                };
                format!("{of}, variable length{limit}")
            }
        }
    }

    /// Decodes component `element` of all rows in `bytes`; returns the cells and the number of nulls.
    pub(super) fn decode(
        &self,
        path: &Path,
        element: usize,
        widening: Widening,
        bytes: &[u8],
        row_bytes: usize,
        first_row: u64,
    ) -> Result<(Cells, u64)> {
        let rows = bytes.chunks_exact(row_bytes);
        if self.kind == Type::Text {
            let text = rows.map(|row| text_of(&row[self.offset..self.offset + self.repeat]));
            return Ok((Cells::Texts(text.collect()), 0));
        }
        let mut numbers =
            Numbers::new(Site::new(path, &self.name, first_row), widening, rows.len());
        let cells = |size| {
            let start = self.offset + element * size;
            bytes
                .chunks_exact(row_bytes)
                .map(move |row| &row[start..start + size])
        };
        match self.kind {
            Type::Float32 => numbers.floats(
                cells(4).map(|cell| self.scaled(f64::from(f32::from_be_bytes(array(cell))))),
            ),
            Type::Float64 => {
                numbers.floats(cells(8).map(|cell| self.scaled(f64::from_be_bytes(array(cell)))));
            }
            Type::Logical => cells(1).try_for_each(|cell| match cell {
                b"T" => numbers.integer(1),
                b"F" => numbers.integer(0),
                _ => numbers.null(),
            })?,
            Type::Byte => {
                cells(1).try_for_each(|cell| self.integer(&mut numbers, i64::from(cell[0])))?;
            }
            Type::Int16 => {
                cells(2).try_for_each(|cell| {
                    self.integer(&mut numbers, i16::from_be_bytes(array(cell)).into())
                })?;
            }
            Type::Int32 => {
                cells(4).try_for_each(|cell| {
                    self.integer(&mut numbers, i32::from_be_bytes(array(cell)).into())
                })?;
            }
            Type::Int64 => cells(8)
                .try_for_each(|cell| self.integer(&mut numbers, i64::from_be_bytes(array(cell))))?,
            Type::Text | Type::Array { .. } | Type::Other(_) => {}
        }
        Ok(numbers.finish())
    }

    /// Appends a value stored as an integer.
    pub(super) fn integer(&self, numbers: &mut Numbers<'_>, stored: i64) -> Result<()> {
        if self.null == Some(stored) {
            return numbers.null();
        }
        self.scaling.integer(numbers, i128::from(stored))
    }

    /// The value of a stored float.
    pub(super) fn scaled(&self, stored: f64) -> f64 {
        self.scaling.float(stored)
    }

    /// The values of a column of unsigned integers of 64 bits, or `None` if it is another.
    pub(super) fn unsigned(&self, bytes: &[u8], row_bytes: usize) -> Option<Vec<u64>> {
        if self.kind != Type::Int64 || self.repeat != 1 || self.scaling != Scaling::Shift(1 << 63) {
            return None;
        }
        let cell = |row: &[u8]| u64::from_be_bytes(array(&row[self.offset..]));
        let flipped = |row| cell(row) ^ (1 << 63);
        Some(bytes.chunks_exact(row_bytes).map(flipped).collect())
    }
}

/// The first N bytes; every caller cuts its cells to that size.
fn array<const N: usize>(cell: &[u8]) -> [u8; N] {
    let mut bytes = [0; N];
    bytes.copy_from_slice(&cell[..N]);
    bytes
}

/// Text up to the first NUL, without trailing blanks.
fn text_of(cell: &[u8]) -> String {
    let end = cell
        .iter()
        .position(|&byte| byte == 0)
        .unwrap_or(cell.len());
    String::from_utf8_lossy(&cell[..end]).trim_end().to_owned()
}

/// Type, repeat count and bytes of `rTa`.
fn parse_tform(tform: &str) -> Option<(Type, u64, u64)> {
    let letter_at = tform.find(|c: char| !c.is_ascii_digit())?;
    let repeat: u64 = if letter_at == 0 {
        1
    } else {
        tform[..letter_at].parse().ok()?
    };
    let mut letters = tform[letter_at..].chars();
    let letter = letters.next()?;
    let rest = letters.as_str();
    if let Some(kind) = single(letter) {
        return Some((kind, repeat, repeat.checked_mul(size(letter)?)?));
    }
    match letter {
        'X' => Some((Type::Other(letter), repeat, repeat.div_ceil(8))),
        'C' => Some((Type::Other(letter), repeat, repeat.checked_mul(8)?)),
        'M' => Some((Type::Other(letter), repeat, repeat.checked_mul(16)?)),
        'P' | 'Q' if repeat <= 1 => {
            let of = rest.chars().next()?;
            let kind = if repeat == 1 {
                Type::Array {
                    of,
                    wide: letter == 'Q',
                    longest: longest(rest),
                }
            } else {
                Type::Other(letter)
            };
            Some((kind, repeat, repeat * if letter == 'Q' { 16 } else { 8 }))
        }
        _ => None,
    }
}

/// The type of a column that holds its values itself.
fn single(letter: char) -> Option<Type> {
    Some(match letter {
        'L' => Type::Logical,
        'B' => Type::Byte,
        'I' => Type::Int16,
        'J' => Type::Int32,
        'K' => Type::Int64,
        'E' => Type::Float32,
        'D' => Type::Float64,
        'A' => Type::Text,
        _ => return None,
    })
}

/// Bytes of one value of these types.
pub(super) fn size(letter: char) -> Option<u64> {
    Some(match letter {
        'L' | 'B' | 'A' => 1,
        'I' => 2,
        'J' | 'E' => 4,
        'K' | 'D' => 8,
        _ => return None,
    })
}

/// The number between the parentheses of `D(20)`; 0 if there is none.
fn longest(rest: &str) -> u64 {
    let inside = rest
        .split_once('(')
        .and_then(|(_, rest)| rest.split_once(')'));
    inside
        .and_then(|(digits, _)| digits.trim().parse().ok())
        .unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn column_formats() {
        assert_eq!(parse_tform("D"), Some((Type::Float64, 1, 8)));
        assert_eq!(parse_tform("3E"), Some((Type::Float32, 3, 12)));
        assert_eq!(parse_tform("16A"), Some((Type::Text, 16, 16)));
        let arrays = |of, wide, longest| Type::Array { of, wide, longest };
        assert_eq!(parse_tform("1PE(20)"), Some((arrays('E', false, 20), 1, 8)));
        assert_eq!(parse_tform("QD(3)"), Some((arrays('D', true, 3), 1, 16)));
        assert_eq!(parse_tform("1PB"), Some((arrays('B', false, 0), 1, 8)));
        assert_eq!(parse_tform("2PB(3)"), None);
        assert_eq!(parse_tform("11X"), Some((Type::Other('X'), 11, 2)));
        assert_eq!(parse_tform(""), None);
        assert_eq!(parse_tform("3"), None);
        assert_eq!(parse_tform("Z"), None);
        assert_eq!(parse_tform("18446744073709551615D"), None);
    }
}
