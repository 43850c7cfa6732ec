//! ARCHITECTURE.md tells the truth: every path it names exists, `unsafe` stays in the zones it names, dependencies point one way, and files
//! stay short.

#![allow(clippy::unwrap_used, reason = "a failed unwrap is a failed test")]

mod modules;

use std::collections::{BTreeMap, BTreeSet};
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
            "samples/",
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
    for folder in [
        "src",
        "catalogs/src",
        "samples/src",
        "figures/src",
        "cli/src",
    ] {
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

/// The crates of the workspace by their folders, the library being the root.
const CRATES: [(&str, &str); 6] = [
    ("albireo", "."),
    ("albireo-kernels", "kernels"),
    ("albireo-catalogs", "catalogs"),
    ("albireo-samples", "samples"),
    ("albireo-figures", "figures"),
    ("albireo-cli", "cli"),
];

/// The crates of the workspace that a crate needs, those for its tests too.
fn needed(folder: &str) -> BTreeSet<&'static str> {
    let manifest = fs::read_to_string(root().join(folder).join("Cargo.toml")).unwrap();
    let mut listed = false;
    let mut needed = BTreeSet::new();
    for line in manifest.lines() {
        if line.starts_with('[') {
            listed = line.ends_with("dependencies]") && !line.starts_with("[workspace");
        }
        let name = line.split(['.', ' ', '=']).next().unwrap();
        needed.extend(
            CRATES
                .iter()
                .filter(|(of, _)| listed && *of == name)
                .map(|(of, _)| *of),
        );
    }
    needed
}

#[test]
fn dependencies_point_one_way() {
    // In their order, each crate may need those that are listed.
    let allowed: BTreeMap<&str, &[&str]> = BTreeMap::from([
        ("albireo-kernels", &[] as &[&str]),
        ("albireo-catalogs", &[]),
        ("albireo", &["albireo-kernels"]),
        ("albireo-figures", &["albireo-catalogs"]),
        ("albireo-samples", &["albireo", "albireo-catalogs"]),
        (
            "albireo-cli",
            &[
                "albireo",
                "albireo-catalogs",
                "albireo-samples",
                "albireo-figures",
            ],
        ),
    ]);
    for (name, folder) in CRATES {
        let allowed: BTreeSet<&str> = allowed[name].iter().copied().collect();
        let needed = needed(folder);
        assert!(
            needed.is_subset(&allowed),
            "{name} needs {needed:?}, which should be among {allowed:?}"
        );
    }
    assert!(needed("cli").len() >= 3, "manifests are read");
}

#[test]
fn crates_have_no_circles() {
    for folder in ["catalogs/src", "samples/src", "figures/src", "cli/src"] {
        let modules = modules::Crate::read(&root().join(folder));
        assert!(modules.len() > 5, "{folder}");
        let circles = modules.circles();
        assert!(
            circles.is_empty(),
            "{folder} has circles:\n{}",
            circles.join("\n")
        );
    }
}

#[test]
fn files_stay_short() {
    /// Lines of the longest file.
    const MOST: usize = 500;
    /// Files that are still longer.
    const LONGER: [&str; 1] = ["src/engine/cuda/emulated.rs"];
    let mut files = vec![];
    for folder in [
        "src", "tests", "benches", "examples", "kernels", "catalogs", "samples", "figures", "cli",
    ] {
        sources(&root().join(folder), &mut files);
    }
    assert!(files.len() > 200);
    for file in files {
        let lines = fs::read_to_string(&file).unwrap().lines().count();
        assert!(
            lines <= MOST || LONGER.iter().any(|longer| file.ends_with(longer)),
            "{} has {lines} lines: split it",
            file.display()
        );
    }
}
