//! Saved estimates as counts again: of parts of the sky, to be put together.
//!
//! Entry: [`Saved::read`], [`Saved::counts`] and [`Saved::regions`]. It makes no estimate.

use std::path::Path;

use albireo::Bins;
use albireo::binning::PairOrder;
use albireo::estimators::{Estimator, RegionTerms, Term, TermCount};
use albireo_catalogs::{ResultKind, Table};
use anyhow::{Context, Result, anyhow, bail};
use serde_json::{Map, Value};

use super::settings::difference;
use crate::saved::records;
use crate::saved_split::{saved_term, saved_term_by_region};

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
        if record.is_some_and(|record| !record["design_effect"].is_number()) {
            bail!("the metadata `counts` of {name} has no `design_effect`");
        }
        saved_term(self.table, name, bins)
    }

    /// All of its counts.
    pub(super) fn counts(self, terms: &[Term], bins: &Bins) -> Result<Vec<(Term, TermCount)>> {
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
    pub(super) fn regions(
        self,
        (estimator, terms): (Estimator, &[Term]),
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
}
