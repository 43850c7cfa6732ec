//! `albireo result covariance`: the scatter of estimates between mocks.

use std::num::NonZeroUsize;

use albireo::estimators::{Covariance, percival_factor};
use anyhow::{Result, bail};
use clap::Args;
use serde_json::json;

use super::mean::Estimates;
use super::realisations::Realisations;
use crate::args::OutputFlags;
use crate::catalogs::Files;
use crate::group;
use crate::paths::WrittenFile;
use crate::record::Record;
use crate::scatter::{check_bins, covariance_table, say_inverse};
use crate::session::Session;
use crate::usage::usage;

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
    /// Number of parameters that will be fitted: also report the factor of Percival et al. (2014)
    #[arg(long, value_name = "Q")]
    parameters: Option<NonZeroUsize>,
    /// Accept no more realisations than bins: the covariance has errors but no inverse
    #[arg(long)]
    singular: bool,
    #[command(flatten)]
    output: OutputFlags,
}

/// Says which bins leave the covariance without an inverse.
fn warn_of_degenerate(covariance: &Covariance) {
    let bins = covariance.bins();
    let degenerate = covariance.errors();
    let degenerate = degenerate.iter().filter(|e| e.is_nan() || **e <= 0.0);
    let degenerate = degenerate.count();
    if degenerate > 0 {
        tracing::warn!(
            "{degenerate} of {bins} bins are NaN in some realisation or equal in all: with them the covariance has no inverse (`albireo result slice` leaves bins out)"
        );
    }
}

impl OverMocks {
    /// The factors of the inverse and of fitted parameters, where there are enough realisations; said and written down.
    fn note_factors(&self, realisations: usize, bins: usize, record: &mut Record) {
        let hartlap = say_inverse(realisations, "realisations", bins);
        let mut errors = json!({
            "method": "mocks",
            "realisations": realisations,
            "bins": bins,
            "hartlap_factor": hartlap,
        });
        if let Some(parameters) = self.parameters {
            let percival = percival_factor(realisations, bins, parameters.get()).ok();
            if let Some(factor) = percival {
                tracing::info!(
                    "the Percival factor of the covariance of {parameters} parameters is {factor}"
                );
            } else {
                tracing::warn!(
                    "the Percival factor needs {} realisations at least, found {realisations}",
                    bins + 5
                );
            }
            errors["parameters"] = json!(parameters);
            errors["percival_factor"] = json!(percival);
        }
        record.set("errors", errors);
    }

    /// Reads, computes, prints and writes.
    pub(crate) fn run(self, session: &Session<'_>) -> Result<()> {
        let inputs: Vec<_> = self.results.iter().flat_map(Files::iter).collect();
        let mean = self.mean.as_deref().map(|path| ("--mean", path));
        let others: Vec<_> = mean.into_iter().collect();
        session.sink.check(&self.output, &others, &inputs)?;
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
        let number = realisations.number();
        if number <= bins && !self.singular {
            bail!(
                "{number} realisations of {bins} bins: their covariance has no inverse, which takes more of them than bins, and {} to be unbiased: --singular writes it for its errors alone",
                bins + 3
            );
        }
        let covariance = estimates.covariance()?;
        for (key, value) in realisations.common() {
            record.set(&key, value);
        }
        self.note_factors(realisations.number(), bins, &mut record);
        warn_of_degenerate(&covariance);
        record.set("realisations", realisations.described()?);
        if let Some(path) = &self.mean {
            session
                .sink
                .write(&estimates.mean(&covariance, &record)?, path)?;
        }
        let table = covariance_table(&covariance, &estimates.bins()?, estimates.name(), &record)?;
        session.sink.deliver(&table, &self.output)
    }
}
