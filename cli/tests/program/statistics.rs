//! What the counts and their errors are held to.

use serde_json::{Value, json};

use crate::folder::{Folder, floats, integers, scattered};

/// A folder with data, randoms and a saved weighted RR of three bins.
fn with_saved_rr() -> Folder {
    let folder = Folder::new()
        .with("d.csv", &scattered(60, 10.0, 1))
        .with("r.csv", &scattered(200, 10.0, 2));
    folder.good(&format!("count r.csv {BINS} -o rr.json"));
    folder
}

const BINS: &str = "--weight w --bins edges:0.5,1,2,4";

/// Replaces the value of the saved RR at `pointer`.
fn damage(folder: &Folder, pointer: &str, value: Value) {
    let text = std::fs::read_to_string(folder.path("rr.json")).unwrap();
    let mut result: Value = serde_json::from_str(&text).unwrap();
    *result.pointer_mut(pointer).unwrap() = value;
    std::fs::write(folder.path("damaged.json"), result.to_string()).unwrap();
}

#[test]
fn a_damaged_rr_is_refused_by_file_column_and_row() {
    let folder = with_saved_rr();
    let row = |row: usize| format!("column `weight`, row {row} (counting from 0)");
    let (first, second) = (row(0), row(1));
    let cases: &[(&str, Value, &[&str])] = &[
        ("/data/weight/1", Value::Null, &[&second, "found NaN"]),
        ("/data/weight/1", json!("inf"), &[&second, "found inf"]),
        ("/data/weight/0", json!("-inf"), &[&first, "found -inf"]),
        ("/data/weight/1", json!(1e11), &[&second, "must lie in ["]),
        ("/data/weight/0", json!(-1.0), &[&first, "must lie in ["]),
        (
            "/data/npairs/2",
            json!(1_000_000),
            &["column `npairs`", "there are 19900 pairs in all"],
        ),
        (
            "/data/npairs/2",
            json!(-5),
            &["column `npairs`, row 2", "-5 is no uint64"],
        ),
        (
            "/meta/counts/DD/total_pairs",
            json!(19_901),
            &["`total_pairs` is 19901, that of this job 19900"],
        ),
        (
            "/meta/counts/DD/total_pairs",
            json!(-19_900),
            &["`total_pairs` is -19900, that of this job 19900"],
        ),
        (
            "/meta/counts/DD/total_weight",
            json!(4e3),
            &["`total_weight` is 4000.0, that of this job"],
        ),
        (
            "/meta/counts/DD/total_weight",
            json!("NaN"),
            &["`total_weight` is \"NaN\", that of this job"],
        ),
        (
            "/meta/counts/DD/design_effect",
            json!(1.0),
            &["`design_effect` is 1.0, that of this job"],
        ),
    ];
    for (pointer, value, parts) in cases {
        damage(&folder, pointer, value.clone());
        let run = folder.run(&format!(
            "xi d.csv --randoms r.csv --rr damaged.json {BINS} -o xi.csv"
        ));
        assert_eq!(run.code, 1, "{pointer} {value}: {}", run.stdout);
        for part in ["damaged.json"].iter().chain(*parts) {
            assert!(
                run.stderr.contains(part),
                "{pointer} {value}: {}",
                run.stderr
            );
        }
        assert!(!folder.path("xi.csv").exists());
    }
}

#[test]
fn a_saved_rr_keeps_the_errors() {
    let folder = with_saved_rr();
    folder.good(&format!("xi d.csv --randoms r.csv {BINS} -o all.json"));
    folder.good(&format!(
        "xi d.csv --randoms r.csv --rr rr.json {BINS} -o again.json"
    ));
    let error = floats(&folder.table("all.json"), "xi_error");
    assert_eq!(floats(&folder.table("again.json"), "xi_error"), error);
    // A result of the first version, which did not write the design effect down.
    let text = std::fs::read_to_string(folder.path("rr.json")).unwrap();
    let mut result: Value = serde_json::from_str(&text).unwrap();
    let record = result.pointer_mut("/meta/counts/DD").unwrap();
    assert!(
        record
            .as_object_mut()
            .unwrap()
            .remove("design_effect")
            .is_some()
    );
    std::fs::write(folder.path("first.json"), result.to_string()).unwrap();
    folder.good(&format!(
        "xi d.csv --randoms r.csv --rr first.json {BINS} -o first_xi.json"
    ));
    assert_eq!(floats(&folder.table("first_xi.json"), "xi_error"), error);
}

/// `N sum w^2/(sum w)^2` of the last column of a file.
fn design_effect(text: &str) -> f64 {
    let rows = text.lines().skip(1);
    let weights: Vec<f64> = rows
        .map(|row| row.split(',').next_back().unwrap().parse().unwrap())
        .collect();
    let sum: f64 = weights.iter().sum();
    weights.len() as f64 * weights.iter().map(|w| w * w).sum::<f64>() / (sum * sum)
}

#[test]
fn errors_hold_the_noise_of_all_counts_and_of_the_weights() {
    let (data, randoms) = (scattered(60, 10.0, 1), scattered(200, 10.0, 2));
    let [fd, fr] = [&data, &randoms].map(|text| design_effect(text));
    assert!(fd > 1.2 && fr > 1.2, "the weights spread: {fd} {fr}");
    let folder = Folder::new().with("d.csv", &data).with("r.csv", &randoms);
    folder.good(&format!("xi d.csv --randoms r.csv {BINS} -o xi.json"));
    let table = folder.table("xi.json");
    let fraction = |name: &str| {
        let total = table.meta["counts"][name]["total_weight"].as_f64().unwrap();
        let weight = floats(&table, &format!("{name}_weight")).into_iter();
        weight.map(|w| w / total).collect::<Vec<_>>()
    };
    let number = |name: &str| integers(&table, &format!("{name}_npairs"));
    let (dd, dr, rr) = (fraction("DD"), fraction("DR"), fraction("RR"));
    let (ndd, ndr, nrr) = (number("DD"), number("DR"), number("RR"));
    let error = floats(&table, "xi_error");
    for k in 1..3 {
        let terms = [
            (dd[k] / rr[k]).powi(2) * fd * fd / ndd[k] as f64,
            (2.0 * dr[k] / rr[k]).powi(2) * fd * fr / ndr[k] as f64,
            ((dd[k] - 2.0 * dr[k]) / rr[k]).powi(2) * fr * fr / nrr[k] as f64,
        ];
        let expected = terms.iter().sum::<f64>().sqrt();
        assert!(
            (error[k] / expected - 1.0).abs() < 1e-12,
            "{} {expected}",
            error[k]
        );
    }
}

#[test]
fn errors_of_wp_are_those_of_its_sum() {
    let folder = Folder::new()
        .with("d.csv", &scattered(60, 10.0, 1))
        .with("r.csv", &scattered(200, 10.0, 2));
    folder.good(
        "wp d.csv --randoms r.csv --bins edges:0.5,2,4 --pi-bins edges:0,1,4 -o wp.json --counts xi.json",
    );
    let (error, xi) = (
        floats(&folder.table("wp.json"), "wp_error"),
        floats(&folder.table("xi.json"), "xi_error"),
    );
    for k in 0..2 {
        let expected = 2.0 * (xi[2 * k].powi(2) + (3.0 * xi[2 * k + 1]).powi(2)).sqrt();
        assert!(
            (error[k] / expected - 1.0).abs() < 1e-12,
            "{error:?} {expected}"
        );
    }
}
