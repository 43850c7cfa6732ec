//! Symmetric matrices.
//!
//! Entry: [`Matrix`], of a library of dense algebra whose sums run in a fixed order: every machine has the same bits.

use nalgebra::{Cholesky, DMatrix, Dyn};

use super::ModelError;

/// A matrix of float64.
pub type Matrix = DMatrix<f64>;

/// The least eigenvalue of a symmetric matrix; NaN where an element is.
///
/// ```
/// use albireo_covariance::model::{Matrix, least_eigenvalue};
/// let matrix = Matrix::from_row_slice(2, 2, &[2.0, 1.0, 1.0, 2.0]);
/// assert!((least_eigenvalue(&matrix) - 1.0).abs() < 1e-14);
/// ```
pub fn least_eigenvalue(matrix: &Matrix) -> f64 {
    if matrix.iter().any(|x| !x.is_finite()) {
        return f64::NAN;
    }
    let all = matrix.clone().symmetric_eigenvalues();
    all.iter().copied().fold(f64::INFINITY, f64::min)
}

/// The mean of a matrix and its transpose.
#[must_use]
pub fn symmetric(matrix: &Matrix) -> Matrix {
    (matrix + matrix.transpose()) * 0.5
}

/// `L L^T` of a positive definite matrix; `what` is what errors call it.
pub(super) fn cholesky(
    matrix: &Matrix,
    what: &'static str,
) -> Result<Cholesky<f64, Dyn>, ModelError> {
    let is_finite = matrix.iter().all(|x| x.is_finite());
    let found = is_finite.then(|| matrix.clone().cholesky()).flatten();
    found.ok_or_else(|| ModelError::NotPositiveDefinite {
        what,
        least: least_eigenvalue(matrix),
    })
}

/// `L^-1 M L^-T` of a symmetric M.
pub(super) fn whitened(cholesky: &Cholesky<f64, Dyn>, matrix: &Matrix) -> Matrix {
    let mut half = matrix.clone();
    cholesky.l_dirty().solve_lower_triangular_mut(&mut half);
    let mut whole = half.transpose();
    cholesky.l_dirty().solve_lower_triangular_mut(&mut whole);
    whole
}
