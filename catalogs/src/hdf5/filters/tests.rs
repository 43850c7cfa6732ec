//! Chunks that hdf5plugin wrote, whole and damaged.

use super::*;

struct Chunk {
    name: String,
    number: u16,
    parameters: Vec<u32>,
    packed: Vec<u8>,
    /// What it holds, as a file has it.
    bytes: Vec<u8>,
}

fn chunks() -> Vec<Chunk> {
    let text = include_str!("../../../tests/fixtures/filters/chunks.json");
    let all: serde_json::Map<String, serde_json::Value> = serde_json::from_str(text).unwrap();
    let chunk = |(name, chunk): (String, serde_json::Value)| {
        let rows = chunk["rows"].as_u64().unwrap() as u32;
        let value = |k: u32| match rows {
            40 => f64::from(k) * 0.5 + 0.125,
            _ if name.ends_with("same") => 0.125,
            _ => f64::from(k / 5) * 0.5 + 0.125,
        };
        let parameters = chunk["parameters"].as_array().unwrap().iter();
        let hex = chunk["packed"].as_str().unwrap().as_bytes();
        let digit = |byte: u8| char::from(byte).to_digit(16).unwrap() as u8;
        Chunk {
            number: chunk["filter"].as_u64().unwrap() as u16,
            parameters: parameters
                .map(|number| number.as_u64().unwrap() as u32)
                .collect(),
            packed: hex
                .chunks(2)
                .map(|pair| digit(pair[0]) << 4 | digit(pair[1]))
                .collect(),
            bytes: (0..rows).flat_map(|k| value(k).to_le_bytes()).collect(),
            name,
        }
    };
    all.into_iter().map(chunk).collect()
}

fn decode(chunk: &Chunk, packed: &[u8], most: usize) -> Decoded {
    let (_, decode, _) = FILTERS
        .iter()
        .find(|(number, _, _)| *number == chunk.number)
        .unwrap();
    decode(packed, &chunk.parameters, most)
}

#[test]
fn what_another_library_wrote() {
    for chunk in chunks() {
        let decoded = decode(&chunk, &chunk.packed, chunk.bytes.len());
        assert!(
            decoded.as_ref() == Ok(&chunk.bytes),
            "{}: {decoded:.60?}",
            chunk.name
        );
    }
}

/// Every byte changed in several ways, every end: an error or some other bytes, no more than a chunk has.
#[test]
fn damaged_chunks() {
    let within = |chunk: &Chunk, packed: &[u8]| {
        let most = chunk.bytes.len() + BESIDE;
        match decode(chunk, packed, most) {
            Ok(bytes) => assert!(bytes.len() <= most, "{}: {}", chunk.name, bytes.len()),
            Err(refusal) => drop(format!("{refusal:?}")),
        }
    };
    for chunk in chunks() {
        let mut packed = chunk.packed.clone();
        // All of a small chunk; of larger ones the headers, and here and there a byte.
        let step = if packed.len() < 450 { 1 } else { 61 };
        for k in (0..packed.len().min(100)).chain((100..packed.len()).step_by(step)) {
            let whole = packed[k];
            for damaged in [0, 0x7f, 0xff, whole ^ 1, whole.wrapping_add(1)] {
                packed[k] = damaged;
                within(&chunk, &packed);
            }
            packed[k] = whole;
        }
        for end in (0..packed.len()).step_by(step) {
            within(&chunk, &packed[..end]);
            // A frame of Blosc 2 ends with what is not needed, a stream of bzip2 with a checksum.
            if chunk.number == 32001 {
                let cut = decode(&chunk, &packed[..end], chunk.bytes.len());
                assert!(cut.is_err(), "{}", chunk.name);
            }
        }
    }
}

/// A chunk that claims more than it may have is refused before memory is taken for it.
#[test]
fn chunks_that_claim_too_much() {
    for chunk in chunks() {
        // Bit planes without a codec are as long as what they hold.
        if chunk.number != 32008 || chunk.parameters[4] != 0 {
            let decoded = decode(&chunk, &chunk.packed, chunk.bytes.len() - 1);
            assert!(
                matches!(decoded, Err(Refusal::Damaged(_))),
                "{}",
                chunk.name
            );
        }
    }
}

#[test]
fn kinds_that_are_not_read_are_named() {
    let chunk = chunks()
        .into_iter()
        .find(|chunk| chunk.name == "blosc_zstd_1_40")
        .unwrap();
    let mut packed = chunk.packed.clone();
    packed[2] |= 7 << 5;
    let refusal = decode(&chunk, &packed, chunk.bytes.len()).unwrap_err();
    assert_eq!(refusal, Refusal::NotRead("codec 7".to_owned()));
    let error = refused(32001, refusal).to_string();
    assert_eq!(
        error,
        "unsupported encoding: HDF5 filter blosc (32001) with codec 7"
    );
}
