//! Sorting points: a parallel counting sort into coarse cells, then medians down to leaves.
//!
//! Entry: [`Sorted::new`]. Points are copied once, to the slots of their cell, and stay there: pages are what a large sample costs.
//! Cells are the leaves of a tree that halves the longest side of the sample's box again and again; their order is the order of
//! that tree, so that neighbours in memory are neighbours in space.

use std::ops::Range;
use std::slice::IterMut;

use rayon::prelude::*;

use super::Held;
use super::bounds::Bounds;
use crate::particles::{Column, Labels, Points, PointsView, View, greater, lesser, run_start};

/// Points in a leaf: one of the widest registers.
pub(crate) const LEAF: usize = albireo_simd::MOST_LANES;

/// Points in a full block.
pub(crate) const BLOCK: usize = 4 * LEAF;

/// The row of a slot that holds no point.
pub(crate) const NO_ROW: u32 = u32::MAX;

/// What a slot holds: the position of a point, and the bits of its row. Nothing but numbers, so that it may lie in memory that other
/// processes read, and a vector of zeroed ones costs nothing until it is filled.
pub(super) type Slot = [f64; 4];

/// A point in its slot.
#[inline]
pub(super) fn slot_of([x, y, z]: [f64; 3], row: u32) -> Slot {
    [x, y, z, f64::from_bits(u64::from(row))]
}

/// The position in a slot.
#[inline]
pub(super) fn position_in(&[x, y, z, _]: &Slot) -> [f64; 3] {
    [x, y, z]
}

/// The row in a slot; [`NO_ROW`] where there is no point.
#[inline]
pub(super) fn row_in(slot: &Slot) -> u32 {
    slot[3].to_bits() as u32
}

/// Points that a coarse cell should hold on average.
const CELL_TARGET: usize = 512;

/// Largest number of times that the box is halved.
pub(super) const MAX_HALVINGS: u32 = 20;

/// Points that one thread sorts by itself, on keys that its cache holds.
const FEW: usize = 1 << 12;

/// Points above which the two sides of a median are sorted by two threads.
const SPLIT_IN_PARALLEL: usize = 1 << 15;

/// Rows that are worth a run of their own, and the most runs.
const RUN: usize = 50_000;
const MOST_RUNS: usize = 64;

/// Whether to give up.
pub(crate) type Stop<'a> = dyn Fn() -> bool + Sync + 'a;

/// Rows between two looks at whether to give up.
const STRETCH: usize = 1 << 16;

fn stretches(rows: Range<usize>) -> impl Iterator<Item = Range<usize>> {
    let end = rows.end;
    rows.step_by(STRETCH)
        .map(move |begin| begin..end.min(begin + STRETCH))
}

/// The map from a position to the number of its coarse cell.
struct Cells {
    lo: [f64; 3],
    /// Steps per unit length on each axis.
    steps: [f64; 3],
    /// For each axis, the bits of the cell number that each step sets.
    deposits: [Vec<u32>; 3],
    number: usize,
}

impl Cells {
    fn new(bounds: &Bounds, n: usize) -> Self {
        let halvings = (n / CELL_TARGET).max(1).ilog2().min(MAX_HALVINGS);
        let mut side = bounds.half.map(|half| 2.0 * half);
        let mut axes = vec![];
        for _ in 0..halvings {
            let longest = (0..3).fold(0, |best, k| if side[k] > side[best] { k } else { best });
            side[longest] /= 2.0;
            axes.push(longest);
        }
        let lo = std::array::from_fn(|k| bounds.centre[k] - bounds.half[k]);
        let deposits = std::array::from_fn(|axis| Self::deposits(&axes, axis));
        let steps = std::array::from_fn(|k| {
            let n_steps = 1u64 << axes.iter().filter(|&&axis| axis == k).count();
            let scale = n_steps as f64 / (2.0 * bounds.half[k]);
            if scale.is_finite() { scale } else { 0.0 }
        });
        Self {
            lo,
            steps,
            deposits,
            number: 1 << halvings,
        }
    }

    /// Spreads the bits of a step number along `axis` to where the halvings of that axis stand.
    fn deposits(axes: &[usize], axis: usize) -> Vec<u32> {
        let places: Vec<usize> = (0..axes.len())
            .filter(|&k| axes[k] == axis)
            .map(|k| axes.len() - 1 - k)
            .collect();
        (0..1usize << places.len())
            .map(|step| {
                let bit = |(k, &place): (usize, &usize)| {
                    (((step >> (places.len() - 1 - k)) & 1) as u32) << place
                };
                places.iter().enumerate().map(bit).sum()
            })
            .collect()
    }

    #[inline]
    fn of(&self, x: [f64; 3]) -> u32 {
        let mut cell = 0;
        for (axis, x) in x.into_iter().enumerate() {
            let step = ((x - self.lo[axis]) * self.steps[axis]) as u32 as usize;
            let deposits = &self.deposits[axis];
            cell |= deposits[step.min(deposits.len() - 1)];
        }
        cell
    }
}

/// The points of a sample in an order in which every [`BLOCK`] and in it every [`LEAF`] consecutive slots are compact.
///
/// The order depends on the points alone. Each cell begins a block; the slots that its last block has left over come last and are
/// numbered [`NO_ROW`]. Points with different labels share no cell.
#[derive(Debug)]
pub(crate) struct Sorted {
    pub(crate) bounds: Bounds,
    pub(super) slots: Held<Slot>,
    /// Number of blocks up to the end of each cell that has points.
    pub(super) cell_ends: Vec<usize>,
    /// For each label that has points: the number of blocks up to their end, and the label. Empty where there are no labels.
    pub(super) label_ends: Vec<(usize, u32)>,
}

impl Sorted {
    /// Sorts points, by their labels first where there are any; none where `stop` said true, which it is asked many times a second and
    /// must then go on saying.
    pub(crate) fn new(points: &Points, labels: Option<&Labels>, stop: &Stop<'_>) -> Option<Self> {
        match labels {
            None => Self::of_one_label(points, stop),
            Some(labels) => Self::by_labels(points, labels, stop),
        }
    }

    /// Sorts the points of each label by themselves, one label after another.
    fn by_labels(points: &Points, labels: &Labels, stop: &Stop<'_>) -> Option<Self> {
        let values = labels.values();
        let mut rows = vec![vec![]; labels.number() as usize];
        for (row, &label) in values.iter().enumerate() {
            rows[label as usize].push(row as u32);
        }
        let of_label = |rows: &Vec<u32>| {
            let column = |column: View<'_>| {
                let values = rows.iter().map(|&row| column.at(row as usize));
                Column::from(values.collect::<Vec<f64>>())
            };
            let mut sorted = Self::of_one_label(
                &Points::from_checked(points.columns().map(|x| column(x.view()))),
                stop,
            )?;
            let mut slots = sorted.slots.into_vec();
            for slot in &mut slots {
                let row = rows.get(row_in(slot) as usize).copied();
                *slot = slot_of(position_in(slot), row.unwrap_or(NO_ROW));
            }
            sorted.slots = slots.into();
            Some(sorted)
        };
        let sorted: Vec<Self> = rows.par_iter().map(of_label).collect::<Option<_>>()?;
        let mut slots = Vec::with_capacity(sorted.iter().map(|part| part.slots.len()).sum());
        let (mut cell_ends, mut label_ends) = (vec![], vec![]);
        for (label, part) in sorted
            .into_iter()
            .enumerate()
            .filter(|(_, part)| !part.slots.is_empty())
        {
            let before = slots.len() / BLOCK;
            slots.extend(part.slots.into_vec());
            cell_ends.extend(part.cell_ends.iter().map(|end| before + end));
            label_ends.push((slots.len() / BLOCK, label as u32));
        }
        Some(Self {
            bounds: Bounds::of(points),
            slots: slots.into(),
            cell_ends,
            label_ends,
        })
    }

    fn of_one_label(points: &Points, stop: &Stop<'_>) -> Option<Self> {
        let bounds = Bounds::of(points);
        let n = points.len();
        let points = points.view();
        let cells = Cells::new(&bounds, n);
        let n_runs = (n / RUN).clamp(1, MOST_RUNS.min(rayon::current_num_threads()));
        let rows = |run: usize| run_start(n, run, n_runs)..run_start(n, run + 1, n_runs);
        let runs = (0..n_runs).into_par_iter();
        let numbers: Vec<Vec<u32>> = runs
            .map(|run| cells.count(points, rows(run), stop))
            .collect();
        if stop() {
            return None;
        }
        let in_cells: Vec<usize> = (0..cells.number)
            .map(|cell| numbers.iter().map(|run| run[cell] as usize).sum())
            .collect();

        let n_slots = in_cells.iter().map(|n| n.next_multiple_of(BLOCK)).sum();
        let mut slots = vec![[0.0; 4]; n_slots];
        let shares = shares(&mut slots, &in_cells, &numbers);
        let shares = shares.into_par_iter().enumerate();
        shares.for_each(|(run, share)| cells.deal(points, rows(run), share, stop));
        if stop() {
            return None;
        }

        let (mut cell_ends, mut parts) = (vec![], vec![]);
        let (mut rest, mut end) = (&mut slots[..], 0);
        for n in in_cells.into_iter().filter(|&n| n > 0) {
            let cell = rest.split_off_mut(..n.next_multiple_of(BLOCK));
            let (points, empty) = cell.unwrap_or_default().split_at_mut(n);
            empty.fill(slot_of([f64::NAN; 3], NO_ROW));
            parts.push(points);
            end += n.div_ceil(BLOCK);
            cell_ends.push(end);
        }
        parts.par_chunks_mut(16).for_each(|parts| {
            if !stop() {
                for points in parts {
                    arrange(points, stop);
                }
            }
        });
        (!stop()).then_some(Self {
            bounds,
            slots: slots.into(),
            cell_ends,
            label_ends: vec![],
        })
    }
}

impl Cells {
    /// Number of points of some rows in each cell.
    fn count(&self, points: PointsView<'_>, rows: Range<usize>, stop: &Stop<'_>) -> Vec<u32> {
        let mut numbers = vec![0; self.number];
        for rows in stretches(rows).take_while(|_| !stop()) {
            for row in rows {
                numbers[self.of(points.at(row)) as usize] += 1;
            }
        }
        numbers
    }

    /// Puts the points of some rows into the slots that these rows have in each cell.
    fn deal(
        &self,
        points: PointsView<'_>,
        rows: Range<usize>,
        mut share: Vec<IterMut<'_, Slot>>,
        stop: &Stop<'_>,
    ) {
        for rows in stretches(rows).take_while(|_| !stop()) {
            for row in rows {
                let x = points.at(row);
                if let Some(slot) = share[self.of(x) as usize].next() {
                    *slot = slot_of(x, row as u32);
                }
            }
        }
    }
}

/// The slots of each run in each cell: within a cell, one run after another.
fn shares<'a>(
    mut slots: &'a mut [Slot],
    in_cells: &[usize],
    numbers: &[Vec<u32>],
) -> Vec<Vec<IterMut<'a, Slot>>> {
    let none = || Vec::with_capacity(in_cells.len());
    let mut shares: Vec<Vec<_>> = numbers.iter().map(|_| none()).collect();
    for (cell, n) in in_cells.iter().enumerate() {
        let own = slots.split_off_mut(..n.next_multiple_of(BLOCK));
        let mut own = own.unwrap_or_default();
        for (share, numbers) in shares.iter_mut().zip(numbers) {
            let run = own.split_off_mut(..numbers[cell] as usize);
            share.push(run.unwrap_or_default().iter_mut());
        }
    }
    shares
}

/// The axis along which points extend farthest; a fourth coordinate is left out.
fn longest_side<T, const N: usize>(mut points: impl Iterator<Item = [T; N]>) -> usize
where
    T: Copy + PartialOrd + std::ops::Sub<Output = T>,
{
    let Some(first) = points.next() else {
        return 0;
    };
    let (mut lo, mut hi) = (first, first);
    for x in points {
        for k in 0..N {
            lo[k] = lesser(x[k], lo[k]);
            hi[k] = greater(x[k], hi[k]);
        }
    }
    let longer = |k: usize, best: usize| hi[k] - lo[k] > hi[best] - lo[best];
    (1..3).fold(0, |best, k| if longer(k, best) { k } else { best })
}

/// Number of points left of the median: whole blocks or else whole leaves, so that only the last one is not full.
fn left_of_median(n: usize) -> usize {
    let unit = if n > BLOCK { BLOCK } else { LEAF };
    n.div_ceil(unit).div_ceil(2) * unit
}

/// Splits points at medians of the longest side until every leaf is together.
fn arrange(points: &mut [Slot], stop: &Stop<'_>) {
    if points.len() <= FEW {
        return arrange_few(points);
    }
    if stop() {
        return;
    }
    let axis = longest_side(points.iter().map(position_in));
    let left = left_of_median(points.len());
    points.select_nth_unstable_by(left, |a, b| a[axis].total_cmp(&b[axis]));
    let parallel = points.len() > SPLIT_IN_PARALLEL;
    let (left, right) = points.split_at_mut(left);
    if parallel {
        rayon::join(|| arrange(left, stop), || arrange(right, stop));
    } else {
        arrange(left, stop);
        arrange(right, stop);
    }
}

/// As [`arrange`], by keys of 8 bytes: only the last step moves the points.
fn arrange_few(points: &mut [Slot]) {
    let given = points.to_vec();
    let lowest = |lo: [f64; 3], x: &Slot| std::array::from_fn(|k| lesser(x[k], lo[k]));
    let [x0, y0, z0] = given.iter().fold([f64::INFINITY; 3], lowest);
    let offset = |[x, y, z, _]: &Slot| [(x - x0) as f32, (y - y0) as f32, (z - z0) as f32, 0.0];
    let offsets: Vec<[f32; 4]> = given.iter().map(offset).collect();
    let mut keys: Vec<u64> = (0..given.len() as u64).collect();
    split(&mut keys, &offsets);
    for (point, &key) in points.iter_mut().zip(&keys) {
        *point = given[place(key)];
    }
}

/// The place among the given points in the lower half of a key.
fn place(key: u64) -> usize {
    key as u32 as usize
}

/// The recursion of [`arrange_few`]; offsets are not negative, so that they are in the order of their bits.
fn split(keys: &mut [u64], offsets: &[[f32; 4]]) {
    if keys.len() <= LEAF {
        return;
    }
    let axis = longest_side(keys.iter().map(|&key| offsets[place(key)]));
    for key in &mut *keys {
        let x = offsets[place(*key)][axis];
        *key = u64::from(x.to_bits()) << 32 | u64::from(*key as u32);
    }
    let left = left_of_median(keys.len());
    if left < keys.len() {
        keys.select_nth_unstable(left);
    }
    let (left, right) = keys.split_at_mut(left.min(keys.len()));
    split(left, offsets);
    split(right, offsets);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::particles::MAX_PARTICLES;

    #[test]
    fn the_largest_sample_has_cells_that_can_be_numbered() {
        for half in [[1.0; 3], [1.0, 0.0, 0.0], [1e6, 1.0, 1e-6]] {
            let bounds = Bounds {
                centre: [0.0; 3],
                half,
            };
            let cells = Cells::new(&bounds, MAX_PARTICLES);
            assert_eq!(cells.number, 1 << MAX_HALVINGS);
            assert_eq!(cells.of(half.map(|h| -h)), 0);
            assert_eq!(cells.of(half) as usize, cells.number - 1, "{half:?}");
        }
    }

    /// Half of the points in one corner of a large box, many of them at the same place.
    fn clustered(n: usize) -> Vec<[f64; 3]> {
        let digit = |k: usize, m: usize| ((k * m) % 10_007) as f64;
        let point = |k: usize| {
            let size = if k.is_multiple_of(2) { 1e-3 } else { 1.0 };
            [31, 577, 1019].map(|m| size * digit(k, m))
        };
        (0..n).map(point).collect()
    }

    #[test]
    fn the_order_does_not_depend_on_the_number_of_threads() {
        let n = 4 * RUN + 77;
        assert!(n / 2 > SPLIT_IN_PARALLEL, "one cell is shared by threads");
        let points = Points::from_rows(&clustered(n)).unwrap();
        let order = |threads: usize| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads);
            let sort = || Sorted::new(&points, None, &|| false);
            let sorted = pool.build().unwrap().install(sort).unwrap();
            let rows: Vec<u32> = sorted.slots.iter().map(row_in).collect();
            (rows, sorted.cell_ends)
        };
        let alone = order(1);
        for threads in [2, 3, 7] {
            assert!(order(threads) == alone, "{threads} threads");
        }
    }

    #[test]
    fn cells_take_whole_blocks_and_leave_only_last_slots_empty() {
        for n in [0, 1, BLOCK, 2 * FEW + 1, RUN] {
            let points = Points::from_rows(&clustered(n)).unwrap();
            let Sorted {
                slots, cell_ends, ..
            } = Sorted::new(&points, None, &|| false).unwrap();
            assert_eq!(
                slots.len(),
                cell_ends.last().map_or(0, |&end| end * BLOCK),
                "{n}"
            );
            let (mut begin, mut n_points) = (0, 0);
            for end in cell_ends {
                let cell = &slots[begin * BLOCK..end * BLOCK];
                let held = cell.partition_point(|slot| row_in(slot) != NO_ROW);
                assert_eq!(held.div_ceil(BLOCK), end - begin, "{n}");
                assert!(cell[held..].iter().all(|slot| row_in(slot) == NO_ROW));
                let same = |slot: &Slot| position_in(slot) == points.at(row_in(slot) as usize);
                assert!(cell[..held].iter().all(same));
                n_points += held;
                begin = end;
            }
            assert_eq!(n_points, n);
        }
    }

    #[test]
    fn medians_part_points_along_their_longest_side() {
        for n in [LEAF + 1, BLOCK, BLOCK + 1, 1000, FEW, FEW + 1, 3 * FEW] {
            let line = |k: usize| slot_of([0.5, ((k * 7919) % n) as f64, -1e6], k as u32);
            let mut points: Vec<Slot> = (0..n).map(line).collect();
            arrange(&mut points, &|| false);
            let (mut from, mut greatest) = (0, -1.0);
            for leaf in points.chunks(LEAF) {
                let ys = leaf.iter().map(|point| point[1]);
                assert!(ys.clone().all(|y| y > greatest), "{n}: leaf at {from}");
                greatest = ys.fold(greatest, f64::max);
                from += LEAF;
            }
        }
    }
}
