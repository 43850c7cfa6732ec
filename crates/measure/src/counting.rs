//! Runs counts, one after the other, and remembers them for the result.
//!
//! Entry: [`Counter`], given a [`NamedCount`]. `engine` chooses the engine, the subcommands what is counted.

mod realised;

use std::rc::Rc;
use std::time::Instant;

use albireo::counts::{JobId, count_prepared, count_regions, count_weight_sets};
use albireo::engine::{Exactness, Prepared, PreparedJob, Report};
use albireo::error::EngineError;
use albireo::estimators::Term;
use albireo::tally::{Classes, Cut};
use albireo::{CountSpec, Counts, Domain, Engine, PairJob, Pairs, Particles};
use anyhow::{Context, Result};
use serde_json::{Map, Value, json};

use crate::counted::{Counted, cuts_record, fingerprint};
use crate::engine::Engines;
use crate::named_count::NamedCount;
use crate::record::Record;
use crate::shared::{Key, Shared};
use crate::text::with_prefix;
use crate::usage::usage;
use crate::watch::{Bar, Loss};
use crate::worker::Worker;

/// Units counted of those that there are.
fn share_of([units, counted]: [usize; 2]) -> String {
    format!("{counted} of {units} units")
}

/// Counts pairs in one domain.
pub(crate) struct Counter<'a> {
    engines: Engines,
    domain: &'a Domain,
    /// The pairs that no count holds in its bins.
    cuts: Vec<Cut>,
    /// Whether bins may reach beyond half the box.
    beyond_half: bool,
    /// The engine of this command, once it is decided.
    engine: Option<Worker>,
    /// The samples that the engine has prepared, each once for all counts.
    prepared: Vec<(&'a Particles, Rc<Prepared>)>,
    /// What other measurements of the same job have made, and may use.
    shared: Option<Shared>,
    /// What was counted, by name, in order.
    pub(crate) done: Vec<Counted>,
    /// Whether a part or a plan is all that there is.
    over: bool,
}

/// Whether it is the count of a term with randoms: what estimates are made of, and say themselves where it has no pairs.
fn is_of_randoms(name: &str) -> bool {
    let mut terms = Term::ALL.iter();
    terms.any(|term| term.name == name && !term.is_data())
}

impl<'a> Counter<'a> {
    /// A counter with one of `engines`.
    pub(crate) fn new(engines: Engines, domain: &'a Domain) -> Self {
        Self {
            engines,
            domain,
            cuts: Vec::new(),
            beyond_half: false,
            engine: None,
            prepared: Vec::new(),
            shared: None,
            done: Vec::new(),
            over: false,
        }
    }

    /// The same counter with what the measurements of a job share.
    pub(crate) fn sharing(self, shared: Option<Shared>) -> Self {
        Self { shared, ..self }
    }

    /// The same without the pairs that `cuts` hold.
    pub(crate) fn dropping(self, cuts: Vec<Cut>) -> Self {
        Self { cuts, ..self }
    }

    /// The same in bins that may reach beyond half the box, where `beyond` says so.
    pub(crate) fn beyond_half(self, beyond_half: bool) -> Self {
        Self {
            beyond_half,
            ..self
        }
    }

    /// The cuts of a count of `pairs`: those by groups where both samples have them.
    pub(crate) fn cuts(&self, pairs: Pairs<'_>) -> Vec<Cut> {
        let (first, second) = pairs.both();
        let grouped = first.groups().is_some() && second.groups().is_some();
        let cuts = self.cuts.iter();
        let cuts = cuts.filter(|cut| grouped || **cut != Cut::SameGroup);
        cuts.cloned().collect()
    }

    /// What is counted, without the pairs that no count holds.
    fn what(&self, count: &NamedCount<'_>) -> CountSpec {
        let cuts = self.cuts(count.pairs).into_iter();
        let what = cuts.fold(count.what.clone(), CountSpec::with_cut);
        if self.beyond_half {
            what.beyond_half()
        } else {
            what
        }
    }

    /// The job of counting `pairs`.
    pub(crate) fn job(&self, pairs: Pairs<'a>) -> Result<PairJob<'a>> {
        Ok(PairJob::new(pairs, self.domain)?)
    }

    /// Decides who makes all of `counts`, which is everything the command counts.
    pub(crate) fn decide(&mut self, counts: &[NamedCount<'a>]) -> Result<()> {
        let _deciding = self.engines.watch().during(Loss::Nothing);
        let mut jobs = Vec::new();
        for count in counts {
            count.check_weight()?;
            jobs.push((self.job(count.pairs)?, self.what(count)));
        }
        self.engine = Some(self.engines.worker(&jobs)?);
        self.prepared.clear();
        Ok(())
    }

    /// Chooses the engine, and counts.
    pub(crate) fn decide_and_count(&mut self, asked: &NamedCount<'a>) -> Result<Counts> {
        self.decide(std::slice::from_ref(asked))?;
        self.count(asked)
    }

    /// The engine decided on.
    fn engine(&self, name: &str) -> Result<&Worker> {
        let engine = self.engine.as_ref();
        engine.with_context(|| format!("{name}: no engine has been decided on"))
    }

    /// A sample as the engine has prepared it, now if it has not been needed yet.
    fn prepared(&mut self, name: &str, sample: &'a Particles, bar: &Bar) -> Result<Rc<Prepared>> {
        let same = |(known, _): &&(&Particles, _)| std::ptr::eq(*known, sample);
        if let Some((_, prepared)) = self.prepared.iter().find(same) {
            return Ok(Rc::clone(prepared));
        }
        let engine = self.engine(name)?;
        let ready = self.shared.as_ref().map(|shared| &shared.ready);
        let found = ready.and_then(|ready| ready.find(engine.engine(), sample, self.domain));
        if let Some(prepared) = found {
            tracing::debug!("{name}: {} particles were prepared already", sample.len());
            self.prepared.push((sample, Rc::clone(&prepared)));
            return Ok(prepared);
        }
        let start = Instant::now();
        let prepared = match self.engines.node() {
            Some(node) => {
                (engine.engine()).prepare_once(sample.clone(), self.domain, &node, bar)?
            }
            None => engine.prepare(sample.clone(), self.domain, bar)?,
        };
        let seconds = start.elapsed().as_secs_f64();
        tracing::debug!(
            "{name}: prepared {} particles in {seconds:.3} s, for all counts of them",
            sample.len()
        );
        let prepared = Rc::new(prepared);
        if let Some(ready) = ready {
            ready.keep(engine.engine(), &prepared);
        }
        self.prepared.push((sample, Rc::clone(&prepared)));
        Ok(prepared)
    }

    /// Has `count` make several counts, which are handed back instead of noted one by one.
    pub(crate) fn together<C>(
        &mut self,
        count: impl FnOnce(&mut Self) -> Result<C>,
    ) -> Result<(C, Vec<Counted>)> {
        let noted = self.done.len();
        let made = count(self)?;
        Ok((made, self.done.split_off(noted)))
    }

    /// Makes a count, by the engine decided on.
    pub(crate) fn count(&mut self, asked: &NamedCount<'a>) -> Result<Counts> {
        let (what, regions) = (self.what(asked), asked.what.classes() == Classes::Regions);
        let made = if asked.pairs.weight_sets()? > 1 {
            self.made_of_sets(asked, |engine: &Worker, job, bar| {
                count_weight_sets(engine, job, what, bar)
            })
        } else {
            self.made(asked, |engine: &Worker, job, bar| {
                if regions {
                    count_regions(engine, job, what, bar)
                } else {
                    count_prepared(engine, job, what, bar)
                }
            })
        };
        let made = made?;
        if regions {
            self.note_regions(asked.pairs)?;
        }
        Ok(made)
    }

    /// Notes the fingerprint of the last count's regions, by which it is known again.
    pub(crate) fn note_regions(&mut self, pairs: Pairs<'a>) -> Result<()> {
        let job = self.job(pairs)?;
        if let Some(counted) = self.done.last_mut() {
            let print = fingerprint(JobId::with_labels(&job));
            counted.record["job_with_regions"] = json!(print);
        }
        Ok(())
    }

    /// Has `count` make the counts by all sets of weights, and keeps those of further sets for the measurements by them.
    fn made_of_sets(
        &mut self,
        asked: &NamedCount<'a>,
        count: impl FnOnce(
            &Worker,
            &PreparedJob<'_>,
            &Bar,
        ) -> Result<(Vec<Counts>, Report), EngineError>,
    ) -> Result<Counts> {
        let mut further = std::collections::VecDeque::new();
        let first = |engine: &Worker, job: &PreparedJob<'_>, bar: &Bar| {
            let (sets, report) = count(engine, job, bar)?;
            further.extend(sets);
            match further.pop_front() {
                Some(first) => Ok((first, report)),
                None => Err(EngineError::Interrupted),
            }
        };
        let made = self.made(asked, first)?;
        let engine = self.done.last().and_then(|counted| counted.engine.clone());
        let Some(shared) = self.shared.clone() else {
            return Ok(made);
        };
        for (set, counts) in (1..).zip(further) {
            let (first, second) = asked.pairs.samples();
            let first = first.of_weight_set(set);
            let second = second.map(|sample| sample.of_weight_set(set));
            let pairs = match &second {
                None => Pairs::Auto(&first),
                Some(second) => Pairs::Cross(&first, second),
            };
            let of_set = NamedCount {
                pairs,
                what: asked.what.clone().of_weight_set(pairs),
                ..asked.clone()
            };
            let job = PairJob::new(pairs, self.domain)?;
            let key = Key::new(&job, self.what(&of_set), self.exactness());
            let one_pass = ("counted_with", json!("the first set of weights"));
            let counted = Counted::new(asked.name, &counts, engine.clone(), one_pass);
            shared.of_sets.keep_all(key, (counts, counted));
        }
        Ok(made)
    }

    /// A count as another measurement of the job has made it, noted as one of this measurement.
    fn made_before(&mut self, name: &'static str, key: &Key) -> Option<Counts> {
        let shared = self.shared.as_ref()?;
        if let Some((made, counted)) = shared.of_sets.find(key) {
            if counted.record["counted_with"] == "all realisations" {
                tracing::debug!("{name}: counted with all others");
            } else {
                tracing::info!("{name}: counted with the first set of weights");
            }
            self.done.push(Counted { name, ..counted });
            return Some(made);
        }
        let (made, counted) = shared.counts.find(key)?;
        tracing::info!("{name}: counted for an earlier measurement of this job");
        let mut counted = Counted { name, ..counted };
        counted.record["shared_in_job"] = json!(true);
        self.done.push(counted);
        Some(made)
    }

    /// Has `count` make a count, unless the job has it already, and notes it.
    fn made(
        &mut self,
        asked: &NamedCount<'a>,
        count: impl FnOnce(&Worker, &PreparedJob<'_>, &Bar) -> Result<(Counts, Report), EngineError>,
    ) -> Result<Counts> {
        let NamedCount { name, pairs, .. } = *asked;
        let _counting = self.engines.watch().during(Loss::Nothing);
        let key = match &self.shared {
            Some(_) => Some(Key::new(
                &self.job(pairs)?,
                self.what(asked),
                self.exactness(),
            )),
            None => None,
        };
        if let Some(made) = key.as_ref().and_then(|key| self.made_before(name, key)) {
            return Ok(made);
        }
        let start = Instant::now();
        let (first, second) = pairs.samples();
        let bar = self.engines.watch().bar(name);
        let first = self.prepared(name, first, &bar)?;
        let second = second
            .map(|sample| self.prepared(name, sample, &bar))
            .transpose()?;
        let job = PreparedJob::new(&first, second.as_deref())?;
        let engine = self.engine(name)?;
        engine.begin(name);
        let made = count(engine, &job, &bar);
        drop(bar);
        let (counts, report) = engine.outcome(made)?;
        if counts.pair_weight().is_some() {
            asked.check_total(&counts.total())?;
        }
        for (stage, seconds) in &report.stages {
            tracing::debug!("{name}: {stage} {seconds:.3} s");
        }
        if !report.plan.is_empty() {
            tracing::debug!("{name}: {}", report.plan);
        }
        self.engines.watch().check_stop()?;
        if engine.done()? {
            self.over = true;
            return Ok(counts);
        }
        let seconds = start.elapsed().as_secs_f64();
        let in_bins: u64 = counts.npairs().iter().sum();
        let engine_is_whole = engine.is_whole();
        if let Some(number) = asked.what.realisations() {
            tracing::info!("{name}: {number} realisations in one pass, {seconds:.3} s");
        } else if engine_is_whole {
            let rate = with_prefix(in_bins as f64 / seconds.max(1e-9));
            tracing::info!(
                "{name}: {in_bins} pairs in bins, {seconds:.3} s, {} pairs in bins per second",
                rate.trim_end()
            );
            if in_bins == 0 && !is_of_randoms(name) {
                tracing::warn!(
                    "{name}: no pair lies in any bin: are the bins in the unit of the positions?"
                );
            }
        } else if !engine.is_plan() {
            tracing::info!("{name}: {in_bins} pairs in bins, put together from parts");
        }
        let engine = engine.description();
        let took = ("seconds", json!(seconds));
        let mut counted = Counted::new(name, &counts, Some(engine), took);
        if let (false, Value::Object(record)) = (asked.made_of.is_empty(), &mut counted.record) {
            record.insert("pair_weight".to_owned(), asked.made_of.clone().into());
        }
        if let (Some(shared), Some(key), true) = (&self.shared, key, engine_is_whole) {
            shared.counts.keep(key, (counts.clone(), counted.clone()));
        }
        self.done.push(counted);
        Ok(counts)
    }

    /// Whether all is done: a part or a plan was asked for and is written, and there is no result.
    pub(crate) fn is_over(&self) -> bool {
        self.over
    }

    /// Notes a count that was read back from a file.
    pub(crate) fn reuse(&mut self, name: &'static str, counts: &Counts, path: &std::path::Path) {
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

    /// Refuses counts of which unequal shares are there, for an estimate that `known` pairs, which are no count, go into too.
    ///
    /// # Errors
    /// A wrong session, which names the share of each.
    pub(crate) fn check_shares(&self, known: Option<&str>) -> Result<()> {
        let held = self.engines.works.shares();
        if held.iter().all(|(_, [units, counted])| units == counted) {
            return Ok(());
        }
        // What was read from a file, or is known, is whole.
        let share = |name: &str| {
            let held = held.iter().find(|(held, _)| held == name);
            held.map_or([1, 1], |(_, share)| *share)
        };
        let counts = self.done.iter().map(|count| count.name);
        let shares: Vec<_> = counts
            .chain(known)
            .map(|name| (name, share(name)))
            .collect();
        let same = |a: [usize; 2], b: [usize; 2]| a[1] * b[0] == b[1] * a[0];
        if shares.iter().all(|(_, share)| same(*share, shares[0].1)) {
            return Ok(());
        }
        let listed = shares.iter().map(|&(name, share)| match share {
            [units, counted] if units == counted => format!("{name} all"),
            share => format!("{name} {}", share_of(share)),
        });
        Err(usage(format!(
            "--partial: an estimate takes the same share of all of its pairs, found {}: give the parts that are missing, or merge parts of `albireo count`, whose counts may be partial",
            listed.collect::<Vec<_>>().join(", ")
        )))
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
        if !self.cuts.is_empty() {
            record.set("cuts", cuts_record(&self.cuts));
        }
        if let Some(parts) = self.engines.works.record() {
            record.set("parts", parts);
        }
        let shares = self.engines.works.shares().into_iter();
        let partial = shares.filter(|(_, [units, counted])| counted < units);
        let partial: Map<String, Value> = partial
            .map(|(name, share)| (name, json!(share_of(share))))
            .collect();
        if !partial.is_empty() {
            record.set("partial", partial);
        }
    }
}
