//! Trajectories in tables, HDF5 and text against the packages whose formats they are: fixtures/frames/make.py writes files and values.

#![allow(
    clippy::unwrap_used,
    clippy::print_stdout,
    clippy::panic,
    reason = "a failed step fails the test; tests report"
)]

#[allow(dead_code, reason = "shared with other tests")]
#[path = "../damaged/mod.rs"]
mod damaged;

mod atoms;
mod bad;
mod far;
mod fuzz;
mod moving;
mod shared_data;
mod spellings;
mod tables;
mod topology;

use std::io::Write;
use std::path::{Path, PathBuf};

use albireo_catalogs::{
    CatalogError, Frame, Stop, Trajectory, TrajectoryFormat, TrajectoryRequest, open_trajectory,
};
use flate2::Compression;
use flate2::write::GzEncoder;

use TrajectoryFormat as F;

/// Every fixture with its format, unit and, where it is known before reading, number of frames.
const FIXTURES: [(&str, F, Option<&str>, Option<u64>); 17] = [
    ("table.parquet", F::Table, None, None),
    ("table.csv", F::Table, None, None),
    ("trackpy.csv", F::Table, None, None),
    ("mdanalysis.h5md", F::H5md, None, Some(3)),
    ("groups.h5", F::H5md, Some("nm"), Some(3)),
    ("gromacs.h5md", F::H5md, Some("nm"), Some(2)),
    ("mdtraj.h5", F::MdTraj, Some("nm"), Some(2)),
    ("cadishi.h5", F::Cadishi, None, Some(11)),
    ("scaled.lammpstrj", F::LammpsDump, Some("Angstrom"), None),
    ("mdtraj.lammpstrj", F::LammpsDump, None, None),
    ("ase.extxyz", F::Xyz, Some("Angstrom"), None),
    ("plain.xyz", F::Xyz, Some("Angstrom"), None),
    ("one.gro", F::Gro, Some("nm"), None),
    ("frames.gro", F::Gro, Some("nm"), None),
    ("models.pdb", F::Pdb, Some("Angstrom"), None),
    ("bonds.pdb", F::Pdb, Some("Angstrom"), None),
    ("ends.pdb", F::Pdb, Some("Angstrom"), None),
];

pub(crate) fn fixture(name: &str) -> PathBuf {
    damaged::fixtures().join("frames").join(name)
}

/// The request by which a fixture is read.
pub(crate) fn request(name: &str) -> TrajectoryRequest {
    TrajectoryRequest {
        table: (name == "groups.h5").then(|| "solvent".to_owned()),
        ..TrajectoryRequest::default()
    }
}

pub(crate) fn opened(name: &str) -> Box<dyn Trajectory> {
    open_trajectory(&fixture(name), &request(name), Stop::never()).unwrap()
}

pub(crate) fn all(path: &Path, request: &TrajectoryRequest) -> Result<Vec<Frame>, CatalogError> {
    let mut trajectory = open_trajectory(path, request, Stop::never())?;
    let mut frames = Vec::new();
    while let Some(frame) = trajectory.next_frame()? {
        assert_eq!(frame.number, frames.len() as u64);
        assert_eq!(frame.atoms.len(), frame.len());
        frames.push(frame);
    }
    assert!(trajectory.next_frame()?.is_none(), "the end stays the end");
    Ok(frames)
}

/// Frames as make.py writes them.
pub(crate) fn values(frames: &[Frame]) -> Vec<f64> {
    let mut values = Vec::new();
    for frame in frames {
        values.extend([frame.len() as f64, f64::from(frame.cell.is_some())]);
        let vectors = frame.cell.map_or([[0.0; 3]; 3], |cell| cell.vectors());
        values.extend(vectors.into_iter().flatten());
        for k in 0..frame.len() {
            values.extend(frame.positions.iter().map(|axis| axis[k]));
        }
    }
    values
}

pub(crate) fn expected(name: &str) -> Vec<f64> {
    let bytes = std::fs::read(fixture(&format!("{name}.values"))).unwrap();
    let cells = bytes.chunks_exact(8);
    cells
        .map(|cell| f64::from_le_bytes(cell.try_into().unwrap()))
        .collect()
}

/// A file of that name in a folder of its own.
pub(crate) fn written(name: &str, bytes: &[u8]) -> (tempfile::TempDir, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join(name);
    std::fs::write(&path, bytes).unwrap();
    (folder, path)
}

#[test]
fn values_are_those_of_the_packages() {
    for (name, format, unit, count) in FIXTURES {
        let trajectory = opened(name);
        assert_eq!(trajectory.format(), format, "{name}");
        assert_eq!(trajectory.unit(), unit, "{name}");
        assert_eq!(trajectory.frames(), count, "{name}");
        let frames = all(&fixture(name), &request(name)).unwrap();
        let (found, expected) = (values(&frames), expected(name));
        assert_eq!(found.len(), expected.len(), "{name}");
        for (k, (found, expected)) in found.iter().zip(&expected).enumerate() {
            assert_eq!(found, expected, "{name}: value {k}");
        }
    }
}

#[test]
fn what_is_passed_over_is_not_missed() {
    for (name, ..) in FIXTURES {
        let frames = all(&fixture(name), &request(name)).unwrap();
        for passed in 0..=frames.len() as u64 {
            let mut trajectory = opened(name);
            assert_eq!(trajectory.skip(passed).unwrap(), passed, "{name}");
            match frames.get(passed as usize) {
                None => assert!(trajectory.next_frame().unwrap().is_none(), "{name}"),
                Some(frame) => {
                    let next = trajectory.next_frame().unwrap().unwrap();
                    assert_eq!(next.number, frame.number, "{name}");
                    assert_eq!((next.step, next.time), (frame.step, frame.time), "{name}");
                    assert_eq!(
                        values(std::slice::from_ref(&next)),
                        values(std::slice::from_ref(frame)),
                        "{name}"
                    );
                    // As text, in which NaN equals NaN.
                    let shown = |frame: &Frame| format!("{:?}", frame.atoms);
                    assert_eq!(shown(&next), shown(frame), "{name}");
                }
            }
            let left = (frames.len() as u64).saturating_sub(passed + 1);
            assert_eq!(trajectory.skip(100).unwrap(), left, "{name}");
        }
    }
}

#[test]
fn text_may_be_gzipped() {
    for (name, format, ..) in FIXTURES {
        if matches!(format, F::H5md | F::MdTraj | F::Cadishi) || name.ends_with("parquet") {
            continue;
        }
        let mut packed = GzEncoder::new(Vec::new(), Compression::fast());
        packed
            .write_all(&std::fs::read(fixture(name)).unwrap())
            .unwrap();
        let (_folder, path) = written(&format!("{name}.gz"), &packed.finish().unwrap());
        let frames = all(&path, &request(name)).unwrap();
        assert_eq!(values(&frames), expected(name), "{name}");
    }
}

#[test]
fn content_tells_the_format_and_not_the_name() {
    for (name, format, ..) in FIXTURES {
        let (_folder, path) = written("trajectory.dat", &std::fs::read(fixture(name)).unwrap());
        let found = open_trajectory(&path, &request(name), Stop::never()).unwrap();
        assert_eq!(found.format(), format, "{name}");
    }
}

#[test]
fn reading_stops_when_it_is_asked_to() {
    use std::sync::Arc;
    use std::sync::atomic::{AtomicBool, Ordering};
    for (name, ..) in FIXTURES {
        let pressed = Arc::new(AtomicBool::new(false));
        let asked = Arc::clone(&pressed);
        let stop = Stop::when(move || asked.load(Ordering::Relaxed));
        pressed.store(true, Ordering::Relaxed);
        let error = open_trajectory(&fixture(name), &request(name), stop.clone())
            .and_then(|mut trajectory| trajectory.next_frame());
        assert!(
            matches!(error, Err(CatalogError::Interrupted { .. })),
            "{name}"
        );
    }
}
