//! Counts -> correlation functions: pure functions, one formula each.
//!
//! Entry: [`LandySzalay`] and its relatives, whose named fields keep DD, DR and RR from being swapped; then [`projected`] and
//! [`multipoles`]; [`Rdf`] for particles in boxes. Nothing here counts a pair.
//!
//! Counts enter normalised: pairs in a bin over all pairs (or weight over all weight), so it does not matter whether an auto count
//! holds each pair once or in both orders. A denominator of zero gives NaN, never a made-up number.

mod analytic;
mod landy_szalay;
mod multipoles;
mod poisson;
mod projected;
mod ratio;
mod rdf;

pub use analytic::AnalyticRr;
pub use landy_szalay::{LandySzalay, LandySzalayCross, ShiftedRandoms};
pub use multipoles::{Multipole, Multipoles, legendre, multipoles};
pub use poisson::{poisson_error, poisson_interval};
pub use projected::{Projected, projected};
pub use ratio::{DavisPeebles, Hamilton, Natural};
pub use rdf::Rdf;

use crate::binning::Binning;
use crate::counts::{PairCounts, PairKind};
use crate::engine::Exactness;
use crate::error::EstimatorError;
use crate::result::{Correlation, NormalisedCounts};

/// Random pairs to divide by: counted ([`PairCounts`]) or known ([`AnalyticRr`]).
pub trait RandomPairs<B: Binning> {
    /// The bins.
    fn binning(&self) -> &B;

    /// Pairs in each bin over all pairs; `name` is what errors call these counts.
    ///
    /// # Errors
    /// A total of zero, or counts that cover a part of their job only.
    fn fractions(&self, name: &'static str) -> Result<Vec<f64>, EstimatorError>;

    /// Whether they are exact.
    fn exactness(&self) -> Exactness;
}

impl<B: Binning> RandomPairs<B> for PairCounts<B> {
    fn binning(&self) -> &B {
        self.binning()
    }

    fn fractions(&self, name: &'static str) -> Result<Vec<f64>, EstimatorError> {
        let (have, of) = self.coverage();
        if have != of {
            return Err(EstimatorError::Incomplete {
                count: name,
                have,
                of,
            });
        }
        let total = self.total().normalisation(self.weight().is_some());
        if total == 0.0 {
            return Err(EstimatorError::EmptyTotal(name));
        }
        Ok(self.normalised())
    }

    fn exactness(&self) -> Exactness {
        self.exactness()
    }
}

/// Counts of the same bins, collected by name while they are checked.
struct Inputs<'a, B> {
    data: &'a PairCounts<B>,
    data_name: &'static str,
    columns: Vec<NormalisedCounts>,
    exactness: Exactness,
}

impl<'a, B: Binning> Inputs<'a, B> {
    /// Starts with the counts of data pairs, from which the Poisson error follows.
    fn new(data_name: &'static str, data: &'a PairCounts<B>) -> Result<Self, EstimatorError> {
        let values = data.fractions(data_name)?;
        let columns = vec![NormalisedCounts {
            name: data_name,
            values,
        }];
        Ok(Self {
            data,
            data_name,
            columns,
            exactness: data.exactness(),
        })
    }

    /// Adds further counts.
    fn with(
        mut self,
        name: &'static str,
        counts: &impl RandomPairs<B>,
    ) -> Result<Self, EstimatorError> {
        if counts.binning() != self.data.binning() {
            return Err(EstimatorError::Bins {
                left: self.data_name,
                right: name,
            });
        }
        let values = counts.fractions(name)?;
        self.columns.push(NormalisedCounts { name, values });
        if counts.exactness() == Exactness::Approximate {
            self.exactness = Exactness::Approximate;
        }
        Ok(self)
    }

    /// Applies `formula` to the normalised counts of each bin, in the order they were added.
    fn estimate<const N: usize>(
        self,
        estimator: &'static str,
        formula: impl Fn([f64; N]) -> f64,
    ) -> Correlation {
        debug_assert_eq!(self.columns.len(), N);
        let bin = |k: usize| std::array::from_fn(|column| self.columns[column].values[k]);
        let xi: Vec<f64> = (0..self.data.npairs().len())
            .map(|k| formula(bin(k)))
            .collect();
        let error = xi
            .iter()
            .zip(distinct_pairs(self.data))
            .map(|(&xi, pairs)| poisson_error(xi, pairs))
            .collect();
        Correlation {
            estimator,
            axes: self.data.binning().axes(),
            xi,
            error,
            counts: self.columns,
            exactness: self.exactness,
        }
    }
}

/// Number of pairs of different particles behind each bin.
///
/// An auto count of both orders holds every pair twice, in one bin or in two that mirror each other; half of each bin then
/// stands for the pairs that are its own, and errors of bins may be combined as independent ones.
fn distinct_pairs<B: Binning>(counts: &PairCounts<B>) -> impl Iterator<Item = f64> {
    let times = match counts.kind() {
        PairKind::AutoOrdered => 2.0,
        PairKind::AutoUnordered | PairKind::Cross => 1.0,
    };
    counts.npairs().iter().map(move |&n| n as f64 / times)
}

/// `numerator / denominator`, NaN over zero.
fn ratio(numerator: f64, denominator: f64) -> f64 {
    if denominator == 0.0 {
        f64::NAN
    } else {
        numerator / denominator
    }
}
