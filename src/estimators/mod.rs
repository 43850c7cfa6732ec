//! Counts -> correlation functions: pure functions, one formula each.
//!
//! Entry: [`Estimator`], a table of formulas over counts ([`TermCounts`]), or [`Formula`], one written as text; then [`projected`] and
//! [`multipoles`] or [`wedges()`]; `albireo-fluids` for particles in boxes. [`Estimation`] says which counts an estimator takes of
//! samples by their [`Role`], and applies it. Nothing here counts a pair.
//!
//! Counts enter normalised: pairs in a bin over all pairs (or weight over all weight), so it does not matter whether an auto count
//! holds each pair once or in both orders. A denominator of zero gives NaN, never a made-up number.
//!
//! Errors are Poisson errors: `s^2 = sum_X (dxi/dlnX)^2 v_X` over the normalised counts X of the formula, `v = f1*f2/n` with n the
//! pairs of different particles in the bin and f the design effect of a sample's weights ([`crate::counts::PairTotal::design_effect`]); a
//! count without a pair, or an analytic one, adds nothing, and without a pair of data there is no error but NaN. They take pairs as
//! independent: cosmic variance, and what pairs that share a particle have in common, is not in them.

mod analytic;
mod angular_upweights;
mod by_region;
mod cells;
mod combined;
mod covariance;
mod dual;
mod edges;
mod estimation;
mod estimator;
mod formula;
mod formula_text;
mod integral_constraint;
mod jackknife;
mod legendre_sums;
mod less_cylinder;
mod linear_construction;
mod multipoles;
mod poisson;
mod projected;
mod radial_constraint;
mod shrinkage;
mod split_randoms;
mod terms;
mod wedges;
mod window;

pub use crate::legendre::legendre;
pub use analytic::{AnalyticRr, bin_volumes, rings, shells};
pub use angular_upweights::{angular_upweights, angular_upweights_at};
pub use by_region::RegionTerms;
pub use cells::CellRr;
pub use combined::{CombinedRegions, PartWeight, combined};
pub use covariance::{
    Covariance, correlation_of, dodelson_schneider_factor, hartlap_factor, percival_exponent,
    percival_factor,
};
pub use estimation::Estimation;
pub use estimator::{AnyEstimator, Estimator};
pub use formula::Formula;
pub use integral_constraint::{IntegralConstraint, PowerLaw};
pub use jackknife::{Jackknife, bootstrap_draws};
pub use legendre_sums::{MAX_SUMMED_ELL, legendre_degrees};
pub use linear_construction::linear_construction;
pub use multipoles::{MAX_ELL, Multipole, Multipoles, multipoles};
pub use poisson::{poisson_error, poisson_interval};
pub use projected::{Projected, projected, projected_to};
pub use radial_constraint::{RadialConstraint, ShellPairs};
pub use shrinkage::{Shrunk, Target};
pub use split_randoms::SplitRandoms;
pub use terms::{Role, Term, TermCount, TermCounts};
pub use wedges::{Wedge, Wedges, check_wedge_edges, wedges};
pub use window::{WindowMultipole, WindowMultipoles, window_multipoles};

use std::borrow::Cow;

use crate::binning::{BinAxis, Bins};
use crate::counts::{Counts, PairKind};
use crate::engine::Exactness;
use crate::error::EstimatorError;
use crate::result::{Correlation, NormalisedCounts};
use crate::tally::{Cut, Legendre, described, same_cuts};
use dual::Dual;

/// What estimators hand back.
pub type Result<T, E = EstimatorError> = std::result::Result<T, E>;

/// Random pairs to divide by: counted ([`Counts`], [`SplitRandoms`]) or known ([`AnalyticRr`]).
pub trait RandomPairs {
    /// The bins.
    fn binning(&self) -> &Bins;

    /// Pairs in each bin over all pairs; `name` is what errors call these counts.
    ///
    /// # Errors
    /// A total of zero, weights outside float64's range, or counts that cover a part of their job only.
    fn fractions(&self, name: &'static str) -> Result<Vec<f64>>;

    /// The Legendre sum of mu in each bin over the number or weight of all pairs.
    ///
    /// # Errors
    /// As [`RandomPairs::fractions`], and a sum that was not made.
    fn legendre_fractions(&self, l: Legendre, name: &'static str) -> Result<Vec<f64>>;

    /// The sum of an expression in each bin over the number or weight of all pairs.
    ///
    /// # Errors
    /// As [`RandomPairs::fractions`], and a sum that was not made.
    fn sum_fractions(&self, sum: &str, name: &'static str) -> Result<Vec<f64>> {
        Err(no_pair_sum(sum, name))
    }

    /// The Poisson variance of each fraction over its square; 0 where it is known or no pair was counted.
    fn relative_variance(&self) -> Vec<f64>;

    /// Whether they are exact.
    fn exactness(&self) -> Exactness;

    /// Which pairs are left out of the bins.
    fn cuts(&self) -> &[Cut];

    /// Whether both points of a pair come from one sample.
    fn within_one_sample(&self) -> bool;
}

impl RandomPairs for Counts {
    fn binning(&self) -> &Bins {
        self.binning()
    }

    fn fractions(&self, name: &'static str) -> Result<Vec<f64>> {
        let (have, of) = self.coverage();
        if have != of {
            return Err(EstimatorError::Incomplete {
                count: name,
                have,
                of,
            });
        }
        let total = self.total().normalisation(self.is_weighted());
        if total == 0.0 {
            return Err(EstimatorError::EmptyTotal(name));
        }
        let out_of_range = |found| EstimatorError::OutOfRange { count: name, found };
        if !total.is_normal() {
            return Err(out_of_range(total));
        }
        if let Some(&found) = self.values().iter().find(|value| !value.is_finite()) {
            return Err(out_of_range(found));
        }
        Ok(self.normalised())
    }

    fn legendre_fractions(&self, l: Legendre, name: &'static str) -> Result<Vec<f64>> {
        let fractions = self.fractions(name)?;
        if l == Legendre::L0 {
            return Ok(fractions);
        }
        let sums = self
            .legendre_sums(l)
            .ok_or_else(|| no_legendre_sums(l, name))?;
        let total = self.total().normalisation(self.is_weighted());
        Ok(sums.into_iter().map(|sum| sum / total).collect())
    }

    fn sum_fractions(&self, sum: &str, name: &'static str) -> Result<Vec<f64>> {
        self.fractions(name)?;
        let sums = self.pair_sum(sum).ok_or_else(|| no_pair_sum(sum, name))?;
        let total = self.total().normalisation(self.is_weighted());
        Ok(sums.values().into_iter().map(|sum| sum / total).collect())
    }

    fn relative_variance(&self) -> Vec<f64> {
        self.relative_variance()
    }

    fn exactness(&self) -> Exactness {
        self.exactness()
    }

    fn cuts(&self) -> &[Cut] {
        self.cuts()
    }

    fn within_one_sample(&self) -> bool {
        self.kind() != PairKind::Cross
    }
}

/// The cuts that hold pairs of any two samples alike, which all counts of an estimate must share. Those by groups and lists are about the
/// particles of one count: of points that belong to no group none is dropped.
fn cuts_of_space(cuts: &[Cut]) -> Vec<Cut> {
    let of_space = cuts.iter().filter(|cut| cut.is_of_space());
    of_space.cloned().collect()
}

/// What is said of a count without Legendre sums.
fn no_legendre_sums(l: Legendre, name: &str) -> EstimatorError {
    let degree = l.degree();
    EstimatorError::Needs(format!(
        "the Legendre sums of degree {degree} of {name} were not made"
    ))
}

/// What is said of a count without the sum of an expression.
fn no_pair_sum(sum: &str, name: &str) -> EstimatorError {
    EstimatorError::Needs(format!("the sum {sum} of {name} was not made"))
}

/// Counts of the same bins, collected by name while they are checked.
struct Inputs<'a> {
    data: &'a Counts,
    data_name: &'static str,
    columns: Vec<NormalisedCounts>,
    /// Of each column, as [`RandomPairs::relative_variance`].
    variances: Vec<Vec<f64>>,
    exactness: Exactness,
}

impl<'a> Inputs<'a> {
    /// Starts with no counts yet, but for those that tell the bins and what has no error.
    fn new(data_name: &'static str, data: &'a Counts) -> Self {
        Self {
            data,
            data_name,
            columns: Vec::new(),
            variances: Vec::new(),
            exactness: data.exactness(),
        }
    }

    /// Adds counts. If they are `shared`, they hold the same pairs as another input the other way round: each then stands for half of them,
    /// so that the variances of both add up to that of one count taken twice.
    fn with(mut self, name: &'static str, counts: &dyn RandomPairs, shared: bool) -> Result<Self> {
        if counts.binning() != self.data.binning() {
            return Err(EstimatorError::Bins {
                left: self.data_name,
                right: name,
            });
        }
        let [left, right] = [self.data.cuts(), counts.cuts()].map(cuts_of_space);
        if !same_cuts(&left, &right) {
            return Err(EstimatorError::Cuts {
                left: (self.data_name, described(&left)),
                right: (name, described(&right)),
            });
        }
        let values = counts.fractions(name)?;
        self.columns.push(NormalisedCounts { name, values });
        let times = if shared { 2.0 } else { 1.0 };
        let variances = counts.relative_variance().into_iter();
        self.variances.push(variances.map(|v| v * times).collect());
        if counts.exactness() == Exactness::Approximate {
            self.exactness = Exactness::Approximate;
        }
        Ok(self)
    }

    /// Applies `formula` to the normalised counts of each bin, in the order they were added; further ones of its arguments are 0 and constant.
    fn estimate<const N: usize>(
        self,
        estimator: impl Into<Cow<'static, str>>,
        formula: impl Fn([Dual<N>; N]) -> Dual<N>,
    ) -> Correlation {
        self.estimate_bins(estimator, |_, inputs| formula(inputs))
    }

    /// The same of a formula that is handed the number of the bin too.
    fn estimate_bins<const N: usize>(
        self,
        estimator: impl Into<Cow<'static, str>>,
        formula: impl Fn(usize, [Dual<N>; N]) -> Dual<N>,
    ) -> Correlation {
        let estimate = |k: usize| {
            let input = |column: usize| match self.columns.get(column) {
                Some(counts) => Dual::input(column, counts.values[k]),
                None => Dual::constant(0.0),
            };
            formula(k, std::array::from_fn(input))
        };
        let bins = 0..self.data.npairs().len();
        let estimates: Vec<Dual<N>> = bins.map(estimate).collect();
        let variance: Vec<f64> = estimates
            .iter()
            .enumerate()
            .map(|(k, xi)| propagated(xi, &self.variances, k))
            .collect();
        let counted = self.data.npairs().iter().map(|&n| n > 0);
        let error = variance
            .iter()
            .zip(counted)
            .map(|(variance, counted)| if counted { variance.sqrt() } else { f64::NAN })
            .collect();
        Correlation {
            estimator: estimator.into(),
            axes: self.data.binning().axes(),
            xi: estimates.iter().map(|xi| xi.value).collect(),
            error,
            variance,
            counts: self.columns,
            exactness: self.exactness,
        }
    }
}

/// `sum_X (dxi/dlnX)^2 v_X` in bin `k`; NaN where xi is.
fn propagated<const N: usize>(xi: &Dual<N>, variances: &[Vec<f64>], k: usize) -> f64 {
    if xi.value.is_nan() {
        return f64::NAN;
    }
    let terms = xi.slopes.iter().zip(variances.iter().map(|v| v[k]));
    // Not 0 * infinity where a slope or a variance is 0.
    let terms = terms.filter(|&(&slope, variance)| slope != 0.0 && variance != 0.0);
    terms
        .map(|(slope, variance)| slope * slope * variance)
        .sum()
}

/// `numerator / denominator`, NaN over zero.
pub fn ratio(numerator: f64, denominator: f64) -> f64 {
    if denominator == 0.0 {
        f64::NAN
    } else {
        numerator / denominator
    }
}

/// The axes of a correlation function over two of these names, which `what` needs.
fn two_axes<'a>(xi: &'a Correlation, names: [&str; 2], what: &str) -> Result<[&'a BinAxis; 2]> {
    let [first, second] = match xi.axes.as_slice() {
        [first, second] if [first.name, second.name] == names => [first, second],
        axes => {
            let found: Vec<_> = axes.iter().map(|axis| axis.name).collect();
            return Err(EstimatorError::Needs(format!(
                "{what} a correlation function over ({}), found ({})",
                names.join(", "),
                found.join(", ")
            )));
        }
    };
    let bins = [first, second].map(|axis| axis.edges.len().saturating_sub(1));
    let expected = bins[0].checked_mul(bins[1]);
    for found in [xi.xi.len(), xi.error.len(), xi.variance.len()] {
        if found == 0 || Some(found) != expected {
            return Err(EstimatorError::Needs(format!(
                "{what} one value for each of {} x {} bins, found {found}",
                bins[0], bins[1]
            )));
        }
    }
    Ok([first, second])
}
