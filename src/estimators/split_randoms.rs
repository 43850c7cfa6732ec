//! Random pairs of which those far apart were counted within subsets of the randoms only.
//!
//! Entry: [`SplitRandoms`]; how randoms are split is defined by [`crate::counts::Split`].

use super::RandomPairs;
use super::Result;
use crate::binning::Bins;
use crate::counts::{Counts, PairKind};
use crate::engine::Exactness;
use crate::error::{BinsError, CountsError, EstimatorError};
use crate::tally::{Cut, Legendre, described, same_cuts};

/// Counts of all pairs of randoms in the first bins and of those within subsets in the others, each over its own total.
///
/// Both parts stay exact integers. The Poisson variance of a bin is that of the pairs that were counted for it.
///
/// ```
/// use albireo::counts::{Split, count_pairs};
/// use albireo::estimators::{Estimator, RandomPairs, SplitRandoms, Term, TermCount, TermCounts};
/// use albireo::engine::Silent;
/// use albireo::{Bins, Domain, Edges, Naive, PairJob, Pairs, Particles, RBins, random};
/// let (data, randoms) = (random::in_box(50, 1, [1.0; 3])?, random::in_box(400, 2, [1.0; 3])?);
/// let (data, randoms) = (Particles::new(data), Particles::new(randoms));
/// let bins = Bins::from(RBins::new(Edges::linear(0.0, 0.4, 4)?));
/// let count = |sample: &Particles, bins: &Bins| {
///     let job = PairJob::new(Pairs::Auto(sample), &Domain::Open)?;
///     Ok::<_, albireo::Error>(count_pairs(&Naive, &job, bins, &Silent)?)
/// };
/// let split = Split::new(4, Some(0.2))?;
/// let Some(near) = split.near_bins(&bins)? else { panic!("two bins are near") };
/// let near = count(&randoms, &near)?;
/// let subsets = split.subsets_of(&randoms)?;
/// let mut far = count(&subsets[0], &bins)?;
/// for subset in &subsets[1..] {
///     far.merge(&count(subset, &bins)?)?;
/// }
/// let rr = SplitRandoms::new(near.clone(), far.clone())?;
/// assert_eq!(rr.fractions("RR")?[..2], near.normalised());
/// assert_eq!(rr.fractions("RR")?[2..], far.normalised()[2..]);
/// let dd = TermCount::from(count(&data, &bins)?);
/// let counts = TermCounts::new([(Term::DD, dd), (Term::RR, rr.into())], None);
/// let xi = Estimator::Natural.estimate(&counts)?;
/// assert!(xi.xi[3].abs() < 5.0 * xi.error[3]);
/// # Ok::<(), albireo::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct SplitRandoms {
    near: Counts,
    far: Counts,
}

impl SplitRandoms {
    /// Joins counts of all pairs in the first bins with those within subsets in all bins.
    ///
    /// # Errors
    /// [`EstimatorError::Bins`]: the first are not in fewer bins of the others, cut short along their first axis;
    /// [`EstimatorError::Cuts`]: other pairs are left out; [`EstimatorError::Needs`]: weights in one of them alone.
    pub fn new(near: Counts, far: Counts) -> Result<Self> {
        let (left, right) = ("RR of all randoms", "RR within subsets");
        let [bins, all] = [&near, &far].map(|counts| counts.binning().shape().first().copied());
        let bins = bins.unwrap_or_default();
        if Some(bins) >= all
            || far.binning().below(bins).as_ref() != Some(near.binning())
            || near.kind() != far.kind()
        {
            return Err(EstimatorError::Bins { left, right });
        }
        if !same_cuts(near.cuts(), far.cuts()) {
            return Err(EstimatorError::Cuts {
                left: (left, described(near.cuts())),
                right: (right, described(far.cuts())),
            });
        }
        if near.weight().is_some() != far.weight().is_some() {
            return Err(EstimatorError::Needs(format!(
                "{left} and {right} must both be weighted, or neither"
            )));
        }
        Ok(Self { near, far })
    }

    /// Both in coarser bins: `by[k]` neighbouring bins of axis k together.
    pub(super) fn rebin(&self, by: &[usize]) -> Result<Self, CountsError> {
        let far = self.far.rebin(by)?;
        // What divides all bins may still not divide those below.
        let near = self.near.rebin(by).map_err(|error| match error {
            CountsError::Axes(BinsError::Divisor { axis, bins, by }) => CountsError::AcrossSplit {
                axis,
                below: bins,
                by,
            },
            other => other,
        })?;
        Ok(Self { near, far })
    }

    /// What `count` makes of both: counts in the same bins, of the same pairs.
    pub(super) fn each(&self, count: impl Fn(&Counts) -> Counts) -> Self {
        let [near, far] = [&self.near, &self.far].map(count);
        Self { near, far }
    }

    /// The counts of all pairs, in the first bins.
    pub fn near(&self) -> &Counts {
        &self.near
    }

    /// The counts within subsets, in all bins.
    pub fn far(&self) -> &Counts {
        &self.far
    }

    /// Pairs in each bin, as they were counted for it.
    pub fn npairs(&self) -> Vec<u64> {
        joined(self.near.npairs(), self.far.npairs())
    }

    /// Their weights, where there are any.
    pub fn weight(&self) -> Option<Vec<f64>> {
        Some(joined(&self.near.weight()?, &self.far.weight()?))
    }
}

/// The first values from one, the others from the other.
fn joined<T: Copy>(near: &[T], far: &[T]) -> Vec<T> {
    let rest = far.iter().skip(near.len());
    near.iter().chain(rest).copied().collect()
}

impl RandomPairs for SplitRandoms {
    fn binning(&self) -> &Bins {
        self.far.binning()
    }

    fn fractions(&self, name: &'static str) -> Result<Vec<f64>> {
        let [near, far] = [&self.near, &self.far].map(|counts| counts.fractions(name));
        Ok(joined(&near?, &far?))
    }

    fn legendre_fractions(&self, l: Legendre, name: &'static str) -> Result<Vec<f64>> {
        let parts = [&self.near, &self.far].map(|counts| counts.legendre_fractions(l, name));
        let [near, far] = parts;
        Ok(joined(&near?, &far?))
    }

    fn relative_variance(&self) -> Vec<f64> {
        joined(
            &self.near.relative_variance(),
            &self.far.relative_variance(),
        )
    }

    fn exactness(&self) -> Exactness {
        match self.near.exactness() {
            Exactness::Exact => self.far.exactness(),
            Exactness::Approximate => Exactness::Approximate,
        }
    }

    fn cuts(&self) -> &[Cut] {
        self.far.cuts()
    }

    fn within_one_sample(&self) -> bool {
        self.far.kind() != PairKind::Cross
    }
}
