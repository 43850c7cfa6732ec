//! Layouts of HDF5 by `MDTraj` and GROMACS (`fixtures/frames/make_hdf5.py`), and velocities and forces of every format.

use std::path::Path;

use albireo_catalogs::{
    Attribute, Frame, Stop, TrajectoryFormat, TrajectoryRequest, describe_trajectory,
    open_topology, open_trajectory,
};

use crate::{all, fixture};

/// All frames, with velocities and forces.
fn moving(path: &Path) -> Vec<Frame> {
    let request = TrajectoryRequest {
        velocities: true,
        ..TrajectoryRequest::default()
    };
    all(path, &request).unwrap()
}

fn numbers<'a>(frame: &'a Frame, column: &str) -> &'a [f64] {
    match frame.atoms.get(column) {
        Some(Attribute::Numbers(values)) => values,
        other => panic!("{column}: {other:?}"),
    }
}

fn has(frame: &Frame, column: &str, expected: &Attribute) {
    assert_eq!(frame.atoms.get(column), Some(expected), "{column}");
}

const BONDS: [[u32; 2]; 4] = [[0, 1], [0, 2], [3, 4], [3, 5]];

#[test]
fn hdf5_of_mdtraj() {
    let path = fixture("mdtraj.h5");
    let trajectory = open_trajectory(&path, &TrajectoryRequest::default(), Stop::never()).unwrap();
    assert_eq!(trajectory.format(), TrajectoryFormat::MdTraj);
    assert_eq!(
        (trajectory.unit(), trajectory.frames()),
        (Some("nm"), Some(2))
    );
    let frames = moving(&path);
    assert_eq!(frames[1].positions[0][0], f64::from(0.2_f32));
    assert_eq!(frames[1].positions[2][6], f64::from(0.9_f32));
    let lengths = frames.iter().map(|frame| frame.cell.unwrap().lengths());
    let lengths: Vec<_> = lengths.collect();
    assert_eq!(lengths, [Some([1.0; 3]), Some([2.0; 3])]);
    assert_eq!((frames[0].time, frames[1].time), (Some(1.0), Some(3.0)));
    assert_eq!(numbers(&frames[1], "vy")[..2], [22.0, 25.0]);
    let first = &frames[0];
    let names = ["O", "H1", "H2", "O", "H1", "H2", "NA"];
    has(first, "name", &Attribute::of_texts(names));
    let elements = ["O", "H", "H", "O", "H", "H", "Na"];
    has(first, "element", &Attribute::of_texts(elements));
    let resids = vec![11, 11, 11, 12, 12, 12, 1];
    has(first, "resid", &Attribute::Integers(resids));
    assert_eq!(first.atoms.bonds(), BONDS);
    // Nobody has asked for velocities.
    let plain = all(&path, &TrajectoryRequest::default()).unwrap();
    assert!(plain[0].atoms.get("vx").is_none());
    assert!(std::sync::Arc::ptr_eq(&plain[0].atoms, &plain[1].atoms));
    assert_eq!(open_topology(&path, Stop::never()).unwrap().bonds(), BONDS);
}

#[test]
fn h5md_of_gromacs() {
    let path = fixture("gromacs.h5md");
    let frames = moving(&path);
    let first = &frames[0];
    let names = ["OW", "HW1", "HW2", "OW", "HW1", "HW2", "NA"];
    has(first, "name", &Attribute::of_texts(names));
    let residues = ["SOL", "SOL", "SOL", "SOL", "SOL", "SOL", "NA"];
    has(first, "resname", &Attribute::of_texts(residues));
    let elements = ["O", "H", "H", "O", "H", "H", "Na"];
    has(first, "element", &Attribute::of_texts(elements));
    let molecules = vec![1, 1, 1, 2, 2, 2, 3];
    has(first, "molecule", &Attribute::Integers(molecules.clone()));
    has(first, "resid", &Attribute::Integers(molecules));
    assert_eq!(numbers(first, "mass")[6], f64::from(22.98977_f32));
    assert_eq!(numbers(first, "charge")[3], f64::from(-0.82_f32));
    assert_eq!(first.atoms.bonds(), BONDS);
    assert_eq!(numbers(&frames[1], "vx")[..2], [21.0, 24.0]);
    assert_eq!(numbers(&frames[1], "fz")[0], -23.0);
    assert_eq!((frames[1].step, frames[1].time), (Some(10), Some(0.02)));
    let described = describe_trajectory(&path, Stop::never()).unwrap().unwrap();
    assert_eq!(described.bonds, 4);
    let columns = described.first.columns.iter();
    assert!(columns.clone().any(|column| column.name == "fx"));
}

/// Two particles that move, as text: the end of the name of the file and its content.
const TEXTS: [(&str, &str); 3] = [
    (
        "t.lammpstrj",
        "ITEM: TIMESTEP\n0\nITEM: NUMBER OF ATOMS\n2\nITEM: BOX BOUNDS pp pp pp\n0 9\n0 9\n0 9\nITEM: ATOMS id x y z vx vy vz ix\n1 1 1 1 0.5 -1 2 0\n2 2 1 1 0.25 3 4 0\n",
    ),
    (
        "t.xyz",
        "2\nProperties=species:S:1:pos:R:3:vel:R:3:forces:R:3\nA 1 1 1 0.5 -1 2 7 8 9\nB 2 1 1 0.25 3 4 7 8 9\n",
    ),
    (
        "t.gro",
        "two\n 2\n    1SOL     OW    1   0.100   0.100   0.100  0.5000 -1.0000  2.0000\n    1SOL    HW1    2   0.200   0.100   0.100  0.2500  3.0000  4.0000\n 1 1 1\n",
    ),
];

#[test]
fn velocities_of_other_formats() {
    let folder = tempfile::tempdir().unwrap();
    for (name, text) in TEXTS {
        let path = folder.path().join(name);
        std::fs::write(&path, text).unwrap();
        let frames = moving(&path);
        assert_eq!(numbers(&frames[0], "vx"), [0.5, 0.25], "{name}");
        assert_eq!(numbers(&frames[0], "vy"), [-1.0, 3.0], "{name}");
        assert_eq!(numbers(&frames[0], "vz"), [2.0, 4.0], "{name}");
        if name == "t.xyz" {
            assert_eq!(numbers(&frames[0], "fy"), [8.0; 2]);
        }
        assert!(frames[0].atoms.get("ix").is_none());
        let plain = all(&path, &TrajectoryRequest::default()).unwrap();
        assert!(plain[0].atoms.get("vx").is_none(), "{name}");
    }
    // TRR: the numbers of the file.
    let path = fixture("../trajectories/single.trr");
    let frame = &moving(&path)[0];
    let three = |names: [&str; 3]| names.map(|name| numbers(frame, name)[0] as f32);
    assert_eq!(
        three(["vx", "vy", "vz"]),
        [-1.202_351_7, -0.894_299_1, -0.126_103_03]
    );
    assert_eq!(
        three(["fx", "fy", "fz"]),
        [2.404_703_4, 1.788_598_2, 0.252_206_06]
    );
    // A structure without velocities has none.
    let path = folder.path().join("still.gro");
    let still = "one\n 1\n    1SOL     OW    1   0.100   0.100   0.100\n 1 1 1\n";
    std::fs::write(&path, still).unwrap();
    assert!(moving(&path)[0].atoms.get("vx").is_none());
}
