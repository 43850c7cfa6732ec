//! Binary trajectories written by the original packages: every number as these read it, frames passed over, damaged files.

#![allow(clippy::unwrap_used, reason = "a failed step fails the test")]

mod bad;
#[path = "../made/mod.rs"]
mod made;
mod moving;
mod mutated;

use std::path::{Path, PathBuf};
use std::sync::Arc;

use albireo_catalogs::{
    Attribute, CatalogError, Filter, Frame, Stop, Trajectory, TrajectoryFormat, TrajectoryRequest,
    open_trajectory,
};
use serde_json::Value;

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/trajectories")
}

/// What the original packages read, by the names of the files.
fn expected() -> serde_json::Map<String, Value> {
    let text = std::fs::read_to_string(folder().join("binary.json")).unwrap();
    serde_json::from_str(&text).unwrap()
}

fn opened(path: &Path) -> Result<Box<dyn Trajectory>, CatalogError> {
    open_trajectory(path, &TrajectoryRequest::default(), Stop::never())
}

fn fixture(name: &str) -> Box<dyn Trajectory> {
    opened(&folder().join(name)).unwrap()
}

/// The frames up to the end or to what is wrong.
fn frames(trajectory: &mut dyn Trajectory) -> Result<Vec<Frame>, CatalogError> {
    let mut frames = Vec::new();
    while let Some(frame) = trajectory.next_frame()? {
        frames.push(frame);
    }
    Ok(frames)
}

/// Numbers of a JSON array of arrays of three.
fn points(value: &Value) -> Vec<[f64; 3]> {
    let number = |value: &Value| value.as_f64().unwrap();
    let rows = value.as_array().unwrap().iter();
    rows.map(|row| [0, 1, 2].map(|axis| number(&row[axis])))
        .collect()
}

fn format_of(name: &str) -> TrajectoryFormat {
    match name.rsplit('.').next().unwrap() {
        "xtc" => TrajectoryFormat::Xtc,
        "trr" => TrajectoryFormat::Trr,
        "dcd" => TrajectoryFormat::Dcd,
        "nc" => TrajectoryFormat::AmberNetCdf,
        _ => TrajectoryFormat::Gsd,
    }
}

/// That a frame is what the original package read of it.
fn compare(name: &str, number: u64, frame: &Frame, expected: &Value) {
    let site = format!("{name}, frame {number}");
    assert_eq!(frame.number, number, "{site}");
    assert_eq!(frame.step, expected["step"].as_i64(), "{site}");
    assert_eq!(frame.time, expected["time"].as_f64(), "{site}");
    let positions = points(&expected["positions"]);
    assert_eq!(frame.len(), positions.len(), "{site}");
    assert_eq!(frame.atoms.len(), positions.len(), "{site}");
    for (axis, values) in frame.positions.iter().enumerate() {
        let expected: Vec<f64> = positions.iter().map(|position| position[axis]).collect();
        assert_eq!(*values, expected, "{site}, axis {axis}");
    }
    let Some(cell) = frame.cell else {
        return assert!(expected["box"].is_null(), "{site} has no box");
    };
    let vectors = points(&expected["box"]);
    // Boxes stated by vectors are exact; sines and roots of others may differ by an ulp.
    let exact = matches!(
        format_of(name),
        TrajectoryFormat::Xtc | TrajectoryFormat::Trr
    );
    for (vector, expected) in cell.vectors().iter().zip(&vectors) {
        for (value, expected) in vector.iter().zip(expected) {
            let close = (value - expected).abs() <= 1e-13 * cell.volume().cbrt();
            assert!(value == expected || close && !exact, "{site}: {cell:?}");
        }
    }
}

#[test]
fn every_number_is_that_of_the_original_packages() {
    let expected = expected();
    assert!(expected.len() > 25);
    for (name, expected) in &expected {
        let mut trajectory = fixture(name);
        assert_eq!(trajectory.format(), format_of(name), "{name}");
        assert_eq!(trajectory.unit(), expected["unit"].as_str(), "{name}");
        let expected = expected["frames"].as_array().unwrap();
        assert_eq!(trajectory.frames(), Some(expected.len() as u64), "{name}");
        let frames = frames(&mut *trajectory).unwrap();
        assert_eq!(frames.len(), expected.len(), "{name}");
        for ((number, frame), expected) in (0..).zip(&frames).zip(expected) {
            compare(name, number, frame, expected);
        }
        assert!(trajectory.next_frame().unwrap().is_none(), "{name}");
    }
}

#[test]
fn frames_passed_over_do_not_change_the_others() {
    for (name, expected) in &expected() {
        let expected = expected["frames"].as_array().unwrap();
        let all = expected.len() as u64;
        for start in 0..=all {
            let mut trajectory = fixture(name);
            assert_eq!(trajectory.skip(start).unwrap(), start, "{name}");
            if start == all {
                assert!(trajectory.next_frame().unwrap().is_none(), "{name}");
                continue;
            }
            let frame = trajectory.next_frame().unwrap().unwrap();
            compare(name, start, &frame, &expected[start as usize]);
            assert_eq!(trajectory.skip(all).unwrap(), all - start - 1, "{name}");
        }
        let mut trajectory = fixture(name);
        trajectory.next_frame().unwrap().unwrap();
        if all > 2 {
            assert_eq!(trajectory.skip(1).unwrap(), 1, "{name}");
            let frame = trajectory.next_frame().unwrap().unwrap();
            compare(name, 2, &frame, &expected[2]);
        }
    }
}

#[test]
fn right_angles_are_exact() {
    for name in [
        "big.dcd",
        "marks64.dcd",
        "netcdf4.nc",
        "restart.nc",
        "few.xtc",
    ] {
        let frame = fixture(name).next_frame().unwrap().unwrap();
        assert!(frame.cell.unwrap().lengths().is_some(), "{name}");
    }
    let hexagonal = fixture("cosines.dcd").next_frame().unwrap().unwrap();
    let [a, b, c] = hexagonal.cell.unwrap().vectors();
    assert_eq!((a, c), ([20.0, 0.0, 0.0], [0.0, 0.0, 22.0]));
    assert_eq!(b[0], -10.5);
    let dodecahedron = fixture("mdanalysis.dcd").next_frame().unwrap().unwrap();
    assert_eq!(dodecahedron.cell.unwrap().vectors()[2][..2], [10.0, 10.0]);
}

#[test]
fn what_gsd_tells_of_particles() {
    let mut trajectory = fixture("water.gsd");
    let all = frames(&mut *trajectory).unwrap();
    let atoms = &all[0].atoms;
    assert!(
        all.iter().all(|frame| Arc::ptr_eq(&frame.atoms, atoms)),
        "nothing changes"
    );
    let names: Vec<&str> = atoms.names().collect();
    assert_eq!(names, ["type", "mass", "charge", "body"]);
    let kinds: Vec<&str> = (0..12)
        .map(|k| if k % 3 == 0 { "O" } else { "H" })
        .collect();
    let texts = vec!["O".to_owned(), "H".to_owned()];
    let codes = kinds.iter().map(|kind| u32::from(*kind == "H")).collect();
    assert_eq!(atoms.get("type"), Some(&Attribute::Texts { texts, codes }));
    let charge = |kind: &&str| f64::from(if *kind == "O" { -0.8f32 } else { 0.4 });
    let charges = kinds.iter().map(charge).collect();
    assert_eq!(atoms.get("charge"), Some(&Attribute::Numbers(charges)));
    let bodies = (0..12).map(|k| k / 3).collect();
    assert_eq!(atoms.get("body"), Some(&Attribute::Integers(bodies)));
    assert_eq!(atoms.bonds()[..3], [[0, 1], [0, 2], [3, 4]]);
    assert_eq!(atoms.bonds().len(), 8);
    let hydrogen = Filter::parse("type == 'H' && body == 1").unwrap();
    assert_eq!(
        all[1].selected(&hydrogen, trajectory.path()).unwrap(),
        [4, 5]
    );
    let cell = all[0].cell.unwrap();
    let far = |axis: usize| {
        cell.vectors()
            .iter()
            .map(|vector| vector[axis])
            .sum::<f64>()
    };
    assert_eq!(cell.origin(), [0, 1, 2].map(|axis| -0.5 * far(axis)));
}

#[test]
fn numbers_of_particles_may_change_in_gsd() {
    let all = frames(&mut *fixture("changing.gsd")).unwrap();
    let counts: Vec<usize> = all.iter().map(Frame::len).collect();
    assert_eq!(counts, [4, 6, 8, 10, 4]);
    for (k, frame) in (0..).zip(&all[..4]) {
        let codes = vec![k % 2; frame.len()];
        let texts = vec!["A".to_owned(), "B".to_owned()];
        assert_eq!(
            frame.atoms.get("type"),
            Some(&Attribute::Texts { texts, codes })
        );
    }
    for (k, frame) in all.iter().enumerate() {
        let told = frame.len() == 4;
        let masses = if told {
            vec![2.0, 3.0, 4.0, 5.0]
        } else {
            vec![1.0; 4 + 2 * k]
        };
        assert_eq!(frame.atoms.get("mass"), Some(&Attribute::Numbers(masses)));
        let bodies = if told {
            vec![0, 0, 1, 1]
        } else {
            vec![-1; 4 + 2 * k]
        };
        assert_eq!(frame.atoms.get("body"), Some(&Attribute::Integers(bodies)));
    }
    let flat = fixture("flat.gsd").next_frame().unwrap().unwrap();
    let cell = flat.cell.unwrap();
    assert_eq!(cell.periodic(), [true, true, false]);
    assert_eq!(cell.vectors()[2], [0.0, 0.0, 1.0]);
}

#[test]
fn frames_share_what_is_known_of_their_particles() {
    for name in ["water.xtc", "single.trr", "fixed.dcd", "classic.nc"] {
        let all = frames(&mut *fixture(name)).unwrap();
        assert!(Arc::ptr_eq(&all[0].atoms, &all[2].atoms), "{name}");
        assert_eq!(all[0].atoms.names().count(), 0, "{name}");
    }
}

#[test]
fn reading_stops_when_asked() {
    for name in [
        "water.xtc",
        "single.trr",
        "big.dcd",
        "classic.nc",
        "netcdf4.nc",
        "water.gsd",
    ] {
        let request = TrajectoryRequest::default();
        let stop = Stop::when(|| true);
        let outcome = open_trajectory(&folder().join(name), &request, stop);
        let error = outcome.err().unwrap();
        assert!(
            matches!(error, CatalogError::Interrupted { .. }),
            "{name}: {error}"
        );
    }
}

#[test]
fn headers_may_be_wrong_about_the_number_of_frames() {
    let folder_of_copies = tempfile::tempdir().unwrap();
    let path = folder_of_copies.path().join("growing.nc");
    let mut bytes = std::fs::read(folder().join("classic.nc")).unwrap();
    bytes[4..8].fill(0xff);
    std::fs::write(&path, &bytes).unwrap();
    let mut growing = opened(&path).unwrap();
    assert_eq!(growing.frames(), Some(3), "being written");
    assert_eq!(frames(&mut *growing).unwrap().len(), 3);

    let path = folder_of_copies.path().join("cut.dcd");
    let bytes = std::fs::read(folder().join("fixed.dcd")).unwrap();
    std::fs::write(&path, &bytes[..bytes.len() - 1]).unwrap();
    let mut cut = opened(&path).unwrap();
    assert_eq!(cut.frames(), Some(3), "whole ones");
    assert_eq!(cut.skip(3).unwrap(), 3);
    let error = cut.skip(1).unwrap_err().to_string();
    assert!(error.contains("frame 3: expected"), "{error}");

    let path = folder_of_copies.path().join("cut.xtc");
    let bytes = std::fs::read(folder().join("water.xtc")).unwrap();
    std::fs::write(&path, &bytes[..bytes.len() - 1]).unwrap();
    let mut cut = opened(&path).unwrap();
    assert_eq!(cut.frames(), None, "unknown");
    assert_eq!(cut.skip(2).unwrap(), 2);
    let error = cut.next_frame().unwrap_err().to_string();
    assert!(error.contains("frame 2: expected"), "{error}");
}

#[test]
fn what_netcdf_tells_of_atoms_and_corners() {
    for name in ["ase.nc", "ase4.nc"] {
        let all = frames(&mut *fixture(name)).unwrap();
        let numbers = vec![8, 1, 1, 8, 1, 1, 8, 1, 1];
        let expected = Attribute::Integers(numbers);
        assert_eq!(all[0].atoms.get("type"), Some(&expected), "{name}");
        assert!(Arc::ptr_eq(&all[0].atoms, &all[2].atoms), "{name}");
        for (frame, z) in all.iter().zip([-3.0, -4.0, -5.0]) {
            assert_eq!(frame.cell.unwrap().origin(), [-1.0, -2.0, z], "{name}");
        }
    }
}
