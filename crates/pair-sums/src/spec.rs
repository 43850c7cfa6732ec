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

/// Columns that results have anyway.
const OF_RESULTS: [&str; 7] = ["npairs", "weight", "normalised", "W", "lo", "hi", "centre"];

/// Why a sum, or a column that follows from sums, may not have a name beside others.
pub(crate) fn is_no_column(name: &str, others: &[String]) -> Option<String> {
    let starts = ["mean_", "weighted_mean_"];
    let ends = ["_lo", "_hi", "_centre"];
    let degree = name.strip_prefix('L').map(str::parse::<u8>);
    let of_results = OF_RESULTS.contains(&name)
        || matches!(degree, Some(Ok(_)))
        || starts.iter().any(|start| name.starts_with(start))
        || ends.iter().any(|end| name.ends_with(end));
    if of_results {
        return Some(format!(
            "results have a column {name} anyway: choose another name"
        ));
    }
    let mut others = others.iter();
    let is_given = others.any(|other| other == name);
    is_given.then(|| format!("two columns of the result would be named {name}: give one of the sums another name, as in NAME=form(columns)"))
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
