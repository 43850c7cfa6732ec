//! Expressions as trees, and back as text that reads as the same tree.
//!
//! Entry: [`Node`]. It knows no columns of any file, and computes nothing.

use std::fmt;

use super::functions::Function;

/// An operation with where it stands.
#[derive(Debug, Clone)]
pub struct Node {
    /// Characters of the expression before it.
    pub at: usize,
    /// Nodes from here down to the lowest.
    pub(crate) depth: usize,
    /// Which operation.
    pub kind: Kind,
}

/// An operation, or what stands at the end of a branch.
#[derive(Debug, Clone, PartialEq)]
pub enum Kind {
    /// A whole number.
    Integer(i128),
    /// Any other number.
    Float(f64),
    /// A text.
    Text(String),
    /// `true` or `false`.
    Bool(bool),
    /// A column, by its name.
    Column(String),
    /// `-x`, `~x`, `!x`.
    Unary(Unary, Box<Node>),
    /// Arithmetic of two numbers.
    Binary(Binary, Box<Node>, Box<Node>),
    /// A comparison.
    Compare(Relation, Box<Node>, Box<Node>),
    /// `x in (1, 2)`.
    In(Box<Node>, Vec<Node>),
    /// `x is null`.
    IsNull(Box<Node>),
    /// `x like "O*"`.
    Like(Box<Node>, String),
    /// A function of numbers.
    Call(Function, Vec<Node>),
    /// Conditions joined by `&&`.
    All(Vec<Node>),
    /// Conditions joined by `||`.
    Any(Vec<Node>),
    /// A function of a larger language.
    Further(String, Vec<Node>),
    /// `x[0]` of a larger language.
    Component(Box<Node>, i128),
}

/// A sign.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Unary {
    /// `-`.
    Negate,
    /// `~`: all bits the other way.
    Complement,
    /// `!`.
    Not,
}

/// Arithmetic of two numbers, or of their bits.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Binary {
    /// `+`.
    Add,
    /// `-`.
    Subtract,
    /// `*`.
    Multiply,
    /// `/`.
    Divide,
    /// `%`.
    Remainder,
    /// `**`.
    Power,
    /// `&`.
    BitAnd,
    /// `|`.
    BitOr,
    /// `<<`.
    Left,
    /// `>>`.
    Right,
}

/// How two values compare.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Relation {
    /// `==`.
    Equal,
    /// `!=`.
    NotEqual,
    /// `<`.
    Less,
    /// `<=`.
    LessEqual,
    /// `>`.
    Greater,
    /// `>=`.
    GreaterEqual,
}

/// How tightly operators bind: the larger the tighter.
pub(super) mod binding {
    pub(in super::super) const ANY: u8 = 1;
    pub(in super::super) const ALL: u8 = 2;
    pub(in super::super) const NOT: u8 = 3;
    pub(in super::super) const COMPARE: u8 = 4;
    pub(in super::super) const BIT_OR: u8 = 5;
    pub(in super::super) const BIT_AND: u8 = 6;
    pub(in super::super) const SHIFT: u8 = 7;
    pub(in super::super) const ADD: u8 = 8;
    pub(in super::super) const MULTIPLY: u8 = 9;
    pub(in super::super) const UNARY: u8 = 10;
    pub(in super::super) const POWER: u8 = 11;
    pub(in super::super) const ATOM: u8 = 12;
}

/// Trees are equal wherever their parts stand in the text.
impl PartialEq for Node {
    fn eq(&self, other: &Self) -> bool {
        self.kind == other.kind
    }
}

impl Relation {
    pub(crate) fn sign(self) -> &'static str {
        match self {
            Self::Equal => "==",
            Self::NotEqual => "!=",
            Self::Less => "<",
            Self::LessEqual => "<=",
            Self::Greater => ">",
            Self::GreaterEqual => ">=",
        }
    }

    /// Whether text can be compared by it.
    pub fn is_equality(self) -> bool {
        matches!(self, Self::Equal | Self::NotEqual)
    }
}

impl Binary {
    /// What joins conditions in the place of one that joins bits.
    pub(super) fn of_conditions(self) -> String {
        let sign = self.sign();
        format!(
            "`{sign}{sign}` between conditions (`{sign}` joins bits, before anything is compared)"
        )
    }

    pub(super) fn sign(self) -> &'static str {
        match self {
            Self::Add => "+",
            Self::Subtract => "-",
            Self::Multiply => "*",
            Self::Divide => "/",
            Self::Remainder => "%",
            Self::Power => "**",
            Self::BitAnd => "&",
            Self::BitOr => "|",
            Self::Left => "<<",
            Self::Right => ">>",
        }
    }

    pub(super) fn binding(self) -> u8 {
        match self {
            Self::BitOr => binding::BIT_OR,
            Self::BitAnd => binding::BIT_AND,
            Self::Left | Self::Right => binding::SHIFT,
            Self::Add | Self::Subtract => binding::ADD,
            Self::Multiply | Self::Divide | Self::Remainder => binding::MULTIPLY,
            Self::Power => binding::POWER,
        }
    }
}

impl Node {
    /// An operation that stands behind so many characters.
    pub fn new(at: usize, kind: Kind) -> Self {
        let mut node = Self { at, depth: 0, kind };
        node.depth = 1 + node
            .parts()
            .iter()
            .map(|part| part.depth)
            .max()
            .unwrap_or(0);
        node
    }

    /// What it is made of, in the order of the text.
    pub fn parts(&self) -> Vec<&Self> {
        match &self.kind {
            Kind::Integer(_) | Kind::Float(_) | Kind::Text(_) | Kind::Bool(_) | Kind::Column(_) => {
                Vec::new()
            }
            Kind::Unary(_, part)
            | Kind::IsNull(part)
            | Kind::Like(part, _)
            | Kind::Component(part, _) => vec![part],
            Kind::Binary(_, left, right) | Kind::Compare(_, left, right) => vec![left, right],
            Kind::In(part, list) => std::iter::once(&**part).chain(list).collect(),
            Kind::Call(_, parts)
            | Kind::Further(_, parts)
            | Kind::All(parts)
            | Kind::Any(parts) => parts.iter().collect(),
        }
    }

    /// What `of` finds in it and below, each once, in the order of the text.
    fn found<'a>(&'a self, of: impl Fn(&'a Kind) -> Option<&'a str>) -> Vec<&'a str> {
        let mut names: Vec<&str> = Vec::new();
        let mut open = vec![self];
        while let Some(node) = open.pop() {
            if let Some(name) = of(&node.kind)
                && !names.contains(&name)
            {
                names.push(name);
            }
            open.extend(node.parts().into_iter().rev());
        }
        names
    }

    /// The columns of it, each once, in the order of the text.
    pub fn columns(&self) -> Vec<&str> {
        self.found(|kind| match kind {
            Kind::Column(name) => Some(name.as_str()),
            _ => None,
        })
    }

    /// The files that its functions read: the first text of each.
    pub(crate) fn files(&self) -> Vec<&str> {
        self.found(|kind| match kind {
            Kind::Call(function, parts) if function.texts(parts.len()) > 0 => {
                parts.first().and_then(|part| match &part.kind {
                    Kind::Text(file) => Some(file.as_str()),
                    _ => None,
                })
            }
            _ => None,
        })
    }

    fn binding(&self) -> u8 {
        match &self.kind {
            Kind::Any(_) => binding::ANY,
            Kind::All(_) => binding::ALL,
            Kind::Compare(..) | Kind::In(..) | Kind::IsNull(_) | Kind::Like(..) => binding::COMPARE,
            Kind::Binary(operator, ..) => operator.binding(),
            Kind::Unary(..) => binding::UNARY,
            Kind::Integer(value) if *value < 0 => binding::UNARY,
            Kind::Float(value) if value.is_sign_negative() => binding::UNARY,
            _ => binding::ATOM,
        }
    }

    /// Between parentheses where it binds less than that.
    fn write(&self, f: &mut fmt::Formatter<'_>, least: u8) -> fmt::Result {
        if self.binding() < least {
            write!(f, "({self})")
        } else {
            write!(f, "{self}")
        }
    }
}

/// Words that are no columns unless a table has such a column, or they stand between backquotes.
const WORDS: [&str; 13] = [
    "true", "false", "nan", "inf", "infinity", "pi", "not", "and", "or", "in", "is", "between",
    "null",
];

/// Whether a bare word may mean something other than a column.
fn is_reserved(name: &str) -> bool {
    WORDS.iter().any(|word| word.eq_ignore_ascii_case(name)) || Function::named(name).is_some()
}

/// Whether a name reads as a column without backquotes.
fn is_plain(name: &str) -> bool {
    let word = name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
    let starts = name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_');
    word && starts && !is_reserved(name)
}

/// A text as it reads: between the quotes that it has none of.
pub(super) fn quoted(text: &str) -> String {
    if text.contains('"') {
        format!("'{text}'")
    } else {
        format!("\"{text}\"")
    }
}

fn list(f: &mut fmt::Formatter<'_>, parts: &[Node]) -> fmt::Result {
    for (k, part) in parts.iter().enumerate() {
        f.write_str(if k == 0 { "" } else { ", " })?;
        part.write(f, 0)?;
    }
    Ok(())
}

impl fmt::Display for Node {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let joined = |f: &mut fmt::Formatter<'_>, parts: &[Self], sign: &str, least: u8| {
            for (k, part) in parts.iter().enumerate() {
                f.write_str(if k == 0 { "" } else { sign })?;
                part.write(f, least)?;
            }
            Ok(())
        };
        match &self.kind {
            Kind::Integer(value) => write!(f, "{value}"),
            Kind::Float(value) if value.is_nan() => f.write_str("nan"),
            Kind::Float(value) => write!(f, "{value:?}"),
            Kind::Text(text) => f.write_str(&quoted(text)),
            Kind::Bool(value) => write!(f, "{value}"),
            Kind::Column(name) if is_plain(name) => f.write_str(name),
            Kind::Column(name) => write!(f, "`{name}`"),
            Kind::Unary(operator, part) => {
                f.write_str(match operator {
                    Unary::Negate => "-",
                    Unary::Complement => "~",
                    Unary::Not => "!",
                })?;
                part.write(f, binding::UNARY)
            }
            Kind::Binary(operator, left, right) => {
                // Powers group to the right, and take signs there; all else to the left.
                let (before, after) = match operator {
                    Binary::Power => (binding::ATOM, binding::UNARY),
                    other => (other.binding(), other.binding() + 1),
                };
                left.write(f, before)?;
                write!(f, " {} ", operator.sign())?;
                right.write(f, after)
            }
            Kind::Compare(relation, left, right) => {
                left.write(f, binding::BIT_OR)?;
                write!(f, " {} ", relation.sign())?;
                right.write(f, binding::BIT_OR)
            }
            Kind::In(part, values) => {
                part.write(f, binding::BIT_OR)?;
                f.write_str(" in (")?;
                list(f, values)?;
                f.write_str(")")
            }
            Kind::IsNull(part) => {
                part.write(f, binding::BIT_OR)?;
                f.write_str(" is null")
            }
            Kind::Like(part, pattern) => {
                part.write(f, binding::BIT_OR)?;
                write!(f, " like {}", quoted(pattern))
            }
            Kind::Call(function, parts) => {
                write!(f, "{}(", function.name())?;
                list(f, parts)?;
                f.write_str(")")
            }
            Kind::Further(name, parts) => {
                write!(f, "{name}(")?;
                list(f, parts)?;
                f.write_str(")")
            }
            Kind::Component(part, component) => {
                part.write(f, binding::ATOM)?;
                write!(f, "[{component}]")
            }
            Kind::All(parts) => joined(f, parts, " && ", binding::NOT),
            Kind::Any(parts) => joined(f, parts, " || ", binding::ALL),
        }
    }
}
