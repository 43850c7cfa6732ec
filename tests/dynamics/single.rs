//! Impulses in single precision: steps that can be undone, near those in double precision, and what float32 cannot hold.

use albireo::engine::Silent;
use albireo_dynamics::{ForceEngine, LennardJones, Precision, Simulation, Start, Truncation};

use super::{DT, SKIN, argon, cells, engines};

#[test]
fn single_precision_undoes_its_steps_and_conserves_what_it_should() {
    let potential = argon(Truncation::ForceShifted(2.5));
    let start = Start::fcc(500, 0.8442).unwrap();
    let start = start.with_temperature(1.44, 1, &potential).unwrap();
    let made = |precision| {
        let engine = cells();
        Simulation::with_precision(precision, &potential, &start, (DT, SKIN), &engine).unwrap()
    };
    let (mut single, mut double) = (made(Precision::Single), made(Precision::Double));
    assert!(single.impulse_error() > 0.0 && single.impulse_error() < 1e-5);
    assert_eq!(double.impulse_error(), 0.0);
    let (before, seen) = (single.state(), single.observe());
    assert!((seen.potential - double.observe().potential).abs() < 1e-9);
    single.advance(20, &Silent).unwrap();
    double.advance(20, &Silent).unwrap();
    let apart = |k: usize| {
        let d = single.positions().at(k)[0] - double.positions().at(k)[0];
        d.abs().min(single.positions().at(k)[0].max(1.0) * 1e-3)
    };
    let apart = (0..500).map(apart).fold(0.0, f64::max);
    assert!(apart > 0.0 && apart < 1e-5, "{apart}");
    single.advance(280, &Silent).unwrap();
    let later = single.observe();
    assert_eq!(later.momentum, seen.momentum);
    let gained = (later.potential + later.kinetic) - (seen.potential + seen.kinetic);
    assert!(gained.abs() / 500.0 < 1e-3, "{gained}");
    single.reverse();
    single.advance(300, &Silent).unwrap();
    single.reverse();
    let back = single.state();
    assert_eq!(
        (back.positions, back.momenta),
        (before.positions, before.momenta)
    );
}

/// Each of a particle's twelve neighbours pushes it by nearly as much as an integer of a pair holds.
#[test]
fn impulses_of_close_neighbours_are_summed_whole() {
    let potential = argon(Truncation::Cut(2.2));
    let start = Start::fcc(500, 3.6).unwrap();
    let start = start.with_temperature(0.5, 2, &potential).unwrap();
    let after = |engine: &ForceEngine| {
        let made =
            Simulation::with_precision(Precision::Single, &potential, &start, (1e-4, SKIN), engine);
        let mut crystal = made.unwrap();
        crystal.advance(3, &Silent).unwrap();
        crystal.state()
    };
    let expected = after(&ForceEngine::Naive);
    for (name, engine) in engines() {
        assert!(after(&engine) == expected, "{name}");
    }
}

#[test]
fn what_single_precision_cannot_hold_is_refused() {
    let potential = argon(Truncation::Cut(2.5));
    let refused = |start: &Start, potential: &LennardJones| {
        let made =
            Simulation::with_precision(Precision::Single, potential, start, (DT, SKIN), &cells());
        made.unwrap_err().to_string()
    };
    let wide = Start::new([1100.0, 9.0, 9.0], vec![[1.0; 3]]).unwrap();
    let text = refused(&wide, &potential);
    assert!(
        text.contains("at most 1024") && text.contains("1100"),
        "{text}"
    );
    // Near enough for float64, too near for float32.
    let near = Start::new([9.0; 3], vec![[1.0; 3], [1.6, 1.0, 1.0]]).unwrap();
    assert!(Simulation::new(&potential, &near, DT, SKIN, &cells()).is_ok());
    let text = refused(&near, &potential);
    assert!(
        text.contains("overlap") && text.contains("0.7071"),
        "{text}"
    );
}
