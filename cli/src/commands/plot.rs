//! `albireo plot`: a saved result as a figure.

use std::path::PathBuf;

use albireo_catalogs::Table;
use anyhow::Result;
use clap::Args;

use crate::figure::{self, Style};
use crate::files::check_folder;

/// Arguments of `plot`.
#[derive(Debug, Args)]
pub(crate) struct Plot {
    /// A result that albireo wrote: .csv, .ecsv, .fits, .json or .parquet
    result: PathBuf,
    /// The figure, by extension: .png .svg
    #[arg(short, long, value_name = "FIGURE")]
    output: PathBuf,
    /// Scale the correlation function by the separation squared (wp by rp)
    #[arg(long)]
    r2: bool,
}

impl Plot {
    /// Draws it.
    pub(crate) fn run(&self) -> Result<()> {
        figure::check_path(&self.output)?;
        check_folder(&self.output)?;
        let table = Table::read(&self.result)?;
        figure::draw(&table, &self.output, Style { r2: self.r2 })
    }
}
