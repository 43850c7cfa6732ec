//! Refused programs of sums over pairs.

use thiserror::Error as ThisError;

use super::in_short;

/// Operations that make no program ([`crate::tally::PairProgram`]).
#[derive(Debug, Clone, PartialEq, ThisError)]
#[non_exhaustive]
pub enum ProgramError {
    /// Too many operations.
    #[error(
        "the expressions of a count may have {most} operations in all, found {found}: leave out a sum or count it by itself"
    )]
    Operations {
        /// How many there are.
        found: usize,
        /// How many there may be.
        most: usize,
    },
    /// No sum, or too many.
    #[error("a count may have 1 to {most} sums of expressions, found {found}")]
    Sums {
        /// How many there are.
        found: usize,
        /// How many there may be.
        most: usize,
    },
    /// A value that is not made before it is taken, or a column or component that there is not.
    #[error(
        "operation {operation} takes a value, a column or a component of the separation that there is not"
    )]
    Operand {
        /// The number of the operation.
        operation: usize,
    },
    /// A bound that is no positive number in range.
    #[error("the bound of sum {name} must lie between {lo:.1e} and {hi:.1e}, found {bound}", bound = in_short(*bound))]
    Bound {
        /// The sum.
        name: String,
        /// Its bound.
        bound: f64,
        /// The least bound.
        lo: f64,
        /// The largest.
        hi: f64,
    },
    /// A name given twice.
    #[error("two sums of a count are named {0}: give one of them another name")]
    Twice(String),
}
