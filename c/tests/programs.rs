//! Programs in C, Fortran and Julia on the library that was built: what is not installed here is named and left out.
#![allow(
    clippy::unwrap_used,
    clippy::print_stderr,
    reason = "a failed unwrap is a failed test"
)]

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use tempfile::TempDir;

/// Where the library lies, with the name that programs look for.
fn linked() -> TempDir {
    let exe = std::env::current_exe().unwrap();
    let built = exe.ancestors().nth(2).unwrap();
    let built = built.join("examples/libshared.so");
    assert!(
        built.exists(),
        "no {}: cargo build -p albireo-c makes it, in the profile of the tests",
        built.display()
    );
    let folder = TempDir::new().unwrap();
    for name in ["libalbireo.so", "libalbireo.so.0"] {
        std::os::unix::fs::symlink(&built, folder.path().join(name)).unwrap();
    }
    folder
}

fn source(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(name)
}

fn ran(command: &mut Command) -> Output {
    let output = command.output().unwrap();
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    assert!(
        output.status.success(),
        "{command:?}: {}\n{}{}",
        output.status,
        text(&output.stdout),
        text(&output.stderr)
    );
    output
}

/// Whether a compiler is there.
fn has(program: &str) -> bool {
    let found = Command::new(program).arg("--version").output();
    let found = found.is_ok_and(|output| output.status.success());
    if !found {
        eprintln!("SKIPPED: no {program} here");
    }
    found
}

/// The libraries that `albireo.pc` has a program link.
fn libraries() -> Vec<String> {
    let text = std::fs::read_to_string(source("albireo.pc.in")).unwrap();
    let line = text.lines().find_map(|line| line.strip_prefix("Libs:"));
    let words = line.unwrap().split_whitespace();
    let words = words.filter(|word| word.starts_with("-l"));
    words.map(str::to_owned).collect()
}

/// What a program prints, its compiler being there.
fn program(compiler: &str, name: &str, arguments: &[&str]) -> Option<String> {
    has(compiler).then(|| {
        let folder = linked();
        let made = folder.path().join("program");
        let mut compile = Command::new(compiler);
        compile
            .args(["-Wall", "-Wextra", "-Werror", "-O1"])
            .arg(source(name));
        if compiler == "cc" {
            compile.arg("-std=gnu11").arg("-I").arg(source("include"));
        } else {
            compile.arg("-J").arg(folder.path());
        }
        compile
            .arg("-L")
            .arg(folder.path())
            .args(libraries())
            .arg("-o");
        ran(compile.arg(&made));
        let mut run = Command::new(&made);
        let output = ran(run.args(arguments).env("LD_LIBRARY_PATH", folder.path()));
        String::from_utf8(output.stdout).unwrap()
    })
}

/// Pairs of a cubic lattice of 12^3 points: 6/2, 12/2 and (8 + 6)/2 neighbours each.
const PAIRS: [u64; 3] = [3 * 1728, 6 * 1728, 7 * 1728];

#[test]
fn the_example_in_c_counts() {
    let Some(text) = program("cc", "examples/count.c", &[]) else {
        return;
    };
    let pairs = text
        .lines()
        .map(|line| line.split(' ').nth(2).unwrap().parse().unwrap());
    assert_eq!(pairs.collect::<Vec<u64>>(), PAIRS);
    assert!(text.contains("mean r 1.000"), "{text}");
}

#[test]
fn the_example_in_c_estimates() {
    let Some(text) = program("cc", "examples/estimate.c", &[]) else {
        return;
    };
    let number = |word: Option<&str>| word.unwrap().parse::<f64>().unwrap();
    for line in text.lines() {
        let mut words = line.split(' ').skip(3);
        let xi = number(words.next());
        let error = number(words.nth(1));
        assert!(error > 0.0 && xi.abs() < 5.0 * error, "{line}");
    }
    assert_eq!(text.lines().count(), 3, "{text}");
}

#[test]
fn estimates_are_those_of_plain_loops() {
    if let Some(text) = program("cc", "tests/estimates.c", &[]) {
        assert_eq!(text, "0 values that were not expected\n");
    }
}

#[test]
fn the_header_is_cpp_too() {
    if !has("c++") {
        return;
    }
    let folder = TempDir::new().unwrap();
    let file = folder.path().join("program.cpp");
    let text = "#include <albireo.h>\nint main() { albireo_job job{}; return job.cell[0] != 0; }\n";
    std::fs::write(&file, text).unwrap();
    let mut compile = Command::new("c++");
    let words = ["-std=c++17", "-Wall", "-Wextra", "-Werror", "-fsyntax-only"];
    ran(compile
        .args(words)
        .arg("-I")
        .arg(source("include"))
        .arg(&file));
}

#[test]
fn the_example_in_fortran_counts() {
    if let Some(text) = program("gfortran", "examples/count.f90", &[]) {
        let pairs = text.split_whitespace().map(|word| word.parse().unwrap());
        assert_eq!(pairs.collect::<Vec<u64>>(), PAIRS);
    }
}

#[test]
fn the_example_in_julia_counts() {
    if has("julia") {
        let folder = linked();
        let library = folder.path().join("libalbireo.so");
        let output = ran(Command::new("julia")
            .arg(source("examples/count.jl"))
            .env("ALBIREO_LIBRARY", library));
        let text = String::from_utf8(output.stdout).unwrap();
        let pairs = text.split_whitespace().map(|word| word.parse().unwrap());
        assert_eq!(pairs.collect::<Vec<u64>>(), PAIRS);
    }
}

#[test]
fn misuse_is_told() {
    if let Some(text) = program("cc", "tests/misuse.c", &[]) {
        assert!(text.contains(" 0 answers that were not expected"), "{text}");
    }
}

#[test]
fn cadishis_own_counts() {
    let environment = (
        std::env::var("ALBIREO_TEST_DATA"),
        std::env::var("ALBIREO_PYTHON"),
    );
    let (Ok(data), Ok(python)) = environment else {
        eprintln!(
            "SKIPPED: ALBIREO_TEST_DATA and ALBIREO_PYTHON (with h5py) name no reference data"
        );
        return;
    };
    let folder = TempDir::new().unwrap();
    let frames = folder.path().join("frames");
    let data = Path::new(&data).join("md");
    ran(Command::new(python)
        .arg(source("tests/cadishi.py"))
        .arg(data)
        .arg("1")
        .arg(&frames));
    if let Some(text) = program("cc", "tests/cadishi.c", &[frames.to_str().unwrap()]) {
        assert!(
            text.contains(" 0 bins differ") && !text.contains(" 0 pairs"),
            "{text}"
        );
    }
}
