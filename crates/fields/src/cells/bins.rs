//! Sources in bins of few places, which blocks of points meet by the distance of their boxes.
//!
//! Entry: [`Bins`].

use albireo::domain::TURN;

use super::{CellAxis, Cells, MOST, SLACK, Sources, in_cells};
use crate::frame::{Fractions, Frame, Stretch};

/// Cells of which the first sources, as many as there is room for, are in the bin, and the others are not.
#[derive(Debug, Clone)]
pub(crate) struct Bins {
    cells: Cells,
    room: usize,
}

impl CellAxis {
    /// Cells of this side that begin at `origin` or whole sides from it; on a periodic axis at `origin`, and as little wider as fits.
    fn aligned(
        frame: &Frame,
        axis: usize,
        sources: &[Fractions],
        (origin, side): (u64, f64),
    ) -> Self {
        let per_length = TURN / frame.heights()[axis];
        let side = side * per_length;
        if frame.periodic()[axis] {
            let n = ((TURN / side * (1.0 + SLACK)) as usize).clamp(1, MOST);
            return Self {
                n,
                low: origin,
                width: TURN / n as f64,
                per_length,
                periodic: true,
            };
        }
        let along = || sources.iter().map(|source| source[axis].cast_signed());
        let least = along().min().unwrap_or(0);
        let most = along().max().unwrap_or(0);
        let before = (i128::from(least) - i128::from(origin.cast_signed())) as f64;
        // Positions lie within a quarter of the frame, and so do cells: no difference from one to the other loses its sign.
        let before = before.rem_euclid(side).min(side) as i64;
        let low = least.saturating_sub(before).max(-(1 << 62));
        let n = (most.wrapping_sub(low).cast_unsigned() as f64 / side) as usize + 1;
        Self {
            n,
            low: low.cast_unsigned(),
            width: side,
            per_length,
            periodic: false,
        }
    }

    /// The distance of a stretch of points from each cell within `reach` of it, and the first of these cells; none is too long.
    fn gaps(&self, along: Stretch, reach: f64) -> (usize, Vec<f64>) {
        let (first, count) = self.within(along.centre, (reach + along.half) * (1.0 + SLACK));
        let beyond = along.centre.wrapping_sub(self.low);
        let at = if self.periodic {
            beyond as f64
        } else {
            beyond.cast_signed() as f64
        } / self.width;
        let gap = |k: i64| {
            let from = |k: f64| (k - at).max(at - (k + 1.0));
            let (k, n) = (k as f64, self.n as f64);
            let nearest = if self.periodic {
                from(k).min(from(k - n)).min(from(k + n))
            } else {
                from(k)
            };
            let cells = (nearest - SLACK).max(0.0) * (1.0 - SLACK);
            (cells * self.width / self.per_length - along.half).max(0.0)
        };
        let gaps = (first..first + count as i64).map(gap).collect();
        (first.rem_euclid(self.n as i64) as usize, gaps)
    }
}

impl Bins {
    /// Bins with these sides and room for so many sources each, wider where there would be many more of them than sources.
    pub(crate) fn new(
        frame: &Frame,
        sources: &Sources,
        origin: Fractions,
        (mut side, room): (f64, usize),
    ) -> Self {
        let fractions = &sources.fractions;
        let most = (8 * fractions.len() + 64) as f64;
        let axes = loop {
            let axes = [0, 1, 2].map(|k| CellAxis::aligned(frame, k, fractions, (origin[k], side)));
            if axes.iter().map(|axis| axis.n as f64).product::<f64>() <= most {
                break axes;
            }
            side *= 1.5;
        };
        let cells = in_cells(axes, sources);
        Self { cells, room }
    }

    /// The cells, with all sources.
    pub(crate) fn cells(&self) -> &Cells {
        &self.cells
    }

    /// The most sources of a bin.
    #[cfg(feature = "cuda")]
    pub(crate) fn room(&self) -> usize {
        self.room
    }

    /// The sources that are in no bin.
    pub(crate) fn overfull(&self) -> Sources {
        let mut left = Sources::default();
        let all = &self.cells.sources;
        for bounds in self.cells.starts.windows(2) {
            let rows = (bounds[0] + self.room).min(bounds[1])..bounds[1];
            left.fractions.extend(&all.fractions[rows.clone()]);
            left.strengths.extend(&all.strengths[rows.clone()]);
            if !all.sizes.is_empty() {
                left.sizes.extend(&all.sizes[rows]);
            }
        }
        left
    }

    /// For each axis the first bin that points may be near, and the distance of each from there on: after the last comes the first.
    pub(crate) fn gaps(&self, axis: usize, along: Stretch, reach: f64) -> (usize, Vec<f64>) {
        self.cells.axes[axis].gaps(along, reach)
    }

    /// Hands over the rows of the sources in bins whose boxes are within reach of the box round a block.
    pub(crate) fn near(
        &self,
        block: &[Stretch; 3],
        reach: f64,
        mut take: impl FnMut(std::ops::Range<u32>),
    ) {
        let [x, y, z] = [0, 1, 2].map(|axis| self.gaps(axis, block[axis], reach));
        let [l, m, n] = self.cells.axes.map(|axis| axis.n);
        let reach2 = candidate2(reach);
        for (i, a) in x.1.iter().enumerate() {
            for (j, b) in y.1.iter().enumerate() {
                let row = ((x.0 + i) % l * m + (y.0 + j) % m) * n;
                for (k, c) in z.1.iter().enumerate() {
                    if a * a + b * b + c * c < reach2 {
                        let cell = row + (z.0 + k) % n;
                        let (begin, end) = (self.cells.starts[cell], self.cells.starts[cell + 1]);
                        take(begin as u32..end.min(begin + self.room) as u32);
                    }
                }
            }
        }
    }
}

/// The squared distance of boxes from which on nothing is in reach.
pub(crate) fn candidate2(reach: f64) -> f64 {
    reach * reach * (1.0 + SLACK)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::frame::square_along;
    use albireo::domain::{Domain, PeriodicBox};

    /// Bins in reach of a block: the paper says 335, its formula gives 461.
    fn in_reach(domain: &Domain, points: [f64; 2]) -> usize {
        let frame = Frame::new(domain, [48.0; 3]);
        let at = |x: f64| frame.fractions([x; 3]).unwrap();
        let mut sources = Sources::default();
        for i in 0..12 {
            for j in 0..12 {
                for k in 0..12 {
                    let x = [i, j, k].map(|n| 4.0 * f64::from(n) + 2.0);
                    sources.fractions.push(frame.fractions(x).unwrap());
                    sources.strengths.push(1.0);
                }
            }
        }
        let bins = Bins::new(&frame, &sources, at(0.0), (4.0, 8));
        let [first, last] = points;
        let centre = at(0.5 * (first + last));
        let unit = frame.aligned().unwrap();
        let half = |axis: usize| square_along(unit[axis], at(last)[axis], centre[axis]).sqrt();
        let block = [0, 1, 2].map(|axis| Stretch {
            centre: centre[axis],
            half: half(axis),
        });
        let mut found = 0;
        bins.near(&block, 12.0, |rows| found += rows.len());
        found
    }

    #[test]
    fn fewer_bins_are_in_reach_than_in_the_paper() {
        let cube = Domain::Periodic(PeriodicBox::cubic(48.0).unwrap());
        for domain in [Domain::Open, cube] {
            // Half a step from the faces, on one of them, where bins as far as terms reach come with the others, and all but on both.
            assert_eq!(in_reach(&domain, [20.25, 23.75]), 311);
            assert_eq!(in_reach(&domain, [20.0, 23.5]), 317);
            assert_eq!(in_reach(&domain, [20.0001, 23.9999]), 311);
        }
    }
}
