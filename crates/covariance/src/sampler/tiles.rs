//! Tiles of two clouds: the bins of all pairs between them, counted in a row of the matrix.
//!
//! Entry: [`Piece`], kept pairs of one bin. Pairs of points are written side by side until there are enough for whole registers; their bins go to a small
//! buffer, and from there to the counters of the row, which stay in the cache.

use albireo_simd::{Kernel, MOST_LANES, Simd};

use super::points::RoundPoints;
use super::rule::Rule;
use super::visits::{Clouds, Kept, NEGATIVE};

/// Pairs that are binned at a time.
const BATCH: usize = 512;

/// Counters of a row and room for the pairs that lie in no bin, one a lane; a power of two, below which every slot lies.
const SLOTS: usize = 2 * super::MOST_BINS;

/// Points, clouds and bins of a round.
pub(super) struct Round<'a> {
    pub(super) rule: &'a Rule,
    pub(super) bins: usize,
    pub(super) points: &'a [RoundPoints],
    /// For each owner, for each member.
    pub(super) clouds: &'a [Vec<Clouds>],
}

/// Kept pairs of one bin.
pub(super) struct Piece<'a> {
    pub(super) tracers: (usize, usize),
    pub(super) pairs: &'a [Kept],
}

/// Where a piece's counts go: sums over quads or triples, and which of them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Sum {
    Quads(usize),
    Triples(usize),
}

/// What a thread works with.
pub(super) struct Scratch {
    counters: Box<[i64; SLOTS]>,
    batch: Batch,
    list: List,
}

/// Pairs of points side by side, with what they count for.
struct Batch {
    len: usize,
    x1: [[f32; BATCH + MOST_LANES]; 3],
    x2: [[f32; BATCH + MOST_LANES]; 3],
    weights: [u32; BATCH + MOST_LANES],
    slots: [u32; BATCH + MOST_LANES],
}

/// Members of a cloud column by column, in whole registers.
#[derive(Default)]
struct List {
    len: usize,
    numbers: Vec<u32>,
    x: [Vec<f32>; 3],
    /// 1 or -1.
    signs: Vec<u32>,
}

impl List {
    /// Takes all members but one.
    fn fill(&mut self, points: &RoundPoints, cloud: &[u32], without: Option<u32>) {
        let room = cloud.len() + MOST_LANES;
        if self.numbers.len() < room {
            self.numbers.resize(room, 0);
            self.signs.resize(room, 0);
            self.x.iter_mut().for_each(|x| x.resize(room, 0.0));
        }
        let [x, y, z] = &mut self.x;
        self.len = 0;
        for &member in cloud {
            let number = member & !NEGATIVE;
            if Some(number) == without {
                continue;
            }
            let at = self.len;
            self.numbers[at] = number;
            self.signs[at] = sign(member);
            [x[at], y[at], z[at]] = points.short[number as usize];
            self.len += 1;
        }
    }
}

/// 1 or -1 in two's complement.
fn sign(member: u32) -> u32 {
    if member & NEGATIVE == 0 { 1 } else { u32::MAX }
}

impl Default for Scratch {
    fn default() -> Self {
        Self {
            counters: Box::new([0; SLOTS]),
            batch: Batch {
                len: 0,
                x1: [[0.0; BATCH + MOST_LANES]; 3],
                x2: [[0.0; BATCH + MOST_LANES]; 3],
                weights: [0; BATCH + MOST_LANES],
                slots: [0; BATCH + MOST_LANES],
            },
            list: List::default(),
        }
    }
}

impl Batch {
    /// Puts a point beside the members of a list. What is `itself` counts for nothing.
    #[inline(always)]
    fn put<S: Simd>(
        &mut self,
        simd: S,
        x: [f32; 3],
        weight: u32,
        list: &List,
        at: usize,
        itself: Option<u32>,
    ) {
        for k in 0..3 {
            simd.store(simd.splat(x[k]), &mut self.x1[k][self.len..]);
            simd.store(simd.load(&list.x[k][at..]), &mut self.x2[k][self.len..]);
        }
        let mut weights = simd.mul_u(simd.load_u(&list.signs[at..]), simd.splat_u(weight));
        if let Some(number) = itself {
            let same = simd.equal_u(simd.load_u(&list.numbers[at..]), simd.splat_u(number));
            weights = simd.and(weights, simd.xor(same, simd.splat_u(u32::MAX)));
        }
        simd.store_u(weights, &mut self.weights[self.len..]);
        self.len += (list.len - at).min(S::LANES);
    }

    /// Counts what is there.
    #[inline(always)]
    fn count<S: Simd>(&mut self, simd: S, round: &Round<'_>, counters: &mut [i64; SLOTS]) {
        let none: [u32; MOST_LANES] = std::array::from_fn(|lane| (round.bins + lane) as u32);
        let none = simd.load_u(&none);
        for at in (0..self.len).step_by(S::LANES) {
            let [x1, x2] = [&self.x1, &self.x2].map(|x| [0, 1, 2].map(|k| simd.load(&x[k][at..])));
            let bins = round.rule.bins(simd, x1, x2, none);
            simd.store_u(bins, &mut self.slots[at..]);
        }
        for (slot, weight) in self.slots[..self.len].iter().zip(&self.weights) {
            counters[*slot as usize % SLOTS] += i64::from(weight.cast_signed());
        }
        self.len = 0;
    }
}

/// Counts a piece; the counters of each sum go to `done`. Returns how many quads there are.
pub(super) struct Counting<'a, F> {
    pub(super) round: &'a Round<'a>,
    pub(super) piece: &'a Piece<'a>,
    pub(super) scratch: &'a mut Scratch,
    pub(super) done: F,
}

impl<F: FnMut(Sum, &[i64])> Kernel for Counting<'_, F> {
    type Output = u64;

    #[inline(always)]
    fn run<S: Simd>(mut self, simd: S) -> u64 {
        let (n, (first, second)) = (self.round.points.len(), self.piece.tracers);
        let mut quads = 0;
        for k in 0..n {
            for l in 0..n {
                quads += self.count_quads(simd, (k, l));
                self.give(simd, Sum::Quads(((first + second) * n + k) * n + l));
            }
        }
        for tracer in 0..n {
            for from_first in [true, false] {
                let (arm, vertex) = if from_first {
                    (first, second)
                } else {
                    (second, first)
                };
                self.count_triples(simd, from_first, tracer);
                self.give(simd, Sum::Triples((arm * n + vertex) * n + tracer));
            }
        }
        quads
    }
}

impl<F: FnMut(Sum, &[i64])> Counting<'_, F> {
    /// Empties batch and counters.
    #[inline(always)]
    fn give<S: Simd>(&mut self, simd: S, sum: Sum) {
        let (batch, counters) = (&mut self.scratch.batch, &mut self.scratch.counters);
        batch.count(simd, self.round, counters);
        (self.done)(sum, &counters[..self.round.bins]);
        counters[..self.round.bins + MOST_LANES].fill(0);
    }

    /// Puts a point beside all of the list.
    #[inline(always)]
    fn meet<S: Simd>(&mut self, simd: S, x: [f32; 3], weight: u32, itself: Option<u32>) {
        let Scratch {
            counters,
            batch,
            list,
        } = &mut *self.scratch;
        for at in (0..list.len).step_by(S::LANES) {
            batch.put(simd, x, weight, list, at, itself);
            if batch.len >= BATCH {
                batch.count(simd, self.round, counters);
            }
        }
    }

    #[inline(always)]
    fn count_quads<S: Simd>(&mut self, simd: S, (k_tracer, l_tracer): (usize, usize)) -> u64 {
        let (round, (first, second)) = (self.round, self.piece.tracers);
        let clouds = (
            &round.clouds[first][k_tracer],
            &round.clouds[second][l_tracer],
        );
        let mut quads = 0;
        for &Kept { i, j, .. } in self.piece.pairs {
            let (near_i, near_j) = (clouds.0.of(i), clouds.1.of(j));
            if near_i.is_empty() || near_j.is_empty() {
                continue;
            }
            self.scratch.list.fill(
                &round.points[l_tracer],
                near_j,
                (l_tracer == first).then_some(i),
            );
            for &member in near_i {
                let k = member & !NEGATIVE;
                if k_tracer == second && k == j {
                    continue;
                }
                let x = round.points[k_tracer].short[k as usize];
                self.meet(simd, x, sign(member), (k_tracer == l_tracer).then_some(k));
                quads += self.scratch.list.len as u64;
            }
        }
        quads
    }

    #[inline(always)]
    fn count_triples<S: Simd>(&mut self, simd: S, from_first: bool, tracer: usize) {
        let (round, (first, second)) = (self.round, self.piece.tracers);
        let (arm_tracer, vertex_tracer) = if from_first {
            (first, second)
        } else {
            (second, first)
        };
        let vertices = &round.points[vertex_tracer];
        for &Kept { i, j, .. } in self.piece.pairs {
            let (arm, vertex) = if from_first { (i, j) } else { (j, i) };
            let cloud = round.clouds[arm_tracer][tracer].of(arm);
            let without = (tracer == vertex_tracer).then_some(vertex);
            self.scratch
                .list
                .fill(&round.points[tracer], cloud, without);
            let weight = vertices.steps[vertex as usize].cast_unsigned();
            self.meet(simd, vertices.short[vertex as usize], weight, None);
        }
    }
}
