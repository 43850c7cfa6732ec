//! `albireo completions`: what shells need to complete flags.

use anyhow::Result;
use clap::{Args, Command, ValueHint};
use clap_complete::Shell;

use crate::flag::Takes;
use crate::session::Sink;

/// The command with paths completed where flags take them: clap knows of them by the type of the standard library alone.
fn with_paths(command: Command) -> Command {
    let command = command.mut_args(|arg| {
        if Takes::of(&arg).is_path() {
            arg.value_hint(ValueHint::AnyPath)
        } else {
            arg
        }
    });
    command.mut_subcommands(with_paths)
}

/// Arguments of `completions`.
#[derive(Debug, Args)]
pub(crate) struct Completions {
    /// Shell
    shell: Shell,
}

impl Completions {
    /// Prints the completion script of the program `command`.
    pub(crate) fn run(&self, command: Command, sink: &Sink) -> Result<()> {
        let mut command = with_paths(command);
        let mut script = Vec::new();
        clap_complete::generate(self.shell, &mut command, "albireo", &mut script);
        sink.print(&String::from_utf8_lossy(&script))
    }
}
