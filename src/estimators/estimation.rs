//! From samples to a correlation function, whoever counts.
//!
//! Entry: [`Estimation`]. It decides which pairs are counted and which formula is applied; it counts none itself.

use super::Result;
use super::by_region::RegionTerms;
use super::cells::CellRr;
use super::estimator::AnyEstimator;
use super::terms::{Role, Term, TermCount, TermCounts};
use super::{AnalyticRr, RandomPairs};
use crate::binning::Bins;
use crate::domain::Domain;
use crate::engine::Pairs;
use crate::error::EstimatorError;
use crate::particles::Particles;
use crate::regions::Cells;
use crate::result::Correlation;
use crate::tally::{Cut, LegendreDegrees};

/// The counts that an estimator takes of given samples, ready to be made.
///
/// ```
/// use albireo::counts::count_pairs;
/// use albireo::estimators::{Estimation, Estimator, Role};
/// use albireo::engine::Silent;
/// use albireo::{CountSpec, Domain, Edges, Naive, PairJob, Particles, RBins, random};
/// let data = Particles::new(random::in_box(50, 1, [1.0; 3])?);
/// let randoms = Particles::new(random::in_box(200, 2, [1.0; 3])?);
/// let sample = |role| match role {
///     Role::Data => Some(&data),
///     Role::Randoms => Some(&randoms),
///     _ => None,
/// };
/// let bins = RBins::new(Edges::linear(0.0, 0.4, 2)?);
/// let estimation = Estimation::new(Estimator::LandySzalay, &bins, &Domain::Open, sample)?;
/// let xi = estimation.run(|_, pairs| {
///     let job = PairJob::new(pairs, &Domain::Open)?;
///     Ok::<_, albireo::Error>(count_pairs(&Naive, &job, CountSpec::for_pairs(&bins, pairs), &Silent)?)
/// })?;
/// assert_eq!(xi.estimator, "landy-szalay");
/// assert!(xi.xi[1].abs() < 5.0 * xi.error[1]);
/// # Ok::<(), albireo::Error>(())
/// ```
#[derive(Debug, Clone)]
pub struct Estimation<'a> {
    estimator: AnyEstimator,
    terms: Vec<(Term, Pairs<'a>)>,
    known: Option<AnalyticRr>,
}

impl<'a> Estimation<'a> {
    /// What `estimator` takes of the samples that `sample` gives by their roles. Without any randoms their pairs are known, where the
    /// estimator allows it and the domain is a periodic box.
    ///
    /// # Errors
    /// [`EstimatorError::Needs`] a sample that is missing; [`EstimatorError::AnalyticRr`] where there are no randoms and no formula holds.
    pub fn new(
        estimator: impl Into<AnyEstimator>,
        bins: impl Into<Bins>,
        domain: &Domain,
        sample: impl Fn(Role) -> Option<&'a Particles>,
    ) -> Result<Self> {
        let bins = &bins.into();
        let estimator = estimator.into();
        let mut terms = estimator.terms(bins.order());
        let mut random = terms.iter().filter(|term| term.is_volume());
        let no_randoms = random.all(|term| term.roles().map(&sample).iter().all(Option::is_none));
        let known = estimator.takes_known_randoms() && no_randoms;
        let known = known.then(|| AnalyticRr::new(bins, domain)).transpose()?;
        terms.retain(|term| known.is_none() || !term.is_volume());
        let get = |role: Role| {
            sample(role).ok_or_else(|| {
                EstimatorError::Needs(format!("this needs the sample `{}`", role.name()))
            })
        };
        let pairs = |term: Term| {
            let first = get(term.first)?;
            let pairs = if term.first == term.second {
                Pairs::Auto(first)
            } else {
                Pairs::Cross(first, get(term.second)?)
            };
            Ok((term, pairs))
        };
        Ok(Self {
            estimator,
            terms: terms.into_iter().map(pairs).collect::<Result<_, _>>()?,
            known,
        })
    }

    /// The same of fewer pairs: those that `cuts` hold are in no count, so that random pairs that are known must lack them too. Whoever
    /// counts leaves them out ([`crate::CountSpec::with_cut`]).
    ///
    /// # Errors
    /// [`EstimatorError::AnalyticRr`] where random pairs are known, but not without those.
    pub fn with_cuts(self, domain: &Domain, cuts: &[Cut]) -> Result<Self> {
        let known = self.known.as_ref();
        let known = known.map(|known| AnalyticRr::with_cuts(known.binning_of(), domain, cuts));
        Ok(Self {
            known: known.transpose()?,
            ..self
        })
    }

    /// The same, of counts that hold the Legendre sums of these degrees ([`crate::CountSpec::with_legendre`]): known pairs of randoms then
    /// have theirs too.
    ///
    /// # Errors
    /// As [`AnalyticRr::with_legendre`].
    pub fn with_legendre(self, degrees: LegendreDegrees) -> Result<Self> {
        let known = self.known.map(|known| known.with_legendre(degrees));
        Ok(Self {
            known: known.transpose()?,
            ..self
        })
    }

    /// The estimator.
    pub fn estimator(&self) -> &AnyEstimator {
        &self.estimator
    }

    /// The counts to be made, in the order in which results list them.
    pub fn terms(&self) -> &[(Term, Pairs<'a>)] {
        &self.terms
    }

    /// The pairs of randoms, where they are known.
    pub fn known_randoms(&self) -> Option<&dyn RandomPairs> {
        self.known.as_ref().map(|known| known as _)
    }

    /// Has `count` make each count, and makes the correlation function of them. Random pairs may be counts of all ([`crate::Counts`]) or
    /// of randoms that were split ([`super::SplitRandoms`]).
    ///
    /// # Errors
    /// Those of `count`, and of [`AnyEstimator::estimate`].
    pub fn run<E: From<EstimatorError>, C: Into<TermCount>>(
        self,
        count: impl FnMut(Term, Pairs<'a>) -> Result<C, E>,
    ) -> Result<Correlation, E> {
        let estimator = self.estimator.clone();
        Ok(estimator.estimate(&self.counts(count)?)?)
    }

    /// Has `count` make each count: what [`AnyEstimator::estimate`] and [`AnyEstimator::multipoles`] take.
    ///
    /// # Errors
    /// Those of `count`.
    pub fn counts<E, C: Into<TermCount>>(
        self,
        mut count: impl FnMut(Term, Pairs<'a>) -> Result<C, E>,
    ) -> Result<TermCounts, E> {
        let mut counted = Vec::new();
        for (term, pairs) in self.terms {
            counted.push((term, count(term, pairs)?));
        }
        Ok(TermCounts::new(counted, self.known))
    }

    /// Has `count` make each count kept apart by the regions of the samples, from which estimates without a region follow.
    ///
    /// Where random pairs are known, the regions must be `cells` of the box: what randoms are left without one is known of these alone.
    ///
    /// # Errors
    /// Those of `count`; [`EstimatorError::AnalyticRr`] where random pairs are known, but not those of a region.
    pub fn run_by_region<E: From<EstimatorError>, C: Into<TermCount>>(
        self,
        cells: Option<&Cells>,
        mut count: impl FnMut(Term, Pairs<'a>) -> Result<C, E>,
    ) -> Result<RegionTerms, E> {
        let known = self
            .known
            .map(|known| CellRr::new(known, cells))
            .transpose()?;
        let mut counted = Vec::new();
        for (term, pairs) in self.terms {
            counted.push((term, count(term, pairs)?));
        }
        Ok(RegionTerms::new(self.estimator, counted, known)?)
    }
}
