//! Saved estimates as counts again: of parts of the sky, to be put together.
//!
//! Entry: [`Saved::read`], [`Saved::counts`] and [`Saved::regions`]. It makes no estimate.

use std::path::Path;

use albireo::Bins;
use albireo::binning::PairOrder;
use albireo::estimators::{
    AnalyticRr, AnyEstimator, Estimator, Formula, RegionTerms, Term, TermCount, TermCounts,
};
use albireo_catalogs::{ResultKind, Table};
use albireo_samples::domain_of_record;
use anyhow::{Context, Result, anyhow, bail};
use serde_json::{Map, Value};

use super::settings::difference;
use crate::counted::Counted;
use crate::saved::{records, saved_count};
use crate::saved_split::{saved_term, saved_term_by_region};

/// A saved correlation function with its counts.
#[derive(Debug, Clone, Copy)]
pub(in crate::commands) struct Saved<'a> {
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
    pub(in crate::commands) fn new(path: &'a Path, table: &'a Table) -> Result<Self> {
        let kind = table.kind()?;
        if kind != ResultKind::Correlation {
            bail!(
                "{}: parts of the sky are put together by the counts in a correlation function, found {}: take the file that --counts wrote",
                path.display(),
                kind.phrase()
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
    pub(in crate::commands) fn estimator_and_known(
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

    /// Refuses counts of split randoms, which have two totals, where a part weighs by one of them.
    pub(super) fn check_one_total(self) -> Result<()> {
        let counts = records(self.table).with_context(|| self.place())?;
        for (name, record) in counts {
            if let Some(above) = record["split"].get("above") {
                bail!(
                    "{}: {name} is split above {above} and has two totals: parts of the sky are put together by one, or --by data",
                    self.place()
                );
            }
        }
        Ok(())
    }

    /// A count as it was; refuses one whose total has no variance.
    fn count(self, name: &str, bins: &Bins) -> Result<TermCount> {
        let record = records(self.table)?.get(name);
        let lacks = |record: &Value| {
            !record["design_effect"].is_number() && !record["total_pairs"].is_null()
        };
        if record.is_some_and(lacks) {
            bail!("the metadata `counts` of {name} has no `design_effect`");
        }
        saved_term(self.table, name, bins)
    }

    /// All of its counts.
    pub(in crate::commands) fn counts(
        self,
        terms: &[Term],
        bins: &Bins,
    ) -> Result<Vec<(Term, TermCount)>> {
        let of = |term: &Term| Ok((*term, self.count(term.name, bins)?));
        let counts = terms.iter().map(of).collect::<Result<_>>();
        counts.with_context(|| self.place())
    }

    /// What the record of a count says of the subsets of split randoms, if they were.
    pub(super) fn split(self, term: Term) -> Option<&'a Map<String, Value>> {
        let record = self.table.meta.get("counts")?.get(term.name)?;
        record.get("split")?.as_object()
    }

    /// All of its counts kept apart by region, as a file that `--region-counts` wrote has them.
    pub(in crate::commands) fn regions(
        self,
        (estimator, terms): (impl Into<AnyEstimator>, &[Term]),
        bins: &Bins,
        (path, table): (&Path, &Table),
    ) -> Result<RegionTerms> {
        let by_region = ByRegion { table, of: self };
        let terms = by_region.check().and_then(|()| {
            let count = |term: &Term| {
                let whole = self.count(term.name, bins)?;
                Ok((*term, saved_term_by_region(table, term.name, whole)?))
            };
            let counted = terms.iter().map(count).collect::<Result<Vec<_>>>()?;
            Ok(RegionTerms::new(estimator, counted, None)?)
        });
        terms.with_context(|| path.display().to_string())
    }
}

/// What all parts say of the subsets of the randoms of a count; nothing where they were not split.
fn split(term: Term, parts: &[Saved<'_>]) -> Map<String, Value> {
    let all: Option<Vec<_>> = parts.iter().map(|part| part.split(term)).collect();
    let all = all.unwrap_or_default();
    let mut split = all.first().copied().cloned().unwrap_or_default();
    split.retain(|key, value| all.iter().all(|other| other.get(key) == Some(value)));
    split
}

/// The counts that were `made` of those of parts, as results write them.
pub(super) fn counted(
    counts: &TermCounts,
    terms: &[Term],
    (parts, made): (&[Saved<'_>], &str),
) -> Result<Vec<Counted>> {
    let one = |&term: &Term| {
        let made = (made, Value::Bool(true));
        let (all, near) = match counts.made(term) {
            Some(TermCount::Split(split)) => (split.far(), Some(split.near())),
            _ => (counts.get(term)?, None),
        };
        let counted = Counted::new(term.name, all, None, made);
        let split = split(term, parts);
        Ok(if near.is_some() || !split.is_empty() {
            counted.of_split(split, near)
        } else {
            counted
        })
    };
    terms.iter().map(one).collect()
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
                "expected what --region-counts wrote, found {}",
                kind.phrase()
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
}
