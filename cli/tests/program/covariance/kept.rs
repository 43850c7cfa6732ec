//! Sums of rounds in files: what goes on from them, and what parts become together, are the bits of one run.

use super::{measured, numbers};
use crate::folder::Folder;

const COVARIANCE: &str = "covariance smu.csv --randoms r.csv --xi-theory xi.txt --cloud 4";

#[track_caller]
fn same(folder: &Folder, expected: &str, found: &str) {
    let [expected, found] = [expected, found].map(|name| folder.table(name));
    assert_eq!(numbers(&expected), numbers(&found));
    assert_eq!(expected.meta["errors"], found.meta["errors"]);
}

#[test]
fn runs_that_go_on_have_the_bits_of_one() {
    let folder = measured("--weight w");
    // 40 is no end of a unit: 33 rounds leave one of two that is half done.
    for (first, all, form) in [(16, 32, ""), (33, 40, "--multipoles 0,2"), (2, 70, "")] {
        let command = format!("{COVARIANCE} {form}");
        folder.good(&format!("{command} --rounds {all} -o once.json"));
        folder.good(&format!(
            "{command} --rounds {first} --sums kept -o few.json"
        ));
        folder.good(&format!(
            "{command} --rounds {all} --continue kept --sums kept --threads 2 -o more.json"
        ));
        same(&folder, "once.json", "more.json");
        // At another shot noise nothing is sampled.
        folder.good(&format!(
            "{command} --rounds {all} --alpha 1.2 -o once.json"
        ));
        folder.good(&format!(
            "{command} --rounds {all} --alpha 1.2 --continue kept -o more.json"
        ));
        same(&folder, "once.json", "more.json");
    }
    let noise = |name: &str| folder.table(name).meta["errors"]["noise"].as_f64().unwrap();
    folder.good(&format!("{COVARIANCE} --rounds 64 -o once.json"));
    folder.good(&format!("{COVARIANCE} --rounds 20 --sums kept -o few.json"));
    let wanted = noise("once.json");
    folder.good(&format!(
        "{COVARIANCE} --continue kept --noise {wanted} -o more.json"
    ));
    same(&folder, "once.json", "more.json");
}

#[test]
fn parts_become_the_covariance_of_one_run() {
    let folder = measured("--weight w");
    let command = format!("{COVARIANCE} --wedges 2 --seed 5 --rounds 50 --points 98");
    folder.good(&format!("{command} -o once.json"));
    for of in [3, 9] {
        for k in 0..of {
            folder.good(&format!("{command} --shard {k}/{of} --part p{k}.alb"));
        }
        let mut parts: Vec<_> = (0..of).map(|k| format!("p{k}.alb")).collect();
        parts.rotate_left(of / 2);
        folder.good(&format!("merge {} -o merged.json", parts.join(" ")));
        same(&folder, "once.json", "merged.json");
    }
    let refused = |command: &str, expected: &str| {
        let run = folder.run(command);
        assert_ne!(run.code, 0);
        assert!(run.stderr.contains(expected), "{}", run.stderr);
    };
    refused(
        "merge p0.alb p2.alb -o no.json",
        "rounds 5 to 10 are missing, 50 are needed: give their parts too, or --partial for what is there",
    );
    refused(
        "merge p0.alb p0.alb -o no.json",
        "p0.alb: round 0 is held by another file too",
    );
    folder.good("merge p0.alb p2.alb --partial -o some.json");
    assert_eq!(folder.table("some.json").meta["errors"]["rounds"], 10);
    // What is missing is sampled.
    folder.good(&format!(
        "{command} --continue p1.alb --continue p3.alb -o filled.json"
    ));
    same(&folder, "once.json", "filled.json");
    refused(
        &format!("{command} --shard 0/2 --part p --sums q"),
        "--shard and --sums cannot be combined",
    );
    refused(&format!("{COVARIANCE} --shard 0/2 --part p"), "--rounds");
}

#[test]
fn sums_of_regions_are_kept_beside_those_of_all() {
    let folder = Folder::new()
        .with("d.csv", &crate::folder::scattered(200, 10.0, 3))
        .with("r.csv", &crate::folder::scattered(300, 10.0, 8))
        .with("xi.txt", &super::theory_file());
    let regions = "--regions-column floor(x/5)+2*floor(y/5)";
    folder.good(&format!(
        "xi d.csv --randoms r.csv --bins lin:1:9:4 {regions} --region-counts reg.csv -o xi.csv"
    ));
    let command = format!(
        "covariance xi.csv --randoms r.csv --xi-theory xi.txt --cloud 1 --tune reg.csv {regions}"
    );
    folder.good(&format!("{command} --rounds 37 -o once.json"));
    folder.good(&format!("{command} --rounds 35 --sums kept -o few.json"));
    folder.good(&format!(
        "{command} --rounds 37 --continue kept -o more.json"
    ));
    same(&folder, "once.json", "more.json");
}

#[test]
fn sums_of_another_command_are_refused() {
    let folder = measured("")
        .with("other.csv", &crate::folder::scattered(100, 10.0, 9))
        .with("zero.txt", "1 0 0\n1 1 0\n40 0 0\n40 1 0\n");
    folder.good(&format!("{COVARIANCE} --rounds 4 --sums kept -o few.json"));
    let refused = |command: &str, expected: &str| {
        let run = folder.run(&format!("{command} --continue kept -o no.json"));
        assert_eq!(run.code, 1);
        let expected = format!("error: kept: {expected}\n");
        assert!(run.stderr.ends_with(&expected), "{}", run.stderr);
    };
    let of = |what: &str| format!("the sums of another command: {what}");
    for (flags, what) in [
        ("--seed 7", "--seed is 1, expected 7"),
        ("--points 50", "--points is 131072, expected 50"),
        ("--cloud 2", "--cloud is 4.0, expected 2.0"),
        (
            "--wedges 2",
            "the form of the values is xi, expected wedges",
        ),
        (
            "--data-number 70",
            "data over random points is 0.8, expected 0.7",
        ),
    ] {
        let command = COVARIANCE.replace(
            "--cloud 4",
            if flags.contains("cloud") {
                ""
            } else {
                "--cloud 4"
            },
        );
        refused(&format!("{command} --rounds 8 {flags}"), &of(what));
    }
    let with = |from: &str, to: &str| format!("{} --rounds 8", COVARIANCE.replace(from, to));
    refused(
        &with("--xi-theory xi.txt", "--xi-theory zero.txt"),
        &of("the table of xi is another"),
    );
    let run = folder.run(&format!(
        "{} --continue kept -o no.json",
        with("--randoms r.csv", "--randoms other.csv")
    ));
    assert!(
        run.stderr
            .contains("the fingerprint of the random points is "),
        "{}",
        run.stderr
    );
    let run = folder.run(&format!(
        "{COVARIANCE} --rounds 2 --continue kept -o no.json"
    ));
    assert!(
        run.stderr
            .ends_with("error: --rounds 2: round 3 is kept: take 4 or more\n"),
        "{}",
        run.stderr
    );
    let bytes = folder.bytes("kept");
    std::fs::write(folder.path("kept"), &bytes[..bytes.len() - 9]).unwrap();
    refused(
        &format!("{COVARIANCE} --rounds 8"),
        "these sums are damaged: sample them again",
    );
    std::fs::write(folder.path("kept"), "row").unwrap();
    refused(
        &format!("{COVARIANCE} --rounds 8"),
        "expected the sums of rounds of a covariance that albireo has saved, found another file",
    );
}
