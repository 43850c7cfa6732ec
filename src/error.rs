//! What can be wrong, one enum per stage of the main path, joined in [`Error`].
//!
//! Every message says what was expected, what was found and where; rows count from 0.

mod bins;
mod counts;
mod formula;
mod job;
mod pair_weight;
mod program;
mod random;
mod regions;
mod short;
mod sky;

pub use bins::BinsError;
pub use counts::CountsError;
pub use formula::FormulaError;
pub use job::JobError;
pub use pair_weight::PairWeightError;
pub use program::ProgramError;
pub use random::RandomError;
pub use regions::RegionsError;
pub use short::{in_short, listed, rows_of};
pub use sky::SkyError;

use thiserror::Error as ThisError;

/// Refused positions or weights.
#[derive(Debug, Clone, PartialEq, ThisError)]
#[non_exhaustive]
pub enum ParticlesError {
    /// Two columns of one sample differ in length.
    #[error(
        "columns of one sample must be equally long: {first} has {first_rows} rows, {second} has {second_rows}"
    )]
    UnequalLengths {
        /// The column that sets the length.
        first: &'static str,
        /// Its number of rows.
        first_rows: usize,
        /// The column that differs.
        second: &'static str,
        /// Its number of rows.
        second_rows: usize,
    },
    /// Rows that lie outside the buffer that a column is said to have, or on top of one another.
    #[error(
        "{rows} rows in steps of {stride} from element {first} do not fit into a buffer of {holds}"
    )]
    Strides {
        /// Number of rows.
        rows: usize,
        /// The element of the first row.
        first: usize,
        /// Elements from one row to the next.
        stride: isize,
        /// Elements of the buffer.
        holds: usize,
    },
    /// A NaN or an infinity.
    #[error("{column} must be finite: found {value} in row {row} (counting from 0)", value = in_short(*value))]
    NotFinite {
        /// Which column.
        column: &'static str,
        /// The first such row, from 0.
        row: usize,
        /// What stands there.
        value: f64,
    },
    /// A coordinate whose square could overflow.
    #[error(
        "{column} must be at most {limit:e} by magnitude: found {value:e} in row {row} (counting from 0)"
    )]
    TooLarge {
        /// Which column.
        column: &'static str,
        /// The first such row, from 0.
        row: usize,
        /// What stands there.
        value: f64,
        /// The largest magnitude accepted.
        limit: f64,
    },
    /// A table of positions that does not have three columns.
    #[error("positions need 3 columns (x, y, z), found {0}")]
    Columns(usize),
    /// Weights that add up to nothing, so that no count of them can be normalised.
    #[error("the weights of the {rows} particles add up to zero: nothing to normalise by")]
    ZeroWeight {
        /// Number of particles.
        rows: usize,
    },
    /// Weights too large or too small for their sums, or for the square of their sums, by which counts are normalised.
    #[error("{what} must lie within the range of float64, found {found:e}")]
    WeightRange {
        /// Which sum.
        what: &'static str,
        /// Its value.
        found: f64,
    },
    /// More particles than an index can number.
    #[error("a sample holds at most {limit} particles, found {rows}")]
    TooMany {
        /// The number of particles found.
        rows: usize,
        /// The largest number accepted.
        limit: usize,
    },
    /// A label from the number of labels up.
    #[error("labels must be below {number}, found {label} in row {row} (counting from 0)")]
    Label {
        /// The first such row, from 0.
        row: usize,
        /// What stands there.
        label: u32,
        /// The number of labels.
        number: u32,
    },
    /// More labels than blocks of points can be kept apart for.
    #[error(
        "particles can have at most {limit} different labels, found {number}: groups as small as molecules are taken out by a cut, not counted as classes"
    )]
    TooManyLabels {
        /// The number of labels.
        number: u32,
        /// The most accepted.
        limit: u32,
    },
    /// A number of 64-bit words that no row of bits can have.
    #[error("a row of bits has 1 to {limit} words of 64 bits, found {found}")]
    BitWords {
        /// Words of a row.
        found: usize,
        /// The most accepted.
        limit: usize,
    },
    /// A row of bits with fewer or more words than others.
    #[error(
        "every row of bits must have {expected} words, found {found} in row {row} (counting from 0)"
    )]
    BitRow {
        /// The first such row, from 0.
        row: usize,
        /// Words of a row.
        expected: usize,
        /// Words found.
        found: usize,
    },
    /// A position at the origin has no direction.
    #[error(
        "an angle needs positions away from the origin: row {row} (counting from 0) is (0, 0, 0)"
    )]
    NoDirection {
        /// The first such row, from 0.
        row: usize,
    },
}

/// A domain that cannot be, or positions that do not belong to it.
#[derive(Debug, Clone, PartialEq, ThisError)]
#[non_exhaustive]
pub enum DomainError {
    /// A box length that is not positive, or whose square could overflow.
    #[error("the box length along {axis} must be above 0 and at most 2^440, found {length}", length = in_short(*length))]
    Length {
        /// The axis, `x`, `y` or `z`.
        axis: char,
        /// The length given.
        length: f64,
    },
    /// Box vectors that span no volume, beyond 2^440, or too unlike to be reduced in float64.
    #[error("the box vectors must be at most 2^440 and span a volume, found {}", rows_of(.0))]
    Degenerate([[f64; 3]; 3]),
    /// A position outside the periodic box.
    #[error(
        "row {row} (counting from 0): {axis} = {value} lies outside the periodic box [0, {length}); wrap the positions or check the box", value = in_short(*value), length = in_short(*length)
    )]
    Outside {
        /// The first such row, from 0.
        row: usize,
        /// The axis, `x`, `y` or `z` (for a triclinic box `a`, `b` or `c`).
        axis: char,
        /// The coordinate (fractional in a triclinic box).
        value: f64,
        /// The box length (1 in a triclinic box).
        length: f64,
    },
}

/// A job that did not run to its end.
#[derive(Debug, Clone, PartialEq, ThisError)]
#[non_exhaustive]
pub enum EngineError {
    /// The job itself is refused.
    #[error(transparent)]
    Job(#[from] JobError),
    /// The caller asked to stop.
    #[error("the count was interrupted before its end; nothing was kept")]
    Interrupted,
    /// What gives this engine its work has failed: another process, a file of parts, a checkpoint.
    #[error("{0}")]
    Outside(String),
    /// The thread pool could not be made.
    #[error("could not start {threads} threads: {reason}")]
    Threads {
        /// How many were wanted.
        threads: usize,
        /// What the system said.
        reason: String,
    },
    /// More threads than the machine can make use of.
    #[error("at most {most} threads run on the cores there are ({cores}), found {threads}")]
    TooManyThreads {
        /// How many were wanted.
        threads: usize,
        /// The most that are accepted.
        most: usize,
        /// Cores that this process may use.
        cores: usize,
    },
    /// The instruction set asked for is not on this machine.
    #[error("this processor lacks {wanted}; it has {available}")]
    Isa {
        /// What was asked for.
        wanted: &'static str,
        /// What there is, comma separated.
        available: String,
    },
    /// See [`CudaError`](albireo_gpu::CudaError).
    #[cfg(feature = "cuda")]
    #[error(transparent)]
    Cuda(#[from] albireo_gpu::CudaError),
}

/// An estimator that its counts cannot feed.
#[derive(Debug, Clone, PartialEq, ThisError)]
#[non_exhaustive]
pub enum EstimatorError {
    /// Counts over different bins.
    #[error("{left} and {right} must be counted in the same bins")]
    Bins {
        /// Name of one count, such as `DD`.
        left: &'static str,
        /// Name of the other.
        right: &'static str,
    },
    /// Counts of which one lacks pairs that the other has.
    #[error("{} and {} must be made with the same cuts: {}: {}, {}: {}", left.0, right.0, left.0, left.1, right.0, right.1)]
    Cuts {
        /// Name and cuts of one count.
        left: (&'static str, String),
        /// Those of the other.
        right: (&'static str, String),
    },
    /// A count without a single possible pair or with zero total weight.
    #[error("{0} has a total of zero: no pair or no weight to normalise by")]
    EmptyTotal(&'static str),
    /// A total, or a sum in a bin, outside float64's range, so that no fraction of it means anything.
    #[error("{count} has a weight of {found:e}, which lies outside the range of float64")]
    OutOfRange {
        /// Name of the count.
        count: &'static str,
        /// What was found.
        found: f64,
    },
    /// A count that covers only a part of its job.
    #[error("{count} covers {have} of {of} parts of its job: merge the rest first")]
    Incomplete {
        /// Name of the count.
        count: &'static str,
        /// Parts present.
        have: u32,
        /// Parts in all.
        of: u32,
    },
    /// Analytic RR where no formula holds.
    #[error("analytic RR {0}")]
    AnalyticRr(String),
    /// Edges that do not span what the integral needs.
    #[error("{0}")]
    Span(String),
    /// Something else that the estimator needs.
    #[error("{0}")]
    Needs(String),
}

/// Any error of this library.
#[derive(Debug, Clone, PartialEq, ThisError)]
#[non_exhaustive]
pub enum Error {
    /// See [`ParticlesError`].
    #[error(transparent)]
    Particles(#[from] ParticlesError),
    /// See [`DomainError`].
    #[error(transparent)]
    Domain(#[from] DomainError),
    /// See [`JobError`].
    #[error(transparent)]
    Job(#[from] JobError),
    /// See [`EngineError`].
    #[error(transparent)]
    Engine(#[from] EngineError),
    /// See [`CountsError`].
    #[error(transparent)]
    Counts(#[from] CountsError),
    /// See [`BinsError`].
    #[error(transparent)]
    Bins(#[from] BinsError),
    /// See [`EstimatorError`].
    #[error(transparent)]
    Estimator(#[from] EstimatorError),
    /// See [`FormulaError`].
    #[error(transparent)]
    Formula(#[from] FormulaError),
    /// See [`SkyError`].
    #[error(transparent)]
    Sky(#[from] SkyError),
    /// See [`RandomError`].
    #[error(transparent)]
    Random(#[from] RandomError),
    /// See [`ProgramError`].
    #[error(transparent)]
    Program(#[from] ProgramError),
    /// See [`PairWeightError`].
    #[error(transparent)]
    PairWeight(#[from] PairWeightError),
    /// See [`RegionsError`].
    #[error(transparent)]
    Regions(#[from] RegionsError),
}
