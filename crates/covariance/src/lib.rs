//! Covariances of correlation functions without mocks: Gaussian terms of a measured correlation function, sampled over the pairs of random points.
//!
//! Entry: [`model`], what sums over random points become: pure functions. Nothing here reads a file.

#![forbid(unsafe_code)]

pub mod model;
