//! The integers of rounds, which add up.
//!
//! Entry: [`RoundSums`].

use super::{Constants, SamplerError};

/// Signed counts of quads and triples by the bins of both of their pairs, over some rounds of a job. Integers: they depend on the job and the rounds alone.
#[derive(Debug, Clone, PartialEq)]
pub struct RoundSums {
    /// What they stand for.
    pub constants: Constants,
    /// How many rounds.
    pub rounds: u64,
    /// Quads of each of [`Constants::c4_terms`]: bin of the first pair slow, bin of the second fast.
    pub c4: Vec<Vec<i64>>,
    /// Triples of each of [`Constants::c3_terms`], with the weights of their vertices.
    pub c3: Vec<Vec<i64>>,
    /// Pairs that were kept, for 11, 12 and 22.
    pub pairs: Vec<u64>,
    /// Kept pairs with a member of the cloud of each end that is not the other end.
    pub quads: u64,
}

impl RoundSums {
    /// Those of no round.
    pub fn none(constants: &Constants) -> Self {
        let matrix = vec![0; constants.bins.0 * constants.bins.0];
        Self {
            constants: constants.clone(),
            rounds: 0,
            c4: vec![matrix.clone(); constants.c4_terms().len()],
            c3: vec![matrix; constants.c3_terms().len()],
            pairs: vec![0; constants.rho.len()],
            quads: 0,
        }
    }

    /// Adds the sums of other rounds.
    ///
    /// # Errors
    /// Sums of another job, or beyond 64 bits.
    pub fn add(&mut self, other: &Self) -> Result<(), SamplerError> {
        if self.constants != other.constants {
            return Err(SamplerError::Apart {
                what: "seed, points, bins or rates",
            });
        }
        self.rounds += other.rounds;
        self.quads += other.quads;
        for (pairs, others) in self.pairs.iter_mut().zip(&other.pairs) {
            *pairs += others;
        }
        let matrices = self.c4.iter_mut().chain(&mut self.c3);
        let others = other.c4.iter().chain(&other.c3);
        for (matrix, others) in matrices.zip(others) {
            for (sum, other) in matrix.iter_mut().zip(others) {
                let rounds = self.rounds;
                *sum = sum
                    .checked_add(*other)
                    .ok_or(SamplerError::Overflow { rounds })?;
            }
        }
        Ok(())
    }

    /// A sum over quads of all random points: `C4_ab RR_a RR_b`, bin of the first pair slow; not yet symmetric.
    pub fn c4_over_all(&self, term: usize) -> Vec<f64> {
        let of_term = self.constants.c4_terms()[term];
        self.scaled(&self.c4[term], |a| self.constants.c4_unit(of_term, a))
    }

    /// A sum over triples of all random points: `C3_ab f RR_a RR_b`, bin of the first pair slow; not yet symmetric.
    pub fn c3_over_all(&self, term: usize) -> Vec<f64> {
        let of_term = self.constants.c3_terms()[term];
        self.scaled(&self.c3[term], |a| self.constants.c3_unit(of_term, a))
    }

    fn scaled(&self, counts: &[i64], unit: impl Fn(usize) -> f64) -> Vec<f64> {
        let rows = counts.chunks(self.constants.bins.0).enumerate();
        let scaled = rows.flat_map(|(a, row)| {
            let unit = unit(a) / self.rounds as f64;
            row.iter().map(move |&count| count as f64 * unit)
        });
        scaled.collect()
    }
}
