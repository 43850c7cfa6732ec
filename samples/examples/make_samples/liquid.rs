//! A frame of a two-species Lennard-Jones liquid.

use std::error::Error;
use std::path::Path;
use std::sync::Arc;

use arrow_array::types::Int32Type;
use arrow_array::{ArrayRef, DictionaryArray, Float32Array};

use crate::molecular_dynamics::{Species, System};
use crate::parquet_table;

const SEED: u64 = 4;

/// Cubes of the lattice that the run starts from, along each axis; four particles in each.
const CUBES: usize = 10;

/// Number density in units of the diameter of A.
const DENSITY: f64 = 1.2;

/// Temperatures (units of the well depth of A with A) and the number of steps at each: melt, then cool.
const SCHEDULE: [(f64, u32); 3] = [(4.0, 1500), (2.0, 1000), (1.0, 3000)];

pub(crate) fn write(folder: &Path) -> Result<(), Box<dyn Error>> {
    let mut system = System::lattice(CUBES, DENSITY, SEED);
    for (temperature, steps) in SCHEDULE {
        for _ in 0..steps {
            system.step(temperature);
        }
    }
    let length = system.length();
    let coordinate = |axis: usize| -> ArrayRef {
        // Rounding to float32 may reach the upper face, which is the lower one.
        let narrowed = |x: &[f64; 3]| {
            let x = x[axis].rem_euclid(length) as f32;
            if f64::from(x) >= length { 0.0 } else { x }
        };
        Arc::new(Float32Array::from_iter_values(
            system.positions().iter().map(narrowed),
        ))
    };
    let name = |species: &Species| match species {
        Species::A => "A",
        Species::B => "B",
    };
    let species: DictionaryArray<Int32Type> = system.species().iter().map(name).collect();
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
