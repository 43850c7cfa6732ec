//! `albireo result integral-constraint`: what an estimate lacks, of a model, added to it.

use std::path::Path;

use albireo::estimators::{IntegralConstraint, PowerLaw, RadialConstraint};
use albireo_catalogs::{ResultKind, Table, TableColumn, Values};
use anyhow::{Context, Result, bail};
use clap::Args;
use serde_json::{Value, json};

use super::model::Model;
use super::saved::NamedTable;
use super::shell_rr::ShellRr;
use crate::args::ScaledOutputFlags;
use crate::edges::ends;
use crate::group;
use crate::paths::ReadFile;
use crate::record::Record;
use crate::results::Results;
use crate::saved::floats;
use crate::session::Session;
use crate::text::short;
use crate::usage::usage;

/// Arguments of `result integral-constraint`.
#[derive(Debug, Args)]
#[command(next_help_heading = group::INPUT)]
pub(crate) struct Constraint {
    /// Result of xi over r, s, theta or (s, mu) with its RR, whose bins reach all pairs of the volume
    #[arg(value_name = "RESULT")]
    result: ReadFile,
    /// Model A x^-GAMMA, e.g. 0.8; A is fitted together with its integral constraint
    #[arg(long, value_name = "GAMMA", group = "of")]
    power_law: Option<f64>,
    /// Model from a text file with rows `x xi`, rising in x, linear between them; `#` begins a comment
    #[arg(long, value_name = "FILE", group = "of")]
    model: Option<ReadFile>,
    /// Fit the bins between these ends alone, with --power-law, e.g. 0.1:5
    #[arg(long, value_name = "LO:HI", value_parser = ends, requires = "power_law")]
    fit: Option<[f64; 2]>,
    /// Radial constraint instead, for randoms with the redshifts of the data
    ///
    /// Their pairs by shells in the bins of RESULT, as `albireo count RANDOMS --shells N` writes them.
    #[arg(long, value_name = "FILE")]
    radial: Option<ReadFile>,
    #[command(flatten)]
    output: ScaledOutputFlags,
}

/// What the bins of a result are about: random pairs, places, estimate.
struct Bins<'t> {
    rr: &'t [f64],
    x: Vec<f64>,
    /// The edges of each bin along the first axis.
    ends: [&'t [f64]; 2],
    xi: &'t [f64],
    error: &'t [f64],
}

impl<'t> Bins<'t> {
    fn of(table: &'t Table, kind: ResultKind) -> Result<Self> {
        let axes = table.edges()?;
        let names: Vec<&str> = axes.iter().map(|(name, _)| name.as_str()).collect();
        let (axis, prefix) = match names[..] {
            [axis] if kind == ResultKind::Correlation => (axis, String::new()),
            ["s", "mu"] if kind == ResultKind::Correlation => ("s", "s_".to_owned()),
            _ => bail!(
                "a result of xi over r, s, theta or (s, mu) is needed, found {} over ({})",
                kind.phrase(),
                names.join(", ")
            ),
        };
        if table.column("xi_measured").is_some() {
            bail!("an integral constraint has been added to it already");
        }
        let mut rr = ["RR_normalised", "R1R2_normalised"].into_iter();
        let rr = rr.find(|name| table.column(name).is_some());
        let rr = rr.context("it holds no RR, over whose pairs the model is averaged")?;
        let column = |name: &str| floats(table, &format!("{prefix}{name}"));
        let centres = column("centre")?;
        let mean = format!("mean_{axis}");
        let x = match table.column(&mean) {
            Some(_) => floats(table, &mean)?,
            None => centres,
        };
        // A bin without a pair has no mean.
        let x = x
            .iter()
            .zip(centres)
            .map(|(x, centre)| if x.is_nan() { *centre } else { *x });
        Ok(Self {
            rr: floats(table, rr)?,
            x: x.collect(),
            ends: [column("lo")?, column("hi")?],
            xi: floats(table, "xi")?,
            error: floats(table, "xi_error")?,
        })
    }

    /// Which bins lie within `range`, all of them without one.
    fn fitted(&self, range: Option<[f64; 2]>) -> Result<impl Fn(usize) -> bool> {
        let [lo, hi] = range.unwrap_or([f64::NEG_INFINITY, f64::INFINITY]);
        let [from, to] = self.ends;
        let within = move |k: usize| from[k] >= lo && to[k] <= hi;
        if !(0..self.x.len()).any(within) {
            bail!(
                "--fit: no bin lies within {lo} and {hi}: the bins go from {} to {}",
                from[0],
                to[to.len() - 1]
            );
        }
        Ok(within)
    }
}

/// What an estimate lacks of a model.
struct Lacking {
    /// In each bin.
    values: Vec<f64>,
    /// The share of all random pairs that the bins hold.
    covered: f64,
    /// What the record says of it, and of the model.
    record: Value,
}

impl Lacking {
    fn of_global(constraint: IntegralConstraint, bins: usize, model: &Value) -> Self {
        tracing::info!("integral constraint: {}", short(constraint.value));
        let IntegralConstraint { value, covered } = constraint;
        Self {
            values: vec![value; bins],
            covered,
            record: json!({"value": value, "pairs_covered": covered, "model": model}),
        }
    }

    fn of_radial(constraint: RadialConstraint, shells: &Value, model: &Value) -> Self {
        let finite = constraint.values.iter().filter(|value| value.is_finite());
        let (lo, hi) = finite.fold((f64::INFINITY, f64::NEG_INFINITY), |(lo, hi), &value| {
            (lo.min(value), hi.max(value))
        });
        let number = constraint.shells;
        tracing::info!("radial integral constraint, shells: {number}: {lo} to {hi}");
        Self {
            values: constraint.values,
            covered: constraint.covered,
            record: json!({"kind": "radial", "shells": shells, "pairs_covered": constraint.covered, "model": model}),
        }
    }

    /// The table with the constraint added to xi, what was measured beside it.
    fn added_to(&self, table: &Table) -> Result<Vec<TableColumn>> {
        let measured = floats(table, "xi")?;
        let radial = self.record.get("kind").is_some();
        let which = if radial {
            "radial integral"
        } else {
            "integral"
        };
        let mut columns = Vec::new();
        for column in &table.columns {
            if column.name != "xi" {
                columns.push(column.clone());
                continue;
            }
            let xi = measured
                .iter()
                .zip(&self.values)
                .map(|(xi, lacks)| xi + lacks);
            columns.push(TableColumn {
                values: Values::Floats(xi.collect()),
                description: format!("{}, with the {which} constraint", column.description),
                ..column.clone()
            });
            let like = |name: &str, described: String, values: Vec<f64>| TableColumn {
                unit: column.unit.clone(),
                ..TableColumn::floats(name, described, values)
            };
            let described = format!("{}, as measured", column.description);
            columns.push(like("xi_measured", described, measured.to_vec()));
            if radial {
                let described = "radial integral constraint of the model".to_owned();
                columns.push(like("radial_constraint", described, self.values.clone()));
            }
        }
        Ok(columns)
    }
}

/// Says how well a power law fits.
fn tell<C>(fit: &PowerLaw<C>) {
    let [amplitude, error, chi2] = [fit.amplitude, fit.amplitude_error, fit.chi2].map(short);
    let (gamma, bins) = (fit.slope, fit.bins);
    tracing::info!("{amplitude} x^-{gamma}, with an error of {error} in {bins} bins, chi2 {chi2}");
}

impl Constraint {
    /// The values of the model file in the bins with random pairs, with what the record says of it.
    fn model_in(path: &Path, bins: &Bins<'_>, results: &Results) -> Result<(Vec<f64>, Value)> {
        let model = Model::read(path, results)?;
        let pairs = bins.x.iter().zip(bins.rr);
        let values = pairs.map(|(&x, &rr)| if rr == 0.0 { Ok(0.0) } else { model.at(x) });
        let values = values.collect::<Result<Vec<f64>>>();
        let values = values.with_context(|| path.display().to_string())?;
        Ok((values, json!({"file": path})))
    }

    /// The constraint of all of the volume.
    fn global(&self, bins: &Bins<'_>, results: &Results) -> Result<Lacking> {
        let number = bins.xi.len();
        if let Some(path) = &self.model {
            let (values, model) = Self::model_in(path, bins, results)?;
            let constraint = IntegralConstraint::new(bins.rr, &values)?;
            return Ok(Lacking::of_global(constraint, number, &model));
        }
        let gamma = self.slope()?;
        let fitted = bins.fitted(self.fit)?;
        let fit = PowerLaw::fit(bins.rr, &bins.x, gamma, bins.xi, bins.error, fitted)?;
        tell(&fit);
        let model = json!({"power_law": fit});
        Ok(Lacking::of_global(fit.constraint, number, &model))
    }

    /// The constraint of every shell.
    fn radial(&self, bins: &Bins<'_>, shells: &ShellRr, results: &Results) -> Result<Lacking> {
        if let Some(path) = &self.model {
            let (values, model) = Self::model_in(path, bins, results)?;
            let constraint = RadialConstraint::of_shells(&shells.pairs, &values)?;
            return Ok(Lacking::of_radial(constraint, &shells.record, &model));
        }
        let gamma = self.slope()?;
        let fitted = bins.fitted(self.fit)?;
        let rr = &shells.pairs;
        let fit = PowerLaw::fit_radial(rr, &bins.x, gamma, bins.xi, bins.error, fitted)?;
        tell(&fit);
        let model = json!({"power_law": {
            "slope": gamma, "amplitude": fit.amplitude, "amplitude_error": fit.amplitude_error,
            "chi2": fit.chi2, "bins": fit.bins,
        }});
        Ok(Lacking::of_radial(fit.constraint, &shells.record, &model))
    }

    /// The slope of the power law, where that is the model.
    fn slope(&self) -> Result<f64> {
        self.power_law
            .ok_or_else(|| usage("a model is needed: --power-law GAMMA or --model FILE"))
    }

    /// Reads, computes, prints and writes.
    pub(crate) fn run(self, session: &Session<'_>) -> Result<()> {
        let path = self.result.as_path();
        let others = [self.model.as_deref(), self.radial.as_deref()];
        let inputs: Vec<&Path> = std::iter::once(path)
            .chain(others.into_iter().flatten())
            .collect();
        session.sink.check(&self.output.output(), &[], &inputs)?;
        if self.model.is_none() {
            let gamma = self.slope()?;
            if !gamma.is_finite() {
                return Err(usage(format!(
                    "--power-law: a number is needed, found {gamma}"
                )));
            }
        }
        let record = Record::begin(session.arguments);
        let results = &session.kept.results;
        let input = NamedTable::read(path, results)?;
        let (table, kind) = (&input.table, input.whole()?);
        let place = || path.display().to_string();
        let bins = Bins::of(table, kind).with_context(place)?;
        let lacking = match &self.radial {
            None => self.global(&bins, results),
            Some(file) => {
                let shells = results.read(file);
                let shells = shells.and_then(|shells| ShellRr::of(&shells, table));
                let shells = shells.with_context(|| format!("--radial {}", file.display()))?;
                self.radial(&bins, &shells, results)
            }
        };
        let lacking = lacking.with_context(place)?;
        if lacking.covered < 0.99 {
            tracing::warn!(
                "the bins hold {:.4} of all random pairs: the integral constraint is a mean over these alone",
                lacking.covered
            );
        }
        let columns = lacking.added_to(table)?;
        let mut record = input.record_of_made(&input.axes()?, record)?;
        record.set("integral_constraint", lacking.record);
        let table = record.table(kind, columns);
        session.sink.deliver(&table, &self.output.output())
    }
}
