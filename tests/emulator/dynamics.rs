//! Particles whose steps an emulated device makes, against the double loop.

use std::sync::Arc;

use albireo::engine::{Cpu, Progress, Silent};
use albireo_dynamics::{
    ForceEngine, LennardJones, Precision, Simulation, Start, Thermostat, Truncation,
};

use crate::emulator::{Emulator, Emulators};
use crate::lennard_jones::{argon, mixture};
use crate::trials::Test;

pub(crate) const TESTS: [Test; 4] = [
    (
        "steps_on_a_device_are_those_of_the_double_loop",
        steps_on_a_device_are_those_of_the_double_loop,
    ),
    (
        "steps_on_a_device_are_undone_stopped_and_rescaled",
        steps_on_a_device_are_undone_stopped_and_rescaled,
    ),
    (
        "lists_on_a_device_get_the_room_that_they_need",
        lists_on_a_device_get_the_room_that_they_need,
    ),
    (
        "steps_that_a_device_refuses_are_told_as_the_processor_tells_them",
        steps_that_a_device_refuses_are_told_as_the_processor_tells_them,
    ),
];

fn on_device() -> ForceEngine {
    let emulator = Emulator::new(48 << 10, 1 << 30);
    ForceEngine::on_first(Arc::new(Emulators(vec![emulator])))
}

const DT: f64 = 0.005;

fn fluid(
    precision: Precision,
    potential: &LennardJones,
    start: &Start,
    engine: &ForceEngine,
) -> Simulation {
    Simulation::with_precision(precision, potential, start, (DT, 0.1), engine).unwrap()
}

fn assert_same(steps: u64, potential: &LennardJones, start: &Start) {
    for precision in [Precision::Double, Precision::Single] {
        let mut here = fluid(precision, potential, start, &ForceEngine::Naive);
        let mut there = fluid(precision, potential, start, &on_device());
        assert_eq!(there.observe(), here.observe(), "{precision:?}");
        for some in [1, steps - 1] {
            here.advance(some, &Silent).unwrap();
            there.advance(some, &Silent).unwrap();
            assert!(
                there.state() == here.state(),
                "{precision:?}: {} particles, {potential:?}",
                start.len()
            );
            assert_eq!(there.observe(), here.observe(), "{precision:?}");
        }
    }
}

fn steps_on_a_device_are_those_of_the_double_loop() {
    let potential = argon(Truncation::Cut(2.5));
    let start = Start::fcc(150, 0.8442).unwrap();
    assert_same(
        12,
        &potential,
        &start.with_temperature(2.0, 1, &potential).unwrap(),
    );
    // Few particles, one of them alone, in boxes of few cells.
    let potential = argon(Truncation::ForceShifted(2.5));
    for n in [1, 2, 33] {
        let start = Start::fcc(n, 0.2).unwrap();
        let start = Start::new([5.5, 6.0, 9.0], start.positions().to_vec()).unwrap();
        assert_same(
            3,
            &potential,
            &start.with_temperature(1.0, 2, &potential).unwrap(),
        );
    }
    // More than one block, species, a cutoff that many cells are in, and faces of the box.
    let potential = mixture(Truncation::ForceShifted(1.5));
    let start = Start::fcc(300, 0.9).unwrap();
    let start = start.with_shuffled_species(&[100, 200], 1).unwrap();
    assert_same(
        20,
        &potential,
        &start.with_temperature(3.0, 5, &potential).unwrap(),
    );
    let potential = mixture(Truncation::Wca);
    let start = Start::fcc(300, 0.9).unwrap();
    let start = start.with_shuffled_species(&[200, 100], 2).unwrap();
    assert_same(
        3,
        &potential,
        &start.with_temperature(3.0, 5, &potential).unwrap(),
    );
}

/// Wants to stop at once.
struct AtOnce;

impl Progress for AtOnce {
    fn begin(&self, _: u64) {}

    fn advance(&self, _: u64) {}

    fn stop_requested(&self) -> bool {
        true
    }
}

fn steps_on_a_device_are_undone_stopped_and_rescaled() {
    let potential = argon(Truncation::Cut(2.5));
    let start = Start::fcc(200, 0.8442).unwrap();
    let start = start.with_temperature(2.0, 1, &potential).unwrap();
    let mut there = fluid(Precision::Single, &potential, &start, &on_device());
    let before = there.state();
    there.advance(20, &Silent).unwrap();
    assert!(there.lists_made() > 1, "lists are made anew on the way");
    let half = there.state();
    there.reverse();
    there.advance(20, &Silent).unwrap();
    there.reverse();
    let back = there.state();
    assert_eq!(back.positions, before.positions);
    assert_eq!(back.momenta, before.momenta);
    // From a state on the way, with thermostats.
    let rescale = Thermostat::Rescale {
        temperature: 0.9,
        every: 3,
    };
    let langevin = Thermostat::Langevin {
        temperature: 1.5,
        friction: 2.0,
        seed: 11,
    };
    let run = |engine: &ForceEngine, thermostat| {
        let other = fluid(Precision::Single, &potential, &start, engine);
        let mut other = other.with_thermostat(thermostat).unwrap();
        other.restore(&half).unwrap();
        other.advance(8, &Silent).unwrap();
        (other.state(), other.observe())
    };
    let cells = ForceEngine::Cells(Cpu::new());
    for thermostat in [rescale, langevin] {
        assert!(run(&on_device(), thermostat) == run(&cells, thermostat));
    }
    // A stop comes after whole steps.
    let stopped = there.advance(5, &AtOnce).unwrap_err().to_string();
    assert!(stopped.contains("interrupted"), "{stopped}");
    assert_eq!(there.state().positions, before.positions);
}

fn lists_on_a_device_get_the_room_that_they_need() {
    // A droplet in a wide box: lists of many times the mean number of neighbours.
    let potential = argon(Truncation::Cut(2.5));
    let droplet = Start::fcc(108, 0.9).unwrap();
    let start = Start::new([30.0; 3], droplet.positions().to_vec()).unwrap();
    assert_same(
        4,
        &potential,
        &start.with_temperature(1.0, 3, &potential).unwrap(),
    );
}

fn steps_that_a_device_refuses_are_told_as_the_processor_tells_them() {
    let potential = argon(Truncation::Cut(2.5));
    let start = Start::fcc(108, 0.8442).unwrap();
    let hot = start.with_temperature(40.0, 3, &potential).unwrap();
    let cells = ForceEngine::Cells(Cpu::new());
    for (dt, skin) in [(0.02, 0.6), (0.02, 0.1), (0.012, 0.6)] {
        let refused = |engine: &ForceEngine| {
            let fluid = Simulation::new(&potential, &hot, dt, skin, engine).unwrap();
            let mut fluid = fluid;
            let error = fluid.advance(200, &Silent).unwrap_err().to_string();
            (error, fluid.step())
        };
        assert_eq!(refused(&on_device()), refused(&cells), "{dt} {skin}");
    }
    let near = Start::new([9.0; 3], vec![[1.0; 3], [1.3, 1.0, 1.0]]).unwrap();
    let refused = |engine: &ForceEngine| {
        let made = Simulation::new(&potential, &near, DT, 0.1, engine);
        made.unwrap_err().to_string()
    };
    assert_eq!(refused(&on_device()), refused(&cells));
}
