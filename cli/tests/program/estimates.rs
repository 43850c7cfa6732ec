//! `albireo xi` and `albireo wp`.

use crate::folder::{Folder, floats, integers, names, scattered};

fn folder() -> Folder {
    Folder::new()
        .with("d.csv", &scattered(60, 10.0, 1))
        .with("r.csv", &scattered(200, 10.0, 2))
        .with("s.csv", &scattered(100, 10.0, 3))
}

#[test]
fn a_periodic_box_needs_no_randoms() {
    let folder = folder();
    folder.good("xi d.csv --box 10 --bins edges:1,2,4 -o xi.csv");
    let table = folder.table("xi.csv");
    assert_eq!(
        names(&table).join(" "),
        "lo hi centre xi xi_error DD_npairs DD_normalised RR_normalised"
    );
    assert_eq!(table.meta["estimator"], "natural");
    let (xi, dd) = (floats(&table, "xi"), integers(&table, "DD_npairs"));
    let rr = 4.0 / 3.0 * std::f64::consts::PI * (4f64.powi(3) - 2f64.powi(3)) / 1000.0;
    let expected = dd[1] as f64 / (60.0 * 59.0 / 2.0) / rr - 1.0;
    assert!((xi[1] - expected).abs() < 1e-12, "{xi:?} {expected}");
}

#[test]
fn landy_szalay_is_the_default_with_randoms() {
    let folder = folder();
    folder.good("xi d.csv --randoms r.csv --bins edges:1,2,4 -o xi.csv");
    let table = folder.table("xi.csv");
    assert_eq!(table.meta["estimator"], "landy-szalay");
    let [dd, dr, rr] =
        ["DD_npairs", "DR_npairs", "RR_npairs"].map(|name| integers(&table, name)[1] as f64);
    let (dd, dr, rr) = (
        dd / (60.0 * 59.0 / 2.0),
        dr / (60.0 * 200.0),
        rr / (200.0 * 199.0 / 2.0),
    );
    assert!((floats(&table, "xi")[1] - (dd - 2.0 * dr + rr) / rr).abs() < 1e-12);
    for (name, expected) in [
        ("natural", dd / rr - 1.0),
        ("davis-peebles", dd / dr - 1.0),
        ("hamilton", dd * rr / (dr * dr) - 1.0),
    ] {
        folder.good(&format!(
            "xi d.csv --randoms r.csv --estimator {name} --bins edges:1,2,4 -o other.csv"
        ));
        assert!(
            (floats(&folder.table("other.csv"), "xi")[1] - expected).abs() < 1e-12,
            "{name}"
        );
    }
}

#[test]
fn two_catalogs_are_cross_correlated() {
    let folder = folder();
    folder.good(
        "xi d.csv --cross s.csv --randoms r.csv --cross-randoms r.csv --bins edges:1,2,4 -o xi.csv",
    );
    let table = folder.table("xi.csv");
    let pairs = ["D1D2", "D1R2", "R1D2", "R1R2"];
    assert_eq!(
        names(&table)[5..9],
        pairs.map(|name| format!("{name}_npairs"))
    );
    assert_eq!(
        names(&table)[9..],
        pairs.map(|name| format!("{name}_normalised"))
    );
    assert_eq!(table.meta["counts"]["D1D2"]["total_pairs"], 6000);
    folder.good("xi d.csv --cross s.csv --box 10 --bins edges:1,2,4 -o box.csv");
    assert_eq!(
        names(&folder.table("box.csv"))[5..],
        ["D1D2_npairs", "DD_normalised", "RR_normalised"]
    );
    folder
        .good("xi d.csv --shifted-randoms s.csv --randoms r.csv --bins edges:1,2,4 -o shifted.csv");
    assert_eq!(
        folder.table("shifted.csv").meta["estimator"],
        "shifted-randoms"
    );
}

#[test]
fn two_reconstructed_catalogs_have_shifted_randoms_of_their_own() {
    let folder = folder()
        .with("d2.csv", &scattered(80, 10.0, 11))
        .with("r2.csv", &scattered(150, 10.0, 12))
        .with("t2.csv", &scattered(140, 10.0, 13))
        .with("t.csv", &scattered(130, 10.0, 14));
    let bins = "--statistic s-mu --bins lin:0:4:2 --mu-bins lin:-1:1:4";
    let cross = "xi d.csv --cross d2.csv --randoms r.csv --cross-randoms r2.csv --shifted-randoms t.csv --cross-shifted-randoms t2.csv";
    folder.good(&format!("{cross} {bins} -o xi.ecsv"));
    let xi = folder.table("xi.ecsv");
    assert_eq!(xi.meta["estimator"], "shifted-randoms");
    let normalised = |name: &str, files: &str| -> Vec<f64> {
        folder.good(&format!("count {files} {bins} -o count.csv"));
        let count = folder.table("count.csv");
        assert_eq!(
            integers(&xi, &format!("{name}_npairs")),
            integers(&count, "npairs")
        );
        let record = count.meta["counts"].as_object().unwrap().values().next();
        let total = record.unwrap()["total_pairs"].as_u64().unwrap();
        let pairs = integers(&count, "npairs").into_iter();
        pairs.map(|n| n as f64 / total as f64).collect()
    };
    let d1d2 = normalised("D1D2", "d.csv d2.csv");
    let d1s2 = normalised("D1S2", "d.csv t2.csv");
    let s1d2 = normalised("S1D2", "t.csv d2.csv");
    let s1s2 = normalised("S1S2", "t.csv t2.csv");
    let r1r2 = normalised("R1R2", "r.csv r2.csv");
    for (k, found) in floats(&xi, "xi").into_iter().enumerate() {
        let expected = (d1d2[k] - d1s2[k] - s1d2[k] + s1s2[k]) / r1r2[k];
        assert!((found - expected).abs() < 1e-12, "{found} {expected}");
    }
    folder.good(&format!(
        "{cross} {bins} --estimator (D1D2-D1S2-S1D2+S1S2)/R1R2 -o formula.ecsv"
    ));
    assert_eq!(
        floats(&folder.table("formula.ecsv"), "xi"),
        floats(&xi, "xi")
    );
    // In a box the pairs of unshifted randoms are known.
    folder.good(&format!(
        "xi d.csv --cross d2.csv --shifted-randoms t.csv --cross-shifted-randoms t2.csv --box 10 {bins} -o box.csv"
    ));
    assert!(!names(&folder.table("box.csv")).contains(&"R1R2_npairs"));
}

#[test]
fn a_saved_rr_is_used_if_it_fits() {
    let folder = folder();
    folder.good("count r.csv --bins edges:1,2,4 -o rr.json");
    folder.good("xi d.csv --randoms r.csv --bins edges:1,2,4 -o all.csv");
    let bins = "--bins edges:1,2,4";
    for saved in ["rr.json", "all.csv"] {
        folder.good(&format!(
            "xi d.csv --randoms r.csv --rr {saved} {bins} -o again.csv"
        ));
        let (all, again) = (folder.table("all.csv"), folder.table("again.csv"));
        assert_eq!(all.columns, again.columns);
        assert_eq!(again.meta["counts"]["RR"]["read_from"], saved);
    }
}

#[test]
fn weighted_rr_is_taken_over_to_the_last_bit() {
    let folder = folder();
    let bins = "--weight w --statistic s-mu --bins edges:1,2,4 --mu-bins lin:0:1:4";
    folder.good(&format!("count r.csv {bins} -o rr.json"));
    folder.good(&format!("xi d.csv --randoms r.csv {bins} -o all.csv"));
    folder.good(&format!(
        "xi d.csv --randoms r.csv {bins} --rr rr.json -o again.csv"
    ));
    assert_eq!(
        folder.table("all.csv").columns,
        folder.table("again.csv").columns
    );
    let run = folder.run(&format!(
        "xi d.csv --randoms r.csv {bins} --los first --rr rr.json"
    ));
    assert_eq!(run.code, 1);
    assert!(
        run.stderr.contains("line of sight midpoint, not first"),
        "{}",
        run.stderr
    );
}

#[test]
fn wp_sums_over_the_line_of_sight() {
    let folder = folder();
    folder.good(
        "wp d.csv --box 10 --bins edges:0.5,2,4 --pi-bins lin:0:4:4 -o wp.csv --counts xi.csv",
    );
    let (wp, xi) = (folder.table("wp.csv"), folder.table("xi.csv"));
    assert_eq!(names(&wp).join(" "), "lo hi centre wp wp_error");
    let sum: f64 = floats(&xi, "xi")[4..].iter().sum();
    assert!((floats(&wp, "wp")[1] - 2.0 * sum).abs() < 1e-12);
    assert_eq!(wp.meta["summed_over"]["pi"].as_array().unwrap().len(), 5);
    assert_eq!(integers(&xi, "DD_npairs").len(), 8);
}

#[test]
fn multipoles_come_from_s_and_mu() {
    let folder = folder();
    folder.good("xi d.csv --box 10 --statistic s-mu --bins edges:1,2,4 --mu-bins lin:0:1:5 --multipoles 0,2 -o l.csv --counts xi.csv");
    let (poles, xi) = (folder.table("l.csv"), folder.table("xi.csv"));
    assert_eq!(
        names(&poles).join(" "),
        "lo hi centre xi_0 xi_0_error xi_2 xi_2_error"
    );
    let mean = floats(&xi, "xi")[5..].iter().sum::<f64>() / 5.0;
    assert!((floats(&poles, "xi_0")[1] - mean).abs() < 1e-12);
}

#[test]
fn signed_bins_take_the_randoms_on_either_side() {
    let folder = folder();
    folder.good(
        "xi d.csv --randoms r.csv --statistic s-mu --bins edges:1,4 --mu-bins lin:-1:1:2 -o xi.csv",
    );
    let table = folder.table("xi.csv");
    assert_eq!(table.meta["counts"]["RD"]["total_pairs"], 12000);
    // Midpoint and both orders: the two halves mirror each other.
    let xi = floats(&table, "xi");
    assert!((xi[0] - xi[1]).abs() < 1e-12, "{xi:?}");
}
