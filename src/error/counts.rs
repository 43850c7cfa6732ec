//! What can be wrong with counts: as numbers, beside others, in operations and as bytes.

use thiserror::Error as ThisError;

use super::BinsError;
use super::bins::divisors;
use super::short::in_short;

/// Numbers or bytes that cannot be counts, counts that do not belong together, or cannot be had in the way asked for.
///
/// Bins count from 0, the last axis fastest.
#[derive(Debug, Clone, PartialEq, ThisError)]
#[non_exhaustive]
pub enum CountsError {
    /// A number of values other than the number of bins.
    #[error("there must be one {column} for each of the {expected} bins, found {found}")]
    Bins {
        /// `number of pairs` or `weight`.
        column: &'static str,
        /// Number of bins.
        expected: usize,
        /// Number of values.
        found: usize,
    },
    /// A sum whose name another one has.
    #[error("two sums of a count are named {0}")]
    NamedTwice(String),
    /// A NaN or an infinity.
    #[error("the weight in bin {bin} must be finite, found {weight}", weight = in_short(*weight))]
    NotFinite {
        /// The first such bin.
        bin: usize,
        /// What stands there.
        weight: f64,
    },
    /// A weight that the pairs of its bin cannot have.
    #[error(
        "the weight in bin {bin} must lie in [{lo}, {hi}], as its {pairs} pairs have it, found {weight}", lo = in_short(*lo), hi = in_short(*hi), weight = in_short(*weight)
    )]
    Weight {
        /// The first such bin.
        bin: usize,
        /// Number of pairs there.
        pairs: u64,
        /// Least weight of so many pairs.
        lo: f64,
        /// Largest weight of so many pairs.
        hi: f64,
        /// What stands there.
        weight: f64,
    },
    /// More pairs in the bins than there are.
    #[error("there are {total} pairs in all, but the bins hold {counted}")]
    TooManyPairs {
        /// Number of pairs in all.
        total: u64,
        /// Sum over the bins.
        counted: u128,
    },
    /// A total that no sample has.
    #[error("the total's {what} must be {expected}, found {found}", found = in_short(*found))]
    Total {
        /// `weight` or `design effect`.
        what: &'static str,
        /// What is accepted.
        expected: &'static str,
        /// The value given.
        found: f64,
    },
    /// Counts by region that are not those of the whole.
    #[error("the counts of the regions are not those of all pairs: {0}")]
    Regions(String),
    /// Bins that leave a weight to the other pairs of the job which these cannot have.
    #[error(
        "the bins hold a weight of {weight} of {total} in all: what they leave to the other {pairs} pairs must lie in [{lo}, {hi}]", weight = in_short(*weight), total = in_short(*total), lo = in_short(*lo), hi = in_short(*hi)
    )]
    Rest {
        /// Sum over the bins.
        weight: f64,
        /// Weight of all pairs.
        total: f64,
        /// Number of pairs outside the bins.
        pairs: u64,
        /// Least weight of so many pairs.
        lo: f64,
        /// Largest weight of so many pairs.
        hi: f64,
    },
    /// The two results come from different settings.
    #[error(
        "counts of different jobs do not merge: they differ in {setting} ({left} against {right})"
    )]
    Setting {
        /// The setting that differs.
        setting: &'static str,
        /// Its value on the left.
        left: String,
        /// Its value on the right.
        right: String,
    },
    /// One result is exact, the other decided by float32 alone.
    #[error(
        "exact counts do not merge with approximate ones: the left are {left}, the right {right}"
    )]
    Exactness {
        /// How the left were counted.
        left: crate::exactness::Exactness,
        /// How the right were counted.
        right: crate::exactness::Exactness,
    },
    /// Both results hold the same part of a job.
    #[error("counts overlap: part {part} of {of} of the same job is in both")]
    Overlap {
        /// The part, from 0.
        part: u32,
        /// Number of parts of the job.
        of: u32,
    },
    /// A sum passed the range of its integer.
    #[error("{0} is too large for its integer")]
    Overflow(&'static str),
    /// See [`BinsError`].
    #[error(transparent)]
    Axes(#[from] BinsError),
    /// A coarser bin of split randoms that would have pairs of both sides of where the split begins.
    #[error(
        "randoms are split above the first {below} bins in {axis}: bins are put together by a number that divides {below} too, one of {}, found {by}",
        divisors(*below)
    )]
    AcrossSplit {
        /// Name of the axis.
        axis: String,
        /// Number of its bins below the split.
        below: usize,
        /// How many of them were to become one.
        by: usize,
    },
    /// Both orders of a pair, in classes of their own, that are to come together.
    #[error(
        "the two orders of a pair are kept apart by {0}: put the signs of the counts of all pairs together, without {0}"
    )]
    Orders(&'static str),
    /// A bin that should hold each pair twice, but cannot.
    #[error("bin {bin} holds an odd number of pairs, where each should stand twice")]
    Odd {
        /// The first such bin.
        bin: usize,
    },
    /// Counts of other particles, of other parts of a job, or with other totals.
    #[error("it was counted from other particles, or has other totals")]
    OtherPairs,
    /// A factor that would leave no weight, or none that is a number.
    #[error("weights are multiplied by a number other than 0, found {found}", found = in_short(*found))]
    Factor {
        /// The factor asked for.
        found: f64,
    },
    /// A total weight that nothing can be normalised by.
    #[error("the total weight must be a number above 0, found {found}", found = in_short(*found))]
    TotalWeight {
        /// The total asked for.
        found: f64,
    },
    /// Pairs whose weights add up to nothing.
    #[error("all pairs together have no weight to be multiplied")]
    NoWeight,
    /// Weights outside float64's range.
    #[error("{what} leaves the range of float64 when it is multiplied by {factor}", factor = in_short(*factor))]
    OutOfRange {
        /// Which weight.
        what: &'static str,
        /// The factor.
        factor: f64,
    },
    /// Bytes of something else than a tally.
    #[error("these are not the bytes of a tally")]
    NotATally,
    /// Another version of the layout.
    #[error("the bytes of this tally have layout {found}, expected {expected}")]
    Layout {
        /// The layout that this version reads.
        expected: u64,
        /// The layout of the bytes.
        found: u64,
    },
    /// Too few or too many bytes.
    #[error("the integers of this tally take {} bytes, found {found}", expected.map_or_else(|| "too many".to_owned(), |n| n.to_string()))]
    Length {
        /// What the head promises; none where no machine could hold it.
        expected: Option<u128>,
        /// Bytes after the head.
        found: usize,
    },
    /// A frame that was counted before.
    #[error("frame {0} is there already")]
    FrameTwice(u64),
    /// A frame that cannot be added to others.
    #[error("frame {0} has other bins or classes than those before it")]
    OtherFrame(u64),
    /// A frame whose weight cannot be added to others.
    #[error(
        "frame {frame}: the weight of a frame must be positive and between 2^-440 and 2^440, found {weight}", weight = in_short(*weight)
    )]
    FrameWeight {
        /// The place of the frame.
        frame: u64,
        /// Its weight.
        weight: f64,
    },
    /// More pairs in all frames than can be counted.
    #[error("the frames up to {0} have more than 2^64 pairs: fewer of them are counted at once")]
    FramePairs(u64),
}

impl CountsError {
    /// The bin that the error names, if it names one.
    pub fn bin(&self) -> Option<usize> {
        match *self {
            Self::NotFinite { bin, .. } | Self::Weight { bin, .. } => Some(bin),
            _ => None,
        }
    }
}
