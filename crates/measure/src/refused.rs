//! What is said of a command line that the parser of arguments refuses: one line, with what was expected, what was found and what to do.
//!
//! Entry: [`explained`], after which the refusal is its text; [`text_of`] has that text.

use std::ffi::OsString;
use std::num::{IntErrorKind, ParseFloatError, ParseIntError};

use clap::error::{ContextKind, ContextValue, ErrorKind};
use clap::{Arg, Command, Error};

use crate::flag::Takes;
use crate::synonyms;

/// A refusal with the command line that it is about.
struct Refused<'a> {
    refusal: &'a Error,
    program: &'a Command,
    /// The subcommand, and the words that call it.
    command: &'a Command,
    called: String,
    words: &'a [OsString],
}

/// A flag without what stands for its value: `--bins` of `--bins <SPEC>`.
fn name_of(arg: &str) -> &str {
    let name = arg.split([' ', '=', '[']).next().unwrap_or(arg);
    let name = name.trim_end_matches("...");
    if name.starts_with('-') {
        name
    } else {
        arg.trim_end_matches("...")
            .trim_matches(['<', '>', '[', ']'])
    }
}

/// A flag with its value as it is written: `--bins SPEC` of `--bins <SPEC>`.
fn written(arg: &str) -> String {
    arg.trim_end_matches("...").replace(['<', '>'], "")
}

/// Words in a row: `a`, `a and b`, `a, b and c`.
fn listed(words: &[String], and: &str) -> String {
    match words {
        [] => String::new(),
        [one] => one.clone(),
        [all @ .., last] => format!("{} {and} {last}", all.join(", ")),
    }
}

/// What a value should have been that the standard library could not read as a number.
fn expected(reason: &(dyn std::error::Error + 'static)) -> String {
    let found = reason.to_string();
    if reason.is::<ParseFloatError>() {
        return "expected a number, such as 0.5 or 1e-3".to_owned();
    }
    if let Some(whole) = reason.downcast_ref::<ParseIntError>() {
        let expected = match whole.kind() {
            IntErrorKind::Zero => "expected a whole number of 1 or more",
            IntErrorKind::PosOverflow | IntErrorKind::NegOverflow => {
                "this whole number is out of range: expected a smaller one"
            }
            _ => "expected a whole number, such as 10 or 1e6",
        };
        return expected.to_owned();
    }
    // The parser of whole numbers in a range.
    let range = found.split_once(" is not in ").map(|(_, range)| range);
    match range.and_then(|range| range.split_once("..")) {
        Some((lo, "")) => format!("expected a whole number of {lo} or more"),
        Some((lo, hi)) => format!(
            "expected a whole number from {lo} to {}",
            hi.trim_start_matches('=')
        ),
        None => found,
    }
}

impl Refused<'_> {
    fn context(&self, kind: ContextKind) -> Option<&ContextValue> {
        self.refusal.get(kind)
    }

    fn texts(&self, kind: ContextKind) -> Vec<String> {
        match self.context(kind) {
            Some(ContextValue::String(text)) => vec![text.clone()],
            Some(ContextValue::Strings(texts)) => texts.clone(),
            Some(ContextValue::Number(number)) => vec![number.to_string()],
            _ => Vec::new(),
        }
    }

    fn text(&self, kind: ContextKind) -> String {
        self.texts(kind).into_iter().next().unwrap_or_default()
    }

    fn arg(&self) -> String {
        self.text(ContextKind::InvalidArg)
    }

    fn command_name(&self) -> &str {
        self.called.strip_prefix("albireo ").unwrap_or("albireo")
    }

    /// The flag of a name.
    fn flag(&self, name: &str) -> Option<&Arg> {
        let long = name.strip_prefix("--")?;
        let mut all = self.command.get_arguments();
        all.find(|arg| arg.get_long() == Some(long))
    }

    fn is_switch(&self, name: &str) -> bool {
        let flag = self.flag(name);
        flag.is_some_and(|arg| !arg.get_action().takes_values())
    }

    /// The word that was typed, of which the parser names the first letter where one - stands before several.
    fn typed(&self, name: &str) -> String {
        let is_letter = name.len() == 2 && name.starts_with('-');
        let words = self.words.iter().filter_map(|word| word.to_str());
        let mut words = words.filter(|word| is_letter && word.len() > 2 && !word.starts_with("--"));
        let word = words.find(|word| word.starts_with('-') && word[1..].contains(&name[1..]));
        word.map_or_else(
            || name.to_owned(),
            |word| word.split('=').next().unwrap_or(word).to_owned(),
        )
    }

    fn unknown(&self) -> String {
        let arg = self.arg();
        let command = self.command_name();
        if !arg.starts_with('-') || arg == "-" {
            return format!(
                "{command}: found `{arg}`, where no further file or value was expected: quote patterns and texts with blanks, \
                 or see `{} -h`",
                self.called
            );
        }
        let typed = self.typed(name_of(&arg));
        if typed[1..].starts_with(|first: char| first.is_ascii_digit() || first == '.') {
            let mut words = self.words.windows(2);
            let before = words.find(|two| two[1] == *typed);
            let before = before.and_then(|two| two[0].to_str()).unwrap_or_default();
            return match self.flag(before).map(Takes::of) {
                Some(Takes::Integer) => {
                    format!("{before}: expected a whole number without a sign, found {typed}")
                }
                Some(takes) if takes != Takes::Nothing => format!(
                    "{before}: found {typed}: a value that begins with - is written behind =, {before}={typed}"
                ),
                _ => format!(
                    "{command}: found {typed} where a flag was expected: a value that begins with - is written behind =, such as --flag={typed}"
                ),
            };
        }
        let hint = synonyms::instead(self.command, &self.called, &typed);
        if self.command.has_subcommands() {
            return format!(
                "{command} has no flag {typed}: flags stand behind the subcommand; see `{} -h`",
                self.called
            );
        }
        let others = self.program.get_subcommands().filter(|other| {
            let mut flags = other.get_arguments().filter_map(Arg::get_long);
            flags.any(|long| typed.strip_prefix("--") == Some(long))
        });
        let others: Vec<String> = others.map(|other| other.get_name().to_owned()).collect();
        if hint.starts_with("use ") || others.is_empty() {
            return format!("{command} has no flag {typed}: {hint}");
        }
        format!(
            "{command} has no flag {typed}, which is one of {}: {hint}",
            listed(&others, "and")
        )
    }

    fn value(&self) -> String {
        let (arg, found) = (self.arg(), self.text(ContextKind::InvalidValue));
        let (name, valid) = (name_of(&arg), self.texts(ContextKind::ValidValue));
        if found.is_empty() && valid.is_empty() {
            return format!("{name} needs a value: {}", written(&arg));
        }
        if found.is_empty() {
            return format!("{name} needs a value: one of {}", valid.join(", "));
        }
        let instead = synonyms::value_instead(name.trim_start_matches('-'), &found, &valid);
        let instead = instead.map_or(String::new(), |write| format!(": use {write}"));
        format!(
            "{name}: expected {}, found `{found}`{instead}",
            listed(&valid, "or")
        )
    }

    fn unread(&self) -> String {
        let (arg, found) = (self.arg(), self.text(ContextKind::InvalidValue));
        let reason = std::error::Error::source(self.refusal)
            .map(expected)
            .unwrap_or_default();
        let name = name_of(&arg);
        let found_already = reason.contains("found ") || reason.contains(&format!("`{found}`"));
        let found = if found_already {
            String::new()
        } else {
            format!(", found `{found}`")
        };
        format!("{name}: {reason}{found}")
    }

    fn conflict(&self) -> String {
        let arg = self.arg();
        let name = name_of(&arg);
        let others = self.texts(ContextKind::PriorArg);
        let others: Vec<String> = others
            .iter()
            .map(|other| name_of(other).to_owned())
            .collect();
        match &others[..] {
            [] => format!("{name} cannot be combined with what else is given: leave it out"),
            [other] if other == name => format!("{name} is given more than once: keep one"),
            [other] => format!("{name} and {other} cannot be combined: leave one out"),
            others => format!(
                "{name} cannot be combined with {}: leave it or these out",
                listed(others, "or")
            ),
        }
    }

    fn missing(&self) -> String {
        let missing = self.texts(ContextKind::InvalidArg);
        let always = |arg: &String| {
            let name = name_of(arg);
            name.starts_with('-')
                .then(|| self.flag(name))
                .is_none_or(|flag| flag.is_none_or(Arg::is_required_set))
        };
        let given = if missing.iter().all(always) {
            ""
        } else {
            " with these flags"
        };
        let missing: Vec<String> = missing.iter().map(|arg| written(arg)).collect();
        let example = match &missing[..] {
            [one] if one.starts_with("--bins ") => ", such as --bins log:0.1:25:20",
            _ => "",
        };
        format!(
            "{} needs {}{example}{given}; `{} -h` shows how it is called",
            self.command_name(),
            listed(&missing, "and"),
            self.called
        )
    }

    fn number_of_values(&self) -> String {
        let arg = self.arg();
        let expected = self.text(ContextKind::ExpectedNumValues);
        let least = self.text(ContextKind::MinValues);
        let found = self.text(ContextKind::ActualNumValues);
        let expected = if expected.is_empty() {
            format!("at least {least}")
        } else {
            expected
        };
        let form = written(&arg);
        format!(
            "{}: expected {expected} values, found {found}: write {form}",
            name_of(&arg)
        )
    }

    fn subcommand(&self) -> String {
        let typed = self.text(ContextKind::InvalidSubcommand);
        let command = match self.command.get_name() {
            "help" => self.program,
            _ => self.command,
        };
        let called = self.called.trim_end_matches(" help");
        let hint = synonyms::command_instead(command, &typed);
        let hint = hint.map_or_else(
            || format!("`{called} -h` lists all of them"),
            |write| format!("use {called} {write}"),
        );
        format!("{called} has no subcommand {typed}: {hint}")
    }

    /// The text, for refusals that a person may see.
    fn text_of_kind(&self) -> Option<String> {
        let arg = self.arg();
        let name = name_of(&arg);
        Some(match self.refusal.kind() {
            ErrorKind::InvalidValue => self.value(),
            ErrorKind::UnknownArgument => self.unknown(),
            ErrorKind::InvalidSubcommand => self.subcommand(),
            ErrorKind::NoEquals => format!("{name} takes its value behind =: {name}=VALUE"),
            ErrorKind::ValueValidation => self.unread(),
            ErrorKind::TooManyValues if self.is_switch(name) => {
                let found = self.text(ContextKind::InvalidValue);
                format!("{name} takes no value, found `{found}`: write {name} alone")
            }
            ErrorKind::TooManyValues => {
                let found = self.text(ContextKind::InvalidValue);
                format!("{name} takes fewer values: `{found}` is one too many")
            }
            ErrorKind::TooFewValues | ErrorKind::WrongNumberOfValues => self.number_of_values(),
            ErrorKind::ArgumentConflict => self.conflict(),
            ErrorKind::MissingRequiredArgument => self.missing(),
            ErrorKind::InvalidUtf8 => {
                "a word of the command line is no UTF-8 text: rename the file, or give a pattern that finds it".to_owned()
            }
            _ => return None,
        })
    }
}

/// The subcommand that words call, and the words that call it.
pub(crate) fn called<'a>(program: &'a Command, words: &[OsString]) -> (&'a Command, String) {
    let (mut command, mut called) = (program, "albireo".to_owned());
    let words = words.iter().skip(1).filter_map(|word| word.to_str());
    for word in words.filter(|word| !word.starts_with('-')) {
        match command.find_subcommand(word) {
            Some(below) => command = below,
            None => break,
        }
        called = format!("{called} {word}");
    }
    (command, called)
}

/// The refusal of a command line in one line; help and versions stay as they are.
pub(crate) fn explained(refusal: Error, program: &Command, words: &[OsString]) -> Error {
    if !refusal.use_stderr() {
        return refusal;
    }
    let (command, called) = called(program, words);
    let refused = Refused {
        refusal: &refusal,
        program,
        command,
        called,
        words,
    };
    match refused.text_of_kind() {
        Some(text) => Error::raw(refusal.kind(), format!("{text}\n")),
        None => refusal,
    }
}

/// What a refusal says.
pub(crate) fn text_of(refusal: &Error) -> String {
    let text = refusal.to_string();
    let words = text.trim_start_matches("error: ").split_whitespace();
    words.collect::<Vec<_>>().join(" ")
}
