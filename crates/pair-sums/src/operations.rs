//! Operations as they are written down, with their intervals; what the core does not have is composed of what it has.
//!
//! Entry: [`Operations`].

use albireo::tally::{End, Operation, OperationList, Value};

use crate::interval::Interval;
use crate::ranges::Ranges;

/// Far more operations than a program may have: beyond it none is added.
const FULL: usize = 1 << 11;

/// 2^52: a number of a smaller magnitude is a whole one once it has been added and subtracted.
const WHOLE: f64 = f64::from_bits((1023 + 52) << 52);

/// A list that grows; operations on constants are carried out.
#[derive(Debug, Default)]
pub(crate) struct Operations {
    list: OperationList,
    pub(crate) ranges: Ranges,
}

/// Two-operand operations by name.
macro_rules! pairs {
    ($($name:ident = $operation:ident;)+) => {$(
        pub(crate) fn $name(&mut self, a: Value, b: Value) -> Value {
            self.push(Operation::$operation(a, b), None)
        }
    )+};
}

impl Operations {
    pairs! {
        add = Add;
        subtract = Subtract;
        multiply = Multiply;
        divide = Divide;
        minimum = Minimum;
        maximum = Maximum;
        less = Less;
        at_most = AtMost;
    }

    fn push(&mut self, operation: Operation, leaf: Option<Interval>) -> Value {
        let constants: Option<Vec<f64>> = operation
            .operands()
            .map(|value| self.constant_of(value))
            .collect();
        let folded = match (&leaf, constants) {
            (None, Some(_)) => {
                operation.number(|value| self.constant_of(value).unwrap_or_default())
            }
            _ => None,
        };
        let operation = folded.map_or(operation, Operation::constant);
        let before = self.list.list().len();
        if before >= FULL {
            return self.list.push(self.list.list()[0]);
        }
        let value = self.list.push(operation);
        if self.list.list().len() > before {
            self.ranges.push(value, operation, leaf);
        }
        value
    }

    /// Whether operations are missing, there being too many.
    pub(crate) fn is_full(&self) -> bool {
        self.list.list().len() >= FULL
    }

    /// All of them.
    pub(crate) fn list(&self) -> &[Operation] {
        self.list.list()
    }

    /// The number that a value always is.
    pub(crate) fn constant_of(&self, value: Value) -> Option<f64> {
        match self.list.of(value) {
            Operation::Constant(bits) => Some(f64::from_bits(bits)),
            _ => None,
        }
    }

    pub(crate) fn constant(&mut self, number: f64) -> Value {
        self.push(Operation::constant(number), None)
    }

    pub(crate) fn column(&mut self, end: End, at: u8, within: Interval) -> Value {
        self.push(Operation::Column(end, at), Some(within))
    }

    pub(crate) fn difference(&mut self, axis: u8, within: Interval) -> Value {
        self.push(Operation::Difference(axis), Some(within))
    }

    pub(crate) fn root(&mut self, a: Value) -> Value {
        self.push(Operation::Root(a), None)
    }

    /// `a` where the condition holds, else `b`.
    pub(crate) fn choose(&mut self, condition: Value, a: Value, b: Value) -> Value {
        self.push(Operation::Where(condition, a, b), None)
    }

    pub(crate) fn negative(&mut self, a: Value) -> Value {
        let minus = self.constant(-1.0);
        self.multiply(minus, a)
    }

    /// `max(a, 0 - a)`.
    pub(crate) fn magnitude(&mut self, a: Value) -> Value {
        let zero = self.constant(0.0);
        let negative = self.subtract(zero, a);
        self.maximum(a, negative)
    }

    /// 1 where both are the same number.
    pub(crate) fn equal(&mut self, a: Value, b: Value) -> Value {
        let (one, other) = (self.at_most(a, b), self.at_most(b, a));
        self.multiply(one, other)
    }

    /// 1 where a condition is 0.
    pub(crate) fn not(&mut self, condition: Value) -> Value {
        let one = self.constant(1.0);
        self.subtract(one, condition)
    }

    /// 1 where a number is not 0, NaN included.
    pub(crate) fn is_not_zero(&mut self, a: Value) -> Value {
        let zero = self.constant(0.0);
        let equal = self.equal(a, zero);
        self.not(equal)
    }

    /// The largest whole number at or below `a`, or the least at or above it.
    pub(crate) fn whole(&mut self, a: Value, below: bool) -> Value {
        let [zero, up, down] = [0.0, WHOLE, -WHOLE].map(|number| self.constant(number));
        let is_negative = self.less(a, zero);
        let shift = self.choose(is_negative, down, up);
        let shifted = self.add(a, shift);
        let nearest = self.subtract(shifted, shift);
        let moved = if below {
            let beyond = self.less(a, nearest);
            self.subtract(nearest, beyond)
        } else {
            let beyond = self.less(nearest, a);
            self.add(nearest, beyond)
        };
        let magnitude = self.magnitude(a);
        let is_small = self.less(magnitude, up);
        let value = self.choose(is_small, moved, a);
        let within = self.ranges.of(a);
        let round = if below { f64::floor } else { f64::ceil };
        self.ranges
            .know(value, Interval::new(round(within.lo), round(within.hi)));
        value
    }

    /// Multiplied from the left; over 1 where the exponent is negative.
    pub(crate) fn power(&mut self, a: Value, exponent: i32) -> Value {
        let one = self.constant(1.0);
        let times = exponent.unsigned_abs();
        if times == 0 {
            return one;
        }
        let product = (1..times).fold(a, |product, _| self.multiply(product, a));
        if exponent < 0 {
            self.divide(one, product)
        } else {
            product
        }
    }

    /// `(x*x' + y*y') + z*z'`.
    pub(crate) fn dot(&mut self, u: [Value; 3], v: [Value; 3]) -> Value {
        let [x, y, z] = [0, 1, 2].map(|k| self.multiply(u[k], v[k]));
        let sum = self.add(x, y);
        self.add(sum, z)
    }
}
