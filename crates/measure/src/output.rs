//! Where results go: the terminal, a pipe, a file, a figure.
//!
//! Entry: [`Sink::check`] before the work, [`Sink::deliver`] after it.

use std::fmt::Write as _;
use std::io::{self, IsTerminal, Write};
use std::path::Path;

use albireo_catalogs::{Table, TableFormat, Values};
use anyhow::{Context, Result};

use crate::args::OutputFlags;
use crate::by_class::split;
use crate::files::Written;
use crate::packages::{Made, Origin, form, is_foreign};
use crate::session::Sink;
use crate::summary;
use crate::tables::is_for_counts;
use crate::text::{columns_of, full, head, short};
use crate::usage::usage;

/// Longest table that is printed in full when it is also written to a file, or has two axes.
const LONG: usize = 60;
/// Rows shown of a longer one.
const SHOWN: usize = 12;

impl Sink {
    /// Adds a result file with what comes beside it.
    fn add_result<'a>(
        &self,
        written: &mut Vec<Written<'a>>,
        flag: &str,
        path: &'a Path,
        record: Option<&'a Path>,
    ) -> Result<()> {
        if self.keeps(path) {
            return Ok(());
        }
        Table::check_path(path).with_context(|| flag.to_owned())?;
        written.push(Written::probe(flag, path)?);
        if let Some(record) = record {
            written.push(Written::probe(format!("the record of {flag},"), record)?);
        }
        Ok(())
    }

    /// Refuses what could not be written in the end, or would replace one of the `inputs`, before the work begins; `others` are
    /// further result files by their flags.
    pub(crate) fn check(
        &self,
        flags: &OutputFlags,
        others: &[(&str, &Path)],
        inputs: &[&Path],
    ) -> Result<()> {
        let main = flags.file().map(|path| ("--output", path));
        if let Some((flag, path)) = main.iter().chain(others).find(|(_, path)| is_foreign(path)) {
            return Err(usage(format!(
                "{flag} {}: .npy and .txt hold pair counts and what is estimated of them, as xi, wp and count make them, in the form of pycorr, and covariances: \
                 take {}",
                path.display(),
                TableFormat::endings_to_read()
            )));
        }
        self.check_counts(flags, others, inputs)
    }

    /// The same where results are pair counts or made of them, which other packages have forms for, or covariances, which are matrices; those of `others`
    /// are `--counts`, `--outputs` and `--covariance` alone.
    pub(crate) fn check_counts(
        &self,
        flags: &OutputFlags,
        others: &[(&str, &Path)],
        inputs: &[&Path],
    ) -> Result<()> {
        if self.is_silent {
            return Ok(());
        }
        let has_counts = |flag: &str| ["--counts", "--outputs", "--covariance"].contains(&flag);
        let is_refused = |(flag, path): &&(&str, &Path)| !has_counts(flag) && is_foreign(path);
        if let Some((flag, path)) = others.iter().find(is_refused) {
            return Err(usage(format!(
                "{flag} {}: .npy and .txt hold correlation functions with their counts, which --output and --counts write, and covariances: \
                 take {}",
                path.display(),
                TableFormat::endings_to_read()
            )));
        }
        let file = flags.file();
        if flags.format.is_some() && !flags.to_stdout() {
            return Err(usage(
                "--format is for `-o -`: the extension of a file names its format",
            ));
        }
        if flags.to_stdout()
            && flags
                .format
                .is_some_and(|format| format.0.name() == "parquet")
            && io::stdout().is_terminal()
        {
            return Err(usage(
                "a terminal shows no Parquet: redirect standard output",
            ));
        }
        let files = file.map(|path| ("--output", path)).into_iter();
        let files = files.chain(others.iter().copied());
        let files: Vec<_> = files
            .map(|(flag, path)| (flag, path, Table::record_of(path)))
            .collect();
        let mut written = Vec::new();
        for (flag, path, record) in &files {
            self.add_result(&mut written, flag, path, record.as_deref())?;
        }
        #[cfg(feature = "plot")]
        if let Some(path) = &flags.plot {
            albireo_figures::check_path(path)?;
            written.push(Written::probe("--plot", path)?);
        }
        let records: Vec<_> = inputs
            .iter()
            .filter_map(|path| Table::record_of(path))
            .collect();
        let inputs: Vec<&Path> = inputs
            .iter()
            .copied()
            .chain(records.iter().map(AsRef::as_ref))
            .collect();
        self.keep_apart(&written, &inputs)
    }

    /// Prints the table, writes it and draws it, as asked.
    pub(crate) fn deliver(&self, table: &Table, flags: &OutputFlags) -> Result<()> {
        self.deliver_with(table, &Origin::default(), flags)
    }

    /// The same of a table that was made of others.
    pub(crate) fn deliver_made(&self, made: &Made, flags: &OutputFlags) -> Result<()> {
        self.deliver_with(&made.table, &made.origin, flags)
    }

    fn deliver_with(&self, table: &Table, origin: &Origin, flags: &OutputFlags) -> Result<()> {
        if self.is_silent {
            return Ok(());
        }
        let taken = self.take(table, None);
        if let Some(path) = flags.file() {
            self.write_with(table, origin, path)?;
        }
        #[cfg(feature = "plot")]
        if flags.plot.is_some() {
            let parts = split(table).unwrap_or_else(|| vec![(String::new(), table.clone())]);
            self.draw(parts.iter().map(|(name, table)| (&name[..], table)), flags)?;
        }
        if table.is_approximate() {
            tracing::warn!(
                "approximate: float32 decided alone, pairs next to an edge may lie in the neighbouring bin"
            );
        }
        if let Some(partial) = table.partial() {
            tracing::warn!("partial: some pairs are missing ({partial}), totals are those of all");
        }
        if taken {
            return Ok(());
        }
        if flags.to_stdout() {
            let mut bytes = Vec::new();
            table.write_to(&mut bytes, flags.format.unwrap_or_default().0)?;
            return self.print_bytes(&bytes);
        }
        if flags.file().is_some() && is_quiet() {
            return Ok(());
        }
        let brief = flags.brief || flags.brief_in_jobs && table.meta.contains_key("job");
        if let (true, Some(path)) = (brief, flags.file()) {
            return self.print(&summary::in_a_line(table, path)?);
        }
        self.print(&shown(table, flags.file(), io::stdout().is_terminal())?)
    }

    /// Draws results by their names, as asked.
    #[cfg(feature = "plot")]
    pub(crate) fn draw<'t>(
        &self,
        results: impl Iterator<Item = (&'t str, &'t Table)>,
        flags: &OutputFlags,
    ) -> Result<()> {
        let Some(path) = flags.plot.as_deref().filter(|_| !self.is_silent) else {
            return Ok(());
        };
        let style = albireo_figures::Style {
            r2: flags.scale.r2,
            scale_by: flags.scale.scale_by,
            ..albireo_figures::Style::default()
        };
        let named = results.map(|(name, table)| albireo_figures::Named { name, table });
        albireo_figures::draw(&named.collect::<Vec<_>>(), path, style)?;
        tracing::info!("figure written to {}", path.display());
        Ok(())
    }

    /// Writes a table whole or not at all.
    pub(crate) fn write(&self, table: &Table, path: &Path) -> Result<()> {
        self.write_with(table, &Origin::default(), path)
    }

    /// The same of a table that was made of others.
    pub(crate) fn write_with(&self, table: &Table, origin: &Origin, path: &Path) -> Result<()> {
        if self.is_silent || self.take(table, Some(path)) {
            return Ok(());
        }
        let form = form(table, origin, path)?;
        table
            .write_with(form.as_ref(), path)
            .with_context(|| format!("cannot write {}", path.display()))?;
        let record =
            Table::record_of(path).map(|record| format!(", its record to {}", record.display()));
        let shown = path.display();
        tracing::info!("result written to {shown}{}", record.unwrap_or_default());
        Ok(())
    }

    /// Prints to standard output; a reader that has seen enough is no error.
    pub(crate) fn print(&self, text: &str) -> Result<()> {
        self.print_bytes(text.as_bytes())
    }

    fn print_bytes(&self, bytes: &[u8]) -> Result<()> {
        if self.is_silent || self.take_text(bytes) {
            return Ok(());
        }
        let mut out = io::stdout().lock();
        match out.write_all(bytes).and_then(|()| out.flush()) {
            Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(()),
            other => other.context("cannot write to standard output"),
        }
    }

    /// Whether a caller keeps the result of this name, which is no file then.
    pub(crate) fn keeps(&self, path: &Path) -> bool {
        self.caller
            .as_ref()
            .is_some_and(|caller| caller.keeps(path))
    }

    /// Hands a result over to the caller, if there is one: the main one, or one whose name it keeps.
    pub(crate) fn take(&self, table: &Table, path: Option<&Path>) -> bool {
        self.caller
            .as_ref()
            .is_some_and(|caller| caller.take(table, path))
    }

    /// Hands over what would be printed, if there is a caller.
    fn take_text(&self, bytes: &[u8]) -> bool {
        let caller = self.caller.as_ref();
        caller.inspect(|caller| caller.take_text(bytes)).is_some()
    }
}

/// Whether only what is wrong is to be said.
fn is_quiet() -> bool {
    !tracing::enabled!(tracing::Level::WARN)
}

/// The table as it is printed: floats in few digits on a terminal and in all of them elsewhere; long ones cut where a file has them
/// whole, and two axes of bins summed up on a terminal.
fn shown(table: &Table, file: Option<&Path>, terminal: bool) -> Result<String> {
    let rows = table.rows();
    if terminal
        && rows > LONG
        && split(table).is_none()
        && let Some(summary) = summary::of_two_axes(table)?
    {
        return Ok(match file {
            Some(path) => format!("{summary}All {rows} rows are in {}.\n", path.display()),
            None => format!("{summary}All {rows} rows: -o FILE writes them, -o - prints them.\n"),
        });
    }
    let most = if file.is_some() && rows > LONG {
        SHOWN
    } else {
        rows
    };
    let mut text = aligned(table, most, if terminal { short } else { full });
    if let (Some(path), true) = (file, most < rows) {
        let more = rows - most;
        let _ = writeln!(text, "... and {more} more rows in {}", path.display());
    }
    Ok(text)
}

/// The first `shown` rows of a table, floats spelled by `spell`.
fn aligned(table: &Table, shown: usize, spell: fn(f64) -> String) -> String {
    let columns = table.columns.iter();
    let columns: Vec<_> = columns.filter(|c| !is_for_counts(&c.name)).collect();
    let cell = |values: &Values, row: usize| match values {
        Values::Integers(values) => values[row].to_string(),
        Values::Floats(values) => spell(values[row]),
    };
    let mut rows = vec![columns.iter().map(|c| head(c)).collect::<Vec<_>>()];
    rows.extend((0..shown).map(|row| columns.iter().map(|c| cell(&c.values, row)).collect()));
    columns_of(&rows, &[])
}
