//! Columns of whole numbers: exactly, where their type says that they are.
//!
//! Entry: [`whole_type`], [`typed_integers`] and [`integers`].

use albireo_catalogs::{Catalog, TableDescription, Words, in_short, whole_number};

use crate::error::{Result, SampleError};
use crate::selection::Selection;
use crate::source::{File, row_of};

/// Whether the column of groups is of integers by its type, and whether these have a sign; none where its values must tell.
pub(crate) fn whole_type(outline: &TableDescription, selection: &Selection) -> Option<bool> {
    let name = selection.group.as_ref()?;
    if selection
        .bits
        .as_ref()
        .is_some_and(|bits| bits.contains(name))
    {
        return None;
    }
    whole_type_of(outline, name)
}

/// Whether a column is of integers by its type, and whether these have a sign.
pub(crate) fn whole_type_of(outline: &TableDescription, name: &str) -> Option<bool> {
    let mut columns = outline.columns.iter();
    let column = columns.find(|column| column.name == *name && column.width == 1)?;
    match column.dtype.as_str() {
        "int8" | "int16" | "int32" | "int64" => Some(true),
        "uint8" | "uint16" | "uint32" | "uint64" => Some(false),
        _ => None,
    }
}

/// The whole numbers in column `name`, which was read as words.
pub(crate) fn typed_integers(catalog: &mut Catalog, name: &str, signed: bool) -> Result<Vec<i128>> {
    let words = catalog.take_words(name)?;
    let of = |words: Words| {
        let sign = 1_u64 << (words.bits - 1);
        let wide = if signed { i128::from(sign) << 1 } else { 0 };
        let value = move |word: u64| {
            let below = if word & sign == 0 { 0 } else { wide };
            i128::from(word) - below
        };
        words.values.into_iter().map(value)
    };
    Ok(words.into_iter().flat_map(of).collect())
}

/// The whole numbers in column `name`.
pub(crate) fn integers(catalog: &Catalog, source: &File, name: &str) -> Result<Vec<i128>> {
    check_integers(source, name, catalog.column(name)?)
}

/// The whole numbers that these values of column `name` are.
pub(crate) fn check_integers(source: &File, name: &str, values: &[f64]) -> Result<Vec<i128>> {
    let integer = |(row, &value): (usize, &f64)| {
        whole_number(value).ok_or_else(|| SampleError::Input(format!(
            "{}: column `{name}`: expected groups as integers below 2^53 by magnitude, found {} in {}",
            source.path.display(),
            in_short(value),
            row_of(source, row)
        )))
    };
    values.iter().enumerate().map(integer).collect()
}
