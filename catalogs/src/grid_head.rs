//! The head of an HDF5 file that holds one grid: all but its values, which follow in their order.
//!
//! Entry: [`hdf5_head`]. The HDF5 library is not needed: superblock 2, compact links, attributes and a contiguous layout, after the HDF5 File
//! Format Specification 3.0 (The HDF Group).

#![allow(
    clippy::cast_possible_truncation,
    reason = "names, units and records are far shorter than their lengths can tell"
)]

/// Where nothing is.
const NOWHERE: u64 = u64::MAX;

/// Values begin at a multiple of this.
const ALIGNED: usize = 64;

/// The length of the superblock.
const SUPERBLOCK: usize = 48;

/// Numbers of messages in headers of objects.
const DATASPACE: u8 = 1;
const LINK_INFO: u8 = 2;
const DATATYPE: u8 = 3;
const FILL: u8 = 5;
const LINK: u8 = 6;
const LAYOUT: u8 = 8;
const GROUP_INFO: u8 = 10;
const ATTRIBUTE: u8 = 12;

/// The grid that a head is of.
pub(crate) struct HeadOf<'a> {
    /// Points along each step.
    pub(crate) shape: [usize; 3],
    /// The first point.
    pub(crate) origin: [f64; 3],
    /// From a point to the next.
    pub(crate) steps: [[f64; 3]; 3],
    /// The unit of the values, where it has one.
    pub(crate) unit: Option<&'a str>,
    /// How it was made, as text.
    pub(crate) record: &'a str,
}

/// Bytes up to the first value: the dataset `values` with attributes `origin`, `steps` and `unit`, and the text `record`.
pub(crate) fn hdf5_head(grid: &HeadOf<'_>) -> Vec<u8> {
    let record = grid.record.as_bytes();
    let points: usize = grid.shape.iter().product();
    let headers = |at: [u64; 4]| -> [Vec<u8>; 3] {
        [
            object(&group(&[("values", at[0]), ("record", at[1])])),
            object(&values(grid, (at[2], 8 * points as u64))),
            object(&text(record.len(), at[3])),
        ]
    };
    // Lengths do not depend on addresses.
    let [group, values, text] = headers([0; 4]).map(|header| header.len());
    let first = SUPERBLOCK + group;
    let text_at = first + values + text;
    let end = (text_at + record.len()).next_multiple_of(ALIGNED);
    let at = [first, first + values, end, text_at].map(|at| at as u64);
    let mut head = superblock((end + 8 * points) as u64);
    for header in headers(at) {
        head.extend(header);
    }
    head.extend(record);
    head.resize(end, 0);
    head
}

fn superblock(end: u64) -> Vec<u8> {
    let mut bytes = b"\x89HDF\r\n\x1a\n\x02\x08\x08\x00".to_vec();
    for address in [0, NOWHERE, end, SUPERBLOCK as u64] {
        bytes.extend(address.to_le_bytes());
    }
    let sum = lookup3(&bytes);
    bytes.extend(sum.to_le_bytes());
    bytes
}

/// A message: its number and what it says.
type Message = (u8, Vec<u8>);

/// The header of an object.
fn object(messages: &[Message]) -> Vec<u8> {
    let length: usize = messages.iter().map(|(_, body)| 4 + body.len()).sum();
    // Flag 2: the length takes four bytes.
    let mut bytes = b"OHDR\x02\x02".to_vec();
    bytes.extend((length as u32).to_le_bytes());
    for (number, body) in messages {
        bytes.push(*number);
        bytes.extend((body.len() as u16).to_le_bytes());
        bytes.push(0);
        bytes.extend(body);
    }
    let sum = lookup3(&bytes);
    bytes.extend(sum.to_le_bytes());
    bytes
}

/// A group by the names and addresses of what is in it.
fn group(links: &[(&str, u64)]) -> Vec<Message> {
    let mut info = vec![0, 0];
    info.extend(NOWHERE.to_le_bytes());
    info.extend(NOWHERE.to_le_bytes());
    let link = |&(name, address): &(&str, u64)| {
        let mut body = vec![1, 0, name.len() as u8];
        body.extend(name.as_bytes());
        body.extend(address.to_le_bytes());
        (LINK, body)
    };
    let mut messages = vec![(LINK_INFO, info), (GROUP_INFO, vec![0, 0])];
    messages.extend(links.iter().map(link));
    messages
}

/// The dataset of the values, so many bytes at an address.
fn values(grid: &HeadOf<'_>, place: (u64, u64)) -> Vec<Message> {
    let shape = grid.shape.map(|n| n as u64);
    let mut messages = dataset(float64(), dataspace(&shape), place);
    messages.push(attribute(
        "origin",
        (float64(), &[3]),
        &bytes_of(&grid.origin),
    ));
    let steps = bytes_of(grid.steps.as_flattened());
    messages.push(attribute("steps", (float64(), &[3, 3]), &steps));
    if let Some(unit) = grid.unit.filter(|unit| !unit.is_empty()) {
        let kind = utf8(unit.len());
        messages.push(attribute("unit", (kind, &[]), unit.as_bytes()));
    }
    messages
}

/// A text of so many bytes at an address.
fn text(length: usize, at: u64) -> Vec<Message> {
    dataset(utf8(length.max(1)), dataspace(&[]), (at, length as u64))
}

/// A dataset of a type and a shape, its bytes one after the other.
fn dataset(kind: Vec<u8>, space: Vec<u8>, (at, length): (u64, u64)) -> Vec<Message> {
    // Version 3, contiguous.
    let mut layout = vec![3, 1];
    layout.extend(at.to_le_bytes());
    layout.extend(length.to_le_bytes());
    // Version 3: room is taken at once, nothing is filled in.
    let fill = vec![3, 0x09];
    vec![
        (DATASPACE, space),
        (DATATYPE, kind),
        (FILL, fill),
        (LAYOUT, layout),
    ]
}

fn attribute(name: &str, (kind, shape): (Vec<u8>, &[u64]), value: &[u8]) -> Message {
    let space = dataspace(shape);
    // Version 3, no flags; the name's length with its end.
    let mut body = vec![3, 0];
    for length in [name.len() + 1, kind.len(), space.len()] {
        body.extend((length as u16).to_le_bytes());
    }
    body.push(0);
    body.extend(name.as_bytes());
    body.push(0);
    for part in [&kind[..], &space, value] {
        body.extend(part);
    }
    (ATTRIBUTE, body)
}

fn dataspace(shape: &[u64]) -> Vec<u8> {
    let simple = u8::from(!shape.is_empty());
    let mut body = vec![2, shape.len() as u8, 0, simple];
    for n in shape {
        body.extend(n.to_le_bytes());
    }
    body
}

/// Little-endian IEEE float64: sign in bit 63, 11 bits of exponent from bit 52 on with bias 1023, 52 of mantissa whose first is implied.
fn float64() -> Vec<u8> {
    let mut body = vec![0x11, 0x20, 63, 0];
    body.extend(8u32.to_le_bytes());
    body.extend(0u16.to_le_bytes());
    body.extend(64u16.to_le_bytes());
    body.extend([52, 11, 0, 52]);
    body.extend(1023u32.to_le_bytes());
    body
}

/// Text of so many bytes in UTF-8, filled up with zeros.
fn utf8(length: usize) -> Vec<u8> {
    let mut body = vec![0x13, 0x11, 0, 0];
    body.extend((length as u32).to_le_bytes());
    body
}

fn bytes_of(values: &[f64]) -> Vec<u8> {
    values.iter().flat_map(|v| v.to_le_bytes()).collect()
}

/// The checksum of HDF5: Bob Jenkins' lookup3 (2006, <http://burtleburtle.net/bob/c/lookup3.c>), bytes in little-endian words.
fn lookup3(bytes: &[u8]) -> u32 {
    let begin = 0xdead_beef_u32.wrapping_add(bytes.len() as u32);
    let mut s = [begin; 3];
    let add = |s: &mut [u32; 3], block: &[u8]| {
        for (k, &byte) in block.iter().enumerate() {
            s[k / 4] = s[k / 4].wrapping_add(u32::from(byte) << (8 * (k % 4)));
        }
    };
    let mut rest = bytes;
    while rest.len() > 12 {
        let (block, others) = rest.split_at(12);
        add(&mut s, block);
        // Each word in turn: less the one before it, mixed with that, which grows by the one behind.
        for (step, turn) in [4, 6, 8, 16, 19, 4].into_iter().enumerate() {
            let (word, before, behind) = (step % 3, (step + 2) % 3, (step + 1) % 3);
            s[word] = s[word].wrapping_sub(s[before]) ^ s[before].rotate_left(turn);
            s[before] = s[before].wrapping_add(s[behind]);
        }
        rest = others;
    }
    if rest.is_empty() {
        return s[2];
    }
    add(&mut s, rest);
    for (step, turn) in [14, 11, 25, 16, 4, 14, 24].into_iter().enumerate() {
        let (word, before) = ((step + 2) % 3, (step + 1) % 3);
        s[word] = (s[word] ^ s[before]).wrapping_sub(s[before].rotate_left(turn));
    }
    s[2]
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The values that the author of the sum gives for its self-test.
    #[test]
    fn sums_are_those_of_their_author() {
        assert_eq!(lookup3(b""), 0xdead_beef);
        assert_eq!(lookup3(b"Four score and seven years ago"), 0x1777_0551);
    }

    #[test]
    fn heads_end_where_values_begin() {
        let head = hdf5_head(&HeadOf {
            shape: [2, 3, 5],
            origin: [0.5; 3],
            steps: [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]],
            unit: Some("V"),
            record: "{}",
        });
        assert_eq!(head.len() % ALIGNED, 0);
        let end = u64::from_le_bytes(std::array::from_fn(|k| head[28 + k]));
        assert_eq!(end, (head.len() + 8 * 30) as u64);
    }
}
