//! What exchanging the two points of a pair makes of a value: the trees of both orders are compared, up to signs and to the order of sums, products,
//! least and largest.
//!
//! Entry: [`Exchanger`]. Each value becomes a sign and a number of a common list ([`Form`]). What was moved around may have changed the sign
//! of a zero, and then that of an infinity: where the value would show it, the number is one of its own.

use std::collections::HashMap;

use albireo::tally::{End, Exchange, Operation, Value};

use crate::column::ObjectColumn;
use crate::ranges::Ranges;

/// A value as `sign * number`.
#[derive(Debug, Clone, Copy)]
struct Form {
    negative: bool,
    number: usize,
    /// Whether a zero may have the other sign.
    loose: bool,
    /// Whether infinities may have the other sign, or be NaN.
    wild: bool,
}

/// A number without its sign, by what it is made of.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
enum Key {
    Constant(u64),
    Column(bool, ObjectColumn),
    Difference(u8),
    Add([(usize, bool); 2]),
    Multiply([usize; 2]),
    Divide(usize, usize),
    Root(usize, bool),
    Maximum([(usize, bool); 2]),
    Compare(bool, [(usize, bool); 2]),
    Where([(usize, bool); 3]),
    /// Like nothing else.
    Own(usize),
}

/// Compares values of both orders.
pub(crate) struct Exchanger<'a> {
    ranges: &'a Ranges,
    /// What the columns of the first and of the second object are.
    columns: [&'a [ObjectColumn]; 2],
    numbers: HashMap<Key, usize>,
    /// The forms of values as they are, and exchanged.
    forms: [Vec<Form>; 2],
}

impl<'a> Exchanger<'a> {
    pub(crate) fn new(
        operations: &'a [Operation],
        ranges: &'a Ranges,
        columns: [&'a [ObjectColumn]; 2],
    ) -> Self {
        let mut made = Self {
            ranges,
            columns,
            numbers: HashMap::new(),
            forms: [vec![], vec![]],
        };
        for operation in operations {
            for exchanged in [false, true] {
                let form = made.form(*operation, exchanged);
                made.forms[usize::from(exchanged)].push(form);
            }
        }
        made
    }

    /// What exchanging the points makes of a value.
    pub(crate) fn of(&self, value: Value) -> Exchange {
        let [own, other] = [0, 1].map(|order| self.forms[order][value.index()]);
        match own.number == other.number {
            true if own.negative == other.negative => Exchange::Even,
            true => Exchange::Odd,
            false => Exchange::Neither,
        }
    }

    fn number(&mut self, key: Key) -> usize {
        let next = self.numbers.len();
        *self.numbers.entry(key).or_insert(next)
    }

    fn plain(&mut self, key: Key) -> Form {
        Form {
            negative: false,
            number: self.number(key),
            loose: false,
            wild: false,
        }
    }

    /// A number that is equal to no other.
    fn own(&mut self) -> Form {
        let key = Key::Own(self.numbers.len());
        self.plain(key)
    }

    fn zero(&self) -> Option<usize> {
        self.numbers.get(&Key::Constant(0)).copied()
    }

    fn form(&mut self, operation: Operation, exchanged: bool) -> Form {
        use Operation::{
            Add, AtMost, Column, Constant, Difference, Divide, Less, Maximum, Minimum, Multiply,
            Root, Subtract, Where,
        };
        let at = |value: Value| self.forms[usize::from(exchanged)][value.index()];
        let minus = |value: Value| {
            let form = at(value);
            Form {
                negative: !form.negative,
                ..form
            }
        };
        match operation {
            Constant(bits) => {
                let number = f64::from_bits(bits);
                Form {
                    negative: number < 0.0,
                    loose: bits == (-0.0_f64).to_bits(),
                    ..self.plain(Key::Constant(number.abs().to_bits()))
                }
            }
            Column(end, k) => {
                let second = end == End::Second;
                let column = self.columns[usize::from(second)][usize::from(k)].clone();
                self.plain(Key::Column(second != exchanged, column))
            }
            Difference(axis) => Form {
                negative: exchanged,
                loose: exchanged,
                ..self.plain(Key::Difference(axis))
            },
            Add(a, b) => self.sum(at(a), at(b)),
            Subtract(a, b) => self.sum(at(a), minus(b)),
            Multiply(a, b) => self.product(at(a), at(b), a == b),
            Divide(a, b) => self.quotient(at(a), at(b), b),
            Root(a) => {
                let a = at(a);
                Form {
                    loose: a.loose,
                    wild: a.wild,
                    ..self.plain(Key::Root(a.number, a.negative))
                }
            }
            Maximum(a, b) => {
                let sorts = self.sorts(a, b);
                self.largest(at(a), at(b), sorts)
            }
            Minimum(a, b) => {
                let sorts = self.sorts(a, b);
                let largest = self.largest(minus(a), minus(b), sorts);
                Form {
                    negative: !largest.negative,
                    ..largest
                }
            }
            Less(a, b) => self.comparison(true, at(a), at(b)),
            AtMost(a, b) => self.comparison(false, at(a), at(b)),
            Where(c, a, b) => self.choice(at(c), at(a), at(b)),
        }
    }

    /// Sorted, the first of them without a sign.
    fn sum(&mut self, a: Form, b: Form) -> Form {
        let (loose, wild) = (a.loose || b.loose, a.wild || b.wild);
        // Nothing is added: the number itself, but for the sign of a zero.
        for (one, other) in [(a, b), (b, a)] {
            if Some(one.number) == self.zero() {
                return Form {
                    loose: true,
                    wild,
                    ..other
                };
            }
        }
        let mut sides = [(a.number, a.negative), (b.number, b.negative)];
        sides.sort_unstable();
        let negative = sides[0].1;
        let sides = sides.map(|(number, sign)| (number, sign != negative));
        Form {
            negative,
            loose: loose || negative,
            wild,
            ..self.plain(Key::Add(sides))
        }
    }

    fn product(&mut self, a: Form, b: Form, is_square: bool) -> Form {
        let negative = a.negative != b.negative;
        let one = Key::Constant(1.0_f64.to_bits());
        let one = self.number(one);
        for (factor, other) in [(a, b), (b, a)] {
            if factor.number == one {
                return Form { negative, ..other };
            }
        }
        let mut sides = [a.number, b.number];
        sides.sort_unstable();
        Form {
            negative,
            loose: !is_square && (a.loose || b.loose),
            wild: a.wild || b.wild,
            ..self.plain(Key::Multiply(sides))
        }
    }

    fn quotient(&mut self, a: Form, b: Form, divisor: Value) -> Form {
        if b.wild {
            return self.own();
        }
        Form {
            negative: a.negative != b.negative,
            loose: a.loose || b.loose,
            wild: a.wild || (b.loose && self.ranges.of(divisor).has_zero()),
            ..self.plain(Key::Divide(a.number, b.number))
        }
    }

    /// Whether the larger of two does not depend on their order: neither is NaN.
    fn sorts(&self, a: Value, b: Value) -> bool {
        !self.ranges.of(a).nan && !self.ranges.of(b).nan
    }

    fn largest(&mut self, a: Form, b: Form, sorts: bool) -> Form {
        if a.wild || b.wild {
            return self.own();
        }
        let given = [(a.number, a.negative), (b.number, b.negative)];
        let mut sides = given;
        // A number and its negative are both NaN or neither.
        let is_magnitude = a.number == b.number;
        if sorts || is_magnitude {
            sides.sort_unstable();
        }
        Form {
            loose: true,
            ..self.plain(Key::Maximum(sides))
        }
    }

    /// `-a < -b` is `b < a`.
    fn comparison(&mut self, strictly: bool, a: Form, b: Form) -> Form {
        if a.wild || b.wild {
            return self.own();
        }
        let zero = self.zero();
        let side = |form: Form, turned: bool| {
            (
                form.number,
                Some(form.number) != zero && form.negative != turned,
            )
        };
        let given = [side(a, false), side(b, false)];
        let turned = [side(b, true), side(a, true)];
        self.plain(Key::Compare(strictly, given.min(turned)))
    }

    /// The first of the numbers to choose from without a sign, or the second where the first is 0.
    fn choice(&mut self, c: Form, a: Form, b: Form) -> Form {
        if c.wild {
            return self.own();
        }
        let is_zero = |form: Form| Some(form.number) == self.zero();
        let negative = if is_zero(a) {
            b.negative && !is_zero(b)
        } else {
            a.negative
        };
        let side = |form: Form| (form.number, !is_zero(form) && form.negative != negative);
        let key = Key::Where([(c.number, c.negative), side(a), side(b)]);
        Form {
            negative,
            loose: a.loose || b.loose || (negative && (is_zero(a) || is_zero(b))),
            wild: a.wild || b.wild,
            ..self.plain(key)
        }
    }
}
