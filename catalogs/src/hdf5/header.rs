//! Headers of objects as their messages, to put another one in the place of one.
//!
//! Entry: [`Header`]. Files whose addresses and lengths have 8 bytes alone.

use hdf5_reader::{FileStorage, Storage};

use super::selection::Numbers;

const SHAPE: u16 = 1;
const TYPE: u16 = 3;
/// How a data set is stored.
pub(super) const LAYOUT: u16 = 8;
const CONTINUED: u16 = 16;
/// A message that stands elsewhere.
const SHARED: u8 = 2;
/// A header goes on in at most so many pieces of at most so many bytes.
const PIECES: usize = 64;
const LARGEST: u64 = 1 << 20;

struct Message {
    kind: u16,
    flags: u8,
    data: Vec<u8>,
}

/// The messages of an object.
pub(super) struct Header(Vec<Message>);

impl Header {
    /// Reads the header at `address`; `None` if it is damaged.
    pub(super) fn read(file: &FileStorage, address: u64) -> Option<Self> {
        let bytes = |place: u64, length: u64| {
            let length = usize::try_from(length).ok().filter(|_| length <= LARGEST)?;
            Some(file.read_range(place, length).ok()?.to_vec())
        };
        let second = bytes(address, 4)? == b"OHDR";
        let (start, length, ordered) = if second {
            let flags = bytes(address, 6)?[5];
            let mut start = address + 6;
            start += if flags & 0x20 == 0 { 0 } else { 16 };
            start += if flags & 0x10 == 0 { 0 } else { 4 };
            let width = 1u64 << (flags & 3);
            let length = Numbers(&bytes(start, width)?).next(width as usize)?;
            (start + width, length, flags & 4 != 0)
        } else {
            let head = bytes(address, 16)?;
            (address + 16, Numbers(&head[8..]).next(4)?, false)
        };
        let mut messages = Vec::new();
        let mut pieces = vec![(start, length)];
        let mut read = 0;
        while let Some((start, length)) = pieces.pop() {
            read += 1;
            if read > PIECES {
                return None;
            }
            let piece = bytes(start, length)?;
            let mut numbers = Numbers(&piece);
            while let Some(message) = Message::next(&mut numbers, second, ordered) {
                if message.kind == CONTINUED {
                    let mut place = Numbers(&message.data);
                    let (start, length) = (place.next(8)?, place.next(8)?);
                    // A signature before and a checksum behind.
                    let rest = if second { 4 } else { 0 };
                    pieces.push((start.checked_add(rest)?, length.checked_sub(2 * rest)?));
                } else {
                    messages.push(message);
                }
            }
        }
        Some(Self(messages))
    }

    /// The data of the message of that kind, where they stand here.
    pub(super) fn message(&self, kind: u16) -> Option<&[u8]> {
        let message = self.0.iter().find(|message| message.kind == kind)?;
        (message.flags & SHARED == 0).then_some(&message.data)
    }

    pub(super) fn dtype(&self) -> Option<&[u8]> {
        self.message(TYPE)
    }

    pub(super) fn shape(&self) -> Option<Vec<u64>> {
        let message = self.message(SHAPE)?;
        let rank = usize::from(*message.get(1)?);
        let start = if *message.first()? == 1 { 8 } else { 4 };
        let mut numbers = Numbers(message.get(start..)?);
        (0..rank).map(|_| numbers.next(8)).collect()
    }

    /// The same header of a data set that is stored in one piece.
    pub(super) fn stored_at(&self, address: u64, length: u64) -> Option<Vec<u8>> {
        let mut body = Vec::new();
        for message in &self.0 {
            let mut data = message.data.clone();
            if message.kind == LAYOUT {
                data = vec![3, 1];
                data.extend(address.to_le_bytes());
                data.extend(length.to_le_bytes());
            }
            data.resize(data.len().next_multiple_of(8), 0);
            body.extend(message.kind.to_le_bytes());
            body.extend(u16::try_from(data.len()).ok()?.to_le_bytes());
            body.extend([message.flags, 0, 0, 0]);
            body.extend(data);
        }
        let mut header = vec![1, 0];
        header.extend(u16::try_from(self.0.len()).ok()?.to_le_bytes());
        header.extend(1u32.to_le_bytes());
        header.extend(u32::try_from(body.len()).ok()?.to_le_bytes());
        header.extend([0; 4]);
        header.extend(body);
        Some(header)
    }
}

impl Message {
    fn next(numbers: &mut Numbers<'_>, second: bool, ordered: bool) -> Option<Self> {
        let kind = numbers.next(if second { 1 } else { 2 })?;
        let length = numbers.next(2)?;
        let flags = numbers.next(1)?;
        numbers.next(match (second, ordered) {
            (false, _) => 3,
            (true, true) => 2,
            (true, false) => 0,
        })?;
        let (data, rest) = numbers.0.split_at_checked(usize::try_from(length).ok()?)?;
        numbers.0 = rest;
        Some(Self {
            kind: u16::try_from(kind).ok()?,
            flags: u8::try_from(flags).ok()?,
            data: data.to_vec(),
        })
    }
}
