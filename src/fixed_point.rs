//! Real numbers per pair summed as integers, so that a sum does not depend on the order of its terms.
//!
//! A term in (-1, 1) becomes `round_ties_even(term * 2^36)`; partial sums are 64-bit, totals 128-bit.

#![allow(
    clippy::cast_possible_truncation,
    reason = "terms are bounded so that their fixed point fits, which is proven here"
)]

/// Fractional bits of one term.
pub const FRACTION_BITS: i32 = 36;

/// A signed 64-bit partial sum is flushed to a 128-bit total before it can hold this many terms.
pub const FLUSH_TERMS: u64 = 1 << 27;

// A total can hold every pair of two samples of any size.
const _: () = {
    let pairs = (crate::particles::MAX_PARTICLES as u128).pow(2);
    assert!(pairs << FRACTION_BITS < 1 << 127);
};

const ONE: f64 = (1u64 << FRACTION_BITS) as f64;

/// The exponent e with `|value| = m * 2^e`, m in [0.5, 1); 0 for zero.
pub fn exponent(value: f64) -> i32 {
    libm::frexp(value).1
}

/// The exponent of the largest magnitude among `values`; 0 when there is none.
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
