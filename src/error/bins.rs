//! What can be wrong with bins: their edges, their axes and operations on them.

use thiserror::Error as ThisError;

use super::short::in_short;

/// Edges that make no bins, and bins that cannot be put together, cut, folded or continued as asked.
#[derive(Debug, Clone, PartialEq, ThisError)]
#[non_exhaustive]
pub enum BinsError {
    /// Fewer than two edges.
    #[error("bins need at least two edges, found {0}")]
    TooFew(usize),
    /// More bins than one count can hold.
    #[error("there can be at most {limit} bins in all, found {}", along.iter().map(usize::to_string).collect::<Vec<_>>().join(" x "))]
    TooManyBins {
        /// Number of bins along each axis.
        along: Vec<usize>,
        /// The largest number accepted.
        limit: usize,
    },
    /// An edge that is NaN or infinite, or whose square is.
    #[error("edge {index} must be finite with a finite square, found {value}", value = in_short(*value))]
    NotFinite {
        /// Which edge, from 0.
        index: usize,
        /// Its value.
        value: f64,
    },
    /// An edge so large or so small that squares could overflow or lose digits.
    #[error("edges must be 0 or from {lo:e} to {hi:e} by magnitude: edge {index} is {value:e}")]
    Magnitude {
        /// Which edge, from 0.
        index: usize,
        /// Its value.
        value: f64,
        /// The smallest magnitude accepted.
        lo: f64,
        /// The largest.
        hi: f64,
    },
    /// Edges that do not rise, or whose squares do not.
    #[error(
        "edges must increase strictly, and so must their squares: edge {index} is {value} after {previous}", value = in_short(*value), previous = in_short(*previous)
    )]
    NotIncreasing {
        /// Which edge, from 0.
        index: usize,
        /// Its value.
        value: f64,
        /// The edge before it.
        previous: f64,
    },
    /// An edge outside the range that the coordinate can take.
    #[error("{coordinate} edges must lie in [{lo}, {hi}]: edge {index} is {value}", lo = in_short(*lo), hi = in_short(*hi), value = in_short(*value))]
    OutOfRange {
        /// The coordinate: `separation`, `mu`, `theta`.
        coordinate: &'static str,
        /// Lower limit.
        lo: f64,
        /// Upper limit.
        hi: f64,
        /// Which edge, from 0.
        index: usize,
        /// Its value.
        value: f64,
    },
    /// Logarithmic edges that start at or below zero.
    #[error("logarithmic edges need 0 < lo < hi, found lo = {lo}, hi = {hi}", lo = in_short(*lo), hi = in_short(*hi))]
    Logarithmic {
        /// Lower end.
        lo: f64,
        /// Upper end.
        hi: f64,
    },
    /// Bins without an axis.
    #[error("bins need at least one axis")]
    NoAxis,
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
