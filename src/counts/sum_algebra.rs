//! What the algebra of counts makes of sums: rows added, halves, products with a number.
//!
//! Entry: [`ExactSums::gathered`], [`ExactSums::half`], [`ExactSums::times`].

#![allow(
    clippy::cast_possible_truncation,
    clippy::cast_possible_wrap,
    clippy::cast_sign_loss,
    reason = "a mantissa is a whole number below 2^53, and a product is shifted until it fits"
)]

use albireo_simd::fixed_point::FRACTION_BITS;

use super::ExactSums;
use super::exact_sums::odd;
use super::weight_terms::WeightTerms;
use crate::binning::RowMap;
use crate::error::CountsError;

/// Most bits of a sum after a product: some are left for what it is added to.
const MOST_BITS: u32 = 126;

/// A number as a whole number times a power of two.
#[derive(Debug, Clone, Copy)]
struct Factor {
    negative: bool,
    mantissa: u64,
    power: i32,
}

impl Factor {
    /// The least such whole number of a finite number other than 0.
    fn of(factor: f64) -> Self {
        let (mantissa, power) = odd(factor);
        Self {
            negative: factor < 0.0,
            mantissa: mantissa.unsigned_abs(),
            power,
        }
    }

    fn bits(self) -> u32 {
        u64::BITS - self.mantissa.leading_zeros()
    }

    /// `sum * mantissa / 2^shift`, rounded to the nearest whole number and, of two, to the even one; `shift` is below 64 and leaves
    /// [`MOST_BITS`].
    fn product(self, sum: i128, shift: u32) -> i128 {
        let (size, mantissa) = (sum.unsigned_abs(), u128::from(self.mantissa));
        let [above, below] = [size >> 64, size & u128::from(u64::MAX)].map(|half| half * mantissa);
        let whole = (above << (64 - shift)) + (below >> shift);
        let rest = below & ((1 << shift) - 1);
        let half = (1 << shift) / 2;
        let up = shift > 0 && (rest > half || (rest == half && whole % 2 == 1));
        let rounded = (whole + u128::from(up)) as i128;
        if self.negative == (sum < 0) {
            rounded
        } else {
            -rounded
        }
    }
}

impl ExactSums {
    /// Numbers of pairs, each of weight 1.
    pub(super) fn of_pairs(npairs: &[u64]) -> Self {
        Self {
            exponent: FRACTION_BITS,
            sums: npairs.iter().map(|&n| i128::from(n)).collect(),
        }
    }

    /// Each row added to the row that it goes to.
    pub(super) fn gathered(&self, map: &RowMap) -> Result<Self, CountsError> {
        let sums = map.gathered(&self.sums, i128::checked_add);
        let sums = sums.ok_or(CountsError::Overflow("a weighted sum"))?;
        Ok(Self { sums, ..*self })
    }

    /// Half of each: of sums that hold every term twice, what they hold it once.
    pub(super) fn half(&self) -> Self {
        Self {
            exponent: self.exponent - 1,
            sums: self.sums.clone(),
        }
    }

    /// Each times a finite number other than 0: exact where the integers have room for it, else rounded in their last place. None where a sum
    /// leaves the range of float64.
    pub(super) fn times(&self, factor: f64) -> Option<Self> {
        let factor = Factor::of(factor);
        let largest = self.sums.iter().map(|sum| sum.unsigned_abs()).max();
        let bits = u128::BITS - largest.unwrap_or(0).leading_zeros();
        let shift = (bits + factor.bits()).saturating_sub(MOST_BITS);
        let product = |&sum: &i128| factor.product(sum, shift);
        let scaled = Self {
            exponent: self.exponent + factor.power + shift as i32,
            sums: self.sums.iter().map(product).collect(),
        };
        let [before, after] = [self, &scaled].map(Self::values);
        let mut both = before.iter().zip(&after);
        let in_range =
            both.all(|(before, after)| after.is_finite() && (*after != 0.0 || *before == 0.0));
        in_range.then_some(scaled)
    }
}

impl WeightTerms {
    /// Those of terms times a finite number other than 0, whose bound is the least power of two that is not below the product.
    pub(super) fn times(self, factor: f64) -> Option<Self> {
        let factor = Factor::of(factor);
        let above = (factor.mantissa - 1)
            .checked_ilog2()
            .map_or(0, |k| k as i32 + 1);
        let bound = libm::scalbn(self.bound_of(1), factor.power + above);
        Self::of_bound(bound, self.two_words)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sums(exponent: i32, sums: &[i128]) -> ExactSums {
        ExactSums {
            exponent,
            sums: sums.to_vec(),
        }
    }

    #[test]
    fn products_are_exact_where_there_is_room() {
        let three = sums(3, &[5, -7, 0, 1 << 70]);
        assert_eq!(three.times(1.0).unwrap(), three);
        let scaled = three.times(-1.5).unwrap();
        assert_eq!(scaled.sums, [-15, 21, 0, -3 << 70]);
        assert_eq!(scaled.exponent, 2);
        let terms = WeightTerms::of(3, true);
        assert_eq!(terms.times(-1.5), Some(WeightTerms::of(4, true)));
        assert_eq!(terms.times(0.25), Some(WeightTerms::of(1, true)));
        // A third is no number of float64; its mantissa is.
        let third = three.times(1.0 / 3.0).unwrap();
        assert_eq!(third.sums[0], 5 * 6_004_799_503_160_661);
        assert_eq!(third.exponent, 3 - 54);
    }

    #[test]
    fn products_without_room_are_rounded_once() {
        // Sums of up to 102 bits times 2^52 + 1: of 155 bits 29 are rounded off.
        let factor = (2f64.powi(52) + 1.0) / 8.0;
        let two = |power: u32| 1i128 << power;
        for (sum, expected) in [
            (two(101), two(124) + two(72)),
            (two(100) + 1, two(123) + two(71) + two(23)),
            (two(28), two(51)),
            (3 * two(28), 3 * two(51) + 2),
            (two(28) + 1, two(51) + two(23) + 1),
            (0, 0),
        ] {
            for sign in [1, -1] {
                let scaled = sums(0, &[sign * sum, two(101)]).times(factor).unwrap();
                assert_eq!((scaled.sums[0], scaled.exponent), (sign * expected, 29 - 3));
            }
        }
    }

    #[test]
    fn halves_keep_every_bit() {
        assert_eq!(sums(3, &[4, -6]).half(), sums(3, &[2, -3]));
        let odd = sums(3, &[4, -7]).half();
        let values = sums(3, &[4, -7]).values();
        assert_eq!(
            odd.values(),
            values.iter().map(|v| v / 2.0).collect::<Vec<_>>()
        );
    }

    #[test]
    fn what_leaves_the_range_of_float64_is_none() {
        assert!(sums(900, &[1 << 60]).times(1e300).is_none());
        assert!(sums(-900, &[1]).times(1e-300).is_none());
        assert!(sums(-900, &[0]).times(1e-300).is_some());
    }
}
