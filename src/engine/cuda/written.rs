//! Sums over pairs as text for devices: the operations of a program, written down one after the other, and what is added to each sum.
//!
//! Entry: [`Written::of`]. What an operation is there stands in `kernels/operations.cuh`, what the text stands in in `kernels/ops/terms.cuh`.
//! Constants, bounds and scales are numbers that it is given, so that programs that differ in these alone are compiled once.

use std::fmt::Write;

use albireo_gpu::CudaError;
use albireo_simd::fixed_point::scaled;

use crate::tally::{CountSpec, End, Operation, PairProgram, Sum, Value};

/// The sums of a count as statements of C++.
#[derive(Debug, Clone, PartialEq, Default)]
pub(super) struct Written {
    /// With `p[0]`, `p[1]`.. for constants.
    pub(super) statements: String,
    pub(super) constants: Vec<f64>,
}

/// What the weight of a pair is multiplied by in a sum that is not of an expression.
///
/// # Errors
/// Sums that there is no kernel for.
fn value_of(sum: &Sum) -> Result<String, CudaError> {
    let by_first_set = match sum {
        Sum::Rest(0, of) => Sum::OfSet(1, *of).of_set(0),
        other => other.clone(),
    };
    match by_first_set {
        Sum::Product => Ok("1.0".to_owned()),
        Sum::Separation | Sum::WeightedSeparation => Ok("coordinate".to_owned()),
        Sum::Legendre(l) | Sum::WeightedLegendre(l) => {
            Ok(format!("legendre({}, cosine)", l.degree()))
        }
        Sum::OfSet(..) | Sum::Rest(..) => {
            Err(CudaError::Unsupported("several sets of weights in a pass"))
        }
        other => Err(CudaError::Unsupported(other.name())),
    }
}

impl Written {
    /// All sums of `what`.
    ///
    /// # Errors
    /// Sums that there is no kernel for.
    pub(super) fn of(what: &CountSpec) -> Result<Self, CudaError> {
        let mut written = Self::default();
        if let Some(program) = what.program() {
            written.operations(program);
        }
        for (at, sum) in what.sums().iter().enumerate() {
            let value = match (sum, sum.expression()) {
                (Sum::Unbounded(_), Some(k)) => {
                    written.state(format_args!("count_in({at}, !b{k}.within);"));
                    continue;
                }
                (_, Some(k)) => format!("b{k}.term"),
                (_, None) => value_of(sum)?,
            };
            let word = if sum.is_rest() { "rest" } else { "product" };
            let weight = if sum.is_weighted() { "weight" } else { "1.0" };
            written.state(format_args!(
                "add_to({at}, fixed_{word}({weight}, {value}));"
            ));
        }
        Ok(written)
    }

    /// The operations of a program, and what they make within its bound.
    fn operations(&mut self, program: &PairProgram) {
        for (k, operation) in program.operations().iter().enumerate() {
            let value = self.value(*operation);
            self.state(format_args!("const double v{k} = {value};"));
        }
        for (k, sum) in program.sums().iter().enumerate() {
            let bound = self.constant(sum.bound);
            // A power of two, and normal.
            let scale = self.constant(scaled(1.0, sum.exponent()));
            let value = sum.value.index();
            self.state(format_args!(
                "const Value b{k} = bounded(v{value}, {bound}, {scale});"
            ));
        }
    }

    /// What an operation makes.
    fn value(&mut self, operation: Operation) -> String {
        let name = match operation {
            Operation::Constant(bits) => return self.constant(f64::from_bits(bits)),
            Operation::Column(End::First, at) => return format!("rows.first.column[{at}]"),
            Operation::Column(End::Second, at) => return format!("rows.second.column[{at}]"),
            Operation::Difference(axis) => {
                return format!("pair.d.{}", ["x", "y", "z"][usize::from(axis)]);
            }
            Operation::Add(..) => "add",
            Operation::Subtract(..) => "subtract",
            Operation::Multiply(..) => "multiply",
            Operation::Divide(..) => "divide",
            Operation::Root(_) => "square_root",
            Operation::Minimum(..) => "smaller",
            Operation::Maximum(..) => "greater",
            Operation::Less(..) => "less",
            Operation::AtMost(..) => "at_most",
            Operation::Where(..) => "where_positive",
        };
        let operand = |value: Value| format!("v{}", value.index());
        let operands: Vec<String> = operation.operands().map(operand).collect();
        format!("{name}({})", operands.join(", "))
    }

    fn constant(&mut self, number: f64) -> String {
        self.constants.push(number);
        format!("p[{}]", self.constants.len() - 1)
    }

    fn state(&mut self, statement: std::fmt::Arguments<'_>) {
        // Writing to a string does not fail.
        let _ = write!(self.statements, "{statement} ");
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a failed unwrap is a failed test")]
mod tests {
    use super::*;
    use crate::binning::{Edges, RBins};
    use crate::tally::{Exchange, OperationList, PairSum};

    fn written(factor: f64, bound: f64) -> Written {
        let mut operations = OperationList::default();
        let factor = operations.constant(factor);
        let [i, j] =
            [End::First, End::Second].map(|end| operations.push(Operation::Column(end, 1)));
        let z = operations.push(Operation::Difference(2));
        let less = operations.push(Operation::Less(i, z));
        let value = operations.push(Operation::Where(less, j, factor));
        let sum = PairSum {
            name: "m".to_owned(),
            value,
            bound,
            proven: false,
            exchange: Exchange::Neither,
        };
        let program = PairProgram::new(&operations, vec![sum]).unwrap();
        let bins = RBins::new(Edges::linear(0.0, 1.0, 2).unwrap());
        let what = CountSpec::new(bins).with_weights();
        Written::of(&what.with_program(program.into())).unwrap()
    }

    #[test]
    fn a_program_is_written_operation_by_operation_and_sum_by_sum() {
        let one = written(2.5, 3.0);
        let expected = [
            "const double v0 = p[0];",
            "const double v1 = rows.first.column[1];",
            "const double v2 = rows.second.column[1];",
            "const double v3 = pair.d.z;",
            "const double v4 = less(v1, v3);",
            "const double v5 = where_positive(v4, v2, v0);",
            "const Value b0 = bounded(v5, p[1], p[2]);",
            "add_to(0, fixed_product(weight, 1.0));",
            "add_to(1, fixed_product(weight, b0.term));",
            "add_to(2, fixed_rest(weight, b0.term));",
            "count_in(3, !b0.within); ",
        ];
        assert_eq!(one.statements, expected.join(" "));
        assert_eq!(one.constants, [2.5, 3.0, 0.25]);
        // Other numbers are no other text.
        let other = written(-1.0, 1e9);
        assert_eq!(one.statements, other.statements);
        assert_ne!(one.constants, other.constants);
    }
}
