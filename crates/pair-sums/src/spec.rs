//! A pair sum as a user asks for it.
//!
//! Entry: [`PairSumSpec`].

use std::str::FromStr;

use crate::error::PairSumError;

/// `NAME=EXPRESSION`, `form(columns)` or `NAME=form(columns)`.
///
/// ```
/// use albireo_pair_sums::PairSumSpec;
/// let spec: PairSumSpec = "v=radial(i.v - j.v)".parse()?;
/// assert_eq!((spec.name.as_deref(), spec.text.as_str()), (Some("v"), "radial(i.v - j.v)"));
/// assert_eq!("v12(vx,vy,vz)".parse::<PairSumSpec>()?.name, None);
/// # Ok::<(), albireo_pair_sums::PairSumError>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct PairSumSpec {
    /// What results call it; a form has names of its own.
    pub name: Option<String>,
    /// The expression, or the form with its columns.
    pub text: String,
    /// No value is larger than this in magnitude, as the user says.
    pub bound: Option<f64>,
}

/// Whether a word may name a sum: a letter, then letters, digits and `_`.
pub(crate) fn is_name(word: &str) -> bool {
    word.starts_with(|c: char| c.is_ascii_alphabetic())
        && word.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
}

impl FromStr for PairSumSpec {
    type Err = PairSumError;

    fn from_str(text: &str) -> Result<Self, PairSumError> {
        let spec = |name: Option<&str>, text: &str| Self {
            name: name.map(str::to_owned),
            text: text.trim().to_owned(),
            bound: None,
        };
        let Some((name, rest)) = text.split_once('=') else {
            return Ok(spec(None, text));
        };
        let name = name.trim();
        // `==`, `<=` and their like belong to an expression.
        if rest.starts_with('=') || name.ends_with(['<', '>', '!']) || name.contains('(') {
            return Ok(spec(None, text));
        }
        if !is_name(name) {
            let message = format!(
                "expected NAME=EXPRESSION, the name a letter and then letters, digits or `_`, found the name `{name}`"
            );
            return Err(PairSumError::at(text, 0, message));
        }
        Ok(spec(Some(name), rest))
    }
}
