//! `albireo merge`: parts of a count, made by several processes, as one result.

use std::ffi::OsString;
use std::path::PathBuf;

use anyhow::{Context, Result};
use clap::Args;

use crate::Cli;
use crate::catalogs::Files;
use crate::commands::covariance::words_of_part;
use crate::group;
use crate::part_file::PartFile;
use crate::paths::WrittenFile;
use crate::record::Arguments;
use crate::refused::text_of;
use crate::session::Session;
use crate::usage::usage;

/// The end of its help.
pub(crate) const EXAMPLES: &str =
    "The catalogs are read again, and must be those that were counted.

Examples, on the catalogs that come with albireo:
  albireo count catalogs/samples/galaxies_box.h5 --bins log:0.1:25:20 \\
      --shard 0/2 --part dd_0.alb
  albireo count catalogs/samples/galaxies_box.h5 --bins log:0.1:25:20 \\
      --shard 1/2 --part dd_1.alb
  albireo merge 'dd_*.alb' -o dd.csv";

/// Arguments of `merge`.
#[derive(Debug, Args)]
#[command(next_help_heading = group::OUTPUT)]
pub(crate) struct Merge {
    /// Files of all parts of one command, in any order; several by a quoted pattern, e.g. 'part_*.alb'
    #[arg(required = true)]
    parts: Vec<Files>,
    /// Write the result, by extension as the command itself would [default: it is printed]
    #[arg(short, long, value_name = "FILE")]
    output: Option<WrittenFile>,
    /// Make a result of the parts that are there, though units are missing
    ///
    /// Its record states how many were counted. An estimate uses the same share of all of its pairs.
    #[arg(long, help_heading = group::PARTS)]
    partial: bool,
}

impl Merge {
    /// Carries out the command of the parts, whose counts they hold.
    pub(crate) fn run(self, session: &mut Session<'_>) -> Result<()> {
        let files: Vec<PathBuf> = self
            .parts
            .into_iter()
            .flat_map(|files| files.paths)
            .collect();
        let first = files.first().context("there are no parts to merge")?;
        let of_rounds = words_of_part(first);
        let is_counted = of_rounds.is_none();
        let part = match of_rounds {
            Some(words) => words,
            None => PartFile::read(first)?.words,
        };
        let own = ["albireo".to_owned()].into_iter().chain(part);
        let mut words: Vec<OsString> = own.map(OsString::from).collect();
        if let Some(output) = self.output {
            words.extend(["--output".into(), PathBuf::from(output).into()]);
        }
        let mut line = words.clone();
        if is_counted {
            // Nobody counts: the reference needs no device.
            line.extend(["--engine", "naive"].map(OsString::from));
        }
        for file in files {
            line.extend(["--from-part".into(), file.into()]);
        }
        if self.partial {
            line.push("--from-some-parts".into());
        }
        let (cli, arguments) = Cli::of_words(line).map_err(|refusal| usage(text_of(&refusal)))?;
        crate::carry_out(cli, &mut session.again(&Arguments { words, ..arguments }))
    }
}
