//! The flags and places of a job that name files, and what a command does with each.
//!
//! Entry: [`NamedFiles`], by the [`Role`] of each flag.

use std::any::TypeId;

use clap::Arg;

use crate::angular::AngularFiles;
use crate::by_shell::ShellSpec;
use crate::catalogs::Files;
use crate::edges::EdgeSpec;
use crate::paths::{KeptFile, ReadFile, WeightSpec, WrittenFile};

/// What a command does with the files that a flag names.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Role {
    /// Reads them.
    Input,
    /// Writes them.
    Output,
    /// Keeps counts there until it is done, or later: neither a result nor an input.
    Checkpoint,
    /// Bins: read where they are `@FILE`.
    Edges,
    /// Another setting that is read where it is `@FILE`.
    At,
    /// Angular weights: one file, or two in a ratio.
    Angular,
}

use Role::{Angular, At, Checkpoint, Edges, Input, Output};

/// What a command does with the files that a flag names, as the type of its value says; nothing, where it names none.
pub(super) fn role_of(arg: &Arg) -> Option<Role> {
    let types = [
        (TypeId::of::<ReadFile>(), Input),
        (TypeId::of::<Files>(), Input),
        (TypeId::of::<WrittenFile>(), Output),
        (TypeId::of::<KeptFile>(), Checkpoint),
        (TypeId::of::<EdgeSpec>(), Edges),
        (TypeId::of::<ShellSpec>(), Edges),
        (TypeId::of::<WeightSpec>(), At),
        (TypeId::of::<AngularFiles>(), Angular),
    ];
    let found = arg.get_value_parser().type_id();
    let role = types.into_iter().find(|(known, _)| found == *known);
    role.map(|(_, role)| role)
}

/// The files that a measurement names, as they are spelled.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct NamedFiles {
    /// Those that it writes.
    pub(crate) outputs: Vec<String>,
    /// Those that it reads; patterns stand for what they match.
    pub(crate) inputs: Vec<String>,
    /// Those of checkpoints that no other measurement may share.
    pub(super) checkpoints: Vec<String>,
}

impl NamedFiles {
    /// Adds what a flag is set to.
    pub(super) fn add(&mut self, role: Role, texts: &[String]) {
        match role {
            Input => self.inputs.extend_from_slice(texts),
            Output => {
                let files = texts.iter().filter(|text| *text != "-");
                self.outputs.extend(files.cloned());
            }
            Checkpoint => self.checkpoints.extend_from_slice(texts),
            Edges | At => {
                let files = texts.iter().filter_map(|text| text.strip_prefix('@'));
                self.inputs.extend(files.map(str::to_owned));
            }
            Angular => {
                for files in texts.iter().filter_map(|text| text.parse().ok()) {
                    let files: AngularFiles = files;
                    let names = files.paths().into_iter();
                    self.inputs
                        .extend(names.map(|path| path.display().to_string()));
                }
            }
        }
    }

    /// Those that change while it is made.
    pub(super) fn changed(&self) -> impl Iterator<Item = &String> {
        self.outputs.iter().chain(&self.checkpoints)
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a failed unwrap is a failed test")]
mod tests {
    use std::path::PathBuf;

    use clap::{Command, CommandFactory};

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
            if is_path || of_file && role_of(arg).is_none() {
                found.push(format!("{} {}", command.get_name(), arg.get_id()));
            }
        }
        found
    }

    #[test]
    fn types_of_flags_say_what_becomes_of_their_files() {
        let mut program = crate::Cli::command();
        program.build();
        assert_eq!(strange(&program), Vec::<String>::new());
        let role = |command: &str, flag: &str| {
            let command = program.find_subcommand(command).unwrap();
            let mut args = command.get_arguments();
            role_of(args.find(|arg| arg.get_id() == flag).unwrap())
        };
        for (command, flag, expected) in [
            ("xi", "data", Some(Input)),
            ("xi", "rr", Some(Input)),
            ("xi", "bins", Some(Edges)),
            ("xi", "angular", Some(Angular)),
            ("xi", "output", Some(Output)),
            ("xi", "weight", None),
            ("count", "shells", Some(Edges)),
            ("count", "checkpoint", None),
            ("rdf", "checkpoint", Some(Checkpoint)),
            ("rdf", "frame_weights", Some(At)),
            ("rdf", "structure", Some(Output)),
            ("md", "start", Some(Input)),
            ("md", "trajectory", Some(Output)),
            ("md", "rdf", Some(Output)),
            ("md", "checkpoint", Some(Checkpoint)),
            ("field", "grid_of", Some(Input)),
            ("field", "at", Some(Input)),
            ("field", "ions_output", Some(Output)),
        ] {
            assert_eq!(role(command, flag), expected, "{command} {flag}");
        }
    }
}
