//! How the products of weights were rounded before they were summed.
//!
//! Entry: [`WeightTerms`].

use albireo_simd::fixed_point::{FRACTION_BITS, REST_BITS, exponent, real};

/// How the terms of sums of weights were rounded.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct WeightTerms {
    /// Whether they have a second word.
    pub(super) two_words: bool,
    /// Each is within `2^(exponent - 37)` of what it stands for: the largest such exponent of what was added up.
    exponent: i32,
}

impl WeightTerms {
    /// Of one word or two; `exponent` is that of the first.
    pub(super) fn of(exponent: i32, two_words: bool) -> Self {
        let below = if two_words { REST_BITS } else { 0 };
        Self {
            two_words,
            exponent: exponent - below,
        }
    }

    /// Those with this bound of one term, if any have it: a power of two.
    pub(super) fn of_bound(bound: f64, two_words: bool) -> Option<Self> {
        let terms = Self {
            two_words,
            exponent: exponent(bound) + FRACTION_BITS,
        };
        (terms.bound_of(1) == bound).then_some(terms)
    }

    /// How far the sum of `npairs` terms may be from the sum of what these stand for, before it is rounded to float64.
    pub(super) fn bound_of(self, npairs: u64) -> f64 {
        npairs as f64 * real(1, self.exponent - 1)
    }

    /// Those of the terms of both.
    pub(super) fn with(self, other: Self) -> Self {
        Self {
            two_words: self.two_words || other.two_words,
            exponent: self.exponent.max(other.exponent),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn terms_are_known_by_their_bound() {
        for (exponent, two_words) in [(0, false), (7, true), (-300, true), (250, false)] {
            let terms = WeightTerms::of(exponent, two_words);
            let bound = terms.bound_of(1);
            assert_eq!(WeightTerms::of_bound(bound, two_words), Some(terms));
        }
        for no_power in [0.3, 0.0, -1.0, f64::NAN, f64::INFINITY] {
            assert_eq!(WeightTerms::of_bound(no_power, false), None);
        }
    }
}
