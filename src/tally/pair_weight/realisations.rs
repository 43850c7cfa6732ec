//! The realisations of a selection that bits tell of, and what they say of pairs on average.
//!
//! Entry: [`Realisations`].

use crate::error::PairWeightError;

/// The most realisations: their number and sums of it are exact in float64 and 32 bits.
const MOST: u32 = 1 << 30;

/// How the bits of particles are to be read: the realisations of a selection that they tell of.
///
/// A pair that c realisations hold, of those that the bits tell of, has the weight `number/(offset + c)`. With `offset` 1 the realisation
/// that was observed counts as one more, in which every pair of the sample is held: the efficient estimator of Bianchi & Verde (2020,
/// DOI 10.48550/arXiv.1912.08803); see [`Realisations::zero_truncated`] for the other one.
///
/// ```
/// use albireo::tally::Realisations;
/// let fibres = Realisations::of_words(2);
/// assert_eq!(fibres, Realisations { number: 129, offset: 1, always: 0, default_value: 0.0 });
/// ```
#[derive(Debug, Clone, Copy, PartialEq, serde::Serialize)]
pub struct Realisations {
    /// The number of realisations, the observed one among them.
    pub number: u32,
    /// What is added to the number of common bits.
    pub offset: u32,
    /// The number of bits that are set in every row, less that of bits that are set in none.
    pub always: i32,
    /// The weight of a pair where the offset and the number of common bits are both 0.
    pub default_value: f64,
}

impl Realisations {
    /// One realisation a bit of `words` words, and the observed one beside them.
    pub fn of_words(words: usize) -> Self {
        let bits = u32::try_from(64 * words).unwrap_or(u32::MAX);
        Self {
            number: bits.saturating_add(1),
            offset: 1,
            always: 0,
            default_value: 0.0,
        }
    }

    /// `number` realisations, the observed one among the bits, where it is always set: the zero-truncated estimator of Bianchi & Verde
    /// (2020).
    pub fn zero_truncated(number: u32) -> Self {
        Self {
            number,
            offset: 0,
            always: 1,
            default_value: 0.0,
        }
    }

    pub(super) fn check(self) -> Result<(), PairWeightError> {
        if self.number == 0 || self.number > MOST {
            return Err(PairWeightError::Realisations {
                found: self.number,
                limit: MOST,
            });
        }
        let never_chance = i64::from(self.offset) + i64::from(self.always);
        if !(0..=i64::from(self.number)).contains(&never_chance) {
            return Err(PairWeightError::Always {
                offset: self.offset,
                always: self.always,
                realisations: self.number,
            });
        }
        if !self.default_value.is_finite() {
            return Err(PairWeightError::Default(self.default_value));
        }
        Ok(())
    }

    /// The weight of a pair with `common` bits.
    pub(super) fn weight(self, common: u32) -> f64 {
        self.of_held(i64::from(self.offset) + i64::from(common))
    }

    /// The weight of a pair that `held` realisations hold.
    fn of_held(self, held: i64) -> f64 {
        if held == 0 {
            return self.default_value;
        }
        f64::from(self.number) / held as f64
    }

    /// How many bits of a row can be set, from the fewest to the most.
    pub(super) fn bits_set(self) -> [i64; 2] {
        let most = i64::from(self.number) - i64::from(self.offset);
        [i64::from(self.always).max(0), most]
    }

    /// The mean weight of a pair of rows with `c1` and `c2` bits set, were these spread at random: equation 21 of Bianchi & Verde (2020).
    ///
    /// The number of common realisations is hypergeometric. Its probabilities follow from one another by their ratios, from the mean
    /// outwards, so that nothing overflows.
    pub(super) fn joint(self, c1: u32, c2: u32) -> f64 {
        let (number, offset) = (i64::from(self.number), i64::from(self.offset));
        let sure = offset + i64::from(self.always);
        let (a, b) = (
            offset + i64::from(c1.max(c2)),
            offset + i64::from(c1.min(c2)),
        );
        let (first, last) = (sure.max(a + b - number), b);
        // Of the probability of x + 1 over that of x, the two factors.
        let up = |x: i64| ((a - x) * (b - x)) as f64;
        let down = |x: i64| ((x + 1 - sure) * (number - a - b + x + 1)) as f64;
        let mean = sure + (a - sure) * (b - sure) / (number - sure).max(1);
        let start = mean.clamp(first, last);
        let negligible = if self.default_value == 0.0 {
            NEGLIGIBLE
        } else {
            0.0
        };
        let (mut sum, mut of_all) = (self.of_held(start), 1.0);
        let mut add = |x: i64, probability: f64| {
            sum += self.of_held(x) * probability;
            of_all += probability;
            probability > negligible
        };
        let mut probability = 1.0;
        for x in start..last {
            probability = probability * up(x) / down(x);
            if !add(x + 1, probability) {
                break;
            }
        }
        probability = 1.0;
        for x in (first..start).rev() {
            probability = probability * down(x) / up(x);
            if !add(x, probability) {
                break;
            }
        }
        sum / of_all
    }
}

/// Probabilities so far below the largest, falling ever faster, change no digit, as weights differ by less than 2^31.
const NEGLIGIBLE: f64 = 1e-40;

#[cfg(test)]
mod tests {
    use super::*;

    /// Binomial coefficients as long as they are exact.
    fn choose(n: i64, k: i64) -> f64 {
        if k < 0 || k > n {
            return 0.0;
        }
        (0..k).fold(1.0, |c, i| c * (n - i) as f64 / (i + 1) as f64)
    }

    #[test]
    fn joint_weights_are_sums_over_binomials() {
        for (number, offset, always, default_value) in [
            (20, 1, 0, 0.0),
            (20, 0, 1, 0.0),
            (33, 0, 0, 0.8),
            (33, 3, 2, -1.5),
            (1, 1, 0, 0.0),
            (30, 1, -1, 0.0),
        ] {
            let realisations = Realisations {
                number,
                offset,
                always,
                default_value,
            };
            realisations.check().unwrap();
            let (n, sure) = (i64::from(number), i64::from(offset) + i64::from(always));
            let [lo, hi] = realisations.bits_set();
            for c1 in lo..=hi {
                for c2 in lo..=hi {
                    let [a, b] = [c1, c2].map(|c| c + i64::from(offset));
                    let probability = |x: i64| {
                        choose(a - sure, x - sure) * choose(n - a, b - x)
                            / choose(n - sure, b - sure)
                    };
                    let held = |x: i64| {
                        if x == 0 {
                            default_value
                        } else {
                            f64::from(number) / x as f64
                        }
                    };
                    let expected: f64 = (sure..=n).map(|x| held(x) * probability(x)).sum();
                    let found = realisations.joint(c1 as u32, c2 as u32);
                    let close = (found - expected).abs() <= 1e-12 * expected.abs().max(1.0);
                    assert!(close, "{realisations:?} {c1} {c2}: {found} {expected}");
                    assert_eq!(found, realisations.joint(c2 as u32, c1 as u32));
                }
            }
        }
    }

    #[test]
    fn two_thousand_realisations_do_not_overflow() {
        let realisations = Realisations::of_words(32);
        // Rows that hold next to everything have next to everything in common.
        let most = realisations.joint(2048, 2048);
        assert_eq!(most, 1.0);
        let half = realisations.joint(1024, 1024);
        assert!((half - 4.0).abs() < 0.02, "{half}");
    }
}
