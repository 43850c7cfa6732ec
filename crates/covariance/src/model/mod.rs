//! What sums over random points become: terms, their assembly, linear maps, noise, inverse, and what is fitted.
//!
//! Entry: [`Terms`], with [`LinearMap`] from the bins of counts to what is fitted, [`Groups`] for the noise and [`Precision`] for the inverse.
//!
//! `C = C4 + (alpha + beta) C3 + alpha^2 C2 + (2 alpha beta + m beta^2) S`: sums over four, three and two random points, alpha times the shot noise of
//! the data and beta that of randoms in m subsets. O'Connell et al. 2016, DOI 10.1093/mnras/stw1821; Philcox et al. 2020, DOI 10.1093/mnras/stz3218.

mod bin_means;
mod caps;
mod error;
mod jackknife;
mod maps;
mod matrix;
mod nodes;
mod noise;
mod precision;
mod spline;
mod terms;
mod tracers;
#[cfg(test)]
mod trials;
mod tuning;

pub use bin_means::{Bounds, mean_xi};
pub use caps::combined;
pub use error::ModelError;
pub use jackknife::Regions;
pub use maps::LinearMap;
pub use matrix::{Matrix, least_eigenvalue, symmetric};
pub use nodes::{MeasuredXi, measured_xi, theory_xi};
pub use noise::{Group, Groups};
pub use precision::{Precision, least_of_c4};
pub use terms::{ShotNoise, Terms, two_point};
pub use tracers::{TracerSums, block};
pub use tuning::{Tuned, tuned};
