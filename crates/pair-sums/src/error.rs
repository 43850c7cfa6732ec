//! What is wrong with a pair expression, and where.
//!
//! Entry: [`PairSumError`]: one line, with the text and the place in it.

use std::fmt;

use albireo::error::{BinsError, ProgramError, in_short};
use albireo_catalogs::ExpressionError;
use thiserror::Error;

/// A pair expression that cannot be summed.
#[derive(Debug, Clone, PartialEq, Error)]
#[non_exhaustive]
pub enum PairSumError {
    /// A text that means nothing, or nothing here.
    #[error("{0}")]
    Text(TextError),
    /// Operations that make no program.
    #[error(transparent)]
    Program(#[from] ProgramError),
    /// Bins in the values of expressions that cannot be.
    #[error(transparent)]
    Bins(#[from] BinsError),
    /// Bins in the values of expressions without a length that pairs are within.
    #[error("expected a length above 0 that the pairs in bins are closer than, found {}", in_short(*.0))]
    Reach(f64),
}

/// What is wrong with a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TextError {
    /// The text.
    pub text: String,
    /// Characters of it before the trouble; none where it is all of it.
    pub position: Option<usize>,
    /// What is wrong and what to do.
    pub message: String,
}

impl fmt::Display for TextError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let shown: String = self
            .text
            .chars()
            .map(|c| if c.is_control() { ' ' } else { c })
            .collect();
        match self.position {
            Some(position) => write!(
                f,
                "at character {} of `{shown}`: {}",
                position + 1,
                self.message
            ),
            None => write!(f, "`{shown}`: {}", self.message),
        }
    }
}

impl PairSumError {
    pub(crate) fn at(text: &str, position: usize, message: impl Into<String>) -> Self {
        Self::Text(TextError {
            text: text.to_owned(),
            position: Some(position),
            message: message.into(),
        })
    }

    pub(crate) fn of(text: &str, message: impl Into<String>) -> Self {
        Self::Text(TextError {
            text: text.to_owned(),
            position: None,
            message: message.into(),
        })
    }
}

impl From<ExpressionError> for PairSumError {
    fn from(error: ExpressionError) -> Self {
        let message = format!("expected {}, found {}", error.expected, error.found);
        Self::at(&error.expression, error.position, message)
    }
}
