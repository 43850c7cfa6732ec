//! From catalogs to a correlation function: what `xi` and `wp` share.
//!
//! Entry: [`EstimateFlags::estimate`]. It decides which pairs are counted; formulas are the library's.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use albireo::binning::PairOrder;
use albireo::estimators::{
    AnalyticRr, DavisPeebles, Hamilton, LandySzalay, LandySzalayCross, Natural, RandomPairs,
    ShiftedRandoms,
};
use albireo::result::Correlation;
use albireo::{Binning, Outside, PairCounts, Pairs};
use albireo_samples::{Samples, Selection, Source};
use anyhow::{Context, Result};
use clap::{Args, ValueEnum};

use super::saved_rr::{self, Expected};
use crate::args::{CrossFlags, DataFlags, LosFlags, RandomsFlags, RunFlags, SpaceFlags};
use crate::bins::{BinSpec, Statistic, with_bins};
use crate::counting::{Counted, Counter, Planned};
use crate::engine::Engines;
use crate::inputs::{self, Wanted, line_of_sight};
use crate::record::Record;
use crate::usage::usage;

/// How counts become a correlation function.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum EstimatorName {
    /// (DD - 2 DR + RR) / RR.
    LandySzalay,
    /// DD/RR - 1.
    Natural,
    /// DD/DR - 1.
    DavisPeebles,
    /// DD RR / DR^2 - 1.
    Hamilton,
}

/// Catalogs, estimator and everything about them.
#[derive(Debug, Args)]
pub(crate) struct EstimateFlags {
    /// The catalog: FITS, Parquet, HDF5, ECSV or delimited text
    data: PathBuf,
    /// Random catalog of DATA [default: none, RR of a periodic box is known]
    #[arg(long, value_name = "FILE")]
    randoms: Option<PathBuf>,
    /// Second catalog: the cross-correlation of DATA with it
    #[arg(long, value_name = "FILE")]
    cross: Option<PathBuf>,
    /// Random catalog of the second catalog
    #[arg(long, value_name = "FILE", requires = "cross")]
    cross_randoms: Option<PathBuf>,
    /// Randoms shifted as the reconstructed DATA were: (DD - DS - SD + SS) / RR
    #[arg(long, value_name = "FILE", conflicts_with_all = ["cross", "estimator"])]
    shifted_randoms: Option<PathBuf>,
    /// Estimator [default: landy-szalay with randoms, natural in a periodic box]
    #[arg(long)]
    estimator: Option<EstimatorName>,
    /// Take RR from a result written earlier, after checking that it belongs to the same randoms, box and bins
    #[arg(long, value_name = "RESULT", requires = "randoms")]
    rr: Option<PathBuf>,
    /// Add the mean separation (r, s, rp or theta) of the data pairs in each bin
    #[arg(long)]
    mean_separation: bool,
    #[command(flatten)]
    columns: DataFlags,
    #[command(flatten)]
    randoms_columns: RandomsFlags,
    #[command(flatten)]
    cross_columns: CrossFlags,
    #[command(flatten)]
    space: SpaceFlags,
    #[command(flatten)]
    los: LosFlags,
    #[command(flatten)]
    run: RunFlags,
}

/// A correlation function with the counts it came from.
pub(crate) struct Estimated {
    pub(crate) xi: Correlation,
    pub(crate) counts: Vec<Counted>,
    pub(crate) record: Record,
    pub(crate) unit: Option<String>,
}

/// What has been read and decided, ready to be counted.
struct Plan<'a> {
    inputs: &'a Samples,
    estimator: EstimatorName,
    rr: Option<PathBuf>,
    mean_separation: bool,
}

impl EstimateFlags {
    fn estimator(&self) -> Result<EstimatorName> {
        let Some(wanted) = self.estimator else {
            let random = self.randoms.is_some() || self.cross_randoms.is_some();
            return Ok(if random {
                EstimatorName::LandySzalay
            } else {
                EstimatorName::Natural
            });
        };
        let name = wanted
            .to_possible_value()
            .map(|v| v.get_name().to_owned())
            .unwrap_or_default();
        let without = |flag: &str| Err(usage(format!("--estimator {name} needs {flag}")));
        let cross = self.cross.is_some();
        match wanted {
            EstimatorName::Natural => Ok(wanted),
            EstimatorName::Hamilton if cross => {
                Err(usage("--estimator hamilton is not defined with --cross"))
            }
            EstimatorName::DavisPeebles if cross => match self.cross_randoms {
                None => without("--cross-randoms"),
                Some(_) => Ok(wanted),
            },
            _ if self.randoms.is_none() => without("--randoms"),
            _ => Ok(wanted),
        }
    }

    /// Refuses catalogs that the estimator has no use for.
    fn check_catalogs(&self, estimator: EstimatorName) -> Result<()> {
        let (randoms, cross_randoms) = (self.randoms.is_some(), self.cross_randoms.is_some());
        if self.cross.is_some()
            && estimator != EstimatorName::DavisPeebles
            && randoms != cross_randoms
        {
            return Err(usage(
                "a cross-correlation needs randoms for both catalogs: --randoms and --cross-randoms",
            ));
        }
        if self.cross.is_some() && estimator == EstimatorName::DavisPeebles && randoms {
            return Err(usage(
                "--estimator davis-peebles with --cross uses --cross-randoms only: leave out --randoms",
            ));
        }
        let counts_rr = !matches!(estimator, EstimatorName::DavisPeebles);
        if self.rr.is_some() && !counts_rr {
            return Err(usage(
                "--rr has no use: --estimator davis-peebles counts no RR",
            ));
        }
        Ok(())
    }

    /// The files that are read.
    pub(super) fn files(&self) -> impl Iterator<Item = &Path> {
        let optional = [
            &self.randoms,
            &self.cross,
            &self.cross_randoms,
            &self.shifted_randoms,
            &self.rr,
        ];
        std::iter::once(self.data.as_path())
            .chain(optional.into_iter().filter_map(|file| file.as_deref()))
    }

    fn sources(&self) -> Result<Vec<Source>> {
        let first = Selection::from(self.columns.clone());
        let randoms = Selection::from(self.randoms_columns.clone());
        let cross = Selection::from(self.cross_columns.clone());
        let random = [&self.randoms, &self.cross_randoms, &self.shifted_randoms];
        if randoms.any() && random.iter().all(|path| path.is_none()) {
            return Err(usage(
                "the --randoms flags of columns and rows need randoms: --randoms FILE",
            ));
        }
        if cross.any() && self.cross.is_none() {
            return Err(usage(
                "the --cross flags of columns and rows need a second catalog: --cross FILE",
            ));
        }
        let (randoms, cross) = (randoms.or(&first), cross.or(&first));
        let files = [
            ("data", Some(&self.data), &first),
            ("randoms", self.randoms.as_ref(), &randoms),
            ("shifted randoms", self.shifted_randoms.as_ref(), &randoms),
            ("cross", self.cross.as_ref(), &cross),
            ("cross randoms", self.cross_randoms.as_ref(), &randoms),
        ];
        let source = |(role, path, flags): (&'static str, Option<&PathBuf>, &Selection)| {
            path.map(|path| Source {
                role: role.to_owned(),
                path: path.clone(),
                selection: flags.clone().resolved(),
            })
        };
        Ok(files.into_iter().filter_map(source).collect())
    }

    /// Reads, counts and estimates.
    pub(crate) fn estimate(self, spec: &BinSpec, arguments: &[OsString]) -> Result<Estimated> {
        let estimator = self.estimator()?;
        self.check_catalogs(estimator)?;
        spec.check_line_of_sight(self.los.los)?;
        let mut record = Record::begin(arguments);
        let sources = self.sources()?;
        let wanted = Wanted {
            angular: spec.statistic == Statistic::Theta,
            outside: if self.space.wrap {
                Outside::Wrap
            } else {
                Outside::Refuse
            },
        };
        let engines = Engines::new(&self.run)?;
        let inputs = inputs::read(&sources, &self.space, wanted, &mut record)?;
        let los = line_of_sight(self.los.los, &inputs);
        let bins = spec.with_line_of_sight(los)?;
        let mut counter = Counter::new(engines, inputs.domain());
        let plan = Plan {
            inputs: &inputs,
            estimator,
            rr: self.rr,
            mean_separation: self.mean_separation,
        };
        let (mut xi, mut axes) =
            with_bins!(&bins, bins => (plan.run(bins, &mut counter)?, bins.axes()));
        inputs.name_axes(&mut xi.axes);
        inputs.name_axes(&mut axes);
        record.set_bins(spec.statistic, &axes, los);
        record.set("estimator", xi.estimator);
        counter.note(&mut record);
        Ok(Estimated {
            xi,
            counts: counter.done,
            record,
            unit: inputs.unit().map(str::to_owned),
        })
    }
}

impl<'a> Plan<'a> {
    fn auto(&self, role: &str) -> Result<Pairs<'a>> {
        Ok(Pairs::Auto(self.inputs.get(role)?))
    }

    fn cross(&self, first: &str, second: &str) -> Result<Pairs<'a>> {
        Ok(Pairs::Cross(
            self.inputs.get(first)?,
            self.inputs.get(second)?,
        ))
    }

    /// The counts that the estimate needs, in the order in which results list them.
    fn planned(&self, order: PairOrder) -> Result<Vec<Planned<'a>>> {
        let has = |role: &str| self.inputs.find(role).is_some();
        let data = |name, pairs| Planned {
            separations: self.mean_separation,
            ..Planned::new(name, pairs)
        };
        let ordered = order == PairOrder::Ordered;
        if has("cross") {
            let mut planned = vec![data("D1D2", self.cross("data", "cross")?)];
            if has("cross randoms") && self.estimator != EstimatorName::Natural {
                let pairs = self.cross("data", "cross randoms")?;
                planned.push(Planned::new("D1R2", pairs));
            }
            if has("randoms") && self.estimator == EstimatorName::LandySzalay {
                planned.push(Planned::new("R1D2", self.cross("randoms", "cross")?));
            }
            if has("randoms") {
                let pairs = self.cross("randoms", "cross randoms")?;
                planned.push(Planned::new(R1R2, pairs));
            }
            return Ok(planned);
        }
        let dd = data("DD", self.auto("data")?);
        let mut planned = Vec::new();
        if has("shifted randoms") {
            if has("randoms") {
                planned.push(Planned::new(RR, self.auto("randoms")?));
            }
            planned.push(dd);
            let (ds, ss) = (
                self.cross("data", "shifted randoms")?,
                self.auto("shifted randoms")?,
            );
            planned.extend([Planned::new("DS", ds), Planned::new("SS", ss)]);
            if ordered {
                let sd = self.cross("shifted randoms", "data")?;
                planned.push(Planned::new("SD", sd));
            }
            return Ok(planned);
        }
        planned.push(dd);
        if !has("randoms") {
            return Ok(planned);
        }
        if self.estimator != EstimatorName::Natural {
            planned.push(Planned::new("DR", self.cross("data", "randoms")?));
        }
        if self.estimator == EstimatorName::LandySzalay && ordered {
            // DD and RR hold both orders of each pair, so the randoms have to come first and second.
            planned.push(Planned::new("RD", self.cross("randoms", "data")?));
        }
        if self.estimator != EstimatorName::DavisPeebles {
            planned.push(Planned::new(RR, self.auto("randoms")?));
        }
        Ok(planned)
    }

    /// Random pairs from a file that holds this very count, where one is named.
    fn saved<B: Binning>(
        &self,
        planned: &[Planned<'a>],
        bins: &B,
        counter: &Counter<'a>,
    ) -> Result<Option<PairCounts<B>>> {
        let random = planned.iter().find(|planned| is_random(planned.name));
        let (Some(path), Some(Planned { pairs, .. })) = (&self.rr, random) else {
            return Ok(None);
        };
        let expected = Expected {
            bins,
            job: counter.job(*pairs)?,
            exactness: counter.exactness(),
        };
        saved_rr::read(path, &expected).map(Some)
    }

    /// Makes all counts, but for random pairs that are at hand.
    fn counts<B: Binning>(&self, bins: &B, counter: &mut Counter<'a>) -> Result<Counts<B>> {
        let planned = self.planned(bins.order())?;
        let mut saved = self.saved(&planned, bins, counter)?;
        let mut open = planned.clone();
        open.retain(|planned| saved.is_none() || !is_random(planned.name));
        counter.decide(&open, bins)?;
        let mut counts = Vec::new();
        for planned in planned {
            let taken = saved.take_if(|_| is_random(planned.name));
            let count = match (taken, &self.rr) {
                (Some(count), Some(path)) => {
                    counter.reuse(planned.name, &count, path);
                    count
                }
                _ => counter.count(planned, bins)?,
            };
            counts.push((planned.name, count));
        }
        Ok(Counts(counts))
    }

    fn run<B: Binning>(&self, bins: &B, counter: &mut Counter<'a>) -> Result<Correlation> {
        let analytic = ["randoms", "cross randoms"]
            .iter()
            .all(|role| self.inputs.find(role).is_none());
        // Before any pair is counted: there may be none.
        let analytic = analytic.then(|| self.analytic(bins)).transpose()?;
        let counts = self.counts(bins, counter)?;
        let shifted = self.inputs.find("shifted randoms").is_some();
        if let Some(rr) = &analytic {
            if shifted {
                return counts.shifted(rr);
            }
            let dd = counts.data()?;
            return Ok(Natural { dd, rr }.estimate()?);
        }
        if shifted {
            return counts.shifted(counts.get(RR)?);
        }
        match self.estimator {
            EstimatorName::Natural => counts.natural(),
            EstimatorName::LandySzalay => counts.landy_szalay(),
            EstimatorName::DavisPeebles => counts.davis_peebles(),
            EstimatorName::Hamilton => {
                let (dd, dr, rr) = (counts.get("DD")?, counts.get("DR")?, counts.get(RR)?);
                Ok(Hamilton { dd, dr, rr }.estimate()?)
            }
        }
    }

    /// RR of a periodic box.
    fn analytic<B: Binning>(&self, bins: &B) -> Result<AnalyticRr<B>> {
        AnalyticRr::new(bins, self.inputs.domain()).context(
            "without --randoms, RR comes from a periodic box (--box L, or an attribute such as BoxSize in the file)",
        )
    }
}

/// The names of the counts that `--rr` can take over.
const RR: &str = "RR";
const R1R2: &str = "R1R2";

fn is_random(name: &str) -> bool {
    [RR, R1R2].contains(&name)
}

/// Counts by name.
struct Counts<B>(Vec<(&'static str, PairCounts<B>)>);

impl<B: Binning> Counts<B> {
    fn find(&self, names: &[&str]) -> Option<&PairCounts<B>> {
        let mut counts = self.0.iter();
        let found = counts.find(|(name, _)| names.contains(name));
        found.map(|(_, count)| count)
    }

    fn get(&self, name: &str) -> Result<&PairCounts<B>> {
        self.find(&[name])
            .with_context(|| format!("the pairs {name} were not counted"))
    }

    /// The pairs of the data, in themselves or with the other catalog.
    fn data(&self) -> Result<&PairCounts<B>> {
        self.find(&["D1D2"]).map_or_else(|| self.get("DD"), Ok)
    }

    fn natural(&self) -> Result<Correlation> {
        let rr = self.find(&[RR, R1R2]).context("no random pairs")?;
        let dd = self.data()?;
        Ok(Natural { dd, rr }.estimate()?)
    }

    fn davis_peebles(&self) -> Result<Correlation> {
        let dr = self.find(&["DR", "D1R2"]).context("no mixed pairs")?;
        let dd = self.data()?;
        Ok(DavisPeebles { dd, dr }.estimate()?)
    }

    /// The estimate by mixed pairs of either order, where they differ.
    fn landy_szalay(&self) -> Result<Correlation> {
        let names = match self.find(&["D1D2", "RD"]) {
            None => {
                let (dd, dr, rr) = (self.get("DD")?, self.get("DR")?, self.get(RR)?);
                return Ok(LandySzalay { dd, dr, rr }.estimate()?);
            }
            Some(_) if self.find(&["RD"]).is_some() => ["DD", "DR", "RD", RR],
            Some(_) => ["D1D2", "D1R2", "R1D2", R1R2],
        };
        let estimator = LandySzalayCross {
            d1d2: self.get(names[0])?,
            d1r2: self.get(names[1])?,
            r1d2: self.get(names[2])?,
            r1r2: self.get(names[3])?,
        };
        Ok(estimator.estimate()?)
    }

    /// The correlation of a reconstructed catalog.
    fn shifted<R: RandomPairs<B>>(&self, rr: &R) -> Result<Correlation> {
        let ds = self.get("DS")?;
        let estimator = ShiftedRandoms {
            dd: self.get("DD")?,
            ds,
            // Where the order does not matter, it was not counted again.
            sd: self.find(&["SD"]).unwrap_or(ds),
            ss: self.get("SS")?,
            rr,
        };
        Ok(estimator.estimate()?)
    }
}
