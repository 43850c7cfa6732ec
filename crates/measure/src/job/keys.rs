//! Every key that a job file may hold, as comments of one: what `run --template` lists.
//!
//! Entry: [`listed`]. Keys, values and what they mean come from the flags themselves, so that none is forgotten.

use std::collections::HashSet;
use std::fmt::Write;

use clap::{Arg, ArgAction, Command};

use super::settings::flags_of;
use super::{MEASUREMENTS, OPERATIONS};

/// Columns that a line of the list takes.
const WIDTH: usize = 130;

/// What a key is set to.
fn value(arg: &Arg) -> String {
    if matches!(arg.get_action(), ArgAction::SetTrue) {
        return "true".to_owned();
    }
    let possible = arg.get_possible_values();
    let possible = possible.iter().filter(|value| !value.is_hide_set());
    let possible: Vec<&str> = possible
        .map(clap::builder::PossibleValue::get_name)
        .collect();
    if !possible.is_empty() {
        return possible.join("|");
    }
    let names = arg.get_value_names().unwrap_or_default();
    let names: Vec<&str> = names.iter().map(clap::builder::Str::as_str).collect();
    names.join(" ")
}

/// What a key means, in a few words.
fn meaning(arg: &Arg) -> String {
    let help = arg.get_help().map(ToString::to_string).unwrap_or_default();
    let ends = [", e.g.", " (", " [", "; ", ". "];
    let end = ends.iter().filter_map(|end| help.find(end)).min();
    help[..end.unwrap_or(help.len())].replace('\n', " ")
}

/// Words after a beginning, in lines of comments.
fn wrapped(text: &mut String, begin: &str, words: &[&str]) {
    let mut line = begin.to_owned();
    for (k, word) in words.iter().enumerate() {
        let comma = if k + 1 < words.len() { "," } else { "" };
        if line.len() + word.len() + 2 > WIDTH {
            let _ = writeln!(text, "{line}");
            "#     ".clone_into(&mut line);
        }
        let _ = write!(line, " {word}{comma}");
    }
    let _ = writeln!(text, "{line}");
}

/// The keys of the table of a subcommand: those that an earlier table has too by their names, the others with what they mean.
fn of_table(text: &mut String, name: &str, command: &Command, known: &mut HashSet<String>) {
    let about = command.get_about().map(ToString::to_string);
    let _ = writeln!(text, "#\n# [{name}.NAME]  {}", about.unwrap_or_default());
    let flags = flags_of(command);
    let (mut before, mut own) = (Vec::new(), Vec::new());
    for key in flags.names() {
        let Some(arg) = flags.find(key).filter(|arg| !arg.is_hide_set()) else {
            continue;
        };
        let all = format!("{key} {} {}", value(arg), meaning(arg));
        if known.contains(&all) {
            before.push(key);
        } else {
            own.push((key, arg, all));
        }
    }
    for (key, arg, all) in own {
        let setting = format!("{key} = {}", value(arg));
        let _ = writeln!(text, "#     {setting:<44} {}", meaning(arg));
        known.insert(all);
    }
    if !before.is_empty() {
        wrapped(text, "#     and, as above:", &before);
    }
}

/// All keys of all tables, as comments.
pub(crate) fn listed(program: &Command) -> String {
    let mut text = String::from(
        "\n# All keys, table by table; `albireo SUBCOMMAND --help` tells more of each. Those that several tables take may stand above all of them.\n",
    );
    let mut known = HashSet::new();
    // What most jobs are about comes first.
    let mut names: Vec<&str> = MEASUREMENTS.to_vec();
    names.sort_by_key(|name| !matches!(*name, "xi" | "wp"));
    names.sort_by_key(|name| *name != "xi");
    for name in names {
        if let Some(command) = program.find_subcommand(name) {
            of_table(&mut text, name, command, &mut known);
        }
    }
    let operations = program.find_subcommand(OPERATIONS);
    let operations = operations.into_iter().flat_map(Command::get_subcommands);
    for command in operations.filter(|command| command.get_name() != "help") {
        let name = format!("{OPERATIONS}.{}", command.get_name());
        of_table(&mut text, &name, command, &mut known);
    }
    text
}
