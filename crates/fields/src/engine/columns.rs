//! Grids along the axes of their frame, column by column: registers of targets across a column, plane after plane, against one source after
//! the other.
//!
//! Entry: [`Lattice::slab`]. Of each source the planes that a register has in reach of it are known before, so that few pairs are met in vain,
//! and so are its components along the axes, so that a pair costs one addition, its term and its sum.

use std::ops::Range;

use albireo_simd::{Kernel, MOST_LANES, Registers, Simd};

use super::tiles::{Lattice, Tile};
use crate::{
    Cells, Fractions, Number, Profile, Sources, Summing, component, each_axis, each_parameter,
};

/// Targets of a column along the first axis and the second: blocks of 4 x 4, which the widest register holds.
pub(super) const DEPTH: usize = SIDE;
const HEIGHT: usize = BLOCKS * SIDE;
const SIDE: usize = 4;
const BLOCKS: usize = 2;
const ACROSS: usize = BLOCKS * MOST_LANES;

/// The most targets along the third, so that the sums of a column stay in the caches next to the processor.
const LENGTH: usize = 128;

/// The most registers across a column: of two lanes each.
const MOST_REGISTERS: usize = ACROSS / 2;

/// Sources of which all is found before the first is met: what a branch waits for is there by then.
const BATCH: usize = 8;

/// More than the roundings of where a plane is, in planes.
const PLANES_SLACK: f64 = 1e-3;

/// What is known of one source for a whole column.
struct Near<N> {
    parameters: [N; 2],
    /// The first two components of its separations, joined, block by block.
    across: [N; ACROSS],
    /// The third, of those planes that it reaches.
    along: [N; LENGTH],
    /// For each register the planes where it is in reach.
    planes: [Range<usize>; MOST_REGISTERS],
    /// Whether targets may be closer to it than `r_min`.
    close: bool,
}

impl<P: Profile, N: Number> Lattice<P, N> {
    /// Targets of as many planes as columns are deep.
    pub(super) fn slab_len(&self) -> usize {
        DEPTH * self.shape[1] * self.shape[2]
    }

    /// Makes the sums of the planes from `first` on, column by column; `done` hears of targets and of pairs closer than `r_min`.
    pub(super) fn slab(
        &self,
        cells: &Cells,
        first: usize,
        sums: &mut [i64],
        go_on: &dyn Fn() -> bool,
        done: &dyn Fn(usize, u64),
    ) {
        let [_, m, n] = self.shape;
        let depth = sums.len() / (m * n);
        // As even as they can be.
        let length = n.div_ceil(n.div_ceil(LENGTH));
        let (mut rows, mut totals) = (vec![], vec![0; ACROSS * length]);
        for j in (0..m).step_by(HEIGHT) {
            for k in (0..n).step_by(length) {
                if !go_on() {
                    return;
                }
                let size = [depth, HEIGHT.min(m - j), length.min(n - k)];
                let tile = self.tile([first, j, k], size);
                self.find(cells, &tile, &mut rows);
                totals.fill(0);
                let close = self.isa.dispatch(Column {
                    lattice: self,
                    sources: cells.sources(),
                    rows: &rows,
                    tile: &tile,
                    sums: &mut totals,
                });
                self.put_column(&tile, &totals, sums);
                done(size.iter().product(), close);
            }
        }
    }

    /// The rows of the sources in reach of the box round a column, roundings and all.
    fn find(&self, cells: &Cells, tile: &Tile, rows: &mut Vec<u32>) {
        let wide = each_axis(|axis| (self.reach + tile.half[axis]) * (1.0 + N::SLACK));
        let reach2 = self.reach * self.reach * (1.0 + N::SLACK);
        let fractions = &cells.sources().fractions;
        let units = self.grid.units();
        let is_within = |source: Fractions| {
            let beyond = |axis: usize| {
                let d = component(units[axis], source[axis], tile.centre[axis]);
                (d.abs() - tile.half[axis]).max(0.0)
            };
            let [x, y, z] = [beyond(0), beyond(1), beyond(2)];
            if P::PRODUCT {
                let farthest = x.max(y).max(z);
                return farthest * farthest < reach2;
            }
            x * x + y * y + z * z < reach2
        };
        rows.clear();
        cells.near(tile.centre, wide, |run| {
            // Every row is written, and stays if it is within: half of them are, and no branch can foresee which.
            let mut kept = rows.len();
            rows.resize(kept + run.len(), 0);
            for row in run {
                rows[kept] = row as u32;
                kept += usize::from(is_within(fractions[row]));
            }
            rows.truncate(kept);
        });
    }

    /// Puts the sums of a column among those of its planes.
    fn put_column(&self, tile: &Tile, of_column: &[i64], sums: &mut [i64]) {
        let ([_, j, k], [_, m, n]) = (tile.first, self.shape);
        for x in 0..tile.size[0] {
            for y in 0..tile.size[1] {
                let to = (x * m + j + y) * n + k;
                let lane = lane(x, y);
                for (to, plane) in sums[to..to + tile.size[2]]
                    .iter_mut()
                    .zip(of_column.chunks_exact(ACROSS))
                {
                    *to = plane[lane];
                }
            }
        }
    }
}

/// The place of a target across a column.
#[inline(always)]
fn lane(x: usize, y: usize) -> usize {
    (y / SIDE * SIDE + x) * SIDE + y % SIDE
}

/// The sources in reach of a column against its targets.
struct Column<'a, P, N> {
    lattice: &'a Lattice<P, N>,
    sources: &'a Sources,
    rows: &'a [u32],
    tile: &'a Tile,
    sums: &'a mut [i64],
}

impl<P: Profile, N: Number> Kernel for Column<'_, P, N> {
    /// How many pairs are closer than `r_min`.
    type Output = u64;

    #[inline(always)]
    fn run<S: Simd>(self, simd: S) -> u64 {
        let lanes = N::lanes(simd);
        let most_terms = <N::Lanes<S> as Summing>::MOST_TERMS;
        let mut column = lanes.column(self.sums.len());
        let mut batch: [Near<N>; BATCH] = std::array::from_fn(|_| Near::new());
        let (mut close, mut terms) = (0, 0);
        for rows in self.rows.chunks(BATCH) {
            if terms > most_terms - BATCH {
                lanes.hand_over(&mut column, self.sums);
                terms = 0;
            }
            terms += rows.len();
            for (near, &row) in batch.iter_mut().zip(rows) {
                close += near.set::<P, S>(self.lattice, self.tile, self.sources, row as usize);
            }
            for near in &batch[..rows.len()] {
                if near.close {
                    near.meet::<_, _, true>(self.lattice, lanes, &mut column);
                } else {
                    near.meet::<_, _, false>(self.lattice, lanes, &mut column);
                }
            }
        }
        lanes.hand_over(&mut column, self.sums);
        close
    }
}

impl<N: Number> Near<N> {
    fn new() -> Self {
        Self {
            parameters: [N::default(); 2],
            across: [N::default(); ACROSS],
            along: [N::default(); LENGTH],
            planes: std::array::from_fn(|_| 0..0),
            close: false,
        }
    }

    /// Finds what is to be known of a source; how many targets are closer than `r_min`.
    #[inline(always)]
    fn set<P: Profile, S: Simd>(
        &mut self,
        lattice: &Lattice<P, N>,
        tile: &Tile,
        sources: &Sources,
        row: usize,
    ) -> u64 {
        let (profile, units, source) = (
            lattice.profile,
            lattice.grid.units(),
            sources.fractions[row],
        );
        let parameters = sources.parameters(row);
        self.parameters = each_parameter(|k| N::of(parameters[k]));
        // Where the grid ends within a column its last target stands for those that are missing.
        let part = |axis: usize, k: usize| {
            let k = tile.first[axis] + k.min(tile.size[axis] - 1);
            let target = lattice.grid.along(axis)[k];
            N::of(profile.along(axis, component(units[axis], source[axis], target)))
        };
        let (mut x, mut y) = ([N::default(); DEPTH], [N::default(); HEIGHT]);
        x.iter_mut().enumerate().for_each(|(k, x)| *x = part(0, k));
        y.iter_mut().enumerate().for_each(|(k, y)| *y = part(1, k));
        for (k, across) in self.across.iter_mut().enumerate() {
            let (block, within) = (k / MOST_LANES, k % MOST_LANES);
            *across = profile.join(N::ONE, x[within / SIDE], y[block * SIDE + within % SIDE]);
        }
        let width = <N::Lanes<S> as Registers>::LANES;
        let planes = Planes::new(lattice, tile, source);
        let (mut first, mut end, mut close) = (LENGTH, 0, false);
        for (k, own) in self.planes[..ACROSS / width].iter_mut().enumerate() {
            let (block, within) = (k * width / MOST_LANES, k * width % MOST_LANES);
            let x = &x[within / SIDE..(within + width).div_ceil(SIDE)];
            let y = &y[block * SIDE..][..SIDE];
            let best = profile.join(N::ONE, nearest::<P, N>(x), nearest::<P, N>(y));
            *own = planes.reached::<P, N>(best);
            close |= best < N::of(lattice.least2);
            if own.start < own.end {
                (first, end) = (first.min(own.start), end.max(own.end));
            }
        }
        self.close = close;
        if first >= end {
            return 0;
        }
        let reached = first..end;
        let targets = &lattice.grid.along(2)[tile.first[2]..][reached.clone()];
        for (along, &target) in self.along[reached.clone()].iter_mut().zip(targets) {
            *along = N::of(profile.along(2, component(units[2], source[2], target)));
        }
        if close {
            return self.count_close(lattice, tile, reached);
        }
        0
    }

    /// How many targets are closer than `r_min`.
    #[cold]
    fn count_close<P: Profile>(
        &self,
        lattice: &Lattice<P, N>,
        tile: &Tile,
        planes: Range<usize>,
    ) -> u64 {
        let least2 = N::of(lattice.least2);
        let mut close = 0;
        for x in 0..tile.size[0] {
            for y in 0..tile.size[1] {
                let across = self.across[lane(x, y)];
                let along = self.along[planes.clone()].iter();
                let joined = along.map(|&along| lattice.profile.join(N::ONE, across, along));
                close += joined.filter(|&r2| r2 < least2).count() as u64;
            }
        }
        close
    }

    /// Adds the terms of the source at the targets in reach.
    #[inline(always)]
    fn meet<P: Profile, L: Summing<Number = N>, const CLOSE: bool>(
        &self,
        lattice: &Lattice<P, N>,
        lanes: L,
        column: &mut L::Column,
    ) {
        let (profile, least) = (lattice.profile, lanes.same(N::of(lattice.least2)));
        let parameters = [
            lanes.same(self.parameters[0]),
            lanes.same(self.parameters[1]),
        ];
        for (k, planes) in self.planes[..ACROSS / L::LANES].iter().enumerate() {
            let across = lanes.load(&self.across[k * L::LANES..]);
            let mut at = planes.start * ACROSS + k * L::LANES;
            for &along in &self.along[planes.clone()] {
                let mut r2 = profile.join(lanes, across, lanes.same(along));
                if CLOSE {
                    r2 = lanes.max(r2, least);
                }
                let term = profile.term(lanes, r2, parameters);
                lanes.add_at(column, at, term);
                at += ACROSS;
            }
        }
    }
}

/// The component that makes most of a term.
#[inline(always)]
fn nearest<P: Profile, N: Number>(components: &[N]) -> N {
    let mut best = components[0];
    for &other in &components[1..] {
        let nearer = if P::PRODUCT {
            other > best
        } else {
            other < best
        };
        best = if nearer { other } else { best };
    }
    best
}

/// Where a source is along a column, in planes.
struct Planes {
    at: f64,
    reach2: f64,
    per_spacing: f64,
    len: usize,
}

impl Planes {
    #[inline(always)]
    fn new<P: Profile, N: Number>(lattice: &Lattice<P, N>, tile: &Tile, source: Fractions) -> Self {
        let unit = lattice.grid.units()[2];
        let middle = component(unit, source[2], tile.centre[2]);
        // Where targets may see different images of it, or are not at equal distances, it reaches all of them. The targets of a column may
        // lie farther apart than their nearest images.
        let far = |spacing: f64| (tile.size[2] / 2 + 1) as f64 * spacing + lattice.reach;
        let spacing = lattice.spacing.filter(|&h| far(h) < unit * HALF_TURN);
        let per_spacing = spacing.map_or(0.0, |spacing| 1.0 / spacing);
        Self {
            at: middle * per_spacing + (tile.size[2] / 2) as f64,
            reach2: lattice.reach * lattice.reach * (1.0 + N::SLACK),
            per_spacing,
            len: tile.size[2],
        }
    }

    /// The planes that are in reach where the other components are joined to `best`, and maybe one more: the sum of two squares that are not
    /// less than the reach's, slack and all, is not less than that when it is rounded.
    #[inline(always)]
    fn reached<P: Profile, N: Number>(&self, best: N) -> Range<usize> {
        let taken = if P::PRODUCT { 0.0 } else { best.real() };
        let left = self.reach2 - taken;
        let none = if P::PRODUCT {
            best <= N::default()
        } else {
            left <= 0.0
        };
        if none {
            return 0..0;
        }
        if self.per_spacing == 0.0 {
            return 0..self.len;
        }
        let around = left.sqrt() * self.per_spacing + PLANES_SLACK;
        let first = (self.at - around).ceil().max(0.0) as usize;
        let end = (self.at + around).floor().max(-1.0) + 1.0;
        first.min(self.len)..(end as usize).min(self.len)
    }
}

/// 2^63.
const HALF_TURN: f64 = 9_223_372_036_854_775_808.0;
