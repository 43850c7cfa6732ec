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

/// What the table has for a name.
fn listed(command: &Command, name: &str) -> Option<String> {
    let row = FLAGS.iter().find(|(typed, _)| *typed == name);
    let write = row.and_then(|(_, all)| all.iter().find(|write| is_possible(command, write)));
    write.map(|write| (*write).to_owned())
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
    let rows = VALUES.iter().filter(|(of, ..)| *of == flag);
    let mut rows = rows.filter(|(_, typed, _)| *typed == value);
    let spelt = valid.iter().find(|other| plain(other) == value).cloned();
    let listed = || rows.next().map(|(.., write)| (*write).to_owned());
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
    let listed = COMMANDS.iter().find(|(typed, _)| *typed == name);
    let listed = listed.and_then(|(_, write)| match program.get_name() {
        "albireo" => Some(*write),
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
#[allow(clippy::unwrap_used, reason = "a failed unwrap is a failed test")]
mod tests {
    use clap::CommandFactory;

    use super::*;
    use crate::Cli;

    #[test]
    fn tables_are_in_plain_form_and_lead_somewhere() {
        let mut program = Cli::command();
        program.build();
        let commands = || program.get_subcommands();
        for (typed, writes) in FLAGS {
            assert_eq!(plain(typed), *typed);
            for write in *writes {
                assert!(
                    commands().any(|command| is_possible(command, write)),
                    "{typed}: {write}"
                );
            }
        }
        for (flag, typed, _) in VALUES {
            assert_eq!(plain(typed), *typed);
            assert!(
                commands().any(|command| takes(command, flag)),
                "{flag} {typed}"
            );
        }
        for (typed, write) in COMMANDS {
            let first = write.split(' ').next().unwrap();
            assert!(commands().any(|c| c.get_name() == first), "{typed}");
            assert!(
                commands().all(|c| c.get_name() != *typed),
                "{typed} is a command"
            );
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
