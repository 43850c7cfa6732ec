//! `--bins-of`: bins in the values of expressions, by two loops, and by the bins of the program that they may stand for.

use albireo_fixtures::scattered;

use crate::folder::{Folder, floats, integers, names};

fn folder() -> Folder {
    Folder::new()
        .with("d.csv", &scattered(150, 10.0, 1))
        .with("r.csv", &scattered(400, 10.0, 2))
}

/// The rows `x, y, z, w` of a catalogue.
fn rows(text: &str) -> Vec<[f64; 4]> {
    let row = |line: &str| {
        let numbers: Vec<f64> = line
            .split(',')
            .take(4)
            .map(|n| n.parse().unwrap())
            .collect();
        numbers.try_into().unwrap()
    };
    text.lines().skip(1).map(row).collect()
}

#[test]
fn counts_and_means_are_those_of_two_loops() {
    let text = scattered(150, 10.0, 1);
    assert!(text.starts_with("x,y,z,w"));
    let (rows, folder) = (rows(&text), folder());
    folder.good("count d.csv --box 10 --weight w --bins-of max(abs(d[0]),abs(d[1]))-2 --bins lin:-2:3:5 --reach 4 --mean-separation -o found.csv");
    let (mut pairs, mut weight, mut sum) = ([0; 5], [0.0; 5], [0.0; 5]);
    for (i, a) in rows.iter().enumerate() {
        for b in &rows[..i] {
            let d = [0, 1, 2].map(|k| {
                let d: f64 = a[k] - b[k];
                if d > 5.0 {
                    d - 10.0
                } else if d < -5.0 {
                    d + 10.0
                } else {
                    d
                }
            });
            let value = d[0].abs().max(d[1].abs()) - 2.0;
            if d.iter().map(|d| d * d).sum::<f64>() < 16.0 && value < 3.0 {
                let bin = (value + 2.0) as usize;
                pairs[bin] += 1;
                weight[bin] += a[3] * b[3];
                sum[bin] += value;
            }
        }
    }
    let found = folder.table("found.csv");
    assert_eq!(integers(&found, "npairs"), pairs);
    assert!(pairs.iter().take(4).all(|n| *n > 100), "{pairs:?}");
    let mean = floats(&found, "mean_value");
    for (bin, found) in floats(&found, "weight").into_iter().enumerate() {
        assert!((found / weight[bin] - 1.0).abs() < 1e-9 || pairs[bin] == 0);
        let off = (mean[bin] - sum[bin] / pairs[bin] as f64).abs();
        assert!(off < 1e-9 || pairs[bin] == 0, "{off}");
    }
}

/// Both tables have the same numbers in these columns.
fn same(folder: &Folder, tables: [&str; 2], columns: &[&str]) {
    let [one, other] = tables.map(|name| folder.table(name));
    for name in columns {
        let bits = |table| {
            let values = floats(table, name).into_iter();
            values.map(f64::to_bits).collect::<Vec<_>>()
        };
        assert_eq!(bits(&one), bits(&other), "{name}");
    }
}

#[test]
fn xi_with_regions_is_that_of_the_bins_that_expressions_stand_for() {
    let folder = folder();
    let xi = "xi d.csv --randoms r.csv --weight w --regions 4";
    folder.good(&format!(
        "{xi} --bins lin:0:4:4 --covariance c1.csv -o plain.h5"
    ));
    folder.good(&format!(
        "{xi} --bins-of r --reach 4 --bins lin:0:4:4 --covariance c2.csv -o of.h5"
    ));
    let columns = ["xi", "xi_error", "xi_poisson_error", "RR_weight"];
    same(&folder, ["plain.h5", "of.h5"], &columns);
    same(&folder, ["c1.csv", "c2.csv"], &["covariance"]);
    let cross = "xi d.csv --randoms r.csv --regions 4 --los first";
    folder.good(&format!(
        "{cross} --statistic s-mu --bins lin:0:4:2 --mu-bins edges:-0.99,0,0.5,0.99 -o smu.csv"
    ));
    folder.good(&format!(
        "{cross} --bins-of r --reach 4 --bins lin:0:4:2 --second-bins-of mu --second-bins edges:-0.99,0,0.5,0.99 -o of.csv"
    ));
    same(&folder, ["smu.csv", "of.csv"], &["xi", "xi_error"]);
    let meta = folder.table("of.csv").meta;
    assert_eq!(meta["statistic"], "expressions");
    assert_eq!(meta["bins_of"], serde_json::json!(["r", "mu"]));
    assert_eq!(meta["reach"], 4.0);
    assert_eq!(meta["line_of_sight"], "first");
}

#[test]
fn saved_counts_are_taken_from_every_format_and_put_into_other_bins() {
    let folder = folder();
    let of = "--weight w --bins-of dlos*1.5 --los z --second-bins-of rp --second-bins lin:0:3:3 --reach 4";
    let xi = format!("xi d.csv --randoms r.csv {of} --bins lin:-4:4:8");
    folder.good(&format!("{xi} -o whole.csv"));
    folder.good(&format!(
        "xi d.csv --randoms r.csv {of} --bins lin:-4:4:4 -o coarse.csv"
    ));
    for ending in ["csv", "ecsv", "fits", "h5", "json", "parquet"] {
        let saved = format!("saved.{ending}");
        folder.good(&format!("{xi} -o {saved}"));
        folder.good(&format!("{xi} --reuse {saved} -o taken.csv"));
        assert_eq!(
            folder.bytes("taken.csv"),
            folder.bytes("whole.csv"),
            "{ending}"
        );
        assert_eq!(
            folder.table("taken.csv").meta["counts"]["RR"]["read_from"],
            *saved
        );
        folder.good(&format!("result rebin {saved} --by 2 -o rebinned.csv"));
        assert_eq!(
            folder.bytes("rebinned.csv"),
            folder.bytes("coarse.csv"),
            "{ending}"
        );
    }
    folder.good("result slice saved.fits --range=-2:2 -o slice.csv");
    let slice = folder.table("slice.csv");
    assert_eq!(slice.rows(), 12);
    assert_eq!(names(&slice)[..3], ["value_lo", "value_hi", "value_centre"]);
    for other in [
        xi.replace("dlos*1.5", "1.5*dlos"),
        xi.replace("--reach 4", "--reach 3.5"),
        xi.replace("--los z", "--los x"),
    ] {
        let run = folder.run(&format!("{other} --reuse saved.h5"));
        assert!(run.code == 1 && run.stderr.contains("it was counted"));
    }
}

#[test]
fn parts_engines_and_job_files_make_the_same_bytes() {
    let folder = folder().with("many.csv", &scattered(2500, 10.0, 5)).with(
        "job.toml",
        "[count.mine]\ndata = \"many.csv\"\nbox = \"10\"\nbins-of = \"d[0] + abs(d[2])\"\nbins = \"lin:-1:1:4\"\nreach = 0.9\noutput = \"job.csv\"\n",
    );
    let count = "count many.csv --box 10 --bins-of d[0]+abs(d[2]) --bins lin:-1:1:4 --reach 0.9";
    folder.good(&format!("{count} -o whole.csv"));
    for part in 0..3 {
        folder.good(&format!("{count} --shard {part}/3 --part p{part}.alb"));
    }
    folder.good("merge p2.alb p0.alb p1.alb -o merged.csv");
    folder.good(&format!("{count} --engine naive -o naive.csv"));
    folder.good("run job.toml");
    for other in ["merged.csv", "naive.csv", "job.csv"] {
        assert_eq!(folder.bytes(other), folder.bytes("whole.csv"), "{other}");
    }
    let other = count.replace("abs(d[2])", "abs(d[1])");
    folder.good(&format!("{other} --shard 1/3 --part p1.alb"));
    let run = folder.run("merge p0.alb p1.alb p2.alb -o bad.csv");
    let said =
        "parts of DD in other bins: d[0]+abs(d[2]) within 0.9, and d[0]+abs(d[1]) within 0.9";
    assert!(run.code == 1 && run.stderr.contains(said), "{}", run.stderr);
}
