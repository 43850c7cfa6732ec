//! The walk: which blocks of one sample lie within reach of which blocks of another, under which translation.
//!
//! An auto walk meets each unordered pair of blocks once; an ordered or cross walk meets every pair of blocks.

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

/// Unordered pairs within a unit of `own` points, and of these with the `later` points of the sample.
fn pairs_once(own: u64, later: u64) -> u64 {
    pairs_within(own) + own * later
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
        Self {
            first,
            second: other,
            same: second.is_none(),
            once: once && second.is_none(),
            translations: translations(domain, &first.bounds, &other.bounds, region.per_axis),
            region,
        }
    }

    /// Units of work: the groups of the first layout.
    pub(crate) fn n_units(&self) -> usize {
        self.first.groups.len()
    }

    /// Pairs of points whose first one is in unit `unit`, in reach or not.
    pub(crate) fn n_pairs(&self, unit: usize) -> u64 {
        let group = &self.first.groups[unit];
        let (first, end) = (group.first as usize, group.end as usize);
        let before = &self.first.points_before;
        let own = before[end] - before[first];
        if self.once {
            return pairs_once(own, self.first.n_points() - before[end]);
        }
        own * self.second.n_points()
    }

    /// Meets every pair of blocks whose first block is in unit `unit`.
    #[inline]
    pub(crate) fn visit(&self, unit: usize, mut meet: impl FnMut(BlockPair)) {
        let group = &self.first.groups[unit];
        for &translation in &self.translations {
            let near = |bounds: &Bounds| {
                self.region
                    .reaches(group.bounds.gaps(bounds, translation.vector))
            };
            if !near(&self.second.bounds) {
                continue;
            }
            for cluster in &self.second.clusters {
                if self.once && cluster.end as usize <= unit || !near(&cluster.bounds) {
                    continue;
                }
                for other in cluster.range() {
                    let skipped = self.once
                        && (other < unit
                            || other == unit
                                && !translation.is_identity()
                                && !translation.is_positive());
                    if !skipped && near(&self.second.groups[other].bounds) {
                        let own = other == unit && self.same && translation.is_identity();
                        self.visit_groups(
                            group,
                            &self.second.groups[other],
                            translation,
                            own,
                            &mut meet,
                        );
                    }
                }
            }
        }
    }

    #[inline]
    fn visit_groups(
        &self,
        group: &Run,
        other: &Run,
        translation: Translation,
        own: bool,
        meet: &mut impl FnMut(BlockPair),
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
mod tests {
    use super::*;
    use crate::particles::MAX_PARTICLES;

    #[test]
    fn units_of_the_largest_sample_add_up_to_all_pairs() {
        let (n, unit) = (MAX_PARTICLES as u64, 1024);
        let units = (0..n).step_by(1024).map(|start| {
            let own = unit.min(n - start);
            pairs_once(own, n - start - own)
        });
        assert_eq!(units.sum::<u64>(), pairs_within(n));
    }
}
