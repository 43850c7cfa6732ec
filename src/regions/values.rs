//! Regions by the integers in a column.

#![allow(
    clippy::cast_possible_truncation,
    reason = "values were checked to be whole, their places are numbered in 32 bits"
)]

use super::check_number;
use crate::error::RegionsError;
use crate::particles::Labels;

/// The different integers of a column, in rising order: value number k is region k.
///
/// ```
/// use albireo::regions::Values;
/// let of_randoms = [7.0, 3.0, 3.0, 12.0];
/// let regions = Values::new(&of_randoms)?;
/// assert_eq!(regions.labels(&[12.0, 7.0])?.values(), [2, 1]);
/// assert!(regions.labels(&[5.0]).is_err());
/// # Ok::<(), albireo::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Values {
    values: Vec<i64>,
}

/// The integers that the numbers of a column are.
fn integers(column: &[f64]) -> Result<Vec<i64>, RegionsError> {
    /// Beyond it not every integer is a float64.
    const MOST: f64 = (1u64 << 53) as f64;
    let integer = |(row, &value): (usize, &f64)| {
        if value.trunc() == value && value.abs() <= MOST {
            Ok(value as i64)
        } else {
            Err(RegionsError::NotAnInteger { row, value })
        }
    };
    column.iter().enumerate().map(integer).collect()
}

impl Values {
    /// The regions that a sample is cut into by its column.
    ///
    /// # Errors
    /// A value that is no integer, or a number of different ones that is not within 2 and [`crate::particles::MAX_LABELS`].
    pub fn new(column: &[f64]) -> Result<Self, RegionsError> {
        let mut values = integers(column)?;
        values.sort_unstable();
        values.dedup();
        check_number(values.len() as u64)?;
        Ok(Self { values })
    }

    /// The value of each region.
    pub fn values(&self) -> &[i64] {
        &self.values
    }

    /// Number of regions.
    pub fn number(&self) -> u32 {
        self.values.len() as u32
    }

    /// The regions of a sample by its column, in the order of the rows.
    ///
    /// # Errors
    /// A value that is no integer, or none of the regions.
    pub fn labels(&self, column: &[f64]) -> Result<Labels, RegionsError> {
        let place = |(row, value): (usize, i64)| {
            let place = self.values.binary_search(&value);
            place
                .map(|place| place as u32)
                .map_err(|_| RegionsError::Unknown { row, value })
        };
        let labels = integers(column)?.into_iter().enumerate().map(place);
        Ok(Labels::new(
            labels.collect::<Result<_, _>>()?,
            self.number(),
        )?)
    }
}
