//! Frames of Blosc 2: chunks of a header of 32 bytes, and where they begin.
//!
//! Entry: [`decode`]. Numbers of the frame are big-endian, those of chunks little-endian.

use super::blosc::{self, Header, Shuffle};
use super::{Decoded, Refusal, SHORT};

/// Bytes of a chunk's header.
const HEADER: usize = 32;
/// Each stream of a block has at least this many bytes.
const LEAST: usize = 32;
/// The place of the number of dimensions in the description of an array, behind a version and the head of a list.
const DIMENSIONS: usize = 2;

const WRONG_SIZE: Refusal = Refusal::Damaged("its chunks have not the size that the frame claims");

/// Decodes one frame of at most `most` bytes.
pub(super) fn decode(packed: &[u8], most: usize) -> Decoded {
    if packed.get(2..10) != Some(b"b2frame\0") {
        return Err(Refusal::Damaged("it is no frame"));
    }
    let header = big_endian::<4>(packed, 11).and_then(|bytes| size(i32::from_be_bytes(bytes)))?;
    let bytes = big_endian::<8>(packed, 30).and_then(|bytes| size(i64::from_be_bytes(bytes)))?;
    let stored = big_endian::<8>(packed, 39).and_then(|bytes| size(i64::from_be_bytes(bytes)))?;
    let width = big_endian::<4>(packed, 48).and_then(|bytes| size(i32::from_be_bytes(bytes)))?;
    let each = big_endian::<4>(packed, 58).and_then(|bytes| size(i32::from_be_bytes(bytes)))?;
    if bytes > most {
        return Err(Refusal::Damaged("it claims more bytes than a chunk has"));
    }
    let head = packed.get(..header).ok_or(SHORT)?;
    if is_array_of_boxes(head) {
        let what = "an array of several dimensions (b2nd, of PyTables)";
        return Err(Refusal::NotRead(what.to_owned()));
    }
    let body = &packed[header..];
    if bytes == 0 {
        return Ok(Vec::new());
    }
    if each == 0 {
        return Err(WRONG_SIZE);
    }
    let count = bytes.div_ceil(each);
    if count > packed.len().saturating_mul(64) {
        return Err(WRONG_SIZE);
    }
    let places = chunk(body.get(stored..).ok_or(SHORT)?, count.saturating_mul(8))?;
    let mut out = Vec::new();
    for place in places.as_chunks::<8>().0 {
        let length = each.min(bytes - out.len());
        let place = i64::from_le_bytes(*place);
        let Ok(place) = usize::try_from(place) else {
            let kind = (place >> 56) as u8 & 0x7f;
            special(kind, width, &[], length, &mut out)?;
            continue;
        };
        let decoded = chunk(body.get(place..).ok_or(SHORT)?, length)?;
        if decoded.len() != length {
            return Err(WRONG_SIZE);
        }
        if count == 1 {
            return Ok(decoded);
        }
        out.extend(decoded);
    }
    if out.len() == bytes {
        Ok(out)
    } else {
        Err(WRONG_SIZE)
    }
}

fn big_endian<const N: usize>(packed: &[u8], place: usize) -> Result<[u8; N], Refusal> {
    let bytes = packed.get(place..).and_then(|rest| rest.first_chunk());
    bytes.copied().ok_or(SHORT)
}

fn size(number: impl TryInto<usize>) -> Result<usize, Refusal> {
    let negative = |_| Refusal::Damaged("it claims a negative size");
    number.try_into().map_err(negative)
}

/// Whether the frame's header describes an array of more than one dimension, whose blocks are boxes.
fn is_array_of_boxes(head: &[u8]) -> bool {
    let key = b"\xa4b2nd\xd2";
    let Some(at) = head.windows(key.len()).position(|window| window == key) else {
        return false;
    };
    let content =
        big_endian::<4>(head, at + key.len()).and_then(|bytes| size(i32::from_be_bytes(bytes)));
    // A byte of type and four of length, then a list: version, dimensions, ..
    let dimensions = content
        .ok()
        .and_then(|place| head.get(place + 5 + DIMENSIONS));
    dimensions != Some(&1)
}

/// Decodes one chunk of at most `most` bytes.
fn chunk(packed: &[u8], most: usize) -> Decoded {
    let header = Header::of(packed, most)?;
    if !header.is_extended() {
        return blosc::decode(packed, most);
    }
    let more: &[u8; HEADER] = packed.first_chunk().ok_or(SHORT)?;
    let kind = more[31] >> 4 & 7;
    if kind != 0 {
        let mut out = Vec::new();
        let value = packed.get(HEADER..).unwrap_or_default();
        special(kind, header.width, value, header.bytes, &mut out)?;
        return Ok(out);
    }
    if more[31] & 1 != 0 {
        return Err(Refusal::NotRead("a dictionary".to_owned()));
    }
    if header.flags >> 5 > 4 {
        return Err(Refusal::NotRead(format!("codec {}", more[22])));
    }
    let mut shuffles = Vec::new();
    for (code, meta) in more[16..22].iter().zip(&more[24..30]).rev() {
        let width = Some(usize::from(*meta)).filter(|&width| width > 0);
        let width = width.unwrap_or(header.width);
        match code {
            // Truncated digits are gone.
            0 | 4 => {}
            1 => shuffles.push(Shuffle::Bytes(width)),
            2 => shuffles.push(Shuffle::Bits {
                width: header.width,
                whole: false,
            }),
            3 => return Err(Refusal::NotRead("the delta filter".to_owned())),
            other => return Err(Refusal::NotRead(format!("filter {other} inside"))),
        }
    }
    header.blocks(packed, HEADER, LEAST, &shuffles)
}

/// A chunk that is one value throughout.
fn special(
    kind: u8,
    width: usize,
    value: &[u8],
    length: usize,
    out: &mut Vec<u8>,
) -> Result<(), Refusal> {
    let nan = match width {
        4 => f32::NAN.to_le_bytes().to_vec(),
        _ => f64::NAN.to_le_bytes().to_vec(),
    };
    let value = match kind {
        1 => &[0][..],
        2 if width == 4 || width == 8 => &nan[..],
        3 => value
            .get(..width)
            .filter(|value| !value.is_empty())
            .ok_or(SHORT)?,
        other => {
            return Err(Refusal::NotRead(format!(
                "chunks of a special kind ({other})"
            )));
        }
    };
    out.extend(value.iter().copied().cycle().take(length));
    Ok(())
}
