//! Halos of Abacus: their box lies around the origin.

#![allow(clippy::unwrap_used, reason = "a failed unwrap is a failed test")]

mod halos;

use albireo::counts::count_pairs;
use albireo::engine::{Cpu, Silent};
use albireo::{Axis, Edges, PairJob, Pairs, RBins};
use albireo_samples::{Notice, Reading, SampleError, Samples, Selection, Source};

/// Positions in units of the box: 1 Mpc/h apart through the side, the others far off.
const POSITIONS: [[f32; 3]; 4] = [
    [-0.5, 0.25, 0.0],
    [0.475, 0.25, 0.0],
    [-0.25, -0.25, 0.25],
    [0.0, -0.125, -0.375],
];
/// Displacements in units of the box.
const VELOCITIES: [[f32; 3]; 4] = [[0.0; 3], [0.0; 3], [0.0, 0.0, 0.375], [0.0; 3]];

const HEADER: &str = "BoxSize: 40.0, BoxSizeHMpc: 40.0, H0: 70.0, Omega_M: 1.0, Redshift: 0.0, VelZSpace_to_kms: 4000.0";

fn read(reading: &Reading) -> (Result<Samples, SampleError>, Vec<Notice>) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("halo_info_000.asdf");
    std::fs::write(&path, halos::asdf(HEADER, &POSITIONS, &VELOCITIES)).unwrap();
    let source = Source {
        role: "data".to_owned(),
        paths: vec![path],
        selection: Selection::default(),
    };
    let mut notices = Vec::new();
    let samples = reading.read(&[source], &mut |notice| notices.push(notice));
    (samples, notices)
}

#[test]
fn positions_around_the_origin_come_into_the_box() {
    let (samples, notices) = read(&Reading::default());
    let samples = samples.unwrap();
    let data = samples.get("data").unwrap();
    assert_eq!(data.points().at(0), [20.0, 10.0, 0.0]);
    assert_eq!(
        data.points().at(1),
        [f64::from(0.475_f32) * 40.0, 10.0, 0.0]
    );
    assert_eq!(data.points().at(2), [30.0, 30.0, 10.0]);
    assert_eq!(data.points().at(3), [0.0, 35.0, 25.0]);
    let wrapped = "data: 3 of 4 positions were outside the box and are wrapped into it";
    assert!(notices.contains(&Notice::note(wrapped)), "{notices:?}");
    assert_eq!(samples.record()["samples"][0]["wrapped"], 3);
    let job = PairJob::new(Pairs::Auto(data), samples.domain()).unwrap();
    let bins = RBins::new(Edges::new(vec![0.5, 1.5, 5.0]).unwrap());
    let counts = count_pairs(&Cpu::new(), &job, &bins, &Silent).unwrap();
    assert_eq!(counts.npairs(), [1, 0]);
}

#[test]
fn they_are_moved_to_redshift_space_then() {
    let along = Reading {
        rsd: Some(Axis::Z),
        ..Reading::default()
    };
    let samples = read(&along).0.unwrap();
    // 10 + 0.375 x 4000 / 100, in a box of 40.
    assert_eq!(
        samples.get("data").unwrap().points().at(2),
        [30.0, 30.0, 25.0]
    );
}

#[test]
fn a_smaller_box_wraps_nothing_unasked() {
    let smaller = Reading {
        space: Some("30".parse().unwrap()),
        ..Reading::default()
    };
    let refused = read(&smaller).0.unwrap_err().to_string();
    assert!(refused.contains("--wrap wraps"), "{refused}");
}
