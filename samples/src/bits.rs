//! Columns of bits: in which realisations of a selection each particle was observed.
//!
//! Entry: [`of_columns`], and [`joined`] for several files. What weights are made of them is the caller's.

use std::path::{Path, PathBuf};

use albireo::particles::Bits;
use albireo_catalogs::Catalog;

use crate::error::{Result, SampleError};
use crate::within::Within;

/// Bits as columns have them.
#[derive(Debug, Clone)]
pub(crate) struct BitColumns {
    pub(crate) bits: Bits,
    /// Bits that the types of the columns hold, of those in the words.
    pub(crate) number: u32,
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
    let number = words.iter().map(|words| words.bits).sum();
    let columns: Vec<Vec<u64>> = words.into_iter().map(|words| words.values).collect();
    let place = || format!("{}: {flag} {}", path.display(), names.join(","));
    let bits = Bits::from_columns(&columns).within(place)?;
    Ok(BitColumns { bits, number })
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
        return Err(SampleError::DifferentBits {
            first: (of_first.number, (*first).clone()),
            second: (of_second.number, (*second).clone()),
        });
    }
    let words = with_bits.iter().flat_map(|(_, part)| part.bits.words());
    Ok(Some(BitColumns {
        bits: Bits::new(words.copied().collect(), of_first.bits.per_row())?,
        number: of_first.number,
    }))
}
