//! What a sample leaves empty of a periodic box as it is seen along an axis: corners around a sphere, or all but a wedge, which no single axis shows.
//!
//! Entry: [`empty_pillars`]. Voids do not reach through the box: what lies within a pillar is added up along all of it.

use albireo::particles::View;
use albireo::{Axis, Domain, pool};

use crate::notice::Notice;
use crate::sample::Sample;

/// Positions that a pillar would hold if they were even, at least.
const EXPECTED: usize = 100;
/// Pillars along each of the two axes that they stand on.
const FEWEST: usize = 4;
const MOST: usize = 64;
/// The share of empty pillars that is worth saying.
const SHARE: f64 = 0.03;

/// Rows that are looked at at a time.
const ROWS: usize = 1 << 16;

/// Which share of so many pillars squared holds none of the positions.
#[allow(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    clippy::cast_precision_loss,
    reason = "a place among a few pillars"
)]
fn share_of_empty(columns: [View<'_>; 2], lengths: [f64; 2], across: usize) -> f64 {
    let rows = columns[0].len();
    let place = |axis: usize, row: usize| {
        let slot = columns[axis].at(row) / lengths[axis] * across as f64;
        (slot as usize).min(across - 1)
    };
    let held_by = |begin: usize| {
        let mut held = vec![false; across * across];
        for row in begin..rows.min(begin + ROWS) {
            held[place(0, row) * across + place(1, row)] = true;
        }
        held
    };
    let parts = pool::each(rows.div_ceil(ROWS), |part| held_by(part * ROWS));
    let is_empty = |pillar: &usize| parts.iter().all(|held| !held[*pillar]);
    let empty = (0..across * across).filter(is_empty).count();
    empty as f64 / (across * across) as f64
}

/// Says how much of a box no position lies in or behind, along the axis where that is most.
pub(crate) fn empty_pillars(sample: &Sample, domain: &Domain) -> Option<Notice> {
    let Domain::Periodic(cell) = domain else {
        return None;
    };
    let points = sample.particles.points();
    let across = (points.len() / EXPECTED).isqrt().min(MOST);
    if across < FEWEST {
        return None;
    }
    let lengths = cell.lengths();
    let along = |axis: Axis| {
        let others = [1, 2].map(|step| (axis.index() + step) % 3);
        let [Some(a), Some(b)] = others.map(|other| lengths[other]) else {
            return None;
        };
        let columns = others.map(|other| points.columns()[other].view());
        Some((axis, share_of_empty(columns, [a, b], across)))
    };
    let shares = [Axis::X, Axis::Y, Axis::Z].into_iter().filter_map(along);
    let (axis, share) = shares.max_by(|a, b| a.1.total_cmp(&b.1))?;
    (share >= SHARE).then(|| Notice::warning(format!(
        "{} ({}): seen along {}, about {} % of the box is empty, and RR is that of the whole box: give --randoms in the part that is filled, or \
         its --box",
        sample.role,
        sample.path.display(),
        axis.name(),
        (100.0 * share).round()
    )))
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a failed unwrap is a failed test")]
mod tests {
    use super::*;
    use albireo::{Points, random};

    /// The share of empty pillars along z of those of even points that are held.
    fn share(is_held: impl Fn([f64; 3]) -> bool) -> f64 {
        let points = random::in_box(100_000, 1, [2.0; 3]).unwrap();
        let rows = (0..points.len()).map(|row| points.at(row));
        let rows: Vec<_> = rows.filter(|row| is_held(*row)).collect();
        let points = Points::from_rows(&rows).unwrap();
        let columns = [0, 1].map(|axis| points.columns()[axis].view());
        share_of_empty(columns, [2.0; 2], 16)
    }

    #[test]
    fn corners_and_wedges_are_seen_and_voids_are_not() {
        assert_eq!(share(|_| true), 0.0);
        let void = |[x, y, z]: [f64; 3]| x.hypot(y).hypot(z) > 0.8;
        assert_eq!(share(void), 0.0);
        let ball = |[x, y, z]: [f64; 3]| (x - 1.0).hypot(y - 1.0).hypot(z - 1.0) < 1.0;
        assert!((share(ball) - 0.16).abs() < 0.06, "{}", share(ball));
        // 120 of 256 squares lie behind the diagonal.
        assert_eq!(share(|[x, y, _]| x + y < 2.0), 120.0 / 256.0);
        assert_eq!(share(|[x, y, _]| x < 1.75 && y < 1.75), 60.0 / 256.0);
    }
}
