//! A folder in which processes and ranks count.

use std::path::PathBuf;
use std::process::{Command, Stdio};

use serde_json::Value;

use crate::AS_RANKS;

/// The folder, removed at the end.
pub(crate) struct Folder(tempfile::TempDir);

/// What a command left.
pub(crate) struct Run {
    pub(crate) code: Option<i32>,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
}

/// The units of a count that a part holds: its name, their number in all, and the runs of them.
pub(crate) struct Units {
    pub(crate) name: String,
    pub(crate) all: usize,
    pub(crate) runs: Vec<[usize; 2]>,
}

impl Folder {
    pub(crate) fn new() -> Self {
        Self(tempfile::tempdir().unwrap())
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    pub(crate) fn write(&self, name: &str, text: &str) {
        std::fs::write(self.path(name), text).unwrap();
    }

    pub(crate) fn bytes(&self, name: &str) -> Vec<u8> {
        std::fs::read(self.path(name)).unwrap_or_default()
    }

    fn command(&self, program: impl AsRef<std::ffi::OsStr>, words: &[&str]) -> Command {
        let mut command = Command::new(program);
        command.args(words).current_dir(self.0.path());
        command.stdin(Stdio::null());
        command
    }

    /// A command line by one process.
    pub(crate) fn alone(&self, line: &str) -> Run {
        let words: Vec<&str> = line.split_whitespace().collect();
        run(self.command(env!("CARGO_BIN_EXE_albireo"), &words))
    }

    /// A command line by ranks on these nodes.
    pub(crate) fn by_ranks(&self, nodes: &str, line: &str) -> Command {
        let words: Vec<&str> = [AS_RANKS, nodes]
            .into_iter()
            .chain(line.split_whitespace())
            .collect();
        self.command(std::env::current_exe().unwrap(), &words)
    }

    /// The same, carried out.
    pub(crate) fn ranks(&self, nodes: &str, line: &str) -> Run {
        run(self.by_ranks(nodes, line))
    }

    /// The units that a file of a part says it holds, count by count.
    pub(crate) fn units(&self, part: &str) -> Vec<Units> {
        let bytes = self.bytes(part);
        let length = u64::from_le_bytes(bytes[8..16].try_into().unwrap()) as usize;
        let head: Value = serde_json::from_slice(&bytes[16..16 + length]).unwrap();
        let blocks = head["blocks"].as_array().unwrap();
        let before = blocks.iter().take_while(|block| block[0] != "counts");
        let start: u64 = before.map(|block| block[1].as_u64().unwrap()).sum();
        let counts = &bytes[16 + length + start as usize..];
        let counts = serde_json::Deserializer::from_slice(counts).into_iter::<Value>();
        let counts = counts.into_iter().next().unwrap().unwrap();
        let number = |value: &Value| value.as_u64().unwrap() as usize;
        let units = counts.as_array().unwrap().iter().map(|count| Units {
            name: count["of"]["name"].as_str().unwrap().to_owned(),
            all: number(&count["units"]),
            runs: (count["covers"].as_array().unwrap().iter())
                .map(|run| [number(&run[0]), number(&run[1])])
                .collect(),
        });
        units.collect()
    }
}

pub(crate) fn run(mut command: Command) -> Run {
    let output = command.output().unwrap();
    Run {
        code: output.status.code(),
        stdout: String::from_utf8(output.stdout).unwrap(),
        stderr: String::from_utf8(output.stderr).unwrap(),
    }
}

impl Run {
    /// The same, which must have succeeded.
    pub(crate) fn good(self, what: &str) -> Self {
        assert_eq!(self.code, Some(0), "{what}\n{}", self.stderr);
        self
    }

    /// Asserts that it was refused with one line, which says this.
    pub(crate) fn refused(&self, what: &str, expected: &str) {
        let errors: Vec<&str> = (self.stderr.lines())
            .filter(|line| line.starts_with("error: "))
            .collect();
        assert_eq!(self.code, Some(1), "{what}: {}", self.stderr);
        assert_eq!(errors.len(), 1, "{what}: {}", self.stderr);
        assert!(
            errors[0].contains(expected),
            "{what}: {expected}: {}",
            errors[0]
        );
    }
}
