//! Every term, precision and domain on every engine by `==`, and against a float64 loop within the stated bound.

use albireo::engine::{Cpu, Silent};
use albireo::{Domain, Lattice, PeriodicBox, Points};
use albireo_fields::{
    Cutoff, FieldEngine, FieldError, FieldJob, FieldSums, Grid, Mixing, Precision, Table, Targets,
    Term,
};

use super::{charges, domains, naive, placed, same_everywhere};

/// The sines of 1/r and of r, as a table.
fn table(last: f64) -> Table {
    let r: Vec<f64> = (1..=50).map(|k| f64::from(k) * (last / 50.0)).collect();
    let values: Vec<f64> = r.iter().map(|r| libm::sin(8.0 * r / last) / r).collect();
    Table::new(&r, &values).unwrap()
}

/// Every term that has no sizes, of about this reach; products where axes are.
fn terms(reach: f64, domain: &Domain) -> Vec<Term> {
    let mut terms = vec![
        Term::coulomb(Cutoff::Smooth(reach), 0.15 * reach).unwrap(),
        Term::coulomb(Cutoff::Sharp(reach), 0.02 * reach).unwrap(),
        Term::ewald(3.0 / reach, reach, 0.1 * reach).unwrap(),
        Term::ewald(6.5 / reach, reach, 0.01 * reach).unwrap(),
        Term::top_hat(0.7 * reach).unwrap(),
        Term::spline(reach).unwrap(),
        Term::gaussian(0.15 * reach, reach).unwrap(),
        Term::table(table(reach)),
    ];
    if !matches!(domain, Domain::Triclinic(_)) {
        terms.push(Term::cloud_in_cell([0.3 * reach, 0.2 * reach, reach]).unwrap());
        terms.push(Term::triangular_cloud([0.3 * reach, 0.6 * reach, 0.2 * reach]).unwrap());
    }
    if !domain.is_periodic() {
        terms.push(Term::coulomb(Cutoff::None, 0.05 * reach).unwrap());
    }
    terms
}

/// Beyond the box on all sides, in tiles that are not full.
fn grid(length: f64) -> Targets {
    let h = length / 11.0;
    Targets::Grid(Grid::orthogonal([-h, -h, -2.0 * h], [h, 1.2 * h, 0.9 * h], [6, 5, 17]).unwrap())
}

fn not_nothing(sums: &FieldSums, what: &str) {
    assert!(sums.sums().iter().any(|&sum| sum != 0), "{what}");
}

#[test]
fn every_term_in_both_precisions_is_the_same_bits_everywhere() {
    for (d, domain) in domains(10.0).into_iter().enumerate() {
        let points = placed(150, d as u64, 10.0, &domain);
        let charges = charges(150, d as u64);
        let at = placed(40, 100 + d as u64, 10.0, &domain);
        for term in terms(3.1, &domain) {
            for targets in [grid(10.0), Targets::Points(at.clone())] {
                let (term, what) = (term.clone(), term.describe());
                let job = FieldJob::new(&points, &charges, &domain, term, targets).unwrap();
                not_nothing(&same_everywhere(&job), &what);
                let single = job.with_precision(Precision::Single).unwrap();
                not_nothing(&same_everywhere(&single), &what);
            }
        }
    }
}

/// Tables whose first node is no whole number of steps: pairs below it, at it and at every other node, on all engines.
#[test]
fn tables_keep_the_value_of_their_first_node_everywhere() {
    for (first, step, nodes) in [
        (0.08, 0.13, 20),
        (0.3, 0.1, 7),
        (1.7, 0.011, 40),
        (0.07, 0.31, 8),
    ] {
        let r: Vec<f64> = (0..nodes).map(|k| first + step * f64::from(k)).collect();
        let values: Vec<f64> = r.iter().map(|r| 1.0 / r).collect();
        let term = Term::table(Table::new(&r, &values).unwrap());
        let inner = [0.0, 0.2 * first, 0.999 * first].into_iter();
        let rows: Vec<[f64; 3]> = inner
            .chain(r.iter().copied())
            .map(|x| [x, 0.0, 0.0])
            .collect();
        let points = Targets::Points(Points::from_rows(&rows).unwrap());
        let source = Points::from_rows(&[[0.0; 3]]).unwrap();
        let job = FieldJob::new(&source, &[1.0], &Domain::Open, term, points).unwrap();
        let single = job.clone().with_precision(Precision::Single).unwrap();
        for job in [job, single] {
            let found = same_everywhere(&job).values();
            let bound = job.scale().error_bound;
            for (value, row) in found.iter().zip(&rows).take(rows.len() - 1) {
                let expected = 1.0 / row[0].max(first);
                assert!(
                    (value - expected).abs() <= bound,
                    "{value} for {expected} at {row:?}"
                );
            }
        }
    }
}

/// A least distance that float32 does not tell from the cutoff left no term but 0.
#[test]
fn single_precision_refuses_a_least_distance_at_the_end() {
    let source = Points::from_rows(&[[0.0; 3]]).unwrap();
    let made = |cutoff: Cutoff, r_min: f64| {
        let at = Targets::Points(Points::from_rows(&[[1.0, 0.0, 0.0]]).unwrap());
        let term = Term::coulomb(cutoff, r_min).unwrap();
        let job = FieldJob::new(&source, &[1.0], &Domain::Open, term, at).unwrap();
        assert!(naive(&job).values()[0] > 0.0 || matches!(cutoff, Cutoff::Smooth(_)));
        job.with_precision(Precision::Single)
    };
    for cutoff in [Cutoff::Sharp(12.0), Cutoff::Smooth(12.0)] {
        let refused = made(cutoff, 12.0 * (1.0 - 1e-9)).unwrap_err();
        assert!(
            matches!(refused, FieldError::SingleOrder { .. }),
            "{refused}"
        );
        assert!(made(cutoff, 12.0 * (1.0 - 1e-6)).is_ok());
    }
    let near = made(Cutoff::Sharp(12.0), 12.0 * (1.0 - 1e-6)).unwrap();
    assert!(
        naive(&near).values()[0] > 0.08,
        "{:?}",
        naive(&near).values()
    );
}

/// Lennard-Jones energies of a probe, of sources of three kinds, one of which has none.
#[test]
fn a_probe_has_the_same_energies_everywhere() {
    for (d, domain) in domains(10.0).into_iter().enumerate() {
        let points = placed(150, d as u64, 10.0, &domain);
        let kinds = [(0.7, 1.2), (0.3, 0.9), (0.0, 1.0)];
        let pairs = (0..150).map(|k| Mixing::LorentzBerthelot.pair(kinds[k % 3], (0.2, 1.1)));
        let (epsilon, sigma): (Vec<f64>, Vec<f64>) = pairs.unzip();
        let term = Term::lennard_jones(3.0, 0.9).unwrap();
        for targets in [grid(10.0), Targets::Points(placed(40, 9, 10.0, &domain))] {
            let both = (&epsilon[..], &sigma[..]);
            let job = FieldJob::lennard_jones(&points, both, &domain, term.clone(), targets);
            let job = job.unwrap();
            let sums = same_everywhere(&job);
            let bound = job.scale().error_bound;
            for (number, value) in sums.values().into_iter().enumerate() {
                let Targets::Points(at) = job.targets() else {
                    break;
                };
                let of = |row: usize| {
                    let r = domain.separation(points.at(row), at.at(number)).r2.sqrt();
                    let t = (sigma[row] / r.max(0.9)).powi(6);
                    f64::from(u8::from(r < 3.0)) * 4.0 * epsilon[row] * (t * t - t)
                };
                let expected: f64 = (0..150).map(of).sum();
                assert!(
                    (value - expected).abs() < bound + 1e-11,
                    "{value} {expected}"
                );
            }
            not_nothing(&sums, "double");
            let single = job.with_precision(Precision::Single).unwrap();
            not_nothing(&same_everywhere(&single), "single");
        }
    }
}

/// Powers of the sizes alone are beyond what numbers hold, those of size over separation are not; a target with one source follows one with
/// many, so that what they left behind lies in the register of the one.
#[test]
fn what_fills_a_register_up_adds_nothing() {
    for (length, precision) in [(1e4, Precision::Single), (1e30, Precision::Double)] {
        let crowd = (0..37).map(|k| [0.4 * length, 0.02 * f64::from(k) * length, 0.0]);
        let rows: Vec<[f64; 3]> = crowd.chain([[9.0 * length, 0.0, 0.0]]).collect();
        let points = Points::from_rows(&rows).unwrap();
        let at = [[0.0, 0.4 * length, 0.0], [9.35 * length, 0.0, 0.0]];
        let targets = Targets::Points(Points::from_rows(&at).unwrap());
        let both = (&[0.1; 38][..], &[0.3 * length; 38][..]);
        let term = Term::lennard_jones(length, 0.2 * length).unwrap();
        let job = FieldJob::lennard_jones(&points, both, &Domain::Open, term, targets).unwrap();
        let sums = same_everywhere(&job.with_precision(precision).unwrap());
        assert!(sums.sums().iter().all(|&sum| sum != 0), "{sums:?}");
    }
}

/// Double and single sums of charges in water's density, as Rodrigues et al. 2008 compare them: 0.48 % where |V| > 1e-4.
#[test]
fn errors_are_within_the_bars_and_the_stated_bounds() {
    let domain = Domain::Periodic(PeriodicBox::cubic(30.0).unwrap());
    let points = placed(2700, 3, 30.0, &domain);
    let charges: Vec<f64> = (0..2700)
        .map(|k| if k % 3 == 0 { -0.834 } else { 0.417 })
        .collect();
    let grid = Grid::orthogonal([0.0; 3], [1.0, 1.0, 0.5], [12, 13, 60]).unwrap();
    for (term, s) in [
        (
            Term::coulomb(Cutoff::Smooth(12.0), 0.1).unwrap(),
            (&|r: f64| (1.0 - r * r / 144.0).powi(2)) as &dyn Fn(f64) -> f64,
        ),
        (Term::ewald(0.3, 12.0, 0.1).unwrap(), &|r| {
            libm::erfc(0.3 * r)
        }),
    ] {
        let targets = Targets::Grid(grid.clone());
        let job = FieldJob::new(&points, &charges, &domain, term, targets).unwrap();
        let of = |job: &FieldJob| {
            let sums = Cpu::new().field(job, job.targets().planes(), &Silent);
            sums.unwrap().values()
        };
        let double = of(&job);
        let single = job.clone().with_precision(Precision::Single).unwrap();
        let bounds = [job.scale().error_bound, single.scale().error_bound];
        let single = of(&single);
        let (mut absolute, mut relative, mut of_single): (f64, f64, f64) = (0.0, 0.0, 0.0);
        for number in (0..double.len()).step_by(3) {
            let at = grid.at([number / (13 * 60), number / 60 % 13, number % 60]);
            let of = |row: usize| {
                let r = domain.separation(points.at(row), at).r2.sqrt().max(0.1);
                if r < 12.0 {
                    charges[row] * s(r) / r
                } else {
                    0.0
                }
            };
            let expected: f64 = (0..points.len()).map(of).sum();
            let (off, off_single) = (
                (double[number] - expected).abs(),
                (single[number] - expected).abs(),
            );
            assert!(off <= bounds[0] + 1e-12 && off_single <= bounds[1]);
            absolute = absolute.max(off);
            if expected.abs() > 1e-4 {
                relative = relative.max(off / expected.abs());
                of_single = of_single.max(off_single / expected.abs());
            }
        }
        assert!(
            absolute < 1e-10 && relative < 1e-6,
            "{absolute:e} {relative:e}"
        );
        assert!(of_single < 0.0048 && of_single > 1e-7, "{of_single:e}");
    }
}

/// A grid with the cells of the kernel gets all of every source, wherever that lies, on faces and ties too.
#[test]
fn clouds_in_cells_conserve_mass() {
    let domain = Domain::Periodic(PeriodicBox::new([Some(8.0), Some(6.0), Some(10.0)]).unwrap());
    let mut rows = vec![[0.0; 3], [7.999_999_999, 3.0, 0.5], [0.5, 0.25, 9.75]];
    let anywhere = placed(200, 5, 6.0, &domain);
    rows.extend((0..200).map(|row| anywhere.at(row)));
    let points = Points::from_rows(&rows).unwrap();
    let masses: Vec<f64> = (0..203).map(|k| 1.0 + f64::from(k % 7)).collect();
    let widths = [0.5, 0.25, 1.0];
    for term in [Term::cloud_in_cell(widths), Term::triangular_cloud(widths)] {
        let grid = Grid::orthogonal([0.0; 3], widths, [16, 24, 10]).unwrap();
        let targets = Targets::Grid(grid);
        let job = FieldJob::new(&points, &masses, &domain, term.unwrap(), targets).unwrap();
        let sums = same_everywhere(&job);
        let mass = sums.values().iter().sum::<f64>() * (0.5 * 0.25);
        let expected: f64 = masses.iter().sum();
        assert!((mass / expected - 1.0).abs() < 1e-12, "{mass}");
    }
}

#[test]
fn jobs_that_their_terms_have_no_meaning_in_are_refused() {
    let points = Points::from_rows(&[[0.5; 3], [0.25; 3]]).unwrap();
    let unit = [[1.0, 0.0, 0.0], [0.2, 1.0, 0.0], [0.0, 0.0, 1.0]];
    let skewed = Domain::Triclinic(Lattice::new(unit).unwrap());
    let lj = || Term::lennard_jones(0.4, 0.1).unwrap();
    let cloud = Term::cloud_in_cell([0.1; 3]).unwrap();
    let make = |domain: &Domain, term| {
        FieldJob::new(&points, &[1.0, 1.0], domain, term, grid(1.0)).map(|_| ())
    };
    assert_eq!(make(&skewed, cloud.clone()), Err(FieldError::Axes));
    assert_eq!(make(&Domain::Open, lj()), Err(FieldError::Sizes));
    let probe = |epsilon: &[f64], sigma: &[f64], term| {
        let both = (epsilon, sigma);
        FieldJob::lennard_jones(&points, both, &Domain::Open, term, grid(1.0)).map(|_| ())
    };
    assert_eq!(probe(&[1.0; 2], &[0.1; 2], lj()), Ok(()));
    assert_eq!(probe(&[1.0; 2], &[0.1; 2], cloud), Err(FieldError::Sizes));
    assert_eq!(probe(&[1.0; 2], &[0.1], lj()), Err(FieldError::Sizes));
    for (epsilon, sigma) in [([1.0, -1.0], [0.1; 2]), ([1.0; 2], [0.1, 0.0])] {
        let found = probe(&epsilon, &sigma, lj());
        assert!(
            matches!(found, Err(FieldError::Size { row: 1, .. })),
            "{found:?}"
        );
    }
    let single = |term, domain: &Domain| {
        let job = FieldJob::new(&points, &[1.0, 1.0], domain, term, grid(1.0)).unwrap();
        job.with_precision(Precision::Single).map(|_| ())
    };
    let far = Term::coulomb(Cutoff::Smooth(1e6), 0.1).unwrap();
    assert!(matches!(
        single(far, &Domain::Open),
        Err(FieldError::Single { .. })
    ));
    let near = Term::coulomb(Cutoff::Smooth(1.0), 1e-6).unwrap();
    assert!(matches!(
        single(near, &Domain::Open),
        Err(FieldError::Single { .. })
    ));
}

#[test]
fn planes_that_a_job_lacks_are_refused() {
    let points = Points::from_rows(&[[0.5; 3]]).unwrap();
    let term = Term::top_hat(0.1).unwrap();
    let job = FieldJob::new(&points, &[1.0], &Domain::Open, term, grid(1.0)).unwrap();
    for planes in [0..7, 7..8, std::ops::Range { start: 3, end: 2 }] {
        for found in [
            albireo::Naive.field(&job, planes.clone(), &Silent),
            Cpu::new().field(&job, planes.clone(), &Silent),
        ] {
            let told = found.unwrap_err().to_string();
            assert!(told.ends_with("of a job that has 6"), "{told}");
        }
    }
    assert_eq!(naive(&job).planes(), 0..6);
}
