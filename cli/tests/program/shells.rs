//! `count --shells` and `result integral-constraint --radial`: pairs by shells of distance, and the constraint that they make.

use albireo_catalogs::Table;

use crate::folder::{Folder, floats, integers, scattered};

const BINS: &str = "--bins edges:0,1,2,4,8,18";

fn folder() -> Folder {
    Folder::new()
        .with("d.csv", &scattered(120, 10.0, 1))
        .with("r.csv", &scattered(250, 10.0, 2))
        .with("model.txt", "0 4\n1.5 2\n6 0.5\n20 0\n")
}

/// Positions and weights of `scattered`.
fn rows(folder: &Folder, name: &str) -> Vec<[f64; 4]> {
    let text = folder.text(name);
    let row = |line: &str| {
        let mut numbers = line.split(',').map(|word| word.parse().unwrap());
        [(); 4].map(|()| numbers.next().unwrap())
    };
    text.lines().skip(1).map(row).collect()
}

fn distance(a: &[f64; 4], b: &[f64; 4]) -> f64 {
    (0..3).map(|k| (a[k] - b[k]).powi(2)).sum::<f64>().sqrt()
}

/// The model in the middle of each bin.
fn model() -> [f64; 5] {
    [4.0 - 4.0 / 3.0 * 0.5, 2.0, 1.5, 0.5, 0.25]
}

#[test]
fn pairs_by_shells_are_those_of_a_loop() {
    let folder = folder();
    folder.good(&format!(
        "count r.csv --weight w {BINS} --shells edges:0,6,9,18 -o shells.csv"
    ));
    let table = folder.table("shells.csv");
    let rows = rows(&folder, "r.csv");
    let (edges, shells) = ([0.0, 1.0, 2.0, 4.0, 8.0, 18.0], [0.0, 6.0, 9.0, 18.0]);
    let place = |edges: &[f64], x: f64| edges.iter().rposition(|edge| *edge <= x).unwrap();
    let (mut npairs, mut weight) = (vec![0; 30], vec![0.0; 30]);
    for (k, a) in rows.iter().enumerate() {
        for b in &rows[..k] {
            let [i, j] = [a, b].map(|row| place(&shells, distance(row, &[0.0; 4])));
            let (i, j) = (i.min(j), i.max(j));
            let at = 5 * [0, 2, 3][i] + 5 * j + place(&edges, distance(a, b));
            npairs[at] += 1;
            weight[at] += a[3] * b[3];
        }
    }
    assert_eq!(integers(&table, "npairs"), npairs);
    for (found, expected) in floats(&table, "weight").into_iter().zip(weight) {
        assert!((found - expected).abs() < 1e-8, "{found} {expected}");
    }
    let column = |name: &str| {
        integers(&table, name)
            .into_iter()
            .step_by(5)
            .collect::<Vec<_>>()
    };
    assert_eq!(column("shell_1"), [0, 0, 0, 1, 1, 2]);
    assert_eq!(column("shell_2"), [0, 1, 2, 1, 2, 2]);
    assert_eq!(table.meta["shells"], serde_json::json!(shells));
    assert_eq!(table.meta["counts"]["DD"]["total_pairs"], 250 * 249 / 2);
}

fn constraint(table: &Table) -> Vec<f64> {
    floats(table, "radial_constraint")
}

#[test]
fn radial_constraints_are_means_of_the_model_over_pairs_of_shells() {
    let folder = folder();
    folder.good(&format!(
        "xi d.csv --randoms r.csv --weight w {BINS} -o xi.csv"
    ));
    folder.good(&format!(
        "count r.csv --weight w {BINS} --shells 4 -o shells.csv"
    ));
    let radial = "result integral-constraint xi.csv --model model.txt --radial";
    folder.good(&format!("{radial} shells.csv -o ric.csv"));
    let (table, weight) = (
        folder.table("ric.csv"),
        floats(&folder.table("shells.csv"), "weight"),
    );
    let (mut sums, mut all) = ([0.0; 5], [0.0; 5]);
    for pairs in weight.chunks(5) {
        let own: f64 = pairs.iter().sum();
        let mean = pairs
            .iter()
            .zip(model())
            .map(|(rr, xi)| rr * xi)
            .sum::<f64>()
            / own;
        for k in 0..5 {
            sums[k] += if own > 0.0 { pairs[k] * mean } else { 0.0 };
            all[k] += pairs[k];
        }
    }
    let (xi, measured) = (floats(&table, "xi"), floats(&table, "xi_measured"));
    for (k, found) in constraint(&table).into_iter().enumerate() {
        assert!((found - sums[k] / all[k]).abs() < 1e-12, "{found} {k}");
        assert_eq!(xi[k], measured[k] + found);
    }
    assert_eq!(table.meta["integral_constraint"]["kind"], "radial");
    // One shell has the global constraint, with any model.
    folder.good(&format!(
        "count r.csv --weight w {BINS} --shells 1 -o one.csv"
    ));
    for model in ["--model model.txt", "--power-law 1.2 --fit 1:8"] {
        let constraint = format!("result integral-constraint xi.csv {model}");
        folder.good(&format!("{constraint} --radial one.csv -o radial.csv"));
        folder.good(&format!("{constraint} -o global.csv"));
        let [radial, global] = ["radial.csv", "global.csv"].map(|name| folder.table(name));
        for (a, b) in floats(&radial, "xi").into_iter().zip(floats(&global, "xi")) {
            assert!((a - b).abs() < 1e-12, "{model}: {a} {b}");
        }
    }
    // Over (s, mu), the model is one of s; all of it from one job.
    let grid = "statistic = 's-mu'\nbins = [0, 2, 6, 18]\nmu-bins = 'lin:0:1:4'\nweight = 'w'\n";
    let job = format!(
        "{grid}[xi.grid]\ndata = 'd.csv'\nrandoms = 'r.csv'\noutput = 'grid.csv'\n\
[count.shells]\ndata = 'r.csv'\nshells = 4\noutput = 'grid_shells.csv'\n\
[result.integral-constraint.radial]\nresult = 'grid.csv'\nradial = 'grid_shells.csv'\nmodel = 'model.txt'\noutput = 'grid_ric.csv'\n"
    );
    std::fs::write(folder.path("job.toml"), job).unwrap();
    folder.good("run job.toml");
    assert!(
        constraint(&folder.table("grid_ric.csv"))
            .iter()
            .all(|c| *c > 0.0)
    );
}
