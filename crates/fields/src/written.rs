//! A term as text for devices: the operations of its profile, written down one after the other instead of carried out.
//!
//! Entry: [`WrittenTerm`]. So a term has one definition, and devices carry out its operations in its order; what each operation is there
//! stands in `kernels/operations.cuh` and `kernels/field/term.cuh`.

use std::cell::RefCell;
use std::fmt;

use albireo_simd::Operations;

use super::arithmetic::{Arithmetic, ROOT_STEPS, ROOT_STEPS_32, RootSteps};
use super::profile::{ForProfile, Profile};
use super::scale::Precision;
use super::term::Term;

/// A term as statements of C++.
#[derive(Debug, Clone, PartialEq, Default)]
pub(crate) struct WrittenTerm {
    /// From `r2`, `strength` and `size`, with `p[0]`, `p[1]`.. for constants and `t` for a table, up to the value that is returned; the same
    /// for all terms of a kind.
    pub(crate) statements: String,
    /// The constants.
    pub(crate) constants: Vec<f64>,
    /// Polynomials that are looked up, coefficient after coefficient.
    pub(crate) table: Vec<f64>,
    /// How many of them there are.
    pub(crate) pieces: usize,
}

/// What a name in the text stands for.
#[derive(Debug, Clone, Copy)]
enum Value {
    Argument(&'static str),
    Constant(usize),
    Step(usize),
}

impl fmt::Display for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Argument(name) => write!(f, "{name}"),
            Self::Constant(k) => write!(f, "p[{k}]"),
            Self::Step(k) => write!(f, "s{k}"),
        }
    }
}

/// What is written so far.
#[derive(Default)]
struct Text {
    term: WrittenTerm,
    steps: usize,
}

/// Operations that write themselves down, of float64 or of float32.
#[derive(Clone, Copy)]
struct Writing<'a, const DOUBLE: bool>(&'a RefCell<Text>);

impl<const DOUBLE: bool> Writing<'_, DOUBLE> {
    fn step(self, operation: &str, operands: &[Value]) -> Value {
        let mut text = self.0.borrow_mut();
        let number = text.steps;
        let operands: Vec<String> = operands.iter().map(Value::to_string).collect();
        let operands = operands.join(", ");
        let statement = format!("const Real s{number} = {operation}({operands}); ");
        text.term.statements.push_str(&statement);
        text.steps += 1;
        Value::Step(number)
    }

    fn is_zero(self, value: Value) -> bool {
        let zero = |k: usize| self.0.borrow().term.constants[k].to_bits() == 0;
        matches!(value, Value::Constant(k) if zero(k))
    }
}

impl<const DOUBLE: bool> Operations for Writing<'_, DOUBLE> {
    type D = Value;

    fn add(self, a: Value, b: Value) -> Value {
        self.step("add", &[a, b])
    }
    fn sub(self, a: Value, b: Value) -> Value {
        self.step("subtract", &[a, b])
    }
    fn mul(self, a: Value, b: Value) -> Value {
        self.step("multiply", &[a, b])
    }
    fn fused(self, a: Value, b: Value, c: Value) -> Value {
        self.step("fused", &[a, b, c])
    }
    fn max(self, a: Value, b: Value) -> Value {
        if self.is_zero(b) {
            return self.step("positive", &[a]);
        }
        self.step("greater", &[a, b])
    }
    fn where_less(self, a: Value, b: Value, value: Value) -> Value {
        self.step("where_less", &[a, b, value])
    }
}

impl<const DOUBLE: bool> Arithmetic for Writing<'_, DOUBLE> {
    const ROOT: RootSteps = if DOUBLE { ROOT_STEPS } else { ROOT_STEPS_32 };

    fn splat(self, value: f64) -> Value {
        let constants = &mut self.0.borrow_mut().term.constants;
        constants.push(value);
        Value::Constant(constants.len() - 1)
    }
    fn seed(self, a: Value) -> Value {
        self.step("inverse_root_seed", &[a])
    }
    /// A term has one table at most.
    fn pieces<const N: usize>(self, polynomials: &[[f64; N]], x: Value) -> Value {
        {
            let term = &mut self.0.borrow_mut().term;
            term.pieces = polynomials.len();
            term.table = polynomials.as_flattened().to_vec();
        }
        self.step(&format!("look_up<{N}>"), &[Value::Argument("t"), x])
    }
}

/// A profile that is to be written down.
struct Write(Precision);

impl ForProfile for Write {
    type Output = WrittenTerm;

    fn with<P: Profile>(self, profile: P) -> WrittenTerm {
        let text = RefCell::default();
        let [r2, strength, size] = ["r2", "strength", "size"].map(Value::Argument);
        let value = match self.0 {
            Precision::Double => profile.term(Writing::<true>(&text), r2, [strength, size]),
            Precision::Single => profile.term(Writing::<false>(&text), r2, [strength, size]),
        };
        let mut term = text.into_inner().term;
        let last = format!("return {value};");
        term.statements.push_str(&last);
        term
    }
}

impl WrittenTerm {
    /// The profile of a term; `r2` of products over the axes is the product, whose factors devices find by themselves.
    pub(crate) fn of(term: &Term, precision: Precision) -> Self {
        term.with_profile(Write(precision))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Cutoff;

    fn written(term: &Term, precision: Precision) -> WrittenTerm {
        WrittenTerm::of(term, precision)
    }

    #[test]
    fn a_profile_is_written_operation_by_operation() {
        let top_hat = written(&Term::top_hat(2.0).unwrap(), Precision::Double);
        assert_eq!(
            top_hat.statements,
            "const Real s0 = where_less(r2, p[0], p[1]); const Real s1 = multiply(strength, s0); return s1;"
        );
        assert_eq!(top_hat.constants[0], 4.0);
        let smooth = |rc, precision| {
            let term = Term::coulomb(Cutoff::Smooth(rc), 0.1).unwrap();
            written(&term, precision)
        };
        let (near, far) = (
            smooth(2.0, Precision::Double),
            smooth(12.0, Precision::Double),
        );
        assert!(near.statements.contains("positive(s0); "), "{near:?}");
        // A kind of term is one text: other lengths are other constants.
        assert_eq!(near.statements, far.statements);
        assert_ne!(near.constants, far.constants);
        assert_eq!(near.statements.matches("inverse_root_seed").count(), 1);
        let products = |of: &WrittenTerm| of.statements.matches("multiply").count();
        let fused = |of: &WrittenTerm| of.statements.matches("fused").count();
        // A seed brought nearer, what is left of it, the series times the strength; the bracket squared, and two products.
        assert_eq!(
            [products(&near), fused(&near)],
            [2 + 1 + 3 + 1 + 2, 3 + 1 + 3 + 1]
        );
        let single = smooth(2.0, Precision::Single);
        assert_eq!(
            [products(&single), fused(&single)],
            [1 + 4 + 1 + 2, 1 + 4 + 1]
        );
    }

    #[test]
    fn tables_go_with_the_text_and_products_over_axes_are_their_argument() {
        let ewald = Term::ewald(0.3, 9.0, 0.1).unwrap();
        let ewald = written(&ewald, Precision::Double);
        assert!(ewald.statements.contains("look_up<8>(t, s"), "{ewald:?}");
        assert_eq!(ewald.table.len(), 8 * ewald.pieces);
        let cloud = written(&Term::cloud_in_cell([1.0; 3]).unwrap(), Precision::Double);
        assert!(cloud.statements.contains("multiply(r2, p[0])"), "{cloud:?}");
    }
}
