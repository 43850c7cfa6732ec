//! Whether randoms end where their data do, and lie at the same distances: xi takes every difference between the two for structure.
//!
//! Entry: [`differences`]. Of points drawn alike, about one in as many as there are data lies beyond the last of these, however they are spread.

use albireo::{Particles, Weights};

use crate::overlap::some_rows;
use crate::shown::in_four_digits;

/// Points that are enough to say something.
const FEWEST: usize = 100;
/// The share of the randoms beyond the last of the data that is worth saying, and how many rows of the data make up for it: clusters of these are
/// one point.
const BEYOND: f64 = 0.02;
const CLUSTER: f64 = 20.0;
/// The difference between the shares that lie nearer than some distance that is worth saying: walls and clusters make smaller ones, and few points
/// larger ones.
const NEARER: f64 = 0.1;
const SCATTER: f64 = 2.0;
/// Room for the rounding of coordinates.
const ROUNDING: f64 = 1e-9;

type Position = [f64; 3];

#[derive(Clone, Copy)]
struct Row {
    position: Position,
    weight: f64,
}

/// Some rows.
fn some_of(particles: &Particles) -> Vec<Row> {
    let (points, weights) = (particles.points(), particles.weights());
    let weight = |row: usize| match weights {
        Weights::Unit => 1.0,
        Weights::PerParticle(weights) => weights.view().at(row),
    };
    let row = |row| Row {
        position: points.at(row),
        weight: weight(row),
    };
    some_rows(points.len()).map(row).collect()
}

fn dot(a: Position, b: Position) -> f64 {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

fn unit(v: Position) -> Option<Position> {
    let length = dot(v, v).sqrt();
    (length > 0.0).then(|| v.map(|x| x / length))
}

/// What positions are looked at along.
enum Frame {
    /// x, y and z.
    Axes,
    /// Directions around the middle of a sample on the sky: to the east, to the north, and to it.
    Sky([Position; 3]),
}

impl Frame {
    fn around(rows: &[Row]) -> Option<Self> {
        let sum = rows.iter().filter_map(|row| unit(row.position));
        let sum = sum.fold([0.0; 3], |sum, x| [0, 1, 2].map(|k| sum[k] + x[k]));
        let middle = unit(sum)?;
        let east = unit([-middle[1], middle[0], 0.0])?;
        let [x, y, z] = middle;
        let north = [-z * east[1], z * east[0], x * east[1] - y * east[0]];
        Some(Self::Sky([east, north, middle]))
    }

    /// Coordinates; on the sky angles to the east and to the north, and the distance.
    fn of(&self, position: Position) -> Position {
        let Self::Sky(axes) = self else {
            return position;
        };
        let [east, north, ahead] = axes.map(|axis| dot(axis, position));
        let angles = [east.atan2(ahead), north.atan2(east.hypot(ahead))];
        [angles[0], angles[1], dot(position, position).sqrt()]
    }

    /// Where a point lies that is beyond all others along each of them, to either side.
    fn sides(&self) -> [[&'static str; 2]; 3] {
        match self {
            Self::Axes => [
                ["at smaller x", "at larger x"],
                ["at smaller y", "at larger y"],
                ["at smaller z", "at larger z"],
            ],
            Self::Sky(_) => [
                ["farther west", "farther east"],
                ["farther south", "farther north"],
                ["nearer", "farther away"],
            ],
        }
    }
}

#[allow(clippy::cast_precision_loss, reason = "some thousand rows")]
fn share(part: usize, all: usize) -> f64 {
    part as f64 / all as f64
}

/// The largest share of the randoms that lies beyond the last of the data, and to which side.
fn beyond(data: &[Row], randoms: &[Row], frame: &Frame) -> (f64, &'static str) {
    let mut most = (0.0, "");
    for (axis, names) in frame.sides().into_iter().enumerate() {
        for (sign, name) in [-1.0, 1.0].into_iter().zip(names) {
            let last = data.iter().map(|row| sign * row.position[axis]);
            let last = last.fold(f64::NEG_INFINITY, f64::max);
            let last = last + ROUNDING * last.abs();
            let farther = randoms
                .iter()
                .filter(|row| sign * row.position[axis] > last);
            let share = share(farther.count(), randoms.len());
            if share > most.0 {
                most = (share, name);
            }
        }
    }
    most
}

/// The distance that differs most in which share of either sample lies nearer, by weight, and both shares; none of samples at one distance.
fn nearer(samples: [&[Row]; 2]) -> Option<(f64, [f64; 2])> {
    let totals = samples.map(|rows| rows.iter().map(|row| row.weight).sum::<f64>());
    let with_distance = samples.into_iter().enumerate().flat_map(|(which, rows)| {
        rows.iter()
            .map(move |row| (row.position[2], which, row.weight))
    });
    let mut all: Vec<_> = with_distance.collect();
    all.sort_by(|a, b| a.0.total_cmp(&b.0));
    let range = [all.first()?.0, all.last()?.0];
    if range[1] - range[0] <= ROUNDING * range[1] || totals.iter().any(|total| *total <= 0.0) {
        return None;
    }
    let (mut sums, mut found) = ([0.0; 2], (0.0, [0.0; 2]));
    let apart = |shares: [f64; 2]| (shares[0] - shares[1]).abs();
    for equal in all.chunk_by(|a, b| a.0 == b.0) {
        for (_, which, weight) in equal {
            sums[*which] += weight;
        }
        let shares = [0, 1].map(|k| sums[k] / totals[k]);
        if apart(shares) > apart(found.1) {
            found = (equal[0].0, shares);
        }
    }
    Some(found)
}

/// What to look at where samples do not cover the same volume.
pub(crate) const COVER: &str = "do both cover the same sky and the same distances, after the same cuts (--where, --randoms-where)?";

/// How randoms differ from their data, in words: they end elsewhere, or lie at other distances.
pub(crate) fn differences(
    (data_role, data): (&str, &Particles),
    (role, randoms): (&str, &Particles),
    on_sky: bool,
) -> Option<String> {
    let (mut data, mut randoms) = (some_of(data), some_of(randoms));
    let fewest = data.len().min(randoms.len());
    if fewest < FEWEST {
        return None;
    }
    let frame = if on_sky {
        Frame::around(&data)?
    } else {
        Frame::Axes
    };
    for row in data.iter_mut().chain(&mut randoms) {
        row.position = frame.of(row.position);
    }
    #[allow(clippy::cast_precision_loss, reason = "some thousand rows")]
    let number = fewest as f64;
    let percent = |share: f64| (100.0 * share).round();
    let (part, side) = beyond(&data, &randoms, &frame);
    if part >= BEYOND.max(CLUSTER / number) {
        let part = percent(part);
        return Some(format!(
            "about {part} % of the {role} lie {side} than all of the {data_role}: {COVER}"
        ));
    }
    let (distance, shares) = nearer([&data, &randoms]).filter(|_| on_sky)?;
    let is_other = (shares[0] - shares[1]).abs() >= NEARER + SCATTER / number.sqrt();
    let [of_data, of_randoms] = shares.map(percent);
    let distance = in_four_digits(distance);
    is_other.then(|| format!("{of_data} % of the {data_role}, but {of_randoms} % of the {role} lie nearer than {distance}: are the distances of both distributed alike, by their weights and after the same cuts?"))
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a failed unwrap is a failed test")]
mod tests {
    use super::*;
    use albireo::Points;
    use albireo::random;

    /// Points of a patch of the sky, at distances that `of` makes of even numbers in [0, 1).
    fn patch(n: usize, seed: u64, wide: f64, of: impl Fn(f64) -> f64) -> Particles {
        let drawn = random::in_box(n, seed, [wide, 0.4, 1.0]).unwrap();
        let place = |row: usize| {
            let [ra, dec, part] = drawn.at(row);
            let (ra, dec, r) = (ra + 2.9, dec + 0.1, of(part));
            [
                r * dec.cos() * ra.cos(),
                r * dec.cos() * ra.sin(),
                r * dec.sin(),
            ]
        };
        let rows: Vec<_> = (0..n).map(place).collect();
        Particles::new(Points::from_rows(&rows).unwrap())
    }

    fn said(data: &Particles, randoms: &Particles, on_sky: bool) -> Option<String> {
        differences(("data", data), ("randoms", randoms), on_sky)
    }

    #[test]
    fn randoms_that_end_elsewhere_or_lie_at_other_distances_are_seen() {
        let even = |part: f64| 1000.0 + 500.0 * part;
        for n in [400, 5000] {
            let data = patch(n, 1, 0.4, even);
            assert_eq!(said(&data, &patch(20_000, 2, 0.4, even), true), None);
            let wide = said(&data, &patch(20_000, 3, 0.48, even), true).unwrap();
            // The borders of a patch are no circles around its middle.
            assert!(wide.starts_with("about 1"), "{wide}");
            let east = "% of the randoms lie farther east than all of the data: ";
            assert!(wide.contains(east), "{wide}");
            let far = said(
                &data,
                &patch(20_000, 4, 0.4, |part| 1000.0 + 600.0 * part),
                true,
            );
            assert_eq!(
                far.unwrap(),
                format!("about 17 % of the randoms lie farther away than all of the data: {COVER}")
            );
            let near = said(
                &data,
                &patch(20_000, 4, 0.4, |part| 900.0 + 600.0 * part),
                true,
            );
            assert_eq!(
                near.unwrap(),
                format!("about 17 % of the randoms lie nearer than all of the data: {COVER}")
            );
            let other = patch(20_000, 5, 0.4, |part| 1000.0 + 500.0 * part.sqrt());
            let other = said(&data, &other, true).unwrap();
            // Of even parts u the square of the other ones: they differ by a quarter at a half.
            assert!(other.contains("% of the data, but "), "{other}");
            assert!(
                other.contains("% of the randoms lie nearer than 12"),
                "{other}"
            );
        }
        let flat = |_: f64| 1.0;
        assert_eq!(
            said(&patch(400, 1, 0.4, flat), &patch(900, 2, 0.4, flat), true),
            None
        );
    }

    #[test]
    fn weights_make_distances_alike_and_few_points_say_nothing() {
        let data = patch(5000, 1, 0.4, |part| 1000.0 + 500.0 * part);
        let randoms = patch(20_000, 5, 0.4, |part| 1000.0 + 500.0 * part.sqrt());
        let place = |row: usize| {
            let x = randoms.points().at(row);
            dot(x, x).sqrt()
        };
        // They are as many as the distance from the near end: the weights are the reverse of it.
        let weights = (0..20_000).map(|row| 1.0 / (place(row) - 999.0)).collect();
        let even = Particles::weighted(randoms.points().clone(), weights).unwrap();
        assert!(said(&data, &randoms, true).is_some());
        assert_eq!(said(&data, &even, true), None);
        let few = patch(99, 1, 0.4, |part| part);
        assert_eq!(said(&few, &randoms, true), None);
    }

    #[test]
    fn axes_are_those_of_the_positions_where_there_is_no_sky() {
        let sample = |n: usize, seed: u64, y: f64| {
            Particles::new(random::in_box(n, seed, [1.0, y, 0.1]).unwrap())
        };
        let (data, like, high) = (
            sample(500, 1, 1.0),
            sample(5000, 2, 1.0),
            sample(5000, 3, 1.5),
        );
        assert_eq!(said(&data, &like, false), None);
        let found = said(&data, &high, false).unwrap();
        assert!(
            found.contains("of the randoms lie at larger y than all of the data: "),
            "{found}"
        );
    }
}
