//! Results of several sets of weights as one table, and back.
//!
//! Entry: [`joined`], [`parts`], [`check_single`].

use albireo_catalogs::{Table, TableColumn};
use anyhow::{Result, bail};
use serde_json::{Map, Value, json};

use super::PLACE;
use crate::by_class;
use crate::held_columns::{self, meta_of_all, meta_of_one, own_entries};
use crate::realised::{check_one, unstacked};

/// The record's list of sets.
const ENTRY: &str = "weight_sets";

/// Whether a column tells the bins, which all sets share.
pub(super) fn tells_bins(name: &str) -> bool {
    ["lo", "hi", "centre"].into_iter().any(|part| {
        let axis = name.strip_suffix(part);
        axis.is_some_and(|axis| axis.is_empty() || axis.ends_with('_'))
    })
}

/// The name of a column of a set: `xi_error` is `xi_NAME_error`.
pub(super) fn of_column(name: &str, set: &str) -> String {
    match name.split_once('_') {
        Some((first, rest)) => format!("{first}_{set}_{rest}"),
        None => format!("{name}_{set}"),
    }
}

/// The name that a column of a set has by itself.
pub(super) fn own_column(name: &str, set: &str) -> Option<String> {
    let (first, rest) = name.split_once('_')?;
    let rest = rest.strip_prefix(set)?;
    match rest.strip_prefix('_') {
        Some(rest) => Some(format!("{first}_{rest}")),
        None => rest.is_empty().then(|| first.to_owned()),
    }
}

/// Entries of records that sets have each for itself, besides counts.
const OWN: [&str; 3] = ["samples", "errors", "engine"];

/// One table of all sets: the bins, and the other columns of each.
pub(super) fn joined(named: &[(&str, Table)]) -> Table {
    let Some((_, first)) = named.first() else {
        return Table::default();
    };
    let bins = first
        .columns
        .iter()
        .filter(|column| tells_bins(&column.name));
    let mut columns: Vec<TableColumn> = bins.cloned().collect();
    let (mut sets, mut counts) = (Vec::new(), Map::new());
    for (name, table) in named {
        let own = table
            .columns
            .iter()
            .filter(|column| !tells_bins(&column.name));
        columns.extend(own.map(|column| TableColumn {
            name: of_column(&column.name, name),
            description: format!("{}, weights {name}", column.description),
            ..column.clone()
        }));
        let mut entry = Map::new();
        entry.insert("name".to_owned(), json!(name));
        entry.extend(own_entries(table, &OWN));
        sets.push(Value::Object(entry));
        let own = table.meta.get("counts").and_then(Value::as_object);
        for (count, record) in own.into_iter().flatten() {
            counts.insert(of_column(count, name), record.clone());
        }
    }
    let mut meta = meta_of_all(first.meta.clone(), &OWN, (ENTRY, sets));
    meta.insert("counts".to_owned(), Value::Object(counts));
    Table { columns, meta }
}

/// The results of the sets that a table holds, by their names, or of its realisations by their numbers; none of a table of one result.
fn split(table: &Table) -> Option<Vec<(String, Table)>> {
    if let Some(all) = unstacked(table) {
        let numbered = all.into_iter().enumerate();
        return Some(numbered.map(|(k, one)| (k.to_string(), one)).collect());
    }
    let sets = table.meta.get(ENTRY)?.as_array()?;
    let one = |set: &Value| {
        let name = set["name"].as_str()?;
        let columns = table.columns.iter().filter_map(|column| {
            let own = if tells_bins(&column.name) {
                column.name.clone()
            } else {
                own_column(&column.name, name)?
            };
            Some(TableColumn {
                name: own,
                ..column.clone()
            })
        });
        let mut meta = meta_of_one(table, &OWN, (ENTRY, set));
        let counts = table.meta.get("counts").and_then(Value::as_object);
        let counts = counts.into_iter().flatten();
        let counts =
            counts.filter_map(|(count, record)| Some((own_column(count, name)?, record.clone())));
        meta.insert("counts".to_owned(), Value::Object(counts.collect()));
        let columns = columns.collect();
        Some((name.to_owned(), Table { columns, meta }))
    };
    sets.iter().map(one).collect()
}

/// The results that a table holds together, of sets of weights or of pairs of classes, by their names.
pub(crate) fn parts(table: &Table) -> Option<Vec<(String, Table)>> {
    split(table).or_else(|| by_class::split(table))
}

/// Refuses a result of several sets or pairs of classes, which is no result of one measurement.
pub(crate) fn check_single(table: &Table) -> Result<()> {
    check_one(table)?;
    held_columns::check_single(table)?;
    match split(table) {
        None => Ok(()),
        Some(sets) => {
            let names: Vec<String> = sets.into_iter().map(|(name, _)| name).collect();
            bail!(
                "it holds the weight sets {}: write each to a file of its own, such as -o 'xi_{PLACE}.ecsv'",
                names.join(", ")
            )
        }
    }
}
