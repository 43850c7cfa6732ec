//! Operations of an expression over a pair, each on values made before it.
//!
//! Entry: [`Operation`] and [`OperationList`], a list in which equal operations stand once. [`Operation::apply`] is their one definition.

use std::collections::HashMap;

use albireo_simd::{Choices, Scalar};
use serde::Serialize;

/// A value of an expression, by the number of the operation that makes it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize)]
pub struct Value(pub(super) u16);

impl Value {
    /// The value of a number.
    pub(crate) const fn of_index(number: u16) -> Self {
        Self(number)
    }

    /// Its number.
    pub fn index(self) -> usize {
        self.0.into()
    }
}

/// Which object of a pair.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
pub enum End {
    /// The first, i.
    First,
    /// The second, j.
    Second,
}

/// An IEEE float64 operation, rounded to nearest and never fused with another.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
pub enum Operation {
    /// The number of these bits ([`Operation::constant`]).
    Constant(u64),
    /// A column of an object ([`crate::Particles::with_columns`]).
    Column(End, u8),
    /// A component of the separation `x_i - x_j`, to the nearest image.
    Difference(u8),
    /// `a + b`.
    Add(Value, Value),
    /// `a - b`.
    Subtract(Value, Value),
    /// `a * b`.
    Multiply(Value, Value),
    /// `a / b`.
    Divide(Value, Value),
    /// The square root.
    Root(Value),
    /// `a` where `a < b`, else `b`.
    Minimum(Value, Value),
    /// `a` where `a > b`, else `b`.
    Maximum(Value, Value),
    /// 1 where `a < b`, else 0.
    Less(Value, Value),
    /// 1 where `a <= b`, else 0.
    AtMost(Value, Value),
    /// The second where the first is above 0, else the third.
    Where(Value, Value, Value),
}

impl Operation {
    /// A number.
    pub fn constant(number: f64) -> Self {
        Self::Constant(number.to_bits())
    }

    /// The values that it takes.
    pub fn operands(self) -> impl Iterator<Item = Value> {
        use Operation::{
            Add, AtMost, Column, Constant, Difference, Divide, Less, Maximum, Minimum, Multiply,
            Root, Subtract, Where,
        };
        let operands = match self {
            Constant(_) | Column(..) | Difference(_) => [None; 3],
            Root(a) => [Some(a), None, None],
            Add(a, b)
            | Subtract(a, b)
            | Multiply(a, b)
            | Divide(a, b)
            | Minimum(a, b)
            | Maximum(a, b)
            | Less(a, b)
            | AtMost(a, b) => [Some(a), Some(b), None],
            Where(a, b, c) => [Some(a), Some(b), Some(c)],
        };
        operands.into_iter().flatten()
    }

    /// The same on other values.
    #[must_use]
    pub fn on(self, of: impl Fn(Value) -> Value) -> Self {
        match self {
            Self::Constant(_) | Self::Column(..) | Self::Difference(_) => self,
            Self::Add(a, b) => Self::Add(of(a), of(b)),
            Self::Subtract(a, b) => Self::Subtract(of(a), of(b)),
            Self::Multiply(a, b) => Self::Multiply(of(a), of(b)),
            Self::Divide(a, b) => Self::Divide(of(a), of(b)),
            Self::Root(a) => Self::Root(of(a)),
            Self::Minimum(a, b) => Self::Minimum(of(a), of(b)),
            Self::Maximum(a, b) => Self::Maximum(of(a), of(b)),
            Self::Less(a, b) => Self::Less(of(a), of(b)),
            Self::AtMost(a, b) => Self::AtMost(of(a), of(b)),
            Self::Where(c, a, b) => Self::Where(of(c), of(a), of(b)),
        }
    }

    /// What it makes of numbers: a constant itself, none of a column or a difference.
    pub fn number(self, at: impl Fn(Value) -> f64) -> Option<f64> {
        match self {
            Self::Constant(bits) => Some(f64::from_bits(bits)),
            made => made.apply(Scalar, at),
        }
    }

    /// What it makes of the values before it; none of what a pair brings: constants, columns and differences.
    #[allow(clippy::inline_always, reason = "it runs inside vector kernels")]
    #[inline(always)]
    pub fn apply<N: Choices>(self, numbers: N, at: impl Fn(Value) -> N::D) -> Option<N::D> {
        Some(match self {
            Self::Constant(_) | Self::Column(..) | Self::Difference(_) => return None,
            Self::Add(a, b) => numbers.add(at(a), at(b)),
            Self::Subtract(a, b) => numbers.sub(at(a), at(b)),
            Self::Multiply(a, b) => numbers.mul(at(a), at(b)),
            Self::Divide(a, b) => numbers.div(at(a), at(b)),
            Self::Root(a) => numbers.sqrt(at(a)),
            Self::Minimum(a, b) => numbers.min(at(a), at(b)),
            Self::Maximum(a, b) => numbers.max(at(a), at(b)),
            Self::Less(a, b) => numbers.less(at(a), at(b)),
            Self::AtMost(a, b) => numbers.at_most(at(a), at(b)),
            Self::Where(c, a, b) => numbers.where_positive(at(c), at(a), at(b)),
        })
    }
}

/// A list of operations, each on values of earlier ones; equal ones stand once.
///
/// ```
/// use albireo::tally::{End, Operation, OperationList};
/// let mut operations = OperationList::default();
/// let [i, j] = [End::First, End::Second].map(|end| operations.push(Operation::Column(end, 0)));
/// let product = operations.push(Operation::Multiply(i, j));
/// assert_eq!(operations.push(Operation::Multiply(i, j)), product);
/// assert_eq!(operations.list().len(), 3);
/// ```
#[derive(Debug, Clone, Default)]
pub struct OperationList {
    list: Vec<Operation>,
    known: HashMap<Operation, Value>,
}

impl OperationList {
    /// The value that `operation` makes: of the list, which it joins if it is not there.
    pub fn push(&mut self, operation: Operation) -> Value {
        let next = Value(u16::try_from(self.list.len()).unwrap_or(u16::MAX));
        let list = &mut self.list;
        *self.known.entry(operation).or_insert_with(|| {
            list.push(operation);
            next
        })
    }

    /// The value of a number.
    pub fn constant(&mut self, number: f64) -> Value {
        self.push(Operation::constant(number))
    }

    /// All of them, in order.
    pub fn list(&self) -> &[Operation] {
        &self.list
    }

    /// That which makes a value.
    pub fn of(&self, value: Value) -> Operation {
        self.list[value.index()]
    }
}
