//! Tiles of two clouds: the bins of all pairs between them, counted in a row of the matrix.
//!
//! Entry: [`Counting`], of a [`Piece`]: kept pairs of one bin. Pairs of points are written side by side until there are enough for whole registers; their bins go to a small
//! buffer, and from there to the counters of the row, which stay in the cache.

use std::ops::AddAssign;

use albireo_simd::{Kernel, MOST_LANES, Simd};

use super::points::RoundPoints;
use super::rule::Rule;
use super::visits::{Clouds, Kept, NEGATIVE};

/// Pairs that are binned at a time.
const BATCH: usize = 256;

/// Kept pairs whose clouds are read before the first of them is counted: memory answers meanwhile.
const AHEAD: usize = 16;

/// Room behind them for a whole register.
const ROOM: usize = BATCH + MOST_LANES;

/// Counters of a row and room for the pairs that lie in no bin, one a lane; a power of two, below which every slot lies.
const SLOTS: usize = 2 * super::MOST_BINS;

/// Quads that counters of 32 bits hold, all of them in one bin.
const MOST_QUADS: u64 = i32::MAX as u64;

/// Points, clouds and bins of a round.
pub(super) struct Round<'a> {
    pub(super) rule: &'a Rule,
    pub(super) bins: usize,
    pub(super) points: &'a [RoundPoints],
    /// For each owner, for each member.
    pub(super) clouds: &'a [Vec<Clouds>],
    /// The share of each region in each bin, with room for those that lie in none; none without regions.
    pub(super) shares: Option<&'a [Vec<i32>]>,
}

/// Kept pairs of one bin.
pub(super) struct Piece<'a> {
    pub(super) tracers: (usize, usize),
    pub(super) pairs: &'a [Kept],
}

/// Counts of a piece in the row of a term, to be added to what is there; the same by equal regions and by shares.
pub(super) enum Row<'a> {
    Quads(usize, &'a [i32]),
    Triples(usize, &'a [i64]),
    QuadsOfRegions([&'a [i64]; 2]),
    TriplesOfRegions([&'a [i64]; 2]),
}

/// What counts quads: 32 bits, so that a row takes less of the cache; or triples, which have weights.
trait Count: Copy + From<i32> + AddAssign {
    fn row(term: usize, counts: &[Self]) -> Row<'_>;
    fn of_regions(sums: [&[i64]; 2]) -> Row<'_>;
}

impl Count for i32 {
    fn row(term: usize, counts: &[Self]) -> Row<'_> {
        Row::Quads(term, counts)
    }
    fn of_regions(sums: [&[i64]; 2]) -> Row<'_> {
        Row::QuadsOfRegions(sums)
    }
}

impl Count for i64 {
    fn row(term: usize, counts: &[Self]) -> Row<'_> {
        Row::Triples(term, counts)
    }
    fn of_regions(sums: [&[i64]; 2]) -> Row<'_> {
        Row::TriplesOfRegions(sums)
    }
}

/// What a thread works with.
#[derive(Default)]
pub(super) struct Scratch {
    quads: Counters<i32>,
    /// Those whose arms are the first and the second of a pair.
    triples: [Counters<i64>; 2],
    tiles: [Tile; AHEAD],
    /// What was read ahead, so that it is read.
    touched: u32,
}

/// What is known of a kept pair: the clouds of both ends, and where they are, with their weights in steps.
#[derive(Default)]
struct Tile {
    near: [List; 2],
    ends: [([f32; 3], u32); 2],
    /// The regions of both ends.
    regions: [u32; 2],
}

/// Pairs of points side by side, with what they count for, and the counters of their bins.
struct Counters<C> {
    counts: Box<[C; SLOTS]>,
    /// Where there are regions: weights times the number of equal ones, and sums of these and of shares.
    equal: [u32; ROOM],
    of_regions: [Vec<i64>; 2],
    len: usize,
    x1: [[f32; ROOM]; 3],
    x2: [[f32; ROOM]; 3],
    weights: [u32; ROOM],
    slots: [u32; ROOM],
}

impl<C: Count> Default for Counters<C> {
    fn default() -> Self {
        Self {
            counts: Box::new([C::from(0); SLOTS]),
            equal: [0; ROOM],
            of_regions: Default::default(),
            len: 0,
            x1: [[0.0; ROOM]; 3],
            x2: [[0.0; ROOM]; 3],
            weights: [0; ROOM],
            slots: [0; ROOM],
        }
    }
}

/// Members of a cloud column by column, in whole registers.
#[derive(Default)]
struct List {
    len: usize,
    /// Members that count.
    counted: u64,
    numbers: Vec<u32>,
    x: [Vec<f32>; 3],
    /// 1 or -1, and 0 for the one that is left out.
    signs: Vec<u32>,
    /// How many ends of the pair have a member's region.
    equal: Vec<u32>,
}

impl List {
    /// Takes all members; `without` counts for nothing.
    #[inline(always)]
    fn fill<S: Simd>(
        &mut self,
        simd: S,
        points: &RoundPoints,
        cloud: (&[u32], usize),
        without: Option<u32>,
    ) {
        let (members, len) = cloud;
        if self.numbers.len() < len + MOST_LANES {
            let room = 2 * len + MOST_LANES;
            self.numbers.resize(room, 0);
            self.signs.resize(room, 0);
            self.equal.resize(room, 0);
            self.x.iter_mut().for_each(|x| x.resize(room, 0.0));
        }
        self.len = len;
        let mut left_out = 0;
        let (number_bits, one) = (simd.splat_u(!NEGATIVE), simd.splat_u(1));
        let [x, y, z] = &mut self.x;
        let mut at = 0;
        while at < len {
            let member = simd.load_u(&members[at..]);
            let number = simd.and(member, number_bits);
            // 1, or 1 - 2.
            let minus = simd.shift_left(simd.shift_right(member, 31), 1);
            let mut sign = simd.sub_u(one, minus);
            if let Some(without) = without {
                let same = simd.equal_u(number, simd.splat_u(without));
                sign = simd.and(sign, simd.xor(same, simd.splat_u(u32::MAX)));
                let inside = u32::MAX >> (32 - (len - at).min(S::LANES));
                left_out += (simd.mask_bits(same) & inside).count_ones();
            }
            simd.store_u(number, &mut self.numbers[at..]);
            simd.store_u(sign, &mut self.signs[at..]);
            let [px, py, pz] = &points.short_bits;
            simd.store(simd.floats(simd.gather(px, number)), &mut x[at..]);
            simd.store(simd.floats(simd.gather(py, number)), &mut y[at..]);
            simd.store(simd.floats(simd.gather(pz, number)), &mut z[at..]);
            at += S::LANES;
        }
        self.counted = len as u64 - u64::from(left_out);
    }

    /// Compares the region of each member with those of both ends.
    #[inline(always)]
    fn compare<S: Simd>(&mut self, simd: S, regions: &[u32], [i, j]: [u32; 2]) {
        let (i, j) = (simd.splat_u(i), simd.splat_u(j));
        let mut at = 0;
        while at < self.len {
            let region = simd.gather(regions, simd.load_u(&self.numbers[at..]));
            // A mask is -1.
            let both = simd.add_u(simd.equal_u(region, i), simd.equal_u(region, j));
            simd.store_u(simd.sub_u(simd.splat_u(0), both), &mut self.equal[at..]);
            at += S::LANES;
        }
    }
}

impl Tile {
    #[inline(always)]
    fn fill<S: Simd>(
        &mut self,
        simd: S,
        round: &Round<'_>,
        (first, second): (usize, usize),
        members: (usize, usize),
        Kept { i, j, .. }: Kept,
    ) {
        let [near_i, near_j] = &mut self.near;
        let clouds = (
            &round.clouds[first][members.0],
            &round.clouds[second][members.1],
        );
        let others = (
            (members.0 == second).then_some(j),
            (members.1 == first).then_some(i),
        );
        near_i.fill(simd, &round.points[members.0], clouds.0.of(i), others.0);
        near_j.fill(simd, &round.points[members.1], clouds.1.of(j), others.1);
        self.ends = [round.points[first].end(i), round.points[second].end(j)];
        if round.shares.is_some() {
            let regions = &round.points[0].regions;
            self.regions = [regions[i as usize], regions[j as usize]];
            near_i.compare(simd, regions, self.regions);
            near_j.compare(simd, regions, self.regions);
        }
    }
}

/// Three columns from a place on.
#[inline(always)]
fn load<S: Simd>(simd: S, [x, y, z]: &[[f32; ROOM]; 3], at: usize) -> [S::F; 3] {
    [
        simd.load(&x[at..]),
        simd.load(&y[at..]),
        simd.load(&z[at..]),
    ]
}

impl<C: Count> Counters<C> {
    /// Puts a point beside all members of a list, each with its sign times `weight`; what is `itself` counts for nothing. With regions, `equal` more of them are equal than
    /// those of a member.
    #[inline(always)]
    fn meet<S: Simd>(
        &mut self,
        simd: S,
        round: &Round<'_>,
        (x, weight): ([f32; 3], u32),
        list: &List,
        itself: Option<u32>,
        (regions, equal): ([u32; 2], u32),
    ) {
        let (weight, own) = (
            simd.splat_u(weight),
            simd.splat_u(itself.unwrap_or(u32::MAX)),
        );
        let (x, y, z) = (simd.splat(x[0]), simd.splat(x[1]), simd.splat(x[2]));
        let (mut at, mut to) = (0, self.len);
        while at < list.len {
            simd.store(x, &mut self.x1[0][to..]);
            simd.store(y, &mut self.x1[1][to..]);
            simd.store(z, &mut self.x1[2][to..]);
            simd.store(simd.load(&list.x[0][at..]), &mut self.x2[0][to..]);
            simd.store(simd.load(&list.x[1][at..]), &mut self.x2[1][to..]);
            simd.store(simd.load(&list.x[2][at..]), &mut self.x2[2][to..]);
            let signed = simd.mul_u(simd.load_u(&list.signs[at..]), weight);
            let same = simd.equal_u(simd.load_u(&list.numbers[at..]), own);
            let signed = simd.and(signed, simd.xor(same, simd.splat_u(u32::MAX)));
            simd.store_u(signed, &mut self.weights[to..]);
            if round.shares.is_some() {
                let equal = simd.add_u(simd.load_u(&list.equal[at..]), simd.splat_u(equal));
                simd.store_u(simd.mul_u(signed, equal), &mut self.equal[to..]);
            }
            to += (list.len - at).min(S::LANES);
            at += S::LANES;
            if to >= BATCH {
                self.len = to;
                self.count(simd, round, regions);
                to = 0;
            }
        }
        self.len = to;
    }

    /// Counts what is there; with regions, those of the ends of one pair.
    #[inline(always)]
    fn count<S: Simd>(&mut self, simd: S, round: &Round<'_>, regions: [u32; 2]) {
        let none: [u32; MOST_LANES] = std::array::from_fn(|lane| (round.bins + lane) as u32);
        let none = simd.load_u(&none);
        let mut at = 0;
        while at < self.len {
            let x1 = load(simd, &self.x1, at);
            let x2 = load(simd, &self.x2, at);
            let bins = round.rule.bins(simd, x1, x2, none);
            simd.store_u(bins, &mut self.slots[at..]);
            at += S::LANES;
        }
        for (slot, weight) in self.slots[..self.len].iter().zip(&self.weights) {
            self.counts[*slot as usize % SLOTS] += C::from(weight.cast_signed());
        }
        if let Some(shares) = round.shares {
            self.count_regions(shares, regions);
        }
        self.len = 0;
    }

    /// Adds what is there to the sums of regions.
    fn count_regions(&mut self, shares: &[Vec<i32>], regions: [u32; 2]) {
        let [first, second] = regions.map(|region| &shares[region as usize]);
        let [equals, of_shares] = &mut self.of_regions;
        equals.resize(first.len(), 0);
        of_shares.resize(first.len(), 0);
        let weights = self.weights.iter().zip(&self.equal);
        for (slot, (weight, equal)) in self.slots[..self.len].iter().zip(weights) {
            let (slot, weight) = (*slot as usize, i64::from(weight.cast_signed()));
            equals[slot] += i64::from(equal.cast_signed());
            of_shares[slot] += weight * i64::from(first[slot] + second[slot]);
        }
    }

    /// Counts what is there, hands the row on, and what it is of regions, and begins anew.
    #[inline(always)]
    fn give<S: Simd>(
        &mut self,
        simd: S,
        round: &Round<'_>,
        done: &mut dyn FnMut(Row<'_>),
        term: usize,
    ) {
        self.count(simd, round, [0; 2]);
        done(C::row(term, &self.counts[..round.bins]));
        self.counts[..round.bins + MOST_LANES].fill(C::from(0));
        if self.of_regions[0].len() > round.bins {
            let [equal, shares] = &mut self.of_regions;
            done(C::of_regions([&equal[..round.bins], &shares[..round.bins]]));
            equal.fill(0);
            shares.fill(0);
        }
    }
}

/// Counts a piece and hands the rows of its terms on; returns how many quads there are.
pub(super) struct Counting<'a, F> {
    pub(super) round: &'a Round<'a>,
    pub(super) piece: &'a Piece<'a>,
    pub(super) scratch: &'a mut Scratch,
    pub(super) done: F,
}

impl<F: FnMut(Row<'_>)> Kernel for Counting<'_, F> {
    type Output = u64;

    #[inline(always)]
    fn run<S: Simd>(mut self, simd: S) -> u64 {
        let n = self.round.points.len();
        let mut quads = 0;
        for k in 0..n {
            for l in 0..n {
                quads += self.count_term(simd, (k, l));
            }
        }
        quads
    }
}

impl<F: FnMut(Row<'_>)> Counting<'_, F> {
    /// Counts the quads with these members of the clouds of both ends. Triples have one of these members alone: each is counted where the other is of the first tracer.
    #[inline(always)]
    fn count_term<S: Simd>(&mut self, simd: S, members: (usize, usize)) -> u64 {
        let (round, (first, second)) = (self.round, self.piece.tracers);
        let n = round.points.len();
        let term = ((first + second) * n + members.0) * n + members.1;
        let (mut found, mut pending) = (0, 0);
        let Scratch {
            quads,
            triples: [of_first, of_second],
            tiles,
            touched,
        } = &mut *self.scratch;
        let done: &mut dyn FnMut(Row<'_>) = &mut self.done;
        for pairs in self.piece.pairs.chunks(AHEAD) {
            // Without a branch between them, so that memory answers all at once.
            let (of_i, of_j) = (
                &round.clouds[first][members.0],
                &round.clouds[second][members.1],
            );
            let mut starts = [[0; 2]; AHEAD];
            for (starts, pair) in starts.iter_mut().zip(pairs) {
                *starts = [of_i.start(pair.i), of_j.start(pair.j)];
            }
            for [i, j] in &starts[..pairs.len()] {
                *touched ^= of_i.touch(*i) ^ of_j.touch(*j);
            }
            for (tile, &pair) in tiles.iter_mut().zip(pairs) {
                tile.fill(simd, round, self.piece.tracers, members, pair);
            }
            for tile in &tiles[..pairs.len()] {
                let ([near_i, near_j], regions) = (&tile.near, tile.regions);
                for k in 0..near_i.len {
                    let (sign, number) = (near_i.signs[k], near_i.numbers[k]);
                    if sign == 0 {
                        continue;
                    }
                    if pending + near_j.counted > MOST_QUADS {
                        quads.count(simd, round, regions);
                        quads.give(simd, round, done, term);
                        pending = 0;
                    }
                    pending += near_j.counted;
                    found += near_j.counted;
                    let x = [near_i.x[0][k], near_i.x[1][k], near_i.x[2][k]];
                    let itself = (members.0 == members.1).then_some(number);
                    let equal = (regions, near_i.equal[k]);
                    quads.meet(simd, round, (x, sign), near_j, itself, equal);
                }
                let equal = (regions, 1 + u32::from(regions[0] == regions[1]));
                if members.1 == 0 {
                    of_first.meet(simd, round, tile.ends[1], near_i, None, equal);
                }
                if members.0 == 0 {
                    of_second.meet(simd, round, tile.ends[0], near_j, None, equal);
                }
                // The shares of the next pair are others.
                if round.shares.is_some() {
                    quads.count(simd, round, regions);
                    of_first.count(simd, round, regions);
                    of_second.count(simd, round, regions);
                }
            }
        }
        quads.give(simd, round, done, term);
        if members.1 == 0 {
            of_first.give(simd, round, done, (first * n + second) * n + members.0);
        }
        if members.0 == 0 {
            of_second.give(simd, round, done, (second * n + first) * n + members.1);
        }
        found
    }
}
