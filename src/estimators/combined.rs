//! One estimate of several parts of the sky that share no pairs, such as the two galactic caps of a survey.
//!
//! Entry: [`combined`], and [`CombinedRegions`] where the counts are kept apart by regions. Every count of a part is brought to the total
//! of its random pairs and then added to those of the others, so that a part weighs by its random pairs in numerator and denominator:
//! `X = sum_c f_c X_c` with `f_c = W_RR,c / W_X,c`, W the totals. Normalised, that is the mean of the parts' normalised counts, weighted
//! by `W_RR,c`.

use super::by_region::RegionTerms;
use super::estimator::AnyEstimator;
use super::jackknife::{Jackknife, bootstrap_draws};
use super::terms::{Term, TermCounts};
use crate::counts::Counts;
use crate::error::EstimatorError;
use crate::result::Correlation;

/// The counts of a part of the sky by their terms.
type Counted = Vec<(Term, Counts)>;

fn needs(what: impl Into<String>) -> EstimatorError {
    EstimatorError::Needs(what.into())
}

/// What each count of a part is multiplied by: the total of its random pairs over its own.
fn factors<'a>(
    counts: impl Iterator<Item = (Term, &'a Counts)> + Clone,
) -> Result<Vec<f64>, EstimatorError> {
    let total = |counts: &Counts| {
        let weighted = counts.weight().is_some();
        counts.total().normalisation(weighted)
    };
    let mut random = counts.clone().filter(|(term, _)| term.is_volume());
    let (_, random) = random.next().ok_or_else(|| {
        needs("parts of the sky are put together by their random pairs, and RR was not counted")
    })?;
    let random = total(random);
    let factor = |(term, counts): (Term, &Counts)| {
        let own = total(counts);
        if own == 0.0 || random == 0.0 {
            return Err(EstimatorError::EmptyTotal(term.name));
        }
        Ok(random / own)
    };
    counts.map(factor).collect()
}

/// The counts of a part, which must be of all pairs.
fn of_all_pairs(part: &RegionTerms) -> Result<Vec<(Term, &Counts)>, EstimatorError> {
    let mut all = Vec::new();
    for (term, counts) in part.counted() {
        let counts = counts.of_all_pairs().ok_or_else(|| {
            needs(format!(
                "parts of the sky are put together by counts of all pairs: those of {} are within subsets",
                term.name
            ))
        })?;
        all.push((*term, counts));
    }
    Ok(all)
}

/// The rescaled counts of all parts, added term by term.
fn added(parts: &[Counted], factors: &[Vec<f64>]) -> Result<TermCounts, EstimatorError> {
    let (first, others) = parts
        .split_first()
        .ok_or_else(|| needs("no part of the sky is given"))?;
    let mut sums = Vec::with_capacity(first.len());
    for (k, (term, counts)) in first.iter().enumerate() {
        let mut same = Vec::with_capacity(others.len());
        for (part, factors) in others.iter().zip(&factors[1..]) {
            match part.get(k) {
                Some((other, counts)) if other == term && part.len() == first.len() => {
                    same.push((factors[k], counts));
                }
                _ => return Err(needs("the parts of the sky have different counts")),
            }
        }
        let sum = Counts::rescaled_sum((factors[0][k], counts), &same);
        let sum = sum.map_err(|error| needs(format!("{}: {error}", term.name)))?;
        sums.push((*term, sum));
    }
    Ok(TermCounts::new(sums, None))
}

/// The counts of parts of the sky put together: of each term the counts of all parts, rescaled to the total of their random pairs. Any
/// estimator of the terms takes them.
///
/// As `sum(r.normalize(r.R1R2.wnorm) for r in parts)` of pycorr.
///
/// ```
/// use albireo::counts::{JobId, PairKind};
/// use albireo::estimators::{Estimator, Term, combined};
/// use albireo::counts::PairTotal;
/// use albireo::{Edges, Counts, RBins};
/// let bins = RBins::new(Edges::linear(0.0, 2.0, 1)?);
/// let of = |pairs, total| {
///     let total = PairTotal::unweighted(PairKind::AutoUnordered, total);
///     Counts::from_parts(bins.clone(), vec![pairs], None, total, JobId(1))
/// };
/// let north = vec![(Term::DD, of(20, 100)?), (Term::RR, of(60, 600)?)];
/// let south = vec![(Term::DD, of(3, 10)?), (Term::RR, of(30, 200)?)];
/// let xi = Estimator::Natural.estimate(&combined(&[north, south])?)?;
/// // DD: (600 * 0.2 + 200 * 0.3)/800, RR: (60 + 30)/800.
/// assert!((xi.xi[0] - (180.0 / 90.0 - 1.0)).abs() < 1e-15);
/// # Ok::<(), albireo::Error>(())
/// ```
///
/// # Errors
/// [`EstimatorError`]: no part, a part without counted random pairs or with a total of zero, or parts with other counts or bins.
pub fn combined(parts: &[Counted]) -> Result<TermCounts, EstimatorError> {
    let of = |part: &Counted| factors(part.iter().map(|(term, counts)| (*term, counts)));
    let factors = parts.iter().map(of).collect::<Result<Vec<_>, _>>()?;
    added(parts, &factors)
}

/// Counts by region of parts of the sky that are put together; the regions of all parts are those of the whole, so that a jackknife leaves
/// out each of them in turn.
///
/// The factors of a part stay those of all its pairs when one of its regions is left out, as in pycorr.
///
/// ```
/// use albireo::counts::{JobId, PairKind};
/// use albireo::estimators::{CombinedRegions, Estimator, Jackknife, RegionTerms, Term};
/// use albireo::counts::PairTotal;
/// use albireo::{Edges, Counts, RBins};
/// let bins = RBins::new(Edges::linear(0.0, 2.0, 1)?);
/// let of = |pairs, total| {
///     let total = PairTotal::unweighted(PairKind::AutoUnordered, total);
///     Counts::from_parts(bins.clone(), vec![pairs], None, total, JobId(1))
/// };
/// let cap = |n: u64| {
///     let half = |n| Ok::<_, albireo::Error>([of(3 * n, 10 * n)?, of(2 * n, 20 * n)?]);
///     let counts = |n| Ok::<_, albireo::Error>(of(8 * n, 40 * n)?.with_regions(&[half(n)?, half(n)?])?);
///     let counted = vec![(Term::DD, counts(n)?), (Term::RR, counts(5 * n)?)];
///     Ok::<_, albireo::Error>(RegionTerms::new(Estimator::Natural, counted, None)?)
/// };
/// let both = CombinedRegions::new(vec![cap(1)?, cap(2)?])?;
/// assert_eq!(both.number(), 4);
/// assert_eq!(both.jackknife(Jackknife::Standard).count(), 4);
/// assert!(both.estimate()?.xi[0].abs() < 1e-15);
/// # Ok::<(), albireo::Error>(())
/// ```
#[derive(Debug, Clone)]
pub struct CombinedRegions {
    estimator: AnyEstimator,
    parts: Vec<RegionTerms>,
    factors: Vec<Vec<f64>>,
}

impl CombinedRegions {
    /// The counts of each part.
    ///
    /// # Errors
    /// [`EstimatorError`]: no part, parts of different estimators, random pairs that are known instead of counted, or a total of zero.
    pub fn new(parts: Vec<RegionTerms>) -> Result<Self, EstimatorError> {
        let first = parts.first();
        let estimator = first.map(|part| part.estimator().clone());
        let estimator = estimator.ok_or_else(|| needs("no part of the sky is given"))?;
        if parts.iter().any(|part| *part.estimator() != estimator) {
            return Err(needs("the parts of the sky have different estimators"));
        }
        if parts.iter().any(RegionTerms::knows_randoms) {
            return Err(needs(
                "parts of the sky are put together by their random pairs, and RR was not counted",
            ));
        }
        let of = |part: &RegionTerms| factors(of_all_pairs(part)?.into_iter());
        let factors = parts.iter().map(of).collect::<Result<_, _>>()?;
        Ok(Self {
            estimator,
            parts,
            factors,
        })
    }

    /// Number of regions of all parts.
    pub fn number(&self) -> usize {
        self.parts.iter().map(RegionTerms::number).sum()
    }

    /// The parts.
    pub fn parts(&self) -> &[RegionTerms] {
        &self.parts
    }

    /// The combined counts of all pairs.
    ///
    /// # Errors
    /// As [`combined`].
    pub fn counts(&self) -> Result<TermCounts, EstimatorError> {
        self.counts_of(|_, counts| counts.whole())
    }

    /// The correlation function of all pairs.
    ///
    /// # Errors
    /// As [`AnyEstimator::estimate`].
    pub fn estimate(&self) -> Result<Correlation, EstimatorError> {
        self.estimator.estimate(&self.counts()?)
    }

    /// The correlation function without each region of each part in turn, all pairs of the other parts with it.
    ///
    /// # Errors
    /// Each as [`AnyEstimator::estimate`].
    pub fn jackknife(
        &self,
        kind: Jackknife,
    ) -> impl Iterator<Item = Result<Correlation, EstimatorError>> + '_ {
        let n = self.number();
        let (alpha, of_totals) = (kind.alpha(n), kind.alpha_of_totals(n));
        let numbers = self.parts.iter().map(RegionTerms::number).enumerate();
        let regions = numbers.flat_map(|(part, number)| (0..number).map(move |k| (part, k)));
        regions.map(move |(of, k)| {
            let counts = self.counts_of(|part, counts| {
                if part == of {
                    counts.without_shares(k, alpha, of_totals)
                } else {
                    counts.whole()
                }
            })?;
            self.estimator.estimate(&counts)
        })
    }

    /// The correlation function of regions drawn with replacement from those of all parts, as [`RegionTerms::bootstrap`].
    ///
    /// # Errors
    /// [`EstimatorError::Needs`]: fewer than two realisations; each as [`AnyEstimator::estimate`].
    pub fn bootstrap(
        &self,
        realisations: u32,
        seed: u64,
    ) -> Result<impl Iterator<Item = Result<Correlation, EstimatorError>> + '_, EstimatorError>
    {
        let draws = bootstrap_draws(self.number(), realisations, seed)?;
        let numbers = self.parts.iter().map(RegionTerms::number);
        let starts: Vec<usize> = numbers
            .scan(0, |next, number| {
                let start = *next;
                *next += number;
                Some(start)
            })
            .collect();
        Ok(draws.map(move |times| {
            let counts = self.counts_of(|part, counts| {
                let own = &times[starts[part]..][..counts.regions()];
                counts.resampled(own)
            })?;
            self.estimator.estimate(&counts)
        }))
    }

    /// The combination of what `of` makes of the counts of each part.
    fn counts_of(
        &self,
        of: impl Fn(usize, &Counts) -> Counts,
    ) -> Result<TermCounts, EstimatorError> {
        let part = |(part, terms): (usize, &RegionTerms)| -> Result<Counted, EstimatorError> {
            let counted = of_all_pairs(terms)?.into_iter();
            Ok(counted
                .map(|(term, counts)| (term, of(part, counts)))
                .collect())
        };
        let parts = self.parts.iter().enumerate().map(part);
        added(&parts.collect::<Result<Vec<_>, _>>()?, &self.factors)
    }
}
