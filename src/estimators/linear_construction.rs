//! The covariance of estimates with many randoms, of mocks that were measured with few.
//!
//! Entry: [`linear_construction`].

use ndarray::Array2;

use super::Covariance;
use super::Result;
use crate::error::EstimatorError;

/// The covariance of estimates that split their randoms into `sets` as large as those here, of mocks measured twice each: `pairs` has a mock's two
/// estimates from the same data, with other randoms. `f64::INFINITY` sets are randoms without end.
///
/// A covariance is `A + B/M` of M sets. The means of both estimates scatter by `A + B/2`, half their differences by `B/2`. Keihanen et al. 2022, DOI
/// 10.1051/0004-6361/202244065. For `sets` above 2 it is a difference of covariances, which needs not be positive definite; the noise of its
/// inverse is not that of as many mocks.
///
/// ```
/// use albireo::estimators::linear_construction;
/// let pairs = [[[1.0], [3.0]], [[5.0], [3.0]], [[3.0], [3.0]]];
/// let [(mean, one), (_, two), (_, all)] = [1.0, 2.0, f64::INFINITY].map(|m| linear_construction(&pairs, m).unwrap());
/// assert_eq!((mean, one[[0, 0]], two[[0, 0]], all[[0, 0]]), (vec![3.0], 2.0, 1.0, 0.0));
/// ```
///
/// # Errors
/// [`EstimatorError::Needs`]: fewer than two mocks, estimates of different lengths, or less than one set.
pub fn linear_construction<R: AsRef<[f64]>>(
    pairs: &[[R; 2]],
    sets: f64,
) -> Result<(Vec<f64>, Array2<f64>)> {
    if sets.is_nan() || sets < 1.0 {
        return Err(EstimatorError::Needs(format!(
            "a linear construction needs one set of randoms or more, found {sets}"
        )));
    }
    let of = |combine: fn(f64, f64) -> f64| {
        let one = |[a, b]: &[R; 2]| {
            let (a, b) = (a.as_ref(), b.as_ref());
            let both = a.iter().zip(b).map(|(a, b)| combine(*a, *b) / 2.0);
            (a.len() == b.len()).then(|| both.collect::<Vec<f64>>())
        };
        let rows = pairs.iter().map(one).collect::<Option<Vec<_>>>();
        let rows = rows.ok_or_else(|| {
            EstimatorError::Needs("both estimates of a mock need as many bins".to_owned())
        })?;
        Covariance::of_realisations(&rows)
    };
    let (means, differences) = (of(|a, b| a + b)?, of(|a, b| a - b)?);
    let matrix = means.matrix() + (2.0 / sets - 1.0) * differences.matrix();
    Ok((means.mean().to_vec(), matrix))
}
