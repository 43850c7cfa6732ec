//! What can be wrong with an estimator written as a formula.

use std::fmt;

use thiserror::Error as ThisError;

/// A formula that cannot be read: where, what was expected there, and what is there. Its text ends in a line that points at the place.
#[derive(Debug, Clone, PartialEq, Eq, ThisError)]
pub struct FormulaError {
    /// The formula as given.
    pub formula: String,
    /// Characters before the trouble.
    pub position: usize,
    /// What may stand there.
    pub expected: String,
    /// What stands there.
    pub found: String,
}

impl FormulaError {
    pub(crate) fn new(formula: &str, position: usize, expected: &str, found: &str) -> Self {
        Self {
            formula: formula.to_owned(),
            position,
            expected: expected.to_owned(),
            found: found.to_owned(),
        }
    }
}

impl fmt::Display for FormulaError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (place, formula) = (self.position + 1, &self.formula);
        write!(f, "at character {place} of `{formula}`: ")?;
        writeln!(f, "expected {}, found {}", self.expected, self.found)?;
        let plain: String = formula
            .chars()
            .map(|c| if c.is_control() { ' ' } else { c })
            .collect();
        write!(f, "  {plain}\n  {:>place$}", '^')
    }
}
