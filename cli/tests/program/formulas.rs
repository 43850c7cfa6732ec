//! `--estimator` as a formula over counts.

use crate::folder::{Folder, floats, integers, names, scattered};

fn folder() -> Folder {
    Folder::new()
        .with("d.csv", &scattered(120, 10.0, 1))
        .with("r.csv", &scattered(300, 10.0, 2))
        .with("s.csv", &scattered(280, 10.0, 3))
        .with("d2.csv", &scattered(90, 10.0, 4))
        .with("r2.csv", &scattered(250, 10.0, 5))
}

const BINS: [&str; 2] = ["--bins", "lin:0:4:4"];

/// Runs with a formula, which may hold blanks.
fn with_formula(folder: &Folder, arguments: &str, formula: &str, output: &str) {
    let mut all: Vec<&str> = arguments.split_whitespace().collect();
    all.extend(["--estimator", formula, "-o", output]);
    let run = folder.run_with(&all);
    assert_eq!(run.code, 0, "{arguments} {formula}\n{}", run.stderr);
}

#[test]
fn formulas_give_what_names_give() {
    let folder = folder();
    let bins = BINS.join(" ");
    for (command, name, formula) in [
        (format!("xi d.csv --randoms r.csv {bins} --weight w"), "landy-szalay", "(DD - 2*DR + RR)/RR"),
        (format!("xi d.csv --randoms r.csv {bins} --regions 5 --bootstrap 20"), "hamilton", "DD*RR/DR**2 - 1"),
        (format!("xi d.csv --box 10 {bins}"), "natural", "DD/RR-1"),
        (format!("xi d.csv --box 10 --regions-cubes 2 {bins}"), "natural", "DD/RR - 1"),
        (
            format!("xi d.csv --randoms r.csv --cross d2.csv --cross-randoms r2.csv {bins}"),
            "landy-szalay",
            "(D1D2 - D1R2 - R1D2 + R1R2)/R1R2",
        ),
        (
            "wp d.csv --randoms r.csv --bins lin:0:4:4 --pi-bins lin:0:5:5 --regions 4".to_owned(),
            "davis-peebles",
            "DD/DR - 1",
        ),
        (
            "xi d.csv --randoms r.csv --statistic s-mu --bins lin:0:4:4 --mu-bins lin:-1:1:6 --multipoles 0,1,2 --regions 4".to_owned(),
            "landy-szalay",
            "(DD - DR - RD + RR)/RR",
        ),
    ] {
        folder.good(&format!("{command} --estimator {name} -o named.csv"));
        with_formula(&folder, &command, formula, "formula.csv");
        assert_eq!(folder.text("named.csv"), folder.text("formula.csv"), "{command}");
        assert_eq!(folder.table("formula.csv").meta["estimator"], formula);
    }
}

#[test]
fn only_what_a_formula_names_is_counted() {
    let folder = folder();
    let bins = BINS.join(" ");
    with_formula(
        &folder,
        &format!("xi d.csv --randoms r.csv {bins}"),
        "DD/DR - 1",
        "xi.csv",
    );
    let table = folder.table("xi.csv");
    let counts = table.meta["counts"].as_object().unwrap();
    assert_eq!(counts.keys().collect::<Vec<_>>(), ["DD", "DR"]);
    assert!(!names(&table).contains(&"RR_npairs"));
    // Randoms shifted and not, with the shifted ones the other way round.
    let shifted = format!("xi d.csv --randoms r.csv --shifted-randoms s.csv {bins}");
    with_formula(&folder, &shifted, "(DD - 2*SD + SS)/RR", "sd.csv");
    folder.good(&format!("{shifted} -o shifted.csv"));
    let (found, expected) = (folder.table("sd.csv"), folder.table("shifted.csv"));
    assert_eq!(
        integers(&found, "SD_npairs"),
        integers(&expected, "DS_npairs")
    );
    for (a, b) in floats(&found, "xi").iter().zip(floats(&expected, "xi")) {
        assert!((a - b).abs() < 1e-13);
    }
    // Saved random pairs serve a formula too.
    folder.good(&format!("count r.csv {bins} -o rr.csv"));
    let xi = format!("xi d.csv --randoms r.csv {bins}");
    with_formula(&folder, &xi, "DD/RR - 1", "counted.csv");
    with_formula(
        &folder,
        &format!("{xi} --rr rr.csv"),
        "DD/RR - 1",
        "taken.csv",
    );
    assert_eq!(folder.text("counted.csv"), folder.text("taken.csv"));
}

#[test]
fn formulas_with_names_are_columns_of_the_same_counts() {
    let folder = folder();
    let bins = BINS.join(" ");
    let sums = "--pair-sum m=i.w*j.w --pair-sum d=abs(i.w-j.w)";
    let wp = "--bins lin:0:4:4 --pi-bins lin:0:5:5";
    let s_mu = "--statistic s-mu --bins lin:0:4:4 --mu-bins lin:0:1:4";
    let first = "(DD-2*DR+RR)/RR";
    for (command, value, formulas) in [
        (
            format!("xi d.csv --randoms r.csv {bins} --regions 6"),
            "xi",
            [first, "DD/RR-1", "(DD.m-RR)/DD"],
        ),
        (
            format!("xi d.csv --randoms r.csv {bins}"),
            "xi",
            [first, "DD*RR/DR^2-1", "(DD.d-DR)/RR"],
        ),
        (
            format!("wp d.csv --randoms r.csv {wp} --regions 5 --bootstrap 30"),
            "wp",
            ["DD/DR-1", "(DD.m-DR)/RR", "DD.d/RR"],
        ),
        (
            format!("xi d.csv --randoms r.csv {s_mu} --multipoles 0,2 --regions 6"),
            "xi",
            [first, "DD/RR-1", "(DD.m-DR)/RR"],
        ),
        (
            format!("xi d.csv --randoms r.csv {s_mu} --wedges 2 --regions 5 --bootstrap 30"),
            "xi",
            [first, "DD*RR/DR^2-1", "(DD.d-DR)/RR"],
        ),
    ] {
        let named = ["a", "b", "c"].map(str::to_owned);
        let flags = named
            .iter()
            .zip(formulas)
            .map(|(name, formula)| format!(" --estimator {name}={formula}"));
        let flags: String = flags.collect();
        let covariance = if command.contains("regions") {
            "--covariance cov.json"
        } else {
            ""
        };
        folder.good(&format!(
            "{command} {sums} {flags} {covariance} -o all.json"
        ));
        let all = folder.table("all.json");
        assert_eq!(all.meta["formulas"].as_array().unwrap().len(), 3);
        let mut errors = Vec::new();
        for (name, formula) in named.iter().zip(formulas) {
            let sums = if formula.contains('.') { sums } else { "" };
            folder.good(&format!(
                "{command} {sums} --estimator {formula} -o one.json"
            ));
            let one = folder.table("one.json");
            let same = |of: &str, column: &str| {
                let bits =
                    |values: Vec<f64>| values.iter().map(|v| v.to_bits()).collect::<Vec<_>>();
                assert_eq!(
                    bits(floats(&all, of)),
                    bits(floats(&one, column)),
                    "{command} {formula}: {of}"
                );
            };
            let values = names(&one);
            let values = values.iter().filter(|column| column.starts_with(value));
            for column in values {
                let of = column.replacen(value, name, 1);
                same(&of, column);
                if of.ends_with("_error") && !of.ends_with("_poisson_error") {
                    errors.extend(floats(&all, &of));
                }
            }
        }
        if !covariance.is_empty() {
            // All values in a row, by their errors.
            let table = folder.table("cov.json");
            let variances = floats(&table, "covariance");
            assert!(errors.len() >= 12 && variances.len() == errors.len().pow(2));
            for (k, error) in errors.iter().enumerate() {
                let found = variances[(errors.len() + 1) * k].sqrt();
                assert!((found - error).abs() <= 1e-12 * error, "{found}, {error}");
            }
            assert!(names(&table).contains(&"row_formula"));
        }
    }
    // The file has the counts and what is made of them.
    folder.good(&format!(
        "xi d.csv --box 10 {bins} --estimator g=DD/RR -o g.json"
    ));
    let table = folder.table("g.json");
    assert!(names(&table).contains(&"DD_npairs") && !names(&table).contains(&"xi"));
    folder.good("plot g.json -o g.png");
    folder.good(&format!(
        "xi d.csv --box 10 --los z {s_mu} --multipoles 0,2 --estimator g=DD/RR --estimator h=DD-RR -o p.json"
    ));
    let table = folder.table("p.json");
    assert!(names(&table).contains(&"h_2") && !names(&table).contains(&"g"));
    folder.good("plot p.json -o p.png");
}
