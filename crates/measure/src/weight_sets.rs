//! Several sets of weights in one traversal of the pairs: `--weight-set NAME=COLUMN`.
//!
//! Entry: [`WeightSetFlags`] and [`CountSetFlags`], [`each_set`], which makes a result for every set and delivers them, and [`split`], which
//! takes a result of several sets apart.

mod together;

pub(crate) use together::{check_single, parts};

use std::borrow::Cow;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::rc::Rc;

use albireo::estimators::Role;
use albireo_catalogs::Table;
use albireo_samples::{Samples, Selection, Source};
use anyhow::Result;
use clap::Args;

use crate::args::OutputFlags;
use crate::group;
use crate::packages::{Made, is_foreign};
use crate::paths::WrittenFile;
use crate::realised::{RealisationFlags, Whole};
use crate::record::Record;
use crate::session::{Session, Sink};
use crate::usage::usage;
use together::joined;

/// What stands for the name of a set in the path of a file.
const PLACE: &str = "{}";

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

/// Refuses a file that every set, or what `of` calls its like, would write anew, and files that could not be written or would
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
    let tables: Option<Result<Vec<Made>>> = session.for_several(|session| {
        let sets = names.iter().enumerate();
        let of_sets = sets.map(|(set, name)| make(session, set, Some(name)));
        // The first set that makes none, as of a part, ends it.
        of_sets.map(Result::transpose).collect()
    });
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
    sink.draw(named.iter().map(|(name, table)| (*name, table)), output)?;
    let written = OutputFlags {
        #[cfg(feature = "plot")]
        plot: None,
        ..output.clone()
    };
    sink.deliver(&joined(named), &written)
}

#[cfg(test)]
mod tests;
