//! Grids along the axes of their frame, tile by tile: rows of targets in lanes against batches of sources.
//!
//! Entry: [`Lattice`]. The squares of a source's separations along each axis are found once for a tile, so that a pair costs one
//! addition, its profile and its sum.

use std::marker::PhantomData;

use albireo_simd::{Isa, Kernel, MOST_LANES, Registers, Simd};

use crate::{
    AlignedGrid, Element, FieldJob, Fractions, Number, Profile, Summing, component, each_axis,
    each_parameter,
};

/// Targets of a tile along the three axes.
pub(super) const DEPTH: usize = 4;
pub(super) const HEIGHT: usize = 4;
pub(super) const WIDTH: usize = 16;
pub(super) const TILE: usize = DEPTH * HEIGHT * WIDTH;

/// Sources that are met at a time: what is known of them stays in the first cache.
pub(super) const BATCH: usize = 64;

/// A grid whose axes are those of the frame, and terms in numbers of one kind.
pub(super) struct Lattice<P, N> {
    pub(super) profile: P,
    pub(super) isa: Isa,
    pub(super) shape: [usize; 3],
    pub(super) grid: AlignedGrid,
    /// The distance of planes across the third axis, where it is the same for all.
    pub(super) spacing: Option<f64>,
    pub(super) reach: f64,
    pub(super) least2: f64,
    numbers: PhantomData<N>,
}

/// What is known of one source for a whole tile: the components of its separations along each axis, as they are joined.
#[derive(Clone, Copy)]
pub(super) struct Near<N> {
    pub(super) parameters: [N; 2],
    pub(super) x: [N; DEPTH],
    pub(super) y: [N; HEIGHT],
    pub(super) z: [N; WIDTH],
}

/// The targets of a tile: where it begins, and how many there are along each axis.
pub(super) struct Tile {
    pub(super) first: [usize; 3],
    pub(super) size: [usize; 3],
    pub(super) centre: Fractions,
    pub(super) half: [f64; 3],
}

impl<P: Profile, N: Number> Lattice<P, N> {
    /// The grid of a job, if it is one along the axes of the frame.
    pub(super) fn new(job: &FieldJob, profile: P, isa: Isa) -> Option<Self> {
        let grid = AlignedGrid::of(job)?;
        Some(Self {
            profile,
            isa,
            shape: each_axis(|axis| grid.along(axis).len()),
            spacing: grid.even(2),
            grid,
            reach: job.term().reach(),
            least2: job.least2(),
            numbers: PhantomData,
        })
    }

    /// Puts the sums of a tile among those of its planes.
    pub(super) fn put<T: Copy>(&self, tile: &Tile, of_tile: &[T; TILE], sums: &mut [T]) {
        let ([_, j, k], [_, m, n]) = (tile.first, self.shape);
        for x in 0..tile.size[0] {
            for y in 0..tile.size[1] {
                let to = (x * m + j + y) * n + k;
                let from = (x * HEIGHT + y) * WIDTH;
                let row = &of_tile[from..from + tile.size[2]];
                sums[to..to + tile.size[2]].copy_from_slice(row);
            }
        }
    }

    /// The points from `first` on, as many along each axis.
    pub(super) fn tile(&self, first: [usize; 3], size: [usize; 3]) -> Tile {
        let stretch = |axis: usize| {
            let points = first[axis]..first[axis] + size[axis];
            self.grid.stretch(axis, points)
        };
        let stretches = each_axis(stretch);
        Tile {
            first,
            size,
            centre: each_axis(|axis| stretches[axis].centre),
            half: each_axis(|axis| stretches[axis].half),
        }
    }

    /// What is known of a source for a tile.
    pub(super) fn near(&self, tile: &Tile, source: Fractions, parameters: [f64; 2]) -> Near<N> {
        // Where the grid ends within a tile its last point stands for those that are missing.
        let along = |axis: usize, k: usize| {
            let k = tile.first[axis] + k.min(tile.size[axis] - 1);
            let d = component(
                self.grid.units()[axis],
                source[axis],
                self.grid.along(axis)[k],
            );
            N::of(self.profile.along(axis, d))
        };
        Near {
            parameters: each_parameter(|k| N::of(parameters[k])),
            x: std::array::from_fn(|k| along(0, k)),
            y: std::array::from_fn(|k| along(1, k)),
            z: std::array::from_fn(|k| along(2, k)),
        }
    }

    /// Adds the terms of a batch of sources, but at rows that are as far from them, squared, as `reach2`.
    pub(super) fn meet(
        &self,
        tile: &Tile,
        batch: &[Near<N>],
        reach2: N,
        sums: &mut [i64; TILE],
    ) -> u64 {
        self.isa.dispatch(Meeting {
            profile: self.profile,
            reach2,
            least2: N::of(self.least2),
            size: tile.size,
            batch,
            sums,
        })
    }
}

/// The rows of a tile against a batch of sources.
struct Meeting<'a, P, N> {
    profile: P,
    reach2: N,
    least2: N,
    size: [usize; 3],
    batch: &'a [Near<N>],
    sums: &'a mut [i64; TILE],
}

/// Two registers of a row, so that one waits while the other is at work; one where it holds the row.
fn registers(lanes: usize) -> usize {
    (WIDTH / lanes).min(2)
}

impl<P: Profile, N: Number> Kernel for Meeting<'_, P, N> {
    /// How many pairs are closer than `r_min`.
    type Output = u64;

    #[inline(always)]
    fn run<S: Simd>(mut self, simd: S) -> u64 {
        let lanes = N::lanes(simd);
        let stride =
            registers(<N::Lanes<S> as Registers>::LANES) * <N::Lanes<S> as Registers>::LANES;
        let mut close = 0;
        for x in 0..self.size[0] {
            for y in 0..self.size[1] {
                let mut at = 0;
                while at < self.size[2] {
                    let nearest = if stride > <N::Lanes<S> as Registers>::LANES {
                        self.stretch::<_, 2>(lanes, [x, y, at])
                    } else {
                        self.stretch::<_, 1>(lanes, [x, y, at])
                    };
                    if nearest < self.least2 {
                        let end = (at + stride).min(self.size[2]);
                        close += self.count_close([x, y], at..end);
                    }
                    at += stride;
                }
            }
        }
        close
    }
}

impl<P: Profile, N: Number> Meeting<'_, P, N> {
    /// Adds the terms of the batch to a stretch of sums in one row; the least squared separation.
    #[inline(always)]
    fn stretch<L: Summing<Number = N>, const REGISTERS: usize>(
        &mut self,
        lanes: L,
        [x, y, at]: [usize; 3],
    ) -> N {
        let (profile, least) = (self.profile, lanes.same(self.least2));
        let mut sum = [lanes.none(); REGISTERS];
        let mut terms = 0;
        let mut nearest = lanes.splat(f64::INFINITY);
        for near in self.batch {
            let across = profile.join(N::ONE, near.x[x], near.y[y]);
            if nothing_left::<P, N>(across, self.reach2) {
                continue;
            }
            terms += 1;
            let across = lanes.same(across);
            let parameters = each_parameter(|k| lanes.same(near.parameters[k]));
            for (k, sum) in sum.iter_mut().enumerate() {
                let along = lanes.load(&near.z[at + k * L::LANES..]);
                let r2 = profile.join(lanes, across, along);
                nearest = lanes.min(r2, nearest);
                let term = profile.term(lanes, lanes.max(r2, least), parameters);
                *sum = lanes.add_term(*sum, term);
            }
        }
        let row = (x * HEIGHT + y) * WIDTH + at;
        for (k, &sum) in sum.iter().enumerate() {
            lanes.flush(sum, terms, &mut self.sums[row + k * L::LANES..]);
        }
        let mut each = [N::of(f64::INFINITY); MOST_LANES];
        lanes.store(nearest, &mut each);
        let lesser = |a: N, b: N| if b < a { b } else { a };
        each.into_iter().fold(N::of(f64::INFINITY), lesser)
    }

    /// How many pairs of a stretch of a row are closer than `r_min`.
    #[cold]
    fn count_close(&self, [x, y]: [usize; 2], along: std::ops::Range<usize>) -> u64 {
        let of_source = |near: &Near<N>| {
            let across = self.profile.join(N::ONE, near.x[x], near.y[y]);
            let closer = near.z[along.clone()]
                .iter()
                .filter(|&&z| self.profile.join(N::ONE, across, z) < self.least2);
            closer.count() as u64
        };
        self.batch.iter().map(of_source).sum()
    }
}

/// Whether no term with these two components is more than 0: a sum with the third square is not smaller, a product with 0 is 0.
#[inline(always)]
fn nothing_left<P: Profile, N: Element>(across: N, reach2: N) -> bool {
    if P::PRODUCT {
        across <= N::default()
    } else {
        across >= reach2
    }
}
