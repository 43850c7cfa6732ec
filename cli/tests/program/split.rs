//! `--split-randoms`: pairs of randoms within subsets of them.

use albireo_catalogs::Table;

use crate::folder::{Folder, floats, integers, scattered};

fn folder() -> Folder {
    Folder::new()
        .with("d.csv", &scattered(150, 10.0, 1))
        .with("r.csv", &scattered(331, 10.0, 2))
        .with("d2.csv", &scattered(120, 10.0, 3))
        .with("r2.csv", &scattered(290, 10.0, 4))
}

/// Sums over the subsets of what `count` finds in each: pairs, weights, and both totals.
fn of_subsets(folder: &Folder, files: &str, bins: &str) -> (Vec<u64>, Vec<f64>, u64, f64) {
    let mut sums = (vec![0; 4], vec![0.0; 4], 0, 0.0);
    for k in 0..3 {
        let second = if files.contains(' ') {
            format!("--cross-rows {k}:400 --cross-every 3")
        } else {
            String::new()
        };
        folder.good(&format!(
            "count {files} --rows {k}:400 --every 3 {second} --weight w {bins} -o part.csv"
        ));
        let part = folder.table("part.csv");
        let pairs = integers(&part, "npairs");
        sums.0.iter_mut().zip(pairs).for_each(|(sum, n)| *sum += n);
        let weights = floats(&part, "weight");
        sums.1
            .iter_mut()
            .zip(weights)
            .for_each(|(sum, w)| *sum += w);
        let count = part.meta["counts"]
            .as_object()
            .unwrap()
            .values()
            .next()
            .unwrap()
            .clone();
        sums.2 += count["total_pairs"].as_u64().unwrap();
        sums.3 += count["total_weight"].as_f64().unwrap();
    }
    sums
}

#[test]
fn random_pairs_are_those_within_subsets() {
    let folder = folder();
    let bins = "--bins lin:0:4:4";
    for (files, data, name) in [
        ("r.csv", "d.csv --randoms r.csv", "RR"),
        (
            "r.csv r2.csv",
            "d.csv --randoms r.csv --cross d2.csv --cross-randoms r2.csv",
            "R1R2",
        ),
    ] {
        let (pairs, weights, total_pairs, total_weight) = of_subsets(&folder, files, bins);
        folder.good(&format!("count {files} --weight w {bins} -o all.csv"));
        let all = folder.table("all.csv");
        for above in ["", "--split-randoms-above 2"] {
            folder.good(&format!(
                "xi {data} --weight w {bins} --split-randoms 3 {above} -o xi.ecsv"
            ));
            let table = folder.table("xi.ecsv");
            let near = if above.is_empty() { 0 } else { 2 };
            let (n, w) = (
                integers(&table, &format!("{name}_npairs")),
                floats(&table, &format!("{name}_weight")),
            );
            assert_eq!(n[..near], integers(&all, "npairs")[..near]);
            assert_eq!(w[..near], floats(&all, "weight")[..near]);
            assert_eq!(n[near..], pairs[near..]);
            for (found, expected) in w[near..].iter().zip(&weights[near..]) {
                assert!((found / expected - 1.0).abs() < 1e-12);
            }
            let record = &table.meta["counts"][name];
            assert_eq!(record["split"]["subsets"], 3);
            assert_eq!(record["total_pairs"], total_pairs);
            let normalised = floats(&table, &format!("{name}_normalised"));
            for k in near..4 {
                assert!((normalised[k] / (weights[k] / total_weight) - 1.0).abs() < 1e-12);
            }
            if near > 0 {
                assert_eq!(record["split"]["above"], 2.0);
                let of_all = &all.meta["counts"]
                    .as_object()
                    .unwrap()
                    .values()
                    .next()
                    .unwrap()
                    .clone();
                assert_eq!(
                    record["split"]["below"]["total_pairs"],
                    of_all["total_pairs"]
                );
                let total = of_all["total_weight"].as_f64().unwrap();
                assert!((normalised[1] / (w[1] / total) - 1.0).abs() < 1e-12);
            }
        }
    }
}

/// The pairs, the weights and the total weight of a count of its own.
fn counted(folder: &Folder, files: &str, bins: &str) -> (Vec<u64>, Vec<f64>, f64) {
    folder.good(&format!("count {files} --weight w {bins} -o part.csv"));
    let part = folder.table("part.csv");
    let record = part.meta["counts"].as_object().unwrap().values().next();
    let total = record.unwrap()["total_weight"].as_f64().unwrap();
    (integers(&part, "npairs"), floats(&part, "weight"), total)
}

#[test]
fn subsets_may_be_the_files_of_randoms_shifted_or_not() {
    let folder = folder()
        .with("q.csv", &scattered(170, 10.0, 5))
        .with("s.csv", &scattered(205, 10.0, 6))
        .with("t.csv", &scattered(90, 10.0, 7));
    let bins = "--bins lin:0:4:4";
    folder.good(&format!(
        "xi d.csv --randoms r.csv --randoms q.csv --shifted-randoms s.csv --shifted-randoms t.csv --weight w {bins} --split-randoms files --split-randoms-above 2 -o xi.ecsv"
    ));
    folder.good(&format!(
        "xi d.csv --cross d2.csv --randoms r.csv --randoms q.csv --cross-randoms s.csv --cross-randoms t.csv --weight w {bins} --split-randoms files --split-randoms-above 2 -o cross.ecsv"
    ));
    for (name, result, parts, files) in [
        ("RR", "xi.ecsv", ["r.csv", "q.csv"], 2),
        ("SS", "xi.ecsv", ["s.csv", "t.csv"], 2),
        ("R1R2", "cross.ecsv", ["r.csv s.csv", "q.csv t.csv"], 2),
    ] {
        let table = folder.table(result);
        let parts = parts.map(|part| counted(&folder, part, bins));
        let (n, w) = (
            integers(&table, &format!("{name}_npairs")),
            floats(&table, &format!("{name}_normalised")),
        );
        let total: f64 = parts.iter().map(|part| part.2).sum();
        for k in 2..4 {
            let weight: f64 = parts.iter().map(|part| part.1[k]).sum();
            assert_eq!(n[k], parts.iter().map(|part| part.0[k]).sum::<u64>());
            assert!((w[k] / (weight / total) - 1.0).abs() < 1e-12, "{name}");
        }
        let split = &table.meta["counts"][name]["split"];
        assert_eq!(
            (&split["subsets"], &split["by"]),
            (&files.into(), &"file".into())
        );
        assert_eq!(split["above"], 2.0);
    }
    // All pairs with the data are counted, and those of randoms that are close together.
    let whole = "xi d.csv --randoms r.csv --randoms q.csv --shifted-randoms s.csv --shifted-randoms t.csv --weight w";
    folder.good(&format!("{whole} {bins} -o whole.ecsv"));
    let [split, whole] = ["xi.ecsv", "whole.ecsv"].map(|name| folder.table(name));
    for name in ["DD", "DS", "RR", "SS"] {
        let column = format!("{name}_normalised");
        let [split, whole] = [&split, &whole].map(|table| floats(table, &column));
        assert_eq!(split[..2], whole[..2], "{name}");
        let is_data = name.starts_with('D');
        assert_eq!(split == whole, is_data, "{name}");
    }
}

#[test]
fn every_statistic_takes_split_randoms() {
    let folder = folder();
    for command in [
        "wp d.csv --randoms r.csv --bins lin:0:4:4 --pi-bins lin:0:4:4",
        "xi d.csv --randoms r.csv --statistic s-mu --bins lin:0:4:4 --mu-bins lin:-1:1:4 --multipoles 0,2",
        "xi d.csv --randoms r.csv --bins lin:0:4:4 --regions 4 --weight w",
        "xi d.csv --randoms r.csv --bins lin:0:4:4 --regions 4 --bootstrap 9 --estimator DD*RR/DR^2-1",
        "xi d.csv --randoms r.csv --shifted-randoms r2.csv --bins lin:0:4:4 --jackknife=mohammad-percival --regions 3",
        "xi d.csv --randoms r.csv --bins lin:0:4:4 --rp-cut 0:0.5",
    ] {
        let split = format!("{command} --split-randoms 3 --split-randoms-above 2");
        folder.good(&format!("{split} --engine cpu --threads 2 -o cpu.csv"));
        folder.good(&format!("{split} --engine naive -o naive.csv"));
        assert_eq!(
            folder.text("cpu.csv"),
            folder.text("naive.csv"),
            "{command}"
        );
        folder.good(&format!("{command} -o whole.csv"));
        let (split, whole) = (folder.text("cpu.csv"), folder.text("whole.csv"));
        // Near 0 it is the same estimate, further on another.
        assert_eq!(split.lines().next(), whole.lines().next());
        assert_eq!(split.lines().nth(1), whole.lines().nth(1), "{command}");
        assert_ne!(split.lines().last(), whole.lines().last());
    }
}

#[test]
fn each_bin_of_regions_is_told_as_it_was_counted() {
    let folder = folder();
    let xi = "xi d.csv --randoms r.csv --bins lin:0:4:4 --regions 3 --weight w";
    for (name, split) in [
        ("all", ""),
        ("far", " --split-randoms 3"),
        ("both", " --split-randoms 3 --split-randoms-above 2"),
    ] {
        folder.good(&format!("{xi}{split} --region-counts {name}.ecsv -o x.csv"));
    }
    let [all, far, both] = ["all", "far", "both"].map(|name| folder.table(&format!("{name}.ecsv")));
    for part in ["within", "across"] {
        let name = format!("RR_{part}_npairs");
        let [all_pairs, far_pairs, found] = [&all, &far, &both].map(|t| integers(t, &name));
        let name = format!("RR_{part}_weight");
        let [all_weight, far_weight, weight] = [&all, &far, &both].map(|t| floats(t, &name));
        for row in 0..12 {
            let near = row % 4 < 2;
            assert_eq!(
                found[row],
                if near { all_pairs[row] } else { far_pairs[row] }
            );
            assert_eq!(
                weight[row],
                if near {
                    all_weight[row]
                } else {
                    far_weight[row]
                }
            );
        }
        let totals = |table: &Table| table.meta["region_totals"]["RR"][part].clone();
        assert_eq!(totals(&both)["below"], totals(&all));
        assert_eq!(totals(&both)["pairs"], totals(&far)["pairs"]);
        assert!(totals(&far).get("below").is_none());
    }
    let of_data = |table: &Table| integers(table, "DD_within_npairs");
    assert_eq!(of_data(&both), of_data(&all));
}
