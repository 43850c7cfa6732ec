//! A sorted sample as plain numbers, which other processes read in memory that they share.
//!
//! Entry: [`Sorted::into_numbers`] and [`Sorted::of_numbers`] for the order, [`Layout::into_flat_offsets`] and [`offsets_of`] for what lies in
//! blocks.

use std::sync::Arc;

use rayon::prelude::*;

use super::Bounds;
use super::held::Held;
use super::layout::{Layout, Offsets};
use super::sort::{BLOCK, NO_ROW, Slot, Sorted, position_in, row_in};
use crate::fingerprint::mix;
use crate::particles::{Column, Points};

/// Rows that are worth a thread's while.
const STRETCH: usize = 1 << 12;

/// Slots at the beginning of a column that lies side by side.
struct SlotsOf {
    column: Column,
    number: usize,
}

impl AsRef<[Slot]> for SlotsOf {
    fn as_ref(&self) -> &[Slot] {
        let slots = self.column.as_slice().unwrap_or_default();
        &slots.as_chunks().0[..self.number]
    }
}

/// Offsets in a column that lies side by side.
struct OffsetsOf(Column<f32>);

impl AsRef<[Offsets]> for OffsetsOf {
    fn as_ref(&self) -> &[Offsets] {
        let numbers = self.0.as_slice().unwrap_or_default();
        numbers.as_chunks::<BLOCK>().0.as_chunks().0
    }
}

/// A number for each slot, in a column that lies side by side.
struct NumbersOf(Column);

impl AsRef<[f64]> for NumbersOf {
    fn as_ref(&self) -> &[f64] {
        self.0.as_slice().unwrap_or_default()
    }
}

impl Layout {
    /// The offsets, one number after the other.
    pub(crate) fn into_flat_offsets(self) -> Vec<f32> {
        let offsets = self.offsets.into_vec().into_flattened();
        offsets.into_flattened()
    }
}

/// Offsets as [`Layout::into_flat_offsets`] gives them.
pub(crate) fn offsets_of(numbers: Column<f32>) -> Held<Offsets> {
    Held::Shared(Arc::new(OffsetsOf(numbers)))
}

/// Numbers as [`Layout::in_slot_order`] gives them.
pub(crate) fn in_slots(numbers: Column) -> Held<f64> {
    Held::Shared(Arc::new(NumbersOf(numbers)))
}

fn bits(number: usize) -> f64 {
    f64::from_bits(number as u64)
}

impl Sorted {
    /// The order as numbers: all slots; then where cells and labels end, their numbers last.
    pub(crate) fn into_numbers(self) -> [Vec<f64>; 2] {
        let ends = self.ends();
        [self.slots.into_vec().into_flattened(), ends]
    }

    fn ends(&self) -> Vec<f64> {
        let labels = self.label_ends.iter();
        let labels = labels.flat_map(|&(end, label)| [end, label as usize]);
        let ends = self.cell_ends.iter().copied().chain(labels);
        let lengths = [self.cell_ends.len(), self.label_ends.len()];
        ends.chain(lengths).map(bits).collect()
    }

    /// The order of `points` whose numbers another process has given, one part after the other; none where they are not an order of
    /// these points.
    pub(crate) fn of_numbers(points: &Points, numbers: Column) -> Option<Self> {
        let all = numbers.as_slice()?;
        let whole = |number: &f64| usize::try_from(number.to_bits()).ok();
        let (rest, lengths) = all.split_last_chunk::<2>()?;
        let [cells, labels] = [whole(&lengths[0])?, whole(&lengths[1])?];
        let ends = labels.checked_mul(2)?.checked_add(cells)?;
        let (slots, ends) = rest.split_at_checked(rest.len().checked_sub(ends)?)?;
        let ends: Vec<usize> = ends.iter().map(whole).collect::<Option<_>>()?;
        let (cell_ends, label_ends) = ends.split_at(cells);
        let label_ends = label_ends.as_chunks::<2>().0.iter();
        let label_ends: Vec<(usize, u32)> = label_ends
            .map(|&[end, label]| Some((end, u32::try_from(label).ok()?)))
            .collect::<Option<_>>()?;
        let (slots, rest) = slots.as_chunks();
        let blocks = slots.len() / BLOCK;
        let is_order = rest.is_empty()
            && slots.len().is_multiple_of(BLOCK)
            && reach(cell_ends.iter().copied(), blocks)
            && (label_ends.is_empty() || reach(label_ends.iter().map(|&(end, _)| end), blocks))
            && hold(slots, points);
        let cell_ends = cell_ends.to_vec();
        let number = slots.len();
        is_order.then(|| Self {
            bounds: Bounds::of(points),
            slots: Held::Shared(Arc::new(SlotsOf {
                column: numbers,
                number,
            })),
            cell_ends,
            label_ends,
        })
    }
}

/// Whether these rise, up to this number.
fn reach(ends: impl Iterator<Item = usize>, last: usize) -> bool {
    let mut before = 0;
    for end in ends {
        if end <= before {
            return false;
        }
        before = end;
    }
    before == last
}

/// What tells a point in its row from any other, to the last bit.
fn mark(position: [f64; 3], row: u32) -> u64 {
    let bits = position.map(f64::to_bits);
    mix(bits.into_iter().fold(u64::from(row), mix), u64::MAX)
}

/// Whether slots hold these points, to the last bit, in the rows that they have, and points come first in each block. Points are compared by
/// the sum of their marks: both are gone through in the order in which they lie, and none is looked for.
fn hold(slots: &[Slot], points: &Points) -> bool {
    let n = points.len();
    let view = points.view();
    let held = |block: &[Slot]| {
        let number = block.partition_point(|slot| row_in(slot) != NO_ROW);
        let (full, empty) = block.split_at(number);
        let rows_are_there = full.iter().all(|slot| (row_in(slot) as usize) < n)
            && empty.iter().all(|slot| row_in(slot) == NO_ROW);
        let marks = full
            .iter()
            .map(|slot| mark(position_in(slot), row_in(slot)));
        rows_are_there.then(|| (number, marks.fold(0, u64::wrapping_add)))
    };
    let blocks = slots.par_chunks(BLOCK).with_min_len(64).map(held);
    let found = blocks.try_reduce(|| (0, 0), |a, b| Some((a.0 + b.0, a.1.wrapping_add(b.1))));
    let rows = (0..n).into_par_iter().with_min_len(STRETCH);
    let marks = rows.map(|row| mark(view.at(row), row as u32));
    found.is_some_and(|found| found == (n, marks.reduce(|| 0, u64::wrapping_add)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::particles::Labels;

    fn points(n: usize) -> Points {
        let digit = |k: usize, m: usize| ((k * m) % 1009) as f64 / 1009.0;
        Points::from_fn(n, |k| [digit(k, 31), digit(k, 57), -digit(k, 101)]).unwrap()
    }

    fn never() -> bool {
        false
    }

    /// The numbers of an order as another process sees them.
    fn given(sorted: &Sorted) -> Vec<f64> {
        [sorted.slots.as_flattened(), &sorted.ends()].concat()
    }

    #[test]
    fn an_order_survives_as_numbers() {
        for n in [0, 1, 15, 16, 64, 65, 3000] {
            let points = points(n);
            let labels = Labels::new((0..n).map(|k| (k % 3 * 2) as u32).collect(), 6).unwrap();
            for labels in [None, Some(&labels)] {
                let sorted = Arc::new(Sorted::new(&points, labels, &never).unwrap());
                let again = Sorted::of_numbers(&points, given(&sorted).into()).unwrap();
                let again = Arc::new(again);
                assert_eq!(again.bounds, sorted.bounds);
                // Slots without a point are no numbers.
                let bits_of = |numbers: &[f64]| -> Vec<u64> {
                    numbers.iter().map(|number| number.to_bits()).collect()
                };
                let bits = |sorted: &Sorted| bits_of(&given(sorted));
                assert_eq!(bits(&again), bits(&sorted));
                assert_eq!(again.label_ends, sorted.label_ends);
                let layout = Layout::new(&sorted, 0.5, &never).unwrap();
                let flat = |layout: &Layout| layout.offsets.as_flattened().as_flattened().to_vec();
                let offsets = || offsets_of(flat(&layout).into());
                let shared = Layout::with_offsets(&again, 0.5, offsets(), &never).unwrap();
                assert_eq!(format!("{shared:?}"), format!("{layout:?}"));
                assert_eq!(flat(&shared), flat(&layout));
                if n > 1 {
                    assert!(Layout::with_offsets(&again, 1.0, offsets(), &never).is_none());
                }
                let [slots, ends] = Sorted::new(&points, labels, &never).unwrap().into_numbers();
                assert_eq!(bits_of(&[slots, ends].concat()), bits(&sorted));
                assert_eq!(flat(&shared), layout.into_flat_offsets());
            }
        }
    }

    #[test]
    fn an_order_that_has_a_point_twice_is_none() {
        let points = points(200);
        let mut twice = given(&Sorted::new(&points, None, &never).unwrap());
        assert!(Sorted::of_numbers(&points, twice.clone().into()).is_some());
        twice.copy_within(4..8, 0);
        assert!(Sorted::of_numbers(&points, twice.into()).is_none());
    }

    #[test]
    fn numbers_that_are_no_order_of_the_points_are_not_taken() {
        let n = 200;
        let points = points(n);
        let good = given(&Sorted::new(&points, None, &never).unwrap());
        let taken = |numbers: Vec<f64>| Sorted::of_numbers(&points, numbers.into()).is_some();
        assert!(taken(good.clone()));
        // Nothing, a part, and other points.
        assert!(!taken(vec![]) && !taken(vec![0.0]) && !taken(good[1..].to_vec()));
        assert!(!taken(good[..good.len() - 1].to_vec()));
        let other = Points::from_fn(n, |k| [k as f64, 0.0, 0.0]).unwrap();
        assert!(Sorted::of_numbers(&other, good.clone().into()).is_none());
        assert!(Sorted::of_numbers(&points.rows(0..n - 1), good.clone().into()).is_none());
        // Any one number that is another one.
        for k in [0, 2, 3, good.len() - 3, good.len() - 2, good.len() - 1] {
            for bits in [0, 77, u64::MAX, u64::from(NO_ROW), (-0.0f64).to_bits()] {
                let mut bad = good.clone();
                bad[k] = f64::from_bits(bits);
                assert!(
                    !taken(bad.clone()) || bad[k].to_bits() == good[k].to_bits(),
                    "{k} {bits}"
                );
            }
        }
    }
}
