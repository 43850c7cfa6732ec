//! The lower layer of GSD: named chunks of data, frame by frame, found by an index that is sorted by frame.
//!
//! Entry: [`Chunks`]. <https://gsd.readthedocs.io/en/stable/file-layer.html>. The index is never held: entries are read where they are needed.

use crate::error::{CatalogError, Result};
use crate::trajectory::bytes::{Bytes, Order};

/// The magic number at the start.
pub(super) const MAGIC: u64 = 0x65df_65df_65df_65df;
/// Bytes of the header.
const HEADER: u64 = 256;
/// Bytes of an entry of the index.
const ENTRY: u64 = 32;
/// Bytes of a place in the list of names.
const NAME: u64 = 64;
/// A frame in so many has chunks of its own; the others are as the first one.
const SPARSEST: u64 = 256;

/// An entry of the index: an array of rows of one type.
#[derive(Debug, Clone, Copy)]
pub(super) struct Chunk {
    frame: u64,
    pub(super) rows: u64,
    pub(super) width: u64,
    pub(super) place: u64,
    name: u16,
    kind: u8,
}

/// A value of a chunk.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Value {
    Integer(i64),
    Real(f64),
}

impl Value {
    pub(super) fn real(self) -> f64 {
        match self {
            Self::Integer(value) => value as f64,
            Self::Real(value) => value,
        }
    }

    /// Itself as a whole number; reals have none.
    pub(super) fn integer(self) -> Option<i64> {
        match self {
            Self::Integer(value) => Some(value),
            Self::Real(_) => None,
        }
    }
}

/// Bytes of a value of each type.
fn type_size(kind: u8) -> Option<u64> {
    match kind {
        1 | 5 | 11 => Some(1),
        2 | 6 => Some(2),
        3 | 7 | 9 => Some(4),
        4 | 8 | 10 => Some(8),
        _ => None,
    }
}

/// A value of a type that has a size.
fn value(bytes: &[u8], at: usize, kind: u8) -> Value {
    let order = Order::Little;
    let half = || u16::from_le_bytes([bytes[at], bytes[at + 1]]);
    match kind {
        2 => Value::Integer(half().into()),
        3 => Value::Integer(order.u32(bytes, at).into()),
        4 | 8 => Value::Integer(order.u64(bytes, at) as i64),
        5 => Value::Integer((bytes[at] as i8).into()),
        6 => Value::Integer((half() as i16).into()),
        7 => Value::Integer(order.i32(bytes, at).into()),
        9 => Value::Real(order.f32(bytes, at).into()),
        10 => Value::Real(order.f64(bytes, at)),
        _ => Value::Integer(bytes[at].into()),
    }
}

/// The chunks of a file.
pub(super) struct Chunks {
    pub(super) bytes: Bytes,
    /// The same file, at the index.
    index: Bytes,
    /// Where the index begins.
    begin: u64,
    entries: u64,
    names: Vec<String>,
    /// Frames that the index knows.
    pub(super) frames: u64,
    /// The entry at which the frame read last ended.
    cursor: u64,
}

/// Text that ends at the first zero.
pub(super) fn text(bytes: &[u8]) -> String {
    let end = bytes.iter().position(|&byte| byte == 0);
    String::from_utf8_lossy(&bytes[..end.unwrap_or(bytes.len())]).into_owned()
}

/// The names in their list: one after the other, or, in files of version 1, one in 64 bytes.
fn names(list: &[u8], version: u32) -> Vec<String> {
    let apart: Vec<&[u8]> = if version < 2 {
        list.chunks(NAME as usize).collect()
    } else {
        list.split(|&byte| byte == 0).collect()
    };
    let names = apart.into_iter().map(text);
    names.take_while(|name| !name.is_empty()).collect()
}

impl Chunks {
    /// The index of a file of the schema `hoomd`.
    pub(super) fn open(mut bytes: Bytes) -> Result<Self> {
        let index = bytes.hopping()?;
        let head = bytes.take(HEADER, "the header")?;
        let word = |at: usize| Order::Little.u64(head, at);
        let (magic, begin, allocated, list, places) =
            (word(0), word(8), word(16), word(24), word(32));
        let versions = [40, 44].map(|at| Order::Little.u32(head, at) >> 16);
        let schema = text(&head[112..176]);
        if magic != MAGIC {
            return Err(bytes.corrupt("its bytes are in the order of a big-endian machine"));
        }
        let [schema_version, version] = versions;
        if schema != "hoomd" || !(1..=2).contains(&schema_version) || version > 2 {
            return Err(CatalogError::unsupported(
                bytes.path(),
                format!("GSD {version} of the schema `{schema}` {schema_version}"),
                "GSD 1 and 2 of the schema `hoomd` 1 and 2 are read",
            ));
        }
        let size = places.saturating_mul(NAME);
        bytes.go_to(list, "the list of names")?;
        let names = names(bytes.take(size, "the list of names")?, version);
        bytes.go_to(begin, "the index")?;
        bytes.holds(allocated.saturating_mul(ENTRY), "the index")?;
        let mut chunks = Self {
            bytes,
            index,
            begin,
            entries: 0,
            names,
            frames: 0,
            cursor: 0,
        };
        // Entries that are allocated but not used yet are zero.
        chunks.entries = chunks.first_entry(0, allocated, |entry| entry.place == 0)?;
        if let Some(last) = chunks.entries.checked_sub(1) {
            chunks.frames = chunks.entry(last)?.frame.saturating_add(1);
        }
        if chunks.frames > SPARSEST.saturating_mul(chunks.entries) {
            let (frames, entries) = (chunks.frames, chunks.entries);
            let wrong = format!("its index claims {frames} frames by {entries} entries");
            return Err(chunks.bytes.corrupt(&wrong));
        }
        Ok(chunks)
    }

    fn entry(&mut self, number: u64) -> Result<Chunk> {
        self.index.go_to(self.begin + number * ENTRY, "the index")?;
        let entry = self.index.take(ENTRY, "an entry of the index")?;
        let word = |at: usize| Order::Little.u64(entry, at);
        Ok(Chunk {
            frame: word(0),
            rows: word(8),
            place: word(16),
            width: Order::Little.u32(entry, 24).into(),
            name: u16::from_le_bytes([entry[28], entry[29]]),
            kind: entry[30],
        })
    }

    /// The first entry in this range for which `behind` holds, by bisection.
    fn first_entry(
        &mut self,
        mut low: u64,
        mut high: u64,
        behind: impl Fn(Chunk) -> bool,
    ) -> Result<u64> {
        while low < high {
            let middle = low + (high - low) / 2;
            if behind(self.entry(middle)?) {
                high = middle;
            } else {
                low = middle + 1;
            }
        }
        Ok(low)
    }

    /// Whether any frame may have a chunk of this name.
    pub(super) fn has_name(&self, name: &str) -> bool {
        self.names.iter().any(|other| other == name)
    }

    /// The chunks of a frame by their names.
    pub(super) fn of_frame(&mut self, frame: u64) -> Result<Vec<(String, Chunk)>> {
        self.bytes.frame = Some(frame);
        self.index.frame = Some(frame);
        let mut number = self.cursor.min(self.entries);
        if number == self.entries || self.entry(number)?.frame != frame {
            number = self.first_entry(0, self.entries, |entry| entry.frame >= frame)?;
        }
        let mut found: Vec<(String, Chunk)> = Vec::new();
        while number < self.entries {
            let chunk = self.entry(number)?;
            if chunk.frame != frame {
                break;
            }
            let Some(name) = self.names.get(usize::from(chunk.name)) else {
                let wrong = format!("its index has name {} of {}", chunk.name, self.names.len());
                return Err(self.bytes.corrupt(&wrong));
            };
            if found.iter().any(|(other, _)| other == name) {
                return Err(self.bytes.corrupt(&format!("its index has `{name}` twice")));
            }
            found.push((name.clone(), chunk));
            number += 1;
        }
        self.cursor = number;
        Ok(found)
    }

    /// The values of a chunk of `name`, row by row.
    pub(super) fn read(&mut self, name: &str, chunk: Chunk) -> Result<Vec<Value>> {
        let Some(each) = type_size(chunk.kind) else {
            return Err(self
                .bytes
                .corrupt(&format!("`{name}` has the type {}", chunk.kind)));
        };
        let size = chunk.rows.saturating_mul(chunk.width).saturating_mul(each);
        let what = format!("`{name}`");
        self.bytes.go_to(chunk.place, &what)?;
        let bytes = self.bytes.take(size, &what)?;
        let starts = (0..bytes.len()).step_by(each as usize);
        Ok(starts.map(|at| value(bytes, at, chunk.kind)).collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_stand_one_after_the_other_or_in_64_bytes() {
        let mut list = b"particles/N\0particles/position\0".to_vec();
        list.resize(128, 0);
        let expected = ["particles/N", "particles/position"];
        assert_eq!(names(&list, 2), expected);
        let mut list = [0; 192];
        for (place, name) in list.chunks_mut(64).zip(expected) {
            place[..name.len()].copy_from_slice(name.as_bytes());
        }
        assert_eq!(names(&list, 1), expected);
    }

    #[test]
    fn every_type_has_its_values() {
        let bytes = (-2i64).to_le_bytes();
        let whole = [1, 2, 3, 5, 6, 7, 8].map(|kind| value(&bytes, 0, kind).integer());
        let expected = [0xfe, 0xfffe, 0xffff_fffe, -2, -2, -2, -2];
        assert_eq!(whole, expected.map(Some));
        assert_eq!(
            value(&0.1f32.to_le_bytes(), 0, 9),
            Value::Real(f64::from(0.1f32))
        );
        assert_eq!(value(&0.1f64.to_le_bytes(), 0, 10), Value::Real(0.1));
    }
}
