//! Parts of the sky as one.

use super::error::needs;
use super::{Matrix, ModelError};

/// The covariance of `sum W_r xi_r / sum W_r` bin by bin, of parts r without pairs between them: `sum W_ra W_rb C_r,ab / (W_a W_b)`, on the bins in which
/// the parts were put together.
///
/// ```
/// use albireo_covariance::model::{Matrix, combined};
/// let [a, b] = [4.0, 1.0].map(|v| Matrix::from_element(1, 1, v));
/// let both = combined(&[(&[3.0], &a), (&[1.0], &b)])?;
/// assert_eq!(both[(0, 0)], (9.0 * 4.0 + 1.0) / 16.0);
/// # Ok::<(), albireo_covariance::model::ModelError>(())
/// ```
///
/// # Errors
/// [`ModelError::Needs`]: no part, parts of other bins, or a bin without weight.
pub fn combined(parts: &[(&[f64], &Matrix)]) -> Result<Matrix, ModelError> {
    let bins = parts.first().map_or(0, |(weights, _)| weights.len());
    let is_of_them = |(w, c): &(&[f64], &Matrix)| w.len() == bins && c.shape() == (bins, bins);
    if bins == 0 || !parts.iter().all(is_of_them) {
        return needs(format!(
            "parts of the sky need covariances of the same bins, {bins}"
        ));
    }
    let whole = |bin: usize| parts.iter().map(|(weights, _)| weights[bin]).sum::<f64>();
    let whole: Vec<f64> = (0..bins).map(whole).collect();
    if let Some(bin) = whole.iter().position(|w| !(w.is_finite() && *w > 0.0)) {
        return needs(format!("bin {bin} has no weight in any part of the sky"));
    }
    Ok(Matrix::from_fn(bins, bins, |a, b| {
        let parts = parts.iter().map(|(w, c)| w[a] * w[b] * c[(a, b)]);
        parts.sum::<f64>() / (whole[a] * whole[b])
    }))
}

#[cfg(test)]
mod tests {
    use super::super::LinearMap;
    use super::*;

    /// The same of the means of drawn numbers: both parts as one vector, mapped.
    #[test]
    fn parts_are_a_linear_map_of_both() {
        let of = |seed: f64| Matrix::from_fn(2, 2, |a, b| seed + if a == b { 2.0 } else { 0.3 });
        let (north, south) = (of(0.0), of(0.5));
        let weights = [[3.0, 1.0], [2.0, 5.0]];
        let found = combined(&[(&weights[0], &north), (&weights[1], &south)]).unwrap();
        let share =
            |part: usize, bin: usize| weights[part][bin] / (weights[0][bin] + weights[1][bin]);
        let rows = (0..2).map(|bin| vec![(bin, share(0, bin)), (2 + bin, share(1, bin))]);
        let map = LinearMap::new(4, rows.collect());
        let both = map.of(|a, b| match (a / 2, b / 2) {
            (0, 0) => north[(a, b)],
            (1, 1) => south[(a - 2, b - 2)],
            _ => 0.0,
        });
        assert!((found - both).abs().max() < 1e-15);
        assert!(combined(&[(&[1.0], &north)]).is_err() && combined(&[]).is_err());
        assert!(combined(&[(&[1.0, 0.0], &north)]).is_err());
    }
}
