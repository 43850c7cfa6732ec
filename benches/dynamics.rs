//! Time of a step of molecular dynamics against the number of particles and the density, of all pairs and of lists from cells: where they
//! break even. Both must come to the same integers before a time is printed.
//!
//! `cargo bench --bench dynamics` prints a table (CSV) over 0.1 <= density <= 1 and 256 to 2^17 particles; `-- 32000 0.8442` those of one
//! fluid; all in both precisions.
//! The fluid is that of LAMMPS's `bench/in.lj`: Lennard-Jones cut at 2.5, from an fcc lattice at T = 1.44, steps of 0.005.

#![allow(clippy::unwrap_used, reason = "a bench that cannot run should stop")]
#![allow(clippy::print_stdout, reason = "the table is what it is for")]

use std::time::Instant;

use albireo::engine::{Cpu, Silent};
use albireo_dynamics::{
    ForceEngine, LennardJones, Precision, Simulation, Start, State, Truncation,
};

const DENSITIES: [f64; 5] = [0.1, 0.25, 0.5, 0.8442, 1.0];
const PARTICLES: [usize; 8] = [256, 512, 1024, 2048, 4096, 16_384, 32_000, 131_072];
/// Beyond this number all pairs take too long to wait for.
const MOST_ALL_PAIRS: usize = 8192;
/// Steps before the first that is timed: the lattice melts.
const MELTING: u64 = 50;
const SECONDS: f64 = 0.5;
const SEED: u64 = 20_261_121;

/// Seconds a step, steps from one list to the next, and the integers after [`MELTING`] steps.
fn time(
    precision: Precision,
    start: &Start,
    potential: &LennardJones,
    engine: &ForceEngine,
) -> (f64, f64, State) {
    let steps = (0.005, 0.3);
    let fluid = Simulation::with_precision(precision, potential, start, steps, engine);
    let mut fluid = fluid.unwrap();
    fluid.advance(MELTING, &Silent).unwrap();
    let state = fluid.state();
    let (begin, lists) = (Instant::now(), fluid.lists_made());
    let mut steps = 0u32;
    while begin.elapsed().as_secs_f64() < SECONDS {
        fluid.advance(10, &Silent).unwrap();
        steps += 10;
    }
    let seconds = begin.elapsed().as_secs_f64() / f64::from(steps);
    let lists = (fluid.lists_made() - lists).max(1);
    (seconds, f64::from(steps) / lists as f64, state)
}

fn row(precision: Precision, n: usize, density: f64) {
    let potential = LennardJones::new(Truncation::Cut(2.5)).unwrap();
    let start = Start::fcc(n, density).unwrap();
    if start.lengths()[0] < 5.0 {
        return;
    }
    let start = start.with_temperature(1.44, SEED, &potential).unwrap();
    let cpu = Cpu::new();
    let print = |lists: &str, (seconds, steps, _): &(f64, f64, State)| {
        let rate = n as f64 / seconds / 1e6;
        let threads = cpu.threads();
        println!(
            "{n},{density},{},{lists},{threads},{:.3},{rate:.3},{steps:.1}",
            precision.name(),
            seconds * 1e3
        );
    };
    let by_cells = time(
        precision,
        &start,
        &potential,
        &ForceEngine::Cells(cpu.clone()),
    );
    if n <= MOST_ALL_PAIRS {
        let all = time(
            precision,
            &start,
            &potential,
            &ForceEngine::AllPairs(cpu.clone()),
        );
        assert!(all.2 == by_cells.2, "other integers: {n} at {density}");
        print("all-pairs", &all);
    }
    print("cells", &by_cells);
}

fn main() {
    println!(
        "particles,density,precision,lists,threads,ms_per_step,million_atom_steps_per_s,steps_per_list"
    );
    let given: Vec<f64> = std::env::args()
        .filter_map(|word| word.parse().ok())
        .collect();
    if let [n, density] = given[..] {
        for precision in [Precision::Double, Precision::Single] {
            row(precision, n as usize, density);
        }
        return;
    }
    for density in DENSITIES {
        for n in PARTICLES {
            for precision in [Precision::Double, Precision::Single] {
                row(precision, n, density);
            }
        }
    }
}
