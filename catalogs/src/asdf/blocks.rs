//! The blocks of an ASDF file: where they stand and what they hold.
//!
//! Entry: [`find`], [`Found::bytes`]. Numbers of a block's header are big-endian.

use std::fs::File;
use std::io::{Read, Seek, SeekFrom};
use std::path::Path;

use crate::error::{CatalogError, Result};
use crate::hdf5::filters::{Decoded, LARGEST_CHUNK, Refusal, blosc, codec};

const MAGIC: [u8; 4] = [0xd3, b'B', b'L', b'K'];
/// Bytes of a header behind its size: flags, compression, three sizes, checksum.
const HEADER: usize = 48;
/// No compression shrinks data more than about a thousandfold.
const LARGEST_RATIO: u64 = 2048;
/// More blocks than columns of any table.
const MOST_BLOCKS: usize = 1 << 16;

/// A block of a file.
#[derive(Debug, Clone)]
pub(super) struct Found {
    compression: [u8; 4],
    /// Where its data begin.
    start: u64,
    /// Bytes as they are stored.
    used: u64,
    /// Bytes that it holds.
    pub(super) bytes: u64,
}

/// The blocks that stand from a place on, in a file of that many bytes.
pub(super) fn find(path: &Path, file: &mut File, from: u64, length: u64) -> Result<Vec<Found>> {
    let io = |error| CatalogError::io(path, error);
    let corrupt = |detail: &str| CatalogError::corrupt(path, detail);
    let mut found = Vec::new();
    let mut place = from;
    while found.len() < MOST_BLOCKS {
        file.seek(SeekFrom::Start(place)).map_err(io)?;
        let mut magic = [0; 6];
        if place + 6 > length || file.read_exact(&mut magic).is_err() || !magic.starts_with(&MAGIC)
        {
            break;
        }
        let size = u16::from_be_bytes([magic[4], magic[5]]);
        let mut header = [0; HEADER];
        file.read_exact(&mut header)
            .map_err(|_| corrupt("a block ends within its header"))?;
        let number = |k: usize| {
            header[k..]
                .first_chunk()
                .map_or(0, |bytes| u64::from_be_bytes(*bytes))
        };
        if header[3] & 1 != 0 {
            return Err(CatalogError::unsupported(
                path,
                "a block that is a stream without a length",
                "re-save the file with asdf",
            ));
        }
        let (allocated, used, bytes) = (number(8), number(16), number(24));
        let start = place + 6 + u64::from(size);
        let end = start.checked_add(allocated).filter(|&end| end <= length);
        let end = end.filter(|_| used <= allocated && usize::from(size) >= HEADER);
        place = end.ok_or_else(|| corrupt("a block is longer than the file"))?;
        if bytes / LARGEST_RATIO > length {
            return Err(corrupt("a block claims more bytes than the file can hold"));
        }
        let compression = [header[4], header[5], header[6], header[7]];
        found.push(Found {
            compression,
            start,
            used,
            bytes,
        });
    }
    Ok(found)
}

impl Found {
    /// The name of its compression; nothing if there is none.
    pub(super) fn compression(&self) -> Option<String> {
        let name = String::from_utf8_lossy(&self.compression);
        let name = name.trim_matches(|letter: char| letter == '\0' || letter.is_whitespace());
        (!name.is_empty()).then(|| name.to_owned())
    }

    /// What it holds.
    pub(super) fn bytes(&self, path: &Path, file: &mut File) -> Result<Vec<u8>> {
        let io = |error| CatalogError::io(path, error);
        let size = |bytes: u64| usize::try_from(bytes).unwrap_or(usize::MAX);
        file.seek(SeekFrom::Start(self.start)).map_err(io)?;
        let mut packed = Vec::new();
        file.take(self.used).read_to_end(&mut packed).map_err(io)?;
        let most = size(self.bytes);
        let compression = self.compression();
        let decoded = match compression.as_deref() {
            None => Ok(packed),
            Some("zlib") => codec::zlib(&packed, most),
            Some("bzp2") => codec::bzip2(&packed, most),
            Some("blsc") => chunks_of_blosc(&packed, most),
            Some(other) => Err(Refusal::NotRead(format!("ASDF compression `{other}`"))),
        };
        let corrupt = |why: &str| {
            let name = compression.as_deref().unwrap_or("plain");
            CatalogError::corrupt(path, format!("a block ({name}): {why}"))
        };
        match decoded {
            Ok(bytes) if bytes.len() == most => Ok(bytes),
            Ok(_) => Err(corrupt("it does not hold as many bytes as it claims")),
            Err(Refusal::Damaged(why)) => Err(corrupt(why)),
            Err(Refusal::NotRead(what)) => Err(CatalogError::unsupported(
                path,
                what,
                "re-save the file with asdf, as zlib or uncompressed",
            )),
        }
    }
}

/// Chunks of Blosc 1 behind one another, each with its length before it.
fn chunks_of_blosc(mut packed: &[u8], most: usize) -> Decoded {
    const SHORT: Refusal = Refusal::Damaged("it ends too early");
    let mut out: Vec<u8> = Vec::new();
    while !packed.is_empty() {
        let (&length, rest) = packed.split_first_chunk().ok_or(SHORT)?;
        let length = u32::from_be_bytes(length) as usize;
        let (chunk, rest) = rest.split_at_checked(length).ok_or(SHORT)?;
        let chunk = blosc::decode(chunk, (most - out.len()).min(LARGEST_CHUNK))?;
        out.extend(chunk);
        packed = rest;
    }
    Ok(out)
}
