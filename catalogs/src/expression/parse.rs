//! Text to trees: a parser by precedence climbing, of one pass over the characters.
//!
//! Entry: [`tree`]. Names of columns may hold `+`, `-` and `/`, as paths of HDF5 do: [`Names`] says how they differ from operators.

use super::error::ExpressionError;
use super::functions::{self, Function};
use super::tree::{Binary, Kind, Node, Relation, Unary, binding};
use crate::names::near;

/// Parentheses, signs and functions may nest this deep; the parser recurses.
const DEEPEST: usize = 64;
/// Operations may stand this deep in one another; what walks a tree recurses.
const TALLEST: usize = 256;

/// Where a name that is no plain word ends.
#[derive(Clone, Copy)]
pub(crate) enum Names<'a> {
    /// Before `+`, `-` and `/`.
    Words,
    /// Behind all that may stand in a name.
    Paths,
    /// Behind the longest of these columns, else before `+`, `-` and `/`.
    Of(&'a dyn Fn(&str) -> bool),
    /// Behind letters, digits, `_` and `.`: of a language with further functions, by their names and the least and most of their arguments.
    Further(&'a [(&'a str, usize, usize)]),
}

/// The tree of an expression.
pub(crate) fn tree(text: &str, names: Names<'_>) -> Result<Node, ExpressionError> {
    let mut parser = Parser {
        text,
        chars: text.chars().collect(),
        position: 0,
        depth: 0,
        names,
    };
    let node = parser.any()?;
    parser.skip_space();
    if parser.position < parser.chars.len() {
        return Err(parser.no_operator("an operator, `&&`, `||` or the end"));
    }
    Ok(node)
}

/// A text with the place that has been read up to.
pub(super) struct Parser<'a> {
    pub(super) text: &'a str,
    pub(super) chars: Vec<char>,
    pub(super) position: usize,
    depth: usize,
    pub(super) names: Names<'a>,
}

pub(super) type Parsed = Result<Node, ExpressionError>;

/// Operators between two operands, longer signs before those that they begin with.
const OPERATORS: [(&str, Binary); 9] = [
    ("<<", Binary::Left),
    (">>", Binary::Right),
    ("+", Binary::Add),
    ("-", Binary::Subtract),
    ("*", Binary::Multiply),
    ("/", Binary::Divide),
    ("%", Binary::Remainder),
    ("&", Binary::BitAnd),
    ("|", Binary::BitOr),
];

const RELATIONS: [(&str, Relation); 7] = [
    ("==", Relation::Equal),
    ("!=", Relation::NotEqual),
    ("<>", Relation::NotEqual),
    ("<=", Relation::LessEqual),
    (">=", Relation::GreaterEqual),
    ("<", Relation::Less),
    (">", Relation::Greater),
];

const OPERAND: &str = "a column name or `(`, a number or a quoted text";

impl Parser<'_> {
    fn any(&mut self) -> Parsed {
        let at = self.start();
        let mut parts = vec![self.all()?];
        while self.eat("||") || self.eat_word("or") {
            parts.push(self.all()?);
        }
        self.joined(at, parts, Kind::Any)
    }

    fn all(&mut self) -> Parsed {
        let at = self.start();
        let mut parts = vec![self.negation()?];
        while self.eat("&&") || self.eat_word("and") {
            parts.push(self.negation()?);
        }
        self.joined(at, parts, Kind::All)
    }

    /// Parts joined by one sign; those that are so joined themselves are the same list.
    fn joined(&self, at: usize, mut parts: Vec<Node>, join: fn(Vec<Node>) -> Kind) -> Parsed {
        if parts.len() == 1 {
            return Ok(parts.remove(0));
        }
        self.node(at, join(parts))
    }

    /// `not` of SQL and Python, which binds less than comparisons.
    fn negation(&mut self) -> Parsed {
        let at = self.start();
        if self.is_column_ahead() || !self.eat_word("not") {
            return self.comparison();
        }
        self.skip_space();
        if self.relation().is_some() {
            // A column of that name.
            self.position = at;
            return self.comparison();
        }
        let inner = self.nested(Self::negation)?;
        self.node(at, Kind::Unary(Unary::Not, Box::new(inner)))
    }

    fn comparison(&mut self) -> Parsed {
        let at = self.start();
        let left = self.operation(binding::BIT_OR)?;
        let Some(compared) = self.compared(at, left)? else {
            return Err(self.error("one of `==` `!=` `<` `<=` `>` `>=`"));
        };
        let end = self.position;
        if let Kind::Compare(.., right) = &compared.kind
            && self.relation().is_some()
        {
            self.position = end;
            if let Kind::Binary(operator @ (Binary::BitAnd | Binary::BitOr), ..) = right.kind {
                return Err(self.error(&operator.of_conditions()));
            }
            return Err(
                self.error("`&&`, `||` or the end (comparisons do not chain: a < b && b < c)")
            );
        }
        Ok(compared)
    }

    /// What a comparison makes of its left side; nothing where there is a lone `=`.
    fn compared(&mut self, at: usize, left: Node) -> Result<Option<Node>, ExpressionError> {
        self.skip_space();
        if let Some(relation) = self.relation() {
            let right_at = self.start();
            let right = self.operation(binding::BIT_OR)?;
            if !relation.is_equality() {
                for (at, side) in [(at, &left), (right_at, &right)] {
                    if let Kind::Text(_) = side.kind {
                        self.position = at;
                        return Err(self.error("a number (text is compared by `==` and `!=` only)"));
                    }
                }
            }
            let kind = Kind::Compare(relation, Box::new(left), Box::new(right));
            return self.node(at, kind).map(Some);
        }
        if self.peek() == Some('=') {
            return Ok(None);
        }
        if self.eat_word("is") {
            let negated = self.eat_word("not");
            if !self.eat_word("null") {
                return Err(self.error("`null` or `not null`"));
            }
            let node = self.node(at, Kind::IsNull(Box::new(left)))?;
            return self.unless(at, negated, node).map(Some);
        }
        let before = self.position;
        let negated = self.eat_word("not");
        let node = if self.eat_word("in") {
            let values = self.list()?;
            self.node(at, Kind::In(Box::new(left), values))?
        } else if self.eat_word("between") {
            self.between(at, &left)?
        } else if self.eat_word("like") {
            self.skip_space();
            if !matches!(self.peek(), Some('"' | '\'')) {
                return Err(self.error("a quoted pattern, such as \"H*\""));
            }
            let pattern = self.quoted("a quoted pattern")?;
            self.node(at, Kind::Like(Box::new(left), pattern))?
        } else {
            self.position = before;
            return Ok(Some(left));
        };
        self.unless(at, negated, node).map(Some)
    }

    fn unless(&self, at: usize, negated: bool, node: Node) -> Parsed {
        if negated {
            self.node(at, Kind::Unary(Unary::Not, Box::new(node)))
        } else {
            Ok(node)
        }
    }

    /// `x between a and b`, ends included: `x >= a && x <= b`.
    fn between(&mut self, at: usize, left: &Node) -> Parsed {
        let least = self.operation(binding::BIT_OR)?;
        if !self.eat_word("and") {
            return Err(self.error("`and` with the upper end"));
        }
        let most = self.operation(binding::BIT_OR)?;
        let side = |relation, end| {
            self.node(
                at,
                Kind::Compare(relation, Box::new(left.clone()), Box::new(end)),
            )
        };
        let sides = vec![
            side(Relation::GreaterEqual, least)?,
            side(Relation::LessEqual, most)?,
        ];
        self.node(at, Kind::All(sides))
    }

    fn relation(&mut self) -> Option<Relation> {
        let found = RELATIONS.iter().find(|(sign, _)| self.ahead(sign))?;
        self.position += found.0.len();
        Some(found.1)
    }

    /// Operators that bind at least so tightly, grouped to the left.
    fn operation(&mut self, least: u8) -> Parsed {
        let at = self.start();
        let mut left = self.signed()?;
        while let Some(operator) = self.operator(least) {
            let right = self.operation(operator.binding() + 1)?;
            left = self.node(at, Kind::Binary(operator, Box::new(left), Box::new(right)))?;
        }
        Ok(left)
    }

    fn operator(&mut self, least: u8) -> Option<Binary> {
        self.skip_space();
        if self.ahead("&&") || self.ahead("||") {
            return None;
        }
        let found = OPERATORS.iter().find(|(sign, _)| self.ahead(sign))?;
        if found.1.binding() < least {
            return None;
        }
        self.position += found.0.len();
        Some(found.1)
    }

    fn signed(&mut self) -> Parsed {
        let at = self.start();
        if self.eat("+") {
            return self.nested(Self::signed);
        }
        let operator = match self.peek() {
            Some('-') => Unary::Negate,
            Some('~') => Unary::Complement,
            Some('!') => Unary::Not,
            _ => return self.power(),
        };
        self.position += 1;
        let inner = self.nested(Self::signed)?;
        // A sign before digits is part of the number.
        let kind = match (operator, &inner.kind) {
            (Unary::Negate, Kind::Integer(value)) => Kind::Integer(-value),
            (Unary::Negate, Kind::Float(value)) => Kind::Float(-value),
            _ => Kind::Unary(operator, Box::new(inner)),
        };
        self.node(at, kind)
    }

    fn power(&mut self) -> Parsed {
        let at = self.start();
        let base = self.operand()?;
        let base = self.component(at, base)?;
        if !self.eat("**") {
            return Ok(base);
        }
        let exponent = self.nested(Self::signed)?;
        self.node(
            at,
            Kind::Binary(Binary::Power, Box::new(base), Box::new(exponent)),
        )
    }

    /// `x[0]`, in languages with vectors.
    fn component(&mut self, at: usize, of: Node) -> Parsed {
        if !matches!(self.names, Names::Further(_)) || !self.eat("[") {
            return Ok(of);
        }
        let begin = self.start();
        let inside = self.number()?;
        let Kind::Integer(component) = inside.kind else {
            self.position = begin;
            return Err(self.error("the number of a component, from 0"));
        };
        if !self.eat("]") {
            return Err(self.error("`]`"));
        }
        self.node(at, Kind::Component(Box::new(of), component))
    }

    fn operand(&mut self) -> Parsed {
        let at = self.start();
        match self.peek() {
            Some('(') => {
                self.position += 1;
                let inside = self.nested(Self::any)?;
                if self.eat(")") {
                    return Ok(inside);
                }
                Err(self.no_operator("`)`, `&&` or `||`"))
            }
            Some('"' | '\'') => {
                let text = self.quoted("a quoted text")?;
                self.node(at, Kind::Text(text))
            }
            Some('`') => {
                let name = self.quoted("a column name between backquotes")?;
                self.node(at, Kind::Column(name))
            }
            Some(c) if c.is_ascii_digit() || c == '.' => self.number(),
            Some(c) if c.is_alphabetic() || c == '_' || c == '/' => self.word(),
            _ => Err(self.error(OPERAND)),
        }
    }

    /// A column, a function or a constant.
    fn word(&mut self) -> Parsed {
        let at = self.position;
        let (name, known) = self.name();
        if name.is_empty() {
            return Err(self.error(OPERAND));
        }
        self.position += name.chars().count();
        if known {
            return self.node(at, Kind::Column(name));
        }
        if name.ends_with('.') && self.peek() == Some('`') {
            let quoted = self.quoted("a column name between backquotes")?;
            return self.node(at, Kind::Column(format!("{name}`{quoted}`")));
        }
        let behind = self.position;
        if self.eat("(") {
            return self.call(at, &name);
        }
        self.position = behind;
        let kind = match name.to_ascii_lowercase().as_str() {
            "true" => Kind::Bool(true),
            "false" => Kind::Bool(false),
            "nan" => Kind::Float(f64::NAN),
            "inf" | "infinity" => Kind::Float(f64::INFINITY),
            "pi" => Kind::Float(std::f64::consts::PI),
            _ => Kind::Column(name),
        };
        self.node(at, kind)
    }

    /// The arguments of a function, behind `(`.
    fn call(&mut self, at: usize, name: &str) -> Parsed {
        let function = Function::named(name);
        let further = match self.names {
            Names::Further(functions) => functions.iter().find(|(known, ..)| *known == name),
            _ => None,
        };
        if function.is_none() && further.is_none() {
            self.position = at;
            return Err(self.error(&self.functions(name)));
        }
        let mut arguments = vec![self.nested(Self::any)?];
        while self.eat(",") {
            arguments.push(self.nested(Self::any)?);
        }
        if !self.eat(")") {
            return Err(self.error("`,`, an operator or `)`"));
        }
        let of_function = function.map_or((0, 0), Function::arguments);
        let (least, most) = further.map_or(of_function, |&(_, least, most)| (least, most));
        if (least..=most).contains(&arguments.len()) {
            let kind = match (further, function) {
                (None, Some(function)) => Kind::Call(function, arguments),
                _ => Kind::Further(name.to_owned(), arguments),
            };
            return self.node(at, kind);
        }
        self.position = at;
        let many = match (least, most) {
            (1, 1) => "1 argument".to_owned(),
            (n, m) if n == m => format!("{n} arguments"),
            (n, m) => format!("{n} to {m} arguments"),
        };
        Err(self.error(&format!("{name} with {many} (not {})", arguments.len())))
    }

    /// What may stand in the place of an unknown function.
    fn functions(&self, name: &str) -> String {
        let Names::Further(further) = self.names else {
            return format!("a column or a function ({})", functions::names());
        };
        let own = further.iter().map(|(name, ..)| (*name).to_owned());
        let all: Vec<String> = own.chain(functions::all().map(str::to_owned)).collect();
        match near(name, &all) {
            close if close.is_empty() => format!("a function ({})", all.join(", ")),
            close => format!("a function such as {}", close.join(" or ")),
        }
    }

    /// `(1, 2, 3)`.
    fn list(&mut self) -> Result<Vec<Node>, ExpressionError> {
        if !self.eat("(") {
            return Err(self.error("`(` with the values, separated by commas"));
        }
        let mut values = vec![self.nested(|parser| parser.operation(binding::BIT_OR))?];
        while self.eat(",") {
            values.push(self.nested(|parser| parser.operation(binding::BIT_OR))?);
        }
        if self.eat(")") {
            return Ok(values);
        }
        Err(self.error("`,` or `)`"))
    }

    /// Whether what comes is known to be a column, even if it has another meaning too.
    fn is_column_ahead(&self) -> bool {
        self.peek().is_some_and(|c| c.is_alphabetic() || c == '_') && self.name().1
    }

    /// The node, if it is not too far from its lowest part.
    pub(super) fn node(&self, at: usize, kind: Kind) -> Parsed {
        let node = Node::new(at, kind);
        if node.depth > TALLEST {
            return Err(self.error("fewer operations in one another"));
        }
        Ok(node)
    }

    fn nested(&mut self, parse: impl FnOnce(&mut Self) -> Parsed) -> Parsed {
        self.depth += 1;
        if self.depth > DEEPEST {
            return Err(self.error("fewer nested parentheses"));
        }
        let node = parse(self)?;
        self.depth -= 1;
        Ok(node)
    }
}
