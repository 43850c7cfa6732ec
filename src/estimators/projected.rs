//! The projected correlation function wp(rp).

use serde::Serialize;

use super::poisson::weighted_sums;
use crate::binning::BinAxis;
use crate::error::EstimatorError;
use crate::result::Correlation;

/// wp over bins in rp.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Projected {
    /// The rp bins.
    pub axis: BinAxis,
    /// Largest |pi| of the integral, length units.
    pub pi_max: f64,
    /// wp, length units; NaN where any xi of the sum is.
    pub wp: Vec<f64>,
    /// Error of wp, length units.
    pub error: Vec<f64>,
}

/// `wp(rp) = 2 sum_k xi(rp, pi_k) dpi_k` over |pi| bins; over signed pi bins the same without the 2.
///
/// Errors add in quadrature, as of independent bins: `sigma_wp = 2 sqrt(sum_k (sigma_k dpi_k)^2)`; a bin in which no data pair was
/// counted adds none. A bin without random pairs makes its wp NaN; widen the bins or add randoms. Davis & Peebles 1983, DOI 10.1086/160884.
///
/// ```
/// use albireo::counts::{Sums, count_pairs};
/// use albireo::estimators::{AnalyticRr, Natural, projected};
/// use albireo::{Axis, Domain, Edges, LineOfSight, Naive, PairJob, Pairs, Particles, PeriodicBox, RpPiBins, SignedEdges, Silent};
/// let domain = Domain::Periodic(PeriodicBox::cubic(1.0)?);
/// let data = Particles::new(albireo::random::in_box(200, 1, [1.0; 3])?);
/// let (rp, pi) = (Edges::linear(0.0, 0.4, 2)?, SignedEdges::linear(0.0, 0.5, 5)?);
/// let bins = RpPiBins::new(rp, pi, LineOfSight::Fixed(Axis::Z))?;
/// let job = PairJob::new(Pairs::Auto(&data), &domain)?;
/// let dd = count_pairs(&Naive, &job, &bins, Sums::default(), &Silent)?;
/// let rr = AnalyticRr::new(&bins, &domain)?;
/// let wp = projected(&Natural { dd: &dd, rr: &rr }.estimate()?)?;
/// assert_eq!(wp.wp.len(), 2);
/// assert!(wp.wp[1].abs() < 5.0 * wp.error[1]);
/// # Ok::<(), albireo::Error>(())
/// ```
///
/// # Errors
/// A correlation function that is not over (rp, pi).
pub fn projected(xi: &Correlation) -> Result<Projected, EstimatorError> {
    let [rp, pi] = match xi.axes.as_slice() {
        [rp, pi] if rp.name == "rp" && pi.name == "pi" => [rp, pi],
        axes => {
            let names: Vec<_> = axes.iter().map(|axis| axis.name).collect();
            return Err(EstimatorError::Needs(format!(
                "wp needs a correlation function over (rp, pi), found ({})",
                names.join(", ")
            )));
        }
    };
    let sides = if pi.signed() { 1.0 } else { 2.0 };
    let factors: Vec<f64> = pi.widths().map(|width| sides * width).collect();
    let (wp, error) = weighted_sums(xi, &factors);
    let largest = pi.edges.iter().fold(0.0, |most: f64, e| most.max(e.abs()));
    Ok(Projected {
        axis: rp.clone(),
        pi_max: largest,
        wp,
        error,
    })
}
