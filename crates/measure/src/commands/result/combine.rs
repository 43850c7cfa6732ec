//! `albireo result combine`: parts of the sky as one, such as the galactic caps.

use std::path::{Path, PathBuf};

use albireo::binning::BinAxis;
use albireo::estimators::{CombinedRegions, PartWeight, combined};
use albireo::{Bins, Correlation};
use albireo_catalogs::{ResultKind, Table};
use anyhow::Result;
use clap::{Args, ValueEnum};
use serde_json::Value;

use super::covariances_of_parts::combined_covariances;
use super::parts::{Saved, counted};
use super::realisations::Realisations;
use super::remade::{FormsOfSaved, RegionErrors};
use crate::args::mirrors;
use crate::catalogs::Files;
use crate::commands::estimated::Estimated;
use crate::counted::Counted;
use crate::group;
use crate::record::Record;
use crate::saved::{bins_of, name_axes};
use crate::scatter::Scatter;
use crate::session::Session;
use crate::usage::usage;

/// What a part of the sky weighs by, by name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, ValueEnum)]
enum PartWeightName {
    /// The total of its random pairs, in numerator and denominator: by volume.
    #[default]
    Randoms,
    /// The total of its data pairs, as DESI's scripts, pycorr and lsstypes do.
    Data,
}

mirrors!(PartWeightName => PartWeight { Randoms, Data });

/// Arguments of `result combine`.
#[derive(Debug, Args)]
#[command(next_help_heading = group::ERRORS)]
pub(crate) struct Combine {
    /// Results of xi with their counts (those of --counts, for wp and multipoles; files of lsstypes), one for each part of the sky
    ///
    /// Or what `albireo covariance` made of them, in their bins.
    #[arg(required = true, value_name = "RESULT")]
    results: Vec<Files>,
    /// Treat region k of all parts as one region, as in pycorr [default: each region of each part is one]
    #[arg(long, requires = "by_region")]
    match_regions: bool,
    /// Weight of each part [default: randoms]
    #[arg(long, value_name = "PAIRS")]
    by: Option<PartWeightName>,
    #[command(flatten)]
    errors: RegionErrors,
    #[command(flatten)]
    forms: FormsOfSaved,
}

/// Combined counts, what is estimated of them, and the scatter where there are regions.
struct Sums {
    xi: Correlation,
    counts: Vec<Counted>,
    scatter: Option<Scatter>,
}

impl Combine {
    /// The counts of all parts put together, and the estimate.
    fn sums(&self, parts: &[Saved<'_>], regions: &[(PathBuf, Table)], bins: &Bins) -> Result<Sums> {
        let by = PartWeight::from(self.by.unwrap_or_default());
        if by == PartWeight::Randoms {
            parts.iter().try_for_each(|part| part.check_one_total())?;
        }
        let (estimator, terms) = parts[0].estimator(bins.order())?;
        if regions.is_empty() {
            let counts = parts.iter().map(|part| part.counts(&terms, bins));
            let counts = counts.collect::<Result<Vec<_>>>()?;
            let sum = combined(&counts, by)?;
            return Ok(Sums {
                xi: estimator.estimate(&sum)?,
                counts: counted(&sum, &terms, (parts, "combined"))?,
                scatter: None,
            });
        }
        let of_regions = parts.iter().zip(regions);
        let of_regions = of_regions
            .map(|(part, (path, table))| part.regions((estimator, &terms), bins, (path, table)));
        let mut both = CombinedRegions::new(of_regions.collect::<Result<_>>()?, by)?;
        if self.match_regions {
            both = both.matched()?;
        }
        Ok(Sums {
            xi: both.estimate()?,
            counts: counted(&both.counts()?, &terms, (parts, "combined"))?,
            scatter: Some(Scatter::of_parts(&both, self.errors.method())?),
        })
    }

    /// Reads, adds, estimates, prints and writes.
    pub(crate) fn run(self, session: &Session<'_>) -> Result<()> {
        let inputs = self.results.iter().chain(&self.errors.by_region);
        let inputs: Vec<_> = inputs.flat_map(Files::iter).collect();
        let output = self.forms.output();
        session
            .sink
            .check_counts(&output, &self.forms.others(), &inputs)?;
        let mut record = Record::begin(session.arguments);
        let realisations = Realisations::read_parts(&self.results, session)?;
        if realisations.kind() == ResultKind::Covariance {
            if self.match_regions || !self.errors.by_region.is_empty() {
                return Err(usage("--by-region is for results with counts"));
            }
            let form = |axes: &[BinAxis]| self.forms.one(axes);
            let by = self.by.unwrap_or_default().into();
            let table = combined_covariances(&realisations, by, form, record)?;
            return session.sink.deliver(&table, &output);
        }
        let parts = realisations
            .iter()
            .map(|one| Saved::new(Path::new(&one.name), &one.table));
        let parts = parts.collect::<Result<Vec<_>>>()?;
        let first = &realisations.first().table;
        let forms = self.forms.of(first, &realisations.first().axes()?)?;
        let regions = self.errors.tables(parts.len(), &session.kept.results)?;
        let bins = bins_of(first)?;
        let mut sums = self.sums(&parts, &regions, &bins)?;
        name_axes(&mut sums.xi.axes, first)?;
        let numbered = sums.counts.iter().all(|count| !count.sums.unnumbered);
        if regions.is_empty() && numbered {
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
        if self.by == Some(PartWeightName::Data) {
            record.set("parts_weigh_by", "data pairs");
        }
        if let Some(scatter) = &sums.scatter {
            scatter.note(&mut record);
        }
        let unit = first.meta.get("unit").and_then(Value::as_str);
        let estimated = Estimated {
            formulas: None,
            poles: None,
            unit: unit.map(str::to_owned),
            covariance: self.forms.covariance_of(None),
            xi: sums.xi,
            counts: sums.counts,
            scatter: sums.scatter,
            record,
            sink: session.sink.clone(),
        };
        let made = forms.write(&estimated.into(), &output, None)?;
        session.sink.deliver_made(&made, &output)
    }
}
