//! What people type, and what is written here: names of flags and values in other programs, and those that come to mind.
//!
//! Entry: [`instead`] of a flag, [`value_instead`] of a value, [`command_instead`]. Flags, keys of job files and keywords of Python have the same table.

mod tables;

use clap::Command;

use tables::{COMMANDS, FLAGS, SAMPLES, VALUES};
/// A name in the form of the tables.
fn plain(name: &str) -> String {
    let letters = name
        .chars()
        .filter(|c| !['-', '_', '.', ' ', ',', '(', ')'].contains(c));
    letters.flat_map(char::to_lowercase).collect()
}

fn takes(command: &Command, flag: &str) -> bool {
    let mut all = command.get_arguments();
    all.any(|arg| arg.get_long() == Some(flag))
}

/// Whether what is to be written holds a flag that the command does not have.
fn is_possible(command: &Command, write: &str) -> bool {
    match write.strip_prefix("--") {
        Some(flag) => takes(command, flag.split(' ').next().unwrap_or_default()),
        None => true,
    }
}

/// The rows of a table: words, and the answer to each.
fn rows(table: &'static str) -> impl Iterator<Item = (&'static str, &'static str)> {
    table.lines().filter_map(|row| row.split_once(": "))
}

/// The answer to a word.
fn answer(
    mut rows: impl Iterator<Item = (&'static str, &'static str)>,
    name: &str,
) -> Option<&'static str> {
    let row = rows.find(|(words, _)| words.split(' ').any(|word| word == name));
    row.map(|(_, answer)| answer)
}

/// What the table has for a name.
fn listed(command: &Command, name: &str) -> Option<String> {
    let mut all = answer(rows(FLAGS), name)?.split(" / ");
    let write = all.find(|write| is_possible(command, write));
    write.map(str::to_owned)
}

/// The flag of the command that is spelt so, but for case, - and _.
fn spelt(command: &Command, name: &str) -> Option<String> {
    let mut names = command.get_arguments().filter_map(|arg| arg.get_long());
    let found = names.find(|long| plain(long) == name);
    found.map(|long| format!("--{long}"))
}

/// What to write for the flag of another sample.
fn of_sample(command: &Command, name: &str) -> Option<String> {
    SAMPLES.iter().find_map(|(word, before)| {
        let rest = name.strip_prefix(word).filter(|rest| rest.len() > 1)?;
        let write = spelt(command, rest).or_else(|| listed(command, rest))?;
        let write = format!("{before}{}", write.strip_prefix("--")?);
        is_possible(command, &write).then_some(write)
    })
}

/// What to write in place of a flag, key or keyword that the command does not have, where that is known.
pub(crate) fn known(command: &Command, typed: &str) -> Option<String> {
    let name = plain(typed);
    let known = spelt(command, &name).or_else(|| listed(command, &name));
    known.or_else(|| of_sample(command, &name))
}

/// A hint about a flag, key or keyword that the command does not have: what to write, one that is a slip away, or where all of them are listed.
pub(crate) fn instead(command: &Command, words: &str, typed: &str) -> String {
    if let Some(write) = known(command, typed) {
        return if write.starts_with("--") || write.starts_with("albireo ") {
            format!("use {write}")
        } else {
            write
        };
    }
    let visible = command.get_arguments().filter(|arg| !arg.is_hide_set());
    let names: Vec<String> = visible
        .filter_map(|arg| arg.get_long())
        .map(str::to_owned)
        .collect();
    let typed = typed.trim_start_matches('-').replace('_', "-");
    match albireo_catalogs::near(&typed, &names).first() {
        Some(near) => format!("did you mean --{near}?"),
        None => format!("`{words} --help` lists all flags"),
    }
}

/// What to write in place of a value that a flag does not take, where that is known.
pub(crate) fn value_instead(flag: &str, typed: &str, valid: &[String]) -> Option<String> {
    let value = plain(typed);
    let spelt = valid.iter().find(|other| plain(other) == value).cloned();
    let of_flag = rows(VALUES).filter_map(|(words, write)| {
        let (of, words) = words.split_once(' ')?;
        (of == flag).then_some((words, write))
    });
    let listed = || answer(of_flag, &value).map(str::to_owned);
    let near = || albireo_catalogs::near(typed, valid).first().cloned();
    spelt.or_else(listed).or_else(near)
}

/// What to write in place of a subcommand that there is not.
pub(crate) fn command_instead(program: &Command, typed: &str) -> Option<String> {
    let name = plain(typed);
    let mut names = program
        .get_subcommands()
        .map(|command| command.get_name().to_owned());
    if let Some(found) = names.find(|other| plain(other) == name) {
        return Some(found);
    }
    let below = format!("{} ", program.get_name());
    let listed = answer(rows(COMMANDS), &name).and_then(|write| match program.get_name() {
        "albireo" => Some(write),
        _ => write.strip_prefix(&below),
    });
    if let Some(write) = listed {
        return Some(write.to_owned());
    }
    let names: Vec<String> = program
        .get_subcommands()
        .map(|c| c.get_name().to_owned())
        .collect();
    albireo_catalogs::near(typed, &names).first().cloned()
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory;

    use super::*;
    use crate::Cli;

    #[test]
    fn tables_are_in_plain_form_and_lead_somewhere() {
        let mut program = Cli::command();
        program.build();
        let commands = || program.get_subcommands();
        let check_words = |all: &[&str]| {
            let known = all.join(" ");
            let mut known: Vec<&str> = known.split(' ').collect();
            assert!(
                known
                    .iter()
                    .all(|word| plain(word) == *word && !word.is_empty())
            );
            known.sort_unstable();
            assert!(known.windows(2).all(|two| two[0] != two[1]), "{known:?}");
        };
        for table in [FLAGS, VALUES, COMMANDS] {
            assert_eq!(rows(table).count(), table.lines().count() - 1, "{table}");
        }
        check_words(&rows(FLAGS).map(|(words, _)| words).collect::<Vec<_>>());
        for (typed, writes) in rows(FLAGS) {
            for write in writes.split(" / ") {
                assert!(
                    commands().any(|command| is_possible(command, write)),
                    "{typed}: {write}"
                );
            }
        }
        for (typed, _) in rows(VALUES) {
            let (flag, words) = typed.split_once(' ').unwrap();
            check_words(&[words]);
            assert!(commands().any(|command| takes(command, flag)), "{typed}");
        }
        check_words(&rows(COMMANDS).map(|(words, _)| words).collect::<Vec<_>>());
        for (typed, write) in rows(COMMANDS) {
            let first = write.split(' ').next().unwrap();
            assert!(commands().any(|c| c.get_name() == first), "{typed}");
            for word in typed.split(' ') {
                assert!(
                    commands().all(|c| c.get_name() != word),
                    "{word} is a command"
                );
            }
        }
    }

    #[test]
    fn names_of_other_programs_are_known() {
        let program = Cli::command();
        for (command, typed, write) in [
            ("xi", "ells", "use --multipoles"),
            ("rdf", "rmax", "use --r-max"),
            ("rdf", "n_bins", "use --n-bins"),
            ("xi", "nbins", "use --bins lin:LO:HI:N"),
            ("rdf", "dr", "use --n-bins"),
            ("wp", "pimax", "use --pi-max"),
            ("xi", "weights", "use --weight"),
            ("count", "nthreads", "use --threads"),
            ("xi", "random", "use --randoms"),
            ("xi", "rand_weights", "use --randoms-weight"),
            ("xi", "output-file", "use --output"),
            ("nz", "cosmo", "use --cosmology"),
            ("xi", "ra", "use --sky RA,DEC"),
            ("xi", "mubins", "use --mu-bins"),
            ("count", "boxsize", "use --box"),
            ("xi", "wheer", "did you mean --where?"),
            ("xi", "zebra", "`albireo xi --help` lists all flags"),
        ] {
            let words = format!("albireo {command}");
            let of = program.find_subcommand(command).unwrap();
            assert_eq!(instead(of, &words, typed), write, "{command} --{typed}");
        }
        assert_eq!(value_instead("engine", "GPU", &[]).as_deref(), Some("cuda"));
        assert_eq!(command_instead(&program, "tpcf").as_deref(), Some("xi"));
        assert_eq!(
            command_instead(&program, "radnoms").as_deref(),
            Some("randoms")
        );
    }
}
