//! What the elements of a data set are, and their exact values.
//!
//! Entry: [`Element::of`]. Floats must be IEEE, integers must use all their bits; all else is left to [`Element::Other`].

use hdf5_reader::error::{Error, Result};
use hdf5_reader::{ByteOrder, Dataset, Datatype, H5Type, StringSize, VarLenKind};

use crate::reader::Kind;

/// The element type of a column.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Element {
    Float { bytes: u64 },
    Integer { bytes: u64, name: String },
    FixedText { bytes: u64 },
    VariableText,
    Other { name: String },
}

impl Element {
    /// From the data set's type message.
    pub(super) fn of(dataset: &Dataset) -> Self {
        let raw = dataset.raw_datatype().unwrap_or_default();
        Self::of_type(dataset.dtype(), &raw, dataset.vlen_reference_size() == 16)
    }

    /// From a type and its message; `references`: whether those to texts of variable length have 16 bytes.
    pub(super) fn of_type(dtype: &Datatype, raw: &[u8], references: bool) -> Self {
        let named = |name: &str| Self::Other {
            name: name.to_owned(),
        };
        let plain = plain_bits(dtype, raw);
        match dtype {
            Datatype::FloatingPoint { size, .. } if plain => Self::Float {
                bytes: u64::from(*size),
            },
            Datatype::FixedPoint { size, signed, .. } if plain => {
                let name = format!(
                    "{}int{}",
                    if *signed { "" } else { "u" },
                    8 * u32::from(*size)
                );
                Self::Integer {
                    bytes: u64::from(*size),
                    name,
                }
            }
            Datatype::FloatingPoint { .. } => named("a float that is not IEEE"),
            Datatype::FixedPoint { .. } => named("an integer of odd size"),
            Datatype::Enum { base, members } => match base.as_ref() {
                Datatype::FixedPoint {
                    size: size @ (1 | 2 | 4 | 8),
                    ..
                } => {
                    let is_bool =
                        members.len() == 2 && members.iter().any(|member| member.name == "TRUE");
                    let name = if is_bool { "bool" } else { "enum" }.to_owned();
                    Self::Integer {
                        bytes: u64::from(*size),
                        name,
                    }
                }
                _ => named("enum"),
            },
            Datatype::String {
                size: StringSize::Fixed(bytes),
                ..
            } => Self::FixedText {
                bytes: u64::from(*bytes),
            },
            Datatype::String {
                size: StringSize::Variable,
                ..
            }
            | Datatype::VarLen {
                kind: VarLenKind::String,
                ..
            } if references => Self::VariableText,
            Datatype::Compound { .. } => named("compound, a table of its own"),
            Datatype::Array { .. } => named("array"),
            Datatype::VarLen { .. } => named("array of variable length"),
            _ => named("opaque"),
        }
    }

    pub(super) fn kind(&self) -> Kind {
        match self {
            Self::Float { .. } | Self::Integer { .. } => Kind::Number,
            Self::FixedText { .. } | Self::VariableText => Kind::Text,
            Self::Other { .. } => Kind::Other,
        }
    }

    pub(super) fn dtype(&self) -> String {
        match self {
            Self::Float { bytes } => format!("float{}", 8 * bytes),
            Self::Integer { name, .. } | Self::Other { name } => name.clone(),
            Self::FixedText { .. } | Self::VariableText => "string".to_owned(),
        }
    }

    /// Bytes of one element in the data set.
    pub(super) fn bytes(&self) -> u64 {
        match self {
            Self::Float { bytes } | Self::Integer { bytes, .. } | Self::FixedText { bytes } => {
                *bytes
            }
            Self::VariableText => 16,
            Self::Other { .. } => 1,
        }
    }

    /// The text of one raw element.
    pub(super) fn text(&self, dataset: &Dataset, raw: &[u8]) -> Result<String> {
        if *self == Self::VariableText {
            return Ok(text_of(&dataset.resolve_vlen_reference_bytes(raw, 1)?));
        }
        Ok(text_of(raw))
    }
}

/// The shape of an array type; empty for all others.
pub(super) struct Shape(pub(super) Vec<u64>);

impl Shape {
    pub(super) fn of(dtype: &Datatype) -> Self {
        match dtype {
            Datatype::Array { dims, .. } => Self(dims.clone()),
            _ => Self(Vec::new()),
        }
    }
}

/// The names an enum gives to its numbers.
pub(super) fn labels(dtype: &Datatype) -> Vec<(f64, String)> {
    let Datatype::Enum { base, members } = dtype else {
        return Vec::new();
    };
    let label = |member: &hdf5_reader::EnumMember| {
        let value = Integer::from_bytes(&member.value, base).ok()?;
        Some((value.0 as f64, member.name.clone()))
    };
    members.iter().filter_map(label).collect()
}

/// Text up to the first NUL, without trailing blanks.
pub(super) fn text_of(bytes: &[u8]) -> String {
    let end = bytes
        .iter()
        .position(|&byte| byte == 0)
        .unwrap_or(bytes.len());
    String::from_utf8_lossy(&bytes[..end]).trim_end().to_owned()
}

/// Whether a type message describes an IEEE float or an integer that fills its bytes. Message layout: HDF5 File Format
/// Specification 3.0, IV.A.2.d.
fn plain_bits(dtype: &Datatype, raw: &[u8]) -> bool {
    let half = |at: usize| {
        raw.get(at..at + 2)
            .map(|bytes| u16::from_le_bytes([bytes[0], bytes[1]]))
    };
    match dtype {
        Datatype::FixedPoint {
            size: size @ (1 | 2 | 4 | 8),
            ..
        } => half(8) == Some(0) && half(10) == Some(8 * u16::from(*size)),
        Datatype::FloatingPoint { size, .. } => {
            // Exponent position and bits, mantissa position and bits, exponent bias.
            let (layout, bias): ([u8; 4], u32) = match size {
                2 => ([10, 5, 0, 10], 15),
                4 => ([23, 8, 0, 23], 127),
                8 => ([52, 11, 0, 52], 1023),
                _ => return false,
            };
            half(8) == Some(0)
                && half(10) == Some(8 * u16::from(*size))
                && raw.get(12..16) == Some(&layout)
                && raw.get(16..20) == Some(&bias.to_le_bytes())
        }
        _ => false,
    }
}

/// A float of 16, 32 or 64 bits, widened.
#[derive(Clone, Copy)]
pub(super) struct Float(pub(super) f64);

impl H5Type for Float {
    fn hdf5_type() -> Datatype {
        f64::hdf5_type()
    }

    fn element_size(dtype: &Datatype) -> usize {
        match dtype {
            Datatype::FloatingPoint { size, .. } => usize::from(*size),
            _ => 8,
        }
    }

    fn from_bytes(bytes: &[u8], dtype: &Datatype) -> Result<Self> {
        Self::decode_vec(bytes, dtype, 1)
            .and_then(|values| values.ok()?.first().copied())
            .ok_or_else(|| mismatch("a float", dtype))
    }

    fn decode_vec(raw: &[u8], dtype: &Datatype, count: usize) -> Option<Result<Vec<Self>>> {
        let Datatype::FloatingPoint { size, byte_order } = dtype else {
            return None;
        };
        let big = *byte_order == ByteOrder::BigEndian;
        let values: Vec<Self> = match size {
            2 => cells(raw, big)
                .map(|cell| Self(half_to_double(u16::from_le_bytes(cell))))
                .collect(),
            4 => cells(raw, big)
                .map(|cell| Self(f64::from(f32::from_le_bytes(cell))))
                .collect(),
            8 => cells(raw, big)
                .map(|cell| Self(f64::from_le_bytes(cell)))
                .collect(),
            _ => return None,
        };
        (values.len() == count).then_some(Ok(values))
    }
}

/// Elements of the type that is stated, widened; none of another one.
macro_rules! widened {
    ($stated:expr, $raw:ident, $big:ident; $($which:pat => $type:ty,)+) => {
        match $stated {
            $($which => cells($raw, $big).map(|cell| Self(<$type>::from_le_bytes(cell).into())).collect(),)+
            _ => return None,
        }
    };
}

/// An integer, boolean or enum of 8 to 64 bits.
#[derive(Clone, Copy)]
pub(super) struct Integer(pub(super) i128);

impl H5Type for Integer {
    fn hdf5_type() -> Datatype {
        i64::hdf5_type()
    }

    fn element_size(dtype: &Datatype) -> usize {
        match dtype {
            Datatype::FixedPoint { size, .. } => usize::from(*size),
            Datatype::Enum { base, .. } => Self::element_size(base),
            _ => 8,
        }
    }

    fn from_bytes(bytes: &[u8], dtype: &Datatype) -> Result<Self> {
        Self::decode_vec(bytes, dtype, 1)
            .and_then(|values| values.ok()?.first().copied())
            .ok_or_else(|| mismatch("an integer", dtype))
    }

    fn decode_vec(raw: &[u8], dtype: &Datatype, count: usize) -> Option<Result<Vec<Self>>> {
        if let Datatype::Enum { base, .. } = dtype {
            return Self::decode_vec(raw, base, count);
        }
        let Datatype::FixedPoint {
            size,
            signed,
            byte_order,
        } = dtype
        else {
            return None;
        };
        let big = *byte_order == ByteOrder::BigEndian;
        let values: Vec<Self> = widened! { (size, signed), raw, big;
            (1, true) => i8,
            (1, false) => u8,
            (2, true) => i16,
            (2, false) => u16,
            (4, true) => i32,
            (4, false) => u32,
            (8, true) => i64,
            (8, false) => u64,
        };
        (values.len() == count).then_some(Ok(values))
    }
}

/// The bytes of an element that is no number.
#[derive(Clone)]
pub(super) struct Raw(pub(super) Box<[u8]>);

impl H5Type for Raw {
    fn hdf5_type() -> Datatype {
        u8::hdf5_type()
    }

    fn element_size(dtype: &Datatype) -> usize {
        match dtype {
            Datatype::String {
                size: StringSize::Fixed(bytes),
                ..
            }
            | Datatype::Compound { size: bytes, .. } => *bytes as usize,
            _ => 16,
        }
    }

    fn from_bytes(bytes: &[u8], _dtype: &Datatype) -> Result<Self> {
        Ok(Self(bytes.into()))
    }
}

/// Elements of N bytes in little-endian order.
fn cells<const N: usize>(raw: &[u8], big: bool) -> impl Iterator<Item = [u8; N]> + '_ {
    raw.chunks_exact(N).map(move |chunk| {
        let mut cell = [0; N];
        cell.copy_from_slice(chunk);
        if big {
            cell.reverse();
        }
        cell
    })
}

fn mismatch(expected: &str, dtype: &Datatype) -> Error {
    Error::TypeMismatch {
        expected: expected.to_owned(),
        actual: Element::of_type(dtype, &[], false).dtype(),
    }
}

/// IEEE 754 binary16 to float64, exactly.
fn half_to_double(bits: u16) -> f64 {
    let sign = if bits & 0x8000 == 0 { 1.0 } else { -1.0 };
    let (exponent, fraction) = (i32::from(bits >> 10 & 0x1f), f64::from(bits & 0x3ff));
    let magnitude = match exponent {
        0 => libm::scalbn(fraction, -24),
        31 if fraction == 0.0 => f64::INFINITY,
        31 => f64::NAN,
        _ => libm::scalbn(1024.0 + fraction, exponent - 25),
    };
    sign * magnitude
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn halves() {
        for (bits, value) in [
            (0x0000, 0.0),
            (0x3c00, 1.0),
            (0xc000, -2.0),
            (0x7bff, 65504.0),
            (0x0001, 5.960_464_477_539_063e-8),
            (0x3555, 0.333_251_953_125),
            (0x7c00, f64::INFINITY),
            (0xfc00, f64::NEG_INFINITY),
        ] {
            assert_eq!(half_to_double(bits), value, "{bits:#x}");
        }
        assert!(half_to_double(0x7e00).is_nan());
        assert!(half_to_double(0x8000).is_sign_negative());
    }

    #[test]
    fn integers_of_both_byte_orders() {
        let dtype = |size, signed, byte_order| Datatype::FixedPoint {
            size,
            signed,
            byte_order,
        };
        let first = |raw: &[u8], dtype| Integer::from_bytes(raw, &dtype).ok().map(|value| value.0);
        assert_eq!(
            first(&[0xff, 0xfe], dtype(2, true, ByteOrder::BigEndian)),
            Some(-2)
        );
        assert_eq!(
            first(&[0xfe, 0xff], dtype(2, false, ByteOrder::LittleEndian)),
            Some(65534)
        );
        assert_eq!(
            first(&[0xff; 8], dtype(8, false, ByteOrder::BigEndian)),
            Some(u64::MAX.into())
        );
        assert_eq!(
            first(&[0xff; 3], dtype(3, false, ByteOrder::BigEndian)),
            None
        );
        assert_eq!(
            first(&[0xff; 4], dtype(8, false, ByteOrder::BigEndian)),
            None
        );
    }
}
