//! What can be wrong with the weight of a pair.

use thiserror::Error as ThisError;

use super::short::in_short;
use super::{BinsError, ParticlesError};

/// A weight of pairs that is not defined.
#[derive(Debug, Clone, PartialEq, ThisError)]
#[non_exhaustive]
pub enum PairWeightError {
    /// A number of 64-bit words that no row of bits can have.
    #[error("inverse probabilities are made of 1 to {limit} words of 64 bits, found {found}")]
    Words {
        /// Words of a row.
        found: usize,
        /// The most accepted.
        limit: usize,
    },
    /// A number of realisations out of range.
    #[error("there must be 1 to {limit} realisations, found {found}")]
    Realisations {
        /// The number given.
        found: u32,
        /// The largest accepted.
        limit: u32,
    },
    /// An offset and a number of bits that are always set which leave no realisation to chance, or fewer than none.
    #[error(
        "the offset and the bits that are always set must be 0 to {realisations} together, the number of realisations, found {offset} + {always}"
    )]
    Always {
        /// What is added to the number of bits.
        offset: u32,
        /// Bits that are always set, less those that never are.
        always: i32,
        /// The number of realisations.
        realisations: u32,
    },
    /// A value for pairs without a realisation that is NaN or infinite.
    #[error("the weight of pairs that no realisation holds must be finite, found {}", in_short(*.0))]
    Default(f64),
    /// Angles and factors that differ in number.
    #[error("there must be one factor for each of the {angles} angles, found {factors}")]
    Factors {
        /// Number of angles.
        angles: usize,
        /// Number of factors.
        factors: usize,
    },
    /// A factor that is NaN or infinite, or changes infinitely fast with the angle.
    #[error("factor {index} must be finite, and so must its change with the angle, found {value}", value = in_short(*value))]
    NotFinite {
        /// Which factor, from 0.
        index: usize,
        /// Its value.
        value: f64,
    },
    /// See [`BinsError`].
    #[error("the angles of a pair weight: {0}")]
    Angles(#[from] BinsError),
    /// Individual weights of particles without bits.
    #[error("individual weights are made of bits, but the particles have none")]
    NoBits,
    /// Bits of other words than inverse probabilities are made for.
    #[error(
        "inverse probabilities are made for {expected} words of bits, the particles have {found}"
    )]
    BitWords {
        /// Words expected.
        expected: usize,
        /// Words found.
        found: usize,
    },
    /// Individual weights that are refused.
    #[error(transparent)]
    Particles(#[from] ParticlesError),
}
