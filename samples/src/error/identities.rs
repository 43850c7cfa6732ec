//! Why values cannot be compared for equality.

use thiserror::Error;

/// A value that is compared for equality, and that float64 may have rounded.
#[derive(Debug, Clone, PartialEq, Error)]
#[error(
    "`{column}` is compared for equality, and row {row} (counting from 0) is {value}: expected integers by their type, texts, or numbers below 2^53"
)]
pub struct RoundedIdentity {
    /// The column or expression.
    pub column: String,
    /// Where it stands, of the rows that are kept.
    pub row: usize,
    /// What it is.
    pub value: f64,
}
