//! One column of an ASDF file: an array of its tree, as it is or as Abacus means it.
//!
//! Entry: [`columns`], [`Column::cells`]. Garrison et al. 2021, MNRAS 508, 575; Hadzhiyska et al. 2022, MNRAS 509, 501 (`CompaSO`).

use serde_json::{Map, Value as Json};

use crate::block::{Cells, Numbers, Site, Widening};
use crate::error::Result;
use crate::reader::{Field, Kind};
use crate::value::Attributes;

/// Packed positions have so many steps to a box, packed velocities so many to their range in km/s.
const STEPS: f64 = 1e6;
const SPEEDS: (f64, f64) = (6000.0, 2048.0);

/// What is made of the numbers of an array.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Meaning {
    Plain,
    /// Times a length or a speed.
    Times(f64),
    /// The upper 20 bits: a position, in steps of a box of this length.
    Position(f64),
    /// The lower 12 bits: a velocity.
    Velocity,
}

/// A column.
#[derive(Debug, Clone)]
pub(super) struct Column {
    pub(super) field: Field,
    /// The number of its block.
    pub(super) source: usize,
    element: Element,
    meaning: Meaning,
}

#[derive(Debug, Clone, Copy, PartialEq)]
struct Element {
    kind: char,
    bytes: usize,
    big: bool,
}

impl Element {
    fn of(datatype: &str, byteorder: &str) -> Option<Self> {
        let digits = datatype.trim_start_matches(|letter: char| letter.is_ascii_alphabetic());
        let bits: usize = digits.parse().unwrap_or(8);
        let kind = match &datatype[..datatype.len() - digits.len()] {
            "int" => 'i',
            "uint" | "bool" => 'u',
            "float" => 'f',
            _ => return None,
        };
        let known = if kind == 'f' {
            &[32, 64][..]
        } else {
            &[8, 16, 32, 64]
        };
        known.contains(&bits).then_some(Self {
            kind,
            bytes: bits / 8,
            big: byteorder == "big",
        })
    }
}

/// The columns of the arrays of `data`: those of packed particles as what they stand for.
pub(super) fn columns(data: &Map<String, Json>, header: &Attributes) -> Vec<Column> {
    let number = |name: &str| header.get(name)?.as_f64();
    let length = number("BoxSizeHMpc").or_else(|| number("BoxSize"));
    let in_boxes = length.zip(number("VelZSpace_to_kms"));
    let mut columns = Vec::new();
    for (name, array) in data {
        let Some(column) = Column::of(name, array) else {
            continue;
        };
        let float = column.element.kind == 'f';
        let made = |name: &str, unit: &str, meaning| {
            let mut made = column.clone();
            name.clone_into(&mut made.field.name);
            made.field.unit = Some(unit.to_owned());
            "float64".clone_into(&mut made.field.dtype);
            made.meaning = meaning;
            made
        };
        match (name.as_str(), in_boxes, length) {
            ("rvint", _, Some(length)) if column.element.kind == 'i' && column.field.width == 3 => {
                columns.push(made("pos", "Mpc/h", Meaning::Position(length)));
                columns.push(made("vel", "km/s", Meaning::Velocity));
            }
            (name, Some((length, _)), _) if float && name.starts_with("x_") => {
                columns.push(made(name, "Mpc/h", Meaning::Times(length)));
            }
            (name, Some((_, speed)), _) if float && name.starts_with("v_") => {
                columns.push(made(name, "km/s", Meaning::Times(speed)));
            }
            _ => columns.push(column),
        }
    }
    columns
}

impl Column {
    /// An array of numbers of one axis or two; anything else is listed.
    fn of(name: &str, array: &Json) -> Option<Self> {
        let text = |key: &str| array.get(key).and_then(Json::as_str).unwrap_or_default();
        let source = array.get("source").and_then(Json::as_u64);
        let shape = array.get("shape")?.as_array()?.iter().map(Json::as_u64);
        let shape = shape.collect::<Option<Vec<u64>>>()?;
        let element = Element::of(text("datatype"), text("byteorder"));
        let part = ["offset", "strides", "mask"]
            .iter()
            .any(|&key| array.get(key).is_some());
        let packed = matches!(name, "pack9" | "packedpid");
        let width = shape.get(1).copied().unwrap_or(1);
        let width = usize::try_from(width)
            .ok()
            .filter(|&width| width > 0 && shape.len() <= 2);
        let place = source.and_then(|source| usize::try_from(source).ok());
        let readable = place.zip(element).zip(width).filter(|_| !part && !packed);
        let ((source, element), width) = readable.unwrap_or((
            (
                0,
                Element {
                    kind: 'u',
                    bytes: 1,
                    big: false,
                },
            ),
            1,
        ));
        let datatype = text("datatype");
        let dtype = match (readable.is_some(), packed) {
            (true, _) if datatype == "bool8" => "bool".to_owned(),
            (true, _) => datatype.to_owned(),
            (false, true) => format!("{name} of Abacus, packed"),
            (false, false) => format!("{datatype} of shape {shape:?}, not read"),
        };
        let kind = if readable.is_some() {
            Kind::Number
        } else {
            Kind::Other
        };
        let field = Field {
            width,
            rows: Some(shape.first().copied().unwrap_or(0)),
            ..Field::of(name, dtype, kind)
        };
        let meaning = Meaning::Plain;
        Some(Self {
            field,
            source,
            element,
            meaning,
        })
    }

    pub(super) fn rows(&self) -> u64 {
        self.field.rows.unwrap_or(0)
    }

    /// Bytes that its array takes.
    pub(super) fn bytes(&self) -> u64 {
        self.rows()
            .saturating_mul(self.field.width as u64)
            .saturating_mul(self.element.bytes as u64)
    }

    /// One component of some rows of its array.
    pub(super) fn cells(
        &self,
        array: &[u8],
        (start, end): (usize, usize),
        component: usize,
        site: Site<'_>,
        widening: Widening,
    ) -> Result<Cells> {
        let Element { kind, bytes, big } = self.element;
        let mut numbers = Numbers::new(site, widening, end - start);
        let record = bytes * self.field.width;
        for row in array.chunks_exact(record).skip(start).take(end - start) {
            let cell = &row[component * bytes..(component + 1) * bytes];
            let mut word = [0; 8];
            word[..bytes].copy_from_slice(cell);
            if big {
                word[..bytes].reverse();
            }
            let word = u64::from_le_bytes(word);
            // Of signed ones the upper bits are those of the sign.
            let shift = 64 - 8 * bytes as u32;
            let signed = (word << shift).cast_signed() >> shift;
            match (self.meaning, kind) {
                (Meaning::Plain, 'u') => numbers.integer(i128::from(word))?,
                (Meaning::Plain, 'i') => numbers.integer(i128::from(signed))?,
                (Meaning::Position(length), _) => {
                    numbers.float((signed >> 12) as f64 * (length / STEPS))?;
                }
                (Meaning::Velocity, _) => {
                    numbers.float(((signed & 0xfff) as f64 - SPEEDS.1) * (SPEEDS.0 / SPEEDS.1))?;
                }
                (meaning, _) => {
                    let value = match bytes {
                        4 => f64::from(f32::from_bits(word as u32)),
                        _ => f64::from_bits(word),
                    };
                    let factor = if let Meaning::Times(factor) = meaning {
                        factor
                    } else {
                        1.0
                    };
                    numbers.float(value * factor)?;
                }
            }
        }
        Ok(numbers.finish().0)
    }
}
