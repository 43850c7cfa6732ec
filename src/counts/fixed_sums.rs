//! Sums of real numbers per bin, held as integers.
//!
//! Entry: [`FixedSums`].

#![allow(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "sums are whole numbers below 2^126 here, differences of exponents small"
)]

use crate::error::MergeError;
use crate::fixed_point::{FRACTION_BITS, largest_exponent, real};

/// Exact sums per bin in units of `2^(exponent - 36)`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct FixedSums {
    pub(super) exponent: i32,
    pub(super) sums: Vec<i128>,
}

impl FixedSums {
    /// The fixed-point sums nearest to finite `values`, with an exponent that leaves float64's digits in place.
    pub(super) fn nearest(values: &[f64]) -> Self {
        // 36 fraction bits below `exponent`: 54 more than the largest value needs are within 128 bits.
        let exponent = largest_exponent(values) - 54;
        let unit = |v: f64| libm::scalbn(v, FRACTION_BITS - exponent);
        let sums = values
            .iter()
            .map(|&v| unit(v).round_ties_even() as i128)
            .collect();
        Self { exponent, sums }
    }

    /// Brings sums to the exponent of the largest of them, so that they add and subtract term by term.
    pub(super) fn align(all: &mut [&mut Self]) {
        let values: Vec<Vec<f64>> = all.iter().map(|sums| sums.values()).collect();
        let exponent = largest_exponent(&values.concat()) - 54;
        let unit = |v: &f64| libm::scalbn(*v, FRACTION_BITS - exponent);
        for (sums, values) in all.iter_mut().zip(&values) {
            let values = values.iter().map(unit);
            sums.sums = values.map(|v| v.round_ties_even() as i128).collect();
            sums.exponent = exponent;
        }
    }

    /// As float64, each rounded once.
    pub(super) fn values(&self) -> Vec<f64> {
        self.sums.iter().map(|&s| real(s, self.exponent)).collect()
    }

    /// Brings both to the smaller exponent, where every sum is still an integer, and adds.
    pub(super) fn add(&mut self, other: &Self) -> Result<(), MergeError> {
        let exponent = self.exponent.min(other.exponent);
        let finer = |sum: i128, from: i32| {
            let bits = (from - exponent) as u32;
            match sum {
                0 => Some(0),
                _ if bits < 127 => sum.checked_mul(1i128 << bits),
                _ => None,
            }
        };
        let mut added = Vec::with_capacity(self.sums.len());
        for (&total, &part) in self.sums.iter().zip(&other.sums) {
            let sum = finer(total, self.exponent)
                .zip(finer(part, other.exponent))
                .and_then(|(a, b)| a.checked_add(b));
            added.push(sum.ok_or(MergeError::Overflow("a weighted sum"))?);
        }
        *self = Self {
            exponent,
            sums: added,
        };
        Ok(())
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a failed unwrap is a failed test")]
mod tests {
    use super::*;

    #[test]
    fn sums_of_any_two_scales_add_or_are_refused() {
        let sums = |values: &[f64]| FixedSums::nearest(values);
        let mut near = sums(&[1.0, -3.0]);
        near.add(&sums(&[0.125, 2f64.powi(-30)])).unwrap();
        assert_eq!(near.values(), [1.125, -3.0 + 2f64.powi(-30)]);
        // Nothing added to something far below it changes no digit.
        let mut nothing = FixedSums {
            exponent: 0,
            sums: vec![0, 0],
        };
        nothing.add(&sums(&[1e-200, -1e-201])).unwrap();
        assert_eq!(nothing.values(), [1e-200, -1e-201]);
        let mut far = sums(&[1.0, 1.0]);
        let before = far.clone();
        assert!(far.add(&sums(&[0.0, 1e-200])).is_err());
        assert_eq!(far, before, "a refused sum changes nothing");
    }

    #[test]
    fn every_bit_survives_within_eleven_decades() {
        for scale in [1.0, 1e-290, 1e298] {
            let values = [1.0 / 3.0, -1e-6 / 7.0, 12345.678, 0.0].map(|v| v * scale);
            assert_eq!(FixedSums::nearest(&values).values(), values);
        }
    }
}
