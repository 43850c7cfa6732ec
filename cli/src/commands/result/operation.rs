//! Operations on results in memory: what `albireo result` does between reading and writing.
//!
//! Entry: [`operate`].

use std::ffi::OsString;

use albireo_catalogs::Table;
use anyhow::Result;

use super::concatenate::concatenated;
use super::realisations::Realisations;
use super::rebin::{Neighbours, rebinned};
use super::renormalise::renormalised;
use super::saved::NamedTable;
use super::slice::{Ranges, sliced};
use super::sum::summed;
use super::wrap::wrapped;
use crate::caller::CallError;
use crate::record::{Arguments, Record};
use crate::usage::{in_words, is_wrong_call, usage};

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
/// use albireo_cli::result::{NamedTable, Operation, Ranges, operate};
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
/// # Ok::<(), albireo_cli::CallError>(())
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
