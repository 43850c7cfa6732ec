//! Sums per target: every engine, instruction set, number of threads and cut into planes by `==`, and the definition against float64.

#![allow(clippy::unwrap_used, reason = "a failed unwrap is a failed test")]

#[path = "fields/columns.rs"]
mod columns;
mod field_cases;
#[path = "fields/ions.rs"]
mod ions;
#[path = "fields/terms.rs"]
mod terms;
#[path = "fields/variants.rs"]
mod variants;

use albireo::engine::{Cpu, Isa, Silent};
use albireo::random::{self, Stream};
use albireo::{Domain, Lattice, Naive, Outside, Particles, PeriodicBox, Points};
use albireo_fields::{Cutoff, FieldEngine, FieldError, FieldJob, FieldSums, Grid, Targets, Term};

/// Charges of both signs.
fn charges(n: usize, seed: u64) -> Vec<f64> {
    let stream = Stream::new(seed).child(1);
    (0..n as u64)
        .map(|k| stream.uniform(k) * 1.6 - 0.8)
        .collect()
}

fn naive(job: &FieldJob) -> FieldSums {
    Naive.field(job, job.targets().planes(), &Silent).unwrap()
}

/// All engines and cuts of a job give the sums of the double loop.
fn same_everywhere(job: &FieldJob) -> FieldSums {
    let expected = naive(job);
    for isa in Isa::available() {
        for threads in [1, 2, 7] {
            let cpu = Cpu::new()
                .with_threads(threads)
                .unwrap()
                .with_isa(isa)
                .unwrap();
            let found = cpu.field(job, job.targets().planes(), &Silent).unwrap();
            assert!(found == expected, "{} on {threads}", isa.name());
        }
    }
    let planes = job.targets().planes();
    let (one, two) = (planes.end / 3, planes.end - planes.end / 4);
    let parts = [0..one, one..two, two..planes.end];
    let parts = parts.map(|part| Cpu::new().field(job, part, &Silent).unwrap());
    let [first, second, third] = &parts;
    let joined = first.clone().followed_by(second).unwrap();
    assert!(joined.clone().followed_by(third).unwrap() == expected);
    assert!(matches!(
        joined.followed_by(second),
        Err(FieldError::Apart { .. })
    ));
    expected
}

#[test]
fn hard_cases_on_every_instruction_set() {
    let expected = |job: &FieldJob, planes| Naive.field(job, planes, &Silent).unwrap();
    for isa in Isa::available() {
        let cpu = Cpu::new().with_isa(isa).unwrap();
        let on_cpu = |job: &FieldJob, planes| cpu.field(job, planes, &Silent).unwrap();
        field_cases::hard_cases(&on_cpu, &expected);
        field_cases::products(&on_cpu, &expected, 60);
    }
}

/// The Coulomb sum in float64, by the domain's own separations; pairs within 1e-9 of the cutoff or `r_min` are not met here.
fn float64(
    (points, charges): (&Points, &[f64]),
    domain: &Domain,
    at: [f64; 3],
    (cutoff, r_min): (Cutoff, f64),
) -> f64 {
    let term = |row: usize| {
        let r = domain.separation(points.at(row), at).r2.sqrt().max(r_min);
        let s = match cutoff {
            Cutoff::None => 1.0,
            Cutoff::Sharp(rc) => f64::from(u8::from(r < rc)),
            Cutoff::Smooth(rc) => (1.0 - r * r / (rc * rc)).max(0.0).powi(2),
        };
        charges[row] * s / r
    };
    (0..points.len()).map(term).sum()
}

/// A cube, a slab with one open axis, open space, and a skewed cell, of about `length`.
fn domains(length: f64) -> Vec<Domain> {
    let slab = PeriodicBox::new([Some(length), None, Some(1.3 * length)]).unwrap();
    let skewed = [[1.0, 0.0, 0.0], [0.4, 1.1, 0.0], [-0.3, 0.2, 0.9]];
    vec![
        Domain::Periodic(PeriodicBox::cubic(length).unwrap()),
        Domain::Periodic(slab),
        Domain::Open,
        Domain::Triclinic(Lattice::new(skewed.map(|v| v.map(|c| c * length))).unwrap()),
    ]
}

fn placed(n: usize, seed: u64, length: f64, domain: &Domain) -> Points {
    let points = random::in_box(n, seed, [length, 0.8 * length, 0.9 * length]).unwrap();
    let placed = domain.place(Particles::new(points), Outside::Wrap).unwrap();
    placed.points().clone()
}

#[test]
fn engines_threads_and_planes_give_the_same_bits_in_every_domain_at_every_scale() {
    for (k, length) in [10.0, 3.7e-9, 2.5e13].into_iter().enumerate() {
        for (d, domain) in domains(length).into_iter().enumerate() {
            let seed = (10 * k + d) as u64;
            let points = placed(300, seed, length, &domain);
            let charges = charges(300, seed);
            let h = length / 13.0;
            let rc = length * 0.31;
            // Beyond the box on all sides, in tiles that are not full.
            let grid =
                Grid::orthogonal([-h, -h, -2.0 * h], [h, 1.1 * h, 0.8 * h], [7, 6, 19]).unwrap();
            let mut terms = vec![
                Term::coulomb(Cutoff::Smooth(rc), 0.05 * length).unwrap(),
                Term::coulomb(Cutoff::Sharp(rc), 0.01 * length).unwrap(),
                Term::top_hat(0.2 * length).unwrap(),
                Term::spline(0.4 * length).unwrap(),
            ];
            if !domain.is_periodic() {
                terms.push(Term::coulomb(Cutoff::None, 0.02 * length).unwrap());
            }
            for term in terms {
                let targets = Targets::Grid(grid.clone());
                let job = FieldJob::new(&points, &charges, &domain, term.clone(), targets).unwrap();
                let sums = same_everywhere(&job);
                assert!(
                    sums.sums().iter().any(|&sum| sum != 0),
                    "{}",
                    term.describe()
                );
            }
            let term = Term::coulomb(Cutoff::Smooth(rc), 0.05 * length).unwrap();
            let at = placed(70, seed + 100, length, &domain);
            let job = FieldJob::new(&points, &charges, &domain, term, Targets::Points(at)).unwrap();
            assert!(same_everywhere(&job).close_pairs() > 0);
        }
    }
}

#[test]
fn sums_are_those_of_float64_within_the_stated_bound() {
    for domain in domains(20.0) {
        let points = placed(800, 4, 20.0, &domain);
        let charges = charges(800, 4);
        let (cutoff, r_min) = (Cutoff::Smooth(8.0), 0.3);
        let grid = Grid::orthogonal([0.1; 3], [1.7, 1.9, 1.3], [8, 7, 9]).unwrap();
        let term = Term::coulomb(cutoff, r_min).unwrap();
        let targets = Targets::Grid(grid.clone());
        let job = FieldJob::new(&points, &charges, &domain, term, targets).unwrap();
        let sums = Cpu::new()
            .field(&job, job.targets().planes(), &Silent)
            .unwrap();
        let bound = job.scale().error_bound;
        // In a skewed cell components of a separation may nearly cancel.
        let skewed = matches!(domain, Domain::Triclinic(_));
        assert!(bound < if skewed { 1e-7 } else { 1e-9 }, "{bound:e}");
        let mut worst: f64 = 0.0;
        for (number, value) in sums.values().into_iter().enumerate() {
            let at = grid.at([number / 63, number / 9 % 7, number % 9]);
            let inside = domain.place(
                Particles::new(Points::from_rows(&[at]).unwrap()),
                Outside::Wrap,
            );
            let at = inside.unwrap().points().at(0);
            let expected = float64((&points, &charges), &domain, at, (cutoff, r_min));
            worst = worst.max((value - expected).abs());
        }
        // The float64 sum has errors of its own, and positions move by theirs.
        assert!(worst < bound + 1e-12, "{worst:e}, {bound:e}");
        assert!(worst < 1e-11 && worst > 0.0, "{worst:e}");
    }
}

/// Sources on the points of the grid, and pairs exactly at `r_min`.
#[test]
fn close_pairs_are_counted_and_keep_the_value_at_r_min() {
    let points = Points::from_rows(&[[0.0, 0.0, 0.0], [0.5, 0.0, 0.0]]).unwrap();
    let term = Term::coulomb(Cutoff::None, 0.5).unwrap();
    let grid = Grid::orthogonal([0.0; 3], [0.25, 1.0, 1.0], [5, 1, 1]).unwrap();
    let job = FieldJob::new(
        &points,
        &[1.0, 1.0],
        &Domain::Open,
        term,
        Targets::Grid(grid),
    )
    .unwrap();
    let sums = same_everywhere(&job);
    assert_eq!(
        sums.values(),
        [4.0, 4.0, 4.0, 2.0 + 4.0 / 3.0, 3.0].map(|v: f64| {
            let unit = 2f64.powi(job.scale().exponent);
            (v / unit).round() * unit
        })
    );
    // 0 and 0.25 of each source; 0.5 is not closer than itself.
    assert_eq!(sums.close_pairs(), 5);
}

/// Nothing that a sum could hold overflows: all sources as strong and as close as can be.
#[test]
fn sums_of_largest_terms_do_not_overflow() {
    let n = 5000;
    let points = Points::from_rows(&vec![[1.0, 2.0, 3.0]; n]).unwrap();
    let grid = Grid::orthogonal([1.0, 2.0, 3.0], [0.1; 3], [2, 2, 2]).unwrap();
    for cutoff in [Cutoff::None, Cutoff::Smooth(1.0)] {
        let term = Term::coulomb(cutoff, 0.01).unwrap();
        let targets = Targets::Grid(grid.clone());
        let job = FieldJob::new(
            &points,
            &vec![-3.0; n],
            &Domain::Open,
            term.clone(),
            targets,
        )
        .unwrap();
        assert!(job.scale().most_terms >= n as u64);
        let sums = same_everywhere(&job);
        let expected = -3.0 * n as f64 * term.value(0.0);
        assert!((sums.values()[0] / expected - 1.0).abs() < 1e-12);
        assert_eq!(sums.close_pairs(), n as u64);
    }
}

#[test]
fn jobs_without_meaning_are_refused() {
    let points = Points::from_rows(&[[0.5; 3], [0.25; 3]]).unwrap();
    let cube = Domain::Periodic(PeriodicBox::cubic(1.0).unwrap());
    let grid = || Targets::Grid(Grid::orthogonal([0.0; 3], [0.1; 3], [4, 4, 4]).unwrap());
    let smooth = |rc| Term::coulomb(Cutoff::Smooth(rc), 1e-3).unwrap();
    let make = |strengths: &[f64], domain: &Domain, term: Term, targets: Targets| {
        FieldJob::new(&points, strengths, domain, term, targets).map(|_| ())
    };
    let both = [1.0, -1.0];
    assert_eq!(make(&both, &cube, smooth(0.5), grid()), Ok(()));
    let reach = make(&both, &cube, smooth(0.51), grid());
    assert!(matches!(reach, Err(FieldError::Reach { limit: 0.5, .. })));
    let bare = Term::coulomb(Cutoff::None, 0.1).unwrap();
    assert_eq!(make(&both, &cube, bare, grid()), Err(FieldError::Endless));
    assert!(matches!(
        make(&[1.0], &cube, smooth(0.5), grid()),
        Err(FieldError::Strengths { .. })
    ));
    assert!(matches!(
        make(&[0.0; 2], &cube, smooth(0.5), grid()),
        Err(FieldError::NoStrength { .. })
    ));
    let nan = make(&[1.0, f64::NAN], &cube, smooth(0.5), grid());
    assert!(matches!(nan, Err(FieldError::NotFinite { row: 1, .. })));
    let huge = make(&[1e300, 1.0], &cube, smooth(0.5), grid());
    assert!(matches!(huge, Err(FieldError::Range { .. })));
    let nowhere = Targets::Points(Points::from_rows(&[]).unwrap());
    assert!(matches!(
        make(&both, &cube, smooth(0.5), nowhere),
        Err(FieldError::Empty { .. })
    ));
    let far = Targets::Points(Points::from_rows(&[[1e20, 0.0, 0.0]]).unwrap());
    assert!(matches!(
        make(&both, &cube, smooth(0.5), far),
        Err(FieldError::Far { .. })
    ));
    for (spacing, shape) in [
        ([0.0, 1.0, 1.0], [1, 1, 1]),
        ([1.0; 3], [1, 0, 1]),
        ([f64::NAN; 3], [1; 3]),
        ([1.0; 3], [1 << 20; 3]),
    ] {
        assert!(Grid::orthogonal([0.0; 3], spacing, shape).is_err());
    }
}
