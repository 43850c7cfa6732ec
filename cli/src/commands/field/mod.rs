//! `albireo field`: potentials and densities on grids and at points.
//!
//! Entry: [`Field`]. `flags` what is asked for, `sources` who acts, `grid` where; sums are the library's.

mod flags;
mod grid;
mod sources;

use std::ops::Range;
use std::path::Path;

use albireo::engine::{Cpu, FieldEngine};
use albireo::field::{FieldJob, FieldSums, Targets};
use albireo::{EngineError, Naive};
use albireo_catalogs::{GridFormat, GridWriter, ResultKind, Table, TableColumn, grid_record};
use anyhow::{Context, Result};
use serde_json::{Map, Value, json};

use crate::files::{Written, keep_apart};
use crate::inputs::Call;
use crate::output::check;
use crate::progress::Bar;
use crate::record::Record;
use crate::usage::usage;
use flags::EngineName;
pub(crate) use flags::Field;
use sources::Sources;

/// What the help ends with.
pub(crate) const EXAMPLES: &str =
    "Every value is a sum of 64-bit integers and the same bits on any number of threads and with \
any instructions; the record tells the bound on its error.

Examples, on the catalogs that come with albireo:
  albireo field catalogs/samples/liquid_frame.parquet --spacing 0.5 \\
      --weight '2*(species == \"A\") - 1' --cutoff 3 --units V -o map.dx
  albireo field catalogs/samples/galaxies_box.h5 --kernel spline --radius 10 \\
      --spacing 20 -o density.npy
  albireo field catalogs/samples/galaxies_box.h5 --kernel top-hat --radius 8 \\
      --at catalogs/samples/galaxies_box.h5 -o environment.parquet";

/// Targets whose sums are held at a time.
const SLAB: usize = 1 << 22;

/// Planes that go together: tiles are four deep, and each thread takes a few of them.
const PLANES: usize = 32;

impl Field {
    /// Makes the sums and writes them.
    pub(crate) fn run(self, call: &mut Call<'_>) -> Result<()> {
        self.check_output()?;
        let term = self.term()?;
        let engine = self.engine()?;
        let mut record = Record::begin(call.arguments);
        let sources = Sources::read(&self, call, &mut record)?;
        let targets = self.targets(&sources, call, &mut record)?;
        let unit = self.unit(sources.unit.as_deref())?;
        let (points, strengths) = (&sources.points, &sources.strengths);
        let job = FieldJob::new(points, strengths, &sources.domain, term, targets);
        let job = job.context("the field")?;
        let scale = job.scale();
        record.set("term", job.term().describe());
        record.set("r_min", job.term().r_min());
        record.set("unit", unit.name.clone());
        record.set("unit_factor", unit.factor);
        record.set("sources", job.n_sources());
        record.set(
            "fixed_point",
            json!({ "exponent": scale.exponent, "most_terms": scale.most_terms, "error_bound": scale.error_bound * unit.factor.abs(),
                "position_error": scale.position_error }),
        );
        tracing::info!(
            "{}: {} sources, {} targets, error at most {:.2e} {}",
            job.term().describe(),
            job.n_sources(),
            job.targets().len(),
            scale.error_bound * unit.factor.abs(),
            unit.name
        );
        let close = match job.targets() {
            Targets::Grid(_) => self.write_grid(&job, &engine, unit.factor, &record)?,
            Targets::Points(_) => self.write_points(&job, &engine, &unit, &record)?,
        };
        if close > 0 {
            tracing::warn!(
                "{close} pairs are closer than --r-min {}: their terms keep the value that they have there",
                job.term().r_min()
            );
        }
        Ok(())
    }

    /// Refuses what could not be written in the end.
    fn check_output(&self) -> Result<()> {
        let inputs: Vec<&Path> = self.inputs().collect();
        if self.at.is_some() {
            return check(&self.output_flags(), &[], &inputs);
        }
        let output = self.output.as_path();
        if GridFormat::of(output).is_none() {
            return Err(usage(format!(
                "--output {}: grids are written as .dx, .cube or .npy (values --at points as tables)",
                output.display()
            )));
        }
        let record = grid_record(output);
        let mut written = vec![Written::probe("--output", output)?];
        if let Some(record) = &record {
            written.push(Written::probe("the record of --output,", record)?);
        }
        keep_apart(&written, &inputs)
    }

    /// Makes a grid plane by plane and writes it; how many pairs are closer than `r_min`.
    fn write_grid(
        &self,
        job: &FieldJob,
        engine: &Engine,
        factor: f64,
        record: &Record,
    ) -> Result<u64> {
        let Targets::Grid(grid) = job.targets() else {
            return Ok(0);
        };
        let geometry = grid::geometry(grid);
        let planes = job.targets().planes();
        let at_once = (SLAB / job.targets().plane_len()).clamp(1, planes.end);
        let at_once = at_once.next_multiple_of(PLANES.min(at_once));
        let refused = || format!("cannot write {}", self.output.display());
        let meta: Map<String, Value> = record.timeless(ResultKind::Field);
        let title = format!("albireo field: {}", job.term().describe());
        let writer = GridWriter::create(&self.output, &geometry, &title, meta);
        let mut writer = writer.with_context(refused)?;
        let mut close = 0;
        for first in planes.clone().step_by(at_once) {
            let sums = engine.sums(job, first..(first + at_once).min(planes.end))?;
            close += sums.close_pairs();
            writer
                .write(&in_unit(&sums, factor))
                .with_context(refused)?;
        }
        writer.finish().with_context(refused)?;
        tracing::info!("map written to {}", self.output.display());
        Ok(close)
    }

    /// Makes the values at points and writes them; how many pairs are closer than `r_min`.
    fn write_points(
        &self,
        job: &FieldJob,
        engine: &Engine,
        unit: &flags::Unit,
        record: &Record,
    ) -> Result<u64> {
        let Targets::Points(points) = job.targets() else {
            return Ok(0);
        };
        let sums = engine.sums(job, job.targets().planes())?;
        let column = |(name, values): (&str, &albireo::Column)| {
            let description = format!("position along {name}");
            TableColumn::floats(name, description, values.iter().collect())
        };
        let mut columns: Vec<TableColumn> = ["x", "y", "z"]
            .into_iter()
            .zip(points.columns())
            .map(column)
            .collect();
        let values = in_unit(&sums, unit.factor);
        columns.push(
            TableColumn::floats("value", job.term().describe(), values)
                .with_unit(unit.name.clone()),
        );
        let meta = record.timeless(ResultKind::Field);
        crate::output::deliver(&Table { columns, meta }, &self.output_flags())?;
        Ok(sums.close_pairs())
    }
}

/// The values in the unit of the output: one product each.
fn in_unit(sums: &FieldSums, factor: f64) -> Vec<f64> {
    sums.values()
        .into_iter()
        .map(|value| value * factor)
        .collect()
}

/// Who makes the sums.
enum Engine {
    Naive,
    Cpu(Cpu),
}

impl Engine {
    fn sums(&self, job: &FieldJob, planes: Range<usize>) -> Result<FieldSums, EngineError> {
        let bar = Bar::new("field");
        let sums = match self {
            Self::Naive => Naive.field(job, planes, &bar),
            Self::Cpu(cpu) => cpu.field(job, planes, &bar),
        };
        bar.clear();
        sums
    }
}

impl Field {
    /// The engine of the flags.
    fn engine(&self) -> Result<Engine> {
        if self.engine == EngineName::Naive {
            if self.threads.is_some() || self.isa.is_some() {
                return Err(usage(
                    "--engine naive runs one thread without vector instructions: leave out --threads and --isa",
                ));
            }
            return Ok(Engine::Naive);
        }
        let cpu = crate::engine::cpu_of(self.threads, self.isa.as_deref())?;
        Ok(Engine::Cpu(cpu))
    }
}
