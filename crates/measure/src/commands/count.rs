//! `albireo count`: raw pair counts.

use albireo::binning::BinAxis;
use albireo::tally::{Classes, End, Legendre};
use albireo::{CountSpec, Counts, Pairs};
use albireo_catalogs::{ResultKind, Table, TableColumn};
use albireo_samples::Source;
use anyhow::Result;
use clap::Args;
use serde_json::json;

use super::pairs::PairFlags;
use super::realised::{OverAll, each_result};
use crate::args::{BinFlags, LosFlags};
use crate::bins::{BinSpec, Statistic};
use crate::by_class::{ClassFlags, ClassPairs};
use crate::by_shell::{self, ShellFlags};
use crate::catalogs::Files;
use crate::checkpoint::CheckpointFlags;
use crate::counted::Counted;
use crate::counting::Counter;
use crate::cuts::CutFlags;
use crate::engine::Engines;
use crate::group;
use crate::inputs::line_of_sight;
use crate::kept::Wanted;
use crate::modes::ModeFlags;
use crate::named_count::{MeanSeparation, NamedCount};
use crate::packages::{Made, check_form, is_foreign};
use crate::pair_sums::{PairSumFlags, Summed, geometry};
use crate::pair_weights::{PairWeightFlags, upweighted};
use crate::realised::RealisationFlags;
use crate::record::Record;
use crate::session::Session;
use crate::shuffled::ShuffleFlags;
use crate::tables::{count_columns, edge_columns, mean_column};
use crate::usage::usage;
use crate::weight_sets::{CountSetFlags, check_files, of_result};

/// Arguments of `count`.
#[derive(Debug, Args)]
#[command(next_help_heading = group::BINS)]
pub(crate) struct Count {
    /// Catalogue: FITS, Parquet, HDF5, ECSV or delimited text; several by a quoted pattern
    data: Files,
    /// Second catalogue: count pairs between the two
    ///
    /// [default: none, or the first again where a --cross flag selects another part of it]
    second: Option<Files>,
    /// Second catalogue, as by its place: count pairs between the two
    #[arg(long, value_name = "FILE", conflicts_with = "second", help_heading = group::INPUT)]
    cross: Option<Files>,
    /// Coordinates of the bins
    #[arg(long, default_value = "r")]
    statistic: Statistic,
    #[command(flatten)]
    bins: BinFlags,
    /// Add the mean separation (r, s, rp or theta) of the pairs in each bin, each pair once or by its weight
    #[arg(long, value_name = "KIND", num_args = 0..=1, require_equals = true, default_missing_value = "pairs")]
    mean_separation: Option<MeanSeparation>,
    /// Add the sums of the Legendre polynomials of mu of these degrees over the pairs in each bin, e.g. 2,4
    ///
    /// Each pair counts by its weight where there are weights.
    #[arg(long, value_name = "L,..", value_delimiter = ',', value_parser = legendre)]
    legendre: Vec<Legendre>,
    #[command(flatten)]
    pairs: PairFlags,
    #[command(flatten)]
    los: LosFlags,
    #[command(flatten)]
    pair_weights: PairWeightFlags,
    #[command(flatten)]
    pair_sums: PairSumFlags,
    #[command(flatten)]
    modes: ModeFlags,
    #[command(flatten)]
    shuffled: ShuffleFlags,
    #[command(flatten)]
    cuts: CutFlags,
    #[command(flatten)]
    weight_sets: CountSetFlags,
    #[command(flatten)]
    realised: RealisationFlags,
    #[command(flatten)]
    shells: ShellFlags,
    #[command(flatten)]
    classes: ClassFlags,
    #[command(flatten)]
    kept: CheckpointFlags,
}

/// Which objects of a pair each sample has: both, where there is but one.
fn ends_of(cross: bool) -> [&'static [End]; 2] {
    if cross {
        [&[End::First], &[End::Second]]
    } else {
        [&[End::First, End::Second], &[]]
    }
}

/// The sources with the columns that sums take of them.
fn with_columns(sources: Vec<Source>, summed: Option<&Summed>) -> Vec<Source> {
    let Some(summed) = summed else { return sources };
    let ends = ends_of(sources.len() > 1);
    let sources = sources.into_iter().zip(ends);
    sources
        .map(|(source, ends)| summed.selected(source, ends))
        .collect()
}

/// A Legendre polynomial by its degree.
fn legendre(text: &str) -> Result<Legendre, String> {
    let degree = text.trim().parse().ok();
    let found = degree.filter(|&l| l > 0).and_then(Legendre::of_degree);
    found.ok_or_else(|| format!("expected a degree from 1 to 8, found `{text}`"))
}

/// The columns of a count: bins, sums, means and what follows from them.
fn columns(
    (count, counts): (&Counted, &Counts),
    (axes, length): (&[BinAxis], Option<&str>),
    summed: Option<&Summed>,
) -> Result<Vec<TableColumn>> {
    let mut columns = edge_columns(axes, length);
    columns.extend(count_columns(&count.sums, "", (axes, length)));
    columns.extend(mean_column(count, axes, length));
    if let Some(summed) = summed {
        columns.extend(summed.derived(counts, "")?);
    }
    Ok(columns)
}

/// The counts of all pairs of classes, which the record notes; none where a part is written.
fn by_species<'a>(
    asked: NamedCount<'a>,
    counter: &mut Counter<'a>,
    record: &mut Record,
) -> Result<Option<Counts>> {
    counter.decide(std::slice::from_ref(&asked))?;
    let counts = counter.count(&asked.by(Classes::Species))?;
    if counter.is_over() {
        return Ok(None);
    }
    counter.note(record);
    Ok(Some(counts))
}

/// The table of the counts of all pairs of classes; none where a part is written.
fn class_table<'a>(
    pairs: &ClassPairs,
    (asked, counter): (NamedCount<'a>, &mut Counter<'a>),
    bins: (&[BinAxis], Option<&str>),
    summed: Option<&Summed>,
    mut record: Record,
) -> Result<Option<Table>> {
    let Some(counts) = by_species(asked, counter, &mut record)? else {
        return Ok(None);
    };
    let whole = &counter.done[0];
    let table = |counts: &Counts| {
        let count = whole.of_class(counts);
        let mut record = record.clone();
        record.set("counts", json!({ (count.name): count.record }));
        let columns = columns((&count, counts), bins, summed)?;
        Ok(record.table(ResultKind::Counts, columns))
    };
    let tables = counts.by_class().iter().map(table).collect::<Result<_>>()?;
    Ok(Some(pairs.joined(tables)?))
}

impl Count {
    /// The catalogues, with their weights of all sets.
    fn sources(&self) -> Result<Vec<Source>> {
        let (data, second) = (
            self.data.clone(),
            self.second.clone().or_else(|| self.cross.clone()),
        );
        let group = self.cuts.group.as_deref();
        let sources = self.pairs.sources(data, second, group)?;
        self.weight_sets.check(sources.len() > 1)?;
        self.realised
            .check(&self.pairs.run.pieces, sources.len() > 1)?;
        let of = |source: Source| {
            let is_second = source.role == "second";
            let source = self.realised.of(self.weight_sets.of(source))?;
            Ok(self.classes.selected(source, is_second))
        };
        sources.into_iter().map(of).collect()
    }

    /// Refuses flags that have no meaning for the statistic.
    fn check(&self, spec: &BinSpec) -> Result<()> {
        self.cuts.check(spec.statistic)?;
        self.shells.check(spec.statistic)?;
        let has_meaning =
            self.cuts.needs_line_of_sight() || self.pair_sums.any() || self.modes.any();
        spec.check_line_of_sight(self.los.los, has_meaning)?;
        let has_sums = matches!(spec.statistic, Statistic::SMu | Statistic::RpPi);
        if !self.legendre.is_empty() && !has_sums {
            return Err(usage(
                "--legendre needs --statistic s-mu or rp-pi, which have a line of sight",
            ));
        }
        Ok(())
    }

    /// How the catalogues are read.
    fn wanted(&self, spec: &BinSpec) -> Result<Wanted> {
        Ok(Wanted {
            angular: spec.statistic == Statistic::Theta,
            outside: self.pairs.space.outside(),
            regions: None,
            classes: self.classes.cut()?,
            rsd: self.los.rsd()?,
        })
    }

    /// Counts, prints and writes.
    pub(crate) fn run(self, session: &mut Session<'_>) -> Result<()> {
        let (inputs, output) = (session.arguments.inputs(), &self.pairs.output);
        let sets = self.weight_sets.names();
        let files: Vec<_> = self.realised.written().into_iter().collect();
        session.sink.check_counts(output, &files, &inputs)?;
        check_files(
            (&sets, "set of weights"),
            (output, &session.sink),
            &[],
            &inputs,
        )?;
        let over = OverAll {
            flags: &self.realised,
            covariance: None,
        };
        over.check((output, session), &files, &inputs)?;
        let spec = BinSpec::new(self.statistic, &self.bins)?;
        if let Some(path) = output.file() {
            self.shells.check_file(path)?;
            self.classes.check_file(is_foreign(path))?;
            check_form(path, &spec, (None, false))?;
        }
        each_result((&sets, &over), output, session, |session, set, name| {
            Ok(self.result(&spec, (set, name), session)?.map(Made::from))
        })
    }

    /// The table of the counts by a set of weights; none where a part is written.
    fn result(
        &self,
        spec: &BinSpec,
        (set, name): (usize, Option<&str>),
        session: &mut Session<'_>,
    ) -> Result<Option<Table>> {
        let mut record = Record::begin(session.arguments);
        let sources = self.sources()?;
        let summed = self.pair_sums.read(&sources, session)?;
        let modes = self.modes.read(spec.statistic, &self.pairs.run.pieces)?;
        let shuffle = self.shuffled.begin(summed.as_ref())?;
        if shuffle.is_some() {
            self.pairs.run.pieces.refuse("--shuffle-marks")?;
        }
        let sources = with_columns(sources, summed.as_ref());
        self.check(spec)?;
        let upweights = self.pair_weights.begin(&sources, &session.kept.results)?;
        let engines = Engines::with_checkpoints(&self.pairs.run, &self.kept, session)?;
        let space = &self.pairs.space;
        let samples = session.read(&sources, space, self.wanted(spec)?, &mut record)?;
        let (samples, whole) = of_result(samples, &self.realised, (set, name), &mut record)?;
        let is_said = set == 0 && spec.has_line_of_sight();
        let los = line_of_sight(self.los.los, &samples, is_said);
        let bins = spec.bins(los, samples.unit())?;
        let weighting = self.pair_weights.weighting(&samples, &["data", "second"])?;
        upweights.check_data(samples.record().get("samples"));
        let cuts = self.cuts.cuts(los, samples.domain())?;
        let labelled = self.shells.labelled(&samples)?;
        let ends = ends_of(samples.find("second").is_some());
        let valued = |role: &str, ends: &[End]| match (&summed, &modes, samples.find(role)) {
            (Some(summed), _, Some(sample)) => Ok(Some(summed.valued(sample, ends)?)),
            (None, Some(modes), Some(sample)) => Ok(Some(modes.valued(sample, ends)?)),
            _ => anyhow::Ok(None),
        };
        let (first, second) = (valued("data", ends[0])?, valued("second", ends[1])?);
        let data = match &first {
            Some(first) => &first.particles,
            None => samples.get("data")?,
        };
        let other = second.as_ref().map(|second| &second.particles);
        let mut counter = Counter::new(engines, samples.domain())
            .sharing(session.kept.shared())
            .dropping(cuts);
        let pairs = match (&labelled, other.or(samples.find("second"))) {
            (Some((labelled, _)), _) => weighting.of("DD", ["data"; 2], Pairs::Auto(labelled))?,
            (None, None) => weighting.of("DD", ["data"; 2], Pairs::Auto(data))?,
            (None, Some(second)) => {
                let pairs = Pairs::Cross(data, second);
                weighting.of("D1D2", ["data", "second"], pairs)?
            }
        };
        let mut counts = [(pairs, false)];
        upweighted(&mut counts, &upweights)?;
        let [(pairs, _)] = counts;
        let mut asked = NamedCount::weighted(pairs, &bins).with_mean(self.mean_separation)?;
        let degrees = self.legendre.iter().copied().collect();
        let cuts = counter.cuts(asked.pairs).into_iter();
        let bare = cuts.fold(asked.what.clone(), CountSpec::with_cut);
        asked.what = asked.what.with_legendre(degrees);
        if let (Some(summed), Some(first)) = (&summed, &first) {
            let geometry = geometry(&bins, samples.domain(), (self.los.los, los));
            let program = summed.program(first, second.as_ref().unwrap_or(first), &geometry)?;
            asked.what = asked.what.with_program(program);
            Summed::check_order(&asked.what, second.is_none())?;
            record.set("pair_sums", summed.record(&asked.what));
        }
        let mut axes = bins.axes();
        samples.name_axes(&mut axes);
        record.set_bins(&bins, &axes);
        let length = samples.unit();
        if let (Some(modes), Some(first)) = (&modes, &first) {
            let geometry = geometry(&bins, samples.domain(), (self.los.los, los));
            let objects = [first, second.as_ref().unwrap_or(first)];
            let of = (&asked, &mut counter);
            let table = modes.table(of, objects, &geometry, (&axes, length), record)?;
            return Ok(Some(table));
        }
        if let Some((_, shells)) = &labelled {
            self.shells.check_order(bins.order())?;
            let counts = by_species(asked, &mut counter, &mut record)?;
            return Ok(counts.map(|all| by_shell::table(&all, shells, (&axes, length), record)));
        }
        if let Some(pairs) = ClassPairs::of(&samples, asked.what.order()) {
            let of = (asked, &mut counter);
            return class_table(&pairs, of, (&axes, length), summed.as_ref(), record);
        }
        let counts = match &whole {
            None => counter.decide_and_count(&asked)?,
            Some(whole) => counter.count_realised(asked, ["data", "second"], whole)?,
        };
        if counter.is_over() {
            return Ok(None);
        }
        counter.note(&mut record);
        let mut columns = columns(
            (&counter.done[0], &counts),
            (&axes, length),
            summed.as_ref(),
        )?;
        if let (Some(shuffle), Some(first)) = (&shuffle, &first) {
            record.set("shuffled_marks", shuffle.record());
            let engines = Engines::new(&self.pairs.run, session)?;
            let of = (&bare, samples.domain());
            columns.extend(shuffle.columns((&counts, first), of, &engines)?);
        }
        Ok(Some(record.table(ResultKind::Counts, columns)))
    }
}
