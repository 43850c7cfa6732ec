//! In which interval each value of a list of operations lies, in all of it and where a condition holds.
//!
//! Entry: [`Ranges`].

use std::cell::Cell;
use std::collections::HashMap;

use albireo::tally::{Operation, Value};

use crate::interval::Interval;

/// Conditions in one another that narrow intervals; inside more of them intervals are wider than they could be.
const DEEPEST: usize = 2;

/// Operations that conditions are followed through, in all.
const FURTHEST: usize = 1 << 17;

/// Intervals of values, in their order.
#[derive(Debug)]
pub(crate) struct Ranges {
    operations: Vec<Operation>,
    all: Vec<Interval>,
    /// What is known of a value beside its operation, where that has a finite bound.
    known: HashMap<Value, Interval>,
    /// What is known of it in any case.
    certain: HashMap<Value, Interval>,
    /// Operations that conditions may still be followed through.
    left: Cell<usize>,
}

impl Default for Ranges {
    fn default() -> Self {
        Self {
            operations: vec![],
            all: vec![],
            known: HashMap::new(),
            certain: HashMap::new(),
            left: Cell::new(FURTHEST),
        }
    }
}

/// Values in narrower intervals where a condition holds.
type Narrower = HashMap<Value, Interval>;

impl Ranges {
    /// Adds the next value; one that a pair or an object brings lies in `leaf`.
    pub(crate) fn push(&mut self, value: Value, operation: Operation, leaf: Option<Interval>) {
        if let Some(interval) = leaf {
            self.certain.insert(value, interval);
        }
        self.operations.push(operation);
        let interval = self.compute(value, &|of| self.all[of.index()], 0);
        self.all.push(interval);
    }

    /// The interval of a value.
    pub(crate) fn of(&self, value: Value) -> Interval {
        self.all[value.index()]
    }

    /// Takes note that a value lies in an interval too: one whose operations have no finite bound stays as it is.
    pub(crate) fn know(&mut self, value: Value, interval: Interval) {
        if self.of(value).is_finite() {
            let known = self.known.entry(value).or_insert(interval);
            *known = known.and(interval);
            self.all[value.index()] = self.all[value.index()].and(interval);
        }
    }

    /// Takes note that a value is always a number of an interval.
    pub(crate) fn ensure(&mut self, value: Value, interval: Interval) {
        self.certain.insert(value, interval);
        self.all[value.index()] = interval;
    }

    /// The operation that makes a value.
    pub(crate) fn operation(&self, value: Value) -> Operation {
        self.operations[value.index()]
    }

    /// Whether a value is that constant.
    pub(crate) fn is_constant(&self, value: Value, number: f64) -> bool {
        self.operation(value) == Operation::constant(number)
    }

    fn constant(&self, value: Value) -> Option<f64> {
        match self.operation(value) {
            Operation::Constant(bits) => Some(f64::from_bits(bits)),
            _ => None,
        }
    }

    /// The value whose magnitude this is: `max(x, 0 - x)`.
    pub(crate) fn magnitude_of(&self, value: Value) -> Option<Value> {
        let Operation::Maximum(x, negative) = self.operation(value) else {
            return None;
        };
        match self.operation(negative) {
            Operation::Subtract(zero, of) if of == x && self.is_constant(zero, 0.0) => Some(x),
            _ => None,
        }
    }

    fn compute(&self, value: Value, at: &dyn Fn(Value) -> Interval, depth: usize) -> Interval {
        use Operation::{
            Add, AtMost, Column, Constant, Difference, Divide, Less, Maximum, Minimum, Multiply,
            Root, Subtract, Where,
        };
        if let Some(certain) = self.certain.get(&value) {
            return *certain;
        }
        let computed = match self.operation(value) {
            Constant(bits) => Interval::of(f64::from_bits(bits)),
            Column(..) | Difference(_) => Interval::of(0.0),
            Add(a, b) => at(a).add(at(b)),
            Subtract(a, b) => at(a).add(at(b).negative()),
            Multiply(a, b) if a == b => at(a).square(),
            Multiply(a, b) => at(a).multiply(at(b)),
            Divide(a, b) => at(a).divide(at(b)),
            Root(a) => at(a).root(),
            Minimum(a, b) => at(a).minimum(at(b)),
            Maximum(a, b) => match self.magnitude_of(value) {
                Some(x) => at(x).magnitude(),
                None => at(a).maximum(at(b)),
            },
            Less(..) | AtMost(..) => Interval::new(0.0, 1.0),
            Where(c, a, b) => self
                .branch(c, true, a, at, depth)
                .or(self.branch(c, false, b, at, depth)),
        };
        match self.known.get(&value) {
            Some(known) if computed.is_finite() => computed.and(*known),
            _ => computed,
        }
    }

    /// The interval of a value where a condition holds, or does not.
    fn branch(
        &self,
        condition: Value,
        holds: bool,
        value: Value,
        at: &dyn Fn(Value) -> Interval,
        depth: usize,
    ) -> Interval {
        let mut narrower = Narrower::new();
        self.narrow(condition, holds, at, &mut narrower);
        let Some(first) = narrower.keys().min().copied() else {
            return at(value);
        };
        if depth == DEEPEST || value < first {
            return at(value);
        }
        let wanted = self.below(value, first);
        // Wider intervals are as true: conditions without end are not followed.
        let Some(left) = self.left.get().checked_sub(wanted.len()) else {
            return at(value);
        };
        self.left.set(left);
        let mut found: Vec<Option<Interval>> = vec![None; 1 + value.index() - first.index()];
        for of in wanted {
            let inside = |of: Value| {
                let place = of.index().checked_sub(first.index());
                place
                    .and_then(|place| found[place])
                    .unwrap_or_else(|| at(of))
            };
            let mut interval = self.compute(of, &inside, depth + 1);
            // A comparison that holds has no NaN.
            if let Some(narrow) = narrower.get(&of) {
                interval = interval.and(*narrow);
            }
            found[of.index() - first.index()] = Some(interval);
        }
        found.pop().flatten().unwrap_or_else(|| at(value))
    }

    /// The values from `first` on that `value` is made of, in order.
    fn below(&self, value: Value, first: Value) -> Vec<Value> {
        let mut wanted: Vec<Option<Value>> = vec![None; 1 + value.index() - first.index()];
        let mut open = vec![value];
        while let Some(of) = open.pop() {
            if wanted[of.index() - first.index()].replace(of).is_none() {
                let parts = self.operation(of).operands();
                open.extend(parts.filter(|part| *part >= first));
            }
        }
        wanted.into_iter().flatten().collect()
    }

    /// What follows where a condition holds, or does not, for values that it compares with constants.
    fn narrow(
        &self,
        condition: Value,
        holds: bool,
        at: &dyn Fn(Value) -> Interval,
        to: &mut Narrower,
    ) {
        match self.operation(condition) {
            // Both of two conditions, or neither.
            Operation::Multiply(a, b) if holds => {
                self.narrow(a, true, at, to);
                self.narrow(b, true, at, to);
            }
            Operation::Maximum(a, b) if !holds => {
                self.narrow(a, false, at, to);
                self.narrow(b, false, at, to);
            }
            Operation::Subtract(one, of) if self.is_constant(one, 1.0) => {
                self.narrow(of, !holds, at, to);
            }
            Operation::Less(a, b) => self.compared(a, b, holds, true, at, to),
            Operation::AtMost(a, b) => self.compared(a, b, holds, false, at, to),
            _ => {}
        }
    }

    fn compared(
        &self,
        a: Value,
        b: Value,
        holds: bool,
        strictly: bool,
        at: &dyn Fn(Value) -> Interval,
        to: &mut Narrower,
    ) {
        // Not below is at or above, but for NaN.
        let (a, b, strictly) = if holds {
            (a, b, strictly)
        } else {
            (b, a, !strictly)
        };
        if !holds && (at(a).nan || at(b).nan) {
            return;
        }
        if let Some(most) = self.constant(b) {
            let most = if strictly { most.next_down() } else { most };
            self.note(a, Interval::new(f64::NEG_INFINITY, most), to);
        }
        if let Some(least) = self.constant(a) {
            let least = if strictly { least.next_up() } else { least };
            self.note(b, Interval::new(least, f64::INFINITY), to);
        }
    }

    fn note(&self, value: Value, interval: Interval, to: &mut Narrower) {
        let noted = to.entry(value).or_insert(interval);
        *noted = noted.and(interval);
        // What has a root at or above a number is at or above its square, less a rounding.
        if let Operation::Root(of) = self.operation(value)
            && interval.lo > 0.0
        {
            let least = (interval.lo * interval.lo).next_down();
            self.note(of, Interval::new(least, f64::INFINITY), to);
        }
    }
}
