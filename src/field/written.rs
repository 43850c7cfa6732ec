//! A term as text for devices: the operations of its profile, written down one after the other instead of carried out.
//!
//! Entry: [`WrittenTerm`]. So a term has one definition, and devices carry out its operations in its order; what each operation is there
//! stands in `kernels/field/term.cuh`.

use std::cell::RefCell;
use std::fmt;

use super::arithmetic::{Arithmetic, Scalar};
use super::job::FieldJob;
use super::profile::{ForProfile, Profile};
use super::scale::Precision;
use super::term::Term;

/// A term as statements of C++.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct WrittenTerm {
    /// From `r2`, and `p[0]`, `p[1]`.. for constants, up to the value that is returned; the same for all terms of a kind.
    pub(crate) statements: String,
    /// The constants.
    pub(crate) constants: Vec<f64>,
    /// The coefficients of the polynomials that are looked up, if any are.
    pub(crate) table: Vec<f64>,
}

/// What a name in the text stands for.
#[derive(Debug, Clone, Copy)]
enum Value {
    Argument,
    Constant(usize),
    Step(usize),
    Table,
}

impl fmt::Display for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Argument => write!(f, "r2"),
            Self::Constant(k) => write!(f, "p[{k}]"),
            Self::Step(k) => write!(f, "s{k}"),
            Self::Table => write!(f, "t"),
        }
    }
}

/// What is written so far.
#[derive(Default)]
struct Text {
    steps: Vec<String>,
    constants: Vec<f64>,
    table: Vec<f64>,
}

/// Operations that write themselves down.
#[derive(Clone, Copy)]
struct Writing<'a>(&'a RefCell<Text>);

impl Writing<'_> {
    fn step(self, operation: &str, operands: &[Value]) -> Value {
        let mut text = self.0.borrow_mut();
        let number = text.steps.len();
        let operands: Vec<String> = operands.iter().map(Value::to_string).collect();
        let operands = operands.join(", ");
        text.steps.push(format!(
            "const double s{number} = {operation}({operands}); "
        ));
        Value::Step(number)
    }

    fn is_zero(self, value: Value) -> bool {
        let zero = |k: usize| self.0.borrow().constants[k].to_bits() == 0;
        matches!(value, Value::Constant(k) if zero(k))
    }
}

impl Arithmetic for Writing<'_> {
    type D = Value;
    const STEPS: usize = <Scalar as Arithmetic>::STEPS;

    fn splat(self, value: f64) -> Value {
        let constants = &mut self.0.borrow_mut().constants;
        constants.push(value);
        Value::Constant(constants.len() - 1)
    }
    fn add(self, a: Value, b: Value) -> Value {
        self.step("add", &[a, b])
    }
    fn sub(self, a: Value, b: Value) -> Value {
        self.step("subtract", &[a, b])
    }
    fn mul(self, a: Value, b: Value) -> Value {
        self.step("multiply", &[a, b])
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
    fn seed(self, a: Value) -> Value {
        self.step("inverse_root_seed", &[a])
    }
    fn pieces<const N: usize>(self, polynomials: &[[f64; N]], x: Value) -> Value {
        let last = self.splat((polynomials.len() - 1) as f64);
        let mut text = self.0.borrow_mut();
        assert!(text.table.is_empty(), "a term looks up one function");
        text.table.extend(polynomials.iter().flatten());
        drop(text);
        self.step(&format!("piece<{N}>"), &[Value::Table, last, x])
    }
}

/// A profile that is to be written down.
struct Write;

impl ForProfile for Write {
    type Output = Option<WrittenTerm>;

    fn with<P: Profile>(self, profile: P) -> Option<WrittenTerm> {
        if P::PRODUCT {
            return None;
        }
        let text = RefCell::default();
        let value = profile.of(Writing(&text), Value::Argument);
        let Text {
            steps,
            constants,
            table,
        } = text.into_inner();
        Some(WrittenTerm {
            statements: format!("{}return {value};", steps.concat()),
            constants,
            table,
        })
    }
}

impl WrittenTerm {
    /// The profile of a term in float64; none of products over the axes, and of sources with sizes, which devices have no kernels for.
    pub(crate) fn of(term: &Term) -> Option<Self> {
        if term.has_sizes() {
            return None;
        }
        term.with_profile(Write)
    }

    /// The term of a job, where devices have kernels for it.
    pub(crate) fn of_job(job: &FieldJob) -> Option<Self> {
        let double = job.scale().precision == Precision::Double;
        double.then(|| Self::of(job.term())).flatten()
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a failed unwrap is a failed test")]
mod tests {
    use super::*;
    use crate::field::Cutoff;

    #[test]
    fn a_profile_is_written_operation_by_operation() {
        let written = WrittenTerm::of(&Term::top_hat(2.0).unwrap()).unwrap();
        assert_eq!(
            written.statements,
            "const double s0 = where_less(r2, p[0], p[1]); return s0;"
        );
        assert_eq!(written.constants[0], 4.0);
        let smooth = |rc| {
            let term = Term::coulomb(Cutoff::Smooth(rc), 0.1).unwrap();
            WrittenTerm::of(&term).unwrap()
        };
        let (near, far) = (smooth(2.0), smooth(12.0));
        assert!(near.statements.contains("positive(s1); "), "{near:?}");
        // A kind of term is one text: other lengths are other constants.
        assert_eq!(near.statements, far.statements);
        assert_ne!(near.constants, far.constants);
        assert_eq!(near.statements.matches("inverse_root_seed").count(), 1);
        assert_eq!(near.statements.matches("multiply").count(), 3 * 4 + 4);
        let looked_up = WrittenTerm::of(&Term::gaussian(1.0, 6.0).unwrap()).unwrap();
        assert!(
            looked_up.statements.contains("piece<9>(t, "),
            "{looked_up:?}"
        );
        assert_eq!(looked_up.table.len() % 9, 0);
        assert!(WrittenTerm::of(&Term::cloud_in_cell([1.0; 3]).unwrap()).is_none());
        assert!(WrittenTerm::of(&Term::lennard_jones(3.0, 0.5).unwrap()).is_none());
    }
}
