//! From catalogs to a correlation function: what `xi` and `wp` share.
//!
//! Entry: [`EstimateFlags::estimate`]. Which pairs are counted, and what becomes of them, is the library's: here are the flags.

use std::path::{Path, PathBuf};

use albireo::binning::PairOrder;
use albireo::estimators::{
    AnyEstimator, Covariance, Estimation, Estimator, Multipoles, Role, Term, TermCount, TermCounts,
    legendre_degrees,
};
use albireo::result::Correlation;
use albireo::tally::{Cut, LegendreDegrees};
use albireo::{Binning, EstimatorError, Outside, PairCounts, Pairs};
use albireo_catalogs::TableColumn;
use albireo_samples::{RegionSpec, Samples, Selection, Source};
use anyhow::{Context, Result, bail};
use clap::Args;

use super::estimator::{EstimatorParser, check_formula, with_advice};
use super::pairs::grouped;
use super::region_flags::RegionFlags;
use super::saved_counts::{self, Expected, Saved};
use super::split::{SplitFlags, Subsets};
use crate::angular::Upweights;
use crate::args::{CrossFlags, DataFlags, LosFlags, RandomsFlags, RunFlags, SpaceFlags};
use crate::bins::{BinSpec, Statistic, with_bins};
use crate::catalogs::Files;
use crate::counting::{Counted, Counter, MeanSeparation, Planned};
use crate::cuts::CutFlags;
use crate::engine::Engines;
use crate::inputs::{Call, Wanted, line_of_sight};
use crate::output::write;
use crate::pair_weights::{PairWeightFlags, WeightedPairs, Weighting, upweighted};
use crate::record::Record;
use crate::scatter::{Method, Scatter, covariance_table};
use crate::usage::usage;

/// The randoms that an estimator may need, by their flags.
const RANDOMS: [(Role, &str); 2] = [
    (Role::Randoms, "--randoms"),
    (Role::SecondRandoms, "--cross-randoms"),
];

/// All roles that samples have.
const ROLES: [Role; 5] = [
    Role::Data,
    Role::Randoms,
    Role::Shifted,
    Role::SecondData,
    Role::SecondRandoms,
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
    #[arg(long, value_name = "FILE", conflicts_with = "cross")]
    shifted_randoms: Vec<Files>,
    /// Estimator by name, or a formula of the normalised counts DD, DR, RD, RR, DS, SD, SS, D1D2, D1R2, R1D2 and R1R2, numbers, + - * / ^ and
    /// parentheses, e.g. '(DD-2*DR+RR)/RR'; only what it names is counted [default: landy-szalay with randoms, natural in a periodic box]
    #[arg(long, value_name = "NAME|FORMULA", value_parser = EstimatorParser)]
    estimator: Option<AnyEstimator>,
    /// Take RR from a result written earlier, after checking that it belongs to the same randoms, box and bins
    #[arg(long, value_name = "RESULT", requires = "randoms")]
    rr: Option<PathBuf>,
    /// Take any counts, such as DR and DD, from results written earlier, after checking that they belong to the same particles, weights, box,
    /// bins, line of sight and cuts; again for each further result
    #[arg(long, value_name = "RESULT")]
    reuse: Vec<PathBuf>,
    #[command(flatten)]
    split: SplitFlags,
    /// Add the mean separation (r, s, rp or theta) of the data pairs in each bin, each pair once or by its weight
    #[arg(long, value_name = "KIND", num_args = 0..=1, require_equals = true, default_missing_value = "pairs")]
    mean_separation: Option<MeanSeparation>,
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
    cuts: CutFlags,
    #[command(flatten)]
    regions: RegionFlags,
    #[command(flatten)]
    pair_weights: PairWeightFlags,
    #[command(flatten)]
    run: RunFlags,
}

/// A correlation function with the counts it came from.
pub(crate) struct Estimated {
    pub(crate) xi: Correlation,
    pub(crate) counts: Vec<Counted>,
    pub(crate) record: Record,
    pub(crate) unit: Option<String>,
    /// Multipoles, where they are made of Legendre sums; realisations are then theirs.
    pub(super) poles: Option<Multipoles>,
    /// What the errors come from, if not from the pairs themselves.
    pub(crate) scatter: Option<Scatter>,
    pub(super) covariance: Option<PathBuf>,
}

impl Estimated {
    /// The covariance of what `derived` makes of xi, if errors come from regions and realisations are of xi.
    pub(super) fn covariance(
        &self,
        derived: impl Fn(&Correlation) -> Result<Vec<f64>, EstimatorError>,
    ) -> Result<Option<Covariance>> {
        let scatter = self.scatter.as_ref().filter(|_| self.poles.is_none());
        scatter
            .map(|scatter| scatter.covariance(&self.xi, derived))
            .transpose()
    }

    /// The covariance of multipoles from Legendre sums, one after the other, if errors come from regions.
    pub(super) fn covariance_of_poles(&self) -> Result<Option<Covariance>> {
        let scatter = self.scatter.as_ref();
        scatter.map(Scatter::covariance_of_values).transpose()
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
    weighting: &'a Weighting,
    upweights: &'a Upweights,
    estimator: AnyEstimator,
    rr: Option<PathBuf>,
    reuse: Vec<PathBuf>,
    mean_separation: Option<MeanSeparation>,
    method: Option<Method>,
    cuts: Vec<Cut>,
    subsets: Option<&'a Subsets>,
    /// The degrees of multipoles that are made of Legendre sums, and of these sums.
    orders: Option<&'a [u32]>,
    legendre: LegendreDegrees,
}

/// What the counts of an estimate become.
struct Made {
    xi: Correlation,
    /// From Legendre sums.
    poles: Option<Multipoles>,
    scatter: Option<Scatter>,
}

impl EstimateFlags {
    /// Whether there is a catalog of this role.
    fn given(&self, role: Role) -> bool {
        match role {
            Role::Data => true,
            Role::Randoms => !self.randoms.is_empty(),
            Role::Shifted => !self.shifted_randoms.is_empty(),
            Role::SecondData => !self.cross.is_empty(),
            Role::SecondRandoms => !self.cross_randoms.is_empty(),
        }
    }

    /// The estimator asked for, or the one that goes with the catalogs; refuses catalogs that it has no use for.
    fn estimator(&self) -> Result<AnyEstimator> {
        let estimator: AnyEstimator = match &self.estimator {
            Some(AnyEstimator::Formula(formula)) => {
                check_formula(formula, |role| self.given(role))?;
                formula.clone().into()
            }
            Some(AnyEstimator::Named(named)) => self.named_estimator(Some(*named))?.into(),
            _ => self.named_estimator(None)?.into(),
        };
        let terms = estimator.terms(PairOrder::Unordered);
        if self.rr.is_some() && !terms.iter().any(|term| term.is_random()) {
            return Err(usage(format!(
                "--rr has no use: --estimator {} counts no RR",
                estimator.name()
            )));
        }
        Ok(estimator)
    }

    fn named_estimator(&self, wanted: Option<Estimator>) -> Result<Estimator> {
        let random = self.given(Role::Randoms) || self.given(Role::SecondRandoms);
        let of_one = match wanted {
            Some(_) if self.given(Role::Shifted) => {
                return Err(usage(
                    "--shifted-randoms has an estimator of its own: leave out --estimator, or write a formula with DS, SD and SS",
                ));
            }
            Some(wanted) => wanted,
            None if self.given(Role::Shifted) => Estimator::ShiftedRandoms,
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
        Ok(estimator)
    }

    /// Refuses randoms that the estimator misses, or has no use for.
    fn check_randoms(&self, estimator: Estimator, terms: &[Term]) -> Result<()> {
        let name = estimator.name();
        let given = |role| self.given(role);
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
        let saved = self.rr.iter().chain(&self.reuse);
        let files = files.chain(saved.map(PathBuf::as_path));
        files.chain(self.pair_weights.files())
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
        // Randoms are never observed: what is common to all files does not hold for their bits.
        let randoms = Selection {
            bits: randoms.bits.clone(),
            ..randoms.or(&first)
        };
        let cross = cross.or(&first);
        let files = [
            (Role::Data, &self.data, &first),
            (Role::Randoms, &self.randoms, &randoms),
            (Role::Shifted, &self.shifted_randoms, &randoms),
            (Role::SecondData, &self.cross, &cross),
            (Role::SecondRandoms, &self.cross_randoms, &randoms),
        ];
        let group = self.cuts.group.as_deref();
        let source = |(role, files, flags): (Role, &Vec<Files>, &Selection)| {
            let paths: Vec<PathBuf> = files
                .iter()
                .flat_map(Files::iter)
                .map(PathBuf::from)
                .collect();
            (!paths.is_empty()).then(|| Source {
                role: role.name().to_owned(),
                paths,
                selection: match role {
                    Role::Data | Role::SecondData => grouped(flags.clone().resolved(), group),
                    _ => flags.clone().resolved(),
                },
            })
        };
        Ok(files.into_iter().filter_map(source).collect())
    }

    /// Whether two catalogs are correlated.
    pub(super) fn is_cross(&self) -> bool {
        !self.cross.is_empty()
    }

    /// Reads, counts and estimates.
    pub(crate) fn estimate(self, spec: &BinSpec, call: &mut Call<'_>) -> Result<Estimated> {
        self.estimate_with(spec, None, call)
    }

    /// Reads, counts and estimates, with the multipoles of these orders from Legendre sums.
    pub(super) fn estimate_with(
        self,
        spec: &BinSpec,
        orders: Option<&[u32]>,
        call: &mut Call<'_>,
    ) -> Result<Estimated> {
        let estimator = self.estimator()?;
        if orders.is_some() && !estimator.takes_legendre_sums() {
            return Err(usage(format!(
                "--poles-from legendre: --estimator {} is no sum of counts over one of them: take --poles-from mu",
                estimator.name()
            )));
        }
        let (cut, method) = self.regions.asked()?.unzip();
        if self.rr.is_some() && self.randoms_columns.has_bits() {
            return Err(usage(
                "--rr holds no pairs weighed by bits: with --randoms-bits, leave it out",
            ));
        }
        #[cfg(feature = "plot")]
        {
            let read = self.files().map(|path| ("", path));
            let files: Vec<_> = read.chain(self.written()).collect();
            self.regions.check_map(&files)?;
        }
        for (flag, given) in [
            ("--rr", self.rr.is_some()),
            ("--reuse", !self.reuse.is_empty()),
        ] {
            if method.is_some() && given {
                return Err(usage(format!(
                    "{flag} holds no pairs by region: with regions, leave it out"
                )));
            }
        }
        let random = self.given(Role::Randoms) || self.given(Role::SecondRandoms);
        let split = self.split.split(&estimator, random)?;
        if split.is_some() && self.randoms_columns.has_bits() {
            return Err(usage(
                "--split-randoms counts no pairs weighed by bits: with --randoms-bits, leave it out",
            ));
        }
        if self.split.keeps_near() && self.regions.region_counts.is_some() {
            return Err(usage(
                "--region-counts has one total for each region and count, RR split above a separation has two: leave out one of them",
            ));
        }
        let cells = matches!(cut, None | Some(RegionSpec::Cells(_)));
        let known = estimator.takes_known_randoms();
        if !cells && known && self.randoms.is_empty() && self.cross_randoms.is_empty() {
            return Err(usage(
                "without --randoms, RR of a box less a region is known for its sub-cubes only: take --regions-cubes N",
            ));
        }
        self.cuts.check(spec.statistic)?;
        spec.check_line_of_sight(self.los.los, self.cuts.needs_line_of_sight())?;
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
        let upweights = self.pair_weights.begin(&sources)?;
        let engines = Engines::new(&self.run)?;
        let inputs = call.kept.read(&sources, &self.space, wanted, &mut record)?;
        #[cfg(feature = "plot")]
        self.regions.draw_map(&inputs)?;
        let los = line_of_sight(self.los.los, &inputs);
        let bins = spec.with_line_of_sight(los)?;
        let weighting = self
            .pair_weights
            .weighting(&inputs, &ROLES.map(Role::name))?;
        upweights.check_data(inputs.record().get("samples"));
        let cuts = self.cuts.cuts(los, inputs.domain())?;
        let legendre = orders
            .map(legendre_degrees)
            .transpose()?
            .unwrap_or_default();
        let subsets = split.map(|split| Subsets::of(split, &inputs, legendre));
        let subsets = subsets.transpose()?;
        let mut counter = Counter::new(engines, inputs.domain())
            .sharing(call.kept.shared())
            .dropping(cuts.clone());
        let plan = Plan {
            inputs: &inputs,
            weighting: &weighting,
            upweights: &upweights,
            estimator,
            rr: self.rr,
            reuse: self.reuse,
            mean_separation: self.mean_separation,
            method,
            cuts,
            orders,
            legendre,
            subsets: subsets.as_ref(),
        };
        let (made, mut axes) =
            with_bins!(&bins, bins => (plan.run(bins, &mut counter)?, bins.axes()));
        let Made {
            mut xi,
            poles,
            scatter,
        } = made;
        inputs.name_axes(&mut xi.axes);
        inputs.name_axes(&mut axes);
        record.set_bins(spec.statistic, &axes, los);
        record.set("estimator", xi.estimator.clone());
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
            poles,
            scatter,
            covariance: self.regions.covariance,
            xi,
            counts: counter.done,
            record,
            unit,
        })
    }
}

/// A count that is at hand, and the file that holds it.
type SavedCount<'f, B> = (Term, PairCounts<B>, &'f Path);

impl<'a> Plan<'a> {
    /// The counts of `terms`, with the weights that bits and angles give their pairs.
    fn planned(
        &self,
        terms: &[(Term, Pairs<'a>)],
        legendre: LegendreDegrees,
    ) -> Result<Vec<Planned<'a>>> {
        let weighted = terms.iter().map(|(term, pairs)| {
            let roles = term.roles().map(Role::name);
            let pairs = self.weighting.of(term.name, roles, *pairs)?;
            Ok((pairs, term.is_random()))
        });
        let mut weighted = weighted.collect::<Result<Vec<_>>>()?;
        upweighted(&mut weighted, self.upweights)?;
        let planned = |((pairs, _), (term, _)): ((WeightedPairs<'a>, bool), &(Term, _))| Planned {
            mean: self.mean_separation.filter(|_| term.is_data()),
            legendre,
            ..Planned::weighted(pairs)
        };
        Ok(weighted.into_iter().zip(terms).map(planned).collect())
    }

    /// The subsets that the pairs of a term are counted within, if they are.
    fn subsets_of(&self, term: Term) -> Option<&'a Subsets> {
        self.subsets.filter(|_| term.is_random())
    }

    /// The counts that are at hand in files, with these: random pairs by `--rr`, any by `--reuse`.
    fn saved<B: Binning>(
        &self,
        terms: &[(Term, Pairs<'a>)],
        planned: &[Planned<'a>],
        bins: &B,
        counter: &Counter<'a>,
    ) -> Result<Vec<SavedCount<'_, B>>> {
        let results: Result<Vec<_>> = self.reuse.iter().map(|path| Saved::read(path)).collect();
        let results = results?;
        let mut found: Vec<SavedCount<'_, B>> = Vec::new();
        for &(term, pairs) in terms {
            let expected = Expected {
                bins,
                job: counter.job(pairs)?,
                cuts: counter.cuts(pairs),
                exactness: counter.exactness(),
                legendre: self.legendre,
            };
            let weighed = planned
                .iter()
                .any(|p| p.name == term.name && p.pair_weight.is_some());
            if let Some(path) = self.rr.as_deref().filter(|_| term.is_random()) {
                found.push((term, saved_counts::read(path, &expected)?, path));
                continue;
            }
            // Neither separations nor subsets nor weights of pairs are in a saved count.
            let means = self.mean_separation.is_some() && term.is_data();
            if self.subsets_of(term).is_some() || means || weighed {
                continue;
            }
            for result in &results {
                if let Some(counts) = result.find(&expected)? {
                    found.push((term, counts, result.path()));
                    break;
                }
            }
        }
        let used = |path: &Path| found.iter().any(|(_, _, other)| *other == path);
        if let Some(idle) = results.iter().find(|result| !used(result.path())) {
            let names: Vec<&str> = terms.iter().map(|(term, _)| term.name).collect();
            bail!(
                "--reuse {} does not fit: none of its counts is of the particles, weights and box of {} here, or another result has them",
                idle.path().display(),
                names.join(", ")
            );
        }
        Ok(found)
    }

    /// What counts become.
    fn estimates<B: Binning>(
        &self,
        counts: &TermCounts<B>,
    ) -> Result<(Correlation, Option<Multipoles>), EstimatorError> {
        let poles = self
            .orders
            .map(|orders| self.estimator.multipoles(counts, orders));
        Ok((self.estimator.estimate(counts)?, poles.transpose()?))
    }

    /// Makes all counts, but for random pairs that are at hand, and the estimate.
    fn run<B: Binning + 'static>(&self, bins: &B, counter: &mut Counter<'a>) -> Result<Made> {
        let (inputs, domain) = (self.inputs, self.inputs.domain());
        let sample = |role: Role| inputs.find(role.name());
        let estimation = Estimation::new(self.estimator.clone(), bins, domain, sample);
        let estimation = estimation.and_then(|all| all.with_cuts(domain, &self.cuts));
        let legendre = self.legendre;
        let estimation = estimation.map_err(with_advice)?.with_legendre(legendre)?;
        let planned = self.planned(estimation.terms(), legendre)?;
        let mut saved = self.saved(estimation.terms(), &planned, bins, counter)?;
        let of = |term: Term| {
            let found = planned.iter().find(|planned| planned.name == term.name);
            found.with_context(|| format!("{}: this count was not planned", term.name))
        };
        let open = planned.iter().zip(estimation.terms());
        let open = open.filter(|(_, (term, _))| !saved.iter().any(|(held, ..)| held == term));
        let open = open.flat_map(|(planned, &(term, _))| match self.subsets_of(term) {
            Some(subsets) => subsets.planned().collect(),
            None => vec![planned.clone()],
        });
        let open: Vec<_> = open.collect();
        counter.decide(&open, bins)?;
        if let Some(method) = self.method {
            let mut near = None;
            let terms = estimation.run_by_region(inputs.cells(), |term, pairs| {
                let Some(subsets) = self.subsets_of(term) else {
                    return counter.count_by_region(of(term)?, bins);
                };
                let counts = subsets.count_by_region(pairs, bins, counter)?;
                near = counts.0;
                Ok(counts.1)
            })?;
            let terms = match near {
                None => terms,
                Some(near) => terms.with_near(near)?,
            };
            let (xi, poles) = self.estimates(&terms.counts())?;
            let scatter = Scatter::of(&terms, method, |counts| match self.orders {
                Some(orders) => Ok(self.estimator.multipoles(counts, orders)?.in_a_row()),
                None => Ok(self.estimator.estimate(counts)?.xi),
            })?;
            let scatter = Some(scatter);
            return Ok(Made { xi, poles, scatter });
        }
        let counts = estimation.counts(|term, pairs| -> Result<TermCount<B>> {
            if let Some(place) = saved.iter().position(|(held, ..)| *held == term) {
                let (_, counts, path) = saved.swap_remove(place);
                counter.reuse(term.name, &counts, path);
                return Ok(counts.into());
            }
            match self.subsets_of(term) {
                Some(subsets) => subsets.count(pairs, bins, counter),
                None => Ok(counter.count(of(term)?, bins)?.into()),
            }
        });
        let (xi, poles) = self.estimates(&counts?)?;
        let scatter = None;
        Ok(Made { xi, poles, scatter })
    }
}
