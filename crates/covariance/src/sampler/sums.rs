//! The integers of rounds, which add up.
//!
//! Entry: [`RoundSums`].

use super::{Constants, SHARE_STEP, SamplerError};

/// The sums that a jackknife asks for, of quads or of triples: bin of the first pair slow, bin of the second fast.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct RegionRoundSums {
    /// Each tuple times the number of equal regions among ik, il, jk and jl, ij being the first pair and kl the second; l is j in triples.
    pub equal: Vec<i64>,
    /// Each tuple times the shares, in the bin of the second pair, of the regions of i and of j, in steps of [`SHARE_STEP`].
    pub shares: Vec<i64>,
}

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
    /// By regions, of the first of [`RoundSums::c4`] and [`RoundSums::c3`]; none without regions.
    pub regions: Option<[RegionRoundSums; 2]>,
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
            regions: (!constants.shares.is_empty()).then(|| {
                [(); 2].map(|()| RegionRoundSums {
                    equal: vec![0; constants.bins.0 * constants.bins.0],
                    shares: vec![0; constants.bins.0 * constants.bins.0],
                })
            }),
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
        let rounds = self.rounds;
        for (matrix, others) in self.matrices_mut().zip(other.matrices()) {
            for (sum, other) in matrix.iter_mut().zip(others) {
                *sum = sum
                    .checked_add(*other)
                    .ok_or(SamplerError::Overflow { rounds })?;
            }
        }
        Ok(())
    }

    /// All integers by bins: of quads, of triples, and by regions.
    fn matrices(&self) -> impl Iterator<Item = &Vec<i64>> {
        let of_regions = self.regions.iter().flatten();
        let of_regions = of_regions.flat_map(|sums| [&sums.equal, &sums.shares]);
        self.c4.iter().chain(&self.c3).chain(of_regions)
    }

    fn matrices_mut(&mut self) -> impl Iterator<Item = &mut Vec<i64>> {
        let of_regions = self.regions.iter_mut().flatten();
        let of_regions = of_regions.flat_map(|sums| [&mut sums.equal, &mut sums.shares]);
        self.c4.iter_mut().chain(&mut self.c3).chain(of_regions)
    }

    /// All of it but the constants, from which [`RoundSums::from_bytes`] makes it again.
    pub fn to_bytes(&self) -> Vec<u8> {
        let numbers = [self.rounds, self.quads].into_iter();
        let numbers = numbers.chain(self.pairs.iter().copied());
        let integers = self.matrices().flatten().map(|sum| sum.cast_unsigned());
        numbers.chain(integers).flat_map(u64::to_le_bytes).collect()
    }

    /// The sums that these bytes are of; none where they are not as many as the constants ask for.
    ///
    /// ```
    /// # use albireo_covariance::sampler::{Constants, RoundSums};
    /// # let constants = Constants { seed: 1, bins: (2, 1), randoms: vec![9], points: vec![9], kappa: vec![vec![1.0]], rho: vec![vec![1.0; 2]], weight_units: vec![1.0], shares: vec![] };
    /// let mut sums = RoundSums::none(&constants);
    /// sums.c4[0][3] = -7;
    /// assert_eq!(RoundSums::from_bytes(&constants, &sums.to_bytes()), Some(sums.clone()));
    /// assert_eq!(RoundSums::from_bytes(&constants, &sums.to_bytes()[8..]), None);
    /// ```
    pub fn from_bytes(constants: &Constants, bytes: &[u8]) -> Option<Self> {
        let (words, rest) = bytes.as_chunks::<8>();
        let mut words = words.iter().map(|word| u64::from_le_bytes(*word));
        let mut sums = Self::none(constants);
        let all: usize = sums.matrices().map(Vec::len).sum();
        (rest.is_empty() && words.len() == 2 + sums.pairs.len() + all).then_some(())?;
        (sums.rounds, sums.quads) = (words.next()?, words.next()?);
        for pairs in &mut sums.pairs {
            *pairs = words.next()?;
        }
        for (sum, word) in sums.matrices_mut().flatten().zip(words) {
            *sum = word.cast_signed();
        }
        Some(sums)
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

    /// The sums by regions over quads (0) or triples (1) of all random points, scaled as [`RoundSums::c4_over_all`] and [`RoundSums::c3_over_all`]: equal regions, and shares.
    pub fn regions_over_all(&self, of_triples: usize) -> Option<[Vec<f64>; 2]> {
        let sums = self.regions.as_ref()?.get(of_triples)?;
        let (c4, c3) = (self.constants.c4_terms(), self.constants.c3_terms());
        let unit = |a| match of_triples {
            0 => self.constants.c4_unit(c4[0], a),
            _ => self.constants.c3_unit(c3[0], a),
        };
        let shares = self.scaled(&sums.shares, |a| unit(a) * SHARE_STEP);
        Some([self.scaled(&sums.equal, unit), shares])
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
