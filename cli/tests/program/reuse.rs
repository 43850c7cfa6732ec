//! `--reuse`: counts of earlier results.

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
    let xi = "xi d.csv --randoms r.csv --weight w --bins lin:0:4:4";
    folder.good(&format!("{xi} -o xi.csv"));
    folder.good(&format!("{xi} --estimator hamilton -o counted.csv"));
    folder.good(&format!(
        "{xi} --estimator hamilton --reuse xi.csv -o taken.csv"
    ));
    assert_eq!(folder.text("taken.csv"), folder.text("counted.csv"));
    for name in ["DD", "DR", "RR"] {
        assert_eq!(
            folder.table("taken.csv").meta["counts"][name]["read_from"],
            "xi.csv"
        );
    }
    // Raw counts, each from its own file, under any name there.
    folder.good("count d.csv --weight w --bins lin:0:4:4 -o dd.ecsv");
    folder.good("count d.csv r.csv --weight w --bins lin:0:4:4 -o dr.json");
    folder.good("count r.csv --weight w --bins lin:0:4:4 -o rr.csv");
    folder.good(&format!(
        "{xi} --reuse dd.ecsv --reuse dr.json --rr rr.csv -o pieces.csv"
    ));
    assert_eq!(folder.text("pieces.csv"), folder.text("xi.csv"));
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
    assert_eq!(folder.text("again.csv"), folder.text("wp.csv"));
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
