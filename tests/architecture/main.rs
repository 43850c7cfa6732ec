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
            "crates/",
            "figures/",
            "samples/",
            "tests/",
            "benches/",
            "kernels/",
            "python/",
            "mpi/",
        ];
        folders.iter().any(|folder| word.starts_with(folder))
            && !word.contains("/x.")
            && !word.contains('*')
    };
    quoted.filter(is_path).collect()
}

#[test]
fn every_path_that_the_architecture_names_exists() {
    let read = |page: &str| fs::read_to_string(root().join(page)).unwrap();
    let (text, engines) = (read("ARCHITECTURE.md"), read("src/engine/README.md"));
    let named = [paths(&text), paths(&engines)].concat();
    assert!(named.len() > 20, "the pages name their rooms");
    for path in named {
        assert!(root().join(path).exists(), "{path} is named but missing");
    }
    assert!(text.lines().count() <= 160);
}

fn sources(folder: &Path, found: &mut Vec<PathBuf>) {
    written_in(folder, &["rs"], found);
}

/// Files whose names end in one of these.
fn written_in(folder: &Path, endings: &[&str], found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let ending = path.extension().and_then(|ending| ending.to_str());
        if path.is_dir() {
            written_in(&path, endings, found);
        } else if ending.is_some_and(|ending| endings.contains(&ending)) {
            found.push(path);
        }
    }
}

#[test]
fn unsafe_code_stays_in_its_zones() {
    let zones = [
        "crates/simd/src",
        "crates/gpu/src",
        "src/pages.rs",
        "catalogs/src/fits/cfitsio",
        "python/src/arrays.rs",
        "mpi/src/node_memory.rs",
    ]
    .map(|zone| root().join(zone));
    let mut files = vec![];
    for folder in [
        "src",
        "catalogs/src",
        "samples/src",
        "figures/src",
        "cli/src",
        "crates/covariance/src",
        "crates/dynamics/src",
        "crates/fields/src",
        "crates/fluids/src",
        "crates/gpu/src",
        "crates/measure/src",
        "crates/pair-sums/src",
        "crates/simd/src",
        "python/src",
        "mpi/src",
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
const CRATES: [(&str, &str); 17] = [
    ("albireo", "."),
    ("albireo-kernels", "kernels"),
    ("albireo-simd", "crates/simd"),
    ("albireo-gpu", "crates/gpu"),
    ("albireo-covariance", "crates/covariance"),
    ("albireo-dynamics", "crates/dynamics"),
    ("albireo-fields", "crates/fields"),
    ("albireo-fluids", "crates/fluids"),
    ("albireo-catalogs", "catalogs"),
    ("albireo-pair-sums", "crates/pair-sums"),
    ("albireo-samples", "samples"),
    ("albireo-figures", "figures"),
    ("albireo-measure", "crates/measure"),
    ("albireo-cli", "cli"),
    ("albireo-python", "python"),
    ("albireo-c", "c"),
    ("albireo-mpi", "mpi"),
];

/// The crates of the workspace that a crate needs, by the sections of its manifest: all that end in `dependencies]`, or those of its tests alone.
fn needed(folder: &str, sections: &str) -> BTreeSet<&'static str> {
    let manifest = fs::read_to_string(root().join(folder).join("Cargo.toml")).unwrap();
    let mut listed = false;
    let mut needed = BTreeSet::new();
    for line in manifest.lines() {
        if line.starts_with('[') {
            listed = line.ends_with(sections) && !line.starts_with("[workspace");
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

/// The crates that stand on the library alone: its tests and examples are of them, too, beside those of engines.
const STANDING_ON_IT: [&str; 4] = [
    "albireo-covariance",
    "albireo-dynamics",
    "albireo-fields",
    "albireo-fluids",
];

#[test]
fn dependencies_point_one_way() {
    // In their order, each crate may need those that are listed.
    let allowed: BTreeMap<&str, &[&str]> = BTreeMap::from([
        ("albireo-kernels", &[] as &[&str]),
        ("albireo-simd", &[]),
        ("albireo-catalogs", &[]),
        ("albireo-gpu", &["albireo-kernels"]),
        (
            "albireo",
            &["albireo-kernels", "albireo-simd", "albireo-gpu"],
        ),
        (
            "albireo-dynamics",
            &["albireo-kernels", "albireo-simd", "albireo-gpu", "albireo"],
        ),
        (
            "albireo-fields",
            &["albireo-kernels", "albireo-simd", "albireo-gpu", "albireo"],
        ),
        (
            "albireo-covariance",
            &["albireo-kernels", "albireo-simd", "albireo-gpu", "albireo"],
        ),
        ("albireo-fluids", &["albireo"]),
        ("albireo-pair-sums", &["albireo", "albireo-catalogs"]),
        ("albireo-figures", &["albireo-catalogs"]),
        ("albireo-c", &["albireo"]),
        ("albireo-mpi", &["albireo-measure", "albireo-cli"]),
        (
            "albireo-samples",
            &["albireo", "albireo-catalogs", "albireo-fluids"],
        ),
        (
            "albireo-measure",
            &[
                "albireo",
                "albireo-catalogs",
                "albireo-samples",
                "albireo-figures",
                "albireo-covariance",
                "albireo-dynamics",
                "albireo-fields",
                "albireo-fluids",
                "albireo-pair-sums",
            ],
        ),
        (
            "albireo-cli",
            &[
                "albireo",
                "albireo-catalogs",
                "albireo-samples",
                "albireo-measure",
                "albireo-fluids",
            ],
        ),
        (
            "albireo-python",
            &[
                "albireo",
                "albireo-catalogs",
                "albireo-samples",
                "albireo-measure",
                "albireo-cli",
            ],
        ),
    ]);
    let of_its_tests = needed(".", "(core_alone))'.dev-dependencies]");
    for (name, folder) in CRATES {
        let allowed: BTreeSet<&str> = allowed[name].iter().copied().collect();
        let mut needed = needed(folder, "dependencies]");
        if folder == "." {
            needed.retain(|name| !of_its_tests.contains(name));
        }
        assert!(
            needed.is_subset(&allowed),
            "{name} needs {needed:?}, which should be among {allowed:?}"
        );
    }
    assert!(
        of_its_tests
            .iter()
            .all(|name| STANDING_ON_IT.contains(name)),
        "tests of the library may need {STANDING_ON_IT:?}, found {of_its_tests:?}"
    );
    assert!(
        needed("cli", "dependencies]").len() >= 3,
        "manifests are read"
    );
}

#[test]
fn crates_are_published_behind_those_they_stand_on() {
    // No part of a package: where it is missing, nothing is published.
    let Ok(script) = fs::read_to_string(root().join(".ci/crates")) else {
        return;
    };
    let listed = script.split("crates=(").nth(1).unwrap();
    let names = listed.split(')').next().unwrap().split_whitespace();
    let names = names.map(|name| match name {
        "\"\"" => "albireo".to_owned(),
        name => format!("albireo-{name}"),
    });
    let names: Vec<String> = names.collect();
    let place = |name: &str| names.iter().position(|other| other == name);
    for (name, folder) in CRATES {
        let manifest = fs::read_to_string(root().join(folder).join("Cargo.toml")).unwrap();
        let is_private = manifest.contains("\npublish = false");
        assert_eq!(place(name).is_none(), is_private, "{name} in .ci/crates");
        let mut needed = needed(folder, "dependencies]");
        needed.retain(|below| folder != "." || !STANDING_ON_IT.contains(below));
        let behind = |below: &&&str| place(name).is_some() && place(below) > place(name);
        assert_eq!(
            needed.iter().find(behind),
            None,
            "in .ci/crates behind {name}"
        );
    }
    let kernels = fs::read_to_string(root().join("kernels/Cargo.toml")).unwrap();
    for entry in fs::read_dir(root().join("kernels")).unwrap() {
        let entry = entry.unwrap();
        let folder = format!("\"/{}\"", entry.file_name().to_str().unwrap());
        let is_packed = !entry.path().is_dir() || kernels.contains(&folder);
        assert!(is_packed, "{folder} is not packed with the kernels");
    }
}

#[test]
fn crates_have_no_circles() {
    for (name, folder) in CRATES {
        let modules = modules::Crate::read(&root().join(folder).join("src"));
        assert!(modules.len() > 1, "{name}");
        let circles = modules.circles();
        assert!(
            circles.is_empty(),
            "{name} has circles:\n{}",
            circles.join("\n")
        );
    }
}

#[test]
fn files_stay_short() {
    /// Lines of the longest file.
    const MOST: usize = 500;
    let mut files = vec![];
    for folder in [
        "src", "tests", "benches", "examples", "kernels", "catalogs", "samples", "figures",
        "crates", "cli", "python", "c", "mpi",
    ] {
        let endings = ["rs", "cu", "cuh", "hpp"];
        written_in(&root().join(folder), &endings, &mut files);
    }
    assert!(files.len() > 200);
    for file in files {
        let lines = fs::read_to_string(&file).unwrap().lines().count();
        assert!(
            lines <= MOST,
            "{} has {lines} lines: split it",
            file.display()
        );
    }
}

/// The rooms of the library from the ground up: each stands on those before it, so that no circle of rooms can arise.
const FLOORS: [&str; 12] = [
    "separation exact_sum exactness legendre quadrature progress error pool shape fingerprint pages",
    "particles",
    "domain",
    "sky cosmology random",
    "binning pairs",
    "regions",
    "tally traversal",
    "engine",
    "counts",
    "result",
    "estimators",
    "xi",
];

#[test]
fn rooms_of_the_library_stand_on_those_below() {
    let floor = |room: &str| {
        let on = |rooms: &&str| rooms.split(' ').any(|other| other == room);
        FLOORS.iter().position(on)
    };
    let mut files = vec![];
    sources(&root().join("src"), &mut files);
    let mut looked_at = 0;
    for file in files {
        let inside = file.strip_prefix(root().join("src")).unwrap();
        let room = inside.iter().next().unwrap().to_str().unwrap();
        let room = room.trim_end_matches(".rs");
        if room == "lib" {
            continue;
        }
        let own = floor(room).unwrap_or_else(|| panic!("{room}: which floor is it on?"));
        let text = fs::read_to_string(&file).unwrap();
        let code = text.split("\n#[cfg(test)]\nmod tests").next().unwrap();
        for line in code
            .lines()
            .filter(|line| !line.trim_start().starts_with("//"))
        {
            for used in line.split("crate::").skip(1) {
                let used: String = used
                    .chars()
                    .take_while(|c| c.is_alphanumeric() || *c == '_')
                    .collect();
                if let Some(other) = floor(&used) {
                    looked_at += 1;
                    assert!(other <= own, "{}: {room} uses {used}", inside.display());
                }
            }
        }
    }
    assert!(looked_at > 200, "{looked_at} uses found");
}

#[test]
fn every_file_of_tests_is_run() {
    let manifest = fs::read_to_string(root().join("Cargo.toml")).unwrap();
    let library = fs::read_to_string(root().join("tests/library.rs")).unwrap();
    let mut looked_at = 0;
    for entry in fs::read_dir(root().join("tests")).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_stem().unwrap().to_str().unwrap();
        if path.extension().is_none_or(|extension| extension != "rs") {
            continue;
        }
        let alone = manifest.contains(&format!("[[test]]\nname = \"{name}\""));
        let inside = library.contains(&format!("#[path = \"{name}.rs\"]\nmod {name};"));
        assert!(
            alone != inside,
            "tests/{name}.rs must be listed in Cargo.toml or in tests/library.rs"
        );
        looked_at += 1;
    }
    assert!(looked_at > 40, "{looked_at} files");
}
