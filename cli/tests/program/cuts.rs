//! `--theta-cut`, `--rp-cut`, `--exclude-same` and `--exclude-pairs`: pairs left out of counts, of estimates and of g(r).

use std::fmt::Write as _;

use crate::folder::{Folder, floats, integers, scattered};

type Row = [f64; 3];

fn rows(text: &str) -> Vec<Row> {
    let rows = text.lines().skip(1).map(|line| {
        let mut numbers = line.split(',').map(|field| field.parse().unwrap());
        [0; 3].map(|_| numbers.next().unwrap())
    });
    rows.collect()
}

/// The table with one column more, the integer that `of` makes of each row.
fn with_column(text: &str, name: &str, of: impl Fn(usize) -> i64) -> String {
    let mut lines = text.lines();
    let mut all = format!("{},{name}\n", lines.next().unwrap());
    for (k, line) in lines.enumerate() {
        writeln!(all, "{line},{}", of(k)).unwrap();
    }
    all
}

/// Pairs of two tables, or of one, that fall into unit bins below 4 and that `keep` keeps.
fn counted(a: &[Row], b: Option<&[Row]>, keep: impl Fn([usize; 2], Row, Row) -> bool) -> Vec<u64> {
    let mut counts = vec![0; 4];
    for (i, &x) in a.iter().enumerate() {
        for (j, &y) in b.unwrap_or(a).iter().enumerate() {
            let r2: f64 = (0..3).map(|k| (x[k] - y[k]) * (x[k] - y[k])).sum();
            if (b.is_some() || i < j) && r2 < 16.0 && keep([i, j], x, y) {
                counts[r2.sqrt() as usize] += 1;
            }
        }
    }
    counts
}

fn degrees_apart(x: Row, y: Row) -> f64 {
    let dot = |a: Row, b: Row| (0..3).map(|k| a[k] * b[k]).sum::<f64>();
    let cosine = dot(x, y) / (dot(x, x) * dot(y, y)).sqrt();
    cosine.acos().to_degrees()
}

#[test]
fn counts_without_the_pairs_of_cuts() {
    let (one, two) = (scattered(200, 10.0, 3), scattered(150, 10.0, 4));
    let group = |k: usize| (k % 23) as i64 - 4;
    let (one, two) = (
        with_column(&one, "halo", group),
        with_column(&two, "halo", group),
    );
    let (a, b) = (rows(&one), rows(&two));
    let folder = Folder::new().with("a.csv", &one).with("b.csv", &two);
    let across = |x: Row, y: Row| (x[0] - y[0]).hypot(x[1] - y[1]);
    for engine in ["naive", "cpu"] {
        let count = |arguments: &str| {
            folder.good(&format!(
                "count {arguments} --bins lin:0:4:4 --engine {engine} -o c.csv"
            ));
            let table = folder.table("c.csv");
            (integers(&table, "npairs"), table.meta)
        };
        let (theta, meta) = count("a.csv --theta-cut 0:12");
        assert_eq!(
            theta,
            counted(&a, None, |_, x, y| degrees_apart(x, y) >= 12.0)
        );
        assert_eq!(meta["cuts"], serde_json::json!(["theta 0 to 12 degrees"]));
        assert_eq!(meta["counts"]["DD"]["cuts"], meta["cuts"]);
        assert_eq!(meta["counts"]["DD"]["total_pairs"], 200 * 199 / 2);
        let (rp, meta) = count("a.csv b.csv --rp-cut 0.5:2 --los z");
        let keep = |_, x, y| !(0.5..2.0).contains(&across(x, y));
        assert_eq!(rp, counted(&a, Some(&b), keep));
        assert_eq!(meta["cuts"][0], "rp 0.5 to 2 across the line of sight z");
        let (halos, meta) = count("a.csv b.csv --exclude-same halo");
        assert_eq!(
            halos,
            counted(&a, Some(&b), |[i, j], _, _| i % 23 != j % 23)
        );
        assert_eq!(meta["cuts"][0], "pairs within a group");
        assert_eq!(meta["samples"][0]["group"], "halo");
        let (all, meta) = count("a.csv --exclude-same halo --theta-cut 0:12 --rp-cut 1:2 --los z");
        let keep = |[i, j]: [usize; 2], x, y| {
            i % 23 != j % 23 && degrees_apart(x, y) >= 12.0 && !(1.0..2.0).contains(&across(x, y))
        };
        assert_eq!(all, counted(&a, None, keep));
        assert_eq!(meta["cuts"].as_array().unwrap().len(), 3);
    }
}

#[test]
fn estimates_without_the_pairs_of_cuts() {
    let folder = Folder::new()
        .with(
            "d.csv",
            &with_column(&scattered(150, 10.0, 5), "halo", |k| (k / 5) as i64),
        )
        .with("r.csv", &scattered(300, 10.0, 6));
    let xi =
        "xi d.csv --randoms r.csv --bins lin:0:4:4 --los midpoint --rp-cut 0:1 --theta-cut 0:5";
    folder.good(&format!(
        "{xi} --exclude-same halo --jackknife --regions 4 -o xi.ecsv"
    ));
    let table = folder.table("xi.ecsv");
    let counts = &table.meta["counts"];
    assert_eq!(counts["DD"]["cuts"].as_array().unwrap().len(), 3);
    assert_eq!(
        counts["DR"]["cuts"].as_array().unwrap().len(),
        2,
        "randoms are of no group"
    );
    assert_eq!(counts["RR"]["cuts"], counts["DR"]["cuts"]);
    let [dd, dr, rr] = ["DD", "DR", "RR"].map(|name| integers(&table, &format!("{name}_npairs")));
    let total = |name: &str| counts[name]["total_pairs"].as_f64().unwrap();
    assert!(
        floats(&table, "xi")[0].is_nan(),
        "nothing is left of the first bin"
    );
    for (k, xi) in floats(&table, "xi").into_iter().enumerate().skip(1) {
        let [dd, dr, rr] =
            [(&dd, "DD"), (&dr, "DR"), (&rr, "RR")].map(|(n, name)| n[k] as f64 / total(name));
        assert!((xi - (dd - 2.0 * dr + rr) / rr).abs() < 1e-12);
    }
    // Random pairs of a result serve again where it was made with the same cuts.
    let cuts = "--bins lin:0:4:4 --los midpoint --rp-cut 0:1 --theta-cut 0:5";
    folder.good(&format!("count r.csv {cuts} -o rr.csv"));
    folder.good("count r.csv --bins lin:0:4:4 -o all.csv");
    folder.good(&format!("{xi} -o counted.csv"));
    folder.good(&format!("{xi} --rr rr.csv -o taken.csv"));
    assert_eq!(folder.text("counted.csv"), folder.text("taken.csv"));
}

#[test]
fn boxes_know_their_random_pairs_without_a_cylinder() {
    let folder = Folder::new().with("d.csv", &scattered(400, 10.0, 7));
    let run = |arguments: &str| {
        folder.good(&format!("{arguments} --box 10 --rp-cut 0:1 -o out.ecsv"));
        folder.table("out.ecsv")
    };
    let xi = run("xi d.csv --bins lin:0:4:4");
    let values = floats(&xi, "xi");
    assert!(
        values[0].is_nan(),
        "0/0: all of the first bin lies within the cut"
    );
    for (k, &found) in values.iter().enumerate().skip(1) {
        let ball = |r: f64| 4.0 / 3.0 * std::f64::consts::PI * (r * r - 1.0).powf(1.5);
        let share = (ball(k as f64 + 1.0) - ball(k as f64)) / 1000.0;
        let dd = integers(&xi, "DD_npairs")[k] as f64 / (400.0 * 399.0 / 2.0);
        assert!((found - (dd / share - 1.0)).abs() < 1e-12, "{k}");
    }
    let wp = run("wp d.csv --bins lin:0:3:3 --pi-bins lin:0:4:4");
    let values = floats(&wp, "wp");
    assert!(values[0].is_nan() && values[1..].iter().all(|wp| wp.is_finite()));
    let poles =
        run("xi d.csv --statistic s-mu --bins lin:2:4:2 --mu-bins lin:0:0.8:4 --regions-cubes 2");
    let xi = floats(&poles, "xi");
    assert!(xi.iter().all(|xi| xi.abs() < 1.0), "{xi:?}");
    assert!(
        floats(&poles, "xi_error")
            .iter()
            .all(|error| error.is_finite())
    );
}

#[test]
fn bonds_and_molecules_are_excluded_from_g() {
    let text = with_column(&scattered(300, 10.0, 8), "mol", |k| (k / 3) as i64);
    let folder = Folder::new()
        .with("atoms.csv", &text)
        .with("bonds.txt", "# rows\n0 1\n1 0\n5 9\n")
        .with("bonds.csv", "first,second\n0,1\n5,9\n");
    let rdf = |arguments: &str| {
        let space = if arguments.contains("--volume") {
            "none"
        } else {
            "10"
        };
        folder.good(&format!(
            "rdf atoms.csv --box {space} --bins lin:0:4:4 {arguments} -o g.csv"
        ));
        folder.table("g.csv")
    };
    let plain = rdf("");
    let all = 300.0 * 299.0 / 2.0;
    assert!(!plain.meta.contains_key("excluded_pairs"));
    for (arguments, excluded) in [
        ("--exclude-same mol", 300),
        ("--exclude-pairs bonds.txt", 2),
        ("--exclude-pairs bonds.csv --exclude-same mol", 301),
    ] {
        let table = rdf(arguments);
        assert_eq!(table.meta["excluded_pairs"], excluded, "{arguments}");
        let (g, n) = (floats(&table, "g"), integers(&table, "npairs"));
        for k in 0..4 {
            let shell = 4.0 / 3.0 * std::f64::consts::PI * (3 * k * k + 3 * k + 1) as f64;
            let ideal = (all - f64::from(excluded)) * shell / 1000.0;
            assert!((g[k] - n[k] as f64 / ideal).abs() < 1e-12);
            assert!(n[k] <= integers(&plain, "npairs")[k]);
        }
    }
    let x = rows(&text);
    let molecules = rdf("--exclude-same mol --volume 1000");
    let expected = counted(&x, None, |[i, j], _, _| i / 3 != j / 3);
    assert_eq!(integers(&molecules, "npairs"), expected);
}

#[test]
fn groups_of_64_bits_are_told_apart() {
    // Neighbours that float64 cannot tell apart, below and above 0, in columns with types.
    let head = "# %ECSV 1.0\n# ---\n# datatype:\n# - {name: x, datatype: float64}\n# - {name: y, datatype: float64}\n\
# - {name: z, datatype: float64}\n# - {name: halo, datatype: int64}\nx y z halo\n";
    let of = |groups: [i64; 4]| {
        let rows = groups.iter().enumerate();
        let rows = rows.map(|(k, group)| format!("{k} 0 0 {group}\n"));
        head.to_owned() + &rows.collect::<String>()
    };
    let big = (1_i64 << 53) + 2;
    let folder = Folder::new()
        .with("near.ecsv", &of([big, big + 1, big, -big]))
        .with("low.ecsv", &of([-big - 1, -big, big, big]));
    let count = |files: &str| {
        folder.good(&format!(
            "count {files} --exclude-same halo --bins edges:0.5,9 -o n.json"
        ));
        integers(&folder.table("n.json"), "npairs")
    };
    // 6 pairs, of which one is within a group.
    assert_eq!(count("near.ecsv"), [5]);
    assert_eq!(count("low.ecsv"), [5]);
    // Pairs apart: 12 of 16 in bins; same groups: (0,2), (0,3), (2,2), (2,3), (3,1), two of them at no distance or apart.
    folder.good("count near.ecsv low.ecsv --exclude-same halo --bins edges:0,9 -o n.json");
    assert_eq!(integers(&folder.table("n.json"), "npairs"), [16 - 5]);
}
