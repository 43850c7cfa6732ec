//! The walk: which blocks of one sample lie within reach of which blocks of another, under which translation.
//!
//! An auto walk meets each unordered pair of blocks once; an ordered or cross walk meets every pair of blocks.

use std::ops::Range;

use super::bounds::Bounds;
use super::images::{Translation, translations};
use super::layout::{Layout, Run};
use super::sort::BLOCK;
use crate::binning::Reach;
use crate::domain::Domain;
use crate::particles::pairs_within;

/// The region around a point that bins can reach, widened by the rounding of the arithmetic that compares with it.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Region {
    axis: Option<usize>,
    pub(crate) across2: f64,
    pub(crate) along: f64,
    per_axis: [f64; 3],
    /// How far apart along an axis blocks may be for their pairs to be looked at though they are out of reach; 0 where none are.
    everything: f64,
}

/// Blocks this many times the reach apart have no pair to look at: filters take slots without a point, which lie farther away than that,
/// for points out of reach.
const EVERYTHING: f64 = 1e9;

impl Region {
    /// The region of `reach`, widened by `slack` length units.
    pub(crate) fn new(reach: Reach, slack: f64) -> Self {
        let wide = |r: f64| r * (1.0 + 1e-9) + slack;
        let (axis, across, along) = match reach {
            Reach::Sphere(radius) => (None, wide(radius), f64::INFINITY),
            Reach::Cylinder {
                axis,
                across,
                along,
            } => (Some(axis.index()), wide(across), wide(along)),
        };
        Self {
            axis,
            across2: across * across,
            along,
            per_axis: reach.along_axes().map(wide),
            everything: 0.0,
        }
    }

    /// The same region with no block left out that is not absurdly far away, for looking at every pair.
    pub(crate) fn everything(self) -> Self {
        let reach = self.per_axis.into_iter().fold(0.0, f64::max);
        Self {
            everything: reach * EVERYTHING,
            ..self
        }
    }

    /// How far the region extends along each axis.
    pub(crate) fn per_axis(&self) -> [f64; 3] {
        self.per_axis
    }

    /// The axis of the cylinder, if it is one.
    pub(crate) fn axis(&self) -> Option<usize> {
        self.axis
    }

    /// Whether nothing may be left out.
    pub(crate) fn is_everything(&self) -> bool {
        self.everything > 0.0
    }

    #[inline]
    fn reaches(&self, gaps: [f64; 3]) -> bool {
        let [x, y, z] = gaps;
        let inside = match self.axis {
            None => x * x + y * y + z * z <= self.across2,
            Some(0) => y * y + z * z <= self.across2 && x <= self.along,
            Some(1) => x * x + z * z <= self.across2 && y <= self.along,
            Some(_) => x * x + y * y <= self.across2 && z <= self.along,
        };
        inside || self.is_everything() && gaps.into_iter().all(|gap| gap <= self.everything)
    }
}

/// Which slots of a pair of blocks are pairs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Slots {
    /// Every slot of one with every slot of the other.
    All,
    /// The block meets itself: each slot with the later ones.
    Later,
    /// The block meets itself: each slot with every other one.
    Others,
}

/// Two blocks within reach.
#[derive(Debug, Clone, Copy)]
pub(crate) struct BlockPair {
    pub(crate) first: usize,
    pub(crate) second: usize,
    pub(crate) translation: Translation,
    pub(crate) slots: Slots,
}

impl BlockPair {
    /// Meets every pair of slots that hold points.
    pub(crate) fn for_each_pair(
        &self,
        first: &Layout,
        second: &Layout,
        mut meet: impl FnMut(usize, usize),
    ) {
        let n_first = first.blocks[self.first].n as usize;
        let n_second = second.blocks[self.second].n as usize;
        for i in 0..n_first {
            let start = if self.slots == Slots::Later { i + 1 } else { 0 };
            for j in start..n_second {
                if self.slots != Slots::Others || i != j {
                    meet(self.first * BLOCK + i, self.second * BLOCK + j);
                }
            }
        }
    }
}

/// Which of two groups takes the pairs between them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Taking {
    /// Either of them, in its own order: the pairs of a cross count, or of both orders.
    All,
    /// The one that comes first. Groups and labels before a group are then skipped as a whole.
    Later,
    /// One or the other by the parity of their numbers, so that every group takes half of its neighbours, be it early or late.
    Parity,
}

impl Taking {
    /// How the groups of a sample share their pairs, each of them `once`.
    ///
    /// With several labels they go by their order: only then are pairs of two labels met in one run.
    pub(crate) fn of(sample: &Layout, once: bool) -> Self {
        if !once {
            Self::All
        } else if sample.has_labels() {
            Self::Later
        } else {
            Self::Parity
        }
    }

    /// Whether group `u` takes its pairs with another group `v`.
    #[inline]
    pub(crate) fn takes(self, u: usize, v: usize) -> bool {
        match self {
            Self::All => true,
            Self::Later => u < v,
            Self::Parity => (u < v) == ((u ^ v) & 1 == 1),
        }
    }
}

/// How the blocks of two layouts are paired.
#[derive(Debug)]
pub(crate) struct Walk<'a> {
    first: &'a Layout,
    second: &'a Layout,
    /// Both layouts are one sample.
    same: bool,
    /// Each unordered pair is met once.
    once: bool,
    taking: Taking,
    /// Points in the groups of even numbers before each group, and in all.
    even_before: Vec<u64>,
    /// The units of the walk.
    span: Range<usize>,
    region: Region,
    translations: Vec<Translation>,
}

impl<'a> Walk<'a> {
    /// The walk over the pairs within a sample (`second` absent), each unordered pair `once` or both orders.
    pub(crate) fn new(
        first: &'a Layout,
        second: Option<&'a Layout>,
        once: bool,
        domain: &Domain,
        region: Region,
    ) -> Self {
        let other = second.unwrap_or(first);
        let once = once && second.is_none();
        let taking = Taking::of(first, once);
        let mut even_before = Vec::new();
        if taking == Taking::Parity {
            even_before.reserve(first.groups.len() + 1);
            even_before.push(0);
            let mut even = 0;
            for (number, group) in first.groups.iter().enumerate() {
                if number.is_multiple_of(2) {
                    even += first.points_of(group);
                }
                even_before.push(even);
            }
        }
        Self {
            first,
            second: other,
            same: second.is_none(),
            once,
            taking,
            even_before,
            span: 0..first.groups.len(),
            translations: translations(domain, &first.bounds, &other.bounds, region.per_axis),
            region,
        }
    }

    /// The same walk over these units alone.
    pub(crate) fn within(self, span: Range<usize>) -> Self {
        Self { span, ..self }
    }

    /// Units of work, by the numbers of their groups in the first layout.
    pub(crate) fn units(&self) -> Range<usize> {
        self.span.clone()
    }

    /// Which of two groups takes their pairs.
    pub(crate) fn taking(&self) -> Taking {
        self.taking
    }

    /// Pairs of points that unit `unit` takes, in reach or not.
    pub(crate) fn n_pairs(&self, unit: usize) -> u64 {
        let group = &self.first.groups[unit];
        let own = self.first.points_of(group);
        let before = &self.first.points_before;
        match self.taking {
            Taking::All => own * self.second.n_points(),
            Taking::Later => {
                pairs_within(own) + own * (self.first.n_points() - before[group.end as usize])
            }
            Taking::Parity => {
                let even = |group: usize| self.even_before[group];
                let (all_even, all) = (even(self.first.groups.len()), self.first.n_points());
                let [earlier, later] = [group.first, group.end].map(|block| before[block as usize]);
                let others = if unit.is_multiple_of(2) {
                    // Even ones before, odd ones behind.
                    even(unit) + (all - all_even) - (later - even(unit + 1))
                } else {
                    (earlier - even(unit)) + all_even - even(unit + 1)
                };
                pairs_within(own) + own * others
            }
        }
    }

    /// Pairs of points that unit `unit` takes in groups within reach: what it costs.
    pub(crate) fn n_near(&self, unit: usize) -> u64 {
        let own = self.first.points_of(&self.first.groups[unit]);
        let mut near = 0u64;
        self.near_groups(unit, &mut |other, translation| {
            let within = self.once && other == unit && translation.is_identity();
            near = near.saturating_add(if within {
                pairs_within(own)
            } else {
                own * self.second.points_of(&self.second.groups[other])
            });
        });
        near
    }

    /// Meets every pair of blocks that unit `unit` takes.
    pub(crate) fn visit(&self, unit: usize, meet: &mut dyn FnMut(BlockPair)) {
        let group = &self.first.groups[unit];
        self.near_groups(unit, &mut |other, translation| {
            let own = other == unit && self.same && translation.is_identity();
            let other = &self.second.groups[other];
            self.visit_groups(group, other, translation, own, meet);
        });
    }

    /// Meets every group within reach whose pairs unit `unit` takes.
    pub(crate) fn near_groups(&self, unit: usize, meet: &mut dyn FnMut(usize, Translation)) {
        let group = &self.first.groups[unit];
        let in_order = self.taking == Taking::Later;
        for &translation in &self.translations {
            let near = |bounds: &Bounds| {
                self.region
                    .reaches(group.bounds.gaps(bounds, translation.vector))
            };
            if !near(&self.second.bounds) {
                continue;
            }
            let twice = !translation.is_identity() && !translation.is_positive();
            for several in &self.second.superclusters {
                if !near(&several.bounds) {
                    continue;
                }
                for cluster in &self.second.clusters[several.range()] {
                    if in_order && cluster.end as usize <= unit || !near(&cluster.bounds) {
                        continue;
                    }
                    for other in cluster.range() {
                        let skipped = self.once
                            && if other == unit {
                                twice
                            } else {
                                !self.taking.takes(unit, other)
                            };
                        if !skipped && near(&self.second.groups[other].bounds) {
                            meet(other, translation);
                        }
                    }
                }
            }
        }
    }

    fn visit_groups(
        &self,
        group: &Run,
        other: &Run,
        translation: Translation,
        own: bool,
        meet: &mut dyn FnMut(BlockPair),
    ) {
        for first in group.range() {
            let bounds = &self.first.blocks[first].bounds;
            if !self
                .region
                .reaches(bounds.gaps(&other.bounds, translation.vector))
            {
                continue;
            }
            let start = if own && self.once {
                first
            } else {
                other.first as usize
            };
            for second in start..other.end as usize {
                let slots = match (own && first == second, self.once) {
                    (false, _) => Slots::All,
                    (true, true) => Slots::Later,
                    (true, false) => Slots::Others,
                };
                let gaps = bounds.gaps(&self.second.blocks[second].bounds, translation.vector);
                if self.region.reaches(gaps) {
                    meet(BlockPair {
                        first,
                        second,
                        translation,
                        slots,
                    });
                }
            }
        }
    }
}

#[cfg(test)]
#[path = "walk_tests.rs"]
mod tests;
