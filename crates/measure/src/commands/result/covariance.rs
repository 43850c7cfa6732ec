//! `albireo result covariance`: the scatter of estimates between mocks.

use std::num::NonZeroUsize;

use albireo::estimators::{
    Covariance, Target, dodelson_schneider_factor, linear_construction, percival_exponent,
    percival_factor,
};
use albireo::ndarray::Array2;
use albireo_catalogs::{ResultKind, Table};
use albireo_covariance::model::{Matrix, least_eigenvalue};
use anyhow::{Context, Result, bail};
use clap::Args;
use serde_json::{Map, Value, json};

use super::mean::Estimates;
use super::mock_pairs::check_paired;
use super::realisations::Realisations;
use crate::args::OutputFlags;
use crate::catalogs::Files;
use crate::group;
use crate::paths::{ReadFile, WrittenFile};
use crate::record::Record;
use crate::results::Results;
use crate::saved::floats;
use crate::scatter::{check_bins, covariance_table, say_inverse};
use crate::session::Session;
use crate::usage::usage;

/// What `--shrink-to` takes for the diagonal.
const DIAGONAL: &str = "diagonal";

/// Sets of randoms: a number, or `inf`.
fn sets(text: &str) -> Result<f64, String> {
    let number = text.parse().ok().filter(|sets: &f64| *sets >= 1.0);
    number.ok_or_else(|| format!("expected a number of 1 or more, or inf, found `{text}`"))
}

/// Arguments of `result covariance`.
#[derive(Debug, Args)]
#[command(next_help_heading = group::ERRORS)]
pub(crate) struct OverMocks {
    /// Results of xi, wp, multipoles, wedges or g(r), one a realisation; several by a quoted pattern
    ///
    /// With the same bins and settings, e.g. 'mocks/xi_*.csv'.
    #[arg(required = true, value_name = "RESULT")]
    results: Vec<Files>,
    /// Also write the mean of the realisations, with the standard deviation of one of them
    #[arg(long, value_name = "FILE", help_heading = group::OUTPUT)]
    mean: Option<WrittenFile>,
    /// Number of parameters that will be fitted: also report factors and likelihoods for the noise of the covariance
    ///
    /// Those of Dodelson & Schneider (2013), Percival et al. (2014, 2022) and Sellentin & Heavens (2016).
    #[arg(long, value_name = "Q", conflicts_with_all = ["linear", "shrink_to"])]
    parameters: Option<NonZeroUsize>,
    /// Covariance of estimates with M times as many randoms, of mocks that were measured twice (--second); inf: without end
    ///
    /// Linear construction (Keihanen et al. 2022): much faster than to measure each mock with so many.
    #[arg(long, value_name = "M", requires = "second", value_parser = sets)]
    linear: Option<f64>,
    /// Results of the same mocks with other randoms, in the order of RESULT
    #[arg(long, value_name = "RESULT", num_args = 1.., requires = "linear")]
    second: Vec<Files>,
    /// Shrink towards the diagonal, or towards a covariance in a FILE, as far as noise asks for
    ///
    /// By the least expected error (Ledoit & Wolf 2003): for few realisations.
    #[arg(long, value_name = "diagonal|FILE", conflicts_with = "linear")]
    shrink_to: Option<ReadFile>,
    /// Accept a covariance without an inverse, such as of no more realisations than bins: it has errors
    #[arg(long)]
    singular: bool,
    #[command(flatten)]
    output: OutputFlags,
}

/// What is made of the realisations.
struct Made {
    mean: Vec<f64>,
    matrix: Array2<f64>,
    errors: Map<String, Value>,
}

/// Says which bins leave the covariance without an inverse.
fn warn_of_degenerate(matrix: &Array2<f64>) {
    let bins = matrix.nrows();
    let degenerate = matrix.diag();
    let degenerate = degenerate.iter().filter(|v| v.is_nan() || **v <= 0.0);
    let degenerate = degenerate.count();
    if degenerate > 0 {
        tracing::warn!(
            "{degenerate} of {bins} bins are NaN in some realisation or equal in all: with them the covariance has no inverse (`albireo result slice` leaves bins out)"
        );
    }
}

/// The covariance in a file, which must be of these values in these bins.
fn target(path: &ReadFile, estimates: &Estimates<'_>, results: &Results) -> Result<Array2<f64>> {
    let table = results.read(path)?;
    let place = || format!("--shrink-to {}", path.display());
    if table.kind().with_context(place)? != ResultKind::Covariance {
        bail!(
            "{}: expected a covariance, found {}",
            place(),
            table.kind()?.phrase()
        );
    }
    let bins = estimates.number();
    let own = Array2::zeros((bins, bins));
    let record = Record::begin(&crate::record::Arguments::default());
    let own = covariance_table(&own, &estimates.bins()?, estimates.name(), &record)?;
    check_same_bins(&own, &table).with_context(place)?;
    let values = floats(&table, "covariance").with_context(place)?;
    Ok(Array2::from_shape_vec((bins, bins), values.to_vec())?)
}

/// Refuses a covariance of other values or other bins than `own`.
pub(in crate::commands) fn check_same_bins(own: &Table, other: &Table) -> Result<()> {
    let of = |table: &Table| table.meta.get("covariance_of").cloned().unwrap_or_default();
    if of(own) != of(other) {
        let [own, other] = [own, other].map(|table| of(table).as_str().unwrap_or("?").to_owned());
        bail!("it is a covariance of {other}, not of {own}");
    }
    if own.rows() != other.rows() {
        let [own, other] = [own, other].map(|table| table.rows().isqrt());
        bail!("it has {other} bins, not {own}");
    }
    let names = own.columns.iter().map(|column| column.name.as_str());
    for name in names.filter(|name| name.starts_with("row_")) {
        if own.column(name).map(|c| &c.values) != other.column(name).map(|c| &c.values) {
            bail!("its bins differ: column `{name}`");
        }
    }
    Ok(())
}

/// Refuses a matrix that no likelihood can take.
fn check_positive(matrix: &Array2<f64>, what: &str) -> Result<()> {
    let bins = matrix.nrows();
    let least = least_eigenvalue(&Matrix::from_fn(bins, bins, |i, j| matrix[[i, j]]));
    if least > 0.0 {
        return Ok(());
    }
    bail!(
        "{what} is not positive definite: its least eigenvalue is {least:.3e}: take more mocks, or fewer bins; --singular writes it for its errors alone"
    );
}

impl OverMocks {
    /// The factors of the inverse and of fitted parameters, where there are enough realisations; said and written down.
    fn factors(&self, realisations: usize, bins: usize) -> Map<String, Value> {
        let mut errors = Map::new();
        let hartlap = say_inverse(realisations, "realisations", bins);
        errors.insert("hartlap_factor".to_owned(), json!(hartlap));
        let Some(parameters) = self.parameters else {
            return errors;
        };
        let asked = (realisations, bins, parameters.get());
        let of = |of: fn(usize, usize, usize) -> Result<f64, _>| of(asked.0, asked.1, asked.2).ok();
        let percival = of(percival_factor);
        let scatter = of(dodelson_schneider_factor);
        let exponent = of(percival_exponent);
        if let (Some(factor), Some(scatter), Some(m)) = (percival, scatter, exponent) {
            tracing::info!(
                "the Percival factor of the covariance of {parameters} parameters is {factor}; best fits scatter by the Dodelson-Schneider factor {scatter} of their variance more than with the true covariance"
            );
            tracing::info!(
                "the likelihood of Percival et al. (2022) is (1 + chi^2/{})^(-m/2) with m = {m}, that of Sellentin & Heavens (2016) has m = {realisations}: chi^2 by the inverse without a factor",
                realisations - 1
            );
        } else {
            tracing::warn!(
                "the Percival factor needs {} realisations at least, found {realisations}",
                bins + 5
            );
        }
        errors.insert("parameters".to_owned(), json!(parameters));
        errors.insert("percival_factor".to_owned(), json!(percival));
        errors.insert("dodelson_schneider_factor".to_owned(), json!(scatter));
        errors.insert("percival_2022_exponent".to_owned(), json!(exponent));
        let heavens = (realisations > bins).then_some(realisations);
        errors.insert("sellentin_heavens_exponent".to_owned(), json!(heavens));
        errors
    }

    /// The scatter itself, or shrunk.
    fn scatter(&self, estimates: &Estimates<'_>, results: &Results) -> Result<Made> {
        let covariance = estimates.covariance()?;
        let (number, bins) = (covariance.realisations(), covariance.bins());
        let Some(aim) = &self.shrink_to else {
            if number <= bins && !self.singular {
                bail!(
                    "{number} realisations of {bins} bins: their covariance has no inverse, which takes more of them than bins, and {} to be unbiased: --singular writes it for its errors alone, --shrink-to makes one of them that has an inverse",
                    bins + 3
                );
            }
            return Ok(Made {
                errors: self.factors(number, bins),
                mean: covariance.mean().to_vec(),
                matrix: covariance.matrix(),
            });
        };
        let shrunk = self.shrunk(aim, &covariance, (estimates, results))?;
        Ok(shrunk)
    }

    /// The scatter, shrunk to a target.
    fn shrunk(
        &self,
        aim: &ReadFile,
        covariance: &Covariance,
        (estimates, results): (&Estimates<'_>, &Results),
    ) -> Result<Made> {
        let shrunk = if aim.as_os_str() == DIAGONAL {
            covariance.shrunk_to(Target::Diagonal)
        } else {
            let matrix = target(aim, estimates, results)?;
            covariance.shrunk_to(Target::Matrix(matrix.view()))
        };
        let shrunk = shrunk.context("--shrink-to")?;
        let lambda = shrunk.lambda;
        tracing::info!(
            "shrunk by {lambda:.4} towards {}: no Hartlap factor is known for it",
            aim.display()
        );
        if !self.singular {
            check_positive(&shrunk.matrix, "the shrunk covariance")?;
        }
        let mut errors = Map::new();
        errors.insert("shrunk_to".to_owned(), json!(aim.display().to_string()));
        errors.insert("shrinkage".to_owned(), json!(lambda));
        Ok(Made {
            mean: covariance.mean().to_vec(),
            matrix: shrunk.matrix,
            errors,
        })
    }

    /// The linear construction.
    fn constructed(&self, sets: f64, [first, second]: [&Estimates<'_>; 2]) -> Result<Made> {
        let pairs = first.values()?.into_iter().zip(second.values()?);
        let pairs: Vec<[Vec<f64>; 2]> = pairs.map(<[_; 2]>::from).collect();
        let (mean, matrix) = linear_construction(&pairs, sets)?;
        tracing::info!(
            "a linear construction: no Hartlap factor is known for it, nor of how many mocks its inverse has the noise"
        );
        if !self.singular {
            check_positive(&matrix, "the linear construction")?;
        }
        let mut errors = Map::new();
        let of = if sets.is_finite() {
            json!(sets)
        } else {
            json!("inf")
        };
        errors.insert("linear_construction".to_owned(), of);
        Ok(Made {
            mean,
            matrix,
            errors,
        })
    }

    /// Reads, computes, prints and writes.
    pub(crate) fn run(self, session: &Session<'_>) -> Result<()> {
        let inputs = self
            .results
            .iter()
            .chain(&self.second)
            .flat_map(Files::iter);
        let target = self
            .shrink_to
            .as_deref()
            .filter(|path| path.as_os_str() != DIAGONAL);
        let inputs: Vec<_> = inputs.chain(target).collect();
        let mean = self.mean.as_deref().map(|path| ("--mean", path));
        let others: Vec<_> = mean.into_iter().collect();
        session.sink.check_counts(&self.output, &others, &inputs)?;
        let mut record = Record::begin(session.arguments);
        let realisations = Realisations::read(&self.results, session)?;
        let estimates = Estimates::new(&realisations)?;
        let bins = estimates.number();
        check_bins(bins)?;
        if let Some(parameters) = self.parameters.filter(|q| q.get() > bins) {
            return Err(usage(format!(
                "--parameters: {bins} bins allow for {bins} parameters at most, found {parameters}"
            )));
        }
        for (key, value) in realisations.common() {
            record.set(&key, value);
        }
        let made = match self.linear {
            None => self.scatter(&estimates, &session.kept.results)?,
            Some(sets) => {
                let second = Realisations::read(&self.second, session).context("--second")?;
                check_paired(&realisations, &second)?;
                record.set("second_realisations", second.described()?);
                let second = Estimates::new(&second)?;
                if estimates.bins()? != second.bins()? {
                    bail!("--second: expected the same multipoles or wedges as in RESULT");
                }
                self.constructed(sets, [&estimates, &second])?
            }
        };
        let mut errors = json!({
            "method": "mocks",
            "realisations": realisations.number(),
            "bins": bins,
        });
        for (key, value) in made.errors {
            errors[key] = value;
        }
        record.set("errors", errors);
        warn_of_degenerate(&made.matrix);
        record.set("realisations", realisations.described()?);
        if let Some(path) = &self.mean {
            let errors: Vec<f64> = made.matrix.diag().iter().map(|v| v.sqrt()).collect();
            let mean = estimates.mean((&made.mean, &errors), &record)?;
            session.sink.write(&mean, path)?;
        }
        let bins = estimates.bins()?;
        let table = covariance_table(&made.matrix, &bins, estimates.name(), &record)?;
        session.sink.deliver(&table, &self.output)
    }
}
