//! Runs counts, one after the other, and remembers them for the result.
//!
//! Entry: [`Counter`], given what is [`Planned`]. Who counts is chosen by `engine`; what is counted by the subcommands.

use std::rc::Rc;
use std::time::Instant;

use albireo::counts::{JobId, PairKind, RegionCounts, Sums, count_prepared, count_regions};
use albireo::engine::{AnyEngine, AnySorted, Exactness, Prepared, PreparedJob, Report};
use albireo::tally::LegendreDegrees;
use albireo::{
    Binning, Domain, Engine, EngineError, PairCounts, PairJob, PairTotal, Pairs, Particles,
};
use anyhow::{Context, Result, bail};
use clap::ValueEnum;
use serde_json::{Map, Value, json};

use crate::engine::Engines;
use crate::progress::{Bar, NothingToKeep, check_stop, with_prefix};
use crate::record::Record;
use crate::usage::usage;

/// A count to be made.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Planned<'a> {
    pub(crate) name: &'static str,
    pub(crate) pairs: Pairs<'a>,
    /// Which mean separation of each bin is asked for.
    pub(crate) mean: Option<MeanSeparation>,
    /// The degrees of which Legendre sums are asked for.
    pub(crate) legendre: LegendreDegrees,
}

/// Which pairs a mean separation is the mean of.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum MeanSeparation {
    /// Each pair once.
    Pairs,
    /// Each by its weight.
    Weighted,
}

impl<'a> Planned<'a> {
    /// A count of `pairs` alone.
    pub(crate) fn new(name: &'static str, pairs: Pairs<'a>) -> Self {
        Self {
            name,
            pairs,
            mean: None,
            legendre: LegendreDegrees::default(),
        }
    }

    fn sums(&self) -> Sums {
        Sums {
            separations: self.mean == Some(MeanSeparation::Pairs),
            weighted_separations: self.mean == Some(MeanSeparation::Weighted),
            legendre: self.legendre,
            ..Sums::for_pairs(self.pairs)
        }
    }

    /// Refuses weights of which nothing is left to normalise by.
    fn check_weight<B: Binning>(&self, bins: &B) -> Result<()> {
        if self.mean == Some(MeanSeparation::Weighted) && !self.sums().weights {
            return Err(usage(format!(
                "--mean-separation=weighted: the particles of {} have no weights: name a column, --weight COLUMN",
                self.name
            )));
        }
        let total = PairTotal::of(self.pairs, PairKind::of(self.pairs, bins));
        if !self.sums().weights || total.pairs == 0 {
            return Ok(());
        }
        if total.weight == 0.0 || !total.weight.is_finite() {
            bail!(
                "{}: the weights of all pairs add up to {}: there is nothing to normalise by",
                self.name,
                total.weight
            );
        }
        Ok(())
    }
}

/// Counts pairs in one domain.
pub(crate) struct Counter<'a> {
    engines: Engines,
    domain: &'a Domain,
    /// The engine of this command, once it is decided.
    engine: Option<AnyEngine>,
    /// The samples that the engine has prepared, each once for all counts.
    prepared: Vec<(&'a Particles, Rc<Prepared<AnySorted>>)>,
    /// What was counted, by name, in order.
    pub(crate) done: Vec<Counted>,
}

/// A finished count, as results write it.
#[derive(Debug, Clone)]
pub(crate) struct Counted {
    pub(crate) name: &'static str,
    pub(crate) npairs: Vec<u64>,
    pub(crate) weight: Option<Vec<f64>>,
    pub(crate) mean: Option<Vec<f64>>,
    pub(crate) weighted_mean: Option<Vec<f64>>,
    /// Legendre sums by their degree.
    pub(crate) legendre: Vec<(u32, Vec<f64>)>,
    /// What counted it; none for a count that was read from a file.
    engine: Option<String>,
    /// Kind, totals, fingerprint, engine, time.
    pub(crate) record: Value,
}

/// A fingerprint as results write it.
pub(crate) fn fingerprint(job: JobId) -> String {
    format!("{:016x}", job.0)
}

/// The record of a count's totals.
fn totals(kind: PairKind, total: PairTotal, job: Option<JobId>) -> Map<String, Value> {
    let mut record = Map::new();
    record.insert("kind".to_owned(), json!(kind.to_string()));
    record.insert("total_pairs".to_owned(), json!(total.pairs));
    record.insert("total_weight".to_owned(), json!(total.weight));
    record.insert("design_effect".to_owned(), json!(total.design_effect));
    if let Some(job) = job {
        record.insert("job".to_owned(), json!(fingerprint(job)));
    }
    record
}

impl Counted {
    fn new<B: Binning>(
        name: &'static str,
        counts: &PairCounts<B>,
        engine: Option<String>,
        made: (&str, Value),
    ) -> Self {
        let mut record = totals(counts.kind(), counts.total(), counts.job_id());
        record.insert("arithmetic".to_owned(), json!(counts.exactness().name()));
        if let Some(engine) = &engine {
            record.insert("engine".to_owned(), json!(engine));
        }
        record.insert(made.0.to_owned(), made.1);
        Self {
            name,
            npairs: counts.npairs().to_vec(),
            weight: counts.weight(),
            mean: counts.mean_separation(),
            weighted_mean: counts.weighted_mean_separation(),
            legendre: (counts.legendre_degrees().iter())
                .filter_map(|l| Some((l.degree(), counts.legendre_sums(l)?)))
                .collect(),
            engine,
            record: Value::Object(record),
        }
    }
}

impl<'a> Counter<'a> {
    /// A counter with one of `engines`.
    pub(crate) fn new(engines: Engines, domain: &'a Domain) -> Self {
        Self {
            engines,
            domain,
            engine: None,
            prepared: Vec::new(),
            done: Vec::new(),
        }
    }

    /// The job of counting `pairs`.
    pub(crate) fn job(&self, pairs: Pairs<'a>) -> Result<PairJob<'a>> {
        Ok(PairJob::new(pairs, self.domain)?)
    }

    /// Decides who counts all of `planned`, which is everything the command counts.
    pub(crate) fn decide<B: Binning>(&mut self, planned: &[Planned<'a>], bins: &B) -> Result<()> {
        let _deciding = NothingToKeep::begin();
        let mut jobs = Vec::new();
        for planned in planned {
            planned.check_weight(bins)?;
            jobs.push((self.job(planned.pairs)?, planned.sums()));
        }
        self.engine = Some(self.engines.for_jobs(&jobs, bins));
        self.prepared.clear();
        Ok(())
    }

    /// Decides who counts, and counts.
    pub(crate) fn decide_and_count<B: Binning>(
        &mut self,
        planned: Planned<'a>,
        bins: &B,
    ) -> Result<PairCounts<B>> {
        self.decide(&[planned], bins)?;
        self.count(planned, bins)
    }

    /// The engine decided on.
    fn engine(&self, name: &str) -> Result<&AnyEngine> {
        let engine = self.engine.as_ref();
        engine.with_context(|| format!("{name}: no engine has been decided on"))
    }

    /// A sample as the engine has prepared it, now if it has not been needed yet.
    fn prepared(
        &mut self,
        name: &str,
        sample: &'a Particles,
        bar: &Bar,
    ) -> Result<Rc<Prepared<AnySorted>>> {
        let same = |(known, _): &&(&Particles, _)| std::ptr::eq(*known, sample);
        if let Some((_, prepared)) = self.prepared.iter().find(same) {
            return Ok(Rc::clone(prepared));
        }
        let start = Instant::now();
        let prepared = self
            .engine(name)?
            .prepare(sample.clone(), self.domain, bar)?;
        let seconds = start.elapsed().as_secs_f64();
        tracing::debug!(
            "{name}: prepared {} particles in {seconds:.3} s, for all counts of them",
            sample.len()
        );
        let prepared = Rc::new(prepared);
        self.prepared.push((sample, Rc::clone(&prepared)));
        Ok(prepared)
    }

    /// Makes a count, by the engine decided on.
    pub(crate) fn count<B: Binning>(
        &mut self,
        planned: Planned<'a>,
        bins: &B,
    ) -> Result<PairCounts<B>> {
        let count = |engine: &AnyEngine, job: &PreparedJob<'_, AnySorted>, bar: &Bar| {
            count_prepared(engine, job, bins, planned.sums(), bar)
        };
        self.made(planned, count, |counts| counts)
    }

    /// Makes a count told apart by the regions of the samples, by the engine decided on.
    pub(crate) fn count_by_region<B: Binning>(
        &mut self,
        planned: Planned<'a>,
        bins: &B,
    ) -> Result<RegionCounts<B>> {
        let count = |engine: &AnyEngine, job: &PreparedJob<'_, AnySorted>, bar: &Bar| {
            count_regions(engine, job, bins, planned.sums(), bar)
        };
        self.made(planned, count, RegionCounts::whole)
    }

    /// Has `count` make a count, and notes its `whole`.
    fn made<B: Binning, C>(
        &mut self,
        planned: Planned<'a>,
        count: impl FnOnce(
            &AnyEngine,
            &PreparedJob<'_, AnySorted>,
            &Bar,
        ) -> Result<(C, Report), EngineError>,
        whole: impl Fn(&C) -> &PairCounts<B>,
    ) -> Result<C> {
        let Planned { name, pairs, .. } = planned;
        let _counting = NothingToKeep::begin();
        let start = Instant::now();
        let (first, second) = pairs.samples();
        let bar = Bar::new(name);
        let first = self.prepared(name, first, &bar)?;
        let second = second
            .map(|sample| self.prepared(name, sample, &bar))
            .transpose()?;
        let job = match &second {
            None => PreparedJob::auto(&first),
            Some(second) => PreparedJob::cross(&first, second)?,
        };
        let engine = self.engine(name)?;
        let made = count(engine, &job, &bar);
        bar.clear();
        let (made, report) = made?;
        let counts = whole(&made);
        for (stage, seconds) in &report.stages {
            tracing::debug!("{name}: {stage} {seconds:.3} s");
        }
        if !report.plan.is_empty() {
            tracing::debug!("{name}: {}", report.plan);
        }
        check_stop()?;
        let seconds = start.elapsed().as_secs_f64();
        let in_bins: u64 = counts.npairs().iter().sum();
        let rate = with_prefix(in_bins as f64 / seconds.max(1e-9));
        tracing::info!(
            "{name}: {in_bins} pairs in bins, {seconds:.3} s, {} pairs in bins per second",
            rate.trim_end()
        );
        let engine = engine.description();
        let took = ("seconds", json!(seconds));
        let counted = Counted::new(name, counts, Some(engine), took);
        self.done.push(counted);
        Ok(made)
    }

    /// Notes a count that was read back from a file.
    pub(crate) fn reuse<B: Binning>(
        &mut self,
        name: &'static str,
        counts: &PairCounts<B>,
        path: &std::path::Path,
    ) {
        self.done
            .push(Counted::new(name, counts, None, ("read_from", json!(path))));
    }

    /// What ran: each engine once, in the order of their first counts.
    fn engines(&self) -> String {
        let mut names: Vec<&str> = Vec::new();
        for engine in self.done.iter().filter_map(|count| count.engine.as_deref()) {
            if !names.contains(&engine) {
                names.push(engine);
            }
        }
        names.join("; ")
    }

    /// Whether the counts are exact.
    pub(crate) fn exactness(&self) -> Exactness {
        self.engines.exactness()
    }

    /// Writes down what ran, whether it was exact, and the record of each count by name.
    pub(crate) fn note(&self, record: &mut Record) {
        let counts = self.done.iter();
        let counts = counts.map(|count| (count.name.to_owned(), count.record.clone()));
        record.set("engine", self.engines());
        record.set("arithmetic", self.exactness().name());
        record.set("counts", Value::Object(counts.collect()));
    }
}
