//! What can be wrong with sums over random points.

use albireo::error::{EngineError, in_short};
use thiserror::Error as ThisError;

/// Samples, tables and counts that nothing can be drawn from, and sums that do not belong together.
#[derive(Debug, Clone, PartialEq, ThisError)]
#[non_exhaustive]
pub enum SamplerError {
    /// More tracers than two, or none.
    #[error("a covariance has one tracer or two, found {found}")]
    Tracers {
        /// How many were given.
        found: usize,
    },
    /// Another number of tables or counts than of pairs of tracers.
    #[error("{tracers} tracers need {expected} {what} (11, or 11, 12 and 22), found {found}")]
    PerPair {
        /// How many tracers there are.
        tracers: usize,
        /// How many are needed.
        expected: usize,
        /// Of what.
        what: &'static str,
        /// How many were given.
        found: usize,
    },
    /// Bins that the sampler does not know.
    #[error("the bins of a covariance are in r, (s, |mu|) or (rp, |pi|), found {found}")]
    Bins {
        /// What was found.
        found: &'static str,
    },
    /// More bins than rows of the matrix are kept for.
    #[error(
        "a sampled covariance has at most {limit} bins, found {found}: put bins of the counts together first"
    )]
    TooManyBins {
        /// Number of bins.
        found: usize,
        /// The most.
        limit: usize,
    },
    /// Edges that float32 does not tell apart.
    #[error(
        "edge {index} of {axis} (counting from 0), {value}, is too close to its neighbour for float32: put bins together", value = in_short(*value)
    )]
    CloseEdges {
        /// The axis.
        axis: &'static str,
        /// The edge, from 0.
        index: usize,
        /// Its value.
        value: f64,
    },
    /// A line of sight that depends on the order of a pair, or one from an observer in a periodic box.
    #[error("the line of sight of a covariance is {expected}, found {found}")]
    LineOfSight {
        /// What it may be.
        expected: &'static str,
        /// What was found.
        found: &'static str,
    },
    /// A skewed cell.
    #[error(
        "covariances are sampled in open space and in boxes with right angles: found a triclinic cell"
    )]
    Triclinic,
    /// Bins beyond half the box.
    #[error(
        "bins must end at half the shortest side of the box, {limit}, found {reach}", limit = in_short(*limit), reach = in_short(*reach)
    )]
    Reach {
        /// Half the shortest side.
        limit: f64,
        /// Where the bins end.
        reach: f64,
    },
    /// A position outside the box.
    #[error(transparent)]
    Domain(#[from] albireo::error::DomainError),
    /// A weight below zero.
    #[error(
        "weights of random points must not be negative: found {value} in row {row} (counting from 0) of tracer {tracer}", value = in_short(*value)
    )]
    NegativeWeight {
        /// The tracer, from 1.
        tracer: usize,
        /// The first such row, from 0.
        row: usize,
        /// What stands there.
        value: f64,
    },
    /// Nothing that counts.
    #[error("tracer {tracer} needs at least 4 random points with a weight above 0, found {found}")]
    NoPoints {
        /// The tracer, from 1.
        tracer: usize,
        /// How many there are.
        found: usize,
    },
    /// Random pairs of another number of bins, or none of a number.
    #[error(
        "RR of pair {pair} must be {expected} finite numbers of 0 or more, one for each bin, found {found}"
    )]
    RandomPairs {
        /// `11`, `12` or `22`.
        pair: &'static str,
        /// Number of bins.
        expected: usize,
        /// What was found.
        found: String,
    },
    /// Regions that sums by region cannot be made of.
    #[error("sums by region need {expected}, found {found}")]
    Regions {
        /// What they need.
        expected: &'static str,
        /// What was found.
        found: String,
    },
    /// A setting out of its range.
    #[error("{what} must be {expected}, found {found}", found = in_short(*found))]
    Setting {
        /// Which one.
        what: &'static str,
        /// Its range.
        expected: &'static str,
        /// What was found.
        found: f64,
    },
    /// A table of xi that is none.
    #[error("the table of xi needs {expected}, found {found}")]
    Table {
        /// What was expected.
        expected: &'static str,
        /// What was found.
        found: String,
    },
    /// Sums of two jobs.
    #[error("sums of rounds add up where they are of one job: {what} differ")]
    Apart {
        /// What is not the same.
        what: &'static str,
    },
    /// Sums beyond 64 bits.
    #[error("the sums of {rounds} rounds do not fit into 64 bits: use fewer rounds")]
    Overflow {
        /// How many rounds.
        rounds: u64,
    },
    /// See [`EngineError`].
    #[error(transparent)]
    Engine(#[from] EngineError),
}
