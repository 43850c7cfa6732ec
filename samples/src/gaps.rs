//! Parts of the axes of a periodic box that a sample leaves empty, as it does where its units are others than those of the box.
//!
//! Entry: [`gaps`] of a sample, [`vacuum`] beside the particles of a frame.

use albireo::particles::View;
use albireo::{Axis, Domain, PeriodicBox, Points, pool};

use crate::notice::Notice;
use crate::sample::Sample;
use crate::shown::in_four_digits;

/// The least part of an axis that is a gap, and the number of positions that it would hold if they were even.
const LEAST_PART: f64 = 0.1;
/// The least part where all three axes end in a gap, as those of a box do that is a little too large.
const LEAST_END: f64 = 0.01;
const LEAST_EXPECTED: f64 = 100.0;
/// The least part of an axis that is vacuum beside a liquid, and how many times as wide as any other gap it is.
const LEAST_VACUUM: f64 = 0.2;
const LONELY: f64 = 2.0;

/// Slots that an axis is cut into: a gap is wider than several of them.
const SLOTS: usize = 64;
/// Rows that are looked at at a time.
const ROWS: usize = 1 << 16;

/// The least and the greatest position in each slot.
type Slots = [[f64; 2]; SLOTS];

#[allow(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    clippy::cast_precision_loss,
    reason = "a place among a few slots"
)]
fn slots_of(column: View<'_>, length: f64) -> Slots {
    let of_rows = |begin: usize| {
        let mut slots = [[f64::INFINITY, f64::NEG_INFINITY]; SLOTS];
        for row in begin..column.len().min(begin + ROWS) {
            let x = column.at(row);
            let slot = (x / length * SLOTS as f64) as usize;
            let [least, most] = &mut slots[slot.min(SLOTS - 1)];
            (*least, *most) = (least.min(x), most.max(x));
        }
        slots
    };
    let parts = pool::each(column.len().div_ceil(ROWS), |part| of_rows(part * ROWS));
    let none = [[f64::INFINITY, f64::NEG_INFINITY]; SLOTS];
    parts.into_iter().fold(none, |mut all, part| {
        for ([least, most], [lo, hi]) in all.iter_mut().zip(part) {
            (*least, *most) = (least.min(lo), most.max(hi));
        }
        all
    })
}

/// The gap from the last position around to the first one.
fn around(slots: &Slots, length: f64) -> Option<[f64; 2]> {
    let mut held = slots.iter().filter(|[lo, hi]| lo <= hi);
    let [first, most] = held.next().copied()?;
    let last = held.next_back().map_or(most, |[_, most]| *most);
    Some([last, first + length])
}

/// The gaps between positions, the widest first.
fn all(slots: &Slots, length: f64) -> Vec<[f64; 2]> {
    let held: Vec<[f64; 2]> = slots.iter().copied().filter(|[lo, hi]| lo <= hi).collect();
    let within = held.windows(2).map(|pair| [pair[0][1], pair[1][0]]);
    let mut gaps: Vec<[f64; 2]> = within.chain(around(slots, length)).collect();
    gaps.sort_by(|a, b| width(b).total_cmp(&width(a)));
    gaps
}

fn width(gap: &[f64; 2]) -> f64 {
    gap[1] - gap[0]
}

/// The widest of the gaps between positions.
fn widest(slots: &Slots, length: f64) -> Option<[f64; 2]> {
    all(slots, length).first().copied()
}

/// The widest gap where it is no distance between layers of a crystal, all of which are alike.
fn lonely(slots: &Slots, length: f64) -> Option<[f64; 2]> {
    let gaps = all(slots, length);
    let [first, others @ ..] = &gaps[..] else {
        return None;
    };
    let next = others.first().map_or(0.0, width);
    (width(first) > LONELY * next).then_some(*first)
}

/// Positions along the periodic axes of a box.
struct Along {
    axes: Vec<(Axis, f64, Slots)>,
    rows: usize,
}

impl Along {
    fn of(points: &Points, cell: &PeriodicBox) -> Self {
        let axes = [Axis::X, Axis::Y, Axis::Z].into_iter().zip(cell.lengths());
        let axes = axes.filter_map(|(axis, length)| {
            let column = points.columns()[axis.index()].view();
            Some((axis, length?, slots_of(column, length?)))
        });
        Self {
            axes: axes.collect(),
            rows: points.len(),
        }
    }

    /// The gap of each axis that is so wide a part of it.
    fn gaps(
        &self,
        gap_of: fn(&Slots, f64) -> Option<[f64; 2]>,
        least: f64,
    ) -> Vec<(Axis, [f64; 2])> {
        let gaps = self.axes.iter().filter_map(|(axis, length, slots)| {
            let gap = gap_of(slots, *length)?;
            let part = width(&gap) / length;
            #[allow(clippy::cast_precision_loss, reason = "an expected number")]
            let expected = part * self.rows as f64;
            (part >= least && expected >= LEAST_EXPECTED).then_some((*axis, gap))
        });
        gaps.collect()
    }
}

/// Parts of the axes of a box that a sample leaves empty: wide ones, or small ones of all axes where these end.
pub(crate) fn gaps(sample: &Sample, domain: &Domain) -> Option<Notice> {
    let Domain::Periodic(cell) = domain else {
        return None;
    };
    let along_axes = Along::of(sample.particles.points(), cell);
    let mut gaps = along_axes.gaps(widest, LEAST_PART);
    if gaps.is_empty() {
        gaps = along_axes.gaps(around, LEAST_END);
        if gaps.len() < 3 {
            return None;
        }
    }
    (!gaps.is_empty()).then(|| Notice::warning(format!(
        "{} ({}): no position lies {} of the box, and RR is that of the whole box: give --randoms in the part that is filled, or its --box",
        sample.role,
        sample.path.display(),
        along(&gaps)
    )))
}

/// The first axis of a box of which a part holds no particle, and where such parts are; those between the layers of a crystal are none.
pub(crate) fn vacuum(points: &Points, cell: &PeriodicBox) -> Option<(Axis, String)> {
    let gaps = Along::of(points, cell).gaps(lonely, LEAST_VACUUM);
    let (axis, _) = gaps.first()?;
    Some((*axis, along(&gaps)))
}

/// Where gaps lie.
fn along(gaps: &[(Axis, [f64; 2])]) -> String {
    let each = gaps.iter().map(|(axis, gap)| {
        let [from, to] = gap.map(in_four_digits);
        format!("from {from} to {to} along {}", axis.name())
    });
    each.collect::<Vec<_>>().join(", ")
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a failed unwrap is a failed test")]
mod tests {
    use super::*;

    /// Where layers of so many points each leave vacuum in a box of these lengths.
    fn of_layers(heights: &[f64], length: f64) -> Option<String> {
        let rows = heights.iter().flat_map(|z| {
            let along = |k: u32| f64::from(k) / 100.0;
            (0..1000_u32).map(move |k| [along(k), along(k * 7 % 1000), *z])
        });
        let points = Points::from_rows(&rows.collect::<Vec<_>>()).unwrap();
        let cell = PeriodicBox::new([Some(10.0), Some(10.0), Some(length)]).unwrap();
        vacuum(&points, &cell).map(|(axis, parts)| format!("{}: {parts}", axis.name()))
    }

    #[test]
    fn layers_of_a_crystal_have_no_vacuum_between_them() {
        let layers = [0.0, 2.5, 5.0, 7.5];
        assert_eq!(of_layers(&layers, 10.0), None);
        let expected = "z: from 7.5 to 20 along z";
        assert_eq!(of_layers(&layers, 20.0).as_deref(), Some(expected));
    }
}
