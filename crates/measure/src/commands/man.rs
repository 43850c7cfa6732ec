//! `albireo man`: the manual pages of all subcommands.

use anyhow::{Context, Result};
use clap::{Args, Command};

use crate::help;
use crate::paths::KeptFolder;

/// The command with all of its flags described: pages leave out what a short help does not list.
fn in_full(command: Command) -> Command {
    let command = command.mut_args(|arg| arg.hide_short_help(false));
    command.mut_subcommands(in_full)
}

/// Arguments of `man`.
#[derive(Debug, Args)]
pub(crate) struct Man {
    /// Folder of the pages, e.g. ~/.local/share/man/man1; it is made where it is missing
    folder: KeptFolder,
}

impl Man {
    /// Writes a page for the program and for each subcommand.
    pub(crate) fn run(&self, program: Command) -> Result<()> {
        let folder = self.folder.as_path();
        let place = || format!("cannot write manual pages into {}", folder.display());
        std::fs::create_dir_all(folder).with_context(place)?;
        // `help` has the text of the others.
        let program = in_full(help::arranged(program)).disable_help_subcommand(true);
        clap_mangen::generate_to(program, folder).with_context(place)?;
        tracing::info!("manual pages written to {}", folder.display());
        Ok(())
    }
}
