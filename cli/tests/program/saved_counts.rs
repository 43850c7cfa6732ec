//! `albireo result rebin`, `slice` and `sum`: saved counts against counts of the same points.

use std::ffi::OsString;
use std::sync::Arc;

use albireo_catalogs::{Table, TableColumn, Values};
use albireo_measure::{CallError, Called, Steps, Watch, call};

use crate::folder::{floats, integers, names, scattered};
use crate::results::{catalogs, close, measured};

/// Counts of a catalogue in fine bins and, from the same points, in every edge that `coarse` keeps.
fn rebinned_are_counted(fine: &str, coarse: &str, by: &str) {
    let folder = catalogs(1);
    folder.good(&format!(
        "count d0.csv --box 10 --weight w {fine} -o fine.csv"
    ));
    folder.good(&format!(
        "count d0.csv --box 10 --weight w {coarse} -o coarse.csv"
    ));
    folder.good(&format!("result rebin fine.csv {by} -o sums.csv"));
    let (expected, found) = (folder.table("coarse.csv"), folder.table("sums.csv"));
    assert_eq!(names(&found), names(&expected));
    for column in &expected.columns {
        let own = found.column(&column.name).unwrap();
        assert_eq!(
            (&own.unit, &own.description),
            (&column.unit, &column.description)
        );
        match (&own.values, &column.values) {
            // Bins without pairs have no mean.
            (Values::Floats(found), Values::Floats(expected)) => {
                let bits = |values: &[f64]| values.iter().map(|v| v.to_bits()).collect::<Vec<_>>();
                assert_eq!(bits(found), bits(expected), "{}", column.name);
            }
            (found, expected) => assert_eq!(found, expected, "{}", column.name),
        }
    }
    assert_eq!(found.meta["edges"], expected.meta["edges"]);
    let total = |table: &Table| table.meta["counts"]["DD"]["total_pairs"].clone();
    assert_eq!(total(&found), total(&expected));
    assert_eq!(found.meta["made_from"]["path"], "fine.csv");
    assert_eq!(
        found.meta["made_from"]["command"],
        folder.table("fine.csv").meta["command"]
    );
}

#[test]
fn rebinned_counts_are_those_of_the_coarser_bins() {
    rebinned_are_counted(
        "--bins edges:0,1e-6,0.5,1,2,3,5 --mean-separation",
        "--bins edges:0,0.5,2,5 --mean-separation",
        "--by 2",
    );
    rebinned_are_counted(
        "--statistic s-mu --bins lin:0:4:4 --mu-bins lin:0:1:4 --mean-separation",
        "--statistic s-mu --bins lin:0:4:4 --mu-bins lin:0:1:2 --mean-separation",
        "--mu-by 2",
    );
    rebinned_are_counted(
        "--statistic rp-pi --bins lin:0:4:4 --pi-bins lin:-3:3:6",
        "--statistic rp-pi --bins lin:0:4:2 --pi-bins lin:-3:3:2",
        "--by 2 --pi-by 3",
    );
}

#[test]
fn results_of_older_versions_are_rebinned_added_and_continued() {
    let folder = catalogs(2);
    let tables = measured(
        &folder,
        2,
        "count DATA --box 10 --weight w --bins edges:0,1e-6,2,3,4 --mean-separation",
    );
    folder.good("count d0.csv --box 10 --weight w --bins lin:4:5:1 --mean-separation -o far.csv");
    let mut old = tables[0].clone();
    let exact = |name: &str| name.contains("_rest") || name.starts_with("sum_");
    old.columns.retain(|column| !exact(&column.name));
    assert!(names(&old).len() < names(&tables[0]).len());
    old.write(&folder.path("old.csv")).unwrap();
    for (line, exactly) in [
        ("rebin OLD --by 2", "rebin m0.csv --by 2"),
        ("sum OLD m1.csv", "sum m0.csv m1.csv"),
        ("concatenate OLD far.csv", "concatenate m0.csv far.csv"),
    ] {
        folder.good(&format!(
            "result {} -o a.json",
            line.replace("OLD", "old.csv")
        ));
        folder.good(&format!("result {exactly} -o b.json"));
        let [found, expected] = ["a.json", "b.json"].map(|name| folder.table(name));
        assert_eq!(integers(&found, "npairs"), integers(&expected, "npairs"));
        assert_eq!(found.column("sum_r"), None, "{line}");
        for name in ["weight", "mean_r"] {
            let both = floats(&found, name)
                .into_iter()
                .zip(floats(&expected, name));
            for (found, expected) in both {
                let near = (found - expected).abs() <= 1e-14 * expected.abs();
                assert!(
                    near || (found.is_nan() && expected.is_nan()),
                    "{line}: {name}"
                );
            }
        }
    }
}

#[test]
fn rebinned_random_pairs_are_taken_over() {
    let folder = catalogs(1).with("r.csv", &scattered(300, 10.0, 9));
    folder.good("count r.csv --bins lin:0:4:8 -o fine.csv");
    folder.good("result rebin fine.csv --by 2 -o rr.csv");
    folder.good("xi d0.csv --randoms r.csv --bins lin:0:4:4 --rr rr.csv -o taken.csv");
    folder.good("xi d0.csv --randoms r.csv --bins lin:0:4:4 -o counted.csv");
    assert_eq!(folder.text("taken.csv"), folder.text("counted.csv"));
}

#[test]
fn slices_are_the_bins_that_lie_within() {
    let folder = catalogs(1);
    folder.good(
        "xi d0.csv --box 10 --statistic s-mu --bins lin:0:4:4 --mu-bins lin:0:1:4 -o grid.csv",
    );
    folder.good("result slice grid.csv --range 0.5:3.5 --mu-range 0.25:1 -o part.ecsv");
    let (grid, part) = (folder.table("grid.csv"), folder.table("part.ecsv"));
    // s from 1 to 3, mu from 0.25 to 1.
    let rows = [5, 6, 7, 9, 10, 11];
    assert_eq!(names(&part), names(&grid));
    for name in ["xi", "xi_error", "s_lo", "s_hi", "mu_lo", "mu_centre"] {
        let all = floats(&grid, name);
        assert_eq!(floats(&part, name), rows.map(|row| all[row]), "{name}");
    }
    let all = integers(&grid, "DD_npairs");
    assert_eq!(integers(&part, "DD_npairs"), rows.map(|row| all[row]));
    let edges = [vec![1.0, 2.0, 3.0], vec![0.25, 0.5, 0.75, 1.0]];
    let found = part.edges().unwrap();
    assert_eq!([found[0].1.clone(), found[1].1.clone()], edges);
    // A slice of a result in one axis draws and slices on.
    folder.good("rdf d0.csv --box 10 --bins lin:0.5:4:7 -o g.csv");
    folder.good("result slice g.csv --range 1:4 -o tail.csv");
    let n = folder
        .table("tail.csv")
        .column("n")
        .unwrap()
        .description
        .clone();
    assert!(n.ends_with("from 0.5 up to hi"), "{n}");
    assert_eq!(
        floats(&folder.table("tail.csv"), "n"),
        floats(&folder.table("g.csv"), "n")[1..]
    );
    let species = "frame,species,x,y,z\n0,A,0,0,0\n0,B,1,0,0\n0,B,0,3,0\n";
    let folder = folder.with("t.csv", species);
    folder.good("rdf t.csv --species species --box 10 --bins lin:0.5:4:7 -o g.csv");
    folder.good("result slice g.csv --range 1:4 -o tail.csv");
    let tail = folder.table("tail.csv");
    let n = &tail.column("n_B-A").unwrap().description;
    assert!(n.ends_with("around B from 0.5 up to hi"), "{n}");
}

#[test]
fn sums_of_counts_are_the_sums_of_their_columns() {
    let folder = catalogs(3);
    let command = "count DATA --box 10 --weight w --bins lin:0:4:4 --mean-separation";
    let tables = measured(&folder, 3, command);
    folder.good("result sum m*.csv -o sum.ecsv");
    let sum = folder.table("sum.ecsv");
    assert_eq!(names(&sum), names(&tables[0]));
    let pairs: Vec<Vec<u64>> = tables
        .iter()
        .map(|table| integers(table, "npairs"))
        .collect();
    let weights: Vec<Vec<f64>> = tables.iter().map(|table| floats(table, "weight")).collect();
    let means: Vec<Vec<f64>> = tables.iter().map(|table| floats(table, "mean_r")).collect();
    for bin in 0..4 {
        let n: u64 = pairs.iter().map(|pairs| pairs[bin]).sum();
        assert_eq!(integers(&sum, "npairs")[bin], n);
        let weight: f64 = weights.iter().map(|weights| weights[bin]).sum();
        close(&[floats(&sum, "weight")[bin]], &[weight]);
        let separations = pairs.iter().zip(&means).filter(|(pairs, _)| pairs[bin] > 0);
        let separations: f64 = separations.map(|(n, mean)| n[bin] as f64 * mean[bin]).sum();
        close(&[floats(&sum, "mean_r")[bin]], &[separations / n as f64]);
    }
    let of = |table: &Table, key: &str| table.meta["counts"]["DD"][key].clone();
    // 150, 160 and 170 points.
    let total = 150 * 149 / 2 + 160 * 159 / 2 + 170 * 169 / 2;
    assert_eq!(of(&sum, "total_pairs"), total);
    let float = |table: &Table, key: &str| of(table, key).as_f64().unwrap();
    let weight: f64 = tables
        .iter()
        .map(|table| float(table, "total_weight"))
        .sum();
    close(&[float(&sum, "total_weight")], &[weight]);
    let terms = tables.iter().map(|table| {
        let share = float(table, "total_weight") / weight;
        let pairs = of(table, "total_pairs").as_f64().unwrap();
        share * share * float(table, "design_effect") * f64::from(total) / pairs
    });
    close(&[float(&sum, "design_effect")], &[terms.sum()]);
    let listed = sum.meta["realisations"].as_array().unwrap();
    assert_eq!(listed.len(), 3);
    assert_eq!(listed[1]["path"], "m1.csv");
    assert_eq!(listed[1]["samples"], tables[1].meta["samples"]);
    assert_eq!(of(&sum, "job"), serde_json::Value::Null);
}

#[test]
fn sums_of_files_are_exact_in_any_order() {
    let folder = catalogs(3);
    let command = "count DATA --box 10 --weight w --bins lin:0:4:4 --mean-separation";
    let tables = measured(&folder, 3, command);
    // Sums of which float64 keeps nothing of the small one on the way.
    for (k, (mut table, weight)) in tables.into_iter().zip([1e16, 1.0, -1e16]).enumerate() {
        table
            .columns
            .retain(|column| !column.name.contains("_rest"));
        let of_weight = |column: &&mut TableColumn| column.name == "weight";
        let column = table.columns.iter_mut().find(of_weight).unwrap();
        let Values::Floats(values) = &mut column.values else {
            panic!("weights are no floats")
        };
        values[1] = weight;
        table.write(&folder.path(&format!("w{k}.csv"))).unwrap();
    }
    folder.good("result sum w0.csv w1.csv w2.csv -o sum.csv");
    let sum = folder.table("sum.csv");
    assert_eq!(floats(&sum, "weight")[1], 1.0);
    for (k, order) in ["w2.csv w1.csv w0.csv", "w1.csv w2.csv w0.csv"]
        .iter()
        .enumerate()
    {
        folder.good(&format!("result sum {order} -o sum{k}.csv"));
        let other = folder.table(&format!("sum{k}.csv"));
        assert_eq!(other.columns, sum.columns);
        assert_eq!(other.meta["counts"], sum.meta["counts"]);
    }
    // Sums add up as what they are sums of, each realisation once.
    for (files, name) in [
        ("w0.csv w1.csv", "a.json"),
        ("w1.csv w2.csv", "b.json"),
        ("a.json w2.csv", "ab.json"),
    ] {
        folder.good(&format!("result sum {files} -o {name}"));
    }
    assert_eq!(folder.table("ab.json").columns, sum.columns);
    let run = folder.run("result sum a.json b.json -o no.csv");
    assert_eq!(run.code, 1);
    let words =
        "b.json cannot be added to a.json: counts overlap: part 0 of 1 of the same job is in both";
    assert!(run.stderr.contains(words), "{}", run.stderr);
}

/// Nobody who watches.
struct Unwatched;

impl Watch for Unwatched {
    fn begin(&self, _: &str, _: Steps) {}

    fn advance(&self, _: u64) {}

    fn stop_requested(&self) -> bool {
        false
    }
}

#[test]
fn operations_in_memory_are_those_on_files() {
    let folder = catalogs(3);
    let pi =
        "count DATA --box 10 --weight w --statistic rp-pi --bins lin:0:4:4 --pi-bins lin:-4:4:4";
    measured(&folder, 3, pi);
    folder.good("result slice m0.csv --range 0:2 -o near.csv");
    folder.good("result slice m0.csv --range 2:4 -o far.csv");
    let names = ["m0", "m1", "m2", "near", "far"];
    let results = names.map(|name| (name.into(), folder.table(&format!("{name}.csv"))));
    let called = |line: &str| {
        let words = format!("albireo result {line}");
        let called = Called {
            arguments: words.split(' ').map(OsString::from).collect(),
            results: results.clone().into(),
            ..Called::default()
        };
        call(called, &(Arc::new(Unwatched) as Arc<dyn Watch>))
    };
    for line in [
        "rebin m0 --by 4 --pi-by 2",
        "slice m0 --pi-range=-4:0",
        "wrap m0",
        "renormalise m0 --total-weight 7",
        "sum m0 m1 m2",
        "concatenate near far",
    ] {
        let of_file = |word: &str| {
            let is_name = names.contains(&word);
            format!("{word}{}", if is_name { ".csv" } else { "" })
        };
        let files: Vec<_> = line.split(' ').map(of_file).collect();
        folder.good(&format!("result {} -o made.json", files.join(" ")));
        let expected = folder.table("made.json");
        let [(None, made)] = &called(line).unwrap().tables[..] else {
            panic!("{line}: one result is expected");
        };
        assert_eq!(made.columns, expected.columns, "{line}");
        for key in ["result", "edges", "counts", "statistic"] {
            assert_eq!(made.meta[key], expected.meta[key], "{line}: {key}");
        }
        let command = format!("albireo result {line}");
        assert_eq!(made.meta["command"], command.as_str());
    }
    let refused = called("rebin m0");
    assert!(
        matches!(refused, Err(CallError::Wrong(words)) if words.starts_with("nothing is asked for: --by"))
    );
    let refused = called("wrap m3");
    assert!(matches!(refused, Err(CallError::Failed(words)) if words.contains("m3")));
}
