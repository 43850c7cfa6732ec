//! Positions and weights stay in the buffers of whoever has them: no coordinate is copied on the way to a count.
//!
//! Alone in its program, because it looks at the most memory that the program has ever held.

#![cfg(target_os = "linux")]
#![allow(clippy::unwrap_used, reason = "a failed unwrap is a failed test")]

use std::sync::Arc;

use albireo::counts::JobId;
use albireo::particles::Column;
use albireo::{Domain, Lattice, Outside, PairJob, Pairs, Particles, PeriodicBox, Points, random};

/// The most memory that this program has held, in bytes.
fn most_held() -> usize {
    let status = std::fs::read_to_string("/proc/self/status").unwrap();
    let line = status.lines().find(|line| line.starts_with("VmHWM:"));
    let kib = line.unwrap().split_whitespace().nth(1).unwrap();
    1024 * kib.parse::<usize>().unwrap()
}

/// What any number of threads may take, less than a single column.
const ROOM: usize = 12 << 20;

const N: usize = 2_000_000;

#[test]
fn no_coordinate_is_copied_on_the_way_to_a_count() {
    let cubic = Domain::Periodic(PeriodicBox::cubic(1.0).unwrap());
    let lattice = [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];
    let cell = Domain::Triclinic(Lattice::new(lattice).unwrap());
    // As numpy keeps an array of shape (N, 3), and as Arrow keeps four columns.
    let own = random::in_box(N, 7, [1.0; 3]).unwrap();
    let [x, y, z] = own
        .columns()
        .map(|column| Arc::new(column.iter().collect::<Vec<_>>()));
    let weights = Arc::new(vec![1.5; N]);
    drop(own);
    let rows: Arc<Vec<f64>> = Arc::new((0..3 * N).map(|k| [&x, &y, &z][k % 3][k / 3]).collect());
    let singles: Arc<Vec<f32>> = Arc::new(rows.iter().map(|&x| x as f32 * 0.999).collect());

    let before = most_held();
    let apart = [&x, &y, &z].map(|column| Column::shared(column.clone()));
    let axis = |axis: usize| Column::strided(rows.clone(), axis, 3, N).unwrap();
    let single = |axis| Column::of_singles(singles.clone(), axis, 3, N).unwrap();
    let singly = [single(0), single(1), single(2)];
    for columns in [apart, [axis(0), axis(1), axis(2)], singly] {
        for domain in [&cubic, &cell, &Domain::Open] {
            let points = Points::from_columns(columns.clone()).unwrap();
            let sample = Particles::with_weights(points, Column::shared(weights.clone())).unwrap();
            let sample = domain.place(sample, Outside::Wrap).unwrap();
            let (copy, part) = (sample.clone(), sample.points().rows(5..N - 5));
            PairJob::new(Pairs::Cross(&sample, &copy), domain).unwrap();
            let part = Particles::new(part);
            let job = PairJob::new(Pairs::Cross(&part, &sample), domain).unwrap();
            assert_ne!(JobId::of(&job), JobId(0));
            assert!(sample.weight_sum() == 1.5 * N as f64);
        }
    }
    let more = most_held() - before;
    assert!(more < ROOM, "{more} bytes, a column has {}", 8 * N);

    // What is wrapped is wrapped in place, if it is nobody else's.
    let taken = Points::from_columns([x, y, z].map(|column| Arc::unwrap_or_clone(column).into()));
    let halves = Domain::Periodic(PeriodicBox::cubic(0.5).unwrap());
    let sample = halves
        .place(Particles::new(taken.unwrap()), Outside::Wrap)
        .unwrap();
    assert!(halves.check(sample.points()).is_ok());
    assert_eq!(sample.points().at(N - 1)[0], rows[3 * N - 3] % 0.5);
    let more = most_held() - before;
    assert!(more < ROOM, "{more} bytes, a column has {}", 8 * N);
}
