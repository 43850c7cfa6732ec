//! ARCHITECTURE.md tells the truth: every path it names exists, and `unsafe` stays in the zones it names.

#![allow(clippy::unwrap_used, reason = "a failed unwrap is a failed test")]

use std::fs;
use std::path::{Path, PathBuf};

fn root() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR"))
}

/// The words in backquotes that look like paths.
fn paths(text: &str) -> Vec<&str> {
    let quoted = text.split('`').skip(1).step_by(2);
    let is_path = |word: &&str| {
        let folders = [
            "src/",
            "catalogs/",
            "cli/",
            "figures/",
            "tests/",
            "benches/",
            "kernels/",
        ];
        folders.iter().any(|folder| word.starts_with(folder))
            && !word.contains("/x.")
            && !word.contains('*')
    };
    quoted.filter(is_path).collect()
}

#[test]
fn every_path_that_the_architecture_names_exists() {
    let text = fs::read_to_string(root().join("ARCHITECTURE.md")).unwrap();
    let paths = paths(&text);
    assert!(paths.len() > 20, "the document names its rooms");
    for path in paths {
        assert!(root().join(path).exists(), "{path} is named but missing");
    }
    assert!(text.lines().count() <= 200);
}

fn sources(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            sources(&path, found);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            found.push(path);
        }
    }
}

#[test]
fn unsafe_code_stays_in_its_zones() {
    let zones =
        ["src/simd", "src/engine/cuda", "catalogs/src/fits/cfitsio"].map(|zone| root().join(zone));
    let mut files = vec![];
    for folder in ["src", "catalogs/src", "figures/src", "cli/src"] {
        sources(&root().join(folder), &mut files);
    }
    assert!(files.len() > 50);
    for file in files {
        let text = fs::read_to_string(&file).unwrap();
        let has_unsafe = text
            .lines()
            .any(|line| line.split("//").next().unwrap().contains("unsafe {"));
        let allowed = zones.iter().any(|zone| file.starts_with(zone));
        assert!(
            allowed || !has_unsafe,
            "unsafe code outside its zones: {}",
            file.display()
        );
    }
}
