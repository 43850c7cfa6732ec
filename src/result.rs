//! Correlation functions as results: the estimate, its error and the counts it came from, over named axes.
//!
//! Entry: [`Correlation`], made by the estimators. It knows no binning type, no file and no figure.

use serde::Serialize;

use crate::binning::BinAxis;
use crate::engine::Exactness;

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
    /// Which estimator, such as `landy-szalay`.
    pub estimator: &'static str,
    /// The axes of the bins.
    pub axes: Vec<BinAxis>,
    /// The estimate, NaN where its denominator is zero.
    pub xi: Vec<f64>,
    /// Poisson error of the estimate, [`crate::estimators::poisson_error`]; NaN where no pair of data was counted.
    pub error: Vec<f64>,
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

    /// The normalised counts called `name`.
    pub fn normalised(&self, name: &str) -> Option<&[f64]> {
        let column = self.counts.iter().find(|column| column.name == name)?;
        Some(&column.values)
    }
}
