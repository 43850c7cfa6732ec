//! `--weight-set`: several sets of weights of the same pairs, each as a measurement by itself has them.

use albireo_catalogs::Table;

use crate::folder::{Folder, floats, integers, names, scattered};

fn folder() -> Folder {
    Folder::new()
        .with("d.csv", &scattered(150, 10.0, 1))
        .with("r.csv", &scattered(300, 10.0, 2))
}

const SETS: &str =
    "--weight-set unit=none --weight-set plain=w --weight-set sq=w*w --randoms-weight-set sq=w+1";
const ALONE: [(&str, &str); 3] = [
    ("plain", "--weight w"),
    ("sq", "--weight w*w --randoms-weight w+1"),
    ("unit", ""),
];

/// Compares the columns of one set with a result of these weights alone.
fn same(set: &Table, alone: &Table) {
    assert_eq!(names(set), names(alone));
    for (own, other) in set.columns.iter().zip(&alone.columns) {
        assert!(
            format!("{:?}", own.values) == format!("{:?}", other.values),
            "{}",
            own.name
        );
    }
    for count in ["DD", "DR", "RR"] {
        for key in ["job", "total_weight", "design_effect"] {
            let of = |table: &Table| table.meta["counts"][count][key].clone();
            assert_eq!(of(set), of(alone), "{count} {key}");
        }
    }
    assert_eq!(set.meta["samples"], alone.meta["samples"]);
}

#[test]
fn each_set_has_a_file_as_if_it_were_alone() {
    let folder = folder();
    for (flags, kind) in [
        (
            "xi d.csv --randoms r.csv --bins lin:0:4:4 --regions 3",
            "xi",
        ),
        (
            "xi d.csv --randoms r.csv --statistic s-mu --bins lin:0:4:4 --mu-bins lin:0:1:5 --multipoles 0,2",
            "poles",
        ),
        (
            "wp d.csv --randoms r.csv --bins lin:0:4:4 --pi-bins lin:0:4:4 --split-randoms 2",
            "wp",
        ),
    ] {
        let run = folder.good(&format!("{flags} {SETS} -o {kind}_{{}}.csv -v"));
        let times = run.stderr.matches("counted with the first set of weights");
        let counts = if kind == "wp" { 4 } else { 3 };
        assert_eq!(times.count(), 2 * counts, "{}", run.stderr);
        for (name, weights) in ALONE {
            folder.good(&format!("{flags} {weights} -o alone.csv"));
            let (set, alone) = (
                folder.table(&format!("{kind}_{name}.csv")),
                folder.table("alone.csv"),
            );
            same(&set, &alone);
            assert_eq!(set.meta["weight_set"], name);
        }
        // What has no weights comes out of the same counts wherever it stands; `alone.csv` is of no weights.
        let sets = "--weight-set plain=w --weight-set unit=none";
        let run = folder.good(&format!("{flags} {sets} -o last_{kind}_{{}}.csv -v"));
        let times = run.stderr.matches("counted with the first set of weights");
        assert_eq!(times.count(), counts, "{}", run.stderr);
        let last = folder.table(&format!("last_{kind}_unit.csv"));
        same(&last, &folder.table("alone.csv"));
    }
}

#[test]
fn sets_stand_side_by_side_in_one_file() {
    let folder = folder();
    let xi = "xi d.csv --randoms r.csv --bins lin:0:4:4";
    folder.good(&format!("{xi} {SETS} -o all.ecsv"));
    let all = folder.table("all.ecsv");
    let found = names(&all);
    for name in [
        "lo",
        "xi_plain",
        "xi_sq_error",
        "DD_unit_npairs",
        "RR_plain_weight",
    ] {
        assert!(found.contains(&name), "{name}: {found:?}");
    }
    assert_eq!(found.iter().filter(|name| **name == "lo").count(), 1);
    for (name, weights) in ALONE {
        folder.good(&format!("{xi} {weights} -o alone.csv"));
        let alone = folder.table("alone.csv");
        assert_eq!(
            floats(&all, &format!("xi_{name}")),
            floats(&alone, "xi"),
            "{name}"
        );
        let npairs = integers(&all, &format!("DR_{name}_npairs"));
        assert_eq!(npairs, integers(&alone, "DR_npairs"));
    }
    // Counts of any set are at hand for later measurements.
    folder.good(&format!(
        "{xi} --weight w*w --randoms-weight w+1 --reuse all.ecsv -o again.csv"
    ));
    let again = folder.table("again.csv");
    assert_eq!(floats(&again, "xi"), floats(&all, "xi_sq"));
    assert_eq!(again.meta["counts"]["DD"]["read_from"], "all.ecsv");
}

#[test]
fn regions_covariances_and_jobs_go_set_by_set() {
    let folder = folder().with(
        "job.toml",
        "[xi.sets]\ndata = 'd.csv'\nrandoms = 'r.csv'\nbins = 'lin:0:4:4'\nweight-set = ['a=w', 'b=w*w']\nregions = 3\n\
covariance = 'c_{}.csv'\nregion-counts = 'n_{}.csv'\noutput = 'x_{}.csv'\n",
    );
    folder.good("run job.toml");
    for (name, weight) in [("a", "w"), ("b", "w*w")] {
        folder.good(&format!(
            "xi d.csv --randoms r.csv --bins lin:0:4:4 --weight {weight} --regions 3 --covariance c.csv --region-counts n.csv -o x.csv"
        ));
        for file in ["c", "n", "x"] {
            let text = |name: String| folder.text(&name);
            assert_eq!(
                text(format!("{file}_{name}.csv")),
                text(format!("{file}.csv"))
            );
        }
    }
    let again = folder.good("run job.toml -v");
    assert!(
        again.stderr.contains("[xi.sets] is done"),
        "{}",
        again.stderr
    );
}

#[cfg(feature = "plot")]
#[test]
fn sets_are_curves_of_one_figure() {
    let folder = folder();
    let xi = "xi d.csv --randoms r.csv --bins lin:0:4:4";
    folder.good(&format!("{xi} {SETS} -o all.ecsv --plot sets.svg"));
    folder.good("plot all.ecsv -o again.svg");
    for figure in ["sets.svg", "again.svg"] {
        let svg = folder.text(figure);
        for name in ["plain", "sq", "unit"] {
            assert!(
                svg.contains(&format!("aria-label=\"{name}\"")),
                "{figure}: {name}"
            );
        }
    }
}

#[test]
fn counts_by_sets_are_those_by_each_alone() {
    let folder = folder();
    let second = "--weight-set sq=w*w --cross-weight-set sq=w+1";
    for (files, flags, of_sq) in [
        ("d.csv", "--weight-set sq=w*w", "--weight w*w"),
        ("d.csv r.csv", second, "--weight w*w --cross-weight w+1"),
    ] {
        let count = format!("count {files} --bins lin:0:4:4 --mean-separation");
        let sets = format!("--weight-set unit=none {flags} --weight-set plain=w");
        let run = folder.good(&format!("{count} {sets} -o all.csv -v"));
        let again = "counted with the first set of weights";
        assert_eq!(run.stderr.matches(again).count(), 2, "{}", run.stderr);
        folder.good(&format!("{count} {sets} -o c_{{}}.csv"));
        let all = folder.table("all.csv");
        for (name, weights) in [("unit", ""), ("sq", of_sq), ("plain", "--weight w")] {
            folder.good(&format!("{count} {weights} -o alone.csv"));
            let (alone, own) = (
                folder.table("alone.csv"),
                folder.table(&format!("c_{name}.csv")),
            );
            assert_eq!(names(&own), names(&alone));
            let npairs = integers(&all, &format!("npairs_{name}"));
            assert_eq!(npairs, integers(&alone, "npairs"), "{name}");
            for column in ["npairs", "weight", "mean_r"] {
                let Some(expected) = alone.column(column) else {
                    assert!(column == "weight" && name == "unit", "{column} {name}");
                    continue;
                };
                assert_eq!(own.column(column).unwrap().values, expected.values);
            }
            if name != "unit" {
                let weight = floats(&all, &format!("weight_{name}"));
                assert_eq!(weight, floats(&alone, "weight"), "{name}");
            }
            assert_eq!(own.meta["samples"], alone.meta["samples"]);
        }
    }
}

#[test]
fn a_part_leaves_no_counts_of_further_sets() {
    let job = r#"
        data = "d.csv"
        bins = "lin:0:4:4"
        [count.a]
        weight-set = ["one=w", "two=w*w"]
        shard = "0/2"
        part = "a.part"
        [count.b]
        weight = "w*w"
        output = "b.csv"
    "#;
    let folder = folder().with("job.toml", job);
    folder.good("run job.toml");
    folder.good("count d.csv --bins lin:0:4:4 --weight w*w -o alone.csv");
    let (made, alone) = (folder.table("b.csv"), folder.table("alone.csv"));
    assert_eq!(integers(&made, "npairs"), integers(&alone, "npairs"));
    assert_eq!(floats(&made, "weight"), floats(&alone, "weight"));
}
