//! A survey as DESI's own scripts measure it: catalogues and what these scripts made of them, where `ALBIREO_TEST_DATA` names a folder
//! whose folder `entrance` has them.

use std::path::{Path, PathBuf};

use albireo_catalogs::Table;

use crate::folder::{Folder, floats};

/// The folder of catalogues, where it is at hand.
#[allow(clippy::print_stderr, reason = "a skipped test has to say so")]
fn entrance() -> Option<PathBuf> {
    let at = std::env::var_os("ALBIREO_TEST_DATA").map(|at| PathBuf::from(at).join("entrance"));
    let at = at.filter(|at| at.join("xirunpc.json").exists());
    if at.is_none() {
        eprintln!("skipped: ALBIREO_TEST_DATA does not name the folder of the catalogues");
    }
    at
}

/// What a command is told to read a cap.
fn cap(entrance: &Path, cap: &str) -> String {
    let at = |rest: &str| format!("{}/desi/fits/LRG_{cap}_{rest}.fits", entrance.display());
    format!(
        "{} --randoms {} --sky RA,DEC --redshift Z --cosmology DESI --weight WEIGHT*WEIGHT_FKP --where Z>=0.4&&Z<0.6",
        at("clustering.dat"),
        at("[01]_clustering.ran")
    )
}

/// The numbers of a text that the scripts wrote, row by row.
fn expected(entrance: &Path, name: &str) -> Vec<Vec<f64>> {
    let text = std::fs::read_to_string(entrance.join("xirunpc.json")).unwrap();
    // A value that is no number stands as NaN in some.
    let all: serde_json::Value = serde_json::from_str(&text.replace("NaN", "null")).unwrap();
    let lines = all[name].as_array().unwrap();
    let lines = lines.iter().map(|line| line.as_str().unwrap());
    let rows = lines.filter(|line| !line.starts_with('#'));
    let number = |word: &str| word.parse().unwrap();
    let row = |line: &str| line.split_whitespace().map(number).collect();
    rows.map(row).collect()
}

/// Compares a column of a result with one of the text.
fn close(found: &[f64], expected: &[Vec<f64>], column: usize, tolerance: f64) {
    assert_eq!(found.len(), expected.len());
    for (found, row) in found.iter().zip(expected) {
        let expected = row[column];
        let both = found.is_nan() && expected.is_nan();
        let least = tolerance * (1.0 + expected.abs());
        assert!(
            both || (found - expected).abs() < least,
            "{found} {expected}"
        );
    }
}

/// Compares multipoles of |mu| with those of a text, which are of signed mu: where its wedges of mu and -mu differ, the sign of pairs at equal
/// distance was rounding, and they can be alike to that alone.
fn close_poles(poles: &Table, entrance: &Path, name: &str) {
    let text = expected(entrance, name);
    let wedges = expected(entrance, &name.replace("xipoles", "xiwedges"));
    let mirrored = |row: &&Vec<f64>| {
        let same = |k: usize| (row[2 + k] - row[7 - k]).abs() < 1e-11 * row[2 + k].abs();
        (0..3).all(same)
    };
    assert!(wedges.iter().filter(mirrored).count() > 1, "{name}");
    for (k, order) in ["xi_0", "xi_2", "xi_4"].into_iter().enumerate() {
        for ((found, row), wedges) in floats(poles, order).iter().zip(&text).zip(&wedges) {
            let tolerance = if mirrored(&wedges) { 4e-10 } else { 1e-5 };
            close(&[*found], std::slice::from_ref(row), 2 + k, tolerance);
        }
    }
}

const S_MU: &str = "--statistic s-mu --bins lin:0:200:5 --mu-bins lin:0:1:4 --multipoles 0,2,4";
const SPLIT: &str = "--split-randoms files --split-randoms-above 80";

/// What the scripts call a text.
fn text(run: &str, kind: &str, cap: &str, rest: &str) -> String {
    format!("{run}: {kind}_LRG_{cap}_0.4_0.6_default_FKP_custom1_njack0_nran2{rest}.txt")
}

#[test]
fn random_pairs_within_files_make_the_same_multipoles_and_caps_add_up() {
    let Some(entrance) = entrance() else { return };
    let folder = Folder::new();
    for (split, cut, run, rest) in [
        (SPLIT, "", "plain", "_split80"),
        ("", "", "whole", ""),
        (
            SPLIT,
            "--theta-cut 0:0.05",
            "thetacut",
            "_split80_thetacut0.05",
        ),
    ] {
        let matches = |file: &str, cap: &str| {
            let text = text(run, "xipoles", cap, rest);
            close_poles(&folder.table(file), &entrance, &text);
        };
        for name in ["NGC", "SGC"] {
            let files = cap(&entrance, name);
            folder.good(&format!(
                "xi {files} {S_MU} {split} {cut} --counts {name}.ecsv -o poles.csv --overwrite"
            ));
            matches("poles.csv", name);
        }
        folder.good(
            "result combine NGC.ecsv SGC.ecsv --by data --multipoles 0,2,4 -o both.csv --overwrite",
        );
        matches("both.csv", "GCcomb");
    }
}

#[test]
fn angles_and_distances_across_the_line_of_sight_are_the_same() {
    let Some(entrance) = entrance() else { return };
    let folder = Folder::new();
    // They have no edge far enough for a split.
    for (command, combine, column, cut, run, kind, rest) in [
        (
            "xi --statistic theta --bins lin:0:4:8",
            "",
            "xi",
            "",
            "plain",
            "theta",
            "_split80",
        ),
        (
            "wp --bins log:1:100:6 --pi-bins lin:0:40:4",
            "--wp",
            "wp",
            "",
            "plain",
            "wp",
            "_split80",
        ),
        (
            "wp --bins log:1:100:6 --pi-bins lin:0:40:4",
            "--wp",
            "wp",
            "--rp-cut 0:2.5",
            "rpcut",
            "wp",
            "_split80_rpcut2.5",
        ),
    ] {
        let matches = |file: &str, cap: &str| {
            let expected = expected(&entrance, &text(run, kind, cap, rest));
            close(&floats(&folder.table(file), column), &expected, 2, 4e-10);
        };
        let counts = |name: &str| match column {
            "wp" => format!("--counts {name}.ecsv -o {name}.csv"),
            _ => format!("-o {name}.ecsv"),
        };
        for name in ["NGC", "SGC"] {
            let files = cap(&entrance, name);
            let output = counts(name);
            folder.good(&format!("{command} {files} {cut} {output} --overwrite"));
            let result = output.split_whitespace().last().unwrap();
            matches(result, name);
        }
        folder.good(&format!(
            "result combine NGC.ecsv SGC.ecsv --by data {combine} -o both.csv --overwrite"
        ));
        matches("both.csv", "GCcomb");
    }
}
