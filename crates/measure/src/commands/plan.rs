//! What is to be counted for an estimate, and what becomes of it.
//!
//! Entry: [`Plan`], which the flags of `xi` and `wp` make of samples that are read.

use std::path::Path;

use albireo::error::EstimatorError;
use albireo::estimators::{
    AnyEstimator, Estimation, Multipoles, Role, Term, TermCount, TermCounts,
};
use albireo::result::Correlation;
use albireo::tally::{Classes, Cut, LegendreDegrees};
use albireo::{Bins, Counts, Pairs};
use albireo_catalogs::Table;
use albireo_samples::Samples;
use anyhow::{Context, Result, bail};
use serde_json::Value;

use super::estimator::with_advice;
use super::named_formulas::{Formulas, NamedFormulas};
use super::saved_counts::{self, Expected, Saved};
use super::saved_regions;
use super::split::Subsets;
use crate::angular::Upweights;
use crate::counting::Counter;
use crate::named_count::{MeanSeparation, NamedCount};
use crate::pair_sums::SummedRoles;
use crate::pair_weights::{WeightedPairs, Weighting, upweighted};
use crate::paths::ReadFile;
use crate::realised::{AtOnce, Whole};
use crate::results::Results;
use crate::scatter::{Method, Scatter};

/// What has been read and decided, ready to be counted.
pub(super) struct Plan<'a> {
    pub(super) inputs: &'a Samples,
    /// The samples of all realisations, of which one is measured.
    pub(super) whole: Option<&'a Whole>,
    pub(super) weighting: &'a Weighting,
    pub(super) upweights: &'a Upweights,
    pub(super) estimator: AnyEstimator,
    /// The formulas with names, of which it is the first.
    pub(super) formulas: Option<NamedFormulas>,
    pub(super) rr: Option<ReadFile>,
    pub(super) reuse: Vec<ReadFile>,
    /// What --rr and --reuse name.
    pub(super) results: Results,
    pub(super) mean_separation: Option<MeanSeparation>,
    pub(super) method: Option<Method>,
    pub(super) cuts: Vec<Cut>,
    /// One for each count of split randoms.
    pub(super) subsets: &'a [Subsets],
    /// What is summed over pairs, with the samples that have its columns.
    pub(super) summed: Option<&'a SummedRoles>,
    /// The degrees of multipoles that are made of Legendre sums, and of these sums.
    pub(super) orders: Option<&'a [u32]>,
    pub(super) legendre: LegendreDegrees,
    /// Whether the classes of objects are held apart.
    pub(super) by_class: bool,
}

/// What the counts of an estimate become.
pub(super) struct Made {
    pub(super) xi: Correlation,
    /// What further formulas make of the counts.
    pub(super) formulas: Option<Formulas>,
    /// From Legendre sums.
    pub(super) poles: Option<Multipoles>,
    pub(super) scatter: Option<Scatter>,
}

impl<'a> Plan<'a> {
    /// The counts of `terms`, with the weights that bits and angles give their pairs.
    fn counts_of(&self, terms: &[(Term, Pairs<'a>)], bins: &Bins) -> Result<Vec<NamedCount<'a>>> {
        let weighted = terms.iter().map(|(term, pairs)| {
            let roles = term.roles().map(Role::name);
            let pairs = self.weighting.of(term.name, roles, *pairs)?;
            Ok((pairs, term.is_random()))
        });
        let mut weighted = weighted.collect::<Result<Vec<_>>>()?;
        upweighted(&mut weighted, self.upweights)?;
        let of_term = |((pairs, _), (term, _)): ((WeightedPairs<'a>, bool), &(Term, _))| {
            let mean = self.mean_of(*term, bins);
            let count = NamedCount::weighted(pairs, bins).with_mean(mean)?;
            let what = count.what.with_legendre(self.legendre);
            let what = match self.summed {
                Some(summed) => summed.added(what, *term)?,
                None => what,
            };
            let count = NamedCount { what, ..count };
            let roles = term.roles().map(Role::name);
            Ok(match self.whole {
                Some(whole) => whole.scaled(roles, count),
                None => count,
            })
        };
        weighted.into_iter().zip(terms).map(of_term).collect()
    }

    /// The mean separation that is summed of a term: of data pairs and, of angles, where upweights have their nodes, of all with data.
    fn mean_of(&self, term: Term, bins: &Bins) -> Option<MeanSeparation> {
        let of_angles = bins.as_theta().is_some() && !term.is_random();
        self.mean_separation.filter(|_| term.is_data() || of_angles)
    }

    /// The subsets that the pairs of a term are counted within, if they are.
    fn subsets_of(&self, term: Term) -> Option<&'a Subsets> {
        self.subsets.iter().find(|subsets| subsets.term() == term)
    }

    /// What a saved count of a term must belong to.
    fn expected<'b>(
        &self,
        pairs: Pairs<'a>,
        bins: &'b Bins,
        counter: &Counter<'a>,
    ) -> Result<Expected<'b>>
    where
        'a: 'b,
    {
        Ok(Expected {
            bins,
            job: counter.job(pairs)?,
            cuts: counter.cuts(pairs),
            exactness: counter.exactness(),
            legendre: self.legendre,
        })
    }

    /// The counts that are at hand in files: random pairs as `of_rr` takes them from `--rr`, any as `find` finds them in those of `--reuse`.
    fn saved<C>(
        &self,
        terms: &[(Term, Pairs<'a>)],
        asked: &[NamedCount<'a>],
        (bins, counter): (&Bins, &Counter<'a>),
        of_rr: impl Fn((&Path, &Table), Term, &Expected<'_>) -> Result<C>,
        find: impl Fn(&Saved<'_>, &Expected<'_>) -> Result<Option<C>>,
    ) -> Result<Vec<(Term, C, &Path)>> {
        let read = |path| Saved::read(path, &self.results);
        let results: Vec<_> = self
            .reuse
            .iter()
            .map(|path| read(path))
            .collect::<Result<_>>()?;
        let mut found: Vec<(Term, C, &Path)> = Vec::new();
        for &(term, pairs) in terms {
            let expected = self.expected(pairs, bins, counter)?;
            let weighed = asked
                .iter()
                .any(|count| count.name == term.name && count.what.pair_weight().is_some());
            if let Some(path) = self.rr.as_deref().filter(|_| term.is_volume()) {
                let table = self.results.read(path)?;
                found.push((term, of_rr((path, &table), term, &expected)?, path));
                continue;
            }
            // Neither separations nor subsets nor weights nor sums of pairs are taken from a saved count.
            let means = self.mean_of(term, bins).is_some();
            let summed = self.summed.is_some_and(|summed| summed.sums_of(term));
            if self.subsets_of(term).is_some() || means || weighed || summed {
                continue;
            }
            for result in &results {
                if let Some(counts) = find(result, &expected)? {
                    found.push((term, counts, result.path()));
                    break;
                }
            }
        }
        let used = |path: &Path| found.iter().any(|(_, _, other)| *other == path);
        if let Some(idle) = results.iter().find(|result| !used(result.path())) {
            let names: Vec<&str> = terms.iter().map(|(term, _)| term.name).collect();
            bail!(
                "--reuse {} does not fit: none of its counts is of the particles, weights and box of {} here, or another result has them",
                idle.path().display(),
                names.join(", ")
            );
        }
        Ok(found)
    }

    /// The counts by region that are at hand in files.
    fn saved_by_region(
        &self,
        terms: &[(Term, Pairs<'a>)],
        asked: &[NamedCount<'a>],
        of: (&Bins, &Counter<'a>),
    ) -> Result<Vec<(Term, Counts, &Path)>> {
        let given = self.rr.is_some() || !self.reuse.is_empty();
        if given && !self.legendre.is_empty() {
            bail!(
                "--rr and --reuse: no file holds Legendre sums by region: leave them out, or take --poles-from mu"
            );
        }
        let regions = self.inputs.record().get("regions").unwrap_or(&Value::Null);
        let of_rr = |rr: (&Path, &Table), term: Term, expected: &Expected<'_>| {
            saved_regions::read(rr, term, expected, regions)
        };
        let find = |saved: &Saved<'_>, expected: &Expected<'_>| {
            saved_regions::find((saved.path(), &saved.table), expected, regions)
        };
        self.saved(terms, asked, of, of_rr, find)
    }

    /// What counts become.
    pub(super) fn estimates(
        &self,
        estimator: &AnyEstimator,
        counts: &TermCounts,
    ) -> Result<(Correlation, Option<Multipoles>), EstimatorError> {
        let without_pairs = counts.without_pairs();
        for term in &without_pairs {
            tracing::warn!(
                "{}: no pair lies in any bin, so that the estimate means nothing: do the samples lie in one place, in the same units?",
                term.name
            );
        }
        let poles = self
            .orders
            .map(|orders| estimator.multipoles(counts, orders));
        let xi = estimator.estimate(counts)?;
        if without_pairs.is_empty() && !xi.xi.iter().any(|xi| xi.is_finite()) {
            tracing::warn!("the estimator divides by 0 in every bin: no value of it is a number");
        }
        Ok((xi, poles.transpose()?))
    }

    /// The counts of all terms in their order, read back where they are at hand.
    pub(super) fn counted(
        &self,
        estimation: &Estimation<'a>,
        bins: &Bins,
        counter: &mut Counter<'a>,
    ) -> Result<Vec<TermCount>> {
        let terms = estimation.terms();
        let asked = self.counts_of(terms, bins)?;
        let mut saved = if self.method.is_some() {
            self.saved_by_region(terms, &asked, (bins, counter))?
        } else {
            let of_rr = |rr: (&Path, &Table), _: Term, expected: &Expected<'_>| {
                saved_counts::read(rr, expected)
            };
            let find = |saved: &Saved<'_>, expected: &Expected<'_>| saved.find(expected);
            self.saved(terms, &asked, (bins, counter), of_rr, find)?
        };
        let held: Vec<Term> = saved.iter().map(|(term, ..)| *term).collect();
        let open = asked.iter().zip(terms);
        let open = open.filter(|(_, (term, _))| !held.contains(term));
        let open = open.flat_map(|(count, &(term, _))| match self.subsets_of(term) {
            Some(subsets) => subsets.counts_in(bins).collect(),
            None => vec![count.clone()],
        });
        let open: Vec<_> = open.collect();
        let classes = match self.method {
            None if self.by_class => Classes::Species,
            None => Classes::One,
            Some(_) => Classes::Regions,
        };
        match self.whole {
            None => counter.decide(&open)?,
            Some(whole) => {
                let open: Vec<_> = open.into_iter().map(|count| count.by(classes)).collect();
                let of_all = |count: &NamedCount<'a>| {
                    let term = terms.iter().find(|(term, _)| term.name == count.name);
                    whole.count(term?.0.roles().map(Role::name), count)
                };
                let counts = open.iter().filter_map(of_all).collect();
                let number = whole.number;
                counter.decide_realised(&open, &AtOnce { counts, number })?;
            }
        }
        let mut count = |term: Term, pairs| -> Result<TermCount> {
            if let Some(place) = saved.iter().position(|(held, ..)| *held == term) {
                let (_, counts, path) = saved.swap_remove(place);
                counter.reuse(term.name, &counts, path);
                if classes == Classes::Regions {
                    counter.note_regions(pairs)?;
                }
                return Ok(counts.into());
            }
            if let Some(subsets) = self.subsets_of(term) {
                return subsets.count(pairs, (bins, classes), counter);
            }
            let found = asked.iter().find(|count| count.name == term.name);
            let asked =
                found.with_context(|| format!("{}: this count was not planned", term.name))?;
            Ok(counter.count(&asked.clone().by(classes))?.into())
        };
        let counted = terms.iter().map(|&(term, pairs)| count(term, pairs));
        counted.collect()
    }

    /// What is counted for an estimator, of samples that `of` gives by its roles.
    pub(super) fn estimation(
        &self,
        estimator: &AnyEstimator,
        bins: &Bins,
        of: impl Fn(Role) -> Role,
    ) -> Result<Estimation<'a>> {
        let (inputs, domain) = (self.inputs, self.inputs.domain());
        let sample = |role: Role| {
            let valued = self.summed.and_then(|summed| summed.sample(of(role)));
            valued.or_else(|| inputs.find(of(role).name()))
        };
        let estimation = Estimation::new(estimator.clone(), bins, domain, sample);
        let estimation = estimation.and_then(|all| all.with_cuts(domain, &self.cuts));
        let legendre = self.legendre;
        Ok(estimation.map_err(with_advice)?.with_legendre(legendre)?)
    }

    /// Makes all counts, but for random pairs that are at hand, and the estimate; none of a part.
    pub(super) fn run(&self, bins: &Bins, counter: &mut Counter<'a>) -> Result<Option<Made>> {
        let estimation = self.estimation(&self.estimator, bins, |role| role)?;
        let counted = self.counted(&estimation, bins, counter)?;
        if counter.is_over() {
            return Ok(None);
        }
        let mut counted = counted.into_iter();
        let next = |term: Term, _| {
            let count = counted.next();
            count.with_context(|| format!("{}: this count was not made", term.name))
        };
        let Some(method) = self.method else {
            let counts = estimation.counts(next)?;
            let (xi, poles) = self.estimates(&self.estimator, &counts)?;
            return Ok(Some(Made {
                xi,
                formulas: self.formulas_of(&counts)?,
                poles,
                scatter: None,
            }));
        };
        let terms = estimation.run_by_region(self.inputs.cells(), next)?;
        let (xi, poles) = self.estimates(&self.estimator, &terms.counts())?;
        let scatter = Scatter::of(&terms, method, |counts| {
            if let Some(orders) = self.orders {
                return Ok(self.estimator.multipoles(counts, orders)?.in_a_row());
            }
            let mut row = self.estimator.estimate(counts)?.xi;
            for formula in self.formulas.iter().flat_map(NamedFormulas::further) {
                row.extend(formula.estimate(counts)?.xi);
            }
            Ok(row)
        })?;
        Ok(Some(Made {
            xi,
            formulas: self.formulas_of(&terms.counts())?,
            poles,
            scatter: Some(scatter),
        }))
    }

    /// What further formulas make of counts.
    fn formulas_of(&self, counts: &TermCounts) -> Result<Option<Formulas>> {
        let Some(named) = &self.formulas else {
            return Ok(None);
        };
        let further = named.further().iter().map(|one| one.estimate(counts));
        Ok(Some(Formulas {
            further: further.collect::<Result<_, _>>()?,
            named: named.clone(),
        }))
    }
}
