//! Covariances of few realisations, moved towards a matrix with less noise.
//!
//! Entry: [`Covariance::shrunk_to`].

use ndarray::{Array2, ArrayView2};

use super::Covariance;
use super::Result;
use crate::error::EstimatorError;

/// What a covariance is moved towards.
#[derive(Debug, Clone, Copy)]
pub enum Target<'a> {
    /// Its own diagonal.
    Diagonal,
    /// Another covariance of the same bins.
    Matrix(ArrayView2<'a, f64>),
}

/// A covariance that was moved towards a target.
#[derive(Debug, Clone, PartialEq)]
pub struct Shrunk {
    /// `lambda T + (1 - lambda) S`.
    pub matrix: Array2<f64>,
    /// How far, from 0 to 1.
    pub lambda: f64,
}

impl Covariance {
    /// `lambda T + (1 - lambda) S` of this covariance S of independent realisations and a target T, with the lambda of the least expected error:
    /// `sum Var(S_ij) / sum (S_ij - T_ij)^2` in units of the target's errors, from 0 to 1.
    ///
    /// `Var(S_ij) = n/(n-1)^3 sum_k (W_kij - mean)^2`, `W_k` the outer product of realisation k less the mean. The diagonal is left out where it is the
    /// target itself. Ledoit & Wolf 2003, DOI 10.1016/S0927-5398(03)00007-0; Schäfer & Strimmer 2005, DOI 10.2202/1544-6115.1175.
    ///
    /// ```
    /// use albireo::estimators::{Covariance, Target};
    /// let mocks = [[1.0, 2.0], [3.0, 2.5], [2.0, 3.0], [0.0, 1.0]];
    /// let shrunk = Covariance::of_realisations(&mocks)?.shrunk_to(Target::Diagonal)?;
    /// assert!(shrunk.lambda > 0.0 && shrunk.lambda < 1.0);
    /// # Ok::<(), albireo::error::EstimatorError>(())
    /// ```
    ///
    /// # Errors
    /// [`EstimatorError::Needs`]: a target of other bins; a bin that is NaN, or whose variance in the target is not above 0; a target that is the
    /// covariance itself.
    pub fn shrunk_to(&self, target: Target<'_>) -> Result<Shrunk> {
        let own = self.matrix();
        let (aim, is_diagonal) = match target {
            Target::Diagonal => (Array2::from_diag(&own.diag()), true),
            Target::Matrix(matrix) => (matrix.to_owned(), false),
        };
        if aim.dim() != own.dim() {
            let (found, bins) = (aim.nrows(), own.nrows());
            return Err(EstimatorError::Needs(format!(
                "shrinkage needs a target of the same {bins} bins, found {found}"
            )));
        }
        let is_bad = |bin: &usize| !(aim[[*bin, *bin]] > 0.0 && own[[*bin, *bin]].is_finite());
        if let Some(bin) = (0..self.bins()).find(is_bad) {
            return Err(EstimatorError::Needs(format!(
                "shrinkage needs finite values and variances above 0 in the target, found {} and {} in bin {bin}",
                own[[bin, bin]],
                aim[[bin, bin]]
            )));
        }
        let n = self.realisations() as f64;
        let (mut noise, mut distance) = (0.0, 0.0);
        for ((i, j), &s) in own
            .indexed_iter()
            .filter(|((i, j), _)| !(is_diagonal && i == j))
        {
            let unit = aim[[i, i]] * aim[[j, j]];
            let mean = s * (n - 1.0) / n;
            let off = self.off();
            let squares = off.rows().into_iter().map(|x| (x[i] * x[j] - mean).powi(2));
            noise += squares.sum::<f64>() * n / (n - 1.0).powi(3) / unit;
            distance += (s - aim[[i, j]]).powi(2) / unit;
        }
        if distance == 0.0 {
            return Err(EstimatorError::Needs(
                "shrinkage needs a target that differs from the covariance".to_owned(),
            ));
        }
        let lambda = (noise / distance).clamp(0.0, 1.0);
        let matrix = &aim * lambda + own * (1.0 - lambda);
        Ok(Shrunk { matrix, lambda })
    }
}

#[cfg(test)]
mod tests {
    use ndarray::{Array2, array};

    use super::super::linear_construction;
    use super::*;

    const MOCKS: [[f64; 3]; 6] = [
        [1.2, 0.7, 0.3],
        [0.9, 0.4, 0.1],
        [1.6, 0.9, 0.2],
        [1.1, 0.8, 0.5],
        [0.7, 0.2, 0.3],
        [1.3, 0.6, -0.1],
    ];
    /// What the second estimate of each has besides.
    const OTHER: [[f64; 3]; 6] = [
        [0.1, -0.2, 0.0],
        [-0.1, 0.1, 0.2],
        [0.0, 0.1, -0.1],
        [0.2, 0.0, 0.1],
        [0.1, 0.1, -0.2],
        [-0.2, 0.0, 0.1],
    ];

    #[track_caller]
    fn close(found: &Array2<f64>, expected: &Array2<f64>) {
        let off = (found - expected).mapv(f64::abs);
        assert!(off.iter().all(|off| *off < 1e-15), "{found}");
    }

    /// numpy 2.4: `V = n/(n-1)**3*((W-W.mean(0))**2).sum(0)`, W the outer products, in units of the target's errors.
    #[test]
    fn covariances_are_shrunk_as_numpy_does_it() {
        let covariance = Covariance::of_realisations(&MOCKS).unwrap();
        let diagonal = covariance.shrunk_to(Target::Diagonal).unwrap();
        assert!((diagonal.lambda - 0.397_412_735_256_287_1).abs() < 1e-14);
        let [v, x, y, z] = [
            0.098_666_666_666_666_71,
            0.043_386_283_061_547_334,
            -0.008_837_946_549_574_455,
            0.006_025_872_647_437_131_5,
        ];
        let expected = array![[v, x, y], [x, 0.068, z], [y, z, 0.041_666_666_666_666_664]];
        close(&diagonal.matrix, &expected);
        let target = array![[1.0, 0.6, 0.0], [0.6, 0.8, 0.1], [0.0, 0.1, 0.5]];
        let shrunk = covariance.shrunk_to(Target::Matrix(target.view())).unwrap();
        assert!((shrunk.lambda - 0.003_371_388_301_620_861_4).abs() < 1e-15);
        assert!((shrunk.matrix[[0, 1]] - 0.073_780_093_023_255_82).abs() < 1e-15);
        // A target nearer than the noise takes the place of the covariance.
        let near = target / 10.0;
        let all = covariance.shrunk_to(Target::Matrix(near.view())).unwrap();
        assert_eq!((all.lambda, all.matrix), (1.0, near));
    }

    #[test]
    fn what_no_shrinkage_is_known_of_is_refused() {
        let refused = |target: Target<'_>| {
            let covariance = Covariance::of_realisations(&MOCKS).unwrap();
            covariance.shrunk_to(target).unwrap_err().to_string()
        };
        let small = Array2::eye(2);
        assert!(refused(Target::Matrix(small.view())).contains("the same 3 bins, found 2"));
        let mut flat = Array2::eye(3);
        flat[[1, 1]] = 0.0;
        assert!(refused(Target::Matrix(flat.view())).contains("and 0 in bin 1"));
        let own = Covariance::of_realisations(&MOCKS).unwrap().matrix();
        assert!(refused(Target::Matrix(own.view())).contains("differs from the covariance"));
    }

    /// numpy 2.4: `A = (C12 + C12.T)/2`, `B = (C11 + C22)/2 - A`, the blocks of the covariance of both estimates.
    #[test]
    fn linear_constructions_are_those_of_blocks() {
        let both = MOCKS.iter().zip(OTHER);
        let pairs = both.map(|(a, off)| [a.to_vec(), (0..3).map(|k| a[k] + off[k]).collect()]);
        let pairs: Vec<[Vec<f64>; 2]> = pairs.collect();
        let of = |sets: f64| linear_construction(&pairs, sets).unwrap().1;
        let symmetric = |[a, b, c, d, e, f]: [f64; 6]| array![[a, b, c], [b, d, e], [c, e, f]];
        let eight = [
            0.089_354_166_666_666_69,
            0.071_395_833_333_333_35,
            0.000_312_5,
            0.058_854_166_666_666_67,
            0.010_687_5,
            0.034_687_5,
        ];
        close(&of(8.0), &symmetric(eight));
        let one = [
            0.593 / 6.0,
            0.0695,
            -0.01 / 3.0,
            0.389 / 6.0,
            0.029 / 3.0,
            0.265 / 6.0,
        ];
        close(&of(1.0), &symmetric(one));
        let all = [
            0.088,
            0.215 / 3.0,
            0.0025 / 3.0,
            0.058,
            0.0325 / 3.0,
            0.1 / 3.0,
        ];
        close(&of(f64::INFINITY), &symmetric(all));
        assert!(linear_construction(&pairs, 0.5).is_err());
        let uneven = [[vec![1.0], vec![1.0, 2.0]], [vec![1.0], vec![1.0, 2.0]]];
        assert!(linear_construction(&uneven, 2.0).is_err());
    }
}
