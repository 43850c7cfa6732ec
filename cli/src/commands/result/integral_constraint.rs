//! `albireo result integral-constraint`: what an estimate lacks, of a model, added to it.

use std::path::{Path, PathBuf};

use albireo::estimators::{IntegralConstraint, PowerLaw};
use albireo_catalogs::{ResultKind, Table, TableColumn, Values};
use anyhow::{Context, Result, bail};
use clap::Args;
use serde_json::json;

use super::grid::Grid;
use super::rebin::record_of;
use super::saved::{floats, read};
use crate::args::OutputFlags;
use crate::edges::ends;
use crate::output::{check, deliver};
use crate::record::{Arguments, Record};
use crate::usage::usage;

/// Arguments of `result integral-constraint`.
#[derive(Debug, Args)]
pub(crate) struct Constraint {
    /// A result of xi over r, s or theta with its RR, whose bins reach all pairs of the volume
    #[arg(value_name = "RESULT")]
    result: PathBuf,
    /// Model A x^-GAMMA, with the A that fits best together with its integral constraint, e.g. 0.8
    #[arg(long, value_name = "GAMMA", group = "of")]
    power_law: Option<f64>,
    /// Model from a text file with rows `x xi`, rising in x, between which it is linear; `#` begins a comment
    #[arg(long, value_name = "FILE", group = "of")]
    model: Option<PathBuf>,
    /// With --power-law: fit the bins between these ends alone, e.g. 0.1:5
    #[arg(long, value_name = "LO:HI", value_parser = ends, requires = "power_law")]
    fit: Option<[f64; 2]>,
    #[command(flatten)]
    output: OutputFlags,
}

/// A model by its values at rising places.
struct Model(Vec<[f64; 2]>);

impl Model {
    /// Reads rows of two numbers.
    fn read(path: &Path) -> Result<Self> {
        let place = || path.display().to_string();
        let text = std::fs::read_to_string(path).with_context(place)?;
        let mut rows: Vec<[f64; 2]> = vec![];
        for (k, line) in text.lines().enumerate() {
            let line = line.split('#').next().unwrap_or_default();
            let fields: Vec<&str> = line
                .split([',', ' ', '\t'])
                .filter(|field| !field.is_empty())
                .collect();
            if fields.is_empty() {
                continue;
            }
            let numbers: Option<Vec<f64>> = fields.iter().map(|field| field.parse().ok()).collect();
            let row = numbers.filter(|numbers| numbers.iter().all(|x| x.is_finite()));
            let Some([x, xi]) = row.as_deref() else {
                bail!(
                    "{}: line {}: expected two numbers, x and xi, found `{}`",
                    place(),
                    k + 1,
                    line.trim()
                );
            };
            if rows.last().is_some_and(|last| last[0] >= *x) {
                bail!(
                    "{}: line {}: x should rise, found {x} after {}",
                    place(),
                    k + 1,
                    rows[rows.len() - 1][0]
                );
            }
            rows.push([*x, *xi]);
        }
        if rows.len() < 2 {
            bail!(
                "{}: at least 2 rows `x xi` are needed, found {}",
                place(),
                rows.len()
            );
        }
        Ok(Self(rows))
    }

    /// Its value at a place between its first and last.
    fn at(&self, x: f64) -> Result<f64> {
        let rows = &self.0;
        let above = rows.partition_point(|row| row[0] < x).max(1);
        let (lo, hi) = (rows[above - 1], rows.get(above));
        match hi {
            Some(hi) if x >= lo[0] => Ok(lo[1] + (hi[1] - lo[1]) * (x - lo[0]) / (hi[0] - lo[0])),
            _ => bail!(
                "the model goes from {} to {}: it has no value at the bin at {x}",
                rows[0][0],
                rows[rows.len() - 1][0]
            ),
        }
    }
}

/// What the bins of a result are about: random pairs, places, estimate.
struct Bins<'t> {
    rr: &'t [f64],
    x: Vec<f64>,
    edges: Vec<f64>,
    xi: &'t [f64],
    error: &'t [f64],
}

impl<'t> Bins<'t> {
    fn of(table: &'t Table, kind: ResultKind) -> Result<Self> {
        let axes = table.edges()?;
        let (ResultKind::Correlation, [(axis, edges)]) = (kind, &axes[..]) else {
            bail!(
                "a result of xi over r, s or theta is needed, found a {} over {} axes",
                kind.name(),
                axes.len()
            );
        };
        if table.column("xi_measured").is_some() {
            bail!("an integral constraint has been added to it already");
        }
        let mut rr = ["RR_normalised", "R1R2_normalised"].into_iter();
        let rr = rr.find(|name| table.column(name).is_some());
        let rr = rr.context("it holds no RR, over whose pairs the model is averaged")?;
        let mean = format!("mean_{axis}");
        let x = match table.column(&mean) {
            Some(_) => floats(table, &mean)?,
            None => floats(table, "centre")?,
        };
        let centres = floats(table, "centre")?;
        // A bin without a pair has no mean.
        let x = x
            .iter()
            .zip(centres)
            .map(|(x, centre)| if x.is_nan() { *centre } else { *x });
        Ok(Self {
            rr: floats(table, rr)?,
            x: x.collect(),
            edges: edges.clone(),
            xi: floats(table, "xi")?,
            error: floats(table, "xi_error")?,
        })
    }

    /// The power law that fits best in the bins within `range`.
    fn fit(&self, gamma: f64, range: Option<[f64; 2]>) -> Result<PowerLaw> {
        let [lo, hi] = range.unwrap_or([f64::NEG_INFINITY, f64::INFINITY]);
        let within = |k: usize| self.edges[k] >= lo && self.edges[k + 1] <= hi;
        if !(0..self.x.len()).any(within) {
            bail!(
                "--fit: no bin lies within {lo} and {hi}: the bins go from {} to {}",
                self.edges[0],
                self.edges[self.edges.len() - 1]
            );
        }
        Ok(PowerLaw::fit(
            self.rr, &self.x, gamma, self.xi, self.error, within,
        )?)
    }
}

/// The table with the constraint added to xi, what was measured beside it.
fn corrected(table: &Table, constraint: f64) -> Result<Vec<TableColumn>> {
    let measured = floats(table, "xi")?.to_vec();
    let mut columns = Vec::new();
    for column in &table.columns {
        if column.name != "xi" {
            columns.push(column.clone());
            continue;
        }
        let xi = measured.iter().map(|xi| xi + constraint).collect();
        let described = format!("{}, with the integral constraint", column.description);
        columns.push(TableColumn {
            values: Values::Floats(xi),
            description: described,
            ..column.clone()
        });
        let described = format!("{}, as measured", column.description);
        columns.push(TableColumn {
            unit: column.unit.clone(),
            ..TableColumn::floats("xi_measured", described, measured.clone())
        });
    }
    Ok(columns)
}

impl Constraint {
    /// The constraint and what the record says of its model.
    fn constraint(&self, bins: &Bins<'_>) -> Result<(IntegralConstraint, serde_json::Value)> {
        match (self.power_law, &self.model) {
            (Some(gamma), _) => {
                let fit = bins.fit(gamma, self.fit)?;
                tracing::info!(
                    "{} x^-{gamma}, with an error of {} in {} bins, chi2 {}",
                    fit.amplitude,
                    fit.amplitude_error,
                    fit.bins,
                    fit.chi2
                );
                Ok((fit.constraint, json!({"power_law": fit})))
            }
            (None, Some(path)) => {
                let model = Model::read(path)?;
                let pairs = bins.x.iter().zip(bins.rr);
                let values = pairs.map(|(&x, &rr)| if rr == 0.0 { Ok(0.0) } else { model.at(x) });
                let values = values.collect::<Result<Vec<f64>>>();
                let values = values.with_context(|| path.display().to_string())?;
                Ok((
                    IntegralConstraint::new(bins.rr, &values)?,
                    json!({"file": path}),
                ))
            }
            (None, None) => Err(usage(
                "a model is needed: --power-law GAMMA or --model FILE",
            )),
        }
    }

    /// Reads, computes, prints and writes.
    pub(crate) fn run(self, arguments: &Arguments) -> Result<()> {
        let path = self.result.as_path();
        let inputs: Vec<&Path> = std::iter::once(path).chain(self.model.as_deref()).collect();
        check(&self.output, &[], &inputs)?;
        if self.power_law.is_none() && self.model.is_none() {
            return Err(usage(
                "a model is needed: --power-law GAMMA or --model FILE",
            ));
        }
        if let Some(gamma) = self.power_law.filter(|gamma| !gamma.is_finite()) {
            return Err(usage(format!(
                "--power-law: a number is needed, found {gamma}"
            )));
        }
        let record = Record::begin(arguments);
        let (table, kind) = read(path)?;
        let place = || path.display().to_string();
        let bins = Bins::of(&table, kind).with_context(place)?;
        let (constraint, model) = self.constraint(&bins).with_context(place)?;
        tracing::info!("integral constraint: {}", constraint.value);
        if constraint.covered < 0.99 {
            tracing::warn!(
                "the bins hold {:.4} of all random pairs: the integral constraint is a mean over these alone",
                constraint.covered
            );
        }
        let columns = corrected(&table, constraint.value)?;
        let mut record = record_of(&table, path, &Grid::of(&table)?, record)?;
        record.set(
            "integral_constraint",
            json!({"value": constraint.value, "pairs_covered": constraint.covered, "model": model}),
        );
        let meta = record.finish(kind);
        deliver(&Table { columns, meta }, &self.output)
    }
}
