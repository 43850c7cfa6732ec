//! Reconstruction: sums over the shifted random points, with RR of the unshifted ones and xi over SS.

use super::{looped, mean_xi, measured, near, numbers, points_of};
use crate::folder::{Folder, floats, scattered};

const BINS: &str = "--statistic s-mu --bins lin:1:9:2 --mu-bins lin:0:1:2";

/// What `measured` makes, and randoms that were shifted, of which there are more.
fn reconstructed(weight: &str) -> Folder {
    let folder = measured("").with("s.csv", &scattered(104, 10.0, 11));
    folder.good(&format!(
        "xi d.csv --randoms r.csv --shifted-randoms s.csv {weight} {BINS} -o moved.csv"
    ));
    folder
}

/// A count in each bin over its total.
fn normalised(folder: &Folder, count: &str, weighted: bool) -> Vec<f64> {
    let table = folder.table("moved.csv");
    let total = if weighted {
        "total_weight"
    } else {
        "total_pairs"
    };
    let total = table.meta["counts"][count][total].as_f64().unwrap();
    let pairs = if weighted {
        floats(&table, &format!("{count}_weight"))
    } else {
        let pairs = crate::folder::integers(&table, &format!("{count}_npairs"));
        pairs.into_iter().map(|n| n as f64).collect()
    };
    pairs.iter().map(|pairs| pairs / total).collect()
}

fn has_the_terms_of_shifted_randoms(weight: &str, weighted: bool) {
    let folder = reconstructed(weight);
    let flags = "--xi-theory xi.txt --xi-cut 30 --rounds 200 --cloud 4 --seed 4";
    folder.good(&format!(
        "covariance moved.csv --shifted-randoms s.csv {flags} -o cov.csv"
    ));
    let (table, moved) = (folder.table("cov.csv"), folder.table("moved.csv"));
    // 80 points of data, 104 shifted ones.
    let f = 80.0 / 104.0;
    let points = points_of(&folder, "s.csv", weighted);
    let [ss, c4, c3, squares] = looped(&points, f);
    let sum = |power: i32| points.iter().map(|(_, w)| w.powi(power)).sum::<f64>();
    let all = sum(1).powi(2) - sum(2);
    let [rr_share, ss_share] = ["RR", "SS"].map(|count| normalised(&folder, count, weighted));
    let shares: Vec<f64> = ss.iter().map(|ss| ss / all).collect();
    near(&ss_share, &shares, 1e-10, "SS");
    let rr: Vec<f64> = rr_share.iter().map(|share| share * all).collect();
    // Loops have SS below, the model RR.
    let over_rr = |term: &[f64]| -> Vec<f64> {
        let of = |(k, x): (usize, &f64)| x * ss[k / 4] * ss[k % 4] / (rr[k / 4] * rr[k % 4]);
        term.iter().enumerate().map(of).collect()
    };
    near(&floats(&table, "c4"), &over_rr(&c4), 0.02, "C4");
    near(&floats(&table, "c3"), &over_rr(&c3), 0.02, "C3");
    let xi = floats(&moved, "xi");
    let s = |a: usize| 2.0 * squares[a] / (f * rr[a]).powi(2);
    let means = [mean_xi(1.0, 5.0), mean_xi(5.0, 9.0)];
    let of = |a: usize| s(a) * (1.0 + means[a / 2]);
    let own = |a: usize| s(a) * (1.0 + xi[a] * rr[a] / ss[a]);
    let diagonal = |of: &dyn Fn(usize) -> f64| -> Vec<f64> {
        let at = |k: usize| if k.is_multiple_of(5) { of(k / 5) } else { 0.0 };
        (0..16).map(at).collect()
    };
    near(&floats(&table, "s"), &diagonal(&s), 1e-10, "S");
    near(&floats(&table, "c2"), &diagonal(&of), 1e-10, "C2");
    // xi of the result itself in place of the theory, times RR/SS.
    folder.good("covariance moved.csv --shifted-randoms s.csv --rounds 2 --cloud 4 -o own.csv");
    let found = floats(&folder.table("own.csv"), "c2");
    near(&found, &diagonal(&own), 1e-10, "C2 of its own xi");
    let beta = table.meta["errors"]["beta"].as_f64().unwrap();
    assert!((beta - f).abs() < 1e-14, "{beta}");
    let samples = table.meta["samples"].as_array().unwrap();
    assert_eq!(samples[0]["role"], "shifted randoms");
}

#[test]
fn terms_are_those_of_all_tuples_of_shifted_randoms() {
    has_the_terms_of_shifted_randoms("", false);
    has_the_terms_of_shifted_randoms("--weight w", true);
}

#[test]
fn randoms_that_stay_where_they_are_change_nothing() {
    let folder = measured("");
    let flags = "--cloud 4 --rounds 8 --seed 4";
    folder.good(&format!(
        "xi d.csv --randoms r.csv --shifted-randoms r.csv {BINS} -o moved.csv"
    ));
    folder.good(&format!(
        "covariance moved.csv --shifted-randoms r.csv {flags} -o moved_cov.csv"
    ));
    folder.good(&format!(
        "covariance smu.csv --randoms r.csv {flags} -o cov.csv"
    ));
    let [moved, still] = ["moved_cov.csv", "cov.csv"].map(|name| numbers(&folder.table(name)));
    for (moved, still) in moved.iter().zip(&still) {
        near(moved, still, 1e-9, "covariance");
    }
}
