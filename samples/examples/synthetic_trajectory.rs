//! Writes a trajectory of particles at random in a ball, without a box, as a Parquet table: input for timings.
//!
//! `cargo run --release -p albireo-samples --example synthetic_trajectory -- FILE FRAMES PARTICLES SPECIES`; equal arguments make equal files, a row group a
//! frame. Species k has a share of k + 1 parts of the particles.

use std::error::Error;
use std::fs::File;
use std::sync::Arc;

use albireo::random::Stream;
use arrow_array::types::Int32Type;
use arrow_array::{ArrayRef, DictionaryArray, Float32Array, Int64Array, RecordBatch};
use parquet::arrow::ArrowWriter;
use parquet::basic::Encoding;
use parquet::file::properties::WriterProperties;
use parquet::schema::types::ColumnPath;

/// Radius of the ball.
const RADIUS: f64 = 80.0;

/// Coordinates of a frame: uniform in the cube, those outside of the ball drawn again.
fn positions(frame: u64, particles: usize) -> [Vec<f32>; 3] {
    let stream = Stream::new(frame);
    let mut places = [const { Vec::new() }; 3];
    let mut next = 0;
    while places[0].len() < particles {
        let at = [0, 1, 2].map(|k| (2.0 * stream.uniform(next + k) - 1.0) * RADIUS);
        next += 3;
        if at.iter().map(|x| x * x).sum::<f64>() < RADIUS * RADIUS {
            places
                .iter_mut()
                .zip(at)
                .for_each(|(column, x)| column.push(x as f32));
        }
    }
    places
}

/// The species of each particle, one after the other.
fn species(particles: usize, number: usize) -> Vec<String> {
    let parts = number * (number + 1) / 2;
    let mut names = Vec::new();
    for k in 0..number {
        let share = particles * (k + 1) / parts;
        names.extend(std::iter::repeat_n(format!("S{k}"), share));
    }
    names.resize(particles, format!("S{}", number - 1));
    names
}

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [path, frames, particles, number] = &arguments[..] else {
        return Err("FILE FRAMES PARTICLES SPECIES are needed".into());
    };
    let (frames, particles): (u64, usize) = (frames.parse()?, particles.parse()?);
    let names = species(particles, number.parse()?);
    let species: DictionaryArray<Int32Type> = names.iter().map(String::as_str).collect();
    let species: ArrayRef = Arc::new(species);
    let mut properties = WriterProperties::builder().set_max_row_group_row_count(Some(particles));
    for axis in ["x", "y", "z"] {
        let column = ColumnPath::from(axis);
        properties = properties
            .set_column_dictionary_enabled(column.clone(), false)
            .set_column_encoding(column, Encoding::PLAIN);
    }
    let mut writer: Option<ArrowWriter<File>> = None;
    for frame in 0..frames {
        let [x, y, z] =
            positions(frame, particles).map(|x| Arc::new(Float32Array::from(x)) as ArrayRef);
        let number = Arc::new(Int64Array::from(vec![frame as i64; particles])) as ArrayRef;
        let columns = [
            ("frame", number),
            ("species", Arc::clone(&species)),
            ("x", x),
            ("y", y),
            ("z", z),
        ];
        let batch = RecordBatch::try_from_iter(columns)?;
        if writer.is_none() {
            let file = File::create(path)?;
            writer = Some(ArrowWriter::try_new(
                file,
                batch.schema(),
                Some(properties.clone().build()),
            )?);
        }
        if let Some(writer) = &mut writer {
            writer.write(&batch)?;
            writer.flush()?;
        }
    }
    if let Some(writer) = writer {
        writer.close()?;
    }
    Ok(())
}
