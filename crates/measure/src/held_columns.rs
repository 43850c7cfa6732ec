//! Columns of counts as tables of results hold them, their names, and what the metadata say of them.
//!
//! Entry: [`sums`], [`integers`], [`records`].

use albireo::counts::ExactSums;
use albireo::error::CountsError;
use albireo_catalogs::{Table, Values};
use anyhow::{Context, Result, bail};
use serde_json::{Map, Value};

/// The name of a column of a count, whose name is the prefix unless it is empty.
pub(crate) fn column_name(prefix: &str, rest: &str) -> String {
    if prefix.is_empty() {
        rest.to_owned()
    } else {
        format!("{prefix}_{rest}")
    }
}

/// The name of the column of what `number` columns leave of a sum.
pub(crate) fn rest_name(name: &str, number: usize) -> String {
    match number {
        1 => format!("{name}_rest"),
        number => format!("{name}_rest_{number}"),
    }
}

/// The name of the sum that a column of this name holds what others leave of.
pub(crate) fn of_rest(name: &str) -> Option<&str> {
    let mut endings = ["_rest", "_rest_2"].into_iter();
    endings.find_map(|ending| name.strip_suffix(ending))
}

/// The entry of a record that lists the pairs of classes that a result has tables of.
pub(crate) const CLASS_TABLES: &str = "class_tables";

/// The pairs of classes that a result has tables of, if it has such.
pub(crate) fn class_tables(table: &Table) -> Option<&Vec<Value>> {
    table.meta.get(CLASS_TABLES)?.as_array()
}

/// The entries of these names that a result has for itself among others in one table.
pub(crate) fn own_entries(table: &Table, names: &[&str]) -> Map<String, Value> {
    let entry = |name: &&str| Some(((*name).to_owned(), table.meta.get(*name)?.clone()));
    names.iter().filter_map(entry).collect()
}

/// The metadata of a table of several results: of the first what is not its own, and under `list` the entries of each.
pub(crate) fn meta_of_all(
    mut first: Map<String, Value>,
    names: &[&str],
    (list, each): (&str, Vec<Value>),
) -> Map<String, Value> {
    for name in names {
        first.remove(*name);
    }
    first.insert(list.to_owned(), each.into());
    first
}

/// The metadata of one of the results in a table, with its entries of these names.
pub(crate) fn meta_of_one(
    table: &Table,
    names: &[&str],
    (list, own): (&str, &Value),
) -> Map<String, Value> {
    let mut meta = table.meta.clone();
    meta.remove(list);
    for name in names {
        if let Some(value) = own.get(*name) {
            meta.insert((*name).to_owned(), value.clone());
        }
    }
    meta
}

/// Refuses a result that holds tables of several pairs of classes.
pub(crate) fn check_single(table: &Table) -> Result<()> {
    match class_tables(table) {
        None => Ok(()),
        Some(entries) => bail!(
            "it holds the tables of {} pairs of classes: `albireo result slice RESULT --classes A,B -o FILE` takes one of them",
            entries.len()
        ),
    }
}

/// The record of each count by name.
pub(crate) fn records(table: &Table) -> Result<&Map<String, Value>> {
    check_single(table)?;
    let counts = table.meta.get("counts").and_then(Value::as_object);
    counts.context("the result has no metadata `counts`")
}

/// Whether a result has counts whose numbers of pairs are not known, as those of other packages.
pub(crate) fn is_unnumbered(table: &Table) -> bool {
    let unknown = |record: &Value| record.get("total_pairs").is_some_and(Value::is_null);
    records(table).is_ok_and(|records| records.values().any(unknown))
}

/// The names of the sums of expressions that a result holds.
pub(crate) fn pair_sums(table: &Table) -> impl Iterator<Item = &str> {
    let sums = table.meta.get("pair_sums").and_then(Value::as_array);
    let sums = sums.into_iter().flatten();
    sums.filter_map(|sum| sum["name"].as_str())
}

/// A column of counts.
pub(crate) fn integers<'t>(table: &'t Table, name: &str) -> Result<&'t [u64]> {
    match table.column(name).map(|column| &column.values) {
        Some(Values::Integers(values)) => Ok(values),
        _ => bail!("there is no column `{name}` of integers"),
    }
}

/// A column of floats.
pub(crate) fn floats<'t>(table: &'t Table, name: &str) -> Result<&'t [f64]> {
    match table.column(name).map(|column| &column.values) {
        Some(Values::Floats(values)) => Ok(values),
        Some(Values::Integers(_)) => bail!("column `{name}` should be of floats, found integers"),
        None => bail!("there is no column `{name}`"),
    }
}

/// The sums of a column and of those that hold what it leaves of them, if there is such a column.
pub(crate) fn sums(table: &Table, name: &str) -> Result<Option<ExactSums>> {
    if table.column(name).is_none() {
        return Ok(None);
    }
    let mut parts = vec![floats(table, name)?.to_vec()];
    for rest in (1..).map(|number| rest_name(name, number)) {
        if table.column(&rest).is_none() {
            break;
        }
        parts.push(floats(table, &rest)?.to_vec());
    }
    let sums = ExactSums::from_parts(&parts);
    Ok(Some(sums.map_err(|error| at_column(error, name, name))?))
}

/// The error under the name that the table has for what it is about.
pub(crate) fn at_column(error: CountsError, pairs: &str, sums: &str) -> anyhow::Error {
    let place = match (&error, error.bin()) {
        (_, Some(row)) => format!("column `{sums}`, row {row} (counting from 0)"),
        (CountsError::TooManyPairs { .. }, None) => format!("column `{pairs}`"),
        (CountsError::Rest { .. }, None) => format!("column `{sums}`"),
        _ => return error.into(),
    };
    anyhow::Error::from(error).context(place)
}
