//! `--reuse`: counts of earlier results.

use crate::bad_input::refused;
use crate::folder::{Folder, floats, integers, scattered};

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
            1,
            &[
                "--reuse xi.csv does not fit",
                "holds no pairs by region: take what --region-counts wrote",
            ],
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

/// Whether numbers agree but for the rounding of weights to float64.
fn close(found: &[f64], expected: &[f64]) {
    assert_eq!(found.len(), expected.len());
    for (a, b) in found.iter().zip(expected) {
        let scale = 1.0 + b.abs();
        assert!(
            (a - b).abs() < 1e-11 * scale || (a.is_nan() && b.is_nan()),
            "{a} {b}"
        );
    }
}

#[test]
fn counts_by_region_are_taken_over_with_their_errors() {
    let folder = folder();
    let regions = "--regions 4 --bins lin:0:4:4";
    for (weight, jackknife) in [
        ("", ""),
        ("--weight w", "--jackknife=mohammad-percival"),
        ("--weight w", "--bootstrap 7"),
    ] {
        let first = format!("xi d.csv --randoms r.csv {regions} {weight} {jackknife}");
        folder.good(&format!("{first} --region-counts n.parquet -o xi.csv"));
        folder.good(&format!("{first} --reuse n.parquet -o again.csv"));
        let (found, expected) = (folder.table("again.csv"), folder.table("xi.csv"));
        for column in ["xi", "xi_error", "xi_poisson_error"] {
            close(&floats(&found, column), &floats(&expected, column));
        }
        assert_eq!(
            integers(&found, "RR_npairs"),
            integers(&expected, "RR_npairs")
        );
        for name in ["DD", "DR", "RR"] {
            assert_eq!(found.meta["counts"][name]["read_from"], "n.parquet");
        }
        // The randoms of another sample: their pairs are counted once.
        let second = format!("xi d2.csv --randoms r.csv {regions} {weight} {jackknife}");
        folder.good(&format!("{second} --rr n.parquet -o taken.csv"));
        folder.good(&format!("{second} -o counted.csv"));
        let (found, expected) = (folder.table("taken.csv"), folder.table("counted.csv"));
        for column in ["xi", "xi_error"] {
            close(&floats(&found, column), &floats(&expected, column));
        }
        assert_eq!(found.meta["counts"]["RR"]["read_from"], "n.parquet");
        assert!(found.meta["counts"]["DD"].get("read_from").is_none());
    }
    // Both orders of each pair, and what becomes of two axes.
    let poles = "xi d.csv --randoms r.csv --regions 3 --statistic s-mu --los first --bins lin:0:4:4 --mu-bins lin:-1:1:4 --multipoles 0,1";
    folder.good(&format!("{poles} --region-counts n.csv -o poles.csv"));
    folder.good(&format!("{poles} --reuse n.csv -o again.csv"));
    let (found, expected) = (folder.table("again.csv"), folder.table("poles.csv"));
    for column in ["xi_0", "xi_0_error", "xi_1_error"] {
        close(&floats(&found, column), &floats(&expected, column));
    }
}

#[test]
fn counts_of_other_regions_are_refused() {
    let folder = folder();
    let xi = "xi d.csv --randoms r.csv --bins lin:0:4:4";
    folder.good(&format!("{xi} --regions 4 --region-counts n.csv -o xi.csv"));
    folder.good(&format!(
        "{xi} --regions 4 --split-randoms 2 --region-counts split.csv -o s.csv"
    ));
    // The same rule, other particles in the regions: a column that has been edited.
    let regioned = |seed: u64| {
        let text = scattered(100, 10.0, 9);
        let rows = text.lines().enumerate();
        let rows = rows.map(|(k, row)| match k {
            0 => format!("{row},k\n"),
            k => format!("{row},{}\n", (k as u64 + k as u64 / seed) % 3),
        });
        rows.collect::<String>()
    };
    std::fs::write(folder.path("k1.csv"), regioned(7)).unwrap();
    std::fs::write(folder.path("k2.csv"), regioned(11)).unwrap();
    let by_column = "--regions-column k --estimator natural --bins lin:0:4:4";
    folder.good(&format!(
        "xi k1.csv --randoms k1.csv --randoms-where x<9 {by_column} --region-counts k.csv -o k.ecsv"
    ));
    for (arguments, code, parts) in [
        (
            format!("{xi} --regions 5 --reuse n.csv"),
            1,
            &["--reuse n.csv does not fit", "in the regions"][..],
        ),
        (
            format!("{xi} --regions 4 --regions-seed 7 --rr n.csv"),
            1,
            &["--rr n.csv does not fit", "in the regions"],
        ),
        (
            format!("{xi} --reuse n.csv"),
            1,
            &["--reuse n.csv does not fit", "by region"],
        ),
        (format!("{xi} --rr n.csv"), 1, &["--rr n.csv does not fit"]),
        (
            format!("{xi} --regions 4 --rr xi.csv"),
            1,
            &[
                "--rr xi.csv does not fit",
                "take what --region-counts wrote",
            ],
        ),
        (
            format!("{xi} --regions 4 --reuse split.csv --rr split.csv"),
            1,
            &["its randoms were split"],
        ),
        (
            format!("{xi} --regions 4 --weight w --rr n.csv"),
            1,
            &["other randoms, weights or another box"],
        ),
        (
            format!("xi k2.csv --randoms k2.csv --randoms-where x<9 {by_column} --rr k.csv"),
            1,
            &["--rr k.csv does not fit", "lie in other regions"],
        ),
    ] {
        refused(&folder, &format!("{arguments} -o out.csv"), code, parts);
    }
}
