//! The classes of pairs along the slowest axis of counts, behind the row of all pairs.
//!
//! Entry: [`Counts::by_class`], [`Counts::class`]; [`Layout`] makes the row of all pairs of the tables of a tally. What is left without a region is
//! in `regions`.

use std::ops::{Add, Range};

use super::weighted::JobTotals;
use super::{Counts, Covers, ExactSums, JobId, PairKind, PairTotal, Part};
use crate::error::MergeError;
use crate::tally::Classes;

/// Classes in the order of the tables of [`Classes`].
#[derive(Debug, Clone, PartialEq, Default)]
pub(super) struct ClassAxis {
    pub(super) by: Classes,
    pub(super) classes: Vec<Class>,
    /// Of each region, all pairs with no point in it.
    pub(super) outside: Vec<PairTotal>,
}

/// Which pairs a class is, and which of them are covered.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Class {
    pub(super) kind: PairKind,
    pub(super) covers: Covers,
}

impl ClassAxis {
    /// The classes of a job, or of a part of it.
    pub(super) fn of_job((id, part): (JobId, Part), by: Classes, totals: JobTotals) -> Self {
        let class = |(table, total): (usize, PairTotal)| Class {
            kind: total.kind,
            covers: Covers::part(id.class(table), part, total),
        };
        Self {
            by,
            classes: totals.classes.into_iter().enumerate().map(class).collect(),
            outside: totals.outside,
        }
    }

    /// Whether both are the same parts of the same classes.
    pub(super) fn is_same(&self, other: &Self) -> bool {
        let mut both = self.classes.iter().zip(&other.classes);
        let same = |(ours, theirs): (&Class, &Class)| ours.covers.is_same(&theirs.covers);
        self.by == other.by && self.classes.len() == other.classes.len() && both.all(same)
    }

    /// What both cover.
    pub(super) fn union(&self, other: &Self) -> Result<Self, MergeError> {
        let both = self.classes.iter().zip(&other.classes);
        let class = |(ours, theirs): (&Class, &Class)| {
            let covers = ours.covers.union(&theirs.covers)?;
            Ok(Class { covers, ..*ours })
        };
        let outside = self.outside.iter().zip(&other.outside);
        Ok(Self {
            by: self.by,
            classes: both.map(class).collect::<Result<_, MergeError>>()?,
            outside: outside
                .map(|(ours, theirs)| PairTotal::of_all(ours.kind, &[*ours, *theirs]))
                .collect(),
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
            sums: self.sums.in_bins(bins),
            classes: ClassAxis::default(),
            exactness: self.exactness,
            covers,
            pair_weight: self.pair_weight.clone(),
            cuts: self.cuts.clone(),
        }
    }
}
