//! Sums of real numbers per bin, held as integers.
//!
//! Entry: [`FixedSums`].

#![allow(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "sums are whole numbers below 2^126 here, differences of exponents small"
)]

use std::ops::Range;

use crate::error::MergeError;
use crate::fixed_point::{FRACTION_BITS, REST_BITS, in_two_words, largest_exponent, real};

/// Exact sums per bin in units of `2^(exponent - 36)`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct FixedSums {
    pub(super) exponent: i32,
    pub(super) sums: Vec<i128>,
    /// How terms were rounded; none where sums were made elsewhere.
    pub(super) terms: Option<FixedTerms>,
}

/// How the terms of sums were rounded.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct FixedTerms {
    /// Whether they have a second word.
    pub(super) two_words: bool,
    /// Each is within `2^(exponent - 37)` of what it stands for: the largest such exponent of what was added up.
    pub(super) exponent: i32,
}

impl FixedTerms {
    /// Of one word or two; `exponent` is that of the first.
    pub(super) fn of(exponent: i32, two_words: bool) -> Self {
        let below = if two_words { REST_BITS } else { 0 };
        Self {
            two_words,
            exponent: exponent - below,
        }
    }
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
        Self {
            exponent,
            sums,
            terms: None,
        }
    }

    /// The sums of a tally, of terms in one word or, with `rests`, in two; `exponent` is that of the first.
    pub(super) fn of_words(exponent: i32, sums: &[i128], rests: Option<&[i128]>) -> Self {
        let terms = FixedTerms::of(exponent, rests.is_some());
        let sums = match rests {
            None => sums.to_vec(),
            Some(rests) => {
                let both = sums.iter().zip(rests);
                both.map(|(&sum, &rest)| in_two_words(sum, rest)).collect()
            }
        };
        Self {
            exponent: terms.exponent,
            sums,
            terms: Some(terms),
        }
    }

    /// How far the sum of `npairs` terms may be from the sum of what these stand for, before it is rounded to float64; none where it was
    /// made elsewhere.
    pub(super) fn bound_of(&self, npairs: u64) -> Option<f64> {
        let terms = self.terms?;
        Some(npairs as f64 * real(1, terms.exponent - 1))
    }

    /// Sums over the same bins in rows, one behind the other, brought to the exponent of the largest of them.
    pub(super) fn in_rows(rows: &[&Self]) -> Self {
        let values: Vec<f64> = rows.iter().flat_map(|sums| sums.values()).collect();
        let terms = rows.first().and_then(|whole| whole.terms);
        Self {
            terms,
            ..Self::nearest(&values)
        }
    }

    /// As float64, each rounded once.
    pub(super) fn values(&self) -> Vec<f64> {
        self.sums.iter().map(|&s| real(s, self.exponent)).collect()
    }

    /// The values of some of the bins.
    pub(super) fn values_of(&self, bins: Range<usize>) -> Vec<f64> {
        let sums = self.sums[bins].iter();
        sums.map(|&sum| real(sum, self.exponent)).collect()
    }

    /// The sums of some of the bins.
    pub(super) fn in_bins(&self, bins: Range<usize>) -> Self {
        Self {
            sums: self.sums[bins].to_vec(),
            ..*self
        }
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
        let terms = self.terms.zip(other.terms);
        *self = Self {
            exponent,
            sums: added,
            terms: terms.map(|(a, b)| FixedTerms {
                two_words: a.two_words || b.two_words,
                exponent: a.exponent.max(b.exponent),
            }),
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
            terms: None,
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
