//! Lines of sight that can hardly be meant: those from the corner of a simulation, or from its middle.
//!
//! Entry: [`seen`].

use albireo::Points;

use crate::notice::Notice;
use crate::overlap::some_rows;
use crate::sample::Sample;
use crate::shown::in_four_digits;

/// Positions that are enough to say something.
const FEWEST: usize = 100;
/// How far, as a part of the longest side, the sides of a cube may differ, and its corner or its middle may lie from the origin.
const UNEQUAL: f64 = 0.1;
/// The share of positions beyond the sphere that fits between the origin and the sides: 0.48 in a cube, few where a survey ends at a distance.
const BEYOND: f64 = 0.3;

/// The cube that positions fill from the origin on, or around it.
fn cube(points: &Points) -> Option<[f64; 2]> {
    if points.len() < FEWEST {
        return None;
    }
    let ranges = points.ranges();
    let longest = ranges.iter().map(|[lo, hi]| hi - lo).fold(0.0, f64::max);
    let near = |a: f64, b: f64| (a - b).abs() <= UNEQUAL * longest;
    let is_cube = ranges.iter().all(|[lo, hi]| near(hi - lo, longest));
    let from_origin = ranges.iter().all(|[lo, _]| near(*lo, 0.0));
    let around_origin = ranges.iter().all(|[lo, hi]| near(lo + hi, 0.0));
    if !is_cube || !(from_origin || around_origin) {
        return None;
    }
    let radius = ranges
        .iter()
        .map(|[_, hi]| *hi)
        .fold(f64::INFINITY, f64::min);
    let some = some_rows(points.len()).map(|row| points.at(row));
    let beyond = some
        .clone()
        .filter(|x| x.iter().map(|x| x * x).sum::<f64>() > radius * radius);
    #[allow(clippy::cast_precision_loss, reason = "some thousand positions")]
    let share = beyond.count() as f64 / some.count() as f64;
    let all = ranges
        .iter()
        .copied()
        .reduce(|a, b| [a[0].min(b[0]), a[1].max(b[1])]);
    all.filter(|_| share > BEYOND)
}

/// A sample in open space that looks like a simulation, seen from the origin.
pub(crate) fn seen(sample: &Sample) -> Option<Notice> {
    let cube = cube(sample.particles.points())?;
    Some(Notice::warning(format!(
        "{} ({}): positions fill a cube from {} to {} along each axis, as those of a simulation do, and the line of sight comes from the origin: \
         --box L or --los z for a simulation, --los midpoint where the observer is there",
        sample.role,
        sample.path.display(),
        in_four_digits(cube[0]),
        in_four_digits(cube[1])
    )))
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a failed unwrap is a failed test")]
mod tests {
    use super::*;
    use albireo::random;

    /// The cube of random positions of a box of 10 that are moved and kept.
    fn of(moved: f64, kept: impl Fn([f64; 3]) -> bool) -> Option<[f64; 2]> {
        let points = random::in_box(2000, 1, [10.0; 3]).unwrap();
        let all = (0..points.len()).map(|row| points.at(row).map(|x| x + moved));
        let all: Vec<_> = all.filter(|x| kept(*x)).collect();
        let column = |axis: usize| all.iter().map(|x| x[axis]).collect::<Vec<_>>();
        cube(&Points::new(column(0), column(1), column(2)).unwrap())
    }

    #[test]
    fn simulations_are_told_from_surveys() {
        let radius = |x: [f64; 3]| x.iter().map(|x| x * x).sum::<f64>().sqrt();
        assert!(of(0.0, |_| true).is_some() && of(-5.0, |_| true).is_some());
        // An octant and a full sky up to a distance, a box elsewhere, a slab, few positions.
        assert!(of(0.0, |x| radius(x) < 10.0).is_none());
        assert!(of(-5.0, |x| radius(x) < 5.0).is_none());
        assert!(of(20.0, |_| true).is_none());
        assert!(of(0.0, |x| x[2] < 5.0).is_none());
        assert!(of(0.0, |x| x[2] < 0.1).is_none());
    }
}
