//! Sums of values over the pairs of frames, such as products of orientations or forces along separations.
//!
//! Entry: [`Partials::pair_sum`], [`Partials::pair_sum_mean`].

use albireo::error::EstimatorError;
use albireo::estimators::ratio;
use albireo::exact_sum::ExactSum;

use super::Partials;
use crate::Result;

impl Partials {
    /// Sum number `at` of the values of pairs in each bin, over the frames by their weights: exact, rounded once.
    ///
    /// # Errors
    /// Species whose pairs were not counted, or no such sum.
    pub fn pair_sum(&self, species: [usize; 2], at: usize) -> Result<Vec<f64>> {
        let class = self.species.class(species)?;
        let sums = self.sums.get(at).ok_or_else(|| {
            EstimatorError::Needs(format!(
                "sum number {at} of values of pairs was not made: there are {}",
                self.sums.len()
            ))
        })?;
        let bins = self.volumes().len();
        let of_class = &sums[class * bins..][..bins];
        Ok(of_class.iter().map(ExactSum::value).collect())
    }

    /// Pairs in each bin, over the frames by their weights.
    ///
    /// # Errors
    /// Species whose pairs were not counted.
    pub fn pair_weights(&self, species: [usize; 2]) -> Result<Vec<f64>> {
        Ok(self.weighted_pairs(self.species.class(species)?))
    }

    /// The mean value of the pairs in each bin; NaN where there is none.
    ///
    /// # Errors
    /// As [`Partials::pair_sum`].
    pub fn pair_sum_mean(&self, species: [usize; 2], at: usize) -> Result<Vec<f64>> {
        let sums = self.pair_sum(species, at)?.into_iter();
        let pairs = self.pair_weights(species)?;
        Ok(sums.zip(pairs).map(|(sum, n)| ratio(sum, n)).collect())
    }
}
