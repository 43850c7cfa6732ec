//! Columns that are compared by whether their values are equal: whole numbers of any size and texts, as small numbers that are equal where they are.
//!
//! Entry: [`Identity`] of a column, and [`coded`], which numbers several alike.

use std::collections::HashMap;

use albireo_catalogs::{Catalog, TableDescription, Texts, whole_number};

use crate::error::{Result, SampleError};
use crate::selection::Selection;
use crate::source::{File, check_finite};
use crate::whole_numbers::{typed_integers, whole_type_of};
use crate::within::Within;

/// A value, equal to those of other columns that are the same number or the same text.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
enum Key {
    Whole(i128),
    /// The bits of a number that is not whole.
    Real(u64),
    Text(String),
}

/// A column as its different values and, of each row, which of them it has.
#[derive(Debug, Clone, Default)]
pub(crate) struct Identity {
    keys: Vec<Key>,
    codes: Vec<usize>,
}

impl Identity {
    fn of_keys(values: impl Iterator<Item = Key>) -> Self {
        let mut known: HashMap<Key, usize> = HashMap::new();
        let mut of = Self::default();
        for key in values {
            let next = of.keys.len();
            let code = *known.entry(key.clone()).or_insert(next);
            if code == next {
                of.keys.push(key);
            }
            of.codes.push(code);
        }
        of
    }

    /// Of whole numbers.
    pub(crate) fn of_integers(values: impl IntoIterator<Item = i128>) -> Self {
        Self::of_keys(values.into_iter().map(Key::Whole))
    }

    /// Of texts, the different ones once.
    pub(crate) fn of_texts(texts: Vec<String>, codes: impl IntoIterator<Item = u32>) -> Self {
        Self {
            keys: texts.into_iter().map(Key::Text).collect(),
            codes: codes.into_iter().map(|code| code as usize).collect(),
        }
    }

    /// Of float64 in the column or expression `name`.
    ///
    /// # Errors
    /// Numbers that are not finite, or whole ones that float64 may have rounded.
    pub(crate) fn of_numbers(name: &str, values: &[f64]) -> Result<Self> {
        let fits = |value: &f64| value.abs() < (1u64 << 53) as f64;
        if let Some(row) = values.iter().position(|value| !fits(value)) {
            return Err(SampleError::Input(format!(
                "`{name}` is compared for equality, and row {row} (counting from 0) is {}: expected integers by their type, texts, or numbers below 2^53",
                values[row]
            )));
        }
        let key = |&value: &f64| match whole_number(value) {
            Some(whole) => Key::Whole(whole),
            None => Key::Real(value.to_bits()),
        };
        Ok(Self::of_keys(values.iter().map(key)))
    }

    /// Of a column or an expression of a file, as its type is.
    ///
    /// # Errors
    /// No such column, values that are not finite, or whole numbers that float64 may have rounded.
    pub(crate) fn of_file(
        catalog: &mut Catalog,
        (source, outline): (&File, &TableDescription),
        name: &str,
    ) -> Result<Self> {
        match kind(outline, &source.selection, name) {
            Kind::Texts => {
                let Texts { texts, codes } = catalog.take_texts(name)?;
                Ok(Self::of_texts(texts, codes))
            }
            Kind::Whole(signed) => Ok(Self::of_integers(typed_integers(catalog, name, signed)?)),
            Kind::Numbers => Self::of_float64(source, name, catalog.column(name)?),
        }
    }

    /// Of float64 values that a file, an expression or an array has.
    ///
    /// # Errors
    /// Values that are not finite, or whole numbers that float64 may have rounded.
    pub(crate) fn of_float64(source: &File, name: &str, values: &[f64]) -> Result<Self> {
        check_finite(source, name, values)?;
        Self::of_numbers(name, values).within(|| source.path.display().to_string())
    }

    /// The columns of parts of a sample, one behind the other.
    pub(crate) fn joined<'a>(parts: impl Iterator<Item = &'a Self>) -> Self {
        let rows = parts.flat_map(|part| part.codes.iter().map(|&code| part.keys[code].clone()));
        Self::of_keys(rows)
    }
}

/// How a column is read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    Texts,
    /// Integers by their type, with a sign or without.
    Whole(bool),
    /// As float64.
    Numbers,
}

/// How the column of this name is read.
pub(crate) fn kind(outline: &TableDescription, selection: &Selection, name: &str) -> Kind {
    let mut bits = selection.bits.iter().flatten();
    if bits.any(|column| column == name) {
        // Its words are bits, and are taken as such.
        return Kind::Numbers;
    }
    let mut columns = outline.columns.iter();
    let is_text = columns.any(|column| column.name == name && column.dtype == "string");
    match whole_type_of(outline, name) {
        _ if is_text => Kind::Texts,
        Some(signed) => Kind::Whole(signed),
        None => Kind::Numbers,
    }
}

/// Numbers for the rows of columns, equal where values are, in any of these columns: above 0 of numbers, below 0 of texts.
pub(crate) fn coded<'a>(columns: impl Iterator<Item = &'a Identity> + Clone) -> Vec<Vec<f64>> {
    let mut keys: Vec<&Key> = columns.clone().flat_map(|column| &column.keys).collect();
    keys.sort_unstable();
    keys.dedup();
    let code = |key: &Key| {
        let place = 1.0 + keys.partition_point(|other| *other < key) as f64;
        match key {
            Key::Text(_) => -place,
            _ => place,
        }
    };
    let of_column = |column: &Identity| {
        let codes: Vec<f64> = column.keys.iter().map(code).collect();
        column.codes.iter().map(|&row| codes[row]).collect()
    };
    columns.map(of_column).collect()
}
