//! Functions of expressions that read a file of their own, such as `in_pixels("mask.fits", RA, DEC)`.
//!
//! Entry: [`FileFunctions`], which whoever asks for columns hands over: what such files mean is known there, not here.

use std::fmt::{self, Debug};
use std::sync::Arc;

/// A number that a function takes.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Argument {
    /// A whole number, exact.
    Integer(i128),
    /// Any other.
    Float(f64),
}

/// A function whose file has been read.
pub trait FileFunction: Debug + Send + Sync {
    /// Its value for the numbers of a row; conditions give 0 or 1.
    ///
    /// # Errors
    /// What was expected of the numbers.
    fn value(&self, numbers: &[Argument]) -> Result<f64, &'static str>;
}

/// What reads the files of functions.
pub trait FileFunctions: Debug + Send + Sync {
    /// The function of this name with these texts, and with numbers that read so in the expression.
    ///
    /// # Errors
    /// Why its file cannot be read, with what to do.
    fn open(
        &self,
        name: &str,
        texts: &[&str],
        numbers: &[String],
    ) -> Result<Arc<dyn FileFunction>, String>;
}

impl Argument {
    /// The nearest float64.
    pub fn float(self) -> f64 {
        match self {
            Self::Integer(value) => value as f64,
            Self::Float(value) => value,
        }
    }
}

impl fmt::Display for Argument {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Integer(value) => write!(f, "{value}"),
            Self::Float(value) => write!(f, "{value}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::expression::bind::{Bound, Located, Table, Type, Unfit, bind};
    use crate::expression::evaluate::{Rows, condition};
    use crate::expression::values::{Column, Run, Values};
    use crate::expression::{Expression, NoResult};

    /// Whether a whole number and another make 1.
    #[derive(Debug)]
    struct SumIsOne;

    impl FileFunction for SumIsOne {
        fn value(&self, numbers: &[Argument]) -> Result<f64, &'static str> {
            match numbers {
                [Argument::Integer(a), b] => Ok(f64::from(*a as f64 + b.float() == 1.0)),
                _ => Err("a whole number"),
            }
        }
    }

    /// Columns `i` (integers, the second missing), `f` (floats) and `t` (texts).
    struct Sample;

    impl Table for Sample {
        type Error = String;

        fn locate(&mut self, column: &str) -> Result<Located, String> {
            let position = ["i", "f", "t"].iter().position(|name| *name == column);
            let position = position.ok_or("no such column")?;
            Ok(Located {
                position,
                of: [Type::Number, Type::Number, Type::Text][position],
                labels: Vec::new(),
                dtype: "some".to_owned(),
            })
        }

        fn comparable(&self, _: &str, _: &Located) -> String {
            String::new()
        }

        fn open(
            &self,
            name: &str,
            texts: &[&str],
            numbers: &[String],
        ) -> Result<Arc<dyn FileFunction>, String> {
            match (name, texts, numbers) {
                ("in_pixels", ["sum"], [_, _]) => Ok(Arc::new(SumIsOne)),
                _ => Err("no such file".to_owned()),
            }
        }
    }

    fn bound(text: &str) -> Result<Bound, String> {
        let tree = Expression::parse(text).unwrap().tree;
        bind(text, &tree, &mut Sample).map_err(|unfit| match unfit {
            Unfit::Column(error) => error,
            Unfit::Expression(error) => error.to_string(),
        })
    }

    fn kept(text: &str) -> Result<Vec<bool>, NoResult> {
        let integers = [-7, 0, 6, 1].map(i128::from).to_vec();
        let missing = vec![false, true, false, false];
        let columns = [
            Column {
                values: Values::Integers(Run::Each(integers.into())),
                missing: Some(missing.into()),
            },
            Column::of(Values::Floats(Run::Each(vec![8.0, 1.0, 0.5, 0.0].into()))),
        ];
        let rows = Rows {
            count: 4,
            columns: &columns,
            live: None,
        };
        condition(&bound(text).unwrap(), rows)
    }

    #[test]
    fn numbers_are_exact_and_rows_that_do_not_matter_are_left_out() {
        let kept_rows = |text: &str| kept(text).unwrap();
        let sum = "in_pixels('sum', i, f)";
        assert_eq!(kept_rows(sum), [true, false, false, true]);
        assert_eq!(
            kept_rows(&format!("not {sum}")),
            [false, false, true, false]
        );
        let refused = kept("in_pixels('sum', f, 1)").unwrap_err();
        assert_eq!((refused.row, refused.expected), (0, "a whole number"));
        assert_eq!(refused.found, "8, 1");
        // None of the rows that are left has a number that it refuses.
        assert_eq!(kept_rows("false && in_pixels('sum', f, 1)"), [false; 4]);
    }

    #[test]
    fn texts_and_numbers_have_their_places() {
        for (text, part) in [
            (
                "in_pixels(i, i, f)",
                "at character 11 of `in_pixels(i, i, f)`: expected a text in in_pixels, between quotes, found i",
            ),
            (
                "in_pixels('m', i, f)",
                "at character 11 of `in_pixels('m', i, f)`: expected a file that in_pixels reads (no such file), found \"m\"",
            ),
            ("in_pixels('sum', t, f)", "expected a number, found text"),
        ] {
            let message = bound(text).unwrap_err();
            assert!(message.contains(part), "{text}: {message}");
        }
    }
}
