//! Keys and values of a job file as the flags of a command line.

use std::ffi::OsString;

use anyhow::Result;
use clap::{Arg, ArgAction, Command};
use toml::de::DeValue;

use super::named_files::NamedFiles;
use crate::flag::{Takes, Values};
use crate::usage::usage;

/// What a key is set to.
#[derive(Debug, Clone, PartialEq)]
enum Value {
    /// Whether a flag without a value is given.
    Given(bool),
    /// A text or a number as it is written.
    One(String),
    /// A list of those.
    List(Vec<String>, Of),
}

/// What a list is of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Of {
    Texts,
    /// Numbers alone.
    Numbers,
    /// Texts `KEY=VALUE`, of a table.
    Entries,
}

/// A key with its value and the line that it stands in.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Setting {
    pub(super) key: String,
    value: Value,
    pub(super) line: usize,
}

/// A number as it is written.
fn number(value: &DeValue<'_>) -> Option<String> {
    match value {
        DeValue::Integer(n) if n.radix() == 10 => Some(n.as_str().to_owned()),
        DeValue::Float(x) => Some(x.as_str().to_owned()),
        _ => None,
    }
}

/// A text, or a number as it is written.
pub(super) fn text_of(value: &DeValue<'_>) -> Option<String> {
    match value {
        DeValue::String(text) => Some(text.to_string()),
        value => number(value),
    }
}

fn no_value(key: &str, line: usize) -> anyhow::Error {
    usage(format!(
        "line {line}: {key}: expected a text, a number, true or false, or a list of texts or numbers"
    ))
}

impl Setting {
    /// A key set to a value of the file.
    pub(super) fn new(key: &str, value: &DeValue<'_>, line: usize) -> Result<Self> {
        let value = match value {
            DeValue::Boolean(given) => Some(Value::Given(*given)),
            DeValue::Array(values) => {
                let numbers = values.iter().all(|value| number(value.get_ref()).is_some());
                let of = if numbers { Of::Numbers } else { Of::Texts };
                let values = values.iter().map(|value| text_of(value.get_ref()));
                let values = values.collect::<Option<Vec<_>>>();
                values.map(|values| Value::List(values, of))
            }
            DeValue::Table(entries) => {
                let entry = |(key, value): (&toml::Spanned<_>, &toml::Spanned<_>)| {
                    let (key, value): (&std::borrow::Cow<'_, str>, _) = (key.get_ref(), value);
                    Some(format!("{key}={}", text_of(value.get_ref())?))
                };
                let entries = entries.iter().map(entry).collect::<Option<_>>();
                entries.map(|entries| Value::List(entries, Of::Entries))
            }
            value => text_of(value).map(Value::One),
        };
        let value = value.ok_or_else(|| no_value(key, line))?;
        Ok(Self {
            key: key.to_owned(),
            value,
            line,
        })
    }

    /// The same with every text as `put` makes it.
    pub(super) fn put(&self, put: impl Fn(&str) -> Result<String>) -> Result<Self> {
        let value = match &self.value {
            Value::Given(given) => Value::Given(*given),
            Value::One(text) => Value::One(put(text)?),
            Value::List(texts, of) => {
                let texts = texts.iter().map(|text| put(text)).collect::<Result<_>>()?;
                Value::List(texts, *of)
            }
        };
        Ok(Self {
            value,
            ..self.clone()
        })
    }

    /// The same with every text for which `each` has several in a list, in its place.
    pub(super) fn spread(
        &self,
        each: impl Fn(&str) -> Result<Option<Vec<String>>>,
    ) -> Result<Self> {
        let (texts, of) = match &self.value {
            Value::Given(_) => return Ok(self.clone()),
            Value::One(text) => (std::slice::from_ref(text), Of::Texts),
            Value::List(texts, of) => (&texts[..], *of),
        };
        let mut spread = Vec::new();
        let mut any = false;
        for text in texts {
            match each(text)? {
                None => spread.push(text.clone()),
                Some(several) => {
                    any = true;
                    spread.extend(several);
                }
            }
        }
        let value = if any {
            Value::List(spread, of)
        } else {
            self.value.clone()
        };
        Ok(Self {
            value,
            ..self.clone()
        })
    }

    /// Whether `text` stands in its value.
    pub(super) fn holds(&self, text: &str) -> bool {
        match &self.value {
            Value::Given(_) => false,
            Value::One(own) => own.contains(text),
            Value::List(own, _) => own.iter().any(|own| own.contains(text)),
        }
    }

    /// The texts of its value, one for each that a flag takes: a list is one text with commas unless `each` is taken alone.
    fn texts(&self, each: bool, takes: Takes) -> Option<Vec<String>> {
        match &self.value {
            Value::Given(_) => None,
            Value::One(text) => Some(vec![text.clone()]),
            Value::List(texts, _) if each => Some(texts.clone()),
            // A list of numbers for bins is their edges.
            Value::List(texts, Of::Numbers) if matches!(takes, Takes::Edges | Takes::Shells) => {
                Some(vec![format!("edges:{}", texts.join(","))])
            }
            Value::List(texts, _) => Some(vec![texts.join(",")]),
        }
    }
}

/// The flags of a subcommand by the names that a job calls them.
pub(super) struct Flags<'a>(Vec<(String, &'a Arg)>);

/// What a job calls a flag or a file: its long name, or that of its place.
pub(super) fn name_of(arg: &Arg) -> String {
    let name = arg.get_long().unwrap_or(arg.get_id().as_str());
    name.to_owned()
}

/// What a job may set of a subcommand: flags by their long names, files by the names of their places.
pub(super) fn flags_of(command: &Command) -> Flags<'_> {
    let not = ["help", "version", "verbose", "quiet"];
    let args = command.get_arguments().map(|arg| (name_of(arg), arg));
    Flags(
        args.filter(|(name, _)| !not.contains(&name.as_str()))
            .collect(),
    )
}

impl<'a> Flags<'a> {
    /// The flag of a name.
    pub(super) fn find(&self, key: &str) -> Option<&'a Arg> {
        let found = self.0.iter().find(|(name, arg)| {
            name == key
                || arg
                    .get_all_aliases()
                    .is_some_and(|names| names.contains(&key))
        });
        found.map(|(_, arg)| *arg)
    }

    /// All names.
    pub(super) fn names(&self) -> Vec<&str> {
        self.0.iter().map(|(name, _)| name.as_str()).collect()
    }
}

/// A command line with the files that it names.
pub(super) struct CommandLine {
    pub(super) arguments: Vec<OsString>,
    pub(super) files: NamedFiles,
    /// Whether the result goes to a file and the subcommand can tell of it in a line.
    pub(super) brief: bool,
}

/// The command line of a subcommand, by its words, with these settings: files by place first, then flags in the order given.
pub(super) fn command_line(
    words: &[String],
    flags: &Flags<'_>,
    settings: &[Setting],
) -> Result<CommandLine> {
    let mut files = NamedFiles::default();
    let mut places: Vec<(usize, Vec<String>)> = Vec::new();
    let mut rest: Vec<String> = Vec::new();
    for setting in settings {
        let Some(arg) = flags.find(&setting.key) else {
            continue;
        };
        if let Value::Given(given) = setting.value {
            let alone = arg.get_num_args().is_some_and(|n| n.min_values() == 0);
            if !alone && !matches!(arg.get_action(), ArgAction::SetTrue) {
                let (line, key) = (setting.line, &setting.key);
                return Err(usage(format!(
                    "line {line}: {key}: expected a value, found {given}"
                )));
            }
            rest.extend(given.then(|| format!("--{}", setting.key)));
            continue;
        }
        if matches!(arg.get_action(), ArgAction::SetTrue) {
            let (line, key) = (setting.line, &setting.key);
            return Err(usage(format!("line {line}: {key}: expected true or false")));
        }
        let takes = Takes::of(arg);
        if matches!(setting.value, Value::List(_, Of::Entries)) && takes != Takes::Forms {
            return Err(no_value(&setting.key, setting.line));
        }
        let each = Values::of(arg) == Values::Repeated;
        let texts = setting.texts(each, takes).unwrap_or_default();
        files.add(takes, &texts);
        if arg.is_positional() {
            places.push((arg.get_index().unwrap_or(usize::MAX), texts));
            continue;
        }
        for text in texts {
            // A value that begins like a flag stays with its own.
            if text.starts_with('-') || arg.is_require_equals_set() {
                rest.push(format!("--{}={text}", setting.key));
            } else {
                rest.extend([format!("--{}", setting.key), text]);
            }
        }
    }
    places.sort_by_key(|(place, _)| *place);
    let places = places.into_iter().flat_map(|(_, texts)| texts);
    let to_file = |s: &Setting| s.key == "output" && s.value != Value::One("-".to_owned());
    let asked = settings.iter().any(|s| s.key == "brief");
    let brief = flags.find("brief").is_some() && !asked && settings.iter().any(to_file);
    let line = std::iter::once("albireo".to_owned()).chain(words.to_vec());
    let arguments = line.chain(places).chain(rest).map(OsString::from).collect();
    Ok(CommandLine {
        arguments,
        files,
        brief,
    })
}
