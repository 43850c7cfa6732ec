//! Operations on results in memory: what `albireo result` does between reading and writing.
//!
//! Entry: [`operate`]; [`Operation::named`] reads what to do from flags.

use std::ffi::OsString;

use albireo_catalogs::Table;
use anyhow::Result;
use clap::{Args, Command};

use super::concatenate::concatenated;
use super::realisations::Realisations;
use super::rebin::{Neighbours, rebinned};
use super::renormalise::{TotalWeight, renormalised};
use super::saved::NamedTable;
use super::slice::{Ranges, sliced};
use super::sum::summed;
use super::wrap::wrapped;
use crate::caller::CallError;
use crate::record::{Arguments, Record};
use crate::usage::{in_a_line, in_words, is_wrong_call, usage};

/// What to do with saved results; the help of `albireo result` says more of each.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum Operation {
    /// Puts results of the same particles in bins that adjoin together.
    Concatenate,
    /// Puts neighbouring bins of pair counts together.
    Rebin(Neighbours),
    /// Gives pair counts this total weight.
    Renormalise(f64),
    /// Keeps the bins within ranges.
    Slice(Ranges),
    /// Adds the pair counts of several realisations.
    Sum,
    /// Puts both signs of mu or pi of pair counts together.
    Wrap,
}

/// The flags of an operation that has none.
#[derive(Debug, Args)]
struct NoFlags {}

/// Reads the flags of one operation.
fn read<F: Args>(flags: &[OsString]) -> Result<F, CallError> {
    let command = Command::new("albireo")
        .no_binary_name(true)
        .disable_help_flag(true);
    let read = F::augment_args(command).try_get_matches_from(flags);
    let read = read.and_then(|matches| F::from_arg_matches(&matches));
    read.map_err(|refusal| CallError::Wrong(in_a_line(&refusal)))
}

impl Operation {
    /// The operation that `albireo result` has under this name, with its flags as they stand on the command line; `None` where
    /// [`operate`] does none of this name.
    ///
    /// ```
    /// use albireo_measure::result::Operation;
    /// let named = |name, flags: &[&str]| {
    ///     let flags: Vec<_> = flags.iter().map(Into::into).collect();
    ///     Operation::named(name, &flags)
    /// };
    /// assert_eq!(named("renormalise", &["--total-weight=2.5"])?, Some(Operation::Renormalise(2.5)));
    /// assert_eq!(named("covariance", &[])?, None);
    /// assert!(named("wrap", &["--by=2"]).is_err());
    /// # Ok::<(), albireo_measure::CallError>(())
    /// ```
    ///
    /// # Errors
    /// [`CallError::Wrong`], in the words of `albireo result`: flags that the operation has not, lacks or cannot read.
    pub fn named(name: &str, flags: &[OsString]) -> Result<Option<Self>, CallError> {
        let plain = |operation| read::<NoFlags>(flags).map(|NoFlags {}| operation);
        Ok(Some(match name {
            "concatenate" => plain(Self::Concatenate)?,
            "rebin" => Self::Rebin(read(flags)?),
            "renormalise" => Self::Renormalise(read::<TotalWeight>(flags)?.total_weight),
            "slice" => Self::Slice(read(flags)?),
            "sum" => plain(Self::Sum)?,
            "wrap" => plain(Self::Wrap)?,
            _ => return Ok(None),
        }))
    }
}

/// The only input of an operation on one result.
fn only(inputs: &[NamedTable]) -> Result<&NamedTable> {
    match inputs {
        [input] => Ok(input),
        _ => Err(usage(format!(
            "one result is needed, found {}",
            inputs.len()
        ))),
    }
}

fn made(operation: &Operation, inputs: Vec<NamedTable>, record: Record) -> Result<Table> {
    match operation {
        Operation::Concatenate => concatenated(&inputs, record),
        Operation::Rebin(by) => rebinned(only(&inputs)?, by, record),
        Operation::Renormalise(total_weight) => renormalised(only(&inputs)?, *total_weight, record),
        Operation::Slice(ranges) => sliced(only(&inputs)?, ranges, record),
        Operation::Sum => summed(&Realisations::of(inputs)?, record),
        Operation::Wrap => wrapped(only(&inputs)?, record),
    }
}

/// Does an operation on results in memory; the record of what it makes names `command`, the name of the program first, as how it was made.
///
/// ```
/// use albireo_catalogs::{Table, TableColumn};
/// use albireo_measure::result::{NamedTable, Operation, Ranges, operate};
/// use serde_json::json;
/// let xi = vec![3.0, 2.0, 1.0];
/// let bins = [("lo", [0.0, 1.0, 2.0]), ("hi", [1.0, 2.0, 3.0]), ("centre", [0.5, 1.5, 2.5])];
/// let mut columns = Vec::from(bins.map(|(name, values)| TableColumn::floats(name, "", values.to_vec())));
/// columns.push(TableColumn::floats("xi", "", xi));
/// let mut table = Table { columns, ..Table::default() };
/// table.meta.insert("result".into(), "correlation function".into());
/// table.meta.insert("edges".into(), json!({"r": [0.0, 1.0, 2.0, 3.0]}));
/// let far = Operation::Slice(Ranges { range: Some([1.0, 3.0]), ..Ranges::default() });
/// let command = ["albireo", "result", "slice"].map(Into::into);
/// let sliced = operate(&far, vec![NamedTable::in_memory("xi", table)], &command)?;
/// assert_eq!(sliced.rows(), 2);
/// assert_eq!(sliced.meta["made_from"]["path"], "xi");
/// # Ok::<(), albireo_measure::CallError>(())
/// ```
///
/// # Errors
/// [`CallError`], in the words of `albireo result`: a call without meaning, or results that the operation cannot be done with.
pub fn operate(
    operation: &Operation,
    inputs: Vec<NamedTable>,
    command: &[OsString],
) -> Result<Table, CallError> {
    let words = command.to_vec();
    let record = Record::begin(&Arguments {
        words,
        ..Arguments::default()
    });
    made(operation, inputs, record).map_err(|error| {
        if is_wrong_call(&error) {
            CallError::Wrong(in_words(&error))
        } else {
            CallError::Failed(in_words(&error))
        }
    })
}
