//! Arithmetic and conditions on the columns of a row.
//!
//! Entry: [`Filter`] and [`Expression`], which know names and constants, no file; readers bind them to the blocks they decode. [`trees`]: their
//! trees, for larger languages.

mod bind;
mod called;
mod compare;
mod error;
mod evaluate;
mod file_function;
mod functions;
mod galactic;
mod parse;
mod phrases;
mod scan;
mod tree;
mod values;

/// Trees of expressions, for languages that have more than columns: of two objects, or vectors.
pub mod trees {
    pub use super::functions::Function;
    pub use super::tree::{Binary, Kind, Node, Relation, Unary};

    use super::parse::{Names, tree};
    use crate::ExpressionError;

    /// The tree of a text in a language with further functions, by their names and the least and most of their arguments. Names of columns
    /// may hold dots, and a name that ends in one may go on between backquotes; `[0]` behind an operand is a component of it.
    ///
    /// ```
    /// use albireo_catalogs::trees::parsed;
    /// let tree = parsed("twice(i.`a-b`)[1] - x", &[("twice", 1, 1)])?;
    /// assert_eq!(tree.columns(), ["i.`a-b`", "x"]);
    /// # Ok::<(), albireo_catalogs::ExpressionError>(())
    /// ```
    ///
    /// # Errors
    /// [`ExpressionError`] with the position of the first character that does not fit.
    pub fn parsed(text: &str, functions: &[(&str, usize, usize)]) -> Result<Node, ExpressionError> {
        tree(text, Names::Further(functions))
    }
}

use std::fmt;

pub use error::ExpressionError;
pub use file_function::{Argument, FileFunction, FileFunctions};
use serde::Serialize;

pub(crate) use bind::{
    Bound, Located, Step, Table, Type, Unfit, bind, check_condition, check_number,
};
pub(crate) use evaluate::{NoResult, Rows, condition, numbers};
pub(crate) use parse::Names;
#[cfg(feature = "hdf5")]
use tree::Relation;
use tree::{Kind, Node};
pub(crate) use values::{Column, Run, Values};

/// A number computed from the columns of a row, such as `WEIGHT * WEIGHT_FKP`.
///
/// From what binds most tightly to least: `**` (grouped to the right); signs `-`, `+`, `~` and `!`; `*` `/` `%`; `+` `-`; `<<` `>>`; `&`; `|`;
/// comparisons `==` `!=` `<>` `<` `<=` `>` `>=`, `in (..)`, `between a and b`, `like "O*"` (`*` and `%` any characters, `?` one), `is null`; `not`; `&&` or `and`; `||` or `or`. So
/// `FLAG & 4 == 0` asks for `(FLAG & 4) == 0`, as in Python and SQL, not as in C. Words are read in any case of letters.
///
/// - Columns are words, with `[k]` for one component, or stand between backquotes. Where a table has a column such as `PartType0/x` or
///   `a-b`, that is meant.
/// - Numbers: `3`, `0x1f`, `.5`, `1e-3`, `nan`, `inf`, `pi`. Texts stand between quotes of either kind. `true` and `false`.
/// - Functions: abs, min, max, sqrt, exp, log (natural), log10, sin, cos, tan, asin, acos, atan, atan2(y, x), floor, ceil, radians, degrees,
///   isnan, isfinite. Angles are in radians. `where(c, a, b)` is a where the condition c holds, else b.
/// - Of the sky, in degrees: `galactic_longitude(RA, DEC)`, `galactic_latitude(RA, DEC)` of J2000, and the condition
///   `in_pixels("mask.fits", RA, DEC)`.
/// - `lookup("f.csv", "1 - missing", NTILE)`: an expression over the columns of another table, in its row whose `NTILE` is the same whole number. A
///   text before the number names that column where it is called otherwise. What `in_pixels` and `lookup` read [`FileFunctions`] supply.
/// - Integers stay integers under `+ - * % & | << >> ~` and abs, min, max, exact up to 128 bits; `/`, `**` and all other functions give
///   float64. Integers and floats are compared exactly, beyond 2^53 too. `%` has the sign of the divisor. Operations on bits take integers.
/// - Conditions count as 0 and 1; an integer is a condition that holds where it is not 0.
/// - Missing values stay missing in what is computed from them. Conditions follow SQL: `false && missing` is false, `true || missing` true,
///   all else missing, and a row whose condition is missing is not kept. So is a remainder by 0.
/// - NaN is a value: comparisons with it are false, but for `!=`.
///
/// ```
/// let expression = albireo_catalogs::Expression::parse("WEIGHT * (1 - 0.3*min(z, 1))")?;
/// assert_eq!(expression.columns(), ["WEIGHT", "z"]);
/// let error = albireo_catalogs::Expression::parse("2 * (x + ").unwrap_err();
/// assert_eq!(error.position, 9);
/// # Ok::<(), albireo_catalogs::ExpressionError>(())
/// ```
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Expression {
    text: String,
    /// As it reads without a table, whose columns may have signs in their names.
    #[serde(skip)]
    tree: Node,
}

/// A condition on the columns of a row: the rows where it holds are kept.
///
/// It is an [`Expression`], so that columns, arithmetic, bits and texts can be compared in any way.
///
/// ```
/// let text = "z >= 0.2 && not BAD and (z < 0.4 || class in (\"LRG\", \"ELG\")) && FLAG & 4 == 0";
/// let filter = albireo_catalogs::Filter::parse(text)?;
/// assert_eq!(filter.columns(), ["z", "BAD", "class", "FLAG"]);
/// # Ok::<(), albireo_catalogs::ExpressionError>(())
/// ```
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Filter(Expression);

impl Expression {
    /// Parses an expression.
    ///
    /// # Errors
    /// [`ExpressionError`] with the position of the first character that does not fit.
    pub fn parse(text: &str) -> Result<Self, ExpressionError> {
        let tree = match parse::tree(text, Names::Words) {
            Ok(tree) => tree,
            // Names with signs in them may be what does not fit.
            Err(error) => parse::tree(text, Names::Paths).map_err(|_| error)?,
        };
        Ok(Self {
            text: text.to_owned(),
            tree,
        })
    }

    /// The columns needed, each once, in order of appearance; signs stand for operators.
    pub fn columns(&self) -> Vec<&str> {
        self.tree.columns()
    }

    /// The files that its functions read, as they are spelled.
    ///
    /// ```
    /// let weight = albireo_catalogs::Expression::parse("W * lookup('f.csv', '1 - missing', NTILE)")?;
    /// assert_eq!(weight.files(), ["f.csv"]);
    /// # Ok::<(), albireo_catalogs::ExpressionError>(())
    /// ```
    pub fn files(&self) -> Vec<&str> {
        self.tree.files()
    }

    pub(crate) fn text(&self) -> &str {
        &self.text
    }

    /// The tree for a table with these columns.
    pub(crate) fn tree_for(&self, known: &dyn Fn(&str) -> bool) -> Result<Node, ExpressionError> {
        parse::tree(&self.text, Names::Of(known))
    }

    /// The columns needed of a table with these columns.
    pub(crate) fn columns_for(&self, known: &dyn Fn(&str) -> bool) -> Vec<String> {
        let tree = self.tree_for(known);
        let tree = tree.as_ref().unwrap_or(&self.tree);
        tree.columns().into_iter().map(str::to_owned).collect()
    }

    /// Whether it is no more than the name of a column.
    pub(crate) fn is_column(&self) -> bool {
        matches!(self.tree.kind, Kind::Column(_))
    }
}

impl Filter {
    /// Parses a condition.
    ///
    /// # Errors
    /// [`ExpressionError`] with the position of the first character that does not fit.
    pub fn parse(text: &str) -> Result<Self, ExpressionError> {
        let expression = Expression::parse(text)?;
        // What is no condition in any table.
        let found = match &expression.tree.kind {
            Kind::Text(_) => "a text",
            Kind::Float(_) => "a number",
            _ => return Ok(Self(expression)),
        };
        Err(ExpressionError {
            expression: text.to_owned(),
            position: expression.tree.at,
            expected: "a condition".to_owned(),
            found: found.to_owned(),
        })
    }

    /// The columns needed, each once, in order of appearance; signs stand for operators.
    pub fn columns(&self) -> Vec<&str> {
        self.0.columns()
    }

    /// The columns that are compared with texts, and these texts.
    pub fn compared_texts(&self) -> Vec<(&str, &str)> {
        let mut found = Vec::new();
        let mut open = vec![&self.0.tree];
        while let Some(node) = open.pop() {
            let sides = match &node.kind {
                Kind::Compare(_, left, right) => vec![(left, &**right), (right, &**left)],
                Kind::In(part, values) => values.iter().map(|value| (part, value)).collect(),
                _ => Vec::new(),
            };
            for (column, text) in sides {
                if let (Kind::Column(column), Kind::Text(text)) = (&column.kind, &text.kind) {
                    found.push((column.as_str(), text.as_str()));
                }
            }
            open.extend(node.parts());
        }
        found
    }

    pub(crate) fn expression(&self) -> &Expression {
        &self.0
    }

    /// The number that `column` must equal in every row kept, if the filter demands one.
    #[cfg(feature = "hdf5")]
    pub(crate) fn pinned(&self, column: &str) -> Option<f64> {
        pinned(&self.0.tree, column)
    }
}

#[cfg(feature = "hdf5")]
fn pinned(node: &Node, column: &str) -> Option<f64> {
    match &node.kind {
        Kind::Compare(Relation::Equal, left, right) => match (&left.kind, &right.kind) {
            (Kind::Column(name), Kind::Integer(value))
            | (Kind::Integer(value), Kind::Column(name))
                if name == column =>
            {
                Some(*value as f64)
            }
            (Kind::Column(name), Kind::Float(value)) | (Kind::Float(value), Kind::Column(name))
                if name == column =>
            {
                Some(*value)
            }
            _ => None,
        },
        Kind::All(parts) => parts.iter().find_map(|part| pinned(part, column)),
        _ => None,
    }
}

impl fmt::Display for Expression {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

impl fmt::Display for Filter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

#[cfg(test)]
mod tests;
