//! What can be wrong with a model.

/// Why there is no covariance, or no inverse of it.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum ModelError {
    /// Something has no inverse of positive variances.
    #[error("{what} is not positive definite: its least eigenvalue is {least:e}")]
    NotPositiveDefinite {
        /// What it is.
        what: &'static str,
        /// Its least eigenvalue.
        least: f64,
    },
    /// Numbers that make no model.
    #[error("{0}")]
    Needs(String),
}

/// The error that something else is needed.
pub(super) fn needs<T>(what: String) -> Result<T, ModelError> {
    Err(ModelError::Needs(what))
}
