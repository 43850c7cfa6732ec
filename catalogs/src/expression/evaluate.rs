//! Expressions over the rows of a block.
//!
//! Entry: [`condition`] and [`numbers`]. Integers stay exact up to 128 bits and are compared with floats exactly. What is missing stays
//! missing in all that is computed from it; conditions follow SQL: missing and false is false, missing or true is true.

#![allow(
    clippy::cast_possible_truncation,
    reason = "bits of 64 as an integer of 128"
)]

use std::borrow::Cow;

use super::bind::{Bound, Step};
use super::called::{call, chosen};
use super::compare::{compared, integers, is_like};
use super::file_function::{Argument, FileFunction};
use super::functions::Function;
use super::tree::{Binary, Relation, Unary};
use super::values::{Column, Missing, Run, Values, either};
use crate::numbers::whole_number;

/// A row for which an operation has no result.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct NoResult {
    /// Characters of the expression before the operation.
    pub(crate) at: usize,
    /// The row of the block.
    pub(crate) row: usize,
    pub(crate) expected: &'static str,
    pub(crate) found: String,
}

/// The rows of a block.
#[derive(Clone, Copy)]
pub(crate) struct Rows<'a> {
    pub(crate) count: usize,
    /// The columns that places mean.
    pub(crate) columns: &'a [Column<'a>],
    /// Rows that matter: the others may have no result.
    pub(crate) live: Option<&'a [bool]>,
}

type Evaluated<'a> = Result<Column<'a>, NoResult>;

/// Which rows hold to a condition; where it is missing they do not.
pub(crate) fn condition(bound: &Bound, rows: Rows<'_>) -> Result<Vec<bool>, NoResult> {
    let column = evaluate(bound, rows)?;
    let (holds, missing) = truth(bound.at, column, rows)?;
    let mut mask = match holds {
        Run::One(value) => vec![value; rows.count],
        Run::Each(values) => values.into_owned(),
    };
    if let Some(missing) = missing {
        mask.iter_mut()
            .zip(missing.iter())
            .for_each(|(holds, missing)| *holds &= !missing);
    }
    Ok(mask)
}

/// The values of an expression.
pub(crate) fn numbers<'a>(bound: &Bound, rows: Rows<'a>) -> Evaluated<'a> {
    evaluate(bound, rows)
}

fn evaluate<'a>(bound: &Bound, rows: Rows<'a>) -> Evaluated<'a> {
    let values = match &bound.step {
        Step::Integer(value) => Values::Integers(Run::One(*value)),
        Step::Float(value) => Values::Floats(Run::One(*value)),
        Step::Text(text) => Values::Texts(Run::One(text.clone())),
        Step::Bool(value) => Values::Bools(Run::One(*value)),
        Step::Place(position) => return Ok(borrowed(&rows.columns[*position])),
        Step::Unary(Unary::Not, part) => {
            let (holds, missing) = truth(part.at, evaluate(part, rows)?, rows)?;
            let values = Values::Bools(holds.map(|holds| !holds));
            return Ok(Column { values, missing });
        }
        Step::Unary(operator, part) => {
            return unary(*operator, bound.at, evaluate(part, rows)?, rows);
        }
        Step::Binary(operator, left, right) => {
            let (a, b) = (evaluate(left, rows)?, evaluate(right, rows)?);
            return binary(*operator, bound.at, &a, &b, rows);
        }
        Step::Compare(relation, left, right) => {
            let (a, b) = (evaluate(left, rows)?, evaluate(right, rows)?);
            let values = Values::Bools(compared(*relation, &a.values, &b.values));
            let missing = either(a.missing, b.missing);
            return Ok(Column { values, missing });
        }
        Step::In(part, list) => return within(&evaluate(part, rows)?, list, rows),
        Step::Like(part, pattern) => {
            let column = evaluate(part, rows)?;
            let values = match &column.values {
                Values::Texts(texts) => Values::Bools(texts.map(|text| is_like(text, pattern))),
                _ => Values::Bools(Run::One(false)),
            };
            let missing = column.missing;
            return Ok(Column { values, missing });
        }
        Step::IsNull(part) => match evaluate(part, rows)?.missing {
            None => Values::Bools(Run::One(false)),
            Some(missing) => Values::Bools(Run::Each(missing)),
        },
        Step::Call(Function::Where, parts) => return choice(parts, rows),
        Step::Call(function, parts) => {
            let parts = parts.iter().map(|part| evaluate(part, rows));
            return Ok(call(*function, &parts.collect::<Result<Vec<_>, _>>()?));
        }
        Step::OfFile(function, is_condition, parts) => {
            let parts = parts.iter().map(|part| evaluate(part, rows));
            let parts = parts.collect::<Result<Vec<_>, _>>()?;
            return of_file((&**function, *is_condition), bound.at, &parts, rows);
        }
        Step::All(parts) => return joined(parts, false, rows),
        Step::Any(parts) => return joined(parts, true, rows),
    };
    Ok(Column::of(values))
}

/// The same values, not copied.
fn borrowed<'a>(column: &'a Column<'a>) -> Column<'a> {
    fn run<'a, T: Clone>(run: &'a Run<'a, T>) -> Run<'a, T> {
        match run {
            Run::One(value) => Run::One(value.clone()),
            Run::Each(values) => Run::Each(Cow::Borrowed(values)),
        }
    }
    Column {
        values: match &column.values {
            Values::Floats(values) => Values::Floats(run(values)),
            Values::Integers(values) => Values::Integers(run(values)),
            Values::Bools(values) => Values::Bools(run(values)),
            Values::Texts(values) => Values::Texts(run(values)),
        },
        missing: column.missing.as_deref().map(Cow::Borrowed),
    }
}

impl Rows<'_> {
    /// Refuses the first row that matters where `find` finds something.
    fn refuse(
        &self,
        at: usize,
        missing: &Missing<'_>,
        expected: &'static str,
        find: impl Fn(usize) -> Option<String>,
    ) -> Result<(), NoResult> {
        let matters = |row: &usize| {
            self.live.is_none_or(|live| live[*row])
                && missing.as_ref().is_none_or(|missing| !missing[*row])
        };
        for row in (0..self.count).filter(matters) {
            if let Some(found) = find(row) {
                return Err(NoResult {
                    at,
                    row,
                    expected,
                    found,
                });
            }
        }
        Ok(())
    }
}

/// Conditions, or integers other than 0.
fn truth<'a>(
    at: usize,
    column: Column<'a>,
    rows: Rows<'_>,
) -> Result<(Run<'a, bool>, Missing<'a>), NoResult> {
    let holds = match column.values {
        Values::Bools(values) => return Ok((values, column.missing)),
        Values::Integers(values) => values.map(|&v| v != 0),
        Values::Floats(values) => {
            let expected = "a condition (or an integer, 0 for false)";
            rows.refuse(at, &column.missing, expected, |row| {
                let value = *values.get(row);
                (value.fract() != 0.0 || value.is_nan()).then(|| value.to_string())
            })?;
            values.map(|&v| v != 0.0)
        }
        Values::Texts(_) => Run::One(false),
    };
    Ok((holds, column.missing))
}

/// Numbers where a condition holds, and others where it does not: each for its own rows alone.
fn choice<'a>(parts: &[Bound], rows: Rows<'a>) -> Evaluated<'a> {
    let (holds, missing) = truth(parts[0].at, evaluate(&parts[0], rows)?, rows)?;
    let live = |wanted: bool| -> Vec<bool> {
        let matters = |row: usize| rows.live.is_none_or(|live| live[row]);
        (0..rows.count)
            .map(|row| matters(row) && *holds.get(row) == wanted)
            .collect()
    };
    let [first, second] = [live(true), live(false)];
    let of = |part, live| {
        let live = Some(live);
        evaluate(part, Rows { live, ..rows })
    };
    let (a, b) = (of(&parts[1], &first)?, of(&parts[2], &second)?);
    Ok(chosen(&holds, &missing, [&a, &b], rows.count))
}

/// `&&` (`stop` is false) or `||` (`stop` is true) of conditions, in the logic of three values.
fn joined<'a>(parts: &[Bound], stop: bool, rows: Rows<'a>) -> Evaluated<'a> {
    // Rows that are decided, and rows where something is missing.
    let mut decided = vec![false; rows.count];
    let mut unknown: Option<Vec<bool>> = None;
    for part in parts {
        let live: Vec<bool> = match rows.live {
            None => decided.iter().map(|decided| !decided).collect(),
            Some(live) => live
                .iter()
                .zip(&decided)
                .map(|(live, decided)| *live && !decided)
                .collect(),
        };
        let rows_left = Rows {
            live: Some(&live),
            ..rows
        };
        let (holds, missing) = truth(part.at, evaluate(part, rows_left)?, rows_left)?;
        match (&holds, &missing) {
            (Run::Each(holds), None) => {
                decided
                    .iter_mut()
                    .zip(holds.iter())
                    .for_each(|(d, h)| *d |= *h == stop);
            }
            _ => (0..rows.count).for_each(|row| {
                let known = missing.as_ref().is_none_or(|missing| !missing[row]);
                decided[row] |= known && *holds.get(row) == stop;
            }),
        }
        if let Some(missing) = missing {
            let unknown = unknown.get_or_insert_with(|| vec![false; rows.count]);
            unknown
                .iter_mut()
                .zip(missing.iter())
                .for_each(|(u, m)| *u |= *m);
        }
    }
    let missing = unknown.map(|unknown| {
        let left = unknown
            .iter()
            .zip(&decided)
            .map(|(unknown, decided)| *unknown && !decided);
        left.collect()
    });
    let values = decided.into_iter().map(|decided| decided == stop);
    Ok(Column {
        values: Values::Bools(Run::Each(values.collect())),
        missing,
    })
}

/// `x in (a, b, ..)`: `x == a || x == b || ..`.
fn within<'a>(column: &Column<'a>, list: &[Bound], rows: Rows<'a>) -> Evaluated<'a> {
    let mut found = vec![false; rows.count];
    let mut unknown = column.missing.clone();
    for value in list {
        let value = evaluate(value, rows)?;
        let equal = compared(Relation::Equal, &column.values, &value.values);
        for (row, found) in found.iter_mut().enumerate() {
            *found |= *equal.get(row) && !value.is_missing(row) && !column.is_missing(row);
        }
        unknown = either(unknown, value.missing);
    }
    let missing = unknown.map(|unknown| {
        let left = unknown
            .iter()
            .zip(&found)
            .map(|(unknown, found)| *unknown && !found);
        left.collect()
    });
    Ok(Column {
        values: Values::Bools(Run::Each(found.into())),
        missing,
    })
}

/// Integers for operations on bits: floats without a fraction are such.
fn bits<'a>(at: usize, column: &'a Column<'_>, rows: Rows<'_>) -> Result<Run<'a, i128>, NoResult> {
    let Values::Floats(values) = &column.values else {
        return Ok(integers(&column.values).unwrap_or(Run::One(0)));
    };
    rows.refuse(at, &column.missing, "an integer", |row| {
        let value = *values.get(row);
        whole_number(value).is_none().then(|| value.to_string())
    })?;
    Ok(values.map(|&v| v as i128))
}

fn unary<'a>(operator: Unary, at: usize, column: Column<'a>, rows: Rows<'a>) -> Evaluated<'a> {
    let values = match (operator, &column.values) {
        // Of truths, not of their bits: all of them would be true.
        (Unary::Complement, Values::Bools(values)) => Values::Bools(values.map(|&v| !v)),
        (Unary::Complement, _) => Values::Integers(bits(at, &column, rows)?.map(|&v| !v)),
        (_, Values::Floats(values)) => Values::Floats(values.map(|&v| -v)),
        // The one integer without a negative takes 128 bits, which no file has and no sum reaches.
        (_, other) => {
            let values = integers(other).unwrap_or(Run::One(0));
            Values::Integers(values.map(|&v| v.saturating_neg()))
        }
    };
    Ok(Column {
        values,
        missing: column.missing,
    })
}

fn binary<'a>(
    operator: Binary,
    at: usize,
    a: &Column<'a>,
    b: &Column<'a>,
    rows: Rows<'a>,
) -> Evaluated<'a> {
    let missing = either(a.missing.clone(), b.missing.clone());
    if let (Values::Bools(x), Values::Bools(y)) = (&a.values, &b.values)
        && matches!(operator, Binary::BitAnd | Binary::BitOr)
    {
        let and = operator == Binary::BitAnd;
        let values = Values::Bools(x.zip(y, |&x, &y| if and { x && y } else { x || y }));
        return Ok(Column { values, missing });
    }
    let exact: fn(i128, i128) -> Option<i128> = match operator {
        Binary::Add => i128::checked_add,
        Binary::Subtract => i128::checked_sub,
        Binary::Multiply => i128::checked_mul,
        Binary::Remainder => modulo,
        Binary::BitAnd => |a, b| Some(a & b),
        Binary::BitOr => |a, b| Some(a | b),
        Binary::Left => |a, b| shift(a, b).and_then(|places| a.checked_mul(1_i128 << places)),
        Binary::Right => |a, b| shift(a, b).map(|places| a >> places),
        Binary::Divide | Binary::Power => return Ok(floats(operator, a, b, missing)),
    };
    let on_bits = matches!(
        operator,
        Binary::BitAnd | Binary::BitOr | Binary::Left | Binary::Right
    );
    let (x, y) = if on_bits {
        (bits(at, a, rows)?, bits(at, b, rows)?)
    } else {
        match (integers(&a.values), integers(&b.values)) {
            (Some(x), Some(y)) => (x, y),
            _ => return Ok(floats(operator, a, b, missing)),
        }
    };
    whole(operator, at, (&x, &y), exact, missing, rows)
}

/// An operation on integers; a remainder by 0 is missing, what takes more than 128 bits is refused.
fn whole<'a>(
    operator: Binary,
    at: usize,
    (x, y): (&Run<'_, i128>, &Run<'_, i128>),
    exact: fn(i128, i128) -> Option<i128>,
    missing: Missing<'a>,
    rows: Rows<'_>,
) -> Evaluated<'a> {
    let none = |row: usize| exact(*x.get(row), *y.get(row)).is_none();
    let missing = if operator == Binary::Remainder {
        let zero = (0..rows.count).map(none).collect::<Vec<bool>>();
        if zero.contains(&true) {
            either(missing, Some(zero.into()))
        } else {
            missing
        }
    } else {
        let expected = match operator {
            Binary::Left | Binary::Right => "a shift by 0 to 63 bits within 128 bits",
            _ => "an integer of at most 128 bits",
        };
        rows.refuse(at, &missing, expected, |row| {
            none(row).then(|| format!("{} {} {}", x.get(row), operator.sign(), y.get(row)))
        })?;
        missing
    };
    let values = Values::Integers(x.zip(y, |&x, &y| exact(x, y).unwrap_or(0)));
    Ok(Column { values, missing })
}

/// The remainder with the sign of the divisor, as in Python; none by 0.
fn modulo(a: i128, b: i128) -> Option<i128> {
    let rest = a.checked_rem(b)?;
    Some(if rest != 0 && (rest < 0) != (b < 0) {
        rest + b
    } else {
        rest
    })
}

fn shift(_: i128, places: i128) -> Option<u32> {
    u32::try_from(places).ok().filter(|places| *places < 64)
}

fn floats<'a>(
    operator: Binary,
    a: &Column<'_>,
    b: &Column<'_>,
    missing: Missing<'a>,
) -> Column<'a> {
    let none = || Run::One(f64::NAN);
    let (x, y) = (
        a.floats().unwrap_or_else(none),
        b.floats().unwrap_or_else(none),
    );
    let values = match operator {
        Binary::Add => x.zip(&y, |x, y| x + y),
        Binary::Subtract => x.zip(&y, |x, y| x - y),
        Binary::Multiply => x.zip(&y, |x, y| x * y),
        Binary::Divide => x.zip(&y, |x, y| x / y),
        Binary::Remainder => x.zip(&y, |&x, &y| {
            let rest = libm::fmod(x, y);
            if rest != 0.0 && (rest < 0.0) != (y < 0.0) {
                rest + y
            } else {
                rest
            }
        }),
        Binary::Power => x.zip(&y, |&x, &y| libm::pow(x, y)),
        Binary::BitAnd | Binary::BitOr | Binary::Left | Binary::Right => Run::One(f64::NAN),
    };
    Column {
        values: Values::Floats(values),
        missing,
    }
}

/// The values of a function that reads a file, for the rows that matter.
fn of_file<'a>(
    (function, is_condition): (&dyn FileFunction, bool),
    at: usize,
    parts: &[Column<'a>],
    rows: Rows<'_>,
) -> Evaluated<'a> {
    let missing = parts
        .iter()
        .fold(None, |all, part| either(all, part.missing.clone()));
    let mut values = vec![0.0; rows.count];
    let mut numbers = Vec::with_capacity(parts.len());
    for (row, value) in values.iter_mut().enumerate() {
        let is_missing = missing.as_ref().is_some_and(|missing| missing[row]);
        if is_missing || rows.live.is_some_and(|live| !live[row]) {
            continue;
        }
        numbers.clear();
        numbers.extend(parts.iter().map(|part| part.argument(row)));
        *value = function.value(&numbers).map_err(|expected| NoResult {
            at,
            row,
            expected,
            found: numbers
                .iter()
                .map(Argument::to_string)
                .collect::<Vec<_>>()
                .join(", "),
        })?;
    }
    let values = if is_condition {
        Values::Bools(Run::Each(values.iter().map(|&v| v != 0.0).collect()))
    } else {
        Values::Floats(Run::Each(values.into()))
    };
    Ok(Column { values, missing })
}
