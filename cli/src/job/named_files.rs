//! The flags and places of a job that name files, and what a command does with each.
//!
//! Entry: [`NamedFiles`], by the [`Role`] of each key.

use crate::angular::AngularFiles;

/// What a command does with the files that a key names.
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

/// All keys with files; a key means the same in every table.
const FILES: [(&str, Role); 42] = [
    ("angular", Angular),
    ("bins", Edges),
    ("block-counts", Output),
    ("bonds", Input),
    ("box-table", Input),
    ("by-region", Input),
    ("checkpoint", Checkpoint),
    ("counts", Output),
    ("covariance", Output),
    ("cross", Input),
    ("cross-randoms", Input),
    ("data", Input),
    ("fkp-data", Output),
    ("fkp-randoms", Output),
    ("frame-weights", At),
    ("from-part", Input),
    ("heights", Edges),
    ("like", Input),
    ("mask", Input),
    ("mean", Output),
    ("model", Input),
    ("mu-bins", Edges),
    ("output", Output),
    ("p-of-r", Output),
    ("part", Output),
    ("pi-bins", Edges),
    ("plot", Output),
    ("q", Edges),
    ("radial", Input),
    ("randoms", Input),
    ("region-counts", Output),
    ("region-map", Output),
    ("result", Input),
    ("results", Input),
    ("reuse", Input),
    ("rr", Input),
    ("second", Input),
    ("shells", Edges),
    ("shifted-randoms", Input),
    ("structure", Output),
    ("topology", Input),
    ("total-g", Output),
];

/// What a command does with the files that a key names, by the first name of the key; nothing, where it names none.
pub(super) fn role_of(key: &str) -> Option<Role> {
    let found = FILES.iter().find(|(name, _)| *name == key);
    found.map(|(_, role)| *role)
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
    /// Adds what a key is set to; `folder`: whether that is a folder, in which several have checkpoints of their own.
    pub(super) fn add(&mut self, role: Role, texts: &[String], folder: bool) {
        match role {
            Input => self.inputs.extend_from_slice(texts),
            Output => {
                let files = texts.iter().filter(|text| *text != "-");
                self.outputs.extend(files.cloned());
            }
            Checkpoint if folder => {}
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
    use std::any::TypeId;
    use std::path::PathBuf;

    use clap::{Arg, Command, CommandFactory, ValueHint};

    use super::*;
    use crate::angular::AngularFiles;
    use crate::by_shell::ShellSpec;
    use crate::catalogs::Files;
    use crate::edges::EdgeSpec;
    use crate::job::settings::{flags_of, name_of};
    use crate::job::{MEASUREMENTS, OPERATIONS};

    /// Whether a role of the table suits what the flag itself says of its value.
    fn agrees(arg: &Arg, role: Option<Role>) -> bool {
        let parsed = |of: TypeId| arg.get_value_parser().type_id() == of;
        let help = arg.get_long_help().or(arg.get_help());
        let help = help.map(ToString::to_string).unwrap_or_default();
        if parsed(TypeId::of::<AngularFiles>()) {
            return role == Some(Angular);
        }
        if parsed(TypeId::of::<EdgeSpec>()) || parsed(TypeId::of::<ShellSpec>()) {
            return role == Some(Edges);
        }
        let one = parsed(TypeId::of::<PathBuf>()) || parsed(TypeId::of::<Files>());
        if one || arg.get_value_hint() != ValueHint::Unknown {
            return matches!(role, Some(Input | Output | Checkpoint));
        }
        let of_names = |name: &clap::builder::Str| name.contains('@');
        let named = arg
            .get_value_names()
            .unwrap_or_default()
            .iter()
            .any(of_names);
        if help.contains("@FILE") || named {
            return matches!(role, Some(At | Edges));
        }
        role.is_none()
    }

    #[test]
    fn every_flag_with_a_file_is_in_the_table_and_no_other() {
        let mut program = crate::Cli::command();
        program.build();
        let known = MEASUREMENTS
            .iter()
            .map(|name| program.find_subcommand(name));
        let mut commands: Vec<&Command> = known.map(Option::unwrap).collect();
        let operations = program.find_subcommand(OPERATIONS).unwrap();
        commands.extend(
            operations
                .get_subcommands()
                .filter(|c| c.get_name() != "help"),
        );
        let mut wrong = Vec::new();
        let mut met = Vec::new();
        for command in commands {
            let flags = flags_of(command);
            for key in flags.names() {
                let arg = flags.find(key).unwrap();
                assert_eq!(name_of(arg), key);
                if !agrees(arg, role_of(key)) {
                    wrong.push(format!("{}: {key} {:?}", command.get_name(), role_of(key)));
                }
                met.push(key.to_owned());
            }
        }
        let unmet = FILES
            .iter()
            .filter(|(name, _)| !met.iter().any(|key| key == name));
        wrong.extend(unmet.map(|(name, _)| format!("no table takes {name}")));
        assert!(wrong.is_empty(), "{wrong:#?}");
        assert!(FILES.iter().is_sorted_by_key(|(name, _)| *name));
    }
}
