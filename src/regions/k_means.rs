//! Compact regions of nearly equal numbers of points, around centres.
//!
//! Entry: [`Centres`].

#![allow(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "centres are numbered in 32 bits, a uniform number below 1 picks a point"
)]

use super::{Regions, check_number, label_rows};
use crate::domain::Domain;
use crate::error::RegionsError;
use crate::particles::{Labels, Points, run_start};
use crate::random::Stream;

/// Points that centres are found from, for each of them: more would not change them by much.
const POINTS_A_REGION: usize = 1000;

/// Rounds of k-means, and of those that make the regions equally large.
const ROUNDS: usize = 25;
const EVENING_ROUNDS: usize = 75;

/// Largest deviation of a region's number of points from the mean that is looked for, relative.
const EVEN: f64 = 0.01;

/// Regions around centres: a point lies in the region k of least `d_k^2 + o_k`, d the distance to its centre, o its offset.
///
/// The centres are those of k-means (Lloyd 1982, DOI 10.1109/TIT.1982.1056489) from a seeded start (k-means++, Arthur & Vassilvitskii
/// 2007); the offsets are then raised and lowered, the centres moving along, until all regions hold nearly as many of the points that they
/// were made of. The regions of a power diagram (Aurenhammer 1987, DOI 10.1137/0216006) are convex. They depend on the points in their order and on the seed, and on no
/// number of threads. Of many points an even choice is taken.
///
/// ```
/// use albireo::regions::{Centres, Regions};
/// use albireo::{Domain, random};
/// let randoms = random::in_box(4000, 1, [1.0, 1.0, 2.0])?;
/// let regions = Centres::in_space(&randoms, &Domain::Open, 10, 7)?;
/// let labels = regions.labels(&randoms)?;
/// let size = |k| labels.values().iter().filter(|label| **label == k).count();
/// assert!((0..10).all(|k| size(k).abs_diff(400) < 40));
/// # Ok::<(), albireo::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct Centres {
    space: Space,
    places: Vec<[f64; 3]>,
    offsets: Vec<f64>,
}

/// What distances are measured in.
#[derive(Debug, Clone, PartialEq)]
#[allow(clippy::large_enum_variant, reason = "there is one for all points")]
enum Space {
    /// Between directions: the chord.
    Sky,
    /// Between positions: the nearest image.
    Domain(Domain),
}

/// Centres that a point is compared with at once.
const LANES: usize = 8;

/// Some centres beside one another; those that there are not have an infinite offset.
#[derive(Debug, Clone, Copy)]
struct Abreast {
    places: [[f64; LANES]; 3],
    offsets: [f64; LANES],
}

/// The centre nearest to a point, the first of those that are as near.
fn nearest_of(centres: &[Abreast], [x, y, z]: [f64; 3]) -> u32 {
    let (mut least, mut block) = ([f64::INFINITY; LANES], [0u64; LANES]);
    for (at, centres) in centres.iter().enumerate() {
        let [cx, cy, cz] = &centres.places;
        for k in 0..LANES {
            let cost = crate::separation::norm2([x - cx[k], y - cy[k], z - cz[k]]);
            let cost = cost + centres.offsets[k];
            let nearer = cost < least[k];
            least[k] = if nearer { cost } else { least[k] };
            block[k] = if nearer { at as u64 } else { block[k] };
        }
    }
    let mut best = (f64::INFINITY, 0);
    for (k, (&cost, &at)) in least.iter().zip(&block).enumerate() {
        let centre = at as u32 * LANES as u32 + k as u32;
        if cost < best.0 || (cost == best.0 && centre < best.1) {
            best = (cost, centre);
        }
    }
    best.1
}

/// The direction of a position; none for the origin.
fn direction([x, y, z]: [f64; 3]) -> Option<[f64; 3]> {
    let most = x.abs().max(y.abs()).max(z.abs());
    if most == 0.0 {
        return None;
    }
    let scaled = [x / most, y / most, z / most];
    let norm = crate::separation::norm2(scaled).sqrt();
    Some(scaled.map(|c| c / norm))
}

impl Space {
    /// The point as distances see it; none for the origin seen on the sky.
    fn seen(&self, position: [f64; 3]) -> Option<[f64; 3]> {
        match self {
            Self::Sky => direction(position),
            Self::Domain(_) => Some(position),
        }
    }

    /// From `centre` to `point`.
    fn displacement(&self, centre: [f64; 3], point: [f64; 3]) -> [f64; 3] {
        match self {
            Self::Sky | Self::Domain(Domain::Open) => {
                std::array::from_fn(|axis| point[axis] - centre[axis])
            }
            Self::Domain(domain) => domain.separation(point, centre).d,
        }
    }

    fn distance2(&self, centre: [f64; 3], point: [f64; 3]) -> f64 {
        crate::separation::norm2(self.displacement(centre, point))
    }
}

impl Centres {
    /// `number` regions of the sky, made of the directions of `points` from the origin.
    ///
    /// # Errors
    /// A number that is not within 2 and [`crate::particles::MAX_LABELS`], fewer points at different places, or a point at the origin.
    pub fn on_sky(points: &Points, number: u32, seed: u64) -> Result<Self, RegionsError> {
        Self::of(Space::Sky, points, number, seed)
    }

    /// `number` regions of space, made of `points`, which lie in `domain`.
    ///
    /// # Errors
    /// As [`Centres::on_sky`], but for the origin.
    pub fn in_space(
        points: &Points,
        domain: &Domain,
        number: u32,
        seed: u64,
    ) -> Result<Self, RegionsError> {
        Self::of(Space::Domain(domain.clone()), points, number, seed)
    }

    fn of(space: Space, points: &Points, number: u32, seed: u64) -> Result<Self, RegionsError> {
        check_number(number.into())?;
        let few = |points| RegionsError::FewPoints {
            regions: number,
            points,
        };
        if points.len() < number as usize {
            return Err(few(points.len()));
        }
        let stream = Stream::new(seed);
        let chosen = chosen(
            &space,
            points,
            POINTS_A_REGION * number as usize,
            stream.child(1),
        )?;
        let places = start(&space, &chosen, number as usize, stream.child(2)).map_err(few)?;
        let mut found = Self {
            offsets: vec![0.0; places.len()],
            places,
            space,
        };
        for _ in 0..ROUNDS {
            let labels = found.nearest(&chosen);
            let before = found.places.clone();
            found.move_centres(&chosen, &labels);
            if found.places == before {
                break;
            }
        }
        Ok(found.evened(&chosen))
    }

    /// The centre of each region: unit vectors on the sky.
    pub fn centres(&self) -> &[[f64; 3]] {
        &self.places
    }

    /// The region of a point, the first of those that are as near; `abreast` are the centres where no image of theirs may be nearer.
    fn of_point(&self, abreast: Option<&[Abreast]>, point: [f64; 3]) -> u32 {
        if let Some(centres) = abreast {
            return nearest_of(centres, point);
        }
        let mut best = (f64::INFINITY, 0);
        for (k, (&centre, offset)) in self.places.iter().zip(&self.offsets).enumerate() {
            let cost = self.space.distance2(centre, point) + offset;
            if cost < best.0 {
                best = (cost, k as u32);
            }
        }
        best.1
    }

    fn abreast(&self) -> Option<Vec<Abreast>> {
        let (Space::Sky | Space::Domain(Domain::Open)) = self.space else {
            return None;
        };
        let blocks = self.places.chunks(LANES).zip(self.offsets.chunks(LANES));
        let block = |(places, offsets): (&[[f64; 3]], &[f64])| {
            let lane = |axis: usize| {
                std::array::from_fn(|k| places.get(k).map_or(0.0, |place: &[f64; 3]| place[axis]))
            };
            Abreast {
                places: [lane(0), lane(1), lane(2)],
                offsets: std::array::from_fn(|k| offsets.get(k).copied().unwrap_or(f64::INFINITY)),
            }
        };
        Some(blocks.map(block).collect())
    }

    fn nearest(&self, points: &[[f64; 3]]) -> Vec<u32> {
        let abreast = self.abreast();
        let label = |row: usize| Some(self.of_point(abreast.as_deref(), points[row]));
        label_rows(points.len(), label).unwrap_or_default()
    }

    /// Moves each centre to the mean of its points.
    fn move_centres(&mut self, points: &[[f64; 3]], labels: &[u32]) {
        let mut sums = vec![([0.0; 3], 0.0); self.places.len()];
        for (&point, &label) in points.iter().zip(labels) {
            let (sum, n) = &mut sums[label as usize];
            let off = self.space.displacement(self.places[label as usize], point);
            (0..3).for_each(|axis| sum[axis] += off[axis]);
            *n += 1.0;
        }
        for (centre, (sum, n)) in self.places.iter_mut().zip(sums) {
            if n == 0.0 {
                continue;
            }
            let moved = std::array::from_fn(|axis| centre[axis] + sum[axis] / n);
            *centre = match self.space {
                Space::Sky => direction(moved).unwrap_or(*centre),
                Space::Domain(_) => moved,
            };
        }
    }

    /// The regions after rounds that take from those with more points than the mean and give to those with fewer.
    fn evened(mut self, points: &[[f64; 3]]) -> Self {
        let mean = points.len() as f64 / self.places.len() as f64;
        let mut best = (f64::INFINITY, self.clone());
        for _ in 0..EVENING_ROUNDS {
            let labels = self.nearest(points);
            let mut sizes = vec![0.0; self.places.len()];
            let mut spread = 0.0;
            for (&point, &label) in points.iter().zip(&labels) {
                sizes[label as usize] += 1.0;
                spread += self.space.distance2(self.places[label as usize], point);
            }
            let excess: Vec<f64> = sizes.iter().map(|size| size / mean - 1.0).collect();
            let uneven = excess.iter().fold(0.0, |most: f64, e| most.max(e.abs()));
            if uneven < best.0 {
                best = (uneven, self.clone());
            }
            if uneven <= EVEN {
                break;
            }
            self.move_centres(points, &labels);
            // A region's size grows by about as much as its offset falls below the mean squared distance.
            let scale = spread / points.len() as f64;
            for (offset, excess) in self.offsets.iter_mut().zip(excess) {
                *offset += scale * excess;
            }
        }
        best.1
    }
}

impl Regions for Centres {
    fn number(&self) -> u32 {
        self.places.len() as u32
    }

    fn labels(&self, points: &Points) -> Result<Labels, RegionsError> {
        let (view, abreast) = (points.view(), self.abreast());
        let label =
            |row: usize| Some(self.of_point(abreast.as_deref(), self.space.seen(view.at(row))?));
        let labels = label_rows(points.len(), label);
        let labels = labels.map_err(|row| RegionsError::NoDirection { row })?;
        Ok(Labels::new(labels, self.number())?)
    }
}

/// At most `most` of the points, one at random from each of as many runs of rows of nearly equal length.
fn chosen(
    space: &Space,
    points: &Points,
    most: usize,
    stream: Stream,
) -> Result<Vec<[f64; 3]>, RegionsError> {
    let (n, view) = (points.len(), points.view());
    let m = n.min(most);
    let row = |k: usize| {
        let (from, to) = (run_start(n, k, m), run_start(n, k + 1, m));
        let within = (stream.uniform(k as u64) * (to - from) as f64) as usize;
        (from + within).min(to - 1)
    };
    let seen = |row: usize| {
        let seen = space.seen(view.at(row));
        seen.ok_or(RegionsError::NoDirection { row })
    };
    (0..m).map(|k| seen(row(k))).collect()
}

/// Points to start from, far from one another: each drawn with a probability that grows as the squared distance to the nearest one before
/// it. The number of different places, if that is smaller.
fn start(
    space: &Space,
    points: &[[f64; 3]],
    number: usize,
    stream: Stream,
) -> Result<Vec<[f64; 3]>, usize> {
    let first = (stream.uniform(0) * points.len() as f64) as usize;
    let mut centres = vec![points[first.min(points.len() - 1)]];
    let mut far = vec![f64::INFINITY; points.len()];
    while centres.len() < number {
        let last = centres[centres.len() - 1];
        let mut sum = 0.0;
        for (far, &point) in far.iter_mut().zip(points) {
            *far = far.min(space.distance2(last, point));
            sum += *far;
        }
        if sum == 0.0 {
            return Err(centres.len());
        }
        let mut left = stream.uniform(centres.len() as u64) * sum;
        // The last point that is away from all centres, should rounding leave something.
        let mut next = 0;
        for (row, &far) in far.iter().enumerate().filter(|(_, far)| **far > 0.0) {
            next = row;
            left -= far;
            if left < 0.0 {
                break;
            }
        }
        centres.push(points[next]);
    }
    Ok(centres)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::in_box;

    #[test]
    fn centres_abreast_are_as_near_as_one_by_one() {
        let points = in_box(3000, 5, [1.0; 3]).unwrap();
        for number in [2, 7, 8, 9, 30] {
            let mut centres =
                Centres::in_space(&points, &Domain::Open, number, u64::from(number)).unwrap();
            // Two that are equally near to all points: the first of them counts.
            let last = centres.places.len() - 1;
            centres.places[last] = centres.places[0];
            centres.offsets[last] = centres.offsets[0];
            let abreast = centres.abreast().unwrap();
            for row in 0..points.len() {
                let point = points.view().at(row);
                assert_eq!(
                    centres.of_point(Some(&abreast), point),
                    centres.of_point(None, point),
                    "{number} {row}"
                );
            }
        }
    }
}
