//! Trees of texts to numbers and vectors: names become columns, parts of the pair and what `--let` names.
//!
//! Entry: [`Reader`], whose names `names.rs` has. What is computed for a pair is checked here; bounds and the line of sight are not known yet.

use std::collections::HashMap;

use albireo::tally::End;
use albireo_catalogs::trees::{Binary, Function, Kind, Node, Unary, parsed};

use crate::bessel::Order;
use crate::error::PairSumError;
use crate::graph::{Atom, Graph, Id, Of, Shape};

/// Functions that `--where` does not have, with the least and the most of their arguments.
pub(crate) const FUNCTIONS: [(&str, usize, usize); 19] = [
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
    ("j0", 1, 1),
    ("j2", 1, 1),
    ("j4", 1, 1),
];

/// What the separation of a pair has.
pub(crate) const PAIR_WORDS: [&str; 11] = [
    "d", "r2", "r", "rhat", "los", "dlos", "rp", "mu", "cos2phi", "sin2phi", "theta",
];

/// Operations may stand this deep in one another, parts that are named among them; what walks them recurses.
const DEEPEST: usize = 512;

const NO_NUMBER: &str = "expected a number, found a vector: take norm(..), dot(..), radial(..) or a component such as [0] of it";
const NO_VECTOR: &str =
    "expected a vector, found a number: vec(a, b, c) makes one of three numbers";
const TEXT: &str =
    "expected a number, found text (columns are compared with texts and with each other)";
const POWERS: &str =
    "powers of a pair's quantity: expected a whole number from -8 to 8, or 0.5, behind `**`";

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
    /// Whether there are no columns, but for the words of the separation.
    pub(crate) separation_alone: bool,
}

/// Reads trees into a graph.
pub(crate) struct Reader<'a> {
    pub(crate) graph: &'a mut Graph,
    pub(crate) width: &'a dyn Fn(&str) -> usize,
    pub(crate) scope: &'a Scope,
    pub(crate) made: HashMap<String, Quantity>,
    pub(crate) open: Vec<String>,
    /// The text that is read.
    pub(crate) text: usize,
    /// Whose columns have no prefix: those of a form's arguments.
    pub(crate) bare: Option<End>,
    depth: usize,
}

pub(crate) type Read<T> = Result<T, PairSumError>;

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
            depth: 0,
        }
    }

    pub(crate) fn error(&self, at: usize, message: impl Into<String>) -> PairSumError {
        PairSumError::at(&self.graph.texts[self.text], at, message)
    }

    /// The number that a tree is.
    pub(crate) fn number(&mut self, node: &Node) -> Read<Id> {
        match self.quantity(node)? {
            Quantity::Number(id) => Ok(id),
            Quantity::Vector(_) => Err(self.error(node.at, NO_NUMBER)),
        }
    }

    pub(crate) fn vector(&mut self, node: &Node) -> Read<[Id; 3]> {
        match self.quantity(node)? {
            Quantity::Vector(parts) => Ok(parts),
            Quantity::Number(_) => Err(self.error(node.at, NO_VECTOR)),
        }
    }

    fn numbers(&mut self, nodes: &[Node]) -> Read<Vec<Id>> {
        nodes.iter().map(|node| self.number(node)).collect()
    }

    /// The item, if it is one of a single object or pairs have its operation.
    pub(crate) fn item(&mut self, at: usize, shape: Shape, parts: Vec<Id>) -> Read<Id> {
        let is_text = |id: &Id| matches!(self.graph.get(*id).shape, Shape::Text(_));
        let is_number = matches!(
            shape,
            Shape::Binary(_) | Shape::Unary(_) | Shape::Call(_) | Shape::Compare(_)
        );
        let refused = match &shape {
            _ if is_number && parts.iter().any(is_text) => Some(TEXT.to_owned()),
            Shape::Binary(Binary::Power) if !self.has_power(parts[1]) => Some(POWERS.to_owned()),
            shape => refused_on_pairs(shape),
        };
        let id = self.graph.item(shape, parts, self.text, at);
        if self.graph.depth(id) > DEEPEST {
            return Err(self.error(at, "fewer operations in one another"));
        }
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

    pub(crate) fn quantity(&mut self, node: &Node) -> Read<Quantity> {
        if self.depth == DEEPEST {
            return Err(self.error(node.at, "fewer operations in one another"));
        }
        self.depth += 1;
        let made = self.operation(node);
        self.depth -= 1;
        made
    }

    fn operation(&mut self, node: &Node) -> Read<Quantity> {
        let at = node.at;
        let shape = match &node.kind {
            Kind::Column(name) => return self.name(at, name),
            Kind::Unary(Unary::Negate, part) => {
                let shape = Shape::Unary(Unary::Negate);
                return match self.quantity(part)? {
                    Quantity::Number(id) => self.number_of(at, shape, vec![id]),
                    Quantity::Vector(u) => self.each(at, &shape, |k| vec![u[k]]),
                };
            }
            Kind::Binary(operator, left, right) => return self.binary(at, *operator, left, right),
            Kind::Further(name, parts) => return self.further(at, name, parts),
            Kind::Component(of, component) => return self.component(at, of, *component),
            Kind::Float(value) if !value.is_finite() => {
                return Err(self.error(at, format!("expected a finite number, found {value}")));
            }
            Kind::Integer(value) => Shape::Integer(*value),
            Kind::Float(value) => Shape::Float(*value),
            Kind::Text(text) => Shape::Text(text.clone()),
            Kind::Bool(value) => Shape::Bool(*value),
            Kind::Unary(operator, _) => Shape::Unary(*operator),
            Kind::Compare(relation, ..) => Shape::Compare(*relation),
            Kind::In(..) => Shape::In,
            Kind::IsNull(_) => Shape::IsNull,
            Kind::Like(_, pattern) => Shape::Like(pattern.clone()),
            Kind::Call(function, _) => Shape::Call(*function),
            Kind::All(_) => Shape::All,
            Kind::Any(_) => Shape::Any,
        };
        let parts = node.parts().into_iter().map(|part| self.number(part));
        let parts = parts.collect::<Read<_>>()?;
        self.number_of(at, shape, parts)
    }

    pub(crate) fn number_of(&mut self, at: usize, shape: Shape, parts: Vec<Id>) -> Read<Quantity> {
        self.item(at, shape, parts).map(Quantity::Number)
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
        use Quantity::{Number, Vector};
        let shape = Shape::Binary(operator);
        let message = match (self.quantity(left)?, operator, self.quantity(right)?) {
            (Number(a), _, Number(b)) => return self.number_of(at, shape, vec![a, b]),
            (Vector(u), Binary::Add | Binary::Subtract, Vector(v)) => {
                return self.each(at, &shape, |k| vec![u[k], v[k]]);
            }
            (Vector(u), Binary::Multiply | Binary::Divide, Number(a)) => {
                return self.each(at, &shape, |k| vec![u[k], a]);
            }
            (Number(a), Binary::Multiply, Vector(v)) => {
                return self.each(at, &shape, |k| vec![a, v[k]]);
            }
            (Vector(_), Binary::Multiply, Vector(_)) => {
                "two vectors are multiplied by dot(u, v) or cross(u, v), not by `*`"
            }
            (_, Binary::Add | Binary::Subtract, _) => {
                "a vector and a number cannot be added: write vec(a, b, c) for three numbers"
            }
            _ => "expected numbers here, found a vector: take norm(..) or a component such as [0]",
        };
        Err(self.error(at, message))
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
        match name {
            "vec" => {
                let parts = self.numbers(parts)?;
                Ok(Quantity::Vector(components(|k| parts[k])))
            }
            "dot" => {
                let (u, v) = (self.vector(&parts[0])?, self.vector(&parts[1])?);
                self.dot(at, u, v).map(Quantity::Number)
            }
            "norm" => {
                let u = self.vector(&parts[0])?;
                let squares = self.dot(at, u, u)?;
                let root = Shape::Call(Function::Real("sqrt", libm::sqrt));
                self.number_of(at, root, vec![squares])
            }
            "cross" => {
                let (u, v) = (self.vector(&parts[0])?, self.vector(&parts[1])?);
                self.cross(at, u, v)
            }
            "radial" => {
                let u = self.vector(&parts[0])?;
                self.number_of(at, Shape::Radial, u.to_vec())
            }
            "where" => {
                let parts = self.numbers(parts)?;
                self.number_of(at, Shape::Choose, parts)
            }
            "j0" | "j2" | "j4" => {
                let parts = self.numbers(parts)?;
                let order = Order::of_name(name);
                self.number_of(at, Shape::Bessel(order), parts)
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
            Quantity::Number(id) => self.number_of(at, shape, vec![id]),
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
}

/// Why pairs do not have an operation, if they do not.
fn refused_on_pairs(shape: &Shape) -> Option<String> {
    let what = match shape {
        Shape::Call(function) if ON_PAIRS.contains(&function.name()) => return None,
        Shape::Call(function) => {
            let name = function.name();
            return Some(format!(
                "{name} of a pair's quantity: use cos2phi, mu, or a column of one object"
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
