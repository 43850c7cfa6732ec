//! `--realisations`: many draws of a sample in one pass, each as a measurement of its own rows has it.

use albireo_catalogs::{Table, Values};

use crate::folder::{Folder, floats, integers, names, scattered};

/// Realisations that have a column of their own, to select their rows by.
const SOME: [usize; 3] = [0, 37, 69];

/// Bits of a row, which are those of `of` rows in a hundred.
fn bits(seed: u64, of: u64) -> u64 {
    let mut state = seed;
    (0..64).fold(0, |bits, bit| {
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        bits | u64::from((state >> 33) % 100 < of) << bit
    })
}

/// Scattered points in 70 realisations, whose columns are `a` and `b`; the first row has the largest weight and takes part in all.
fn draws(n: u64, seed: u64, of: u64) -> String {
    let points = scattered(n, 10.0, seed);
    let row = |(k, line): (usize, &str)| {
        if k == 0 {
            let own = SOME.map(|k| format!("k{k}"));
            return format!("{line},a,b,{}", own.join(","));
        }
        let word = |part: u64| match k {
            1 => u64::MAX,
            k => bits(k as u64 * 1000 + seed * 10 + part, of),
        };
        let (a, b) = (word(1), word(2) & 0b11_1111);
        let line = if k == 1 {
            let (place, _) = line.rsplit_once(',').unwrap();
            format!("{place},1.5")
        } else {
            line.to_owned()
        };
        let words = u128::from(a) | u128::from(b) << 64;
        let own = SOME.map(|k| (words >> k & 1).to_string());
        format!("{line},{a},{b},{}", own.join(","))
    };
    let lines: Vec<String> = points.lines().enumerate().map(row).collect();
    lines.join("\n") + "\n"
}

fn folder(of: u64) -> Folder {
    Folder::new()
        .with("d.csv", &draws(150, 1, of))
        .with("e.csv", &draws(120, 3, of))
        .with("r.csv", &scattered(200, 10.0, 2))
}

/// Compares a result with one of the rows of a realisation alone.
fn same(own: &Table, alone: &Table) {
    assert_eq!(names(own), names(alone));
    for (own, other) in own.columns.iter().zip(&alone.columns) {
        let numbers = |values: &Values| format!("{values:?}");
        assert!(
            numbers(&own.values) == numbers(&other.values),
            "{}: {:?} {:?}",
            own.name,
            own.values,
            other.values
        );
    }
    let counts = |table: &Table| {
        let counts = table.meta["counts"].as_object().unwrap().clone();
        let of = |count: &serde_json::Value| {
            ["job", "total_weight", "design_effect"].map(|key| count.get(key).cloned())
        };
        let all: Vec<_> = counts
            .iter()
            .map(|(name, count)| (name.clone(), of(count)))
            .collect();
        all
    };
    assert_eq!(counts(own), counts(alone));
}

/// Commands with the flags of realisations, and those of the rows of one.
const COMMANDS: [(&str, &str, &str); 7] = [
    ("count d.csv --bins lin:0:4:4", "", ""),
    ("count d.csv --bins lin:0:4:4 --weight w", "", ""),
    (
        "count d.csv e.csv --bins lin:0:4:4 --weight w",
        "",
        "--cross-where K==1",
    ),
    (
        "count d.csv r.csv --bins lin:0:4:4",
        "--cross-realisations none",
        "--cross-where x>-1",
    ),
    (
        "xi d.csv --randoms r.csv --bins lin:0:4:4 --weight w",
        "",
        "--randoms-where x>-1",
    ),
    (
        "xi d.csv --box 10 --statistic s-mu --bins lin:0:4:4 --mu-bins lin:-1:1:6 --multipoles 0,1,2",
        "",
        "",
    ),
    (
        "wp d.csv --cross e.csv --box 10 --bins lin:0:4:4 --pi-bins lin:0:4:2",
        "",
        "--cross-where K==1",
    ),
];

#[test]
fn each_realisation_is_the_measurement_of_its_rows() {
    // In one pass, and one by one where rows take part in few.
    for (of, one_pass) in [(60, true), (12, false)] {
        let folder = folder(of);
        for (command, own, rows) in COMMANDS {
            let draws = format!("--realisations a,b {own}");
            let run = folder.good(&format!("{command} {draws} -o own_{{}}.csv -vv"));
            let together = run.stderr.matches("counted with all others").count();
            // One pass over pairs with randoms pays earlier.
            let expected = one_pass || command.contains("r.csv");
            assert!((together >= 70) == expected, "{command}: {}", run.stderr);
            folder.good(&format!("{command} {draws} -o all.ecsv"));
            let all = folder.table("all.ecsv");
            for k in SOME {
                let rows = rows.replace('K', &format!("k{k}"));
                folder.good(&format!("{command} --where k{k}==1 {rows} -o alone.csv"));
                let alone = folder.table("alone.csv");
                let one = folder.table(&format!("own_{k}.csv"));
                same(&one, &alone);
                assert_eq!(one.meta["realisation"]["index"], k);
                let n = alone.rows();
                assert_eq!(all.rows(), 70 * n);
                assert_eq!(names(&all)[0], "realisation");
                assert_eq!(
                    integers(&all, "realisation")[k * n..][..n],
                    vec![k as u64; n]
                );
                for column in &alone.columns {
                    let found = all.column(&column.name).unwrap();
                    match (&column.values, &found.values) {
                        (Values::Integers(one), Values::Integers(all)) => {
                            assert_eq!(one[..], all[k * n..][..n], "{}", column.name);
                        }
                        (Values::Floats(one), Values::Floats(all)) => {
                            let all = &all[k * n..][..n];
                            assert_eq!(format!("{one:?}"), format!("{all:?}"), "{}", column.name);
                        }
                        _ => panic!("{} is of another type", column.name),
                    }
                }
            }
        }
    }
}

#[test]
fn means_and_covariances_are_over_the_realisations() {
    let folder = folder(60);
    let xi = "xi d.csv --randoms r.csv --bins lin:0:4:4 --realisations a,b";
    folder.good(&format!(
        "{xi} --realisation-mean mean.csv --covariance cov.csv -o all.csv"
    ));
    let (all, mean) = (folder.table("all.csv"), folder.table("mean.csv"));
    let xi = floats(&all, "xi");
    let (means, errors) = (floats(&mean, "xi"), floats(&mean, "xi_error"));
    for bin in 0..4 {
        let own: Vec<f64> = xi.iter().copied().skip(bin).step_by(4).collect();
        let average = own.iter().sum::<f64>() / 70.0;
        let square = own.iter().map(|v| (v - average).powi(2)).sum::<f64>();
        assert!((means[bin] - average).abs() < 1e-12);
        assert!((errors[bin] - (square / 69.0).sqrt()).abs() < 1e-12);
    }
    let covariance = floats(&folder.table("cov.csv"), "covariance");
    for bin in 0..4 {
        assert!((covariance[5 * bin].sqrt() - errors[bin]).abs() < 1e-12);
    }
    // What one file a realisation says.
    folder.good("xi d.csv --randoms r.csv --bins lin:0:4:4 --realisations a,b -o own_{}.csv");
    let own: Vec<String> = (0..70).map(|k| format!("own_{k}.csv")).collect();
    folder.good(&format!(
        "result covariance {} --mean again.csv -o cov_again.csv",
        own.join(" ")
    ));
    assert_eq!(floats(&folder.table("again.csv"), "xi"), means);
    assert_eq!(
        floats(&folder.table("cov_again.csv"), "covariance"),
        covariance
    );
    folder
        .good("count d.csv --bins lin:0:4:4 --realisations a --realisation-mean n.csv -o all.csv");
    let pairs = integers(&folder.table("all.csv"), "npairs");
    let sum: u64 = pairs.iter().step_by(4).sum();
    let first = floats(&folder.table("n.csv"), "npairs")[0];
    assert!((first - sum as f64 / 64.0).abs() < 1e-12);
}

#[test]
fn regions_go_realisation_by_realisation() {
    let folder = folder(60);
    let xi = "xi d.csv --box 10 --bins lin:0:4:4 --regions-cubes 2";
    folder.good(&format!(
        "{xi} --realisations a,b --covariance cov_{{}}.csv -o own_{{}}.csv"
    ));
    for k in SOME {
        folder.good(&format!(
            "{xi} --where k{k}==1 --covariance cov.csv -o alone.csv"
        ));
        same(
            &folder.table(&format!("own_{k}.csv")),
            &folder.table("alone.csv"),
        );
        assert_eq!(
            floats(&folder.table(&format!("cov_{k}.csv")), "covariance"),
            floats(&folder.table("cov.csv"), "covariance")
        );
    }
}
