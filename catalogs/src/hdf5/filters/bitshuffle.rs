//! Bitshuffle: the bits of eight and more elements, plane by plane (Masui et al. 2015, Astronomy and Computing 12, 181).
//!
//! Entry: [`decode`], the filter; [`untranspose`], the planes of one block, which Blosc has as well.

use super::codec::Codec;
use super::lz4::unpack_onto;
use super::{Decoded, Refusal, SHORT};

/// Bytes of a block where the parameters do not say it.
const BLOCK_BYTES: usize = 8192;
/// Blocks have this many elements at least.
const LEAST: usize = 128;

/// Decodes one chunk of at most `most` bytes.
pub(super) fn decode(packed: &[u8], parameters: &[u32], most: usize) -> Decoded {
    let parameter = |k: usize| parameters.get(k).map_or(0, |&value| value as usize);
    let width = parameter(2);
    if width == 0 || width > most {
        return Err(Refusal::Damaged("its elements have no size"));
    }
    let mut codec = match parameter(4) {
        0 => return plain(packed, width, parameter(3)),
        2 => Codec::Lz4,
        3 => Codec::zstd()?,
        other => return Err(Refusal::NotRead(format!("codec {other}"))),
    };
    let (&size, rest) = packed.split_first_chunk().ok_or(SHORT)?;
    let (&block, mut rest) = rest.split_first_chunk().ok_or(SHORT)?;
    let size = usize::try_from(u64::from_be_bytes(size)).unwrap_or(usize::MAX);
    let block = u32::from_be_bytes(block) as usize;
    if size > most {
        return Err(Refusal::Damaged("it claims more bytes than a chunk has"));
    }
    let block = block / width * width;
    if block == 0 || !block.is_multiple_of(8 * width) {
        return Err(Refusal::Damaged("its blocks are no multiple of 8 elements"));
    }
    let mut out = Vec::with_capacity(size.min(codec.most(packed.len())));
    let mut planes = Vec::new();
    loop {
        let left = size - out.len();
        let here = block.min(left / (8 * width) * (8 * width));
        if here == 0 {
            break;
        }
        let (&length, after) = rest.split_first_chunk().ok_or(SHORT)?;
        let length = u32::from_be_bytes(length) as usize;
        let (stream, after) = after.split_at_checked(length).ok_or(SHORT)?;
        planes.clear();
        unpack_onto(&mut planes, here, stream, &mut codec)?;
        let start = out.len();
        out.resize(start + here, 0);
        untranspose(&planes, width, &mut out[start..]);
        rest = after;
    }
    let left = size - out.len();
    out.extend_from_slice(rest.get(..left).ok_or(SHORT)?);
    Ok(out)
}

/// A chunk without a codec: blocks of bit planes, and what is left after them as it is.
fn plain(packed: &[u8], width: usize, block: usize) -> Decoded {
    let told = Some(block).filter(|&block| block > 0);
    let block = told.unwrap_or_else(|| (BLOCK_BYTES / width / 8 * 8).max(LEAST));
    if !block.is_multiple_of(8) {
        return Err(Refusal::Damaged("its blocks are no multiple of 8 elements"));
    }
    let whole = packed.len() / (8 * width) * (8 * width);
    let mut out = vec![0; whole];
    let block = block.saturating_mul(width);
    for (planes, place) in packed[..whole].chunks(block).zip(out.chunks_mut(block)) {
        untranspose(planes, width, place);
    }
    out.extend_from_slice(&packed[whole..]);
    Ok(out)
}

/// Elements of `width` bytes from their bit planes: plane 8 j + b holds bit b of byte j of all elements. Their number is a multiple of 8.
pub(super) fn untranspose(planes: &[u8], width: usize, out: &mut [u8]) {
    let groups = planes.len() / (8 * width);
    for byte in 0..width {
        let planes = &planes[byte * 8 * groups..(byte + 1) * 8 * groups];
        for group in 0..groups {
            let mut word = [0; 8];
            for (bit, value) in word.iter_mut().enumerate() {
                *value = planes[bit * groups + group];
            }
            let bytes = transposed(u64::from_le_bytes(word)).to_le_bytes();
            let place = &mut out[group * 8 * width..(group + 1) * 8 * width];
            for (element, value) in bytes.into_iter().enumerate() {
                place[element * width + byte] = value;
            }
        }
    }
}

/// The 8 x 8 bits of a word, rows and columns exchanged (Warren, Hacker's Delight, section 7-3).
fn transposed(mut word: u64) -> u64 {
    for (shift, mask) in [
        (7, 0x00aa_00aa_00aa_00aa),
        (14, 0x0000_cccc_0000_cccc),
        (28, 0x0000_0000_f0f0_f0f0),
    ] {
        let moved = (word ^ (word >> shift)) & mask;
        word ^= moved ^ (moved << shift);
    }
    word
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bits_by_their_definition() {
        for width in [1, 2, 3, 8] {
            let elements = 24;
            let planes: Vec<u8> = (0..elements * width)
                .map(|k| (k * k * 31 + 7) as u8)
                .collect();
            let mut out = vec![0; planes.len()];
            untranspose(&planes, width, &mut out);
            for element in 0..elements {
                for byte in 0..width {
                    for bit in 0..8 {
                        let plane = (8 * byte + bit) * elements / 8;
                        let expected = planes[plane + element / 8] >> (element % 8) & 1;
                        let found = out[element * width + byte] >> bit & 1;
                        assert_eq!(found, expected, "{width} {element} {byte} {bit}");
                    }
                }
            }
        }
    }
}
