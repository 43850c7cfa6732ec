//! Expressions over the columns of both particles and their separation, of any shape.
//!
//! Entry: [`draw`], which comes after everything else of a case.

use std::sync::Arc;

use albireo::tally::{End, Exchange, Operation, OperationList, PairProgram, PairSum, Value};

use super::case::Case;
use super::draw::Draft;
use super::random::Random;

/// Columns of a sample.
const COLUMNS: usize = 3;

/// A number of a column: ordinary ones mostly, and those at which arithmetic has its corners.
fn number(random: &mut Random, kind: usize) -> f64 {
    match kind {
        0 => random.between(-1.0, 2.0),
        1 => random.pick(&[0.0, -0.0, 1.0, -1.0, 0.5]),
        2 => random.pick(&[1e300, 1e-300, 5e-324, -1e300, 0.0, 3.0]),
        _ => f64::from(random.whole(-4, 4)) / 4.0,
    }
}

/// Gives some cases a program with one sum or a few.
pub fn draw(draft: &mut Draft<'_>, case: &mut Case) {
    let wanted = draft.class(&[
        ("expressions none", 0),
        ("expressions none", 0),
        ("expressions none", 0),
        ("expression", 1),
        ("expressions", 3),
    ]);
    if wanted == 0 {
        return;
    }
    let auto = case.second.is_none();
    // An auto count that holds each pair once takes what does not depend on their order.
    let ordered = draft.class(&[("in either order", false), ("in both orders", true)]);
    let random = &mut *draft.random;
    let mut operations = OperationList::default();
    let mut sums = vec![];
    for k in 0..wanted {
        let even = auto && !(ordered && k == 0);
        let mut value = tree(random, &mut operations, even);
        if even {
            let other = exchanged(&mut operations, value);
            // The greater of a number and NaN depends on which comes first.
            value = operations.push(if random.once_in(2) {
                Operation::Add(value, other)
            } else {
                Operation::Multiply(value, other)
            });
        }
        sums.push(PairSum {
            name: format!("sum{k}"),
            value,
            bound: random.pick(&[0.125, 1.0, 1.5, 40.0, 1e9, 1e100]),
            proven: false,
            exchange: if even || !auto {
                Exchange::Even
            } else {
                Exchange::Neither
            },
        });
    }
    case.besides.program = PairProgram::new(&operations, sums).ok().map(Arc::new);
    let rows = [case.first.len(), case.second.as_ref().map_or(0, Vec::len)];
    case.besides.columns = rows.map(|rows| {
        let mut column = |_| {
            let kind = random.below(4);
            (0..rows).map(|_| number(random, kind)).collect()
        };
        (0..COLUMNS).map(&mut column).collect()
    });
}

/// The value of a tree of a few operations; for an `even` one, whose value the exchanged pair has, zeros among differences are positive: points in
/// one place have the same zero in both orders, and a divisor would show its sign.
fn tree(random: &mut Random, operations: &mut OperationList, even: bool) -> Value {
    let mut values: Vec<Value> = (0..3).map(|_| leaf(random, operations, even)).collect();
    for _ in 0..=random.below(14) {
        let one = |random: &mut Random| values[random.below(values.len())];
        let [a, b, c] = [(); 3].map(|()| one(random));
        let made = match random.below(11) {
            0 | 1 => Operation::Add(a, b),
            2 => Operation::Subtract(a, b),
            3 | 4 => Operation::Multiply(a, b),
            5 => Operation::Divide(a, b),
            6 => Operation::Root(a),
            7 => Operation::Minimum(a, b),
            8 => Operation::Maximum(a, b),
            9 if random.once_in(2) => Operation::Less(a, b),
            9 => Operation::AtMost(a, b),
            _ => Operation::Where(a, b, c),
        };
        values.push(operations.push(made));
        if random.once_in(3) {
            values.push(leaf(random, operations, even));
        }
    }
    *values.last().unwrap()
}

fn leaf(random: &mut Random, operations: &mut OperationList, even: bool) -> Value {
    let at = random.below(COLUMNS) as u8;
    let operation = match random.below(7) {
        0 | 1 => Operation::Column(End::First, at),
        2 | 3 => Operation::Column(End::Second, at),
        4 => Operation::constant(random.pick(&[0.5, 1.0, -2.0, 3.0, 0.0])),
        _ => Operation::Difference(at),
    };
    let value = operations.push(operation);
    if even && matches!(operation, Operation::Difference(_)) {
        let zero = operations.constant(0.0);
        return operations.push(Operation::Add(value, zero));
    }
    value
}

/// The value that the exchanged pair has, in the same operations.
fn exchanged(operations: &mut OperationList, value: Value) -> Value {
    let operation = operations.of(value);
    let parts = operation.operands();
    let parts: Vec<_> = parts
        .map(|part| (part, exchanged(operations, part)))
        .collect();
    let of = |value| parts.iter().find(|(part, _)| *part == value).unwrap().1;
    let other = match operation {
        Operation::Column(End::First, at) => Operation::Column(End::Second, at),
        Operation::Column(End::Second, at) => Operation::Column(End::First, at),
        Operation::Difference(_) => {
            let zero = operations.constant(0.0);
            Operation::Subtract(zero, value)
        }
        same => same.on(of),
    };
    operations.push(other)
}
