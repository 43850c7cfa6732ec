//! The shot noise that makes a covariance that of a reference: a jackknife or mocks.
//!
//! Entry: [`tuned`].

use super::error::needs;
use super::{Groups, Matrix, ModelError, Precision, ShotNoise};

/// What fits a reference best.
#[derive(Debug, Clone, PartialEq)]
pub struct Tuned {
    /// The shot noise of the data, in units of Poisson noise.
    pub alpha: f64,
    /// What was minimised, at each alpha that was tried.
    pub curve: Vec<(f64, f64)>,
}

/// Where alpha is looked for.
const RANGE: [f64; 2] = [0.2, 5.0];

/// The alpha of the least `Tr(Psi reference) - ln det Psi`, Psi the precision matrix of the groups at alpha, beside the noise of randoms: the reference
/// may be singular.
///
/// # Errors
/// [`ModelError::Needs`]: a reference of other values, or no least value from 0.2 to 5; [`ModelError::NotPositiveDefinite`] where it is looked for.
pub fn tuned(groups: &Groups, beside: ShotNoise, reference: &Matrix) -> Result<Tuned, ModelError> {
    let values = groups.terms().c4.nrows();
    if reference.shape() != (values, values) {
        return needs(format!(
            "alpha is fitted to a covariance of the same {values} values, found {}",
            reference.nrows()
        ));
    }
    let mut curve = Vec::new();
    let mut at = |ln_alpha: f64| -> Result<f64, ModelError> {
        let alpha = ln_alpha.exp();
        let precision = Precision::of(groups, ShotNoise { alpha, ..beside })?;
        let trace = precision.matrix.dot(reference);
        let value = trace - precision.ln_determinant;
        curve.push((alpha, value));
        Ok(value)
    };
    let [lo, hi] = RANGE.map(f64::ln);
    let found = golden_section(&mut at, [lo, hi])?.exp();
    if !(RANGE[0] * 1.01..=RANGE[1] / 1.01).contains(&found) {
        curve.sort_by(|(a, _), (b, _)| a.total_cmp(b));
        let mut curve: Vec<_> = curve.iter().map(|(a, v)| (format!("{a:.2}"), v)).collect();
        curve.dedup_by(|(a, _), (b, _)| a == b);
        let curve = curve
            .iter()
            .map(|(alpha, value)| format!("{alpha}: {value:.6e}"));
        let curve: Vec<String> = curve.collect();
        return needs(format!(
            "alpha is fitted from {} to {}, and the best lies at an end: {}",
            RANGE[0],
            RANGE[1],
            curve.join(", ")
        ));
    }
    Ok(Tuned {
        alpha: found,
        curve,
    })
}

/// The least value of a function with one valley, to 1e-5.
fn golden_section(
    at: &mut impl FnMut(f64) -> Result<f64, ModelError>,
    [mut lo, mut hi]: [f64; 2],
) -> Result<f64, ModelError> {
    let share = (5.0_f64.sqrt() - 1.0) / 2.0;
    let (mut left, mut right) = (hi - share * (hi - lo), lo + share * (hi - lo));
    let (mut of_left, mut of_right) = (at(left)?, at(right)?);
    while hi - lo > 1e-5 {
        if of_left < of_right {
            (hi, right, of_right) = (right, left, of_left);
            left = hi - share * (hi - lo);
            of_left = at(left)?;
        } else {
            (lo, left, of_left) = (left, right, of_right);
            right = lo + share * (hi - lo);
            of_right = at(right)?;
        }
    }
    Ok(f64::midpoint(lo, hi))
}

#[cfg(test)]
mod tests {
    use super::super::Group;
    use super::super::trials::Sites;
    use super::*;

    fn groups(terms: &super::super::Terms) -> Groups {
        let mut groups = Groups::new(terms.c2.clone(), terms.s.clone());
        for k in 0..16 {
            // Noise that averages to nothing.
            let off = 1.0 + 0.01 * (k as f64 - 7.5) / 7.5;
            groups.add(Group {
                begin: k,
                rounds: 1,
                c4: &terms.c4 * off,
                c3: &terms.c3 * (2.0 - off),
            });
        }
        groups
    }

    #[test]
    fn alpha_is_found_again() {
        let terms = Sites::new(14, 1).terms(20.0);
        let groups = groups(&terms);
        for (alpha, beta) in [(0.8, 0.0), (1.0, 0.2), (1.3, 0.5)] {
            let noise = ShotNoise {
                alpha,
                beta,
                subsets: 1.0,
            };
            let found = tuned(&groups, noise, &terms.at(noise)).unwrap();
            assert!((found.alpha / alpha - 1.0).abs() < 2e-3, "{}", found.alpha);
            assert!(found.curve.len() > 20);
        }
    }

    #[test]
    fn references_that_fit_no_alpha_are_refused() {
        let terms = Sites::new(14, 1).terms(20.0);
        let groups = groups(&terms);
        let far = &terms.at(ShotNoise::poisson()) * 1000.0;
        let refused = tuned(&groups, ShotNoise::poisson(), &far).unwrap_err();
        let text = refused.to_string();
        assert!(
            text.contains("the best lies at an end: 0.68: 4.174769e3, 1.46: 2.0"),
            "{text}"
        );
        let other = tuned(&groups, ShotNoise::poisson(), &Matrix::identity(2, 2)).unwrap_err();
        assert!(other.to_string().contains("the same 3 values, found 2"));
    }
}
