//! Heads of HDF5 files: all but the large arrays, which follow one after the other.
//!
//! Entry: [`Tree::new`] of [`Group`]s and [`Dataset`]s. The HDF5 library is not needed: superblock 2, compact links, attributes and contiguous
//! layouts, after the HDF5 File Format Specification 3.0 (The HDF Group).

#![allow(
    clippy::cast_possible_truncation,
    reason = "names, units and records are far shorter than their lengths can tell"
)]

/// Where nothing is.
const NOWHERE: u64 = u64::MAX;

/// Arrays behind the head begin at a multiple of this.
const ALIGNED: u64 = 64;

/// The length of the superblock.
const SUPERBLOCK: u64 = 48;

/// Numbers of messages in headers of objects.
const DATASPACE: u8 = 1;
const LINK_INFO: u8 = 2;
const DATATYPE: u8 = 3;
const FILL: u8 = 5;
const LINK: u8 = 6;
const LAYOUT: u8 = 8;
const GROUP_INFO: u8 = 10;
const ATTRIBUTE: u8 = 12;

/// A message in the header of an object: its number and what it says.
pub(crate) type Message = (u8, Vec<u8>);

/// What a group holds under a name.
pub(crate) enum Object {
    Group(Group),
    Dataset(Dataset),
}

/// A group: its members by their names, and its attributes.
#[derive(Default)]
pub(crate) struct Group {
    pub(crate) members: Vec<(&'static str, Object)>,
    pub(crate) attributes: Vec<Message>,
}

/// An array of a type and a shape, one value after the other, and its attributes.
pub(crate) struct Dataset {
    pub(crate) kind: Vec<u8>,
    pub(crate) shape: Vec<u64>,
    pub(crate) values: Place,
    pub(crate) attributes: Vec<Message>,
}

/// Where the values of an array are.
pub(crate) enum Place {
    /// In the head.
    Head(Vec<u8>),
    /// Behind the head, so many bytes.
    Behind(u64),
}

/// A tree of groups and arrays as the head of a file.
pub(crate) struct Tree {
    /// The bytes up to the first array behind them.
    pub(crate) head: Vec<u8>,
    /// Where each array behind the head begins, in the order of the tree.
    pub(crate) starts: Vec<u64>,
    /// The length of the file.
    pub(crate) end: u64,
}

/// An object, and which of all objects are in it.
struct Node<'a> {
    object: &'a Object,
    members: Vec<usize>,
}

impl Tree {
    /// The tree below a root: headers of all objects, each before those in it, then values in the head, then room.
    pub(crate) fn new(root: Group) -> Self {
        let root = Object::Group(root);
        let mut nodes = vec![];
        flatten(&root, &mut nodes);
        // Lengths of headers do not depend on addresses.
        let nowhere = vec![0; nodes.len()];
        let mut at = SUPERBLOCK;
        let mut headers = vec![];
        for node in &nodes {
            headers.push(at);
            at += node.header(&nowhere, 0).len() as u64;
        }
        let mut places = vec![0; nodes.len()];
        for (node, place) in nodes.iter().zip(&mut places) {
            if let Some(Place::Head(bytes)) = node.values() {
                *place = at;
                at += bytes.len() as u64;
            }
        }
        let mut end = at.next_multiple_of(ALIGNED);
        let first = end;
        let mut starts = vec![];
        for (node, place) in nodes.iter().zip(&mut places) {
            if let Some(Place::Behind(bytes)) = node.values() {
                *place = end;
                starts.push(end);
                end += bytes;
            }
        }
        let mut head = superblock(end);
        for (node, &place) in nodes.iter().zip(&places) {
            head.extend(node.header(&headers, place));
        }
        for node in &nodes {
            if let Some(Place::Head(bytes)) = node.values() {
                head.extend(bytes);
            }
        }
        head.resize(first as usize, 0);
        Self { head, starts, end }
    }
}

/// Puts an object and all that is in it behind those before; which of them it is.
fn flatten<'a>(object: &'a Object, nodes: &mut Vec<Node<'a>>) -> usize {
    let place = nodes.len();
    let members = vec![];
    nodes.push(Node { object, members });
    if let Object::Group(group) = object {
        for (_, member) in &group.members {
            let member = flatten(member, nodes);
            nodes[place].members.push(member);
        }
    }
    place
}

impl Node<'_> {
    fn values(&self) -> Option<&Place> {
        match self.object {
            Object::Group(_) => None,
            Object::Dataset(dataset) => Some(&dataset.values),
        }
    }

    /// Its header, where those of all objects and its own values have these addresses.
    fn header(&self, headers: &[u64], place: u64) -> Vec<u8> {
        match self.object {
            Object::Group(group) => {
                let names = group.members.iter().map(|(name, _)| *name);
                let links = names.zip(self.members.iter().map(|&member| headers[member]));
                header(&links_to(links, &group.attributes))
            }
            Object::Dataset(dataset) => header(&dataset.messages(place)),
        }
    }
}

fn superblock(end: u64) -> Vec<u8> {
    let mut bytes = b"\x89HDF\r\n\x1a\n\x02\x08\x08\x00".to_vec();
    for address in [0, NOWHERE, end, SUPERBLOCK] {
        bytes.extend(address.to_le_bytes());
    }
    let sum = lookup3(&bytes);
    bytes.extend(sum.to_le_bytes());
    bytes
}

/// The header of an object.
fn header(messages: &[Message]) -> Vec<u8> {
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

/// The messages of a group with links to the addresses of its members.
fn links_to<'a>(
    links: impl Iterator<Item = (&'a str, u64)>,
    attributes: &[Message],
) -> Vec<Message> {
    let mut info = vec![0, 0];
    info.extend(NOWHERE.to_le_bytes());
    info.extend(NOWHERE.to_le_bytes());
    let link = |(name, address): (&str, u64)| {
        let mut body = vec![1, 0, name.len() as u8];
        body.extend(name.as_bytes());
        body.extend(address.to_le_bytes());
        (LINK, body)
    };
    let mut messages = vec![(LINK_INFO, info), (GROUP_INFO, vec![0, 0])];
    messages.extend(links.map(link));
    messages.extend_from_slice(attributes);
    messages
}

impl Dataset {
    /// Values of a type in the head, without attributes.
    pub(crate) fn held(kind: Vec<u8>, shape: &[u64], values: Vec<u8>) -> Object {
        Object::Dataset(Self {
            kind,
            shape: shape.to_vec(),
            values: Place::Head(values),
            attributes: vec![],
        })
    }

    fn messages(&self, at: u64) -> Vec<Message> {
        let length = match &self.values {
            Place::Head(bytes) => bytes.len() as u64,
            Place::Behind(length) => *length,
        };
        // Version 3, contiguous.
        let mut layout = vec![3, 1];
        layout.extend(at.to_le_bytes());
        layout.extend(length.to_le_bytes());
        // Version 3: room is taken at once, nothing is filled in.
        let fill = vec![3, 0x09];
        let mut messages = vec![
            (DATASPACE, dataspace(&self.shape)),
            (DATATYPE, self.kind.clone()),
            (FILL, fill),
            (LAYOUT, layout),
        ];
        messages.extend_from_slice(&self.attributes);
        messages
    }
}

/// An attribute of a type and a shape.
pub(crate) fn attribute(name: &str, (kind, shape): (Vec<u8>, &[u64]), value: &[u8]) -> Message {
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
pub(crate) fn float64() -> Vec<u8> {
    let mut body = vec![0x11, 0x20, 63, 0];
    body.extend(8u32.to_le_bytes());
    body.extend(0u16.to_le_bytes());
    body.extend(64u16.to_le_bytes());
    body.extend([52, 11, 0, 52]);
    body.extend(1023u32.to_le_bytes());
    body
}

/// Text of so many bytes in UTF-8, filled up with zeros.
pub(crate) fn utf8(length: usize) -> Vec<u8> {
    let mut body = vec![0x13, 0x11, 0, 0];
    body.extend((length as u32).to_le_bytes());
    body
}

pub(crate) fn bytes_of(values: &[f64]) -> Vec<u8> {
    values.iter().flat_map(|v| v.to_le_bytes()).collect()
}

/// Signed little-endian integers of so many bytes.
pub(crate) fn integer(bytes: u8) -> Vec<u8> {
    let mut body = vec![0x10, 8, 0, 0];
    body.extend(u32::from(bytes).to_le_bytes());
    body.extend(0u16.to_le_bytes());
    body.extend((8 * u16::from(bytes)).to_le_bytes());
    body
}

/// Names for the numbers from 0 on, which are stored as 32 bits.
pub(crate) fn enumeration(names: &[&str]) -> Vec<u8> {
    // Version 3 of class 8; the number of names.
    let mut body = vec![0x38];
    body.extend(&(names.len() as u32).to_le_bytes()[..3]);
    body.extend(4u32.to_le_bytes());
    body.extend(integer(4));
    for name in names {
        body.extend(name.as_bytes());
        body.push(0);
    }
    for number in 0..names.len() as u32 {
        body.extend(number.to_le_bytes());
    }
    body
}

/// An attribute that is a text.
pub(crate) fn text_attribute(name: &str, text: &str) -> Message {
    attribute(name, (utf8(text.len().max(1)), &[]), &filled(text))
}

/// The bytes of a text, one 0 for none.
pub(crate) fn filled(text: &str) -> Vec<u8> {
    if text.is_empty() {
        return vec![0];
    }
    text.as_bytes().to_vec()
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
    fn heads_end_where_the_first_array_behind_them_begins() {
        let behind = |bytes| {
            Object::Dataset(Dataset {
                kind: float64(),
                shape: vec![bytes / 8],
                values: Place::Behind(bytes),
                attributes: vec![],
            })
        };
        let inner = Group {
            members: vec![("b", behind(24)), ("c", behind(16))],
            attributes: vec![text_attribute("note", "")],
        };
        let a = Dataset::held(integer(8), &[1], vec![7; 8]);
        let members = vec![("a", a), ("inner", Object::Group(inner))];
        let attributes = vec![];
        let tree = Tree::new(Group {
            members,
            attributes,
        });
        let first = tree.head.len() as u64;
        assert_eq!(first % ALIGNED, 0);
        assert_eq!(tree.starts, [first, first + 24]);
        assert_eq!(tree.end, first + 40);
        assert_eq!(tree.head[28..36], tree.end.to_le_bytes());
    }
}
