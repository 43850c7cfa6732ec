//! Columns of whole numbers as words of bits, none of which float64 would keep.
//!
//! Entry: [`Words`]. What type a column must have is defined here, what becomes of its values too.

#![allow(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "words keep the bits of signed columns"
)]

use std::path::Path;

use crate::block::{Cells, Site};
use crate::error::{CatalogError, Result};
use crate::schema::{Field, Kind};

/// One component of a column of whole numbers: the bits of each as a word of 64, those above the width of its type 0.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Words {
    /// One word a row: -1 of 32 bits is `0xffff_ffff`.
    pub values: Vec<u64>,
    /// Bits of the column's type, 8 to 64; 64 in text that states no types.
    pub bits: u32,
}

/// Where the words of a column come from.
#[derive(Debug, Clone)]
pub(crate) struct WordColumn {
    pub(crate) name: String,
    /// A component of the blocks.
    pub(crate) component: usize,
    pub(crate) bits: u32,
}

/// The bits of the whole numbers in a column; `untyped` says that its format states no types.
pub(crate) fn bits_of(path: &Path, field: &Field, untyped: bool) -> Result<u32> {
    let whole = match field.dtype.as_str() {
        "int8" | "uint8" => Some(8),
        "int16" | "uint16" => Some(16),
        "int32" | "uint32" => Some(32),
        "int64" | "uint64" => Some(64),
        _ => untyped.then_some(64),
    };
    let number = field.kind == Kind::Number;
    whole
        .filter(|_| number)
        .ok_or_else(|| {
            let Field { name, dtype, .. } = field;
            let detail = format!(
                "column `{name}` holds no bits: expected whole numbers such as int64, its type is {dtype}"
            );
            CatalogError::refused(path, detail)
        })
}

/// The word of a whole number, where it has one of so many bits: as it is, or as the complement that stands for it below 0.
fn word(value: i128, bits: u32) -> Option<u64> {
    let mask = u64::MAX >> (64 - bits);
    let least = -(1_i128 << (bits - 1));
    (least..=i128::from(mask))
        .contains(&value)
        .then_some(value as u64 & mask)
}

/// Appends the words of the rows that are live; a missing one is an error.
pub(crate) fn append(
    column: &mut Vec<u64>,
    cells: &Cells,
    live: Option<&[bool]>,
    (site, bits): (Site<'_>, u32),
) -> Result<()> {
    let (values, missing) = match cells {
        Cells::Integers(values) => (values, None),
        Cells::Missing(cells, missing) => match cells.as_ref() {
            Cells::Integers(values) => (values, Some(missing)),
            _ => return Err(no_integers(site)),
        },
        Cells::Numbers(values) if values.is_empty() => return Ok(()),
        _ => return Err(no_integers(site)),
    };
    for (row, &value) in values.iter().enumerate() {
        if live.is_some_and(|live| !live[row]) {
            continue;
        }
        let at = site.first_row + row as u64;
        if missing.is_some_and(|missing| missing[row]) {
            return Err(site.null(at));
        }
        let word = word(value, bits).ok_or_else(|| site.no_word(at, value))?;
        column.push(word);
    }
    Ok(())
}

fn no_integers(site: Site<'_>) -> CatalogError {
    let detail = format!("column `{}` of whole numbers holds others", site.column);
    CatalogError::corrupt(site.path, detail)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_keep_every_bit_of_their_type() {
        assert_eq!(word(-1, 64), Some(u64::MAX));
        assert_eq!(word(i128::from(i64::MIN), 64), Some(1 << 63));
        assert_eq!(word(i128::from(u64::MAX), 64), Some(u64::MAX));
        assert_eq!(word((1 << 63) + 1, 64), Some((1 << 63) + 1));
        assert_eq!(word(1 << 64, 64), None);
        assert_eq!(word(i128::from(i64::MIN) - 1, 64), None);
        assert_eq!(word(-1, 32), Some(0xffff_ffff));
        assert_eq!(word(-128, 8), Some(0x80));
        assert_eq!(word(-129, 8), None);
    }
}
