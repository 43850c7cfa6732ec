//! What sums take of a pair beside its weight, as operations: values of expressions and Legendre polynomials alike, so that one piece of code
//! evaluates both.
//!
//! Entry: [`Evaluated::of`]. What a polynomial is, is defined by [`Legendre::value`]; what is here repeats it operation by operation.

use albireo_simd::fixed_point::scaled;

use crate::binning::LineOfSight;
use crate::separation::Separation;
use crate::tally::{
    CountSpec, End, Legendre, Operation, OperationList, Sum, Value, WeightedSum, evaluate,
};

/// What a sum takes of a pair.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Measure {
    Expression(usize),
    Legendre(Legendre),
}

/// A value with what makes a term of it.
#[derive(Debug, Clone, Copy)]
pub(super) struct Evaluation {
    of: Measure,
    pub(super) value: Value,
    /// A power of two.
    pub(super) scale: f64,
    /// What no value is beyond, or it adds nothing.
    pub(super) bound: f64,
}

/// The operations of a job's sums.
#[derive(Debug, Default)]
pub(super) struct Evaluated {
    list: OperationList,
    values: Vec<Evaluation>,
    /// Columns of an object that come before its position, where that is taken.
    before_positions: Option<usize>,
}

impl Evaluated {
    /// Those of `what`.
    pub(super) fn of(what: &CountSpec) -> Self {
        let mut all = Self::default();
        if let Some(program) = what.program() {
            for &operation in program.operations() {
                all.list.push(operation);
            }
            for (at, sum) in program.sums().iter().enumerate() {
                all.values.push(Evaluation {
                    of: Measure::Expression(at),
                    value: sum.value,
                    scale: scaled(1.0, sum.exponent()),
                    bound: sum.bound,
                });
            }
        }
        let polynomials = what.sums().iter().filter_map(Sum::legendre);
        if let Some(los) = what.bins().line_of_sight() {
            for l in polynomials {
                if all.find(Measure::Legendre(l)).is_none() {
                    let value = all.polynomial(l, los);
                    all.values.push(Evaluation {
                        of: Measure::Legendre(l),
                        value,
                        scale: 1.0,
                        bound: f64::INFINITY,
                    });
                }
            }
        }
        all
    }

    /// Whether nothing is evaluated.
    pub(super) fn is_empty(&self) -> bool {
        self.values.is_empty()
    }

    pub(super) fn operations(&self) -> &[Operation] {
        self.list.list()
    }

    pub(super) fn values(&self) -> &[Evaluation] {
        &self.values
    }

    /// Columns that come before positions: the same number for both objects, which may be of one sample.
    pub(super) fn before_positions(&self) -> Option<usize> {
        self.before_positions
    }

    /// Columns that are taken of an object, positions apart.
    pub(super) fn n_columns(&self, of: End) -> usize {
        let number = |operation: &Operation| match *operation {
            Operation::Column(end, at) if end == of => usize::from(at) + 1,
            _ => 0,
        };
        let most = self.operations().iter().map(number).max().unwrap_or(0);
        self.before_positions
            .map_or(most, |before| most.min(before))
    }

    fn find(&self, measure: Measure) -> Option<usize> {
        self.values.iter().position(|one| one.of == measure)
    }

    /// The number of the value that a sum takes, and whether with the weight.
    pub(super) fn of_sum(&self, sum: &Sum) -> Option<(usize, bool)> {
        let (measure, weighted) = match (sum, sum.weighted()) {
            (_, Some((_, WeightedSum::Expression(k)))) => (Measure::Expression(k), true),
            (_, Some((_, WeightedSum::Legendre(l)))) => (Measure::Legendre(l), true),
            (Sum::Legendre(l), _) => (Measure::Legendre(*l), false),
            _ => return None,
        };
        Some((self.find(measure)?, weighted))
    }

    /// The number of the value that a sum counts the absence of.
    pub(super) fn unbounded(&self, sum: &Sum) -> Option<usize> {
        match sum {
            Sum::Unbounded(k) => self.find(Measure::Expression(*k)),
            _ => None,
        }
    }

    /// The term of value number `at` of a pair, whose columns `column` has; none where it is beyond its bound.
    pub(super) fn term(
        &self,
        at: usize,
        sep: &Separation,
        column: impl Fn(End, usize) -> f64,
    ) -> Option<f64> {
        let Evaluation {
            value,
            scale,
            bound,
            ..
        } = self.values[at];
        let value = evaluate(self.operations(), value, sep, column);
        (value.abs() <= bound).then_some(value * scale)
    }

    /// As [`Legendre::value`], of what [`LineOfSight::cosine2`] finds.
    fn polynomial(&mut self, l: Legendre, los: LineOfSight) -> Value {
        let (m, dl) = self.squared_cosine(los);
        let (factors, scale): (&[f64], f64) = match l {
            Legendre::L0 => return self.list.constant(1.0),
            Legendre::L1 => return self.cosine(m, dl),
            Legendre::L2 => (&[3.0, -1.0], 0.5),
            Legendre::L3 => (&[5.0, -3.0], 0.5),
            Legendre::L4 => (&[35.0, -30.0, 3.0], 0.125),
            Legendre::L5 => (&[63.0, -70.0, 15.0], 0.125),
            Legendre::L6 => (&[231.0, -315.0, 105.0, -5.0], 0.0625),
            Legendre::L7 => (&[429.0, -693.0, 315.0, -35.0], 0.0625),
            Legendre::L8 => (&[6435.0, -12012.0, 6930.0, -1260.0, 35.0], 0.007_812_5),
        };
        let list = &mut self.list;
        let mut value = list.constant(factors[0]);
        for &next in &factors[1..] {
            // A difference is the sum with the negative, to the bit.
            let (product, next) = (
                list.push(Operation::Multiply(value, m)),
                list.constant(next),
            );
            value = list.push(Operation::Add(product, next));
        }
        let scale = list.constant(scale);
        let value = list.push(Operation::Multiply(value, scale));
        if l.is_odd() {
            let cosine = self.cosine(m, dl);
            self.list.push(Operation::Multiply(value, cosine))
        } else {
            value
        }
    }

    /// The squared cosine between a pair and the line of sight, at most 1 and 0 where there is no direction, and what has the sign of the
    /// cosine.
    fn squared_cosine(&mut self, los: LineOfSight) -> (Value, Value) {
        let d = [0, 1, 2].map(|axis| self.list.push(Operation::Difference(axis)));
        let r2 = self.dot(d, d);
        let [zero, one] = [0.0, 1.0].map(|number| self.list.constant(number));
        let is_positive = |list: &mut OperationList, of| list.push(Operation::Less(zero, of));
        let long = is_positive(&mut self.list, r2);
        let (dl, scale, l2) = match los {
            LineOfSight::Fixed(axis) => (d[axis.index()], r2, None),
            LineOfSight::Midpoint | LineOfSight::First | LineOfSight::End => {
                let l = self.line(los);
                let (dl, l2) = (self.dot(d, l), self.dot(l, l));
                (dl, self.list.push(Operation::Multiply(r2, l2)), Some(l2))
            }
        };
        let dl2 = self.list.push(Operation::Multiply(dl, dl));
        let quotient = self.list.push(Operation::Divide(dl2, scale));
        let mut m = self.list.push(Operation::Minimum(quotient, one));
        if let Some(l2) = l2 {
            let seen = is_positive(&mut self.list, l2);
            m = self.list.push(Operation::Where(seen, m, zero));
        }
        (self.list.push(Operation::Where(long, m, zero)), dl)
    }

    /// The line of sight through one of the points or halfway between them, whose length does not matter.
    fn line(&mut self, los: LineOfSight) -> [Value; 3] {
        let before = [End::First, End::Second].map(|end| self.n_columns(end));
        let before = *self
            .before_positions
            .get_or_insert(before[0].max(before[1]));
        [0, 1, 2].map(|axis| {
            let at = (before + axis) as u8;
            let [i, j] = [End::First, End::Second].map(|end| Operation::Column(end, at));
            match los {
                LineOfSight::First => self.list.push(i),
                LineOfSight::End => self.list.push(j),
                LineOfSight::Midpoint | LineOfSight::Fixed(_) => {
                    let (i, j) = (self.list.push(i), self.list.push(j));
                    self.list.push(Operation::Add(i, j))
                }
            }
        })
    }

    /// The cosine of this square.
    fn cosine(&mut self, m: Value, dl: Value) -> Value {
        let zero = self.list.constant(0.0);
        let root = self.list.push(Operation::Root(m));
        let negative = self.list.push(Operation::Less(dl, zero));
        let turned = self.list.push(Operation::Subtract(zero, root));
        self.list.push(Operation::Where(negative, turned, root))
    }

    fn dot(&mut self, u: [Value; 3], v: [Value; 3]) -> Value {
        let [x, y, z] = [0, 1, 2].map(|k| self.list.push(Operation::Multiply(u[k], v[k])));
        let sum = self.list.push(Operation::Add(x, y));
        self.list.push(Operation::Add(sum, z))
    }
}
