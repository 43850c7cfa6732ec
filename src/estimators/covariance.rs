//! Covariances of estimates from realisations: samples less a region, samples drawn again, or mocks.
//!
//! Entry: [`Covariance`], [`correlation_of`]; [`hartlap_factor`] and its relatives, for the noise of few realisations. Where the realisations come
//! from is found in `by_region`.

use ndarray::{Array1, Array2, ArrayView2};

use super::Result;
use crate::error::EstimatorError;

/// The mean and the covariance of estimates over bins.
///
/// A bin in which any realisation is NaN has NaN in its row and column, and no other bin does.
///
/// ```
/// use albireo::estimators::Covariance;
/// let mocks = [vec![1.0, 2.0], vec![3.0, 2.5], vec![2.0, 3.0]];
/// let covariance = Covariance::of_realisations(&mocks)?;
/// assert_eq!(covariance.mean(), [2.0, 2.5]);
/// assert_eq!(covariance.matrix()[[0, 0]], 1.0);
/// assert_eq!(covariance.errors()[1], 0.5);
/// assert_eq!(covariance.correlation()[[0, 1]], 0.5);
/// # Ok::<(), albireo::error::EstimatorError>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct Covariance {
    mean: Vec<f64>,
    /// Realisations less their mean, a row each.
    off: Array2<f64>,
    factor: f64,
}

impl Covariance {
    /// `(n-1)/n sum_k (x_k - mean)(x_k - mean)^T` of the n estimates that leave one of n regions out each, one value a bin.
    ///
    /// Norberg et al. 2009, DOI 10.1111/j.1365-2966.2009.14389.x.
    ///
    /// # Errors
    /// [`EstimatorError::Needs`]: fewer than two realisations, or realisations of different lengths.
    pub fn jackknife<R: AsRef<[f64]>>(realisations: &[R]) -> Result<Self> {
        let n = realisations.len() as f64;
        Self::scaled(realisations, (n - 1.0) / n)
    }

    /// `1/(n-1) sum_k (x_k - mean)(x_k - mean)^T` of n independent realisations, such as mocks or bootstrap samples, one value a bin.
    ///
    /// # Errors
    /// As [`Covariance::jackknife`].
    pub fn of_realisations<R: AsRef<[f64]>>(realisations: &[R]) -> Result<Self> {
        let n = realisations.len() as f64;
        Self::scaled(realisations, 1.0 / (n - 1.0))
    }

    fn scaled<R: AsRef<[f64]>>(realisations: &[R], factor: f64) -> Result<Self> {
        let [first, _, ..] = realisations else {
            let found = realisations.len();
            return Err(EstimatorError::Needs(format!(
                "a covariance needs at least 2 realisations, found {found}"
            )));
        };
        let bins = first.as_ref().len();
        let lengths = realisations.iter().map(|row| row.as_ref().len());
        if let Some((k, found)) = lengths.enumerate().find(|&(_, found)| found != bins) {
            return Err(EstimatorError::Needs(format!(
                "a covariance needs realisations of equal length: realisation 0 has {bins} bins, realisation {k} has {found}"
            )));
        }
        let n = realisations.len() as f64;
        let mut mean = Array1::<f64>::zeros(bins);
        for row in realisations {
            mean += &ndarray::aview1(row.as_ref());
        }
        mean /= n;
        let rows = realisations.iter();
        let off = rows.flat_map(|row| row.as_ref().iter().zip(&mean).map(|(x, mean)| x - mean));
        let off = Array2::from_shape_vec((realisations.len(), bins), off.collect());
        Ok(Self {
            off: off.map_err(|error| EstimatorError::Needs(error.to_string()))?,
            mean: mean.to_vec(),
            factor,
        })
    }

    /// Number of realisations.
    pub fn realisations(&self) -> usize {
        self.off.nrows()
    }

    /// Number of bins.
    pub fn bins(&self) -> usize {
        self.mean.len()
    }

    /// The mean of the realisations in each bin.
    pub fn mean(&self) -> &[f64] {
        &self.mean
    }

    /// The covariance, bins by bins; made now, in bins squared times realisations operations.
    pub fn matrix(&self) -> Array2<f64> {
        let bins = self.bins();
        let mut matrix = Array2::zeros((bins, bins));
        for off in self.off.rows() {
            for (i, mut out) in matrix.rows_mut().into_iter().enumerate() {
                out.scaled_add(off[i], &off);
            }
        }
        matrix *= self.factor;
        matrix
    }

    /// The square root of the diagonal: one standard deviation of each bin.
    pub fn errors(&self) -> Vec<f64> {
        let mut variances = Array1::<f64>::zeros(self.bins());
        for off in self.off.rows() {
            variances += &(&off * &off);
        }
        variances *= self.factor;
        variances.mapv_into(f64::sqrt).to_vec()
    }

    /// The correlation matrix, as [`correlation_of`] makes it.
    pub fn correlation(&self) -> Array2<f64> {
        correlation_of(&self.matrix())
    }

    /// Realisations less their mean, a row each.
    pub(super) fn off(&self) -> ArrayView2<'_, f64> {
        self.off.view()
    }
}

/// The correlation matrix of a covariance, `C_ij / sqrt(C_ii C_jj)`: bins by bins, 1 on the diagonal; NaN where a variance is NaN or not above 0.
///
/// ```
/// use albireo::estimators::correlation_of;
/// let covariance = ndarray::array![[4.0, 1.0], [1.0, 1.0]];
/// assert_eq!(correlation_of(&covariance)[[0, 1]], 0.5);
/// ```
pub fn correlation_of(covariance: &Array2<f64>) -> Array2<f64> {
    let errors: Vec<f64> = covariance.diag().iter().map(|v| v.sqrt()).collect();
    Array2::from_shape_fn(covariance.dim(), |(i, j)| {
        let scale = errors[i] * errors[j];
        match i == j && scale > 0.0 {
            true => 1.0,
            // Rounding must not take it past what a correlation can be.
            false if scale > 0.0 => (covariance[[i, j]] / scale).clamp(-1.0, 1.0),
            false => f64::NAN,
        }
    })
}

/// `(n - p - 2)/(n - 1)` for n independent realisations of p bins: what the inverse of their covariance is multiplied by to be unbiased.
///
/// Hartlap, Simon & Schneider 2007, DOI 10.1051/0004-6361:20066170, equation 17.
///
/// ```
/// assert_eq!(albireo::estimators::hartlap_factor(102, 20)?, 80.0 / 101.0);
/// # Ok::<(), albireo::error::EstimatorError>(())
/// ```
///
/// # Errors
/// [`EstimatorError::Needs`]: fewer realisations than `bins + 3`, of which no inverse is unbiased.
pub fn hartlap_factor(realisations: usize, bins: usize) -> Result<f64> {
    if bins == 0 || realisations < bins.saturating_add(3) {
        return Err(EstimatorError::Needs(format!(
            "the Hartlap factor of {bins} bins needs at least one bin and more than bins + 2 realisations, found {realisations}"
        )));
    }
    let (n, p) = (realisations as f64, bins as f64);
    Ok((n - p - 2.0) / (n - 1.0))
}

/// `A = 2/((n-p-1)(n-p-4))` and `B = (n-p-2)/((n-p-1)(n-p-4))`, by which the noise of a covariance of n realisations of p bins goes on to q
/// parameters. Taylor, Joachimi & Kitching 2013, DOI 10.1093/mnras/stt270.
fn noise_of_inverse(what: &str, [realisations, bins, parameters]: [usize; 3]) -> Result<[f64; 2]> {
    if bins == 0 || parameters > bins || realisations < bins.saturating_add(5) {
        return Err(EstimatorError::Needs(format!(
            "the {what} needs parameters <= bins, bins > 0 and more than bins + 4 realisations, found {parameters} parameters, {bins} bins, {realisations} realisations"
        )));
    }
    let (n, p) = (realisations as f64, bins as f64);
    let scale = (n - p - 1.0) * (n - p - 4.0);
    Ok([2.0 / scale, (n - p - 2.0) / scale])
}

/// `m_1 = (1 + B (p - q))/(1 + A + B (q + 1))` for n independent realisations of p bins and q fitted parameters: what the covariance of
/// the parameters is multiplied by, after [`hartlap_factor`], for the noise of the covariance of the bins.
///
/// `A = 2/((n-p-1)(n-p-4))`, `B = (n-p-2)/((n-p-1)(n-p-4))`. Percival et al. 2014, DOI 10.1093/mnras/stu112, equation 18.
///
/// ```
/// let m1 = albireo::estimators::percival_factor(600, 20, 4)?;
/// assert!((m1 - 1.0189).abs() < 1e-4);
/// # Ok::<(), albireo::error::EstimatorError>(())
/// ```
///
/// # Errors
/// [`EstimatorError::Needs`]: fewer realisations than `bins + 5`, or more parameters than bins.
pub fn percival_factor(realisations: usize, bins: usize, parameters: usize) -> Result<f64> {
    let [a, b] = noise_of_inverse("Percival factor", [realisations, bins, parameters])?;
    let (p, q) = (bins as f64, parameters as f64);
    Ok((1.0 + b * (p - q)) / (1.0 + a + b * (q + 1.0)))
}

/// `1 + B (p - q)` for n independent realisations of p bins and q fitted parameters: by how much the best fits scatter more, in variance, than
/// with the true covariance.
///
/// B as in [`percival_factor`]. Dodelson & Schneider 2013, DOI 10.1103/PhysRevD.88.063537, equation 28.
///
/// ```
/// let factor = albireo::estimators::dodelson_schneider_factor(600, 20, 4)?;
/// assert!((factor - 1.0278).abs() < 1e-4);
/// # Ok::<(), albireo::error::EstimatorError>(())
/// ```
///
/// # Errors
/// As [`percival_factor`].
pub fn dodelson_schneider_factor(
    realisations: usize,
    bins: usize,
    parameters: usize,
) -> Result<f64> {
    let asked = [realisations, bins, parameters];
    let [_, b] = noise_of_inverse("Dodelson-Schneider factor", asked)?;
    Ok(1.0 + b * (bins as f64 - parameters as f64))
}

/// `m = q + 2 + (n - 1 + B (p - q))/(1 + B (p - q))`: the exponent of the likelihood `(1 + chi^2/(n - 1))^(-m/2)` of n independent realisations of p
/// bins and q fitted parameters, whose intervals are on average as wide as the best fits scatter. chi^2 is by the inverse of the covariance as it is.
///
/// B as in [`percival_factor`]. Percival, Friedrich, Sellentin & Heavens 2022, DOI 10.1093/mnras/stab3540, equation 54. Sellentin & Heavens 2016,
/// DOI 10.1093/mnrasl/slv190, have m = n.
///
/// ```
/// let m = albireo::estimators::percival_exponent(600, 20, 4)?;
/// assert!((m - 588.8).abs() < 0.1);
/// # Ok::<(), albireo::error::EstimatorError>(())
/// ```
///
/// # Errors
/// As [`percival_factor`].
pub fn percival_exponent(realisations: usize, bins: usize, parameters: usize) -> Result<f64> {
    let asked = [realisations, bins, parameters];
    let [_, b] = noise_of_inverse("exponent of Percival et al. (2022)", asked)?;
    let (n, p, q) = (realisations as f64, bins as f64, parameters as f64);
    let spread = b * (p - q);
    Ok(q + 2.0 + (n - 1.0 + spread) / (1.0 + spread))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn inverse_covariances_have_their_factors() {
        assert_eq!(hartlap_factor(23, 20).unwrap(), 1.0 / 22.0);
        assert_eq!(percival_factor(1000, 20, 20).unwrap().to_bits(), {
            let scale = 979.0 * 976.0;
            let (a, b): (f64, f64) = (2.0 / scale, 978.0 / scale);
            (1.0 / (1.0 + a + b * 21.0)).to_bits()
        });
        assert!(percival_factor(1_000_000, 20, 4).unwrap() - 1.0 < 2e-5);
        for refused in [hartlap_factor(22, 20), hartlap_factor(10, 0)] {
            assert!(
                refused
                    .unwrap_err()
                    .to_string()
                    .contains("realisations, found")
            );
        }
        assert!(percival_factor(24, 20, 3).is_err());
        // A = 2/(4*1), B = 3/(4*1) by hand, n = 8, p = 3, q = 2: m = 4 + (7 + B)/(1 + B).
        assert_eq!(dodelson_schneider_factor(8, 3, 2).unwrap(), 1.75);
        assert_eq!(percival_exponent(8, 3, 2).unwrap(), 4.0 + 7.75 / 1.75);
        // Without noise: 1, and m = n + 1 + q.
        assert!((dodelson_schneider_factor(1_000_000, 20, 4).unwrap() - 1.0).abs() < 2e-5);
        assert!((percival_exponent(1_000_000, 4, 4).unwrap() - 1_000_005.0).abs() < 1e-9);
        let refused = percival_exponent(24, 20, 3).unwrap_err().to_string();
        assert!(
            refused.starts_with("the exponent of Percival et al. (2022) needs"),
            "{refused}"
        );
        assert!(percival_factor(100, 20, 21).is_err());
    }
}
