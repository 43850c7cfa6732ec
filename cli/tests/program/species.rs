//! `albireo rdf`: which pairs of species are counted where none are named, and what is said where a name is none.

use crate::folder::{Folder, integers, names};

/// Rows of a table of two species.
const ROWS: [&str; 4] = ["A,0,0,0", "B,1,0,0", "B,9,0,0", "A,5,5,5"];

/// One frame of them as a table, with or without its number, and as XYZ.
fn two_species() -> Folder {
    let plain = format!("species,x,y,z\n{}\n", ROWS.join("\n"));
    let numbered = ROWS.map(|row| format!("0,{row}")).join("\n");
    let xyz = ROWS.map(|row| row.replace(',', " ")).join("\n");
    Folder::new()
        .with("plain.csv", &plain)
        .with(
            "numbered.csv",
            &format!("frame,species,x,y,z\n{numbered}\n"),
        )
        .with(
            "t.xyz",
            &format!("4\nProperties=species:S:1:pos:R:3\n{xyz}\n"),
        )
}

const BINS: &str = "--box 10 --bins edges:0.5,1.5,2.5 -o g.csv";

#[test]
fn species_are_told_apart_in_every_format() {
    let folder = two_species();
    for file in ["plain.csv", "numbered.csv", "t.xyz"] {
        folder.good(&format!("rdf {file} {BINS}"));
        let table = folder.table("g.csv");
        assert_eq!(integers(&table, "npairs_A-B"), [2, 0], "{file}");
        assert_eq!(integers(&table, "npairs_B-B"), [0, 1], "{file}");
        // One pair, or one species, needs no suffix.
        for call in ["--pairs A-B", "--species none"] {
            folder.good(&format!("rdf {file} {call} {BINS}"));
            let table = folder.table("g.csv");
            let expected = if call == "--pairs A-B" {
                [2, 0]
            } else {
                [2, 1]
            };
            assert_eq!(integers(&table, "npairs"), expected, "{file} {call}");
            assert!(names(&table).contains(&"g"), "{file}");
        }
        let call = format!("rdf {file} --where species=='B' {BINS}");
        folder.good(&call);
        assert_eq!(integers(&folder.table("g.csv"), "npairs"), [0, 1], "{file}");
    }
    // Parts of a sample are one.
    let folder = folder.with("more.csv", "species,x,y,z\nA,1,1,0\n");
    let run = folder.good(&format!("rdf [mp]*.csv {BINS}"));
    assert!(
        run.stderr
            .contains("column `species` tells species apart in one table"),
        "{}",
        run.stderr
    );
    assert_eq!(integers(&folder.table("g.csv"), "npairs"), [4, 2]);
    // So are tables whose positions are in other columns than those of frames.
    let folder = folder.with("upper.csv", "species,X,Y,Z\nA,0,0,0\nB,1,0,0\n");
    let run = folder.good(&format!("rdf upper.csv {BINS}"));
    let told = "column `species` tells species apart in one table with columns x, y, z or position";
    assert!(run.stderr.contains(told), "{}", run.stderr);
    assert_eq!(integers(&folder.table("g.csv"), "npairs"), [1, 0]);
}

#[test]
fn particles_in_a_plane_of_a_box_are_warned_of() {
    let rows = "species,x,y\nA,0,0\nB,1,0\nB,2,1\nA,3,2\n";
    let folder = Folder::new().with("t.csv", rows);
    let warned = |flags: &str| {
        let run = folder.good(&format!("rdf t.csv {BINS} {flags}"));
        let mut lines = run.stderr.lines();
        lines.any(|line| line.contains("WARN") && line.contains("plane normal to z"))
    };
    assert!(warned(""));
    assert!(!warned("--plane xy"));
}

#[test]
fn columns_of_many_values_are_no_species() {
    let rows = (0..70).map(|k| format!("n{k},{},{},0", k % 10, k / 10));
    let rows: Vec<String> = rows.collect();
    let folder = Folder::new().with("t.csv", &format!("name,x,y,z\n{}\n", rows.join("\n")));
    folder.good(&format!("rdf t.csv {BINS}"));
    assert_eq!(integers(&folder.table("g.csv"), "npairs").len(), 2);
}

#[test]
fn half_is_that_of_the_smallest_box() {
    let rows = "frame,x,y,z,lx,ly,lz\n0,1,1,1,9,9,9\n0,2,1,1,9,9,9\n1,1,1,1,9,6,9\n1,2,1,1,9,6,9\n2,1,1,1,4,4,4\n2,2,1,1,4,4,4\n";
    let folder = Folder::new().with("t.csv", rows);
    for (frames, half) in [(":", 2.0), (":2", 3.0), ("0", 4.5)] {
        folder.good(&format!(
            "rdf t.csv --frames {frames} --r-max half --n-bins 2 -o g.csv"
        ));
        let table = folder.table("g.csv");
        assert_eq!(
            crate::folder::floats(&table, "hi"),
            [half / 2.0, half],
            "{frames}"
        );
    }
    let sample = Folder::new().with("s.csv", "x,y,z\n1,1,1\n2,1,1\n");
    sample.good("rdf s.csv --box 8,6,8 --r-max half --n-bins 2 -o g.csv");
    assert_eq!(
        crate::folder::floats(&sample.table("g.csv"), "hi"),
        [1.5, 3.0]
    );
}

#[test]
fn names_that_no_particle_has_are_asked_about() {
    let folder = two_species();
    let like = [
        "rdf",
        "t.xyz",
        "--where",
        "species like 'B*'",
        "--box",
        "10",
        "--bins",
        "edges:0.5,1.5,2.5",
        "-o",
        "g.csv",
    ];
    let run = folder.run_with(&like);
    assert_eq!(run.code, 0, "{}", run.stderr);
    assert_eq!(integers(&folder.table("g.csv"), "npairs"), [0, 1]);
}
