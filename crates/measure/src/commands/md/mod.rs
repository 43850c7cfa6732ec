//! `albireo md`: molecular dynamics of Lennard-Jones fluids.
//!
//! Entry: [`Md`]. `flags` and `fluid` what is asked for, `start` where atoms begin, `run` the steps and what is written of them, `checkpoint` and `trajectory`
//! what a killed process leaves for the next; steps are the library's.

mod checkpoint;
mod flags;
mod fluid;
mod run;
mod start;
mod trajectory;

use std::path::Path;

use albireo::Domain;
use albireo::PeriodicBox;
use albireo_catalogs::sha256_of_bytes;
use albireo_dynamics::Simulation;
use anyhow::Result;
use serde_json::json;

use crate::files::Written;
use crate::record::Record;
use crate::session::{Session, Sink};
use crate::usage::usage;
pub(crate) use flags::Md;
use run::Run;
use trajectory::Atoms;

/// What the help ends with.
pub(crate) const EXAMPLES: &str = "Positions are 64-bit fractions of the box and momenta integers; the impulse of each pair is \
rounded once and added with both signs. So momentum never changes without a thermostat, steps can be undone to the last bit, and threads, \
instructions, traversals and engines change nothing.

Examples:
  albireo md --atoms 500 --density 0.8442 --temperature 1.44 --steps 200 \\
      --every 20 -o melt.csv --trajectory melt.xyz --trajectory-every 50
  albireo rdf melt.xyz --r-max 4 --n-bins 80
  albireo md --atoms 500 --density 0.8442 --temperature 1.44 --steps 200 \\
      -o melt.csv --trajectory melt.h5 --trajectory-every 50 --velocities
  albireo md --atoms 500 --density 0.8442 --temperature 1.44 --steps 100 \\
      --and-back -o -
  albireo md --atoms 864 --density 0.75 --temperature 1 --steps 300 \\
      --potential force-shifted --thermostat langevin -o nvt.csv \\
      --rdf g.csv --rdf-every 20
  albireo md --atoms 500 --density 1.2 --temperature 2 --steps 100 \\
      --species A:1:400,B:1:100 --pair A-B:1.5,0.8 --pair B-B:0.5,0.88 \\
      --potential shifted -o mixture.csv";

impl Md {
    /// Makes the steps and writes what was asked for.
    pub(crate) fn run(self, session: &Session<'_>) -> Result<()> {
        self.check_outputs(&session.arguments.inputs(), &session.sink)?;
        let potential = self.fluid.potential()?;
        let thermostat = self.thermostat()?;
        let engine = self.engine()?;
        let mut record = Record::begin(session.arguments);
        let start = self.start(&potential, &session.watch)?;
        let lengths = start.lengths();
        let skin = self.skin(lengths);
        let precision = self.precision();
        let steps = (self.steps.dt, skin);
        let fluid = Simulation::with_precision(precision, &potential, &start, steps, &engine)?;
        let fluid = fluid.with_thermostat(thermostat)?;
        let kinds = self.fluid.species();
        let atoms = Atoms {
            lengths,
            masses: kinds.iter().map(|one| one.mass).collect(),
            names: kinds.into_iter().map(|one| one.name).collect(),
            species: start.species().to_vec(),
        };
        record.set("potential", potential.truncation().to_string());
        record.set("atoms", fluid.len());
        record.set("box", json!(lengths));
        record.set(
            "density",
            fluid.len() as f64 / lengths.iter().product::<f64>(),
        );
        record.set("dt", self.steps.dt);
        record.set("seed", self.fluid.seed);
        record.set("thermostat", thermostat.to_string());
        record.set("precision", precision.name());
        record.set("impulse_error", fluid.impulse_error());
        record.set("momentum_exponent", fluid.momentum_exponent());
        let domain = Domain::Periodic(PeriodicBox::new(lengths.map(Some))?);
        let begun = sha256_of_bytes(&checkpoint::bytes_of(&fluid.state()));
        let mut settings = self.settings();
        settings.push(("start", json!(begun)));
        let kept = checkpoint::empty(settings);
        let mut run = Run::open(&self, fluid, (&atoms, &domain), kept)?;
        let done = run.steps(&session.watch);
        run.close(done, record, &session.sink)
    }

    /// Refuses what could not be written in the end.
    fn check_outputs(&self, inputs: &[&Path], sink: &Sink) -> Result<()> {
        let written = &self.written;
        let others: Vec<(&str, &Path)> = written
            .rdf
            .iter()
            .map(|path| ("--rdf", path.as_path()))
            .collect();
        sink.check(&self.output_flags(), &others, inputs)?;
        let mut apart = vec![];
        let tables = [Some(written.output.as_path()), written.rdf.as_deref()];
        for table in tables
            .into_iter()
            .flatten()
            .filter(|path| *path != Path::new("-") && !sink.keeps(path))
        {
            apart.push(Written::probe("a table,", table)?);
        }
        if let Some(path) = &written.trajectory {
            let is_xyz = |e: &std::ffi::OsStr| e == "xyz" || e == "extxyz";
            if !path.extension().is_some_and(is_xyz) && !written.h5md() {
                let shown = path.display();
                return Err(usage(format!(
                    "--trajectory {shown}: frames are written as .xyz, .extxyz, .h5, .h5md or .hdf5"
                )));
            }
            if written.author.is_some() && !written.h5md() {
                let shown = path.display();
                return Err(usage(format!(
                    "--author is for frames as H5MD (.h5, .h5md or .hdf5), found --trajectory {shown}"
                )));
            }
            apart.push(Written::probe("--trajectory", path)?);
        }
        if let Some(path) = written.saved.path() {
            let state = Written::probe("--checkpoint", path)?;
            apart.push(match &written.trajectory {
                Some(trajectory) => state.keep_off_partial(trajectory)?,
                None => state,
            });
        }
        sink.keep_apart(&apart, inputs)
    }
}
