//! A temporary folder in which the program runs.

use std::ffi::OsStr;
use std::ops::Deref;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use albireo_catalogs::{Table, Values};

pub(crate) use albireo_fixtures::scattered;

/// The folder, removed at the end of the test.
pub(crate) struct Folder(albireo_fixtures::Folder);

impl Deref for Folder {
    type Target = albireo_fixtures::Folder;

    fn deref(&self) -> &Self::Target {
        &self.0
    }
}

/// The program, or what `ALBIREO_PROGRAM` names in its place.
pub(crate) fn program() -> PathBuf {
    std::env::var_os("ALBIREO_PROGRAM").map_or_else(
        || PathBuf::from(env!("CARGO_BIN_EXE_albireo")),
        PathBuf::from,
    )
}

/// What a run of the program left.
pub(crate) struct Run {
    pub(crate) code: i32,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
}

/// A command of the program in a folder.
fn command_in(folder: &Path, arguments: &[&str]) -> Command {
    let mut command = Command::new(program());
    command.current_dir(folder).args(arguments);
    command
}

/// Runs the program in a folder.
pub(crate) fn run_in(folder: &Path, arguments: &[&str]) -> Run {
    let Output {
        status,
        stdout,
        stderr,
    } = command_in(folder, arguments).output().unwrap();
    Run {
        code: status.code().unwrap(),
        stdout: String::from_utf8(stdout).unwrap(),
        stderr: String::from_utf8(stderr).unwrap(),
    }
}

impl Folder {
    pub(crate) fn new() -> Self {
        Self(albireo_fixtures::Folder::new())
    }

    /// Writes a file.
    pub(crate) fn with(self, name: &str, text: &str) -> Self {
        Self(self.0.with(name, text))
    }

    pub(crate) fn command(&self, arguments: &[&str]) -> Command {
        command_in(&self.path(""), arguments)
    }

    /// Runs a script of Python in the folder, which fails where what lies there is not as it should be.
    pub(crate) fn assert_by(&self, python: &OsStr, script: &str) {
        let output = Command::new(python)
            .args(["-c", script])
            .current_dir(self.path(""))
            .output()
            .unwrap();
        let said = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{said}");
    }

    /// Runs the program with arguments separated by blanks.
    pub(crate) fn run(&self, arguments: &str) -> Run {
        self.run_with(&arguments.split_whitespace().collect::<Vec<_>>())
    }

    pub(crate) fn run_with(&self, arguments: &[&str]) -> Run {
        run_in(&self.path(""), arguments)
    }

    /// Runs the program, which must succeed.
    pub(crate) fn good(&self, arguments: &str) -> Run {
        let run = self.run(arguments);
        assert_eq!(run.code, 0, "albireo {arguments}\n{}", run.stderr);
        run
    }

    /// A result that the program wrote.
    pub(crate) fn table(&self, name: &str) -> Table {
        Table::read(&self.path(name)).unwrap()
    }
}

/// A column of counts.
pub(crate) fn integers(table: &Table, name: &str) -> Vec<u64> {
    match table
        .columns
        .iter()
        .find(|column| column.name == name)
        .map(|column| &column.values)
    {
        Some(Values::Integers(values)) => values.clone(),
        other => panic!("no integer column {name}: {other:?}"),
    }
}

/// A column of floats.
pub(crate) fn floats(table: &Table, name: &str) -> Vec<f64> {
    match table
        .columns
        .iter()
        .find(|column| column.name == name)
        .map(|column| &column.values)
    {
        Some(Values::Floats(values)) => values.clone(),
        other => panic!("no float column {name}: {other:?}"),
    }
}

/// The names of all columns.
pub(crate) fn names(table: &Table) -> Vec<&str> {
    table
        .columns
        .iter()
        .map(|column| column.name.as_str())
        .collect()
}

/// Runs a command that must fail with `code` and say all of `parts`, leaving no file behind.
pub(crate) fn refused(folder: &Folder, arguments: &str, code: i32, parts: &[&str]) {
    let before = folder.names();
    let run = folder.run(arguments);
    assert_eq!(
        run.code, code,
        "albireo {arguments}\n{}{}",
        run.stdout, run.stderr
    );
    assert_eq!(run.stdout, "", "albireo {arguments}");
    let message = run
        .stderr
        .lines()
        .find(|line| line.starts_with("error: "))
        .unwrap_or_else(|| panic!("no error line: {}", run.stderr));
    for part in parts {
        assert!(
            message.contains(part),
            "albireo {arguments}\nexpected `{part}` in: {message}"
        );
    }
    assert_eq!(folder.names(), before, "albireo {arguments}");
}

/// The bundled sample of that name.
pub(crate) fn sample(name: &str) -> String {
    let samples = Path::new(env!("CARGO_MANIFEST_DIR")).join("../catalogs/samples");
    samples.join(name).to_str().unwrap().to_owned()
}
