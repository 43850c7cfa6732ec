//! `albireo rdf`.

use crate::folder::{Folder, floats, integers, scattered};

/// A simple cubic lattice of 4 x 4 x 4 points at distance 1, shifted out of its box by 10.
fn lattice() -> String {
    let point = |k: u32| format!("{} {} {}\n", 10 + k % 4, k / 4 % 4, k / 16);
    std::iter::once("x y z\n".to_owned())
        .chain((0..64).map(point))
        .collect()
}

#[test]
fn a_lattice_has_six_nearest_neighbours() {
    let folder = Folder::new().with("l.txt", &lattice());
    folder.good("rdf l.txt --box 4 --r-max 1.6 --n-bins 4 -o g.csv");
    let table = folder.table("g.csv");
    assert_eq!(integers(&table, "npairs"), [0, 0, 64 * 6 / 2, 64 * 12 / 2]);
    assert_eq!(floats(&table, "n"), [0.0, 0.0, 6.0, 18.0]);
    let shell = 4.0 / 3.0 * std::f64::consts::PI * (1.2f64.powi(3) - 0.8f64.powi(3));
    let expected = 192.0 / (64.0 * 63.0 / 2.0 / 64.0 * shell);
    assert!((floats(&table, "g")[2] - expected).abs() < 1e-9 * expected);
}

#[test]
fn two_species_count_partners_of_the_first() {
    let folder = Folder::new().with(
        "m.csv",
        "species,x,y,z\nA,0,0,0\nB,1,0,0\nB,9.5,0,0\nA,5,5,5\n",
    );
    let run = folder.run_with(&[
        "rdf",
        "m.csv",
        "--where",
        "species == \"A\"",
        "--cross-where",
        "species == \"B\"",
        "--box",
        "10",
        "--r-max",
        "2",
        "--n-bins",
        "2",
        "-o",
        "g.json",
    ]);
    assert_eq!(run.code, 0, "{}", run.stderr);
    let table = folder.table("g.json");
    assert_eq!(integers(&table, "npairs"), [1, 1]);
    assert_eq!(floats(&table, "n"), [0.5, 1.0]);
}

#[test]
fn open_space_needs_a_volume() {
    let folder = Folder::new().with("c.csv", &scattered(50, 3.0, 5));
    folder.good("rdf c.csv --volume 27 --r-max 1 --n-bins 5 -o g.csv");
    assert_eq!(folder.table("g.csv").meta["volume"], 27.0);
}

#[test]
fn samples_without_an_ideal_gas_to_compare_with_are_refused() {
    let molecule = "x,y,z,mol\n1,1,1,7\n1,2,1,7\n2,1,1,7\n";
    let folder = Folder::new()
        .with("one.csv", "x,y,z\n1,1,1\n")
        .with("two.csv", "x,y,z,mol\n3,3,3,7\n4,4,4,7\n")
        .with("mol.csv", molecule);
    // One particle around others has pairs, and in a space that is cut all are shown, g or none.
    folder.good("rdf one.csv two.csv --box 10 --r-max 5 --n-bins 3 -o g.csv");
    folder.good("rdf one.csv --box 10 --beyond-half --r-max 8 --n-bins 3 -o g.csv");
    assert!(
        floats(&folder.table("g.csv"), "g")
            .iter()
            .all(|g| g.is_nan())
    );
}
