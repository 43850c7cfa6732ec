//! What is wrong with an expression, and where.

use std::fmt;

use thiserror::Error;

/// An expression that cannot be: where, what was expected there, and what is there. Its text ends in a line that points at the place.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub struct ExpressionError {
    /// The expression as given.
    pub expression: String,
    /// Characters before the trouble.
    pub position: usize,
    /// What may stand there.
    pub expected: String,
    /// What stands there.
    pub found: String,
}

/// Characters shown on each side of the place.
const SHOWN: usize = 60;

impl fmt::Display for ExpressionError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            expression,
            position,
            expected,
            found,
        } = self;
        write!(
            f,
            "at character {} of `{}`: ",
            position + 1,
            shortened(expression)
        )?;
        writeln!(f, "expected {expected}, found {found}")?;
        // Around the place only: conditions may be long.
        let start = position.saturating_sub(SHOWN);
        let around = expression.chars().skip(start).take(2 * SHOWN);
        let around: String = around
            .map(|c| if c.is_control() { ' ' } else { c })
            .collect();
        write!(f, "  {around}\n  {:>1$}", '^', position - start + 1)
    }
}

/// An expression for a line: its first characters, where it has many.
fn shortened(expression: &str) -> String {
    let end = expression.char_indices().nth(2 * SHOWN);
    match end {
        None => expression.to_owned(),
        Some((end, _)) => format!("{}...", &expression[..end]),
    }
}
