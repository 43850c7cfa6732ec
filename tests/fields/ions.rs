//! Ions at extrema: ties, distances, and the same places on every engine.

use albireo::engine::{Cpu, Isa, Silent};
use albireo::{Domain, Naive, Points};
use albireo_fields::{
    Cutoff, FieldError, FieldJob, Grid, IonDistances, Precision, Targets, Term, place_ions,
};

use super::{charges, domains, naive, placed};

#[test]
fn ions_are_placed_alike_by_every_engine_in_every_space() {
    for (d, domain) in domains(12.0).into_iter().enumerate() {
        let points = placed(60, 40 + d as u64, 12.0, &domain);
        let charges = charges(60, 7);
        let grid = Grid::orthogonal([0.3; 3], [1.1, 1.3, 0.9], [9, 8, 10]).unwrap();
        let term = Term::coulomb(Cutoff::Smooth(4.5), 0.1).unwrap();
        let job = FieldJob::new(&points, &charges, &domain, term, Targets::Grid(grid)).unwrap();
        let distances = IonDistances {
            to_sources: 0.9,
            to_ions: 3.0,
        };
        let wanted = [1.0, 1.0, -1.0, 2.0, -1.0];
        for precision in [Precision::Double, Precision::Single] {
            let job = job.clone().with_precision(precision).unwrap();
            let (map, ions) = place_ions(&Naive, job.clone(), &wanted, distances, &Silent).unwrap();
            for isa in Isa::available() {
                let cpu = Cpu::new().with_isa(isa).unwrap();
                let found = place_ions(&cpu, job.clone(), &wanted, distances, &Silent).unwrap();
                assert!(found.0 == map && found.1 == ions, "{}", isa.name());
            }
            for (k, ion) in ions.iter().enumerate() {
                let apart = |at: [f64; 3]| domain.separation(at, ion.position).r2.sqrt();
                assert!((0..60).all(|row| apart(points.at(row)) > 0.9 - 1e-9));
                assert!(
                    ions[..k]
                        .iter()
                        .all(|other| apart(other.position) > 3.0 - 1e-9)
                );
            }
            // The map is that of the sources and the ions together.
            let mut rows: Vec<[f64; 3]> = (0..60).map(|row| points.at(row)).collect();
            rows.extend(ions.iter().map(|ion| ion.position));
            let all: Vec<f64> = charges.iter().chain(&wanted).copied().collect();
            let (rows, term) = (Points::from_rows(&rows).unwrap(), job.term().clone());
            let both = FieldJob::new(&rows, &all, &domain, term, job.targets().clone());
            let both = naive(&both.unwrap().with_precision(precision).unwrap());
            assert_eq!(both.scale().exponent, map.scale().exponent);
            assert!(both.sums() == map.sums());
        }
    }
}

/// Four equal charges round a square of targets: of equal extrema the first is taken.
#[test]
fn of_equal_places_the_first_is_taken() {
    let corners = [
        [0.0, 0.0, 0.0],
        [4.0, 0.0, 0.0],
        [0.0, 4.0, 0.0],
        [4.0, 4.0, 0.0],
    ];
    let points = Points::from_rows(&corners).unwrap();
    let grid =
        || Targets::Grid(Grid::orthogonal([1.0, 1.0, 0.0], [2.0, 2.0, 1.0], [2, 2, 1]).unwrap());
    let job = |cutoff| {
        let term = Term::coulomb(cutoff, 0.1).unwrap();
        FieldJob::new(&points, &[-1.0; 4], &Domain::Open, term, grid()).unwrap()
    };
    let none = IonDistances {
        to_sources: 0.0,
        to_ions: 0.0,
    };
    for cutoff in [Cutoff::None, Cutoff::Smooth(1.9)] {
        let placed = place_ions(&Cpu::new(), job(cutoff), &[1.0], none, &Silent);
        assert_eq!(placed.unwrap().1[0].target, 0);
    }
    // One point is no place for two ions, at any distance.
    let all = place_ions(&Cpu::new(), job(Cutoff::None), &[1.0; 4], none, &Silent);
    let mut targets: Vec<usize> = all.unwrap().1.iter().map(|ion| ion.target).collect();
    targets.sort_unstable();
    assert_eq!(targets, [0, 1, 2, 3]);
    let crowded = place_ions(&Cpu::new(), job(Cutoff::None), &[1.0; 5], none, &Silent);
    let told = FieldError::Crowded {
        placed: 4,
        wanted: 5,
        distance: "0 and 0".to_owned(),
    };
    assert!(crowded.err() == Some(told));
    let nan = place_ions(&Cpu::new(), job(Cutoff::None), &[f64::NAN], none, &Silent);
    assert!(nan.is_err());
}
