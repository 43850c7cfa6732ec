//! Sums over pairs against double loops of numpy, which `tests/data/make_pair_sums.py` writes.

use crate::folder::{Folder, floats, integers};

/// Sums keep 60 bits and more. The weights that they are divided by keep 40 (docs/exactness.md).
const OF_SUMS: f64 = 1e-12;
const OF_MEANS: f64 = 4e-12;

const GOLDEN: &str = include_str!("../../../tests/data/golden_pair_sums.txt");

fn folder() -> Folder {
    let file = |name: &str| {
        let path = format!("{}/../tests/data/{name}", env!("CARGO_MANIFEST_DIR"));
        std::fs::read_to_string(path).unwrap()
    };
    let [on_sky, in_box] = ["pair_sums_sky.csv", "pair_sums_box.csv"];
    Folder::new()
        .with(on_sky, &file(on_sky))
        .with(in_box, &file(in_box))
}

#[test]
fn forms_are_the_double_loops_of_numpy() {
    let folder = folder();
    let (mut cases, mut sums) = (0, 0);
    for case in GOLDEN.split("$ ").skip(1) {
        let (command, expected) = case.split_once('\n').unwrap();
        let file = format!("out{cases}.json");
        folder.good(&format!("{command} -o {file}"));
        let table = folder.table(&file);
        cases += 1;
        for line in expected.lines() {
            let (name, values) = line.split_once(' ').unwrap();
            let values: Vec<f64> = values
                .split(' ')
                .map(|value| value.parse().unwrap())
                .collect();
            if name == "npairs" {
                let found: Vec<f64> = integers(&table, name).iter().map(|&n| n as f64).collect();
                assert_eq!(found, values, "{command}");
                continue;
            }
            let found = floats(&table, name);
            assert_eq!(found.len(), values.len(), "{command}: {name}");
            let is_sum = table
                .columns
                .iter()
                .any(|column| column.name == format!("{name}_mean"));
            let within = if is_sum { OF_SUMS } else { OF_MEANS };
            for (found, value) in found.iter().zip(&values) {
                assert!(
                    (found - value).abs() <= within * value.abs(),
                    "{command}: {name} is {found}, not {value}"
                );
            }
            sums += usize::from(is_sum);
        }
    }
    assert!(cases >= 27 && sums >= 45, "{cases} commands, {sums} sums");
}

#[test]
fn measurements_of_a_job_that_sum_other_columns_are_counted_apart() {
    let rows = (0..60).map(|k| {
        let u = |m: usize| (k * m % 61) as f64 / 61.0;
        format!(
            "{},{},{},{},{}",
            9.0 * u(7),
            9.0 * u(11),
            9.0 * u(17),
            1 + k,
            1 + k * 23 % 60
        )
    });
    let rows = rows.collect::<Vec<_>>().join("\n");
    // Both columns have the same ends, so that the sums are of one program.
    let count = |name: &str, column: &str| {
        format!(
            "[count.{name}]\ndata = \"g.csv\"\nbins = \"lin:1:4:2\"\npair-sum = [\"m=i.{column}*j.{column}\"]\noutput = \"{name}.csv\"\n"
        )
    };
    let job = format!("box = 9\n{}{}", count("one", "a"), count("two", "b"));
    let folder = Folder::new()
        .with("g.csv", &format!("x,y,z,a,b\n{rows}\n"))
        .with("job.toml", &job);
    folder.good("run job.toml");
    folder.good("count g.csv --box 9 --bins lin:1:4:2 --pair-sum m=i.b*j.b -o alone.csv");
    let sums = |name: &str| floats(&folder.table(name), "m");
    assert_eq!(sums("two.csv"), sums("alone.csv"));
    assert_ne!(sums("one.csv"), sums("two.csv"));
}
