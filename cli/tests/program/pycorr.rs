//! Weights of pairs against the tables that pycorr's own tests compare with, where these are at hand: the environment variable
//! `ALBIREO_TEST_DATA` names a folder whose folder `pycorr` is pycorr's `pycorr/tests/reference`.

use std::path::Path;

use serde_json::Value;

use crate::folder::{Folder, floats};

/// The rows of a table of pycorr's, and what follows `#norm =`.
fn theirs(path: &Path) -> (Vec<f64>, f64) {
    let text = std::fs::read_to_string(path).unwrap();
    let norm = text
        .lines()
        .find_map(|line| line.strip_prefix("#norm = ")?.parse().ok());
    let rows = text.lines().filter(|line| !line.starts_with('#'));
    let last = rows.map(|line| line.split_whitespace().last().unwrap().parse().unwrap());
    (last.collect(), norm.unwrap_or(f64::NAN))
}

#[test]
#[allow(clippy::print_stderr, reason = "a test that is skipped says so")]
fn results_are_those_of_pycorr() {
    let at = std::env::var_os("ALBIREO_TEST_DATA").map(|at| Path::new(&at).join("pycorr"));
    let Some(at) = at.filter(|at| at.is_dir()) else {
        eprintln!("skipped: ALBIREO_TEST_DATA names no folder with a folder `pycorr`");
        return;
    };
    let folder = Folder::new();
    let catalog = |name: &str| at.join("catalogs").join(name).display().to_string();
    let (data, randoms) = (catalog("data_1.txt"), catalog("randoms_1.txt"));
    let edges: Vec<String> = (0..=30)
        .map(|k| 10f64.powf(-0.5 + 1.5 * f64::from(k) / 30.0).to_string())
        .collect();
    let pip = "--bits 4,5 --pip-zero-truncated --pip-realizations 64";
    let run = |angular: &str| {
        folder.good(&format!(
            "xi {data} --randoms {randoms} --positions 1,2,3 --weight 6 --randoms-weight 4 {pip} {angular} --bins edges:{} -o xi.csv",
            edges.join(",")
        ));
        folder.table("xi.csv")
    };
    let table = run("");
    let folder_of = at.join("twopoint_s");
    for (name, file, times) in [("DD", "D1D1", 2.0), ("DR", "D1R1", 1.0)] {
        let path = folder_of.join(format!("counts_{file}_individual_bitwise_weights.txt"));
        let (expected, norm) = theirs(&path);
        for (found, expected) in floats(&table, &format!("{name}_weight"))
            .iter()
            .zip(&expected)
        {
            assert!(
                (found * times - expected).abs() <= 1e-9 * expected + 1e-9,
                "{name}"
            );
        }
        let total = table.meta["counts"][name]["total_weight"].as_f64().unwrap();
        assert!((total * times / norm - 1.0).abs() < 1e-12, "{name}");
    }
    let path = folder_of.join("correlation_function_auto1_individual_bitwise_weights.txt");
    let (expected, _) = theirs(&path);
    assert_eq!(expected.len(), 30);
    for (found, expected) in floats(&table, "xi").iter().zip(&expected) {
        let same = found.is_nan() && expected.is_nan();
        assert!(
            same || (found - expected).abs() <= 1e-9 + 1e-6 * expected.abs(),
            "{found} {expected}"
        );
    }
    // Their upweights, of a parent sample and of bits alone.
    let theta: Vec<String> = (0..=30)
        .map(|k| 10f64.powf(-2.5 + 2.5 * f64::from(k) / 30.0).to_string())
        .collect();
    let theta = format!(
        "--positions 1,2,3 --statistic theta --bins edges:{}",
        theta.join(",")
    );
    let second = catalog("data_2.txt");
    let [parent, other] = ["parent_data_1.txt", "parent_data_2.txt"].map(catalog);
    folder.good(&format!(
        "count {parent} {other} {theta} --mean-separation -o parent.csv"
    ));
    folder.good(&format!(
        "count {data} {second} {theta} {pip} -o observed.csv"
    ));
    folder.good(&format!(
        "count {data} {second} --positions 1,2,3 {pip} --bins lin:1:9:4 --angular parent.csv,observed.csv -o c.csv"
    ));
    let made = &folder.table("c.csv").meta["counts"]["D1D2"]["pair_weight"]["angular"];
    let (expected, _) = theirs(&at.join("angular_upweights/weights_for_D1D2_bitwise_weights.txt"));
    let factors = made["factors"].as_array().unwrap();
    assert_eq!(factors.len(), expected.len());
    for (found, expected) in factors.iter().filter_map(Value::as_f64).zip(&expected) {
        assert!((found / expected - 1.0).abs() < 1e-9, "{found} {expected}");
    }
}
