//! The inverse of a covariance with noise.
//!
//! Entry: [`Precision`].

use super::matrix::{cholesky, symmetric, whitened};
use super::{Groups, Matrix, ModelError, ShotNoise, Terms, least_eigenvalue};

/// What likelihoods take of a covariance.
#[derive(Debug, Clone, PartialEq)]
pub struct Precision {
    /// `(1 - D) C^-1`, made symmetric: without the bias that the noise of C gives its inverse.
    pub matrix: Matrix,
    /// `ln det` of it.
    pub ln_determinant: f64,
    /// As many mocks would have this noise: `(N_b + 1)/|D|^(1/N_b) + 1`; none where D is that of noise alone.
    pub effective_mocks: Option<f64>,
}

impl Precision {
    /// Of the covariance of all rounds, its bias by the scatter of its groups: `D = (G-1)/G (-1 + 1/G sum_g C_[g]^-1 C_g)`, `C_[g]` being the mean of the
    /// other groups. O'Connell & Eisenstein 2019, DOI 10.1093/mnras/stz1359.
    ///
    /// # Errors
    /// [`ModelError::NotPositiveDefinite`]; [`ModelError::Needs`]: fewer than two groups.
    pub fn of(groups: &Groups, noise: ShotNoise) -> Result<Self, ModelError> {
        let whole = groups.terms().at(noise);
        let bins = whole.nrows();
        let root = cholesky(&whole, "the covariance")?;
        let each = groups.covariances(noise);
        if each.len() < 2 {
            return super::error::needs("a precision matrix needs two rounds or more".to_owned());
        }
        let (rounds, number) = (groups.rounds() as f64, each.len() as f64);
        let mut sum = Matrix::zeros(bins, bins);
        for (n, group) in &each {
            let share = *n as f64 / rounds;
            let others = (&whole - group * share) / (1.0 - share);
            let others = cholesky(&others, "the covariance without one group of rounds")?;
            sum += others.solve(group) * share;
        }
        let bias = (sum - Matrix::identity(bins, bins)) * ((number - 1.0) / number);
        let determinant = bias.determinant();
        let matrix = symmetric(&((Matrix::identity(bins, bins) - &bias) * root.inverse()));
        let inverse = cholesky(&matrix, "the precision matrix")?;
        let n = bins as f64;
        let effective = (n + 1.0) / determinant.powf(1.0 / n) + 1.0;
        Ok(Self {
            ln_determinant: 2.0 * inverse.l_dirty().diagonal().map(f64::ln).sum(),
            matrix,
            effective_mocks: Some(effective).filter(|mocks| mocks.is_finite()),
        })
    }
}

/// The least eigenvalue of `C2^-1/2 C4 C2^-1/2`: at `-alpha^2` and below C4, which has no negative one, is lost in its noise.
///
/// # Errors
/// [`ModelError::NotPositiveDefinite`]: C2 is not.
pub fn least_of_c4(terms: &Terms) -> Result<f64, ModelError> {
    let root = cholesky(&terms.c2, "C2")?;
    Ok(least_eigenvalue(&whitened(&root, &terms.c4)))
}

#[cfg(test)]
mod tests {
    use super::super::Group;
    use super::super::trials::Sites;
    use super::*;

    /// Groups of Wishart matrices of unit covariance, `degrees` of freedom each, as C4.
    fn wishart(bins: usize, degrees: u64, rounds: u64, seed: u64) -> Groups {
        let zero = || Matrix::zeros(bins, bins);
        let mut groups = Groups::new(zero(), zero());
        let stream = albireo::random::Stream::new(seed);
        for round in 0..rounds {
            let x = Matrix::from_fn(bins, degrees as usize, |a, k| {
                let draws = stream.child(round).child((a as u64) << 20 | k as u64);
                // The sum of 12 uniform numbers is as good as normal here.
                (0..12).map(|n| draws.uniform(n)).sum::<f64>() - 6.0
            });
            groups.add(Group {
                begin: round,
                rounds: 1,
                c4: &x * x.transpose() / degrees as f64,
                c3: zero(),
            });
        }
        groups
    }

    #[test]
    fn the_bias_of_the_inverse_is_that_of_so_many_mocks() {
        // 16 groups of 12 mocks are 192 mocks of 5 bins: Hartlap's factor is 185/191.
        let (mut plain, mut found, mut mocks) = (0.0, 0.0, 0.0);
        let draws = 400;
        for seed in 0..draws {
            let groups = wishart(5, 12, 16, seed);
            let precision = Precision::of(&groups, ShotNoise::poisson()).unwrap();
            plain += groups.terms().c4.try_inverse().unwrap().trace() / 5.0;
            found += precision.matrix.trace() / 5.0;
            mocks += precision.effective_mocks.unwrap();
        }
        let [plain, found, mocks] = [plain, found, mocks].map(|sum| sum / draws as f64);
        assert!((plain / (192.0 / 186.0) - 1.0).abs() < 0.01, "{plain}");
        assert!((found - 1.0).abs() < 0.01, "{found}");
        assert!((mocks / 192.0 - 1.0).abs() < 0.2, "{mocks}");
    }

    #[test]
    fn its_determinant_is_that_of_its_eigenvalues() {
        let groups = wishart(4, 30, 16, 3);
        let precision = Precision::of(&groups, ShotNoise::poisson()).unwrap();
        let eigenvalues = precision.matrix.clone().symmetric_eigenvalues();
        let expected: f64 = eigenvalues.iter().map(|v| v.ln()).sum();
        assert!((precision.ln_determinant - expected).abs() < 1e-12);
    }

    #[test]
    fn c4_is_measured_by_c2() {
        let terms = Sites::new(14, 1).terms(20.0);
        let c2 = terms.c2.diagonal();
        let unit = |a: usize, b: usize| terms.c4[(a, b)] / (c2[a] * c2[b]).sqrt();
        let expected = least_eigenvalue(&Matrix::from_fn(3, 3, unit));
        assert!((least_of_c4(&terms).unwrap() / expected - 1.0).abs() < 1e-12);
    }

    #[test]
    fn what_is_not_positive_definite_is_refused_with_its_least_eigenvalue() {
        let mut groups = Groups::new(Matrix::zeros(2, 2), Matrix::zeros(2, 2));
        let bad = Matrix::from_row_slice(2, 2, &[1.0, 2.0, 2.0, 1.0]);
        for begin in 0..2 {
            groups.add(Group {
                begin,
                rounds: 1,
                c4: bad.clone(),
                c3: Matrix::zeros(2, 2),
            });
        }
        let refused = Precision::of(&groups, ShotNoise::poisson()).unwrap_err();
        assert_eq!(
            refused,
            ModelError::NotPositiveDefinite {
                what: "the covariance",
                least: least_eigenvalue(&bad)
            }
        );
        assert!((least_eigenvalue(&bad) + 1.0).abs() < 1e-14);
        assert!(refused.to_string().contains("its least eigenvalue is -"));
    }
}
