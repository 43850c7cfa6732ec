//! Whether samples cover the same volume: data where their randoms have no points, and randoms where there are no data.
//!
//! Entry: [`shares_alone`]. Randoms are even, so they are cut into parts of equal numbers, whose bounding boxes cover what they cover; clusters of
//! the data do not matter to these.

use albireo::Points;

/// Points of each sample that are looked at: of more, every n-th.
const ENOUGH: usize = 1 << 14;
/// Points that are enough to say something, and those that a part should hold of each sample.
const FEWEST: usize = 300;
const EXPECTED: usize = 30;
/// Parts at most, as a power of two.
const MOST: u32 = 6;
/// How much a bounding box is widened to either side: some points do not reach the border of their part.
const MARGIN: f64 = 0.1;

/// A part holds no data if these are so many times fewer than even data would be: neighbouring parts touch.
const FEW: usize = 20;

type Position = [f64; 3];

/// Rows of a sample that are enough to look at: of many, every n-th.
pub(crate) fn some_rows(rows: usize) -> impl Iterator<Item = usize> + Clone {
    (0..rows).step_by(rows.div_ceil(ENOUGH).max(1))
}

fn some_of(points: &Points) -> Vec<Position> {
    some_rows(points.len()).map(|row| points.at(row)).collect()
}

/// The bounding box of some positions.
#[derive(Clone, Copy)]
struct Bounds([[f64; 2]; 3]);

impl Bounds {
    fn of(positions: &[Position]) -> Self {
        let mut bounds = [[f64::INFINITY, f64::NEG_INFINITY]; 3];
        for position in positions {
            for ([lo, hi], x) in bounds.iter_mut().zip(position) {
                (*lo, *hi) = (lo.min(*x), hi.max(*x));
            }
        }
        Self(bounds)
    }

    fn widest(self) -> usize {
        let width = |axis: &usize| self.0[*axis][1] - self.0[*axis][0];
        let by_width = |a: &usize, b: &usize| width(a).total_cmp(&width(b));
        (0..3).max_by(by_width).unwrap_or(0)
    }

    /// Whether a position lies within, or no further out than this part of the width.
    fn holds(&self, position: Position, margin: f64) -> bool {
        let mut axes = self.0.iter().zip(position);
        axes.all(|([lo, hi], x)| {
            let margin = margin * (hi - lo);
            (lo - margin..=hi + margin).contains(&x)
        })
    }
}

/// The parts of positions that are halved so many times at the median of their widest axis, each with how many it holds.
fn parts(positions: &mut [Position], levels: u32, found: &mut Vec<(Bounds, usize)>) {
    let bounds = Bounds::of(positions);
    if levels == 0 {
        found.push((bounds, positions.len()));
        return;
    }
    let (axis, middle) = (bounds.widest(), positions.len() / 2);
    positions.select_nth_unstable_by(middle, |a, b| a[axis].total_cmp(&b[axis]));
    let (below, above) = positions.split_at_mut(middle);
    parts(below, levels - 1, found);
    parts(above, levels - 1, found);
}

/// The share of the data that lie where there are no randoms, and that of the randoms where there are no data; `None` of samples too small to know.
pub(crate) fn shares_alone(data: &Points, randoms: &Points) -> Option<[f64; 2]> {
    let (data, mut randoms) = (some_of(data), some_of(randoms));
    let fewest = data.len().min(randoms.len());
    if fewest < FEWEST {
        return None;
    }
    let levels = (fewest / EXPECTED).ilog2().min(MOST);
    let mut found = Vec::new();
    parts(&mut randoms, levels, &mut found);
    let outside = |x: &&Position| found.iter().all(|(bounds, _)| !bounds.holds(**x, MARGIN));
    let few = data.len() / found.len() / FEW;
    let is_empty = |(bounds, _): &&(Bounds, usize)| {
        let held = data.iter().filter(|x| bounds.holds(**x, 0.0));
        held.count() <= few
    };
    let empty = found.iter().filter(is_empty).map(|(_, points)| points);
    #[allow(clippy::cast_precision_loss, reason = "some thousand points")]
    let share = |part: usize, all: usize| part as f64 / all as f64;
    let alone = data.iter().filter(outside).count();
    Some([share(alone, data.len()), share(empty.sum(), randoms.len())])
}

#[cfg(test)]
mod tests {
    use super::*;
    use albireo::random;

    fn alone(data: [f64; 3], shift: [f64; 3]) -> Option<[f64; 2]> {
        let randoms = random::in_box(4000, 1, [10.0; 3]).unwrap();
        let data = random::in_box(1000, 2, data).unwrap();
        let columns = [0, 1, 2].map(|axis| {
            let moved = (0..data.len()).map(|row| data.at(row)[axis] + shift[axis]);
            moved.collect::<Vec<_>>()
        });
        let [x, y, z] = columns;
        shares_alone(&Points::new(x, y, z).unwrap(), &randoms)
    }

    #[test]
    fn what_lies_alone_is_found_and_what_is_clustered_does_not() {
        assert_eq!(alone([10.0; 3], [0.0; 3]), Some([0.0, 0.0]));
        let [data, randoms] = alone([10.0; 3], [5.0, 0.0, 0.0]).unwrap();
        assert!((0.35..0.6).contains(&data) && (0.35..0.6).contains(&randoms));
        assert_eq!(alone([10.0; 3], [0.0, 20.0, 0.0]), Some([1.0, 1.0]));
        // A single cluster: the randoms lie alone, it does not.
        let [data, randoms] = alone([0.1; 3], [5.0; 3]).unwrap();
        assert!(data == 0.0 && randoms > 0.5);
    }

    #[test]
    fn few_points_say_nothing() {
        let few = random::in_box(299, 1, [1.0; 3]).unwrap();
        assert_eq!(shares_alone(&few, &few), None);
    }
}
