//! Inverse probabilities of pairs, of the realisations that hold both points.
//!
//! Entry: [`InverseProbability`].

#![allow(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "at most 32 words of bits"
)]

use std::fmt;

use albireo_simd::fixed_point::{largest_exponent, scaled};

use super::Realisations;
use super::joint::JointWeights;
use crate::error::{JobError, PairWeightError};
use crate::particles::{Bits, MAX_BIT_WORDS, Particles, Weights};

/// What weighted counts of pairs with inverse probabilities are normalised by.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, serde::Serialize)]
pub enum PairNormalisation {
    /// The mean weight of pairs of rows with so many bits set, summed over all of them: equation 22 of Bianchi & Verde (2020).
    #[default]
    JointOccurrence,
    /// The sum of the weights of all pairs, every one of which is looked at.
    BruteForce,
    /// Each pair's weight is divided by the mean weight of such pairs over the product of the individual weights: equation 19 of Bianchi
    /// & Verde (2020). The total is that of the individual weights.
    Counter,
}

impl PairNormalisation {
    /// What results call it.
    pub fn name(self) -> &'static str {
        match self {
            Self::JointOccurrence => "joint occurrence",
            Self::BruteForce => "brute force",
            Self::Counter => "counter",
        }
    }
}

/// The inverse probability that a pair is observed, from the bits of its points: `P[c] = number/(offset + c)`, c their common bits.
///
/// Pairwise inverse probabilities (PIP) of Bianchi & Percival (2017, DOI 10.48550/arXiv.1703.02070). Where only one sample of a count has
/// bits, as in DR, each of its particles has an individual weight instead ([`InverseProbability::individual`]).
///
/// ```
/// use albireo::tally::{InverseProbability, PairNormalisation, Realisations};
/// let pip = InverseProbability::new(1, Realisations::of_words(1), PairNormalisation::default())?;
/// assert_eq!([pip.of(0), pip.of(64)], [65.0, 1.0]);
/// # Ok::<(), albireo::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq, serde::Serialize)]
pub struct InverseProbability {
    words: usize,
    realisations: Realisations,
    normalisation: PairNormalisation,
    /// P by the number of common bits, times `2^-exponent`.
    table: Vec<f64>,
    exponent: i32,
    counter: Option<Counter>,
}

/// What pairs of rows with so many bits set are multiplied by, besides their inverse probability.
#[derive(Debug, Clone, PartialEq, serde::Serialize)]
pub(crate) struct Counter {
    /// The fewest bits that are set.
    pub(crate) lo: u32,
    /// Numbers of bits from there on, along each axis.
    pub(crate) width: usize,
    /// By the bits of both rows, times `2^-exponent`.
    pub(crate) table: Vec<f64>,
    exponent: i32,
}

impl Counter {
    fn new(realisations: Realisations, bits: u32) -> Self {
        let [lo, hi] = realisations
            .bits_set()
            .map(|n| n.clamp(0, i64::from(bits)) as u32);
        let width = (hi - lo) as usize + 1;
        let mut table = vec![1.0; width * width];
        let joints = JointWeights::new(realisations, lo, &vec![true; width]);
        for c1 in lo..=hi {
            for c2 in lo..=c1 {
                let joint = joints.of(c1, c2);
                let product = realisations.weight(c1) * realisations.weight(c2);
                let [a, b] = [c1, c2].map(|c| (c - lo) as usize);
                // Of no weight on average: such pairs have none.
                let factor = if joint == 0.0 { 1.0 } else { product / joint };
                table[a * width + b] = factor;
                table[b * width + a] = factor;
            }
        }
        let exponent = largest_exponent(&table);
        for factor in &mut table {
            *factor = scaled(*factor, exponent);
        }
        Self {
            lo,
            width,
            table,
            exponent,
        }
    }
}

impl InverseProbability {
    /// For bits of `words` words a row.
    ///
    /// # Errors
    /// Words that no row of bits has, or realisations that contradict themselves.
    pub fn new(
        words: usize,
        realisations: Realisations,
        normalisation: PairNormalisation,
    ) -> Result<Self, PairWeightError> {
        if words == 0 || words > MAX_BIT_WORDS {
            return Err(PairWeightError::Words {
                found: words,
                limit: MAX_BIT_WORDS,
            });
        }
        realisations.check()?;
        let bits = 64 * words as u32;
        let mut table: Vec<f64> = (0..=bits).map(|c| realisations.weight(c)).collect();
        let exponent = largest_exponent(&table);
        for p in &mut table {
            *p = scaled(*p, exponent);
        }
        let counter =
            (normalisation == PairNormalisation::Counter).then(|| Counter::new(realisations, bits));
        Ok(Self {
            words,
            realisations,
            normalisation,
            table,
            exponent,
            counter,
        })
    }

    /// Words of a row of bits.
    pub fn words(&self) -> usize {
        self.words
    }

    /// The realisations that the bits tell of.
    pub fn realisations(&self) -> Realisations {
        self.realisations
    }

    /// What counts are normalised by.
    pub fn normalisation(&self) -> PairNormalisation {
        self.normalisation
    }

    /// The inverse probability of a pair with `common` bits in common, or of a row with so many set.
    pub fn of(&self, common: u32) -> f64 {
        self.realisations.weight(common)
    }

    /// Particles whose bits have become individual weights: their own weight times `P[c]`, c the bits that are set.
    ///
    /// What pairs with a sample without bits take, such as randoms.
    ///
    /// ```
    /// use albireo::tally::{InverseProbability, PairNormalisation, Realisations};
    /// use albireo::particles::Bits;
    /// use albireo::{Particles, Points};
    /// let data = Particles::new(Points::from_rows(&[[0.0; 3], [1.0; 3]])?);
    /// let data = data.with_bits(Bits::new(vec![0b1111, 1], 1)?)?;
    /// let truncated = Realisations::zero_truncated(4);
    /// let pip = InverseProbability::new(1, truncated, PairNormalisation::default())?;
    /// assert_eq!(pip.individual(&data)?.weight_sum(), 1.0 + 4.0);
    /// # Ok::<(), albireo::Error>(())
    /// ```
    ///
    /// # Errors
    /// Particles without bits, or with other words of them, or weights beyond float64.
    pub fn individual(&self, particles: &Particles) -> Result<Particles, PairWeightError> {
        let bits = particles.bits().ok_or(PairWeightError::NoBits)?;
        if bits.per_row() != self.words {
            return Err(PairWeightError::BitWords {
                expected: self.words,
                found: bits.per_row(),
            });
        }
        let weight = |row: usize| {
            let inverse = self.of(bits.set_in(row));
            match particles.weights() {
                Weights::Unit => inverse,
                Weights::PerParticle(w) => inverse * w.at(row),
            }
        };
        let weights = (0..particles.len()).map(weight).collect();
        Ok(particles.reweighted(weights)?)
    }

    /// The mean weights of pairs of rows with two of these numbers of bits set (equation 21 of Bianchi & Verde 2020), where totals are made
    /// of them.
    pub(crate) fn joint(&self, set: impl Iterator<Item = u32>) -> Option<JointWeights> {
        if self.normalisation != PairNormalisation::JointOccurrence {
            return None;
        }
        let mut wanted = vec![false; 64 * self.words + 1];
        for c in set {
            wanted[c as usize] = true;
        }
        Some(JointWeights::new(self.realisations, 0, &wanted))
    }

    /// The exponent of what [`InverseProbability::table`] and [`InverseProbability::counter`] are scaled by.
    pub(crate) fn exponent(&self) -> i32 {
        self.exponent + self.counter.as_ref().map_or(0, |counter| counter.exponent)
    }

    /// Inverse probabilities by the number of common bits, scaled below 1.
    pub(crate) fn table(&self) -> &[f64] {
        &self.table
    }

    /// The table as numbers n, o and z: entry c is `n / (o + c)`, rounded once, z where o + c is 0; none where scaling has rounded an entry.
    pub(crate) fn quotient(&self) -> Option<(f64, u32, f64)> {
        let Realisations {
            number,
            offset,
            default_value,
            ..
        } = self.realisations;
        let [n, z] = [f64::from(number), default_value].map(|p| scaled(p, self.exponent));
        let entry = |c: usize| {
            let held = f64::from(offset) + c as f64;
            if held == 0.0 { z } else { n / held }
        };
        let same = |(c, p): (usize, &f64)| p.to_bits() == entry(c).to_bits();
        let mut entries = self.table.iter().enumerate();
        entries.all(same).then_some((n, offset, z))
    }

    /// What they are multiplied by, scaled below 1.
    pub(crate) fn counter(&self) -> Option<&Counter> {
        self.counter.as_ref()
    }

    /// Refuses bits of other words, and rows in numbers of realisations that cannot be where the normalisation uses them.
    pub(super) fn check(&self, bits: &Bits, sample: &'static str) -> Result<(), JobError> {
        if bits.per_row() != self.words {
            return Err(JobError::BitWords {
                sample,
                expected: self.words,
                found: bits.per_row(),
            });
        }
        if self.normalisation == PairNormalisation::BruteForce {
            return Ok(());
        }
        let [lo, hi] = self.realisations.bits_set();
        let outside = |row: &usize| !(lo..=hi).contains(&i64::from(bits.set_in(*row)));
        match (0..bits.len()).find(outside) {
            None => Ok(()),
            Some(row) => Err(JobError::BitsSet {
                sample,
                row,
                found: bits.set_in(row),
                lo,
                hi,
            }),
        }
    }
}

impl fmt::Display for InverseProbability {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Realisations {
            number,
            offset,
            always,
            default_value,
        } = self.realisations;
        let (words, name) = (self.words, self.normalisation.name());
        write!(
            f,
            "inverse probabilities {number}/({offset} + common bits) of {words} words ({default_value} where that is 0, {always} bits always set), normalised by {name}"
        )
    }
}
