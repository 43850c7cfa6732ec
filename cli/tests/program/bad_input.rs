//! Bad input: a message that says what and where, the right exit code, and no file left behind.

use crate::folder::{Folder, Run};

/// Runs a command that must fail with `code` and say all of `parts`, leaving no file behind.
pub(crate) fn refused(folder: &Folder, arguments: &str, code: i32, parts: &[&str]) {
    let before = folder.names();
    let run = folder.run(arguments);
    assert_eq!(
        run.code, code,
        "albireo {arguments}\n{}{}",
        run.stdout, run.stderr
    );
    assert_eq!(run.stdout, "", "albireo {arguments}");
    let message = run
        .stderr
        .lines()
        .find(|line| line.starts_with("error: "))
        .unwrap_or_else(|| panic!("no error line: {}", run.stderr));
    for part in parts {
        assert!(
            message.contains(part),
            "albireo {arguments}\nexpected `{part}` in: {message}"
        );
    }
    assert_eq!(folder.names(), before, "albireo {arguments}");
}

/// Asserts that a run, named `call`, has failed with one line of error, which says `expected`.
pub(crate) fn says_one(run: &Run, call: &str, expected: &str) {
    assert!(
        run.code == 1 || run.code == 2,
        "{call}: {} {}",
        run.code,
        run.stderr
    );
    assert!(run.stderr.contains(expected), "{call}: {}", run.stderr);
    let errors = run.stderr.lines().filter(|line| line.starts_with("error:"));
    assert_eq!(errors.count(), 1, "{call}: {}", run.stderr);
}

const GOOD: &str = "x,y,z,w\n1,1,1,1\n2,2,2,1\n3,3,3,1\n";

#[test]
fn positions_and_weights() {
    let folder = Folder::new()
        .with("good.csv", GOOD)
        .with("nan.csv", "x,y,z\n1,1,1\n1,nan,1\n")
        .with("inf.csv", "x,y,z,w\n1,1,1,1\n1,1,1,inf\n")
        .with("empty.csv", "x,y,z\n")
        .with("zero.csv", "x,y,z,w\n1,1,1,1\n1,1,2,-1\n")
        .with("short.csv", "x,y,z\n1,1,1\n1,2\n")
        .with("words.csv", "x,y,z\n1,1,one\n")
        .with("origin.csv", "x,y,z\n1,0,0\n0,0,0\n")
        .with("sky.csv", "RA,DEC,DIST\n10,95,100\n");
    let bins = "--bins edges:0,1,2 -o out.csv";
    refused(
        &folder,
        &format!("count nan.csv {bins}"),
        1,
        &["nan.csv", "column `y`", "NaN", "row 1 (counting from 0)"],
    );
    refused(
        &folder,
        &format!("count inf.csv --weight w {bins}"),
        1,
        &["inf.csv", "column `w`", "inf", "1"],
    );
    refused(
        &folder,
        &format!("count empty.csv {bins}"),
        1,
        &["empty.csv", "empty"],
    );
    refused(
        &folder,
        &format!("count good.csv --where x>100 {bins}"),
        1,
        &["empty", "3 rows were read"],
    );
    refused(
        &folder,
        &format!("count zero.csv --weight w {bins}"),
        1,
        &["zero.csv", "column `w`", "add up to zero"],
    );
    refused(
        &folder,
        &format!("count short.csv {bins}"),
        1,
        &["short.csv", "line 3"],
    );
    refused(
        &folder,
        &format!("count words.csv {bins}"),
        1,
        &["words.csv", "`z`"],
    );
    refused(
        &folder,
        &format!("count good.csv --box 2.5 {bins}"),
        1,
        &["good.csv", "row 2", "x = 3", "[0, 2.5)", "--wrap"],
    );
    refused(
        &folder,
        &format!("count origin.csv --statistic theta {bins}"),
        1,
        &["origin.csv", "row 1 (counting from 0) is (0, 0, 0)"],
    );
    refused(
        &folder,
        &format!("count sky.csv {bins}"),
        1,
        &["sky.csv", "DEC, row 0", "[-90, 90]", "95"],
    );
}

#[test]
fn files_and_columns() {
    let folder = Folder::new()
        .with("good.csv", GOOD)
        .with("odd.csv", "a,b\n1,2\n")
        .with("binary.bin", "\u{0}\u{1}\u{2}\u{3}\u{4}\u{5}");
    let bins = "--bins edges:0,1,2 -o out.csv";
    refused(
        &folder,
        &format!("count none.csv {bins}"),
        1,
        &["none.csv", "no such file"],
    );
    refused(
        &folder,
        &format!("count binary.bin {bins}"),
        1,
        &["binary.bin", "unknown format"],
    );
    refused(
        &folder,
        &format!("count good.csv --positions x,y,Q {bins}"),
        1,
        &["no column `Q`", "`x`, `y`, `z`, `w`"],
    );
    refused(
        &folder,
        &format!("count good.csv --weight W {bins}"),
        1,
        &["no column `W`", "`w`"],
    );
    refused(
        &folder,
        &format!("count odd.csv {bins}"),
        1,
        &["odd.csv", "no positions found", "`a`, `b`"],
    );
    refused(
        &folder,
        &format!("count good.csv --positions x,y {bins}"),
        2,
        &["--positions", "found 2"],
    );
    refused(
        &folder,
        &format!("count good.csv --where x=1 {bins}"),
        1,
        &["--where"],
    );
    refused(
        &folder,
        "count good.csv --bins edges:0,1,2 -o out.txt",
        1,
        &["out.txt", ".csv, .ecsv, .fits, .h5, .hdf5, .json, .parquet"],
    );
    refused(
        &folder,
        "count good.csv --bins edges:0,1,2 -o no/out.csv",
        1,
        &["no such folder"],
    );
    refused(&folder, "info none.csv", 1, &["none.csv", "no such file"]);
}

#[test]
fn boxes() {
    let folder = Folder::new().with("good.csv", GOOD);
    let bins = "--bins edges:0,1,3 -o out.csv";
    refused(
        &folder,
        &format!("count good.csv --box 5 {bins}"),
        1,
        &["bins reach 3 along x", "2.5"],
    );
    refused(
        &folder,
        &format!("count good.csv --box -5 {bins}"),
        1,
        &["above 0", "-5"],
    );
    refused(
        &folder,
        &format!("count good.csv --box file {bins}"),
        1,
        &["--box file", "BoxSize"],
    );
    refused(
        &folder,
        &format!("xi good.csv {bins}"),
        1,
        &["without --randoms", "--box L"],
    );
    refused(
        &folder,
        &format!("xi good.csv --box 10,10,none {bins}"),
        1,
        &["periodic on all axes"],
    );
    refused(
        &folder,
        &format!("count good.csv --box 1,0,0,2,0,0,0,0,1 {bins}"),
        1,
        &["span a volume"],
    );
    refused(
        &folder,
        "rdf good.csv --box 5 --r-max 4 --n-bins 10 -o out.csv",
        1,
        &["bins reach 4", "2.5"],
    );
    refused(
        &folder,
        "count good.csv --box 20 --los midpoint --statistic s-mu --bins edges:0,1 --mu-bins lin:0:1:2 -o out.csv",
        1,
        &["line of sight", "midpoint"],
    );
}

#[test]
fn bins() {
    let folder = Folder::new()
        .with("good.csv", GOOD)
        .with("gap", "0 1\n2 3\n");
    refused(
        &folder,
        "count good.csv --bins edges:0,2,1 -o out.csv",
        1,
        &["--bins", "increase", "edge 2 is 1 after 2"],
    );
    refused(
        &folder,
        "count good.csv --bins log:0:1:3 -o out.csv",
        1,
        &["--bins", "0 < lo < hi"],
    );
    refused(
        &folder,
        "count good.csv --bins @gap -o out.csv",
        1,
        &["gap, line 2", "begins at 2"],
    );
    refused(
        &folder,
        "count good.csv --bins @none -o out.csv",
        1,
        &["none"],
    );
    refused(
        &folder,
        "count good.csv --statistic theta --bins edges:0,200 -o out.csv",
        1,
        &["theta", "200"],
    );
    let two = "--statistic s-mu --bins edges:0,1";
    refused(
        &folder,
        &format!("count good.csv {two} --mu-bins lin:0:2:2 -o out.csv"),
        1,
        &["--mu-bins", "[-1, 1]"],
    );
}

#[test]
fn combinations_without_a_meaning() {
    let folder = Folder::new().with("good.csv", GOOD);
    let cases: [(&str, &[&str]); 11] = [
        (
            "count good.csv --bins edges:0,1 --pi-bins lin:0:1:1",
            &["--pi-bins belongs to --statistic rp-pi"],
        ),
        (
            "count good.csv --bins edges:0,1 --mu-bins lin:0:1:1",
            &["--mu-bins belongs to --statistic s-mu"],
        ),
        (
            "count good.csv --bins edges:0,1 --los z",
            &["--los has no meaning"],
        ),
        (
            "count good.csv --bins edges:0,1 --statistic s-mu",
            &["needs --mu-bins"],
        ),
        (
            "count good.csv --bins edges:0,1 --statistic theta --box 10",
            &["--box has no meaning for angles"],
        ),
        (
            "count good.csv --bins edges:0,1 --engine naive --threads 2",
            &["--engine naive"],
        ),
        (
            "xi good.csv --bins edges:0,1 --multipoles 0,2",
            &["--multipoles needs --statistic s-mu"],
        ),
        (
            "xi good.csv --box 10 --bins edges:0,1 --estimator landy-szalay",
            &["needs --randoms"],
        ),
        (
            "xi good.csv --cross good.csv --randoms good.csv --bins edges:0,1",
            &["randoms for both catalogs"],
        ),
        (
            "xi good.csv --cross good.csv --randoms good.csv --cross-randoms good.csv --estimator hamilton --bins edges:0,1",
            &["not defined with --cross"],
        ),
        (
            "xi good.csv --randoms good.csv --estimator davis-peebles --rr rr.csv --bins edges:0,1",
            &["--rr has no use"],
        ),
    ];
    for (arguments, parts) in cases {
        refused(&folder, arguments, 2, parts);
    }
}

#[test]
fn a_wrong_call_ends_with_code_2() {
    let folder = Folder::new().with("good.csv", GOOD);
    for arguments in [
        "",
        "frobnicate",
        "count good.csv",
        "count good.csv --bins 20",
        "count good.csv --bins lin:0:1:0",
        "count good.csv --bins edges:0,1 --box 1,2",
        "count good.csv --bins edges:0,1 --threads 0",
        "xi good.csv --bins edges:0,1 --rr rr.csv",
        "count good.csv --bins edges:0,1 --positions x,y,z --sky x,y",
    ] {
        let run = folder.run(arguments);
        assert_eq!(run.code, 2, "albireo {arguments}: {}", run.stderr);
        assert!(!run.stderr.is_empty());
    }
}

#[test]
fn numbers_and_files_that_are_none_are_answered_with_what_was_expected() {
    let folder = Folder::new().with("good.csv", GOOD);
    std::fs::create_dir(folder.path("folder")).unwrap();
    std::fs::write(folder.path("latin1"), b"0 1 # caf\xe9\n").unwrap();
    let count = "count good.csv --bins edges:0,1,2";
    for (arguments, code, found, expected) in [
        (
            format!("{count} --threads x"),
            2,
            "'x' for '--threads <N>'",
            "expected a whole number, such as 10",
        ),
        (
            format!("{count} --threads 0"),
            2,
            "'0' for '--threads <N>'",
            "expected a whole number of 1 or more, found 0",
        ),
        (
            format!("{count} --every 1e3"),
            2,
            "'1e3' for '--every <N>'",
            "expected a whole number, such as 10",
        ),
        (
            format!("{count} --every 99999999999999999999"),
            2,
            "'99999999999999999999'",
            "out of range",
        ),
        (
            "rdf good.csv --r-max 2 --n-bins 3 --volume x".to_owned(),
            2,
            "'x' for '--volume <V>'",
            "expected a number, such as 0.5 or 1e-3",
        ),
        (
            "count good.csv --bins @none".to_owned(),
            1,
            "cannot read the bins none",
            "no such file: check its name and its folder",
        ),
        (
            "count good.csv --bins @folder".to_owned(),
            1,
            "cannot read the bins folder",
            "expected a file, found a folder: name a file in it",
        ),
        (
            "count good.csv --bins @latin1".to_owned(),
            1,
            "cannot read the bins latin1",
            "expected text in UTF-8, found other bytes: save it as UTF-8",
        ),
        (
            "count folder --bins edges:0,1".to_owned(),
            1,
            "folder",
            "expected a file, found a folder",
        ),
        (
            "run none.toml".to_owned(),
            1,
            "cannot read none.toml",
            "no such file: check",
        ),
        (
            "info good.csv/inside".to_owned(),
            1,
            "good.csv/inside",
            "expected a folder, found a file in its place",
        ),
    ] {
        refused(&folder, &arguments, code, &[found, expected]);
        let said = folder.run(&arguments).stderr;
        for raw in ["os error", "invalid digit", "invalid float", "valid UTF-8"] {
            assert!(!said.contains(raw), "{arguments}: {said}");
        }
    }
    let large = format!("count good.csv --box 1e300 {}", "--bins edges:0,1");
    refused(&folder, &large, 1, &["found 1e300"]);
    let large = "count good.csv --bins edges:2e300,1e-300";
    refused(&folder, large, 1, &["2e300"]);
}
