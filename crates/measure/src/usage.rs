//! Mistakes in how the program is called, which end it with code 2 instead of 1.
//!
//! Entry: [`usage`]; [`is_wrong_call`] tells them from other errors. [`in_words`] is the text of any error.

use std::io;

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

/// The first of these flags that is given.
pub(crate) fn first_given<'a>(flags: &[(bool, &'a str)]) -> Option<&'a str> {
    let mut given = flags.iter().filter(|(given, _)| *given);
    given.next().map(|(_, flag)| *flag)
}

/// Refuses the first of these flags that is given, by what `refusal` says of it.
pub(crate) fn refuse_given(
    flags: &[(bool, &str)],
    refusal: impl FnOnce(&str) -> String,
) -> anyhow::Result<()> {
    match first_given(flags) {
        Some(flag) => Err(usage(refusal(flag))),
        None => Ok(()),
    }
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
