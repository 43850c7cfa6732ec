//! Sums over pairs of what an expression makes of their two objects and their separation.
//!
//! Entry: [`PairProgram`]: operations ([`Operation`]) and, of the values that they make, those that are summed ([`PairSum`]). It knows no text;
//! `albireo-pair-sums` makes programs of what users write, with the bounds and orders that it has proved.

mod operation;

pub use operation::{End, Operation, OperationList, Value};

use albireo_simd::fixed_point::{exponent, scaled};
use serde::Serialize;

use crate::error::ProgramError;
use crate::separation::Separation;

/// Most operations of a program.
pub const MAX_OPERATIONS: usize = 512;

/// Most operations of the sums that are not of a program, of all of them together.
const MAX_OWN_OPERATIONS: usize = 128;

/// Most columns of an object that a program takes.
pub const MAX_COLUMNS: usize = 32;

/// Most sums of a program.
pub const MAX_PAIR_SUMS: usize = 16;

/// Least and largest bound of a sum: powers of two that leave room for squares.
const BOUNDS: [f64; 2] = [
    f64::from_bits((1023 - 400) << 52),
    f64::from_bits((1023 + 400) << 52),
];

/// What exchanging the two points of a pair makes of a value.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
pub enum Exchange {
    /// The same, to the bit.
    Even,
    /// Its negative.
    Odd,
    /// Something else.
    Neither,
}

/// One sum of a program: over the pairs of each bin, of `(u1*u2)*(f*2^-e)`, u the scaled weights, f the value and e the frexp exponent of
/// the bound, in two words of fixed point.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct PairSum {
    /// What results call it.
    pub name: String,
    /// What is summed.
    pub value: Value,
    /// No value is larger than this in magnitude; one that is, or that is no number, adds 0 and is counted.
    pub bound: f64,
    /// Whether it is proved that every value is a number within the bound.
    pub proven: bool,
    /// What exchanging the two points makes of the value.
    pub exchange: Exchange,
}

/// Operations on the two objects of a pair, and the sums of some of the values that they make.
///
/// ```
/// use std::sync::Arc;
/// use albireo::engine::{Cpu, Silent};
/// use albireo::tally::{CountSpec, End, Exchange, Operation, OperationList, PairProgram, PairSum, Sum};
/// use albireo::particles::Column;
/// use albireo::{Domain, Edges, Engine, Naive, PairJob, Pairs, Particles, Points, RBins};
/// // The product of a mark of both.
/// let mut operations = OperationList::default();
/// let [i, j] = [End::First, End::Second].map(|end| operations.push(Operation::Column(end, 0)));
/// let value = operations.push(Operation::Multiply(i, j));
/// let product = PairSum { name: "m".to_owned(), value, bound: 6.0, proven: true, exchange: Exchange::Even };
/// let program = Arc::new(PairProgram::new(&operations, vec![product])?);
///
/// let points = Points::from_rows(&[[0.0; 3], [1.0, 0.0, 0.0], [3.0, 0.0, 0.0]])?;
/// let sample = Particles::new(points).with_columns(vec![Column::from(vec![1.0, 2.0, 3.0])])?;
/// let job = PairJob::new(Pairs::Auto(&sample), &Domain::Open)?;
/// let what = CountSpec::new(RBins::new(Edges::linear(0.0, 4.0, 2)?)).with_program(program);
/// let tally = Naive.run(&job, &what, &Silent)?;
/// assert_eq!(tally, Cpu::new().run(&job, &what, &Silent)?);
/// assert_eq!(tally.real_sum(0, what.exponent(&Sum::Expression(0), job.pairs())), [2.0, 9.0]);
/// # Ok::<(), albireo::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct PairProgram {
    operations: Vec<Operation>,
    sums: Vec<PairSum>,
}

impl PairProgram {
    /// The sums of these values of `operations`.
    ///
    /// # Errors
    /// No sum or too many, too many operations or columns, values that are not made before they are taken, bounds out of range, or a name
    /// given twice.
    pub fn new(operations: &OperationList, sums: Vec<PairSum>) -> Result<Self, ProgramError> {
        let operations = operations.list().to_vec();
        check_operations(&operations)?;
        check_sums(&sums, operations.len())?;
        Ok(Self { operations, sums })
    }

    /// All operations, in order.
    pub fn operations(&self) -> &[Operation] {
        &self.operations
    }

    /// The sums.
    pub fn sums(&self) -> &[PairSum] {
        &self.sums
    }

    /// Columns that are taken of an object.
    pub fn n_columns(&self, of: End) -> usize {
        let number = |operation: &Operation| match *operation {
            Operation::Column(end, at) if end == of => usize::from(at) + 1,
            _ => 0,
        };
        self.operations.iter().map(number).max().unwrap_or(0)
    }

    /// The value of sum number `at` for a pair, whose columns `column` has.
    pub fn value(&self, at: usize, sep: &Separation, column: impl Fn(End, usize) -> f64) -> f64 {
        evaluate(&self.operations, self.sums[at].value, sep, column)
    }

    /// What is summed of a pair: the value of sum number `at` over the power of two above its bound, or none where it is no number within it.
    pub(crate) fn term(
        &self,
        at: usize,
        sep: &Separation,
        column: impl Fn(End, usize) -> f64,
    ) -> Option<f64> {
        let value = self.value(at, sep, column);
        let sum = &self.sums[at];
        (value.abs() <= sum.bound).then(|| scaled(value, sum.exponent()))
    }
}

/// Operations up to which a value is made in a short table, which costs less to clear for each pair.
const FEW_OPERATIONS: usize = 64;

/// The value that `operations` make for a pair, whose columns `column` has.
pub(crate) fn evaluate(
    operations: &[Operation],
    value: Value,
    sep: &Separation,
    column: impl Fn(End, usize) -> f64,
) -> f64 {
    let operations = &operations[..=value.index()];
    if operations.len() <= FEW_OPERATIONS {
        last_value::<FEW_OPERATIONS>(operations, sep, column)
    } else {
        last_value::<{ MAX_OPERATIONS + MAX_OWN_OPERATIONS }>(operations, sep, column)
    }
}

/// The value of the last of at most `MOST` operations.
fn last_value<const MOST: usize>(
    operations: &[Operation],
    sep: &Separation,
    column: impl Fn(End, usize) -> f64,
) -> f64 {
    let mut values = [0.0; MOST];
    for (k, operation) in operations.iter().enumerate() {
        values[k] = match *operation {
            Operation::Column(end, at) => column(end, at.into()),
            Operation::Difference(axis) => sep.d[usize::from(axis)],
            made => made
                .number(|value| values[value.index()])
                .unwrap_or_default(),
        };
    }
    values[operations.len() - 1]
}

impl PairSum {
    /// The exponent e with `bound < 2^e`.
    pub fn exponent(&self) -> i32 {
        exponent(self.bound)
    }
}

fn check_operations(operations: &[Operation]) -> Result<(), ProgramError> {
    if operations.len() > MAX_OPERATIONS {
        return Err(ProgramError::Operations {
            found: operations.len(),
            most: MAX_OPERATIONS,
        });
    }
    for (k, operation) in operations.iter().enumerate() {
        let late = operation.operands().any(|value| value.index() >= k);
        let far = match *operation {
            Operation::Column(_, at) => usize::from(at) >= MAX_COLUMNS,
            Operation::Difference(axis) => axis > 2,
            _ => false,
        };
        if late || far {
            return Err(ProgramError::Operand { operation: k });
        }
    }
    Ok(())
}

fn check_sums(sums: &[PairSum], n_operations: usize) -> Result<(), ProgramError> {
    if sums.is_empty() || sums.len() > MAX_PAIR_SUMS {
        return Err(ProgramError::Sums {
            found: sums.len(),
            most: MAX_PAIR_SUMS,
        });
    }
    for (k, sum) in sums.iter().enumerate() {
        if sum.value.index() >= n_operations {
            return Err(ProgramError::Operand {
                operation: sum.value.index(),
            });
        }
        let [lo, hi] = BOUNDS;
        if !(lo..=hi).contains(&sum.bound) {
            return Err(ProgramError::Bound {
                name: sum.name.clone(),
                bound: sum.bound,
                lo,
                hi,
            });
        }
        if sums[..k].iter().any(|other| other.name == sum.name) {
            return Err(ProgramError::Twice(sum.name.clone()));
        }
    }
    Ok(())
}
