//! What a flag takes, as the type of its field says: a command line, a job file and Python take the same.
//!
//! Entry: [`flags_of`] for callers, [`Takes::of`] within.

use std::any::TypeId;
use std::num::{NonZeroU16, NonZeroU32, NonZeroU64, NonZeroUsize};

use clap::{Arg, ArgAction, Command, CommandFactory};

use crate::angular::AngularFiles;
use crate::by_shell::ShellSpec;
use crate::catalogs::Files;
use crate::edges::EdgeSpec;
use crate::form_file::FormFile;
use crate::join_spec::JoinSpec;
use crate::paths::{KeptFile, KeptFolder, ReadFile, WeightSpec, WrittenFile};
use crate::{Cli, synonyms};
use albireo_samples::{BoxSpec, GivenBox};

/// What the value of a flag is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Takes {
    /// Nothing: it is given or not.
    Nothing,
    /// An integer.
    Integer,
    /// A number.
    Number,
    /// One of a few words ([`Flag::choices`]).
    Choice,
    /// Edges of bins, or a text for them, or `@FILE`.
    Edges,
    /// Edges of shells, or their number.
    Shells,
    /// A periodic box.
    Box,
    /// A column, or `@FILE` with a row each.
    Rows,
    /// Catalogues, several by a pattern.
    Samples,
    /// A file that is read.
    Read,
    /// A file that is written.
    Written,
    /// Files that are written, each with the form of the result that it is to have.
    Forms,
    /// A file of what a command has come to: neither a result nor an input.
    Kept,
    /// A folder of such files, which commands share.
    KeptFolder,
    /// Angular weights: one file, or two in a ratio.
    Angular,
    /// Files with columns that are joined.
    Joined,
    /// A text.
    Text,
}

impl Takes {
    /// Its name in a word.
    pub fn name(self) -> &'static str {
        match self {
            Self::Nothing => "nothing",
            Self::Integer => "integer",
            Self::Number => "number",
            Self::Choice => "choice",
            Self::Edges => "edges",
            Self::Shells => "shells",
            Self::Box => "box",
            Self::Rows => "rows",
            Self::Samples => "samples",
            Self::Read => "read",
            Self::Written => "written",
            Self::Forms => "forms",
            Self::Kept => "kept",
            Self::KeptFolder => "kept folder",
            Self::Angular => "angular",
            Self::Joined => "joined",
            Self::Text => "text",
        }
    }

    /// Whether it is a path and nothing else.
    pub(crate) fn is_path(self) -> bool {
        matches!(
            self,
            Self::Read | Self::Written | Self::Kept | Self::KeptFolder
        )
    }

    /// What the values of a flag are.
    pub(crate) fn of(arg: &Arg) -> Self {
        if !arg.get_action().takes_values() {
            return Self::Nothing;
        }
        let types = [
            (TypeId::of::<ReadFile>(), Self::Read),
            (TypeId::of::<Files>(), Self::Samples),
            (TypeId::of::<WrittenFile>(), Self::Written),
            (TypeId::of::<FormFile>(), Self::Forms),
            (TypeId::of::<KeptFile>(), Self::Kept),
            (TypeId::of::<KeptFolder>(), Self::KeptFolder),
            (TypeId::of::<EdgeSpec>(), Self::Edges),
            (TypeId::of::<ShellSpec>(), Self::Shells),
            (TypeId::of::<WeightSpec>(), Self::Rows),
            (TypeId::of::<AngularFiles>(), Self::Angular),
            (TypeId::of::<JoinSpec>(), Self::Joined),
            (TypeId::of::<GivenBox>(), Self::Box),
            (TypeId::of::<BoxSpec>(), Self::Box),
            (TypeId::of::<f64>(), Self::Number),
            (TypeId::of::<u8>(), Self::Integer),
            (TypeId::of::<u16>(), Self::Integer),
            (TypeId::of::<u32>(), Self::Integer),
            (TypeId::of::<i32>(), Self::Integer),
            (TypeId::of::<u64>(), Self::Integer),
            (TypeId::of::<usize>(), Self::Integer),
            (TypeId::of::<NonZeroU16>(), Self::Integer),
            (TypeId::of::<NonZeroU32>(), Self::Integer),
            (TypeId::of::<NonZeroU64>(), Self::Integer),
            (TypeId::of::<NonZeroUsize>(), Self::Integer),
        ];
        let found = arg.get_value_parser().type_id();
        let known = types.into_iter().find(|(known, _)| found == *known);
        match known {
            Some((_, takes)) => takes,
            None if arg.get_possible_values().is_empty() => Self::Text,
            None => Self::Choice,
        }
    }
}

/// How many values a flag takes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Values {
    /// One, or none where it takes nothing.
    One,
    /// One, which may be left out.
    AtMostOne,
    /// Several with commas between them.
    List,
    /// Several, the flag before each.
    Repeated,
}

impl Values {
    /// Its name in a word.
    pub fn name(self) -> &'static str {
        match self {
            Self::One => "one",
            Self::AtMostOne => "at most one",
            Self::List => "list",
            Self::Repeated => "repeated",
        }
    }

    pub(crate) fn of(arg: &Arg) -> Self {
        if arg.get_value_delimiter().is_some() {
            return Self::List;
        }
        if matches!(arg.get_action(), ArgAction::Append) {
            return Self::Repeated;
        }
        let alone = arg.get_num_args().is_some_and(|n| n.min_values() == 0);
        if arg.get_action().takes_values() && alone {
            Self::AtMostOne
        } else {
            Self::One
        }
    }
}

/// A flag of a subcommand.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Flag {
    /// Its long name.
    pub name: String,
    /// What its values are.
    pub takes: Takes,
    /// How many it takes.
    pub values: Values,
    /// The words that it takes, where these are few.
    pub choices: Vec<String>,
    /// What it means.
    pub help: String,
    /// Whether no help lists it.
    pub is_hidden: bool,
    /// Other long names that it has: those that it had before.
    pub aliases: Vec<String>,
}

impl Flag {
    fn of(arg: &Arg) -> Option<Self> {
        let choices = arg.get_possible_values();
        let choices = choices.iter().filter(|choice| !choice.is_hide_set());
        let aliases = arg.get_all_aliases().unwrap_or_default();
        Some(Self {
            name: arg.get_long()?.to_owned(),
            takes: Takes::of(arg),
            values: Values::of(arg),
            choices: choices.map(|choice| choice.get_name().to_owned()).collect(),
            help: arg.get_help().map(ToString::to_string).unwrap_or_default(),
            is_hidden: arg.is_hide_set(),
            aliases: aliases.iter().map(|&name| name.to_owned()).collect(),
        })
    }
}

/// The flags that a subcommand takes, in the order of its help.
///
/// ```
/// use albireo_measure::{Takes, flags_of};
/// let flags = flags_of(&["xi"]);
/// assert!(flags.iter().any(|flag| flag.name == "bins" && flag.takes == Takes::Edges));
/// assert!(flags_of(&["result", "rebin"]).iter().any(|flag| flag.name == "by"));
/// ```
pub fn flags_of(words: &[&str]) -> Vec<Flag> {
    let program = Cli::command();
    let command = words
        .iter()
        .try_fold(&program, |command, word| command.find_subcommand(word));
    let flags = command.into_iter().flat_map(Command::get_arguments);
    let everywhere = program
        .get_arguments()
        .filter(|flag| flag.get_id() == "overwrite");
    flags.chain(everywhere).filter_map(Flag::of).collect()
}

/// What to write in place of a flag that a subcommand does not have, as far as that is known.
///
/// ```
/// assert_eq!(albireo_measure::instead_of(&["xi"], "ells"), "use --multipoles");
/// ```
pub fn instead_of(words: &[&str], typed: &str) -> String {
    let mut program = Cli::command();
    program.build();
    let called = format!("albireo {}", words.join(" "));
    let command = words
        .iter()
        .try_fold(&program, |command, word| command.find_subcommand(word));
    command.map_or(String::new(), |command| {
        synonyms::instead(command, &called, typed)
    })
}

#[cfg(test)]
mod tests {
    use std::path::PathBuf;

    use super::*;

    /// Flags that name files by a type that says no more.
    fn strange(command: &Command) -> Vec<String> {
        let mut found: Vec<String> = command.get_subcommands().flat_map(strange).collect();
        for arg in command.get_arguments() {
            let help = arg.get_long_help().or(arg.get_help());
            let help = help.map(ToString::to_string).unwrap_or_default();
            let mut names = arg.get_value_names().unwrap_or_default().iter();
            let of_file = help.contains("@FILE") || names.any(|name| name.contains("@FILE"));
            let is_path = arg.get_value_parser().type_id() == TypeId::of::<PathBuf>();
            if is_path || of_file && Takes::of(arg) == Takes::Text {
                found.push(format!("{} {}", command.get_name(), arg.get_id()));
            }
        }
        found
    }

    #[test]
    fn types_of_flags_say_what_they_take() {
        let mut program = crate::Cli::command();
        program.build();
        assert_eq!(strange(&program), Vec::<String>::new());
        let takes = |command: &str, flag: &str| {
            let command = program.find_subcommand(command).unwrap();
            let mut args = command.get_arguments();
            Takes::of(args.find(|arg| arg.get_id() == flag).unwrap())
        };
        for (command, flag, expected) in [
            ("xi", "data", Takes::Samples),
            ("xi", "rr", Takes::Read),
            ("xi", "bins", Takes::Edges),
            ("xi", "angular", Takes::Angular),
            ("xi", "output", Takes::Written),
            ("xi", "weight", Takes::Text),
            ("count", "shells", Takes::Shells),
            ("count", "checkpoint", Takes::KeptFolder),
            ("count", "wrap", Takes::Nothing),
            ("count", "space", Takes::Box),
            ("count", "threads", Takes::Integer),
            ("wp", "pi_max", Takes::Number),
            ("rdf", "checkpoint", Takes::Kept),
            ("rdf", "frame_weights", Takes::Rows),
            ("rdf", "structure", Takes::Written),
            ("md", "start", Takes::Read),
            ("md", "trajectory", Takes::Written),
            ("md", "rdf", Takes::Written),
            ("md", "checkpoint", Takes::Kept),
            ("field", "grid_of", Takes::Read),
            ("field", "at", Takes::Samples),
            ("field", "ions_output", Takes::Written),
        ] {
            assert_eq!(takes(command, flag), expected, "{command} {flag}");
        }
    }
}
