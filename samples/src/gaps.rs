//! Parts of the axes of a periodic box that a sample leaves empty, as it does where its units are others than those of the box.
//!
//! Entry: [`gaps`].

use albireo::particles::View;
use albireo::{Axis, Domain, pool};

use crate::sample::Sample;
use crate::sample_notice::SampleNotice;

/// The least part of an axis that is a gap, and the number of positions that it would hold if they were even.
const LEAST_PART: f64 = 0.1;
const LEAST_EXPECTED: f64 = 100.0;

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

/// The widest of the gaps between positions; the last one goes around to the first position.
fn widest(slots: &Slots, length: f64) -> Option<[f64; 2]> {
    let held: Vec<[f64; 2]> = slots.iter().copied().filter(|[lo, hi]| lo <= hi).collect();
    let around = [held.last()?[1], held.first()?[0] + length];
    let within = held.windows(2).map(|pair| [pair[0][1], pair[1][0]]);
    let width = |gap: &[f64; 2]| gap[1] - gap[0];
    within
        .chain([around])
        .max_by(|a, b| width(a).total_cmp(&width(b)))
}

/// Parts of the axes of a box that a sample leaves empty.
pub(crate) fn gaps(sample: &Sample, domain: &Domain) -> Option<SampleNotice> {
    let Domain::Periodic(cell) = domain else {
        return None;
    };
    let points = sample.particles.points();
    let gap = |(axis, length): (Axis, Option<f64>)| {
        let length = length?;
        let gap = widest(
            &slots_of(points.columns()[axis.index()].view(), length),
            length,
        )?;
        let part = (gap[1] - gap[0]) / length;
        #[allow(clippy::cast_precision_loss, reason = "an expected number")]
        let expected = part * points.len() as f64;
        (part >= LEAST_PART && expected >= LEAST_EXPECTED).then_some((axis, gap))
    };
    let axes = [Axis::X, Axis::Y, Axis::Z].into_iter().zip(cell.lengths());
    let gaps: Vec<_> = axes.filter_map(gap).collect();
    (!gaps.is_empty()).then(|| SampleNotice::Gaps {
        role: sample.role.clone(),
        path: sample.path.clone(),
        gaps,
    })
}
