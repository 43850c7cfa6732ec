//! `--reuse`: counts of earlier results.

use crate::bad_input::refused;
use crate::folder::{Folder, scattered};

fn folder() -> Folder {
    Folder::new()
        .with("d.csv", &scattered(150, 10.0, 1))
        .with("r.csv", &scattered(300, 10.0, 2))
        .with("d2.csv", &scattered(120, 10.0, 3))
        .with("r2.csv", &scattered(290, 10.0, 4))
}

#[test]
fn any_count_is_taken_from_the_results_that_hold_it() {
    let folder = folder();
    let text = |name: &str| std::fs::read_to_string(folder.path(name)).unwrap();
    let xi = "xi d.csv --randoms r.csv --weight w --bins lin:0:4:4";
    folder.good(&format!("{xi} -o xi.csv"));
    folder.good(&format!("{xi} --estimator hamilton -o counted.csv"));
    folder.good(&format!(
        "{xi} --estimator hamilton --reuse xi.csv -o taken.csv"
    ));
    assert_eq!(text("taken.csv"), text("counted.csv"));
    for name in ["DD", "DR", "RR"] {
        assert_eq!(
            folder.table("taken.csv").meta["counts"][name]["read_from"],
            "xi.csv"
        );
    }
    // Raw counts, each from its own file, whatever it is called there.
    folder.good("count d.csv --weight w --bins lin:0:4:4 -o dd.ecsv");
    folder.good("count d.csv r.csv --weight w --bins lin:0:4:4 -o dr.json");
    folder.good("count r.csv --weight w --bins lin:0:4:4 -o rr.csv");
    folder.good(&format!(
        "{xi} --reuse dd.ecsv --reuse dr.json --rr rr.csv -o pieces.csv"
    ));
    assert_eq!(text("pieces.csv"), text("xi.csv"));
    assert_eq!(folder.table("pieces.csv").meta["engine"], "");
    // Two samples, of which one was there before.
    let cross = "xi d.csv --cross d2.csv --randoms r.csv --cross-randoms r2.csv --bins lin:0:4:4";
    folder.good(&format!("{cross} -o cross.csv"));
    folder.good(&format!(
        "{cross} --reuse cross.csv --split-randoms 2 -o split.csv"
    ));
    let counts = folder.table("split.csv").meta["counts"].clone();
    assert_eq!(counts["D1R2"]["read_from"], "cross.csv");
    assert!(counts["R1R2"].get("read_from").is_none() && counts["R1R2"].get("split").is_some());
    // wp from the counts of a grid in (rp, pi).
    let wp = "wp d.csv --randoms r.csv --bins lin:0:4:4 --pi-bins lin:0:4:4";
    folder.good(&format!("{wp} --counts grid.parquet -o wp.csv"));
    folder.good(&format!("{wp} --reuse grid.parquet -o again.csv"));
    assert_eq!(text("again.csv"), text("wp.csv"));
}

#[test]
fn counts_that_do_not_fit_are_refused() {
    let folder = folder();
    let xi = "xi d.csv --randoms r.csv --bins lin:0:4:4";
    folder.good(&format!("{xi} -o xi.csv"));
    folder.good("xi d.csv --randoms r.csv --bins lin:0:4:5 -o bins.csv");
    folder.good("xi d2.csv --randoms r2.csv --bins lin:0:4:4 -o other.csv");
    folder.good(&format!("{xi} --theta-cut 0:3 -o cut.csv"));
    folder.good(&format!("{xi} --split-randoms 3 -o split.csv"));
    folder.good("rdf d.csv --box 10 --bins lin:0:4:4 -o g.csv");
    std::fs::write(folder.path("plain.csv"), "lo,hi,npairs\n0,1,5\n").unwrap();
    for (arguments, code, parts) in [
        (
            "--reuse other.csv",
            1,
            &[
                "--reuse other.csv does not fit",
                "none of its counts",
                "DD, DR, RR",
            ][..],
        ),
        (
            "--reuse bins.csv",
            1,
            &["--reuse bins.csv does not fit", "other bins"],
        ),
        (
            "--reuse cut.csv",
            1,
            &[
                "--reuse cut.csv does not fit",
                "with the cuts [\"theta 0 to 3",
            ],
        ),
        (
            "--reuse split.csv",
            1,
            &["--reuse split.csv does not fit", "randoms were split"],
        ),
        ("--reuse xi.csv --weight w", 1, &["none of its counts"]),
        ("--reuse xi.csv --box 10", 1, &["none of its counts"]),
        (
            "--reuse xi.csv --regions 3",
            2,
            &["--reuse holds no pairs by region"],
        ),
        (
            "--reuse xi.csv --reuse bins.csv",
            1,
            &["--reuse bins.csv does not fit"],
        ),
        ("--reuse g.csv", 1, &["--reuse g.csv does not fit"]),
        ("--reuse plain.csv", 1, &["plain.csv"]),
        ("--reuse none.csv", 1, &["none.csv"]),
    ] {
        refused(
            &folder,
            &format!("{xi} {arguments} -o out.csv"),
            code,
            parts,
        );
    }
    refused(
        &folder,
        &format!("{xi} --reuse xi.csv -o xi.csv"),
        2,
        &["would replace the input xi.csv"],
    );
}
