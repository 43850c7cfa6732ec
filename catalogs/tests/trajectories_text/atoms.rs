//! What is known of the particles, boxes, steps and times, format by format.

use std::sync::Arc;

use albireo_catalogs::{Attribute, Filter, Frame};

use super::{all, fixture, opened, request};

const NAMES: [&str; 12] = [
    "OW", "HW1", "HW2", "OW", "HW1", "HW2", "OW", "HW1", "HW2", "OW", "HW1", "HW2",
];

fn frames(name: &str) -> Vec<Frame> {
    all(&fixture(name), &request(name)).unwrap()
}

fn texts<'t>(values: impl IntoIterator<Item = &'t str>) -> Attribute {
    Attribute::of_texts(values)
}

fn elements() -> Attribute {
    texts(NAMES.map(|name| &name[..1]))
}

#[track_caller]
fn has(frame: &Frame, name: &str, expected: &Attribute) {
    assert_eq!(frame.atoms.get(name), Some(expected), "{name}");
}

fn names(frame: &Frame) -> Vec<&str> {
    frame.atoms.names().collect()
}

#[test]
fn a_dump_of_lammps() {
    let frames = frames("scaled.lammpstrj");
    let first = &frames[0];
    assert_eq!(
        names(first),
        ["id", "molecule", "type", "element", "charge"]
    );
    has(first, "id", &Attribute::Integers((1..13).collect()));
    has(first, "element", &elements());
    let molecules = (0..12).map(|k| k / 3 + 1);
    has(first, "molecule", &Attribute::Integers(molecules.collect()));
    let charges = NAMES.map(|name| if name == "OW" { -0.8 } else { 0.4 });
    has(first, "charge", &Attribute::Numbers(charges.to_vec()));
    let cell = first.cell.unwrap();
    assert_eq!(cell.origin(), [-1.0, 0.5, 2.0]);
    assert_eq!(cell.periodic(), [true, true, false]);
    let steps: Vec<_> = frames
        .iter()
        .map(|frame| (frame.step, frame.time))
        .collect();
    assert_eq!(
        steps,
        [
            (Some(0), Some(0.0)),
            (Some(100), Some(0.5)),
            (Some(200), Some(1.0))
        ]
    );
    assert_eq!(
        frames.iter().map(Frame::len).collect::<Vec<_>>(),
        [12, 11, 10]
    );
}

#[test]
fn equal_particles_are_shared_also_after_frames_passed_over() {
    for name in [
        "mdtraj.lammpstrj",
        "frames.gro",
        "models.pdb",
        "plain.xyz",
        "mdanalysis.h5md",
    ] {
        let mut trajectory = opened(name);
        let first = trajectory.next_frame().unwrap().unwrap();
        assert_eq!(trajectory.skip(1).unwrap(), 1);
        let third = trajectory.next_frame().unwrap().unwrap();
        assert!(Arc::ptr_eq(&first.atoms, &third.atoms), "{name}");
    }
    let changing = frames("scaled.lammpstrj");
    assert!(!Arc::ptr_eq(&changing[0].atoms, &changing[1].atoms));
}

#[test]
fn extended_xyz() {
    let frames = frames("ase.extxyz");
    assert_eq!(frames.len(), 4);
    assert_eq!(names(&frames[0]), ["species", "charge", "id"]);
    has(&frames[0], "species", &elements());
    has(&frames[2], "id", &Attribute::Integers((5..15).collect()));
    assert_eq!(frames[1].cell.unwrap().periodic(), [true, true, false]);
    assert_eq!((frames[2].step, frames[2].time), (Some(100), Some(1.0)));
    has(&frames[3], "species", &texts(["Ar", "Ar"]));
    assert!(frames[3].cell.is_none());
    let plain = &self::frames("plain.xyz")[0];
    assert_eq!(names(plain), ["name"]);
    has(plain, "name", &elements());
}

#[test]
fn gro() {
    let frames = frames("frames.gro");
    has(&frames[0], "name", &texts(NAMES));
    has(&frames[0], "resname", &texts(["SOL"; 12]));
    let residues = (0..12).map(|k| k / 3 + 1).collect();
    has(&frames[0], "resid", &Attribute::Integers(residues));
    assert_eq!(frames[2].time, Some(0.5));
}

#[test]
fn pdb_with_bonds() {
    let frame = &frames("bonds.pdb")[0];
    has(frame, "name", &texts(NAMES));
    has(frame, "element", &elements());
    has(frame, "resname", &texts(["SOL"; 12]));
    has(frame, "chain", &texts(["A"; 12]));
    has(frame, "segment", &texts(["WAT"; 12]));
    assert!(frame.atoms.get("altloc").is_none(), "no atom has one");
    let bonds: Vec<[u32; 2]> = (0..4)
        .flat_map(|k| [[3 * k, 3 * k + 1], [3 * k, 3 * k + 2]])
        .collect();
    assert_eq!(frame.atoms.bonds(), bonds);
    assert_eq!(frames("models.pdb")[1].step, Some(2));
}

#[test]
fn models_without_their_record_end_with_end() {
    let frames = frames("ends.pdb");
    let lengths: Vec<_> = frames
        .iter()
        .map(|frame| frame.cell.unwrap().lengths())
        .collect();
    assert_eq!(lengths, [Some([9.0, 8.0, 7.0]), Some([10.0, 9.0, 8.0])]);
}

#[test]
fn h5md() {
    let frames = frames("groups.h5");
    let first = &frames[0];
    assert_eq!(names(first), ["mass", "name", "species", "charge"]);
    has(first, "species", &elements());
    has(first, "name", &texts(NAMES));
    let masses = NAMES.map(|name| if name == "OW" { 15.999 } else { 1.008 });
    has(first, "mass", &Attribute::Numbers(masses.to_vec()));
    has(&frames[2], "charge", &Attribute::Numbers(vec![3.0; 12]));
    assert_eq!(first.cell.unwrap().periodic(), [true, false, true]);
    let steps: Vec<_> = frames
        .iter()
        .map(|frame| (frame.step, frame.time))
        .collect();
    assert_eq!(
        steps,
        [
            (Some(1000), Some(0.0)),
            (Some(1250), Some(0.5)),
            (Some(1500), Some(1.0))
        ]
    );
}

#[test]
fn h5md_in_the_plane_and_at_rest() {
    let mut request = request("");
    request.table = Some("particles/flat".to_owned());
    let frames = all(&fixture("groups.h5"), &request).unwrap();
    let [frame] = frames.as_slice() else {
        panic!("one frame")
    };
    assert_eq!(frame.len(), 5);
    assert_eq!(frame.positions[2], [0.0; 5]);
    let cell = frame.cell.unwrap();
    assert_eq!(
        (cell.lengths(), cell.periodic()),
        (Some([4.0, 5.0, 1.0]), [true, true, false])
    );
}

#[test]
fn cadishi_in_the_order_of_numbers() {
    let frames = frames("cadishi.h5");
    let widths: Vec<_> = frames
        .iter()
        .map(|frame| frame.cell.map(|cell| cell.vectors()[0][0]))
        .collect();
    assert_eq!(widths[..3], [Some(9.0), None, Some(11.0)]);
    assert_eq!(widths[10], Some(19.0));
    let species = std::iter::repeat_n("H", 3)
        .chain(["Na+1"; 2])
        .chain(["O"; 7]);
    has(&frames[0], "species", &texts(species));
    assert_eq!(frames[1].len(), 10);
    assert!(Arc::ptr_eq(&frames[1].atoms, &frames[1].atoms));
}

#[test]
fn expressions_choose_particles() {
    let frame = &frames("scaled.lammpstrj")[0];
    let oxygen = Filter::parse("element == 'O' && molecule > 1").unwrap();
    let path = fixture("scaled.lammpstrj");
    assert_eq!(frame.selected(&oxygen, &path).unwrap(), [3, 6, 9]);
}

#[test]
fn frames_of_lammps_without_particles_have_their_columns() {
    let head = |step: u32, count: u32| {
        let bounds =
            "ITEM: BOX BOUNDS pp pp pp\n0 9\n0 9\n0 9\nITEM: ATOMS id type element x y z\n";
        format!("ITEM: TIMESTEP\n{step}\nITEM: NUMBER OF ATOMS\n{count}\n{bounds}")
    };
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("t.dump");
    let text = format!("{}1 2 O 1 1 1\n{}", head(0, 1), head(1, 0));
    std::fs::write(&path, text).expect("a file");
    let request = albireo_catalogs::TrajectoryRequest::default();
    let stop = albireo_catalogs::Stop::never();
    let mut dump = albireo_catalogs::open_trajectory(&path, &request, stop).expect("a dump");
    assert_eq!(dump.skip(1).expect("a frame"), 1);
    let empty = dump.next_frame().expect("read").expect("a frame");
    let names: Vec<&str> = empty.atoms.names().collect();
    assert_eq!((empty.len(), names), (0, vec!["id", "type", "element"]));
}
