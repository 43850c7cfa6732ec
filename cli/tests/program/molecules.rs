//! `albireo rdf --centres`: numbers of molecules that begin again, and masses that are known by names.

use std::fmt::Write as _;

use crate::folder::{Folder, integers};

/// A dump of LAMMPS in boxes of 10: the molecule and the position of each atom of each frame. The order of its rows is that of its ids.
fn dump(frames: &[&[(i64, [f64; 3])]]) -> String {
    let mut text = String::new();
    for (step, atoms) in frames.iter().enumerate() {
        let bounds = "pp pp pp\n0 10\n0 10\n0 10";
        writeln!(
            text,
            "ITEM: TIMESTEP\n{step}\nITEM: NUMBER OF ATOMS\n{}\nITEM: BOX BOUNDS {bounds}\nITEM: ATOMS id mol mass x y z",
            atoms.len()
        )
        .unwrap();
        for (id, (molecule, [x, y, z])) in atoms.iter().enumerate() {
            writeln!(text, "{} {molecule} 1 {x} {y} {z}", id + 1).unwrap();
        }
    }
    text
}

/// Molecules 1 and 2, then others of the same numbers on the other side of the box.
const USED_TWICE: [(i64, [f64; 3]); 8] = [
    (1, [1.0, 1.0, 1.0]),
    (1, [2.0, 1.0, 1.0]),
    (2, [1.0, 4.0, 1.0]),
    (2, [2.0, 4.0, 1.0]),
    (1, [6.0, 6.0, 6.0]),
    (1, [7.0, 6.0, 6.0]),
    (2, [6.0, 8.0, 6.0]),
    (2, [7.0, 8.0, 6.0]),
];

const CENTRES: &str = "--centres molecule --bins edges:0,2.5,3.5,5 -o g.csv";

#[test]
fn numbers_that_begin_again_are_of_other_molecules() {
    // In the second frame the molecules of one number are near each other, and still four.
    let mut near = USED_TWICE;
    for (_, place) in &mut near[4..] {
        *place = place.map(|x| x - 3.0);
    }
    let folder = Folder::new().with("t.dump", &dump(&[&USED_TWICE, &near]));
    let run = folder.good(&format!("rdf t.dump --frames 0 {CENTRES}"));
    let table = folder.table("g.csv");
    assert_eq!(integers(&table, "npairs"), [1, 1, 0]);
    assert_eq!(table.meta["mean_particles"].to_string(), "[4.0]");
    let said = "t.dump: `molecule` has 2 numbers for 4 molecules: atoms of 1 are 8.12";
    assert!(run.stderr.contains(said), "{}", run.stderr);
    // Of the second frame: 1.5 2.5 3.5 apart along z, and so on.
    folder.good(&format!("rdf t.dump {CENTRES}"));
    assert_eq!(
        folder.table("g.csv").meta["mean_particles"].to_string(),
        "[4.0]"
    );
    let all = integers(&folder.table("g.csv"), "npairs");
    folder.good(&format!("rdf t.dump --where molecule>0 {CENTRES}"));
    assert_eq!(integers(&folder.table("g.csv"), "npairs"), all);
}

#[test]
fn groups_of_numbers_that_begin_again_are_warned_of() {
    let folder = Folder::new().with("t.dump", &dump(&[&USED_TWICE]));
    let call = "rdf t.dump --exclude-same molecule --bins edges:0,1.5,5 -o g.csv";
    let run = folder.good(call);
    let said = "--exclude-same molecule: atoms of 1 are 8.12";
    assert!(run.stderr.contains(said), "{}", run.stderr);
    let folder = Folder::new().with("t.dump", &dump(&[&USED_TWICE[..4]]));
    let run = folder.good(call);
    assert!(
        !run.stderr.contains("--exclude-same molecule"),
        "{}",
        run.stderr
    );
}

#[test]
fn atoms_of_a_molecule_need_not_follow_each_other() {
    let mixed = [0, 2, 1, 3].map(|row: usize| USED_TWICE[row]);
    let folder = Folder::new().with("t.dump", &dump(&[&mixed]));
    let run = folder.good(&format!("rdf t.dump {CENTRES}"));
    let table = folder.table("g.csv");
    assert_eq!(integers(&table, "npairs"), [0, 1, 0]);
    assert_eq!(table.meta["mean_particles"].to_string(), "[2.0]");
    assert!(!run.stderr.contains("numbers for"), "{}", run.stderr);
}

/// PDB of dimers in a box of 20, two residues in each of two chains that are numbered alike, all within half a box.
fn chains(names: [&str; 2]) -> String {
    let mut text =
        String::from("CRYST1   20.000   20.000   20.000  90.00  90.00  90.00 P 1           1\n");
    let mut serial = 0;
    for (of_chain, chain) in names.iter().enumerate() {
        for residue in 1..3 {
            for atom in 0..2 {
                serial += 1;
                let (x, y, z) = (2 + 3 * of_chain, 2 + 4 * (residue - 1), 2 + atom);
                writeln!(
                    text,
                    "ATOM  {serial:5}  C   LIG {chain}{residue:4}    {x:8.3}{y:8.3}{z:8.3}  1.00  0.00           C  "
                )
                .unwrap();
            }
        }
    }
    text + "END\n"
}

#[test]
fn residues_of_one_number_are_distinguished_by_their_chains() {
    let call = "rdf t.pdb --centres resid --bins edges:0,2,3.5,4.5,5.5 -o g.csv";
    let group = "rdf t.pdb --exclude-same resid --bins edges:0,2,3.5,4.5,5.5 -o g.csv";
    let folder = Folder::new().with("t.pdb", &chains(["A", "B"]));
    let run = folder.good(call);
    let said = "t.pdb: `resid` has 2 numbers for 4 residues, distinguished by chain";
    assert!(run.stderr.contains(said), "{}", run.stderr);
    let table = folder.table("g.csv");
    assert_eq!(table.meta["mean_particles"].to_string(), "[4.0]");
    // A rectangle of 3 by 4.
    assert_eq!(integers(&table, "npairs"), [0, 2, 2, 2]);
    // Of atoms: 3, sqrt(10) | 4, sqrt(17) | 5, sqrt(26), twice of each and on both sides; none within a dimer.
    let run = folder.good(group);
    assert!(run.stderr.contains(said), "{}", run.stderr);
    assert_eq!(integers(&folder.table("g.csv"), "npairs"), [0, 8, 8, 8]);
    // Nothing distinguishes these.
    let folder = Folder::new().with("t.pdb", &chains(["A", "A"]));
    for line in [call, group] {
        let run = folder.good(line);
        let said =
            "`resid` has 2 numbers in 4 runs of particles: those of 1 do not follow one another";
        assert!(run.stderr.contains(said), "{}", run.stderr);
    }
    assert_eq!(integers(&folder.table("g.csv"), "npairs"), [0, 0, 8, 8]);
}

/// GRO of two waters and a chloride, without masses.
const WATERS: &str = "water\n 7\n    1SOL     OW    1   0.100   0.100   0.100\n    1SOL    HW1    2   0.200   0.100   0.100\n    \
    1SOL    HW2    3   0.100   0.200   0.100\n    2SOL     OW    4   0.100   0.100   0.500\n    2SOL    HW1    5   0.200   0.100   0.500\n    \
    2SOL    HW2    6   0.100   0.200   0.500\n    3CL      CL    7   0.500   0.500   0.500\n 1.0 1.0 1.0\n";

#[test]
fn masses_and_elements_are_known_by_names() {
    let folder = Folder::new().with("conf.gro", WATERS);
    // Centres of equal molecules are as far apart as their atoms: 0.4; that of chlorine is 0.5579 and 0.4 sqrt(2) away in the plane.
    let run = folder
        .good("rdf conf.gro --centres resid --species resname --bins edges:0,0.35,0.45 -o g.csv");
    let table = folder.table("g.csv");
    assert_eq!(integers(&table, "npairs_SOL-SOL"), [0, 1]);
    let said = "conf.gro tells no `mass`: by the names of the atoms, CL 35.45, HW1 1.008, HW2 1.008, OW 15.999";
    assert!(run.stderr.contains(said), "{}", run.stderr);
    let run = folder.good("rdf conf.gro --species element --bins edges:0,0.12,0.45 -o g.csv");
    let table = folder.table("g.csv");
    assert_eq!(table.meta["species"].to_string(), "[\"Cl\",\"H\",\"O\"]");
    assert_eq!(integers(&table, "npairs_H-O"), [4, 4]);
    assert!(
        run.stderr
            .contains("tells no `element`: by the names of the atoms, CL Cl, HW1 H"),
        "{}",
        run.stderr
    );
    // Nothing is said, or made, where nothing asks for it.
    let run = folder.good("rdf conf.gro --bins edges:0,0.12,0.45 -o g.csv");
    assert!(!run.stderr.contains("tells no"), "{}", run.stderr);
}

#[cfg(feature = "hdf5")]
#[test]
fn hdf5_of_gromacs_and_mdtraj_is_counted() {
    let fixtures = concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/../catalogs/tests/fixtures/frames"
    );
    let folder = Folder::new();
    // The waters are 0.4 apart along each axis, half the box of the first frame and a fifth of the second.
    for (file, column) in [("gromacs.h5md", "molecule"), ("mdtraj.h5", "resid")] {
        let call =
            format!("rdf {fixtures}/{file} --frames 1 --bins edges:0,0.12,0.5,0.75 -o g.csv");
        folder.good(&format!("{call} --centres {column} --species resname"));
        let table = folder.table("g.csv");
        let water = if file == "mdtraj.h5" { "HOH" } else { "SOL" };
        let pairs = integers(&table, &format!("npairs_{water}-{water}"));
        assert_eq!(pairs, [0, 0, 1], "{file}");
        // Bonds: O to H at 0.1, and H to H at 0.14 by two of them.
        folder.good(&format!("{call} --species element --pairs H-O"));
        assert_eq!(integers(&folder.table("g.csv"), "npairs")[0], 4, "{file}");
        folder.good(&format!(
            "{call} --species element --pairs H-O --exclude-bonded 1"
        ));
        assert_eq!(integers(&folder.table("g.csv"), "npairs")[0], 0, "{file}");
        // vx of the second frame is 21, 24, .., 39.
        folder.good(&format!("{call} --species none --where vx>23&&vx<25"));
        let kept = &folder.table("g.csv").meta["mean_particles"];
        assert_eq!(kept.to_string(), "[1.0]", "{file}");
    }
}
