//! Expressions with vectors taken apart and equal parts once: numbers of constants, objects and pairs.
//!
//! Entry: [`Graph`], whose items are found by [`Id`]. It knows which of them the `--where` language computes for one object.

use std::collections::HashMap;

use albireo::tally::End;
use albireo_catalogs::trees::{Binary, Function, Kind, Node, Relation, Unary};

use crate::bessel::Order;
use crate::column::ObjectColumn;

/// A number of an expression.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct Id(usize);

/// A number that the separation of a pair has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Atom {
    /// A component of the separation.
    D(u8),
    R2,
    R,
    /// A component of the separation's direction.
    Rhat(u8),
    /// A component of the line of sight's.
    Los(u8),
    Dlos,
    Rp,
    Mu,
    /// A Legendre polynomial of mu.
    Legendre(u32),
    /// Twice the angle of the separation across the line of sight, or in the frame of an object on the sky.
    Cos2Phi(Option<End>),
    Sin2Phi(Option<End>),
}

/// What an item is, its parts apart.
#[derive(Debug, Clone)]
pub(crate) enum Shape {
    Integer(i128),
    Float(f64),
    Text(String),
    Bool(bool),
    Column(End, String),
    /// What follows from the position and the weight of an object.
    Builtin(End, ObjectColumn),
    Atom(Atom),
    Unary(Unary),
    Binary(Binary),
    Compare(Relation),
    In,
    IsNull,
    Like(String),
    Call(Function),
    All,
    Any,
    /// Of two vectors.
    Dot,
    /// The part of a vector along the separation.
    Radial,
    /// `where(c, a, b)`.
    Choose,
    /// A spherical Bessel function.
    Bessel(Order),
    /// Over the rows of a sample.
    Mean,
    Deviation,
    /// The first along a fixed axis, the second on the sky.
    Sight,
}

/// Of what an item is made.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Of {
    Constants,
    Object(End),
    Pair,
}

/// One number, with where it stands first in which text.
#[derive(Debug, Clone)]
pub(crate) struct Item {
    pub(crate) shape: Shape,
    pub(crate) parts: Vec<Id>,
    pub(crate) of: Of,
    /// Whether the `--where` language has all of it.
    readable: bool,
    size: usize,
    depth: usize,
    pub(crate) text: usize,
    pub(crate) at: usize,
}

/// Items of a part that is written out again, and how deep they may stand in one another.
const LONGEST: usize = 2000;
const DEEPEST: usize = 48;

/// Items, each of parts that stand before it.
#[derive(Debug, Clone, Default)]
pub(crate) struct Graph {
    items: Vec<Item>,
    known: HashMap<String, Id>,
    /// The texts that items stand in.
    pub(crate) texts: Vec<String>,
}

impl Of {
    fn with(self, other: Self) -> Self {
        match (self, other) {
            (Self::Constants, of) | (of, Self::Constants) => of,
            (Self::Object(a), Self::Object(b)) if a == b => self,
            _ => Self::Pair,
        }
    }
}

impl Shape {
    /// Whether the `--where` language has it.
    fn is_readable(&self) -> bool {
        !matches!(
            self,
            Self::Builtin(..)
                | Self::Atom(_)
                | Self::Dot
                | Self::Radial
                | Self::Bessel(_)
                | Self::Mean
                | Self::Deviation
                | Self::Sight
        )
    }

    /// Whether it is 1 or 0.
    pub(crate) fn is_condition(&self) -> bool {
        matches!(
            self,
            Self::Bool(_)
                | Self::Unary(Unary::Not)
                | Self::Compare(_)
                | Self::In
                | Self::IsNull
                | Self::Like(_)
                | Self::All
                | Self::Any
        )
    }
}

impl Graph {
    /// The item of this shape and these parts.
    pub(crate) fn item(&mut self, shape: Shape, parts: Vec<Id>, text: usize, at: usize) -> Id {
        let key = format!("{shape:?} {parts:?}");
        let next = Id(self.items.len());
        let id = *self.known.entry(key).or_insert(next);
        if id == next {
            let of_parts = parts.iter().map(|part| self.of(*part));
            let of = match &shape {
                Shape::Mean | Shape::Deviation => Of::Constants,
                Shape::Column(end, _) | Shape::Builtin(end, _) => Of::Object(*end),
                Shape::Atom(_) => Of::Pair,
                _ => of_parts.fold(Of::Constants, Of::with),
            };
            let all = || parts.iter().map(|part| &self.items[part.0]);
            let size = all().fold(1, |size, part| part.size.saturating_add(size));
            let depth = 1 + all().map(|part| part.depth).max().unwrap_or(0);
            let readable = shape.is_readable()
                && size <= LONGEST
                && depth <= DEEPEST
                && all().all(|part| part.readable);
            self.items.push(Item {
                shape,
                parts,
                of,
                readable,
                size,
                depth,
                text,
                at,
            });
        }
        id
    }

    pub(crate) fn get(&self, id: Id) -> &Item {
        &self.items[id.0]
    }

    pub(crate) fn of(&self, id: Id) -> Of {
        self.items[id.0].of
    }

    pub(crate) fn depth(&self, id: Id) -> usize {
        self.get(id).depth
    }

    /// The object that the `--where` language computes it for.
    pub(crate) fn reads(&self, id: Id) -> Option<End> {
        match self.get(id) {
            Item {
                of: Of::Object(end),
                readable: true,
                ..
            } => Some(*end),
            _ => None,
        }
    }

    /// Whether the `--where` language can go on with it for one object.
    pub(crate) fn is_of_one(&self, id: Id) -> bool {
        let item = self.get(id);
        item.readable && item.of != Of::Pair
    }

    /// The objects of two numbers that are compared by whether they are equal, where both are read as they are.
    pub(crate) fn identities(&self, id: Id) -> Option<[(End, String); 2]> {
        let item = self.get(id);
        let Shape::Compare(relation) = item.shape else {
            return None;
        };
        let sides = [item.parts[0], item.parts[1]]
            .map(|part| self.reads(part).map(|end| (end, self.written(part))));
        match sides {
            [Some(a), Some(b)] if relation.is_equality() && a.0 != b.0 => Some([a, b]),
            _ => None,
        }
    }

    /// It in the `--where` language.
    pub(crate) fn written(&self, id: Id) -> String {
        match &self.get(id).shape {
            // A request is a column by its plain name, or an expression with backquotes.
            Shape::Column(_, name) => name.clone(),
            _ => self.node(id).to_string(),
        }
    }

    fn node(&self, id: Id) -> Node {
        let item = self.get(id);
        let mut parts: Vec<Node> = item.parts.iter().map(|part| self.node(*part)).collect();
        let mut next = || Box::new(parts.remove(0));
        let kind = match &item.shape {
            Shape::Integer(value) => Kind::Integer(*value),
            Shape::Float(value) => Kind::Float(*value),
            Shape::Text(text) => Kind::Text(text.clone()),
            Shape::Bool(value) => Kind::Bool(*value),
            Shape::Column(_, name) => Kind::Column(name.clone()),
            Shape::Unary(operator) => Kind::Unary(*operator, next()),
            Shape::Binary(operator) => Kind::Binary(*operator, next(), next()),
            Shape::Compare(relation) => Kind::Compare(*relation, next(), next()),
            Shape::In => Kind::In(next(), parts),
            Shape::IsNull => Kind::IsNull(next()),
            Shape::Like(pattern) => Kind::Like(next(), pattern.clone()),
            Shape::Call(function) => Kind::Call(*function, parts),
            Shape::Choose => Kind::Call(Function::Where, parts),
            Shape::All => Kind::All(parts),
            Shape::Any => Kind::Any(parts),
            other => Kind::Further(format!("{other:?}"), parts),
        };
        Node::new(item.at, kind)
    }

    /// The text that an item stands in first, and the characters of it before the item.
    pub(crate) fn place(&self, id: Id) -> (&str, usize) {
        let item = self.get(id);
        (&self.texts[item.text], item.at)
    }
}
