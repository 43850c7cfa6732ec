//! A frame of a two-species Lennard-Jones liquid, and a trajectory of a smaller one.

use std::error::Error;
use std::path::Path;
use std::sync::Arc;

use arrow_array::types::Int32Type;
use arrow_array::{ArrayRef, DictionaryArray, Float32Array, Float64Array, Int64Array};

use crate::molecular_dynamics::{Species, System};
use crate::parquet_table;

const SEED: u64 = 4;

/// Cubes of the lattice that the run starts from, along each axis; four particles in each.
const CUBES: usize = 10;

/// Number density in units of the diameter of A.
const DENSITY: f64 = 1.2;

/// Temperatures (units of the well depth of A with A) and the number of steps at each: melt, then cool.
const SCHEDULE: [(f64, u32); 3] = [(4.0, 1500), (2.0, 1000), (1.0, 3000)];

/// Cubes of the lattice of the trajectory, its frames and the steps from one to the next.
const SMALL: usize = 5;
const FRAMES: i64 = 40;
const STEPS: u32 = 100;

fn cooled(cubes: usize) -> System {
    let mut system = System::lattice(cubes, DENSITY, SEED);
    for (temperature, steps) in SCHEDULE {
        for _ in 0..steps {
            system.step(temperature);
        }
    }
    system
}

fn name(species: Species) -> &'static str {
    match species {
        Species::A => "A",
        Species::B => "B",
    }
}

/// Coordinates along an axis, wrapped, in single precision.
fn coordinates(system: &System, axis: usize) -> impl Iterator<Item = f32> + '_ {
    let length = system.length();
    // Rounding to float32 may reach the upper face, which is the lower one.
    let narrowed = move |x: &[f64; 3]| {
        let x = x[axis].rem_euclid(length) as f32;
        if f64::from(x) >= length { 0.0 } else { x }
    };
    system.positions().iter().map(narrowed)
}

pub(crate) fn write(folder: &Path) -> Result<(), Box<dyn Error>> {
    write_frame(folder)?;
    write_trajectory(folder)
}

/// Frame after frame of the smaller liquid, with its box in each row.
fn write_trajectory(folder: &Path) -> Result<(), Box<dyn Error>> {
    let mut system = cooled(SMALL);
    let (temperature, _) = SCHEDULE[SCHEDULE.len() - 1];
    let number = system.species().len();
    let (mut frames, mut places) = (Vec::new(), [const { Vec::new() }; 3]);
    for frame in 0..FRAMES {
        for _ in 0..STEPS {
            system.step(temperature);
        }
        frames.extend(std::iter::repeat_n(frame, number));
        for (axis, places) in places.iter_mut().enumerate() {
            places.extend(coordinates(&system, axis));
        }
    }
    let all = std::iter::repeat_n(system.species(), FRAMES as usize).flatten();
    let species: DictionaryArray<Int32Type> = all.copied().map(name).collect();
    let rows = frames.len();
    let side: ArrayRef = Arc::new(Float64Array::from(vec![system.length(); rows]));
    let [x, y, z] = places.map(|values| Arc::new(Float32Array::from(values)) as ArrayRef);
    parquet_table::write(
        &folder.join("liquid_trajectory.parquet"),
        vec![
            ("frame", Arc::new(Int64Array::from(frames)) as ArrayRef),
            ("species", Arc::new(species) as ArrayRef),
            ("x", x),
            ("y", y),
            ("z", z),
            ("lx", Arc::clone(&side)),
            ("ly", Arc::clone(&side)),
            ("lz", side),
        ],
        &[
            ("unit", "diameter of an A particle".to_owned()),
            (
                "description",
                "Kob-Andersen liquid, density 1.2, temperature 1.0, 40 frames".to_owned(),
            ),
        ],
    )
}

fn write_frame(folder: &Path) -> Result<(), Box<dyn Error>> {
    let system = cooled(CUBES);
    let length = system.length();
    let coordinate = |axis: usize| -> ArrayRef {
        Arc::new(Float32Array::from_iter_values(coordinates(&system, axis)))
    };
    let species: DictionaryArray<Int32Type> = system.species().iter().copied().map(name).collect();
    parquet_table::write(
        &folder.join("liquid_frame.parquet"),
        vec![
            ("species", Arc::new(species) as ArrayRef),
            ("x", coordinate(0)),
            ("y", coordinate(1)),
            ("z", coordinate(2)),
        ],
        &[
            ("BoxSize", length.to_string()),
            ("unit", "diameter of an A particle".to_owned()),
            (
                "description",
                "Kob-Andersen liquid, density 1.2, temperature 1.0".to_owned(),
            ),
        ],
    )
}
