//! A folder in which ranks run, and what they left.

#![allow(clippy::print_stderr, reason = "what is skipped is said")]

use std::fmt::Write as _;
use std::path::PathBuf;
use std::process::{Child, Command, Output, Stdio};
use std::sync::LazyLock;
use std::time::{Duration, Instant};

/// The program that starts ranks: that of the MPI which this was built for.
pub(crate) fn mpirun() -> String {
    std::env::var("ALBIREO_MPIRUN").unwrap_or_else(|_| "mpirun".to_owned())
}

/// What it says of itself; none where there is none.
static VERSION: LazyLock<Option<String>> = LazyLock::new(|| {
    let output = Command::new(mpirun()).arg("--version").output().ok()?;
    Some(String::from_utf8_lossy(&output.stdout).into_owned())
});

/// Whether ranks can be started here; says so where they cannot.
pub(crate) fn there_is_mpi() -> bool {
    if VERSION.is_none() {
        eprintln!("SKIPPED: no {} here", mpirun());
    }
    VERSION.is_some()
}

fn is_open_mpi() -> bool {
    VERSION
        .as_ref()
        .is_some_and(|version| version.contains("Open MPI") || version.contains("OpenRTE"))
}

pub(crate) struct Folder(tempfile::TempDir);

pub(crate) struct Run {
    pub(crate) code: Option<i32>,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
    pub(crate) time: Duration,
}

impl Run {
    /// The lines in which albireo says what is wrong; mpirun has words of its own.
    pub(crate) fn errors(&self) -> Vec<&str> {
        let lines = self.stderr.lines();
        lines.filter(|line| line.starts_with("error: ")).collect()
    }
}

impl Folder {
    pub(crate) fn new() -> Self {
        Self(tempfile::tempdir().unwrap())
    }

    pub(crate) fn with(self, name: &str, text: &str) -> Self {
        let path = self.path(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
        self
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    pub(crate) fn bytes(&self, name: &str) -> Vec<u8> {
        std::fs::read(self.path(name)).unwrap()
    }

    /// A command of mpirun, which `timeout` ends in any case.
    pub(crate) fn mpirun(&self, words: &[&str]) -> Command {
        let mut command = Command::new("timeout");
        command.args(["-k", "5", "100"]).arg(mpirun());
        if is_open_mpi() {
            command.args(["--oversubscribe", "--bind-to", "none"]);
        }
        command.args(words).current_dir(self.0.path());
        for (name, value) in [
            ("OMPI_ALLOW_RUN_AS_ROOT", "1"),
            ("OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1"),
        ] {
            command.env(name, value);
        }
        command.stdout(Stdio::piped()).stderr(Stdio::piped());
        command
    }

    /// A command line of albireo by so many ranks.
    pub(crate) fn ranks(&self, ranks: usize, line: &str) -> Command {
        let ranks = ranks.to_string();
        let words = ["-n", &ranks, env!("CARGO_BIN_EXE_albireo-mpi")];
        let words: Vec<&str> = words.into_iter().chain(line.split_whitespace()).collect();
        self.mpirun(&words)
    }

    /// The same by a process that no mpirun has started.
    pub(crate) fn alone(&self, line: &str) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_albireo-mpi"));
        command
            .args(line.split_whitespace())
            .current_dir(self.0.path());
        command.stdout(Stdio::piped()).stderr(Stdio::piped());
        command
    }
}

/// Runs a command to its end.
pub(crate) fn run(mut command: Command) -> Run {
    let begun = Instant::now();
    let Output {
        status,
        stdout,
        stderr,
    } = command.output().unwrap();
    Run {
        code: status.code(),
        stdout: String::from_utf8_lossy(&stdout).into_owned(),
        stderr: String::from_utf8_lossy(&stderr).into_owned(),
        time: begun.elapsed(),
    }
}

/// Runs a command, which must succeed.
pub(crate) fn good(command: Command) -> Run {
    let run = run(command);
    assert_eq!(run.code, Some(0), "{}", run.stderr);
    run
}

/// What ends, however the test ends.
pub(crate) struct Ended(pub(crate) Child);

impl Drop for Ended {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// `n` rows of `x,y,z,w`: positions in a cube of side `length`, the same ones every time.
pub(crate) fn scattered(n: u64, length: f64, seed: u64) -> String {
    let mut state = seed;
    let mut uniform = || {
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1);
        (state >> 11) as f64 / (1u64 << 53) as f64
    };
    let mut text = String::from("x,y,z,w\n");
    for _ in 0..n {
        let [x, y, z] = [uniform(), uniform(), uniform()].map(|u| u * length);
        writeln!(text, "{x:?},{y:?},{z:?},{:?}", 0.5 + uniform()).unwrap();
    }
    text
}
