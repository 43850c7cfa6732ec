//! Saved estimates as counts again: of parts of the sky, to be put together.
//!
//! Entry: [`Saved::read`], [`Saved::counts`] and [`Saved::regions`]. It makes no estimate.

use std::path::Path;

use albireo::binning::PairOrder;
use albireo::counts::{JobId, PairTotal};
use albireo::estimators::{AnalyticRr, AnyEstimator, Estimator, Formula, RegionTerms, Term};
use albireo::{Bins, Counts};
use albireo_catalogs::{ResultKind, Table};
use albireo_samples::domain_of_record;
use anyhow::{Context, Result, anyhow, bail};
use serde_json::Value;

use super::settings::difference;
use crate::row_sums::RowSums;
use crate::saved::{records, region_rows, saved_count, saved_counts};

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

    /// The result.
    pub(super) fn table(self) -> &'a Table {
        self.table
    }

    /// Where messages say that it is.
    fn place(self) -> String {
        self.path.display().to_string()
    }

    /// Its estimator with the terms that it counts.
    pub(super) fn estimator(self, order: PairOrder) -> Result<(Estimator, Vec<Term>)> {
        let name = text(self.table, "estimator").with_context(|| self.place())?;
        let counts = records(self.table).with_context(|| self.place())?;
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

    /// Its estimator with the terms that were counted, and random pairs that are known of its box instead, `by[k]` bins of axis k together.
    pub(super) fn estimator_and_known(
        self,
        bins: &Bins,
        by: &[usize],
    ) -> Result<(AnyEstimator, Vec<Term>, Option<AnalyticRr>)> {
        let name = text(self.table, "estimator")?;
        let counts = records(self.table)?;
        let named = Estimator::ALL.iter().find(|estimator| {
            let named = name == estimator.name() || name == format!("{}-cross", estimator.name());
            let terms = estimator.terms(bins.order());
            named
                && counts
                    .keys()
                    .all(|count| terms.iter().any(|term| term.name == count))
        });
        let estimator: AnyEstimator = match named {
            Some(named) => (*named).into(),
            None => name.parse::<Formula>()?.into(),
        };
        let (counted, missing): (Vec<Term>, Vec<Term>) = estimator
            .terms(bins.order())
            .into_iter()
            .partition(|term| counts.contains_key(term.name));
        if let Some(term) = missing.iter().find(|term| !term.is_random()) {
            bail!("it holds no {}, which {name} takes", term.name);
        }
        let known = missing.first().map(|term| {
            let space = self.table.meta.get("box").and_then(domain_of_record);
            let space = space.with_context(|| format!("it holds no {}, and no box", term.name))?;
            let first = counted.first().context("it holds no counts")?;
            let cuts = saved_count(self.table, first.name, bins)?.cuts().to_vec();
            Ok::<_, anyhow::Error>(AnalyticRr::with_cuts(bins.rebin(by)?, &space, &cuts)?)
        });
        Ok((estimator, counted, known.transpose()?))
    }

    /// Refuses a count that has not one total with its variance.
    fn check_total(self, name: &str) -> Result<()> {
        let record = records(self.table)?.get(name);
        if let Some(above) = record.and_then(|record| record["split"].get("above")) {
            bail!(
                "{name} is split above {above} and has two totals: parts of the sky are put together by one"
            );
        }
        let effect = record.map(|record| record["design_effect"].is_number());
        if effect == Some(false) {
            bail!("the metadata `counts` of {name} has no `design_effect`");
        }
        Ok(())
    }

    /// A count as it was.
    fn count(self, name: &str, bins: &Bins) -> Result<Counts> {
        self.check_total(name)?;
        saved_count(self.table, name, bins)
    }

    /// All of its counts.
    pub(super) fn counts(self, terms: &[Term]) -> Result<Vec<(Term, Counts)>> {
        let counts = || {
            for term in terms {
                self.check_total(term.name)?;
            }
            let mut saved = saved_counts(self.table)?;
            let of = |term: &Term| {
                let place = saved.iter().position(|one| one.name == term.name);
                let place = place.with_context(|| format!("it holds no {}", term.name))?;
                Ok((*term, saved.swap_remove(place).counts))
            };
            terms.iter().map(of).collect::<Result<_>>()
        };
        counts().with_context(|| self.place())
    }

    /// All of its counts kept apart by region, as a file that `--region-counts` wrote has them.
    pub(super) fn regions(
        self,
        (estimator, terms): (impl Into<AnyEstimator>, &[Term]),
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
        for (name, record) in records(self.of.table)? {
            let own = self.table.meta.get("counts").and_then(|c| c.get(name));
            let job = |record: Option<&Value>| record.and_then(|r| r.get("job")).cloned();
            if job(own) != job(Some(record)) {
                bail!("it does not belong to {of}: {name} is of other particles");
            }
        }
        Ok(())
    }

    /// A count with its parts by region.
    fn count(&self, name: &str, bins: &Bins) -> Result<Counts> {
        let whole = self.of.count(name, bins)?;
        let total = whole.total();
        let rows = region_rows(self.table, name, bins.n_bins())?.into_iter();
        let of_count = self.table.meta.get("region_totals");
        let of_count = of_count.and_then(|totals| totals.get(name));
        let totals_of = |part: &str| {
            let totals = of_count.and_then(|totals| totals.get(part));
            totals.with_context(|| format!("no metadata `region_totals` of {name}"))
        };
        let (within, across) = (totals_of("within")?, totals_of("across")?);
        let total = |totals: &Value, k: usize| -> Result<PairTotal> {
            let of = |key: &str| totals.get(key).and_then(|values| values.get(k));
            let (pairs, weight) = (
                of("pairs").and_then(Value::as_u64),
                of("weight").and_then(Value::as_f64),
            );
            Ok(PairTotal {
                pairs: pairs.context("no total of pairs")?,
                weight: weight.context("no total weight")?,
                ..total
            })
        };
        let part = |rows: RowSums, (part, totals): (&str, &Value), k: usize| -> Result<Counts> {
            let place = || format!("{name}, region {k}");
            let total = total(totals, k).with_context(place)?;
            let of = |npairs, weight| {
                Counts::from_parts(bins.clone(), npairs, weight, total, JobId(k as u64))
            };
            let counts = rows.counts(&format!("{name}_{part}"), of);
            Ok(counts
                .with_context(place)?
                .with_exactness(whole.exactness()))
        };
        let parts = rows.enumerate().map(|(k, [inside, border])| {
            Ok([
                part(inside, ("within", within), k)?,
                part(border, ("across", across), k)?,
            ])
        });
        let parts = parts.collect::<Result<Vec<_>>>()?;
        whole.with_regions(&parts).with_context(|| name.to_owned())
    }
}
