//! Runs counts, one after the other, and remembers them for the result.
//!
//! Entry: [`Counter`]. Who counts is chosen by `engine`; what is counted by the subcommands.

use std::time::Instant;

use albireo::counts::{JobId, PairKind, Sums, count_pairs};
use albireo::engine::AnyEngine;
use albireo::{Binning, Domain, Engine, PairCounts, PairJob, PairTotal, Pairs};
use anyhow::Result;
use serde_json::{Map, Value, json};

use crate::args::RunFlags;
use crate::engine::choose;
use crate::progress::{Bar, check_stop, with_prefix};

/// Counts pairs in one domain.
pub(crate) struct Counter<'a> {
    engine: AnyEngine,
    domain: &'a Domain,
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
    /// Kind, totals, fingerprint, time.
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
    if let Some(job) = job {
        record.insert("job".to_owned(), json!(fingerprint(job)));
    }
    record
}

impl Counted {
    fn new<B: Binning>(name: &'static str, counts: &PairCounts<B>, made: (&str, Value)) -> Self {
        let mut record = totals(counts.kind(), counts.total(), counts.job_id());
        record.insert(made.0.to_owned(), made.1);
        Self {
            name,
            npairs: counts.npairs().to_vec(),
            weight: counts.weight(),
            mean: counts.mean_separation(),
            record: Value::Object(record),
        }
    }
}

impl<'a> Counter<'a> {
    /// A counter with the engine that the flags ask for.
    pub(crate) fn new(flags: &RunFlags, domain: &'a Domain) -> Result<Self> {
        Ok(Self {
            engine: choose(flags)?,
            domain,
            done: Vec::new(),
        })
    }

    /// The job of counting `pairs`.
    pub(crate) fn job(&self, pairs: Pairs<'a>) -> Result<PairJob<'a>> {
        Ok(PairJob::new(pairs, self.domain)?)
    }

    /// Counts `pairs` under `name`; with the mean separation of each bin if asked for.
    pub(crate) fn count<B: Binning>(
        &mut self,
        name: &'static str,
        pairs: Pairs<'a>,
        bins: &B,
        separations: bool,
    ) -> Result<PairCounts<B>> {
        let job = self.job(pairs)?;
        let sums = Sums {
            separations,
            ..Sums::for_pairs(pairs)
        };
        let bar = Bar::new(name);
        let start = Instant::now();
        let counts = count_pairs(&self.engine, &job, bins, sums, &bar);
        bar.clear();
        let counts = counts?;
        check_stop()?;
        let seconds = start.elapsed().as_secs_f64();
        let rate = with_prefix(job.n_pairs() as f64 / seconds.max(1e-9));
        tracing::info!(
            "{name}: {} pairs in bins, {seconds:.3} s, {rate}pairs/s",
            counts.npairs().iter().sum::<u64>()
        );
        self.done
            .push(Counted::new(name, &counts, ("seconds", json!(seconds))));
        Ok(counts)
    }

    /// Notes a count that was read back from a file.
    pub(crate) fn reuse<B: Binning>(
        &mut self,
        name: &'static str,
        counts: &PairCounts<B>,
        path: &std::path::Path,
    ) {
        self.done
            .push(Counted::new(name, counts, ("read_from", json!(path))));
    }

    /// What ran.
    pub(crate) fn engine(&self) -> String {
        self.engine.description()
    }

    /// The records of all counts, by name.
    pub(crate) fn record(&self) -> Value {
        let records = self
            .done
            .iter()
            .map(|count| (count.name.to_owned(), count.record.clone()));
        Value::Object(records.collect())
    }
}
