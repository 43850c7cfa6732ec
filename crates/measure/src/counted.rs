//! Finished counts, as results write them.
//!
//! Entry: [`Counted`]; [`SplitCount`] of randoms that were split.

use albireo::counts::{JobId, PairKind, PairTotal, Split};
use albireo::tally::Cut;
use albireo::{Counts, PairJob};
use serde_json::{Map, Value, json};

use crate::row_sums::RowSums;

/// A finished count, as results write it.
#[derive(Debug, Clone)]
pub(crate) struct Counted {
    pub(crate) name: &'static str,
    pub(crate) sums: RowSums,
    pub(crate) mean: Option<Vec<f64>>,
    pub(crate) weighted_mean: Option<Vec<f64>>,
    /// What counted it; none for a count that was read from a file.
    pub(crate) engine: Option<String>,
    /// Kind, totals, fingerprint, engine, time.
    pub(crate) record: Value,
}

/// A fingerprint as results write it.
pub(crate) fn fingerprint(job: JobId) -> String {
    format!("{:016x}", job.0)
}

/// Cuts as results write them, in one order.
pub(crate) fn cuts_record(cuts: &[Cut]) -> Value {
    let mut cuts: Vec<String> = cuts.iter().map(Cut::to_string).collect();
    cuts.sort_unstable();
    json!(cuts)
}

/// The record of a count's totals.
fn totals(
    (kind, numbered): (PairKind, bool),
    total: PairTotal,
    job: Option<JobId>,
) -> Map<String, Value> {
    let mut record = Map::new();
    record.insert("kind".to_owned(), json!(kind.to_string()));
    let pairs = numbered.then_some(total.pairs);
    record.insert("total_pairs".to_owned(), json!(pairs));
    record.insert("total_weight".to_owned(), json!(total.weight));
    record.insert("design_effect".to_owned(), json!(total.design_effect));
    if let Some(job) = job {
        record.insert("job".to_owned(), json!(fingerprint(job)));
    }
    record
}

impl Counted {
    /// What a record says of counts, however they were made: kind, totals, particles, arithmetic.
    pub(crate) fn record_of(counts: &Counts) -> Map<String, Value> {
        let numbered = counts.is_numbered();
        let mut record = totals((counts.kind(), numbered), counts.total(), counts.job_id());
        if counts.job_id().is_none() {
            let job =
                |(job, total): (JobId, PairTotal)| totals((total.kind, numbered), total, Some(job));
            record.insert("jobs".to_owned(), counts.jobs().map(job).collect());
        }
        record.insert("arithmetic".to_owned(), json!(counts.exactness().name()));
        if let Some(bound) = counts.weight_bound_of_pair() {
            // A bin's weight is within its number of pairs times this of the exact sum.
            record.insert("weight_bound_of_pair".to_owned(), json!(bound));
            let words = if counts.is_in_two_words() { 2 } else { 1 };
            record.insert("weight_words".to_owned(), json!(words));
        }
        let of_sum = |name: &str| {
            let bound = counts.pair_sum_bound_of_pair(name)?;
            Some((name.to_owned(), json!(bound)))
        };
        let bounds: Map<String, Value> = counts.pair_sums().filter_map(of_sum).collect();
        if !bounds.is_empty() {
            record.insert("pair_sum_bound_of_pair".to_owned(), Value::Object(bounds));
        }
        record
    }

    /// A count with what made it, and with an entry of its record that tells how.
    pub(crate) fn new(
        name: &'static str,
        counts: &Counts,
        engine: Option<String>,
        made: (&str, Value),
    ) -> Self {
        let mut record = Self::record_of(counts);
        if let Some(loose) = counts.loose_weights() {
            tracing::warn!("{name}: {loose}");
        }
        if let Some(engine) = &engine {
            record.insert("engine".to_owned(), json!(engine));
        }
        if !counts.cuts().is_empty() {
            record.insert("cuts".to_owned(), cuts_record(counts.cuts()));
        }
        record.insert(made.0.to_owned(), made.1);
        Self {
            name,
            sums: RowSums::of(counts),
            mean: counts.mean_separation(),
            weighted_mean: counts.weighted_mean_separation(),
            engine,
            record: Value::Object(record),
        }
    }
}

impl Counted {
    /// That of one class of the pairs of this count.
    pub(crate) fn of_class(&self, counts: &Counts) -> Self {
        let seconds = ("seconds", self.record["seconds"].clone());
        Self::new(self.name, counts, self.engine.clone(), seconds)
    }
}

impl Counted {
    /// The same as of split randoms, with the record of their subsets, and with all pairs in the first bins where these were counted.
    pub(crate) fn of_split(mut self, mut split: Map<String, Value>, near: Option<&Counts>) -> Self {
        if let Some(near) = near {
            self.sums.put_first(RowSums::of(near));
            let axes = near.binning().axes();
            let above = axes.first().and_then(|axis| axis.edges.last());
            split.insert("above".to_owned(), json!(above));
            let below = totals((near.kind(), near.is_numbered()), near.total(), None);
            split.insert("below".to_owned(), Value::Object(below));
        }
        self.record["split"] = Value::Object(split);
        self
    }
}

/// Counts of randoms that were split, written down as one.
pub(crate) struct SplitCount<'a> {
    pub(crate) split: Split,
    /// What the subsets are.
    pub(crate) by: &'static str,
    /// Of all pairs, in the first bins.
    pub(crate) near: Option<&'a Counts>,
    /// Within subsets, in all bins.
    pub(crate) far: &'a Counts,
}

impl SplitCount<'_> {
    /// The count of `job` that `parts` make up: each bin as it was counted, with both totals.
    pub(crate) fn counted(&self, job: &PairJob<'_>, parts: Vec<Counted>) -> Counted {
        let seconds = parts
            .iter()
            .filter_map(|part| part.record["seconds"].as_f64());
        let took = ("seconds", json!(seconds.sum::<f64>()));
        let first = parts.into_iter().next();
        let (name, engine) = first.map_or(("RR", None), |part| (part.name, part.engine));
        let mut counted = Counted::new(name, self.far, engine, took);
        counted.record["job"] = json!(fingerprint(JobId::of(job)));
        let mut split = Map::new();
        split.insert("subsets".to_owned(), json!(self.split.subsets()));
        split.insert("by".to_owned(), json!(self.by));
        counted.of_split(split, self.near)
    }
}
