//! What can be wrong with axes of bins and with operations on them.

use thiserror::Error as ThisError;

use super::EdgesError;
use super::short::in_short;

/// Axes of bins that cannot be put together, cut, folded or continued as asked.
#[derive(Debug, Clone, PartialEq, ThisError)]
#[non_exhaustive]
pub enum AxesError {
    /// Bins without an axis.
    #[error("bins need at least one axis")]
    None,
    /// Edges of an axis that make no bin.
    #[error(
        "the edges of the axis {axis} must be at least two numbers that rise, found {}",
        listed(edges)
    )]
    Edges {
        /// Name of the axis.
        axis: String,
        /// Its edges.
        edges: Vec<f64>,
    },
    /// A number of values other than the number of axes.
    #[error("there must be one {what} for each of the {axes} axes, found {found}")]
    Number {
        /// `number of bins` or `range`.
        what: &'static str,
        /// Number of axes.
        axes: usize,
        /// Number of values.
        found: usize,
    },
    /// A number of neighbouring bins that does not divide the number of bins.
    #[error(
        "{bins} bins in {axis} cannot be put together by {by}: a divisor is needed, one of {}", divisors(*bins)
    )]
    Divisor {
        /// Name of the axis.
        axis: String,
        /// Number of its bins.
        bins: usize,
        /// How many of them were to become one.
        by: usize,
    },
    /// A range that holds no whole bin.
    #[error(
        "no bin in {axis} lies within {lo} and {hi}: its {bins} bins go from {first} to {last}",
        lo = in_short(range[0]), hi = in_short(range[1]), first = in_short(*first), last = in_short(*last)
    )]
    Range {
        /// Name of the axis.
        axis: String,
        /// The ends of the range.
        range: [f64; 2],
        /// Number of bins of the axis.
        bins: usize,
        /// Its lowest edge.
        first: f64,
        /// Its highest edge.
        last: f64,
    },
    /// Bins without an axis along the line of sight.
    #[error("it has no bins in mu or pi")]
    NoSign,
    /// Bins in |mu| or |pi|.
    #[error("its bins in {axis} begin at {first}: both signs are together already", first = in_short(*first))]
    Unsigned {
        /// Name of the axis.
        axis: String,
        /// Its lowest edge.
        first: f64,
    },
    /// Edges that do not mirror at 0.
    #[error(
        "its bins in {axis} are not the same on both sides of 0: there is an edge {edge} and none at {mirrored}",
        edge = in_short(*edge), mirrored = in_short(-*edge)
    )]
    Lopsided {
        /// Name of the axis.
        axis: String,
        /// The first edge whose mirror image is none.
        edge: f64,
    },
    /// Bins over other axes.
    #[error("its bins are in ({}), not ({})", found.join(", "), expected.join(", "))]
    Others {
        /// Names of the axes of the bins before.
        expected: Vec<String>,
        /// Names of the axes of the bins that were to go on.
        found: Vec<String>,
    },
    /// Bins that differ along no axis, or along several.
    #[error("its bins differ along {0} axes, where one is needed to go on")]
    Differ(usize),
    /// Bins that begin elsewhere than those before them end.
    #[error(
        "its bins in {axis} begin at {begin}, those before end at {end}", begin = in_short(*begin), end = in_short(*end)
    )]
    Apart {
        /// Name of the axis.
        axis: String,
        /// Where the bins before end.
        end: f64,
        /// Where these begin.
        begin: f64,
    },
    /// Bins along another line of sight.
    #[error("its line of sight is {found}, not {expected}")]
    LineOfSight {
        /// Line of sight of the bins before.
        expected: &'static str,
        /// That of the bins that were to go on.
        found: &'static str,
    },
    /// Signed bins of which those below 0 would be gone.
    #[error(
        "bins in {0} that begin at 0 or above take both signs together, but these pairs have one: keep a bin below 0, or wrap both signs first"
    )]
    SignLost(String),
    /// Bins of another crate, whose rule is known to that crate alone.
    #[error("bins of the type {0} follow a rule of their own, which cannot be given other edges")]
    Custom(&'static str),
    /// Edges that a binning refuses, or too many bins.
    #[error(transparent)]
    Bins(#[from] EdgesError),
}

/// A few numbers.
fn listed(values: &[f64]) -> String {
    let most = values.iter().take(8).copied().map(in_short);
    let rest = (values.len() > 8).then(|| "..".to_owned());
    let all: Vec<String> = most.chain(rest).collect();
    format!("({})", all.join(", "))
}

/// All divisors of a number.
pub(super) fn divisors(of: usize) -> String {
    let all = (1..=of).filter(|by| of.is_multiple_of(*by));
    let all: Vec<String> = all.map(|by| by.to_string()).collect();
    all.join(", ")
}
