//! Covariances of correlation functions without mocks: Gaussian terms of a measured correlation function, sampled over the pairs of random points.
//!
//! Entry: [`sampler`], sums over pairs, triples and quads of random points, in integers, and [`model`], what they become. Nothing here reads a file.

#![forbid(unsafe_code)]

pub mod model;
pub mod sampler;
