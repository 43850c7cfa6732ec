//! A temporary folder in which the program runs.

use std::ffi::OsStr;
use std::path::PathBuf;
use std::process::{Command, Output};

use albireo_catalogs::{Table, Values};

/// The folder, removed at the end of the test.
pub(crate) struct Folder(tempfile::TempDir);

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

impl Folder {
    pub(crate) fn new() -> Self {
        Self(tempfile::tempdir().unwrap())
    }

    /// Writes a file.
    pub(crate) fn with(self, name: &str, text: &str) -> Self {
        std::fs::write(self.path(name), text).unwrap();
        self
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    /// The names of all files, hidden ones too.
    pub(crate) fn names(&self) -> Vec<String> {
        let entries = std::fs::read_dir(self.0.path()).unwrap();
        let mut names: Vec<String> = entries
            .map(|entry| entry.unwrap().file_name().into_string().unwrap())
            .collect();
        names.sort();
        names
    }

    pub(crate) fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(program());
        command.current_dir(self.0.path()).args(arguments);
        command
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
        let Output {
            status,
            stdout,
            stderr,
        } = self.command(arguments).output().unwrap();
        Run {
            code: status.code().unwrap(),
            stdout: String::from_utf8(stdout).unwrap(),
            stderr: String::from_utf8(stderr).unwrap(),
        }
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

/// `n` points spread over a cube of side `length`, the same ones every time; columns x, y, z and w.
pub(crate) fn scattered(n: u64, length: f64, seed: u64) -> String {
    let mut state = seed;
    let mut uniform = || {
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (state >> 11) as f64 / (1u64 << 53) as f64
    };
    let mut text = String::from("x,y,z,w\n");
    for _ in 0..n {
        let row: Vec<String> = [length, length, length, 1.0]
            .iter()
            .map(|scale| (uniform() * scale).to_string())
            .collect();
        text.push_str(&row.join(","));
        text.push('\n');
    }
    text
}
