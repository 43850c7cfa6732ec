//! The text of a formula over counts: a parser by precedence climbing.
//!
//! Entry: [`tree`].

use super::terms::Term;
use crate::error::FormulaError;

/// Parentheses and signs may nest this deep; the parser recurses.
const DEEPEST: usize = 64;
/// Operations of one formula; what walks its tree recurses.
const MOST: usize = 256;

/// A formula read.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Node {
    Number(f64),
    Count(Term),
    /// The sum of an expression over the pairs of a count.
    Sum(Term, String),
    Negative(Box<Node>),
    Power(Box<Node>, f64),
    Two(Operation, Box<Node>, Box<Node>),
}

/// What is made of two numbers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Operation {
    Add,
    Subtract,
    Multiply,
    Divide,
}

impl Operation {
    /// The operation of a sign, and how tightly it binds.
    fn of(sign: char) -> Option<(Self, u8)> {
        Some(match sign {
            '+' => (Self::Add, 1),
            '-' => (Self::Subtract, 1),
            '*' => (Self::Multiply, 2),
            '/' => (Self::Divide, 2),
            _ => return None,
        })
    }
}

/// The tree of a formula.
pub(super) fn tree(text: &str) -> Result<Node, FormulaError> {
    let mut parser = Parser {
        text,
        chars: text.chars().collect(),
        position: 0,
        depth: 0,
        operations: 0,
    };
    let node = parser.operations(1)?;
    if parser.peek().is_some() {
        return Err(parser.error("an operator + - * / ^ or the end"));
    }
    Ok(node)
}

struct Parser<'a> {
    text: &'a str,
    chars: Vec<char>,
    position: usize,
    depth: usize,
    operations: usize,
}

impl Parser<'_> {
    /// The next character that is no blank.
    fn peek(&mut self) -> Option<char> {
        while self
            .chars
            .get(self.position)
            .is_some_and(|c| c.is_whitespace())
        {
            self.position += 1;
        }
        self.chars.get(self.position).copied()
    }

    fn next_is(&self, sign: char) -> bool {
        self.chars.get(self.position + 1) == Some(&sign)
    }

    fn error(&mut self, expected: &str) -> FormulaError {
        let found = match self.peek() {
            None => "the end".to_owned(),
            Some(c) => format!("`{c}`"),
        };
        FormulaError::new(self.text, self.position, expected, &found)
    }

    fn deeper<T>(
        &mut self,
        inside: impl FnOnce(&mut Self) -> Result<T, FormulaError>,
    ) -> Result<T, FormulaError> {
        self.depth += 1;
        if self.depth > DEEPEST {
            return Err(self.error(&format!(
                "at most {DEEPEST} levels of parentheses and signs"
            )));
        }
        let made = inside(self)?;
        self.depth -= 1;
        Ok(made)
    }

    /// Operations that bind at least as tightly as this.
    fn operations(&mut self, tightness: u8) -> Result<Node, FormulaError> {
        let mut left = self.signed()?;
        while let Some((operation, binding)) = self.peek().and_then(Operation::of) {
            if binding < tightness {
                break;
            }
            self.operations += 1;
            if self.operations > MOST {
                return Err(self.error(&format!("at most {MOST} operations")));
            }
            self.position += 1;
            let right = self.operations(binding + 1)?;
            left = Node::Two(operation, Box::new(left), Box::new(right));
        }
        Ok(left)
    }

    fn signed(&mut self) -> Result<Node, FormulaError> {
        match self.peek() {
            Some('-') => {
                self.position += 1;
                let of = self.deeper(Self::signed)?;
                Ok(Node::Negative(Box::new(of)))
            }
            Some('+') => {
                self.position += 1;
                self.deeper(Self::signed)
            }
            _ => self.power(),
        }
    }

    fn power(&mut self) -> Result<Node, FormulaError> {
        let base = self.operand()?;
        match self.peek() {
            Some('^') => self.position += 1,
            Some('*') if self.next_is('*') => self.position += 2,
            _ => return Ok(base),
        }
        self.peek();
        let place = self.position;
        let exponent = self.deeper(Self::signed)?;
        match constant(&exponent) {
            Some(exponent) if exponent.is_finite() => Ok(Node::Power(Box::new(base), exponent)),
            _ => {
                self.position = place;
                Err(self.error("a number as the exponent"))
            }
        }
    }

    fn operand(&mut self) -> Result<Node, FormulaError> {
        match self.peek() {
            Some('(') => {
                self.position += 1;
                let inside = self.deeper(|parser| parser.operations(1))?;
                if self.peek() != Some(')') {
                    return Err(self.error("an operator + - * / ^ or `)`"));
                }
                self.position += 1;
                Ok(inside)
            }
            Some(c) if c.is_ascii_digit() || c == '.' => self.number(),
            Some(c) if c.is_alphabetic() || c == '_' => self.count(),
            _ => Err(self.error("a count, a number or `(`")),
        }
    }

    fn word(&self, belongs: impl Fn(char) -> bool) -> String {
        let rest = self.chars[self.position..].iter();
        rest.take_while(|c| belongs(**c)).collect()
    }

    fn number(&mut self) -> Result<Node, FormulaError> {
        let mut digits = self.word(|c| c.is_ascii_digit() || c == '.');
        let at = |k: usize| self.chars.get(self.position + k).copied().unwrap_or(' ');
        let n = digits.len();
        let sign = usize::from(matches!(at(n + 1), '+' | '-'));
        if matches!(at(n), 'e' | 'E') && at(n + 1 + sign).is_ascii_digit() {
            let rest = (n..).map(at).enumerate();
            let exponent = rest.take_while(|(k, c)| *k <= sign || c.is_ascii_digit());
            digits.extend(exponent.map(|(_, c)| c));
        }
        match digits.parse::<f64>() {
            Ok(number) if number.is_finite() => {
                self.position += digits.len();
                Ok(Node::Number(number))
            }
            _ => Err(self.error("a finite number such as 0.5 or 1e-3")),
        }
    }

    fn count(&mut self) -> Result<Node, FormulaError> {
        let word = self.word(|c| c.is_alphanumeric() || c == '_');
        let Some(term) = Term::ALL.iter().find(|term| term.name == word) else {
            let names: Vec<&str> = Term::ALL.iter().map(|term| term.name).collect();
            let expected = format!("a count, one of {}", names.join(", "));
            let found = format!("`{word}`");
            return Err(FormulaError::new(
                self.text,
                self.position,
                &expected,
                &found,
            ));
        };
        self.position += word.chars().count();
        if self.chars.get(self.position) != Some(&'.') {
            return Ok(Node::Count(*term));
        }
        self.position += 1;
        let name = self.word(|c| c.is_alphanumeric() || c == '_');
        if name.is_empty() {
            return Err(self.error("the name of a sum, as in DD.m"));
        }
        self.position += name.chars().count();
        Ok(Node::Sum(*term, name))
    }
}

/// The number that a tree without counts is.
fn constant(node: &Node) -> Option<f64> {
    Some(match node {
        Node::Number(number) => *number,
        Node::Count(_) | Node::Sum(..) => return None,
        Node::Negative(of) => -constant(of)?,
        Node::Power(of, exponent) => libm::pow(constant(of)?, *exponent),
        Node::Two(operation, left, right) => {
            let (left, right) = (constant(left)?, constant(right)?);
            match operation {
                Operation::Add => left + right,
                Operation::Subtract => left - right,
                Operation::Multiply => left * right,
                Operation::Divide => left / right,
            }
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn number(text: &str) -> f64 {
        constant(&tree(text).unwrap()).unwrap()
    }

    #[test]
    fn operations_bind_as_in_python() {
        for (text, expected) in [
            ("1 + 2*3 - 4/8", 6.5),
            ("2 - 3 - 4", -5.0),
            ("16/4/2", 2.0),
            ("-2^2", -4.0),
            ("2**3**2", 512.0),
            ("2^-1", 0.5),
            ("(1+2)*-3", -9.0),
            ("1.5e1 + .5 - 2E-1*10", 13.5),
            (" +3 ", 3.0),
        ] {
            assert_eq!(number(text), expected, "{text}");
        }
    }

    #[test]
    fn errors_point_at_the_place() {
        for (text, position, part) in [
            ("", 0, "expected a count, a number or `(`, found the end"),
            (
                "(DD - RR",
                8,
                "expected an operator + - * / ^ or `)`, found the end",
            ),
            (
                "DD RR",
                3,
                "expected an operator + - * / ^ or the end, found `R`",
            ),
            ("2DR", 1, "expected an operator"),
            (
                "DD/(RR - )",
                9,
                "expected a count, a number or `(`, found `)`",
            ),
            ("DD ^ DR", 5, "expected a number as the exponent, found `D`"),
            (
                "DD + dr",
                5,
                "expected a count, one of DD, DR, RD, DS, SD, SS, RR, D1D2, D1R2, R1D2, D1S2, S1D2, S1S2, R1R2, found `dr`",
            ),
            ("1.2.3*DD", 0, "expected a finite number"),
            ("1e999*DD", 0, "expected a finite number"),
            ("DD % RR", 3, "found `%`"),
            ("DD)", 2, "found `)`"),
            ("DD ^ (1/0)", 5, "a number as the exponent"),
        ] {
            let error = tree(text).unwrap_err();
            assert_eq!(error.position, position, "{text}: {error}");
            let shown = error.to_string();
            assert!(shown.contains(part), "{text}: {shown}");
            assert_eq!(
                shown.lines().last().unwrap().trim_end().len(),
                2 + position + 1
            );
        }
        assert!(tree(&format!("{}DD{}", "(".repeat(65), ")".repeat(65))).is_err());
        assert!(tree(&format!("{}DD{}", "(".repeat(63), ")".repeat(63))).is_ok());
        assert!(tree(&"DD+".repeat(300)).is_err());
    }
}
