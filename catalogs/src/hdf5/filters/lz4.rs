//! The LZ4 filter: a chunk in blocks.
//!
//! Entry: [`decode`]. Its size (u64) and that of a block (u32) stand once, then each block has its packed length (u32) before it: that
//! of a block means stored as it is. All big-endian.

use super::codec::Codec;
use super::{Decoded, Refusal, SHORT};

/// Unpacks one chunk of at most `most` bytes.
pub(super) fn decode(packed: &[u8], most: usize) -> Decoded {
    let (&size, rest) = packed.split_first_chunk().ok_or(SHORT)?;
    let (&block, mut rest) = rest.split_first_chunk().ok_or(SHORT)?;
    let size = usize::try_from(u64::from_be_bytes(size)).unwrap_or(usize::MAX);
    let block = u32::from_be_bytes(block) as usize;
    if size > most || (block == 0 && size > 0) {
        return Err(Refusal::Damaged("it claims more bytes than a chunk has"));
    }
    let mut codec = Codec::Lz4;
    let mut out = Vec::with_capacity(size.min(codec.most(packed.len())));
    while out.len() < size {
        let (&length, after) = rest.split_first_chunk().ok_or(SHORT)?;
        let length = u32::from_be_bytes(length) as usize;
        let (stream, after) = after.split_at_checked(length).ok_or(SHORT)?;
        let here = block.min(size - out.len());
        if length == here {
            out.extend_from_slice(stream);
        } else {
            unpack_onto(&mut out, here, stream, &mut codec)?;
        }
        rest = after;
    }
    Ok(out)
}

/// Unpacks a stream of `length` bytes behind what is there.
pub(super) fn unpack_onto(
    out: &mut Vec<u8>,
    length: usize,
    stream: &[u8],
    codec: &mut Codec,
) -> Result<(), Refusal> {
    if length > codec.most(stream.len()) {
        return Err(Refusal::Damaged("a stream is too short for its block"));
    }
    let start = out.len();
    out.resize(start + length, 0);
    codec.unpack(stream, &mut out[start..])
}
