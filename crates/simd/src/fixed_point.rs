//! Real numbers per pair summed as integers, so that a sum does not depend on the order of its terms.
//!
//! A term in (-1, 1) becomes `round_ties_even(term * 2^36)`; partial sums are 64-bit, totals 128-bit. Where the terms of a job are of very
//! different sizes, what that leaves of each is summed too, in 28 bits more: both words together have 64 fractional bits.

#![allow(
    clippy::cast_possible_truncation,
    reason = "terms are bounded so that their fixed point fits, which is proven here"
)]

/// Fractional bits of one term.
pub const FRACTION_BITS: i32 = 36;

/// Fractional bits of what the first word of a term leaves of it.
pub const REST_BITS: i32 = 28;

/// A signed 64-bit partial sum is flushed to a 128-bit total before it can hold this many terms.
pub const FLUSH_TERMS: u64 = 1 << 27;

const ONE: f64 = (1u64 << FRACTION_BITS) as f64;

/// `2^exponent`, from -1022 to 1023. `powi` promises no precision, and rounds at random under miri.
#[inline]
#[allow(
    clippy::cast_sign_loss,
    reason = "the biased exponent of a normal number is positive"
)]
pub const fn power_of_two(exponent: i32) -> f64 {
    debug_assert!(-1023 < exponent && exponent < 1024, "a normal number");
    f64::from_bits(((1023 + exponent) as u64) << 52)
}

/// The exponent e with `|value| = m * 2^e`, m in [0.5, 1); 0 for zero.
#[inline]
pub fn exponent(value: f64) -> i32 {
    libm::frexp(value).1
}

/// The exponent of the largest magnitude among `values`; 0 when there is none.
#[inline]
pub fn largest_exponent(values: &[f64]) -> i32 {
    exponent(values.iter().fold(0.0, |largest, v| v.abs().max(largest)))
}

/// `value * 2^-exponent`, exact unless it leaves the float64 range.
#[inline]
pub fn scaled(value: f64, exponent: i32) -> f64 {
    libm::scalbn(value, -exponent)
}

/// `round_ties_even(term * 2^36)` for |term| <= 1.
#[inline]
pub fn quantise(term: f64) -> i64 {
    (term * ONE).round_ties_even() as i64
}

/// The second word of a term, for |term| <= 1: with `t = term * 2^36`, `round_ties_even((t - round_ties_even(t)) * 2^28)`.
#[inline]
pub fn rest(term: f64) -> i64 {
    quantise(rest_as_term(term))
}

/// The term whose first word is the second word of `term`: the difference in it is exact, and its factor is a power of two.
#[inline]
pub fn rest_as_term(term: f64) -> f64 {
    let t = term * ONE;
    (t - t.round_ties_even()) * REST_UNIT
}

/// 2^(28 - 36): what a rest is multiplied by to be summed like a term.
const REST_UNIT: f64 = (1u64 << REST_BITS) as f64 / ONE;

/// Both words of a sum as one integer, in units of 2^-64.
pub fn in_two_words(total: i128, rests: i128) -> i128 {
    (total << REST_BITS) + rests
}

/// The real number that an integer total stands for: `total * 2^(exponent - 36)`, rounded once.
pub fn real(total: i128, exponent: i32) -> f64 {
    libm::scalbn(total as f64, exponent - FRACTION_BITS)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scaling_puts_every_weight_below_one() {
        let weights: [f64; 5] = [-3.7, 0.0, 1.0, 4.0, 3.999];
        let e = largest_exponent(&weights);
        assert_eq!(e, 3);
        for w in weights {
            let u = scaled(w, e);
            assert!(u.abs() < 1.0);
            assert_eq!(u * 8.0, w);
        }
    }

    #[test]
    fn powers_of_two_are_exact() {
        assert_eq!(power_of_two(-1022), f64::MIN_POSITIVE);
        assert_eq!([0, 1, 36, -3].map(power_of_two), [1.0, 2.0, ONE, 0.125]);
        assert_eq!(power_of_two(1023), f64::MAX / (2.0 - f64::EPSILON));
    }

    #[test]
    fn two_words_hold_what_one_leaves() {
        let unit = power_of_two(-64);
        for term in [
            1.0,
            0.3,
            -0.7,
            1e-12,
            -3e-17,
            power_of_two(-37),
            power_of_two(-65),
            0.0,
        ] {
            let (first, rest) = (quantise(term), rest(term));
            assert!(rest.abs() <= 1 << 27);
            let both = in_two_words(first.into(), rest.into());
            // 64 bits are within the digits of the difference.
            let error = (term - first as f64 / ONE) - rest as f64 * unit;
            assert!(error.abs() <= unit / 2.0, "{term}: {error:e}");
            assert_eq!(real(both, 3 - REST_BITS), 8.0 * (both as f64 * unit));
        }
        assert_eq!([rest(0.5 / ONE), rest(1.5 / ONE)], [1 << 27, -1 << 27]);
    }

    #[test]
    fn ties_go_to_even() {
        let half = 0.5 / ONE;
        assert_eq!(
            [half, 3.0 * half, 5.0 * half, -half].map(quantise),
            [0, 2, 2, 0]
        );
        assert_eq!(quantise(1.0), 1 << 36);
        assert_eq!(real(i128::from(quantise(-0.75)), 2), -3.0);
    }
}
