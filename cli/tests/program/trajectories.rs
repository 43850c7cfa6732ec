//! Trajectories as `albireo info` shows them, and topologies before them.

use std::fmt::Write as _;

use crate::folder::{Folder, integers};

/// Frames of extended XYZ of an O and two H each, in boxes that grow, with masses.
fn growing(frames: u64) -> String {
    let mut text = String::new();
    for frame in 0..frames {
        let (side, time) = (8 + frame, 0.5 * frame as f64);
        let lattice = format!("{side} 0 0 0 8 0 0 0 8");
        writeln!(
            text,
            "3\nLattice=\"{lattice}\" Properties=species:S:1:pos:R:3:mass:R:1 Time={time}\n\
             O 1 2 3 15.999\nH 1.5 2 3 1.008\nH 1 2.5 {frame} 1.008"
        )
        .unwrap();
    }
    text
}

/// The cells of the line that begins with a word.
fn line<'a>(text: &'a str, first: &str) -> Vec<&'a str> {
    let lines = text.lines().map(|line| line.split_whitespace());
    let lines = lines.map(Iterator::collect::<Vec<_>>);
    let mut found = lines.filter(|words| words.first() == Some(&first));
    found.next().unwrap_or_else(|| panic!("{first}: {text}"))
}

fn fixture(name: &str) -> String {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../catalogs/tests/fixtures");
    format!("{folder}/{name}")
}

#[test]
fn info_tells_frames_boxes_and_columns_of_text() {
    let folder = Folder::new().with("t.xyz", &growing(4));
    let info = folder.good("info t.xyz").stdout;
    assert!(info.starts_with("t.xyz: XYZ\n"), "{info}");
    assert_eq!(line(&info, "frames"), ["frames", "4"]);
    assert_eq!(line(&info, "atoms"), ["atoms", "3"]);
    assert_eq!(line(&info, "times")[1..], ["0", "to", "1.5"]);
    assert_eq!(
        line(&info, "box")[1..].join(" "),
        "8 x 8 x 8, of the first frame; others differ"
    );
    assert_eq!(line(&info, "bonds"), ["bonds", "0"]);
    assert_eq!(line(&info, "mass")[4..6], ["1.008", "15.999"]);
    assert_eq!(line(&info, "x")[4..6], ["1", "1.5"]);
    assert!(info.contains("\"O\", \"H\""), "{info}");
}

#[test]
fn info_counts_atoms_of_frames_that_differ() {
    let text = format!("{}1\nfew\nHe 1 2 3\n", growing(1));
    let info = Folder::new().with("t.xyz", &text).good("info t.xyz").stdout;
    assert_eq!(line(&info, "atoms"), ["atoms", "1", "to", "3"]);
    let cut = Folder::new().with("t.xyz", &text.replace("He 1 2 3\n", ""));
    let run = cut.run("info t.xyz");
    assert_eq!(run.code, 1);
    assert!(run.stderr.contains("frame 1"), "{}", run.stderr);
}

#[test]
fn info_tells_what_binary_formats_and_structures_hold() {
    let folder = Folder::new();
    let of = |name: &str| folder.good(&format!("info {}", fixture(name))).stdout;
    let water = of("trajectories/water.xtc");
    assert!(water.contains("water.xtc: XTC"), "{water}");
    assert_eq!(line(&water, "frames"), ["frames", "3"]);
    assert_eq!(line(&water, "atoms"), ["atoms", "72"]);
    assert_eq!(line(&water, "unit"), ["unit", "nm"]);
    for (name, format) in [
        ("trajectories/charmm.dcd", "DCD"),
        ("trajectories/classic.nc", "AMBER NetCDF"),
        ("trajectories/single.trr", "TRR"),
        ("trajectories/water.gsd", "GSD"),
        ("frames/mdtraj.lammpstrj", "LAMMPS dump"),
        ("frames/frames.gro", "GRO"),
    ] {
        let info = of(name);
        assert!(info.contains(&format!(": {format}\n")), "{info}");
        assert_ne!(line(&info, "frames")[1], "0");
    }
    let bonds = of("frames/bonds.pdb");
    assert_ne!(line(&bonds, "bonds")[1], "0", "{bonds}");
    #[cfg(feature = "hdf5")]
    assert!(of("frames/mdanalysis.h5md").contains(": H5MD\n"));
}

#[test]
fn info_of_tables_that_could_be_frames_shows_tables() {
    let text = "frame,x,y,z\n0,1,2,3\n1,1,2,3\n";
    let folder = Folder::new().with("t.csv", text);
    let info = folder.good("info t.csv").stdout;
    assert!(info.contains("the table: 2 rows"), "{info}");
}

/// Extended XYZ without species, and a GRO of the same three particles.
fn bare_and_named() -> Folder {
    let frame = "Lattice=\"8 0 0 0 8 0 0 0 8\" Properties=pos:R:3";
    let positions = "1 1 1\n2 1 1\n1 3 1";
    let named = "water\n 3\n    1SOL     OW    1   0.100   0.100   0.100\n    1SOL    HW1    2   0.200   0.100   0.100\n    \
                 1SOL    HW2    3   0.100   0.300   0.100\n 0.8 0.8 0.8\n";
    let twice = format!("3\n{frame}\n{positions}\n").repeat(2);
    Folder::new()
        .with("t.xyz", &twice)
        .with("conf.gro", named)
        .with(
            "few.gro",
            "one\n 1\n    1SOL     OW    1   0.100   0.100   0.100\n 0.8 0.8 0.8\n",
        )
}

#[test]
fn a_structure_before_a_trajectory_is_its_topology() {
    let folder = bare_and_named();
    let bins = "--bins edges:0.5,1.5,2.1,2.5";
    // Of each frame: O to one H at 1, to the other at 2, between the H the root of 5.
    for line in [
        "rdf conf.gro t.xyz",
        "rdf t.xyz -s conf.gro",
        "rdf t.xyz --top conf.gro",
        "rdf t.xyz --topology conf.gro",
    ] {
        let run = folder.good(&format!(
            "{line} --species name --pairs OW-HW1,OW-HW2,HW1-HW2 {bins} -o g.csv"
        ));
        let table = folder.table("g.csv");
        assert_eq!(table.meta["topology"], "conf.gro", "{line}");
        assert_eq!(table.meta["trajectory"]["files"][0], "t.xyz", "{line}");
        for (pair, counts) in [
            ("npairs_OW-HW1", [2, 0, 0]),
            ("npairs_OW-HW2", [0, 2, 0]),
            ("npairs_HW1-HW2", [0, 0, 2]),
        ] {
            assert_eq!(integers(&table, pair), counts, "{line}");
        }
        let said = run.stderr.contains("conf.gro is the topology of t.xyz");
        assert_eq!(said, line == "rdf conf.gro t.xyz", "{}", run.stderr);
        for part in [
            "t.xyz: XYZ, frames of 3 atoms; species HW1, HW2, OW by column `name`",
            "; topology conf.gro",
        ] {
            assert!(run.stderr.contains(part), "{}", run.stderr);
        }
    }
    let few = folder.run(&format!("rdf few.gro t.xyz {bins} -o g.csv"));
    assert_eq!(few.code, 1);
    assert!(
        few.stderr.contains("few.gro is the topology of t.xyz"),
        "{}",
        few.stderr
    );
}

#[test]
fn two_tables_are_two_samples() {
    let folder = Folder::new()
        .with("a.csv", "x,y,z\n1,1,1\n")
        .with("b.csv", "x,y,z\n2,1,1\n1,3,1\n");
    let run = folder.good("rdf a.csv b.csv --box 8 --bins edges:0.5,1.5,2.1 -o g.csv");
    assert_eq!(integers(&folder.table("g.csv"), "npairs"), [1, 1]);
    assert!(!run.stderr.contains("topology"), "{}", run.stderr);
}
