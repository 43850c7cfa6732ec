//! The files that a command line reads, as the types of its flags and the functions of its expressions say.
//!
//! Entry: [`read_by`], and [`files_in`] a text. No output may replace one of them, in any command.

use std::path::{Path, PathBuf};

use albireo_catalogs::Expression;
use clap::{ArgMatches, Id};

use crate::angular::AngularFiles;
use crate::by_shell::ShellSpec;
use crate::catalogs::Files;
use crate::edges::EdgeSpec;
use crate::join_spec::JoinSpec;
use crate::paths::{ReadFile, WeightSpec};

/// The files that the values of a flag name, where they are of this type.
fn of<T: Clone + Send + Sync + 'static>(
    (matches, flag): (&ArgMatches, &str),
    files: impl Fn(&T) -> Vec<&Path>,
) -> Vec<PathBuf> {
    let values = matches.try_get_many::<T>(flag).ok().flatten();
    let files = values.into_iter().flatten().flat_map(files);
    files.map(Path::to_owned).collect()
}

/// The files that the values of a flag name in expressions.
fn in_expressions((matches, flag): (&ArgMatches, &str)) -> Vec<PathBuf> {
    let values = matches.try_get_raw(flag).ok().flatten();
    let texts = values
        .into_iter()
        .flatten()
        .filter_map(|text| text.to_str());
    texts.flat_map(files_in).map(PathBuf::from).collect()
}

/// The files that functions read of the expression that a text is, alone or behind `NAME=`.
pub(crate) fn files_in(text: &str) -> Vec<String> {
    let unnamed = text.split_once('=').map(|(_, rest)| rest);
    let texts = [Some(text), unnamed].into_iter().flatten();
    let mut texts = texts.filter(|text| text.contains('('));
    let parsed = texts.find_map(|text| Expression::parse(text).ok());
    let files = parsed.iter().flat_map(Expression::files);
    files.map(str::to_owned).collect()
}

/// The files that the command of a command line reads.
pub(crate) fn read_by(mut matches: &ArgMatches) -> Vec<PathBuf> {
    while let Some((_, command)) = matches.subcommand() {
        matches = command;
    }
    let of_flag = |flag: &str| {
        let flag = (matches, flag);
        [
            of(flag, |file: &ReadFile| vec![file.as_path()]),
            of(flag, |files: &Files| files.iter().collect()),
            of(flag, |edges: &EdgeSpec| edges.file().into_iter().collect()),
            of(flag, |shells: &ShellSpec| {
                shells.file().into_iter().collect()
            }),
            of(flag, |weights: &WeightSpec| {
                weights.file().into_iter().collect()
            }),
            of(flag, AngularFiles::paths),
            of(flag, |join: &JoinSpec| join.files().collect()),
            in_expressions(flag),
        ]
        .concat()
    };
    matches.ids().map(Id::as_str).flat_map(of_flag).collect()
}

/// What is said of patterns whose sets list files that are not there.
pub(crate) fn absent_of(mut matches: &ArgMatches) -> Vec<String> {
    while let Some((_, command)) = matches.subcommand() {
        matches = command;
    }
    let of_flag = |id: &Id| matches.try_get_many::<Files>(id.as_str()).ok().flatten();
    let files = matches.ids().filter_map(of_flag).flatten();
    files.filter_map(|files| files.absent.clone()).collect()
}
