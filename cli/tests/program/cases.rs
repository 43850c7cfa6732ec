//! Command lines and all that they say, as text in `cases/`; `hold` carries out a file of them.
//!
//! The first character of a line tells what it is:
//! - `#` a remark;
//! - `=` a case, in a folder of its own; the feature of the program that it needs in brackets;
//! - `-` a file of the folder, whose lines follow behind `|`, or what makes it (`scattered N LENGTH SEED`, `of FILE OLD NEW ..`, `hex BYTES`, `gone`), or a folder (`NAME/`);
//! - `$` a command, as a shell has it, where `{folder}` and `{checkout}` stand for paths;
//! - below it `?` its exit code, if it is not 0, `!` what it must say on standard error, the log apart, `>` what it must print, and `+` the files that it
//!   must change: all of them, in full. What a command prints that succeeds counts where a `>` is there.
//!
//! `ALBIREO_UPDATE=1 cargo test -p albireo-cli --test program -- cases::` writes what was found.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::path::Path;
use std::time::SystemTime;

use crate::folder::{Folder, scattered};

macro_rules! files {
    ($($name:ident)*) => {
        $(mod $name {
            #[test]
            fn hold() {
                super::hold(stringify!($name));
            }
        })*
        const FILES: &[&str] = &[$(stringify!($name)),*];
    };
}

files! {
    bad_input bit_columns block_errors columns combine common_units cuts dumps estimates field field_maps figures formats formulas frames frames_in_time job job_steps md molecules nz one_frame outputs partials plots projections random randoms rdf regions results reuse saved_algebra saved_counts scattering shards shells silent species split statistics survey_errors units units_of_frames walls weight_sets words
}

/// The folder of the whole project.
const CHECKOUT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/..");

const FEATURES: [(&str, bool); 5] = [
    ("cuda", cfg!(feature = "cuda")),
    ("fits", cfg!(feature = "fits")),
    ("hdf5", cfg!(feature = "hdf5")),
    ("parquet", cfg!(feature = "parquet")),
    ("plot", cfg!(feature = "plot")),
];

/// Carries out the cases of a file, which must be as it says.
fn hold(name: &str) {
    let folder = Path::new(CHECKOUT).join("cli/tests/program/cases");
    for entry in std::fs::read_dir(&folder).unwrap() {
        let file = entry.unwrap().file_name().into_string().unwrap();
        let named = FILES.contains(&file.trim_end_matches(".txt"));
        assert!(named, "cases.rs does not name {file}");
    }
    let path = folder.join(format!("{name}.txt"));
    let (found, differing) = carried_out(&std::fs::read_to_string(&path).unwrap(), name);
    if std::env::var_os("ALBIREO_UPDATE").is_some() {
        std::fs::write(&path, found).unwrap();
    } else {
        assert!(
            differing.is_empty(),
            "ALBIREO_UPDATE=1 takes it\n{differing}"
        );
    }
}

/// The text with what was found, and what of it differs.
fn carried_out(text: &str, name: &str) -> (String, String) {
    let (mut found, mut differing) = (String::new(), String::new());
    let mut folder = Some(Folder::new());
    let mut lines = text.lines().enumerate().peekable();
    while let Some((at, line)) = lines.next() {
        let mut behind = String::new();
        while let Some((_, line)) =
            lines.next_if(|(_, line)| line.starts_with(['|', '?', '!', '>', '+']))
        {
            behind.extend([line, "\n"]);
        }
        match (line.split_at_checked(2), &folder) {
            (Some(("= ", title)), _) => {
                let missing =
                    |(name, there): &(&str, bool)| !there && title.contains(&format!("[{name}]"));
                folder = (!FEATURES.iter().any(missing)).then(Folder::new);
            }
            (Some(("- ", how)), Some(folder)) => write_file(folder, how, &behind),
            (Some(("$ ", command)), Some(folder)) => {
                let outcome = outcome(
                    folder,
                    command,
                    behind.contains("\n> ") || behind.starts_with('>'),
                );
                if outcome != behind {
                    writeln!(
                        differing,
                        "{name}.txt:{}: {line}\nexpected:\n{behind}found:\n{outcome}",
                        at + 1
                    )
                    .unwrap();
                }
                behind = outcome;
            }
            (Some(("- " | "$ ", _)), None) => {}
            _ => assert!(
                line.is_empty() || line.starts_with('#'),
                "{name}.txt:{}: no such mark: {line}",
                at + 1
            ),
        }
        write!(found, "{line}\n{behind}").unwrap();
    }
    (found, differing)
}

/// Makes a file of a line `name`, `name how` or `name/` and of the lines behind it.
fn write_file(folder: &Folder, line: &str, behind: &str) {
    let words = shlex::split(line).unwrap();
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    let path = folder.path(words[0]);
    match words[1..] {
        [] if line.ends_with('/') => std::fs::create_dir(path),
        [] => {
            let lines = behind
                .lines()
                .map(|line| line.strip_prefix("| ").unwrap_or(&line[1..]));
            std::fs::write(
                path,
                lines.flat_map(|line| [line, "\n"]).collect::<String>(),
            )
        }
        ["of", other, ref changes @ ..] => {
            let text = std::fs::read_to_string(folder.path(other)).unwrap();
            let change = |text: String, pair: &[&str]| text.replace(pair[0], pair[1]);
            std::fs::write(path, changes.chunks(2).fold(text, change))
        }
        ["gone"] => std::fs::remove_file(path),
        ["scattered", n, length, seed] => {
            let text = scattered(
                n.parse().unwrap(),
                length.parse().unwrap(),
                seed.parse().unwrap(),
            );
            std::fs::write(path, text)
        }
        ["hex", digits] => {
            let byte = |at| u8::from_str_radix(&digits[at..at + 2], 16).unwrap();
            std::fs::write(
                path,
                (0..digits.len()).step_by(2).map(byte).collect::<Vec<_>>(),
            )
        }
        _ => panic!("no such way to make a file: {line}"),
    }
    .unwrap();
}

/// What a command does, as lines with their marks.
fn outcome(folder: &Folder, command: &str, prints: bool) -> String {
    let here = folder.path("d").parent().unwrap().display().to_string();
    let command = command
        .replace("{folder}", &here)
        .replace("{checkout}", CHECKOUT);
    let words = shlex::split(&command).unwrap();
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    assert_eq!(words[0], "albireo", "{command}");
    let before = contents(&folder.path(""));
    let run = folder.run_with(&words[1..]);
    let after = contents(&folder.path(""));
    let names: BTreeSet<&String> = before.keys().chain(after.keys()).collect();
    let changed = names
        .iter()
        .filter(|name| before.get(**name) != after.get(**name));
    let is_log = |line: &&str| line.starts_with(" INFO ") || line.starts_with("DEBUG ");
    let said = run.stderr.lines().filter(|line| !is_log(line));
    let printed = run.stdout.lines().filter(|_| prints || run.code != 0);
    let mut lines = Vec::new();
    lines.extend((run.code != 0).then(|| format!("? {}", run.code)));
    lines.extend(said.map(|line| format!("! {line}")));
    lines.extend(printed.map(|line| format!("> {line}")));
    lines.extend(changed.map(|name| format!("+ {name}")));
    let lines = lines
        .iter()
        .flat_map(|line| [line.trim_end(), "\n"])
        .collect::<String>();
    lines
        .replace(&here, "{folder}")
        .replace(CHECKOUT, "{checkout}")
}

/// Every file of a folder and of those in it, by its path, with when it was written and its bytes; of folders it is known that they are there.
fn contents(folder: &Path) -> BTreeMap<String, (SystemTime, Vec<u8>)> {
    let mut found = BTreeMap::new();
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap().to_str().unwrap().to_owned();
        let mut content = (SystemTime::UNIX_EPOCH, Vec::new());
        if path.is_dir() {
            let inside = contents(&path).into_iter();
            found.extend(inside.map(|(file, content)| (format!("{name}/{file}"), content)));
        } else {
            content = (
                path.metadata().unwrap().modified().unwrap(),
                std::fs::read(&path).unwrap(),
            );
        }
        found.insert(name, content);
    }
    found
}
