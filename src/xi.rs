//! A correlation function in a few lines: samples go in, xi with its covariance comes out.
//!
//! Entries: [`xi`] for the usual case, [`Xi`] with all that can be set. Both are made of what this crate has for each step alone
//! ([`Estimation`], [`count_prepared`], [`Covariance`]), which serves where these do not.

use crate::binning::Bins;
use crate::counts::{Counts, count_prepared, count_regions};
use crate::domain::Domain;
use crate::engine::{Cpu, Engine, Prepared, PreparedJob};
use crate::error::{Error, EstimatorError};
use crate::estimators::{
    AnyEstimator, Covariance, Estimation, Estimator, Jackknife, Role, Term, TermCounts,
};
use crate::pairs::Pairs;
use crate::particles::Particles;
use crate::progress::{Progress, Silent};
use crate::regions::{Cells, Regions};
use crate::result::Correlation;
use crate::tally::{CountSpec, Cut, LegendreDegrees};

/// xi of galaxies in open space by Landy & Szalay (1993, DOI 10.1086/172900), weighted if any sample has weights.
///
/// ```
/// use albireo::{Edges, Particles, RBins, random};
/// let data = Particles::new(random::in_box(500, 1, [100.0; 3])?);
/// let randoms = Particles::new(random::in_box(2000, 2, [100.0; 3])?);
/// let result = albireo::xi(&data, &randoms, RBins::new(Edges::linear(0.0, 40.0, 4)?))?;
/// assert!(result.xi[3].abs() < 5.0 * result.error[3]);
/// # Ok::<(), albireo::Error>(())
/// ```
///
/// # Errors
/// As [`Xi::of`].
pub fn xi(
    data: &Particles,
    randoms: &Particles,
    bins: impl Into<Bins>,
) -> Result<Correlation, Error> {
    Ok(Xi::new(bins).of(data, Some(randoms))?.xi)
}

/// A correlation function to be measured: bins, space, estimator, errors and engine.
///
/// Landy & Szalay with a jackknife over 8 regions of the randoms:
///
/// ```
/// use albireo::regions::Centres;
/// use albireo::{Domain, Edges, Particles, RBins, Xi, random};
/// let data = Particles::new(random::in_box(500, 1, [100.0; 3])?);
/// let randoms = Particles::new(random::in_box(2000, 2, [100.0; 3])?);
/// let regions = Centres::in_space(randoms.points(), &Domain::Open, 8, 0)?;
/// let bins = RBins::new(Edges::linear(0.0, 40.0, 4)?);
/// let result = Xi::new(bins).jackknife(&regions).of(&data, Some(&randoms))?;
/// let errors = result.covariance.map(|covariance| covariance.errors());
/// assert!(errors.is_some_and(|errors| errors.iter().all(|&error| error > 0.0)));
/// # Ok::<(), albireo::Error>(())
/// ```
///
/// In a periodic box random pairs are known, and randoms may be left out: `Xi::new(bins).within(&domain).of(&data, None)`.
#[derive(Clone)]
pub struct Xi<'a> {
    bins: Bins,
    domain: Domain,
    estimator: Option<AnyEstimator>,
    legendre: LegendreDegrees,
    cuts: Vec<Cut>,
    regions: LeftOut<'a>,
    jackknife: Jackknife,
    engine: Option<&'a dyn Engine>,
    progress: &'a dyn Progress,
}

/// What the jackknife leaves out, one at a time.
#[derive(Clone, Copy)]
enum LeftOut<'a> {
    Nothing,
    Regions(&'a dyn Regions),
    /// So many cells along each axis of the box.
    Cells([u32; 3]),
}

/// What came of it.
#[derive(Debug, Clone)]
pub struct Measured {
    /// The correlation function, with Poisson errors.
    pub xi: Correlation,
    /// Its covariance by the jackknife, where regions were given.
    pub covariance: Option<Covariance>,
    /// The counts of all pairs: what multipoles, wedges and wp are made of.
    pub counts: TermCounts,
}

impl<'a> Xi<'a> {
    /// In these bins, in open space, by Landy-Szalay or, without randoms, the natural estimator; on all cores.
    pub fn new(bins: impl Into<Bins>) -> Self {
        Self {
            bins: bins.into(),
            domain: Domain::Open,
            estimator: None,
            legendre: LegendreDegrees::default(),
            cuts: Vec::new(),
            regions: LeftOut::Nothing,
            jackknife: Jackknife::default(),
            engine: None,
            progress: &Silent,
        }
    }

    /// In this space.
    #[must_use]
    pub fn within(self, domain: &Domain) -> Self {
        let domain = domain.clone();
        Self { domain, ..self }
    }

    /// By this estimator.
    #[must_use]
    pub fn by(self, estimator: impl Into<AnyEstimator>) -> Self {
        let estimator = Some(estimator.into());
        Self { estimator, ..self }
    }

    /// With the Legendre sums of these degrees in the counts, of which multipoles are made that do not depend on bins of mu.
    #[must_use]
    pub fn with_legendre(self, legendre: LegendreDegrees) -> Self {
        Self { legendre, ..self }
    }

    /// Without the pairs that a cut holds.
    #[must_use]
    pub fn with_cut(mut self, cut: Cut) -> Self {
        self.cuts.push(cut);
        self
    }

    /// With a covariance by the jackknife over regions that are made of the randoms.
    #[must_use]
    pub fn jackknife(self, regions: &'a dyn Regions) -> Self {
        let regions = LeftOut::Regions(regions);
        Self { regions, ..self }
    }

    /// With a covariance by the jackknife over so many equal cells along each axis of the box: random pairs without a cell are known, too.
    #[must_use]
    pub fn jackknife_in_cells(self, cells: [u32; 3]) -> Self {
        let regions = LeftOut::Cells(cells);
        Self { regions, ..self }
    }

    /// What becomes of pairs between regions in the jackknife.
    #[must_use]
    pub fn with_pairs_across(self, jackknife: Jackknife) -> Self {
        Self { jackknife, ..self }
    }

    /// Counted by this engine.
    #[must_use]
    pub fn on(self, engine: &'a dyn Engine) -> Self {
        let engine = Some(engine);
        Self { engine, ..self }
    }

    /// Followed by `progress`, which may stop it.
    #[must_use]
    pub fn followed_by(self, progress: &'a dyn Progress) -> Self {
        Self { progress, ..self }
    }

    /// Of this sample, with randoms in its volume.
    ///
    /// # Errors
    /// An estimator that needs other samples, bins or cuts that the space does not have, points outside of all regions, and what engines
    /// refuse.
    pub fn of(&self, data: &Particles, randoms: Option<&Particles>) -> Result<Measured, Error> {
        self.of_samples(|role| match role {
            Role::Data => Some(data),
            Role::Randoms => randoms,
            Role::Shifted | Role::SecondData | Role::SecondRandoms | Role::SecondShifted => None,
        })
    }

    /// Of the samples that `sample` gives by their roles: two of them for a cross-correlation, shifted randoms for reconstructed data.
    ///
    /// # Errors
    /// As [`Xi::of`].
    pub fn of_samples<'s>(
        &self,
        sample: impl Fn(Role) -> Option<&'s Particles>,
    ) -> Result<Measured, Error> {
        let cpu = Cpu::new();
        let engine = self.engine.unwrap_or(&cpu);
        let cells = match self.regions {
            LeftOut::Cells(n) => Some(Cells::new(&self.domain, n)?),
            LeftOut::Nothing | LeftOut::Regions(_) => None,
        };
        let regions = match self.regions {
            LeftOut::Regions(regions) => Some(regions),
            LeftOut::Nothing | LeftOut::Cells(_) => cells.as_ref().map(|cells| cells as _),
        };
        let samples = self.prepared(engine, regions, sample)?;
        let particles = |role: Role| samples.of(role).map(Prepared::particles);
        let estimator = self.estimator_for(&samples);
        let estimation = Estimation::new(estimator, &self.bins, &self.domain, particles)?;
        let estimation = estimation.with_cuts(&self.domain, &self.cuts)?;
        let estimation = estimation.with_legendre(self.legendre)?;
        let count = |term, pairs: Pairs<'_>| self.count(engine, &samples.job(term, pairs)?, pairs);
        if regions.is_none() {
            let estimator = estimation.estimator().clone();
            let counts = estimation.counts(count)?;
            return Ok(Measured {
                xi: estimator.estimate(&counts)?,
                covariance: None,
                counts,
            });
        }
        let counts = estimation.run_by_region(cells.as_ref(), count)?;
        let without = counts.jackknife(self.jackknife);
        let without: Vec<Vec<f64>> = without.map(|xi| Ok(xi?.xi)).collect::<Result<_, Error>>()?;
        Ok(Measured {
            xi: counts.estimate()?,
            covariance: Some(Covariance::jackknife(&without)?),
            counts: counts.counts(),
        })
    }

    /// All samples that there are, labelled by their regions and sorted once.
    fn prepared<'s>(
        &self,
        engine: &dyn Engine,
        regions: Option<&dyn Regions>,
        sample: impl Fn(Role) -> Option<&'s Particles>,
    ) -> Result<Samples, Error> {
        let mut samples = Vec::new();
        for role in Role::ALL {
            let Some(particles) = sample(role).cloned() else {
                continue;
            };
            let particles = match regions {
                Some(regions) => regions.label(particles)?,
                None => particles,
            };
            let prepared = engine.prepare(particles, &self.domain, self.progress)?;
            samples.push((role, prepared));
        }
        Ok(Samples(samples))
    }

    /// The estimator that was set, or the usual one of these samples.
    fn estimator_for(&self, samples: &Samples) -> AnyEstimator {
        if let Some(estimator) = &self.estimator {
            return estimator.clone();
        }
        let usual = match samples.of(Role::Randoms) {
            Some(_) => Estimator::LandySzalay,
            None => Estimator::Natural,
        };
        let two = samples.of(Role::SecondData);
        let two = two.and_then(|_| usual.of_two_samples());
        two.unwrap_or(usual).into()
    }

    /// One count, kept apart by regions where there are any.
    fn count(
        &self,
        engine: &dyn Engine,
        job: &PreparedJob<'_>,
        pairs: Pairs<'_>,
    ) -> Result<Counts, Error> {
        let what = CountSpec::for_pairs(&self.bins, pairs).with_legendre(self.legendre);
        let what = self.cuts.iter().cloned().fold(what, CountSpec::with_cut);
        let counted = match self.regions {
            LeftOut::Nothing => count_prepared(engine, job, what, self.progress),
            LeftOut::Regions(_) | LeftOut::Cells(_) => {
                count_regions(engine, job, what, self.progress)
            }
        };
        Ok(counted?.0)
    }
}

/// Samples by their roles.
struct Samples(Vec<(Role, Prepared)>);

impl Samples {
    fn of(&self, role: Role) -> Option<&Prepared> {
        let mut samples = self.0.iter();
        samples.find_map(|(own, sample)| (*own == role).then_some(sample))
    }

    /// The pairs of a term.
    fn job(&self, term: Term, pairs: Pairs<'_>) -> Result<PreparedJob<'_>, Error> {
        let [Some(first), Some(second)] = term.roles().map(|role| self.of(role)) else {
            return Err(EstimatorError::Needs("the samples of all counts".to_owned()).into());
        };
        Ok(match pairs {
            Pairs::Auto(_) => PreparedJob::auto(first),
            Pairs::Cross(..) => PreparedJob::cross(first, second)?,
        })
    }
}
