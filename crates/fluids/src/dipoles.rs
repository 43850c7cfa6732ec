//! How molecules are turned to each other, from sums over pairs of their unit vectors u.
//!
//! Entry: [`Partials::orientation`], [`Partials::kirkwood_factor`]. Hansen & `McDonald`, Theory of Simple Liquids, chapter 11.

use albireo::estimators::ratio;
use albireo::exact_sum::ExactSum;

use super::{Normalisation, Partials};
use crate::Result;

impl Partials {
    /// `factor` times sum number `at` over the pairs of an ideal gas: of `S = sum u_i.u_j` and 3 this is h110, of
    /// `sum 3 (u_i.r)(u_j.r) - u_i.u_j` and 3/2, r the unit vector between both, h112.
    ///
    /// # Errors
    /// As [`Partials::pair_sum`].
    pub fn orientation(&self, species: [usize; 2], (factor, at): (f64, usize)) -> Result<Vec<f64>> {
        let ideal = self.ideal_pairs(species, Normalisation::Pairs)?;
        let sums = self.pair_sum(species, at)?.into_iter().zip(ideal);
        Ok(sums
            .map(|(sum, ideal)| ratio(factor * sum, ideal))
            .collect())
    }

    /// The Kirkwood factor up to the upper edge of each bin, `1 + 2 sum S / N`, S sum number `at` of `u_i.u_j`: 1 without correlation, N for N
    /// molecules that are all alike. Pairs closer than the first edge are left out.
    ///
    /// # Errors
    /// As [`Partials::pair_sum`].
    pub fn kirkwood_factor(&self, species: usize, at: usize) -> Result<Vec<f64>> {
        let molecules = self.weighted_particles(species);
        let mut within = ExactSum::default();
        let up_to = |sum: f64| {
            within.add(2.0 * sum);
            1.0 + ratio(within.value(), molecules)
        };
        let sums = self.pair_sum([species; 2], at)?;
        Ok(sums.into_iter().map(up_to).collect())
    }
}
