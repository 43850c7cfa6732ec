//! Jobs of sums per target that an engine may get wrong, and that must have the sums of the double loop.
//!
//! Entry: [`every_case`], [`every_term`].
#![allow(
    clippy::unwrap_used,
    unreachable_pub,
    dead_code,
    reason = "a failed unwrap is a failed test; shared by test binaries, each of which uses a part"
)]

use std::ops::Range;

use albireo::random::{self, Stream};
use albireo::{Domain, Lattice, Outside, Particles, PeriodicBox, Points};
use albireo_fields::{
    Cutoff, FieldJob, FieldSums, FieldVariant, Grid, Precision, Table, Targets, Term,
};

/// An engine for some planes of a job.
pub type Field<'a> = &'a dyn Fn(&FieldJob, Range<usize>) -> FieldSums;

/// Open space, boxes with and without open axes, and skewed cells, of about `length`.
pub fn domains(length: f64) -> Vec<Domain> {
    let slab = PeriodicBox::new([None, Some(length), Some(1.3 * length)]).unwrap();
    let skewed = [[1.0, 0.0, 0.0], [0.4, 1.1, 0.0], [-0.3, 0.2, 0.9]];
    vec![
        Domain::Open,
        Domain::Periodic(PeriodicBox::cubic(length).unwrap()),
        Domain::Periodic(slab),
        Domain::Triclinic(Lattice::new(skewed.map(|v| v.map(|c| c * length))).unwrap()),
    ]
}

/// A curve that falls and rises.
fn table(length: f64) -> Table {
    let r: Vec<f64> = (1..20).map(|k| f64::from(k) * 0.02 * length).collect();
    let values: Vec<f64> = r.iter().map(|r| (20.0 * r / length).cos()).collect();
    Table::new(&r, &values).unwrap()
}

/// The one whose sources have sizes.
pub fn lennard_jones(length: f64) -> Term {
    Term::lennard_jones(0.4 * length, 0.05 * length).unwrap()
}

/// One of each kind, of about `length` where it may end in `domain`, but for products over the axes and those with sizes.
pub fn every_term(domain: &Domain, length: f64) -> Vec<Term> {
    let mut terms = vec![
        Term::coulomb(Cutoff::Smooth(0.31 * length), 0.01 * length).unwrap(),
        Term::coulomb(Cutoff::Sharp(0.4 * length), 0.05 * length).unwrap(),
        Term::top_hat(0.2 * length).unwrap(),
        Term::spline(0.35 * length).unwrap(),
        Term::ewald(9.0 / length, 0.4 * length, 0.02 * length).unwrap(),
        Term::gaussian(0.05 * length, 0.4 * length).unwrap(),
        Term::table(table(length)),
    ];
    if !domain.is_periodic() {
        terms.push(Term::coulomb(Cutoff::None, 0.02 * length).unwrap());
    }
    terms
}

/// The ways of Rodrigues et al. 2008 that a job on a grid may go, with bins of several sizes; the first makes the most tests.
pub fn every_variant(job: &FieldJob) -> Vec<FieldVariant> {
    let mut all = vec![FieldVariant::Direct, FieldVariant::Cylinder];
    let reach = job.term().reach();
    if reach.is_finite() {
        all.push(FieldVariant::large_bins(reach));
        let side = 0.37 * reach;
        all.push(FieldVariant::LargeBins { side });
        all.push(FieldVariant::small_bins(reach));
        all.push(FieldVariant::SmallBins { side, sources: 1 });
        let side = 5.0 * reach;
        all.push(FieldVariant::SmallBins { side, sources: 32 });
    }
    all
}

/// Products over the axes.
pub fn every_product(length: f64) -> Vec<Term> {
    let widths = [0.11, 0.05, 0.2].map(|share| share * length);
    vec![
        Term::cloud_in_cell(widths).unwrap(),
        Term::triangular_cloud(widths.map(|w| 0.9 * w)).unwrap(),
    ]
}

/// Products over the axes on grids and at points, in every domain that has axes; sources on points, and as far as clouds are wide.
pub fn products(field: Field<'_>, expected: Field<'_>, n: usize) {
    for (d, domain) in domains(7.0).into_iter().take(3).enumerate() {
        let (points, strengths) = sources(n, 70 + d as u64, 7.0, &domain);
        for term in every_product(7.0) {
            let grid = Grid::orthogonal([-0.35, 0.0, -0.7], [0.77, 0.35, 0.7], [5, 9, 13]).unwrap();
            let at = sources(21, 300 + d as u64, 7.0, &domain).0;
            for targets in [Targets::Grid(grid), Targets::Points(at)] {
                let term = term.clone();
                let job = FieldJob::new(&points, &strengths, &domain, term, targets).unwrap();
                let sums = agree(field, expected, &job);
                assert!(sums.sums().iter().any(|&sum| sum != 0));
            }
        }
    }
}

fn placed(points: Points, domain: &Domain) -> Points {
    let placed = domain.place(Particles::new(points), Outside::Wrap).unwrap();
    placed.points().clone()
}

/// Points in a box, every fifth of them where another one is and every seventh on a face, with strengths of both signs.
fn sources(n: usize, seed: u64, length: f64, domain: &Domain) -> (Points, Vec<f64>) {
    let points = random::in_box(n, seed, [length, 0.8 * length, 0.9 * length]).unwrap();
    let rows = (0..n).map(|row| match row % 35 {
        k if k % 5 == 4 => points.at(row - 1),
        k if k % 7 == 6 => [0.0, points.at(row)[1], 0.5 * length],
        _ => points.at(row),
    });
    let rows: Vec<[f64; 3]> = rows.collect();
    let stream = Stream::new(seed).child(1);
    let strengths = (0..n as u64).map(|k| stream.uniform(k) - 0.4);
    (
        placed(Points::from_rows(&rows).unwrap(), domain),
        strengths.collect(),
    )
}

/// The sums of a job in both precisions, of all of it and of its planes in three parts; those of float64.
fn agree(field: Field<'_>, expected: Field<'_>, job: &FieldJob) -> FieldSums {
    let single = job.clone().with_precision(Precision::Single).unwrap();
    agree_in_one(field, expected, &single);
    agree_in_one(field, expected, job)
}

fn agree_in_one(field: Field<'_>, expected: Field<'_>, job: &FieldJob) -> FieldSums {
    let planes = job.targets().planes();
    let of_reference = expected(job, planes.clone());
    assert!(
        field(job, planes.clone()) == of_reference,
        "{}",
        job.term().describe()
    );
    let (one, two) = (planes.end / 3, planes.end - planes.end / 4);
    let parts = [0..one, one..two, two..planes.end].map(|part| field(job, part));
    let [first, second, third] = parts;
    let joined = first.followed_by(&second).unwrap();
    assert!(joined.followed_by(&third).unwrap() == of_reference);
    of_reference
}

/// Grids of all shapes near a tile's, in every domain with every term; and points, and grids that lie askew.
pub fn every_case(field: Field<'_>, expected: Field<'_>, n: usize) {
    let shapes = [[5, 9, 17], [4, 8, 8], [1, 1, 1], [3, 7, 23], [6, 1, 9]];
    for (d, domain) in domains(7.0).into_iter().enumerate() {
        let (points, strengths) = sources(n, d as u64, 7.0, &domain);
        for (t, term) in every_term(&domain, 7.0).into_iter().enumerate() {
            let h = 7.0 / 11.0;
            let shape = shapes[(d + t) % shapes.len()];
            // Beyond the box on all sides.
            let grid = Grid::orthogonal([-h, -h, -2.0 * h], [h, 1.1 * h, 0.8 * h], shape).unwrap();
            let steps = [[h, 0.1, 0.0], [0.0, h, 0.2], [-0.1, 0.0, h]];
            let askew = Grid::new([0.3; 3], steps, [3, 2, 9]).unwrap();
            let at = sources(21, 100 + d as u64, 7.0, &domain).0;
            for targets in [
                Targets::Grid(grid),
                Targets::Grid(askew),
                Targets::Points(at),
            ] {
                let term = term.clone();
                let job = FieldJob::new(&points, &strengths, &domain, term, targets).unwrap();
                agree(field, expected, &job);
            }
        }
    }
}

/// Sources of every size.
pub fn sizes(field: Field<'_>, expected: Field<'_>, n: usize) {
    for (d, domain) in domains(7.0).into_iter().enumerate() {
        let (points, strengths) = sources(n, 50 + d as u64, 7.0, &domain);
        let epsilon: Vec<f64> = strengths.iter().map(|q| q.abs()).collect();
        let sigma: Vec<f64> = strengths.iter().map(|q| 0.3 + q.abs()).collect();
        let grid = Grid::orthogonal([0.0; 3], [0.6, 0.7, 0.5], [5, 9, 13]).unwrap();
        let at = sources(21, 200 + d as u64, 7.0, &domain).0;
        for targets in [Targets::Grid(grid), Targets::Points(at)] {
            let (both, term) = ((&epsilon[..], &sigma[..]), lennard_jones(7.0));
            let job = FieldJob::lennard_jones(&points, both, &domain, term, targets).unwrap();
            agree(field, expected, &job);
        }
    }
}

/// Where engines may go wrong: one source, sources on points of the grid and pairs just at `r_min`, cutoffs that end on points, half a box
/// and a little less, grids whose points are farther from each other than terms reach by far, and none in reach.
pub fn hard_cases(field: Field<'_>, expected: Field<'_>) {
    let run = |rows: &[[f64; 3]], domain: &Domain, term: &Term, grid: Grid| {
        let term = term.clone();
        let points = Points::from_rows(rows).unwrap();
        let strengths: Vec<f64> = (0..rows.len()).map(|k| 1.0 - 0.75 * k as f64).collect();
        let job = FieldJob::new(&points, &strengths, domain, term, Targets::Grid(grid)).unwrap();
        agree(field, expected, &job)
    };
    let grid = |h: f64, shape| Grid::orthogonal([0.0; 3], [h; 3], shape).unwrap();
    let two = [[0.0, 0.0, 0.0], [0.5, 0.0, 0.0]];
    let bare = Term::coulomb(Cutoff::None, 0.5).unwrap();
    let sums = run(&two, &Domain::Open, &bare, grid(0.25, [5, 1, 1]));
    assert_eq!(sums.close_pairs(), 5);
    let tie = run(
        &two[..1],
        &Domain::Open,
        &Term::coulomb(Cutoff::Sharp(1.0), 0.5).unwrap(),
        grid(0.25, [6, 6, 6]),
    );
    assert_eq!(tie.sums()[4], 0, "r = rc is not in reach");
    assert!(tie.sums()[3] > 0 && tie.close_pairs() > 0);
    let cube = Domain::Periodic(PeriodicBox::cubic(2.0).unwrap());
    for reach in [1.0, 1.0f64.next_down(), 0.125] {
        let smooth = Term::coulomb(Cutoff::Smooth(reach), 0.1).unwrap();
        let rows = [[0.0, 1.0, 0.0], [1.0, 1.0, 1.0], [0.1, 0.0, 1.99]];
        run(&rows, &cube, &smooth, grid(0.125, [17, 16, 9]));
        run(
            &rows,
            &cube,
            &Term::top_hat(reach).unwrap(),
            grid(1.0, [3, 3, 3]),
        );
    }
    // Terms of reach 1 at points 1e12 apart.
    let sharp = Term::coulomb(Cutoff::Sharp(1.0), 1e-3).unwrap();
    let far = 3e12;
    for x in [0.9995, 1.0, 0.5] {
        let sums = run(
            &[[far - x, 0.0, far]],
            &Domain::Open,
            &sharp,
            grid(1e12, [4, 2, 4]),
        );
        assert_eq!(sums.sums().iter().any(|&sum| sum != 0), x < 1.0, "{x}");
    }
    let nothing = run(&[[50.0; 3]], &Domain::Open, &sharp, grid(0.5, [9, 9, 9]));
    assert!(nothing.sums().iter().all(|&sum| sum == 0));
}
