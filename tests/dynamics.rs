//! Molecular dynamics: the same integers whoever makes the forces, steps that can be undone, and the physics of the fluid.

#![allow(clippy::unwrap_used, reason = "a failed unwrap is a failed test")]

mod lennard_jones;
#[path = "dynamics/single.rs"]
mod single;

use albireo::engine::{Cpu, Isa, Silent};
use albireo::random::Stream;
use albireo_dynamics::{
    DynamicsError, ForceEngine, LennardJones, PairParameters, Precision, Simulation, Start, State,
    Thermostat, Truncation,
};
use lennard_jones::{argon, mixture};

const DT: f64 = 0.005;
const SKIN: f64 = 0.3;

fn cells() -> ForceEngine {
    ForceEngine::Cells(Cpu::new())
}

/// Every way to make forces on this machine.
fn engines() -> Vec<(String, ForceEngine)> {
    let mut engines = vec![];
    for isa in Isa::available() {
        for threads in [1, 2, 7] {
            let Ok(cpu) = Cpu::new().with_isa(isa).unwrap().with_threads(threads) else {
                continue;
            };
            let name = format!("{} on {threads} threads", isa.name());
            engines.push((
                format!("all pairs, {name}"),
                ForceEngine::AllPairs(cpu.clone()),
            ));
            engines.push((format!("cells, {name}"), ForceEngine::Cells(cpu)));
        }
    }
    engines
}

/// A fluid after so many steps, and the bits of all that is observed.
fn after(
    (precision, steps): (Precision, u64),
    potential: &LennardJones,
    start: &Start,
    engine: &ForceEngine,
    thermostat: Thermostat,
) -> (State, [u64; 7]) {
    let fluid =
        Simulation::with_precision(precision, potential, start, (DT, SKIN), engine).unwrap();
    let mut fluid = fluid.with_thermostat(thermostat).unwrap();
    fluid.advance(steps, &Silent).unwrap();
    let seen = fluid.observe();
    let [px, py, pz] = seen.momentum;
    let seen = [
        seen.potential,
        seen.kinetic,
        seen.temperature,
        seen.pressure,
        px,
        py,
        pz,
    ];
    (fluid.state(), seen.map(f64::to_bits))
}

fn assert_same(steps: u64, potential: &LennardJones, start: &Start, thermostat: Thermostat) {
    for precision in [Precision::Double, Precision::Single] {
        let run =
            |engine: &ForceEngine| after((precision, steps), potential, start, engine, thermostat);
        let expected = run(&ForceEngine::Naive);
        for (name, engine) in engines() {
            assert!(
                run(&engine) == expected,
                "{name}, {precision:?}: {} particles, {potential:?}",
                start.len()
            );
        }
    }
}

/// Particles at random places of a box, none closer than `apart`.
fn scattered(n: usize, length: f64, apart: f64, seed: u64) -> Start {
    let stream = Stream::new(seed);
    let mut positions: Vec<[f64; 3]> = vec![];
    let mut k = 0;
    while positions.len() < n {
        let x: [f64; 3] = std::array::from_fn(|axis| length * stream.uniform(3 * k + axis as u64));
        k += 1;
        let far = |y: &[f64; 3]| {
            let d = [0, 1, 2].map(|axis| {
                let d = (x[axis] - y[axis]).abs();
                d.min(length - d)
            });
            d.iter().map(|d| d * d).sum::<f64>() >= apart * apart
        };
        if positions.iter().all(far) {
            positions.push(x);
        }
    }
    Start::new([length; 3], positions).unwrap()
}

#[test]
fn every_engine_makes_the_same_trajectory() {
    let truncations = [
        Truncation::Cut(2.5),
        Truncation::Shifted(2.2),
        Truncation::ForceShifted(2.5),
        Truncation::Wca,
    ];
    for (k, truncation) in truncations.into_iter().enumerate() {
        let potential = argon(truncation);
        let start = Start::fcc(150, 0.8442).unwrap();
        let start = start.with_temperature(2.0, k as u64, &potential).unwrap();
        assert_same(30, &potential, &start, Thermostat::None);
    }
    let potential = mixture(Truncation::Cut(2.5));
    let start = Start::fcc(160, 1.0)
        .unwrap()
        .with_shuffled_species(&[128, 32], 3)
        .unwrap();
    let start = start.with_temperature(1.5, 4, &potential).unwrap();
    assert_same(20, &potential, &start, Thermostat::None);
    // More than one cell's lists, and a box of unlike sides.
    let potential = mixture(Truncation::ForceShifted(1.5));
    let gas = scattered(300, 7.0, 0.85, 9);
    let stretched = gas
        .positions()
        .iter()
        .map(|&[x, y, z]| [x * 2.0, y, z * 1.5]);
    let gas = Start::new([14.0, 7.0, 10.5], stretched.collect()).unwrap();
    let gas = gas.with_shuffled_species(&[100, 200], 1).unwrap();
    let gas = gas.with_temperature(3.0, 5, &potential).unwrap();
    assert_same(30, &potential, &gas, Thermostat::None);
}

#[test]
fn few_particles_and_whole_registers_are_the_same_on_every_engine() {
    let potential = argon(Truncation::Cut(2.5));
    for n in [1, 2, 3, 7, 8, 9, 15, 16, 17, 33] {
        let start = scattered(n, 5.5, 0.9, n as u64);
        let start = start.with_temperature(1.0, 2, &potential).unwrap();
        assert_same(5, &potential, &start, Thermostat::None);
    }
}

#[test]
fn pairs_across_faces_and_at_the_cutoff_are_the_same_on_every_engine() {
    let potential = argon(Truncation::Cut(2.5));
    // Half a box is the cutoff: pairs on axes lie at it, from both sides of every face.
    let below = 5.0f64.next_down();
    let positions = vec![
        [0.0, 0.0, 0.0],
        [2.5, 0.0, 0.0],
        [0.0, 2.5, below],
        [below, 1.25, 1.25],
        [1.25, below, 3.75],
        [2.5, 2.5, 2.5],
        [1.25, 1.25, 5.0],
        [3.75, 3.75, -1.25],
    ];
    let start = Start::new([5.0; 3], positions).unwrap();
    let start = start.with_temperature(1.0, 8, &potential).unwrap();
    assert_same(40, &potential, &start, Thermostat::None);
}

#[test]
fn thermostats_are_the_same_on_every_engine_and_hold_the_temperature() {
    let potential = argon(Truncation::ForceShifted(2.5));
    let start = Start::fcc(256, 0.7).unwrap();
    let start = start.with_temperature(1.0, 2, &potential).unwrap();
    let langevin = Thermostat::Langevin {
        temperature: 1.5,
        friction: 2.0,
        seed: 11,
    };
    let rescale = Thermostat::Rescale {
        temperature: 0.9,
        every: 5,
    };
    assert_same(10, &potential, &start, langevin);
    assert_same(10, &potential, &start, rescale);
    let fluid = Simulation::new(&potential, &start, DT, SKIN, &cells()).unwrap();
    let mut fluid = fluid.with_thermostat(rescale).unwrap();
    fluid.advance(15, &Silent).unwrap();
    assert!((fluid.observe().temperature - 0.9).abs() < 1e-9);
    let fluid = Simulation::new(&potential, &start, DT, SKIN, &cells()).unwrap();
    let mut fluid = fluid.with_thermostat(langevin).unwrap();
    fluid.advance(400, &Silent).unwrap();
    let mut sum = 0.0;
    for _ in 0..100 {
        fluid.advance(8, &Silent).unwrap();
        sum += fluid.observe().temperature / 100.0;
    }
    // A hundred looks at 768 degrees of freedom, correlated over some steps: 0.02 is five deviations.
    assert!((sum - 1.5).abs() < 0.05, "{sum}");
}

#[test]
fn steps_are_undone_by_negated_momenta_and_momentum_stays() {
    for potential in [argon(Truncation::Cut(2.5)), mixture(Truncation::Wca)] {
        let n = [400, 100];
        let start = Start::fcc(500, 0.8442).unwrap();
        let start = if potential.species() == 2 {
            start.with_shuffled_species(&n, 5).unwrap()
        } else {
            start
        };
        let start = start.with_temperature(1.44, 1, &potential).unwrap();
        let mut fluid = Simulation::new(&potential, &start, DT, SKIN, &cells()).unwrap();
        let before = fluid.state();
        let momentum = |state: &State| {
            let sum = |k: usize| state.momenta.iter().map(|p| i128::from(p[k])).sum::<i128>();
            [sum(0), sum(1), sum(2)]
        };
        fluid.advance(300, &Silent).unwrap();
        assert_ne!(fluid.state().positions, before.positions);
        assert_eq!(momentum(&fluid.state()), momentum(&before));
        assert!(fluid.lists_made() > 5, "lists are made anew on the way");
        fluid.reverse();
        fluid.advance(300, &Silent).unwrap();
        fluid.reverse();
        let back = fluid.state();
        assert_eq!(
            (back.positions, back.momenta),
            (before.positions, before.momenta)
        );
    }
}

#[test]
fn a_run_goes_on_from_its_state_and_skins_change_nothing() {
    let potential = argon(Truncation::Cut(2.5));
    let start = Start::fcc(864, 0.8442).unwrap();
    let start = start.with_temperature(1.44, 1, &potential).unwrap();
    let mut fluid = Simulation::new(&potential, &start, DT, SKIN, &cells()).unwrap();
    fluid.advance(40, &Silent).unwrap();
    let half = fluid.state();
    fluid.advance(40, &Silent).unwrap();
    let mut other = Simulation::new(&potential, &start, DT, SKIN, &cells()).unwrap();
    other.restore(&half).unwrap();
    other.advance(40, &Silent).unwrap();
    assert_eq!(other.state(), fluid.state());
    for skin in [0.1, 0.7] {
        let mut other = Simulation::new(&potential, &start, DT, skin, &cells()).unwrap();
        other.advance(80, &Silent).unwrap();
        assert_eq!(other.state(), fluid.state(), "{skin}");
    }
}

#[test]
fn the_melt_starts_with_the_energy_of_lammps() {
    let potential = argon(Truncation::Cut(2.5));
    let start = Start::fcc(32_000, 0.8442).unwrap();
    let start = start.with_temperature(1.44, 1, &potential).unwrap();
    let mut melt = Simulation::new(&potential, &start, DT, SKIN, &cells()).unwrap();
    let seen = melt.observe();
    let each = seen.potential / 32_000.0;
    assert!((each + 6.773_368_1).abs() < 5e-8, "{each}");
    assert!((seen.temperature - 1.44).abs() < 1e-9);
    assert!(seen.momentum.iter().all(|p| p.abs() < 1e-7));
}

/// The potential of two particles at the distance r, their force and their virial, from the textbook's formulas.
fn textbook(truncation: Truncation, r: f64) -> [f64; 2] {
    let v = |r: f64| 4.0 * (r.powi(-12) - r.powi(-6));
    let f = |r: f64| 24.0 * (2.0 * r.powi(-13) - r.powi(-7));
    match truncation {
        Truncation::Cut(rc) if r < rc => [v(r), f(r)],
        Truncation::Shifted(rc) if r < rc => [v(r) - v(rc), f(r)],
        Truncation::ForceShifted(rc) if r < rc => [v(r) - v(rc) + (r - rc) * f(rc), f(r) - f(rc)],
        Truncation::Wca if r < 2f64.powf(1.0 / 6.0) => [v(r) + 1.0, f(r)],
        _ => [0.0, 0.0],
    }
}

#[test]
fn two_particles_have_the_potential_of_the_textbook() {
    for truncation in [
        Truncation::Cut(2.5),
        Truncation::Shifted(2.5),
        Truncation::ForceShifted(2.5),
        Truncation::Wca,
    ] {
        let potential = argon(truncation);
        for r in [0.8, 1.0, 1.1, 1.122, 1.123, 1.7, 2.499, 2.501] {
            let positions = vec![[9.9, 1.0, 2.0], [(9.9 + r) % 10.0, 1.0, 2.0]];
            let start = Start::new([10.0; 3], positions).unwrap();
            let mut two = Simulation::new(&potential, &start, DT, SKIN, &cells()).unwrap();
            let seen = two.observe();
            let [v, f] = textbook(truncation, r);
            assert!(
                (seen.potential - v).abs() < 1e-9,
                "{truncation:?} {r}: {seen:?} {v}"
            );
            assert!(
                (seen.pressure * 3000.0 - r * f).abs() < 1e-8,
                "{truncation:?} {r}"
            );
            two.advance(1, &Silent).unwrap();
            let moved = two.velocities()[1][0];
            // Half of the impulse at the start, half of that a step later.
            let later = two.positions().at(1)[0] - two.positions().at(0)[0];
            let [_, f2] = textbook(truncation, later.rem_euclid(10.0));
            assert!(
                (moved - DT / 2.0 * (f + f2)).abs() < 1e-9,
                "{truncation:?} {r}"
            );
        }
    }
}

#[test]
fn the_error_of_the_energy_falls_as_the_square_of_the_step() {
    let potential = argon(Truncation::ForceShifted(2.5));
    let start = Start::fcc(256, 0.8442).unwrap();
    let start = start.with_temperature(0.8, 3, &potential).unwrap();
    let spread = |dt: f64| {
        let mut fluid = Simulation::new(&potential, &start, dt, SKIN, &cells()).unwrap();
        let energies: Vec<f64> = (0..60)
            .map(|_| {
                fluid.advance((0.02 / dt) as u64, &Silent).unwrap();
                let seen = fluid.observe();
                seen.potential + seen.kinetic
            })
            .collect();
        let mean = energies.iter().sum::<f64>() / 60.0;
        let square = energies
            .iter()
            .map(|e| (e - mean) * (e - mean))
            .sum::<f64>();
        (square / 60.0).sqrt()
    };
    let (coarse, fine) = (spread(0.01), spread(0.005));
    let ratio = coarse / fine;
    assert!((3.2..5.0).contains(&ratio), "{coarse} {fine}");
    assert!(fine / 256.0 < 1e-3, "{fine}");
}

fn refusal(start: &Start, potential: &LennardJones, dt: f64, skin: f64) -> String {
    let made = Simulation::new(potential, start, dt, skin, &cells());
    made.unwrap_err().to_string()
}

#[test]
fn what_cannot_be_simulated_is_refused() {
    let potential = argon(Truncation::Cut(2.5));
    let start = Start::fcc(256, 0.8442).unwrap();
    assert!(refusal(&start, &potential, 0.0, SKIN).contains("time step"));
    assert!(refusal(&start, &potential, f64::NAN, SKIN).contains("time step"));
    assert!(refusal(&start, &potential, DT, -1.0).contains("skin"));
    assert!(refusal(&start, &potential, DT, 3.0).contains("a quarter of the box"));
    let small = Start::fcc(32, 0.8442).unwrap();
    assert!(refusal(&small, &potential, DT, SKIN).contains("half the box"));
    let nan = Start::new([9.0; 3], vec![[1.0, f64::NAN, 1.0]]).unwrap();
    assert!(refusal(&nan, &potential, DT, SKIN).contains("NaN"));
    let overlapping = Start::new([9.0; 3], vec![[1.0; 3], [5.0; 3], [1.2, 1.0, 1.0]]).unwrap();
    let text = refusal(&overlapping, &potential, DT, SKIN);
    assert!(
        text.contains("particles 0 and 2") && text.contains("0.19999"),
        "{text}"
    );
    let same = Start::new([9.0; 3], vec![[1.0; 3]; 2]).unwrap();
    assert!(refusal(&same, &potential, DT, SKIN).contains("overlap"));
    let unknown = start.clone().with_species(vec![1; 256]).unwrap();
    assert!(refusal(&unknown, &potential, DT, SKIN).contains("species 1"));
    let fast = start.clone().with_velocities(vec![[1e9; 3]; 256]).unwrap();
    assert!(refusal(&fast, &potential, DT, SKIN).contains("velocity"));
    assert!(start.clone().with_species(vec![0; 2]).is_err());
    assert!(
        start
            .with_shuffled_species(&[3, usize::MAX / 2], 1)
            .is_err()
    );
    assert!(Start::fcc(0, 0.8).is_err() && Start::fcc(8, f64::INFINITY).is_err());
    for truncation in [
        Truncation::Cut(0.0),
        Truncation::Cut(f64::NAN),
        Truncation::Shifted(1e9),
    ] {
        assert!(LennardJones::new(truncation).is_err());
    }
    let pair = PairParameters {
        epsilon: 1.0,
        sigma: -1.0,
    };
    assert!(LennardJones::mixture(Truncation::Wca, &[1.0], &[vec![pair]]).is_err());
    assert!(LennardJones::mixture(Truncation::Wca, &[], &[]).is_err());
}

#[test]
fn steps_that_are_too_long_end_the_run_alike_on_every_engine() {
    let potential = argon(Truncation::Cut(2.5));
    let start = Start::fcc(150, 0.8442).unwrap();
    let start = start.with_temperature(1.44, 1, &potential).unwrap();
    let end = |start: &Start, dt: f64, engine: &ForceEngine| {
        let fluid = Simulation::new(&potential, start, dt, SKIN, engine);
        fluid.unwrap().advance(2000, &Silent).unwrap_err()
    };
    let expected = end(&start, 0.08, &ForceEngine::Naive);
    assert!(matches!(
        expected,
        DynamicsError::Fast { .. } | DynamicsError::Overlap { .. }
    ));
    // Two that fly at each other, fast for their force but slower than a skin a step.
    let positions = vec![[2.0, 2.0, 2.0], [4.0, 2.0, 2.0], [7.0; 3]];
    let velocities = vec![[29.0, 0.0, 0.0], [-29.0, 0.0, 0.0], [0.0; 3]];
    let crash = Start::new([9.0; 3], positions).unwrap();
    let crash = crash.with_velocities(velocities).unwrap();
    let overlap = end(&crash, 0.01, &ForceEngine::Naive);
    assert!(
        matches!(
            overlap,
            DynamicsError::Overlap {
                first: 0,
                second: 1,
                ..
            }
        ),
        "{overlap}"
    );
    for (name, engine) in engines() {
        assert_eq!(end(&start, 0.08, &engine), expected, "{name}");
        assert_eq!(end(&crash, 0.01, &engine), overlap, "{name}");
    }
}

#[test]
fn a_stop_comes_after_a_whole_step() {
    struct After(std::sync::atomic::AtomicU64);
    impl albireo::engine::Progress for After {
        fn begin(&self, _: u64) {}
        fn advance(&self, steps: u64) {
            self.0
                .fetch_add(steps, std::sync::atomic::Ordering::Relaxed);
        }
        fn stop_requested(&self) -> bool {
            self.0.load(std::sync::atomic::Ordering::Relaxed) >= 3
        }
    }
    let potential = argon(Truncation::Cut(2.5));
    let start = Start::fcc(150, 0.8442).unwrap();
    let mut fluid = Simulation::new(&potential, &start, DT, SKIN, &cells()).unwrap();
    let stopped = fluid.advance(10, &After(0.into()));
    assert!(stopped.unwrap_err().to_string().contains("interrupted"));
    assert_eq!(fluid.step(), 3);
    fluid.advance(7, &Silent).unwrap();
    let mut whole = Simulation::new(&potential, &start, DT, SKIN, &cells()).unwrap();
    whole.advance(10, &Silent).unwrap();
    assert_eq!(whole.state(), fluid.state());
}
