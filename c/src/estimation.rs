//! What counts say: correlation functions with their errors.
//!
//! Entry: [`albireo_estimation`], [`read`], [`Estimation::made`].

use std::ffi::{CStr, c_char};
use std::sync::Arc;

use albireo::error::EstimatorError;
use albireo::estimators::{
    AnalyticRr, AnyEstimator, Covariance, Formula, Jackknife, RegionTerms, Term, TermCounts,
};
use albireo::{Correlation, Estimator};

use super::albireo_counts;
use super::counts::Counted;
use super::failure::{Failure, Result};
use super::handles;
use super::sample::sized;

/// What is estimated of counts. Set all of it to zero first, then struct_size to sizeof(albireo_estimation) and what there is.
#[repr(C)]
#[derive(Debug, Clone, Copy)]
pub struct albireo_estimation {
    /// sizeof(albireo_estimation): later versions append fields.
    pub struct_size: usize,
    /// The estimator by its name, such as "landy-szalay", "natural", "davis-peebles", "hamilton" or "shifted-randoms", or a formula of counts, such as
    /// "(DD-2*DR+RR)/RR".
    pub estimator: *const c_char,
    /// Number of counts.
    pub n_counts: usize,
    /// What each of them is: "DD", "DR", "RD", "RR", "DS", "SD", "SS" or, between two samples, "D1D2", "D1R2", "R1D2", "R1R2", "D1S2", "S1D2", "S1S2". Without any pairs of randoms
    /// with randoms these are those of the periodic box, where the estimator takes no others of randoms.
    pub names: *const *const c_char,
    /// The counts, in the same bins.
    pub counts: *const *const albireo_counts,
    /// Which errors: ALBIREO_ERRORS_POISSON, ..
    pub errors: i32,
}

/// Counts by their terms, and what is to be made of them.
pub(crate) struct Estimation {
    estimator: AnyEstimator,
    counts: Vec<(Term, Arc<Counted>)>,
    jackknife: bool,
}

/// An estimate in each bin, with its errors and, of a jackknife, their covariance.
pub(crate) struct Estimate {
    pub(crate) xi: Vec<f64>,
    pub(crate) errors: Vec<f64>,
    pub(crate) covariance: Option<Vec<f64>>,
}

/// A text of a caller.
///
/// # Safety
/// `text` is NULL or ends with a zero.
unsafe fn text<'a>(text: *const c_char, name: &'static str) -> Result<&'a str> {
    if text.is_null() {
        return Err(Failure::null(name));
    }
    // SAFETY: as this function asks.
    let text = unsafe { CStr::from_ptr(text) };
    text.to_str()
        .map_err(|_| Failure::argument(name, "expected a text in UTF-8"))
}

/// The estimator that a name or a formula stands for, of one sample or of two.
fn estimator(text: &str, terms: &[Term]) -> Result<AnyEstimator> {
    let is_cross = terms.contains(&Term::D1D2);
    let mut all = Estimator::ALL.iter();
    let named = all.find(|one| one.name() == text && one.is_cross() == is_cross);
    if let Some(named) = named {
        return Ok((*named).into());
    }
    let formula: Result<Formula, _> = text.parse();
    formula
        .map(AnyEstimator::from)
        .map_err(|error| Failure::argument("estimator", error))
}

/// The `k`th element of a caller's list.
///
/// # Safety
/// `from` is NULL or points to more than `k` elements.
unsafe fn element<T: Copy>(from: *const T, k: usize, name: &'static str) -> Result<T> {
    if from.is_null() {
        return Err(Failure::null(name));
    }
    // SAFETY: as this function asks.
    Ok(unsafe { from.add(k).read_unaligned() })
}

/// What a caller asks for.
///
/// # Safety
/// As [`super::albireo_estimate`].
pub(crate) unsafe fn read(from: *const albireo_estimation) -> Result<Estimation> {
    // SAFETY: as this function asks; all zeros are an estimation.
    let asked = unsafe { sized(from, "estimation", size_of::<albireo_estimation>()) }?;
    let mut counts: Vec<(Term, Arc<Counted>)> = Vec::new();
    for k in 0..asked.n_counts {
        // SAFETY: as this function asks.
        let (name, handle) = unsafe {
            let name = text(element(asked.names, k, "names")?, "names")?;
            (name, element(asked.counts, k, "counts")?)
        };
        let term = Term::ALL.into_iter().find(|term| term.name == name);
        let term = term.filter(|term| counts.iter().all(|(other, _)| other != term));
        let term = term.ok_or_else(|| {
            let names = Term::ALL.map(|term| term.name).join(", ");
            let expected = format!("expected each of {names} once at most, found {name}");
            Failure::argument("names", expected)
        })?;
        counts.push((term, handles::counts(handle.addr())?));
    }
    let terms: Vec<Term> = counts.iter().map(|(term, _)| *term).collect();
    // SAFETY: as this function asks.
    let estimator = estimator(unsafe { text(asked.estimator, "estimator") }?, &terms)?;
    let jackknife = match asked.errors {
        0 => false,
        1 => true,
        other => {
            let expected = format!("expected a constant of the header from 0 to 1, found {other}");
            return Err(Failure::argument("errors", expected));
        }
    };
    Ok(Estimation {
        estimator,
        counts,
        jackknife,
    })
}

fn refused(error: EstimatorError) -> Failure {
    Failure::argument("counts", error)
}

impl Estimation {
    /// The random pairs of the box, where the estimator takes them and none were counted.
    fn known(&self) -> Result<Option<AnalyticRr>> {
        let counted = self.counts.iter().any(|(term, _)| term.is_volume());
        let (Some((_, first)), false) = (self.counts.first(), counted) else {
            return Ok(None);
        };
        let Some(domain) = &first.domain else {
            return Ok(None);
        };
        if !self.estimator.takes_known_randoms() {
            return Ok(None);
        }
        let counts = &first.counts;
        let known = AnalyticRr::with_cuts(counts.binning(), domain, counts.cuts());
        known.map(Some).map_err(refused)
    }

    /// Estimates.
    pub(crate) fn made(&self) -> Result<Estimate> {
        if self.jackknife {
            return self.without_each_region();
        }
        let counts = self.counts.iter();
        let counts = counts.map(|(term, counted)| (*term, counted.counts.whole()));
        let counts = TermCounts::new(counts, self.known()?);
        let Correlation { xi, error, .. } = self.estimator.estimate(&counts).map_err(refused)?;
        Ok(Estimate {
            xi,
            errors: error,
            covariance: None,
        })
    }

    /// Estimates, with the scatter of the estimates without each region.
    fn without_each_region(&self) -> Result<Estimate> {
        let counts = self.counts.iter();
        let counts = counts.map(|(term, counted)| (*term, counted.counts.clone()));
        let made = || {
            let regions = RegionTerms::new(self.estimator.clone(), counts, None)?;
            let without = regions.jackknife(Jackknife::Standard);
            let without = without.map(|made| made.map(|made| made.xi));
            let without = without.collect::<Result<Vec<_>, _>>()?;
            let covariance = Covariance::jackknife(&without)?;
            Ok::<_, EstimatorError>(Estimate {
                xi: regions.estimate()?.xi,
                errors: covariance.errors(),
                covariance: Some(covariance.matrix().iter().copied().collect()),
            })
        };
        made().map_err(refused)
    }
}
