//! Legendre multipoles of xi(s, mu).

use ndarray::Array2;
use serde::Serialize;

use super::Result;
use super::poisson::weighted_sums;
use super::two_axes;
use crate::binning::BinAxis;
use crate::error::EstimatorError;
use crate::legendre::legendre;
use crate::result::Correlation;

/// One multipole over the s bins.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Multipole {
    /// The degree l.
    pub ell: u32,
    /// `xi_l(s)`; NaN where any xi of the sum is.
    pub xi: Vec<f64>,
    /// Its Poisson error, without cosmic variance.
    pub error: Vec<f64>,
}

/// Multipoles over bins in s.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Multipoles {
    /// The s bins.
    pub axis: BinAxis,
    /// In the order asked for.
    pub poles: Vec<Multipole>,
}

impl Multipoles {
    /// The multipoles as an array over (degree, s), degrees in the order asked for.
    pub fn xi_array(&self) -> Array2<f64> {
        self.rows(|pole| &pole.xi)
    }

    /// Their errors as an array over (degree, s).
    pub fn error_array(&self) -> Array2<f64> {
        self.rows(|pole| &pole.error)
    }

    /// All values, one multipole after the other, as their covariance is over them.
    pub fn in_a_row(&self) -> Vec<f64> {
        self.poles
            .iter()
            .flat_map(|pole| pole.xi.iter().copied())
            .collect()
    }

    /// NaN where a pole that was put together by hand is too short.
    fn rows(&self, values: impl Fn(&Multipole) -> &Vec<f64>) -> Array2<f64> {
        let shape = (self.poles.len(), self.axis.n_bins());
        let value = |(pole, bin): (usize, usize)| values(&self.poles[pole]).get(bin).copied();
        Array2::from_shape_fn(shape, |at| value(at).unwrap_or(f64::NAN))
    }
}

/// Largest degree of a multipole: no bins in mu could tell more from one another.
pub const MAX_ELL: u32 = 10_000;

/// `(2l+1)` times the integral of the Legendre polynomial from -1 to `x`: `P_{l+1}(x) - P_{l-1}(x)`; `x + 1` for l = 0.
pub(super) fn scaled_antiderivative(ell: u32, x: f64) -> f64 {
    if ell == 0 {
        return x + 1.0;
    }
    legendre(ell + 1, x) - legendre(ell - 1, x)
}

/// `xi_l(s) = (2l+1) sum_k xi(s, mu_k) I_k / M`, `I_k` the exact integral of the Legendre polynomial over bin k, M the width of
/// all mu bins together.
///
/// mu has to span [0, 1] or [-1, 1]; odd degrees need the latter. With exact integrals the multipoles of an
/// isotropic xi vanish above the monopole however wide the bins are. Variances ([`Correlation::variance`]) add, as of independent
/// bins; bins without a single pair of data give NaN. Hamilton 1992, DOI 10.1086/186264.
///
/// ```
/// use albireo::counts::count_pairs;
/// use albireo::estimators::{AnalyticRr, Estimator, Term, TermCounts, multipoles};
/// use albireo::engine::Silent;
/// use albireo::{Axis, Domain, Edges, LineOfSight, Naive, PairJob, Pairs, Particles, PeriodicBox, SMuBins, SignedEdges};
/// let domain = Domain::Periodic(PeriodicBox::cubic(1.0)?);
/// let data = Particles::new(albireo::random::in_box(200, 1, [1.0; 3])?);
/// let (s, mu) = (Edges::linear(0.0, 0.4, 2)?, SignedEdges::linear(0.0, 1.0, 4)?);
/// let bins = SMuBins::new(s, mu, LineOfSight::Fixed(Axis::Z))?;
/// let job = PairJob::new(Pairs::Auto(&data), &domain)?;
/// let dd = count_pairs(&Naive, &job, &bins, &Silent)?;
/// let rr = AnalyticRr::new(&bins, &domain)?;
/// let counts = TermCounts::new([(Term::DD, dd)], Some(rr));
/// let poles = multipoles(&Estimator::Natural.estimate(&counts)?, &[0, 2])?;
/// assert_eq!(poles.poles[1].ell, 2);
/// assert_eq!(poles.xi_array().shape(), [2, 2]);
/// assert!(poles.poles[1].xi[1].abs() < 5.0 * poles.poles[1].error[1]);
/// # Ok::<(), albireo::Error>(())
/// ```
///
/// # Errors
/// A correlation function that is not over (s, mu), mu bins that do not span [0, 1] or [-1, 1], an odd degree over |mu|, or one above
/// [`MAX_ELL`].
pub fn multipoles(xi: &Correlation, ells: &[u32]) -> Result<Multipoles> {
    let [s, mu] = two_axes(xi, ["s", "mu"], "multipoles need")?;
    let (first, last) = (mu.edges[0], mu.edges[mu.n_bins()]);
    if last != 1.0 || !(first == 0.0 || first == -1.0) {
        return Err(EstimatorError::Span(format!(
            "multipoles need mu bins that span [0, 1] or [-1, 1], found [{first}, {last}]"
        )));
    }
    if let Some(high) = ells.iter().find(|&&ell| ell > MAX_ELL) {
        return Err(EstimatorError::Needs(format!(
            "multipoles need a degree of at most {MAX_ELL}, found {high}"
        )));
    }
    if let Some(odd) = ells.iter().find(|&ell| ell % 2 == 1 && !mu.signed()) {
        return Err(EstimatorError::Span(format!(
            "the multipole of odd degree {odd} needs signed mu bins that span [-1, 1], found [{first}, {last}]"
        )));
    }
    let poles = ells.iter().map(|&ell| pole(xi, mu, ell)).collect();
    Ok(Multipoles {
        axis: s.clone(),
        poles,
    })
}

fn pole(xi: &Correlation, mu: &BinAxis, ell: u32) -> Multipole {
    let span = mu.edges[mu.n_bins()] - mu.edges[0];
    let below: Vec<f64> = mu
        .edges
        .iter()
        .map(|&edge| scaled_antiderivative(ell, edge))
        .collect();
    let factors: Vec<f64> = below.windows(2).map(|e| (e[1] - e[0]) / span).collect();
    let (xi, error) = weighted_sums(xi, &factors);
    Multipole { ell, xi, error }
}
