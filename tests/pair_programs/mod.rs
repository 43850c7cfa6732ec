//! Expressions over the columns of both points of a pair, as programs.
//!
//! Entry: [`velocities`], [`every_operation`], [`many`], and [`with_columns`], the columns that they take. Tests of kernels and of devices share them.
#![allow(
    clippy::unwrap_used,
    unreachable_pub,
    dead_code,
    reason = "a failed unwrap is a failed test; each test binary uses its part"
)]

use std::sync::Arc;

use albireo::Particles;
use albireo::particles::Column;
use albireo::tally::{End, Exchange, Operation, OperationList, PairProgram, PairSum, Value};

use super::suite::Random;

/// Columns of a sample.
const COLUMNS: usize = 4;

/// A sample with columns of ordinary numbers, but for the last: there arithmetic has its corners.
pub fn with_columns(sample: &Particles, seed: u64) -> Particles {
    const CORNERS: [f64; 8] = [0.0, -0.0, 1.0, -1.0, 5e-324, 1e300, -1e-300, 0.25];
    let mut random = Random::new(seed);
    let mut column = |at: usize| -> Column {
        let mut number = |_| match at {
            3 => CORNERS[(random.next() * 8.0) as usize],
            _ => 2.0 * random.next() - 1.0,
        };
        let rows = 0..sample.len();
        rows.map(&mut number).collect::<Vec<_>>().into()
    };
    let columns = (0..COLUMNS).map(&mut column).collect();
    sample.clone().with_columns(columns).unwrap()
}

fn columns(operations: &mut OperationList, at: u8) -> [Value; 2] {
    [End::First, End::Second].map(|end| operations.push(Operation::Column(end, at)))
}

fn sum(name: &str, value: Value, bound: f64, exchange: Exchange) -> PairSum {
    PairSum {
        name: name.to_owned(),
        value,
        bound,
        proven: false,
        exchange,
    }
}

/// `(a.b)`, in the order of the contract.
fn dot(operations: &mut OperationList, a: [Value; 3], b: [Value; 3]) -> Value {
    let [x, y, z] = [0, 1, 2].map(|k| operations.push(Operation::Multiply(a[k], b[k])));
    let across = operations.push(Operation::Add(x, y));
    operations.push(Operation::Add(across, z))
}

/// The velocity of one point seen from the other along their separation, and its square: the same in both orders, and no number where the
/// points coincide.
fn radial(operations: &mut OperationList) -> [PairSum; 2] {
    let d = [0, 1, 2].map(|axis| operations.push(Operation::Difference(axis)));
    let v = [0, 1, 2].map(|at| {
        let [i, j] = columns(operations, at);
        operations.push(Operation::Subtract(i, j))
    });
    let along = dot(operations, v, d);
    let r2 = dot(operations, d, d);
    let r = operations.push(Operation::Root(r2));
    let radial = operations.push(Operation::Divide(along, r));
    let square = operations.push(Operation::Multiply(radial, radial));
    [
        sum("v", radial, 4.0, Exchange::Even),
        sum("v2", square, 2.0, Exchange::Even),
    ]
}

/// The mean of pairwise velocities and of their squares.
pub fn velocities() -> Arc<PairProgram> {
    let mut operations = OperationList::default();
    let sums = radial(&mut operations);
    PairProgram::new(&operations, sums.into()).unwrap().into()
}

/// Every operation there is, on numbers of all sizes; it depends on the order of the pair.
pub fn every_operation() -> Arc<PairProgram> {
    let mut operations = OperationList::default();
    let [a, b] = columns(&mut operations, 0);
    let [c, d] = columns(&mut operations, 3);
    let [x, z] = [0, 2].map(|axis| operations.push(Operation::Difference(axis)));
    let number = operations.constant(0.3);
    let mut push = |operation| operations.push(operation);
    let least = push(Operation::Minimum(c, d));
    let most = push(Operation::Maximum(x, least));
    let less = push(Operation::Less(c, d));
    let at_most = push(Operation::AtMost(z, number));
    let chosen = push(Operation::Where(less, most, a));
    let other = push(Operation::Where(at_most, chosen, b));
    let root = push(Operation::Root(other));
    let ratio = push(Operation::Divide(root, a));
    let added = push(Operation::Add(ratio, number));
    let left = push(Operation::Subtract(added, x));
    let product = push(Operation::Multiply(left, b));
    // Which of two zeros is the least is seen by a quotient alone.
    let quotient = push(Operation::Divide(number, least));
    let negative = push(Operation::Less(quotient, number));
    let sided = push(Operation::Multiply(negative, a));
    let sums = vec![
        sum("all", product, 1.5, Exchange::Neither),
        sum("chosen", chosen, 1e9, Exchange::Neither),
        sum("sided", sided, 1.0, Exchange::Neither),
    ];
    PairProgram::new(&operations, sums).unwrap().into()
}

/// A product of marks, whose bound is proved, and ten more.
pub fn many() -> Arc<PairProgram> {
    let mut operations = OperationList::default();
    let [i, j] = columns(&mut operations, 1);
    let mut value = operations.push(Operation::Multiply(i, j));
    let mut sums = vec![PairSum {
        proven: true,
        ..sum("m", value, 1.0, Exchange::Even)
    }];
    for k in 0..10 {
        let factor = operations.constant(1.0 + f64::from(k));
        value = operations.push(Operation::Multiply(value, factor));
        sums.push(sum(&format!("m{k}"), value, 40.0, Exchange::Even));
    }
    PairProgram::new(&operations, sums).unwrap().into()
}
