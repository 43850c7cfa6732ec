//! What can be wrong with sums per target.

use albireo::error::{DomainError, EngineError, in_short, listed, rows_of};
use thiserror::Error as ThisError;

/// What sums per target hand back.
pub type Result<T, E = FieldError> = std::result::Result<T, E>;

/// Sources, terms and targets that no sums can be made of.
#[derive(Debug, Clone, PartialEq, ThisError)]
#[non_exhaustive]
pub enum FieldError {
    /// A length of a term out of range.
    #[error("{what} must be positive, from 1e-100 to 1e100, found {found}", found = in_short(*found))]
    Length {
        /// Which length.
        what: &'static str,
        /// What was found.
        found: f64,
    },
    /// A cutoff below the least distance.
    #[error("the least distance r_min must be below the cutoff {reach}, found {r_min}", r_min = in_short(*r_min), reach = in_short(*reach))]
    Order {
        /// The least distance.
        r_min: f64,
        /// The cutoff.
        reach: f64,
    },
    /// A length where nothing is left of a term.
    #[error("{what} must be at most {limit}, where nothing is left of a term, found {found}", limit = in_short(*limit), found = in_short(*found))]
    Beyond {
        /// Which length.
        what: &'static str,
        /// The most.
        limit: f64,
        /// What was found.
        found: f64,
    },
    /// A table that is no function.
    #[error("row {row} of the table (counting from 0): expected {what}, found {found}", found = in_short(*found))]
    Table {
        /// The row, from 0.
        row: usize,
        /// What was expected.
        what: &'static str,
        /// What was found.
        found: f64,
    },
    /// A product over axes in a skewed cell.
    #[error(
        "cloud in cell and its relatives need axes: a triclinic cell has none; use a spherical density"
    )]
    Axes,
    /// A Lennard-Jones term without sizes, or sizes without one.
    #[error("a Lennard-Jones term, and no other, needs epsilon and sigma of each source")]
    Sizes,
    /// An epsilon or a sigma that is none.
    #[error("{what} must be {expected}, found {found} in row {row} (counting from 0)", found = in_short(*found))]
    Size {
        /// `epsilon` or `sigma`.
        what: &'static str,
        /// What it must be.
        expected: &'static str,
        /// The first such row, from 0.
        row: usize,
        /// What stands there.
        found: f64,
    },
    /// A term beyond float32.
    #[error(
        "single precision needs {what} from {least:e} to {most:e}, found {found:e}: use double"
    )]
    Single {
        /// Which quantity.
        what: &'static str,
        /// The least.
        least: f64,
        /// The most.
        most: f64,
        /// What was found.
        found: f64,
    },
    /// A least distance that float32 does not tell from the end of the term.
    #[error(
        "in single precision the least distance (of a table: its first node), {r_min}, is not below the end of the term, {reach}, and nothing is left of it: use double", r_min = in_short(*r_min), reach = in_short(*reach)
    )]
    SingleOrder {
        /// The least distance.
        r_min: f64,
        /// The end.
        reach: f64,
    },
    /// A variant of Rodrigues et al. 2008 for another job.
    #[error("the variants of Rodrigues et al. 2008 need {needs}")]
    Variant {
        /// What they need.
        needs: &'static str,
    },
    /// Planes that a job does not have.
    #[error("planes {start} to {end} (exclusive) of a job that has {planes}")]
    Planes {
        /// The first.
        start: usize,
        /// Behind the last.
        end: usize,
        /// How many there are.
        planes: usize,
    },
    /// More ions than places.
    #[error(
        "{placed} of {wanted} ions are placed: no point is left that keeps the distances from sources and ions, {distance}"
    )]
    Crowded {
        /// Ions that found a place.
        placed: usize,
        /// Ions asked for.
        wanted: usize,
        /// The distances kept, in words.
        distance: String,
    },
    /// A grid that is none.
    #[error(
        "a grid needs a finite origin and three finite steps that span a volume, found origin {origin}, steps {steps}", origin = listed(origin), steps = rows_of(steps)
    )]
    Grid {
        /// Where it was to begin.
        origin: [f64; 3],
        /// Its steps.
        steps: Box<[[f64; 3]; 3]>,
    },
    /// No points, or too many.
    #[error("a grid needs 1 to {limit} points, found {}", shape.map(|n| n.to_string()).join(" x "))]
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
        "strengths (charges, masses) must be finite: found {value} in row {row} (counting from 0)", value = in_short(*value)
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
        "the cutoff must be at most half the shortest vector of the box, {limit}, found {reach}", reach = in_short(*reach), limit = in_short(*limit)
    )]
    Reach {
        /// The cutoff.
        reach: f64,
        /// The most.
        limit: f64,
    },
    /// A coordinate too large, or too many boxes away.
    #[error(
        "coordinates must be below 1e100 and within 2^40 periods of the box, found {position}", position = listed(position)
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
    /// See [`EngineError`].
    #[error(transparent)]
    Engine(#[from] EngineError),
}

#[cfg(feature = "cuda")]
impl From<albireo::engine::cuda::CudaError> for FieldError {
    fn from(error: albireo::engine::cuda::CudaError) -> Self {
        Self::Engine(error.into())
    }
}
