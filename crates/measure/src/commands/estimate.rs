//! From catalogues to a correlation function: what `xi` and `wp` share.
//!
//! Entry: [`EstimateFlags::estimate`]. Which pairs are counted, and what becomes of them, is the library's: here are the flags.

mod chosen;

use std::path::{Path, PathBuf};

use albireo::estimators::{AnyEstimator, Role, legendre_degrees};
use albireo_samples::{RegionSpec, Selection, Source};
use anyhow::Result;
use clap::Args;

use super::class_estimates::{Estimates, check_classes, each_estimated};
use super::estimator::EstimatorParser;
use super::named_formulas::AskedEstimator;
use super::pairs::grouped;
use super::plan::Plan;
use super::realised::OverAll;
use super::region_flags::RegionFlags;
use super::split::{AskedSplit, SplitFlags, Subsets};
use crate::args::{
    CrossFlags, DataFlags, LosFlags, OutputFlags, RandomsFlags, RunFlags, SpaceFlags,
};
use crate::bins::{BinSpec, Statistic};
use crate::by_class::{ClassFlags, ClassPairs};
use crate::catalogs::Files;
use crate::checkpoint::CheckpointFlags;
use crate::counting::Counter;
use crate::cuts::CutFlags;
use crate::engine::Engines;
use crate::group;
use crate::inputs::{line_of_sight, say};
use crate::kept::Wanted;
use crate::named_count::MeanSeparation;
use crate::packages::{check_form, is_foreign};
use crate::pair_sums::{PairSumFlags, SummedRoles, geometry};
use crate::pair_weights::PairWeightFlags;
use crate::paths::ReadFile;
use crate::realised::EstimateRealisationFlags;
use crate::record::Record;
use crate::scatter::Method;
use crate::session::Session;
use crate::usage::usage;
use crate::weight_sets::{WeightSetFlags, check_files, of_result, path_of};

/// Catalogues, estimator and everything about them.
#[derive(Debug, Args)]
#[command(next_help_heading = group::INPUT)]
pub(crate) struct EstimateFlags {
    /// Catalogue: FITS, Parquet, HDF5, ECSV or delimited text; several, or a quoted pattern
    #[arg(required = true)]
    data: Vec<Files>,
    /// Random catalogue of DATA; again for each further file
    ///
    /// [default: none, RR of a periodic box is known]
    #[arg(long, value_name = "FILE")]
    randoms: Vec<Files>,
    /// Second sample: cross-correlation of DATA with it
    #[arg(long, value_name = "FILE")]
    cross: Vec<Files>,
    /// Random catalogue of the second sample
    #[arg(long, value_name = "FILE", requires = "cross")]
    cross_randoms: Vec<Files>,
    /// Randoms shifted as the reconstructed DATA were: (DD - DS - SD + SS) / RR
    #[arg(long, value_name = "FILE")]
    shifted_randoms: Vec<Files>,
    /// Randoms of the second sample shifted as it was: (D1D2 - D1S2 - S1D2 + S1S2) / R1R2
    #[arg(long, value_name = "FILE", requires = "cross")]
    cross_shifted_randoms: Vec<Files>,
    /// Estimator: a name or a formula
    ///
    /// [default: landy-szalay with randoms, natural in a periodic box] A formula has the normalised counts DD, DR, RD, RR, DS, SD, SS, D1D2,
    /// D1R2, R1D2, R1R2, D1S2, S1D2 and S1S2, numbers, + - * / ^ and parentheses, e.g. '(DD-2*DR+RR)/RR'; only what it names is counted.
    /// NAME=FORMULA, again for each further one, makes a column each, of bins in r or theta, of multipoles, wedges and wp.
    #[arg(long, value_name = "NAME|FORMULA", value_parser = EstimatorParser, help_heading = group::ERRORS)]
    estimator: Vec<AskedEstimator>,
    /// Use RR of an earlier result, after checking that it has the same randoms, box and bins
    ///
    /// A file of lsstypes has weights alone: its bins and total are checked, and there are no Poisson errors.
    #[arg(long, value_name = "RESULT", requires = "randoms", help_heading = group::ERRORS)]
    rr: Option<ReadFile>,
    /// Use counts of an earlier result, such as DR and DD; again for each further result
    ///
    /// The particles, weights, box, bins, line of sight and cuts must be the same.
    #[arg(long, value_name = "RESULT", help_heading = group::ERRORS)]
    reuse: Vec<ReadFile>,
    #[command(flatten)]
    split: SplitFlags,
    /// Add the mean separation (r, s, rp or theta) of the data pairs in each bin
    ///
    /// Each pair once or by its weight. Mean angles of DR and RD are added too, for --angular.
    #[arg(long, value_name = "KIND", num_args = 0..=1, require_equals = true, default_missing_value = "pairs", help_heading = group::ERRORS)]
    mean_separation: Option<MeanSeparation>,
    #[command(flatten)]
    columns: DataFlags,
    #[command(flatten)]
    randoms_columns: RandomsFlags,
    #[command(flatten)]
    cross_columns: CrossFlags,
    #[command(flatten)]
    pub(super) weight_sets: WeightSetFlags,
    #[command(flatten)]
    realised: EstimateRealisationFlags,
    #[command(flatten)]
    space: SpaceFlags,
    #[command(flatten)]
    los: LosFlags,
    #[command(flatten)]
    cuts: CutFlags,
    #[command(flatten)]
    pub(super) regions: RegionFlags,
    #[command(flatten)]
    pair_sums: PairSumFlags,
    #[command(flatten)]
    classes: ClassFlags,
    /// Classes of the randoms; `none`: all of them with every class [default: those of --classes, where they have that column]
    #[arg(long, value_name = "COLUMN", requires = "classes", help_heading = group::CLASSES)]
    randoms_classes: Option<String>,
    #[command(flatten)]
    pair_weights: PairWeightFlags,
    #[command(flatten)]
    run: RunFlags,
    #[command(flatten)]
    kept: CheckpointFlags,
}

/// What the flags ask for besides an estimator.
struct Asked {
    cut: Option<RegionSpec>,
    method: Option<Method>,
    split: Option<AskedSplit>,
}

impl EstimateFlags {
    /// The catalogue of this role.
    fn files(&self, role: Role) -> &[Files] {
        match role {
            Role::Data => &self.data,
            Role::Randoms => &self.randoms,
            Role::Shifted => &self.shifted_randoms,
            Role::SecondData => &self.cross,
            Role::SecondRandoms => &self.cross_randoms,
            Role::SecondShifted => &self.cross_shifted_randoms,
        }
    }

    /// Whether there is a catalogue of this role.
    fn given(&self, role: Role) -> bool {
        !self.files(role).is_empty()
    }

    fn sources(&self) -> Result<Vec<Source>> {
        let realised = &self.realised;
        let first = realised.all.of_first(self.columns.clone().into())?;
        let randoms = realised.of_randoms(self.randoms_columns.clone().into())?;
        let cross = realised.all.of_second(self.cross_columns.clone().into())?;
        let is_random = |role: &Role| !matches!(role, Role::Data | Role::SecondData);
        let mut random = Role::ALL.into_iter().filter(is_random);
        let of_randoms = randoms.any() || self.randoms_classes.is_some();
        if of_randoms && !random.any(|role| self.given(role)) {
            return Err(usage(
                "the --randoms flags of columns and rows need randoms: --randoms FILE",
            ));
        }
        if cross.any() && self.cross.is_empty() {
            return Err(usage(
                "the --cross flags of columns and rows need a second catalogue: --cross FILE",
            ));
        }
        // Randoms are never observed: what is common to all files does not hold for their bits.
        let randoms = Selection {
            bits: randoms.bits.clone(),
            ..randoms.or(&first)
        };
        let cross = cross.or(&first);
        let samples = [
            (Role::Data, &first),
            (Role::Randoms, &randoms),
            (Role::Shifted, &randoms),
            (Role::SecondData, &cross),
            (Role::SecondRandoms, &randoms),
            (Role::SecondShifted, &randoms),
        ];
        let group = self.cuts.group.as_deref();
        let source = |(role, flags): (Role, &Selection)| {
            let files = self.files(role).iter();
            let paths: Vec<PathBuf> = files.flat_map(Files::iter).map(PathBuf::from).collect();
            let selection = match role {
                Role::Data | Role::SecondData => grouped(flags.clone().resolved(), group),
                _ => flags.clone().resolved(),
            };
            let mut sets = self.weight_sets.of(role).into_iter();
            let weight = sets.next().unwrap_or_else(|| selection.weight.clone());
            let source = (!paths.is_empty()).then(|| Source {
                role: role.name().to_owned(),
                paths,
                selection: Selection {
                    weight,
                    further_weights: sets.collect(),
                    ..selection
                },
            });
            let second = role.name().starts_with("cross");
            let own = self.randoms_classes.as_deref();
            source.map(|source| match role {
                Role::Data | Role::SecondData => self.classes.selected(source, second),
                _ => self.classes.of_randoms(source, second, own),
            })
        };
        Ok(samples.into_iter().filter_map(source).collect())
    }

    /// Whether two catalogues are correlated.
    pub(super) fn is_cross(&self) -> bool {
        !self.cross.is_empty()
    }

    /// Refuses flags that do not go together; what they ask for.
    fn check(&self, estimator: &AnyEstimator, spec: &BinSpec) -> Result<Asked> {
        let (cut, method) = self.regions.asked(self.realised.all.given())?.unzip();
        if self.rr.is_some() && self.randoms_columns.has_bits() {
            return Err(usage(
                "--rr holds no pairs weighed by bits: with --randoms-bits, leave it out",
            ));
        }
        let files = |role| self.files(role).iter().flat_map(Files::iter).count();
        let split = self.split.split(estimator, files)?;
        if split.is_some() && self.randoms_columns.has_bits() {
            return Err(usage(
                "--split-randoms counts no pairs weighed by bits: with --randoms-bits, leave it out",
            ));
        }
        self.realised.check(&self.run.pieces, split.is_some())?;
        if spec.statistic == Statistic::Theta {
            self.regions
                .check_distances("there are no distances in --statistic theta")?;
        }
        let cells = matches!(cut, None | Some(RegionSpec::Cells(_)));
        let known = estimator.takes_known_randoms();
        if !cells && known && self.randoms.is_empty() && self.cross_randoms.is_empty() {
            return Err(usage(
                "without --randoms, RR of a box less a region is known for its sub-cubes only: take --regions-cubes N",
            ));
        }
        if self.classes.any() {
            let saved = self.rr.is_some() || !self.reuse.is_empty();
            let apart = cut.is_some() || split.is_some() || saved;
            check_classes(estimator, self.is_cross(), apart)?;
        }
        self.weight_sets.check()?;
        self.cuts.check(spec.statistic)?;
        let has_meaning = self.cuts.needs_line_of_sight() || self.pair_sums.any();
        spec.check_line_of_sight(self.los.los, has_meaning)?;
        Ok(Asked { cut, method, split })
    }

    /// Refuses outputs that cannot be written, or would replace an input or one another, those of every set of weights.
    pub(super) fn check_written<'a>(
        &'a self,
        output: &OutputFlags,
        others: Vec<(&'static str, &'a Path)>,
        session: &Session<'_>,
    ) -> Result<()> {
        let inputs = session.arguments.inputs();
        let others = others.into_iter().chain(self.regions.written());
        let others: Vec<_> = others.chain(self.realised.all.written()).collect();
        session.sink.check_counts(output, &others, &inputs)?;
        let sets = (&self.weight_sets.names()[..], "set of weights");
        check_files(sets, (output, &session.sink), &others, &inputs)?;
        (self.over_realisations()?).check((output, session), &others, &inputs)
    }

    /// What is made of the results of all realisations; the covariance is theirs where there are no regions.
    pub(super) fn over_realisations(&self) -> Result<OverAll<'_>> {
        let flags = &self.realised.all;
        let covariance = match self.regions.asked(flags.given())? {
            None => self.regions.covariance.as_deref(),
            Some(_) => None,
        };
        Ok(OverAll { flags, covariance })
    }

    /// Refuses files of other packages whose form the result will not have.
    pub(super) fn check_forms(&self, spec: &BinSpec, paths: &[&Path]) -> Result<()> {
        let is_foreign = paths.iter().any(|path| is_foreign(path));
        self.classes.check_file(is_foreign)?;
        if let Some(formulas) = self.formulas()? {
            formulas.check(&[(is_foreign, "the form of another package")])?;
        }
        let estimator = self.estimator()?;
        let random = self.given(Role::Randoms) || self.given(Role::SecondRandoms);
        let known = estimator.takes_known_randoms() && !random;
        let by_region = known && self.regions.asked(self.realised.all.given())?.is_some();
        let name = estimator.name();
        paths
            .iter()
            .try_for_each(|path| check_form(path, spec, (Some(name), by_region)))
    }

    /// How the catalogues are read.
    fn wanted(&self, statistic: Statistic, regions: Option<RegionSpec>) -> Result<Wanted> {
        Ok(Wanted {
            angular: statistic == Statistic::Theta,
            outside: self.space.outside(),
            regions,
            classes: self.classes.cut()?,
            rsd: self.los.rsd()?,
        })
    }

    /// Reads, counts and estimates by a set of weights, with the multipoles of these orders from Legendre sums; none where
    /// a part is written.
    pub(super) fn estimate(
        &self,
        spec: &BinSpec,
        orders: Option<&[u32]>,
        (set, name): (usize, Option<&str>),
        session: &mut Session<'_>,
    ) -> Result<Option<Estimates>> {
        let estimator = self.estimator()?;
        let known_randoms = estimator.takes_known_randoms();
        let random = self.given(Role::Randoms) || self.given(Role::SecondRandoms);
        if orders.is_some() && !estimator.takes_legendre_sums() {
            return Err(usage(format!(
                "--poles-from legendre: --estimator {} is no sum of counts over one of them: take --poles-from mu",
                estimator.name()
            )));
        }
        let Asked { cut, method, split } = self.check(&estimator, spec)?;
        #[cfg(feature = "plot")]
        self.regions
            .check_map(&session.arguments.inputs(), &session.sink)?;
        let mut record = Record::begin(session.arguments);
        let sources = self.sources()?;
        let summed = SummedRoles::of(&self.pair_sums, &estimator, (&sources, session))?;
        let sources = match &summed {
            Some(summed) => summed.selected(sources),
            None => sources,
        };
        let wanted = self.wanted(spec.statistic, cut)?;
        let upweights = self.pair_weights.begin(&sources, &session.kept.results)?;
        let engines = Engines::with_checkpoints(&self.run, &self.kept, session)?;
        let inputs = session.read(&sources, &self.space, wanted, &mut record)?;
        let is_said = set == 0 && session.is_first();
        if is_said {
            inputs
                .suspicions(known_randoms && !random)
                .iter()
                .for_each(say);
        }
        self.regions.look_at(&inputs, is_said)?;
        let (inputs, whole) = of_result(inputs, &self.realised.all, (set, name), &mut record)?;
        let los = line_of_sight(self.los.los, &inputs, is_said && spec.has_line_of_sight());
        let bins = spec.bins(los, inputs.unit())?;
        let weighting = self
            .pair_weights
            .weighting(&inputs, &Role::ALL.map(Role::name))?;
        upweights.check_data(inputs.record().get("samples"));
        let cuts = self.cuts.cuts(los, inputs.domain())?;
        let summed = summed.map(|summed| {
            record.set("pair_sums", summed.record());
            let geometry = geometry(&bins, inputs.domain(), (self.los.los, los));
            summed.with_samples(&inputs, geometry)
        });
        let summed = summed.transpose()?;
        let legendre = orders
            .map(legendre_degrees)
            .transpose()?
            .unwrap_or_default();
        let subsets = split.map(|split| Subsets::of(&split, &inputs, (legendre, method.is_some())));
        let subsets = subsets.transpose()?.unwrap_or_default();
        let mut counter = Counter::new(engines, inputs.domain())
            .sharing(session.kept.shared())
            .dropping(cuts.clone());
        let classes = ClassPairs::of(&inputs, bins.order());
        let plan = Plan {
            inputs: &inputs,
            whole: whole.as_ref(),
            weighting: &weighting,
            upweights: &upweights,
            estimator,
            formulas: self.formulas()?,
            rr: self.rr.clone(),
            reuse: self.reuse.clone(),
            results: session.kept.results.clone(),
            mean_separation: self.mean_separation,
            method,
            cuts,
            orders,
            legendre,
            subsets: &subsets,
            summed: summed.as_ref(),
            by_class: classes.is_some(),
        };
        let Some(made) = plan.each(&bins, classes.as_ref(), &mut counter)? else {
            return Ok(None);
        };
        let mut axes = bins.axes();
        let known = known_randoms && !random;
        counter.check_shares(known.then_some("RR"))?;
        inputs.name_axes(&mut axes);
        record.set_bins(&bins, &axes);
        counter.note(&mut record);
        if let [(made, _)] = &made[..]
            && let Some(scatter) = &made.scatter
        {
            // Files of regions are known to belong to the result by what they say of it.
            record.set("estimator", made.xi.estimator.clone());
            scatter.note(&mut record);
            let of = (&*inputs, &weighting);
            for (path, table) in self.regions.tables(of, (scatter, &axes), &record)? {
                session.sink.write(&table, &path_of(path, name))?;
            }
        }
        let covariance = self.regions.covariance.as_deref();
        let covariance = covariance.map(|path| path_of(path, name).into_owned());
        let of = (&*inputs, covariance, session.sink.clone());
        let made = (classes, made);
        Ok(Some(each_estimated(made, of, counter.done, &record)))
    }
}
