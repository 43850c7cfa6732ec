//! Results hold sums exactly: `weight_rest` and its like, and what is made of counts that are read back.

use albireo_catalogs::Table;

use crate::folder::{Folder, floats, names, scattered};

/// Points of `scattered`, three of them with weights far above the others, whose sums no float64 holds.
fn heavy(n: u64, seed: u64) -> String {
    let text = scattered(n, 10.0, seed);
    let row = |(k, line): (usize, &str)| match (k, line.rsplit_once(',')) {
        (1..=3, Some((rest, w))) => {
            let w = (w.parse::<f64>().unwrap() + 0.5) * 3e4;
            format!("{rest},{w}\n")
        }
        _ => format!("{line}\n"),
    };
    text.lines().enumerate().map(row).collect()
}

fn folder() -> Folder {
    Folder::new()
        .with("d.csv", &heavy(150, 1))
        .with("r.csv", &heavy(300, 2))
}

/// Refuses tables that differ in any bit of any column; NaN is NaN.
fn same(found: &Table, expected: &Table) {
    assert_eq!(names(found), names(expected));
    for (own, column) in found.columns.iter().zip(&expected.columns) {
        let (own, column) = (format!("{own:?}"), format!("{column:?}"));
        assert_eq!(own, column);
    }
}

#[test]
fn what_float64_leaves_of_sums_has_columns() {
    let folder = folder();
    let count = "count d.csv --weight w --statistic s-mu --bins lin:0:6:3 --mu-bins lin:0:1:2";
    folder.good(&format!(
        "{count} --legendre 2 --mean-separation --unit Mpc/h -o c.csv"
    ));
    let table = folder.table("c.csv");
    let found = names(&table);
    assert_eq!(
        found[6..],
        [
            "npairs",
            "weight",
            "weight_rest",
            "L2",
            "L2_rest",
            "sum_s",
            "mean_s"
        ]
    );
    let described = |name: &str| table.column(name).unwrap().description.clone();
    assert_eq!(
        described("weight_rest"),
        "what `weight` leaves of the exact sum: both together, unrounded, are the sum"
    );
    assert_eq!(described("sum_s"), "sum of s");
    assert_eq!(
        table.column("sum_s").unwrap().unit.as_deref(),
        Some("Mpc/h")
    );
    // The rest is less than half of the last digit of the sum, and not nothing everywhere.
    let rest = floats(&table, "weight_rest");
    for (sum, rest) in floats(&table, "weight").into_iter().zip(&rest) {
        assert_eq!(sum + rest, sum);
    }
    assert!(rest.iter().any(|rest| *rest != 0.0));
    // By weight, and beside another name.
    folder.good(
        "xi d.csv --box 10 --weight w --bins lin:0:4:2 --mean-separation=weighted -o xi.json",
    );
    let table = folder.table("xi.json");
    let found = names(&table);
    for name in [
        "DD_weight_rest",
        "DD_weighted_sum_r",
        "DD_weighted_sum_r_rest",
    ] {
        assert!(found.contains(&name), "{name}: {found:?}");
    }
    assert_eq!(
        table.column("DD_weighted_sum_r").unwrap().description,
        "sum of w1*w2*r of DD"
    );
    // Sums that float64 holds have no further column.
    let small = "x,y,z,w\n0,0,0,2\n1,0,0,3\n0,2,0,-1\n3,3,3,0.5\n";
    let folder = folder.with("small.csv", small);
    folder.good("count small.csv --weight w --bins lin:0:6:2 -o small.csv.json");
    assert_eq!(
        names(&folder.table("small.csv.json"))[3..],
        ["npairs", "weight"]
    );
    // People are shown what they can read.
    let run = folder.good("count d.csv --weight w --bins lin:0:6:2 --mean-separation -o c.csv");
    let head: Vec<&str> = run
        .stdout
        .lines()
        .next()
        .unwrap()
        .split_whitespace()
        .collect();
    assert_eq!(head, ["lo", "hi", "centre", "npairs", "weight", "mean_r"]);
    folder.good("count d.csv --weight w --bins lin:0:6:2 --shells 2 -o shells.csv");
    let shells = folder.table("shells.csv");
    assert_eq!(names(&shells)[5..], ["npairs", "weight", "weight_rest"]);
}

#[test]
fn counts_that_are_read_back_make_the_same_estimates_to_the_last_bit() {
    let folder = folder();
    let xi = "xi d.csv --randoms r.csv --weight w --bins lin:0:6:6";
    folder.good(&format!("{xi} -o xi.csv"));
    for name in ["DD_weight_rest", "DR_weight_rest", "RR_weight_rest"] {
        assert!(names(&folder.table("xi.csv")).contains(&name), "{name}");
    }
    for format in ["csv", "ecsv", "fits", "h5", "json", "parquet"] {
        folder.good(&format!("{xi} -o held.{format}"));
        folder.good(&format!("{xi} --reuse held.{format} -o again.csv"));
        assert_eq!(folder.text("again.csv"), folder.text("xi.csv"), "{format}");
    }
    folder.good("count r.csv --weight w --bins lin:0:6:6 -o rr.fits");
    folder.good(&format!("{xi} --rr rr.fits -o again.csv"));
    assert_eq!(folder.text("again.csv"), folder.text("xi.csv"));
    // Counts beside projections, with Legendre sums or without.
    let poles =
        "xi d.csv --randoms r.csv --weight w --statistic s-mu --bins lin:0:6:3 --multipoles 0,2";
    for flags in ["--mu-bins lin:0:1:4", "--poles-from legendre"] {
        folder.good(&format!("{poles} {flags} --counts grid.csv -o poles.csv"));
        folder.good(&format!(
            "{poles} {flags} --reuse grid.csv --counts grid2.csv -o again.csv"
        ));
        assert_eq!(folder.text("again.csv"), folder.text("poles.csv"));
        same(&folder.table("grid2.csv"), &folder.table("grid.csv"));
        assert!(names(&folder.table("grid.csv")).contains(&"RR_weight_rest"));
    }
    let grid = folder.table("grid.csv");
    assert!(names(&grid).contains(&"RR_L2_rest"));
    let wp = "wp d.csv --randoms r.csv --weight w --bins lin:0:4:2 --pi-bins lin:0:6:2";
    folder.good(&format!("{wp} --counts grid.h5 -o wp.csv"));
    folder.good(&format!("{wp} --reuse grid.h5 -o again.csv"));
    assert_eq!(folder.text("again.csv"), folder.text("wp.csv"));
}

#[test]
fn pairs_close_together_have_the_sums_of_all_randoms() {
    let folder = folder();
    let xi = "xi d.csv --randoms r.csv --weight w --statistic s-mu --bins lin:0:6:3 --multipoles 0,2 --poles-from legendre";
    folder.good(&format!("{xi} --counts all.csv -o all_poles.csv"));
    folder.good(&format!(
        "{xi} --split-randoms 3 --split-randoms-above 2 --counts split.csv -o split_poles.csv"
    ));
    let [all, split] = ["all.csv", "split.csv"].map(|name| folder.table(name));
    for name in ["RR_weight", "RR_L2"] {
        let (all, split) = (floats(&all, name), floats(&split, name));
        assert_eq!(all[0], split[0], "{name}");
        assert_ne!(all[2], split[2], "{name}");
    }
}
