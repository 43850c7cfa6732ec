//! Columns of grids that are longer than one, that wrap, and whose sources are many.

use albireo::{Domain, PeriodicBox};
use albireo_fields::{Cutoff, FieldJob, Grid, Precision, Targets, Term};

use super::{charges, placed, same_everywhere};

/// A long grid from before one side of the box to beyond the other, and once more round it: columns meet the same source on both sides.
#[test]
fn long_columns_in_small_boxes_see_every_image() {
    let lengths = [9.0, 7.0, 11.0];
    let cell = PeriodicBox::new(lengths.map(Some)).unwrap();
    let shapes: [([f64; 3], [usize; 3]); 4] = [
        // Two periods and a half, in three columns.
        ([0.7, 0.9, 0.1], [3, 5, 275]),
        // One, whose ends are neighbours.
        ([0.9, 0.7, 0.1], [5, 10, 110]),
        // As long as a column, and one more.
        ([1.0, 1.0, 0.04], [1, 9, 128]),
        ([1.0, 1.0, 0.04], [6, 1, 129]),
    ];
    for (k, (spacing, shape)) in shapes.into_iter().enumerate() {
        for (d, domain) in [Domain::Periodic(cell), Domain::Open]
            .into_iter()
            .enumerate()
        {
            let seed = (50 + 10 * k + d) as u64;
            let (points, charges) = (placed(150, seed, 7.0, &domain), charges(150, seed));
            let grid = Grid::orthogonal([-2.05, -1.0, -3.02], spacing, shape).unwrap();
            let terms = [
                Term::coulomb(Cutoff::Smooth(3.5), 0.4).unwrap(),
                Term::coulomb(Cutoff::Sharp(0.6), 0.05).unwrap(),
                Term::triangular_cloud([1.0, 0.9, 0.8]).unwrap(),
            ];
            let mut met = 0;
            for term in terms {
                let targets = Targets::Grid(grid.clone());
                let job = FieldJob::new(&points, &charges, &domain, term, targets).unwrap();
                let single = job.clone().with_precision(Precision::Single).unwrap();
                for job in [job, single] {
                    let sums = same_everywhere(&job);
                    met += sums.sums().iter().filter(|&&sum| sum != 0).count();
                }
            }
            assert!(met > 0);
        }
    }
}

/// Two points in each of which the same images are nearest although they lie more than half a box apart, and steps backwards.
#[test]
fn steps_beyond_half_of_the_box_and_backwards_are_seen() {
    let side = 5.0;
    let cell = Domain::Periodic(PeriodicBox::cubic(side).unwrap());
    for (domain, seed) in [(cell, 71), (Domain::Open, 72)] {
        let (points, charges) = (placed(400, seed, side, &domain), charges(400, seed));
        for step in [2.9, -0.4, 9.58 * side, -1.5 * side] {
            for n in [2, 3, 9] {
                let grid = Grid::orthogonal([1.1, 0.3, 2.0], [0.6, 0.4, step], [3, 4, n]).unwrap();
                let term = Term::coulomb(Cutoff::Smooth(0.7), 0.1).unwrap();
                let targets = Targets::Grid(grid);
                let job = FieldJob::new(&points, &charges, &domain, term, targets).unwrap();
                same_everywhere(&job);
            }
        }
    }
}

/// More terms than the two halves of a float32 sum can hold.
#[test]
fn sums_of_very_many_sources_are_handed_over() {
    let n = 70_000;
    let points = placed(n, 91, 10.0, &Domain::Open);
    let charges = vec![0.7; n];
    let grid = Targets::Grid(Grid::orthogonal([2.0; 3], [1.5, 1.1, 2.3], [2, 5, 2]).unwrap());
    let term = Term::coulomb(Cutoff::None, 0.02).unwrap();
    let job = FieldJob::new(&points, &charges, &Domain::Open, term, grid).unwrap();
    for precision in [Precision::Double, Precision::Single] {
        let job = job.clone().with_precision(precision).unwrap();
        let least = same_everywhere(&job)
            .values()
            .into_iter()
            .fold(f64::INFINITY, f64::min);
        assert!(least > 0.7 * n as f64 / 20.0, "{least}");
    }
}
