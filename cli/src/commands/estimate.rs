//! From catalogs to a correlation function: what `xi` and `wp` share.
//!
//! Entry: [`EstimateFlags::estimate`]. Which pairs are counted, and what becomes of them, is the library's: here are the flags.

use std::path::{Path, PathBuf};

use albireo::binning::PairOrder;
use albireo::estimators::{Estimation, Estimator, Role, Term};
use albireo::result::Correlation;
use albireo::{Binning, EstimatorError, Outside, PairCounts, Pairs, estimators::Covariance};
use albireo_catalogs::TableColumn;
use albireo_samples::{RegionSpec, Samples, Selection, Source};
use anyhow::Result;
use clap::Args;
use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};

use super::region_flags::RegionFlags;
use super::saved_rr::{self, Expected};
use crate::args::{CrossFlags, DataFlags, LosFlags, RandomsFlags, RunFlags, SpaceFlags};
use crate::bins::{BinSpec, Statistic, with_bins};
use crate::catalogs::Files;
use crate::counting::{Counted, Counter, Planned};
use crate::engine::Engines;
use crate::inputs::{Call, Wanted, line_of_sight};
use crate::output::write;
use crate::record::Record;
use crate::scatter::{Method, Scatter, covariance_table};
use crate::usage::usage;

/// What `--estimator` takes by name: those that no other flag asks for.
fn named_estimators() -> impl TypedValueParser<Value = Estimator> {
    let all = || {
        let shifts = |estimator: Estimator| {
            let terms = estimator.terms(PairOrder::Unordered);
            terms.iter().any(|t| t.roles().contains(&Role::Shifted))
        };
        let all = Estimator::ALL.iter().copied();
        all.filter(move |estimator| !estimator.is_cross() && !shifts(*estimator))
    };
    let values = all().map(|e| PossibleValue::new(e.name()).help(e.formula()));
    PossibleValuesParser::new(values).try_map(move |name| {
        let found = all().find(|estimator| estimator.name() == name);
        found.ok_or_else(|| format!("there is no estimator {name}"))
    })
}

/// The randoms that an estimator may need, by their flags.
const RANDOMS: [(Role, &str); 2] = [
    (Role::Randoms, "--randoms"),
    (Role::SecondRandoms, "--cross-randoms"),
];

/// Catalogs, estimator and everything about them.
#[derive(Debug, Args)]
pub(crate) struct EstimateFlags {
    /// The catalog: FITS, Parquet, HDF5, ECSV or delimited text; several files one after the other, or by a quoted pattern such as 'gal_*.fits'
    #[arg(required = true)]
    data: Vec<Files>,
    /// Random catalog of DATA; again for each further file [default: none, RR of a periodic box is known]
    #[arg(long, value_name = "FILE")]
    randoms: Vec<Files>,
    /// Second catalog: the cross-correlation of DATA with it
    #[arg(long, value_name = "FILE")]
    cross: Vec<Files>,
    /// Random catalog of the second catalog
    #[arg(long, value_name = "FILE", requires = "cross")]
    cross_randoms: Vec<Files>,
    /// Randoms shifted as the reconstructed DATA were: (DD - DS - SD + SS) / RR
    #[arg(long, value_name = "FILE", conflicts_with_all = ["cross", "estimator"])]
    shifted_randoms: Vec<Files>,
    /// Estimator [default: landy-szalay with randoms, natural in a periodic box]
    #[arg(long, value_parser = named_estimators())]
    estimator: Option<Estimator>,
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
    regions: RegionFlags,
    #[command(flatten)]
    run: RunFlags,
}

/// A correlation function with the counts it came from.
pub(crate) struct Estimated {
    pub(crate) xi: Correlation,
    pub(crate) counts: Vec<Counted>,
    pub(crate) record: Record,
    pub(crate) unit: Option<String>,
    /// What the errors come from, if not from the pairs themselves.
    pub(crate) scatter: Option<Scatter>,
    pub(super) covariance: Option<PathBuf>,
}

impl Estimated {
    /// The covariance of what `derived` makes of xi, if errors come from regions.
    pub(super) fn covariance(
        &self,
        derived: impl Fn(&Correlation) -> Result<Vec<f64>, EstimatorError>,
    ) -> Result<Option<Covariance>> {
        let scatter = self.scatter.as_ref();
        scatter
            .map(|scatter| scatter.covariance(&self.xi, derived))
            .transpose()
    }

    /// The errors of a covariance with what they are.
    pub(super) fn errors(&self, covariance: Option<&Covariance>) -> Option<(Vec<f64>, String)> {
        Some((covariance?.errors(), self.scatter.as_ref()?.described()))
    }

    /// Writes the covariance of `of` in the bins that `bins` tell, where a file is named for it.
    pub(super) fn write_covariance(
        &self,
        covariance: Option<&Covariance>,
        bins: &[TableColumn],
        of: &str,
    ) -> Result<()> {
        match (&self.covariance, covariance) {
            (Some(path), Some(covariance)) => {
                write(&covariance_table(covariance, bins, of, &self.record)?, path)
            }
            _ => Ok(()),
        }
    }
}

/// What has been read and decided, ready to be counted.
struct Plan<'a> {
    inputs: &'a Samples,
    estimator: Estimator,
    rr: Option<PathBuf>,
    mean_separation: bool,
    method: Option<Method>,
}

impl EstimateFlags {
    /// The estimator asked for, or the one that goes with the catalogs; refuses catalogs that it has no use for.
    fn estimator(&self) -> Result<Estimator> {
        let random = !self.randoms.is_empty() || !self.cross_randoms.is_empty();
        let of_one = match self.estimator {
            _ if !self.shifted_randoms.is_empty() => Estimator::ShiftedRandoms,
            Some(wanted) => wanted,
            None if random => Estimator::LandySzalay,
            None => Estimator::Natural,
        };
        let name = of_one.name();
        let estimator = if self.cross.is_empty() {
            Some(of_one)
        } else {
            of_one.of_two_samples()
        };
        let estimator = estimator
            .ok_or_else(|| usage(format!("--estimator {name} is not defined with --cross")))?;
        let terms = estimator.terms(PairOrder::Unordered);
        self.check_randoms(estimator, &terms)?;
        if self.rr.is_some() && !terms.iter().any(|term| term.is_random()) {
            return Err(usage(format!(
                "--rr has no use: --estimator {name} counts no RR"
            )));
        }
        Ok(estimator)
    }

    /// Refuses randoms that the estimator misses, or has no use for.
    fn check_randoms(&self, estimator: Estimator, terms: &[Term]) -> Result<()> {
        let name = estimator.name();
        let given = |role| match role {
            Role::SecondRandoms => !self.cross_randoms.is_empty(),
            _ => !self.randoms.is_empty(),
        };
        let takes = |role| terms.iter().any(|term| term.roles().contains(&role));
        let (taken, others): (Vec<_>, Vec<_>) =
            RANDOMS.into_iter().partition(|(role, _)| takes(*role));
        let asked_for = self.estimator.is_some() && !estimator.takes_known_randoms();
        match taken[..] {
            [(first, flag), ..] if asked_for && !given(first) => {
                return Err(usage(format!("--estimator {name} needs {flag}")));
            }
            [(first, _), (second, _)] if given(first) != given(second) => {
                return Err(usage(
                    "a cross-correlation needs randoms for both catalogs: --randoms and --cross-randoms",
                ));
            }
            _ => {}
        }
        match others.into_iter().find(|(role, _)| given(*role)) {
            None => Ok(()),
            Some((_, extra)) => {
                let taken: Vec<_> = taken.into_iter().map(|(_, flag)| flag).collect();
                Err(usage(format!(
                    "--estimator {name} with --cross uses {} only: leave out {extra}",
                    taken.join(" and ")
                )))
            }
        }
    }

    /// The files that are read.
    pub(super) fn files(&self) -> impl Iterator<Item = &Path> {
        let optional = [
            &self.randoms,
            &self.cross,
            &self.cross_randoms,
            &self.shifted_randoms,
        ];
        let all = std::iter::once(&self.data).chain(optional);
        let files = all.flatten().flat_map(Files::iter);
        files.chain(self.rr.as_deref())
    }

    /// The files that are written besides the result, by their flags.
    pub(super) fn written(&self) -> impl Iterator<Item = (&'static str, &Path)> {
        self.regions.written()
    }

    fn sources(&self) -> Result<Vec<Source>> {
        let first = Selection::from(self.columns.clone());
        let randoms = Selection::from(self.randoms_columns.clone());
        let cross = Selection::from(self.cross_columns.clone());
        let random = [&self.randoms, &self.cross_randoms, &self.shifted_randoms];
        if randoms.any() && random.iter().all(|files| files.is_empty()) {
            return Err(usage(
                "the --randoms flags of columns and rows need randoms: --randoms FILE",
            ));
        }
        if cross.any() && self.cross.is_empty() {
            return Err(usage(
                "the --cross flags of columns and rows need a second catalog: --cross FILE",
            ));
        }
        let (randoms, cross) = (randoms.or(&first), cross.or(&first));
        let files = [
            (Role::Data, &self.data, &first),
            (Role::Randoms, &self.randoms, &randoms),
            (Role::Shifted, &self.shifted_randoms, &randoms),
            (Role::SecondData, &self.cross, &cross),
            (Role::SecondRandoms, &self.cross_randoms, &randoms),
        ];
        let source = |(role, files, flags): (Role, &Vec<Files>, &Selection)| {
            let paths: Vec<PathBuf> = files
                .iter()
                .flat_map(Files::iter)
                .map(PathBuf::from)
                .collect();
            (!paths.is_empty()).then(|| Source {
                role: role.name().to_owned(),
                paths,
                selection: flags.clone().resolved(),
            })
        };
        Ok(files.into_iter().filter_map(source).collect())
    }

    /// Reads, counts and estimates.
    pub(crate) fn estimate(self, spec: &BinSpec, call: &mut Call<'_>) -> Result<Estimated> {
        let estimator = self.estimator()?;
        let (cut, method) = self.regions.asked()?.unzip();
        #[cfg(feature = "plot")]
        {
            let read = self.files().map(|path| ("", path));
            let files: Vec<_> = read.chain(self.written()).collect();
            self.regions.check_map(&files)?;
        }
        if method.is_some() && self.rr.is_some() {
            return Err(usage(
                "--rr holds no pairs by region: with regions, leave it out",
            ));
        }
        let cells = matches!(cut, None | Some(RegionSpec::Cells(_)));
        let known = estimator.takes_known_randoms();
        if !cells && known && self.randoms.is_empty() && self.cross_randoms.is_empty() {
            return Err(usage(
                "without --randoms, RR of a box less a region is known for its sub-cubes only: take --regions-cubes N",
            ));
        }
        spec.check_line_of_sight(self.los.los)?;
        let mut record = Record::begin(call.arguments);
        let sources = self.sources()?;
        let wanted = Wanted {
            angular: spec.statistic == Statistic::Theta,
            outside: if self.space.wrap {
                Outside::Wrap
            } else {
                Outside::Refuse
            },
            regions: cut,
        };
        let engines = Engines::new(&self.run)?;
        let inputs = call.kept.read(&sources, &self.space, wanted, &mut record)?;
        #[cfg(feature = "plot")]
        self.regions.draw_map(&inputs)?;
        let los = line_of_sight(self.los.los, &inputs);
        let bins = spec.with_line_of_sight(los)?;
        let mut counter = Counter::new(engines, inputs.domain()).sharing(call.kept.shared());
        let plan = Plan {
            inputs: &inputs,
            estimator,
            rr: self.rr,
            mean_separation: self.mean_separation,
            method,
        };
        let ((mut xi, scatter), mut axes) =
            with_bins!(&bins, bins => (plan.run(bins, &mut counter)?, bins.axes()));
        inputs.name_axes(&mut xi.axes);
        inputs.name_axes(&mut axes);
        record.set_bins(spec.statistic, &axes, los);
        record.set("estimator", xi.estimator);
        counter.note(&mut record);
        let unit = inputs.unit().map(str::to_owned);
        if let Some(scatter) = &scatter {
            scatter.note(&mut record);
            if let Some(path) = &self.regions.region_counts {
                let table = scatter.region_counts(&axes, unit.as_deref(), &record);
                write(&table, path)?;
            }
        }
        Ok(Estimated {
            scatter,
            covariance: self.regions.covariance,
            xi,
            counts: counter.done,
            record,
            unit,
        })
    }
}

impl<'a> Plan<'a> {
    fn planned(&self, term: Term, pairs: Pairs<'a>) -> Planned<'a> {
        Planned {
            separations: self.mean_separation && term.is_data(),
            ..Planned::new(term.name, pairs)
        }
    }

    /// Random pairs from a file that holds this very count, where one is named.
    fn saved<B: Binning>(
        &self,
        terms: &[(Term, Pairs<'a>)],
        bins: &B,
        counter: &Counter<'a>,
    ) -> Result<Option<PairCounts<B>>> {
        let random = terms.iter().find(|(term, _)| term.is_random());
        let (Some(path), Some((_, pairs))) = (&self.rr, random) else {
            return Ok(None);
        };
        let expected = Expected {
            bins,
            job: counter.job(*pairs)?,
            exactness: counter.exactness(),
        };
        saved_rr::read(path, &expected).map(Some)
    }

    /// Makes all counts, but for random pairs that are at hand, and the estimate.
    fn run<B: Binning + 'static>(
        &self,
        bins: &B,
        counter: &mut Counter<'a>,
    ) -> Result<(Correlation, Option<Scatter>)> {
        let (inputs, domain) = (self.inputs, self.inputs.domain());
        let sample = |role: Role| inputs.find(role.name());
        let estimation = Estimation::new(self.estimator, bins, domain, sample);
        let estimation = estimation.map_err(with_advice)?;
        let mut saved = self.saved(estimation.terms(), bins, counter)?;
        let open = estimation.terms().iter();
        let open = open.filter(|(term, _)| saved.is_none() || !term.is_random());
        let open: Vec<_> = open
            .map(|&(term, pairs)| self.planned(term, pairs))
            .collect();
        counter.decide(&open, bins)?;
        if let Some(method) = self.method {
            let terms = estimation.run_by_region(inputs.cells(), |term, pairs| {
                counter.count_by_region(self.planned(term, pairs), bins)
            })?;
            return Ok((terms.estimate()?, Some(Scatter::of(&terms, method)?)));
        }
        let xi = estimation.run(|term, pairs| {
            let taken = saved.take_if(|_| term.is_random());
            match (taken, &self.rr) {
                (Some(count), Some(path)) => {
                    counter.reuse(term.name, &count, path);
                    Ok(count)
                }
                _ => counter.count(self.planned(term, pairs), bins),
            }
        })?;
        Ok((xi, None))
    }
}

/// The error with what would help where RR is not known.
fn with_advice(error: EstimatorError) -> anyhow::Error {
    let unknown = matches!(error, EstimatorError::AnalyticRr(_));
    let error = anyhow::Error::from(error);
    if unknown {
        return error.context(
            "without --randoms, RR comes from a periodic box (--box L, or an attribute such as BoxSize in the file)",
        );
    }
    error
}
