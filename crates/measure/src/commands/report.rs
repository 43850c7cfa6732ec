//! `albireo report`: saved results as one page for a browser.

use std::path::Path;

use albireo_catalogs::Table;
use albireo_figures::{Named, Section};
use anyhow::Result;
use clap::Args;

use crate::files::Written;
use crate::group;
use crate::packages::read_table;
use crate::paths::{ReadFile, WrittenFile};
use crate::session::Sink;
use crate::weight_sets::parts;

/// Arguments of `report`.
#[derive(Debug, Args)]
#[command(next_help_heading = group::OUTPUT)]
pub(crate) struct Report {
    /// Results of albireo: .csv (with its record beside it), .ecsv, .fits, .h5, .json or .parquet; a section of the page each
    #[arg(required = true, value_name = "RESULT")]
    results: Vec<ReadFile>,
    /// Page, .html: one file that needs no network
    #[arg(short, long, value_name = "FILE")]
    output: WrittenFile,
    /// Title of the page [default: the name of the first result, and how many others there are]
    #[arg(long, value_name = "TEXT")]
    title: Option<String>,
}

impl Report {
    fn title(&self) -> String {
        let [first, others @ ..] = &self.results[..] else {
            return String::new();
        };
        let name = first.file_name().unwrap_or_default().to_string_lossy();
        let of_results = || match others.len() {
            0 => first.display().to_string(),
            1 => format!("{name} and another result"),
            n => format!("{name} and {n} other results"),
        };
        self.title.clone().unwrap_or_else(of_results)
    }

    /// Writes the page.
    pub(crate) fn run(&self, sink: &Sink) -> Result<()> {
        albireo_figures::check_report_path(&self.output)?;
        let records = self
            .results
            .iter()
            .filter_map(|path| Table::record_of(path));
        let records: Vec<_> = records.collect();
        let results = self.results.iter().map(ReadFile::as_path);
        let inputs: Vec<&Path> = results.chain(records.iter().map(AsRef::as_ref)).collect();
        sink.keep_apart(&[Written::probe("--output", &self.output)?], &inputs)?;
        let mut read = Vec::with_capacity(self.results.len());
        for path in &self.results {
            let table = read_table(path)?;
            let sets = parts(&table).unwrap_or_default();
            read.push((path.display().to_string(), table, sets));
        }
        let named = |(name, table)| Named { name, table };
        let of_parts: Vec<Vec<Named<'_>>> = read
            .iter()
            .map(|(name, table, sets)| match &sets[..] {
                [] => vec![named((name, table))],
                sets => sets
                    .iter()
                    .map(|(name, table)| named((name, table)))
                    .collect(),
            })
            .collect();
        let sections: Vec<Section<'_>> = read
            .iter()
            .zip(&of_parts)
            .map(|((name, table, _), parts)| Section {
                result: named((name, table)),
                parts,
            })
            .collect();
        albireo_figures::write_report(&self.title(), &sections, &self.output)?;
        Ok(())
    }
}
