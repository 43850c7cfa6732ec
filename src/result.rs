//! Correlation functions as results: the estimate, its error and the counts it came from, over named axes.
//!
//! Entry: [`Correlation`], made by the estimators. It knows no binning type, no file and no figure.

use std::borrow::Cow;

use ndarray::ArrayViewD;
use serde::Serialize;

use crate::binning::BinAxis;
use crate::exactness::Exactness;
use crate::shape::shaped;

/// Counts over their total, by the name the estimator gives them.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct NormalisedCounts {
    /// `DD`, `DR`, `RR` and their like.
    pub name: &'static str,
    /// One value a bin.
    pub values: Vec<f64>,
}

/// A correlation function over bins; the last axis varies fastest.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Correlation {
    /// Which estimator, such as `landy-szalay`, or its formula.
    pub estimator: Cow<'static, str>,
    /// The axes of the bins.
    pub axes: Vec<BinAxis>,
    /// The estimate, NaN where its denominator is zero.
    pub xi: Vec<f64>,
    /// Poisson error of the estimate, without cosmic variance (see [`crate::estimators`]); NaN where no pair of data was counted.
    pub error: Vec<f64>,
    /// The variance behind the error, in which a count without a pair has no part: what sums over bins carry on. NaN where xi is.
    pub variance: Vec<f64>,
    /// The normalised counts in the order of the formula.
    pub counts: Vec<NormalisedCounts>,
    /// Approximate if any of the counts is.
    pub exactness: Exactness,
}

impl Correlation {
    /// Number of bins along each axis.
    pub fn shape(&self) -> Vec<usize> {
        self.axes.iter().map(BinAxis::n_bins).collect()
    }

    /// The estimate along its axes, such as (rp, pi).
    ///
    /// ```
    /// use albireo::counts::count_pairs;
    /// use albireo::estimators::AnalyticRr;
    /// use albireo::{Axis, Domain, Edges, Estimator, LineOfSight, Naive, PairJob, Pairs, Particles, PeriodicBox};
    /// use albireo::engine::Silent;
    /// use albireo::estimators::{Term, TermCounts};
    /// use albireo::{RpPiBins, SignedEdges, random};
    /// let domain = Domain::Periodic(PeriodicBox::cubic(1.0)?);
    /// let data = Particles::new(random::in_box(100, 1, [1.0; 3])?);
    /// let (rp, pi) = (Edges::linear(0.0, 0.4, 2)?, SignedEdges::linear(0.0, 0.5, 5)?);
    /// let bins = RpPiBins::new(rp, pi, LineOfSight::Fixed(Axis::Z))?;
    /// let job = PairJob::new(Pairs::Auto(&data), &domain)?;
    /// let dd = count_pairs(&Naive, &job, &bins, &Silent)?;
    /// let counts = TermCounts::new([(Term::DD, dd)], Some(AnalyticRr::new(&bins, &domain)?));
    /// let xi = Estimator::Natural.estimate(&counts)?;
    /// assert_eq!(xi.xi_array().shape(), [2, 5]);
    /// let over_pi = xi.xi_array().sum_axis(ndarray::Axis(1));
    /// assert_eq!(over_pi.len(), 2);
    /// # Ok::<(), albireo::Error>(())
    /// ```
    pub fn xi_array(&self) -> ArrayViewD<'_, f64> {
        shaped(&self.xi, &self.shape())
    }

    /// The error along its axes.
    pub fn error_array(&self) -> ArrayViewD<'_, f64> {
        shaped(&self.error, &self.shape())
    }

    /// The normalised counts called `name`.
    pub fn normalised(&self, name: &str) -> Option<&[f64]> {
        let column = self.counts.iter().find(|column| column.name == name)?;
        Some(&column.values)
    }
}
