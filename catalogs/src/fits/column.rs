//! Columns of FITS binary tables: layout from TFORM, values from big-endian bytes.
//!
//! Entry: [`columns`], [`Column::decode`]. FITS Standard 4.0, section 7.3. Arrays of variable length, bits and complex
//! numbers are listed but not decoded.

use std::path::Path;

use super::header::Header;
use crate::block::{Cells, Numbers, Site, Widening};
use crate::error::CatalogError;
use crate::reader::{Field, Kind};
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
    Other(char),
}

/// How a stored number becomes the value meant: the TSCAL and TZERO cards.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Scaling {
    None,
    /// TSCAL is 1 and TZERO an integer, as for unsigned integers.
    Shift(i128),
    Linear {
        scale: f64,
        zero: f64,
    },
}

/// One column.
#[derive(Debug)]
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

/// The columns of a table, in order.
pub(super) fn columns(
    path: &Path,
    hdu: usize,
    header: &Header,
) -> Result<Vec<Column>, CatalogError> {
    let count = header.size(path, hdu, "TFIELDS")?.min(999);
    let mut offset: u64 = 0;
    let mut columns = Vec::new();
    for number in 1..=count {
        let column = Column::new(path, hdu, header, number, offset)?;
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
        number: u64,
        offset: u64,
    ) -> Result<Self, CatalogError> {
        let key = |stem: &str| format!("{stem}{number}");
        let tform = header.text(&key("TFORM")).unwrap_or_default();
        let Some((kind, repeat, bytes)) = parse_tform(tform) else {
            let detail = format!("HDU {hdu}: TFORM{number} = `{tform}` is no column format");
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
            scaling: scaling(header.value(&key("TSCAL")), header.value(&key("TZERO"))),
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

    pub(super) fn field(&self) -> Field {
        let (kind, width) = match self.kind {
            Type::Text => (Kind::Text, 1),
            Type::Other(_) => (Kind::Other, 1),
            _ if self.repeat == 0 => (Kind::Other, 1),
            _ => (Kind::Number, self.repeat),
        };
        let name = self.name.clone();
        Field {
            name,
            dtype: self.dtype(),
            unit: self.unit.clone(),
            kind,
            width,
            labels: Vec::new(),
            rows: None,
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
            Type::Other(_) => "array of variable length".to_owned(),
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
    ) -> Result<(Cells, u64), CatalogError> {
        let rows = bytes.chunks_exact(row_bytes);
        if self.kind == Type::Text {
            let text = rows.map(|row| text_of(&row[self.offset..self.offset + self.repeat]));
            return Ok((Cells::Texts(text.collect()), 0));
        }
        let mut numbers = Numbers::new(
            Site {
                path,
                column: &self.name,
                first_row,
            },
            widening,
            rows.len(),
        );
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
            Type::Text | Type::Other(_) => {}
        }
        Ok(numbers.finish())
    }

    fn integer(&self, numbers: &mut Numbers<'_>, stored: i64) -> Result<(), CatalogError> {
        if self.null == Some(stored) {
            return numbers.null();
        }
        match self.scaling {
            Scaling::None => numbers.integer(i128::from(stored)),
            Scaling::Shift(zero) => numbers.integer(i128::from(stored) + zero),
            Scaling::Linear { scale, zero } => {
                numbers.float(stored as f64 * scale + zero);
                Ok(())
            }
        }
    }

    fn scaled(&self, stored: f64) -> f64 {
        match self.scaling {
            Scaling::None => stored,
            Scaling::Shift(zero) => stored + zero as f64,
            Scaling::Linear { scale, zero } => stored * scale + zero,
        }
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
    let letter = tform[letter_at..].chars().next()?;
    let (kind, size) = match letter {
        'L' => (Type::Logical, 1),
        'B' => (Type::Byte, 1),
        'I' => (Type::Int16, 2),
        'J' => (Type::Int32, 4),
        'K' => (Type::Int64, 8),
        'E' => (Type::Float32, 4),
        'D' => (Type::Float64, 8),
        'A' => (Type::Text, 1),
        'X' => return Some((Type::Other(letter), repeat, repeat.div_ceil(8))),
        'C' | 'P' => (Type::Other(letter), 8),
        'M' | 'Q' => (Type::Other(letter), 16),
        _ => return None,
    };
    Some((kind, repeat, repeat.checked_mul(size)?))
}

fn scaling(scale: Option<&Value>, zero: Option<&Value>) -> Scaling {
    let number = |value: Option<&Value>, default| value.and_then(Value::as_f64).unwrap_or(default);
    let (scale, zero) = (number(scale, 1.0), number(zero, 0.0));
    // 2^63, the shift of uint64, is the largest that occurs and exact in float64.
    let whole = zero.fract() == 0.0 && zero.abs() <= 9_223_372_036_854_775_808.0;
    match (scale, zero) {
        (1.0, 0.0) => Scaling::None,
        (1.0, _) if whole => Scaling::Shift(zero as i128),
        _ => Scaling::Linear { scale, zero },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn column_formats() {
        assert_eq!(parse_tform("D"), Some((Type::Float64, 1, 8)));
        assert_eq!(parse_tform("3E"), Some((Type::Float32, 3, 12)));
        assert_eq!(parse_tform("16A"), Some((Type::Text, 16, 16)));
        assert_eq!(parse_tform("1PE(20)"), Some((Type::Other('P'), 1, 8)));
        assert_eq!(parse_tform("11X"), Some((Type::Other('X'), 11, 2)));
        assert_eq!(parse_tform(""), None);
        assert_eq!(parse_tform("3"), None);
        assert_eq!(parse_tform("Z"), None);
        assert_eq!(parse_tform("18446744073709551615D"), None);
    }

    #[test]
    fn unsigned_integers_are_a_shift_and_all_else_is_linear() {
        let shift = |zero| scaling(None, Some(&Value::Float(zero)));
        assert_eq!(shift(32768.0), Scaling::Shift(32768));
        assert_eq!(shift(9_223_372_036_854_775_808.0), Scaling::Shift(1 << 63));
        assert_eq!(
            shift(0.5),
            Scaling::Linear {
                scale: 1.0,
                zero: 0.5
            }
        );
        assert_eq!(
            scaling(Some(&Value::Float(0.1)), None),
            Scaling::Linear {
                scale: 0.1,
                zero: 0.0
            }
        );
        assert_eq!(scaling(None, None), Scaling::None);
    }
}
