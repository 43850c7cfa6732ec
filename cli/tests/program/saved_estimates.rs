//! `albireo result estimate`: what is made of saved counts is what a command that counts makes.

use albireo_catalogs::Values;

use crate::folder::{Folder, floats, scattered};

const XI: &str = "xi d.csv --randoms r.csv --statistic s-mu";
const FINE: &str = "--bins lin:0:4:8 --mu-bins lin:-1:1:12";
const COARSE: &str = "--bins lin:0:4:2 --mu-bins lin:-1:1:6";
const FORMS: &str = "--multipoles 0,2 --wedges 4 --wedge-bins middle --outputs";

fn folder() -> Folder {
    Folder::new()
        .with("d.csv", &scattered(150, 10.0, 1))
        .with("r.csv", &scattered(400, 10.0, 2))
        .with("e.csv", &scattered(150, 10.0, 3))
        .with("s.csv", &scattered(300, 10.0, 4))
}

fn rows(folder: &Folder, name: &str) -> Vec<(String, Values)> {
    let columns = folder.table(name).columns.into_iter();
    columns.map(|c| (c.name, c.values)).collect()
}

fn assert_same(folder: &Folder, one: &str, other: &str) {
    assert_eq!(rows(folder, one), rows(folder, other), "{one} {other}");
}

#[test]
fn coarser_bins_are_those_of_a_new_count() {
    let folder = folder();
    folder.good(&format!("{XI} {FINE} --mean-separation -o fine.json"));
    folder.good(&format!(
        "{XI} {COARSE} --mean-separation {FORMS} xi=x.csv,multipoles=m.csv,wedges=w.csv"
    ));
    folder.good(&format!(
        "result estimate fine.json --rebin 4 --mu-rebin 2 {FORMS} xi=x2.csv,multipoles=m2.csv,wedges=w2.csv"
    ));
    folder.good("result rebin fine.json --by 4 --mu-by 2 -o x3.csv");
    for (one, other) in [("x", "x2"), ("x", "x3"), ("m", "m2"), ("w", "w2")] {
        assert_same(&folder, &format!("{one}.csv"), &format!("{other}.csv"));
    }
    let record = folder.table("m2.csv").meta;
    assert_eq!(record["made_from"]["path"], "fine.json");
    assert_eq!(record["edges"], serde_json::json!({"s": [0.0, 2.0, 4.0]}));
    // It goes on from its own results.
    folder.good("result estimate x2.csv --multipoles 0,2 -o m4.csv");
    assert_same(&folder, "m.csv", "m4.csv");
}

#[test]
fn wp_and_other_estimators_are_made_again_too() {
    let folder = folder();
    for (flags, name) in [
        ("--box 10 --los z", "box"),
        ("--randoms r.csv --estimator hamilton", "hamilton"),
        ("--randoms r.csv --estimator (DD-2*DR+RR)/RR", "formula"),
        (
            "--randoms r.csv --cross e.csv --cross-randoms s.csv",
            "cross",
        ),
    ] {
        let wp = format!("wp d.csv {flags} --bins lin:0.5:3.5:3");
        folder.good(&format!(
            "{wp} --pi-bins lin:0:4:8 --outputs xi=fine.csv,wp=wp.csv"
        ));
        folder.good(&format!(
            "{wp} --pi-bins lin:0:4:4 --pi-max 2 -o coarse.csv"
        ));
        folder.good(&format!(
            "result estimate fine.csv --pi-rebin 2 --wp --pi-max 2 -o {name}.csv"
        ));
        assert_same(&folder, "coarse.csv", &format!("{name}.csv"));
    }
}

#[test]
fn errors_come_from_the_regions_of_the_counts() {
    let folder = folder();
    folder.good(&format!(
        "{XI} {FINE} --regions 5 --region-counts k.csv -o fine.json"
    ));
    let multipoles = "--multipoles 0,2 --covariance";
    folder.good(&format!(
        "{XI} {COARSE} --regions 5 {multipoles} c.csv -o m.csv"
    ));
    let estimate = "result estimate fine.json --rebin 4 --mu-rebin 2";
    folder.good(&format!(
        "{estimate} --by-region k.csv {multipoles} c2.csv -o m2.csv"
    ));
    folder.good(&format!("{estimate} --multipoles 0,2 -o poisson.csv"));
    for (name, other, column) in [
        ("m", "m2", "xi_0"),
        ("m", "m2", "xi_2_error"),
        ("c", "c2", "covariance"),
    ] {
        let [one, two] = [name, other].map(|name| folder.table(&format!("{name}.csv")));
        for (a, b) in floats(&one, column).iter().zip(floats(&two, column)) {
            assert!(
                (a - b).abs() <= 1e-12 * (1.0 + a.abs()),
                "{column}: {a} {b}"
            );
        }
    }
    let (regions, poisson) = (folder.table("m2.csv"), folder.table("poisson.csv"));
    assert_eq!(regions.meta["errors"]["regions"], 5);
    assert!(!poisson.meta.contains_key("errors"));
    assert_eq!(
        floats(&regions, "xi_0_poisson_error"),
        floats(&poisson, "xi_0_error")
    );
}

#[test]
fn each_of_several_results_has_files_of_its_own() {
    let folder = folder();
    folder.good(&format!("{XI} {COARSE} -o a.json"));
    folder.good(&format!("{XI} {FINE} -o b.json"));
    folder.good("result estimate a.json b.json --multipoles 0 -o m_{}.csv");
    folder.good("result estimate b.json --multipoles 0 -o alone.csv");
    assert_same(&folder, "m_b.csv", "alone.csv");
    assert_eq!(folder.table("m_a.csv").rows(), 2);
}
