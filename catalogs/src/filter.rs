//! Row filters such as `species == "O" && frame == 0`.
//!
//! Entry: [`Filter::parse`]. A filter knows names and literals, no file; readers bind it to the blocks they decode.

use std::fmt;

use thiserror::Error;

/// A filter that does not parse: where, and what was expected there.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("filter: at character {} of `{filter}`: expected {expected}, found {found}", position + 1)]
pub struct FilterError {
    /// The filter as given.
    pub filter: String,
    /// Characters before the trouble.
    pub position: usize,
    /// What the grammar allows there.
    pub expected: String,
    /// What is there.
    pub found: String,
}

/// A condition on the columns of a row.
///
/// Comparisons `==`, `!=`, `<`, `<=`, `>`, `>=` of a column with a number, `==` and `!=` with a quoted string, joined by
/// `&&` and `||` with parentheses; `&&` binds tighter. A column whose name is no plain word goes between backquotes.
/// Comparisons with NaN are false, but for `!=`.
///
/// ```
/// let filter = albireo_catalogs::Filter::parse("z >= 0.2 && (z < 0.4 || class == \"LRG\")")?;
/// assert_eq!(filter.columns(), ["z", "class"]);
/// # Ok::<(), albireo_catalogs::FilterError>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct Filter {
    text: String,
    condition: Condition,
}

#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Condition {
    Compare(Comparison),
    All(Vec<Condition>),
    Any(Vec<Condition>),
}

#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Comparison {
    pub(crate) column: String,
    pub(crate) relation: Relation,
    pub(crate) literal: Literal,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Relation {
    Equal,
    NotEqual,
    Less,
    LessEqual,
    Greater,
    GreaterEqual,
}

#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Literal {
    Number(f64),
    Text(String),
}

impl Relation {
    pub(crate) fn holds(self, left: f64, right: f64) -> bool {
        match self {
            Self::Equal => left == right,
            Self::NotEqual => left != right,
            Self::Less => left < right,
            Self::LessEqual => left <= right,
            Self::Greater => left > right,
            Self::GreaterEqual => left >= right,
        }
    }
}

impl fmt::Display for Literal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            // Beyond this, digits would be padded with zeros by the hundred.
            Self::Number(value) if value.abs() >= 1e16 => write!(f, "the number {value:e}"),
            Self::Number(value) => write!(f, "the number {value}"),
            Self::Text(text) => write!(f, "the text \"{text}\""),
        }
    }
}

impl fmt::Display for Filter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

impl Filter {
    /// Parses a filter.
    ///
    /// # Errors
    /// [`FilterError`] with the position of the first character that does not fit.
    pub fn parse(text: &str) -> Result<Self, FilterError> {
        let mut parser = Parser {
            text,
            chars: text.chars().collect(),
            position: 0,
            depth: 0,
        };
        let condition = parser.any()?;
        parser.skip_space();
        if parser.position < parser.chars.len() {
            return Err(parser.error("`&&`, `||` or the end"));
        }
        Ok(Self {
            text: text.to_owned(),
            condition,
        })
    }

    /// The columns needed, each once, in order of appearance.
    pub fn columns(&self) -> Vec<&str> {
        let mut names = Vec::new();
        self.condition.visit(&mut |comparison| {
            if !names.contains(&comparison.column.as_str()) {
                names.push(comparison.column.as_str());
            }
        });
        names
    }

    pub(crate) fn condition(&self) -> &Condition {
        &self.condition
    }

    /// The number that `column` must equal in every row kept, if the filter demands one.
    #[cfg(feature = "hdf5")]
    pub(crate) fn pinned(&self, column: &str) -> Option<f64> {
        self.condition.pinned(column)
    }
}

impl Condition {
    pub(crate) fn visit<'a>(&'a self, see: &mut dyn FnMut(&'a Comparison)) {
        match self {
            Self::Compare(comparison) => see(comparison),
            Self::All(parts) | Self::Any(parts) => parts.iter().for_each(|part| part.visit(see)),
        }
    }

    #[cfg(feature = "hdf5")]
    fn pinned(&self, column: &str) -> Option<f64> {
        match self {
            Self::Compare(Comparison {
                column: name,
                relation: Relation::Equal,
                literal: Literal::Number(value),
            }) if name == column => Some(*value),
            Self::All(parts) => parts.iter().find_map(|part| part.pinned(column)),
            _ => None,
        }
    }
}

/// Parentheses may nest this deep; the parser recurses.
const DEEPEST: usize = 64;

struct Parser<'a> {
    text: &'a str,
    chars: Vec<char>,
    position: usize,
    depth: usize,
}

impl Parser<'_> {
    fn any(&mut self) -> Result<Condition, FilterError> {
        let mut parts = vec![self.all()?];
        while self.eat("||") {
            parts.push(self.all()?);
        }
        Ok(single_or(parts, Condition::Any))
    }

    fn all(&mut self) -> Result<Condition, FilterError> {
        let mut parts = vec![self.term()?];
        while self.eat("&&") {
            parts.push(self.term()?);
        }
        Ok(single_or(parts, Condition::All))
    }

    fn term(&mut self) -> Result<Condition, FilterError> {
        if !self.eat("(") {
            return self.comparison().map(Condition::Compare);
        }
        self.depth += 1;
        if self.depth > DEEPEST {
            return Err(self.error("fewer nested parentheses"));
        }
        let inside = self.any()?;
        if !self.eat(")") {
            return Err(self.error("`)`, `&&` or `||`"));
        }
        self.depth -= 1;
        Ok(inside)
    }

    fn comparison(&mut self) -> Result<Comparison, FilterError> {
        let column = self.column()?;
        let relation = self.relation()?;
        self.skip_space();
        let quoted = matches!(self.peek(), Some('"' | '\''));
        if quoted && !matches!(relation, Relation::Equal | Relation::NotEqual) {
            return Err(self.error("a number (text is compared by `==` and `!=` only)"));
        }
        let literal = if quoted {
            Literal::Text(self.quoted("a quoted text")?)
        } else {
            self.number()?
        };
        Ok(Comparison {
            column,
            relation,
            literal,
        })
    }

    fn column(&mut self) -> Result<String, FilterError> {
        self.skip_space();
        if self.peek() == Some('`') {
            return self.quoted("a column name between backquotes");
        }
        let start = self.position;
        if !self
            .peek()
            .is_some_and(|c| c.is_alphabetic() || c == '_' || c == '/')
        {
            return Err(self.error("a column name or `(`"));
        }
        while self
            .peek()
            .is_some_and(|c| c.is_alphanumeric() || "_./+-[]:".contains(c))
        {
            self.position += 1;
        }
        Ok(self.chars[start..self.position].iter().collect())
    }

    fn relation(&mut self) -> Result<Relation, FilterError> {
        let relations = [
            ("==", Relation::Equal),
            ("!=", Relation::NotEqual),
            ("<=", Relation::LessEqual),
            (">=", Relation::GreaterEqual),
            ("<", Relation::Less),
            (">", Relation::Greater),
        ];
        for (sign, relation) in relations {
            if self.eat(sign) {
                return Ok(relation);
            }
        }
        Err(self.error("one of `==` `!=` `<` `<=` `>` `>=`"))
    }

    fn number(&mut self) -> Result<Literal, FilterError> {
        let start = self.position;
        while self
            .peek()
            .is_some_and(|c| c.is_ascii_alphanumeric() || "+-.".contains(c))
        {
            self.position += 1;
        }
        let word: String = self.chars[start..self.position].iter().collect();
        word.parse().map(Literal::Number).map_err(|_| {
            self.position = start;
            self.error("a number or a quoted text")
        })
    }

    fn quoted(&mut self, expected: &str) -> Result<String, FilterError> {
        let start = self.position;
        let quote = self.chars[start];
        match self.chars[start + 1..].iter().position(|&c| c == quote) {
            Some(length) => {
                self.position = start + length + 2;
                Ok(self.chars[start + 1..=start + length].iter().collect())
            }
            None => Err(self.error(&format!("{expected}, closed by {quote}"))),
        }
    }

    fn peek(&self) -> Option<char> {
        self.chars.get(self.position).copied()
    }

    fn skip_space(&mut self) {
        while self.peek().is_some_and(char::is_whitespace) {
            self.position += 1;
        }
    }

    fn eat(&mut self, sign: &str) -> bool {
        self.skip_space();
        let found = sign
            .chars()
            .enumerate()
            .all(|(k, c)| self.chars.get(self.position + k) == Some(&c));
        if found {
            self.position += sign.chars().count();
        }
        found
    }

    fn error(&self, expected: &str) -> FilterError {
        let rest: String = self.chars[self.position.min(self.chars.len())..]
            .iter()
            .take(20)
            .collect();
        FilterError {
            filter: self.text.to_owned(),
            position: self.position,
            expected: expected.to_owned(),
            found: if rest.is_empty() {
                "the end".to_owned()
            } else {
                format!("`{rest}`")
            },
        }
    }
}

fn single_or(mut parts: Vec<Condition>, join: fn(Vec<Condition>) -> Condition) -> Condition {
    if parts.len() == 1 {
        parts.remove(0)
    } else {
        join(parts)
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a failed parse fails the test")]
mod tests {
    use super::*;

    fn compare(column: &str, relation: Relation, literal: Literal) -> Condition {
        Condition::Compare(Comparison {
            column: column.to_owned(),
            relation,
            literal,
        })
    }

    #[test]
    fn and_binds_tighter_than_or() {
        let filter = Filter::parse("a == 1 || b < 2 && c >= -3e2").unwrap();
        let expected = Condition::Any(vec![
            compare("a", Relation::Equal, Literal::Number(1.0)),
            Condition::All(vec![
                compare("b", Relation::Less, Literal::Number(2.0)),
                compare("c", Relation::GreaterEqual, Literal::Number(-300.0)),
            ]),
        ]);
        assert_eq!(filter.condition, expected);
        let grouped = Filter::parse("(a == 1 || b < 2) && c >= -3e2").unwrap();
        assert!(matches!(grouped.condition, Condition::All(_)));
    }

    #[test]
    fn names_literals_and_columns() {
        let filter =
            Filter::parse("pos[0]<1&&`Cl 1`!='a b'&&PartType0/x == \"O\"&&pos[0]>.5").unwrap();
        assert_eq!(filter.columns(), ["pos[0]", "Cl 1", "PartType0/x"]);
        assert_eq!(
            filter.to_string(),
            "pos[0]<1&&`Cl 1`!='a b'&&PartType0/x == \"O\"&&pos[0]>.5"
        );
    }

    #[cfg(feature = "hdf5")]
    #[test]
    fn pinned_only_where_every_row_must_agree() {
        assert_eq!(
            Filter::parse("frame == 3 && s == 1")
                .unwrap()
                .pinned("frame"),
            Some(3.0)
        );
        assert_eq!(
            Filter::parse("frame == 3 || s == 1")
                .unwrap()
                .pinned("frame"),
            None
        );
        assert_eq!(Filter::parse("frame >= 3").unwrap().pinned("frame"), None);
        assert_eq!(
            Filter::parse("s == 1 && (t == 2 && frame == 0)")
                .unwrap()
                .pinned("frame"),
            Some(0.0)
        );
    }

    #[test]
    fn errors_name_the_position() {
        for (text, position, expected) in [
            ("", 0, "a column name or `(`"),
            ("x", 1, "one of `==`"),
            ("x = 1", 2, "one of `==`"),
            ("x == ", 5, "a number or a quoted text"),
            ("x == O", 5, "a number or a quoted text"),
            ("x == 1 and y == 2", 7, "`&&`, `||` or the end"),
            ("x == 1 && ", 10, "a column name or `(`"),
            ("(x == 1", 7, "`)`, `&&` or `||`"),
            ("x == \"O", 5, "closed by \""),
            ("x < \"O\"", 4, "`==` and `!=` only"),
            ("x == 1)", 6, "`&&`, `||` or the end"),
            ("1 == x", 0, "a column name"),
        ] {
            let error = Filter::parse(text).unwrap_err();
            assert_eq!(error.position, position, "{text}: {error}");
            assert!(error.to_string().contains(expected), "{text}: {error}");
        }
        let deep = "(".repeat(100_000);
        assert!(
            Filter::parse(&deep)
                .unwrap_err()
                .to_string()
                .contains("fewer nested")
        );
    }
}
