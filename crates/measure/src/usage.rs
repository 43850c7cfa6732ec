//! Mistakes in how the program is called, which end it with code 2 instead of 1.
//!
//! Entry: [`usage`]; [`is_wrong_call`] tells them from other errors. [`in_words`] and [`explained`] are the texts of all errors.

use std::io;
use std::num::{IntErrorKind, ParseFloatError, ParseIntError};

use albireo_samples::SampleError;

/// A combination of flags that has no meaning.
#[derive(Debug)]
pub(crate) struct UsageError(String);

impl std::fmt::Display for UsageError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for UsageError {}

/// An error that says how the program must be called.
pub(crate) fn usage(message: impl Into<String>) -> anyhow::Error {
    UsageError(message.into()).into()
}

/// Whether the error is such a mistake, found here or in one of the libraries.
pub(crate) fn is_wrong_call(error: &anyhow::Error) -> bool {
    #[cfg(feature = "plot")]
    if let Some(error) = error.downcast_ref::<albireo_figures::FigureError>() {
        return error.is_wrong_call();
    }
    match error.downcast_ref::<SampleError>() {
        Some(error) => error.is_wrong_call(),
        None => error.is::<UsageError>(),
    }
}

/// An error with all of its causes, in one line; what the operating system says is in words that say what to do.
pub(crate) fn in_words(error: &anyhow::Error) -> String {
    let word = |cause: &(dyn std::error::Error + 'static)| match cause.downcast_ref::<io::Error>() {
        Some(reason) => albireo_catalogs::in_words(reason),
        None => cause.to_string(),
    };
    let causes: Vec<String> = error.chain().map(word).collect();
    causes.join(": ")
}

/// What a value should have been that the standard library could not read as a number.
fn expected(refusal: &clap::Error) -> Option<(String, String)> {
    let reason = std::error::Error::source(refusal)?;
    let found = reason.to_string();
    if reason.is::<ParseFloatError>() {
        return Some((found, "expected a number, such as 0.5 or 1e-3".to_owned()));
    }
    let Some(whole) = reason.downcast_ref::<ParseIntError>() else {
        // The parser of whole numbers in a range.
        let (_, range) = found.split_once(" is not in ")?;
        let (lo, hi) = range.split_once("..")?;
        let hi = hi.trim_start_matches('=');
        let expected = match hi {
            "" => format!("expected a whole number of {lo} or more"),
            hi => format!("expected a whole number from {lo} to {hi}"),
        };
        return Some((found, expected));
    };
    let expected = match whole.kind() {
        IntErrorKind::Zero => "expected a whole number of 1 or more, found 0",
        IntErrorKind::PosOverflow | IntErrorKind::NegOverflow => {
            "this whole number is out of range: expected a smaller one"
        }
        _ => "expected a whole number, such as 10",
    };
    Some((found, expected.to_owned()))
}

/// What the parser of arguments refuses, with what a value should have been; in colours for a terminal.
pub fn refusal_in_words(refusal: &clap::Error, colours: bool) -> String {
    let text = refusal.render();
    let text = if colours {
        text.ansi().to_string()
    } else {
        text.to_string()
    };
    match expected(refusal) {
        Some((found, expected)) => {
            text.replacen(&format!(": {found}"), &format!(": {expected}"), 1)
        }
        None => text,
    }
}

/// The same in one line.
pub(crate) fn in_a_line(refusal: &clap::Error) -> String {
    let text = refusal_in_words(refusal, false);
    let text = text.trim_start_matches("error: ");
    let words = text.split("\n\n").next().unwrap_or(text).split_whitespace();
    words.collect::<Vec<_>>().join(" ")
}
