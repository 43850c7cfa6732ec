//! Errors from regions: `--regions` and its relatives, `--jackknife`, `--bootstrap`.

use std::fmt::Write as _;

use albireo_catalogs::Table;

use crate::folder::{Folder, floats, integers, names, scattered};

/// The points of [`scattered`] with a column of the eighth of the cube that each lies in, from 10.
fn with_regions(n: u64, length: f64, seed: u64) -> String {
    let mut text = String::new();
    for (row, line) in scattered(n, length, seed).lines().enumerate() {
        let half = |field: &str| u32::from(field.parse::<f64>().unwrap() >= length / 2.0);
        let fields: Vec<&str> = line.split(',').collect();
        let region = match row {
            0 => "reg".to_owned(),
            _ => (10 + 4 * half(fields[0]) + 2 * half(fields[1]) + half(fields[2])).to_string(),
        };
        writeln!(text, "{line},{region}").unwrap();
    }
    text
}

fn folder() -> Folder {
    Folder::new()
        .with("d.csv", &with_regions(200, 10.0, 1))
        .with("r.csv", &with_regions(500, 10.0, 2))
        .with("s.csv", &with_regions(150, 10.0, 3))
        .with("q.csv", &with_regions(450, 10.0, 4))
}

/// Standard deviations and mean products of a jackknife over rows, as matrix rows.
pub(crate) fn jackknife(rows: &[Vec<f64>]) -> Vec<f64> {
    let n = rows.len() as f64;
    let bins = rows[0].len();
    let mean = |b: usize| rows.iter().map(|row| row[b]).sum::<f64>() / n;
    let cell = |i: usize, j: usize| {
        let products = rows
            .iter()
            .map(|row| (row[i] - mean(i)) * (row[j] - mean(j)));
        (n - 1.0) / n * products.sum::<f64>()
    };
    (0..bins * bins).map(|k| cell(k / bins, k % bins)).collect()
}

pub(crate) fn close(found: &[f64], expected: &[f64]) {
    assert_eq!(found.len(), expected.len());
    for (found, expected) in found.iter().zip(expected) {
        assert!(
            (found - expected).abs() <= 1e-9 * expected.abs().max(1e-3),
            "{found} {expected}"
        );
    }
}

/// Numbers of a column by sample, in the order of the rows.
fn of_sample(table: &Table, sample: u64, column: &str) -> Vec<f64> {
    let samples = integers(table, "sample");
    let values = match column {
        "region" => integers(table, column)
            .into_iter()
            .map(|n| n as f64)
            .collect(),
        _ => floats(table, column),
    };
    let rows = samples.into_iter().zip(values);
    rows.filter(|(of, _)| *of == sample)
        .map(|(_, value)| value)
        .collect()
}

#[test]
fn layers_of_distance_are_written_and_given_back() {
    let folder = folder();
    let bins = "--statistic s-mu --bins lin:0:5:2 --mu-bins lin:0:1:2 --covariance cov.csv";
    folder.good(&format!(
        "xi d.csv --randoms r.csv --weight w --regions 3 --regions-radial 2 {bins} --regions-output where.ecsv --region-sums sums.csv -o xi.csv"
    ));
    let (rows, sums) = (folder.table("where.ecsv"), folder.table("sums.csv"));
    assert_eq!(names(&rows).join(" "), "sample x y z weight region");
    let xi = folder.table("xi.csv");
    assert_eq!(xi.meta["regions"]["number"], 6);
    let distances = |sample| {
        let [x, y, z] = ["x", "y", "z"].map(|axis| of_sample(&rows, sample, axis));
        let distance = |k: usize| ((x[k] * x[k] + y[k] * y[k]) + z[k] * z[k]).sqrt();
        (0..x.len()).map(distance).collect::<Vec<_>>()
    };
    let mut data = distances(0);
    data.sort_unstable_by(f64::total_cmp);
    let middle = 0.5 * (data[99] + data[100]);
    let between = &xi.meta["regions"]["layers"]["between"];
    assert_eq!(between[0].as_f64().unwrap(), middle);
    folder.good("xi d.csv --randoms r.csv --weight w --regions 3 --bins lin:0:5:2 --regions-output sky.json -o plain.csv");
    let across = folder.table("sky.json");
    for (sample, rows_of, name) in [(0, 200, "data_weight"), (1, 500, "randoms_weight")] {
        let (found, expected) = (
            of_sample(&rows, sample, "region"),
            of_sample(&across, sample, "region"),
        );
        assert_eq!(found.len(), rows_of);
        let distances = distances(sample);
        for (k, found) in found.iter().enumerate() {
            let layer = f64::from(u8::from(distances[k] >= middle));
            assert_eq!(*found, 2.0 * expected[k] + layer);
        }
        let weights = of_sample(&rows, sample, "weight");
        for (region, sum) in floats(&sums, name).into_iter().enumerate() {
            let rest = found
                .iter()
                .zip(&weights)
                .filter(|(of, _)| **of != region as f64);
            let rest: f64 = rest.map(|(_, weight)| weight).sum();
            assert!((sum / rest - 1.0).abs() < 1e-14);
        }
    }
    assert_eq!(integers(&sums, "region"), [0, 1, 2, 3, 4, 5]);
    // Rows with their regions are a catalogue that gives the same estimate and errors.
    let covariance = floats(&folder.table("cov.csv"), "covariance");
    let places = "--positions x,y,z --weight weight --where sample==0 --randoms-where sample==1";
    folder.good(&format!(
        "xi where.ecsv --randoms where.ecsv {places} --regions-column region {bins} -o again.csv --overwrite"
    ));
    assert_eq!(floats(&folder.table("cov.csv"), "covariance"), covariance);
    assert_eq!(folder.table("again.csv").columns, xi.columns);
}

#[test]
fn weights_without_regions_have_those_of_bits() {
    let folder = folder();
    let mut text = String::new();
    for (row, line) in with_regions(200, 10.0, 1).lines().enumerate() {
        let bits = if row == 0 {
            "bits".to_owned()
        } else {
            (row % 7).to_string()
        };
        writeln!(text, "{line},{bits}").unwrap();
    }
    let folder = folder.with("b.csv", &text);
    folder.good("xi b.csv --randoms r.csv --weight w --bits bits --pip-realizations 65 --regions-column reg --bins lin:0:5:2 --region-sums sums.csv -o xi.csv");
    let table = folder.table("sums.csv");
    let mut sums = vec![0.0; 8];
    for line in text.lines().skip(1) {
        let fields: Vec<f64> = line
            .split(',')
            .map(|field| field.parse().unwrap())
            .collect();
        let set = (fields[5] as u64).count_ones();
        let weight = fields[3] * 65.0 / (1.0 + f64::from(set));
        for (region, sum) in sums.iter_mut().enumerate() {
            if fields[4] as usize != region + 10 {
                *sum += weight;
            }
        }
    }
    for (found, expected) in floats(&table, "data_weight").iter().zip(&sums) {
        assert!((found / expected - 1.0).abs() < 1e-13, "{found} {expected}");
    }
}

/// What the program gives of the rows outside each region is what its jackknife is made of.
fn is_the_scatter_of_runs(command: &str, files: &[&str], value: &str, weight: &str) {
    let folder = folder();
    folder.good(&format!(
        "{command} {weight} --regions-column reg --covariance cov.ecsv -o all.csv"
    ));
    let mut rows = Vec::new();
    for region in 10..18 {
        let mut arguments: Vec<&str> = command.split_whitespace().collect();
        arguments.extend(weight.split_whitespace());
        let rest = format!("reg != {region}");
        arguments.extend(["--where", &rest, "-o", "rest.csv"]);
        assert_eq!(folder.run_with(&arguments).code, 0, "{arguments:?}");
        rows.push(floats(&folder.table("rest.csv"), value));
    }
    let expected = jackknife(&rows);
    let table = folder.table("cov.ecsv");
    close(&floats(&table, "covariance"), &expected);
    let bins = rows[0].len();
    assert_eq!(table.rows(), bins * bins);
    let errors = floats(&folder.table("all.csv"), &format!("{value}_error"));
    let of = |k: usize| expected[k * bins + k].sqrt();
    close(&errors, &(0..bins).map(of).collect::<Vec<_>>());
    let all = folder.table("all.csv");
    let column = all.column(&format!("{value}_error")).unwrap();
    assert_eq!(
        column.description,
        format!("error of {value}: jackknife of 8 regions")
    );
    assert_eq!(all.meta["errors"]["regions"], 8);
    assert_eq!(all.meta["regions"]["values"][7], 17);
    assert_eq!(files.len(), all.meta["samples"].as_array().unwrap().len());
}

#[test]
fn a_jackknife_is_the_scatter_of_runs_without_each_region() {
    let of_one = ["d.csv", "r.csv"];
    let r = "xi d.csv --randoms r.csv --bins lin:0:5:4";
    is_the_scatter_of_runs(r, &of_one, "xi", "");
    is_the_scatter_of_runs(
        &format!("{r} --estimator hamilton"),
        &of_one,
        "xi",
        "--weight w",
    );
    let wp = "wp d.csv --randoms r.csv --bins lin:0:4:3 --pi-bins lin:0:4:2";
    is_the_scatter_of_runs(wp, &of_one, "wp", "");
    let cross = "xi d.csv --cross s.csv --randoms r.csv --cross-randoms r.csv --bins lin:1:5:3";
    is_the_scatter_of_runs(
        cross,
        &["d.csv", "s.csv", "r.csv", "r.csv"],
        "xi",
        "--weight w",
    );
}

#[test]
fn two_tracers_and_shifted_randoms_leave_regions_out() {
    // Each tracer has randoms of its own.
    let tracers = "d.csv --cross s.csv --randoms r.csv --cross-randoms q.csv";
    let of_two = ["d.csv", "r.csv", "s.csv", "q.csv"];
    let cylinders = "--bins lin:0:4:2 --pi-bins lin:-4:4:4";
    let wedges = "--statistic s-mu --bins lin:1:5:2 --mu-bins lin:0:1:4";
    for (command, value) in [
        (format!("wp {tracers} {cylinders}"), "wp"),
        (format!("xi {tracers} {wedges} --multipoles 2"), "xi_2"),
        (
            format!("xi {tracers} {wedges} --estimator (D1D2-D1R2-R1D2)/R1R2+1"),
            "xi",
        ),
    ] {
        is_the_scatter_of_runs(&command, &of_two, value, "--weight w");
    }
    let shifted = "d.csv --randoms r.csv --shifted-randoms q.csv";
    let of_one = ["d.csv", "r.csv", "q.csv"];
    for (command, value) in [
        (format!("xi {shifted} --bins lin:0:5:3"), "xi"),
        (format!("wp {shifted} {cylinders}"), "wp"),
        (format!("xi {shifted} {wedges} --multipoles 0"), "xi_0"),
    ] {
        is_the_scatter_of_runs(&command, &of_one, value, "--weight w");
    }
}

#[test]
fn region_counts_add_up_to_the_counts() {
    let folder = folder();
    folder.good("xi d.csv --randoms r.csv --weight w --bins lin:0:5:4 --regions 6 --region-counts rc.parquet -o xi.csv");
    let (all, regions) = (folder.table("xi.csv"), folder.table("rc.parquet"));
    assert_eq!(regions.rows(), 6 * 4);
    assert_eq!(integers(&regions, "region")[4..8], [1; 4]);
    for name in ["DD", "DR", "RR"] {
        let column = |part: &str| integers(&regions, &format!("{name}_{part}_npairs"));
        let (within, across) = (column("within"), column("across"));
        let whole = integers(&all, &format!("{name}_npairs"));
        for (bin, &whole) in whole.iter().enumerate() {
            let sum = |column: &[u64]| column.iter().skip(bin).step_by(4).sum::<u64>();
            assert_eq!(2 * sum(&within) + sum(&across), 2 * whole, "{name} {bin}");
        }
        let totals = &regions.meta["region_totals"][name]["within"]["pairs"];
        assert_eq!(totals.as_array().unwrap().len(), 6);
        assert!(regions.column(&format!("{name}_across_weight")).is_some());
    }
    assert_eq!(all.meta["regions"]["by"], "k-means in space");
    assert_eq!(all.meta["regions"]["made_of"], "randoms");
    // The counts themselves are those without regions.
    folder.good("xi d.csv --randoms r.csv --weight w --bins lin:0:5:4 -o plain.csv");
    let plain = folder.table("plain.csv");
    for column in plain
        .columns
        .iter()
        .filter(|column| column.name != "xi_error")
    {
        assert_eq!(Some(column), all.column(&column.name), "{}", column.name);
    }
    let poisson = floats(&all, "xi_poisson_error");
    assert_eq!(poisson, floats(&plain, "xi_error"));
}

#[test]
fn multipoles_share_a_covariance() {
    let folder = folder();
    let command = "xi d.csv --box 10 --statistic s-mu --bins lin:0:4:2 --mu-bins lin:0:1:4 --multipoles 0,2 --regions-cubes 2";
    folder.good(&format!(
        "{command} --covariance cov.json -o poles.csv --counts grid.csv"
    ));
    let (poles, covariance) = (folder.table("poles.csv"), folder.table("cov.json"));
    assert_eq!(
        names(&poles)[3..].join(" "),
        "xi_0 xi_0_error xi_0_poisson_error xi_2 xi_2_error xi_2_poisson_error"
    );
    let all = floats(&covariance, "covariance");
    assert_eq!(all.len(), 16);
    let errors = [floats(&poles, "xi_0_error"), floats(&poles, "xi_2_error")].concat();
    close(&errors, &[0, 5, 10, 15].map(|k: usize| all[k].sqrt()));
    assert_eq!(integers(&covariance, "column_ell")[..4], [0, 0, 2, 2]);
    assert_eq!(covariance.meta["covariance_of"], "multipoles");
    let correlation = floats(&covariance, "correlation");
    close(&[correlation[1]], &[all[1] / (all[0] * all[5]).sqrt()]);
    assert!(
        folder
            .table("grid.csv")
            .column("xi_poisson_error")
            .is_some()
    );
    // Weighed as Mohammad and Percival do, and drawn again: other errors, of their own names.
    for (flag, method) in [
        (
            "--jackknife=mohammad-percival",
            "Mohammad-Percival jackknife",
        ),
        ("--bootstrap 20", "bootstrap"),
    ] {
        folder.good(&format!("{command} {flag} -o other.csv"));
        let other = folder.table("other.csv");
        assert_eq!(other.meta["errors"]["method"], method);
        assert_ne!(floats(&other, "xi_0_error"), floats(&poles, "xi_0_error"));
        assert_eq!(floats(&other, "xi_0"), floats(&poles, "xi_0"));
    }
}

#[test]
fn covariances_without_an_inverse_are_warned_of() {
    let folder = folder();
    let command = "xi d.csv --box 10 --bins lin:0.5:4:5 --regions-cubes 2 --covariance c.json";
    let told = |flags: &str, part: &str| {
        let run = folder.good(&format!("{command} {flags} -o xi.csv"));
        assert!(run.stderr.contains(part), "{flags}: {}", run.stderr);
        folder.table("c.json").meta["errors"]["hartlap_factor"].clone()
    };
    let singular = "has rank 4 at most and no inverse, which takes more realisations than bins; a Hartlap factor takes 8 at least";
    let few = format!("5 realisations of 5 bins: the covariance {singular}");
    assert!(told("--bootstrap 5", &few).is_null());
    // (8 - 5 - 2)/(8 - 1)
    let factor = told(
        "",
        "8 regions of 5 bins: the Hartlap factor of the inverse is 0.1428571",
    );
    assert_eq!(factor, 1.0 / 7.0);
    let wp = "wp d.csv --box 10 --bins lin:0.5:4:9 --pi-bins lin:0:4:4 --regions-cubes 2 -o wp.csv";
    let run = folder.good(&format!("{wp} --covariance c.json"));
    let singular = "8 regions of 9 bins: the covariance has rank 7 at most and no inverse, which takes more regions than bins; a Hartlap factor takes 12 at least";
    assert!(run.stderr.contains(singular), "{}", run.stderr);
    assert!(!folder.good(wp).stderr.contains("rank"));
}

#[test]
fn threads_and_engines_do_not_change_a_covariance() {
    let folder = folder();
    let command =
        "xi d.csv --randoms r.csv --bins lin:0:5:4 --regions 5 --bootstrap 30 --regions-seed 4";
    folder.good(&format!("{command} --threads 1 --covariance one.csv"));
    folder.good(&format!("{command} --threads 3 --covariance three.csv"));
    folder.good(&format!("{command} --engine naive --covariance naive.csv"));
    assert_eq!(folder.text("one.csv"), folder.text("three.csv"));
    assert_eq!(folder.text("one.csv"), folder.text("naive.csv"));
}

#[test]
fn the_sky_is_cut_for_angles() {
    let folder = Folder::new();
    let sky = |n, seed| {
        let rows = scattered(n, 40.0, seed);
        rows.replacen("x,y,z,w", "ra,dec,z,w", 1)
    };
    let folder = folder
        .with("d.csv", &sky(300, 1))
        .with("r.csv", &sky(900, 2));
    for cut in ["--regions 6", "--regions-nside 1"] {
        folder.good(&format!(
            "xi d.csv --randoms r.csv --statistic theta --bins lin:0:8:3 {cut} --covariance cov.csv -o w.csv"
        ));
        let w = folder.table("w.csv");
        let by = w.meta["regions"]["by"].as_str().unwrap();
        assert!(["k-means on the sky", "HEALPix"].contains(&by), "{by}");
        assert!(floats(&w, "xi_error").iter().all(|error| *error > 0.0));
    }
}

#[cfg(feature = "plot")]
#[test]
fn correlation_matrices_are_drawn() {
    let folder = folder();
    folder.good("xi d.csv --randoms r.csv --bins log:0.5:5:4 --regions 6 --covariance cov.csv --region-counts rc.csv -o xi.csv");
    folder.good("plot cov.csv -o cov.svg");
    let text = folder.text("cov.svg");
    // The diagonal is 1, in the darkest red.
    assert_eq!(text.matches("#681420").count(), 4, "{text}");
    let run = folder.run("plot rc.csv -o rc.svg");
    assert!(
        run.stderr
            .contains("there is no figure of pair counts by region"),
        "{}",
        run.stderr
    );
    let mixed = folder.run("plot cov.csv xi.csv -o both.svg");
    assert_ne!(mixed.code, 0);
}

#[test]
#[cfg(feature = "plot")]
fn regions_are_drawn_on_the_sky_and_in_a_box() {
    let sky = |n, seed| {
        let rows = scattered(n, 1.0, seed);
        let rows = rows.lines().skip(1).map(|line| {
            let values: Vec<f64> = line
                .split(',')
                .map(|value| value.parse().unwrap())
                .collect();
            format!("{},{}\n", 20.0 * values[0] - 10.0, 10.0 * values[1])
        });
        format!("RA,DEC\n{}", rows.collect::<String>())
    };
    let folder = Folder::new()
        .with("sky.csv", &sky(60, 5))
        .with("more.csv", &sky(90, 6))
        .with("box.csv", &scattered(300, 10.0, 1));
    let sky = "xi sky.csv --randoms more.csv --statistic theta --bins lin:0.1:5:2";
    let of_box = "xi box.csv --box 10 --weight none --bins lin:0:2:2";
    for (command, map) in [
        (format!("{sky} --regions 3"), "sky.svg"),
        (format!("{of_box} --regions-cubes 2"), "box.png"),
    ] {
        folder.good(&format!("{command} --region-map {map}"));
        let bytes = folder.bytes(map);
        let start: &[u8] = if map == "sky.svg" {
            b"<svg "
        } else {
            b"\x89PNG"
        };
        assert!(bytes.starts_with(start) && bytes.len() > 5000, "{map}");
    }
    let before = folder.names();
    for (arguments, words) in [
        (
            format!("{sky} --region-map a.png"),
            "--region-map needs regions: --regions N",
        ),
        (
            format!("{sky} --regions 3 --region-map a.txt"),
            ".png, .svg or .pdf",
        ),
        (
            format!("{sky} --regions 3 --region-map none/a.png"),
            "--region-map: cannot write none/a.png",
        ),
    ] {
        let run = folder.run(&arguments);
        assert_ne!(run.code, 0, "{arguments}");
        assert!(run.stderr.contains(words), "{arguments}: {}", run.stderr);
        assert_eq!(folder.names(), before);
    }
}
