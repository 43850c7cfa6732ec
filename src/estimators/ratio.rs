//! Estimators that are ratios of counts: natural, Davis-Peebles, Hamilton.

use super::terms::{Recipe, Term, TermCounts};
use super::{Inputs, RandomPairs};
use crate::binning::PairOrder;
use crate::counts::PairCounts;
use crate::error::EstimatorError;
use crate::result::Correlation;

/// `xi = DD/RR - 1`. Peebles & Hauser 1974, DOI 10.1086/190308.
///
/// In a periodic box `rr` may be an [`super::AnalyticRr`], and the estimator is then the best there is. `dd` may also be a cross
/// count.
///
/// ```
/// use albireo::counts::count_pairs;
/// use albireo::estimators::{AnalyticRr, Natural};
/// use albireo::{Domain, Edges, Naive, PairJob, Pairs, Particles, PeriodicBox, RBins, Silent, random};
/// let domain = Domain::Periodic(PeriodicBox::cubic(1.0)?);
/// let bins = RBins::new(Edges::linear(0.0, 0.5, 2)?);
/// let data = Particles::new(random::in_box(100, 1, [1.0; 3])?);
/// let job = PairJob::new(Pairs::Auto(&data), &domain)?;
/// let dd = count_pairs(&Naive, &job, &bins, &Silent)?;
/// let rr = AnalyticRr::new(&bins, &domain)?;
/// let xi = Natural { dd: &dd, rr: &rr }.estimate()?;
/// assert!(xi.xi[1].abs() < 5.0 * xi.error[1]);
/// # Ok::<(), albireo::Error>(())
/// ```
#[derive(Debug, Clone, Copy)]
pub struct Natural<'a, R: ?Sized = PairCounts> {
    /// Data with data.
    pub dd: &'a PairCounts,
    /// Randoms with randoms, counted or analytic.
    pub rr: &'a R,
}

impl<R: RandomPairs + ?Sized> Natural<'_, R> {
    /// The correlation function; NaN where RR is 0.
    ///
    /// # Errors
    /// Different bins, a total of zero, or counts that cover a part of their job only.
    pub fn estimate(&self) -> Result<Correlation, EstimatorError> {
        let inputs = Inputs::new("DD", self.dd)?.with("RR", self.rr)?;
        Ok(inputs.estimate("natural", |[dd, rr]| dd.over(rr) - 1.0))
    }
}

/// [`Natural`] within a sample.
pub(super) struct NaturalOfOne;

impl Recipe for NaturalOfOne {
    const NAME: &'static str = "natural";
    const FORMULA: &'static str = "DD/RR - 1";
    const KNOWN_RANDOMS: bool = true;

    fn terms(_: PairOrder) -> Vec<Term> {
        vec![Term::DD, Term::RR]
    }

    fn estimate(counts: &TermCounts) -> Result<Correlation, EstimatorError> {
        let (dd, rr) = (counts.get(Term::DD)?, counts.random(Term::RR)?);
        Natural { dd, rr }.estimate()
    }
}

/// [`Natural`] between two samples.
pub(super) struct NaturalOfTwo;

impl Recipe for NaturalOfTwo {
    const NAME: &'static str = NaturalOfOne::NAME;
    const FORMULA: &'static str = "D1D2/R1R2 - 1";
    const CROSS: bool = true;
    const KNOWN_RANDOMS: bool = true;

    fn terms(_: PairOrder) -> Vec<Term> {
        vec![Term::D1D2, Term::R1R2]
    }

    fn estimate(counts: &TermCounts) -> Result<Correlation, EstimatorError> {
        let (dd, rr) = (counts.get(Term::D1D2)?, counts.random(Term::R1R2)?);
        Natural { dd, rr }.estimate()
    }
}

/// `xi = DD/DR - 1`. Davis & Peebles 1983, DOI 10.1086/160884.
///
/// ```
/// use albireo::counts::count_pairs;
/// use albireo::{Domain, Edges, Naive, PairJob, Pairs, Particles, RBins, Silent, estimators::DavisPeebles, random};
/// let bins = RBins::new(Edges::linear(0.0, 0.4, 2)?);
/// let data = Particles::new(random::in_box(50, 1, [1.0; 3])?);
/// let randoms = Particles::new(random::in_box(200, 2, [1.0; 3])?);
/// let count = |pairs| count_pairs(&Naive, &PairJob::new(pairs, &Domain::Open)?, &bins, &Silent);
/// let (dd, dr) = (count(Pairs::Auto(&data))?, count(Pairs::Cross(&data, &randoms))?);
/// let xi = DavisPeebles { dd: &dd, dr: &dr }.estimate()?;
/// assert!(xi.xi[1].abs() < 5.0 * xi.error[1]);
/// # Ok::<(), albireo::Error>(())
/// ```
#[derive(Debug, Clone, Copy)]
pub struct DavisPeebles<'a> {
    /// Data with data.
    pub dd: &'a PairCounts,
    /// Data with randoms.
    pub dr: &'a PairCounts,
}

impl DavisPeebles<'_> {
    /// The correlation function; NaN where DR is 0.
    ///
    /// # Errors
    /// Different bins, a total of zero, or counts that cover a part of their job only.
    pub fn estimate(&self) -> Result<Correlation, EstimatorError> {
        let inputs = Inputs::new("DD", self.dd)?.with("DR", self.dr)?;
        Ok(inputs.estimate("davis-peebles", |[dd, dr]| dd.over(dr) - 1.0))
    }
}

/// [`DavisPeebles`] within a sample.
pub(super) struct DavisPeeblesOfOne;

impl Recipe for DavisPeeblesOfOne {
    const NAME: &'static str = "davis-peebles";
    const FORMULA: &'static str = "DD/DR - 1";

    fn terms(_: PairOrder) -> Vec<Term> {
        vec![Term::DD, Term::DR]
    }

    fn estimate(counts: &TermCounts) -> Result<Correlation, EstimatorError> {
        let (dd, dr) = (counts.get(Term::DD)?, counts.get(Term::DR)?);
        DavisPeebles { dd, dr }.estimate()
    }
}

/// [`DavisPeebles`] between two samples, of which the second has randoms.
pub(super) struct DavisPeeblesOfTwo;

impl Recipe for DavisPeeblesOfTwo {
    const NAME: &'static str = DavisPeeblesOfOne::NAME;
    const FORMULA: &'static str = "D1D2/D1R2 - 1";
    const CROSS: bool = true;

    fn terms(_: PairOrder) -> Vec<Term> {
        vec![Term::D1D2, Term::D1R2]
    }

    fn estimate(counts: &TermCounts) -> Result<Correlation, EstimatorError> {
        let (dd, dr) = (counts.get(Term::D1D2)?, counts.get(Term::D1R2)?);
        DavisPeebles { dd, dr }.estimate()
    }
}

/// `xi = DD RR / DR^2 - 1`, in which errors of the mean density enter in second order. Hamilton 1993, DOI 10.1086/173288.
///
/// ```
/// use albireo::counts::count_pairs;
/// use albireo::{Domain, Edges, Naive, PairJob, Pairs, Particles, RBins, Silent, estimators::Hamilton, random};
/// let bins = RBins::new(Edges::linear(0.0, 0.4, 2)?);
/// let data = Particles::new(random::in_box(50, 1, [1.0; 3])?);
/// let randoms = Particles::new(random::in_box(200, 2, [1.0; 3])?);
/// let count = |pairs| count_pairs(&Naive, &PairJob::new(pairs, &Domain::Open)?, &bins, &Silent);
/// let (dd, rr) = (count(Pairs::Auto(&data))?, count(Pairs::Auto(&randoms))?);
/// let dr = count(Pairs::Cross(&data, &randoms))?;
/// let xi = Hamilton { dd: &dd, dr: &dr, rr: &rr }.estimate()?;
/// assert!(xi.xi[1].abs() < 5.0 * xi.error[1]);
/// # Ok::<(), albireo::Error>(())
/// ```
#[derive(Debug, Clone, Copy)]
pub struct Hamilton<'a, R: ?Sized = PairCounts> {
    /// Data with data.
    pub dd: &'a PairCounts,
    /// Data with randoms.
    pub dr: &'a PairCounts,
    /// Randoms with randoms.
    pub rr: &'a R,
}

impl<R: RandomPairs + ?Sized> Hamilton<'_, R> {
    /// The correlation function; NaN where DR or RR is 0.
    ///
    /// # Errors
    /// Different bins, a total of zero, or counts that cover a part of their job only.
    pub fn estimate(&self) -> Result<Correlation, EstimatorError> {
        let inputs = Inputs::new("DD", self.dd)?
            .with("DR", self.dr)?
            .with("RR", self.rr)?;
        Ok(inputs.estimate("hamilton", |[dd, dr, rr]| {
            let xi = (dd * rr).over(dr * dr) - 1.0;
            // 0/x is a number, but none that no random pairs tell: 0/0 is none.
            if rr.value == 0.0 { rr.over(rr) } else { xi }
        }))
    }
}

/// [`Hamilton`] within a sample.
pub(super) struct HamiltonOfOne;

impl Recipe for HamiltonOfOne {
    const NAME: &'static str = "hamilton";
    const FORMULA: &'static str = "DD RR / DR^2 - 1";

    fn terms(_: PairOrder) -> Vec<Term> {
        vec![Term::DD, Term::DR, Term::RR]
    }

    fn estimate(counts: &TermCounts) -> Result<Correlation, EstimatorError> {
        let [dd, dr] = [counts.get(Term::DD)?, counts.get(Term::DR)?];
        let rr = counts.random(Term::RR)?;
        Hamilton { dd, dr, rr }.estimate()
    }
}
