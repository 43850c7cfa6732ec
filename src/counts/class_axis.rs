//! The classes of pairs along the slowest axis of counts, behind the row of all pairs.
//!
//! Entry: [`Counts::by_class`], [`Counts::class`]; [`Layout`] makes the row of all pairs of the tables of a tally. What is left without a region is
//! in `regions`.

use std::ops::{Add, Range};

use super::weighted::JobTotals;
use super::{Counts, Covers, ExactSums, JobId, PairKind, PairTotal, Part};
use crate::error::CountsError;
use crate::tally::Classes;

/// Classes in the order of the tables of [`Classes`].
#[derive(Debug, Clone, PartialEq, Default)]
pub(super) struct ClassAxis {
    pub(super) by: Classes,
    pub(super) classes: Vec<Class>,
    /// Of each region, which pairs there are with no point in it: they are in no row.
    pub(super) outside: Vec<Class>,
}

/// Which pairs a class is, and which of them are covered.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Class {
    pub(super) kind: PairKind,
    pub(super) covers: Covers,
}

impl Class {
    /// A part of the pairs of a class with this total.
    fn part((id, part): (JobId, Part), total: PairTotal) -> Self {
        Self {
            kind: total.kind,
            covers: Covers::part(id, part, total),
        }
    }

    /// All of them, or those of all jobs together.
    pub(super) fn total(&self) -> PairTotal {
        self.covers.total(self.kind)
    }

    /// The same with other totals.
    pub(super) fn with_totals(&self, of: impl Fn(PairTotal) -> PairTotal) -> Self {
        let covers = self.covers.with_totals(of);
        Self { covers, ..*self }
    }
}

/// What both cover, class by class.
fn union(ours: &[Class], theirs: &[Class]) -> Result<Vec<Class>, CountsError> {
    let both = ours.iter().zip(theirs);
    let class = |(ours, theirs): (&Class, &Class)| {
        let covers = ours.covers.union(&theirs.covers)?;
        Ok(Class { covers, ..*ours })
    };
    both.map(class).collect()
}

impl ClassAxis {
    /// The classes of a job, or of a part of it.
    pub(super) fn of_job((id, part): (JobId, Part), by: Classes, totals: JobTotals) -> Self {
        let number = totals.classes.len();
        let all = totals.classes.into_iter().chain(totals.outside);
        let all = all.enumerate();
        let all = all.map(|(table, total)| Class::part((id.class(table), part), total));
        let mut classes: Vec<Class> = all.collect();
        let outside = classes.split_off(number);
        Self {
            by,
            classes,
            outside,
        }
    }

    /// The same regions with these totals of the pairs outside them.
    pub(super) fn with_outside(self, totals: Vec<PairTotal>) -> Self {
        let outside = totals.into_iter().enumerate();
        let outside = outside.map(|(k, total)| Class::part((JobId(k as u64), Part::WHOLE), total));
        Self {
            outside: outside.collect(),
            ..self
        }
    }

    /// Whether both are the same parts of the same classes.
    pub(super) fn is_same(&self, other: &Self) -> bool {
        let mut both = self.classes.iter().zip(&other.classes);
        let same = |(ours, theirs): (&Class, &Class)| ours.covers.is_same(&theirs.covers);
        self.by == other.by && self.classes.len() == other.classes.len() && both.all(same)
    }

    /// What both cover.
    pub(super) fn union(&self, other: &Self) -> Result<Self, CountsError> {
        Ok(Self {
            by: self.by,
            classes: union(&self.classes, &other.classes)?,
            outside: union(&self.outside, &other.outside)?,
        })
    }
}

/// How the tables of a tally make up all pairs.
pub(super) struct Layout {
    by: Classes,
    /// Each pair is in one of these tables,
    once: Range<usize>,
    /// or in two of these.
    twice: Range<usize>,
}

impl Layout {
    /// Of the tables of a job with these totals.
    pub(super) fn of(by: Classes, totals: &JobTotals) -> Self {
        let (number, regions) = (totals.classes.len(), totals.outside.len());
        let (once, twice) = match by {
            Classes::One | Classes::Species => (number, number),
            // Each pair across regions is in one table by its first point; in two where there is no first.
            Classes::Regions if number == 2 * regions => (regions, 2 * regions),
            Classes::Regions => (2 * regions, 2 * regions),
        };
        Self {
            by,
            once: 0..once,
            twice: once..twice,
        }
    }

    /// The row of all pairs and, where there are classes, these behind it.
    pub(super) fn with_whole<T: Copy + Default + Add<Output = T>>(
        &self,
        tables: &[T],
        bins: usize,
        half: impl Fn(T) -> T,
    ) -> Vec<T> {
        if self.by == Classes::One {
            return tables.to_vec();
        }
        let sum = |of: &Range<usize>, bin: usize| {
            let values = of.clone().map(|table| tables[table * bins + bin]);
            values.fold(T::default(), |a, b| a + b)
        };
        let whole = (0..bins).map(|bin| sum(&self.once, bin) + half(sum(&self.twice, bin)));
        whole.chain(tables.iter().copied()).collect()
    }
}

impl ExactSums {
    /// The sums of all pairs before those of classes.
    pub(super) fn with_whole(self, layout: &Layout, bins: usize) -> Self {
        let sums = layout.with_whole(&self.sums, bins, |twice| twice / 2);
        Self { sums, ..self }
    }
}

impl Counts {
    /// What the pairs are kept apart by.
    pub fn classes(&self) -> Classes {
        self.classes.by
    }

    /// The counts of all pairs, without classes.
    #[must_use]
    pub fn whole(&self) -> Self {
        self.row(0, self.kind, self.covers.clone())
    }

    /// The counts of a class, in the order of [`Classes`], if there is such a class.
    pub fn class(&self, class: usize) -> Option<Self> {
        let Class { kind, covers } = self.classes.classes.get(class)?;
        Some(self.row(class + 1, *kind, covers.clone()))
    }

    /// The counts of each class, in the order of [`Classes`].
    pub fn by_class(&self) -> Vec<Self> {
        let classes = 0..self.classes.classes.len();
        classes.filter_map(|class| self.class(class)).collect()
    }

    fn row(&self, row: usize, kind: PairKind, covers: Covers) -> Self {
        let bins = self.binning.n_bins();
        let bins = row * bins..(row + 1) * bins;
        Self {
            binning: self.binning.clone(),
            kind,
            npairs: self.npairs[bins.clone()].to_vec(),
            numbered: self.numbered,
            sums: self.sums.in_bins(bins),
            classes: ClassAxis::default(),
            exactness: self.exactness,
            covers,
            pair_weight: self.pair_weight.clone(),
            cuts: self.cuts.clone(),
        }
    }
}
