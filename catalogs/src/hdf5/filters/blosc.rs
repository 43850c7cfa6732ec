//! Chunks of Blosc 1, and what those of Blosc 2 have in common with them: blocks, in streams, shuffled.
//!
//! Entry: [`decode`]. A chunk begins with 16 bytes: version, version of the codec, flags, size of an element, and little-endian bytes of
//! the chunk, of a block, and of what is stored; then the place of each block.

use super::codec::Codec;
use super::{Decoded, Refusal, SHORT, bitshuffle};

/// Bytes of the header.
const HEADER: usize = 16;
/// An element of more bytes is never split into streams.
const MOST_STREAMS: usize = 16;

const SHUFFLED: u8 = 1;
const STORED: u8 = 2;
const BIT_SHUFFLED: u8 = 4;
const WHOLE_BLOCKS: u8 = 16;

const BEYOND: Refusal = Refusal::Damaged("it claims more bytes than a chunk has");

/// What is done to a block before it is packed.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Shuffle {
    /// The first bytes of all elements, then their second ones, and so on.
    Bytes(usize),
    /// As far as its elements are a multiple of 8; of others nothing, if the block as a whole has to be one.
    Bits { width: usize, whole: bool },
}

/// The header of a chunk.
pub(super) struct Header {
    pub(super) flags: u8,
    pub(super) width: usize,
    /// Bytes of the chunk.
    pub(super) bytes: usize,
    block: usize,
    /// Bytes that are stored, those of the header among them.
    pub(super) stored: usize,
}

impl Header {
    /// Reads the header of a chunk of at most `most` bytes.
    pub(super) fn of(packed: &[u8], most: usize) -> Result<Self, Refusal> {
        let head: &[u8; HEADER] = packed.first_chunk().ok_or(SHORT)?;
        let number = |k: usize| {
            let bytes = head[k..].first_chunk().copied().unwrap_or_default();
            u32::from_le_bytes(bytes) as usize
        };
        let header = Self {
            flags: head[2],
            width: usize::from(head[3]).max(1),
            bytes: number(4),
            block: number(8),
            stored: number(12),
        };
        if header.bytes > most {
            return Err(BEYOND);
        }
        if header.stored < HEADER || header.stored > packed.len() {
            return Err(SHORT);
        }
        Ok(header)
    }

    /// Unpacks the blocks of a chunk whose header has `head` bytes. Blocks are split where an element has at least `least` bytes of each.
    pub(super) fn blocks(
        &self,
        packed: &[u8],
        head: usize,
        least: usize,
        shuffles: &[Shuffle],
    ) -> Decoded {
        let packed = packed.get(..self.stored).ok_or(SHORT)?;
        if self.flags & STORED != 0 {
            let stored = packed.get(head..).and_then(|rest| rest.get(..self.bytes));
            return Ok(stored.ok_or(SHORT)?.to_vec());
        }
        if self.bytes == 0 {
            return Ok(Vec::new());
        }
        if self.block == 0 || self.block > self.bytes {
            return Err(Refusal::Damaged("its blocks are longer than the chunk"));
        }
        let mut codec = Codec::of(self.flags >> 5)?;
        let count = self.bytes.div_ceil(self.block);
        let places = packed.get(head..).and_then(|rest| rest.get(..count * 4));
        let places = places.ok_or(SHORT)?.as_chunks::<4>().0;
        // Streams of repeated bytes take hardly any place: memory grows with the blocks that are there.
        let plausible = packed.len().saturating_mul(1 << 11);
        let mut out = Vec::with_capacity(self.bytes.min(plausible));
        let mut scratch = Scratch::default();
        for place in places {
            let place = usize::try_from(i32::from_le_bytes(*place)).map_err(|_| SHORT)?;
            let stream = packed.get(place..).ok_or(SHORT)?;
            let length = self.block.min(self.bytes - out.len());
            let may_split = self.flags & WHOLE_BLOCKS == 0 && length == self.block;
            let split = may_split && self.width <= MOST_STREAMS && length / self.width >= least;
            let streams = if split { self.width } else { 1 };
            let start = out.len();
            out.resize(start + length, 0);
            let place = &mut out[start..];
            if shuffles.is_empty() {
                unpack(stream, streams, &mut codec, place)?;
                continue;
            }
            scratch.first.resize(length, 0);
            unpack(stream, streams, &mut codec, &mut scratch.first)?;
            scratch.unshuffle(shuffles, place);
        }
        Ok(out)
    }
}

/// A block before and after a shuffle is undone.
#[derive(Default)]
struct Scratch {
    first: Vec<u8>,
    second: Vec<u8>,
}

impl Scratch {
    /// Undoes the shuffles of the first block, the last one last, and puts it in its place.
    fn unshuffle(&mut self, shuffles: &[Shuffle], place: &mut [u8]) {
        let Some((last, others)) = shuffles.split_last() else {
            return;
        };
        for shuffle in others {
            self.second.resize(self.first.len(), 0);
            shuffle.undo(&self.first, &mut self.second);
            std::mem::swap(&mut self.first, &mut self.second);
        }
        last.undo(&self.first, place);
    }
}

/// Unpacks the streams of a block: each has its length before it. One of length 0 is zeros, one of negative length -b a run of
/// bytes b, which a token of one byte follows.
fn unpack(
    mut packed: &[u8],
    streams: usize,
    codec: &mut Codec,
    block: &mut [u8],
) -> Result<(), Refusal> {
    if !block.len().is_multiple_of(streams) {
        return Err(Refusal::Damaged("a block is no multiple of its streams"));
    }
    let each = block.len() / streams;
    for place in block.chunks_mut(each.max(1)) {
        let (&length, rest) = packed.split_first_chunk().ok_or(SHORT)?;
        packed = rest;
        let length = i32::from_le_bytes(length);
        let Ok(length) = usize::try_from(length) else {
            let byte = u8::try_from(length.unsigned_abs());
            place.fill(byte.map_err(|_| Refusal::Damaged("a run of no byte"))?);
            packed = packed.get(1..).ok_or(SHORT)?;
            continue;
        };
        let (stream, rest) = packed.split_at_checked(length).ok_or(SHORT)?;
        packed = rest;
        match length {
            0 => place.fill(0),
            length if length == place.len() => place.copy_from_slice(stream),
            _ => codec.unpack(stream, place)?,
        }
    }
    Ok(())
}

impl Shuffle {
    fn undo(self, shuffled: &[u8], out: &mut [u8]) {
        match self {
            Self::Bytes(width) => unshuffle(shuffled, width, out),
            Self::Bits { width, whole } => {
                let elements = shuffled.len() / width;
                let mut ends = elements / 8 * 8 * width;
                if whole && !elements.is_multiple_of(8) {
                    ends = 0;
                }
                bitshuffle::untranspose(&shuffled[..ends], width, &mut out[..ends]);
                out[ends..].copy_from_slice(&shuffled[ends..]);
            }
        }
    }
}

/// Elements from the planes of their bytes; bytes beyond whole elements are as they are.
fn unshuffle(planes: &[u8], width: usize, out: &mut [u8]) {
    let elements = planes.len() / width;
    let whole = elements * width;
    out[whole..].copy_from_slice(&planes[whole..]);
    let (planes, out) = (&planes[..whole], &mut out[..whole]);
    match width {
        2 => unshuffle_lanes::<2>(planes, out),
        4 => unshuffle_lanes::<4>(planes, out),
        8 => unshuffle_lanes::<8>(planes, out),
        _ => {
            for (byte, plane) in planes.chunks_exact(elements.max(1)).enumerate() {
                let places = out[byte..].iter_mut().step_by(width);
                places.zip(plane).for_each(|(place, &value)| *place = value);
            }
        }
    }
}

fn unshuffle_lanes<const WIDTH: usize>(planes: &[u8], out: &mut [u8]) {
    let elements = planes.len() / WIDTH;
    let planes: [&[u8]; WIDTH] =
        std::array::from_fn(|byte| &planes[byte * elements..(byte + 1) * elements]);
    for (k, element) in out.as_chunks_mut::<WIDTH>().0.iter_mut().enumerate() {
        for (value, plane) in element.iter_mut().zip(&planes) {
            *value = plane[k];
        }
    }
}

/// Decodes one chunk of at most `most` bytes.
pub(crate) fn decode(packed: &[u8], most: usize) -> Decoded {
    let header = Header::of(packed, most)?;
    header.blocks(packed, HEADER, 128, &header.shuffles())
}

impl Header {
    /// The shuffles of Blosc 1.
    fn shuffles(&self) -> Vec<Shuffle> {
        let width = self.width;
        let bits = Shuffle::Bits { width, whole: true };
        let bytes = self.flags & SHUFFLED != 0 && width > 1;
        if self.flags & BIT_SHUFFLED != 0 {
            vec![bits]
        } else if bytes {
            vec![Shuffle::Bytes(width)]
        } else {
            Vec::new()
        }
    }

    /// Whether the header goes on for 16 bytes, as those of Blosc 2 do.
    pub(super) fn is_extended(&self) -> bool {
        self.flags & (SHUFFLED | BIT_SHUFFLED) == SHUFFLED | BIT_SHUFFLED
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Two blocks, the second short, stored by elements of three bytes.
    #[test]
    fn blocks_of_raw_streams() {
        let first = [1, 4, 2, 5, 3, 6];
        let second = [7, 8, 9, 10];
        let mut packed = vec![2, 1, SHUFFLED | WHOLE_BLOCKS | 1 << 5, 3];
        for number in [10u32, 6, 42, 24, 34] {
            packed.extend(number.to_le_bytes());
        }
        for block in [&first[..], &second] {
            packed.extend((block.len() as u32).to_le_bytes());
            packed.extend(block);
        }
        let expected = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10];
        assert_eq!(decode(&packed, 10).as_deref(), Ok(expected.as_slice()));
        assert_eq!(decode(&packed, 9), Err(BEYOND));
        for end in 0..packed.len() {
            assert!(decode(&packed[..end], 10).is_err(), "{end}");
        }
    }
}
