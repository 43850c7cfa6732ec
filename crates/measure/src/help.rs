//! What `-h` and `--help` show: the flags that most calls need, or all of them, group by group.
//!
//! Entry: [`arranged`]. The group of a flag is stated at its field ([`crate::group`]); here are the flags of `-h`, command by command.

use std::fmt::Write;

use clap::{Arg, ArgAction, Command, CommandFactory};

use crate::pair_sums::about_forms;
use crate::{Cli, group};

/// The flags that `-h` lists of a command, a row each and in their order within a group; of other commands it lists all but [`RARE`].
const SHORT: &str = "
count: positions sky redshift where cosmology box bins statistic mu-bins pi-bins output plot weight threads
xi: randoms cross sky redshift where cosmology box bins statistic mu-bins multipoles estimator regions output plot weight
wp: randoms cross sky redshift where cosmology box bins pi-bins pi-max estimator regions output plot weight
rdf: where box topology frames select pairs r-max n-bins bins norm output plot exclude-same exclude-bonded threads
field: topology where box kernel cutoff radius spacing at output weight threads
md: atoms density temperature potential cutoff seed steps dt thermostat output every trajectory trajectory-every rdf engine threads
covariance: randoms sky redshift where cosmology multipoles wedges wp xi xi-theory alpha tune noise time rounds output plot weight threads
nz: randoms sky redshift where cosmology nside area bins effective-redshift fkp fkp-data fkp-randoms output plot weight
randoms: number seed sky redshift where nside box shell sky-window like mask output weight
completions:
man:
";

/// Flags that `-h` never lists of other commands.
const RARE: [&str; 12] = [
    "format",
    "brief",
    "overwrite",
    "outputs",
    "scale-by",
    "checkpoint-every",
    "wedge-edges",
    "wedge-bins",
    "bootstrap",
    "jackknife",
    "seed",
    "skip",
];

/// What stands before the flags for tuning.
const ABOUT_TUNING: &str = "Flags for tuning: they make a run faster or slower and never change an exact result.\n\
The defaults are the fastest that were measured; docs/machines.md has the measurements.\n";

/// How `randoms` is called, in two lines that fit a screen.
const RANDOMS: &str = "albireo randoms [OPTIONS] --number <N> --output <FILE>
    <--box <BOX>|--shell <RMIN:RMAX>|--sky-window <RA0:RA1,DEC0:DEC1>|--like <DATA>|--mask <FILE>>";

/// The commands of [`SHORT`] with their flags.
fn short_lists() -> impl Iterator<Item = (&'static str, Vec<&'static str>)> {
    let rows = SHORT.lines().filter_map(|row| row.split_once(':'));
    rows.map(|(command, flags)| (command, flags.split_whitespace().collect()))
}

/// The place of a flag in help: that of its group, then that of its name in the short list.
fn place(arg: &Arg, short: &[&str]) -> (usize, usize) {
    if arg.is_positional() {
        return (0, 0);
    }
    let heading = arg.get_help_heading();
    let group = group::ORDER.iter().position(|name| heading == Some(*name));
    let name = arg.get_long().unwrap_or_default();
    let within = short.iter().position(|other| *other == name);
    (
        1 + group.unwrap_or(group::ORDER.len()),
        within.unwrap_or(short.len()),
    )
}

/// The flags that help itself has, in place of those that clap makes, which no group could hold.
fn general(command: Command) -> Command {
    let help = Arg::new("help")
        .short('h')
        .long("help")
        .action(ArgAction::Help);
    let help = help.help("Show the flags that most calls need (-h), or all of them (--help)");
    let version = Arg::new("version").short('V').long("version");
    let version = version.action(ArgAction::Version).hide_short_help(true);
    let flags = [help, version.help("Show the version")];
    let flags = flags.map(|arg| arg.help_heading(group::GENERAL).display_order(990));
    command
        .display_name("albireo")
        .disable_help_flag(true)
        .disable_version_flag(true)
        .args(flags)
}

/// The flags of the group that are hidden, and stand at the end of the help of their command.
fn hidden<'a>(args: &'a [Arg], group: &'a str) -> impl Iterator<Item = &'a Arg> {
    let of_group = move |arg: &&Arg| arg.get_help_heading() == Some(group);
    args.iter()
        .filter(of_group)
        .filter(|arg| !arg.is_hide_set())
}

/// What flags of other samples mean, which are those of the first with a word before them.
fn about_copies(args: &[Arg]) -> Option<String> {
    let names: Vec<&str> = hidden(args, group::COPIES)
        .filter_map(Arg::get_long)
        .collect();
    let mut text = String::new();
    for (prefix, of) in [("randoms", "the randoms"), ("cross", "the second sample")] {
        let names = names
            .iter()
            .filter_map(|name| name.strip_prefix(prefix)?.strip_prefix('-'));
        let names: Vec<&str> = names.collect();
        if !names.is_empty() {
            let _ = write!(
                text,
                "\n  --{prefix}-NAME: as --NAME, for {of} alone; NAME is one of {}",
                names.join(", ")
            );
        }
    }
    let title = "Flags of the other samples; without them those of the first sample are used (but --rows, --every and --join):";
    (!text.is_empty()).then(|| format!("{title}{text}"))
}

/// What stands below the flags of a command in its full help.
fn below(command: &Command, args: &[Arg]) -> String {
    let tuning = hidden(args, group::TUNING).next();
    let tuning = tuning.map(|_| "Flags for tuning: albireo help tuning".to_owned());
    let own = command.get_after_help().map(|text| text.ansi().to_string());
    let texts = [about_copies(args), tuning, own];
    texts.into_iter().flatten().collect::<Vec<_>>().join("\n\n")
}

/// A command without subcommands, by the words that call it.
fn leaf(command: &Command, words: &str) -> Command {
    let name = command.get_name().to_owned();
    let listed = short_lists().find(|(command, _)| *command == name);
    let listed = listed.filter(|_| words == format!("albireo {name}"));
    let listed = listed.map(|(_, flags)| flags);
    let short = listed.as_deref().unwrap_or_default();
    let is_short = |name: &str| match listed {
        Some(_) => short.contains(&name),
        None => !RARE.contains(&name),
    };
    let mut args: Vec<Arg> = command.get_arguments().cloned().collect();
    let below = below(command, &args);
    args.sort_by_key(|arg| place(arg, short));
    let args = args.into_iter().enumerate().map(|(order, arg)| {
        if arg.is_positional() {
            return arg.help_heading(None);
        }
        let group = arg.get_help_heading();
        let hide = arg.is_hide_set() || [group::COPIES, group::TUNING].map(Some).contains(&group);
        let in_short = arg.get_long().is_some_and(is_short);
        arg.display_order(order)
            .hide_short_help(!in_short)
            .hide(hide)
    });
    let mut made = Command::new(name)
        .args(args)
        .groups(command.get_groups().cloned())
        .hide(command.is_hide_set())
        .after_help(format!("All flags and examples: {words} --help"))
        .after_long_help(below);
    if words == "albireo randoms" {
        made = made.override_usage(RANDOMS);
    }
    let about = command.get_about().cloned().unwrap_or_default();
    let long_about = command.get_long_about().cloned();
    general(
        made.about(about.clone())
            .long_about(long_about.unwrap_or(about)),
    )
}

/// The commands below this one, which the words call.
fn with_subcommands(command: Command, words: &str) -> Command {
    let (title, words) = (words, words.to_owned());
    let mut order = 0;
    let command = command.mut_subcommands(move |below| {
        let words = format!("{words} {}", below.get_name());
        order += 1;
        let made = if below.has_subcommands() {
            with_subcommands(below, &words)
        } else {
            leaf(&below, &words)
        };
        made.display_order(order)
    });
    let examples = command.get_after_help().cloned();
    let command = match examples {
        Some(examples) => command
            .after_long_help(examples)
            .after_help(format!("Examples: {title} --help")),
        None => command,
    };
    general(command)
}

/// All flags for tuning with the commands that take them.
fn tuning(program: &Command) -> String {
    let mut flags: Vec<(Arg, Vec<&str>)> = Vec::new();
    for command in program.get_subcommands() {
        for arg in command.get_arguments() {
            if arg.get_help_heading() != Some(group::TUNING) {
                continue;
            }
            let same = |(other, _): &&mut (Arg, _)| {
                other.get_long() == arg.get_long()
                    && other.get_help().map(ToString::to_string)
                        == arg.get_help().map(ToString::to_string)
            };
            match flags.iter_mut().find(same) {
                Some((_, commands)) => commands.push(command.get_name()),
                None => flags.push((arg.clone(), vec![command.get_name()])),
            }
        }
    }
    let mut text = ABOUT_TUNING.to_owned();
    for (arg, commands) in flags {
        let values = arg.get_possible_values();
        let values = values.iter().filter(|value| !value.is_hide_set());
        let values: Vec<&str> = values.map(clap::builder::PossibleValue::get_name).collect();
        let names = arg.get_value_names().unwrap_or_default();
        let value = match (names.first(), &values[..]) {
            (_, [_, ..]) => values.join("|"),
            (Some(name), _) => name.to_string(),
            (None, _) => String::new(),
        };
        let _ = writeln!(
            text,
            "\n  --{} {value}    (of {})\n      {}",
            arg.get_long().unwrap_or_default(),
            commands.join(", "),
            arg.get_help().map(ToString::to_string).unwrap_or_default(),
        );
    }
    text
}

/// The program with its flags in groups, in order, and the rare ones out of the short help.
pub(crate) fn arranged(program: Command) -> Command {
    let tuning = Command::new("tuning")
        .about("Show the flags for tuning")
        // Its text is made where it is asked for, and not at each start.
        .defer(|command| command.override_help(tuning(&Cli::command())))
        .arg_required_else_help(true)
        .hide(true);
    let forms = Command::new("forms")
        .about("Show the ready-made pair sums")
        .defer(|command| command.override_help(about_forms()))
        .arg_required_else_help(true)
        .hide(true);
    with_subcommands(program, "albireo")
        .subcommand(tuning)
        .subcommand(forms)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The lines that a terminal has.
    const LINES: usize = 45;

    fn leaves(command: &Command, words: &str, each: &mut impl FnMut(&Command, &str)) {
        for below in command.get_subcommands() {
            let words = format!("{words} {}", below.get_name());
            if below.get_name() == "help" || below.is_hide_set() {
                continue;
            }
            if below.has_subcommands() {
                leaves(below, &words, each);
            } else {
                each(below, &words);
            }
        }
    }

    #[test]
    fn short_help_fits_one_screen() {
        let mut program = arranged(Cli::command()).term_width(100);
        program.build();
        let mut long = Vec::new();
        leaves(&program, "albireo", &mut |command, words| {
            let text = command.clone().render_help().to_string();
            let last = text.lines().last().unwrap();
            assert_eq!(last, format!("All flags and examples: {words} --help"));
            let lines = text.lines().count();
            if lines > LINES || text.lines().any(|line| line.chars().count() > 100) {
                long.push(format!("{words}: {lines}"));
            }
        });
        assert_eq!(long, Vec::<String>::new());
    }

    #[test]
    fn each_flag_is_in_a_group() {
        let program = Cli::command();
        let mut strange = Vec::new();
        leaves(&program, "albireo", &mut |command, words| {
            for arg in command.get_opts() {
                let heading = arg.get_help_heading().unwrap_or_default();
                if !group::ORDER.contains(&heading) {
                    strange.push(format!("{words} {}", arg.get_id()));
                }
            }
        });
        assert_eq!(strange, Vec::<String>::new());
    }

    #[test]
    fn short_lists_name_flags_that_there_are() {
        let program = Cli::command();
        assert_eq!(short_lists().count(), SHORT.lines().count() - 1);
        for (name, flags) in short_lists() {
            let command = program.find_subcommand(name).unwrap();
            for flag in flags {
                let mut all = command.get_opts();
                let optional = ["plot", "engine"].contains(&flag);
                assert!(
                    optional || all.any(|arg| arg.get_long() == Some(flag)),
                    "{name} --{flag}"
                );
            }
        }
    }

    #[test]
    fn full_help_has_each_flag_somewhere() {
        let mut program = arranged(Cli::command()).term_width(100);
        program.build();
        let tuning = program.find_subcommand("tuning").unwrap().clone();
        let tuning = tuning.clone().render_help().to_string();
        leaves(&program, "albireo", &mut |command, words| {
            let text = command.clone().render_long_help().to_string();
            for arg in command.get_opts() {
                let name = arg.get_long().unwrap();
                let copied = ["randoms-", "cross-"]
                    .iter()
                    .find_map(|p| name.strip_prefix(p));
                let shown = text.contains(&format!("--{name}"))
                    || tuning.contains(&format!("--{name}"))
                    || copied.is_some_and(|copied| text.contains(copied));
                assert!(shown || arg.is_hide_set(), "{words} --{name}");
            }
        });
    }
}
