//! `--classes`: the pairs of every two classes of objects, each as counts and estimates of the parts alone have them.

mod refusals;

use std::fmt::Write as _;

use albireo_catalogs::Table;

use crate::folder::{Folder, floats, integers, names, refused};

/// Pseudo-random numbers below `n`.
struct Draw(u64);

impl Draw {
    fn below(&mut self, n: u64) -> u64 {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % n
    }
}

const HEAD: &str = "x,y,z,bin,type,delta,w\n";

/// Objects with a class as a number, as a text and as a number to be cut; sums of their weights have no rounding.
fn rows(number: usize, seed: u64) -> Vec<[String; 7]> {
    let mut draw = Draw(seed);
    let row = |_| {
        let mut place = || (draw.below(1_000_000) as f64 / 1e5).to_string();
        let [x, y, z] = [place(), place(), place()];
        let class = draw.below(3);
        let text = ["QSO", "ELG", "LRG"][class as usize].to_owned();
        let delta = (draw.below(2000) as f64 / 1000.0 - 1.0).to_string();
        let weight = ((1 + draw.below(16)) as f64 / 8.0).to_string();
        [x, y, z, (class + 2).to_string(), text, delta, weight]
    };
    (0..number).map(row).collect()
}

fn file(rows: &[[String; 7]], keep: impl Fn(&[String; 7]) -> bool) -> String {
    let rows = rows.iter().filter(|row| keep(row)).map(|row| row.join(","));
    rows.fold(HEAD.to_owned(), |mut text, row| {
        let _ = writeln!(text, "{row}");
        text
    })
}

/// Data and randoms, whole and class by class: `d.csv`, `d2.csv` ..
fn folder() -> Folder {
    let (data, randoms) = (rows(150, 1), rows(260, 2));
    let mut folder = Folder::new()
        .with("d.csv", &file(&data, |_| true))
        .with("r.csv", &file(&randoms, |_| true));
    for class in ["2", "3", "4"] {
        let of = |rows: &[[String; 7]]| file(rows, |row| row[3] == class);
        folder = folder.with(&format!("d{class}.csv"), &of(&data));
        folder = folder.with(&format!("r{class}.csv"), &of(&randoms));
    }
    folder
}

/// The pairs of two classes of a result.
fn between(folder: &Folder, result: &str, [a, b]: [&str; 2]) -> Table {
    folder.good(&format!(
        "result slice {result} --classes {a},{b} -o part.csv"
    ));
    folder.table("part.csv")
}

fn same(part: &Table, alone: &Table) {
    assert_eq!(names(part), names(alone));
    for (own, other) in part.columns.iter().zip(&alone.columns) {
        let [found, expected] = [own, other].map(|column| format!("{:?}", column.values));
        assert!(found == expected, "{}: {found}\n{expected}", own.name);
    }
    let counts = |table: &Table| table.meta["counts"].as_object().unwrap().clone();
    for (count, record) in counts(alone) {
        for key in ["kind", "total_pairs", "total_weight", "design_effect"] {
            assert_eq!(counts(part)[&count][key], record[key], "{count} {key}");
        }
    }
    assert_eq!(counts(part).len(), counts(alone).len());
}

const STATISTICS: [&str; 6] = [
    "--bins lin:0:6:5 --weight w --mean-separation",
    "--bins lin:0:6:5 --box 12 --pair-sum m=i.bin*j.bin --pair-sum d=i.bin-2*j.bin",
    "--statistic s-mu --bins lin:1:6:4 --mu-bins lin:0:1:3 --legendre 2 --box none",
    "--statistic s-mu --bins lin:1:6:4 --mu-bins lin:-1:1:4 --weight w --box none",
    "--statistic rp-pi --bins lin:0:6:3 --pi-bins lin:0:5:2 --box 12",
    "--statistic theta --bins lin:0:40:4 --weight w",
];

#[test]
fn counts_of_classes_are_those_of_the_parts() {
    let folder = folder();
    for flags in STATISTICS {
        folder.good(&format!("count d.csv {flags} --classes bin -o all.csv"));
        let all = folder.table("all.csv");
        folder.good(&format!("count d.csv {flags} -o whole.csv"));
        let whole = integers(&folder.table("whole.csv"), "npairs");
        let npairs = integers(&all, "npairs");
        let sum = |bin: usize| npairs.iter().skip(bin).step_by(whole.len()).sum::<u64>();
        assert_eq!(
            (0..whole.len()).map(sum).collect::<Vec<_>>(),
            whole,
            "{flags}"
        );
        let ordered = npairs.len() == 9 * whole.len();
        for (a, b) in [("2", "2"), ("4", "4"), ("2", "4"), ("3", "2")] {
            let second = if a == b {
                String::new()
            } else {
                format!("d{b}.csv")
            };
            folder.good(&format!("count d{a}.csv {second} {flags} -o alone.csv"));
            let alone = folder.table("alone.csv");
            let part = between(&folder, "all.csv", [a, b]);
            if a <= b || ordered {
                let counts = if a == b { "DD" } else { "D1D2" };
                let mut alone = alone;
                let record = alone.meta["counts"][counts].clone();
                alone
                    .meta
                    .insert("counts".to_owned(), serde_json::json!({"DD": record}));
                same(&part, &alone);
            } else {
                assert_eq!(
                    integers(&part, "npairs"),
                    integers(&alone, "npairs"),
                    "{flags}"
                );
            }
        }
    }
}

#[test]
fn classes_are_values_texts_quantiles_or_between_edges() {
    let folder = folder();
    let bins = "--bins lin:0:6:5";
    folder.good(&format!("count d.csv {bins} --classes bin -o bin.csv"));
    folder.good(&format!("count d.csv {bins} --classes type -o type.csv"));
    for (number, text) in [(["2", "4"], ["QSO", "LRG"]), (["3", "3"], ["ELG", "ELG"])] {
        let [by_bin, by_type] = [("bin.csv", number), ("type.csv", text)];
        let npairs = |(file, pair)| integers(&between(&folder, file, pair), "npairs");
        assert_eq!(npairs(by_bin), npairs(by_type));
    }
    let table = folder.table("type.csv");
    let column = |name: &str| {
        integers(&table, name)
            .into_iter()
            .step_by(5)
            .collect::<Vec<_>>()
    };
    assert_eq!(column("class_1"), [0, 0, 0, 1, 1, 2]);
    assert_eq!(column("class_2"), [0, 1, 2, 1, 2, 2]);
    assert_eq!(
        table.meta["classes"][0]["names"],
        serde_json::json!(["ELG", "LRG", "QSO"])
    );

    folder.good(&format!(
        "count d.csv {bins} --classes delta --quantiles 4 -o q.csv"
    ));
    let table = folder.table("q.csv");
    let mut delta: Vec<f64> = rows(150, 1)
        .iter()
        .map(|row| row[5].parse().unwrap())
        .collect();
    delta.sort_by(f64::total_cmp);
    let edges = [38, 75, 113].map(|k| delta[k]);
    assert_eq!(table.meta["classes"][0]["edges"], serde_json::json!(edges));
    let [a, b, c] = edges;
    folder.good(&format!(
        "count d.csv {bins} --classes delta --class-edges {a},{b},{c} -o e.csv"
    ));
    assert_eq!(
        integers(&table, "npairs"),
        integers(&folder.table("e.csv"), "npairs")
    );
    for (class, rows) in [
        ("0", format!("delta<{a}")),
        ("2", format!("delta>={b}&&delta<{c}")),
    ] {
        folder.good(&format!("count d.csv {bins} --where {rows} -o alone.csv"));
        let alone = integers(&folder.table("alone.csv"), "npairs");
        assert_eq!(
            integers(&between(&folder, "q.csv", [class; 2]), "npairs"),
            alone
        );
    }
    folder.good(&format!(
        "count d.csv {bins} --classes floor(delta) -o sign.csv"
    ));
    let table = folder.table("sign.csv");
    assert_eq!(
        floats(&table, "class_1")
            .into_iter()
            .step_by(5)
            .collect::<Vec<_>>(),
        [-1.0, -1.0, 0.0]
    );
}

#[test]
fn two_samples_have_classes_of_their_own() {
    let folder = folder();
    let bins = "--statistic s-mu --bins lin:0:6:3 --mu-bins lin:-1:1:2 --box none --weight w";
    folder.good(&format!(
        "count d.csv r.csv {bins} --classes bin -o all.csv"
    ));
    for [a, b] in [["2", "3"], ["3", "2"], ["4", "4"]] {
        folder.good(&format!("count d{a}.csv r{b}.csv {bins} -o alone.csv"));
        same(
            &between(&folder, "all.csv", [a, b]),
            &folder.table("alone.csv"),
        );
    }
    folder.good(&format!(
        "count d.csv r.csv {bins} --classes bin --cross-classes none -o all.csv"
    ));
    folder.good(&format!("count d3.csv r.csv {bins} -o alone.csv"));
    same(
        &between(&folder, "all.csv", ["3", "all"]),
        &folder.table("alone.csv"),
    );
}

const ESTIMATES: [&str; 6] = [
    "xi --bins lin:0:6:4 --weight w",
    "xi --statistic rp-pi --bins lin:0:6:3 --pi-bins lin:-4:4:2 --box none",
    "xi --bins lin:0:6:4 --multipoles 0,2 --mu-bins lin:0:1:4 --box none",
    "xi --bins lin:0:6:4 --multipoles 0,2 --poles-from legendre --box none",
    "wp --bins lin:0:6:3 --pi-bins lin:0:6:3 --box none",
    "xi --bins lin:0:6:4 --estimator davis-peebles --mean-separation",
];

#[test]
fn estimates_of_classes_are_those_of_the_parts() {
    let folder = folder();
    for flags in ESTIMATES {
        folder.good(&format!(
            "{flags} --classes bin d.csv --randoms r.csv -o all.csv"
        ));
        for class in ["2", "4"] {
            folder.good(&format!(
                "{flags} d{class}.csv --randoms r{class}.csv -o alone.csv"
            ));
            same(
                &between(&folder, "all.csv", [class; 2]),
                &folder.table("alone.csv"),
            );
        }
        let first = if flags.contains("davis-peebles") {
            ""
        } else {
            "--randoms r2.csv"
        };
        folder.good(&format!(
            "{flags} d2.csv {first} --cross d4.csv --cross-randoms r4.csv -o alone.csv"
        ));
        same(
            &between(&folder, "all.csv", ["2", "4"]),
            &folder.table("alone.csv"),
        );
    }
}

#[test]
fn randoms_without_classes_are_those_of_every_class() {
    let folder = folder();
    for (flags, randoms) in [("--randoms-classes none", "r.csv"), ("", "plain.csv")] {
        let plain = "x,y,z\n1,2,3\n4,5,6\n7,1,2\n3,3,3\n8,8,8\n";
        std::fs::write(folder.path("plain.csv"), plain).unwrap();
        let xi = format!("xi --bins lin:0:9:3 --randoms {randoms}");
        folder.good(&format!("{xi} --classes bin {flags} d.csv -o all.csv"));
        folder.good(&format!("{xi} d3.csv -o alone.csv"));
        same(
            &between(&folder, "all.csv", ["3", "3"]),
            &folder.table("alone.csv"),
        );
        folder.good(&format!(
            "{xi} d2.csv --cross d3.csv --cross-randoms {randoms} -o cross.csv"
        ));
        let (cross, alone) = (folder.table("cross.csv"), folder.table("alone.csv"));
        let part = between(&folder, "all.csv", ["2", "3"]);
        for count in ["D1D2", "D1R2", "R1D2"] {
            let name = format!("{count}_normalised");
            assert_eq!(floats(&part, &name), floats(&cross, &name));
        }
        // Each pair of the randoms once, and none of one with itself.
        let rr = floats(&part, "R1R2_normalised");
        assert_eq!(rr, floats(&alone, "RR_normalised"));
        for (bin, xi) in floats(&part, "xi").into_iter().enumerate() {
            let of = |count: &str| floats(&part, &format!("{count}_normalised"))[bin];
            let expected = (((of("D1D2") - of("D1R2")) - of("R1D2")) + rr[bin]) / rr[bin];
            assert_eq!(xi.to_bits(), expected.to_bits());
        }
    }
}

#[test]
fn random_pairs_of_a_box_are_known_for_classes_too() {
    let folder = folder();
    let xi = "xi --bins lin:0:4:4 --box 10 --wrap";
    folder.good(&format!("{xi} d.csv --classes type -o all.csv"));
    folder.good(&format!("{xi} d2.csv -o alone.csv"));
    same(
        &between(&folder, "all.csv", ["QSO", "QSO"]),
        &folder.table("alone.csv"),
    );
    folder.good(&format!("{xi} d3.csv --cross d2.csv -o alone.csv"));
    same(
        &between(&folder, "all.csv", ["ELG", "QSO"]),
        &folder.table("alone.csv"),
    );
    // Classes of a sample around all of another one.
    folder.good(&format!(
        "{xi} d.csv --cross r.csv --classes bin --cross-classes none -o all.csv"
    ));
    folder.good(&format!("{xi} d4.csv --cross r.csv -o alone.csv"));
    same(
        &between(&folder, "all.csv", ["4", "all"]),
        &folder.table("alone.csv"),
    );
}

#[test]
fn counts_within_and_between_classes_stand_in_common_columns() {
    let folder = folder();
    folder.good("xi --bins lin:0:6:4 d.csv --randoms r.csv --classes bin -o all.csv");
    let table = folder.table("all.csv");
    for (row, xi) in floats(&table, "xi").into_iter().enumerate() {
        let of = |count: &str| floats(&table, &format!("{count}_normalised"))[row];
        let expected = (((of("DD") - of("DR")) - of("RD")) + of("RR")) / of("RR");
        assert!((xi - expected).abs() < 1e-12 * (1.0 + xi.abs()));
    }
}

#[test]
fn parts_of_a_run_with_classes_merge() {
    let folder = folder();
    let count = "count d.csv --bins lin:0:6:4 --classes bin";
    folder.good(&format!("{count} -o whole.csv"));
    for k in 0..2 {
        folder.good(&format!("{count} --shard {k}/2 --part part{k}.alb"));
    }
    folder.good("merge part0.alb part1.alb -o merged.csv");
    let npairs = |name: &str| integers(&folder.table(name), "npairs");
    assert_eq!(npairs("whole.csv"), npairs("merged.csv"));
}

#[cfg(feature = "plot")]
#[test]
fn pairs_of_classes_are_curves_of_one_figure() {
    let folder = folder();
    folder
        .good("xi d.csv --randoms r.csv --classes type --bins lin:0:6:4 -o xi.csv --plot one.svg");
    folder.good("plot xi.csv -o two.svg");
    for name in ["one.svg", "two.svg"] {
        let figure = folder.text(name);
        assert!(figure.contains("ELG x LRG"), "{name}");
    }
}
