//! Sums of real numbers per bin, held as integers.
//!
//! Entry: [`ExactSums`].

#![allow(
    clippy::cast_possible_truncation,
    clippy::cast_possible_wrap,
    clippy::cast_sign_loss,
    reason = "sums are whole numbers below 2^127 here, differences of exponents small"
)]

use std::ops::Range;

use albireo_simd::fixed_point::{FRACTION_BITS, REST_BITS, in_two_words, largest_exponent, real};

use crate::error::CountsError;

/// Exact sums of real numbers, one for each bin: whole numbers of up to 127 bits in units of one power of two.
///
/// As float64 a sum is the unevaluated sum of its parts: the float64 nearest to it, the one nearest to what that leaves, and so on.
///
/// ```
/// use albireo::counts::ExactSums;
/// let sums = ExactSums::from_parts(&[vec![0.1, 1e9], vec![0.0, 2f64.powi(-40)]])?;
/// assert_eq!(sums.values(), [0.1, 1e9]);
/// assert_eq!(sums.parts(), [vec![0.1, 1e9], vec![0.0, 2f64.powi(-40)]]);
/// // What float64 holds has one part.
/// assert_eq!(ExactSums::from_parts(&[vec![0.5], vec![0.25]])?.parts(), [[0.75]]);
/// # Ok::<(), albireo::error::CountsError>(())
/// ```
///
/// Sums are equal where they are the same numbers, in any units.
#[derive(Debug, Clone)]
pub struct ExactSums {
    /// The unit is `2^(exponent - 36)`.
    pub(super) exponent: i32,
    pub(super) sums: Vec<i128>,
}

/// Of sums that are all 0: above every other, so that they add to any.
const OF_NOTHING: i32 = f64::MAX_EXP + FRACTION_BITS;

/// Most bits of sums brought to one unit: some are left for what they are added to.
const JOINED_BITS: u32 = 123;

/// `(m, k)` of `value = m * 2^k`, m odd; m is 0 for 0.
pub(super) fn odd(value: f64) -> (i64, i32) {
    let bits = value.to_bits();
    let (field, fraction) = ((bits >> 52 & 0x7ff) as i32, bits & ((1 << 52) - 1));
    let (m, k) = match field {
        0 => (fraction, -1074),
        _ => (fraction | 1 << 52, field - 1075),
    };
    if m == 0 {
        return (0, 0);
    }
    let zeros = m.trailing_zeros();
    let m = (m >> zeros) as i64;
    (if value < 0.0 { -m } else { m }, k + zeros as i32)
}

/// `sum * 2^bits`, if 127 bits hold it.
fn shifted(sum: i128, bits: i64) -> Option<i128> {
    match sum {
        0 => Some(0),
        _ if (0..127).contains(&bits) => sum.checked_mul(1i128 << bits),
        _ => None,
    }
}

impl ExactSums {
    /// The sums of these parts, one vector of as many float64 as there are bins for each part: exact where all of them lie within 127 bits,
    /// else nearest to them with 90 bits for the largest.
    ///
    /// # Errors
    /// [`CountsError::NotFinite`], [`CountsError::Bins`] where parts differ in length.
    pub fn from_parts(parts: &[Vec<f64>]) -> Result<Self, CountsError> {
        let expected = parts.first().map_or(0, Vec::len);
        for part in parts {
            if part.len() != expected {
                let (column, found) = ("part of a sum", part.len());
                return Err(CountsError::Bins {
                    column,
                    expected,
                    found,
                });
            }
        }
        for bin in 0..expected {
            if let Some(part) = parts.iter().find(|part| !part[bin].is_finite()) {
                let weight = part[bin];
                return Err(CountsError::NotFinite { bin, weight });
            }
        }
        let words = parts.iter().flatten().map(|&value| odd(value));
        let lowest = words.filter(|(m, _)| *m != 0).map(|(_, k)| k).min();
        let Some(lowest) = lowest else {
            return Ok(Self {
                exponent: OF_NOTHING,
                sums: vec![0; expected],
            });
        };
        let of_bin = |bin: usize| {
            parts.iter().try_fold(0i128, |sum, part| {
                let (m, k) = odd(part[bin]);
                sum.checked_add(shifted(m.into(), i64::from(k) - i64::from(lowest))?)
            })
        };
        let exact: Option<Vec<i128>> = (0..expected).map(of_bin).collect();
        Ok(match exact {
            Some(sums) => Self {
                exponent: lowest + FRACTION_BITS,
                sums,
            },
            None => Self::nearest_to(parts),
        })
    }

    /// The sums nearest to finite `values`, with an exponent that leaves float64's digits in place.
    pub(super) fn nearest(values: &[f64]) -> Self {
        Self::nearest_to(&[values])
    }

    fn nearest_to<P: AsRef<[f64]>>(parts: &[P]) -> Self {
        // 36 fraction bits below `exponent`: 54 more than the largest value needs are within 128 bits.
        let first = parts.first().map_or(&[][..], AsRef::as_ref);
        let exponent = largest_exponent(first) - 54;
        let unit = |v: f64| libm::scalbn(v, FRACTION_BITS - exponent).round_ties_even() as i128;
        let of_bin =
            |bin: usize| -> i128 { parts.iter().map(|part| unit(part.as_ref()[bin])).sum() };
        Self {
            exponent,
            sums: (0..first.len()).map(of_bin).collect(),
        }
    }

    /// The sums of a tally, of terms in one word or, with `rests`, in two; `exponent` is that of the first.
    pub(super) fn of_words(exponent: i32, sums: &[i128], rests: Option<&[i128]>) -> Self {
        match rests {
            None => Self {
                exponent,
                sums: sums.to_vec(),
            },
            Some(rests) => {
                let both = sums.iter().zip(rests);
                Self {
                    exponent: exponent - REST_BITS,
                    sums: both.map(|(&sum, &rest)| in_two_words(sum, rest)).collect(),
                }
            }
        }
    }

    /// Number of bins.
    pub fn n_bins(&self) -> usize {
        self.sums.len()
    }

    /// As float64, each rounded once.
    pub fn values(&self) -> Vec<f64> {
        self.sums.iter().map(|&s| real(s, self.exponent)).collect()
    }

    /// The fewest parts, one at least and three at most, whose unevaluated sum is exactly each sum: [`ExactSums::values`] first, then what they
    /// leave as float64. [`ExactSums::from_parts`] takes them back.
    ///
    /// What lies below the least float64, `2^-1074`, is in none of them, and a sum beyond the largest is infinite.
    pub fn parts(&self) -> Vec<Vec<f64>> {
        let mut left = self.sums.clone();
        let mut parts = Vec::new();
        loop {
            let part: Vec<f64> = left.iter().map(|&s| real(s, self.exponent)).collect();
            if !parts.is_empty() && part.iter().all(|value| *value == 0.0) {
                return parts;
            }
            for (left, &value) in left.iter_mut().zip(&part) {
                *left = if value.is_finite() {
                    // The largest sums round up to 2^127, which wraps round and back again.
                    left.wrapping_sub(self.in_units(value))
                } else {
                    0
                };
            }
            parts.push(part);
        }
    }

    /// A float64 that is a whole number of units, of less than 128 bits.
    fn in_units(&self, value: f64) -> i128 {
        let (m, k) = odd(value);
        if m == 0 {
            return 0;
        }
        i128::from(m) << (k - (self.exponent - FRACTION_BITS))
    }

    /// The sums of these bins alone.
    ///
    /// # Panics
    /// There are no such bins.
    #[must_use]
    pub fn rows(&self, bins: Range<usize>) -> Self {
        Self {
            exponent: self.exponent,
            sums: self.sums[bins].to_vec(),
        }
    }

    /// The sums of the bins of all of these, one after another: in a unit of which all are whole numbers, where that leaves each of them within
    /// 123 bits, else nearest to them.
    #[must_use]
    pub fn joined(all: &[Self]) -> Self {
        let exponent = all.iter().map(Self::largest_unit).min();
        let exponent = exponent.unwrap_or(OF_NOTHING);
        let exact = all.iter().flat_map(|sums| sums.in_unit_of(exponent));
        match exact.collect() {
            Some(sums) => Self { exponent, sums },
            None => Self::nearest(&all.iter().flat_map(Self::values).collect::<Vec<_>>()),
        }
    }

    /// The exponent of the largest unit of which all sums are whole numbers; that of nothing where all are 0.
    fn largest_unit(&self) -> i32 {
        let sums = self.sums.iter().filter(|sum| **sum != 0);
        let zeros = sums.map(|sum| sum.trailing_zeros() as i32).min();
        zeros.map_or(OF_NOTHING, |zeros| self.exponent + zeros)
    }

    /// The same numbers with an exponent of which they are whole numbers, each if it has bits to spare.
    fn in_unit_of(&self, exponent: i32) -> impl Iterator<Item = Option<i128>> {
        let by = i64::from(self.exponent) - i64::from(exponent);
        self.sums.iter().map(move |&sum| {
            let sum = if by < 0 {
                sum >> (-by).min(127)
            } else {
                shifted(sum, by)?
            };
            (sum.unsigned_abs() >> JOINED_BITS == 0).then_some(sum)
        })
    }

    /// Brings both to the smaller exponent, where every sum is still an integer, and adds.
    pub(super) fn add(&mut self, other: &Self) -> Result<(), CountsError> {
        let exponent = self.exponent.min(other.exponent);
        let finer = |sum: i128, from: i32| shifted(sum, i64::from(from) - i64::from(exponent));
        let mut added = Vec::with_capacity(self.sums.len());
        for (&total, &part) in self.sums.iter().zip(&other.sums) {
            let sum = finer(total, self.exponent)
                .zip(finer(part, other.exponent))
                .and_then(|(a, b)| a.checked_add(b));
            added.push(sum.ok_or(CountsError::Overflow("a weighted sum"))?);
        }
        *self = Self {
            exponent,
            sums: added,
        };
        Ok(())
    }
}

impl PartialEq for ExactSums {
    fn eq(&self, other: &Self) -> bool {
        if self.exponent == other.exponent {
            return self.sums == other.sums;
        }
        let reduced = |sum: i128, exponent: i32| {
            if sum == 0 {
                return (0, 0);
            }
            let zeros = sum.trailing_zeros();
            (sum >> zeros, exponent + zeros as i32)
        };
        let mut both = self.sums.iter().zip(&other.sums);
        self.sums.len() == other.sums.len()
            && both.all(|(&a, &b)| reduced(a, self.exponent) == reduced(b, other.exponent))
    }
}

impl Eq for ExactSums {}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::Stream;

    #[test]
    fn sums_of_any_two_scales_add_or_are_refused() {
        let sums = |values: &[f64]| ExactSums::nearest(values);
        let mut near = sums(&[1.0, -3.0]);
        near.add(&sums(&[0.125, 2f64.powi(-30)])).unwrap();
        assert_eq!(near.values(), [1.125, -3.0 + 2f64.powi(-30)]);
        // Nothing added to something far below it changes no digit.
        let mut nothing = ExactSums {
            exponent: 0,
            sums: vec![0, 0],
        };
        nothing.add(&sums(&[1e-200, -1e-201])).unwrap();
        assert_eq!(nothing.values(), [1e-200, -1e-201]);
        for scale in [5e-324, 1e-300, 1e300, f64::MAX] {
            let mut nothing = ExactSums::from_parts(&[vec![0.0; 2]]).unwrap();
            let exact = ExactSums::from_parts(&[vec![scale, -scale]]).unwrap();
            assert_eq!(exact.values(), [scale, -scale]);
            nothing.add(&exact).unwrap();
            assert_eq!(nothing, exact);
        }
        let mut far = sums(&[1.0, 1.0]);
        let before = far.clone();
        assert!(far.add(&sums(&[0.0, 1e-200])).is_err());
        assert_eq!(far, before, "a refused sum changes nothing");
    }

    #[test]
    fn every_bit_survives_within_eleven_decades() {
        for scale in [1.0, 1e-290, 1e298] {
            let values = [1.0 / 3.0, -1e-6 / 7.0, 12345.678, 0.0].map(|v| v * scale);
            assert_eq!(ExactSums::nearest(&values).values(), values);
        }
    }

    /// Any integer of up to so many bits.
    fn integer(stream: Stream, draw: u64, bits: u32) -> i128 {
        let word = |k: u64| i128::from((stream.uniform(4 * draw + k) * 2f64.powi(42)) as u64);
        let all = word(0) << 84 | word(1) << 42 | word(2);
        let small = all & ((1 << bits) - 1);
        if stream.uniform(4 * draw + 3) < 0.5 {
            -small
        } else {
            small
        }
    }

    #[test]
    fn any_sums_come_back_from_their_parts() {
        let stream = Stream::new(17);
        let mut most = 0;
        for case in 0..3000u64 {
            let bits = 1 + (case % 126) as u32;
            let exponent = (stream.uniform(1_000_000 + case) * 1600.0) as i32 - 900;
            let sums = (0..4).map(|bin| integer(stream, 4 * case + bin, bits));
            let sums = ExactSums {
                exponent,
                sums: sums.collect(),
            };
            let parts = sums.parts();
            assert_eq!(parts[0], sums.values());
            assert!(parts.len() <= 1 + bits.saturating_sub(1) as usize / 53);
            most = most.max(parts.len());
            let back = ExactSums::from_parts(&parts).unwrap();
            assert_eq!(back, sums, "{parts:?}");
            assert_eq!(back.parts(), parts);
            // One unit more is another sum.
            let mut other = sums.clone();
            other.sums[3] += 1;
            assert_ne!(back, other);
        }
        assert_eq!(most, 3);
    }

    #[test]
    fn the_largest_and_the_least_numbers_have_parts() {
        for sum in [i128::MAX, i128::MIN + 1, i128::MAX - 1, -(1 << 126)] {
            let sums = ExactSums {
                exponent: 40,
                sums: vec![sum],
            };
            let parts = sums.parts();
            let exact = parts.iter().map(|part| sums.in_units(part[0]));
            assert_eq!(exact.fold(0, i128::wrapping_add), sum, "{parts:?}");
        }
        // Units of 2^-1080: what float64 cannot hold is left out, and the rest comes back.
        let tiny = ExactSums {
            exponent: FRACTION_BITS - 1080,
            sums: vec![(5 << 70) + 64, 3],
        };
        let parts = tiny.parts();
        let back = ExactSums::from_parts(&parts).unwrap();
        let held = ExactSums {
            sums: vec![(5 << 70) + 64, 0],
            ..tiny
        };
        assert_eq!(back, held);
        let huge = ExactSums {
            exponent: 1000,
            sums: vec![1 << 100, 1 << 36],
        };
        assert_eq!(huge.parts(), [[f64::INFINITY, 2f64.powi(1000)]]);
        for least in [f64::MIN_POSITIVE, 5e-324, -3e-310] {
            let sums = ExactSums::from_parts(&[vec![least, 0.0]]).unwrap();
            assert_eq!(sums.parts(), [[least, 0.0]]);
        }
    }

    #[test]
    fn parts_that_are_no_sums_are_refused_and_those_too_far_apart_are_nearest() {
        for bad in [f64::NAN, f64::INFINITY] {
            let error = ExactSums::from_parts(&[vec![1.0; 3], vec![0.0, bad, bad]]).unwrap_err();
            assert_eq!(error.bin(), Some(1));
        }
        assert!(ExactSums::from_parts(&[vec![1.0; 3], vec![0.0; 2]]).is_err());
        let far =
            ExactSums::from_parts(&[vec![1e30, 1e-30, 1_048_576.0], vec![1e10, 0.0, 0.0]]).unwrap();
        assert_eq!(far.values(), [1e30 + 1e10, 0.0, 1_048_576.0]);
        assert_eq!(far.parts(), [[1e30, 0.0, 1_048_576.0], [1e10, 0.0, 0.0]]);
        assert_eq!(ExactSums::from_parts(&[]).unwrap().n_bins(), 0);
    }

    #[test]
    fn sums_in_one_unit_are_the_same_numbers() {
        let of = |values: &[f64]| ExactSums::from_parts(&[values.to_vec()]).unwrap();
        let (large, small) = (of(&[3e8, 0.0]), of(&[1e-9, -7.0]));
        let joined = ExactSums::joined(&[large.clone(), small.clone(), of(&[0.0])]);
        assert_eq!(joined, of(&[3e8, 0.0, 1e-9, -7.0, 0.0]));
        assert_eq!([joined.rows(0..2), joined.rows(2..4)], [large, small]);
        let far_apart = ExactSums::joined(&[of(&[1e-60]), of(&[1e60])]);
        assert_eq!(far_apart.values(), [0.0, 1e60]);
    }
}
