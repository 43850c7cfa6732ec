//! One estimate of several parts of the sky that share no pairs, such as the two galactic caps of a survey.
//!
//! Entry: [`combined`], and [`CombinedRegions`] where the counts are kept apart by regions. Every count of a part is brought to the total
//! that the part weighs by ([`PartWeight`]) and then added to those of the others: `X = sum_c f_c X_c` with `f_c = W_c / W_X,c`, `W_X` the
//! totals. Normalised, that is the mean of the parts' normalised counts, weighted by `W_c`.

use super::Result;
use super::SplitRandoms;
use super::by_region::RegionTerms;
use super::estimator::AnyEstimator;
use super::jackknife::{Jackknife, bootstrap_draws};
use super::terms::{Term, TermCount, TermCounts};
use crate::counts::Counts;
use crate::error::EstimatorError;
use crate::result::Correlation;

/// The counts of a part of the sky by their terms.
type Counted = Vec<(Term, TermCount)>;

/// What a part of the sky weighs by among the others.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum PartWeight {
    /// The total of its random pairs, RR: its volume, in numerator and denominator.
    #[default]
    Randoms,
    /// The total of its data pairs, DD, as in pycorr and lsstypes: its data; the weights of randoms do not matter.
    Data,
}

impl PartWeight {
    /// The counts that it is the total of, in words.
    fn needs(self) -> &'static str {
        match self {
            Self::Randoms => "their random pairs, and RR was",
            Self::Data => "their data pairs, and DD was",
        }
    }

    fn is_total_of(self, term: Term) -> bool {
        match self {
            Self::Randoms => term.is_volume(),
            Self::Data => term.is_data(),
        }
    }
}

fn needs(what: impl Into<String>) -> EstimatorError {
    EstimatorError::Needs(what.into())
}

/// The factors of the counts of a part; two of a count of split randoms.
type Factors = Vec<Vec<f64>>;

/// What each count of a part is multiplied by: the total that the part weighs by over its own.
fn factors(counts: &[(Term, TermCount)], by: PartWeight) -> Result<Factors> {
    let total = |counts: &Counts| {
        let weighted = counts.weight().is_some();
        counts.total().normalisation(weighted)
    };
    let weighing = counts.iter().find(|(term, _)| by.is_total_of(*term));
    let (term, weighing) = weighing.ok_or_else(|| {
        let needed = by.needs();
        needs(format!(
            "parts of the sky are put together by {needed} not counted"
        ))
    })?;
    let weighing = weighing.of_all_pairs().ok_or_else(|| {
        needs(format!(
            "{} is of split randoms and has two totals: parts of the sky may weigh by their data pairs instead",
            term.name
        ))
    })?;
    let weighing = total(weighing);
    let of_count = |(term, counts): &(Term, TermCount)| {
        let factor = |counts: &Counts| {
            let own = total(counts);
            if own == 0.0 || weighing == 0.0 {
                return Err(EstimatorError::EmptyTotal(term.name));
            }
            Ok(weighing / own)
        };
        counts.parts().into_iter().map(factor).collect()
    };
    counts.iter().map(of_count).collect()
}

/// The rescaled counts of a term of all parts, added.
fn sum_of(term: Term, parts: &[(&TermCount, &[f64])]) -> Result<TermCount> {
    let number = |part: Option<&(&TermCount, &[f64])>| part.map(|(_, factors)| factors.len());
    let counts = number(parts.first()).unwrap_or_default();
    if parts.iter().any(|part| number(Some(part)) != Some(counts)) {
        return Err(needs(format!(
            "{}: randoms are split in some parts of the sky alone",
            term.name
        )));
    }
    let sum = |k: usize| {
        let of = parts
            .iter()
            .map(|(counts, factors)| (factors[k], counts.parts()[k]));
        let all: Vec<(f64, &Counts)> = of.collect();
        let sum = Counts::rescaled_sum(all[0], &all[1..]);
        sum.map_err(|error| needs(format!("{}: {error}", term.name)))
    };
    Ok(match counts {
        2 => SplitRandoms::new(sum(0)?, sum(1)?)?.into(),
        _ => sum(0)?.into(),
    })
}

/// The rescaled counts of all parts, added term by term.
fn added(parts: &[Counted], factors: &[Factors]) -> Result<TermCounts> {
    let first = parts.first();
    let first = first.ok_or_else(|| needs("no part of the sky is given"))?;
    let alike = |part: &Counted| {
        let terms = part.iter().zip(first);
        part.len() == first.len() && terms.into_iter().all(|((a, _), (b, _))| a == b)
    };
    if !parts.iter().all(alike) {
        return Err(needs("the parts of the sky have different counts"));
    }
    let sum = |(k, &(term, _)): (usize, &(Term, TermCount))| {
        let all = parts.iter().zip(factors);
        let all = all.map(|(part, factors)| (&part[k].1, factors[k].as_slice()));
        Ok((term, sum_of(term, &all.collect::<Vec<_>>())?))
    };
    let sums = first.iter().enumerate().map(sum);
    let sums = sums.collect::<Result<Vec<_>>>()?;
    Ok(TermCounts::new(sums, None))
}

/// The counts of parts of the sky put together: of each term the counts of all parts, rescaled to the total that they weigh by. Any
/// estimator of the terms takes them.
///
/// As `sum(r.normalize(r.R1R2.wnorm) for r in parts)` of pycorr; of its D1D2 by [`PartWeight::Data`].
///
/// ```
/// use albireo::counts::{JobId, PairKind};
/// use albireo::estimators::{Estimator, PartWeight, Term, combined};
/// use albireo::counts::PairTotal;
/// use albireo::{Edges, Counts, RBins};
/// let bins = RBins::new(Edges::linear(0.0, 2.0, 1)?);
/// let of = |pairs, total| {
///     let total = PairTotal::unweighted(PairKind::AutoUnordered, total);
///     Counts::from_parts(bins.clone(), vec![pairs], None, total, JobId(1))
/// };
/// let north = vec![(Term::DD, of(20, 100)?), (Term::RR, of(60, 600)?)];
/// let south = vec![(Term::DD, of(3, 10)?), (Term::RR, of(30, 200)?)];
/// let parts = [north, south].map(|part| part.into_iter().map(|(term, counts)| (term, counts.into())).collect());
/// let xi = Estimator::Natural.estimate(&combined(&parts, PartWeight::Randoms)?)?;
/// // DD: (600 * 0.2 + 200 * 0.3)/800, RR: (60 + 30)/800.
/// assert!((xi.xi[0] - (180.0 / 90.0 - 1.0)).abs() < 1e-15);
/// // DD: (100 * 0.2 + 10 * 0.3)/110, RR: (100 * 0.1 + 10 * 0.15)/110.
/// let xi = Estimator::Natural.estimate(&combined(&parts, PartWeight::Data)?)?;
/// assert!((xi.xi[0] - (23.0 / 11.5 - 1.0)).abs() < 1e-15);
/// # Ok::<(), albireo::Error>(())
/// ```
///
/// # Errors
/// [`EstimatorError`]: no part, a part without counted random pairs or with a total of zero, or parts with other counts or bins.
pub fn combined(parts: &[Counted], by: PartWeight) -> Result<TermCounts> {
    let factors = parts.iter().map(|part| factors(part, by));
    added(parts, &factors.collect::<Result<Vec<_>, _>>()?)
}

/// Counts by region of parts of the sky that are put together; the regions of all parts are those of the whole, so that a jackknife leaves
/// out each of them in turn, or region k of all parts at once ([`CombinedRegions::matched`]).
///
/// The factors of a part stay those of all its pairs when one of its regions is left out, as in pycorr.
///
/// ```
/// use albireo::counts::{JobId, PairKind};
/// use albireo::estimators::{CombinedRegions, Estimator, Jackknife, PartWeight, RegionTerms, Term};
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
/// let both = CombinedRegions::new(vec![cap(1)?, cap(2)?], PartWeight::Randoms)?;
/// assert_eq!(both.number(), 4);
/// assert_eq!(both.jackknife(Jackknife::Standard).count(), 4);
/// assert!(both.estimate()?.xi[0].abs() < 1e-15);
/// assert_eq!(both.matched()?.number(), 2);
/// # Ok::<(), albireo::Error>(())
/// ```
#[derive(Debug, Clone)]
pub struct CombinedRegions {
    estimator: AnyEstimator,
    parts: Vec<RegionTerms>,
    factors: Vec<Factors>,
    /// The number of the first region of each part among all of them.
    starts: Vec<usize>,
    number: usize,
}

impl CombinedRegions {
    /// The counts of each part.
    ///
    /// # Errors
    /// [`EstimatorError`]: no part, parts of different estimators, random pairs that are known instead of counted, or a total of zero.
    pub fn new(parts: Vec<RegionTerms>, by: PartWeight) -> Result<Self> {
        let first = parts.first();
        let estimator = first.map(|part| part.estimator().clone());
        let estimator = estimator.ok_or_else(|| needs("no part of the sky is given"))?;
        if parts.iter().any(|part| *part.estimator() != estimator) {
            return Err(needs("the parts of the sky have different estimators"));
        }
        if parts.iter().any(RegionTerms::knows_randoms) {
            return Err(needs(
                "parts of the sky are put together by counted pairs, and RR was not counted",
            ));
        }
        let of = |part: &RegionTerms| factors(part.counted(), by);
        let factors = parts.iter().map(of).collect::<Result<_, _>>()?;
        let mut number = 0;
        let start = |part: &RegionTerms| {
            let start = number;
            number += part.number();
            start
        };
        let starts = parts.iter().map(start).collect();
        Ok(Self {
            estimator,
            parts,
            factors,
            starts,
            number,
        })
    }

    /// The same with region k of every part as one: there are as many regions as in each part.
    ///
    /// # Errors
    /// [`EstimatorError::Needs`]: parts of different numbers of regions.
    pub fn matched(self) -> Result<Self> {
        let mut numbers = self.parts.iter().map(RegionTerms::number);
        let number = numbers.next().unwrap_or_default();
        if let Some(other) = numbers.find(|other| *other != number) {
            return Err(needs(format!(
                "region k of every part can be one region where all have as many: found {number} and {other}"
            )));
        }
        let starts = vec![0; self.parts.len()];
        Ok(Self {
            starts,
            number,
            ..self
        })
    }

    /// Number of regions of all parts.
    pub fn number(&self) -> usize {
        self.number
    }

    /// The parts.
    pub fn parts(&self) -> &[RegionTerms] {
        &self.parts
    }

    /// The combined counts of all pairs.
    ///
    /// # Errors
    /// As [`combined`].
    pub fn counts(&self) -> Result<TermCounts> {
        self.counts_of(|_, counts| counts.whole())
    }

    /// The correlation function of all pairs.
    ///
    /// # Errors
    /// As [`AnyEstimator::estimate`].
    pub fn estimate(&self) -> Result<Correlation> {
        self.estimator.estimate(&self.counts()?)
    }

    /// The correlation function without each region in turn, all pairs of the parts that it is not in with it.
    ///
    /// # Errors
    /// Each as [`AnyEstimator::estimate`].
    pub fn jackknife(&self, kind: Jackknife) -> impl Iterator<Item = Result<Correlation>> + '_ {
        let n = self.number();
        let (alpha, of_totals) = (kind.alpha(n), kind.alpha_of_totals(n));
        (0..n).map(move |k| {
            let counts = self.counts_of(|part, counts| {
                let own = k.checked_sub(self.starts[part]);
                match own.filter(|own| *own < counts.regions()) {
                    Some(own) => counts.without_shares(own, alpha, of_totals),
                    None => counts.whole(),
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
    ) -> Result<impl Iterator<Item = Result<Correlation, EstimatorError>> + '_> {
        let draws = bootstrap_draws(self.number(), realisations, seed)?;
        Ok(draws.map(move |times| {
            let counts = self.counts_of(|part, counts| {
                let own = &times[self.starts[part]..][..counts.regions()];
                counts.resampled(own)
            })?;
            self.estimator.estimate(&counts)
        }))
    }

    /// The combination of what `of` makes of the counts of each part.
    fn counts_of(&self, of: impl Fn(usize, &Counts) -> Counts) -> Result<TermCounts> {
        let part = |(part, terms): (usize, &RegionTerms)| -> Counted {
            let counted = terms.counted().iter();
            let of = |counts: &Counts| of(part, counts);
            let counted = counted.map(|(term, counts)| (*term, counts.each(of)));
            counted.collect()
        };
        let parts: Vec<Counted> = self.parts.iter().enumerate().map(part).collect();
        added(&parts, &self.factors)
    }
}
