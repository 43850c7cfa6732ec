//! `albireo result combine`: parts of the sky as one, such as the galactic caps.

use std::path::{Path, PathBuf};

use albireo::error::EstimatorError;
use albireo::estimators::{CombinedRegions, Term, TermCounts, combined, projected_to};
use albireo::{Bins, Correlation, SignedEdges};
use albireo_catalogs::Table;
use anyhow::{Context, Result};
use clap::Args;
use serde_json::Value;

use super::parts::Saved;
use super::realisations::Realisations;
use crate::args::OutputFlags;
use crate::catalogs::Files;
use crate::commands::estimated::Estimated;
use crate::commands::over_mu::{OverMu, OverMuFlags};
use crate::commands::projections::Projection;
use crate::commands::region_flags::JackknifeName;
use crate::commands::wp::check_pi;
use crate::commands::xi;
use crate::counted::Counted;
use crate::paths::WrittenFile;
use crate::record::Record;
use crate::results::Results;
use crate::saved::bins_of;
use crate::scatter::{Method, Scatter};
use crate::session::Session;
use crate::usage::usage;

/// Arguments of `result combine`.
#[derive(Debug, Args)]
pub(crate) struct Combine {
    /// Results of xi with their counts (those that --counts wrote, of wp and multipoles), one for each part of the sky
    #[arg(required = true, value_name = "RESULT")]
    results: Vec<Files>,
    /// What --region-counts wrote beside each of them, in the same order: errors then come from the regions of all parts
    #[arg(long, value_name = "FILE", num_args = 1..)]
    by_region: Vec<Files>,
    /// Leave out one region at a time [default with --by-region: standard]
    #[arg(long, value_name = "KIND", num_args = 0..=1, require_equals = true, default_missing_value = "standard", requires = "by_region")]
    jackknife: Option<JackknifeName>,
    /// Draw as many regions with replacement, N times
    #[arg(
        long,
        value_name = "N",
        conflicts_with = "jackknife",
        requires = "by_region"
    )]
    bootstrap: Option<u32>,
    /// Seed of the bootstrap
    #[arg(long, value_name = "SEED", default_value_t = 1)]
    seed: u64,
    #[command(flatten)]
    over_mu: OverMuFlags,
    /// The projected correlation function of the combined xi(rp, pi)
    #[arg(long, conflicts_with_all = ["multipoles", "wedges", "wedge_edges"])]
    wp: bool,
    /// With --wp: sum over the bins up to this |pi| alone, an edge of them [default: all of them]
    #[arg(long, value_name = "PI", requires = "wp")]
    pi_max: Option<f64>,
    /// With --multipoles, wedges or --wp: also write the combined xi with its counts, by extension as --output
    #[arg(long, value_name = "FILE")]
    counts: Option<WrittenFile>,
    /// Write the covariance, a row for each two bins, by extension as --output
    #[arg(long, value_name = "FILE", requires = "by_region")]
    covariance: Option<WrittenFile>,
    #[command(flatten)]
    output: OutputFlags,
}

/// What is made of the combined counts.
#[derive(Debug)]
enum Derived {
    Xi,
    OverMu(OverMu),
    /// Up to this |pi|.
    Wp(Option<f64>),
}

impl Derived {
    /// What xi becomes; nothing else where it is wanted itself.
    fn of(&self, xi: &Correlation) -> Result<Option<Projection>, EstimatorError> {
        Ok(match self {
            Self::Xi => None,
            Self::OverMu(wanted) => Some(wanted.of(xi)?),
            Self::Wp(pi_max) => Some(projected_to(xi, *pi_max)?.into()),
        })
    }

    /// The values that covariances are of.
    fn values(&self, xi: &Correlation) -> Result<Vec<f64>, EstimatorError> {
        let projection = self.of(xi)?;
        Ok(projection.map_or_else(|| xi.xi.clone(), Projection::in_a_row))
    }
}

/// Combined counts, what is estimated of them, and the scatter where there are regions.
struct Sums {
    xi: Correlation,
    counts: Vec<Counted>,
    scatter: Option<Scatter>,
}

/// The counts as results write them.
fn counted(counts: &TermCounts, terms: &[Term]) -> Result<Vec<Counted>> {
    let one = |term: &Term| {
        let made = ("combined", Value::Bool(true));
        Ok(Counted::new(term.name, counts.get(*term)?, None, made))
    };
    terms.iter().map(one).collect()
}

impl Combine {
    /// What is made of results of a statistic with these edges of their last axis; refuses what it does not have.
    fn derived(&self, statistic: &str, last: &[f64]) -> Result<Derived> {
        let over_mu = self.over_mu.given().map(|flag| (flag, "s-mu"));
        match over_mu.or(self.wp.then_some(("--wp", "rp-pi"))) {
            Some((flag, wanted)) if wanted != statistic => {
                return Err(usage(format!(
                    "{flag} needs results of --statistic {wanted}, found {statistic}"
                )));
            }
            None if self.counts.is_some() => {
                return Err(usage(
                    "--counts goes with --multipoles or --wp, or with wedges: without them the counts are in the result",
                ));
            }
            _ => {}
        }
        if over_mu.is_some() {
            self.over_mu.check_orders()?;
            let wanted = self.over_mu.wanted(&SignedEdges::new(last.to_vec())?)?;
            return Ok(wanted.map_or(Derived::Xi, Derived::OverMu));
        }
        if self.wp {
            check_pi(last, self.pi_max)?;
            return Ok(Derived::Wp(self.pi_max));
        }
        Ok(Derived::Xi)
    }

    fn method(&self) -> Method {
        match (self.bootstrap, self.jackknife) {
            (Some(realisations), _) => Method::Bootstrap {
                realisations,
                seed: self.seed,
            },
            (None, kind) => Method::Jackknife(kind.map(Into::into).unwrap_or_default()),
        }
    }

    /// The counts by region, a table for each result.
    fn regions(&self, number: usize, results: &Results) -> Result<Vec<(PathBuf, Table)>> {
        let paths: Vec<&Path> = self.by_region.iter().flat_map(Files::iter).collect();
        if !paths.is_empty() && paths.len() != number {
            return Err(usage(format!(
                "--by-region: one file for each of the {number} results, found {}",
                paths.len()
            )));
        }
        let read = |path: &Path| {
            let table = results.read(path)?;
            table
                .check_whole()
                .with_context(|| path.display().to_string())?;
            Ok((path.to_owned(), table))
        };
        paths.into_iter().map(read).collect()
    }

    /// The counts of all parts put together, and the estimate.
    fn sums(&self, parts: &[Saved<'_>], regions: &[(PathBuf, Table)], bins: &Bins) -> Result<Sums> {
        let (estimator, terms) = parts[0].estimator(bins.order())?;
        if regions.is_empty() {
            let counts = parts.iter().map(|part| part.counts(&terms));
            let counts = counts.collect::<Result<Vec<_>>>()?;
            let sum = combined(&counts)?;
            return Ok(Sums {
                xi: estimator.estimate(&sum)?,
                counts: counted(&sum, &terms)?,
                scatter: None,
            });
        }
        let parts = parts.iter().zip(regions);
        let parts = parts
            .map(|(part, (path, table))| part.regions((estimator, &terms), bins, (path, table)));
        let both = CombinedRegions::new(parts.collect::<Result<_>>()?)?;
        Ok(Sums {
            xi: both.estimate()?,
            counts: counted(&both.counts()?, &terms)?,
            scatter: Some(Scatter::of_parts(&both, self.method())?),
        })
    }

    /// Reads, adds, estimates, prints and writes.
    pub(crate) fn run(self, session: &Session<'_>) -> Result<()> {
        let inputs = self.results.iter().chain(&self.by_region);
        let inputs: Vec<_> = inputs.flat_map(Files::iter).collect();
        let others = [
            ("--counts", &self.counts),
            ("--covariance", &self.covariance),
        ];
        let others: Vec<_> = others
            .into_iter()
            .filter_map(|(flag, path)| Some((flag, path.as_deref()?)))
            .collect();
        session.sink.check_counts(&self.output, &others, &inputs)?;
        let mut record = Record::begin(session.arguments);
        let realisations = Realisations::read(&self.results, session)?;
        let parts = realisations
            .iter()
            .map(|one| Saved::new(Path::new(&one.name), &one.table));
        let parts = parts.collect::<Result<Vec<_>>>()?;
        let first = &realisations.first().table;
        let statistic = first.meta.get("statistic").and_then(Value::as_str);
        let axes = first.edges()?;
        let last = axes.last().map_or(&[][..], |(_, edges)| edges);
        let derived = self.derived(statistic.unwrap_or("none"), last)?;
        let regions = self.regions(parts.len(), &session.kept.results)?;
        let bins = bins_of(first)?;
        let mut sums = self.sums(&parts, &regions, &bins)?;
        if first.edges()?.first().is_some_and(|(name, _)| name == "s")
            && let Some(axis) = sums.xi.axes.first_mut()
        {
            axis.name = "s";
        }
        if regions.is_empty() {
            tracing::info!(
                "Poisson errors: --by-region takes errors from the regions of all parts"
            );
        }
        for (key, value) in realisations.common() {
            record.set(&key, value);
        }
        let counts = sums.counts.iter();
        let counts = counts.map(|count| (count.name.to_owned(), count.record.clone()));
        record.set("counts", Value::Object(counts.collect()));
        record.set("parts", realisations.described()?);
        if let Some(scatter) = &sums.scatter {
            scatter.note(&mut record);
        }
        let unit = first.meta.get("unit").and_then(Value::as_str);
        let estimated = Estimated {
            poles: None,
            unit: unit.map(str::to_owned),
            covariance: self.covariance.clone().map(PathBuf::from),
            xi: sums.xi,
            counts: sums.counts,
            scatter: sums.scatter,
            record,
            sink: session.sink.clone(),
        };
        self.write(&derived, estimated)
    }

    /// Writes what is wanted of the estimate.
    fn write(&self, derived: &Derived, mut estimated: Estimated) -> Result<()> {
        let grid = xi::table(&estimated, matches!(derived, Derived::Xi))?;
        let Some(projection) = derived.of(&estimated.xi)? else {
            return estimated.sink.deliver(&grid, &self.output);
        };
        if let Some(path) = &self.counts {
            estimated.sink.write(&grid, path)?;
        }
        let origin = estimated.origin(Some(grid), self.output.file());
        let covariance = estimated.covariance(|xi| derived.values(xi))?;
        projection.note(&mut estimated.record);
        if let Derived::Wp(pi_max) = derived {
            estimated
                .record
                .set("pi_max", projected_to(&estimated.xi, *pi_max)?.pi_max);
        }
        let of = match derived {
            Derived::OverMu(wanted) => wanted.name(),
            _ => "wp",
        };
        let made = estimated.projected(projection, (covariance, of), origin)?;
        estimated.sink.deliver_made(&made, &self.output)
    }
}
