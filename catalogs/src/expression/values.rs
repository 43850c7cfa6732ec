//! Values of many rows, typed, some of them missing.
//!
//! Entry: [`Column`]. A constant is one value for all rows, so that it costs no memory.

use std::borrow::Cow;

use super::file_function::Argument;

/// One value for all rows, or one for each.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Run<'a, T: Clone> {
    One(T),
    Each(Cow<'a, [T]>),
}

/// Values of one type.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Values<'a> {
    Floats(Run<'a, f64>),
    /// Of 8 to 64 bits in files, and what is computed from them.
    Integers(Run<'a, i128>),
    Bools(Run<'a, bool>),
    Texts(Run<'a, String>),
}

/// Values and which of them are missing; what stands at their place means nothing.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Column<'a> {
    pub(crate) values: Values<'a>,
    pub(crate) missing: Missing<'a>,
}

/// Which rows have no value; `None`: all have.
pub(crate) type Missing<'a> = Option<Cow<'a, [bool]>>;

impl<T: Clone> Run<'_, T> {
    pub(crate) fn get(&self, row: usize) -> &T {
        match self {
            Self::One(value) => value,
            Self::Each(values) => &values[row],
        }
    }

    /// The same function of every value.
    pub(crate) fn map<U: Clone>(&self, f: impl Fn(&T) -> U) -> Run<'static, U> {
        match self {
            Self::One(value) => Run::One(f(value)),
            Self::Each(values) => Run::Each(values.iter().map(f).collect()),
        }
    }

    /// The same function of every pair of values.
    pub(crate) fn zip<V: Clone, U: Clone>(
        &self,
        other: &Run<'_, V>,
        f: impl Fn(&T, &V) -> U,
    ) -> Run<'static, U> {
        match (self, other) {
            (Self::One(a), Run::One(b)) => Run::One(f(a, b)),
            (Self::Each(a), Run::One(b)) => Run::Each(a.iter().map(|a| f(a, b)).collect()),
            (Self::One(a), Run::Each(b)) => Run::Each(b.iter().map(|b| f(a, b)).collect()),
            (Self::Each(a), Run::Each(b)) => {
                Run::Each(a.iter().zip(b.iter()).map(|(a, b)| f(a, b)).collect())
            }
        }
    }
}

/// Rows that are missing in either.
pub(crate) fn either<'a>(a: Missing<'a>, b: Missing<'a>) -> Missing<'a> {
    match (a, b) {
        (Some(a), Some(b)) => {
            let both = a.iter().zip(b.iter()).map(|(a, b)| *a || *b);
            Some(both.collect())
        }
        (a, b) => a.or(b),
    }
}

impl<'a> Column<'a> {
    pub(crate) fn of(values: Values<'a>) -> Self {
        Self {
            values,
            missing: None,
        }
    }

    pub(crate) fn is_missing(&self, row: usize) -> bool {
        self.missing.as_ref().is_some_and(|missing| missing[row])
    }

    /// The number of a row; NaN for text.
    pub(super) fn argument(&self, row: usize) -> Argument {
        match &self.values {
            Values::Floats(values) => Argument::Float(*values.get(row)),
            Values::Integers(values) => Argument::Integer(*values.get(row)),
            Values::Bools(values) => Argument::Integer(i128::from(*values.get(row))),
            Values::Texts(_) => Argument::Float(f64::NAN),
        }
    }

    /// Numbers as floats, integers rounded to the nearest; nothing for text.
    pub(crate) fn floats(&self) -> Option<Run<'_, f64>> {
        Some(match &self.values {
            Values::Floats(Run::One(value)) => Run::One(*value),
            Values::Floats(Run::Each(values)) => Run::Each(Cow::Borrowed(values)),
            Values::Integers(values) => values.map(|&v| v as f64),
            Values::Bools(values) => values.map(|&v| f64::from(u8::from(v))),
            Values::Texts(_) => return None,
        })
    }
}
