//! Particles sorted by cells, and lists of the pairs that are or may come within reach.
//!
//! Entry: [`CellOrder`] and [`CellLists`]. A list holds every pair closer than the cutoff and the skin: until two particles have moved by the
//! skin together, no other pair can be within the cutoff. The filter is float32 with a bound on its error; no sum depends on it.

use std::ops::Range;

use albireo_simd::fixed_point::power_of_two;
use albireo_simd::{Isa, Kernel, MOST_LANES, RECORDS, Record, Simd};
use rayon::prelude::*;

use super::lanes::Lists;
use super::rule::Rule;

/// Particles whose lists are made and met at a time.
pub(super) const STRETCH: usize = 256;
/// Cells are at least this share of the longest distance in a list.
const CELLS_IN_REACH: f64 = 2.0;
/// As whole neighbours along an axis.
pub(super) const NEAREST: usize = 2;
/// Parts of a cell along the third axis that particles are sorted by.
pub(super) const PARTS: usize = 4;
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
    /// Where each part of a cell begins, and the end.
    starts: Vec<u32>,
    /// The former numbers of the particles, in their new order.
    pub(super) from: Vec<u32>,
}

impl CellOrder {
    pub(super) fn new(rule: &Rule, records: &[Record]) -> Self {
        let mut grid = Grid::new(rule, records.len());
        grid.n[2] *= PARTS;
        let cells: usize = grid.n.iter().product();
        let mut starts = vec![0u32; cells + 1];
        let numbers: Vec<u32> = records
            .par_iter()
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

    /// The cell of a particle, along the third axis its part.
    pub(super) fn cell(&self, record: &Record) -> [usize; 3] {
        self.grid.cell(record)
    }

    /// Runs of particles that may be near those of a part of a cell and of `span` more along the third axis, none twice.
    pub(super) fn runs(&self, cell: [usize; 3], span: usize, runs: &mut Vec<Range<usize>>) {
        runs.clear();
        let [_, _, n] = self.grid.n;
        let near = NEAREST * PARTS;
        let width = (2 * near + 1 + span).min(n);
        let first = (cell[2] + n - near.min(n)) % n;
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
            let halves = records.par_iter().map(|record| (record[k] >> 32) as u32);
            halves.chain(rayon::iter::repeat_n(0, MOST_LANES)).collect()
        };
        Self([column(0), column(1), column(2)])
    }

    pub(super) fn columns(&self) -> [&[u32]; 3] {
        let [x, y, z] = &self.0;
        [x, y, z]
    }
}

/// The lists of a stretch of sorted particles.
#[derive(Debug, Clone, Default)]
pub(super) struct CellLists {
    particles: Range<usize>,
    /// Where each list begins, and its number of particles.
    lists: Vec<(u32, u32)>,
    /// List after list, each filled up to whole registers; then room.
    neighbours: Vec<u32>,
}

impl Lists for CellLists {
    #[inline(always)]
    fn of(&self, particle: usize) -> (&[u32], usize) {
        let (start, count) = self.lists[particle - self.particles.start];
        let (start, count) = (start as usize, count as usize);
        let end = start + count.next_multiple_of(RECORDS);
        (&self.neighbours[start..end], count)
    }
}

impl CellLists {
    pub(super) fn particles(&self) -> Range<usize> {
        self.particles.clone()
    }

    /// No lists yet, of particles from number `first` on.
    pub(super) fn starting_at(first: usize) -> Self {
        Self {
            particles: first..first,
            ..Self::default()
        }
    }

    /// Adds the list of the next particle; `empty` is the number of an empty record.
    pub(super) fn push(&mut self, neighbours: impl Iterator<Item = u32>, empty: u32) {
        let start = self.neighbours.len();
        self.neighbours.extend(neighbours);
        let count = self.neighbours.len() - start;
        let end = start + count.next_multiple_of(RECORDS);
        self.neighbours.resize(end, empty);
        self.lists.push((start as u32, count as u32));
        self.particles.end += 1;
    }

    /// Makes the lists of these particles anew: of their neighbours with higher numbers.
    pub(super) fn fill(
        &mut self,
        (isa, rule): (Isa, &Rule),
        order: &CellOrder,
        (records, halves): (&[Record], &Halves),
        particles: Range<usize>,
    ) {
        self.particles = particles;
        self.lists.clear();
        isa.dispatch(Filling {
            rule,
            order,
            records,
            halves,
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
    lists: &'a mut CellLists,
}

/// The square that the computed one of no pair within the longest distance reaches.
///
/// The difference of two upper halves is off by less than one, so a separation by the diagonal of 2^-32 of the box; conversion, product
/// and squares round six times by 2^-24 or less.
pub(super) fn list_limit(rule: &Rule) -> f32 {
    let diagonal = rule.lengths.map(|length| length * length);
    let diagonal = diagonal.iter().sum::<f64>().sqrt() * power_of_two(-32);
    let r = rule.reach + rule.skin + diagonal;
    (r * r * (1.0 + 1e-5)) as f32
}

/// The lengths of the box over 2^32.
pub(super) fn units_of_halves(rule: &Rule) -> [f32; 3] {
    rule.lengths
        .map(|length| (length * power_of_two(-32)) as f32)
}

/// The separations along an axis of the particles whose upper halves are `others` from one.
#[inline(always)]
fn along<S: Simd>(simd: S, others: &[u32], own: S::U, unit: S::F) -> S::F {
    apart(simd, simd.load_u(others), own, unit)
}

/// The same of upper halves in a register.
#[inline(always)]
pub(super) fn apart<S: Simd>(simd: S, other: S::U, own: S::U, unit: S::F) -> S::F {
    let (there, back) = (simd.sub_u(other, own), simd.sub_u(own, other));
    simd.mul(simd.to_float(simd.min_u(there, back)), unit)
}

/// Which squared separations are less than a limit, made of those along the axes to within what [`list_limit`] allows for.
#[inline(always)]
pub(super) fn within<S: Simd>(simd: S, dx: S::F, dy: S::F, dz: S::F, limit: S::F) -> S::U {
    let square = simd.mul_add(dz, dz, simd.mul_add(dy, dy, simd.mul(dx, dx)));
    simd.less(square, limit)
}

impl Kernel for Filling<'_> {
    type Output = ();

    #[inline(always)]
    fn run<S: Simd>(self, simd: S) {
        let limit = simd.splat(list_limit(self.rule));
        let units = units_of_halves(self.rule);
        let units = [
            simd.splat(units[0]),
            simd.splat(units[1]),
            simd.splat(units[2]),
        ];
        let empty = self.records.len() as u32 - 1;
        let (mut runs, mut of, mut candidates) = (vec![], [usize::MAX; 3], 0);
        let [x, y, z] = self.halves.columns();
        let mut start = 0;
        for particle in self.lists.particles.clone() {
            // Particles of a cell have their runs in common.
            let [i, j, k] = self.order.cell(&self.records[particle]);
            let cell = [i, j, k / PARTS * PARTS];
            if cell != of {
                self.order.runs(cell, PARTS - 1, &mut runs);
                candidates = runs.iter().map(ExactSizeIterator::len).sum();
                of = cell;
            }
            let own = [
                simd.splat_u(x[particle]),
                simd.splat_u(y[particle]),
                simd.splat_u(z[particle]),
            ];
            let neighbours = &mut self.lists.neighbours;
            if neighbours.len() < start + candidates + 2 * MOST_LANES {
                neighbours.resize(start + candidates + 2 * MOST_LANES, empty);
            }
            let mut to = start;
            for run in &runs {
                let mut at = run.start.max(particle + 1);
                while at < run.end {
                    let dx = along(simd, &x[at..], own[0], units[0]);
                    let dy = along(simd, &y[at..], own[1], units[1]);
                    let dz = along(simd, &z[at..], own[2], units[2]);
                    let within = simd.mask_bits(within(simd, dx, dy, dz, limit));
                    let lanes = (run.end - at).min(S::LANES) as u32;
                    let within = within & (u64::MAX >> (64 - lanes)) as u32;
                    if let Some(room) = neighbours[to..].first_chunk_mut() {
                        to += simd.store_lanes(within, at as u32, room);
                    }
                    at += S::LANES;
                }
            }
            let end = start + (to - start).next_multiple_of(RECORDS);
            neighbours[to..end].fill(empty);
            self.lists.lists.push((start as u32, (to - start) as u32));
            start = end;
        }
    }
}
