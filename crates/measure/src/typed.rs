//! Whole numbers as people type them, in the words of a command line: 1000000, `1_000_000` or 1e6.
//!
//! Entry: [`with_plain_numbers`], after which the flags read digits alone.

use std::ffi::OsString;

use albireo_catalogs::whole_of_text;
use clap::{Arg, Command};

use crate::flag::Takes;

/// The digits of a whole number; other texts as they are, for the flag to refuse.
fn plain(text: &str) -> String {
    let one = |text: &str| whole_of_text(text).map_or(text.to_owned(), |number| number.to_string());
    text.split(',').map(one).collect::<Vec<_>>().join(",")
}

/// The flag that a word is, with what stands before its value in the same word.
fn flag<'a, 'w>(command: &'a Command, word: &'w str) -> Option<(&'a Arg, Option<&'w str>)> {
    let (name, value) = match word.split_once('=') {
        Some((name, value)) => (name, Some(value)),
        None => (word, None),
    };
    let is_named = |arg: &&Arg| match (name.strip_prefix("--"), name.strip_prefix('-')) {
        (Some(long), _) => {
            let mut others = arg.get_all_aliases().into_iter().flatten();
            arg.get_long() == Some(long) || others.any(|other| other == long)
        }
        (None, Some(short)) => arg.get_short().is_some_and(|c| short == c.to_string()),
        (None, None) => false,
    };
    let found = command.get_arguments().find(is_named)?;
    (Takes::of(found) == Takes::Integer).then_some((found, value))
}

/// The words of a command line of `command`, with the values of its flags of whole numbers in digits.
pub(crate) fn with_plain_numbers(command: &Command, words: &[OsString]) -> Vec<OsString> {
    let mut is_value = false;
    let plain_word = |word: &OsString| {
        let Some(text) = word.to_str() else {
            is_value = false;
            return word.clone();
        };
        if std::mem::take(&mut is_value) {
            return plain(text).into();
        }
        match flag(command, text) {
            Some((_, Some(value))) => {
                let name = &text[..text.len() - value.len()];
                format!("{name}{}", plain(value)).into()
            }
            Some((arg, None)) => {
                is_value = !arg.is_require_equals_set();
                word.clone()
            }
            None => word.clone(),
        }
    };
    words.iter().map(plain_word).collect()
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory;

    use super::*;
    use crate::Cli;

    #[test]
    fn values_of_integers_alone_are_made_plain() {
        let program = Cli::command();
        for (command, line, expected) in [
            (
                "randoms",
                "-n 1e6 --box 1e3 -o 1e6",
                "-n 1000000 --box 1e3 -o 1e6",
            ),
            (
                "rdf",
                "1e3 --n-bins=1_000 --r-max 1e1",
                "1e3 --n-bins=1000 --r-max 1e1",
            ),
            (
                "xi",
                "--multipoles 0,2e0 --plan 1e2 --plan=1e2",
                "--multipoles 0,2 --plan 1e2 --plan=100",
            ),
            (
                "count",
                "--threads 1.5 --threads",
                "--threads 1.5 --threads",
            ),
            (
                "rdf",
                "--exclude-bonded 1e0 --bonded 1e0",
                "--exclude-bonded 1 --bonded 1",
            ),
        ] {
            let words: Vec<OsString> = line.split(' ').map(Into::into).collect();
            let found = with_plain_numbers(program.find_subcommand(command).unwrap(), &words);
            assert_eq!(found.join(" ".as_ref()).to_str(), Some(expected));
        }
    }
}
