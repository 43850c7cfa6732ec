//! One sample sorted into leaves of [`LEAF`] points, blocks of up to [`BLOCK`] and groups of blocks, each with its box.
//!
//! Points keep their float64 positions (in slot order) for exact decisions and float32 offsets from the centre of their block
//! for filters. Slots that hold no point lie far away and are numbered [`NO_ROW`].

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use rayon::prelude::*;

use super::sort::{BLOCK, LEAF, MAX_HALVINGS, NO_ROW, Slot, Stop, position_in, row_in};
use super::{Bounds, Held, Sorted};
use crate::binning::filter::FAR_AWAY;
use crate::particles::{MAX_PARTICLES, run_start};

/// Blocks in a full group.
pub(crate) const GROUP_BLOCKS: usize = 16;

/// Groups in a full cluster, and clusters in a full supercluster.
const CLUSTER_GROUPS: usize = 32;

// Rows, blocks and groups are numbered in 32 bits: each coarse cell has at most one block that is not full.
const _: () = assert!(MAX_PARTICLES < NO_ROW as usize);
const _: () = assert!(MAX_PARTICLES / BLOCK + (1 << MAX_HALVINGS) < u32::MAX as usize);

/// Up to [`BLOCK`] points close together.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Block {
    pub(crate) bounds: Bounds,
    /// Number of points.
    pub(crate) n: u32,
    /// The label that they share; 0 where there are none.
    pub(crate) label: u32,
    /// Box of each leaf, relative to the centre of the block, in scaled units: centre and half extents.
    pub(crate) leaves: [LeafBox; BLOCK / LEAF],
}

impl Block {
    /// The block of up to [`BLOCK`] points, its leaves in units of `1 / scale`.
    fn around(points: &[Slot], scale: f64) -> Self {
        let around = |points: &[Slot]| Bounds::around(points.iter().map(position_in));
        let bounds = around(points);
        let mut leaves = [LeafBox::default(); BLOCK / LEAF];
        for (leaf, points) in leaves.iter_mut().zip(points.chunks(LEAF)) {
            let around = around(points);
            for axis in 0..3 {
                let centre = ((around.centre[axis] - bounds.centre[axis]) * scale) as f32;
                leaf.centre[axis] = centre;
                // The centre was rounded: the half extents make up for it.
                leaf.half[axis] = up(around.half[axis] * scale + f64::from(centre.abs()) * 1.2e-7);
            }
        }
        Self {
            bounds,
            n: points.len() as u32,
            label: 0,
            leaves,
        }
    }

    /// The block in some slots, and the offsets of its points.
    fn with_offsets(slots: &[Slot], scale: f64) -> (Self, Offsets) {
        let points = &slots[..slots.partition_point(|slot| row_in(slot) != NO_ROW)];
        let block = Self::around(points, scale);
        let mut offsets = [[FAR_AWAY; BLOCK]; 3];
        for (slot, x) in points.iter().enumerate() {
            for axis in 0..3 {
                offsets[axis][slot] = ((x[axis] - block.bounds.centre[axis]) * scale) as f32;
            }
        }
        (block, offsets)
    }

    /// Number of leaves in use.
    pub(crate) fn n_leaves(&self) -> usize {
        (self.n as usize).div_ceil(LEAF)
    }
}

/// The box of a leaf in float32.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct LeafBox {
    pub(crate) centre: [f32; 3],
    pub(crate) half: [f32; 3],
}

/// The offsets of a block's points from its centre, scaled, axis by axis.
pub(crate) type Offsets = [[f32; BLOCK]; 3];

/// Consecutive blocks or groups with the box around them.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Run {
    pub(crate) bounds: Bounds,
    pub(crate) first: u32,
    pub(crate) end: u32,
}

impl Run {
    pub(crate) fn range(&self) -> std::ops::Range<usize> {
        self.first as usize..self.end as usize
    }
}

/// A sample sorted for the walk; block `b` owns the slots `b * BLOCK ..`.
#[derive(Debug)]
pub(crate) struct Layout {
    pub(crate) bounds: Bounds,
    pub(crate) blocks: Vec<Block>,
    pub(crate) offsets: Held<Offsets>,
    pub(crate) groups: Vec<Run>,
    pub(crate) clusters: Vec<Run>,
    pub(crate) superclusters: Vec<Run>,
    /// Number of points in the blocks before each block, and in all.
    pub(crate) points_before: Vec<u64>,
    /// The points in their order.
    sorted: Arc<Sorted>,
    /// Power of two that offsets are multiplied by.
    pub(crate) scale: f64,
    /// Largest half extent of a block, unscaled.
    pub(crate) largest_half: f64,
}

/// The positions of a layout: found once, as it takes time to find them where other processes hold them, too.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Positions<'a>(&'a [Slot]);

impl Positions<'_> {
    /// The one in a slot that holds a point.
    #[inline]
    pub(crate) fn at(&self, slot: usize) -> [f64; 3] {
        position_in(&self.0[slot])
    }
}

/// Rounds up to float32.
fn up(value: f64) -> f32 {
    (value as f32).next_up()
}

/// Consecutive runs of at most `most` members.
fn runs<'a>(bounds: &[Bounds], most: usize, ends: impl Iterator<Item = &'a usize>) -> Vec<Run> {
    let mut runs = vec![];
    let mut first = 0;
    for &end in ends {
        let n = end - first;
        let n_runs = n.div_ceil(most).max(1);
        for k in 0..n_runs {
            let [from, to] = [k, k + 1].map(|k| first + run_start(n, k, n_runs));
            runs.push(Run {
                bounds: Bounds::around_all(&bounds[from..to]),
                first: from as u32,
                end: to as u32,
            });
        }
        first = end;
    }
    runs
}

impl Layout {
    /// The blocks of sorted points; none where `stop` said true, which it is asked many times a second and must then go on saying.
    ///
    /// Offsets are multiplied by the power of two `scale`.
    pub(crate) fn new(sorted: &Arc<Sorted>, scale: f64, stop: &Stop<'_>) -> Option<Self> {
        let (mut blocks, mut offsets) = (vec![], vec![]);
        Self::each_block(sorted, scale, stop).unzip_into_vecs(&mut blocks, &mut offsets);
        (!stop()).then(|| Self::of_blocks(sorted, scale, blocks, offsets.into()))
    }

    /// The same with offsets that are there already; none where these are not the offsets of `sorted`, too.
    pub(crate) fn with_offsets(
        sorted: &Arc<Sorted>,
        scale: f64,
        offsets: Held<Offsets>,
        stop: &Stop<'_>,
    ) -> Option<Self> {
        if offsets.len() * BLOCK != sorted.slots.len() {
            return None;
        }
        let others = AtomicBool::new(false);
        let block = |((block, own), given): ((Block, Offsets), &Offsets)| {
            if own != *given {
                others.store(true, Ordering::Relaxed);
            }
            block
        };
        let mut blocks = vec![];
        let made = Self::each_block(sorted, scale, stop).zip(&offsets[..]);
        made.map(block).collect_into_vec(&mut blocks);
        let as_given = !others.into_inner() && !stop();
        as_given.then(|| Self::of_blocks(sorted, scale, blocks, offsets))
    }

    /// Each block with its offsets; blocks without points once `stop` says true.
    fn each_block<'a>(
        sorted: &'a Sorted,
        scale: f64,
        stop: &'a Stop<'_>,
    ) -> impl IndexedParallelIterator<Item = (Block, Offsets)> + 'a {
        let stopped = AtomicBool::new(false);
        let block = move |(b, slots): (usize, &[Slot])| {
            if b.is_multiple_of(1024) && stop() {
                stopped.store(true, Ordering::Relaxed);
            }
            let left_out = stopped.load(Ordering::Relaxed);
            Block::with_offsets(if left_out { &[] } else { slots }, scale)
        };
        let slots = sorted.slots.par_chunks(BLOCK).enumerate();
        slots.with_min_len(64).map(block)
    }

    fn of_blocks(
        sorted: &Arc<Sorted>,
        scale: f64,
        mut blocks: Vec<Block>,
        offsets: Held<Offsets>,
    ) -> Self {
        let mut from = 0;
        for &(end, label) in &sorted.label_ends {
            for block in &mut blocks[from..end] {
                block.label = label;
            }
            from = end;
        }
        let mut layout = Self {
            bounds: sorted.bounds,
            points_before: Vec::with_capacity(blocks.len() + 1),
            blocks,
            offsets,
            groups: vec![],
            clusters: vec![],
            superclusters: vec![],
            sorted: Arc::clone(sorted),
            scale,
            largest_half: 0.0,
        };
        let mut n_points = 0;
        layout.points_before.push(0);
        for block in &layout.blocks {
            n_points += u64::from(block.n);
            layout.points_before.push(n_points);
        }
        let block_bounds: Vec<Bounds> = layout.blocks.iter().map(|block| block.bounds).collect();
        layout.groups = runs(&block_bounds, GROUP_BLOCKS, sorted.cell_ends.iter());
        let group_bounds: Vec<Bounds> = layout.groups.iter().map(|group| group.bounds).collect();
        layout.clusters = runs(&group_bounds, CLUSTER_GROUPS, [group_bounds.len()].iter());
        let cluster_bounds: Vec<Bounds> = layout.clusters.iter().map(|run| run.bounds).collect();
        let clusters = [cluster_bounds.len()];
        layout.superclusters = runs(&cluster_bounds, CLUSTER_GROUPS, clusters.iter());
        layout.largest_half = block_bounds
            .iter()
            .map(Bounds::largest_half)
            .fold(0.0, f64::max);
        layout
    }

    /// Number of points.
    pub(crate) fn n_points(&self) -> u64 {
        self.points_before[self.blocks.len()]
    }

    /// Number of points in the blocks of a group.
    pub(crate) fn points_of(&self, group: &Run) -> u64 {
        self.points_before[group.end as usize] - self.points_before[group.first as usize]
    }

    /// Whether points of several labels lie apart.
    pub(crate) fn has_labels(&self) -> bool {
        self.sorted.label_ends.len() > 1
    }

    /// The rows of the points of group number `group`, in their order.
    pub(crate) fn rows_of(&self, group: usize) -> impl Iterator<Item = u32> + '_ {
        let slots = self.groups[group].range();
        let slots = &self.sorted.slots[slots.start * BLOCK..slots.end * BLOCK];
        let rows = slots.iter().map(row_in);
        rows.filter(|&row| row != NO_ROW)
    }

    /// The float64 positions, for a loop over slots.
    pub(crate) fn positions(&self) -> Positions<'_> {
        Positions(&self.sorted.slots)
    }

    /// The row of the point in a slot; [`NO_ROW`] where there is none.
    #[inline]
    pub(crate) fn row(&self, slot: usize) -> u32 {
        row_in(&self.sorted.slots[slot])
    }

    /// One number a row, brought into slot order; 0 where there is no point.
    fn each_slot<'a>(
        &'a self,
        value: &'a (dyn Fn(usize) -> f64 + Sync),
    ) -> impl IndexedParallelIterator<Item = f64> + 'a {
        let slots = self.sorted.slots.par_iter().with_min_len(1 << 12);
        slots.map(move |slot: &Slot| match row_in(slot) {
            NO_ROW => 0.0,
            row => value(row as usize),
        })
    }

    /// The number that each row has, in slot order; 0 where there is no point.
    pub(crate) fn in_slot_order(&self, value: &(dyn Fn(usize) -> f64 + Sync)) -> Vec<f64> {
        self.each_slot(value).collect()
    }

    /// Whether these are the numbers that rows have, in slot order and to the last bit.
    pub(crate) fn holds_in_slot_order(
        &self,
        given: &[f64],
        value: &(dyn Fn(usize) -> f64 + Sync),
    ) -> bool {
        let own = self.each_slot(value).map(f64::to_bits);
        own.len() == given.len() && own.zip(given).all(|(own, given)| own == given.to_bits())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::particles::{Labels, Points};
    use std::sync::atomic::AtomicU64;

    fn sorted(points: &Points, labels: Option<&Labels>, stop: &Stop<'_>) -> Option<Layout> {
        let sorted = Arc::new(Sorted::new(points, labels, stop)?);
        Layout::new(&sorted, 1.0, stop)
    }

    fn check(rows: &[[f64; 3]]) {
        let points = Points::from_rows(rows).unwrap();
        check_layout(&sorted(&points, None, &|| false).unwrap(), &points);
        // Blocks and groups are pure in label; one of the labels has no point.
        let label = |row: usize| (row * row % 5 + row % 2) as u32;
        let labels = Labels::new((0..rows.len()).map(label).collect(), 7).unwrap();
        let layout = sorted(&points, Some(&labels), &|| false).unwrap();
        check_layout(&layout, &points);
        for group in &layout.groups {
            let first = layout.blocks[group.first as usize].label;
            for b in group.range() {
                assert_eq!(layout.blocks[b].label, first, "groups are pure");
                let rows =
                    (0..layout.blocks[b].n as usize).map(|slot| layout.row(b * BLOCK + slot));
                assert!(
                    rows.map(|row| label(row as usize))
                        .all(|label| label == first)
                );
            }
        }
    }

    fn check_layout(layout: &Layout, points: &Points) {
        let slots = 0..layout.sorted.slots.len();
        let rows_of = slots.map(|slot| layout.row(slot));
        let mut seen: Vec<u32> = rows_of.filter(|&row| row != NO_ROW).collect();
        seen.sort_unstable();
        assert!(
            seen.iter().copied().eq(0..points.len() as u32),
            "every row once"
        );
        assert_eq!(layout.sorted.slots.len(), layout.blocks.len() * BLOCK);
        let values: Vec<f64> = (1..=points.len()).map(|k| k as f64).collect();
        let in_slots = layout.in_slot_order(&|row| values[row]);
        assert!(layout.holds_in_slot_order(&in_slots, &|row| values[row]));
        if let Some(row) = values.len().checked_sub(1) {
            let other = |k: usize| if k == row { -values[k] } else { values[k] };
            assert!(!layout.holds_in_slot_order(&in_slots, &other));
        }
        for (b, block) in layout.blocks.iter().enumerate() {
            for slot in 0..BLOCK {
                let row = layout.row(b * BLOCK + slot);
                assert_eq!(row == NO_ROW, slot >= block.n as usize, "points come first");
                if row == NO_ROW {
                    let far = layout.offsets[b].map(|axis| axis[slot]);
                    assert_eq!(far, [FAR_AWAY; 3]);
                    assert_eq!(in_slots[b * BLOCK + slot], 0.0);
                    continue;
                }
                let x = layout.positions().at(b * BLOCK + slot);
                assert_eq!(x, points.at(row as usize));
                assert_eq!(in_slots[b * BLOCK + slot], 1.0 + f64::from(row));
                let leaf = &block.leaves[slot / LEAF];
                for (axis, x) in x.into_iter().enumerate() {
                    assert!((x - block.bounds.centre[axis]).abs() <= block.bounds.half[axis]);
                    let offset = x - block.bounds.centre[axis];
                    let from_leaf = (offset - f64::from(leaf.centre[axis])).abs();
                    assert!(from_leaf <= f64::from(leaf.half[axis]));
                    let rounded = f64::from(layout.offsets[b][axis][slot]);
                    assert!((rounded - offset).abs() <= offset.abs() * albireo_simd::HALF_ULP);
                }
            }
        }
        let groups: Vec<usize> = layout.groups.iter().flat_map(Run::range).collect();
        assert!(groups.into_iter().eq(0..layout.blocks.len()));
        let clusters: Vec<usize> = layout.clusters.iter().flat_map(Run::range).collect();
        assert!(clusters.into_iter().eq(0..layout.groups.len()));
        let several: Vec<usize> = layout.superclusters.iter().flat_map(Run::range).collect();
        assert!(several.into_iter().eq(0..layout.clusters.len()));
    }

    #[test]
    fn every_point_has_one_slot_in_tight_boxes() {
        let spread = |n: usize| -> Vec<[f64; 3]> {
            let digit = |k: usize, m: usize| ((k * m) % 1009) as f64 / 1009.0;
            (0..n)
                .map(|k| [digit(k, 31), 7.0 * digit(k, 57), 1e6 + digit(k, 101)])
                .collect()
        };
        for n in [0, 1, 15, 16, 17, 63, 64, 65, 500, 1023, 1025, 5000, 40_000] {
            check(&spread(n));
        }
    }

    #[test]
    fn a_stop_is_heard_at_every_step_of_the_sort() {
        let n = 300_000;
        let points = Points::from_fn(n, |row| [row as f64, ((row * 7919) % n) as f64, 0.5]);
        let points = points.unwrap();
        let looks = |from: u64| {
            let looks = AtomicU64::new(0);
            let stop = || looks.fetch_add(1, Ordering::Relaxed) >= from;
            let pool = rayon::ThreadPoolBuilder::new()
                .num_threads(1)
                .build()
                .unwrap();
            let sort = || sorted(&points, None, &stop).is_some();
            (pool.install(sort), looks.into_inner())
        };
        let (whole, most) = looks(u64::MAX);
        assert!(whole && most > 2 * n as u64 / (1 << 16), "{most}");
        for from in 0..most {
            let (whole, asked) = looks(from);
            assert!(!whole, "asked to stop at look {from} of {most}");
            assert!(asked >= from && asked < most + 8, "{asked} of {most}");
        }
    }

    #[test]
    fn identical_and_collinear_points_are_sorted_too() {
        check(&vec![[3.0, -1.0, 2.0]; 3000]);
        check(
            &(0..3000)
                .map(|k| [0.0, f64::from(k), 0.0])
                .collect::<Vec<_>>(),
        );
        // Half of the points in one corner of a large box.
        let clustered = |k: usize| {
            let f = k as f64 / 40_000.0;
            if k.is_multiple_of(2) {
                [f * 1e-3, f * 1e-3, 0.0]
            } else {
                [f * 1e3, 1e3 - f, f * f * 1e3]
            }
        };
        check(&(0..40_000).map(clustered).collect::<Vec<_>>());
    }
}
