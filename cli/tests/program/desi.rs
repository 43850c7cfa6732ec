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

#[test]
fn random_pairs_within_files_make_the_same_multipoles_w_and_wp() {
    let Some(entrance) = entrance() else { return };
    let folder = Folder::new();
    for name in ["NGC", "SGC"] {
        let files = cap(&entrance, name);
        let end = |kind: &str, rest: &str| {
            format!("{kind}_LRG_{name}_0.4_0.6_default_FKP_custom1_njack0_nran2{rest}.txt")
        };
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
            folder.good(&format!(
                "xi {files} {S_MU} {split} {cut} -o poles.csv --overwrite"
            ));
            let poles = folder.table("poles.csv");
            close_poles(
                &poles,
                &entrance,
                &format!("{run}: {}", end("xipoles", rest)),
            );
        }
        // Angles, and distances across the line of sight, have no edge far enough for a split.
        folder.good(&format!(
            "xi {files} --statistic theta --bins lin:0:4:8 -o w.csv --overwrite"
        ));
        let theta = expected(&entrance, &format!("plain: {}", end("theta", "_split80")));
        close(&floats(&folder.table("w.csv"), "xi"), &theta, 2, 4e-10);
        for (cut, run, rest) in [
            ("", "plain", "_split80"),
            ("--rp-cut 0:2.5", "rpcut", "_split80_rpcut2.5"),
        ] {
            folder.good(&format!(
                "wp {files} --bins log:1:100:6 --pi-bins lin:0:40:4 {cut} -o wp.csv --overwrite"
            ));
            let wp = expected(&entrance, &format!("{run}: {}", end("wp", rest)));
            close(&floats(&folder.table("wp.csv"), "wp"), &wp, 2, 4e-10);
        }
    }
}
