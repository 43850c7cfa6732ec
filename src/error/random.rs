//! What can be wrong with random points and numbers.

use thiserror::Error as ThisError;

use super::short::{in_short, listed};

/// A volume that cannot hold random points.
#[derive(Debug, Clone, PartialEq, ThisError)]
#[non_exhaustive]
pub enum RandomError {
    /// A domain without bounds.
    #[error("random points need a box that is periodic on all axes")]
    OpenAxis,
    /// Radii that bound no shell.
    #[error("a shell needs finite radii 0 <= r_min < r_max, found {r_min} and {r_max}", r_min = in_short(*r_min), r_max = in_short(*r_max))]
    Shell {
        /// Inner radius.
        r_min: f64,
        /// Outer radius.
        r_max: f64,
    },
    /// Streams or threads that numbers cannot be made in.
    #[error("the number of {what} must be 1 to {limit}, found {found}")]
    Leapfrog {
        /// `streams` or `threads`.
        what: &'static str,
        /// The number found.
        found: usize,
        /// The most accepted.
        limit: usize,
    },
    /// Threads that the system does not give.
    #[error("cannot start threads: {reason}")]
    Threads {
        /// What it says.
        reason: String,
    },
    /// Angles that bound no window.
    #[error(
        "a sky window needs rising RA limits within [-360, 360] at most 360 apart and rising Dec limits within [-90, 90], found RA {ra}, Dec {dec}", ra = listed(ra), dec = listed(dec)
    )]
    Window {
        /// RA limits, degrees.
        ra: [f64; 2],
        /// Dec limits, degrees.
        dec: [f64; 2],
    },
    /// Numbers or weights that nothing can be drawn from.
    #[error("a distribution needs {0}")]
    Distribution(String),
    /// A footprint that holds next to nothing of its window.
    #[error("the footprint turned down {attempts} directions in a row: is it inside the window?")]
    EmptyFootprint {
        /// How many directions were tried.
        attempts: u64,
    },
}
