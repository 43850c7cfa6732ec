//! NetCDF-3: classic, with 64-bit offsets, and with 64-bit data.
//!
//! Entry: [`Classic::read`]. Only what AMBER needs: numbers, and dimensions of which one at most has no fixed length.

use std::path::Path;

use super::variable::{Store, Variable};
use crate::error::Result;
use crate::trajectory::bytes::{Bytes, Order};

const DIMENSIONS: u32 = 10;
const VARIABLES: u32 = 11;
const ATTRIBUTES: u32 = 12;
const TEXT: u32 = 2;
const INT: u32 = 4;
const FLOAT: u32 = 5;
const DOUBLE: u32 = 6;
const INT64: u32 = 10;

/// Bytes of a value of each type.
fn type_size(kind: u32) -> Option<u64> {
    match kind {
        1 | 2 | 7 => Some(1),
        3 | 8 => Some(2),
        INT | 9 | FLOAT => Some(4),
        DOUBLE | INT64 | 11 => Some(8),
        _ => None,
    }
}

fn padded(count: u64) -> u64 {
    count.saturating_add(3) / 4 * 4
}

/// A file of variables.
pub(super) struct Classic {
    bytes: Bytes,
    convention: Option<String>,
    frames: u64,
    variables: Vec<Stored>,
    /// From one frame to the next.
    stride: u64,
}

/// A variable and where it is.
struct Stored {
    name: String,
    shape: Vec<u64>,
    framed: bool,
    kind: u32,
    begin: u64,
    scale: Option<f64>,
    unit: Option<String>,
}

impl Stored {
    /// Bytes in a frame; none if that is beyond any file.
    fn size(&self) -> Option<u64> {
        let each = type_size(self.kind)?;
        self.shape
            .iter()
            .try_fold(each, |all, &length| all.checked_mul(length))
    }
}

/// An attribute that says something here.
enum Attribute {
    Text(String),
    Real(f64),
    Other,
}

/// Reads a header.
struct Header<'a> {
    bytes: &'a mut Bytes,
    kind: u8,
}

impl Header<'_> {
    fn word(&mut self) -> Result<u32> {
        Ok(Order::Big.u32(self.bytes.take(4, "the header")?, 0))
    }

    fn long(&mut self) -> Result<u64> {
        Ok(Order::Big.u64(self.bytes.take(8, "the header")?, 0))
    }

    /// A count, of 64 bits in files of 64-bit data.
    fn count(&mut self) -> Result<u64> {
        if self.kind == 5 {
            self.long()
        } else {
            Ok(self.word()?.into())
        }
    }

    /// Number of members of a list that starts with this tag, or is absent.
    fn list(&mut self, tag: u32, what: &str) -> Result<u64> {
        let (found, count) = (self.word()?, self.count()?);
        if found == tag || (found == 0 && count == 0) {
            return Ok(count);
        }
        Err(self.bytes.corrupt(&format!(
            "expected the list of {what}, found the tag {found}"
        )))
    }

    fn text(&mut self) -> Result<String> {
        let count = self.count()?;
        let text = self.bytes.take(padded(count), "a name")?;
        Ok(String::from_utf8_lossy(&text[..count as usize]).into_owned())
    }

    fn attributes(&mut self) -> Result<Vec<(String, Attribute)>> {
        let mut attributes = Vec::new();
        for _ in 0..self.list(ATTRIBUTES, "attributes")? {
            let name = self.text()?;
            let (kind, count) = (self.word()?, self.count()?);
            let Some(each) = type_size(kind) else {
                return Err(self
                    .bytes
                    .corrupt(&format!("attribute `{name}` has the type {kind}")));
            };
            let size = count.saturating_mul(each);
            let values = self.bytes.take(padded(size), "an attribute")?;
            let value = match (kind, count) {
                (TEXT, _) => {
                    Attribute::Text(String::from_utf8_lossy(&values[..size as usize]).into())
                }
                (FLOAT | DOUBLE, 1) => Attribute::Real(Order::Big.real(values, 0, each as usize)),
                (INT, 1) => Attribute::Real(Order::Big.i32(values, 0).into()),
                _ => Attribute::Other,
            };
            attributes.push((name, value));
        }
        Ok(attributes)
    }

    /// A variable over dimensions of these lengths, of which 0 is that of frames.
    fn variable(&mut self, dimensions: &[u64]) -> Result<Stored> {
        let name = self.text()?;
        let mut shape = Vec::new();
        for _ in 0..self.count()? {
            let index = self.count()?;
            let length = usize::try_from(index)
                .ok()
                .and_then(|index| dimensions.get(index));
            let Some(&length) = length else {
                let known = dimensions.len();
                let wrong = format!("`{name}` has the dimension {index} of {known}");
                return Err(self.bytes.corrupt(&wrong));
            };
            shape.push(length);
        }
        let framed = shape.first() == Some(&0);
        if framed {
            shape.remove(0);
        }
        if shape.contains(&0) {
            return Err(self
                .bytes
                .corrupt(&format!("`{name}` has frames behind another dimension")));
        }
        let attributes = self.attributes()?;
        let kind = self.word()?;
        if type_size(kind).is_none() {
            return Err(self.bytes.corrupt(&format!("`{name}` has the type {kind}")));
        }
        self.count()?;
        let begin = if self.kind == 1 {
            self.word()?.into()
        } else {
            self.long()?
        };
        let mut stored = Stored {
            name,
            shape,
            framed,
            kind,
            begin,
            scale: None,
            unit: None,
        };
        for (name, value) in attributes {
            match (name.as_str(), value) {
                ("units", Attribute::Text(unit)) => stored.unit = Some(unit),
                ("scale_factor", Attribute::Real(scale)) => stored.scale = Some(scale),
                // No number: refused where the variable is read.
                ("scale_factor", _) => stored.scale = Some(f64::NAN),
                _ => {}
            }
        }
        Ok(stored)
    }
}

impl Classic {
    /// The header of a file, of which `bytes` are at the start.
    pub(super) fn read(mut bytes: Bytes) -> Result<Self> {
        let kind = bytes.take(4, "the header")?[3];
        if ![1, 2, 5].contains(&kind) {
            return Err(bytes.corrupt(&format!("expected NetCDF of kind 1, 2 or 5, found {kind}")));
        }
        let mut header = Header {
            bytes: &mut bytes,
            kind,
        };
        let stated = header.count()?;
        let unknown = if kind == 5 { u64::MAX } else { u32::MAX.into() };
        let mut dimensions = Vec::new();
        for _ in 0..header.list(DIMENSIONS, "dimensions")? {
            header.text()?;
            dimensions.push(header.count()?);
        }
        let attributes = header.attributes()?;
        let convention = attributes
            .into_iter()
            .find_map(|(name, value)| match value {
                Attribute::Text(text) if name == "Conventions" => Some(text),
                _ => None,
            });
        let mut variables = Vec::new();
        for _ in 0..header.list(VARIABLES, "variables")? {
            variables.push(header.variable(&dimensions)?);
        }
        let framed = || variables.iter().filter(|stored| stored.framed);
        let alone = framed().count() == 1;
        // Each is padded, unless there is but one.
        let size = |stored: &Stored| {
            stored
                .size()
                .map(|size| if alone { size } else { padded(size) })
        };
        let stride = framed().try_fold(0, |all: u64, stored| all.checked_add(size(stored)?));
        let Some(stride) = stride else {
            return Err(bytes.corrupt("its frames are larger than any file"));
        };
        let first = framed().map(|stored| stored.begin).min().unwrap_or(0);
        let behind = bytes.length().saturating_sub(first);
        // The count is all ones while the file is being written.
        let frames = if stated == unknown {
            behind.checked_div(stride).unwrap_or(0)
        } else {
            stated
        };
        Ok(Self {
            bytes,
            convention,
            frames,
            variables,
            stride,
        })
    }

    fn find(&self, name: &str) -> Option<&Stored> {
        self.variables.iter().find(|stored| stored.name == name)
    }
}

impl Store for Classic {
    fn path(&self) -> &Path {
        self.bytes.path()
    }

    fn convention(&self) -> Option<String> {
        self.convention.clone()
    }

    fn frames(&self) -> u64 {
        self.frames
    }

    fn variable(&mut self, name: &str) -> Result<Option<Variable>> {
        let Some(stored) = self.find(name) else {
            return Ok(None);
        };
        if ![INT, FLOAT, DOUBLE, INT64].contains(&stored.kind) {
            let wrong = format!(
                "`{name}` has the type {}, expected numbers of 32 or 64 bits",
                stored.kind
            );
            return Err(self.bytes.corrupt(&wrong));
        }
        let variable = Variable {
            name: name.to_owned(),
            shape: stored.shape.clone(),
            framed: stored.framed,
            whole: [INT, INT64].contains(&stored.kind),
            scale: None,
            unit: stored.unit.clone(),
        };
        let scaled = variable.with_scale(stored.scale);
        scaled.map(Some).map_err(|wrong| self.bytes.corrupt(&wrong))
    }

    fn read(&mut self, variable: &Variable, frame: u64) -> Result<Vec<f64>> {
        self.bytes.frame = Some(frame);
        let what = format!("`{}`", variable.name);
        let found = self.find(&variable.name);
        let place = found.and_then(|stored| {
            let offset = if stored.framed {
                frame.checked_mul(self.stride)?
            } else {
                0
            };
            Some((
                stored.begin.checked_add(offset)?,
                stored.size()?,
                stored.kind,
            ))
        });
        let Some((begin, size, kind)) = place else {
            return Err(self
                .bytes
                .corrupt(&format!("{what} is beyond the end of the file")));
        };
        self.bytes.go_to(begin, &what)?;
        let bytes = self.bytes.take(size, &what)?;
        let values = match kind {
            INT => {
                let starts = (0..bytes.len()).step_by(4);
                starts.map(|at| Order::Big.i32(bytes, at).into()).collect()
            }
            INT64 => {
                let starts = (0..bytes.len()).step_by(8);
                let whole = |at| Order::Big.u64(bytes, at) as i64 as f64;
                starts.map(whole).collect()
            }
            FLOAT => Order::Big.reals(bytes, 4),
            _ => Order::Big.reals(bytes, 8),
        };
        Ok(variable.scaled(values))
    }
}
