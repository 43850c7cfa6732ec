//! Columns of [`Atoms`] as they grow, one particle after the other.
//!
//! Entry: [`Column`], [`share`], [`whole_number`].

use std::collections::HashMap;
use std::sync::Arc;

use super::lines::{real, text, whole};
use super::{Atoms, Attribute};

/// Texts of one column, each different one kept once.
#[derive(Default)]
pub(super) struct Texts {
    different: Vec<String>,
    known: HashMap<Box<[u8]>, u32>,
    codes: Vec<u32>,
}

impl Texts {
    pub(super) fn push(&mut self, field: &[u8]) {
        let last = self.codes.last().copied();
        // Neighbours are often alike.
        let same = last.filter(|&code| self.different[code as usize].as_bytes() == field);
        let code = same.or_else(|| self.known.get(field).copied());
        let code = code.unwrap_or_else(|| {
            let code = self.different.len() as u32;
            self.different.push(text(field).into_owned());
            self.known.insert(field.into(), code);
            code
        });
        self.codes.push(code);
    }

    /// Appends texts by their codes.
    pub(super) fn push_coded(&mut self, texts: &[String], codes: &[u32]) {
        const UNKNOWN: u32 = u32::MAX;
        let mut own = vec![UNKNOWN; texts.len()];
        self.codes.reserve(codes.len());
        for &code in codes {
            if own[code as usize] == UNKNOWN {
                self.push(texts[code as usize].as_bytes());
                own[code as usize] = self.codes[self.codes.len() - 1];
            } else {
                self.codes.push(own[code as usize]);
            }
        }
    }

    fn finish(self) -> Attribute {
        Attribute::Texts {
            texts: self.different,
            codes: self.codes,
        }
    }
}

/// What a column holds so far.
pub(super) enum Column {
    Numbers(Vec<f64>),
    Integers(Vec<i64>),
    Texts(Texts),
}

impl Column {
    pub(super) fn texts() -> Self {
        Self::Texts(Texts::default())
    }

    /// A column of the type of its first field: whole numbers, reals or texts.
    pub(super) fn like(field: &[u8]) -> Self {
        match (whole(field), real(field)) {
            (Some(_), _) => Self::Integers(Vec::new()),
            (None, Some(_)) => Self::Numbers(Vec::new()),
            (None, None) => Self::texts(),
        }
    }

    /// A column of reals or texts, as its first field is.
    pub(super) fn real_like(field: &[u8]) -> Self {
        match real(field) {
            Some(_) => Self::Numbers(Vec::new()),
            None => Self::texts(),
        }
    }

    /// What its fields are, for messages.
    pub(super) fn kind(&self) -> &'static str {
        match self {
            Self::Numbers(_) => "a number",
            Self::Integers(_) => "a whole number",
            Self::Texts(_) => "a text",
        }
    }

    /// Appends a field; `false` if it is not of the column's type.
    #[must_use]
    pub(super) fn push(&mut self, field: &[u8]) -> bool {
        match self {
            Self::Numbers(values) => real(field).map(|value| values.push(value)).is_some(),
            Self::Integers(values) => whole(field).map(|value| values.push(value)).is_some(),
            Self::Texts(texts) => {
                texts.push(field);
                true
            }
        }
    }

    /// Its rows in this order.
    pub(super) fn ordered(&mut self, order: &[u32]) {
        match self {
            Self::Numbers(values) => *values = ordered(values, order),
            Self::Integers(values) => *values = ordered(values, order),
            Self::Texts(texts) => {
                // The different texts in the order in which they come first.
                let mut again = Texts::default();
                for &row in order {
                    let code = texts.codes[row as usize];
                    again.push(texts.different[code as usize].as_bytes());
                }
                *texts = again;
            }
        }
    }

    pub(super) fn finish(self) -> Attribute {
        match self {
            Self::Numbers(values) => Attribute::Numbers(values),
            Self::Integers(values) => Attribute::Integers(values),
            Self::Texts(texts) => texts.finish(),
        }
    }
}

/// Values in another order.
pub(super) fn ordered<T: Copy>(values: &[T], order: &[u32]) -> Vec<T> {
    order.iter().map(|&row| values[row as usize]).collect()
}

/// These atoms as those of the frame before, where they are equal to them or, of a frame passed over, not known.
pub(super) fn share(before: &mut Arc<Atoms>, atoms: Option<Atoms>) -> Arc<Atoms> {
    if let Some(atoms) = atoms
        && **before != atoms
    {
        *before = Arc::new(atoms);
    }
    Arc::clone(before)
}

/// A float64 as the whole number that it is.
pub(super) fn whole_number(value: f64) -> Option<i64> {
    const BEYOND: f64 = 9_007_199_254_740_992.0;
    (value.fract() == 0.0 && value.abs() <= BEYOND).then_some(value as i64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_are_kept_once_in_order_of_appearance() {
        let mut column = Column::texts();
        for field in ["O", "H", "H", "O"] {
            assert!(column.push(field.as_bytes()));
        }
        column.ordered(&[1, 0, 2, 3]);
        assert_eq!(column.finish(), Attribute::of_texts(["H", "O", "H", "O"]));
    }

    #[test]
    fn whole_numbers_among_floats() {
        assert_eq!(whole_number(-3.0), Some(-3));
        for other in [0.5, f64::NAN, f64::INFINITY, 1e16] {
            assert_eq!(whole_number(other), None);
        }
    }

    #[test]
    fn first_fields_tell_the_type() {
        assert_eq!(Column::like(b"3").kind(), "a whole number");
        assert_eq!(Column::like(b"3.5").kind(), "a number");
        assert_eq!(Column::like(b"3a").kind(), "a text");
        assert!(!Column::like(b"3").push(b"3.5"));
    }
}
