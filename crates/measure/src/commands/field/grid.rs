//! Where values are: the grid of the flags, or points of a catalogue.

#![allow(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "shapes of grids are checked against memory where grids are made"
)]

use albireo::{Axis, Domain};
use albireo_catalogs::{GridGeometry, read_dx_grid};
use albireo_fields::{Grid, Targets};
use albireo_samples::{BoxSpec, Reading, Selection, Source};
use anyhow::{Context, Result};

use super::Field;
use super::kernel::three;
use super::sources::Sources;
use crate::inputs::say;
use crate::record::Record;
use crate::session::Session;
use crate::usage::usage;
use crate::watch::Loss;

/// A grid as files describe it.
pub(super) fn geometry(grid: &Grid) -> GridGeometry {
    GridGeometry {
        shape: grid.shape(),
        origin: grid.origin(),
        steps: grid.steps(),
    }
}

impl Field {
    /// The targets.
    pub(super) fn targets(
        &self,
        sources: &Sources,
        session: &Session<'_>,
        record: &mut Record,
    ) -> Result<Targets> {
        if let Some(files) = &self.at {
            let _reading = session.watch.during(Loss::Nothing);
            let reading = Reading {
                space: Some(BoxSpec::Open.into()),
                unit: sources.unit.clone(),
                given: session.kept.given().clone(),
                stop: session.watch.stop(),
                ..Reading::default()
            };
            let at = Source {
                role: "at".to_owned(),
                paths: files.paths.clone(),
                selection: Selection::default(),
            };
            let samples = reading
                .read(&[at], &mut |notice| say(&notice))
                .context("--at")?;
            return Ok(Targets::Points(samples.get("at")?.points().clone()));
        }
        let grid = self.grid(sources)?;
        let shape = grid.shape();
        record.set("grid_shape", serde_json::json!(shape));
        let [l, m, n] = shape;
        tracing::info!("grid of {l} x {m} x {n} points");
        Ok(Targets::Grid(grid))
    }

    fn grid(&self, sources: &Sources) -> Result<Grid> {
        let flags = &self.grid;
        if let Some(path) = &flags.grid_of {
            let found = read_dx_grid(path).context("--grid-of")?;
            return Grid::new(found.origin, found.steps, found.shape).context("--grid-of");
        }
        if flags.spacing.is_empty() {
            return Err(usage(
                "--spacing: name the distance of the points, e.g. 0.5 (or --grid-of FILE.dx, or --at FILE)",
            ));
        }
        let spacing = three("--spacing", &flags.spacing)?;
        if let Some(h) = spacing.iter().find(|h| !(**h > 0.0 && h.is_finite())) {
            return Err(usage(format!("--spacing must be positive, found {h}")));
        }
        if !flags.origin.is_empty() {
            if flags.padding.is_some() {
                return Err(usage(
                    "--padding is for grids round the sources: leave it out with --origin",
                ));
            }
            let [x, y, z] = flags.origin[..] else {
                return Err(usage(format!(
                    "--origin: expected three numbers, found {}",
                    flags.origin.len()
                )));
            };
            let [l, m, n] = flags.size[..] else {
                return Err(usage(format!(
                    "--size: expected three numbers, found {}",
                    flags.size.len()
                )));
            };
            return Grid::orthogonal([x, y, z], spacing, [l, m, n])
                .map_err(|error| usage(format!("--origin, --size: {error}")));
        }
        let padding = flags.padding.unwrap_or(0.0);
        if !(padding >= 0.0 && padding.is_finite()) {
            return Err(usage(format!(
                "--padding must not be negative, found {padding}"
            )));
        }
        round_sources(sources, spacing, padding)
    }
}

/// A grid round the sources on open axes, and of the whole box on periodic ones, whose steps then divide it.
fn round_sources(sources: &Sources, spacing: [f64; 3], padding: f64) -> Result<Grid> {
    let of_box = |length: f64, h: f64| ((length / h).round().max(1.0)) as usize;
    if let Domain::Triclinic(lattice) = &sources.domain {
        let vectors = lattice.vectors();
        let shape: [usize; 3] = std::array::from_fn(|k| {
            let [x, y, z] = vectors[k];
            of_box((x * x + y * y + z * z).sqrt(), spacing[k])
        });
        let steps = std::array::from_fn(|k| vectors[k].map(|v| v / shape[k] as f64));
        return Grid::new([0.0; 3], steps, shape).context("--spacing");
    }
    let (mut origin, mut steps, mut shape) = ([0.0; 3], spacing, [1; 3]);
    for (k, column) in sources.points.columns().into_iter().enumerate() {
        let period = match &sources.domain {
            Domain::Periodic(cell) => cell.length(Axis::ALL[k]),
            _ => None,
        };
        if let Some(length) = period {
            shape[k] = of_box(length, spacing[k]);
            steps[k] = length / shape[k] as f64;
        } else {
            let low = column.iter().fold(f64::INFINITY, f64::min) - padding;
            let high = column.iter().fold(f64::NEG_INFINITY, f64::max) + padding;
            origin[k] = low;
            shape[k] = ((high - low) / spacing[k]).ceil() as usize + 1;
        }
    }
    Grid::orthogonal(origin, steps, shape).context("--spacing")
}
