//! Particles sorted by cells, and lists of the pairs that are or may come within reach.
//!
//! Entry: [`CellOrder`] and [`CellLists`]. A list holds every pair closer than the cutoff and the skin: until two particles have moved by the
//! skin together, no other pair can be within the cutoff. The filter is float32 with a bound on its error; no sum depends on it.

use std::ops::Range;

use super::lanes::{Lists, Sides};
use super::rule::Rule;
use crate::simd::{Isa, Kernel, MOST_LANES, Record, Simd};

/// Particles whose lists are made and met at a time.
pub(super) const STRETCH: usize = 256;
/// Cells are at least this share of the longest distance in a list.
const CELLS_IN_REACH: f64 = 2.0;
/// As whole neighbours along an axis.
pub(super) const NEAREST: usize = 2;
/// More than the roundings of a cell's width, relative.
const SLACK: f64 = 1e-9;

/// The cells of a box, the third axis fastest.
#[derive(Debug, Clone, Copy)]
pub(super) struct Grid {
    pub(super) n: [usize; 3],
}

impl Grid {
    pub(super) fn new(rule: &Rule, particles: usize) -> Self {
        let mut side = (rule.reach + rule.skin) / CELLS_IN_REACH * (1.0 + SLACK);
        loop {
            let n = rule
                .lengths
                .map(|length| (length / side).clamp(1.0, 4096.0) as usize);
            if n.iter().product::<usize>() <= 4 * particles + 64 {
                return Self { n };
            }
            side *= 1.25;
        }
    }

    fn cell(&self, record: &Record) -> [usize; 3] {
        let along = |k: usize| {
            let fraction = u128::from(record[k].cast_unsigned());
            ((fraction * self.n[k] as u128) >> 64) as usize
        };
        [along(0), along(1), along(2)]
    }

    fn number(&self, [i, j, k]: [usize; 3]) -> usize {
        (i * self.n[1] + j) * self.n[2] + k
    }

    /// The cells along an axis that may hold neighbours, each once.
    fn near(&self, axis: usize, at: usize) -> impl Iterator<Item = usize> + use<> {
        let n = self.n[axis];
        let width = (2 * NEAREST + 1).min(n);
        let first = at + n - NEAREST.min(at + n);
        (0..width).map(move |k| (first + k) % n)
    }
}

/// How particles are sorted by the cells that they lie in.
#[derive(Debug, Clone)]
pub(super) struct CellOrder {
    grid: Grid,
    /// Where each cell begins, and the end.
    starts: Vec<u32>,
    /// The former numbers of the particles, in their new order.
    pub(super) from: Vec<u32>,
}

impl CellOrder {
    pub(super) fn new(rule: &Rule, records: &[Record]) -> Self {
        let grid = Grid::new(rule, records.len());
        let cells: usize = grid.n.iter().product();
        let mut starts = vec![0u32; cells + 1];
        let numbers: Vec<u32> = records
            .iter()
            .map(|record| grid.number(grid.cell(record)) as u32)
            .collect();
        for &cell in &numbers {
            starts[cell as usize + 1] += 1;
        }
        for cell in 0..cells {
            starts[cell + 1] += starts[cell];
        }
        let mut next = starts.clone();
        let mut from = vec![0; records.len()];
        for (row, &cell) in numbers.iter().enumerate() {
            let to = &mut next[cell as usize];
            from[*to as usize] = row as u32;
            *to += 1;
        }
        Self { grid, starts, from }
    }

    /// Runs of particles that may be near those of a cell, none twice.
    fn runs(&self, cell: [usize; 3], runs: &mut Vec<Range<usize>>) {
        runs.clear();
        let [_, _, n] = self.grid.n;
        let width = (2 * NEAREST + 1).min(n);
        let first = (cell[2] + n - NEAREST.min(n)) % n;
        let until = (first + width).min(n);
        for i in self.grid.near(0, cell[0]) {
            for j in self.grid.near(1, cell[1]) {
                let row = self.grid.number([i, j, 0]);
                for part in [first..until, 0..first + width - until] {
                    let at = |k: usize| self.starts[row + k] as usize;
                    let run = at(part.start)..at(part.end);
                    if !run.is_empty() {
                        runs.push(run);
                    }
                }
            }
        }
    }
}

/// The upper halves of sorted positions, column by column, and a register more.
#[derive(Debug, Clone, Default)]
pub(super) struct Halves([Vec<u32>; 3]);

impl Halves {
    pub(super) fn of(records: &[Record]) -> Self {
        let column = |k: usize| {
            let halves = records.iter().map(|record| (record[k] >> 32) as u32);
            halves.chain([0; MOST_LANES]).collect()
        };
        Self([column(0), column(1), column(2)])
    }
}

/// The lists of a stretch of sorted particles.
#[derive(Debug, Clone, Default)]
pub(super) struct CellLists {
    particles: Range<usize>,
    /// Where each list begins, and its number of particles.
    lists: Vec<(u32, u32)>,
    neighbours: Vec<u32>,
    /// Neighbours that lists are filled up to whole numbers of.
    width: usize,
}

impl Lists for CellLists {
    #[inline(always)]
    fn of(&self, particle: usize) -> (&[u32], usize) {
        let (start, count) = self.lists[particle - self.particles.start];
        let (start, count) = (start as usize, count as usize);
        let end = start + count.next_multiple_of(self.width);
        (&self.neighbours[start..end], count)
    }
}

impl CellLists {
    pub(super) fn particles(&self) -> Range<usize> {
        self.particles.clone()
    }

    /// Makes the lists of these particles anew: of all their neighbours, or of those with higher numbers.
    pub(super) fn fill(
        &mut self,
        (isa, rule): (Isa, &Rule),
        order: &CellOrder,
        (records, halves): (&[Record], &Halves),
        (particles, sides): (Range<usize>, Sides),
    ) {
        self.width = sides.width();
        self.particles = particles;
        self.lists.clear();
        self.neighbours.clear();
        isa.dispatch(Filling {
            rule,
            order,
            records,
            halves,
            sides,
            lists: self,
        });
    }
}

/// The lists of a stretch in the making.
struct Filling<'a> {
    rule: &'a Rule,
    order: &'a CellOrder,
    /// All particles, sorted; the last record is an empty one.
    records: &'a [Record],
    halves: &'a Halves,
    sides: Sides,
    lists: &'a mut CellLists,
}

/// The square that the computed one of no pair within the longest distance reaches.
///
/// The difference of two upper halves is off by less than one, so a separation by the diagonal of 2^-32 of the box; conversion, product
/// and squares round six times by 2^-24 or less.
pub(super) fn list_limit(rule: &Rule) -> f32 {
    let diagonal = rule.lengths.map(|length| length * length);
    let diagonal = diagonal.iter().sum::<f64>().sqrt() * 2f64.powi(-32);
    let r = rule.reach + rule.skin + diagonal;
    (r * r * (1.0 + 1e-5)) as f32
}

/// The separations along an axis of the particles whose upper halves are `others` from one.
#[inline(always)]
fn along<S: Simd>(simd: S, others: &[u32], own: S::U, unit: S::F) -> S::F {
    let other = simd.load_u(others);
    let (there, back) = (simd.sub_u(other, own), simd.sub_u(own, other));
    simd.mul(simd.to_float(simd.min_u(there, back)), unit)
}

impl Kernel for Filling<'_> {
    type Output = ();

    #[inline(always)]
    fn run<S: Simd>(self, simd: S) {
        let limit = simd.splat(list_limit(self.rule));
        let [lx, ly, lz] = self
            .rule
            .lengths
            .map(|length| (length * 2f64.powi(-32)) as f32);
        let units = [simd.splat(lx), simd.splat(ly), simd.splat(lz)];
        let empty = self.records.len() as u32 - 1;
        let (mut runs, mut of) = (vec![], usize::MAX);
        let [x, y, z] = &self.halves.0;
        for particle in self.lists.particles.clone() {
            let cell = self.order.grid.cell(&self.records[particle]);
            let number = self.order.grid.number(cell);
            if number != of {
                self.order.runs(cell, &mut runs);
                of = number;
            }
            let own = [
                simd.splat_u(x[particle]),
                simd.splat_u(y[particle]),
                simd.splat_u(z[particle]),
            ];
            let neighbours = &mut self.lists.neighbours;
            let start = neighbours.len();
            for run in &runs {
                let mut at = match self.sides {
                    Sides::One => run.start.max(particle + 1),
                    Sides::Both => run.start,
                };
                while at < run.end {
                    let dx = along(simd, &x[at..], own[0], units[0]);
                    let dy = along(simd, &y[at..], own[1], units[1]);
                    let dz = along(simd, &z[at..], own[2], units[2]);
                    let r2 = simd.mul_add(dz, dz, simd.mul_add(dy, dy, simd.mul(dx, dx)));
                    let within = simd.mask_bits(simd.less(r2, limit));
                    let lanes = (run.end - at).min(S::LANES) as u32;
                    let mut within = within & (u64::MAX >> (64 - lanes)) as u32;
                    if let Some(own @ 0..32) = particle.checked_sub(at) {
                        within &= !(1 << own);
                    }
                    let mut found = [0; MOST_LANES];
                    let count = simd.store_lanes(within, at as u32, &mut found);
                    neighbours.extend_from_slice(&found);
                    neighbours.truncate(neighbours.len() - MOST_LANES + count);
                    at += S::LANES;
                }
            }
            let count = neighbours.len() - start;
            neighbours.resize(start + count.next_multiple_of(self.sides.width()), empty);
            self.lists.lists.push((start as u32, count as u32));
        }
    }
}
