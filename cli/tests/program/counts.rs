//! `albireo count`, with answers worked out by hand.

use crate::folder::{Folder, floats, integers, names};

const LINE: &str = "# x y z\n0 0 0\n1 0 0\n3 0 0\n";

#[test]
fn three_points_on_a_line() {
    let folder = Folder::new().with("line.txt", LINE);
    let run = folder.good("count line.txt --bins lin:0:4:4 -o dd.csv --mean-separation");
    let table = folder.table("dd.csv");
    assert_eq!(names(&table).join(" "), "lo hi centre npairs sum_r mean_r");
    assert_eq!(floats(&table, "sum_r"), [0.0, 1.0, 2.0, 3.0]);
    assert_eq!(integers(&table, "npairs"), [0, 1, 1, 1]);
    assert_eq!(floats(&table, "mean_r")[1..], [1.0, 2.0, 3.0]);
    assert!(floats(&table, "mean_r")[0].is_nan());
    let lines: Vec<&str> = run.stdout.lines().collect();
    assert_eq!(
        lines,
        [
            "lo  hi  centre  npairs  mean_r",
            " 0   1     0.5       0     nan",
            " 1   2     1.5       1       1",
            " 2   3     2.5       1       2",
            " 3   4     3.5       1       3"
        ]
    );
}

#[test]
fn a_periodic_box_shortens_separations() {
    let folder = Folder::new().with("line.txt", LINE);
    folder.good("count line.txt --box 4 --bins edges:0,1,2 -o dd.json");
    // 0-1 and 0-3 (through the face) are 1 apart, 1-3 are 2 apart, which is beyond the last bin.
    assert_eq!(integers(&folder.table("dd.json"), "npairs"), [0, 2]);
    folder.good("count line.txt --box none,4,4 --bins edges:0,1,2 -o open.json");
    assert_eq!(integers(&folder.table("open.json"), "npairs"), [0, 1]);
    folder.good("count line.txt --box 4,0,0,0,4,0,0,0,4 --bins edges:0,1,2 -o cell.json");
    assert_eq!(integers(&folder.table("cell.json"), "npairs"), [0, 2]);
    assert_eq!(folder.table("cell.json").meta["box"]["kind"], "triclinic");
}

#[test]
fn two_files_make_a_cross_count() {
    let folder = Folder::new()
        .with("a.txt", LINE)
        .with("b.csv", "X,Y,Z\n0,0,0.5\n");
    folder.good("count a.txt b.csv --bins edges:0,1,2,4 -o dr.json");
    let table = folder.table("dr.json");
    assert_eq!(integers(&table, "npairs"), [1, 1, 1]);
    assert_eq!(table.meta["counts"]["D1D2"]["total_pairs"], 3);
    assert_eq!(table.meta["counts"]["D1D2"]["kind"], "cross");
}

#[test]
fn weights_are_summed_as_products() {
    let folder = Folder::new().with("w.csv", "x,y,z,w\n0,0,0,0.5\n1,0,0,2\n0,1,0,-4\n");
    folder.good("count w.csv --weight w --bins edges:0.5,1.2,2 -o dd.ecsv");
    let table = folder.table("dd.ecsv");
    assert_eq!(integers(&table, "npairs"), [2, 1]);
    assert_eq!(floats(&table, "weight"), [0.5 * 2.0 - 0.5 * 4.0, -8.0]);
    assert_eq!(table.meta["counts"]["DD"]["total_weight"], 1.0 - 2.0 - 8.0);
    let plain = folder.good("count w.csv --bins edges:0.5,1.2,2");
    assert!(
        plain
            .stderr
            .contains("`w` looks like a weight and is not used"),
        "{}",
        plain.stderr
    );
}

#[test]
fn two_dimensional_bins_name_their_axes() {
    let folder = Folder::new().with("p.txt", "0 0 0\n0 0 1\n2 0 0\n");
    folder.good("count p.txt --positions col1,col2,col3 --box 20 --statistic rp-pi --bins edges:0,1,3 --pi-bins edges:0,0.5,2 -o rppi.csv");
    let table = folder.table("rppi.csv");
    assert_eq!(
        names(&table).join(" "),
        "rp_lo rp_hi rp_centre pi_lo pi_hi pi_centre npairs"
    );
    assert_eq!(floats(&table, "pi_lo"), [0.0, 0.5, 0.0, 0.5]);
    assert_eq!(integers(&table, "npairs"), [0, 1, 1, 1]);
    assert_eq!(table.meta["line_of_sight"], "z");
    folder.good("count p.txt --positions col1,col2,col3 --box 20 --los x --statistic s-mu --bins edges:0.5,1.5,3 --mu-bins lin:0:1:2 -o smu.csv");
    let table = folder.table("smu.csv");
    assert_eq!(names(&table)[3..].join(" "), "mu_lo mu_hi mu_centre npairs");
    assert_eq!(integers(&table, "npairs"), [1, 0, 0, 2]);
}

#[test]
fn signed_bins_count_both_orders() {
    let folder = Folder::new().with("p.txt", "x y z\n0 0 0\n0 0 1\n");
    folder.good("count p.txt --box 20 --statistic rp-pi --bins edges:0,1 --pi-bins edges:-2,0,2 -o rppi.csv");
    let table = folder.table("rppi.csv");
    assert_eq!(integers(&table, "npairs"), [1, 1]);
    assert_eq!(table.meta["counts"]["DD"]["total_pairs"], 2);
}

#[test]
fn angles_come_from_the_sky_or_from_positions() {
    let folder = Folder::new()
        .with("sky.csv", "RA,DEC\n10,0\n10,1\n100,0\n")
        .with("space.txt", "x y z\n5 0 0\n0 7 0\n-1 0 0\n");
    folder.good("count sky.csv --statistic theta --bins edges:0.5,1.5,80,95 -o sky.json");
    assert_eq!(integers(&folder.table("sky.json"), "npairs"), [1, 0, 2]);
    folder.good("count space.txt --statistic theta --bins edges:80,100,180 -o space.json");
    assert_eq!(integers(&folder.table("space.json"), "npairs"), [2, 1]);
}

#[test]
fn bins_may_come_from_a_file() {
    let folder = Folder::new()
        .with("line.txt", LINE)
        .with("bins", "0.5 1.5 # first\n1.5 4\n");
    folder.good("count line.txt --bins @bins -o dd.csv");
    let table = folder.table("dd.csv");
    assert_eq!(integers(&table, "npairs"), [1, 2]);
    assert_eq!(table.meta["edges"]["r"], serde_json::json!([0.5, 1.5, 4.0]));
}

#[test]
fn the_metadata_say_how_the_result_was_made() {
    let folder = Folder::new().with("line.txt", LINE);
    folder.good("count line.txt --box 10 --bins lin:0:4:4 --unit Mpc/h -o dd.csv");
    let meta = folder.table("dd.csv").meta;
    let sample = &meta["samples"][0];
    assert_eq!(sample["path"], "line.txt");
    assert_eq!(sample["rows_used"], 3);
    assert_eq!(sample["sha256"].as_str().unwrap().len(), 64);
    assert_eq!(sample["positions"], serde_json::json!(["x", "y", "z"]));
    assert_eq!(
        meta["box"]["lengths"],
        serde_json::json!([10.0, 10.0, 10.0])
    );
    assert_eq!(
        meta["command"],
        "albireo count line.txt --box 10 --bins lin:0:4:4 --unit Mpc/h -o dd.csv"
    );
    assert_eq!(meta["result"], "pair counts");
    assert_eq!(meta["statistic"], "r");
    assert_eq!(meta["unit"], "Mpc/h");
    assert_eq!(meta["counts"]["DD"]["job"].as_str().unwrap().len(), 16);
    assert!(!meta["engine"].as_str().unwrap().is_empty());
    assert!(meta["wall_seconds"].as_f64().unwrap() >= 0.0);
}

#[test]
fn engines_give_the_same_integers() {
    let folder = Folder::new().with("cloud.csv", &crate::folder::scattered(500, 10.0, 7));
    let count = |engine: &str| {
        folder.good(&format!(
            "count cloud.csv --box 10 --weight w --bins log:0.1:5:12 --engine {engine} -o out.json"
        ));
        let table = folder.table("out.json");
        (integers(&table, "npairs"), floats(&table, "weight"))
    };
    let naive = count("naive");
    assert!(naive.0.iter().sum::<u64>() > 10_000);
    assert_eq!(count("auto"), naive);
    assert_eq!(count("cpu --threads 1"), naive);
    assert_eq!(count("cpu --threads 3"), naive);
}
