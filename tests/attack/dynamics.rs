//! Draws fluids of one or two species: trajectories by all pairs and by lists from cells against the double loop.
//!
//! Entry: [`attack`]. The environment variables are those of campaigns of counts.

use std::time::{Duration, Instant};

use albireo::engine::{Cpu, Isa, Silent};
use albireo_dynamics::{
    ForceEngine, LennardJones, PairParameters, Simulation, Start, State, Thermostat, Truncation,
};

use super::campaign::SEED;
use super::digest::Digest;
use super::random::Random;
use super::variable::variable;

/// A fluid and how it moves.
#[derive(Debug, Clone)]
struct Fluid {
    potential: LennardJones,
    start: Start,
    thermostat: Thermostat,
    /// The length of a step, and how far lists look beyond the cutoff.
    dt: f64,
    skin: f64,
    steps: u64,
}

/// Places on a cubic lattice whose spacing is at least `apart`, some of them empty, each moved by less than a twelfth of it.
fn places(random: &mut Random, apart: f64, reach: f64) -> ([f64; 3], Vec<[f64; 3]>) {
    // Half a box is in reach of the cutoff and its skin; now and then just so.
    let least = (2.0 * reach / apart).ceil() as usize;
    let cells = [0; 3].map(|_| least.max(2) + random.below(3));
    let spacing = cells.map(|n| {
        let tight = 2.0 * reach * (1.0 + 1e-12) / n as f64;
        if random.once_in(3) && tight >= apart {
            tight
        } else {
            apart * random.between(1.0, 1.3)
        }
    });
    let lengths = [0, 1, 2].map(|k| spacing[k] * cells[k] as f64);
    let share = random.decades(0.02, 1.0);
    let mut rows = vec![];
    for i in 0..cells[0] {
        for j in 0..cells[1] {
            for k in 0..cells[2] {
                if random.between(0.0, 1.0) < share {
                    let at = [i, j, k];
                    let moved = |axis: usize, random: &mut Random| {
                        spacing[axis] * (at[axis] as f64 + random.between(0.0, 1.0 / 12.0))
                    };
                    rows.push([0, 1, 2].map(|axis| moved(axis, random)));
                }
            }
        }
    }
    if rows.is_empty() {
        rows.push([0.0; 3]);
    }
    (lengths, rows)
}

/// Case `number` under `seed`; nothing where the library would refuse it.
fn draw(seed: u64, number: u64) -> Option<Fluid> {
    let mut random = Random::of_case(seed ^ 0x0d7, number);
    let cutoff = random.between(1.3, 2.5);
    let truncation = random.pick(&[
        Truncation::Cut(cutoff),
        Truncation::Shifted(cutoff),
        Truncation::ForceShifted(cutoff),
        Truncation::Wca,
    ]);
    let species = 1 + random.below(2);
    let pair = PairParameters {
        epsilon: random.between(0.3, 1.5),
        sigma: random.between(0.8, 1.0),
    };
    let one = PairParameters {
        epsilon: 1.0,
        sigma: 1.0,
    };
    let potential = if species == 1 {
        LennardJones::new(truncation)
    } else {
        let rows = [vec![one, pair], vec![pair, one]];
        LennardJones::mixture(truncation, &[1.0, random.between(0.5, 3.0)], &rows)
    };
    let potential = potential.ok()?;
    let skin = random.pick(&[0.01, 0.1, 0.3]);
    let (lengths, rows) = places(&mut random, 1.12, cutoff + skin);
    let n = rows.len();
    let of = |_| random.below(species) as u32;
    let labels: Vec<u32> = (0..n).map(of).collect();
    let start = Start::new(lengths, rows).ok()?.with_species(labels).ok()?;
    let temperature = random.pick(&[0.0, 0.7, 3.0]);
    let start = start
        .with_temperature(temperature, number, &potential)
        .ok()?;
    let thermostat = match random.below(3) {
        0 => Thermostat::Langevin {
            temperature: 1.0,
            friction: 0.5,
            seed: number,
        },
        _ => Thermostat::None,
    };
    Some(Fluid {
        potential,
        start,
        thermostat,
        dt: random.decades(2e-4, 4e-3),
        skin,
        steps: 1 + random.below(12) as u64,
    })
}

impl Fluid {
    /// The integers after its steps, or what the library says.
    fn after(&self, engine: &ForceEngine) -> Result<State, String> {
        let told = |error: &dyn std::fmt::Display| error.to_string();
        let fluid = Simulation::new(&self.potential, &self.start, self.dt, self.skin, engine);
        let fluid = fluid.map_err(|error| told(&error))?;
        let mut fluid = fluid
            .with_thermostat(self.thermostat)
            .map_err(|error| told(&error))?;
        let moved = fluid.advance(self.steps, &Silent);
        moved.map_err(|error| told(&error))?;
        Ok(fluid.state())
    }
}

/// Attacks all pairs and cells on every instruction set, unless the environment asks for other cases, or more.
///
/// # Errors
/// The first difference with the number of its case; hardly any case that moves.
pub fn attack(cases: u64, seconds: f64) -> Result<String, String> {
    let seed = variable("ALBIREO_ATTACK_SEED").unwrap_or(SEED);
    let only: Option<u64> = variable("ALBIREO_ATTACK_CASE");
    let cases = variable("ALBIREO_ATTACK_CASES").unwrap_or(cases);
    let seconds = variable("ALBIREO_ATTACK_SECONDS").unwrap_or(seconds);
    let (begin, time) = (Instant::now(), Duration::from_secs_f64(seconds));
    let (mut drawn, mut moved) = (0u64, 0u64);
    let mut digest = Digest::default();
    for number in only.map_or(0..cases, |only| only..only + 1) {
        if begin.elapsed() > time {
            break;
        }
        drawn += 1;
        let Some(fluid) = draw(seed, number) else {
            continue;
        };
        let expected = fluid.after(&ForceEngine::Naive);
        for (k, isa) in Isa::available().into_iter().enumerate() {
            let cpu = Cpu::new()
                .with_isa(isa)
                .and_then(|cpu| cpu.with_threads(1 + k % 3));
            let cpu = cpu.map_err(|error| error.to_string())?;
            for engine in [
                ForceEngine::AllPairs(cpu.clone()),
                ForceEngine::Cells(cpu.clone()),
            ] {
                if fluid.after(&engine) != expected {
                    return Err(format!(
                        "ALBIREO_ATTACK_SEED={seed} ALBIREO_ATTACK_CASE={number}: {engine:?} differs: {fluid:?}"
                    ));
                }
            }
        }
        if let Ok(state) = expected {
            moved += 1;
            let positions = state.positions.iter().flatten();
            let momenta = state.momenta.iter().flatten();
            let integers = positions
                .map(|&x| i128::from(x))
                .chain(momenta.map(|&p| i128::from(p)));
            digest.add(number, integers);
        }
    }
    if only.is_none() && drawn > 50 && moved * 2 < drawn {
        return Err(format!("{drawn} fluids drawn, {moved} moved"));
    }
    Ok(format!("fluids: {moved} of {drawn} moved; {digest}"))
}
