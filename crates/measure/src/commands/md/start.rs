//! Where the atoms of `albireo md` start: a lattice, or the last frame of a file.

#![allow(clippy::cast_possible_truncation, reason = "species are few")]

use std::path::Path;
use std::sync::Arc;

use albireo_catalogs::{Attribute, Frame, TrajectoryRequest, open_trajectory};
use albireo_dynamics::{LennardJones, Start};
use albireo_samples::BoxSpec;
use anyhow::{Context, Result, bail};

use super::flags::Md;
use super::fluid::FluidFlags;
use crate::usage::usage;
use crate::watch::{Loss, Watch};

impl Md {
    /// The start that the flags ask for.
    pub(super) fn start(&self, potential: &LennardJones, watch: &Arc<dyn Watch>) -> Result<Start> {
        let fluid = &self.fluid;
        let start = match &self.start {
            Some(path) => of_file(path, fluid, watch)?,
            None => of_lattice(fluid)?,
        };
        match fluid.temperature {
            Some(temperature) => {
                let start = start.with_temperature(temperature, fluid.seed, potential);
                Ok(start.context("--temperature")?)
            }
            None => Ok(start),
        }
    }
}

fn of_lattice(fluid: &FluidFlags) -> Result<Start> {
    let (Some(atoms), Some(density)) = (fluid.atoms, fluid.density) else {
        return Err(usage(
            "name a file to start from, or --atoms and --density of a lattice",
        ));
    };
    let start = Start::fcc(atoms, density).map_err(|error| usage(error.to_string()))?;
    let species = fluid.species();
    if species.len() == 1 {
        return Ok(start);
    }
    let numbers: Option<Vec<usize>> = species.iter().map(|one| one.number).collect();
    let numbers = numbers.ok_or_else(|| {
        usage("--species: a lattice of several needs their numbers, e.g. A:1:800,B:1:200")
    })?;
    let mixed = start.with_shuffled_species(&numbers, fluid.seed);
    mixed.map_err(|error| usage(format!("--species: {error} (--atoms)")))
}

/// Starts from the last frame of a trajectory.
fn of_file(path: &Path, fluid: &FluidFlags, watch: &Arc<dyn Watch>) -> Result<Start> {
    let _reading = watch.during(Loss::Nothing);
    let named = path.display();
    let request = TrajectoryRequest {
        velocities: true,
        ..TrajectoryRequest::default()
    };
    let mut trajectory = open_trajectory(path, &request, watch.stop())?;
    let mut last = None;
    while let Some(frame) = trajectory.next_frame()? {
        last = Some(frame);
    }
    let frame = last.with_context(|| format!("{named}: it holds no frame"))?;
    let lengths = lengths(path, fluid, &frame)?;
    let [x, y, z] = &frame.positions;
    let positions = x.iter().zip(y).zip(z).map(|((x, y), z)| [*x, *y, *z]);
    let start = Start::new(lengths, positions.collect());
    let start = start.with_context(|| named.to_string())?;
    let start = start.with_species(species(path, fluid, &frame)?)?;
    let velocity = |name: &str| match frame.atoms.get(name) {
        Some(Attribute::Numbers(values)) => Some(values.clone()),
        Some(Attribute::Integers(values)) => Some(values.iter().map(|&v| v as f64).collect()),
        _ => None,
    };
    Ok(match (velocity("vx"), velocity("vy"), velocity("vz")) {
        (Some(x), Some(y), Some(z)) => {
            let rows = x.iter().zip(&y).zip(&z).map(|((x, y), z)| [*x, *y, *z]);
            start.with_velocities(rows.collect())?
        }
        _ => start,
    })
}

/// The lengths of the box, which must be periodic with right angles.
fn lengths(path: &Path, fluid: &FluidFlags, frame: &Frame) -> Result<[f64; 3]> {
    let closed =
        || usage("--box: molecular dynamics needs a periodic box of right angles: L, or Lx,Ly,Lz");
    match fluid.space {
        Some(BoxSpec::Lengths([Some(x), Some(y), Some(z)])) => Ok([x, y, z]),
        Some(BoxSpec::File) | None => {
            let named = path.display();
            let cell = frame.cell.as_ref();
            let cell = cell.with_context(|| format!("{named}: it states no box: give --box"))?;
            match cell.lengths() {
                Some(lengths) if cell.periodic() == [true; 3] => Ok(lengths),
                _ => bail!(
                    "{named}: its box is not periodic with right angles, as molecular dynamics needs"
                ),
            }
        }
        Some(_) => Err(closed()),
    }
}

/// The species of each atom by their names; all the same where but one is named.
fn species(path: &Path, fluid: &FluidFlags, frame: &Frame) -> Result<Vec<u32>> {
    let known = fluid.species();
    if known.len() == 1 {
        return Ok(vec![0; frame.len()]);
    }
    let names = ["species", "name", "element", "type"];
    let column = names
        .into_iter()
        .find_map(|name| match frame.atoms.get(name) {
            Some(Attribute::Texts { texts, codes }) => Some((texts, codes)),
            _ => None,
        });
    let named = path.display();
    let (texts, codes) =
        column.with_context(|| format!("{named}: it names no species, as --species needs"))?;
    let place = |text: &String| known.iter().position(|one| one.name == *text);
    let places: Vec<Option<usize>> = texts.iter().map(place).collect();
    let of_atom = |(atom, &code): (usize, &u32)| {
        let place = places[code as usize];
        let found = &texts[code as usize];
        place.map(|place| place as u32).with_context(|| {
            format!("{named}: atom {atom} (counting from 0) is of species {found}, which --species does not name")
        })
    };
    codes.iter().enumerate().map(of_atom).collect()
}
