//! `result combine`: parts of the sky as one, from saved results.

use albireo_catalogs::{Table, Values};

use crate::folder::{Folder, floats, integers, names, scattered};

/// Two parts far from each other, with randoms and a weight column.
fn folder() -> Folder {
    Folder::new()
        .with("n.csv", &scattered(120, 10.0, 1))
        .with("rn.csv", &scattered(300, 10.0, 2))
        .with("s.csv", &scattered(70, 8.0, 3))
        .with("rs.csv", &scattered(250, 8.0, 4))
}

/// Measures a part by these flags.
fn measure(folder: &Folder, part: &str, flags: &str) {
    folder.good(&format!(
        "xi {part}.csv --randoms r{part}.csv --weight w {flags} -o xi_{part}.ecsv -q"
    ));
}

fn total(table: &Table, name: &str) -> f64 {
    table.meta["counts"][name]["total_weight"].as_f64().unwrap()
}

fn close(found: &[f64], expected: &[f64]) {
    assert_eq!(found.len(), expected.len());
    for (found, expected) in found.iter().zip(expected) {
        assert!((found - expected).abs() < 1e-12, "{found} {expected}");
    }
}

#[test]
fn counts_of_parts_are_brought_to_their_random_pairs_and_added() {
    let folder = folder();
    for part in ["n", "s"] {
        measure(&folder, part, "--bins lin:0:4:4");
    }
    folder.good("result combine xi_n.ecsv xi_s.ecsv -o both.parquet");
    let both = folder.table("both.parquet");
    let parts = [folder.table("xi_n.ecsv"), folder.table("xi_s.ecsv")];
    let random = |part: &Table| total(part, "RR");
    let all: f64 = parts.iter().map(random).sum();
    let mut normalised = Vec::new();
    for name in ["DD", "DR", "RR"] {
        let pairs = |table: &Table| integers(table, &format!("{name}_npairs"));
        let sum: Vec<u64> = pairs(&parts[0])
            .iter()
            .zip(pairs(&parts[1]))
            .map(|(a, b)| a + b)
            .collect();
        assert_eq!(pairs(&both), sum, "{name}");
        assert!((total(&both, name) / all - 1.0).abs() < 1e-14);
        let sum = |bin: usize| {
            let share = |part: &Table| {
                let weight = floats(part, &format!("{name}_weight"))[bin];
                weight * random(part) / total(part, name)
            };
            parts.iter().map(share).sum::<f64>() / all
        };
        let expected: Vec<f64> = (0..4).map(sum).collect();
        close(&floats(&both, &format!("{name}_normalised")), &expected);
        normalised.push(expected);
    }
    let xi = |bin: usize| {
        let [dd, dr, rr] = [0, 1, 2].map(|k| normalised[k][bin]);
        (dd - 2.0 * dr + rr) / rr
    };
    close(&floats(&both, "xi"), &(0..4).map(xi).collect::<Vec<_>>());
    assert_eq!(both.meta["parts"].as_array().unwrap().len(), 2);
    assert_eq!(both.meta["estimator"], "landy-szalay");
    assert!(floats(&both, "xi_error").iter().all(|error| *error > 0.0));
}

#[test]
fn the_jackknife_runs_over_the_regions_of_all_parts() {
    let folder = folder();
    for part in ["n", "s"] {
        let flags = format!(
            "--statistic s-mu --bins lin:0:4:2 --mu-bins lin:0:1:5 --regions 4 --region-counts reg_{part}.json"
        );
        measure(&folder, part, &flags);
    }
    let files = "xi_n.ecsv xi_s.ecsv --by-region reg_n.json reg_s.json";
    folder.good(&format!(
        "result combine {files} --multipoles 0,2 --counts xi.csv --covariance cov.csv -o poles.csv"
    ));
    let poles = folder.table("poles.csv");
    assert_eq!(
        names(&poles)[3..].join(" "),
        "xi_0 xi_0_error xi_0_poisson_error xi_2 xi_2_error xi_2_poisson_error"
    );
    assert_eq!(poles.meta["errors"]["regions"], 8);
    let covariance = folder.table("cov.csv");
    let matrix = floats(&covariance, "covariance");
    assert_eq!(matrix.len(), 16);
    let errors = [floats(&poles, "xi_0_error"), floats(&poles, "xi_2_error")].concat();
    let diagonal: Vec<f64> = (0..4).map(|k| matrix[5 * k].sqrt()).collect();
    close(&errors, &diagonal);
    // A part with itself is that part; with the same regions twice over.
    let grid = folder.table("xi.csv");
    assert_eq!(grid.rows(), 10);
    for flags in ["", " --bootstrap 20", " --jackknife=mohammad-percival"] {
        folder.good(&format!("result combine {files}{flags} -o other.csv"));
        let other = folder.table("other.csv");
        close(&floats(&other, "xi"), &floats(&grid, "xi"));
        let same = floats(&other, "xi_error") == floats(&grid, "xi_error");
        assert_eq!(same, flags.is_empty(), "{flags}");
    }
}

#[test]
fn parts_may_weigh_by_their_data_pairs_and_share_regions() {
    let folder = folder();
    let split = "--split-randoms 3 --split-randoms-above 2";
    for part in ["n", "s"] {
        let flags = format!("--bins lin:0:4:4 {split} --regions 3 --region-counts reg_{part}.ecsv");
        measure(&folder, part, &flags);
    }
    let files = "xi_n.ecsv xi_s.ecsv --by data --by-region reg_n.ecsv reg_s.ecsv --match-regions";
    folder.good(&format!(
        "result combine {files} --covariance cov.csv -o both.ecsv"
    ));
    folder.good("result combine xi_n.ecsv xi_s.ecsv --by data -o plain.ecsv");
    let both = folder.table("both.ecsv");
    let parts = [folder.table("xi_n.ecsv"), folder.table("xi_s.ecsv")];
    assert_eq!(both.meta["errors"]["regions"], 3);
    assert_eq!(both.meta["parts_weigh_by"], "data pairs");
    let data = |part: &Table| total(part, "DD");
    let all: f64 = parts.iter().map(data).sum();
    let mean = |of: &dyn Fn(&Table) -> f64| {
        parts.iter().map(|part| data(part) * of(part)).sum::<f64>() / all
    };
    let normalised = ["DD", "DR", "RR"].map(|name| {
        let column = format!("{name}_normalised");
        let bin = |k: usize| mean(&|part: &Table| floats(part, &column)[k]);
        let expected: Vec<f64> = (0..4).map(bin).collect();
        close(&floats(&both, &column), &expected);
        expected
    });
    let xi = |k: usize| {
        let [dd, dr, rr] = normalised.each_ref().map(|of| of[k]);
        (dd - 2.0 * dr + rr) / rr
    };
    let xi: Vec<f64> = (0..4).map(xi).collect();
    close(&floats(&both, "xi"), &xi);
    close(&floats(&folder.table("plain.ecsv"), "xi"), &xi);
    // Its split is that of the parts, and may be combined again.
    let record = &both.meta["counts"]["RR"];
    assert_eq!(
        (&record["split"]["subsets"], &record["split"]["above"]),
        (&3.into(), &2.0.into())
    );
    assert!((total(&both, "RR") / all - 1.0).abs() < 1e-14);
    folder.good("result combine plain.ecsv xi_n.ecsv --by data -o again.ecsv");
    let matrix = floats(&folder.table("cov.csv"), "covariance");
    let errors: Vec<f64> = (0..4).map(|k| matrix[5 * k].sqrt()).collect();
    close(&floats(&both, "xi_error"), &errors);
    folder.good(&format!(
        "result combine {} -o apart.ecsv",
        files.replace("--match-regions", "")
    ));
    let apart = folder.table("apart.ecsv");
    assert_eq!(apart.meta["errors"]["regions"], 6);
    close(&floats(&apart, "xi"), &xi);
    assert!(floats(&apart, "xi_error") != floats(&both, "xi_error"));
}

#[test]
fn wp_is_made_of_the_combined_counts() {
    let folder = folder();
    for part in ["n", "s"] {
        let flags = "--statistic rp-pi --bins lin:0:4:2 --pi-bins lin:0:4:2";
        measure(&folder, part, flags);
    }
    folder.good("result combine xi_n.ecsv xi_s.ecsv --wp --counts xi.json -o wp.csv");
    let xi = floats(&folder.table("xi.json"), "xi");
    let wp = floats(&folder.table("wp.csv"), "wp");
    close(&wp, &[4.0 * (xi[0] + xi[1]), 4.0 * (xi[2] + xi[3])]);
    assert_eq!(
        folder.table("wp.csv").kind().unwrap().name(),
        "projected correlation function"
    );
}

#[test]
fn wp_up_to_a_distance_and_wedges_are_made_of_them_too() {
    let folder = folder();
    for part in ["n", "s"] {
        measure(
            &folder,
            part,
            "--statistic rp-pi --bins lin:0:4:2 --pi-bins lin:0:4:2",
        );
    }
    folder.good("result combine xi_n.ecsv xi_s.ecsv --wp --pi-max 2 --counts xi.json -o wp.csv");
    let xi = floats(&folder.table("xi.json"), "xi");
    let wp = folder.table("wp.csv");
    close(&floats(&wp, "wp"), &[4.0 * xi[0], 4.0 * xi[2]]);
    assert_eq!(wp.meta["pi_max"], 2.0);
    for part in ["n", "s"] {
        let flags = format!(
            "--statistic s-mu --bins lin:0:4:2 --mu-bins lin:0:1:4 --regions 4 --region-counts reg_{part}.json"
        );
        measure(&folder, part, &flags);
    }
    let files = "xi_n.ecsv xi_s.ecsv --by-region reg_n.json reg_s.json";
    folder.good(&format!(
        "result combine {files} --wedges 2 --counts xi.csv --covariance cov.csv -o wedges.csv"
    ));
    let (grid, wedges) = (
        floats(&folder.table("xi.csv"), "xi"),
        folder.table("wedges.csv"),
    );
    let mean = |wedge: usize| -> Vec<f64> {
        let of = |s: usize| 0.5 * (grid[4 * s + 2 * wedge] + grid[4 * s + 2 * wedge + 1]);
        (0..2).map(of).collect()
    };
    close(&floats(&wedges, "xi_wedge_0"), &mean(0));
    close(&floats(&wedges, "xi_wedge_1"), &mean(1));
    let errors = ["xi_wedge_0_error", "xi_wedge_1_error"]
        .map(|name| floats(&wedges, name))
        .concat();
    let matrix = floats(&folder.table("cov.csv"), "covariance");
    close(
        &errors,
        &(0..4).map(|k| matrix[5 * k].sqrt()).collect::<Vec<_>>(),
    );
    folder.good(&format!(
        "result combine {files} --wedge-edges 0,0.5,1 -o edges.csv"
    ));
    let edges = folder.table("edges.csv");
    assert_eq!(floats(&edges, "xi_wedge_1"), floats(&wedges, "xi_wedge_1"));
}

#[test]
fn a_job_combines_caps() {
    let job = r#"
        [sweep]
        cap = ["n", "s"]
        [xi]
        data = "{cap}.csv"
        randoms = "r{cap}.csv"
        weight = "w"
        bins = "lin:0:4:4"
        regions = 3
        [xi.caps]
        region-counts = "regions_{cap}.csv"
        output = "xi_{cap}.csv"
        [result.combine]
        results = "xi_{cap:all}.csv"
        by-region = "regions_{cap:all}.csv"
        output = "both.csv"
    "#;
    let folder = folder().with("job.toml", job);
    let said = folder.good("run job.toml").stderr;
    assert!(said.contains("3 of 3: [result.combine]"), "{said}");
    let both = folder.table("both.csv");
    assert_eq!(both.meta["errors"]["regions"], 6);
    assert!(matches!(&both.column("xi").unwrap().values, Values::Floats(xi) if xi.len() == 4));
    let said = folder.good("run job.toml").stderr;
    assert!(said.contains("3 of 3 were done already"), "{said}");
}
