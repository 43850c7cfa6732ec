//! `albireo field`: potentials and densities on grids and at points.
//!
//! Entry: [`Field`]. `flags` and `kernel` what is asked for, `sources` who acts, `grid` where, `ions` which are placed in it, `slice` what is drawn of it, `variant` in which way of Rodrigues et al. 2008 or in which sums; sums are the library's.

mod flags;
mod grid;
mod ions;
mod kernel;
mod saved;
#[cfg(feature = "plot")]
mod slice;
mod sources;
mod variant;

use std::cell::Cell;
#[cfg(feature = "cuda")]
use std::cell::RefCell;
use std::ops::Range;
use std::path::Path;
use std::sync::Arc;

use albireo::engine::AnyEngine;
#[cfg(feature = "cuda")]
use albireo::engine::Engine;
#[cfg(feature = "cuda")]
use albireo::engine::cuda::CudaTimings;
use albireo_catalogs::{GridFormat, GridWriter, ResultKind, Table, TableColumn, grid_record};
use albireo_fields::{
    DistanceTests, FieldError, FieldJob, Grid, Precision, Targets, Term, place_ions,
};
use anyhow::{Context, Result};
use serde_json::{Map, Value, json};

#[cfg(feature = "cuda")]
use crate::compute::told;
use crate::engine::Engines;
use crate::files::Written;
use crate::record::Record;
use crate::session::{Session, Sink};
use crate::tables::with_unit;
use crate::usage::usage;
use crate::watch::Watch;
use flags::PrecisionName;
pub(crate) use flags::{Field, with_own_default};
use kernel::{KernelName, Unit};
use sources::Sources;
use variant::{Made, Way};

/// What the help ends with.
pub(crate) const EXAMPLES: &str =
    "Every value is a sum of 64-bit integers and the same bits on any number of threads, with \
any instructions and on GPUs; the record tells the bound on its error.

Examples, on the catalogs that come with albireo:
  albireo field catalogs/samples/liquid_frame.parquet --spacing 0.5 \\
      --weight '2*(species == \"A\") - 1' --cutoff 3 -o map.dx
  albireo field catalogs/samples/galaxies_box.h5 --kernel cic --spacing 10 \\
      --precision single -o density.npy
  albireo field catalogs/samples/liquid_frame.parquet --spacing 0.5 --cutoff 3 \\
      --weight '2*(species == \"A\") - 1' --ions Na+:2,Cl-:2 \\
      --ion-source 0.5 --ion-ion 3 --ions-output ions.pqr -o with_ions.dx
  albireo field catalogs/samples/galaxies_box.h5 --kernel top-hat --radius 8 \\
      --at catalogs/samples/galaxies_box.h5 -o environment.parquet";

/// Targets whose sums are held at a time, at least where there are so many, and at most.
const SLAB: usize = 1 << 20;
const MOST: usize = 1 << 24;

/// Planes that go together: tiles are four deep, and each thread takes a few of them.
const PLANES: usize = 32;

/// Values that are written at a time.
const CHUNK: usize = 1 << 16;

/// How many planes of so many targets are made at a time, of `least` targets or more: GPUs take whole maps where these are small enough.
fn planes_at_once(plane: usize, planes: usize, least: usize) -> usize {
    let few = (least / plane).next_multiple_of(PLANES);
    few.max(PLANES).min(MOST / plane).clamp(1, planes)
}

impl Field {
    /// Makes the sums and writes them.
    pub(crate) fn run(self, session: &mut Session<'_>) -> Result<()> {
        self.check_output(&session.arguments.inputs(), &session.sink)?;
        let asked = self.kernel.term()?;
        if !self.ions.ions.is_empty() && !self.kernel.needs_charges() {
            return Err(usage("--ions is for coulomb and ewald potentials"));
        }
        self.ions.wanted()?;
        self.ions.distances()?;
        let unit = self.kernel.unit(None)?;
        let single = self.precision == PrecisionName::Single;
        let on_grids = self.at.is_none() && self.ions.ions.is_empty();
        self.variant.check(self.compute.engine, single, on_grids)?;
        let engines = Engines::new(&self.run_flags(), session)?;
        let mut record = Record::begin(session.arguments);
        let sources = Sources::read(&self, session, &mut record)?;
        let targets = self.targets(&sources, session, &mut record)?;
        let unit = match sources.unit.as_deref() {
            Some(length) => self.kernel.unit(Some(length))?,
            None => unit,
        };
        let job = self.job(&sources, asked.on(&targets)?, targets)?;
        let (scale, r_min) = (job.scale(), job.term().r_min());
        record.set("term", self.kernel.described(job.term()));
        record.set("r_min", job.term().r_min());
        record.set("precision", scale.precision.name());
        record.set("unit", unit.name.clone());
        record.set("unit_factor", unit.factor);
        record.set("sources", job.n_sources());
        let way = self.variant.way(job.term().reach())?;
        let bound = scale.error_bound * unit.factor.abs();
        way.keep(&mut record);
        if way.is_exact() {
            record.set(
                "fixed_point",
                json!({ "exponent": scale.exponent, "most_terms": scale.most_terms, "error_bound": bound,
                    "position_error": scale.position_error }),
            );
        }
        tracing::info!(
            "{}: {} sources, {} targets, {}",
            self.kernel.described(job.term()),
            job.n_sources(),
            job.targets().len(),
            way.error(bound, &unit.name)
        );
        let summing = Summing::by(engines.for_field(&job), way, &session.watch);
        let close = match job.targets() {
            Targets::Grid(_) if !self.ions.ions.is_empty() => {
                self.write_ions(job, &summing, &unit, &record)?
            }
            Targets::Grid(_) => self.write_grid(&job, &summing, &unit, &record)?,
            Targets::Points(_) => {
                let units = (&unit, sources.unit.as_deref());
                self.write_points(&job, &summing, units, (&record, &session.sink))?
            }
        };
        summing.tell();
        if close > 0 {
            tracing::warn!(
                "{close} pairs are closer than --r-min {r_min}: their terms keep the value that they have there"
            );
        }
        Ok(())
    }

    /// What is to be summed.
    fn job(&self, sources: &Sources, term: Term, targets: Targets) -> Result<FieldJob> {
        let (points, domain) = (&sources.points, &sources.domain);
        let job = if self.kernel.kernel == KernelName::Lj {
            let [epsilon, sigma] = self.kernel.mixed([&sources.strengths, &sources.sigma])?;
            FieldJob::lennard_jones(points, (&epsilon, &sigma), domain, term, targets)
        } else {
            FieldJob::new(points, &sources.strengths, domain, term, targets)
        };
        let job = job.context("the field")?;
        match self.precision {
            PrecisionName::Double => Ok(job),
            PrecisionName::Single => job
                .with_precision(Precision::Single)
                .context("--precision single"),
        }
    }

    /// Refuses what could not be written in the end.
    fn check_output(&self, inputs: &[&Path], sink: &Sink) -> Result<()> {
        if self.at.is_some() {
            return sink.check(&self.output_flags(), &[], inputs);
        }
        let output = self.output.as_path();
        if GridFormat::of(output).is_none() {
            return Err(usage(format!(
                "--output {}: grids are written as .dx, .cube, .npy or .h5 (values --at points as tables)",
                output.display()
            )));
        }
        let record = grid_record(output);
        let mut written = vec![Written::probe("--output", output)?];
        if let Some(ions) = &self.ions.ions_output {
            written.push(Written::probe("--ions-output", ions)?);
        }
        #[cfg(feature = "plot")]
        if let Some(plot) = self.slice.checked()? {
            written.push(Written::probe("--plot", plot)?);
        }
        if let Some(state) = self.saved.path() {
            let state = Written::probe("--checkpoint", state)?;
            written.push(state.keep_off_partial(output)?);
        }
        if let Some(record) = &record {
            written.push(Written::probe("the record of --output,", record)?);
        }
        sink.keep_apart(&written, inputs)
    }

    /// Makes a grid plane by plane and writes it; how many pairs are closer than `r_min`.
    fn write_grid(
        &self,
        job: &FieldJob,
        summing: &Summing,
        unit: &Unit,
        record: &Record,
    ) -> Result<u64> {
        let Targets::Grid(grid) = job.targets() else {
            return Ok(0);
        };
        let factor = unit.factor;
        let planes = job.targets().planes();
        let at_once = summing.planes_at_once(job.targets().plane_len(), planes.end);
        let (mut writer, mut close) = self.writer(grid, job, record)?;
        let mut clock = self.saved.clock()?;
        let begun = writer.written() / job.targets().plane_len();
        if begun > 0 {
            tracing::info!("{begun} of {} planes are made already", planes.end);
        }
        #[cfg(feature = "plot")]
        let mut slice = self.slice.of(grid)?;
        for first in (begun..planes.end).step_by(at_once) {
            let made = summing.sums(job, first..(first + at_once).min(planes.end));
            let due = clock.is_due() || made.is_err();
            if due && writer.written() > 0 {
                let kept = writer.keep(&json!(close));
                kept.with_context(|| self.refused())?;
                clock.restart();
            }
            let sums = made?;
            close += sums.close_pairs();
            #[cfg(feature = "plot")]
            slice.take(first, &sums, factor);
            let written = write_in_unit(&mut writer, &sums, factor);
            written.with_context(|| self.refused())?;
        }
        #[cfg(feature = "plot")]
        self.slice.draw(&slice, unit)?;
        writer.finish().with_context(|| self.refused())?;
        tracing::info!("map written to {}", self.output.display());
        Ok(close)
    }

    fn refused(&self) -> String {
        format!("cannot write {}", self.output.display())
    }

    /// The file of a grid in the making, and how many pairs are closer than `r_min` in what is there of it.
    fn writer(&self, grid: &Grid, job: &FieldJob, record: &Record) -> Result<(GridWriter, u64)> {
        let geometry = grid::geometry(grid);
        let meta: Map<String, Value> = record.timeless(ResultKind::Field);
        let title = format!("albireo field: {}", self.kernel.described(job.term()));
        let path = &self.output;
        if let Some(state) = self.saved.state(path) {
            let identity = format!("{:016x}", job.fingerprint());
            let files = (path.as_path(), state.as_path());
            let begun = GridWriter::resume(files, &geometry, &title, meta, &identity);
            let (writer, close) = begun.with_context(|| self.refused())?;
            let close = close.and_then(|close| close.as_u64()).unwrap_or(0);
            return Ok((writer, close));
        }
        let writer = GridWriter::create(path, &geometry, &title, meta);
        Ok((writer.with_context(|| self.refused())?, 0))
    }

    /// Places ions, and writes the grid with their potential; how many pairs are closer than `r_min`.
    fn write_ions(
        &self,
        job: FieldJob,
        summing: &Summing,
        unit: &Unit,
        record: &Record,
    ) -> Result<u64> {
        let Targets::Grid(grid) = job.targets().clone() else {
            return Ok(0);
        };
        let factor = unit.factor;
        let (names, charges) = self.ions.wanted()?;
        let (mut writer, _) = self.writer(&grid, &job, record)?;
        let distances = self.ions.distances()?;
        let bar = summing.watch.bar("ions");
        let placed = place_ions(&summing.engine, job, &charges, distances, &bar);
        drop(bar);
        let (sums, ions) = placed.context("--ions")?;
        let sums = Made::Exact(sums);
        write_in_unit(&mut writer, &sums, factor).with_context(|| self.refused())?;
        self.ions.write(&names, &ions)?;
        #[cfg(feature = "plot")]
        {
            let mut slice = self.slice.of(&grid)?;
            slice.take(0, &sums, factor);
            self.slice.draw(&slice, unit)?;
        }
        writer.finish().with_context(|| self.refused())?;
        tracing::info!(
            "map with {} ions written to {}",
            ions.len(),
            self.output.display()
        );
        Ok(sums.close_pairs())
    }

    /// Makes the values at points and writes them; how many pairs are closer than `r_min`.
    fn write_points(
        &self,
        job: &FieldJob,
        summing: &Summing,
        (unit, length): (&Unit, Option<&str>),
        (record, sink): (&Record, &Sink),
    ) -> Result<u64> {
        let Targets::Points(points) = job.targets() else {
            return Ok(0);
        };
        let sums = summing.sums(job, job.targets().planes())?;
        let column = |(name, values): (&str, &albireo::particles::Column)| {
            let description = format!("position along {name}");
            let column = TableColumn::floats(name, description, values.iter().collect());
            with_unit(column, length.map(str::to_owned))
        };
        let mut columns: Vec<TableColumn> = ["x", "y", "z"]
            .into_iter()
            .zip(points.columns())
            .map(column)
            .collect();
        let values = in_unit(&sums, 0..sums.len(), unit.factor);
        columns.push(
            TableColumn::floats("value", self.kernel.described(job.term()), values)
                .with_unit(unit.name.clone()),
        );
        let meta = record.timeless(ResultKind::Field);
        sink.deliver(&Table { columns, meta }, &self.output_flags())?;
        Ok(sums.close_pairs())
    }
}

/// Some values in the unit of the output: one product each.
fn in_unit(sums: &Made, of: Range<usize>, factor: f64) -> Vec<f64> {
    let values = sums.values_of(of).into_iter();
    values.map(|value| value * factor).collect()
}

fn write_in_unit(writer: &mut GridWriter, sums: &Made, factor: f64) -> std::io::Result<()> {
    let end = sums.len();
    for first in (0..end).step_by(CHUNK) {
        writer.write(&in_unit(sums, first..(first + CHUNK).min(end), factor))?;
    }
    Ok(())
}

/// Who makes the sums.
struct Summing {
    engine: AnyEngine,
    way: Way,
    watch: Arc<dyn Watch>,
    /// Tests of distances of a variant.
    tests: Cell<DistanceTests>,
    /// Of the sums so far.
    #[cfg(feature = "cuda")]
    timings: RefCell<Vec<CudaTimings>>,
}

impl Summing {
    fn by(engine: AnyEngine, way: Way, watch: &Arc<dyn Watch>) -> Self {
        Self {
            engine,
            way,
            watch: Arc::clone(watch),
            tests: Cell::default(),
            #[cfg(feature = "cuda")]
            timings: RefCell::default(),
        }
    }

    fn sums(&self, job: &FieldJob, planes: Range<usize>) -> Result<Made, FieldError> {
        let bar = self.watch.bar("field");
        let sums = self.way.sums(&self.engine, job, planes, &bar);
        drop(bar);
        let sums = sums.map(|(sums, tests)| {
            self.tests.set(self.tests.get().and(tests));
            sums
        });
        #[cfg(feature = "cuda")]
        if let AnyEngine::Cuda(cuda) = &self.engine {
            self.timings.borrow_mut().push(cuda.last_run().0);
        }
        sums
    }

    fn planes_at_once(&self, plane: usize, planes: usize) -> usize {
        let least = match self.engine {
            AnyEngine::Naive(_) | AnyEngine::Cpu(_) => SLAB,
            #[cfg(feature = "cuda")]
            AnyEngine::Cuda(_) | AnyEngine::Together(_) => MOST,
        };
        planes_at_once(plane, planes, least)
    }

    /// Says what took GPUs how long, and how many tests of distances succeeded.
    fn tell(&self) {
        self.way.tell(self.tests.get());
        #[cfg(feature = "cuda")]
        if let AnyEngine::Cuda(cuda) = &self.engine {
            let took = told(&self.timings.borrow());
            tracing::info!("{}: {}, {took}", cuda.description(), cuda.last_run().1);
        }
    }
}
