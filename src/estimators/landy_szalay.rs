//! Estimators of least variance: Landy-Szalay for one sample, for two, and with shifted randoms.

use super::terms::{Recipe, Term, TermCounts};
use super::{Inputs, RandomPairs};
use crate::binning::PairOrder;
use crate::counts::PairCounts;
use crate::error::EstimatorError;
use crate::result::Correlation;

/// Whether both ends of the pairs come from one sample. Where that holds of the data and of the randoms, mixed pairs counted in either
/// order are the same pairs.
fn one_sample(counts: &(impl RandomPairs + ?Sized)) -> bool {
    counts.within_one_sample()
}

/// `xi = (DD - 2 DR + RR) / RR`, each count over its own total. Landy & Szalay 1993, DOI 10.1086/172900.
///
/// Where bins tell the two orders of a pair apart (signed mu or pi), DD and RR hold both orders and DR one;
/// [`LandySzalayCross`] with both DR and RD then has less noise.
///
/// ```
/// use albireo::counts::{Sums, count_pairs};
/// use albireo::{Domain, Edges, Naive, PairJob, Pairs, RBins, Silent, estimators::LandySzalay, random};
/// let bins = RBins::new(Edges::linear(0.0, 0.4, 2)?);
/// let data = albireo::Particles::new(random::in_box(50, 1, [1.0; 3])?);
/// let randoms = albireo::Particles::new(random::in_box(200, 2, [1.0; 3])?);
/// let count = |pairs| count_pairs(&Naive, &PairJob::new(pairs, &Domain::Open)?, &bins, Sums::default(), &Silent);
/// let (dd, rr) = (count(Pairs::Auto(&data))?, count(Pairs::Auto(&randoms))?);
/// let dr = count(Pairs::Cross(&data, &randoms))?;
/// let xi = LandySzalay { dd: &dd, dr: &dr, rr: &rr }.estimate()?;
/// assert_eq!(xi.axes[0].name, "r");
/// assert!(xi.xi[1].abs() < 5.0 * xi.error[1]);
/// # Ok::<(), albireo::Error>(())
/// ```
#[derive(Debug, Clone, Copy)]
pub struct LandySzalay<'a, R: ?Sized = PairCounts> {
    /// Data with data.
    pub dd: &'a PairCounts,
    /// Data with randoms.
    pub dr: &'a PairCounts,
    /// Randoms with randoms.
    pub rr: &'a R,
}

impl<R: RandomPairs + ?Sized> LandySzalay<'_, R> {
    /// The correlation function; NaN where RR is 0.
    ///
    /// # Errors
    /// Different bins, a total of zero, or counts that cover a part of their job only.
    pub fn estimate(&self) -> Result<Correlation, EstimatorError> {
        let inputs = Inputs::new("DD", self.dd)?
            .with("DR", self.dr)?
            .with("RR", self.rr)?;
        Ok(inputs.estimate("landy-szalay", |[dd, dr, rr]| {
            ((dd - 2.0 * dr) + rr).over(rr)
        }))
    }
}

/// [`LandySzalay`] within a sample. Where bins tell the orders of a pair apart, DD and RR hold both, so the randoms have to come first
/// and second as well: [`LandySzalayCross`].
pub(super) struct OfOneSample;

impl Recipe for OfOneSample {
    const NAME: &'static str = "landy-szalay";
    const FORMULA: &'static str = "(DD - 2 DR + RR) / RR";

    fn terms(order: PairOrder) -> Vec<Term> {
        match order {
            PairOrder::Unordered => vec![Term::DD, Term::DR, Term::RR],
            PairOrder::Ordered => vec![Term::DD, Term::DR, Term::RD, Term::RR],
        }
    }

    fn estimate(counts: &TermCounts) -> Result<Correlation, EstimatorError> {
        let [dd, dr] = [counts.get(Term::DD)?, counts.get(Term::DR)?];
        let rr = counts.random(Term::RR)?;
        match counts.find(Term::RD) {
            None => LandySzalay { dd, dr, rr }.estimate(),
            Some(rd) => LandySzalayCross {
                d1d2: dd,
                d1r2: dr,
                r1d2: rd,
                r1r2: rr,
            }
            .estimate(),
        }
    }
}

/// `xi = (D1D2 - D1R2 - R1D2 + R1R2) / R1R2` between two samples with randoms of their own.
///
/// The symmetric form of Landy & Szalay 1993 (DOI 10.1086/172900) for a cross-correlation; Szapudi & Szalay 1998,
/// DOI 10.1086/311146.
///
/// ```
/// use albireo::counts::{Sums, count_pairs};
/// use albireo::{Domain, Edges, Naive, PairJob, Pairs, Particles, RBins, Silent, estimators::LandySzalayCross, random};
/// let bins = RBins::new(Edges::linear(0.0, 0.4, 2)?);
/// let sample = |n, seed| Ok::<_, albireo::Error>(Particles::new(random::in_box(n, seed, [1.0; 3])?));
/// let (d1, d2, r1, r2) = (sample(40, 1)?, sample(60, 2)?, sample(200, 3)?, sample(200, 4)?);
/// let count = |a, b| {
///     let job = PairJob::new(Pairs::Cross(a, b), &Domain::Open)?;
///     count_pairs(&Naive, &job, &bins, Sums::default(), &Silent)
/// };
/// let xi = LandySzalayCross {
///     d1d2: &count(&d1, &d2)?,
///     d1r2: &count(&d1, &r2)?,
///     r1d2: &count(&r1, &d2)?,
///     r1r2: &count(&r1, &r2)?,
/// }
/// .estimate()?;
/// assert!(xi.xi[1].abs() < 5.0 * xi.error[1]);
/// # Ok::<(), albireo::Error>(())
/// ```
#[derive(Debug, Clone, Copy)]
pub struct LandySzalayCross<'a, R: ?Sized = PairCounts> {
    /// First data with second data.
    pub d1d2: &'a PairCounts,
    /// First data with second randoms.
    pub d1r2: &'a PairCounts,
    /// First randoms with second data.
    pub r1d2: &'a PairCounts,
    /// First randoms with second randoms.
    pub r1r2: &'a R,
}

impl<R: RandomPairs + ?Sized> LandySzalayCross<'_, R> {
    /// The cross-correlation function; NaN where R1R2 is 0.
    ///
    /// # Errors
    /// Different bins, a total of zero, or counts that cover a part of their job only.
    pub fn estimate(&self) -> Result<Correlation, EstimatorError> {
        let shared = one_sample(self.d1d2) && one_sample(self.r1r2);
        let inputs = Inputs::new("D1D2", self.d1d2)?
            .with_half("D1R2", self.d1r2, shared)?
            .with_half("R1D2", self.r1d2, shared)?
            .with("R1R2", self.r1r2)?;
        Ok(
            inputs.estimate("landy-szalay-cross", |[d1d2, d1r2, r1d2, r1r2]| {
                (((d1d2 - d1r2) - r1d2) + r1r2).over(r1r2)
            }),
        )
    }
}

/// [`LandySzalayCross`] between two samples.
pub(super) struct OfTwoSamples;

impl Recipe for OfTwoSamples {
    const NAME: &'static str = OfOneSample::NAME;
    const FORMULA: &'static str = "(D1D2 - D1R2 - R1D2 + R1R2) / R1R2";
    const CROSS: bool = true;

    fn terms(_: PairOrder) -> Vec<Term> {
        vec![Term::D1D2, Term::D1R2, Term::R1D2, Term::R1R2]
    }

    fn estimate(counts: &TermCounts) -> Result<Correlation, EstimatorError> {
        let estimator = LandySzalayCross {
            d1d2: counts.get(Term::D1D2)?,
            d1r2: counts.get(Term::D1R2)?,
            r1d2: counts.get(Term::R1D2)?,
            r1r2: counts.random(Term::R1R2)?,
        };
        estimator.estimate()
    }
}

/// `xi = (DD - DS - SD + SS) / RR` for a reconstructed density field: S are the randoms shifted as the data D were, R the
/// unshifted ones. Padmanabhan et al. 2012, DOI 10.1111/j.1365-2966.2012.21888.x.
///
/// In an auto-correlation whose bins do not tell the two orders apart, `ds` and `sd` are the same count. In a periodic box `rr`
/// may be an [`super::AnalyticRr`].
///
/// ```
/// use albireo::counts::{Sums, count_pairs};
/// use albireo::estimators::{AnalyticRr, ShiftedRandoms};
/// use albireo::{Domain, Edges, Naive, PairJob, Pairs, Particles, PeriodicBox, RBins, Silent, random};
/// let domain = Domain::Periodic(PeriodicBox::cubic(1.0)?);
/// let bins = RBins::new(Edges::linear(0.0, 0.4, 2)?);
/// let data = Particles::new(random::in_box(50, 1, [1.0; 3])?);
/// let shifted = Particles::new(random::in_box(200, 2, [1.0; 3])?);
/// let count = |pairs| count_pairs(&Naive, &PairJob::new(pairs, &domain)?, &bins, Sums::default(), &Silent);
/// let (dd, ss) = (count(Pairs::Auto(&data))?, count(Pairs::Auto(&shifted))?);
/// let ds = count(Pairs::Cross(&data, &shifted))?;
/// let rr = AnalyticRr::new(&bins, &domain)?;
/// let xi = ShiftedRandoms { dd: &dd, ds: &ds, sd: &ds, ss: &ss, rr: &rr }.estimate()?;
/// assert!(xi.xi[1].abs() < 5.0 * xi.error[1]);
/// # Ok::<(), albireo::Error>(())
/// ```
#[derive(Debug, Clone, Copy)]
pub struct ShiftedRandoms<'a, R: ?Sized = PairCounts> {
    /// Data with data.
    pub dd: &'a PairCounts,
    /// Data with shifted randoms.
    pub ds: &'a PairCounts,
    /// Shifted randoms with data.
    pub sd: &'a PairCounts,
    /// Shifted randoms with shifted randoms.
    pub ss: &'a PairCounts,
    /// Unshifted randoms with unshifted randoms.
    pub rr: &'a R,
}

impl<R: RandomPairs + ?Sized> ShiftedRandoms<'_, R> {
    /// The correlation function; NaN where RR is 0.
    ///
    /// # Errors
    /// Different bins, a total of zero, or counts that cover a part of their job only.
    pub fn estimate(&self) -> Result<Correlation, EstimatorError> {
        let shared = one_sample(self.dd) && one_sample(self.ss);
        let inputs = Inputs::new("DD", self.dd)?
            .with_half("DS", self.ds, shared)?
            .with_half("SD", self.sd, shared)?
            .with("SS", self.ss)?
            .with("RR", self.rr)?;
        Ok(inputs.estimate("shifted-randoms", |[dd, ds, sd, ss, rr]| {
            (((dd - ds) - sd) + ss).over(rr)
        }))
    }
}

/// [`ShiftedRandoms`] within a sample.
pub(super) struct WithShiftedRandoms;

impl Recipe for WithShiftedRandoms {
    const NAME: &'static str = "shifted-randoms";
    const FORMULA: &'static str = "(DD - DS - SD + SS) / RR";
    const KNOWN_RANDOMS: bool = true;

    fn terms(order: PairOrder) -> Vec<Term> {
        let mut terms = vec![Term::RR, Term::DD, Term::DS, Term::SS];
        if order == PairOrder::Ordered {
            terms.push(Term::SD);
        }
        terms
    }

    fn estimate(counts: &TermCounts) -> Result<Correlation, EstimatorError> {
        let (dd, ds) = (counts.get(Term::DD)?, counts.get(Term::DS)?);
        let estimator = ShiftedRandoms {
            dd,
            ds,
            // Where the order does not matter, it is the same count.
            sd: counts.find(Term::SD).unwrap_or(ds),
            ss: counts.get(Term::SS)?,
            rr: counts.random(Term::RR)?,
        };
        estimator.estimate()
    }
}
