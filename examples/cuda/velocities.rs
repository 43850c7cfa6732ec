//! Points that move, and the velocities of pairs of them as expressions: shared by an example and a bench.

use albireo::tally::{End, Exchange, Operation, OperationList, PairProgram, PairSum, Value};
use albireo::{Particles, Points};

type Failure = Box<dyn std::error::Error>;

/// Points with weights and three components of a velocity.
pub(crate) fn moving(points: Points) -> Result<Particles, Failure> {
    let n = points.len();
    let mixed = |k: usize, of: usize| ((k + 1) * of % 997) as f64 / 997.0;
    let column = |of: usize| (0..n).map(|k| mixed(k, of) - 0.5).collect::<Vec<_>>();
    let weights = (0..n).map(|k| 0.5 + mixed(k, 97)).collect();
    let columns = [17, 389, 613].map(|of| column(of).into());
    Ok(Particles::weighted(points, weights)?.with_columns(columns.into())?)
}

/// A sum of values that stay the same when the two points of a pair are exchanged.
pub(crate) fn even(name: &str, value: Value, bound: f64) -> PairSum {
    PairSum {
        name: name.to_owned(),
        value,
        bound,
        proven: true,
        exchange: Exchange::Even,
    }
}

/// The velocity of one point of a pair seen from the other along their separation, 0 where they coincide, and with `squares` its square.
pub(crate) fn pairwise_velocities(squares: bool) -> Result<PairProgram, Failure> {
    let mut operations = OperationList::default();
    let d = [0, 1, 2].map(|axis| operations.push(Operation::Difference(axis)));
    let v = [0, 1, 2].map(|at| {
        let ends = [End::First, End::Second];
        let [i, j] = ends.map(|end| operations.push(Operation::Column(end, at)));
        operations.push(Operation::Subtract(i, j))
    });
    let mut dot = |a: [Value; 3], b: [Value; 3]| {
        let [x, y, z] = [0, 1, 2].map(|k| operations.push(Operation::Multiply(a[k], b[k])));
        let across = operations.push(Operation::Add(x, y));
        operations.push(Operation::Add(across, z))
    };
    let (along, r2) = (dot(v, d), dot(d, d));
    let r = operations.push(Operation::Root(r2));
    let ratio = operations.push(Operation::Divide(along, r));
    let zero = operations.constant(0.0);
    let velocity = operations.push(Operation::Where(r2, ratio, zero));
    let mut sums = vec![even("v12", velocity, 2.0)];
    if squares {
        let square = operations.push(Operation::Multiply(velocity, velocity));
        sums.push(even("v12 squared", square, 4.0));
    }
    Ok(PairProgram::new(&operations, sums)?)
}
