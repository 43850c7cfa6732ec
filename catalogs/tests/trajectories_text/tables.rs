//! Tables of frames: names, other formats, boxes beside and within them.

use std::fmt::Write as _;

use albireo_catalogs::{Attribute, Table, TableColumn, TrajectoryRequest};

use super::{all, fixture, request, values, written};

#[test]
fn columns_say_what_particles_are() {
    let frames = all(&fixture("table.parquet"), &request("")).unwrap();
    let atoms = &frames[2].atoms;
    assert_eq!(
        atoms.names().collect::<Vec<_>>(),
        ["species", "id", "energy"]
    );
    let species = ["O", "H", "H"].into_iter().cycle().take(10);
    assert_eq!(atoms.get("species"), Some(&Attribute::of_texts(species)));
    assert_eq!(
        atoms.get("id"),
        Some(&Attribute::Integers((1..11).collect()))
    );
    let Some(Attribute::Numbers(energies)) = atoms.get("energy") else {
        panic!("numbers")
    };
    assert!(energies[3].is_nan(), "a missing number is none");
    assert_eq!(energies[4], 2.0);
    let times: Vec<_> = frames.iter().map(|frame| frame.time).collect();
    assert_eq!(times, [Some(0.0), Some(2.5), Some(5.0)]);
}

#[test]
fn a_box_of_another_name_is_named() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("water.parquet");
    std::fs::copy(fixture("table.parquet"), &path).unwrap();
    assert!(all(&path, &request("")).unwrap()[0].cell.is_none());
    let named = TrajectoryRequest {
        boxes: Some(fixture("table.box.parquet")),
        ..TrajectoryRequest::default()
    };
    let found = all(&path, &named).unwrap();
    assert_eq!(values(&found), super::expected("table.parquet"));
    let text = "frame,lx,ly,lz\n4,1,2,3\n0,2,3,4\n7,0,0,0\n";
    std::fs::write(folder.path().join("water.box.csv"), text).unwrap();
    let found = all(&path, &request("")).unwrap();
    let lengths: Vec<_> = found
        .iter()
        .map(|frame| frame.cell.and_then(|cell| cell.lengths()))
        .collect();
    assert_eq!(
        lengths,
        [Some([1.0, 2.0, 3.0]), Some([2.0, 3.0, 4.0]), None]
    );
}

#[test]
fn columns_may_have_other_names() {
    let text = "t,px,py,pz,kind\n1,0.5,1,2,a\n1,0.25,3,4,b\n2,0.125,5,6,a\n";
    let (_folder, path) = written("table.csv", text.as_bytes());
    let asked = TrajectoryRequest {
        frame: Some("t".to_owned()),
        positions: Some(["px", "py", "pz"].map(str::to_owned)),
        ..TrajectoryRequest::default()
    };
    let frames = all(&path, &asked).unwrap();
    assert_eq!(
        frames[0].positions,
        [vec![0.5, 0.25], vec![1.0, 3.0], vec![2.0, 4.0]]
    );
    assert_eq!(frames[1].positions[0], [0.125]);
    assert_eq!(
        frames[1].atoms.get("kind"),
        Some(&Attribute::of_texts(["a"]))
    );
}

/// FITS, ECSV and Parquet as this crate writes them, longer than a block.
#[test]
fn any_format_of_catalogs() {
    const PER_FRAME: usize = 30_011;
    const FRAMES: usize = 3;
    let rows = 0..PER_FRAME * FRAMES;
    let axis = |k: usize| {
        rows.clone()
            .map(move |row| (row * 3 + k) as f64 * 0.125)
            .collect::<Vec<_>>()
    };
    let frame = rows.clone().map(|row| (row / PER_FRAME) as u64).collect();
    let id = rows.clone().map(|row| (row % PER_FRAME) as u64).collect();
    let table = Table {
        columns: vec![
            TableColumn::integers("frame", "", frame),
            TableColumn::floats("x", "", axis(0)).with_unit("nm"),
            TableColumn::floats("y", "", axis(1)),
            TableColumn::floats("z", "", axis(2)),
            TableColumn::integers("id", "", id),
        ],
        ..Table::default()
    };
    let folder = tempfile::tempdir().unwrap();
    for ending in ["fits", "ecsv", "parquet"] {
        let path = folder.path().join(format!("table.{ending}"));
        table.write(&path).unwrap();
        let frames = all(&path, &request("")).unwrap();
        assert_eq!(frames.len(), FRAMES, "{ending}");
        for (k, frame) in frames.iter().enumerate() {
            let rows = k * PER_FRAME..(k + 1) * PER_FRAME;
            for axis in 0..3 {
                let expected = rows.clone().map(|row| (row * 3 + axis) as f64 * 0.125);
                assert!(
                    frame.positions[axis].iter().copied().eq(expected),
                    "{ending}"
                );
            }
            let ids = Attribute::Integers((0..PER_FRAME as i64).collect());
            assert_eq!(frame.atoms.get("id"), Some(&ids), "{ending}");
        }
        assert!(
            std::sync::Arc::ptr_eq(&frames[0].atoms, &frames[2].atoms),
            "{ending}"
        );
        let unit =
            albireo_catalogs::open_trajectory(&path, &request(""), albireo_catalogs::Stop::never());
        assert_eq!(unit.unwrap().unit(), Some("nm"), "{ending}");
    }
}

/// Reading may end anywhere: the threads that decode ahead end with it.
#[test]
fn an_unfinished_table_is_dropped() {
    let mut text = "frame,x,y\n".to_owned();
    for row in 0..200_000 {
        writeln!(text, "{},{row},0.5", row / 10).unwrap();
    }
    let (_folder, path) = written("long.csv", text.as_bytes());
    let mut trajectory =
        albireo_catalogs::open_trajectory(&path, &request(""), albireo_catalogs::Stop::never())
            .unwrap();
    let first = trajectory.next_frame().unwrap().unwrap();
    assert_eq!(
        first.positions[0],
        (0..10).map(f64::from).collect::<Vec<_>>()
    );
    drop(trajectory);
}
