//! Filters of chunks, other than those that the HDF5 library brings along.
//!
//! Entry: [`registry`], [`name`], [`of`]. A decoder knows how many bytes a chunk may have at most, and takes memory for what it has decoded,
//! not for what a header claims.

mod bitshuffle;
pub(crate) mod blosc;
mod blosc2;
mod blosclz;
pub(crate) mod codec;
mod lz4;
mod lzf;
#[cfg(test)]
mod tests;

use hdf5_reader::error::Error;
use hdf5_reader::messages::HdfMessage;
use hdf5_reader::{Dataset, FilterRegistry, Hdf5File};

/// The largest chunk whose size nothing but itself states: the decoder of HDF5 accepts no larger one.
pub(crate) const LARGEST_CHUNK: usize = 256 << 20;

/// Why a chunk was not decoded.
#[derive(Debug, PartialEq)]
pub(crate) enum Refusal {
    /// It breaks the rules of its format.
    Damaged(&'static str),
    /// It is sound, but of a kind that is not read.
    NotRead(String),
}

/// The chunk has fewer bytes than it says.
const SHORT: Refusal = Refusal::Damaged("the chunk ends too early");

/// What a decoder gives.
pub(crate) type Decoded = Result<Vec<u8>, Refusal>;

type Decoder = fn(&[u8], &[u32], usize) -> Decoded;

/// The filters decoded here: number, decoder of (chunk, parameters, limit), where the parameters tell the size of a chunk.
const FILTERS: [(u16, Decoder, Option<usize>); 7] = [
    (307, |packed, _, most| codec::bzip2(packed, most), None),
    (32000, |packed, _, most| lzf::decode(packed, most), Some(2)),
    (
        32001,
        |packed, _, most| blosc::decode(packed, most),
        Some(3),
    ),
    (32004, |packed, _, most| lz4::decode(packed, most), None),
    (32008, bitshuffle::decode, None),
    (32015, |packed, _, most| codec::zstd(packed, most), None),
    (
        32026,
        |packed, _, most| blosc2::decode(packed, most),
        Some(3),
    ),
];

/// Filters before one of ours add a little to a chunk: a checksum, a header.
const BESIDE: usize = 64;

/// All filters that are decoded.
pub(super) fn registry() -> FilterRegistry {
    let mut filters = FilterRegistry::new();
    for (number, decode, told) in FILTERS {
        let decode_chunk = move |parameters: &[u32], packed: &[u8]| {
            let told = told
                .and_then(|k| parameters.get(k))
                .map(|&size| size as usize);
            let told = told
                .filter(|&size| size > 0)
                .map(|size| size.saturating_add(BESIDE));
            decode(packed, parameters, told.unwrap_or(LARGEST_CHUNK))
        };
        filters.register(
            number,
            Box::new(move |filter, packed, _| {
                let refused = |refusal| refused(number, refusal);
                decode_chunk(&filter.client_data, packed).map_err(refused)
            }),
        );
    }
    filters
}

fn refused(number: u16, refusal: Refusal) -> Error {
    let name = name(number).unwrap_or("filter");
    match refusal {
        Refusal::Damaged(why) => Error::DecompressionError(format!("{name}: {why}")),
        Refusal::NotRead(what) => {
            Error::UnsupportedEncoding(format!("HDF5 filter {name} ({number}) with {what}"))
        }
    }
}

/// A filter's name: <https://github.com/HDFGroup/hdf5_plugins/blob/master/docs/RegisteredFilterPlugins.md>.
pub(super) fn name(number: u16) -> Option<&'static str> {
    Some(match number {
        1 => "gzip",
        2 => "shuffle",
        3 => "fletcher32",
        4 => "szip",
        5 => "nbit",
        6 => "scaleoffset",
        305 => "lzo",
        307 => "bzip2",
        32000 => "lzf",
        32001 => "blosc",
        32002 => "mafisc",
        32003 => "snappy",
        32004 => "lz4",
        32008 => "bitshuffle",
        32009 => "spdp",
        32013 => "zfp",
        32015 => "zstd",
        32016 => "b3d",
        32017 => "sz",
        32018 => "fcidecomp",
        32024 => "sz3",
        32026 => "blosc2",
        32028 => "sperr",
        _ => return None,
    })
}

/// The filters of a data set, in the order in which they were applied; nothing if there are none.
pub(super) fn of(file: &Hdf5File, dataset: &Dataset) -> Option<String> {
    let header = file.get_or_parse_header(dataset.address()).ok()?;
    let names: Vec<String> = header
        .messages
        .iter()
        .filter_map(|message| match message {
            HdfMessage::FilterPipeline(pipeline) => Some(&pipeline.filters),
            _ => None,
        })
        .flatten()
        .map(|filter| name(filter.id).map_or_else(|| filter.id.to_string(), str::to_owned))
        .collect();
    (!names.is_empty()).then(|| names.join(", "))
}
