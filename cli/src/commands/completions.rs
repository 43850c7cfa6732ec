//! `albireo completions`: what shells need to complete flags.

use anyhow::Result;
use clap::Args;
use clap_complete::Shell;

/// Arguments of `completions`.
#[derive(Debug, Args)]
pub(crate) struct Completions {
    /// The shell
    shell: Shell,
}

impl Completions {
    /// Prints the completion script of the program `command`.
    pub(crate) fn run(&self, mut command: clap::Command) -> Result<()> {
        let mut script = Vec::new();
        clap_complete::generate(self.shell, &mut command, "albireo", &mut script);
        crate::output::print(&String::from_utf8_lossy(&script))
    }
}
