//! Particles against all their neighbours in float32 lanes: what `single.rs` computes.
//!
//! Entry: [`ShortMeeting`]. A pair is met from both of its sides, so that nothing is written but the sums of the particles themselves; and
//! particles are met in groups, for which neighbours are brought into columns once.

use std::ops::Range;

use albireo_simd::{Kernel, Lanes32, MOST_LANES, Record, ShortRecord, Simd};

use super::pair_rule::PairForce;
use super::single::Single;

/// A few particles in a row, and all that may be near any of them.
pub(super) struct Group<'a> {
    pub(super) particles: Range<usize>,
    /// Whole registers of numbers, the last filled up with that of an empty record.
    pub(super) neighbours: &'a [u32],
    /// How many of them are particles.
    pub(super) count: usize,
    /// Where among them the first of the group stands, and the others after it.
    pub(super) own: usize,
}

/// Groups that hold each particle of a stretch once.
pub(super) trait Groups {
    fn groups(&self) -> impl Iterator<Item = Group<'_>>;
}

/// Particles of a stretch against their neighbours.
pub(super) struct ShortMeeting<'a, G> {
    pub(super) single: &'a Single,
    pub(super) species: usize,
    /// Positions and species; one more than there are particles.
    pub(super) records: &'a [ShortRecord],
    pub(super) groups: &'a G,
    /// Where the impulses on the particles of all groups go, one after the other.
    pub(super) impulses: &'a mut [Record],
}

/// All ones, then nothing: loads from `MOST_LANES - n` on have the first n lanes set.
const FILLED: [u32; 2 * MOST_LANES] = {
    let mut filled = [0; 2 * MOST_LANES];
    let mut k = 0;
    while k < MOST_LANES {
        filled[k] = u32::MAX;
        k += 1;
    }
    filled
};

/// All ones but one: loads from `MOST_LANES - n` on lack lane n.
const BUT_ONE: [u32; 2 * MOST_LANES] = {
    let mut but_one = [u32::MAX; 2 * MOST_LANES];
    but_one[MOST_LANES] = 0;
    but_one
};

/// Neighbours that are brought into columns at a time.
const BATCH: usize = 512;

/// Neighbours in columns.
#[repr(C, align(64))]
struct Columns {
    positions: [[u32; BATCH]; 3],
    species: [u32; BATCH],
    /// All ones where there is one.
    filled: [u32; BATCH],
    n: usize,
}

impl Columns {
    /// Brings neighbours into columns, of which the first `count` are particles.
    #[inline(always)]
    fn read<S: Simd>(&mut self, simd: S, records: &[ShortRecord], index: &[u32], count: usize) {
        self.n = index.len().min(BATCH);
        let mut left = count;
        for (k, index) in index.chunks_exact(S::LANES).enumerate() {
            let at = k * S::LANES;
            let [x, y, z, species] = simd.load_short_records(records, index);
            simd.store_u(x, &mut self.positions[0][at..]);
            simd.store_u(y, &mut self.positions[1][at..]);
            simd.store_u(z, &mut self.positions[2][at..]);
            simd.store_u(species, &mut self.species[at..]);
            let filled = simd.load_u(&FILLED[MOST_LANES - left.min(MOST_LANES)..]);
            simd.store_u(filled, &mut self.filled[at..]);
            left = left.saturating_sub(S::LANES);
        }
    }

    /// Leaves out the neighbour in one place, or lets it in again.
    #[inline(always)]
    fn turn<S: Simd>(&mut self, simd: S, place: usize) {
        if place < self.n {
            let filled = &mut self.filled[place / S::LANES * S::LANES..];
            let one = simd.load_u(&BUT_ONE[MOST_LANES - place % S::LANES..]);
            let turned = simd.xor(simd.load_u(filled), simd.xor(one, simd.splat_u(u32::MAX)));
            simd.store_u(turned, filled);
        }
    }
}

/// What makes any integer of 32 bits positive.
const SIGN: u32 = 1 << 31;

// See [`LaneSum::total`].
const _: () = assert!(BATCH <= 1 << 15);

/// A sum of 32-bit integers a lane, whose lower half wraps. Where it may, `WRAPS`, the upper halves, made positive, are summed beside it.
#[derive(Clone, Copy)]
struct LaneSum<S: Simd, const WRAPS: bool> {
    low: S::U,
    high: S::U,
}

impl<S: Simd, const WRAPS: bool> LaneSum<S, WRAPS> {
    #[inline(always)]
    fn add(self, simd: S, sign: S::U, values: S::U) -> Self {
        let mut high = self.high;
        if WRAPS {
            high = simd.add_u(high, simd.shift_right(simd.xor(values, sign), 16));
        }
        Self {
            low: simd.add_u(self.low, values),
            high,
        }
    }

    /// The sum of all lanes, of so many values in all, at most 2^15.
    #[inline(always)]
    fn total(self, simd: S, values: usize) -> i64 {
        let mut low = [0; MOST_LANES];
        simd.store_u(self.low, &mut low);
        if !WRAPS {
            return low
                .into_iter()
                .map(|sum| i64::from(sum.cast_signed()))
                .sum();
        }
        let mut high = [0; MOST_LANES];
        simd.store_u(self.high, &mut high);
        let low = low.into_iter().fold(0, u32::wrapping_add);
        let high: u32 = high.into_iter().sum();
        // Whole multiples of 2^16: less than the sum by below 2^16 for each value, which the lower half tells.
        let floor = (i64::from(high) << 16) - ((values as i64) << 31);
        floor + i64::from(low.wrapping_sub(floor as u32))
    }
}

impl<G: Groups> Kernel for ShortMeeting<'_, G> {
    /// The largest (sigma/r)^2.
    type Output = f32;

    #[inline(always)]
    fn run<S: Simd>(self, simd: S) -> f32 {
        let forces_off = self.single.pairs.iter().any(|pair| pair.force_off != 0.0);
        match (self.species == 1, forces_off) {
            (true, false) => self.meet::<S, true, false>(simd),
            (true, true) => self.meet::<S, true, true>(simd),
            (false, _) => self.meet::<S, false, true>(simd),
        }
    }
}

impl<G: Groups> ShortMeeting<'_, G> {
    #[inline(always)]
    fn meet<S: Simd, const ALIKE: bool, const FORCES_OFF: bool>(self, simd: S) -> f32 {
        let [x, y, z] = self.single.units;
        let constants = Constants::<S> {
            units: [simd.splat(x), simd.splat(y), simd.splat(z)],
            sign: simd.splat_u(SIGN),
            alike: self.single.pairs[0].same(Lanes32(simd)),
        };
        let mut columns = Columns {
            positions: [[0; BATCH]; 3],
            species: [0; BATCH],
            filled: [0; BATCH],
            n: 0,
        };
        let mut nearest = simd.splat(0.0);
        let mut impulses = self.impulses;
        for group in self.groups.groups() {
            let n = group.particles.len().min(impulses.len());
            let (of_group, rest) = impulses.split_at_mut(n);
            impulses = rest;
            for (number, index) in group.neighbours.chunks(BATCH).enumerate() {
                let first = number * BATCH;
                columns.read(simd, self.records, index, group.count.saturating_sub(first));
                if first == 0 {
                    of_group.fill([0; 4]);
                }
                for (k, to) in of_group.iter_mut().enumerate() {
                    let own = self.records[group.particles.start + k];
                    let row = &self.single.pairs[own[3] as usize * self.species..][..self.species];
                    let place = (group.own + k).wrapping_sub(first);
                    columns.turn(simd, place);
                    let of = (own, row);
                    let (mut sum, s) =
                        columns.meet::<S, ALIKE, FORCES_OFF, false>(simd, &constants, of);
                    nearest = simd.max(s, nearest);
                    let safe = self.single.safe(columns.n / S::LANES);
                    if simd.mask_bits(simd.less(simd.splat(safe), s)) != 0 {
                        (sum, _) = columns.meet::<S, ALIKE, FORCES_OFF, true>(simd, &constants, of);
                    }
                    columns.turn(simd, place);
                    for (to, sum) in to.iter_mut().zip(sum) {
                        *to += sum;
                    }
                }
            }
        }
        let mut each = [0.0; MOST_LANES];
        simd.store(nearest, &mut each);
        each.into_iter().fold(0.0, f32::max)
    }
}

/// What stays the same for all pairs of a run.
struct Constants<S: Simd> {
    units: [S::F; 3],
    sign: S::U,
    /// Of a run of one species.
    alike: PairForce<S::F>,
}

impl Columns {
    /// What these neighbours do to one particle, which has such pairs with each species, and the largest (sigma/r)^2. The sums of lanes
    /// may wrap, unless [`Single::safe`] says that they do not.
    #[inline(always)]
    fn meet<S: Simd, const ALIKE: bool, const FORCES_OFF: bool, const WRAPS: bool>(
        &self,
        simd: S,
        constants: &Constants<S>,
        (own, row): (ShortRecord, &[PairForce<f32>]),
    ) -> ([i64; 3], S::F) {
        let at = [
            simd.splat_u(own[0]),
            simd.splat_u(own[1]),
            simd.splat_u(own[2]),
        ];
        let zero = LaneSum::<S, WRAPS> {
            low: simd.splat_u(0),
            high: simd.splat_u(0),
        };
        let (mut sums, mut nearest) = ([zero; 3], simd.splat(0.0));
        let [x, y, z] = &self.positions;
        let positions = x[..self.n].chunks_exact(S::LANES);
        let positions = positions.zip(y[..self.n].chunks_exact(S::LANES));
        let positions = positions.zip(z[..self.n].chunks_exact(S::LANES));
        let others = self.species[..self.n].chunks_exact(S::LANES);
        let others = others.zip(self.filled[..self.n].chunks_exact(S::LANES));
        for (((x, y), z), (species, filled)) in positions.zip(others) {
            let mut of = constants.alike;
            if !ALIKE {
                let pairs = species.iter().map(|&species| &row[species as usize]);
                of = PairForce::each(Lanes32(simd), pairs);
            }
            of.reach2 = simd.floats(simd.and(simd.bits(of.reach2), simd.load_u(filled)));
            let from = [simd.load_u(x), simd.load_u(y), simd.load_u(z)];
            let mut apart = constants.units;
            for k in 0..3 {
                apart[k] = simd.signed_to_float(simd.sub_u(at[k], from[k]));
            }
            let pushed = of.push::<_, FORCES_OFF>(Lanes32(simd), &constants.units, apart);
            nearest = simd.max(pushed.s, nearest);
            let impulse = pushed.impulse;
            for k in 0..3 {
                sums[k] = sums[k].add(simd, constants.sign, simd.round(impulse[k]));
            }
        }
        let [x, y, z] = sums;
        let sum = [
            x.total(simd, self.n),
            y.total(simd, self.n),
            z.total(simd, self.n),
        ];
        (sum, nearest)
    }
}
