//! What an engine makes of a job: an integer for each target.

use std::ops::Range;

use super::job::FieldJob;
use super::scale::FixedScale;
use crate::error::{FieldError, Result};

/// The sums of some planes of a job: multiples of 2^exponent, and how many pairs were closer than `r_min`.
#[derive(Debug, Clone, PartialEq)]
pub struct FieldSums {
    planes: Range<usize>,
    sums: Vec<i64>,
    close_pairs: u64,
    scale: FixedScale,
}

impl FieldSums {
    pub(crate) fn new(
        job: &FieldJob,
        planes: Range<usize>,
        sums: Vec<i64>,
        close_pairs: u64,
    ) -> Self {
        let scale = job.scale();
        Self {
            planes,
            sums,
            close_pairs,
            scale,
        }
    }

    /// The planes of the grid (or the points) that these are the sums of.
    pub fn planes(&self) -> Range<usize> {
        self.planes.clone()
    }

    /// The integers, in the order of the targets.
    pub fn sums(&self) -> &[i64] {
        &self.sums
    }

    /// How many pairs of a source and a target are closer than the term's `r_min`.
    pub fn close_pairs(&self) -> u64 {
        self.close_pairs
    }

    /// What a unit of the sums stands for, and their error bound.
    pub fn scale(&self) -> FixedScale {
        self.scale
    }

    /// The sums as numbers, each rounded once, in the unit of strength and length.
    pub fn values(&self) -> Vec<f64> {
        self.values_of(0..self.sums.len())
    }

    /// Those of some targets, counted from the first of these planes, as [`FieldSums::values`]; none where there are not so many.
    pub fn values_of(&self, targets: Range<usize>) -> Vec<f64> {
        let real = |&sum: &i64| libm::scalbn(sum as f64, self.scale.exponent);
        let sums = self.sums.get(targets).unwrap_or_default();
        sums.iter().map(real).collect()
    }

    /// Adds the sums of further sources at the same targets, in the same unit.
    pub(crate) fn add(&mut self, further: &Self) {
        for (sum, further) in self.sums.iter_mut().zip(&further.sums) {
            *sum += further;
        }
        self.close_pairs += further.close_pairs;
    }

    /// These planes and those that follow.
    ///
    /// # Errors
    /// Planes that do not adjoin, or those of another job.
    pub fn followed_by(mut self, next: &Self) -> Result<Self> {
        if self.scale != next.scale || self.planes.end != next.planes.start {
            return Err(FieldError::Apart {
                end: self.planes.end,
                start: next.planes.start,
            });
        }
        self.sums.extend_from_slice(&next.sums);
        self.planes.end = next.planes.end;
        self.close_pairs += next.close_pairs;
        Ok(self)
    }
}
