//! A survey as DESI's own scripts measure it: catalogues and what these scripts made of them, where `ALBIREO_TEST_DATA` names a folder
//! whose folder `entrance` has them.

use std::path::{Path, PathBuf};

use albireo_catalogs::Table;

use crate::folder::{Folder, floats, integers};

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

/// The flags that read a cap.
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
fn close_poles(poles: &Table, entrance: &Path, name: &str, tolerance: f64) {
    let text = expected(entrance, name);
    let wedges = expected(entrance, &name.replace("xipoles", "xiwedges"));
    let mirrored = |row: &&Vec<f64>| {
        let same = |k: usize| (row[2 + k] - row[7 - k]).abs() < 1e-11 * row[2 + k].abs();
        (0..3).all(same)
    };
    assert!(wedges.iter().filter(mirrored).count() > 1, "{name}");
    for (k, order) in ["xi_0", "xi_2", "xi_4"].into_iter().enumerate() {
        for ((found, row), wedges) in floats(poles, order).iter().zip(&text).zip(&wedges) {
            let tolerance = if mirrored(&wedges) { tolerance } else { 1e-5 };
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
            close_poles(&folder.table(file), &entrance, &text, 4e-10);
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

/// The rows of a cap with the regions that the scripts cut them into (`tests/data/desi/make_regions.py`).
fn with_regions(cap: &str) -> [String; 3] {
    let data = Path::new(env!("CARGO_MANIFEST_DIR")).join("../tests/data/desi");
    ["clustering.dat", "0_clustering.ran", "1_clustering.ran"]
        .map(|rest| format!("{}/LRG_{cap}_{rest}.csv", data.display()))
}

#[test]
fn regions_left_out_have_the_same_scatter() {
    let Some(entrance) = entrance() else { return };
    let folder = Folder::new();
    let matches = |file: &str, cap: &str, tolerance: f64| {
        let name = format!(
            "jackknife: xipoles_LRG_{cap}_0.4_0.6_default_FKP_custom1_njack3x2_nran2_split80.txt"
        );
        let poles = folder.table(file);
        close_poles(&poles, &entrance, &name, 4e-10);
        let text = expected(&entrance, &name);
        for (k, error) in ["xi_0_error", "xi_2_error", "xi_4_error"]
            .into_iter()
            .enumerate()
        {
            close(&floats(&poles, error), &text, 5 + k, tolerance);
        }
    };
    let alpha = "--jackknife=mohammad-percival";
    // Of NGC the sign of mu is rounding in some realisations, where the scripts have it.
    for (cap, tolerance) in [("NGC", 5e-4), ("SGC", 1e-9)] {
        let [data, first, second] = with_regions(cap);
        folder.good(&format!(
            "xi {data} --randoms {first} --randoms {second} --sky RA,DEC --redshift Z --cosmology DESI --weight w {S_MU} {SPLIT} --regions-column region {alpha} --region-counts regions_{cap}.ecsv --counts {cap}.ecsv -o poles.csv --overwrite"
        ));
        matches("poles.csv", cap, tolerance);
    }
    folder.good(&format!(
        "result combine NGC.ecsv SGC.ecsv --by data --by-region regions_NGC.ecsv regions_SGC.ecsv --match-regions {alpha} --multipoles 0,2,4 -o both.csv"
    ));
    matches("both.csv", "GCcomb", 5e-4);
}

#[test]
fn layers_and_weights_by_region_are_the_same() {
    let Some(entrance) = entrance() else { return };
    let folder = Folder::new();
    let text = std::fs::read_to_string(entrance.join("xirunpc.json")).unwrap();
    let all: serde_json::Value = serde_json::from_str(&text.replace("NaN", "null")).unwrap();
    for name in ["NGC", "SGC"] {
        let files = cap(&entrance, name);
        folder.good(&format!(
            "xi {files} --bins lin:0:200:5 --regions 3 --regions-radial 2 --regions-output rows.csv -o xi.csv --overwrite"
        ));
        let layers = integers(&folder.table("rows.csv"), "region").into_iter();
        let layers: Vec<u64> = layers.map(|region| region % 2).collect();
        let [data, first, second] = with_regions(name);
        let expected = [&data, &first, &second].into_iter().flat_map(|path| {
            let text = std::fs::read_to_string(path).unwrap();
            let label = |line: &str| line.rsplit(',').next().unwrap().parse::<u64>().unwrap() % 2;
            text.lines().skip(1).map(label).collect::<Vec<_>>()
        });
        assert_eq!(layers, expected.collect::<Vec<_>>());
        folder.good(&format!(
            "xi {data} --randoms {first} --randoms {second} --sky RA,DEC --redshift Z --cosmology DESI --bits bits --randoms-bits bits --pip-realizations 65 --bins lin:0:200:5 --regions-column region --region-sums sums.csv -o xi.csv --overwrite"
        ));
        let sums = folder.table("sums.csv");
        let expected = &all[format!(
            "jackknife: ndens_LRG_{name}_0.4_0.6_default_FKP_custom_njack3x2_nran2_split80.npy"
        )];
        for (k, column) in ["data_weight", "randoms_weight"].into_iter().enumerate() {
            for (region, found) in floats(&sums, column).into_iter().enumerate() {
                let expected = expected[k][region].as_f64().unwrap();
                assert!((found / expected - 1.0).abs() < 1e-12, "{found} {expected}");
            }
        }
    }
}

#[test]
fn bits_with_angular_upweights_make_the_same_multipoles() {
    let Some(entrance) = entrance() else { return };
    let folder = Folder::new();
    let text = std::fs::read_to_string(entrance.join("xirunpc.json")).unwrap();
    let all: serde_json::Value = serde_json::from_str(&text.replace("NaN", "null")).unwrap();
    let list = |value: &serde_json::Value| -> Vec<f64> {
        let values = value.as_array().unwrap().iter();
        values.map(|value| value.as_f64().unwrap()).collect()
    };
    let desi = entrance.join("desi").display().to_string();
    let bits = "--bits BITWEIGHTS --pip-realizations 129 --pip-total counter";
    let name = |kind: &str, cap: &str, rest: &str| {
        format!(
            "bits whole: {kind}_LRG_{cap}_0.4_0.6_default_angular_bitwise_custom{rest}_njack0_nran2"
        )
    };
    for (cap, part) in [("NGC", "RA>100"), ("SGC", "RA<100")] {
        let parent = format!(
            "xi {desi}/LRG_full_HPmapcut.dat.fits --randoms {desi}/LRG_[01]_full_HPmapcut.ran.fits --randoms-where {part} --statistic theta --sky RA,DEC --bins log:1e-4:3.1622776601683795:40 --estimator davis-peebles --mean-separation --overwrite"
        );
        folder.good(&format!("{parent} --where {part} -o parent.ecsv"));
        folder.good(&format!(
            "{parent} --where {part}&&LOCATION_ASSIGNED==1 {bits} -o observed.ecsv"
        ));
        let clustering = |rest: &str| format!("{desi}/fits/LRG_{cap}_{rest}.fits");
        let (data, randoms) = (
            clustering("clustering.dat"),
            clustering("[01]_clustering.ran"),
        );
        folder.good(&format!(
            "xi {data} --randoms {randoms} --sky RA,DEC --redshift Z --cosmology DESI --weight WEIGHT_SYS*WEIGHT_ZFAIL --randoms-weight none --where Z>=0.4&&Z<0.6&&FRAC_TLOBS_TILES!=0 {bits} --angular parent.ecsv,observed.ecsv {S_MU} --counts {cap}.ecsv -o poles.csv --overwrite"
        ));
        // Nodes of each count are the mean angles of its own pairs.
        let counts = &folder.table(&format!("{cap}.ecsv")).meta["counts"];
        for (count, theirs) in [("DD", "D1D2"), ("DR", "D1R2")] {
            let kind = format!("allcounts_{theirs}_twopoint_weights");
            let expected = &all[format!("{}.npy", name(&kind, cap, ""))];
            let made = &counts[count]["pair_weight"]["angular"];
            // Angles and sums of PIP weights are of fixed point.
            for (ours, theirs, tolerance) in
                [("theta", "theta", 1e-10), ("factors", "factor", 1e-6)]
            {
                let expected = list(&expected[theirs]).into_iter();
                let expected: Vec<_> = expected.map(|value| vec![value]).collect();
                close(&list(&made[ours]), &expected, 0, tolerance);
            }
        }
        let text = format!("{}.txt", name("xipoles", cap, "1"));
        close_poles(&folder.table("poles.csv"), &entrance, &text, 1e-6);
    }
    folder.good("result combine NGC.ecsv SGC.ecsv --by data --multipoles 0,2,4 -o both.csv");
    let text = format!("{}.txt", name("xipoles", "GCcomb", "1"));
    close_poles(&folder.table("both.csv"), &entrance, &text, 1e-6);
}
