//! The integral constraint: what an estimate lacks because its mean density is that of the sample itself.
//!
//! Entry: [`IntegralConstraint`], of a model in the bins of random pairs, and [`PowerLaw`], a model fitted with it.

use serde::Serialize;

use super::Result;
use crate::error::EstimatorError;

/// `IC = sum_k RR_k xi_k / sum_k RR_k`: the mean of a model of xi over all pairs of the volume.
///
/// An estimate whose mean density is measured from the same sample is on average `xi - IC`, to first order: add IC to it. Landy & Szalay
/// 1993, DOI 10.1086/172900; Peacock & Nicholson 1991, DOI 10.1093/mnras/253.2.307; Roche & Eales 1999, DOI
/// 10.1046/j.1365-8711.1999.02652.x. The bins should reach all pairs of the volume; what they hold of them is reported.
///
/// ```
/// use albireo::estimators::IntegralConstraint;
/// // RR over all pairs, and the model in the same bins.
/// let ic = IntegralConstraint::new(&[0.1, 0.3, 0.6], &[2.0, 1.0, 0.0])?;
/// assert_eq!(ic.value, 0.5);
/// assert!((ic.covered - 1.0).abs() < 1e-15);
/// # Ok::<(), albireo::error::EstimatorError>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct IntegralConstraint {
    /// IC.
    pub value: f64,
    /// The share of all random pairs that the bins hold: IC is a mean over these alone.
    pub covered: f64,
}

fn refuse<T>(what: impl Into<String>) -> Result<T> {
    Err(EstimatorError::Needs(what.into()))
}

impl IntegralConstraint {
    /// Of random pairs over all pairs, and a model in the same bins. A bin without random pairs takes no part.
    ///
    /// # Errors
    /// Different numbers of bins, no random pair, or a model that is not finite where there are random pairs.
    pub fn new(rr: &[f64], model: &[f64]) -> Result<Self> {
        if rr.len() != model.len() {
            let (bins, found) = (rr.len(), model.len());
            return refuse(format!(
                "an integral constraint needs one value of the model for each of {bins} bins, found {found}"
            ));
        }
        let pairs = || {
            rr.iter()
                .zip(model)
                .enumerate()
                .filter(|(_, (rr, _))| **rr != 0.0)
        };
        if let Some((bin, (_, found))) =
            pairs().find(|(_, (rr, xi))| !xi.is_finite() || !rr.is_finite())
        {
            return refuse(format!(
                "the model of an integral constraint is {found} in bin {bin}"
            ));
        }
        let covered: f64 = rr.iter().sum();
        if covered <= 0.0 {
            return refuse("an integral constraint needs random pairs in the bins");
        }
        let sum: f64 = pairs().map(|(_, (rr, xi))| rr * xi).sum();
        Ok(Self {
            value: sum / covered,
            covered,
        })
    }
}

/// A power law `A x^-gamma` fitted to an estimate together with its constraint, global or radial.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct PowerLaw<C = IntegralConstraint> {
    /// gamma, given.
    pub slope: f64,
    /// A.
    pub amplitude: f64,
    /// Its error, from the errors of the estimate taken as independent.
    pub amplitude_error: f64,
    /// Chi squared of the fit.
    pub chi2: f64,
    /// Bins that it was fitted to.
    pub bins: usize,
    /// The constraint of the fit: that of `x^-gamma` times A.
    pub constraint: C,
}

impl<C> PowerLaw<C> {
    /// With the A of `xi_k = A model_k` by weighted least squares, in the bins that `fitted` picks and that have a value, an error and a model;
    /// `constraint` is made of A.
    pub(super) fn best(
        (slope, model): (f64, &[f64]),
        [xi, error]: [&[f64]; 2],
        fitted: impl Fn(usize) -> bool,
        constraint: impl FnOnce(f64) -> C,
    ) -> Result<Self> {
        if [xi.len(), error.len()] != [model.len(); 2] {
            return refuse("a fit needs one value and one error of xi for each bin");
        }
        let usable = |k: &usize| {
            let finite = [model[*k], xi[*k], error[*k]].iter().all(|x| x.is_finite());
            fitted(*k) && finite && error[*k] > 0.0
        };
        let bins: Vec<usize> = (0..xi.len()).filter(usable).collect();
        let sum = |of: &dyn Fn(usize) -> f64| {
            bins.iter()
                .map(|&k| of(k) / (error[k] * error[k]))
                .sum::<f64>()
        };
        let squares = sum(&|k| model[k] * model[k]);
        if squares.is_nan() || squares <= 0.0 {
            return refuse("no bin to fit a power law to: each needs a value and an error above 0");
        }
        let amplitude = sum(&|k| model[k] * xi[k]) / squares;
        Ok(Self {
            slope,
            amplitude,
            amplitude_error: 1.0 / squares.sqrt(),
            chi2: sum(&|k| (xi[k] - amplitude * model[k]).powi(2)),
            bins: bins.len(),
            constraint: constraint(amplitude),
        })
    }
}

impl PowerLaw {
    /// The amplitude that fits `xi_k = A (x_k^-gamma - C)` best, `C = sum RR x^-gamma / sum RR` over all bins, in the bins that `fitted` picks and
    /// that have a value and an error: weighted least squares, which need no iteration. Roche & Eales 1999.
    ///
    /// `x` are places in the bins, above 0.
    ///
    /// ```
    /// use albireo::estimators::PowerLaw;
    /// let (rr, x): ([f64; 3], [f64; 3]) = ([0.1, 0.3, 0.6], [1.0, 2.0, 4.0]);
    /// let c = (0.1 + 0.3 / 2.0 + 0.6 / 4.0) / 1.0;
    /// let xi: Vec<f64> = x.iter().map(|x| 3.0 * (1.0 / x - c)).collect();
    /// let fit = PowerLaw::fit(&rr, &x, 1.0, &xi, &[0.1; 3], |_| true)?;
    /// assert!((fit.amplitude - 3.0).abs() < 1e-12 && (fit.constraint.value - 3.0 * c).abs() < 1e-12);
    /// # Ok::<(), albireo::error::EstimatorError>(())
    /// ```
    ///
    /// # Errors
    /// As [`IntegralConstraint::new`]; no bin to fit.
    pub fn fit(
        rr: &[f64],
        x: &[f64],
        slope: f64,
        xi: &[f64],
        error: &[f64],
        fitted: impl Fn(usize) -> bool,
    ) -> Result<Self> {
        let shape: Vec<f64> = x.iter().map(|&x| libm::pow(x, -slope)).collect();
        let unit = IntegralConstraint::new(rr, &shape)?;
        let model: Vec<f64> = shape.iter().map(|shape| shape - unit.value).collect();
        Self::best((slope, &model), [xi, error], fitted, |amplitude| {
            let value = amplitude * unit.value;
            IntegralConstraint { value, ..unit }
        })
    }
}
