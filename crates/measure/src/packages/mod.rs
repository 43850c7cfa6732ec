//! Results in the forms of other packages: trees of lsstypes in HDF5, `.npy` and `.txt` of pycorr.
//!
//! Entry: [`form`], of a table and what it was made of. All forms are of one [`Measured`], the counts as these packages name and sign them.

mod counts;
mod curves;
mod group;
mod layout;
mod lines;
mod lsstypes;
mod matrices;
mod measured;
mod pycorr;
mod read;
mod read_counts;
#[cfg(test)]
#[allow(
    clippy::unwrap_used,
    clippy::panic,
    reason = "a failed unwrap is a failed test"
)]
mod round_trip;

use std::path::Path;

use albireo_catalogs::{ResultKind, Table, TableFormat, Tree};
use anyhow::{Context, Result, bail, ensure};

use self::measured::Measured;
pub(crate) use self::measured::Origin;
use crate::bins::BinSpec;
use crate::caller::CallError;
use crate::usage::usage;

/// A result with what it was made of.
#[derive(Debug)]
pub(crate) struct Made {
    pub(crate) table: Table,
    pub(crate) origin: Origin,
}

impl From<Table> for Made {
    fn from(table: Table) -> Self {
        Self {
            table,
            origin: Origin::default(),
        }
    }
}

/// Whether a file of this name holds a form of another package, which more than the result is needed for.
pub(crate) fn has_form(path: &Path) -> bool {
    TableFormat::of(path).is_ok_and(|format| format.is_foreign() || format.name() == "hdf5")
}

/// Whether a file of this name holds nothing else, so that there must be such a form.
pub(crate) fn is_foreign(path: &Path) -> bool {
    TableFormat::of(path).is_ok_and(TableFormat::is_foreign)
}

/// Refuses, before the work, a file of other packages whose form a result will not have: one of this estimator in these bins, and with
/// regions of a box whose random pairs are known.
pub(crate) fn check_form(
    path: &Path,
    spec: &BinSpec,
    (estimator, known_by_region): (Option<&str>, bool),
) -> Result<()> {
    if !is_foreign(path) {
        return Ok(());
    }
    let check = || -> Result<()> {
        measured::mode(spec.statistic.name())?;
        let second = spec.second.as_ref();
        second.map_or(Ok(()), |edges| layout::check_second(edges.values()))?;
        if TableFormat::of(path)?.name() == "npy" {
            estimator.map(pycorr::estimator).transpose()?;
            ensure!(!known_by_region, "{}", pycorr::NO_REGIONS);
        }
        Ok(())
    };
    check().map_err(|reason| {
        usage(format!(
            "{} has the form of pycorr: {reason}",
            path.display()
        ))
    })
}

/// The form of a result that belongs into the file `path`, if there is one for its format: beside our columns those of lsstypes, where it has one.
pub(crate) fn form(table: &Table, origin: &Origin, path: &Path) -> Result<Option<Tree>> {
    let is_covariance = table
        .kind()
        .is_ok_and(|kind| kind == ResultKind::Covariance);
    if is_covariance {
        let format = TableFormat::of(path)?.name();
        let matrices = matrices::tree(table, format)?;
        return Ok(match (format, &origin.means, matrices) {
            ("hdf5", Some(_), Some(Tree::Group(mut all))) => {
                match beside_columns(table, origin) {
                    Ok(Tree::Group(theirs)) => all.extend(theirs),
                    Ok(_) => {}
                    Err(reason) => none_of_lsstypes(path, &reason),
                }
                Some(Tree::Group(all))
            }
            (_, _, matrices) => matrices,
        });
    }
    if !has_form(path) {
        return Ok(None);
    }
    if !is_foreign(path) {
        let tree = beside_columns(table, origin);
        let tree = tree.inspect_err(|reason| none_of_lsstypes(path, reason));
        return Ok(tree.ok());
    }
    let measured = Measured::of(table, origin);
    let made = measured.and_then(|measured| match TableFormat::of(path)?.name() {
        "npy" => pycorr::tree(&measured),
        _ => lines::text(table, &measured),
    });
    let shown = path.display();
    Ok(Some(made.with_context(|| {
        format!("{shown} has the form of pycorr")
    })?))
}

/// Says why a file has our columns alone.
fn none_of_lsstypes(path: &Path, reason: &anyhow::Error) {
    tracing::debug!("{}: no tree of lsstypes: {reason:#}", path.display());
}

/// Reads a result: one of ours, or what lsstypes wrote.
///
/// # Errors
/// A file that is neither, or that cannot be read.
pub fn read_result(path: &Path) -> Result<Table, CallError> {
    read_table(path).map_err(|reason| CallError::Failed(format!("{reason:#}")))
}

/// As [`read_result`].
pub(crate) fn read_table(path: &Path) -> Result<Table> {
    read_with(path, read::table)
}

/// Reads counts by region: those that we wrote, or those of a jackknife that lsstypes wrote.
pub(crate) fn read_regions(path: &Path) -> Result<Table> {
    read_with(path, read::regions)
}

/// Reads a result of ours, or what `of` makes of the tree of another package.
fn read_with(path: &Path, of: fn(&Tree) -> Result<Table>) -> Result<Table> {
    let refused = match Table::read(path) {
        Ok(table) => return Ok(table),
        Err(refused) => refused,
    };
    match Table::read_tree(path) {
        Ok(Some(tree)) => {
            let table = of(&tree).with_context(|| path.display().to_string())?;
            if table.meta.contains_key("line_of_sight") {
                tracing::info!(
                    "{}: lsstypes states no line of sight: the one to the midpoint of a pair is taken",
                    path.display()
                );
            }
            Ok(table)
        }
        _ => Err(refused.into()),
    }
}

/// Writes a result by extension, with the tables that it was made of: xi with its counts, where it is not that itself, the counts by region, and
/// what it is of, if it is a covariance.
///
/// # Errors
/// What cannot be written, or has no form in such a file.
pub fn write_result(
    table: &Table,
    [counts, regions, means]: [Option<Table>; 3],
    path: &Path,
) -> Result<(), CallError> {
    let origin = Origin {
        counts,
        regions,
        means,
    };
    let form =
        form(table, &origin, path).map_err(|reason| CallError::Wrong(format!("{reason:#}")))?;
    let written = table.write_with(form.as_ref(), path);
    written.map_err(|error| CallError::Failed(error.to_string()))
}

/// What pycorr saves of pair counts or a correlation function, and of its `regions`: the bytes of an `.npy` file.
///
/// # Errors
/// What pycorr has no form for.
pub fn pycorr_npy(table: &Table, regions: Option<&Table>) -> Result<Vec<u8>, CallError> {
    let origin = Origin {
        regions: regions.cloned(),
        ..Origin::default()
    };
    let tree = Measured::of(table, &origin).and_then(|measured| pycorr::tree(&measured));
    let tree = tree.map_err(|reason| CallError::Wrong(format!("pycorr: {reason:#}")))?;
    let mut bytes = Vec::new();
    let written = tree.write_npy(&mut bytes);
    written.map_err(|error| CallError::Failed(error.to_string()))?;
    Ok(bytes)
}

/// The tree of lsstypes.
fn beside_columns(table: &Table, origin: &Origin) -> Result<Tree> {
    let Some(means) = &origin.means else {
        return lsstypes::tree(table, &Measured::of(table, origin)?);
    };
    let measured = Measured::of(means, origin)?;
    if measured.is_turned() || measured.is_folded() && means.kind()? == ResultKind::Correlation {
        bail!("bins in mu, or their signs, are others there than in this covariance");
    }
    lsstypes::covariance(table, lsstypes::tree(means, &measured)?)
}
