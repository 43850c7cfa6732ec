//! Errors of counted pairs taken as independent events.
//!
//! Entry: [`poisson_error`] where only data pairs have noise, [`poisson_interval`] for few pairs; the propagation through the formula of
//! an estimator is part of it. Cosmic variance is not in them.

use statrs::function::gamma::{gamma_lr, gamma_ur};

use super::Result;
use crate::error::EstimatorError;
use crate::result::Correlation;

/// `(1 + xi) / sqrt(DD)`: the error of `xi = DD/RR - 1` when the only noise is that of `pairs` independent data pairs of equal weight.
///
/// NaN for no pairs. Estimates carry the noise of all their counts instead ([`Correlation::error`]); of analytic RR both are the
/// same. Pairs that share a particle are correlated, so it is a lower limit (Landy & Szalay 1993, DOI 10.1086/172900; Mo, Jing &
/// Börner 1992, DOI 10.1086/171452).
///
/// ```
/// assert_eq!(albireo::estimators::poisson_error(0.5, 100.0), 0.15);
/// ```
pub fn poisson_error(xi: f64, pairs: f64) -> f64 {
    if pairs > 0.0 {
        (1.0 + xi) / pairs.sqrt()
    } else {
        f64::NAN
    }
}

/// Sums over the last axis, value times factor, with their errors: bins are independent, so that variances times squared factors add.
///
/// Bins with a factor of 0 take no part, with any value. A sum over bins without a single pair of data has no error: NaN.
pub(super) fn weighted_sums(xi: &Correlation, factors: &[f64]) -> (Vec<f64>, Vec<f64>) {
    let rows = |values: &[f64], power: i32| -> Vec<f64> {
        let row = |row: &[f64]| {
            let terms = row.iter().zip(factors).filter(|(_, f)| **f != 0.0);
            terms.map(|(v, f)| v * f.powi(power)).sum()
        };
        values.chunks(factors.len()).map(row).collect()
    };
    let known = xi.error.chunks(factors.len());
    let known = known.map(|row| {
        let mut terms = row.iter().zip(factors);
        terms.any(|(error, f)| *f != 0.0 && !error.is_nan())
    });
    let errors = rows(&xi.variance, 2).into_iter().zip(known);
    let errors = errors.map(|(variance, known)| if known { variance.sqrt() } else { f64::NAN });
    (rows(&xi.xi, 1), errors.collect())
}

/// The exact central confidence interval of a Poisson mean of which `count` events were seen.
///
/// The lower limit solves `P(n >= count) = (1 - confidence)/2`, the upper one `P(n <= count) = (1 - confidence)/2`; the lower
/// limit of no event is 0. Gehrels 1986, DOI 10.1086/164079, equations 9 and 10.
///
/// ```
/// let (lo, hi) = albireo::estimators::poisson_interval(3, 0.6827)?;
/// assert!((lo - 1.367).abs() < 1e-3 && (hi - 5.918).abs() < 1e-3);
/// # Ok::<(), albireo::Error>(())
/// ```
///
/// # Errors
/// A confidence outside (0, 1).
pub fn poisson_interval(count: u64, confidence: f64) -> Result<(f64, f64)> {
    if !(confidence > 0.0 && confidence < 1.0) {
        return Err(EstimatorError::Needs(format!(
            "a confidence lies between 0 and 1, found {confidence}"
        )));
    }
    let tail = (1.0 - confidence) / 2.0;
    let n = count as f64;
    // P(n >= count | mean) and P(n <= count | mean) are regularised incomplete gamma functions of the mean.
    let lower = match count {
        0 => 0.0,
        _ => first_true(n, |mean| gamma_lr(n, mean) >= tail),
    };
    let upper = first_true(n + 1.0, |mean| gamma_ur(n + 1.0, mean) <= tail);
    Ok((lower, upper))
}

/// The smallest positive number from which `reached` holds, found by bisection to the last bit; `scale` is of its order.
fn first_true(scale: f64, reached: impl Fn(f64) -> bool) -> f64 {
    let (mut lo, mut hi) = (0.0, scale);
    while !reached(hi) {
        lo = hi;
        hi *= 2.0;
    }
    loop {
        let middle = f64::midpoint(lo, hi);
        if middle <= lo || middle >= hi {
            return hi;
        }
        if reached(middle) {
            hi = middle;
        } else {
            lo = middle;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn intervals_of_gehrels_tables() {
        // Confidence of one Gaussian standard deviation; Gehrels 1986, tables 1 and 2.
        for (count, lo, hi) in [
            (0, 0.0, 1.841),
            (1, 0.173, 3.300),
            (2, 0.708, 4.638),
            (10, 6.891, 14.27),
            (100, 90.02, 111.0),
        ] {
            let found = poisson_interval(count, 0.6827).unwrap();
            assert!((found.0 - lo).abs() <= 2e-3 * hi, "{count}: {found:?}");
            assert!((found.1 - hi).abs() <= 2e-3 * hi, "{count}: {found:?}");
        }
    }

    #[test]
    fn tails_hold_what_they_should() {
        let (lo, hi) = poisson_interval(4, 0.95).unwrap();
        let term = |mean: f64, n: i32| {
            let factorial: f64 = (1..=n).map(f64::from).product();
            (-mean).exp() * mean.powi(n) / factorial
        };
        let below: f64 = (0..=4).map(|n| term(hi, n)).sum();
        let above: f64 = 1.0 - (0..4).map(|n| term(lo, n)).sum::<f64>();
        assert!((below - 0.025).abs() < 1e-10);
        assert!((above - 0.025).abs() < 1e-10);
        let (lo, hi) = poisson_interval(1_000_000, 0.6827).unwrap();
        assert!((lo - 999_000.0).abs() < 2.0 && (hi - 1_001_001.0).abs() < 2.0);
    }

    #[test]
    fn confidence_is_a_probability() {
        for confidence in [0.0, 1.0, -0.1, 68.0, f64::NAN] {
            assert!(poisson_interval(3, confidence).is_err());
        }
        assert!(poisson_error(0.0, 0.0).is_nan());
    }
}
