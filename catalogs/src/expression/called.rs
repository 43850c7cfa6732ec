//! What functions make of typed values.
//!
//! Entry: [`call`], and [`chosen`] for `where(c, a, b)`. What is missing in an argument is missing in the result.

use super::compare::integers;
use super::functions::Function;
use super::values::{Column, Missing, Run, Values, either};

/// The values of a function.
pub(super) fn call<'a>(function: Function, parts: &[Column<'a>]) -> Column<'a> {
    let missing = parts
        .iter()
        .fold(None, |all, part| either(all, part.missing.clone()));
    let none = || Run::One(f64::NAN);
    let real = |k: usize| parts.get(k).and_then(Column::floats).unwrap_or_else(none);
    let values = match function {
        Function::Real(_, f) => Values::Floats(real(0).map(|&x| f(x))),
        Function::Pair(_, f) => Values::Floats(real(0).zip(&real(1), |&a, &b| f(a, b))),
        Function::IsNan => Values::Bools(real(0).map(|x| x.is_nan())),
        Function::IsFinite => Values::Bools(real(0).map(|x| x.is_finite())),
        // They are steps of their own.
        Function::InPixels | Function::Lookup | Function::Where => {
            Values::Floats(Run::One(f64::NAN))
        }
        Function::Abs => match parts.first().and_then(|part| integers(&part.values)) {
            Some(values) => Values::Integers(values.map(|&v| v.saturating_abs())),
            None => Values::Floats(real(0).map(|x| x.abs())),
        },
        Function::Min | Function::Max => {
            let least = function == Function::Min;
            let all: Option<Vec<_>> = parts.iter().map(|part| integers(&part.values)).collect();
            if let Some(all) = all {
                Values::Integers(folded(&all, |a, b| if (a < b) == least { *a } else { *b }))
            } else {
                let all: Vec<_> = (0..parts.len()).map(real).collect();
                Values::Floats(folded(&all, |a: &f64, b: &f64| {
                    if a.is_nan() || (a < b) == least && !b.is_nan() {
                        *a
                    } else {
                        *b
                    }
                }))
            }
        }
    };
    Column { values, missing }
}

/// The first of two columns where a condition holds, the second elsewhere: integers where both are.
pub(super) fn chosen(
    holds: &Run<'_, bool>,
    missing: &Missing<'_>,
    [a, b]: [&Column<'_>; 2],
    rows: usize,
) -> Column<'static> {
    fn pick<T: Copy>(
        holds: &Run<'_, bool>,
        a: &Run<'_, T>,
        b: &Run<'_, T>,
        rows: usize,
    ) -> Run<'static, T> {
        let chosen = |row| {
            *if *holds.get(row) {
                a.get(row)
            } else {
                b.get(row)
            }
        };
        Run::Each((0..rows).map(chosen).collect())
    }
    let values = if let (Some(a), Some(b)) = (integers(&a.values), integers(&b.values)) {
        Values::Integers(pick(holds, &a, &b, rows))
    } else {
        let [a, b] = [a, b].map(|column| column.floats().unwrap_or(Run::One(f64::NAN)));
        Values::Floats(pick(holds, &a, &b, rows))
    };
    let is_missing = |row: usize| {
        let side = if *holds.get(row) { a } else { b };
        missing.as_ref().is_some_and(|missing| missing[row]) || side.is_missing(row)
    };
    Column {
        values,
        missing: Some((0..rows).map(is_missing).collect()),
    }
}

fn folded<T: Clone>(all: &[Run<'_, T>], f: impl Fn(&T, &T) -> T) -> Run<'static, T> {
    let first = all[0].map(T::clone);
    all[1..]
        .iter()
        .fold(first, |found, next| found.zip(next, &f))
}
