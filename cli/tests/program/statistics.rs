//! What the counts and their errors are held to.

use serde_json::Value;

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
    let text = folder.text("rr.json");
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
