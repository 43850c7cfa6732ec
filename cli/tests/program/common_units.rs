//! Samples in different units of length, and in another one than `--unit`.

use crate::folder::{Folder, integers};

/// An ECSV file of positions in a unit or none, in a box or none.
fn ecsv(unit: &str, length: Option<f64>, rows: &str) -> String {
    let mut text = String::from("# %ECSV 1.0\n# ---\n# delimiter: ','\n");
    if let Some(length) = length {
        text = format!("{text}# meta: !!omap\n# - BoxSize: {length:?}\n");
    }
    text += "# datatype:\n";
    for axis in ["x", "y", "z"] {
        text = format!("{text}# - name: {axis}\n#   datatype: float64\n");
        if !unit.is_empty() {
            text = format!("{text}#   unit: {unit}\n");
        }
    }
    text + "x,y,z\n" + rows
}

/// 500 kpc apart, and 500 kpc across the border of a box of 2 Mpc.
const ROWS: &str = "100,100,100\n400,500,100\n1900,100,100\n";

fn folder() -> Folder {
    Folder::new()
        .with("kpc.ecsv", &ecsv("kpc", Some(2000.0), ROWS))
        .with("mpc.ecsv", &ecsv("Mpc", None, "0.1,0.1,0.4\n"))
        .with("h.ecsv", &ecsv("Mpc/h", None, "0.1,0.1,0.4\n"))
        .with("nm.ecsv", &ecsv("nm", None, "0.1,0.1,0.4\n"))
        .with("furlong.ecsv", &ecsv("furlong", None, "0.1,0.1,0.4\n"))
        .with("plain.ecsv", &ecsv("", None, "0.1,0.1,0.1\n0.4,0.5,0.1\n"))
}

#[test]
fn positions_and_boxes_become_those_of_the_unit_asked_for() {
    let folder = folder();
    let bins = "--bins edges:0.1,0.19,0.21,0.49,0.51,0.6";
    let run = folder.good(&format!("count kpc.ecsv {bins} --unit Mpc -o c.ecsv"));
    let table = folder.table("c.ecsv");
    // 0.2 Mpc apart around the border, 0.5 and 0.64 Mpc.
    assert_eq!(integers(&table, "npairs"), [0, 1, 0, 1, 0]);
    assert_eq!(table.column("lo").unwrap().unit.as_deref(), Some("Mpc"));
    assert_eq!(table.meta["box"]["lengths"][0], 2.0);
    let said = "kpc.ecsv: lengths in kpc: multiplied by 0.001 to Mpc";
    assert!(run.stderr.contains(said), "{}", run.stderr);
    let noted = &table.meta["samples"][0]["converted"]["lengths"];
    assert_eq!(
        (&noted["from"], &noted["factor"]),
        (&"kpc".into(), &0.001.into())
    );
    // A number is in the unit asked for, a box with a unit in its own.
    for space in ["2", "2000kpc", "2Mpc"] {
        let run = folder.good(&format!(
            "count kpc.ecsv {bins} --unit Mpc --box {space} -o c.csv"
        ));
        assert_eq!(integers(&folder.table("c.csv"), "npairs"), [0, 1, 0, 1, 0]);
        assert!(!run.stderr.contains("states"), "{space}: {}", run.stderr);
    }
    let own = "count kpc.ecsv --bins edges:100,190,210,490,510,600 --box 2Mpc -o c.ecsv";
    folder.good(own);
    let table = folder.table("c.ecsv");
    assert_eq!(integers(&table, "npairs"), [0, 1, 0, 1, 0]);
    assert_eq!(table.column("lo").unwrap().unit.as_deref(), Some("kpc"));
    // What states no unit is in the one asked for, as before.
    folder.good(&format!("count plain.ecsv {bins} --unit Mpc -o c.ecsv"));
    let table = folder.table("c.ecsv");
    assert_eq!(integers(&table, "npairs"), [0, 0, 0, 1, 0]);
    assert_eq!(table.column("lo").unwrap().unit.as_deref(), Some("Mpc"));
}

#[test]
fn later_samples_are_in_the_unit_of_the_first() {
    let folder = folder();
    let bins = "--bins edges:290,310,500,600 --box none";
    let run = folder.good(&format!("count kpc.ecsv mpc.ecsv {bins} -o c.ecsv"));
    let table = folder.table("c.ecsv");
    // From (0.1, 0.1, 0.4) Mpc: 300 kpc, and 583 to the second.
    assert_eq!(integers(&table, "npairs"), [1, 0, 1]);
    assert_eq!(table.column("lo").unwrap().unit.as_deref(), Some("kpc"));
    let said = "mpc.ecsv: lengths in Mpc: multiplied by 1000 to kpc";
    assert!(run.stderr.contains(said), "{}", run.stderr);
    folder.good("count mpc.ecsv kpc.ecsv --bins edges:0.29,0.31,0.5,0.6 --box none -o c.csv");
    assert_eq!(integers(&folder.table("c.csv"), "npairs"), [1, 0, 1]);
    let ignored = "count furlong.ecsv plain.ecsv --unit Mpc --ignore-units x,y,z";
    folder.good(&format!("{ignored} --bins edges:0.29,0.31,0.6 -o c.csv"));
    assert_eq!(integers(&folder.table("c.csv"), "npairs"), [1, 1]);
}

#[test]
fn distances_stand_beside_redshifts_where_h_is_known() {
    let sky = "# %ECSV 1.0\n# ---\n# delimiter: ','\n# datatype:\n# - name: ra\n#   datatype: float64\n# - name: dec\n#   datatype: float64\n";
    let distances = format!("{sky}# - name: d\n#   datatype: float64\n#   unit: Mpc\nra,dec,d\n");
    // 300 km/s over c is 3 Mpc/h in an empty expansion to first order: 6 Mpc with h = 0.5.
    let folder = Folder::new()
        .with("z.csv", "ra,dec,z\n10,0,0.001\n")
        .with("d.ecsv", &format!("{distances}10,0,10\n"));
    let line = "count z.csv d.ecsv --sky ra,dec --redshift z --cross-sky ra,dec --cross-distance d";
    let count = |flags: &str| {
        folder.good(&format!("{line} {flags} -o c.csv"));
        integers(&folder.table("c.csv"), "npairs")
    };
    let cosmology = "--cosmology om=0.3,h=0.5";
    // 3.0 of redshift, 5 of 10 Mpc.
    let bins = "--bins edges:1,1.99,2.01,4";
    assert_eq!(
        count(&format!("{cosmology} --unit Mpc/h {bins}")),
        [0, 1, 0]
    );
    let bins = "--bins edges:1,3.98,4.02,9";
    assert_eq!(count(&format!("{cosmology} --unit Mpc {bins}")), [0, 1, 0]);
}

#[test]
fn rows_in_a_small_part_of_the_box_are_warned_of() {
    let rows = "1,1,1\n2,3,1.5\n3,2,2\n";
    let folder = Folder::new().with("t.csv", &format!("x,y,z\n{rows}"));
    let said = |space: &str| {
        let line = format!("count t.csv --bins lin:0:1:2 --box {space} -o c.csv");
        folder.good(&line).stderr
    };
    let says = "the rows of t.csv fill 2 of 4000 along x, 2 of 4000 along y, 1 of 4000 along z of the box: are both in one unit?";
    assert!(said("4000").contains(says), "{}", said("4000"));
    for right in ["4", "none", "4,4,100"] {
        assert!(!said(right).contains("fill"), "{right}");
    }
}
