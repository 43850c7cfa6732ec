//! Names that flags and values had before, which still work: a note says what they are now.
//!
//! Entry: [`notes`]. The old names themselves are aliases at the fields of the flags.

use std::ffi::OsString;

/// What flags were called, without their --, and what they are called now.
const FLAGS: [(&str, &str); 6] = [
    ("bonded", "--exclude-bonded"),
    ("bonds", "--exclude-pairs"),
    ("device", "--devices"),
    ("group", "--exclude-same"),
    ("r2", "--scale-by 2 (of wp: 1)"),
    ("second-weight-set", "--cross-weight-set"),
];

/// What flags of the second of two samples began with, and begin with now.
const SECOND: [&str; 2] = ["second-", "cross-"];

/// Flags that begin so too: of the second axis of bins, not of the second sample.
const SECOND_AXIS: [&str; 2] = ["second-bins", "second-bins-of"];

/// Flags with a value as it was written, and as it is written now.
const VALUES: [(&str, &str, &str); 6] = [
    ("norm", "pairs", "ideal"),
    ("norm", "gc", "mean-density"),
    ("norm", "density", "neighbours"),
    ("norm", "none", "counts"),
    ("precision", "f64", "double"),
    ("precision", "f32", "single"),
];

/// What a flag is called now, where it was called `flag` before.
pub(crate) fn now(flag: &str) -> Option<String> {
    if let Some((_, now)) = FLAGS.iter().find(|(before, _)| *before == flag) {
        return Some((*now).to_owned());
    }
    let of_sample = Some(flag).filter(|flag| !SECOND_AXIS.contains(flag));
    let rest = of_sample?.strip_prefix(SECOND[0])?;
    Some(format!("--{}{rest}", SECOND[1]))
}

/// A line for each old name in a command line that was understood.
pub(crate) fn notes(words: &[OsString]) -> Vec<String> {
    let mut notes = Vec::new();
    let mut words = words.iter().filter_map(|word| word.to_str()).peekable();
    while let Some(word) = words.next() {
        let Some(flag) = word.strip_prefix("--").filter(|flag| !flag.is_empty()) else {
            continue;
        };
        let (flag, value) = match flag.split_once('=') {
            Some((flag, value)) => (flag, Some(value)),
            None => (flag, words.peek().copied()),
        };
        if let Some(now) = now(flag) {
            notes.push(format!("--{flag} is now {now}; the old name still works"));
        }
        let mut values = VALUES.iter();
        let old = values.find(|(of, before, _)| *of == flag && value == Some(*before));
        if let Some((_, before, now)) = old {
            notes.push(format!(
                "--{flag} {before} is now --{flag} {now}; the old name still works"
            ));
        }
    }
    notes
}

#[cfg(test)]
mod tests {
    use clap::{Command, CommandFactory};

    use super::*;

    /// Flags of today, those that help has, that are taken for old ones, of a command and of those below it.
    fn mistaken(command: &Command) -> Vec<String> {
        let shown = command.get_arguments().filter(|arg| !arg.is_hide_set());
        let flags = shown.filter_map(|arg| arg.get_long());
        let own = flags.filter_map(|flag| Some(format!("--{flag}: {}", now(flag)?)));
        own.chain(command.get_subcommands().flat_map(mistaken))
            .collect()
    }

    #[test]
    fn no_flag_of_today_is_an_old_one() {
        assert_eq!(mistaken(&crate::Cli::command()), Vec::<String>::new());
    }

    #[test]
    fn old_names_are_noted_once_each() {
        let line = "albireo rdf a --second-where x>1 --norm=gc --bonded 2 --cross-rows 1:2 --norms --second-bins-of rp --";
        let words: Vec<OsString> = line.split(' ').map(Into::into).collect();
        let still = "; the old name still works";
        assert_eq!(
            notes(&words),
            [
                format!("--second-where is now --cross-where{still}"),
                format!("--norm gc is now --norm mean-density{still}"),
                format!("--bonded is now --exclude-bonded{still}"),
            ]
        );
    }
}
