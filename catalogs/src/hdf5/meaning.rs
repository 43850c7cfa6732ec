//! What the stored numbers of a data set mean: attributes of `NetCDF` and of the CF conventions.
//!
//! Entry: [`Meaning::of`]. CF Conventions 1.11, sections 2.5.1 and 8.1. What HDF5 itself fills parts with that were never written is no missing value.

use hdf5_reader::Dataset;

use super::attribute::{self, Stored};
use super::element::Element;
use crate::block::Numbers;
use crate::error::Result;
use crate::reader::Kind;
use crate::scaling::Scaling;

/// Attributes of the stored numbers that stand for missing values.
const MISSING: [&str; 2] = ["_FillValue", "missing_value"];

/// How the stored numbers of a data set become values.
#[derive(Default)]
pub(super) struct Meaning {
    pub(super) scaling: Scaling,
    /// Stored integers that stand for missing values.
    integers: Vec<i128>,
    /// Stored floats that do.
    floats: Vec<f64>,
}

impl Meaning {
    /// That of a data set of these elements, which cannot be read if one of the attributes is no number.
    pub(super) fn of(dataset: &Dataset, element: Element) -> (Element, Self) {
        if element.kind() != Kind::Number {
            return (element, Self::default());
        }
        match Self::stated(dataset, &element) {
            Ok(meaning) => (element, meaning),
            Err(attribute) => {
                let name = format!("{} whose `{attribute}` is no number", element.dtype());
                (Element::Other { name }, Self::default())
            }
        }
    }

    /// What the attributes state, or which of them is no number.
    fn stated(dataset: &Dataset, element: &Element) -> Result<Self, &'static str> {
        let stated = |name: &'static str| match dataset.attribute(name) {
            Ok(attribute) => attribute::stored(&attribute).ok_or(name).map(Some),
            Err(_) => Ok(None),
        };
        let number = |name| match stated(name)?.as_ref().map(Stored::floats).as_deref() {
            None => Ok(None),
            Some(&[number]) => Ok(Some(number)),
            Some(_) => Err(name),
        };
        let mut meaning = Self {
            scaling: Scaling::of(number("scale_factor")?, number("add_offset")?),
            ..Self::default()
        };
        for name in MISSING {
            match (element, stated(name)?) {
                (Element::Integer { .. }, Some(stored)) => {
                    meaning.integers.extend(stored.integers());
                }
                // The attribute may have more digits than the data.
                (Element::Float { bytes: 4 }, Some(stored)) => {
                    let floats = stored.floats().into_iter();
                    meaning
                        .floats
                        .extend(floats.map(|stored| f64::from(stored as f32)));
                }
                (_, Some(stored)) => meaning.floats.extend(stored.floats()),
                (_, None) => {}
            }
        }
        Ok(meaning)
    }

    /// Whether all values are what is stored.
    pub(super) fn is_plain(&self) -> bool {
        self.scaling == Scaling::None && self.integers.is_empty() && self.floats.is_empty()
    }

    /// Whether a stored integer stands for a missing value.
    pub(super) fn lacks_integer(&self, stored: i128) -> bool {
        self.integers.contains(&stored)
    }

    /// Whether a stored float stands for a missing value.
    pub(super) fn lacks_float(&self, stored: f64) -> bool {
        self.floats.contains(&stored)
    }

    /// Appends the value of a stored integer.
    pub(super) fn integer(&self, numbers: &mut Numbers<'_>, stored: i128) -> Result<()> {
        if self.lacks_integer(stored) {
            return numbers.null();
        }
        self.scaling.integer(numbers, stored)
    }

    /// Appends the value of a stored float.
    pub(super) fn float(&self, numbers: &mut Numbers<'_>, stored: f64) -> Result<()> {
        if self.lacks_float(stored) {
            return numbers.null();
        }
        numbers.float(self.scaling.float(stored))
    }
}
