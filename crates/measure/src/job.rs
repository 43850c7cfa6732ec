//! A job file: measurements as tables of flags, made into the command lines that they stand for.
//!
//! Entry: [`Job::parse`]. A key is the long name of a flag, or that of a file a command takes by its place, so that every value is read,
//! checked and refused as on the command line. Nothing here opens a file or runs anything; of inputs with several forms it sees which are there.

mod coarser;
mod forms;
mod keys;
mod named_files;
mod order;
mod set;
mod settings;
mod sweep;

use std::collections::{HashMap, HashSet};
use std::ffi::OsString;

use anyhow::Result;
use clap::Command;
use toml::de::{DeTable, DeValue};

use crate::flag::Takes;
use crate::synonyms::{instead, known};
use crate::usage::usage;
pub(crate) use keys::listed;
pub(crate) use named_files::NamedFiles;
pub(crate) use order::rounds;
use order::{in_order, plain};
use set::Names;
use settings::{Setting, command_line, flags_of, name_of};
use sweep::{Axis, Point, Sweep};

/// The subcommands that a job may hold.
const MEASUREMENTS: [&str; 13] = [
    "count",
    "xi",
    "wp",
    "rdf",
    "md",
    "field",
    "covariance",
    "nz",
    "completeness",
    "randoms",
    "random",
    "plot",
    "report",
];

/// The subcommand whose tables are those of its own subcommands: `[result.covariance.NAME]`.
const OPERATIONS: &str = "result";

/// A command line with the place in the job file that it stands for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Measurement {
    /// Its table, with what the sweep has put in, e.g. `xi.poles (cap = NGC)`.
    pub(crate) name: String,
    /// Line of the file that its table begins at.
    pub(crate) line: usize,
    /// The command line, the name of the program first.
    pub(crate) arguments: Vec<OsString>,
    pub(crate) files: NamedFiles,
    /// Whether one line is to tell of its result, which a file holds.
    pub(crate) brief: bool,
}

impl Measurement {
    /// Whether it shows results, as figures and reports do, which are made at once and do not say by which command.
    pub(crate) fn shows_results(&self) -> bool {
        ["plot", "report"]
            .iter()
            .any(|command| self.arguments[1] == **command)
    }
}

/// Everything that a job file asks for.
#[derive(Debug)]
pub(crate) struct Job {
    pub(crate) measurements: Vec<Measurement>,
}

/// A table of settings under a subcommand.
struct Asked<'a> {
    name: String,
    words: Vec<String>,
    command: &'a Command,
    line: usize,
    settings: Vec<Setting>,
}

/// A hint about a flag of the command as one about the key of its name, or of the place of a file.
fn in_job(command: &Command, hint: &str) -> String {
    let mut files = command.get_positionals().map(|arg| arg.get_id().as_str());
    let file = match hint.starts_with("give the ") {
        true if hint.contains("second") => files.nth(1),
        true => files.next(),
        false => None,
    };
    match file {
        Some(file) => format!("use {file}"),
        None if hint.contains(" --help`") => hint.to_owned(),
        None => hint.replace("--", ""),
    }
}

/// The line that a place in the text is in, counted from 1.
fn line_of(text: &str, place: usize) -> usize {
    1 + text.bytes().take(place).filter(|b| *b == b'\n').count()
}

impl Job {
    /// The measurements of a job file, each with its own flags before those that all share; `program` knows the subcommands.
    ///
    /// # Errors
    /// Text that is no TOML, a key that is no flag, a value that is no flag's, or a sweep that leaves two results in one file; each with
    /// its line.
    pub(crate) fn parse(text: &str, program: &Command) -> Result<Self> {
        let table = DeTable::parse(text).map_err(|error| {
            let line = error.span().map_or(1, |span| line_of(text, span.start));
            // What the parser would have taken next says little.
            let said = error.message().split(", expected").next();
            usage(format!("line {line}: {}", said.unwrap_or_default()))
        })?;
        let mut shared = Vec::new();
        let mut asked = Vec::new();
        let mut sweep = Sweep::default();
        let mut names = Names::default();
        for (key, value) in table.get_ref() {
            let line = line_of(text, key.span().start);
            match (key.get_ref().as_ref(), value.get_ref()) {
                ("sweep", DeValue::Table(axes)) => sweep = Sweep::new(text, axes)?,
                ("set", DeValue::Table(texts)) => names = Names::new(text, texts)?,
                (OPERATIONS, DeValue::Table(operations)) => {
                    asked.extend(operations_of(text, program, operations)?);
                }
                (name, DeValue::Table(settings)) => {
                    let command = measurement_command(program, name, line)?;
                    asked.extend(asked_of(text, (&[name], line), command, settings)?);
                }
                (name, value) => shared.push(Setting::new(name, value, line)?),
            }
        }
        if asked.is_empty() {
            let tables = MEASUREMENTS.map(|name| format!("[{name}.NAME]")).join(", ");
            return Err(usage(format!(
                "nothing to measure: expected one of {tables}"
            )));
        }
        check_shared(&shared, &asked)?;
        put_names(&names, &sweep, &mut shared, &mut asked)?;
        let mut measurements: Vec<Measurement> = Vec::new();
        let mut known = HashSet::new();
        for point in sweep.points() {
            for asked in &asked {
                let made = asked.measurement(&shared, &sweep, &point)?;
                if known.insert(made.arguments.clone()) {
                    measurements.push(made);
                }
            }
        }
        check_axes(&sweep, &shared, &asked)?;
        check_outputs(&measurements)?;
        forms::choose(&mut measurements)?;
        let measurements = in_order(measurements)?;
        coarser::check(&measurements)?;
        Ok(Self { measurements })
    }
}

fn measurement_command<'a>(program: &'a Command, name: &str, line: usize) -> Result<&'a Command> {
    let known = MEASUREMENTS
        .contains(&name)
        .then(|| program.find_subcommand(name));
    known.flatten().ok_or_else(|| {
        usage(format!(
            "line {line}: there is no table [{name}]: expected [sweep], [set] or one of {}, {OPERATIONS}",
            MEASUREMENTS.join(", ")
        ))
    })
}

/// What is asked of saved results under `[result]`: a table for each operation, or several under its name.
fn operations_of<'a>(
    text: &str,
    program: &'a Command,
    tables: &DeTable<'_>,
) -> Result<Vec<Asked<'a>>> {
    let of = program.find_subcommand(OPERATIONS);
    let known = || of.into_iter().flat_map(Command::get_subcommands);
    let known = || known().filter(|command| command.get_name() != "help");
    let mut asked = Vec::new();
    for (key, value) in tables {
        let (key, line) = (key.get_ref().as_ref(), line_of(text, key.span().start));
        let command = known().find(|command| command.get_name() == key);
        let (Some(command), DeValue::Table(settings)) = (command, value.get_ref()) else {
            let names: Vec<_> = known()
                .map(|command| format!("[{OPERATIONS}.{}]", command.get_name()))
                .collect();
            return Err(usage(format!(
                "line {line}: there is no table [{OPERATIONS}.{key}]: expected one of {}",
                names.join(", ")
            )));
        };
        let words = [OPERATIONS, key];
        asked.extend(asked_of(text, (&words, line), command, settings)?);
    }
    Ok(asked)
}

/// The measurements under the table of a subcommand's words: its tables, which share its other keys, or else the table itself.
fn asked_of<'a>(
    text: &str,
    (words, line): (&[&str], usize),
    command: &'a Command,
    table: &DeTable<'_>,
) -> Result<Vec<Asked<'a>>> {
    let name = words.join(".");
    let mut shared = Vec::new();
    let mut own = Vec::new();
    for (key, value) in table {
        let (key, line) = (key.get_ref().as_ref(), line_of(text, key.span().start));
        let flag = flags_of(command).find(key);
        let is_setting = flag.is_some_and(|flag| Takes::of(flag) == Takes::Forms);
        match value.get_ref() {
            DeValue::Table(settings) if !is_setting => {
                let setting = |(key, value): (&toml::Spanned<_>, &toml::Spanned<DeValue<'_>>)| {
                    let key: &toml::Spanned<std::borrow::Cow<'_, str>> = key;
                    let line = line_of(text, key.span().start);
                    Setting::new(key.get_ref(), value.get_ref(), line)
                };
                let settings = settings.iter().map(setting).collect::<Result<Vec<_>>>()?;
                own.push((format!("{name}.{key}"), line, settings));
            }
            value => shared.push(Setting::new(key, value, line)?),
        }
    }
    if own.is_empty() {
        own.push((name, line, Vec::new()));
    }
    let asked = own.into_iter().map(|(name, line, mut settings)| {
        let given = |key: &str| settings.iter().any(|own: &Setting| own.key == key);
        let also: Vec<_> = shared.iter().filter(|s| !given(&s.key)).cloned().collect();
        settings.extend(also);
        Asked {
            name,
            words: words.iter().map(|&word| word.to_owned()).collect(),
            command,
            line,
            settings,
        }
    });
    let asked: Vec<_> = asked.collect();
    for one in &asked {
        let flags = flags_of(one.command);
        if let Some(strange) = one.settings.iter().find(|s| flags.find(&s.key).is_none()) {
            let words = words.join(" ");
            let hint = instead(one.command, &format!("albireo {words}"), &strange.key);
            return Err(usage(format!(
                "line {}: {words} has no key `{}`: {}",
                strange.line,
                strange.key,
                in_job(one.command, &hint)
            )));
        }
    }
    Ok(asked)
}

/// Refuses a key above all tables that no measurement takes.
fn check_shared(shared: &[Setting], asked: &[Asked<'_>]) -> Result<()> {
    let taken = |setting: &Setting| {
        let mut commands = asked.iter().map(|asked| flags_of(asked.command));
        commands.any(|flags| flags.find(&setting.key).is_some())
    };
    match shared.iter().find(|setting| !taken(setting)) {
        None => Ok(()),
        Some(strange) => {
            let commands = asked.iter().map(|asked| asked.command);
            let mut hints = commands.filter_map(|command| {
                let write = known(command, &strange.key)?;
                Some(in_job(command, &format!("use {write}")))
            });
            let flags = asked.iter().flat_map(|asked| asked.command.get_arguments());
            let keys: Vec<String> = flags.map(name_of).collect();
            let near = || {
                let near = albireo_catalogs::near(&strange.key, &keys);
                Some(format!("did you mean {}?", near.first()?))
            };
            let hint = hints.next().or_else(near);
            let hint = hint.unwrap_or_else(|| {
                "`albireo run --template` lists the keys of each table".to_owned()
            });
            Err(usage(format!(
                "line {}: no measurement of this job has the key `{}`: {hint}",
                strange.line, strange.key
            )))
        }
    }
}

/// Puts the texts of `[set]` into all settings.
fn put_names(
    names: &Names,
    sweep: &Sweep,
    shared: &mut [Setting],
    asked: &mut [Asked<'_>],
) -> Result<()> {
    let of_tables = asked.iter_mut().flat_map(|asked| &mut asked.settings);
    let mut settings: Vec<&mut Setting> = shared.iter_mut().chain(of_tables).collect();
    let known: Vec<&Setting> = settings.iter().map(|setting| &**setting).collect();
    names.check(sweep, &known)?;
    for setting in &mut settings {
        let line = setting.line;
        **setting = setting.put(|text| names.put(text, sweep, line))?;
    }
    Ok(())
}

/// Refuses an axis of the sweep that stands in no key of any measurement.
fn check_axes(sweep: &Sweep, shared: &[Setting], asked: &[Asked<'_>]) -> Result<()> {
    let asked: Vec<&Setting> = asked.iter().flat_map(|a| a.with_shared(shared)).collect();
    let used = |place: &String| {
        let forms = [format!("{{{place}}}"), format!("{{{place}:all}}")];
        asked.iter().any(|s| forms.iter().any(|form| s.holds(form)))
    };
    match sweep.axes().find(|axis| !axis.places.iter().any(used)) {
        None => Ok(()),
        Some(Axis {
            name, places, line, ..
        }) => Err(usage(format!(
            "line {line}: no measurement of this job uses the axis `{name}` of [sweep]: write {{{}}} where its values belong, or leave it out",
            places[0]
        ))),
    }
}

impl Asked<'_> {
    /// Its own settings, and those above all tables that it takes and has not itself.
    fn with_shared<'a>(&'a self, shared: &'a [Setting]) -> Vec<&'a Setting> {
        let flags = flags_of(self.command);
        let own = |key: &str| self.settings.iter().any(|setting| setting.key == key);
        let shared = shared.iter();
        let shared = shared.filter(|s| !own(&s.key) && flags.find(&s.key).is_some());
        self.settings.iter().chain(shared).collect()
    }

    /// The measurement at a point of the sweep.
    fn measurement(
        &self,
        shared: &[Setting],
        sweep: &Sweep,
        point: &Point<'_>,
    ) -> Result<Measurement> {
        let flags = flags_of(self.command);
        let asked = self.with_shared(shared);
        let put = |setting: &&Setting| {
            let texts = |text: &str| sweep.each(text, setting.line);
            let put = |text: &str| sweep.put(text, point, setting.line);
            setting.spread(texts)?.put(put)
        };
        let settings = asked.iter().map(put).collect::<Result<Vec<_>>>()?;
        let used = |place: &str| asked.iter().any(|s| s.holds(&format!("{{{place}}}")));
        let texts = sweep.axes().zip(point);
        let texts = texts.flat_map(|(axis, value)| axis.texts(value));
        let named = texts.filter(|(place, _)| used(place));
        let named: Vec<_> = named
            .map(|(place, text)| format!("{place} = {text}"))
            .collect();
        let line = command_line(&self.words, &flags, &settings)?;
        let named = if named.is_empty() {
            String::new()
        } else {
            format!(" ({})", named.join(", "))
        };
        Ok(Measurement {
            name: format!("{}{named}", self.name),
            line: self.line,
            arguments: line.arguments,
            files: line.files,
            brief: line.brief,
        })
    }
}

/// Refuses two measurements that write one file.
fn check_outputs(measurements: &[Measurement]) -> Result<()> {
    let mut known: HashMap<String, &Measurement> = HashMap::new();
    for made in measurements {
        for output in made.files.changed() {
            if let Some(other) = known.insert(plain(output), made) {
                return Err(usage(format!(
                    "line {}: [{}] and [{}] both write {output}: name another file, or put what differs into its name, e.g. {{mock}}",
                    made.line, other.name, made.name
                )));
            }
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests;
