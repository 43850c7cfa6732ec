//! The steps of a run and what is seen of them: rows of energies, frames, counts of g(r), checkpoints.
//!
//! Entry: [`Run`].

use std::fs;
use std::sync::Arc;
use std::time::Instant;

use albireo::binning::Binning;
use albireo::counts::count_pairs;
use albireo::engine::{Cpu, Silent};
use albireo::estimators::AnalyticRr;
use albireo::{Domain, Edges, PairJob, Pairs, Particles, RBins};
use albireo_catalogs::{KeptState, ResultKind, Table, TableColumn, sha256_of_bytes};
use albireo_dynamics::{Observables, Simulation, State};
use anyhow::{Context, Result, bail};

use super::checkpoint::{Saved, Saving, bytes_of};
use super::flags::Md;
use super::trajectory::{Atoms, TrajectoryFile};
use crate::every::Pace;
use crate::record::Record;
use crate::session::Sink;
use crate::tables::edge_columns;
use crate::watch::Watch;

/// g(r) of all atoms in the making.
struct Counting {
    bins: RBins,
    npairs: Vec<u64>,
    frames: u64,
}

/// A run between its start and its end.
pub(super) struct Run<'a> {
    md: &'a Md,
    fluid: Simulation,
    atoms: &'a Atoms,
    domain: &'a Domain,
    /// What a checkpoint says it is of.
    kept: KeptState,
    saving: Saving,
    rows: Vec<Observables>,
    trajectory: Option<TrajectoryFile>,
    counting: Option<Counting>,
    /// Words to come back to.
    start: Option<State>,
    /// Whether the checkpoint is of the end: then results may be there already, the trajectory too.
    ended: bool,
}

/// Bins and the largest separation where none are given.
const BINS: usize = 100;
const R_MAX: f64 = 5.0;

/// The observables of a row, as they are saved.
fn bits(seen: &Observables) -> Vec<u64> {
    let [x, y, z] = seen.momentum;
    let values = [
        seen.time,
        seen.potential,
        seen.kinetic,
        seen.temperature,
        seen.pressure,
        x,
        y,
        z,
    ];
    let values = values.map(f64::to_bits);
    [seen.step].into_iter().chain(values).collect()
}

/// A row that was saved.
fn of_bits(bits: &[u64]) -> Option<Observables> {
    let [step, values @ ..] = bits else {
        return None;
    };
    let values: Vec<f64> = values.iter().copied().map(f64::from_bits).collect();
    let [time, potential, kinetic, temperature, pressure, x, y, z] = values[..] else {
        return None;
    };
    Some(Observables {
        step: *step,
        time,
        potential,
        kinetic,
        temperature,
        pressure,
        momentum: [x, y, z],
    })
}

impl<'a> Run<'a> {
    /// A run at its start, or where its checkpoint has it.
    pub(super) fn open(
        md: &'a Md,
        mut fluid: Simulation,
        (atoms, domain): (&'a Atoms, &'a Domain),
        kept: KeptState,
    ) -> Result<Self> {
        let written = &md.written;
        let counting = written
            .rdf
            .as_ref()
            .map(|_| Counting::new(md, atoms.lengths));
        let mut counting = counting.transpose()?;
        let start = md.steps.and_back.then(|| fluid.state());
        let saved = match written.saved.path() {
            Some(path) => Saved::read(path, &kept)?,
            None => None,
        };
        let mut rows = vec![];
        let (mut length, mut ended) = (0, None);
        if let Some(saved) = &saved {
            if saved.ended.is_some() && saved.state.step != md.end() {
                bail!(
                    "--checkpoint: it is of the end of a run of {} steps, found {}: the command of that run writes what it lacks; or remove it",
                    saved.state.step,
                    md.end()
                );
            }
            fluid.restore(&saved.state)?;
            let damaged = || "--checkpoint: it is damaged";
            let read = saved.rows.iter().map(|row| of_bits(row));
            rows = read.collect::<Option<_>>().with_context(damaged)?;
            length = saved.trajectory;
            ended = saved.ended.as_deref();
            if let Some(counting) = &mut counting {
                let same = counting.npairs.len() == saved.npairs.len();
                same.then_some(()).with_context(damaged)?;
                counting.npairs.clone_from(&saved.npairs);
                counting.frames = saved.frames;
            }
            tracing::info!("going on from step {}", fluid.step());
        }
        let trajectory = match (&written.trajectory, ended) {
            (Some(path), Some(digest)) if TrajectoryFile::is_finished(path, digest)? => None,
            (Some(path), _) => Some(TrajectoryFile::open(path, length, (md, atoms))?),
            (None, _) => None,
        };
        let mut run = Self {
            md,
            fluid,
            atoms,
            domain,
            kept,
            saving: Saving::new(&written.saved)?,
            rows,
            trajectory,
            counting,
            start,
            ended: ended.is_some(),
        };
        if saved.is_none() {
            run.see()?;
        }
        Ok(run)
    }

    /// Makes the steps that are left, there and back if that is asked for.
    pub(super) fn steps(&mut self, watch: &Arc<dyn Watch>) -> Result<()> {
        if self.ended {
            return Ok(());
        }
        let steps = self.md.steps.steps;
        if self.fluid.step() > steps * if self.start.is_some() { 2 } else { 1 } {
            bail!(
                "--steps {steps}: the checkpoint is of step {} already",
                self.fluid.step()
            );
        }
        self.advance_to(steps, watch)?;
        let Some(start) = self.start.take() else {
            return Ok(());
        };
        self.fluid.reverse();
        self.advance_to(2 * steps, watch)?;
        self.fluid.reverse();
        let back = self.fluid.state();
        let both = |state: &State| (state.positions.clone(), state.momenta.clone());
        if both(&back) != both(&start) {
            bail!("--and-back: not every word of the start is back");
        }
        tracing::info!(
            "every one of the {} words of the start is back",
            6 * start.positions.len()
        );
        Ok(())
    }

    /// Makes steps up to this one, and sees what is to be seen on the way.
    fn advance_to(&mut self, end: u64, watch: &Arc<dyn Watch>) -> Result<()> {
        let written = &self.md.written;
        let bar = watch.bar("md");
        albireo::engine::Progress::begin(&bar, end.saturating_sub(self.fluid.step()));
        let every = [
            Some(written.every),
            written
                .trajectory
                .as_ref()
                .map(|_| written.trajectory_every),
            written.rdf.as_ref().map(|_| written.rdf_every),
            self.saving.steps(),
        ];
        let mut pace = Pace::new(self.saving.pause());
        while self.fluid.step() < end {
            let step = self.fluid.step();
            let next = every
                .iter()
                .flatten()
                .map(|every| (step / every + 1) * every);
            let next = next.fold(end, u64::min);
            let steps = usize::try_from(next - step).unwrap_or(usize::MAX);
            let steps = steps.min(pace.most);
            let begun = Instant::now();
            self.fluid.advance(steps as u64, &bar)?;
            pace.learn(steps, begun.elapsed().as_secs_f64());
            self.see()?;
        }
        Ok(())
    }

    /// Sees what is due at this step.
    fn see(&mut self) -> Result<()> {
        let (written, step) = (&self.md.written, self.fluid.step());
        let last = step == self.md.steps.steps;
        if step.is_multiple_of(written.every) || last {
            let seen = self.fluid.observe();
            self.rows.push(seen);
        }
        if let Some(file) = &mut self.trajectory
            && step.is_multiple_of(written.trajectory_every)
        {
            file.add(&self.fluid, self.atoms, self.md.steps.dt)?;
        }
        if let Some(counting) = &mut self.counting
            && step.is_multiple_of(written.rdf_every)
        {
            counting.add(&self.fluid, self.domain)?;
        }
        if !last && self.saving.is_due(step) {
            self.save(None)?;
            self.saving.restart();
        }
        Ok(())
    }

    fn save(&mut self, ended: Option<String>) -> Result<()> {
        let Some(path) = self.md.written.saved.path() else {
            return Ok(());
        };
        let trajectory = self.trajectory.as_mut().map(TrajectoryFile::kept);
        let counting = self.counting.as_ref();
        Saved {
            state: self.fluid.state(),
            rows: self.rows.iter().map(bits).collect(),
            trajectory: trajectory.transpose()?.unwrap_or(0),
            ended,
            npairs: counting.map_or_else(Vec::new, |counting| counting.npairs.clone()),
            frames: counting.map_or(0, |counting| counting.frames),
        }
        .write(path, &self.kept)
    }

    /// Writes the results, or gives up what is unfinished.
    pub(super) fn close(mut self, done: Result<()>, record: Record, sink: &Sink) -> Result<()> {
        if let Err(error) = done.and_then(|()| self.deliver(record, sink)) {
            let keeps = self
                .md
                .written
                .saved
                .path()
                .is_some_and(std::path::Path::exists);
            if let (Some(file), false) = (self.trajectory.take(), keeps) {
                file.give_up();
            }
            return if keeps {
                Err(error.context("stopped: the same command goes on from its checkpoint"))
            } else {
                Err(error)
            };
        }
        if let Some(path) = self.md.written.saved.path() {
            fs::remove_file(path).context("--checkpoint")?;
        }
        Ok(())
    }

    /// Writes the results, which the same command does again from the checkpoint of the end until all are there.
    fn deliver(&mut self, mut record: Record, sink: &Sink) -> Result<()> {
        if !self.ended && self.md.written.saved.path().is_some() {
            let digest = self.trajectory.as_mut().map(TrajectoryFile::digest);
            self.save(Some(digest.transpose()?.unwrap_or_default()))?;
        }
        let digest = sha256_of_bytes(&bytes_of(&self.fluid.state()));
        record.set("state_sha256", digest.clone());
        if let Some(file) = self.trajectory.take() {
            file.finish()?;
        }
        if let (Some(path), Some(counting)) = (&self.md.written.rdf, &self.counting) {
            sink.write(&counting.table(self, &record)?, path)?;
        }
        sink.deliver(&self.table(&record), &self.md.output_flags())?;
        tracing::info!("state after step {}: sha256 {digest}", self.fluid.step());
        Ok(())
    }

    /// The rows of energies, each atom's share of them.
    fn table(&self, record: &Record) -> Table {
        let n = self.fluid.len() as f64;
        let column = |name: &str, what: &str, of: &dyn Fn(&Observables) -> f64| {
            TableColumn::floats(name, what, self.rows.iter().map(of).collect())
        };
        let steps = self.rows.iter().map(|row| row.step).collect();
        let columns = vec![
            TableColumn::integers("step", "steps made", steps),
            column("time", "time", &|row| row.time),
            column("potential", "potential energy an atom", &|row| {
                row.potential / n
            }),
            column("kinetic", "kinetic energy an atom", &|row| row.kinetic / n),
            column("total", "energy an atom", &|row| {
                (row.potential + row.kinetic) / n
            }),
            column("temperature", "temperature", &|row| row.temperature),
            column("pressure", "pressure", &|row| row.pressure),
            column("px", "momentum of all atoms along x", &|row| {
                row.momentum[0]
            }),
            column("py", "momentum of all atoms along y", &|row| {
                row.momentum[1]
            }),
            column("pz", "momentum of all atoms along z", &|row| {
                row.momentum[2]
            }),
        ];
        let meta = record.timeless(ResultKind::Thermodynamics);
        Table { columns, meta }
    }
}

impl Counting {
    fn new(md: &Md, lengths: [f64; 3]) -> Result<Self> {
        let half = |r: f64, length: f64| r.min(length / 2.0);
        let edges = if let Some(spec) = &md.written.rdf_bins {
            spec.edges().context("--rdf-bins")?
        } else {
            Edges::linear(0.0, lengths.into_iter().fold(R_MAX, half), BINS)?
        };
        let bins = RBins::new(edges);
        Ok(Self {
            npairs: vec![0; bins.edges().n_bins()],
            frames: 0,
            bins,
        })
    }

    /// Counts the pairs of this moment.
    fn add(&mut self, fluid: &Simulation, domain: &Domain) -> Result<()> {
        let atoms = Particles::new(fluid.positions());
        let job = PairJob::new(Pairs::Auto(&atoms), domain).context("--rdf")?;
        let counts = count_pairs(&Cpu::new(), &job, &self.bins, &Silent);
        let counts = counts.context("--rdf")?;
        for (sum, npairs) in self.npairs.iter_mut().zip(counts.npairs()) {
            *sum += npairs;
        }
        self.frames += 1;
        Ok(())
    }

    fn table(&self, run: &Run<'_>, record: &Record) -> Result<Table> {
        let n = run.fluid.len() as f64;
        let pairs = self.frames as f64 * (n * (n - 1.0) / 2.0);
        let uniform = AnalyticRr::new(&self.bins, run.domain).context("--rdf")?;
        let g = |(&npairs, share): (&u64, &f64)| npairs as f64 / (pairs * share);
        let g = self.npairs.iter().zip(uniform.fractions()).map(g).collect();
        let axes = self.bins.axes();
        let mut columns = edge_columns(&axes, None);
        columns.push(TableColumn::floats(
            "g",
            "radial distribution function of all atoms",
            g,
        ));
        let npairs = self.npairs.clone();
        columns.push(TableColumn::integers(
            "npairs",
            "number of pairs, over all frames",
            npairs,
        ));
        let mut record = record.clone();
        record.set("frames", self.frames);
        let meta = record.timeless(ResultKind::Rdf);
        Ok(Table { columns, meta })
    }
}
