//! Tiles of two clouds: the bins of all pairs between them, counted in a row of the matrix.
//!
//! Entry: [`Counting`], of a [`Piece`]: kept pairs of one bin. Pairs of points are written side by side until there are enough for whole registers; their bins go to a small
//! buffer, and from there to the counters of the row, which stay in the cache.

use std::ops::AddAssign;

use albireo_simd::{Kernel, MOST_LANES, Simd};

use super::lists::{List, Round, Tile};
use super::visits::Kept;

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
        // They never lie on the stack of a thread.
        let counts = vec![C::from(0); SLOTS].into_boxed_slice();
        Self {
            counts: counts
                .try_into()
                .unwrap_or_else(|_| unreachable!("as many as there are slots")),
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

/// The first of two registers, the second where a mask is set.
#[inline(always)]
fn either<S: Simd>(simd: S, [first, second]: [S::U; 2], mask: S::U) -> S::U {
    simd.xor(first, simd.and(simd.xor(first, second), mask))
}

/// A word in all lanes, and the next one.
#[inline(always)]
fn words<S: Simd>(simd: S, words: &[u32], at: usize) -> [S::U; 2] {
    [simd.splat_u(words[at]), simd.splat_u(words[at + 1])]
}

/// The bits of a number in all lanes, and of the next one.
#[inline(always)]
fn floats<S: Simd>(simd: S, numbers: &[f32], at: usize) -> [S::U; 2] {
    [
        simd.bits(simd.splat(numbers[at])),
        simd.bits(simd.splat(numbers[at + 1])),
    ]
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

    /// Counts what is there; with regions, those of the ends of one pair. Many places do: it is compiled once.
    fn count<S: Simd>(&mut self, simd: S, round: &Round<'_>, regions: [u32; 2]) {
        simd.vectorize(Batch(self, round, regions));
    }

    /// Adds the weights of the pairs that are binned to the counters.
    #[inline(always)]
    fn add_weights(&mut self) {
        for (slot, weight) in self.slots[..self.len].iter().zip(&self.weights) {
            self.counts[*slot as usize % SLOTS] += C::from(weight.cast_signed());
        }
    }

    /// Counts all pairs of a member of one list and one of another, of a register or more, whose registers run on from one round to the next.
    /// Members may be the same points where they are `alike`.
    #[inline(always)]
    fn cross<S: Simd>(
        &mut self,
        simd: S,
        round: &Round<'_>,
        (one, many): (&List, &List),
        alike: bool,
    ) {
        self.count(simd, round, [0; 2]);
        let none: [u32; MOST_LANES] = std::array::from_fn(|lane| (round.bins + lane) as u32);
        let lanes: [u32; MOST_LANES] = std::array::from_fn(|lane| lane as u32);
        let (none, lanes) = (simd.load_u(&none), simd.load_u(&lanes));
        let (mut left, mut to) = (one.len * many.len, 0);
        let (mut k, mut at) = (0, 0);
        while left > 0 {
            // Lanes from here on are of the next member.
            let ahead = simd.at_most_u(simd.splat_u((many.len - at) as u32), lanes);
            let x1 = [
                simd.floats(either(simd, floats(simd, &one.x[0], k), ahead)),
                simd.floats(either(simd, floats(simd, &one.x[1], k), ahead)),
                simd.floats(either(simd, floats(simd, &one.x[2], k), ahead)),
            ];
            let x2 = [
                simd.load(&many.x[0][at..]),
                simd.load(&many.x[1][at..]),
                simd.load(&many.x[2][at..]),
            ];
            let sign = either(simd, words(simd, &one.signs, k), ahead);
            let mut weight = simd.mul_u(sign, simd.load_u(&many.signs[at..]));
            if alike {
                let number = either(simd, words(simd, &one.numbers, k), ahead);
                let same = simd.equal_u(number, simd.load_u(&many.numbers[at..]));
                weight = simd.and(weight, simd.xor(same, simd.splat_u(u32::MAX)));
            }
            simd.store_u(round.rule.bins(simd, x1, x2, none), &mut self.slots[to..]);
            simd.store_u(weight, &mut self.weights[to..]);
            let made = left.min(S::LANES);
            (left, to, at) = (left - made, to + made, at + S::LANES);
            if at >= many.len {
                (at, k) = (at - many.len, k + 1);
            }
            if to >= BATCH || left == 0 {
                self.len = to;
                self.add_weights();
                to = 0;
            }
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

/// What [`Counters::count`] does.
struct Batch<'a, 'r, C>(&'a mut Counters<C>, &'a Round<'r>, [u32; 2]);

impl<C: Count> Kernel for Batch<'_, '_, C> {
    type Output = ();

    #[inline(always)]
    fn run<S: Simd>(self, simd: S) {
        let Self(counters, round, regions) = self;
        let none: [u32; MOST_LANES] = std::array::from_fn(|lane| (round.bins + lane) as u32);
        let none = simd.load_u(&none);
        let mut at = 0;
        while at < counters.len {
            let x1 = load(simd, &counters.x1, at);
            let x2 = load(simd, &counters.x2, at);
            let bins = round.rule.bins(simd, x1, x2, none);
            simd.store_u(bins, &mut counters.slots[at..]);
            at += S::LANES;
        }
        counters.add_weights();
        if let Some(shares) = round.shares {
            counters.count_regions(shares, regions);
        }
        counters.len = 0;
    }
}

/// Where a row goes, its term, and how many quads wait for it.
type Given<'a, 'b> = (&'a mut (dyn FnMut(Row<'_>) + 'b), usize, &'a mut u64);

impl Counters<i32> {
    /// Counts the quads of a tile and says how many they are; the row is handed on before its counters are full.
    #[inline(always)]
    fn add_tile<S: Simd>(
        &mut self,
        simd: S,
        round: &Round<'_>,
        tile: &Tile,
        alike: bool,
        (done, term, waiting): Given<'_, '_>,
    ) -> u64 {
        let [one, many] = &tile.near;
        let all = one.counted * many.counted;
        let longest = one.len.max(many.len);
        if round.shares.is_none() && longest >= S::LANES && all <= MOST_QUADS {
            if *waiting + all > MOST_QUADS {
                self.give(simd, round, done, term);
                *waiting = 0;
            }
            *waiting += all;
            let lists = if one.len < many.len {
                (one, many)
            } else {
                (many, one)
            };
            self.cross(simd, round, lists, alike && round.rule.holds_zero());
            return all;
        }
        for k in 0..one.len {
            let (sign, number) = (one.signs[k], one.numbers[k]);
            if sign == 0 {
                continue;
            }
            if *waiting + many.counted > MOST_QUADS {
                self.give(simd, round, done, term);
                *waiting = 0;
            }
            *waiting += many.counted;
            let x = [one.x[0][k], one.x[1][k], one.x[2][k]];
            let equal = (tile.regions, one.equal[k]);
            self.meet(simd, round, (x, sign), many, alike.then_some(number), equal);
        }
        all
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
        let (mut found, mut waiting) = (0, 0);
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
                let row = (&mut *done, term, &mut waiting);
                found += quads.add_tile(simd, round, tile, members.0 == members.1, row);
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
