//! Trees of texts to numbers and vectors: names become columns, parts of the pair and what `--let` names.
//!
//! Entry: [`Reader`]. What is computed for a pair is checked here; bounds and the line of sight are not known yet.

use std::collections::HashMap;

use albireo::tally::End;
use albireo_catalogs::trees::{Binary, Function, Kind, Node, Unary, parsed};
use albireo_catalogs::{did_you_mean, near};

use crate::column::ObjectColumn;
use crate::error::PairSumError;
use crate::graph::{Atom, Graph, Id, Of, Shape};

/// Functions that `--where` does not have, with the least and the most of their arguments.
pub(crate) const FUNCTIONS: [(&str, usize, usize); 16] = [
    ("vec", 3, 3),
    ("dot", 2, 2),
    ("cross", 2, 2),
    ("norm", 1, 1),
    ("radial", 1, 1),
    ("where", 3, 3),
    ("mean", 1, 1),
    ("std", 1, 1),
    ("L1", 1, 1),
    ("L2", 1, 1),
    ("L3", 1, 1),
    ("L4", 1, 1),
    ("L5", 1, 1),
    ("L6", 1, 1),
    ("L7", 1, 1),
    ("L8", 1, 1),
];

/// What the separation of a pair has.
const PAIR_WORDS: [&str; 11] = [
    "d", "r2", "r", "rhat", "los", "dlos", "rp", "mu", "cos2phi", "sin2phi", "theta",
];

/// Functions of numbers that pairs have.
const ON_PAIRS: [&str; 6] = ["abs", "sqrt", "min", "max", "floor", "ceil"];

/// A number, or three.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Quantity {
    Number(Id),
    Vector([Id; 3]),
}

/// A part that texts name.
#[derive(Debug, Clone)]
pub(crate) struct Let {
    pub(crate) name: String,
    pub(crate) tree: Node,
    pub(crate) text: usize,
}

/// What names mean beside columns.
#[derive(Default)]
pub(crate) struct Scope {
    pub(crate) lets: Vec<Let>,
    /// The arguments of a form, by its parameters, each with the text that it stands in.
    pub(crate) parameters: Vec<Let>,
}

/// Reads trees into a graph.
pub(crate) struct Reader<'a> {
    pub(crate) graph: &'a mut Graph,
    pub(crate) width: &'a dyn Fn(&str) -> usize,
    scope: &'a Scope,
    made: HashMap<String, Quantity>,
    open: Vec<String>,
    /// The text that is read.
    text: usize,
    /// Whose columns have no prefix: those of a form's arguments.
    bare: Option<End>,
}

type Read<T> = Result<T, PairSumError>;

/// The tree of a text.
pub(crate) fn tree(text: &str) -> Read<Node> {
    Ok(parsed(text, &FUNCTIONS)?)
}

/// Whether a word means something in every expression.
pub(crate) fn is_taken(word: &str) -> bool {
    PAIR_WORDS.contains(&word) || FUNCTIONS.iter().any(|(name, ..)| *name == word)
}

fn components<T>(of: impl Fn(usize) -> T) -> [T; 3] {
    [of(0), of(1), of(2)]
}

impl<'a> Reader<'a> {
    pub(crate) fn new(
        graph: &'a mut Graph,
        width: &'a dyn Fn(&str) -> usize,
        scope: &'a Scope,
        text: usize,
    ) -> Self {
        Self {
            graph,
            width,
            scope,
            made: HashMap::new(),
            open: vec![],
            text,
            bare: None,
        }
    }

    fn error(&self, at: usize, message: impl Into<String>) -> PairSumError {
        PairSumError::at(&self.graph.texts[self.text], at, message)
    }

    /// The number that a tree is.
    pub(crate) fn number(&mut self, node: &Node) -> Read<Id> {
        match self.quantity(node)? {
            Quantity::Number(id) => Ok(id),
            Quantity::Vector(_) => Err(self.error(
                node.at,
                "expected a number, found a vector: take norm(..), dot(..), radial(..) or a component such as [0] of it",
            )),
        }
    }

    fn vector(&mut self, node: &Node) -> Read<[Id; 3]> {
        match self.quantity(node)? {
            Quantity::Vector(parts) => Ok(parts),
            Quantity::Number(_) => Err(self.error(
                node.at,
                "expected a vector, found a number: vec(a, b, c) makes one of three numbers",
            )),
        }
    }

    fn numbers(&mut self, nodes: &[Node]) -> Read<Vec<Id>> {
        nodes.iter().map(|node| self.number(node)).collect()
    }

    /// The item, if it is one of a single object or pairs have its operation.
    fn item(&mut self, at: usize, shape: Shape, parts: Vec<Id>) -> Read<Id> {
        let is_text = |id: &Id| matches!(self.graph.get(*id).shape, Shape::Text(_));
        let refused = match &shape {
            Shape::Binary(_) | Shape::Unary(_) | Shape::Call(_) | Shape::Compare(_) if parts.iter().any(is_text) => {
                Some("expected a number, found text (texts are compared with columns, or columns with each other)".to_owned())
            }
            Shape::Binary(Binary::Power) if !self.has_power(parts[1]) => {
                Some("powers of a pair's quantity: expected a whole number from -8 to 8, or 0.5, behind `**`".to_owned())
            }
            shape => refused_on_pairs(shape),
        };
        let id = self.graph.item(shape, parts, self.text, at);
        let is_one = self.graph.is_of_one(id);
        match refused {
            Some(message) if !is_one => Err(self.error(at, message)),
            _ => Ok(id),
        }
    }

    /// Whether pairs have powers with this exponent.
    fn has_power(&self, exponent: Id) -> bool {
        match self.graph.get(exponent).shape {
            Shape::Integer(n) => (-8..=8).contains(&n),
            Shape::Float(value) => value == 0.5,
            _ => false,
        }
    }

    fn quantity(&mut self, node: &Node) -> Read<Quantity> {
        let at = node.at;
        let number =
            |reader: &mut Self, shape, parts| reader.item(at, shape, parts).map(Quantity::Number);
        match &node.kind {
            Kind::Integer(value) => number(self, Shape::Integer(*value), vec![]),
            Kind::Float(value) if !value.is_finite() => {
                Err(self.error(at, format!("expected a finite number, found {value}")))
            }
            Kind::Float(value) => number(self, Shape::Float(*value), vec![]),
            Kind::Text(text) => number(self, Shape::Text(text.clone()), vec![]),
            Kind::Bool(value) => number(self, Shape::Bool(*value), vec![]),
            Kind::Column(name) => self.name(at, name),
            Kind::Unary(Unary::Negate, part) => match self.quantity(part)? {
                Quantity::Number(id) => number(self, Shape::Unary(Unary::Negate), vec![id]),
                Quantity::Vector(u) => self.each(at, &Shape::Unary(Unary::Negate), |k| vec![u[k]]),
            },
            Kind::Unary(operator, part) => {
                let part = self.number(part)?;
                number(self, Shape::Unary(*operator), vec![part])
            }
            Kind::Binary(operator, left, right) => self.binary(at, *operator, left, right),
            Kind::Compare(relation, left, right) => {
                let parts = vec![self.number(left)?, self.number(right)?];
                number(self, Shape::Compare(*relation), parts)
            }
            Kind::In(part, values) => {
                let mut parts = vec![self.number(part)?];
                parts.extend(self.numbers(values)?);
                number(self, Shape::In, parts)
            }
            Kind::IsNull(part) => {
                let part = self.number(part)?;
                number(self, Shape::IsNull, vec![part])
            }
            Kind::Like(part, pattern) => {
                let part = self.number(part)?;
                number(self, Shape::Like(pattern.clone()), vec![part])
            }
            Kind::Call(function, parts) => {
                let parts = self.numbers(parts)?;
                number(self, Shape::Call(*function), parts)
            }
            Kind::All(parts) => {
                let parts = self.numbers(parts)?;
                number(self, Shape::All, parts)
            }
            Kind::Any(parts) => {
                let parts = self.numbers(parts)?;
                number(self, Shape::Any, parts)
            }
            Kind::Further(name, parts) => self.further(at, name, parts),
            Kind::Component(of, component) => self.component(at, of, *component),
        }
    }

    /// The same operation on each component.
    fn each(
        &mut self,
        at: usize,
        shape: &Shape,
        parts: impl Fn(usize) -> Vec<Id>,
    ) -> Read<Quantity> {
        let [a, b, c] = components(parts);
        let mut item = |parts| self.item(at, shape.clone(), parts);
        Ok(Quantity::Vector([item(a)?, item(b)?, item(c)?]))
    }

    fn binary(&mut self, at: usize, operator: Binary, left: &Node, right: &Node) -> Read<Quantity> {
        let shape = Shape::Binary(operator);
        match (self.quantity(left)?, operator, self.quantity(right)?) {
            (Quantity::Number(a), _, Quantity::Number(b)) => Ok(Quantity::Number(self.item(at, shape, vec![a, b])?)),
            (Quantity::Vector(u), Binary::Add | Binary::Subtract, Quantity::Vector(v)) => self.each(at, &shape, |k| vec![u[k], v[k]]),
            (Quantity::Vector(u), Binary::Multiply | Binary::Divide, Quantity::Number(a)) => self.each(at, &shape, |k| vec![u[k], a]),
            (Quantity::Number(a), Binary::Multiply, Quantity::Vector(v)) => self.each(at, &shape, |k| vec![a, v[k]]),
            (Quantity::Vector(_), Binary::Multiply, Quantity::Vector(_)) => {
                Err(self.error(at, "two vectors are multiplied by dot(u, v) or cross(u, v), not by `*`"))
            }
            (Quantity::Vector(_), Binary::Add | Binary::Subtract, _) | (_, Binary::Add | Binary::Subtract, Quantity::Vector(_)) => {
                Err(self.error(at, "a vector and a number cannot be added: write vec(a, b, c) for three numbers"))
            }
            _ => Err(self.error(at, "expected numbers here, found a vector: take norm(..) or a component such as [0] of it")),
        }
    }

    fn further(&mut self, at: usize, name: &str, parts: &[Node]) -> Read<Quantity> {
        if let Some(degree) = name.strip_prefix('L').and_then(|l| l.parse().ok()) {
            return match &parts[0].kind {
                Kind::Column(word) if word == "mu" => self.atom(at, Atom::Legendre(degree)),
                _ => Err(self.error(
                    parts[0].at,
                    format!("{name} is a Legendre polynomial of mu alone: write {name}(mu)"),
                )),
            };
        }
        let number = |id: Read<Id>| id.map(Quantity::Number);
        match name {
            "vec" => {
                let parts = self.numbers(parts)?;
                Ok(Quantity::Vector(components(|k| parts[k])))
            }
            "dot" => {
                let (u, v) = (self.vector(&parts[0])?, self.vector(&parts[1])?);
                number(self.dot(at, u, v))
            }
            "norm" => {
                let u = self.vector(&parts[0])?;
                let squares = self.dot(at, u, u)?;
                let root = Function::named("sqrt").map(Shape::Call);
                let root = root.ok_or_else(|| self.error(at, "expected a function, found norm"))?;
                number(self.item(at, root, vec![squares]))
            }
            "cross" => {
                let (u, v) = (self.vector(&parts[0])?, self.vector(&parts[1])?);
                self.cross(at, u, v)
            }
            "radial" => {
                let u = self.vector(&parts[0])?;
                number(self.item(at, Shape::Radial, u.to_vec()))
            }
            "where" => {
                let parts = self.numbers(parts)?;
                number(self.item(at, Shape::Choose, parts))
            }
            _ => self.of_sample(at, name, &parts[0]),
        }
    }

    /// `mean(i.X)` and `std(i.X)`.
    fn of_sample(&mut self, at: usize, name: &str, part: &Node) -> Read<Quantity> {
        let shape = if name == "mean" {
            Shape::Mean
        } else {
            Shape::Deviation
        };
        let quantity = self.quantity(part)?;
        let parts = match &quantity {
            Quantity::Number(id) => std::slice::from_ref(id),
            Quantity::Vector(ids) => ids,
        };
        if !parts
            .iter()
            .all(|id| matches!(self.graph.of(*id), Of::Object(_)))
        {
            return Err(self.error(
                part.at,
                format!("{name} takes a quantity of one object, such as {name}(i.mark)"),
            ));
        }
        match quantity {
            Quantity::Number(id) => Ok(Quantity::Number(self.item(at, shape, vec![id])?)),
            Quantity::Vector(u) => self.each(at, &shape, |k| vec![u[k]]),
        }
    }

    fn cross(&mut self, at: usize, u: [Id; 3], v: [Id; 3]) -> Read<Quantity> {
        let mut made = [u[0]; 3];
        for (k, made) in made.iter_mut().enumerate() {
            let (a, b) = ((k + 1) % 3, (k + 2) % 3);
            let times = Shape::Binary(Binary::Multiply);
            let one = self.item(at, times.clone(), vec![u[a], v[b]])?;
            let other = self.item(at, times, vec![u[b], v[a]])?;
            *made = self.item(at, Shape::Binary(Binary::Subtract), vec![one, other])?;
        }
        Ok(Quantity::Vector(made))
    }

    /// `(x*x' + y*y') + z*z'`, of one object in the words of `--where`.
    fn dot(&mut self, at: usize, u: [Id; 3], v: [Id; 3]) -> Read<Id> {
        let all: Vec<Id> = u.into_iter().chain(v).collect();
        let id = self.item(at, Shape::Dot, all.clone())?;
        let is_one = matches!(self.graph.of(id), Of::Object(_))
            && all.iter().all(|part| self.graph.is_of_one(*part));
        if !is_one {
            return Ok(id);
        }
        let mut product =
            |k: usize| self.item(at, Shape::Binary(Binary::Multiply), vec![u[k], v[k]]);
        let [x, y, z] = [product(0)?, product(1)?, product(2)?];
        let sum = self.item(at, Shape::Binary(Binary::Add), vec![x, y])?;
        self.item(at, Shape::Binary(Binary::Add), vec![sum, z])
    }

    fn component(&mut self, at: usize, of: &Node, component: i128) -> Read<Quantity> {
        if let Kind::Column(name) = &of.kind
            && let Some((end, column)) = self.plain_column(name)
        {
            return self.column(at, end, &format!("{column}[{component}]"));
        }
        let vector = self.vector(of)?;
        let found = usize::try_from(component).ok().and_then(|k| vector.get(k));
        match found {
            Some(id) => Ok(Quantity::Number(*id)),
            None => Err(self.error(
                at,
                format!("a vector has the components 0, 1 and 2, found {component}"),
            )),
        }
    }

    fn atom(&mut self, at: usize, atom: Atom) -> Read<Quantity> {
        self.item(at, Shape::Atom(atom), vec![])
            .map(Quantity::Number)
    }

    fn atoms(&mut self, at: usize, atom: fn(u8) -> Atom) -> Read<Quantity> {
        let mut item = |k| self.item(at, Shape::Atom(atom(k)), vec![]);
        Ok(Quantity::Vector([item(0)?, item(1)?, item(2)?]))
    }

    fn builtin(&mut self, at: usize, end: End, column: fn(u8) -> ObjectColumn) -> Read<Quantity> {
        let mut item = |k| self.item(at, Shape::Builtin(end, column(k)), vec![]);
        Ok(Quantity::Vector([item(0)?, item(1)?, item(2)?]))
    }

    /// The column of an object that a name means, if it means nothing else.
    fn plain_column<'n>(&self, name: &'n str) -> Option<(End, &'n str)> {
        let (end, name) = match (prefixed(name), self.bare) {
            (None, Some(end)) => (end, name),
            (Some((end, rest)), None) => (end, rest),
            _ => return None,
        };
        if let Some(quoted) = unquoted(name) {
            return Some((end, quoted));
        }
        let is_builtin = self.bare.is_none()
            && ["pos", "n", "east", "north", "w", "cos2phi", "sin2phi"].contains(&name);
        let is_parameter = self.bare.is_none()
            && self
                .scope
                .parameters
                .iter()
                .any(|parameter| parameter.name == name);
        (!is_builtin && !is_parameter).then_some((end, name))
    }

    fn column(&mut self, at: usize, end: End, name: &str) -> Read<Quantity> {
        if (self.width)(name) == 3 {
            let mut item = |k| self.item(at, Shape::Column(end, format!("{name}[{k}]")), vec![]);
            return Ok(Quantity::Vector([item(0)?, item(1)?, item(2)?]));
        }
        self.item(at, Shape::Column(end, name.to_owned()), vec![])
            .map(Quantity::Number)
    }

    fn name(&mut self, at: usize, name: &str) -> Read<Quantity> {
        if let Some((end, column)) = self.plain_column(name) {
            return self.column(at, end, column);
        }
        let Some((end, name)) = prefixed(name) else {
            return self.word(at, name);
        };
        if self.bare.is_some() {
            return Err(self.error(at, "the columns of a form have no prefix: it says itself which object they are taken of"));
        }
        if let Some(parameter) = self
            .scope
            .parameters
            .iter()
            .find(|parameter| parameter.name == name)
        {
            let text = std::mem::replace(&mut self.text, parameter.text);
            self.bare = Some(end);
            let read = self.quantity(&parameter.tree);
            self.bare = None;
            self.text = text;
            return read;
        }
        match name {
            "pos" => self.builtin(at, end, ObjectColumn::Position),
            "n" => self.builtin(at, end, ObjectColumn::Direction),
            "east" => self.builtin(at, end, ObjectColumn::East),
            "north" => self.builtin(at, end, ObjectColumn::North),
            "cos2phi" => self.atom(at, Atom::Cos2Phi(Some(end))),
            "sin2phi" => self.atom(at, Atom::Sin2Phi(Some(end))),
            _ => self
                .item(at, Shape::Builtin(end, ObjectColumn::Weight), vec![])
                .map(Quantity::Number),
        }
    }

    /// A word without a prefix: what `--let` names, or something of the pair.
    fn word(&mut self, at: usize, name: &str) -> Read<Quantity> {
        let scope = self.scope;
        if let Some(part) = scope.lets.iter().find(|part| part.name == name) {
            return self.part(at, part);
        }
        let atom = match name {
            "d" => return self.atoms(at, Atom::D),
            "rhat" => return self.atoms(at, Atom::Rhat),
            "los" => return self.atoms(at, Atom::Los),
            "r2" => Atom::R2,
            "r" => Atom::R,
            "dlos" => Atom::Dlos,
            "rp" => Atom::Rp,
            "mu" => Atom::Mu,
            "cos2phi" => Atom::Cos2Phi(None),
            "sin2phi" => Atom::Sin2Phi(None),
            "theta" => {
                let message = "theta is not available in expressions: of pairs on the sky r is the chord, 2*sin(theta/2)";
                return Err(self.error(at, message));
            }
            _ => {
                let lets = scope.lets.iter().map(|part| part.name.clone());
                let words: Vec<String> = PAIR_WORDS
                    .iter()
                    .map(|word| (*word).to_owned())
                    .chain(lets)
                    .collect();
                let close = if near(name, &words).is_empty() {
                    String::new()
                } else {
                    did_you_mean(name, &words)
                };
                let column = unquoted(name).unwrap_or(name);
                let message = format!(
                    "a column of which object? Write i.{column} or j.{column}, of the first or the second of the pair{close}"
                );
                return Err(self.error(at, message));
            }
        };
        self.atom(at, atom)
    }

    fn part(&mut self, at: usize, part: &Let) -> Read<Quantity> {
        if let Some(made) = self.made.get(&part.name) {
            return Ok(*made);
        }
        if self.open.contains(&part.name) {
            return Err(self.error(
                at,
                format!("{} is made of itself: {}", part.name, self.open.join(", ")),
            ));
        }
        self.open.push(part.name.clone());
        let text = std::mem::replace(&mut self.text, part.text);
        let made = self.quantity(&part.tree)?;
        self.text = text;
        self.open.pop();
        self.made.insert(part.name.clone(), made);
        Ok(made)
    }
}

/// The object and the rest of a name with a prefix.
fn prefixed(name: &str) -> Option<(End, &str)> {
    match name.split_once('.')? {
        ("i", rest) => Some((End::First, rest)),
        ("j", rest) => Some((End::Second, rest)),
        _ => None,
    }
}

fn unquoted(name: &str) -> Option<&str> {
    name.strip_prefix('`')?.strip_suffix('`')
}

/// Why pairs do not have an operation, if they do not.
fn refused_on_pairs(shape: &Shape) -> Option<String> {
    let what = match shape {
        Shape::Call(function) if ON_PAIRS.contains(&function.name()) => return None,
        Shape::Call(function) => {
            let name = function.name();
            return Some(format!(
                "{name} of a pair's quantity: use cos2phi, mu, or a column of one object ({name} takes numbers of one object alone)"
            ));
        }
        Shape::Binary(Binary::Remainder) => "`%`",
        Shape::Binary(Binary::BitAnd | Binary::BitOr | Binary::Left | Binary::Right)
        | Shape::Unary(Unary::Complement) => "operations on bits",
        Shape::In => "`in`",
        Shape::IsNull => "`is null`",
        Shape::Like(_) => "`like`",
        _ => return None,
    };
    Some(format!(
        "{what} of a pair's quantity: expected numbers of one object alone"
    ))
}
