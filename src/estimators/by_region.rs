//! Estimates of a sample less each of its regions, and of regions drawn again, from one count.
//!
//! Entry: [`RegionTerms`], made by [`super::Estimation::run_by_region`]; [`super::Covariance`] takes what its realisations become.

use super::AnalyticRr;
use super::Result;
use super::cells::CellRr;
use super::estimator::AnyEstimator;
use super::jackknife::{Jackknife, bootstrap_draws};
use super::terms::{Term, TermCount, TermCounts};
use crate::counts::Counts;
use crate::error::EstimatorError;
use crate::result::Correlation;

/// The counts of an estimator's terms, each kept apart by the regions that all samples share; those of randoms may be known instead.
///
/// ```
/// use albireo::counts::count_regions;
/// use albireo::engine::{Cpu, PreparedJob};
/// use albireo::estimators::{Covariance, Estimation, Estimator, Jackknife, Role};
/// use albireo::engine::Silent;
/// use albireo::{CountSpec, Domain, Edges, Engine, Labels, Pairs, Particles, RBins, random};
/// // Eight regions: the halves of the unit cube along each axis.
/// let sample = |n, seed| {
///     let points = random::in_box(n, seed, [1.0; 3])?;
///     let octant = |[x, y, z]: [f64; 3]| 4 * u32::from(x > 0.5) + 2 * u32::from(y > 0.5) + u32::from(z > 0.5);
///     let labels = (0..n).map(|row| octant(points.at(row))).collect();
///     Ok::<_, albireo::Error>(Particles::new(points).labelled(Labels::new(labels, 8)?)?)
/// };
/// let (data, randoms) = (sample(300, 1)?, sample(900, 2)?);
/// let by_role = |role| match role {
///     Role::Data => Some(&data),
///     Role::Randoms => Some(&randoms),
///     _ => None,
/// };
/// let (bins, engine) = (RBins::new(Edges::linear(0.0, 0.4, 4)?), Cpu::new());
/// let estimation = Estimation::new(Estimator::LandySzalay, &bins, &Domain::Open, by_role)?;
/// let counts = estimation.run_by_region(None, |_, pairs| {
///     let prepare = |sample: &Particles| engine.prepare(sample.clone(), &Domain::Open, &Silent);
///     let (first, second) = pairs.samples();
///     let (first, second) = (prepare(first)?, second.map(prepare).transpose()?);
///     let job = PreparedJob::new(&first, second.as_ref())?;
///     let (counts, _) = count_regions(&engine, &job, CountSpec::for_pairs(&bins, pairs), &Silent)?;
///     Ok::<_, albireo::Error>(counts)
/// })?;
/// let realisations: Result<Vec<_>, _> = counts.jackknife(Jackknife::Standard).map(|xi| xi.map(|xi| xi.xi)).collect();
/// let covariance = Covariance::jackknife(&realisations?)?;
/// let xi = counts.estimate()?;
/// assert!(xi.xi[3].abs() < 5.0 * covariance.errors()[3]);
/// # Ok::<(), albireo::Error>(())
/// ```
#[derive(Debug, Clone)]
pub struct RegionTerms {
    estimator: AnyEstimator,
    counted: Vec<(Term, TermCount)>,
    known: Option<CellRr>,
    number: usize,
}

impl RegionTerms {
    /// Counts of the terms of `estimator`, and random pairs where they are known.
    ///
    /// # Errors
    /// [`EstimatorError::Needs`]: no count, or counts kept apart by different numbers of regions.
    pub fn new<C: Into<TermCount>>(
        estimator: impl Into<AnyEstimator>,
        counted: impl IntoIterator<Item = (Term, C)>,
        known: Option<CellRr>,
    ) -> Result<Self> {
        let counted = counted.into_iter();
        let counted = counted.map(|(term, counts)| (term, counts.into()));
        let counted: Vec<(Term, TermCount)> = counted.collect();
        let numbers = counted.iter().flat_map(|(term, counts)| {
            let counts = counts.parts().into_iter();
            counts.map(|counts| (term.name, counts.regions()))
        });
        let known_regions = known.iter().map(|known| ("RR", known.number()));
        let mut numbers = numbers.chain(known_regions);
        let Some((first, number)) = numbers.next() else {
            return Err(EstimatorError::Needs("no pairs were counted".to_owned()));
        };
        if let Some((name, found)) = numbers.find(|&(_, found)| found != number) {
            return Err(EstimatorError::Needs(format!(
                "all counts must be kept apart by the same regions: {first} by {number}, {name} by {found}",
            )));
        }
        Ok(Self {
            estimator: estimator.into(),
            counted,
            known,
            number,
        })
    }

    /// The estimator that takes them.
    pub fn estimator(&self) -> &AnyEstimator {
        &self.estimator
    }

    /// Whether random pairs are known instead of counted.
    pub fn knows_randoms(&self) -> bool {
        self.known.is_some()
    }

    /// Number of regions.
    pub fn number(&self) -> usize {
        self.number
    }

    /// The counts, in the order in which results list them.
    pub fn counted(&self) -> &[(Term, TermCount)] {
        &self.counted
    }

    /// The correlation function of all pairs.
    ///
    /// # Errors
    /// As [`AnyEstimator::estimate`].
    pub fn estimate(&self) -> Result<Correlation> {
        self.estimator.estimate(&self.counts())
    }

    /// The counts of all pairs.
    pub fn counts(&self) -> TermCounts {
        let known = self.known.as_ref().map(|known| known.whole().clone());
        self.of(Counts::whole, known)
    }

    /// The correlation function without region k, for each k: by the same estimator, of counts without the region.
    ///
    /// # Errors
    /// Each as [`AnyEstimator::estimate`].
    pub fn jackknife(&self, kind: Jackknife) -> impl Iterator<Item = Result<Correlation>> + '_ {
        let counts = self.jackknife_counts(kind);
        counts.map(|counts| self.estimator.estimate(&counts))
    }

    /// The counts without region k, for each k.
    pub fn jackknife_counts(&self, kind: Jackknife) -> impl Iterator<Item = TermCounts> + '_ {
        let n = self.number();
        let (alpha, of_totals) = (kind.alpha(n), kind.alpha_of_totals(n));
        (0..self.number()).map(move |k| {
            let known = self
                .known
                .as_ref()
                .map(|known| known.without_shares(alpha, of_totals));
            self.of(|counts| counts.without_shares(k, alpha, of_totals), known)
        })
    }

    /// The correlation function of regions drawn with replacement, as often as there are regions: each pair counts half for the region
    /// of either point, in every count alike (Loh 2008, DOI 10.1086/588631).
    ///
    /// Realisation i depends on (seed, i) alone.
    ///
    /// # Errors
    /// [`EstimatorError::Needs`]: fewer than two realisations; each as [`AnyEstimator::estimate`].
    pub fn bootstrap(
        &self,
        realisations: u32,
        seed: u64,
    ) -> Result<impl Iterator<Item = Result<Correlation, EstimatorError>> + '_> {
        let counts = self.bootstrap_counts(realisations, seed)?;
        Ok(counts.map(|counts| self.estimator.estimate(&counts)))
    }

    /// The counts of regions drawn with replacement, as [`RegionTerms::bootstrap`] takes them.
    ///
    /// # Errors
    /// [`EstimatorError::Needs`]: fewer than two realisations.
    pub fn bootstrap_counts(
        &self,
        realisations: u32,
        seed: u64,
    ) -> Result<impl Iterator<Item = TermCounts> + '_> {
        let draws = bootstrap_draws(self.number(), realisations, seed)?;
        Ok(draws.map(|times| {
            // Cells are alike, so that it does not matter which are drawn.
            let known = self.known.as_ref().map(|known| known.whole().clone());
            self.of(|counts| counts.resampled(&times), known)
        }))
    }

    fn of(&self, count: impl Fn(&Counts) -> Counts, known: Option<AnalyticRr>) -> TermCounts {
        let counted = self.counted.iter();
        let counted = counted.map(|(term, counts)| (*term, counts.each(&count)));
        TermCounts::new(counted, known)
    }
}
