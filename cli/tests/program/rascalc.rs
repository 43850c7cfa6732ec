//! The input files of `RascalC`: python/tests compares them with what its own conversion makes of the same result.

use crate::folder::{Folder, integers, scattered};

/// The lines of a text as numbers.
fn rows(folder: &Folder, name: &str) -> Vec<Vec<f64>> {
    let text = folder.text(name);
    let numbers = |line: &str| line.split(' ').map(|x| x.parse().unwrap()).collect();
    text.lines().map(numbers).collect()
}

/// xi over signed mu with its counts by region.
fn measured() -> Folder {
    let folder = Folder::new()
        .with("d.csv", &scattered(120, 60.0, 1))
        .with("r.csv", &scattered(300, 60.0, 2));
    folder.good(
        "xi d.csv --randoms r.csv --statistic s-mu --bins edges:10,25,40 --mu-bins lin:-1:1:6 --regions 5 --jackknife \
         --region-counts regions.json -o xi.json",
    );
    folder
}

#[test]
fn files_of_rascalc_have_the_shares_of_all_and_of_each_region() {
    let folder = measured();
    folder.good("result rascalc xi.json --by-region regions.json --binning b.txt --rr rr.txt --xi xi.txt --jackknife jk.txt");
    assert_eq!(rows(&folder, "b.txt"), [[10.0, 25.0], [25.0, 40.0]]);
    // Bins of signed mu hold both orders of each pair; those of |mu| begin with the two bins beside 0.
    let signed = integers(&folder.table("xi.json"), "RR_npairs");
    let folded = |bin: usize| {
        let (row, mu) = (6 * (bin / 3), bin % 3);
        signed[row + 2 - mu] + signed[row + 3 + mu]
    };
    for (bin, share) in rows(&folder, "rr.txt").concat().into_iter().enumerate() {
        let expected = folded(bin) as f64 / (300.0 * 299.0);
        assert!(
            (share / expected - 1.0).abs() < 1e-14,
            "{bin}: {share} {expected}"
        );
    }
    let shares = rows(&folder, "jk.txt");
    assert_eq!(shares.len(), 5);
    for bin in 1..7 {
        let sum: f64 = shares.iter().map(|row| row[bin]).sum();
        assert!((sum - 1.0).abs() < 1e-14, "{sum}");
    }
    let xi = rows(&folder, "xi.txt");
    assert_eq!(
        (&xi[0][..], xi[1].len(), xi.len()),
        (&[17.5, 32.5][..], 3, 4)
    );
}

#[test]
fn what_rascalc_cannot_take_is_refused() {
    let folder = measured();
    let refused =
        |arguments: &str, parts: &[&str]| crate::folder::refused(&folder, arguments, 2, parts);
    refused(
        "result rascalc xi.json",
        &["name what to write", "--binning"],
    );
    refused(
        "result rascalc xi.json --xi xi.json",
        &["would replace the input"],
    );
    let refused =
        |arguments: &str, parts: &[&str]| crate::folder::refused(&folder, arguments, 1, parts);
    folder.good("xi d.csv --randoms r.csv --bins edges:10,25,40 -o r.json");
    refused(
        "result rascalc r.json --rr rr.txt",
        &["bins of (s, mu), found (r)"],
    );
    folder.good("xi d.csv --randoms r.csv --statistic s-mu --bins edges:0.01,0.02,40 --mu-bins lin:0:1:6 -o empty.json");
    refused(
        "result rascalc empty.json --xi xi.txt",
        &["no random pairs in s from 0.01 to 0.02"],
    );
}
