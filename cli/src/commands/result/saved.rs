//! One saved result whose rows are its bins.
//!
//! Entry: [`read`], [`counts`]; [`bin_columns`] finds its columns.

use std::path::Path;

use albireo_catalogs::{ResultKind, Table, TableColumn};
use anyhow::{Context, Result, bail};

use crate::weight_sets::check_single;

/// A saved result whose rows are its bins, with its kind.
pub(super) fn read(path: &Path) -> Result<(Table, ResultKind)> {
    let place = || path.display().to_string();
    let table = Table::read(path)?;
    check_single(&table).with_context(place)?;
    let kind = table.kind().with_context(place)?;
    if matches!(
        kind,
        ResultKind::Covariance | ResultKind::RegionCounts | ResultKind::ShellCounts
    ) {
        bail!("{}: its rows are no bins: it is a {}", place(), kind.name());
    }
    let axes = table.edges().with_context(place)?;
    let bins: usize = axes.iter().map(|(_, edges)| edges.len() - 1).product();
    if table.rows() != bins {
        bail!(
            "{}: its record has edges of {bins} bins, the table {} rows",
            place(),
            table.rows()
        );
    }
    Ok((table, kind))
}

/// The same with all of its pairs: for what is made of pairs and totals.
pub(super) fn whole(path: &Path) -> Result<(Table, ResultKind)> {
    let (table, kind) = read(path)?;
    table
        .check_whole()
        .with_context(|| path.display().to_string())?;
    Ok((table, kind))
}

/// Saved pair counts, such as can be `done`.
pub(super) fn counts(path: &Path, done: &str) -> Result<Table> {
    let (table, kind) = read(path)?;
    if kind != ResultKind::Counts {
        bail!(
            "{}: pair counts can be {done}, such as `albireo count` writes, found a {}",
            path.display(),
            kind.name()
        );
    }
    Ok(table)
}

/// The columns that tell the bins of a table: edges and centres.
pub(super) fn bin_columns(table: &Table) -> Result<Vec<&TableColumn>> {
    let axes = table.edges()?;
    let parts = ["lo", "hi", "centre"];
    let names = axes.iter().flat_map(|(axis, _)| {
        parts.map(|part| match axes.len() {
            1 => part.to_owned(),
            _ => format!("{axis}_{part}"),
        })
    });
    let column = |name: String| {
        let found = table.column(&name);
        found.with_context(|| format!("there is no column `{name}`"))
    };
    names.map(column).collect()
}
