//! What a visited pair contributes; which pairs are visited is the traversal's affair.
//!
//! Entry: [`PairOp`] and its implementations [`Count`], [`WeightedCount`] and [`MeanSeparation`], all with [`Tally`] as output.
//! An operation never loops over pairs.

mod count;
mod mean_separation;
mod weighted;

pub use count::Count;
pub use mean_separation::MeanSeparation;
pub use weighted::WeightedCount;

use crate::binning::{Binning, LineOfSight};
use crate::engine::{PairJob, Pairs};
use crate::error::JobError;
use crate::separation::Separation;

/// Commutative and associative union of outputs: the only reduction, over threads, devices and ranks alike.
pub trait Merge: Send {
    /// Adds `other` to `self`.
    fn merge(&mut self, other: Self);
}

/// What a fast engine has to carry for an operation besides the bin of each pair.
#[derive(Debug, Clone, Copy)]
pub enum Payload<'a> {
    /// Nothing: pairs are counted.
    Count,
    /// Products of one factor in [-1, 1] per particle of the first and of the second sample, summed in fixed point.
    Products(&'a [f64], &'a [f64]),
    /// The exact separation: every pair in reach goes through [`PairOp::add`], unless the engine itself sums what
    /// [`PairOp::coordinate_sums`] asks for.
    Separation,
}

/// Sums per bin that a fast engine hands over in one go.
#[derive(Debug, Clone, Copy)]
pub struct BinSums<'a> {
    /// Pairs in each bin.
    pub npairs: &'a [u64],
    /// Fixed-point products in each bin; empty for [`Payload::Count`].
    pub products: &'a [i128],
}

/// What is summed where the coordinate of the bins is.
#[derive(Debug, Clone, Copy)]
pub struct CoordinateSums<'a> {
    /// A coordinate c adds `round_ties_even(c * 2^(36 - exponent))`.
    pub exponent: i32,
    /// What else is carried.
    pub beside: Payload<'a>,
}

/// A statistic over pairs.
pub trait PairOp: Sync {
    /// How pairs are binned.
    type Binning: Binning;
    /// What comes out.
    type Output: Merge;

    /// The bins.
    fn binning(&self) -> &Self::Binning;

    /// The identity of [`Merge::merge`].
    fn empty(&self) -> Self::Output;

    /// Takes in the pair of rows `pair` that lies in `bin`.
    fn add(&self, output: &mut Self::Output, bin: usize, pair: [usize; 2], sep: &Separation);

    /// What a fast engine must carry.
    fn payload(&self) -> Payload<'_>;

    /// Takes in sums that a fast engine made according to [`PairOp::payload`].
    fn add_sums(&self, output: &mut Self::Output, sums: BinSums<'_>);

    /// Which sums of the coordinate in each bin are asked for; none unless the payload is the separation.
    fn coordinate_sums(&self) -> Option<CoordinateSums<'_>> {
        None
    }

    /// Takes in sums made according to [`PairOp::coordinate_sums`].
    fn add_coordinates(&self, output: &mut Self::Output, sums: &[i128]) {
        let _ = (output, sums);
    }

    /// Checks that this operation is defined for `job`.
    ///
    /// # Errors
    /// Bins that the domain does not allow, positions that the bins or their line of sight do not allow, or weights of another sample.
    fn admit(&self, job: &PairJob<'_>) -> Result<(), JobError> {
        self.binning().admit(job.domain())?;
        match self.binning().line_of_sight() {
            None | Some(LineOfSight::Fixed(_)) => {}
            Some(_) => job.pairs().check_sight_range()?,
        }
        if self.binning().on_sphere() {
            job.pairs().check_unit_vectors()?;
        }
        if let Payload::Products(first, second) = self.payload() {
            let (n1, n2) = match job.pairs() {
                Pairs::Auto(sample) => (sample.len(), sample.len()),
                Pairs::Cross(first, second) => (first.len(), second.len()),
            };
            for (op, sample) in [(first.len(), n1), (second.len(), n2)] {
                if op != sample {
                    return Err(JobError::Weights { op, sample });
                }
            }
        }
        Ok(())
    }
}

/// Integers per bin: pairs and, where asked for, fixed-point sums.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Tally {
    /// Pairs in each bin.
    pub npairs: Vec<u64>,
    /// Sum of `round_ties_even(u1*u2 * 2^36)` in each bin, u the scaled weights.
    pub weight: Option<Vec<i128>>,
    /// Sum of `round_ties_even(c * 2^(36-e))` in each bin, c the binning's coordinate below `2^e`.
    pub coordinate: Option<Vec<i128>>,
}

fn add_all<T: Copy + std::ops::AddAssign>(total: &mut [T], part: &[T]) {
    for (total, &part) in total.iter_mut().zip(part) {
        *total += part;
    }
}

fn add_optional(total: &mut Option<Vec<i128>>, part: Option<Vec<i128>>) {
    match (total.as_mut(), part) {
        (Some(total), Some(part)) => add_all(total, &part),
        (None, part) => *total = part,
        (Some(_), None) => {}
    }
}

impl Merge for Tally {
    fn merge(&mut self, other: Self) {
        if self.npairs.is_empty() {
            *self = other;
            return;
        }
        add_all(&mut self.npairs, &other.npairs);
        add_optional(&mut self.weight, other.weight);
        add_optional(&mut self.coordinate, other.coordinate);
    }
}
