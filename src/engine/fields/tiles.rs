//! Grids along the axes of their frame, tile by tile: rows of targets in lanes against the sources within reach of the tile.
//!
//! Entry: [`Lattice::slab`]. The squares of a source's separations along each axis are found once for a tile, so that a pair costs one
//! addition, its profile and its sum.

use crate::engine::Isa;
use crate::field::{Cells, FieldJob, Fractions, Grid, Lanes, Profile, square_along};
use crate::simd::{Kernel, Simd};

/// Targets of a tile along the three axes.
pub(super) const DEPTH: usize = 4;
const HEIGHT: usize = 4;
const WIDTH: usize = 16;
const TILE: usize = DEPTH * HEIGHT * WIDTH;

/// Sources that are met at a time: what is known of them stays in the first cache.
const BATCH: usize = 64;

/// More than the roundings of a distance to a tile, relative.
const SLACK: f64 = 1e-9;

/// A grid whose axes are those of the frame.
pub(super) struct Lattice<P> {
    profile: P,
    isa: Isa,
    shape: [usize; 3],
    /// The fractions of the points along each axis.
    along: [Vec<u64>; 3],
    units: [f64; 3],
    reach: f64,
    least2: f64,
}

/// What is known of one source for a whole tile: the squares of its separations along each axis.
#[derive(Clone, Copy)]
struct Near {
    strength: f64,
    x: [f64; DEPTH],
    y: [f64; HEIGHT],
    z: [f64; WIDTH],
}

/// The targets of a tile: where it begins, and how many there are along each axis.
struct Tile {
    first: [usize; 3],
    size: [usize; 3],
    centre: Fractions,
    half: [f64; 3],
}

impl<P: Profile> Lattice<P> {
    /// The grid, if its axes are those of the frame.
    pub(super) fn new(job: &FieldJob, grid: &Grid, profile: P, isa: Isa) -> Option<Self> {
        let units = job.frame().aligned()?;
        grid.spacing()?;
        let mut along: [Vec<u64>; 3] = Default::default();
        for (axis, along) in along.iter_mut().enumerate() {
            for k in 0..grid.shape()[axis] {
                let mut at = [0; 3];
                at[axis] = k;
                along.push(job.frame().fraction_along(axis, grid.at(at)[axis])?);
            }
        }
        Some(Self {
            profile,
            isa,
            shape: grid.shape(),
            along,
            units,
            reach: job.term().reach(),
            least2: job.least2(),
        })
    }

    /// Targets of as many planes as tiles are deep.
    pub(super) fn slab_len(&self) -> usize {
        DEPTH * self.shape[1] * self.shape[2]
    }

    /// Makes the sums of the planes from `first` on, tile by tile; `done` hears of targets and of pairs closer than `r_min`.
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
        let mut batch = Vec::with_capacity(BATCH);
        for j in (0..m).step_by(HEIGHT) {
            for k in (0..n).step_by(WIDTH) {
                if !go_on() {
                    return;
                }
                let size = [depth, HEIGHT.min(m - j), WIDTH.min(n - k)];
                let tile = self.tile([first, j, k], size);
                let mut of_tile = [0; TILE];
                let close = self.fill(cells, &tile, &mut batch, &mut of_tile);
                for x in 0..size[0] {
                    for y in 0..size[1] {
                        let to = (x * m + j + y) * n + k;
                        let from = (x * HEIGHT + y) * WIDTH;
                        sums[to..to + size[2]].copy_from_slice(&of_tile[from..from + size[2]]);
                    }
                }
                done(size.iter().product(), close);
            }
        }
    }

    fn tile(&self, first: [usize; 3], size: [usize; 3]) -> Tile {
        let centre = [0, 1, 2].map(|axis| self.along[axis][first[axis] + size[axis] / 2]);
        let half = [0, 1, 2].map(|axis| {
            let points = &self.along[axis][first[axis]..first[axis] + size[axis]];
            let away = |&point: &u64| square_along(self.units[axis], point, centre[axis]).sqrt();
            points.iter().map(away).fold(0.0, f64::max)
        });
        Tile {
            first,
            size,
            centre,
            half,
        }
    }

    /// Makes the sums of a tile; how many pairs are closer than `r_min`.
    fn fill(
        &self,
        cells: &Cells,
        tile: &Tile,
        batch: &mut Vec<Near>,
        sums: &mut [i64; TILE],
    ) -> u64 {
        let reach2 = self.reach * self.reach * (1.0 + SLACK);
        let wide = tile.half.map(|half| (self.reach + half) * (1.0 + SLACK));
        let mut close = 0;
        batch.clear();
        cells.near(tile.centre, wide, |sources, strengths| {
            for (&source, &strength) in sources.iter().zip(strengths) {
                if self.beyond2(tile, source) >= reach2 {
                    continue;
                }
                batch.push(self.near(tile, source, strength));
                if batch.len() == BATCH {
                    close += self.meet(tile, batch, sums);
                    batch.clear();
                }
            }
        });
        close + self.meet(tile, batch, sums)
    }

    /// The squared distance of a source from the box round a tile, but for roundings.
    fn beyond2(&self, tile: &Tile, source: Fractions) -> f64 {
        let along = |axis: usize| {
            let d = square_along(self.units[axis], source[axis], tile.centre[axis]).sqrt();
            (d - tile.half[axis]).max(0.0)
        };
        let [x, y, z] = [0, 1, 2].map(along);
        x * x + y * y + z * z
    }

    fn near(&self, tile: &Tile, source: Fractions, strength: f64) -> Near {
        // Where the grid ends within a tile its last point stands for those that are missing.
        let square = |axis: usize, k: usize| {
            let k = tile.first[axis] + k.min(tile.size[axis] - 1);
            square_along(self.units[axis], source[axis], self.along[axis][k])
        };
        Near {
            strength,
            x: std::array::from_fn(|k| square(0, k)),
            y: std::array::from_fn(|k| square(1, k)),
            z: std::array::from_fn(|k| square(2, k)),
        }
    }

    /// Adds the terms of a batch of sources.
    fn meet(&self, tile: &Tile, batch: &[Near], sums: &mut [i64; TILE]) -> u64 {
        self.isa.dispatch(Meeting {
            profile: self.profile,
            reach2: self.reach * self.reach,
            least2: self.least2,
            size: tile.size,
            batch,
            sums,
        })
    }
}

/// The rows of a tile against a batch of sources.
struct Meeting<'a, P> {
    profile: P,
    reach2: f64,
    least2: f64,
    size: [usize; 3],
    batch: &'a [Near],
    sums: &'a mut [i64; TILE],
}

impl<P: Profile> Kernel for Meeting<'_, P> {
    /// How many pairs are closer than `r_min`.
    type Output = u64;

    #[inline(always)]
    fn run<S: Simd>(self, simd: S) -> u64 {
        let mut close = 0;
        for x in 0..self.size[0] {
            for y in 0..self.size[1] {
                let row = (x * HEIGHT + y) * WIDTH;
                let mut at = 0;
                while at < self.size[2] {
                    let sums = &mut self.sums[row + at..row + at + 2 * S::DOUBLES];
                    let nearest = pair_of_registers(
                        simd,
                        (x, y, at),
                        self.batch,
                        (self.profile, self.reach2, self.least2),
                        sums,
                    );
                    if nearest < self.least2 {
                        let end = (at + 2 * S::DOUBLES).min(self.size[2]);
                        close += count_close(self.batch, (x, y), at..end, self.least2);
                    }
                    at += 2 * S::DOUBLES;
                }
            }
        }
        close
    }
}

/// Adds the terms of a batch to two registers of sums in one row; the least squared separation.
#[inline(always)]
fn pair_of_registers<S: Simd, P: Profile>(
    simd: S,
    (x, y, at): (usize, usize, usize),
    batch: &[Near],
    (profile, reach2, least2): (P, f64, f64),
    sums: &mut [i64],
) -> f64 {
    let lanes = Lanes(simd);
    let least = simd.splat_d(least2);
    let mut sum = [simd.load_i(sums), simd.load_i(&sums[S::DOUBLES..])];
    let mut nearest = simd.splat_d(f64::INFINITY);
    for near in batch {
        let across = near.x[x] + near.y[y];
        // A sum with the square along the row is not smaller, rounded or not.
        if across >= reach2 {
            continue;
        }
        let (across, strength) = (simd.splat_d(across), simd.splat_d(near.strength));
        let along = &near.z[at..at + 2 * S::DOUBLES];
        for (half, sum) in sum.iter_mut().enumerate() {
            let r2 = simd.add_d(across, simd.load_d(&along[half * S::DOUBLES..]));
            nearest = simd.min_d(r2, nearest);
            let term = profile.of(lanes, simd.max_d(r2, least));
            *sum = simd.add_rounded(*sum, simd.mul_d(strength, term));
        }
    }
    simd.store_i(sum[0], sums);
    simd.store_i(sum[1], &mut sums[S::DOUBLES..]);
    let mut each = [f64::INFINITY; WIDTH];
    simd.store_d(nearest, &mut each);
    each.into_iter().fold(f64::INFINITY, f64::min)
}

/// How many pairs of a stretch of a row are closer than `r_min`.
#[cold]
fn count_close(
    batch: &[Near],
    (x, y): (usize, usize),
    along: std::ops::Range<usize>,
    least2: f64,
) -> u64 {
    let of_source = |near: &Near| {
        let across = near.x[x] + near.y[y];
        let closer = near.z[along.clone()]
            .iter()
            .filter(|&&z| across + z < least2);
        closer.count() as u64
    };
    batch.iter().map(of_source).sum()
}
