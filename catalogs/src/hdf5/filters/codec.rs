//! Compressed streams, each unpacked by its own crate.
//!
//! Entry: [`Codec::unpack`] for streams whose size is known, [`zstd`], [`bzip2`], [`zlib`] for those that know it themselves.

use std::io::Read;

use super::{Decoded, Refusal, blosclz};

/// A codec by its number in Blosc's headers.
pub(super) enum Codec {
    BloscLz,
    Lz4,
    Snappy,
    Zlib,
    Zstd(Box<zstd::bulk::Decompressor<'static>>),
}

const DAMAGED: Refusal = Refusal::Damaged("a compressed stream is damaged");

impl Codec {
    pub(super) fn of(number: u8) -> Result<Self, Refusal> {
        Ok(match number {
            0 => Self::BloscLz,
            1 => Self::Lz4,
            2 => Self::Snappy,
            3 => Self::Zlib,
            4 => Self::zstd()?,
            _ => return Err(Refusal::NotRead(format!("codec {number}"))),
        })
    }

    pub(super) fn zstd() -> Result<Self, Refusal> {
        let decompressor = zstd::bulk::Decompressor::new();
        Ok(Self::Zstd(Box::new(decompressor.map_err(|_| DAMAGED)?)))
    }

    /// Unpacks a stream that fills `out`.
    pub(super) fn unpack(&mut self, packed: &[u8], out: &mut [u8]) -> Result<(), Refusal> {
        let length = match self {
            Self::BloscLz => blosclz::unpack(packed, out),
            Self::Lz4 => lz4_flex::block::decompress_into(packed, out).ok(),
            Self::Snappy => snap::raw::Decoder::new().decompress(packed, out).ok(),
            Self::Zlib => inflate(packed, out),
            Self::Zstd(decompressor) => decompressor.decompress_to_buffer(packed, out).ok(),
        };
        if length == Some(out.len()) {
            Ok(())
        } else {
            Err(DAMAGED)
        }
    }

    /// The most bytes that a stream of `packed` bytes can become; memory for more is not to be taken.
    pub(super) fn most(&self, packed: usize) -> usize {
        let ratio = match self {
            Self::Lz4 => 255,
            Self::Snappy => 64,
            Self::Zlib => 1032,
            // A run takes a byte for each 255 bytes in BloscLZ; one of zstd 4 for a block of 128 KiB.
            Self::BloscLz => 256,
            Self::Zstd(_) => 1 << 15,
        };
        packed.saturating_mul(ratio).saturating_add(1 << 10)
    }
}

fn inflate(packed: &[u8], out: &mut [u8]) -> Option<usize> {
    let mut stream = flate2::Decompress::new(true);
    let status = stream.decompress(packed, out, flate2::FlushDecompress::Finish);
    let whole = status.ok()? == flate2::Status::StreamEnd;
    whole.then(|| usize::try_from(stream.total_out()).ok())?
}

/// Everything that a reader gives, `most` bytes at most.
fn all(reader: impl Read, most: usize) -> Decoded {
    let mut out = Vec::new();
    let limit = most as u64 + 1;
    reader
        .take(limit)
        .read_to_end(&mut out)
        .map_err(|_| DAMAGED)?;
    if out.len() > most {
        return Err(Refusal::Damaged("a stream is longer than its chunk"));
    }
    Ok(out)
}

/// Frames of zstd.
pub(crate) fn zstd(packed: &[u8], most: usize) -> Decoded {
    let told = zstd::zstd_safe::get_frame_content_size(packed)
        .ok()
        .flatten();
    let told = told.and_then(|size| usize::try_from(size).ok());
    let plausible = packed.len().saturating_mul(1 << 11);
    if let Some(size) = told.filter(|&size| size <= most.min(plausible)) {
        let mut out = vec![0; size];
        Codec::zstd()?.unpack(packed, &mut out)?;
        return Ok(out);
    }
    all(
        zstd::stream::read::Decoder::with_buffer(packed).map_err(|_| DAMAGED)?,
        most,
    )
}

/// A stream of bzip2.
pub(crate) fn bzip2(packed: &[u8], most: usize) -> Decoded {
    all(bzip2::read::BzDecoder::new(packed), most)
}

/// A stream of zlib.
pub(crate) fn zlib(packed: &[u8], most: usize) -> Decoded {
    all(flate2::read::ZlibDecoder::new(packed), most)
}
