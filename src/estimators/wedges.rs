//! Clustering wedges: xi(s, mu) averaged over ranges of mu.

use ndarray::Array2;
use serde::Serialize;

use super::Result;
use super::poisson::weighted_sums;
use super::two_axes;
use crate::binning::BinAxis;
use crate::error::EstimatorError;
use crate::result::Correlation;

/// One wedge over the s bins.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Wedge {
    /// Between which mu it lies.
    pub mu: [f64; 2],
    /// The mean of xi over them; NaN where that of any bin with a part in the wedge is.
    pub xi: Vec<f64>,
    /// Its Poisson error, without cosmic variance.
    pub error: Vec<f64>,
}

/// Wedges over bins in s.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Wedges {
    /// The s bins.
    pub axis: BinAxis,
    /// In rising order of mu.
    pub wedges: Vec<Wedge>,
}

impl Wedges {
    /// The wedges as an array over (wedge, s).
    pub fn xi_array(&self) -> Array2<f64> {
        self.rows(|wedge| &wedge.xi)
    }

    /// Their errors as an array over (wedge, s).
    pub fn error_array(&self) -> Array2<f64> {
        self.rows(|wedge| &wedge.error)
    }

    /// NaN where a wedge that was put together by hand is too short.
    fn rows(&self, values: impl Fn(&Wedge) -> &Vec<f64>) -> Array2<f64> {
        let shape = (self.wedges.len(), self.axis.n_bins());
        let value = |(wedge, bin): (usize, usize)| values(&self.wedges[wedge]).get(bin).copied();
        Array2::from_shape_fn(shape, |at| value(at).unwrap_or(f64::NAN))
    }
}

/// Refuses edges of wedges that bound none within mu bins with these edges, at least two.
///
/// ```
/// use albireo::estimators::check_wedge_edges;
/// assert!(check_wedge_edges(&[0.0, 0.5, 1.0], &[0.0, 0.2, 1.0]).is_ok());
/// assert!(check_wedge_edges(&[-1.0, 0.0, 1.0], &[0.0, 0.2, 1.0]).is_err());
/// ```
///
/// # Errors
/// Fewer than two edges, edges that do not rise, or that leave the bins.
pub fn check_wedge_edges(edges: &[f64], mu: &[f64]) -> Result<()> {
    let refuse = |what: String| Err(EstimatorError::Span(what));
    if edges.len() < 2 {
        let found = edges.len();
        return refuse(format!("wedges need at least 2 edges in mu, found {found}"));
    }
    for (lo, hi) in edges.iter().zip(&edges[1..]) {
        if lo.is_nan() || hi.is_nan() || lo >= hi {
            return refuse(format!(
                "the edges of wedges must rise, found {lo} before {hi}"
            ));
        }
    }
    let ends = |edges: &[f64]| edges.first().copied().zip(edges.last().copied());
    let (Some((first, last)), Some((lo, hi))) = (ends(mu), ends(edges)) else {
        return refuse("wedges need bins in mu".to_owned());
    };
    if lo < first || hi > last {
        return refuse(format!(
            "wedges from {lo} to {hi} in mu need bins there, found those from {first} to {last}"
        ));
    }
    Ok(())
}

/// `xi_w(s) = sum_k xi(s, mu_k) d_k / sum_k d_k`, `d_k` the width that bin k shares with the wedge: the mean of xi over the mu between
/// two neighbouring `edges`.
///
/// Edges of wedges need not be edges of bins: a bin that a wedge holds a part of has that part of its weight. Over |mu| bins wedges lie
/// within [0, 1]; over signed ones wedges below 0 are those of pairs that go the other way. Variances ([`Correlation::variance`]) add, as of
/// independent bins. Kazin, Sanchez & Blanton 2012, DOI 10.1111/j.1365-2966.2011.19962.x.
///
/// ```
/// use albireo::counts::count_pairs;
/// use albireo::estimators::{AnalyticRr, Estimator, Term, TermCounts, wedges};
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
/// let xi = Estimator::Natural.estimate(&counts)?;
/// let halves = wedges(&xi, &[0.0, 0.5, 1.0])?;
/// assert_eq!(halves.xi_array().shape(), [2, 2]);
/// let mean = (xi.xi[2] + xi.xi[3]) / 2.0;
/// assert!((halves.wedges[1].xi[0] - mean).abs() < 1e-15);
/// # Ok::<(), albireo::Error>(())
/// ```
///
/// # Errors
/// A correlation function that is not over (s, mu), or edges that do not rise or leave the mu bins.
pub fn wedges(xi: &Correlation, edges: &[f64]) -> Result<Wedges> {
    let [s, mu] = two_axes(xi, ["s", "mu"], "wedges need")?;
    check_wedge_edges(edges, &mu.edges)?;
    let wedges = edges.windows(2).map(|e| wedge(xi, mu, [e[0], e[1]]));
    Ok(Wedges {
        axis: s.clone(),
        wedges: wedges.collect(),
    })
}

fn wedge(xi: &Correlation, mu: &BinAxis, [lo, hi]: [f64; 2]) -> Wedge {
    let shared = |bin: &[f64]| (bin[1].min(hi) - bin[0].max(lo)).max(0.0);
    let shared: Vec<f64> = mu.edges.windows(2).map(shared).collect();
    let width: f64 = shared.iter().sum();
    let factors: Vec<f64> = shared.iter().map(|d| d / width).collect();
    let (xi, error) = weighted_sums(xi, &factors);
    Wedge {
        mu: [lo, hi],
        xi,
        error,
    }
}
