//! What can be wrong with sums per target.

use thiserror::Error as ThisError;

use super::DomainError;

/// Sources, terms and targets that no sums can be made of.
#[derive(Debug, Clone, PartialEq, ThisError)]
#[non_exhaustive]
pub enum FieldError {
    /// A length of a term out of range.
    #[error("{what} must be positive, from 1e-100 to 1e100, found {found}")]
    Length {
        /// Which length.
        what: &'static str,
        /// What was found.
        found: f64,
    },
    /// A cutoff below the least distance.
    #[error("the least distance r_min must be below the cutoff {reach}, found {r_min}")]
    Order {
        /// The least distance.
        r_min: f64,
        /// The cutoff.
        reach: f64,
    },
    /// A grid that is none.
    #[error(
        "a grid needs a finite origin and three finite steps that span a volume, found origin {origin:?}, steps {steps:?}"
    )]
    Grid {
        /// Where it was to begin.
        origin: [f64; 3],
        /// Its steps.
        steps: Box<[[f64; 3]; 3]>,
    },
    /// No points, or too many.
    #[error("a grid needs 1 to {limit} points, found {shape:?}")]
    Shape {
        /// Points along each step.
        shape: [usize; 3],
        /// The most.
        limit: usize,
    },
    /// No sources or no targets.
    #[error("there are no {what}")]
    Empty {
        /// `sources` or `targets`.
        what: &'static str,
    },
    /// Another number of strengths than of sources.
    #[error("each source needs one strength: {sources} sources, {strengths} strengths")]
    Strengths {
        /// Number of sources.
        sources: usize,
        /// Number of strengths.
        strengths: usize,
    },
    /// A NaN or an infinity.
    #[error(
        "strengths (charges, masses) must be finite: found {value} in row {row} (counting from 0)"
    )]
    NotFinite {
        /// The first such row, from 0.
        row: usize,
        /// What stands there.
        value: f64,
    },
    /// Nothing that acts.
    #[error("the strengths (charges, masses) of all {sources} sources are 0")]
    NoStrength {
        /// Number of sources.
        sources: usize,
    },
    /// A term without end among periodic images.
    #[error(
        "a term without a cutoff needs open space: in a periodic box it has no end; give a cutoff"
    )]
    Endless,
    /// A term that more than one image could have.
    #[error(
        "the cutoff must be at most half the shortest vector of the box, {limit}, found {reach}"
    )]
    Reach {
        /// The cutoff.
        reach: f64,
        /// The most.
        limit: f64,
    },
    /// A coordinate too large, or too many boxes away.
    #[error(
        "coordinates must be below 1e100 and within 2^40 periods of the box, found {position:?}"
    )]
    Far {
        /// The first such position.
        position: [f64; 3],
    },
    /// Terms out of the range of numbers.
    #[error(
        "the largest term, that of the strongest source at r_min, must be from 1e-250 to 1e250, found {largest_term:e}"
    )]
    Range {
        /// Its value.
        largest_term: f64,
    },
    /// More targets than memory.
    #[error("the sums of {targets} targets do not fit into memory")]
    Memory {
        /// Number of targets.
        targets: usize,
    },
    /// Sums that do not belong together.
    #[error(
        "sums of one job that adjoin can be joined: the first end before plane {end}, the next begin at plane {start}, or their scales differ"
    )]
    Apart {
        /// The end of the first.
        end: usize,
        /// The start of the next.
        start: usize,
    },
    /// See [`DomainError`].
    #[error(transparent)]
    Domain(#[from] DomainError),
}
