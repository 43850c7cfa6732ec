//! `albireo rdf`: which partials there are, and what is made of all of them.

use crate::folder::{Folder, floats, integers, names};
use crate::frames::{BINS, by_hand, sum, trajectory};

#[test]
fn species_of_which_no_particle_is_kept_are_none() {
    let text = trajectory(0..4, 60);
    let folder = Folder::new().with("t.csv", &text);
    let call = |condition: &str, more: &[&str]| {
        let call = "rdf t.csv --r-max 3 --n-bins 6 -o g.csv --where";
        let mut call: Vec<&str> = call.split(' ').collect();
        call.push(condition);
        call.extend(more);
        folder.run_with(&call)
    };
    let run = call("species != 'O'", &[]);
    assert_eq!(run.code, 0, "{}", run.stderr);
    let table = folder.table("g.csv");
    let of = |frame| by_hand(&text, frame, |a, b, _, _| a == "H" && b == "H");
    assert_eq!(integers(&table, "npairs"), sum((0..4).map(of)));
    assert_eq!(table.meta["species"].to_string(), "[\"H\"]");
}

#[test]
fn structure_factors_are_of_all_pairs_whichever_are_shown() {
    let folder = Folder::new().with("t.csv", &trajectory(0..4, 60));
    let call = |more: &str, s: &str| {
        let q = format!("--structure {s} --q lin:1:6:5 --scattering neutron");
        folder.good(&format!(
            "rdf t.csv {BINS} {q} --total-g n{s} {more} -o g{s}"
        ));
    };
    call("", "all.csv");
    call("--pairs O-H", "some.csv");
    let same = |one: &str, other: &str| {
        assert!(folder.bytes(one) == folder.bytes(other), "{one} {other}");
    };
    same("all.csv", "some.csv");
    same("nall.csv", "nsome.csv");
    let (all, some) = (folder.table("gall.csv"), folder.table("gsome.csv"));
    assert_eq!(integers(&some, "npairs"), integers(&all, "npairs_H-O"));
    assert!(floats(&some, "g") == floats(&all, "g_H-O"));
    assert!(!names(&some).iter().any(|name| name.contains("O-O")));
}

#[test]
fn structure_factors_without_pairs_of_molecules_are_refused() {
    let folder = Folder::new()
        .with("t.csv", &trajectory(0..3, 60))
        .with("bonds.csv", "a,b\n0,1\n0,2\n");
    // The record tells how many were left out: of 20 molecules in 3 frames.
    folder.good(&format!(
        "rdf t.csv {BINS} --exclude-same molecule -o g.csv"
    ));
    let excluded = &folder.table("g.csv").meta["excluded_pairs"];
    assert_eq!(
        excluded.to_string(),
        r#"{"H-H":60,"H-O":120,"O-O":0}"#,
        "{excluded}"
    );
}
