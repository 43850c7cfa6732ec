//! Words that stand behind a flag and would be read as data: files, what a shell makes of a pattern without quotes, and values that belong behind `=`.
//!
//! Entry: [`found`].

use std::path::Path;

use clap::{Arg, ArgMatches, Command};

use crate::flag::{Takes, Values};

/// The places of the values of an argument in the command line, each with the value.
fn placed<'a>(matches: &'a ArgMatches, arg: &Arg) -> Vec<(usize, &'a str)> {
    let id = arg.get_id().as_str();
    let values = matches.try_get_raw(id).ok().flatten();
    let indices = matches.indices_of(id).into_iter().flatten();
    let values = values.into_iter().flatten().map(|value| value.to_str());
    let both = indices.zip(values);
    both.filter_map(|(index, value)| Some((index, value?)))
        .collect()
}

/// A word right behind a flag whose value, one of a few words, belongs behind `=`.
fn behind_equals(command: &Command, matches: &ArgMatches) -> Option<String> {
    let data = command.get_positionals();
    let data: Vec<_> = data.flat_map(|arg| placed(matches, arg)).collect();
    let with_equals = command.get_opts().filter(|arg| arg.is_require_equals_set());
    for arg in with_equals {
        let flag = arg.get_long().unwrap_or_default();
        let places = placed(matches, arg);
        let behind = |word: &&(usize, &str)| places.iter().any(|(place, _)| word.0 == place + 1);
        let known = arg.get_possible_values();
        let is_value = |word: &str| known.iter().any(|value| value.matches(word, false));
        if let Some((_, word)) = data.iter().filter(behind).find(|(_, word)| is_value(word)) {
            return Some(format!(
                "{word} stands behind --{flag} and would be read as a file: write --{flag}={word}"
            ));
        }
    }
    None
}

/// A word right behind the value of a list that ends too early, where commas were left out.
fn behind_list(command: &Command, matches: &ArgMatches) -> Option<String> {
    let data = command.get_positionals();
    let data: Vec<_> = data.flat_map(|arg| placed(matches, arg)).collect();
    for arg in command.get_opts() {
        if Values::of(arg) != Values::List {
            continue;
        }
        let flag = arg.get_long().unwrap_or_default();
        let values = placed(matches, arg);
        let names = arg.get_value_names().unwrap_or_default();
        let whole = names.iter().any(|name| name.contains(".."));
        let wanted = names.iter().map(|name| name.split(',').count()).sum();
        let is_short = !whole && values.len() < wanted;
        let Some((last, _)) = values.last() else {
            continue;
        };
        let behind = data.iter().find(|(place, _)| *place == last + 1);
        let behind = behind.filter(|(_, word)| is_short || word.parse::<f64>().is_ok());
        if let Some((_, word)) = behind.filter(|(_, word)| !Path::new(word).exists()) {
            let values: Vec<&str> = values.iter().map(|(_, value)| *value).collect();
            let values = values.join(",");
            return Some(format!(
                "{word} stands behind --{flag} {values} and would be read as a file: values of a list have commas between them, --{flag} {values},{word}"
            ));
        }
    }
    None
}

/// What is wrong with data that stand before a flag of other files and again right behind its value.
pub(crate) fn found(mut command: &Command, mut matches: &ArgMatches) -> Option<String> {
    while let Some((name, below)) = matches.subcommand() {
        (command, matches) = (command.find_subcommand(name)?, below);
    }
    let stray = behind_equals(command, matches).or_else(|| behind_list(command, matches));
    if stray.is_some() {
        return stray;
    }
    let is_samples = |arg: &&Arg| Takes::of(arg) == Takes::Samples;
    let data = command.get_positionals().filter(is_samples);
    let data: Vec<_> = data.flat_map(|arg| placed(matches, arg)).collect();
    if data.iter().any(|(_, file)| *file == "-") {
        return Some(
            "found `-` where a catalogue was expected: they are read from files, not from standard input".to_owned(),
        );
    }
    for arg in command.get_opts().filter(is_samples) {
        let flag = arg.get_long().unwrap_or_default();
        for (place, file) in placed(matches, arg) {
            let stray = data.iter().find(|(index, _)| *index == place + 1);
            let first = data.iter().find(|(index, _)| *index < place);
            if let (Some((_, stray)), Some((_, first))) = (stray, first) {
                return Some(format!(
                    "{stray} stands behind --{flag} {file}, and would be read as data beside {first}: quote a pattern of files, or write --{flag} before each; \
                     all data stand together"
                ));
            }
        }
    }
    None
}
