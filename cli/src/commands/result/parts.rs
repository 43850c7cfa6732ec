//! Saved estimates as counts again: of parts of the sky, to be put together.
//!
//! Entry: [`Saved::read`], [`Saved::counts`] and [`Saved::regions`]. It makes no estimate.

use std::path::Path;

use albireo::binning::PairOrder;
use albireo::counts::{ExactSums, JobId, PairKind, RegionCounts};
use albireo::engine::Exactness;
use albireo::estimators::{Estimator, RegionTerms, Term};
use albireo::{Bins, Counts, Edges, LineOfSight, PairTotal, SignedEdges};
use albireo_catalogs::{ResultKind, Table, Values};
use anyhow::{Context, Result, anyhow, bail};
use clap::ValueEnum;
use serde_json::Value;

use super::saved::floats;
use super::settings::difference;
use crate::args::LosName;
use crate::bins::{BinSpec, Statistic};

/// A saved correlation function with its counts.
#[derive(Debug, Clone, Copy)]
pub(super) struct Saved<'a> {
    path: &'a Path,
    table: &'a Table,
}

/// A text of the metadata.
fn text<'t>(table: &'t Table, key: &str) -> Result<&'t str> {
    let text = table.meta.get(key).and_then(Value::as_str);
    text.with_context(|| format!("the result has no metadata `{key}`"))
}

/// A column of counts.
fn integers<'t>(table: &'t Table, name: &str) -> Result<&'t [u64]> {
    match table.column(name).map(|column| &column.values) {
        Some(Values::Integers(values)) => Ok(values),
        _ => bail!("there is no column `{name}` of integers"),
    }
}

/// The bins that the metadata of a result describe.
pub(super) fn bins_of(table: &Table) -> Result<Bins> {
    let name = text(table, "statistic")?;
    let statistics = Statistic::value_variants().iter();
    let statistic = statistics.copied().find(|one| one.name() == name);
    let statistic = statistic.with_context(|| format!("statistic `{name}` is not known"))?;
    let mut axes = table.edges()?.into_iter().map(|(_, edges)| edges);
    let first = Edges::new(axes.next().unwrap_or_default())?;
    let second = axes.next().map(SignedEdges::new).transpose()?;
    let spec = BinSpec {
        statistic,
        first,
        second,
    };
    let los = match table.meta.get("line_of_sight").and_then(Value::as_str) {
        None => LineOfSight::default(),
        Some(name) => {
            let all = LosName::value_variants().iter().copied();
            let los = all.map(LineOfSight::from).find(|los| los.name() == name);
            los.with_context(|| format!("line of sight `{name}` is not known"))?
        }
    };
    spec.with_line_of_sight(los)
}

/// The kind of pairs as records name it.
fn kind_of(name: &str) -> Option<PairKind> {
    let all = [
        PairKind::AutoUnordered,
        PairKind::AutoOrdered,
        PairKind::Cross,
    ];
    all.into_iter().find(|kind| kind.to_string() == name)
}

impl<'a> Saved<'a> {
    /// A saved result, which must be a correlation function.
    pub(super) fn new(path: &'a Path, table: &'a Table) -> Result<Self> {
        let kind = table.kind()?;
        if kind != ResultKind::Correlation {
            bail!(
                "{}: parts of the sky are put together by the counts in a correlation function, found a {}: take the file that --counts wrote",
                path.display(),
                kind.name()
            );
        }
        Ok(Self { path, table })
    }

    /// Where messages say that it is.
    fn place(self) -> String {
        self.path.display().to_string()
    }

    /// The record of each count by name.
    fn records(self) -> Result<&'a serde_json::Map<String, Value>> {
        let counts = self.table.meta.get("counts").and_then(Value::as_object);
        counts.context("the result has no metadata `counts`")
    }

    /// Its estimator with the terms that it counts.
    pub(super) fn estimator(self, order: PairOrder) -> Result<(Estimator, Vec<Term>)> {
        let name = text(self.table, "estimator").with_context(|| self.place())?;
        let counts = self.records().with_context(|| self.place())?;
        let fits = |estimator: &&Estimator| {
            let terms = estimator.terms(order);
            let named = name == estimator.name() || name == format!("{}-cross", estimator.name());
            named
                && terms.len() == counts.len()
                && terms.iter().all(|t| counts.contains_key(t.name))
        };
        let found = Estimator::ALL.iter().find(fits).ok_or_else(|| {
            let counts: Vec<&str> = counts.keys().map(String::as_str).collect();
            anyhow!(
                "{}: {name} of {} cannot be put together: it takes counted random pairs",
                self.place(),
                counts.join(", ")
            )
        })?;
        Ok((*found, found.terms(order)))
    }

    /// The total of a count and its fingerprint.
    fn total(self, name: &str) -> Result<(PairTotal, JobId)> {
        let missing = |key: &str| format!("the metadata `counts` of {name} has no `{key}`");
        let record = self.records()?.get(name).with_context(|| missing("kind"))?;
        let kind = record.get("kind").and_then(Value::as_str);
        let number = |key: &str| {
            let value = record.get(key).and_then(Value::as_f64);
            value.with_context(|| missing(key))
        };
        let job = record.get("job").and_then(Value::as_str);
        let job = job.and_then(|job| u64::from_str_radix(job, 16).ok());
        let total = PairTotal {
            kind: kind.and_then(kind_of).with_context(|| missing("kind"))?,
            pairs: record
                .get("total_pairs")
                .and_then(Value::as_u64)
                .with_context(|| missing("total_pairs"))?,
            weight: number("total_weight")?,
            design_effect: number("design_effect")?,
        };
        Ok((total, JobId(job.unwrap_or(0))))
    }

    /// A count as it was.
    fn count(self, name: &str, bins: &Bins) -> Result<Counts> {
        let (total, job) = self.total(name)?;
        let above = self
            .records()?
            .get(name)
            .and_then(|record| record["split"].get("above"));
        if let Some(above) = above {
            bail!(
                "{name} is split above {above} and has two totals: parts of the sky are put together by one"
            );
        }
        let npairs = integers(self.table, &format!("{name}_npairs"))?.to_vec();
        let weight = format!("{name}_weight");
        let weight = self
            .table
            .column(&weight)
            .map(|_| floats(self.table, &weight));
        let weight = weight
            .transpose()?
            .map(|weight| ExactSums::from_parts(&[weight.to_vec()]));
        let counts = weight
            .transpose()
            .and_then(|weight| Counts::from_parts(bins.clone(), npairs, weight, total, job));
        let exactness = if self.table.is_approximate() {
            Exactness::Approximate
        } else {
            Exactness::Exact
        };
        Ok(counts
            .with_context(|| name.to_owned())?
            .with_exactness(exactness))
    }

    /// All of its counts.
    pub(super) fn counts(self, terms: &[Term], bins: &Bins) -> Result<Vec<(Term, Counts)>> {
        let count = |term: &Term| Ok((*term, self.count(term.name, bins)?));
        let counts: Result<_> = terms.iter().map(count).collect();
        counts.with_context(|| self.place())
    }

    /// All of its counts kept apart by region, as a file that `--region-counts` wrote has them.
    pub(super) fn regions(
        self,
        (estimator, terms): (Estimator, &[Term]),
        bins: &Bins,
        (path, table): (&Path, &Table),
    ) -> Result<RegionTerms> {
        let by_region = ByRegion { table, of: self };
        let terms = by_region.check().and_then(|()| {
            let count = |term: &Term| Ok((*term, by_region.count(term.name, bins)?));
            let counted = terms.iter().map(count).collect::<Result<Vec<_>>>()?;
            Ok(RegionTerms::new(estimator, counted, None)?)
        });
        terms.with_context(|| path.display().to_string())
    }
}

/// The counts by region that belong to a result.
struct ByRegion<'a> {
    table: &'a Table,
    of: Saved<'a>,
}

impl ByRegion<'_> {
    /// Refuses a table of another kind, or of other counts.
    fn check(&self) -> Result<()> {
        let kind = self.table.kind()?;
        if kind != ResultKind::RegionCounts {
            bail!(
                "expected what --region-counts wrote, found a {}",
                kind.name()
            );
        }
        let mut meta = self.table.meta.clone();
        let same_kind = ResultKind::Correlation.name();
        meta.insert("result".to_owned(), same_kind.into());
        let alike = Table {
            columns: Vec::new(),
            meta,
        };
        let of = self.of.place();
        if let Some(difference) = difference(self.of.table, &alike) {
            bail!("it does not belong to {of}: {difference}");
        }
        for (name, record) in self.of.records()? {
            let own = self.table.meta.get("counts").and_then(|c| c.get(name));
            let job = |record: Option<&Value>| record.and_then(|r| r.get("job")).cloned();
            if job(own) != job(Some(record)) {
                bail!("it does not belong to {of}: {name} is of other particles");
            }
        }
        Ok(())
    }

    /// A count with its parts by region.
    fn count(&self, name: &str, bins: &Bins) -> Result<RegionCounts> {
        let whole = self.of.count(name, bins)?;
        let total = whole.total();
        let n = bins.n_bins();
        let part = |part: &str| -> Result<Vec<Counts>> {
            let npairs = integers(self.table, &format!("{name}_{part}_npairs"))?;
            let weight = format!("{name}_{part}_weight");
            let weight = self
                .table
                .column(&weight)
                .map(|_| floats(self.table, &weight));
            let weight = weight.transpose()?;
            let totals = self.table.meta.get("region_totals");
            let totals = totals.and_then(|t| t.get(name)?.get(part));
            let totals =
                totals.with_context(|| format!("no metadata `region_totals` of {name}"))?;
            let one = |k: usize| -> Result<Counts> {
                let of = |key: &str| totals.get(key).and_then(|values| values.get(k));
                let total = PairTotal {
                    pairs: of("pairs")
                        .and_then(Value::as_u64)
                        .context("no total of pairs")?,
                    weight: of("weight")
                        .and_then(Value::as_f64)
                        .context("no total weight")?,
                    ..total
                };
                let rows = k * n..(k + 1) * n;
                let weight = weight.map(|weight| vec![weight[rows.clone()].to_vec()]);
                let weight = weight
                    .map(|weight| ExactSums::from_parts(&weight))
                    .transpose()?;
                let npairs = npairs[rows].to_vec();
                let counts =
                    Counts::from_parts(bins.clone(), npairs, weight, total, JobId(k as u64))?;
                Ok(counts.with_exactness(whole.exactness()))
            };
            let regions = npairs.len() / n;
            let of_region = |k| one(k).with_context(|| format!("{name}, region {k}"));
            (0..regions).map(of_region).collect()
        };
        let (within, across) = (part("within")?, part("across")?);
        let parts = within.into_iter().zip(across);
        let parts = parts.map(|(within, across)| [within, across]).collect();
        RegionCounts::from_parts(whole, parts).with_context(|| name.to_owned())
    }
}
