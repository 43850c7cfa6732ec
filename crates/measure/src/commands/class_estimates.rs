//! Estimates of every pair of classes, of counts that hold classes apart.
//!
//! Entry: [`Plan::run_by_class`], [`Estimates`]. Within a class it is the estimator itself, between two its form for two samples.

use std::path::{Path, PathBuf};

use albireo::binning::PairOrder;
use albireo::counts::PairKind;
use albireo::estimators::{AnyEstimator, Estimation, Role, Term};
use albireo::particles::Labels;
use albireo::tally::unordered_class;
use albireo::{Bins, Counts, Pairs};
use albireo_samples::Samples;
use anyhow::{Context, Result};
use serde_json::{Map, Value};

use super::derived::Derived;
use super::estimated::Estimated;
use super::plan::{Made, Plan};
use crate::by_class::ClassPairs;
use crate::counted::Counted;
use crate::counting::Counter;
use crate::packages;
use crate::record::Record;
use crate::session::Sink;
use crate::usage::usage;

/// An estimate, or one of each pair of classes.
pub(super) struct Estimates {
    pub(super) pairs: Option<ClassPairs>,
    pub(super) each: Vec<Estimated>,
}

impl From<Estimated> for Estimates {
    fn from(one: Estimated) -> Self {
        Self {
            pairs: None,
            each: vec![one],
        }
    }
}

impl Estimates {
    /// The table of what is made of them, which goes to `path`.
    pub(super) fn table(
        &self,
        derived: &Derived,
        path: Option<&Path>,
        write_covariance: bool,
    ) -> Result<packages::Made> {
        let Some(pairs) = &self.pairs else {
            let one = self.each.first().context("there is no estimate")?;
            return derived.table(one, path, write_covariance);
        };
        let tables = self.each.iter();
        let tables = tables.map(|one| Ok(derived.table(one, None, false)?.table));
        Ok(pairs.joined(tables.collect::<Result<_>>()?)?.into())
    }
}

/// The estimator between two classes, where those within are `estimator`'s.
fn between_classes(estimator: &AnyEstimator) -> Result<AnyEstimator> {
    let twin = match estimator {
        AnyEstimator::Named(named) => named.of_two_samples(),
        _ => None,
    };
    let twin = twin.map(AnyEstimator::from);
    twin.ok_or_else(|| {
        usage(format!(
            "--estimator {} is not defined between two classes: with --classes take landy-szalay, natural or davis-peebles",
            estimator.name()
        ))
    })
}

/// Refuses classes beside what holds pairs `apart` otherwise or takes counts that have none, and estimators between two samples that there are not.
pub(super) fn check_classes(estimator: &AnyEstimator, is_cross: bool, apart: bool) -> Result<()> {
    if apart {
        return Err(usage(
            "--classes holds pairs apart by classes alone: leave out --regions and its like, --split-randoms, --rr and --reuse",
        ));
    }
    if !is_cross {
        between_classes(estimator)?;
    }
    Ok(())
}

/// The role of one sample that stands for one of two.
fn of_one(role: Role) -> Role {
    match role {
        Role::SecondData => Role::Data,
        Role::SecondRandoms => Role::Randoms,
        Role::SecondShifted => Role::Shifted,
        role => role,
    }
}

/// A count that holds classes apart.
struct ByClass<'c> {
    term: Term,
    counts: &'c Counts,
    counted: &'c Counted,
    /// How many classes the first and the second sample have.
    classes: [usize; 2],
}

impl ByClass<'_> {
    /// The pairs of two classes; all objects of a sample that has no classes.
    fn between(&self, [a, b]: [usize; 2]) -> Option<Counts> {
        let [n1, n2] = self.classes;
        let [a, b] = [if n1 == 1 { 0 } else { a }, if n2 == 1 { 0 } else { b }];
        if self.counts.kind() == PairKind::AutoUnordered {
            self.counts.class(unordered_class(n1, [a, b]))
        } else {
            self.counts.class(a * n2 + b)
        }
    }
}

/// The pairs of two classes that an estimator has by this name.
fn of_classes(
    all: &[ByClass<'_>],
    term: Term,
    [a, b]: [usize; 2],
    (pairs, order): (&ClassPairs, PairOrder),
) -> Result<(Counts, Counted)> {
    let [first, second] = term
        .roles()
        .map(|role| if pairs.is_one { of_one(role) } else { role });
    let find = |roles: [Role; 2]| all.iter().find(|one| one.term.roles() == roles);
    let found = match find([first, second]) {
        Some(one) => one.between([a, b]).map(|counts| (one, counts)),
        // Where bins tell no order, pairs are counted one way round.
        None if order == PairOrder::Unordered => {
            find([second, first]).and_then(|one| one.between([b, a]).map(|counts| (one, counts)))
        }
        None => None,
    };
    let (one, counts) = found.with_context(|| format!("{}: this count was not made", term.name))?;
    let counted = Counted {
        name: term.name,
        ..one.counted.of_class(&counts)
    };
    Ok((counts, counted))
}

/// The number of classes of both samples.
fn classes_of(pairs: Pairs<'_>) -> Option<[usize; 2]> {
    let (first, second) = pairs.both();
    let number = |labels: Option<&Labels>| Some(labels?.number() as usize);
    Some([number(first.labels())?, number(second.labels())?])
}

/// What is made of a pair of classes, and the counts it was made of.
pub(super) type OfClasses = (Made, Vec<Counted>);

impl<'a> Plan<'a> {
    /// Makes the estimate of all samples, or that of each pair of classes; none of a part.
    pub(super) fn each(
        &self,
        bins: &Bins,
        classes: Option<&ClassPairs>,
        counter: &mut Counter<'a>,
    ) -> Result<Option<Vec<OfClasses>>> {
        match classes {
            Some(pairs) => self.run_by_class(bins, pairs, counter),
            None => Ok((self.run(bins, counter)?).map(|made| vec![(made, vec![])])),
        }
    }

    /// Makes all counts, and the estimate of each pair of classes; none of a part.
    fn run_by_class(
        &self,
        bins: &Bins,
        pairs: &ClassPairs,
        counter: &mut Counter<'a>,
    ) -> Result<Option<Vec<OfClasses>>> {
        let within = self.estimation(&self.estimator, bins, |role| role)?;
        let between = if pairs.is_one {
            self.estimation(&between_classes(&self.estimator)?, bins, of_one)?
        } else {
            within.clone()
        };
        let counted = self.counted(&within, bins, counter)?;
        if counter.is_over() {
            return Ok(None);
        }
        let terms = within.terms().iter().zip(&counted).zip(&counter.done);
        let all = terms.map(|((&(term, pairs), counts), counted)| {
            let counts = counts.of_all_pairs();
            Some(ByClass {
                term,
                counts: counts?,
                counted,
                classes: classes_of(pairs)?,
            })
        });
        let all = all.collect::<Option<Vec<_>>>();
        let all = all.context("a count holds no classes apart")?;
        let one = |&[a, b]: &[usize; 2]| {
            let estimation: &Estimation<'_> = if a == b { &within } else { &between };
            let mut made_of = Vec::new();
            let counts = estimation.clone().counts(|term, _| {
                let (counts, counted) = of_classes(&all, term, [a, b], (pairs, bins.order()))?;
                made_of.push(counted);
                anyhow::Ok(counts)
            })?;
            let (xi, poles) = self.estimates(estimation.estimator(), &counts)?;
            let made = Made {
                xi,
                formulas: None,
                poles,
                scatter: None,
            };
            Ok((made, made_of))
        };
        Ok(Some(pairs.each.iter().map(one).collect::<Result<_>>()?))
    }
}

/// The estimate of all samples, or that of each pair of classes, in the form that tables are made of. `done` are the counts of all pairs.
pub(super) fn each_estimated(
    (pairs, made): (Option<ClassPairs>, Vec<OfClasses>),
    (inputs, covariance, sink): (&Samples, Option<PathBuf>, Sink),
    done: Vec<Counted>,
    record: &Record,
) -> Estimates {
    let by_class = made.iter().any(|(_, counts)| !counts.is_empty());
    let mut done = Some(done);
    let estimated = |(made, counts): OfClasses| {
        let mut record = record.clone();
        let counts = if let Some(all) = done.take().filter(|_| !by_class) {
            all
        } else {
            let of = |count: &Counted| (count.name.to_owned(), count.record.clone());
            let of_classes: Map<_, _> = counts.iter().map(of).collect();
            record.set("counts", Value::Object(of_classes));
            counts
        };
        record.set("estimator", made.xi.estimator.clone());
        let mut xi = made.xi;
        inputs.name_axes(&mut xi.axes);
        let mut formulas = made.formulas;
        if let Some(formulas) = &mut formulas {
            record.set("formulas", formulas.named.record());
            for xi in &mut formulas.further {
                inputs.name_axes(&mut xi.axes);
            }
        }
        Estimated {
            poles: made.poles,
            scatter: made.scatter,
            covariance: covariance.clone(),
            xi,
            formulas,
            counts,
            record,
            unit: inputs.unit().map(str::to_owned),
            sink: sink.clone(),
        }
    };
    let each = made.into_iter().map(estimated).collect();
    Estimates { pairs, each }
}
