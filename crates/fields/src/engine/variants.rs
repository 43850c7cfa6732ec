//! Sums per target in the ways of Rodrigues et al. 2008 on the processor, and how many of their tests of distances succeed.
//!
//! Entry: [`field_by_variant`]. Terms are added tile by tile as by default; which sources come to a tile, and whether rows out of reach are
//! left out, is the variant's.

use std::ops::Range;
use std::sync::{Mutex, PoisonError};

use albireo::engine::{Cpu, Progress};
use albireo::error::EngineError;
use albireo::progress::Lasting;
use albireo_simd::{Isa, Kernel, MOST_LANES, Operations, Registers, Simd};
use rayon::prelude::*;

use super::tiles::{BATCH, DEPTH, HEIGHT, Lattice, Near, TILE, Tile, WIDTH};
use super::{numbers, zeros};
use crate::error::Result;
use crate::{
    Arithmetic, Cells, DistanceTests, FieldJob, FieldSums, FieldVariant, ForProfile, Number,
    Precision, Profile, Sources, VariantPlan, each_axis, square_along,
};

/// The sums of some planes of a job on a processor, in one of the ways of Rodrigues et al. 2008 (DOI 10.1145/1366230.1366277), and the tests
/// of distances that it made: the bits of [`FieldEngine::field`](super::FieldEngine::field).
///
/// ```
/// use albireo::engine::Cpu;
/// use albireo_fields::{FieldEngine, field_by_variant};
/// use albireo_fields::{Cutoff, FieldJob, FieldVariant, Grid, Targets, Term};
/// use albireo::engine::Silent;
/// use albireo::{Domain, Points};
///
/// let points = Points::from_rows(&[[1.0, 2.0, 3.0], [4.0, 4.0, 4.0]])?;
/// let grid = Targets::Grid(Grid::orthogonal([0.0; 3], [0.5; 3], [16; 3])?);
/// let term = Term::coulomb(Cutoff::Smooth(3.0), 0.1)?;
/// let job = FieldJob::new(&points, &[1.0, -1.0], &Domain::Open, term, grid)?;
/// let (sums, tests) = field_by_variant(&Cpu::new(), FieldVariant::Direct, &job, 0..16, &Silent)?;
/// assert_eq!(sums, Cpu::new().field(&job, 0..16, &Silent)?);
/// assert_eq!(tests.made, 2 * 16 * 16 * 16);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// What the variant has no meaning for: grids that do not lie along the axes, points that are none, products over the axes, bins without a
/// cutoff; planes that the job does not have, a stop asked for through `progress`, threads or memory that cannot be had.
pub fn field_by_variant(
    engine: &Cpu,
    variant: FieldVariant,
    job: &FieldJob,
    planes: Range<usize>,
    progress: &dyn Progress,
) -> Result<(FieldSums, DistanceTests)> {
    let plan = VariantPlan::new(variant, job)?;
    let numbers = numbers(job, &planes)?;
    progress.begin(numbers.len() as u64);
    let mut sums = zeros(numbers.len())?;
    let lasting = Lasting::new(progress);
    let parts = [true, plan.overfull.is_some()];
    let found = by_plan(engine, &plan, (planes.clone(), parts), &mut sums, &lasting)?;
    if lasting.stop_requested() {
        return Err(EngineError::Interrupted.into());
    }
    Ok((FieldSums::new(job, planes, sums, found.close), found.tests))
}

/// What comes of a part of a job beside its sums.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Found {
    /// Pairs closer than `r_min`.
    pub(crate) close: u64,
    pub(crate) tests: DistanceTests,
}

impl Found {
    pub(crate) fn and(self, others: Self) -> Self {
        Self {
            close: self.close + others.close,
            tests: self.tests.and(others.tests),
        }
    }
}

/// Makes the sums of some planes by a plan: those of the blocks, those of the sources that found no room, or both.
pub(crate) fn by_plan(
    engine: &Cpu,
    plan: &VariantPlan<'_>,
    (planes, parts): (Range<usize>, [bool; 2]),
    sums: &mut [i64],
    progress: &dyn Progress,
) -> Result<Found> {
    let work = OnThreads {
        engine,
        plan,
        planes,
        parts,
        adding: Fixed,
        sums,
        progress,
    };
    let work = Exactly(work);
    Ok(engine
        .pool()?
        .install(|| plan.job.term().with_profile(work)))
}

/// How the terms of a batch of sources are added to the sums of a tile.
pub(super) trait Adding<P: Profile, N: Number>: Copy + Send + Sync {
    /// A sum.
    type Sum: Copy + Send;
    /// The sums of a tile in the making.
    type Making;
    /// No terms.
    fn none(self) -> Self::Making;
    /// Adds terms, but at rows that are as far from sources, squared, as `beyond`; how many pairs are closer than `r_min`.
    fn add(
        self,
        lattice: &Lattice<P, N>,
        to: (&Tile, &mut Self::Making),
        batch: &[Near<N>],
        beyond: N,
    ) -> u64;
    /// The sums.
    fn sums(making: &Self::Making) -> &[Self::Sum; TILE];
}

/// As integers: exactly.
#[derive(Debug, Clone, Copy)]
struct Fixed;

impl<P: Profile, N: Number> Adding<P, N> for Fixed {
    type Sum = i64;
    type Making = [i64; TILE];

    fn none(self) -> [i64; TILE] {
        [0; TILE]
    }

    fn add(
        self,
        lattice: &Lattice<P, N>,
        (tile, sums): (&Tile, &mut [i64; TILE]),
        batch: &[Near<N>],
        beyond: N,
    ) -> u64 {
        lattice.meet(tile, batch, beyond, sums)
    }

    fn sums(making: &[i64; TILE]) -> &[i64; TILE] {
        making
    }
}

/// What the threads share.
pub(super) struct OnThreads<'a, A, T> {
    pub(super) engine: &'a Cpu,
    pub(super) plan: &'a VariantPlan<'a>,
    pub(super) planes: Range<usize>,
    /// Whether sources of blocks, and those of overfull bins, are met.
    pub(super) parts: [bool; 2],
    pub(super) adding: A,
    pub(super) sums: &'a mut [T],
    pub(super) progress: &'a dyn Progress,
}

/// Sums as integers.
struct Exactly<'a>(OnThreads<'a, Fixed, i64>);

impl ForProfile for Exactly<'_> {
    type Output = Found;

    fn with<P: Profile>(self, profile: P) -> Found {
        match self.0.plan.job.scale().precision {
            Precision::Double => self.0.sum::<P, f64>(profile),
            Precision::Single => self.0.sum::<P, f32>(profile),
        }
    }
}

impl<A, T: Copy + Send> OnThreads<'_, A, T> {
    /// Makes the sums on all threads of the pool.
    pub(super) fn sum<P: Profile, N: Number>(self, profile: P) -> Found
    where
        A: Adding<P, N, Sum = T>,
    {
        let (plan, plane) = (self.plan, self.plan.job.targets().plane_len());
        let Some(lattice) = Lattice::<P, N>::new(plan.job, profile, self.engine.isa()) else {
            return Found::default();
        };
        // Planes of a tile, none of which belong to two blocks.
        let mut slabs = vec![];
        let (mut rest, mut first) = (self.sums, self.planes.start);
        while first < self.planes.end {
            let end = (plan.block_of(first) + plan.block[0]).min(self.planes.end);
            let depth = DEPTH.min(end - first);
            let (own, others) = rest.split_at_mut(depth * plane);
            slabs.push((first, own));
            (rest, first) = (others, first + depth);
        }
        let found = Mutex::new(Found::default());
        each_slab(slabs, &|first, sums| {
            let slab = Slab {
                plan,
                lattice: &lattice,
                isa: self.engine.isa(),
                parts: self.parts,
                adding: self.adding,
                depth: sums.len() / plane,
                first,
            };
            let of_slab = slab.fill(sums, self.progress);
            let mut all = found.lock().unwrap_or_else(PoisonError::into_inner);
            *all = all.and(of_slab);
        });
        found.into_inner().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Hands slabs of the sums, each with its first plane, to the threads of the pool: compiled for each kind of sums, not for each kind of terms.
fn each_slab<T: Send>(slabs: Vec<(usize, &mut [T])>, make: &(dyn Fn(usize, &mut [T]) + Sync)) {
    let slabs = slabs.into_par_iter();
    slabs.for_each(|(first, sums)| make(first, sums));
}

/// Planes of one block, at most as many as tiles are deep.
struct Slab<'a, P, N, A> {
    plan: &'a VariantPlan<'a>,
    lattice: &'a Lattice<P, N>,
    isa: Isa,
    parts: [bool; 2],
    adding: A,
    first: usize,
    depth: usize,
}

/// A tile and its sums in the making.
struct Filling<'a, N, M> {
    tile: &'a Tile,
    making: M,
    batch: &'a mut Vec<Near<N>>,
    found: Found,
}

impl<P: Profile, N: Number, A: Adding<P, N>> Slab<'_, P, N, A> {
    /// Makes the sums block by block.
    fn fill(&self, sums: &mut [A::Sum], progress: &dyn Progress) -> Found {
        let plan = self.plan;
        let [_, m, n] = each_axis(|axis| plan.grid.along(axis).len());
        let [_, height, width] = plan.block;
        let (mut rows, mut batch) = (vec![], Vec::with_capacity(BATCH));
        let mut found = Found::default();
        for j in (0..m).step_by(height) {
            for k in (0..n).step_by(width) {
                if progress.stop_requested() {
                    return found;
                }
                if self.parts[0] && plan.variant != FieldVariant::Cylinder {
                    plan.gather([plan.block_of(self.first), j, k], &mut rows);
                }
                let ends = [(j + height).min(m), (k + width).min(n)];
                for y in (j..ends[0]).step_by(HEIGHT) {
                    for z in (k..ends[1]).step_by(WIDTH) {
                        let size = [self.depth, HEIGHT.min(ends[0] - y), WIDTH.min(ends[1] - z)];
                        let local = self.lattice.tile([self.first, y, z], size);
                        found = found.and(self.fill_tile(&local, &rows, &mut batch, sums));
                        progress.advance(size.iter().product::<usize>() as u64);
                    }
                }
            }
        }
        found
    }

    fn fill_tile(
        &self,
        tile: &Tile,
        rows: &[u32],
        batch: &mut Vec<Near<N>>,
        sums: &mut [A::Sum],
    ) -> Found {
        let plan = self.plan;
        let mut filling = Filling {
            tile,
            making: self.adding.none(),
            batch,
            found: Found::default(),
        };
        if self.parts[0] && plan.variant == FieldVariant::Cylinder {
            self.meet_cylinders(plan.job.cells(), &mut filling);
        } else if self.parts[0] {
            let sources = plan.sources();
            for &row in rows {
                self.meet(sources, row as usize, false, &mut filling);
            }
            self.add(false, &mut filling);
        }
        if let (true, Some(overfull)) = (self.parts[1], &plan.overfull) {
            self.meet_cylinders(overfull, &mut filling);
        }
        self.lattice.put(tile, A::sums(&filling.making), sums);
        filling.found
    }

    /// Meets the sources whose cylinders reach the tile.
    fn meet_cylinders(&self, cells: &Cells, filling: &mut Filling<'_, N, A::Making>) {
        let (tile, sources) = (filling.tile, cells.sources());
        let units = self.plan.grid.units();
        let reach = self.plan.job.term().reach();
        let wide = each_axis(|axis| (reach + tile.half[axis]) * (1.0 + N::SLACK));
        let reach2 = reach * reach * (1.0 + N::SLACK);
        cells.near(tile.centre, wide, |rows| {
            for row in rows {
                let source = sources.fractions[row];
                let beyond = |axis: usize| {
                    let d = square_along(units[axis], source[axis], tile.centre[axis]).sqrt();
                    (d - tile.half[axis]).max(0.0)
                };
                let [x, y, z] = each_axis(beyond);
                if x * x + y * y < reach2 && z * z < reach2 {
                    self.meet(sources, row, true, filling);
                }
            }
        });
        self.add(true, filling);
    }

    /// Takes in a source.
    fn meet(
        &self,
        sources: &Sources,
        row: usize,
        clip: bool,
        filling: &mut Filling<'_, N, A::Making>,
    ) {
        let (fractions, parameters) = (sources.fractions[row], sources.parameters(row));
        let near = self.lattice.near(filling.tile, fractions, parameters);
        filling.batch.push(near);
        if filling.batch.len() == BATCH {
            self.add(clip, filling);
        }
    }

    /// Adds the terms of the sources taken in, and tests their distances.
    fn add(&self, clip: bool, filling: &mut Filling<'_, N, A::Making>) {
        let reach = self.plan.job.term().reach();
        let reach2 = N::of(reach * reach);
        let beyond = if clip { reach2 } else { N::of(f64::INFINITY) };
        let batch = &filling.batch[..];
        let to = (filling.tile, &mut filling.making);
        let close = self.adding.add(self.lattice, to, batch, beyond);
        let testing = Testing {
            reach2,
            clip,
            size: filling.tile.size,
            batch,
        };
        let tests = self.isa.dispatch(testing);
        filling.found = filling.found.and(Found { close, tests });
        filling.batch.clear();
    }
}

/// The tests of distances of a batch of sources at the points of a tile.
struct Testing<'a, N> {
    reach2: N,
    /// Whether only the points of cylinders are met.
    clip: bool,
    size: [usize; 3],
    batch: &'a [Near<N>],
}

impl<N: Number> Kernel for Testing<'_, N> {
    type Output = DistanceTests;

    #[inline(always)]
    fn run<S: Simd>(self, simd: S) -> DistanceTests {
        let lanes = N::lanes(simd);
        let width = <N::Lanes<S> as Registers>::LANES;
        // A number for each point that there is; sums of them stay whole below 2^24.
        let mut ones = [N::default(); WIDTH];
        ones[..self.size[2]].fill(N::of(1.0));
        let reach2 = lanes.same(self.reach2);
        let mut within = lanes.splat(0.0);
        let mut made = 0;
        for near in self.batch {
            let in_reach = |z: &&N| !self.clip || **z < self.reach2;
            let along = near.z[..self.size[2]].iter().filter(in_reach).count() as u64;
            for x in 0..self.size[0] {
                for y in 0..self.size[1] {
                    let across = N::ONE.add(near.x[x], near.y[y]);
                    if self.clip && across >= self.reach2 {
                        continue;
                    }
                    made += along;
                    let across = lanes.same(across);
                    for at in (0..WIDTH).step_by(width) {
                        let r2 = lanes.add(across, lanes.load(&near.z[at..]));
                        let one = lanes.where_less(r2, reach2, lanes.load(&ones[at..]));
                        within = lanes.add(within, one);
                    }
                }
            }
        }
        let mut each = [N::default(); MOST_LANES];
        lanes.store(within, &mut each);
        let succeeded = each[..width].iter().map(|n| n.rounded() as u64).sum();
        DistanceTests { made, succeeded }
    }
}
