//! `albireo man`: the manual pages of all subcommands.

use anyhow::{Context, Result};
use clap::{Args, Command};

use crate::help;
use crate::paths::KeptFolder;

/// The command with all of its flags described, under the name of its page: pages leave out what a short help does not list.
fn in_full(command: Command, name: &str) -> Command {
    let command = command.mut_args(|arg| arg.hide_short_help(false));
    let command = command.display_name(name);
    command.mut_subcommands(|below| {
        let name = format!("{name}-{}", below.get_name());
        in_full(below, &name)
    })
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
        let program = in_full(help::arranged(program), "albireo").disable_help_subcommand(true);
        clap_mangen::generate_to(program, folder).with_context(place)?;
        tracing::info!("manual pages written to {}", folder.display());
        Ok(())
    }
}
