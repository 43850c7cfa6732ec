//! What can be wrong with regions that samples are cut into.

use thiserror::Error as ThisError;

use super::ParticlesError;
use super::short::{in_short, listed};

/// Regions that cannot be made, or that do not hold a sample.
#[derive(Debug, Clone, PartialEq, ThisError)]
#[non_exhaustive]
pub enum RegionsError {
    /// Fewer regions than two, or more than a sample can be labelled with.
    #[error("the number of regions must be 2 to {limit}, found {found}")]
    Number {
        /// The number of regions.
        found: u64,
        /// The most that there may be.
        limit: u32,
    },
    /// No shell, or more than a sample can be labelled with.
    #[error("the number of shells must be 1 to {limit}, found {found}")]
    Shells {
        /// The number of shells.
        found: u64,
        /// The most that there may be.
        limit: u32,
    },
    /// A point in no shell.
    #[error(
        "every point must lie in a shell: row {row} (counting from 0) lies at a distance of {distance}, the shells go from {lo} to {hi}", distance = in_short(*distance), lo = in_short(*lo), hi = in_short(*hi)
    )]
    OutsideShells {
        /// The first such row, from 0.
        row: usize,
        /// Its distance from the origin.
        distance: f64,
        /// The least distance of a shell.
        lo: f64,
        /// The largest, which no shell holds.
        hi: f64,
    },
    /// Fewer points than regions.
    #[error("{regions} regions need as many points at different places at least, found {points}")]
    FewPoints {
        /// Number of regions.
        regions: u32,
        /// Number of points, or of places.
        points: usize,
    },
    /// A position at the origin, which has no place on the sky.
    #[error(
        "regions of the sky need positions away from the origin: row {row} (counting from 0) is (0, 0, 0)"
    )]
    NoDirection {
        /// The first such row, from 0.
        row: usize,
    },
    /// A footprint of nothing.
    #[error("a footprint is made of the points that lie in it, or of pixels: found none")]
    EmptyFootprint,
    /// A number that no pixel has.
    #[error(
        "there are {number} pixels, counted from 0: row {row} (counting from 0) names pixel {pixel}"
    )]
    NoPixel {
        /// The first such row, from 0.
        row: usize,
        /// What stands there.
        pixel: u64,
        /// Number of pixels of the whole sky.
        number: u64,
    },
    /// A resolution that `HEALPix` does not have.
    #[error("nside must be a power of 2 from 1 to {limit}, found {found}")]
    Nside {
        /// What was found.
        found: u32,
        /// The largest accepted.
        limit: u32,
    },
    /// A point in a pixel that holds none of the points that the regions were made of.
    #[error(
        "every pixel must hold randoms: pixel {pixel} ({order}, nside {nside}) holds row {row} (counting from 0), but none of the points that the regions were made of; take a smaller nside"
    )]
    Pixel {
        /// The pixel's number.
        pixel: u64,
        /// `ring` or `nested`.
        order: &'static str,
        /// The resolution.
        nside: u32,
        /// The first such row, from 0.
        row: usize,
    },
    /// Sub-cubes of something other than an orthorhombic box.
    #[error("sub-cubes need an orthorhombic box that is periodic on all axes")]
    NoBox,
    /// A point outside the box.
    #[error("positions must lie in the box: row {row} (counting from 0) is {position}", position = listed(position))]
    Outside {
        /// The first such row, from 0.
        row: usize,
        /// Where it is.
        position: [f64; 3],
    },
    /// A label that is no integer.
    #[error("a region must be an integer: found {value} in row {row} (counting from 0)", value = in_short(*value))]
    NotAnInteger {
        /// The first such row, from 0.
        row: usize,
        /// What stands there.
        value: f64,
    },
    /// A label that the first sample does not have.
    #[error(
        "every region must hold particles of every sample: row {row} (counting from 0) lies in region {value}, which the sample that the regions were taken from does not have"
    )]
    Unknown {
        /// The first such row, from 0.
        row: usize,
        /// The label.
        value: i64,
    },
    /// See [`ParticlesError`].
    #[error(transparent)]
    Particles(#[from] ParticlesError),
}
