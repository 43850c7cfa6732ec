//! Sums of expressions as text for devices: the operations of a program, written down one after the other, and what each sum adds.
//!
//! Entry: [`Written::of`]. What an operation is there stands in `kernels/operations.cuh`, what the text stands in in `kernels/ops/terms.cuh`.
//! Constants, bounds and scales are numbers that it is given, so that programs that differ in these alone are compiled once.

use std::fmt::Write;

use albireo_simd::fixed_point::scaled;

use crate::tally::{End, Operation, PairProgram, Sum, Value};

/// The sums of a program as statements of C++.
#[derive(Debug, Clone, PartialEq, Default)]
pub(super) struct Written {
    /// With `p[0]`, `p[1]`.. for constants.
    pub(super) statements: String,
    pub(super) constants: Vec<f64>,
}

impl Written {
    /// All of `sums`, those of the expressions of `program` and others, whose numbers `kinds` has.
    pub(super) fn of(program: &PairProgram, sums: &[Sum], kinds: &[u32]) -> Self {
        let mut written = Self::default();
        for (k, operation) in program.operations().iter().enumerate() {
            let value = written.value(*operation);
            written.state(format_args!("const double v{k} = {value};"));
        }
        for (k, sum) in program.sums().iter().enumerate() {
            let bound = written.constant(sum.bound);
            // A power of two, and normal.
            let scale = written.constant(scaled(1.0, sum.exponent()));
            let value = sum.value.index();
            written.state(format_args!(
                "const Value b{k} = bounded(v{value}, {bound}, {scale});"
            ));
        }
        for (at, (sum, kind)) in sums.iter().zip(kinds).enumerate() {
            match (sum, sum.expression()) {
                (Sum::Unbounded(_), Some(k)) => {
                    written.state(format_args!("if (!b{k}.within) add_to({at}, 1);"));
                }
                (sum, Some(k)) => {
                    let word = if sum.is_rest() { "rest" } else { "product" };
                    written.state(format_args!(
                        "add_to({at}, fixed_{word}(weight, b{k}.term));"
                    ));
                }
                (_, None) => written.state(format_args!(
                    "add_to({at}, term_of({kind}, weight, coordinate, cosine));"
                )),
            }
        }
        written
    }

    /// What an operation makes.
    fn value(&mut self, operation: Operation) -> String {
        let name = match operation {
            Operation::Constant(bits) => return self.constant(f64::from_bits(bits)),
            Operation::Column(End::First, at) => return format!("column_of(job.first, i, {at})"),
            Operation::Column(End::Second, at) => return format!("column_of(job.second, j, {at})"),
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
    use crate::tally::{Exchange, OperationList, PairSum, WeightedSum};

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
        let sums = [
            Sum::Product,
            Sum::Expression(0),
            Sum::Rest(0, WeightedSum::Expression(0)),
            Sum::Unbounded(0),
        ];
        Written::of(&program, &sums, &[1, 0, 0, 0])
    }

    #[test]
    fn a_program_is_written_operation_by_operation_and_sum_by_sum() {
        let one = written(2.5, 3.0);
        let expected = [
            "const double v0 = p[0];",
            "const double v1 = column_of(job.first, i, 1);",
            "const double v2 = column_of(job.second, j, 1);",
            "const double v3 = pair.d.z;",
            "const double v4 = less(v1, v3);",
            "const double v5 = where_positive(v4, v2, v0);",
            "const Value b0 = bounded(v5, p[1], p[2]);",
            "add_to(0, term_of(1, weight, coordinate, cosine));",
            "add_to(1, fixed_product(weight, b0.term));",
            "add_to(2, fixed_rest(weight, b0.term));",
            "if (!b0.within) add_to(3, 1); ",
        ];
        assert_eq!(one.statements, expected.join(" "));
        assert_eq!(one.constants, [2.5, 3.0, 0.25]);
        // Other numbers are no other text.
        let other = written(-1.0, 1e9);
        assert_eq!(one.statements, other.statements);
        assert_ne!(one.constants, other.constants);
    }
}
