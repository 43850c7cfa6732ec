//! Comparisons of typed values.
//!
//! Entry: [`compared`], [`is_like`]. Integers and floats of any size compare exactly.

#![allow(clippy::cast_possible_truncation, reason = "a whole float below 2^127")]

use std::borrow::Cow;
use std::cmp::Ordering;

use super::tree::Relation;
use super::values::{Run, Values};

/// Which rows hold to a comparison; what is missing means nothing.
pub(super) fn compared(relation: Relation, a: &Values<'_>, b: &Values<'_>) -> Run<'static, bool> {
    fn by<T: PartialOrd + Clone>(
        relation: Relation,
        a: &Run<'_, T>,
        b: &Run<'_, T>,
    ) -> Run<'static, bool> {
        match relation {
            Relation::Equal => a.zip(b, |a, b| a == b),
            Relation::NotEqual => a.zip(b, |a, b| a != b),
            Relation::Less => a.zip(b, |a, b| a < b),
            Relation::LessEqual => a.zip(b, |a, b| a <= b),
            Relation::Greater => a.zip(b, |a, b| a > b),
            Relation::GreaterEqual => a.zip(b, |a, b| a >= b),
        }
    }
    let holds = |order: Option<Ordering>| match relation {
        Relation::Equal => order == Some(Ordering::Equal),
        Relation::NotEqual => order != Some(Ordering::Equal),
        Relation::Less => order == Some(Ordering::Less),
        Relation::LessEqual => order.is_some_and(Ordering::is_le),
        Relation::Greater => order == Some(Ordering::Greater),
        Relation::GreaterEqual => order.is_some_and(Ordering::is_ge),
    };
    match (a, b) {
        (Values::Floats(a), Values::Floats(b)) => by(relation, a, b),
        (Values::Texts(a), Values::Texts(b)) => by(relation, a, b),
        (Values::Floats(a), other) => match integers(other) {
            Some(b) => a.zip(&b, |&a, &b| holds(order(b, a).map(Ordering::reverse))),
            None => Run::One(false),
        },
        (other, Values::Floats(b)) => match integers(other) {
            Some(a) => a.zip(b, |&a, &b| holds(order(a, b))),
            None => Run::One(false),
        },
        (a, b) => match (integers(a), integers(b)) {
            (Some(a), Some(b)) => by(relation, &a, &b),
            _ => Run::One(false),
        },
    }
}

/// Whether a text is as a pattern says: `*` and `%` stand for any characters, `?` for one.
pub(super) fn is_like(text: &str, pattern: &str) -> bool {
    let (text, pattern): (Vec<char>, Vec<char>) =
        (text.chars().collect(), pattern.chars().collect());
    let (mut at, mut of) = (0, 0);
    // The last star, and how far it reaches so far.
    let mut star: Option<(usize, usize)> = None;
    while at < text.len() {
        match pattern.get(of) {
            Some('*' | '%') => {
                star = Some((of, at));
                of += 1;
            }
            Some(&c) if c == '?' || c == text[at] => {
                at += 1;
                of += 1;
            }
            _ => match &mut star {
                None => return false,
                Some((place, reach)) => {
                    *reach += 1;
                    (at, of) = (*reach, *place + 1);
                }
            },
        }
    }
    pattern[of..].iter().all(|c| matches!(c, '*' | '%'))
}

/// How an integer compares with a float, exactly.
fn order(integer: i128, float: f64) -> Option<Ordering> {
    /// 2^127, the first float beyond all integers.
    const BEYOND: f64 = 170_141_183_460_469_231_731_687_303_715_884_105_728.0;
    if float.is_nan() {
        return None;
    }
    if float >= BEYOND {
        return Some(Ordering::Less);
    }
    if float < -BEYOND {
        return Some(Ordering::Greater);
    }
    let whole = libm::trunc(float);
    let rest = float - whole;
    Some(
        integer
            .cmp(&(whole as i128))
            .then_with(|| 0.0_f64.partial_cmp(&rest).unwrap_or(Ordering::Equal)),
    )
}

/// Integers, or conditions as 0 and 1.
pub(super) fn integers<'a>(values: &'a Values<'_>) -> Option<Run<'a, i128>> {
    Some(match values {
        Values::Integers(Run::One(value)) => Run::One(*value),
        Values::Integers(Run::Each(values)) => Run::Each(Cow::Borrowed(values)),
        Values::Bools(values) => values.map(|&v| i128::from(v)),
        Values::Floats(_) | Values::Texts(_) => return None,
    })
}
