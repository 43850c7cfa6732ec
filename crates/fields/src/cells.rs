//! Sources by cells of their frame: which may be near a target, and how many at most.
//!
//! Entry: [`Cells`]. Cells only leave out what is out of reach for sure; no sum depends on them.

mod bins;
#[cfg(feature = "cuda")]
mod laid_out;

pub(crate) use bins::Bins;
#[cfg(feature = "cuda")]
pub(crate) use bins::candidate2;

use std::ops::Range;

use albireo::domain::TURN;

use super::frame::{Fractions, Frame, each_axis};

/// More than the roundings of a cell's number, relative and in cells.
const SLACK: f64 = 1e-6;

/// The most cells along an axis.
const MOST: usize = 256;

/// The cells along one axis of the frame.
#[derive(Debug, Clone, Copy)]
struct CellAxis {
    n: usize,
    low: u64,
    /// Of a cell, in fractions.
    width: f64,
    /// Fractions of a length across the frame.
    per_length: f64,
    periodic: bool,
}

impl CellAxis {
    /// Cells at least `side` wide.
    fn new(frame: &Frame, axis: usize, sources: &[Fractions], side: f64, most: usize) -> Self {
        let per_length = TURN / frame.heights()[axis];
        let periodic = frame.periodic()[axis];
        let (low, span) = if periodic {
            (0, TURN)
        } else {
            let along = || sources.iter().map(|source| source[axis].cast_signed());
            let low = along().min().unwrap_or(0);
            let high = along().max().unwrap_or(0);
            (
                low.cast_unsigned(),
                (high.wrapping_sub(low) as f64).max(1.0),
            )
        };
        let n = (span / (side * per_length) * (1.0 - SLACK)) as usize;
        let n = n.clamp(1, most);
        let width = span / n as f64;
        Self {
            n,
            low,
            width,
            per_length,
            periodic,
        }
    }

    /// The cell of a source.
    fn of(&self, fraction: u64) -> usize {
        let at = fraction.wrapping_sub(self.low) as f64 / self.width;
        (at as usize).min(self.n - 1)
    }

    /// The first cell within `reach` of a target, and how many there are; on a periodic axis their numbers are to be wrapped.
    fn within(&self, fraction: u64, reach: f64) -> (i64, usize) {
        let beyond = fraction.wrapping_sub(self.low);
        let at = if self.periodic {
            beyond as f64
        } else {
            beyond.cast_signed() as f64
        };
        let (at, n) = (at / self.width, self.n as i64);
        let around = reach * self.per_length / self.width * (1.0 + SLACK) + SLACK;
        let (low, high) = ((at - around).floor() as i64, (at + around).floor() as i64);
        if self.periodic {
            if high.saturating_sub(low) >= n - 1 {
                return (0, self.n);
            }
            return (low, (high - low + 1) as usize);
        }
        let (low, high) = (low.max(0), high.min(n - 1));
        (low, (high - low + 1).max(0) as usize)
    }
}

/// Sources sorted by cells, the third axis fastest.
#[derive(Debug, Clone)]
pub(crate) struct Cells {
    axes: [CellAxis; 3],
    /// Where each cell begins, and the end.
    starts: Vec<usize>,
    sources: Sources,
}

/// Sources by rows.
#[derive(Debug, Clone, Default)]
pub(crate) struct Sources {
    pub(crate) fractions: Vec<Fractions>,
    pub(crate) strengths: Vec<f64>,
    /// As many, or none where the term has no use for them.
    pub(crate) sizes: Vec<f64>,
}

impl Sources {
    /// The strength and the size of a source; 1 where there are none.
    #[inline(always)]
    pub(crate) fn parameters(&self, row: usize) -> [f64; 2] {
        [
            self.strengths[row],
            self.sizes.get(row).copied().unwrap_or(1.0),
        ]
    }
}

fn axes(frame: &Frame, sources: &[Fractions], side: f64, most: usize) -> [CellAxis; 3] {
    [0, 1, 2].map(|axis| CellAxis::new(frame, axis, sources, side, most))
}

fn number(axes: &[CellAxis; 3], source: Fractions) -> usize {
    let [i, j, k] = [0, 1, 2].map(|axis| axes[axis].of(source[axis]));
    (i * axes[1].n + j) * axes[2].n + k
}

/// Sorts sources into cells, those of a cell in their order.
fn in_cells(axes: [CellAxis; 3], sources: &Sources) -> Cells {
    let fractions = &sources.fractions;
    let cells: usize = axes.iter().map(|axis| axis.n).product();
    let mut starts = vec![0; cells + 1];
    let cell_of = |&source: &Fractions| number(&axes, source) as u32;
    let numbers: Vec<u32> = fractions.iter().map(cell_of).collect();
    for &cell in &numbers {
        starts[cell as usize + 1] += 1;
    }
    for cell in 0..cells {
        starts[cell + 1] += starts[cell];
    }
    let mut next = starts.clone();
    let mut sorted = Sources {
        fractions: vec![[0; 3]; fractions.len()],
        strengths: vec![0.0; fractions.len()],
        sizes: vec![0.0; sources.sizes.len()],
    };
    for (row, &cell) in numbers.iter().enumerate() {
        let slot = next[cell as usize];
        next[cell as usize] += 1;
        sorted.fractions[slot] = fractions[row];
        sorted.strengths[slot] = sources.strengths[row];
        if let Some(size) = sorted.sizes.get_mut(slot) {
            *size = sources.sizes[row];
        }
    }
    Cells {
        axes,
        starts,
        sources: sorted,
    }
}

impl Cells {
    /// Cells about `side` wide, wider where there would be many more of them than sources.
    pub(crate) fn new(frame: &Frame, sources: &Sources, side: f64) -> Self {
        let fractions = &sources.fractions;
        let mut side = side;
        let mut found = axes(frame, fractions, side, MOST);
        while side.is_finite()
            && found.iter().map(|a| a.n).product::<usize>() > 8 * fractions.len() + 64
        {
            side *= 1.5;
            found = axes(frame, fractions, side, MOST);
        }
        in_cells(found, sources)
    }

    /// The sources, cell by cell.
    pub(crate) fn sources(&self) -> &Sources {
        &self.sources
    }

    /// The same, to bring strengths to another unit.
    pub(super) fn strengths_mut(&mut self) -> &mut [f64] {
        &mut self.sources.strengths
    }

    /// Hands over runs of the rows of sources that may be within `reach[k]` of a target along each axis: each source at most once.
    pub(crate) fn near(
        &self,
        target: Fractions,
        reach: [f64; 3],
        mut take: impl FnMut(Range<usize>),
    ) {
        let [x, y, z] = each_axis(|k| self.axes[k].within(target[k], reach[k]));
        let wrapped = |(first, count): (i64, usize), n: usize| {
            (0..count as i64).map(move |k| (first + k).rem_euclid(n as i64) as usize)
        };
        let (m, n) = (self.axes[1].n, self.axes[2].n);
        // Along the third axis cells lie side by side: one run, or two where it wraps.
        let first = z.0.rem_euclid(n as i64) as usize;
        let until = (first + z.1).min(n);
        let rest = first + z.1 - until;
        for i in wrapped(x, self.axes[0].n) {
            for j in wrapped(y, m) {
                let row = (i * m + j) * n;
                for run in [first..until, 0..rest] {
                    let rows = self.starts[row + run.start]..self.starts[row + run.end];
                    if !rows.is_empty() {
                        take(rows);
                    }
                }
            }
        }
    }
}

/// Adds up each cell and its two neighbours along an axis; all cells where there are no more than two.
fn with_neighbours(counts: &[u64], shape: [usize; 3], axis: usize, periodic: bool) -> Vec<u64> {
    let n = shape[axis];
    let stride: usize = shape[axis + 1..].iter().product();
    let sum = |cell: usize| -> u64 {
        let k = cell / stride % n;
        let first = cell - k * stride;
        let at = |k: usize| counts[first + k * stride];
        if n <= 2 {
            return (0..n).map(at).sum();
        }
        let before = if k > 0 || periodic {
            at((k + n - 1) % n)
        } else {
            0
        };
        let after = if k + 1 < n || periodic {
            at((k + 1) % n)
        } else {
            0
        };
        before + at(k) + after
    };
    (0..counts.len()).map(sum).collect()
}

/// A bound on the number of sources within `reach` of any point: the most in a cell at least so wide and its 26 neighbours.
pub(crate) fn most_within(frame: &Frame, sources: &[Fractions], reach: f64) -> u64 {
    if !reach.is_finite() {
        return sources.len() as u64;
    }
    let axes = axes(frame, sources, reach, MOST / 2);
    let shape = axes.map(|axis| axis.n);
    let mut counts = vec![0; shape.iter().product()];
    for &source in sources {
        counts[number(&axes, source)] += 1;
    }
    for (axis, along) in axes.iter().enumerate() {
        counts = with_neighbours(&counts, shape, axis, along.periodic);
    }
    counts.into_iter().max().unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::frame::aligned_r2;
    use albireo::domain::{Domain, PeriodicBox};
    use albireo::random;

    #[test]
    fn nothing_in_reach_is_missed_and_nothing_comes_twice() {
        let slab = PeriodicBox::new([Some(10.0), None, Some(4.0)]).unwrap();
        for domain in [Domain::Open, Domain::Periodic(slab)] {
            let points = random::in_box(400, 5, [10.0, 6.0, 4.0]).unwrap();
            let frame = Frame::new(&domain, [10.0; 3]);
            let sources: Vec<Fractions> = (0..400)
                .map(|row| frame.fractions(points.at(row)).unwrap())
                .collect();
            let numbered = Sources {
                fractions: sources.clone(),
                strengths: (0..400).map(f64::from).collect(),
                sizes: vec![],
            };
            let units = frame.aligned().unwrap();
            for (reach, side) in [(1.9, 0.5), (1.0, 1.0), (0.3, 5.0), (2.0, 1e9)] {
                let cells = Cells::new(&frame, &numbered, side);
                let most = most_within(&frame, &sources, reach);
                for target in [
                    [0.1, 0.1, 3.9],
                    [5.0, 3.0, 2.0],
                    [9.9, -1.0, 0.0],
                    [3.0, 8.0, 1.0],
                ] {
                    let target = frame.fractions(target).unwrap();
                    let mut met = vec![0; 400];
                    cells.near(target, [reach; 3], |rows| {
                        for row in &cells.sources.strengths[rows] {
                            met[*row as usize] += 1;
                        }
                    });
                    let mut within = 0;
                    for (row, &source) in sources.iter().enumerate() {
                        let near = aligned_r2(units, source, target) < reach * reach;
                        within += u64::from(near);
                        assert!(met[row] <= 1 && (!near || met[row] == 1));
                    }
                    assert!(within <= most);
                }
            }
        }
    }
}
