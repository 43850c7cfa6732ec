//! From catalogs to a correlation function: what `xi` and `wp` share.
//!
//! Entry: [`EstimateFlags::estimate`]. It decides which pairs are counted; formulas are the library's.

use std::path::PathBuf;

use albireo::binning::PairOrder;
use albireo::estimators::{
    AnalyticRr, DavisPeebles, Hamilton, LandySzalay, LandySzalayCross, Natural, RandomPairs,
    ShiftedRandoms,
};
use albireo::result::Correlation;
use albireo::{Binning, Outside, PairCounts, Pairs};
use anyhow::{Context, Result};
use clap::{Args, ValueEnum};

use super::saved_rr::{self, Expected};
use crate::args::{
    ColumnFlags, CrossFlags, DataFlags, LosFlags, RandomsFlags, RunFlags, SpaceFlags,
};
use crate::bins::{BinSpec, Statistic, with_bins};
use crate::counting::{Counted, Counter};
use crate::inputs::{Inputs, Wanted};
use crate::record::Record;
use crate::sample::Source;
use crate::space::{Unless, line_of_sight};
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
    inputs: &'a Inputs,
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

    fn sources(&self) -> Vec<Source> {
        let first = ColumnFlags::from(self.columns.clone());
        let randoms = ColumnFlags::from(self.randoms_columns.clone()).or(&first);
        let cross = ColumnFlags::from(self.cross_columns.clone()).or(&first);
        let files = [
            ("data", Some(&self.data), &first),
            ("randoms", self.randoms.as_ref(), &randoms),
            ("shifted randoms", self.shifted_randoms.as_ref(), &randoms),
            ("cross", self.cross.as_ref(), &cross),
            ("cross randoms", self.cross_randoms.as_ref(), &randoms),
        ];
        let source = |(role, path, flags): (&'static str, Option<&PathBuf>, &ColumnFlags)| {
            path.map(|path| Source {
                role,
                path: path.clone(),
                flags: flags.clone().resolved(),
            })
        };
        files.into_iter().filter_map(source).collect()
    }

    /// Reads, counts and estimates.
    pub(crate) fn estimate(self, spec: &BinSpec) -> Result<Estimated> {
        let estimator = self.estimator()?;
        self.check_catalogs(estimator)?;
        spec.check_line_of_sight(self.los.los)?;
        let mut record = Record::begin();
        let counted_rr = self.randoms.is_some() || self.cross_randoms.is_some();
        let wanted = Wanted {
            angular: spec.statistic == Statistic::Theta,
            unless: if counted_rr {
                Unless::Open
            } else {
                Unless::Stated
            },
            outside: if self.space.wrap {
                Outside::Wrap
            } else {
                Outside::Refuse
            },
        };
        let inputs = Inputs::read(&self.sources(), &self.space, wanted, &mut record)?;
        let los = line_of_sight(self.los.los, &inputs.domain);
        let bins = spec.with_line_of_sight(los)?;
        let mut counter = Counter::new(&self.run, &inputs.domain)?;
        let plan = Plan {
            inputs: &inputs,
            estimator,
            rr: self.rr,
            mean_separation: self.mean_separation,
        };
        let (xi, axes) = with_bins!(&bins, bins => (plan.run(bins, &mut counter)?, bins.axes()));
        record.set_bins(spec.statistic, &axes, los);
        record.set("estimator", xi.estimator);
        counter.note(&mut record);
        Ok(Estimated {
            xi,
            counts: counter.done,
            record,
            unit: inputs.unit,
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

    /// Random pairs: counted, or taken over from a file that holds this very count.
    fn random_pairs<B: Binning>(
        &self,
        name: &'static str,
        pairs: Pairs<'a>,
        bins: &B,
        counter: &mut Counter<'a>,
    ) -> Result<PairCounts<B>> {
        let Some(path) = &self.rr else {
            return counter.count(name, pairs, bins, false);
        };
        let expected = Expected {
            bins,
            job: counter.job(pairs)?,
            exactness: counter.exactness(),
        };
        let counts = saved_rr::read(path, &expected)?;
        counter.reuse(name, &counts, path);
        Ok(counts)
    }

    fn run<B: Binning>(&self, bins: &B, counter: &mut Counter<'a>) -> Result<Correlation> {
        let randoms = self.inputs.find("randoms").is_some();
        if self.inputs.find("shifted randoms").is_some() {
            return if randoms {
                let rr = self.random_pairs("RR", self.auto("randoms")?, bins, counter)?;
                self.shifted(bins, counter, &rr)
            } else {
                let rr = self.analytic(bins)?;
                self.shifted(bins, counter, &rr)
            };
        }
        if self.inputs.find("cross").is_some() {
            return self.between(bins, counter);
        }
        if !randoms {
            let rr = self.analytic(bins)?;
            let dd = counter.count("DD", self.auto("data")?, bins, self.mean_separation)?;
            return Ok(Natural { dd: &dd, rr: &rr }.estimate()?);
        }
        self.within(bins, counter)
    }

    /// RR of a periodic box.
    fn analytic<B: Binning>(&self, bins: &B) -> Result<AnalyticRr<B>> {
        AnalyticRr::new(bins, &self.inputs.domain).context(
            "without --randoms, RR comes from a periodic box (--box L, or an attribute such as BoxSize in the file)",
        )
    }

    /// The correlation of a catalog with itself, by counted randoms.
    fn within<B: Binning>(&self, bins: &B, counter: &mut Counter<'a>) -> Result<Correlation> {
        let dd = counter.count("DD", self.auto("data")?, bins, self.mean_separation)?;
        if self.estimator == EstimatorName::Natural {
            let rr = self.random_pairs("RR", self.auto("randoms")?, bins, counter)?;
            return Ok(Natural { dd: &dd, rr: &rr }.estimate()?);
        }
        let dr = counter.count("DR", self.cross("data", "randoms")?, bins, false)?;
        if self.estimator == EstimatorName::DavisPeebles {
            return Ok(DavisPeebles { dd: &dd, dr: &dr }.estimate()?);
        }
        if self.estimator == EstimatorName::LandySzalay && bins.order() == PairOrder::Ordered {
            // DD and RR hold both orders of each pair, so the randoms have to come first and second.
            let rd = counter.count("RD", self.cross("randoms", "data")?, bins, false)?;
            let rr = self.random_pairs("RR", self.auto("randoms")?, bins, counter)?;
            return Ok(LandySzalayCross {
                d1d2: &dd,
                d1r2: &dr,
                r1d2: &rd,
                r1r2: &rr,
            }
            .estimate()?);
        }
        let rr = self.random_pairs("RR", self.auto("randoms")?, bins, counter)?;
        Ok(match self.estimator {
            EstimatorName::Hamilton => Hamilton {
                dd: &dd,
                dr: &dr,
                rr: &rr,
            }
            .estimate()?,
            _ => LandySzalay {
                dd: &dd,
                dr: &dr,
                rr: &rr,
            }
            .estimate()?,
        })
    }

    /// The correlation of two catalogs.
    fn between<B: Binning>(&self, bins: &B, counter: &mut Counter<'a>) -> Result<Correlation> {
        let (randoms, cross_randoms) = (
            self.inputs.find("randoms"),
            self.inputs.find("cross randoms"),
        );
        if randoms.is_none() && cross_randoms.is_none() {
            let rr = self.analytic(bins)?;
            let dd = counter.count(
                "D1D2",
                self.cross("data", "cross")?,
                bins,
                self.mean_separation,
            )?;
            return Ok(Natural { dd: &dd, rr: &rr }.estimate()?);
        }
        let dd = counter.count(
            "D1D2",
            self.cross("data", "cross")?,
            bins,
            self.mean_separation,
        )?;
        if self.estimator == EstimatorName::DavisPeebles {
            let dr = counter.count("D1R2", self.cross("data", "cross randoms")?, bins, false)?;
            return Ok(DavisPeebles { dd: &dd, dr: &dr }.estimate()?);
        }
        let between_randoms = self.cross("randoms", "cross randoms")?;
        if self.estimator == EstimatorName::Natural {
            let rr = self.random_pairs("R1R2", between_randoms, bins, counter)?;
            return Ok(Natural { dd: &dd, rr: &rr }.estimate()?);
        }
        let d1r2 = counter.count("D1R2", self.cross("data", "cross randoms")?, bins, false)?;
        let r1d2 = counter.count("R1D2", self.cross("randoms", "cross")?, bins, false)?;
        let r1r2 = self.random_pairs("R1R2", between_randoms, bins, counter)?;
        Ok(LandySzalayCross {
            d1d2: &dd,
            d1r2: &d1r2,
            r1d2: &r1d2,
            r1r2: &r1r2,
        }
        .estimate()?)
    }

    /// The correlation of a reconstructed catalog.
    fn shifted<B: Binning, R: RandomPairs<B>>(
        &self,
        bins: &B,
        counter: &mut Counter<'a>,
        rr: &R,
    ) -> Result<Correlation> {
        let dd = counter.count("DD", self.auto("data")?, bins, self.mean_separation)?;
        let ds = counter.count("DS", self.cross("data", "shifted randoms")?, bins, false)?;
        let ss = counter.count("SS", self.auto("shifted randoms")?, bins, false)?;
        let sd = match bins.order() {
            PairOrder::Unordered => ds.clone(),
            PairOrder::Ordered => {
                counter.count("SD", self.cross("shifted randoms", "data")?, bins, false)?
            }
        };
        Ok(ShiftedRandoms {
            dd: &dd,
            ds: &ds,
            sd: &sd,
            ss: &ss,
            rr,
        }
        .estimate()?)
    }
}
