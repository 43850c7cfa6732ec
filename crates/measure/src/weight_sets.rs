//! Several sets of weights in one traversal of the pairs: `--weight-set NAME=COLUMN`.
//!
//! Entry: [`WeightSetFlags`] and [`CountSetFlags`], [`each_set`], which makes a result for every set and delivers them, and [`split`], which
//! takes a result of several sets apart.

use std::borrow::Cow;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::rc::Rc;
use std::sync::Arc;

use albireo::estimators::Role;
use albireo_catalogs::{Table, TableColumn};
use albireo_samples::{Samples, Selection, Source};
use anyhow::{Result, bail};
use clap::Args;
use serde_json::{Map, Value, json};

use crate::args::OutputFlags;
use crate::by_class;
use crate::group;
use crate::held_columns;
use crate::packages::{Made, is_foreign};
use crate::paths::WrittenFile;
use crate::realised::{RealisationFlags, Whole, check_one, unstacked};
use crate::record::Record;
use crate::session::{Session, Sink};
use crate::usage::usage;

/// What stands for the name of a set in the path of a file.
const PLACE: &str = "{}";

/// The record's list of sets.
const ENTRY: &str = "weight_sets";

/// A set of weights by its name, none for unit weights.
#[derive(Debug, Clone, PartialEq)]
struct NamedSet {
    name: String,
    weight: Option<String>,
}

fn named_set(text: &str) -> Result<NamedSet, String> {
    let parts = text
        .split_once('=')
        .filter(|(_, weight)| !weight.is_empty());
    let (name, weight) = parts
        .ok_or_else(|| format!("expected NAME=COLUMN, such as fkp=WEIGHT_FKP, found `{text}`"))?;
    let word = |c: char| c.is_ascii_alphanumeric() || c == '-';
    let begins = name.starts_with(|c: char| c.is_ascii_alphabetic());
    if !(begins && name.chars().all(word)) {
        return Err(format!(
            "the name of a set is of letters, digits and -, a letter first, found `{name}`"
        ));
    }
    Ok(NamedSet {
        name: name.to_owned(),
        weight: Some(weight.to_owned()).filter(|weight| weight != "none"),
    })
}

/// Sets of weights, each with a name.
#[allow(clippy::struct_field_names, reason = "the names of flags")]
#[derive(Debug, Clone, Default, Args)]
#[command(next_help_heading = group::WEIGHTS)]
pub(crate) struct WeightSetFlags {
    #[allow(clippy::doc_markdown, reason = "the help of a flag")]
    /// Named set of weights: a column, an expression, or `none` for unit weights
    ///
    /// Again for each further set, e.g. plain=WEIGHT and fkp=WEIGHT*WEIGHT_FKP; the pairs are found once. Results have the columns of each set,
    /// xi_NAME and so on, or each set has its file where {} stands in the path.
    #[arg(long, value_name = "NAME=COLUMN", value_parser = named_set, conflicts_with_all = ["weight", "randoms-weight", "cross-weight"])]
    weight_set: Vec<NamedSet>,
    /// Weights of the randoms in a set, where they differ
    #[arg(long, value_name = "NAME=COLUMN", value_parser = named_set, requires = "weight_set", help_heading = group::COPIES)]
    randoms_weight_set: Vec<NamedSet>,
    /// Weights of the second sample in a set, where they differ
    #[arg(long, value_name = "NAME=COLUMN", value_parser = named_set, requires = "weight_set", help_heading = group::COPIES)]
    cross_weight_set: Vec<NamedSet>,
}

/// Sets of weights of one catalogue or two, each with a name.
#[derive(Debug, Clone, Default, Args)]
#[command(next_help_heading = group::WEIGHTS)]
pub(crate) struct CountSetFlags {
    #[allow(clippy::doc_markdown, reason = "the help of a flag")]
    /// Named set of weights: a column, an expression, or `none` for unit weights
    ///
    /// Again for each further set, e.g. plain=WEIGHT and fkp=WEIGHT*WEIGHT_FKP; the pairs are found once. Results have the columns of each set,
    /// weight_NAME and so on, or each set has its file where {} stands in the path.
    #[arg(long, value_name = "NAME=COLUMN", value_parser = named_set, conflicts_with_all = ["weight", "cross-weight"])]
    weight_set: Vec<NamedSet>,
    /// Weights of the second sample in a set, where they differ
    #[arg(long = "cross-weight-set", aliases = ["second-weight-set", "randoms-weight-set"], value_name = "NAME=COLUMN", value_parser = named_set, requires = "weight_set", help_heading = group::COPIES)]
    second_weight_set: Vec<NamedSet>,
}

fn names(sets: &[NamedSet]) -> Vec<&str> {
    sets.iter().map(|set| set.name.as_str()).collect()
}

/// Refuses names that are given twice, or that no set has.
fn check_names(all: &[NamedSet], others: &[(&str, &[NamedSet])]) -> Result<()> {
    let known = names(all);
    for (flag, sets) in [("--weight-set", all)].iter().chain(others) {
        for (k, NamedSet { name, .. }) in sets.iter().enumerate() {
            if sets[..k].iter().any(|other| other.name == *name) {
                return Err(usage(format!("{flag}: {name} is given more than once")));
            }
            if !known.contains(&name.as_str()) {
                return Err(usage(format!(
                    "{flag}: there is no set {name}: --weight-set names {}",
                    known.join(", ")
                )));
            }
        }
    }
    Ok(())
}

/// The weights of all sets, by what a catalogue has of its `own`.
fn weights(all: &[NamedSet], own: &[NamedSet]) -> Vec<Option<String>> {
    let sets = all.iter().map(|set| {
        let own = own.iter().find(|own| own.name == set.name);
        own.unwrap_or(set).weight.clone()
    });
    sets.collect()
}

impl WeightSetFlags {
    /// The names of the sets, in their order; none where there is but one, without a name.
    pub(crate) fn names(&self) -> Vec<&str> {
        names(&self.weight_set)
    }

    /// Refuses names that are given twice, or that no set has.
    pub(crate) fn check(&self) -> Result<()> {
        let others: [(&str, &[NamedSet]); 2] = [
            ("--randoms-weight-set", &self.randoms_weight_set),
            ("--cross-weight-set", &self.cross_weight_set),
        ];
        check_names(&self.weight_set, &others)
    }

    /// The weights of a role, set by set; none where no sets are named.
    pub(crate) fn of(&self, role: Role) -> Vec<Option<String>> {
        let own = match role {
            Role::Data => &[][..],
            Role::SecondData => &self.cross_weight_set,
            _ => &self.randoms_weight_set,
        };
        weights(&self.weight_set, own)
    }
}

impl CountSetFlags {
    /// The names of the sets, in their order; none where there is but one, without a name.
    pub(crate) fn names(&self) -> Vec<&str> {
        names(&self.weight_set)
    }

    /// Refuses names that are given twice, or that no set has, and weights of a second catalogue without one.
    pub(crate) fn check(&self, has_second: bool) -> Result<()> {
        if !has_second && !self.second_weight_set.is_empty() {
            return Err(usage("--cross-weight-set needs a second catalogue"));
        }
        check_names(
            &self.weight_set,
            &[("--cross-weight-set", &self.second_weight_set)],
        )
    }

    /// A catalogue with its weights of all sets, where sets are named.
    pub(crate) fn of(&self, source: Source) -> Source {
        let own = if source.role == "second" {
            &self.second_weight_set[..]
        } else {
            &[]
        };
        let mut sets = weights(&self.weight_set, own).into_iter();
        let selection = source.selection;
        Source {
            selection: Selection {
                weight: sets.next().unwrap_or(selection.weight),
                further_weights: sets.collect(),
                ..selection
            },
            ..source
        }
    }
}

/// The samples by a set of weights, of the first one with all others, and what the record says of it.
fn of_weights(
    inputs: Rc<Samples>,
    (set, name): (usize, Option<&str>),
    record: &mut Record,
) -> Rc<Samples> {
    let Some(name) = name else {
        return inputs;
    };
    let alone = inputs.of_weight_set(set);
    for (key, value) in alone.record() {
        record.set(key, value.clone());
    }
    record.set("weight_set", name);
    if set == 0 { inputs } else { Rc::new(alone) }
}

/// The samples of one result, by a set of weights or of a realisation, with those of all realisations where these are counted.
pub(crate) fn of_result(
    inputs: Rc<Samples>,
    flags: &RealisationFlags,
    (at, name): (usize, Option<&str>),
    record: &mut Record,
) -> Result<(Rc<Samples>, Option<Whole>)> {
    if !flags.given() {
        return Ok((of_weights(inputs, (at, name), record), None));
    }
    let whole = Whole::of(&inputs)?;
    Ok((whole.one(at, record)?, Some(whole)))
}

/// The path of a file of a set.
pub(crate) fn path_of<'p>(path: &'p Path, set: Option<&str>) -> Cow<'p, Path> {
    match (set, path.to_str()) {
        (Some(name), Some(text)) if text.contains(PLACE) => {
            Cow::Owned(PathBuf::from(text.replace(PLACE, name)))
        }
        _ => Cow::Borrowed(path),
    }
}

/// The files that a path stands for in a command line: one for each of its sets of weights.
pub(crate) fn files_of(path: &str, arguments: &[OsString]) -> Vec<String> {
    let words: Vec<&str> = arguments.iter().filter_map(|word| word.to_str()).collect();
    let after = words.windows(2).filter(|pair| pair[0] == "--weight-set");
    let joined = words
        .iter()
        .filter_map(|word| word.strip_prefix("--weight-set="));
    let sets = after.map(|pair| pair[1]).chain(joined);
    let names = sets.filter_map(|set| Some(set.split_once('=')?.0));
    let files: Vec<String> = names.map(|name| path.replace(PLACE, name)).collect();
    if files.is_empty() || !path.contains(PLACE) {
        return vec![path.to_owned()];
    }
    files
}

/// Refuses a file that every set, or whatever `of` calls what has these names, would write anew, and files that could not be written or would
/// replace one of the `inputs`.
pub(crate) fn check_files(
    (names, of): (&[&str], &str),
    (output, sink): (&OutputFlags, &Sink),
    files: &[(&str, &Path)],
    inputs: &[&Path],
) -> Result<()> {
    for name in names {
        let files = files.iter();
        let files = files.map(|(flag, path)| (flag, path_of(path, Some(name))));
        let files: Vec<_> = files.collect();
        let files: Vec<_> = files.iter().map(|(flag, path)| (**flag, &**path)).collect();
        sink.check_counts(&of_set(output, Some(name)), &files, inputs)?;
    }
    if names.len() < 2 {
        return Ok(());
    }
    let shared = |path: &Path| !path.to_string_lossy().contains(PLACE);
    let main = output.file().filter(|path| is_foreign(path));
    let main = main.map(|path| ("--output", path));
    match main.iter().chain(files).find(|(_, path)| shared(path)) {
        None => Ok(()),
        Some((flag, path)) => Err(usage(format!(
            "{flag} {}: every {of} writes one: put {PLACE} where its name goes",
            path.display()
        ))),
    }
}

/// Makes the result of every set of weights, the first of which finds the pairs of all, and delivers them: each to its own file where `{}`
/// stands for its name, else together. Without sets there is one result.
pub(crate) fn each_set(
    names: &[&str],
    output: &OutputFlags,
    session: &mut Session<'_>,
    mut make: impl FnMut(&mut Session<'_>, usize, Option<&str>) -> Result<Option<Made>>,
) -> Result<()> {
    if names.is_empty() {
        return match make(session, 0, None)? {
            Some(made) => session.sink.deliver_made(&made, output),
            None => Ok(()),
        };
    }
    let mut own = session.kept.for_several();
    let kept = if session.kept.is_empty_handed() {
        &mut own
    } else {
        &mut *session.kept
    };
    kept.forget_sets();
    let of_sets = names.iter().enumerate().map(|(set, name)| {
        let mut of_set = Session {
            kept: &mut *kept,
            arguments: session.arguments,
            world: Rc::clone(&session.world),
            watch: Arc::clone(&session.watch),
            sink: session.sink.clone(),
        };
        make(&mut of_set, set, Some(name))
    });
    // The first set that makes none, as of a part, ends it.
    let tables: Option<Result<Vec<Made>>> = of_sets.map(Result::transpose).collect();
    kept.forget_sets();
    let Some(tables) = tables.transpose()? else {
        return Ok(());
    };
    if output.file().is_some_and(has_place) {
        for (name, made) in names.iter().zip(&tables) {
            let output = of_set(output, Some(name));
            session.sink.deliver_made(made, &output)?;
        }
        return Ok(());
    }
    let tables = tables.into_iter().map(|made| made.table);
    let named: Vec<(&str, Table)> = names.iter().copied().zip(tables).collect();
    deliver_together(&named, output, &session.sink)
}

/// Whether the name of a set goes into a path.
pub(crate) fn has_place(path: &Path) -> bool {
    path_of(path, Some("")) != path
}

/// Where the result of one set goes.
pub(crate) fn of_set(output: &OutputFlags, name: Option<&str>) -> OutputFlags {
    let path = |path: &Option<WrittenFile>| {
        let path = path.as_deref()?;
        Some(path_of(path, name).into_owned().into())
    };
    OutputFlags {
        output: path(&output.output),
        #[cfg(feature = "plot")]
        plot: path(&output.plot),
        ..output.clone()
    }
}

/// Writes the results of all sets as one, and draws them in one figure.
fn deliver_together(named: &[(&str, Table)], output: &OutputFlags, sink: &Sink) -> Result<()> {
    #[cfg(feature = "plot")]
    if let Some(path) = output.plot.as_ref().filter(|_| !sink.is_silent) {
        let tables = named
            .iter()
            .map(|(name, table)| albireo_figures::Named { name, table });
        let style = albireo_figures::Style {
            r2: output.scale.r2,
            scale_by: output.scale.scale_by,
            ..albireo_figures::Style::default()
        };
        albireo_figures::draw(&tables.collect::<Vec<_>>(), path, style)?;
        tracing::info!("figure written to {}", path.display());
    }
    let written = OutputFlags {
        #[cfg(feature = "plot")]
        plot: None,
        ..output.clone()
    };
    sink.deliver(&joined(named), &written)
}

/// Whether a column tells the bins, which all sets share.
fn tells_bins(name: &str) -> bool {
    ["lo", "hi", "centre"].into_iter().any(|part| {
        let axis = name.strip_suffix(part);
        axis.is_some_and(|axis| axis.is_empty() || axis.ends_with('_'))
    })
}

/// The name of a column of a set: `xi_error` is `xi_NAME_error`.
fn of_column(name: &str, set: &str) -> String {
    match name.split_once('_') {
        Some((first, rest)) => format!("{first}_{set}_{rest}"),
        None => format!("{name}_{set}"),
    }
}

/// The name that a column of a set has by itself.
fn own_column(name: &str, set: &str) -> Option<String> {
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
fn joined(named: &[(&str, Table)]) -> Table {
    let Some((_, first)) = named.first() else {
        return Table::default();
    };
    let bins = first
        .columns
        .iter()
        .filter(|column| tells_bins(&column.name));
    let mut columns: Vec<TableColumn> = bins.cloned().collect();
    let mut meta = first.meta.clone();
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
        for key in OWN {
            if let Some(value) = table.meta.get(key) {
                entry.insert(key.to_owned(), value.clone());
            }
        }
        sets.push(Value::Object(entry));
        let own = table.meta.get("counts").and_then(Value::as_object);
        for (count, record) in own.into_iter().flatten() {
            counts.insert(of_column(count, name), record.clone());
        }
    }
    for key in OWN {
        meta.remove(key);
    }
    meta.insert("counts".to_owned(), Value::Object(counts));
    meta.insert(ENTRY.to_owned(), Value::Array(sets));
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
        let mut meta = table.meta.clone();
        meta.remove(ENTRY);
        for key in OWN {
            if let Some(value) = set.get(key) {
                meta.insert(key.to_owned(), value.clone());
            }
        }
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

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a failed unwrap is a failed test")]
mod tests;
