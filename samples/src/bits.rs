//! Columns of bits: in which realisations of a selection each particle was observed.
//!
//! Entry: [`of_columns`], and [`joined`] for several files. What weights are made of them is the caller's.

use std::path::{Path, PathBuf};

use albireo::particles::Bits;
use albireo_catalogs::{Catalog, Words};

use crate::error::{Result, SampleError};
use crate::within::Within;

/// Bits as columns have them.
#[derive(Debug, Clone)]
pub(crate) struct BitColumns {
    pub(crate) bits: Bits,
    /// Bits that the types of the columns hold, of those in the words.
    pub(crate) number: u32,
}

impl BitColumns {
    /// The bits of columns one behind the other, those of narrow types in one word.
    pub(crate) fn of(words: &[&Words], place: impl Fn() -> String) -> Result<Self> {
        let number: u32 = words.iter().map(|words| words.bits).sum();
        let rows = words.first().map_or(0, |first| first.values.len());
        let mut columns = vec![vec![0; rows]; number.div_ceil(64) as usize];
        let mut before = 0;
        for column in words {
            let (word, shift) = ((before / 64) as usize, before % 64);
            for (row, &value) in column.values.iter().enumerate() {
                columns[word][row] |= value << shift;
            }
            // What reaches beyond a word, of a type behind narrower ones.
            if shift + column.bits > 64 {
                for (row, &value) in column.values.iter().enumerate() {
                    columns[word + 1][row] |= value >> (64 - shift);
                }
            }
            before += column.bits;
        }
        let bits = Bits::from_columns(&columns).within(place)?;
        Ok(Self { bits, number })
    }
}

/// The bits in columns, which have been read as words.
pub(crate) fn of_columns(
    catalog: &mut Catalog,
    path: &Path,
    (names, flag): (&[String], &str),
) -> Result<BitColumns> {
    let mut words = Vec::new();
    for name in names {
        words.extend(catalog.take_words(name)?);
    }
    let place = || format!("{}: {flag} {}", path.display(), names.join(","));
    BitColumns::of(&words.iter().collect::<Vec<_>>(), place)
}

/// The bits of all files of a sample, one behind the other, where they have any.
pub(crate) fn joined(parts: &[(&PathBuf, Option<&BitColumns>)]) -> Result<Option<BitColumns>> {
    let with_bits = parts.iter();
    let with_bits: Vec<(&PathBuf, &BitColumns)> = with_bits
        .filter_map(|(path, bits)| Some((*path, (*bits)?)))
        .collect();
    let Some((first, of_first)) = with_bits.first() else {
        return Ok(None);
    };
    let differs = |other: &&(&PathBuf, &BitColumns)| {
        other.1.number != of_first.number || other.1.bits.per_row() != of_first.bits.per_row()
    };
    if let Some((second, of_second)) = with_bits.iter().find(differs) {
        return Err(SampleError::Input(format!(
            "bits of one sample differ in number: {} in {}, {} in {}",
            of_first.number,
            first.display(),
            of_second.number,
            second.display()
        )));
    }
    let words = with_bits.iter().flat_map(|(_, part)| part.bits.words());
    Ok(Some(BitColumns {
        bits: Bits::new(words.copied().collect(), of_first.bits.per_row())?,
        number: of_first.number,
    }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn narrow_types_share_a_word() {
        let column = |bits: u32, values: [u64; 2]| Words {
            values: values.to_vec(),
            bits,
        };
        let of = |words: &[Words]| {
            let words: Vec<&Words> = words.iter().collect();
            BitColumns::of(&words, String::new).unwrap()
        };
        let small = of(&[column(16, [1, 0x8000]), column(16, [3, 0])]);
        assert_eq!(
            (small.number, small.bits.words()),
            (32, &[0x3_0001, 0x8000][..])
        );
        let across = of(&[column(32, [1, 2]), column(64, [u64::MAX, 1])]);
        let expected = [0xffff_ffff_0000_0001, 0xffff_ffff, 0x1_0000_0002, 0];
        assert_eq!((across.number, across.bits.words()), (96, &expected[..]));
        let wide = of(&[column(64, [5, 6]), column(64, [7, 8])]);
        assert_eq!(wide.bits.words(), [5, 7, 6, 8]);
    }
}
