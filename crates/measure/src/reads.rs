//! The files that a command line reads, as the types of its flags say.
//!
//! Entry: [`read_by`]. No output may replace one of them, whatever command it is.

use std::path::{Path, PathBuf};

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
        ]
        .concat()
    };
    matches.ids().map(Id::as_str).flat_map(of_flag).collect()
}
