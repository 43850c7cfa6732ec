//! The projected correlation function wp(rp).

use serde::Serialize;

use super::Result;
use super::poisson::weighted_sums;
use super::two_axes;
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
    /// Poisson error of wp, without cosmic variance, length units.
    pub error: Vec<f64>,
}

/// `wp(rp) = 2 sum_k xi(rp, pi_k) dpi_k` over |pi| bins; over signed pi bins the same without the 2.
///
/// Variances add, as of independent bins: `sigma_wp = 2 sqrt(sum_k dpi_k^2 sigma_k^2)` by [`Correlation::variance`]; bins
/// without a single pair of data give NaN. A bin without random pairs makes its wp NaN; widen the bins or add randoms. Davis & Peebles 1983, DOI 10.1086/160884.
///
/// ```
/// use albireo::counts::count_pairs;
/// use albireo::estimators::{AnalyticRr, Estimator, Term, TermCounts, projected};
/// use albireo::engine::Silent;
/// use albireo::{Axis, Domain, Edges, LineOfSight, Naive, PairJob, Pairs, Particles, PeriodicBox, RpPiBins, SignedEdges};
/// let domain = Domain::Periodic(PeriodicBox::cubic(1.0)?);
/// let data = Particles::new(albireo::random::in_box(200, 1, [1.0; 3])?);
/// let (rp, pi) = (Edges::linear(0.0, 0.4, 2)?, SignedEdges::linear(0.0, 0.5, 5)?);
/// let bins = RpPiBins::new(rp, pi, LineOfSight::Fixed(Axis::Z))?;
/// let job = PairJob::new(Pairs::Auto(&data), &domain)?;
/// let dd = count_pairs(&Naive, &job, &bins, &Silent)?;
/// let rr = AnalyticRr::new(&bins, &domain)?;
/// let counts = TermCounts::new([(Term::DD, dd)], Some(rr));
/// let wp = projected(&Estimator::Natural.estimate(&counts)?)?;
/// assert_eq!(wp.wp.len(), 2);
/// assert!(wp.wp[1].abs() < 5.0 * wp.error[1]);
/// # Ok::<(), albireo::Error>(())
/// ```
///
/// # Errors
/// A correlation function that is not over (rp, pi), or signed pi bins that reach further on one side.
pub fn projected(xi: &Correlation) -> Result<Projected> {
    projected_to(xi, None)
}

/// [`projected`] over the bins with |pi| up to `pi_max`, which must be an edge of them (both signs of it where pi is signed); over all
/// of them with none.
///
/// ```
/// use albireo::counts::count_pairs;
/// use albireo::estimators::{AnalyticRr, Estimator, Term, TermCounts, projected, projected_to};
/// use albireo::engine::Silent;
/// use albireo::{Axis, Domain, Edges, LineOfSight, Naive, PairJob, Pairs, Particles, PeriodicBox, RpPiBins, SignedEdges};
/// let domain = Domain::Periodic(PeriodicBox::cubic(1.0)?);
/// let data = Particles::new(albireo::random::in_box(200, 1, [1.0; 3])?);
/// let (rp, pi) = (Edges::linear(0.0, 0.4, 2)?, SignedEdges::new(vec![0.0, 0.25, 0.5])?);
/// let bins = RpPiBins::new(rp, pi, LineOfSight::Fixed(Axis::Z))?;
/// let job = PairJob::new(Pairs::Auto(&data), &domain)?;
/// let dd = count_pairs(&Naive, &job, &bins, &Silent)?;
/// let rr = AnalyticRr::new(&bins, &domain)?;
/// let counts = TermCounts::new([(Term::DD, dd)], Some(rr));
/// let xi = Estimator::Natural.estimate(&counts)?;
/// let wp = projected_to(&xi, Some(0.25))?;
/// assert_eq!((wp.pi_max, wp.wp[1]), (0.25, 2.0 * 0.25 * xi.xi[2]));
/// assert!(projected_to(&xi, Some(0.3)).is_err());
/// # Ok::<(), albireo::Error>(())
/// ```
///
/// # Errors
/// As [`projected`], and a `pi_max` that is no edge of the bins.
pub fn projected_to(xi: &Correlation, pi_max: Option<f64>) -> Result<Projected> {
    let [rp, pi] = two_axes(xi, ["rp", "pi"], "wp needs")?;
    let (first, last) = (pi.edges[0], pi.edges[pi.n_bins()]);
    if first < 0.0 && -first != last {
        return Err(EstimatorError::Span(format!(
            "wp needs signed pi bins that reach as far on either side, found [{first}, {last}]"
        )));
    }
    let pi_max = pi_max.unwrap_or(last);
    let is_edge = |edge: f64| pi.edges.contains(&edge);
    if pi_max <= 0.0 || !is_edge(pi_max) || (pi.signed() && !is_edge(-pi_max)) {
        let upper = pi.edges.iter().filter(|edge| **edge > 0.0);
        let upper: Vec<String> = upper.map(f64::to_string).collect();
        return Err(EstimatorError::Span(format!(
            "wp up to |pi| = {pi_max} needs it as an edge of the pi bins, found {}",
            upper.join(", ")
        )));
    }
    let sides = if pi.signed() { 1.0 } else { 2.0 };
    let within = |edge: f64| edge.abs() <= pi_max;
    let factor = |e: &[f64]| {
        if within(e[0]) && within(e[1]) {
            sides * (e[1] - e[0])
        } else {
            0.0
        }
    };
    let factors: Vec<f64> = pi.edges.windows(2).map(factor).collect();
    let (wp, error) = weighted_sums(xi, &factors);
    Ok(Projected {
        axis: rp.clone(),
        pi_max,
        wp,
        error,
    })
}
