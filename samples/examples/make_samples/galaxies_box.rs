//! Clustered galaxies in a periodic box, in real and in redshift space.

use std::error::Error;
use std::fs::File;
use std::path::Path;

use albireo::random::{Stream, in_box};
use hdf5_writer::{AttributeBuilder, DatasetBuilder, Hdf5Builder, Hdf5Writer, WriteOptions};

use crate::clumps::clump;

const SEED: u64 = 1;
const BOX_SIZE: f64 = 250.0;
const CLUMPS: usize = 3750;

/// The coordinate inside the box as float32, where rounding may reach the upper face.
fn wrapped(x: f64) -> f32 {
    let x = x.rem_euclid(BOX_SIZE) as f32;
    if x >= BOX_SIZE as f32 { 0.0 } else { x }
}

pub(crate) fn write(folder: &Path) -> Result<(), Box<dyn Error>> {
    let centres = in_box(CLUMPS, SEED, [BOX_SIZE; 3])?;
    let seeds = Stream::new(SEED).child(1);
    let mut columns = [const { Vec::<f32>::new() }; 4];
    for k in 0..CLUMPS {
        let centre = centres.at(k);
        for member in clump(seeds.child(k as u64)) {
            for axis in 0..3 {
                columns[axis].push(wrapped(centre[axis] + member.offset[axis]));
            }
            // At redshift 0 a velocity of 100 km/s moves a galaxy by 1 Mpc/h.
            let moved = centre[2] + member.offset[2] + member.velocity[2] / 100.0;
            columns[3].push(wrapped(moved));
        }
    }
    let mut file = Hdf5Builder::new()
        .attribute(AttributeBuilder::scalar("BoxSize", BOX_SIZE)?)
        .attribute(AttributeBuilder::fixed_string("unit", "Mpc/h"))
        .attribute(AttributeBuilder::fixed_string(
            "description",
            "mock galaxies in a periodic box; z_rsd is z seen in redshift space along z",
        ));
    for (name, values) in ["x", "y", "z", "z_rsd"].into_iter().zip(&columns) {
        let rows = values.len() as u64;
        let dataset = DatasetBuilder::typed_data(name, [rows], values)?
            .attribute(AttributeBuilder::fixed_string("unit", "Mpc/h"));
        file = file.dataset(dataset);
    }
    let sink = File::create(folder.join("galaxies_box.h5"))?;
    Hdf5Writer::new(sink, WriteOptions::default()).finish(file.into_plan()?)?;
    Ok(())
}
