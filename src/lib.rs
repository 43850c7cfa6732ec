//! Exact pair counts and two-point correlation functions, from galaxies to atoms.
//!
//! One corridor leads from particles to a result: [`Points`] and weights make [`Particles`], which live in a [`Domain`]; a [`PairJob`]
//! says which pairs, a [`Binning`](binning::Binning) where they go, an [`Engine`] visits them, [`Counts`] come out, and an estimator turns them into a
//! [`Correlation`] or `Partials` of `albireo-fluids`, g(r). The integers are those of a plain float64 double loop on every engine, instruction set and number of
//! threads, bit for bit.
//!
//! ```
//! use albireo::{Domain, Edges, Particles, PeriodicBox, RBins, Xi, random};
//!
//! let domain = Domain::Periodic(PeriodicBox::cubic(100.0)?);
//! let galaxies = Particles::new(random::in_domain(2000, 7, &domain)?);
//! let bins = RBins::new(Edges::logarithmic(1.0, 20.0, 10)?);
//! let result = Xi::new(bins).within(&domain).of(&galaxies, None)?;
//! assert!(result.xi.xi[9].abs() < 0.1, "random points do not cluster");
//! # Ok::<(), albireo::Error>(())
//! ```
//!
//! [`xi`] and [`Xi`] measure in a few lines; [`counts::count_pairs`] counts alone, [`estimators::Estimation`] leaves the counting to its caller.

#![cfg_attr(
    not(test),
    warn(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        clippy::cast_possible_wrap
    )
)]

#[cfg(test)]
extern crate self as albireo;

pub mod error;
pub mod exact_sum;
mod exactness;
mod fingerprint;
mod legendre;
mod pairs;
pub mod particles;
pub mod pool;
pub mod progress;
pub mod quadrature;
mod shape;
mod traversal;
mod xi;

pub mod binning;
pub mod cosmology;
pub mod counts;
pub mod domain;
pub mod engine;
pub mod estimators;
pub mod pages;
pub mod random;
pub mod regions;
pub mod result;
pub mod separation;
pub mod sky;
pub mod tally;

pub use albireo_simd::fixed_point;
pub use binning::{Bins, Edges, LineOfSight, RBins, RpPiBins, SMuBins, SignedEdges, ThetaBins};
pub use cosmology::Cosmology;
pub use counts::Counts;
pub use domain::{Axis, Domain, Lattice, Outside, PeriodicBox};
pub use engine::{Engine, Naive};
pub use error::Error;
pub use estimators::Estimator;
/// The crate of the arrays in this interface, in the version used here.
pub use ndarray;
pub use pairs::{PairJob, Pairs};
pub use particles::{Labels, Particles, Points, Weights};
pub use result::Correlation;
pub use separation::Separation;
pub use tally::{CountSpec, Tally};
pub use xi::{Measured, Xi, xi};
