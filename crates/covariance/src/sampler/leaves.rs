//! The points of a round in leaves, so that pairs out of reach are passed over together.
//!
//! Entry: [`Leaves`]. Distances between boxes and points are never above those between the points inside.

use std::ops::Range;

use albireo::{Axis, Domain};

use super::points::RoundPoints;

/// Points of a leaf at most.
pub(super) const LEAF: usize = 32;

/// Leaves that share a box.
const GROUP: usize = 32;

/// More than the roundings of coordinates, relative to the largest.
const ROUNDINGS: f64 = 1e-14;

/// A box around points; half extents are rounded up.
#[derive(Debug, Clone, Copy)]
pub(super) struct Bounds {
    centre: [f64; 3],
    half: [f64; 3],
}

impl Bounds {
    fn around(points: &[[f64; 3]]) -> Self {
        let (mut lo, mut hi) = ([f64::INFINITY; 3], [f64::NEG_INFINITY; 3]);
        for x in points {
            for axis in 0..3 {
                lo[axis] = lo[axis].min(x[axis]);
                hi[axis] = hi[axis].max(x[axis]);
            }
        }
        let centre = [0, 1, 2].map(|k| 0.5 * lo[k] + 0.5 * hi[k]);
        let half = [0, 1, 2].map(|k| {
            let largest = lo[k].abs().max(hi[k].abs());
            (hi[k] - centre[k]).max(centre[k] - lo[k]) + ROUNDINGS * largest
        });
        Self { centre, half }
    }

    /// A point.
    pub(super) fn of(x: [f64; 3]) -> Self {
        Self {
            centre: x,
            half: x.map(|coordinate| ROUNDINGS * coordinate.abs()),
        }
    }
}

/// Points that lie near each other.
#[derive(Debug, Clone)]
pub(super) struct Leaf {
    pub(super) points: Range<usize>,
    pub(super) bounds: Bounds,
    /// The largest of their weights.
    pub(super) heaviest: f64,
}

/// Leaves of one tracer.
#[derive(Debug, Clone)]
pub(super) struct Leaves {
    pub(super) leaves: Vec<Leaf>,
    groups: Vec<Bounds>,
}

impl Leaves {
    /// The points in the order of their leaves.
    pub(super) fn new(points: &RoundPoints) -> (RoundPoints, Self) {
        let mut order: Vec<u32> = (0..points.len() as u32).collect();
        let mut ranges = vec![];
        halve(&points.x, &mut order, 0, &mut ranges);
        let points = points.in_order(&order);
        let leaf = |range: Range<usize>| Leaf {
            bounds: Bounds::around(&points.x[range.clone()]),
            heaviest: points.weights[range.clone()]
                .iter()
                .fold(0.0, |a, b| a.max(*b)),
            points: range,
        };
        let leaves: Vec<Leaf> = ranges.into_iter().map(leaf).collect();
        let group = |leaves: &[Leaf]| {
            let all = leaves[0].points.start..leaves[leaves.len() - 1].points.end;
            Bounds::around(&points.x[all])
        };
        let groups = leaves.chunks(GROUP).map(group).collect();
        (points, Self { leaves, groups })
    }

    /// The leaves with points closer to those in a box than the root of `reach2`, or more.
    pub(super) fn near(&self, space: &Space, bounds: &Bounds, reach2: f64, found: &mut Vec<usize>) {
        found.clear();
        for (group, leaves) in self
            .groups
            .iter()
            .zip(self.leaves.chunks(GROUP).enumerate())
        {
            if space.gap2(group, bounds) < reach2 {
                let near = leaves.1.iter().enumerate();
                let near = near.filter(|(_, leaf)| space.gap2(&leaf.bounds, bounds) < reach2);
                found.extend(near.map(|(k, _)| leaves.0 * GROUP + k));
            }
        }
    }
}

/// Cuts points at the median along their longest side, until few are left.
fn halve(x: &[[f64; 3]], order: &mut [u32], start: usize, ranges: &mut Vec<Range<usize>>) {
    if order.len() <= LEAF {
        ranges.push(start..start + order.len());
        return;
    }
    let (mut lo, mut hi) = ([f64::INFINITY; 3], [f64::NEG_INFINITY; 3]);
    for &k in order.iter() {
        for axis in 0..3 {
            lo[axis] = lo[axis].min(x[k as usize][axis]);
            hi[axis] = hi[axis].max(x[k as usize][axis]);
        }
    }
    let longer = |a: usize, b: usize| if hi[b] - lo[b] > hi[a] - lo[a] { b } else { a };
    let axis = longer(longer(0, 1), 2);
    // Full leaves, but for the last.
    let leaves = order.len().div_ceil(LEAF);
    let middle = leaves / 2 * LEAF;
    order.select_nth_unstable_by(middle, |&a, &b| {
        x[a as usize][axis].total_cmp(&x[b as usize][axis])
    });
    let (left, right) = order.split_at_mut(middle);
    halve(x, left, start, ranges);
    halve(x, right, start + middle, ranges);
}

/// Where boxes have their distances.
#[derive(Debug, Clone, Copy)]
pub(super) struct Space {
    /// Infinite along open axes.
    lengths: [f64; 3],
}

impl Space {
    pub(super) fn new(domain: &Domain) -> Self {
        let length = |axis| match domain {
            Domain::Periodic(cell) => cell.length(axis),
            _ => None,
        };
        Self {
            lengths: Axis::ALL.map(|axis| length(axis).unwrap_or(f64::INFINITY)),
        }
    }

    /// A square that no squared separation of points in two boxes is below.
    #[inline(always)]
    pub(super) fn gap2(&self, a: &Bounds, b: &Bounds) -> f64 {
        let (x, y, z) = (self.gap(a, b, 0), self.gap(a, b, 1), self.gap(a, b, 2));
        (x * x + y * y + z * z) * (1.0 - 1e-12)
    }

    #[inline(always)]
    fn gap(&self, a: &Bounds, b: &Bounds, axis: usize) -> f64 {
        let apart = (a.centre[axis] - b.centre[axis]).abs();
        let nearest = apart.min(self.lengths[axis] - apart);
        (nearest - (a.half[axis] + b.half[axis])).max(0.0)
    }
}
