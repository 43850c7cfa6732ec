//! Mean weights of pairs by the bits that both rows have set, worked out once for all of a job.
//!
//! Entry: [`JointWeights`].

#![allow(
    clippy::cast_possible_truncation,
    reason = "numbers of common bits are small"
)]

use super::Realisations;
use crate::pool;

/// [`Realisations::joint`] of every two of some numbers of bits: symmetric, so that only half of it is kept.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct JointWeights {
    /// The fewest bits.
    low: u32,
    /// Rows by the larger number, from `low` on; 0 where no row has so many bits set.
    rows: Vec<Vec<f64>>,
}

impl JointWeights {
    /// For numbers from `low` on that are `wanted`, one flag each.
    pub(super) fn new(realisations: Realisations, low: u32, wanted: &[bool]) -> Self {
        let row = |high: usize| -> Vec<f64> {
            let of = |c: usize| {
                if wanted[c] {
                    realisations.joint(low + high as u32, low + c as u32)
                } else {
                    0.0
                }
            };
            if wanted[high] {
                (0..=high).map(of).collect()
            } else {
                Vec::new()
            }
        };
        Self {
            low,
            rows: pool::each(wanted.len(), row),
        }
    }

    /// The mean weight of pairs of rows with `c1` and `c2` bits set, both of them wanted.
    pub(crate) fn of(&self, c1: u32, c2: u32) -> f64 {
        let [high, low] = [c1.max(c2), c1.min(c2)].map(|c| (c - self.low) as usize);
        self.rows[high][low]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn joint_weights_are_those_of_the_realisations() {
        let realisations = Realisations::of_words(1);
        let mut wanted = [true; 40];
        wanted[7] = false;
        let joint = JointWeights::new(realisations, 5, &wanted);
        for c1 in (5..45).filter(|&c| c != 12) {
            for c2 in (5..45).filter(|&c| c != 12) {
                assert_eq!(joint.of(c1, c2), realisations.joint(c1, c2), "{c1} {c2}");
            }
        }
    }
}
