//! What a part of a job on GPUs is a run of: lines of the cells that they sort into, or rows in the order given.
//!
//! Entry: [`Lines`]. A line takes the pairs whose first points it holds; where an auto count holds each pair once, of two lines that whose
//! neighbours the other one is among. Which points a line holds is worked out here as `kernels/sort.cu` does, operation by operation.

use std::ops::Range;
use std::sync::atomic::{AtomicU32, Ordering};

use super::frame::{Arrangement, Frame, Grid, Order, Row};
use super::plan::LaunchPlan;
use crate::engine::PairJob;
use crate::engine::owners::Owning;
use crate::engine::pieces::Piece;
use crate::fingerprint::mix;
use crate::pairs::Pairs;
use crate::particles::{Particles, pairs_within};
use crate::pool;

/// First rows of a unit where there are no cells.
const ROWS: usize = 1024;

/// The lines of a plan, for the job that it is made for.
#[derive(Debug, Clone, Copy)]
pub(super) struct Lines<'a> {
    job: &'a PairJob<'a>,
    arrangement: &'a Arrangement,
    order: Order,
    labelled: bool,
}

/// A fraction of a frame's vector in fixed point.
fn fixed_fraction(s: f64) -> u32 {
    // Below 0 and above the largest number it stays there.
    (s * 4_294_967_296.0).floor() as u32
}

/// The cell along each axis of the frame that a position is sorted into.
fn cell_of(frame: &Frame, cells: [u32; 3], x: [f64; 3]) -> [u32; 3] {
    let d: [f64; 3] = std::array::from_fn(|axis| x[axis] - frame.origin[axis]);
    std::array::from_fn(|k| {
        let m = frame.inverse[k];
        let fixed = fixed_fraction(m[0] * d[0] + m[1] * d[1] + m[2] * d[2]);
        ((u64::from(fixed) * u64::from(cells[k])) >> 32) as u32
    })
}

/// The cell of a grid `offset` away from another along an axis, and which image of it; none beyond the end of an open axis.
fn neighbour(grid: &Grid, k: usize, cell: u32, offset: i32) -> Option<(u32, i32)> {
    let n = grid.cells[k] as i32;
    let at = cell as i32 + offset;
    let image = at.div_euclid(n);
    (image == 0 || grid.frame.periodic[k]).then(|| (at.rem_euclid(n) as u32, image))
}

/// Offsets of a row of neighbours across.
fn across(row: &Row) -> [i32; 2] {
    [i32::from(row[0] as i16), row[0] >> 16]
}

impl<'a> Lines<'a> {
    /// Those of a plan for `job`.
    pub(super) fn of(plan: &'a LaunchPlan, job: &'a PairJob<'a>) -> Self {
        Self {
            job,
            arrangement: &plan.arrangement,
            order: plan.order,
            labelled: plan.is_labelled(),
        }
    }

    /// How many there are.
    pub(super) fn number(&self) -> usize {
        match self.arrangement {
            Arrangement::AsGiven(_) => self.job.pairs().both().0.len().div_ceil(ROWS),
            Arrangement::Sorted(grid) => grid.cells[1] as usize * grid.cells[2] as usize,
        }
    }

    /// A fingerprint: lines of equal ones hold the same particles of equal samples, and take the same pairs.
    pub(super) fn print(&self) -> u64 {
        let state = mix(self.order as u64, u64::from(self.labelled));
        match self.arrangement {
            Arrangement::AsGiven(_) => mix(state, ROWS as u64),
            Arrangement::Sorted(grid) => {
                let frame = &grid.frame;
                let numbers = frame.inverse.as_flattened().iter().chain(&frame.origin);
                let state = numbers.fold(state, |state, number| mix(state, number.to_bits()));
                let span = grid.span.map(i32::unsigned_abs);
                let numbers = grid.cells.iter().chain(&span);
                numbers.fold(state, |state, &number| mix(state, u64::from(number)))
            }
        }
    }

    /// The line that a position is sorted into.
    fn line_of(grid: &Grid, x: [f64; 3]) -> usize {
        let [_, y, z] = cell_of(&grid.frame, grid.cells, x);
        z as usize * grid.cells[1] as usize + y as usize
    }

    /// The first rows of lines that are runs of them.
    pub(super) fn rows(lines: &Range<usize>, first: u64) -> Range<u64> {
        let row = |line: usize| (line as u64 * ROWS as u64).min(first);
        row(lines.start)..row(lines.end)
    }

    /// What each line costs: pairs between its cells and those around them.
    pub(super) fn costs(&self) -> Vec<u64> {
        let (first, second) = self.job.pairs().both();
        let lines = 0..self.number();
        match self.arrangement {
            Arrangement::AsGiven(_) => {
                let (n, m) = (first.len() as u64, second.len() as u64);
                let cost = |line: usize| {
                    let rows = Self::rows(&(line..line + 1), n);
                    match self.order {
                        Order::Unordered => {
                            pairs_within(n - rows.start) - pairs_within(n - rows.end)
                        }
                        Order::Ordered => (rows.end - rows.start) * (m - 1),
                        Order::Cross => (rows.end - rows.start) * m,
                    }
                };
                lines.map(cost).collect()
            }
            Arrangement::Sorted(grid) => {
                let starts = first_rows(grid, first);
                let seconds = match self.job.pairs() {
                    Pairs::Auto(_) => None,
                    Pairs::Cross(..) => Some(first_rows(grid, second)),
                };
                let both = [&starts, seconds.as_ref().unwrap_or(&starts)];
                pool::each(lines.end, |line| self.cost_of_line(grid, line, both))
            }
        }
    }

    /// Pairs between the cells of a line and those around them; `starts` are the first rows of the cells of both samples.
    fn cost_of_line(&self, grid: &Grid, line: usize, [firsts, seconds]: [&Vec<u32>; 2]) -> u64 {
        let (nx, ny) = (grid.cells[0], grid.cells[1]);
        let at = [line as u32 % ny, line as u32 / ny];
        let own = &firsts[line * nx as usize..=(line + 1) * nx as usize];
        let of_cell = |x: usize| u64::from(own[x + 1] - own[x]);
        let mut cost: u64 = match self.order {
            Order::Cross => 0,
            Order::Unordered => (0..nx as usize).map(|x| pairs_within(of_cell(x))).sum(),
            Order::Ordered => (0..nx as usize).map(|x| 2 * pairs_within(of_cell(x))).sum(),
        };
        for row in &grid.rows {
            let [dy, dz] = across(row);
            let other = neighbour(grid, 1, at[0], dy).zip(neighbour(grid, 2, at[1], dz));
            let Some(((y, _), (z, _))) = other else {
                continue;
            };
            let begin = ((z * ny + y) * nx) as usize;
            let starts = &seconds[begin..=begin + nx as usize];
            for x in 0..nx {
                let points = of_cell(x as usize);
                if points > 0 {
                    let x = x as i32;
                    let low = if row[3] == 1 { x + 1 } else { x + row[1] };
                    let high = if row[3] == 2 { x - 1 } else { x + row[2] };
                    cost += points * points_between(grid, starts, [low, high]);
                }
            }
        }
        cost
    }

    /// The rows of both samples that some lines take pairs of; nothing for a second sample where there is none.
    pub(super) fn rows_met(&self, grid: &Grid, lines: &Range<usize>) -> [Vec<usize>; 2] {
        let ny = grid.cells[1] as usize;
        let mut met = vec![false; self.number()];
        for line in lines.clone() {
            let at = [line % ny, line / ny].map(|x| x as u32);
            let rows = if self.labelled {
                &grid.apart
            } else {
                &grid.rows
            };
            for row in rows {
                let [dy, dz] = across(row);
                let other = neighbour(grid, 1, at[0], dy).zip(neighbour(grid, 2, at[1], dz));
                if let Some(((y, _), (z, _))) = other {
                    met[z as usize * ny + y as usize] = true;
                }
            }
        }
        let of = |sample: &Particles, is_in: &(dyn Fn(usize) -> bool + Sync)| {
            let view = sample.points().view();
            let among = |rows: Range<usize>| -> Vec<usize> {
                rows.filter(|&row| is_in(Self::line_of(grid, view.at(row))))
                    .collect()
            };
            pool::fold(sample.len(), among, |mut a, b| {
                a.extend(b);
                a
            })
        };
        let (first, second) = self.job.pairs().samples();
        match second {
            None => [
                of(first, &|line| lines.contains(&line) || met[line]),
                vec![],
            ],
            Some(second) => [
                of(first, &|line| lines.contains(&line)),
                of(second, &|line| met[line]),
            ],
        }
    }

    /// The pieces of a job that some lines take where these are runs of rows.
    pub(super) fn pieces(&self, lines: &Range<usize>) -> Vec<Piece> {
        let (first, second) = self.job.pairs().both();
        let rows = Self::rows(lines, first.len() as u64);
        let own = rows.start as usize..rows.end as usize;
        let (before, after) = (0..own.start, own.end..second.len());
        let with = |other: Range<usize>| Piece::Cross(own.clone(), other);
        match self.order {
            Order::Cross => vec![with(0..second.len())],
            Order::Unordered => vec![Piece::Auto(own.clone()), with(after)],
            Order::Ordered => vec![with(before), Piece::Auto(own.clone()), with(after)],
        }
    }

    /// The pairs of rows that a run of lines takes.
    pub(super) fn taken_by(self, run: Range<usize>) -> LineOwners<'a> {
        LineOwners { lines: self, run }
    }
}

/// The first row of each cell, and the number of rows.
fn first_rows(grid: &Grid, sample: &Particles) -> Vec<u32> {
    let [nx, ny, _] = grid.cells;
    let cells: Vec<AtomicU32> = (0..grid.number()).map(|_| AtomicU32::new(0)).collect();
    let view = sample.points().view();
    let count = |rows: Range<usize>| {
        for row in rows {
            let [x, y, z] = cell_of(&grid.frame, grid.cells, view.at(row));
            cells[((z * ny + y) * nx + x) as usize].fetch_add(1, Ordering::Relaxed);
        }
    };
    pool::fold(sample.len(), count, |(), ()| ());
    let mut sum = 0;
    let held = cells.into_iter().map(|cell| {
        let before = sum;
        sum += cell.into_inner();
        before
    });
    let mut starts: Vec<u32> = held.collect();
    starts.push(sum);
    starts
}

/// Points in the cells of a line from `low` to `high`, counted once an image.
fn points_between(grid: &Grid, starts: &[u32], [low, high]: [i32; 2]) -> u64 {
    let n = grid.cells[0] as i32;
    let before = |cell: i32| {
        if grid.frame.periodic[0] {
            let images = i64::from(cell.div_euclid(n)) * i64::from(starts[n as usize] - starts[0]);
            images + i64::from(starts[cell.rem_euclid(n) as usize] - starts[0])
        } else {
            i64::from(starts[cell.clamp(0, n) as usize] - starts[0])
        }
    };
    (before(high + 1) - before(low)).max(0) as u64
}

/// The pairs of rows that a run of lines takes.
#[derive(Debug)]
pub(super) struct LineOwners<'a> {
    lines: Lines<'a>,
    run: Range<usize>,
}

impl Owning for LineOwners<'_> {
    fn holds(&self, [i, j]: [usize; 2]) -> bool {
        let Lines {
            job,
            arrangement,
            order,
            labelled,
        } = self.lines;
        let (first, second) = job.pairs().both();
        let once = order == Order::Unordered;
        let grid = match arrangement {
            Arrangement::AsGiven(_) => {
                let row = if once { i.min(j) } else { i };
                return self.run.contains(&(row / ROWS));
            }
            Arrangement::Sorted(grid) => grid,
        };
        let (x1, x2) = (first.points().at(i), second.points().at(j));
        let is_first = || {
            if labelled {
                let label =
                    |sample: &Particles, row: usize| sample.labels().map(|l| l.values()[row]);
                let labels = [label(first, i), label(second, j)];
                if labels[0] != labels[1] {
                    return labels[0] < labels[1];
                }
            }
            let (_, image) = job.domain().separation_and_image(x1, x2);
            let [a, b] = [x1, x2].map(|x| cell_of(&grid.frame, grid.cells, x));
            // The image is that of the first point.
            let apart = |k: usize| {
                i64::from(b[k]) - i64::from(a[k]) - i64::from(image[k]) * i64::from(grid.cells[k])
            };
            [apart(2), apart(1)] >= [0, 0]
        };
        let owner = if !once || is_first() { x1 } else { x2 };
        self.run.contains(&Lines::line_of(grid, owner))
    }
}
